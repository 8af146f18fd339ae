#!/usr/bin/env python3
"""Builds the FMUs of the tests: make.py DIRECTORY. Each model of this folder in versions 1.0 (two FMUs, _me and _cs), 2.0 and
3.0, with the system's C compiler. A variable is: name, reference, type, causality, variability, initial, start, derivative of."""
import os
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
R, I, B = 'Real', 'Integer', 'Boolean'
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
                           ('b', 7, B, 'input', 'discrete', None, 'false', None), ('b_out', 8, B, *OUT, None, None)]),
    'bad': (1, 2, False, [('x', 1, R, *STATE, '1', None), ('der(x)', 2, R, *SLOPE, None, 'x'), ('what', 3, R, *PARAMETER, '0', None)]),
}


def attributes(**values):
    return ''.join(' %s="%s"' % (k, v) for k, v in values.items() if v is not None)


def describe_1(name, model, kind):
    indicators, stop, _, variables = model
    text = ''
    for n, ref, kind_, causality, variability, initial, start, of in variables:
        old = {'parameter': 'internal', 'local': 'internal'}.get(causality, causality)
        text += '<ScalarVariable%s><%s%s/></ScalarVariable>\n' % (
            attributes(name=n, valueReference=ref, causality=old, variability='parameter' if variability == 'fixed' else variability),
            kind_, attributes(start=start))
    states = sum(1 for v in variables if v[7])
    implementation = '<Implementation><CoSimulation_StandAlone><Capabilities canHandleVariableCommunicationStepSize="true"/></CoSimulation_StandAlone></Implementation>'
    return ('<fmiModelDescription fmiVersion="1.0" modelName="%s" modelIdentifier="%s" guid="{%s}" numberOfContinuousStates="%d" '
            'numberOfEventIndicators="%d">\n<DefaultExperiment startTime="0" stopTime="%s" tolerance="1e-7"/>\n<ModelVariables>\n%s</ModelVariables>%s</fmiModelDescription>'
            % (name, name, name, states, indicators, stop, text, implementation if kind == 'cs' else ''))


def describe_2(name, model):
    indicators, stop, directional, variables = model
    index = {v[0]: k + 1 for k, v in enumerate(variables)}
    text = ''.join('<ScalarVariable%s><%s%s/></ScalarVariable>\n' % (
        attributes(name=n, valueReference=ref, causality=causality, variability=variability, initial=initial), kind,
        attributes(start=start, derivative=index.get(of))) for n, ref, kind, causality, variability, initial, start, of in variables)
    outputs = ''.join('<Unknown index="%d"/>' % index[v[0]] for v in variables if v[3] == 'output')
    slopes = [v for v in variables if v[7]]
    derivatives = ''.join('<Unknown index="%d" dependencies="%s"/>' % (index[v[0]], ' '.join(str(index[s[7]]) for s in slopes)) for v in slopes)
    return ('<fmiModelDescription fmiVersion="2.0" modelName="%s" guid="{%s}" numberOfEventIndicators="%d">\n'
            '<ModelExchange modelIdentifier="%s"%s/>\n<CoSimulation modelIdentifier="%s" canHandleVariableCommunicationStepSize="true"/>\n'
            '<DefaultExperiment startTime="0" stopTime="%s" tolerance="1e-7"/>\n<ModelVariables>\n%s</ModelVariables>\n<ModelStructure>%s%s</ModelStructure></fmiModelDescription>'
            % (name, name, indicators, name, attributes(providesDirectionalDerivative='true' if directional else None), name, stop, text,
               '<Outputs>%s</Outputs>' % outputs if outputs else '', '<Derivatives>%s</Derivatives>' % derivatives if derivatives else ''))


def describe_3(name, model):
    indicators, stop, directional, variables = model
    new = {R: 'Float64', I: 'Int32', B: 'Boolean'}
    ref = {v[0]: v[1] for v in variables}
    text = ''.join('<%s%s/>\n' % (new[kind], attributes(name=n, valueReference=r, causality=causality, variability=variability,
                                                       initial=initial, start=start, derivative=ref.get(of)))
                   for n, r, kind, causality, variability, initial, start, of in variables)
    for k in range(indicators):
        text += '<Float64 name="indicator %d" valueReference="%d" causality="local" variability="continuous" initial="calculated"/>' % (k, 30 + k)
    slopes = [v for v in variables if v[7]]
    structure = ''.join('<Output valueReference="%d"/>' % v[1] for v in variables if v[3] == 'output')
    structure += ''.join('<ContinuousStateDerivative valueReference="%d" dependencies="%s"/>' % (v[1], ' '.join(str(ref[s[7]]) for s in slopes)) for v in slopes)
    structure += ''.join('<EventIndicator valueReference="%d"/>' % (30 + k) for k in range(indicators))
    return ('<fmiModelDescription fmiVersion="3.0" modelName="%s" instantiationToken="{%s}">\n<ModelExchange modelIdentifier="%s"%s/>\n'
            '<CoSimulation modelIdentifier="%s" canHandleVariableCommunicationStepSize="true"/>\n'
            '<DefaultExperiment startTime="0" stopTime="%s" tolerance="1e-7"/>\n<ModelVariables>\n%s</ModelVariables>\n<ModelStructure>%s</ModelStructure></fmiModelDescription>'
            % (name, name, name, attributes(providesDirectionalDerivatives='true' if directional else None), name, stop, text, structure))


def build(job):
    directory, name, version, kind = job
    target = '%s_%s%s' % (name, version, '_' + kind if kind else '')
    binary = os.path.join(directory, target + '.so')
    subprocess.run([os.environ.get('CC', 'cc'), '-shared', '-fPIC', '-O1', '-w', '-DMODEL=%s.c' % name, '-DTOKEN="{%s}"' % name,
                    '-DFMU_ID=%s' % name, *(['-DCS'] if kind == 'cs' else []), '-o', binary,
                    os.path.join(HERE, 'fmi%s.c' % version), '-lm'], check=True)
    text = {'1': lambda: describe_1(name, MODELS[name], kind), '2': lambda: describe_2(name, MODELS[name]),
            '3': lambda: describe_3(name, MODELS[name])}[version]()
    with zipfile.ZipFile(os.path.join(directory, target + '.fmu'), 'w', zipfile.ZIP_DEFLATED) as z:
        z.writestr('modelDescription.xml', '<?xml version="1.0" encoding="UTF-8"?>\n' + text)
        z.writestr('resources/letter.txt', 'a')
        z.write(binary, 'binaries/%s/%s.so' % ('x86_64-linux' if version == '3' else 'linux64', name))


if __name__ == '__main__':
    jobs = [(sys.argv[1], m, v, k) for m in MODELS for v, k in (('1', 'me'), ('1', 'cs'), ('2', ''), ('3', ''))
            if not sys.argv[2:] or '%s_%s' % (m, v) in sys.argv[2:]]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(build, jobs))
