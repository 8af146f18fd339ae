#!/usr/bin/env python3
"""Builds the FMUs of the tests: make.py DIRECTORY [seeds | MODEL...]. Each model of this folder, or those named, in versions 1.0 (two FMUs, _me and _cs), 2.0 and
3.0, with the system's C compiler;
with `seeds` only what fuzzers start from. A variable is: name, reference, type, causality, variability, initial, start, derivative of, and
for version 3 more attributes and dimensions."""
import os
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
R, I, B, S = 'Real', 'Integer', 'Boolean', 'String'
STATE = ('local', 'continuous', 'exact')
SLOPE = ('local', 'continuous', 'calculated')
PARAMETER = ('parameter', 'fixed', 'exact')
OUT = ('output', 'discrete', 'calculated')
MODELS = {  # model: indicators, stop time, directional derivatives, variables
    'decay': (0, 3, True, [('x', 1, R, *STATE, '1', None), ('der(x)', 2, R, *SLOPE, None, 'x'),
                           ('k', 3, R, *PARAMETER, '1', None), ('u', 4, R, 'input', 'continuous', None, '0', None),
                           ('y', 5, R, 'output', 'continuous', 'calculated', None, None), ('count', 6, I, *OUT, None, None)]),
    'ball': (1, 3, False, [('h', 1, R, *STATE, '1', None), ('v', 2, R, *STATE, '0', None),
                           ('der(h)', 3, R, *SLOPE, None, 'h'), ('der(v)', 4, R, *SLOPE, None, 'v'),
                           ('e', 5, R, *PARAMETER, '0.7', None), ('g', 6, R, *PARAMETER, '9.81', None),
                           ('flying', 7, B, 'local', 'discrete', 'calculated', None, None)]),
    'vdp': (0, 10, True, [('x0', 1, R, *STATE, '2', None), ('x1', 2, R, *STATE, '0', None),
                          ('der(x0)', 3, R, *SLOPE, None, 'x0'), ('der(x1)', 4, R, *SLOPE, None, 'x1'),
                          ('mu', 5, R, *PARAMETER, '5', None)]),
    'stair': (0, 12, False, [('count', 1, I, *OUT, None, None), ('letter', 2, I, *OUT, None, None)]),
    'pass': (0, 2, False, [('rc', 1, R, 'input', 'continuous', None, '0', None), ('rc_out', 2, R, 'output', 'continuous', 'calculated', None, None),
                           ('rd', 3, R, 'input', 'discrete', None, '0', None), ('rd_out', 4, R, *OUT, None, None),
                           ('i', 5, I, 'input', 'discrete', None, '0', None), ('i_out', 6, I, *OUT, None, None),
                           ('b', 7, B, 'input', 'discrete', None, 'false', None), ('b_out', 8, B, *OUT, None, None),
                           ('s', 9, S, 'input', 'discrete', None, '', None), ('s_out', 10, S, *OUT, None, None), ('nothing', 17, S, 'local', 'discrete', 'calculated', None, None),
                           ('bytes', 11, 'Binary', 'input', 'discrete', None, None, None), ('bytes_out', 12, 'Binary', *OUT, None, None),
                           ('large', 13, 'Int64', 'input', 'discrete', None, '0', None), ('large_out', 14, 'Int64', *OUT, None, None),
                           ('small', 15, 'UInt8', 'input', 'discrete', None, '0', None), ('small_out', 16, 'UInt8', *OUT, None, None)]),
    'gain': (0, 2, False, [('u', 1, R, 'input', 'continuous', None, '0', None), ('y', 2, R, 'output', 'continuous', 'calculated', None, None),
                           ('a', 3, R, *PARAMETER, '1', None), ('b', 4, R, *PARAMETER, '0', None)]),
    'wild': (0, 3, True, [('x', 1, R, *STATE, '1', None), ('der(x)', 2, R, *SLOPE, None, 'x'), ('k', 3, R, 'local', 'discrete', 'calculated', None, None),
                          ('nothing', 17, S, 'local', 'discrete', 'calculated', None, None)]),
    'space': (0, 1, False, [('n', 20, 'UInt64', 'structuralParameter', 'fixed', 'exact', '2', None),
                            ('x', 1, R, *STATE, '1 0', None, {}, '<Dimension valueReference="20"/>'), ('der(x)', 3, R, *SLOPE, None, 'x', {}, '<Dimension valueReference="20"/>'),
                            ('y', 5, R, 'output', 'continuous', 'calculated', None, None, {}, '<Dimension valueReference="20"/>'),
                            ('A', 7, R, *PARAMETER, '0 -1 1 0', None, {}, '<Dimension start="2"/><Dimension start="2"/>')]),
    'clock': (0, 2, False, [('tick', 1, 'Clock', 'input', None, None, None, None, {'intervalVariability': 'constant', 'intervalDecimal': 0.5, 'shiftDecimal': 0.25}),
                            ('down', 2, 'Clock', 'input', None, None, None, None, {'intervalVariability': 'countdown'}),
                            ('own', 3, 'Clock', 'input', None, None, None, None, {'intervalVariability': 'calculated'}),
                            ('ticks', 4, I, *OUT, None, None), ('downs', 5, I, *OUT, None, None), ('owns', 6, I, *OUT, None, None)]),
    'bad': (1, 2, False, [('x', 1, R, *STATE, '1', None), ('der(x)', 2, R, *SLOPE, None, 'x'), ('what', 3, R, *PARAMETER, '0', None)]),
}
NEW_ONLY = {'space', 'clock'}  # of version 3
EVENT_MODE = {'stair', 'clock'}  # use it in co-simulation of version 3
# What outputs depend on; others say nothing.
FEEDTHROUGH = {'decay': {'y': ['x'], 'count': []}, 'gain': {'y': ['u']}}


def of_old(variables):
    """Those that versions 1 and 2 have types for."""
    return [v for v in variables if v[2] in (R, I, B, S)]


def attributes(**values):
    return ''.join(' %s="%s"' % (k, v) for k, v in values.items() if v is not None)


def describe_1(name, model, kind):
    indicators, stop, _, variables = model
    variables = of_old(variables)
    text = ''
    for n, ref, kind_, causality, variability, initial, start, of in variables:
        old = {'parameter': 'internal', 'local': 'internal'}.get(causality, causality)
        text += '<ScalarVariable%s><%s%s/></ScalarVariable>\n' % (
            attributes(name=n, valueReference=ref, causality=old, variability='parameter' if variability == 'fixed' else variability),
            kind_, attributes(start=start))
    states = sum(1 for v in variables if v[7])
    implementation = '<Implementation><CoSimulation_StandAlone><Capabilities canHandleVariableCommunicationStepSize="true" canInterpolateInputs="true"/></CoSimulation_StandAlone></Implementation>'
    return ('<fmiModelDescription fmiVersion="1.0" modelName="%s" modelIdentifier="%s" guid="{%s}" numberOfContinuousStates="%d" '
            'numberOfEventIndicators="%d">\n<DefaultExperiment startTime="0" stopTime="%s" tolerance="1e-7"/>\n<ModelVariables>\n%s</ModelVariables>%s</fmiModelDescription>'
            % (name, name, name, states, indicators, stop, text, implementation if kind == 'cs' else ''))


def describe_2(name, model):
    indicators, stop, directional, variables = model
    variables = of_old(variables)
    index = {v[0]: k + 1 for k, v in enumerate(variables)}
    text = ''.join('<ScalarVariable%s><%s%s/></ScalarVariable>\n' % (
        attributes(name=n, valueReference=ref, causality=causality, variability=variability, initial=initial), kind,
        attributes(start=start, derivative=index.get(of))) for n, ref, kind, causality, variability, initial, start, of in variables)
    on = {o: ' '.join(str(index[i]) for i in inputs) for o, inputs in FEEDTHROUGH.get(name, {}).items()}
    outputs = ''.join('<Unknown%s/>' % attributes(index=index[v[0]], dependencies=on.get(v[0])) for v in variables if v[3] == 'output')
    slopes = [v for v in variables if v[7]]
    derivatives = ''.join('<Unknown index="%d" dependencies="%s"/>' % (index[v[0]], ' '.join(str(index[s[7]]) for s in slopes)) for v in slopes)
    return ('<fmiModelDescription fmiVersion="2.0" modelName="%s" guid="{%s}" numberOfEventIndicators="%d">\n'
            '<ModelExchange modelIdentifier="%s" canGetAndSetFMUstate="true"%s%s/>\n<CoSimulation modelIdentifier="%s" canHandleVariableCommunicationStepSize="true" '
            'canInterpolateInputs="true" canGetAndSetFMUstate="true"/>\n'
            '<DefaultExperiment startTime="0" stopTime="%s" tolerance="1e-7"/>\n<ModelVariables>\n%s</ModelVariables>\n<ModelStructure>%s%s</ModelStructure></fmiModelDescription>'
            % (name, name, indicators, name, attributes(providesDirectionalDerivative='true' if directional else None),
               attributes(needsExecutionTool='true' if name == 'wild' else None), name, stop, text,
               '<Outputs>%s</Outputs>' % outputs if outputs else '', '<Derivatives>%s</Derivatives>' % derivatives if derivatives else ''))


def describe_3(name, model):
    indicators, stop, directional, variables = model
    new = {R: 'Float64', I: 'Int32', B: 'Boolean'}
    ref = {v[0]: v[1] for v in variables}
    text = ''
    for n, r, kind, causality, variability, initial, start, of, *more in variables:
        named, inner = new.get(kind, kind), more[1] if len(more) > 1 else ''
        if named == 'String' and start is not None:
            inner, start = '<Start value="%s"/>' % start, None
        text += '<%s%s>%s</%s>\n' % (named, attributes(name=n, valueReference=r, causality=causality, variability=variability, initial=initial,
                                                       start=start, derivative=ref.get(of), **(more[0] if more else {})), inner, named)
    for k in range(indicators):
        text += '<Float64 name="indicator %d" valueReference="%d" causality="local" variability="continuous" initial="calculated"/>' % (k, 30 + k)
    slopes = [v for v in variables if v[7]]
    on = {o: ' '.join(str(ref[i]) for i in inputs) for o, inputs in FEEDTHROUGH.get(name, {}).items()}
    structure = ''.join('<Output%s/>' % attributes(valueReference=v[1], dependencies=on.get(v[0])) for v in variables if v[3] == 'output')
    structure += ''.join('<ContinuousStateDerivative valueReference="%d" dependencies="%s"/>' % (v[1], ' '.join(str(ref[s[7]]) for s in slopes)) for v in slopes)
    structure += ''.join('<EventIndicator valueReference="%d"/>' % (30 + k) for k in range(indicators))
    return ('<fmiModelDescription fmiVersion="3.0" modelName="%s" instantiationToken="{%s}">\n<ModelExchange modelIdentifier="%s" canGetAndSetFMUState="true" canSerializeFMUState="true"%s/>\n'
            '<CoSimulation modelIdentifier="%s" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUState="true" '
            'canSerializeFMUState="true" providesIntermediateUpdate="true"%s/>\n'
            '<DefaultExperiment startTime="0" stopTime="%s" tolerance="1e-7"/>\n<ModelVariables>\n%s</ModelVariables>\n<ModelStructure>%s</ModelStructure></fmiModelDescription>'
            % (name, name, name, attributes(providesDirectionalDerivatives='true' if directional else None), name,
               attributes(hasEventMode='true' if name in EVENT_MODE else None), stop, text, structure))


def describe(name, version, kind):
    text = {'1': lambda: describe_1(name, MODELS[name], kind), '2': lambda: describe_2(name, MODELS[name]),
            '3': lambda: describe_3(name, MODELS[name])}[version]()
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + text


def pack(path, name, version, kind, binary):
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as z:
        z.writestr('modelDescription.xml', describe(name, version, kind))
        z.writestr('resources/letter.txt', 'a')
        z.writestr('binaries/%s/%s.so' % ('x86_64-linux' if version == '3' else 'linux64', name), binary)


def build(job):
    directory, name, version, kind = job
    target = '%s_%s%s' % (name, version, '_' + kind if kind else '')
    binary = os.path.join(directory, target + '.so')
    subprocess.run([os.environ.get('CC', 'cc'), '-shared', '-fPIC', '-O1', '-w', '-DMODEL=%s.c' % name, '-DTOKEN="{%s}"' % name,
                    '-DFMU_ID=%s' % name, *(['-DCS'] if kind == 'cs' else []), '-o', binary,
                    os.path.join(HERE, 'fmi%s.c' % version), '-lm'], check=True)
    with open(binary, 'rb') as file:
        pack(os.path.join(directory, target + '.fmu'), name, version, kind, file.read())


def seeds(jobs):
    """What fuzzers start from: descriptions, and archives without a real binary."""
    for directory, name, version, kind in jobs:
        target = os.path.join(directory, '%s_%s%s' % (name, version, kind))
        with open(target + '.xml', 'w') as file:
            file.write(describe(name, version, kind))
        pack(target + '.fmu', name, version, kind, b'no library')


if __name__ == '__main__':
    jobs = [(sys.argv[1], m, v, k) for m in MODELS for v, k in (('1', 'me'), ('1', 'cs'), ('2', ''), ('3', ''))
            if (v == '3' or m not in NEW_ONLY) and (sys.argv[2:] in ([], ['seeds']) or {m, '%s_%s' % (m, v)} & set(sys.argv[2:]))]
    if sys.argv[2:] == ['seeds']:
        seeds(jobs)
        sys.exit()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(build, jobs))
