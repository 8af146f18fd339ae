"""Models: loaded once, set, and simulated as often as wanted."""
import ctypes
import html
import json
import os
import sys
import tempfile
from collections import namedtuple
from ctypes import byref

from .errors import Error, RunError
from .library import WRITE, constants, lib, structure, text_of
from .result import Result, _nearest, _strings

DONE, FAILED = constants['ACAUSAL_DONE'], constants['ACAUSAL_FAILED']

Variable = namedtuple('Variable', 'name unit description kind type is_input is_output is_state is_protected is_settable')


class Sensitivity:
    """Derivatives by (variable, parameter); `result` is the run with them over time, or None."""

    def __init__(self, derivatives, result, seconds):
        self.derivatives, self.result, self.seconds = derivatives, result, seconds

    def __getitem__(self, pair):
        return self.derivatives[pair]

    def __repr__(self):
        return '\n'.join('d(%s)/d(%s) = %.9g' % (of, wrt, value) for (of, wrt), value in self.derivatives.items())


class Session:
    """Libraries that models are looked for in. Most programs need none of their own: `load` makes one."""

    def __init__(self, libraries=()):
        self._pointer = lib.acausal_session_new()
        if not self._pointer:
            raise MemoryError('no memory for a session')
        for directory in libraries:
            lib.acausal_add_library_path(self._pointer, str(directory).encode())
        if os.environ.get('MODELICAPATH'):
            lib.acausal_add_library_path_list(self._pointer, os.environ['MODELICAPATH'].encode())

    def __del__(self):
        if getattr(self, '_pointer', None):
            lib.acausal_session_free(self._pointer)
            self._pointer = None

    def classes(self, path):
        """(name, kind, description) of all classes in a .mo file or a library's directory."""
        found = []
        each = lib.acausal_classes.argtypes[2](lambda _, c: found.append(
            (c.contents.name.decode(), c.contents.kind.decode(), c.contents.description.decode())))
        lib.acausal_classes(self._pointer, str(path).encode(), each, None)
        self._raise_errors()
        return found

    def load(self, source, class_name=None):
        return Model(self, source, class_name)

    def _findings(self):
        text, _ = text_of(lib.acausal_write_diagnostics, self._pointer, constants['ACAUSAL_JSON'], WRITE, None)
        return [json.loads(line) for line in text.splitlines() if line.startswith('{')]

    def _take_findings(self):
        """The diagnostics so far, as text and as dicts; they are not told again."""
        text, _ = text_of(lib.acausal_write_diagnostics, self._pointer, constants['ACAUSAL_TEXT'], WRITE, None)
        findings = self._findings()
        lib.acausal_clear_diagnostics(self._pointer)
        return text.rstrip(), findings

    def _raise_errors(self):
        if lib.acausal_error_count(self._pointer):
            text, findings = self._take_findings()
            raise Error(text, findings)


def load(source, class_name=None, libraries=()):
    """A model from a .mo file, a library's directory, an .fmu file, or a class name found in the libraries."""
    return Session(libraries).load(source, class_name)


def simulate(source, class_name=None, libraries=(), **options):
    """Loads a model and runs it once; options are those of Model.simulate."""
    return load(source, class_name, libraries).simulate(**options)


def _value_text(value):
    if isinstance(value, bool) or type(value).__name__ == 'bool_':
        return 'true' if value else 'false'
    if isinstance(value, str):
        return value
    if hasattr(value, '__len__'):
        return '{' + ','.join(_value_text(v) for v in value) + '}'
    return repr(int(value)) if isinstance(value, int) else repr(float(value))


class _Run:
    """What one call of acausal_run needs kept alive, and what it hands back through callbacks."""

    def __init__(self, progress):
        self.progress = progress
        self.raised = None
        self.lines = []
        self.stop = ctypes.c_int(0)
        self.shown = False

    def on_progress(self, _, t, start, stop):
        try:  # an exception, a keyboard interrupt too, ends the run and is raised after it
            share = (t - start) / (stop - start) if stop > start else 1.0
            if callable(self.progress):
                self.progress(share, t)
            elif self.progress:
                self.shown = True
                sys.stderr.write('\r%3.0f %%  t = %g ' % (100 * share, t))
                sys.stderr.flush()
        except BaseException as error:  # noqa: B902
            self.raised = error
            self.stop.value = 1

    def on_line(self, _, line):
        try:
            self.lines.append(line.decode('utf-8', 'replace'))
        except BaseException as error:  # noqa: B902
            self.raised = error
            self.stop.value = 1

    def end(self):
        if self.shown:
            sys.stderr.write('\r\033[K')
        if self.raised:
            raise self.raised


class Model:
    """A translated model or an opened FMU. Values given by `set` hold for all runs after it, until `reset`."""

    def __init__(self, session, source, class_name=None):
        self._session = session
        self._values = {}
        self._variables = None
        self._pointer = None
        self.source = str(source)
        self._class_name = class_name
        self.name = class_name or os.path.splitext(os.path.basename(self.source))[0]
        class_name = class_name.encode() if class_name else None
        self._pointer = lib.acausal_compile(session._pointer, self.source.encode(), class_name)
        if not self._pointer:
            text, findings = session._take_findings()
            raise Error(text or "'%s' cannot be loaded" % self.source, findings)

    def __del__(self):
        if getattr(self, '_pointer', None):
            lib.acausal_model_free(self._pointer)
            self._pointer = None

    def variables(self):
        """All variables by name: unit, description, kind, and what each is for."""
        if self._variables is None:
            count, room = lib.acausal_model_variables(self._pointer), structure('AcausalVariable')
            self._session._raise_errors()
            self._variables = {}
            for i in range(count):
                lib.acausal_model_variable(self._pointer, i, byref(room))
                values = [getattr(room, field) for field in Variable._fields]
                variable = Variable(*[v.decode() if isinstance(v, bytes) else v for v in values])
                self._variables[variable.name] = variable
        return dict(self._variables)

    get_model_variables = variables

    def parameters(self):
        """Names and values of all parameters."""
        names = [v.name for v in self.variables().values() if v.kind == 'parameter' and v.type != 'String']
        start = self.initial()
        return {name: start.initial(name) for name in names if name in start}

    def set(self, names, values=None):
        """set('e', 0.7), set(['a', 'b'], [1, 2]) or set({'a': 1}): parameters, start values, whole arrays."""
        if isinstance(names, str):
            pairs = [(names, values)]
        else:
            pairs = list(names.items()) if values is None else list(zip(names, values))
        known = self.variables()
        for name, value in pairs:
            if name not in known and not any(k.startswith(name + '[') for k in known):
                near = _nearest(name, list(known))
                raise Error("there is no variable '%s'%s" % (name, "; did you mean '%s'?" % near if near else ''))
            self._values[name] = _value_text(value)

    def reset(self):
        """Forgets all values given by `set`."""
        self._values.clear()

    def get(self, name):
        """The value at the start of a run; of several names, a list."""
        if not isinstance(name, str):
            start = self.initial()
            return [start.initial(n) for n in name]
        return self.initial().initial(name)

    def initial(self, start=None):
        """All variables at the start, after the initial equations are solved: a result with one row."""
        start = float('nan') if start is None else start
        begin = 0.0 if start != start else start
        return self.simulate(start=begin, stop=begin)

    def simulate(self, start=None, stop=None, tolerance=None, interval=None, points=None, solver=None, set=None, options=None,
                 inputs=None, init=None, output=None, variables=None, kind=None, time_limit=None, compile=False, log=False,
                 progress=None):
        """Runs the model and returns a Result.

        start, stop, tolerance, interval, points: as the model's experiment says, or 0, 1, 1e-6 and 500 points; points=0 keeps the
        integrator's own steps. solver: a name that `acausal solvers` lists. set: values for this run only. options: a dict of
        solver options such as {'max-step': 0.1}. inputs: a CSV file, or {'time': [...], 'u': [...]}. init: a result file to
        start from. output: a .csv or .mat file to write, too. variables: a regular expression for what the result holds. kind:
        'me' or 'cs' for an FMU. progress: True for a line on stderr, or a function of (share, time); what it raises ends the
        run. Raises RunError, with the rows so far, when the run fails.
        """
        run = _Run(progress)
        s = structure('AcausalSimulation')
        temporary = self._fill(s, run, start=start, stop=stop, tolerance=tolerance, interval=interval, points=points, solver=solver, set=set,
                               options=options, inputs=inputs, init=init, output=output, variables=variables, kind=kind,
                               time_limit=time_limit, compile=compile, log=log)
        report = structure('AcausalSimulationReport')
        try:
            status = lib.acausal_run(self._pointer, byref(s), byref(report))
        finally:
            if temporary:
                os.unlink(temporary)
        self._variables = None
        return self._finish(run, status, report)

    def _fill(self, s, run, start=None, stop=None, tolerance=None, interval=None, points=None, solver=None, set=None, options=None, inputs=None,
              init=None, output=None, variables=None, kind=None, time_limit=None, compile=False, log=False):
        """Puts what is asked for into an AcausalSimulation; the name of a file with inputs that is to be removed after the run, or None."""
        for field, value in (('start', start), ('stop', stop), ('tolerance', tolerance), ('interval', interval), ('points', points),
                             ('time_limit', time_limit)):
            if value is not None:
                setattr(s, field, value)
        temporary = _write_inputs(inputs) if isinstance(inputs, dict) else None
        for field, value in (('solver', solver), ('output', output), ('variables', variables), ('init', init), ('kind', kind),
                             ('inputs', temporary or inputs)):
            if value is not None:
                setattr(s, field, str(value).encode())
        values = dict(self._values, **{n: _value_text(v) for n, v in (set or {}).items()})
        s.set, s.set_count = _strings('%s=%s' % pair for pair in values.items())
        s.solver_options, s.solver_option_count = _strings('%s=%s' % pair for pair in (options or {}).items())
        s.compile, s.log, s.keep = compile, log, True
        s.interrupt = ctypes.pointer(run.stop)
        s.progress = type(s.progress)(run.on_progress)
        s.say = type(s.say)(run.on_line)
        return temporary

    def _finish(self, run, status, report):
        message = report.message.decode('utf-8', 'replace')
        text, findings = self._session._take_findings()
        result = None
        if report.result:
            stats = json.loads(report.stats_json.decode()) if report.stats_json else {}
            result = Result(report.result, stats, message)
            result.lines, result.diagnostics, result.states = run.lines, findings, report.states
        run.end()
        if status == DONE:
            return result
        if status == FAILED:
            raise RunError(message or text, findings, result, report.t)
        raise Error(text or message or 'the model cannot be run', findings)

    def sensitivity(self, wrt, of=None, objective=None, method='forward', **options):
        """Derivatives of variables at the end (`of`), or of an objective, in parameters and start values.

        s = model.sensitivity(wrt=['e'], of=['h']); s['h', 'e'] is the derivative at the end. With the methods 'forward' and 'ad', s.result
        holds them over time, as s.result['d(h)/d(e)']. Other methods are 'adjoint' (for many parameters), 'ind' and 'end'. An objective is a
        Modelica expression at the end, with integral(...) over the run. Options are those of `simulate`.
        """
        options, run = dict(options), _Run(options.pop('progress', None))
        what, report, simulation = (structure('Acausal' + n) for n in ('Sensitivity', 'SensitivityReport', 'Simulation'))
        temporary = self._fill(simulation, run, **options)
        what.run = ctypes.pointer(simulation)
        what.wrt, what.wrt_count = _strings([wrt] if isinstance(wrt, str) else wrt)
        what.of, what.of_count = _strings([of] if isinstance(of, str) else of or [])
        what.objective = objective.encode() if objective else None
        what.method = method.encode()
        class_name = self._class_name.encode() if self._class_name else None
        try:
            status = lib.acausal_differentiate(self._session._pointer, self.source.encode(), class_name, byref(what), byref(report))
        finally:
            if temporary:
                os.unlink(temporary)
        derivatives = [report.derivatives[i].contents for i in range(report.count)]
        result = self._finish(run, status, report.run.contents if report.run else structure('AcausalSimulationReport'))
        return Sensitivity({(d.of.decode(), d.wrt.decode()): d.derivative for d in derivatives}, result, report.cpu_seconds)

    def export(self, path, fmi=2, kind='me,cs', sources=False, binary=True, solver=None):
        """Writes the model as an FMU, with the values given by `set` built in, and returns its path.

        fmi: 2 or 3. kind: 'me', 'cs' or both. sources: put the C sources into it, too. solver: of co-simulation.
        """
        if not hasattr(lib, 'acausal_export'):
            raise Error('this libacausal.so is older than the export of FMUs')
        options, report = structure('AcausalExport'), structure('AcausalExportReport')
        options.fmi, options.sources, options.binary = fmi, sources, binary
        options.model_exchange, options.co_simulation = 'me' in kind, 'cs' in kind
        options.solver = solver.encode() if solver else None
        options.set, options.set_count = _strings('%s=%s' % pair for pair in self._values.items())
        class_name = self._class_name.encode() if self._class_name else None
        status = lib.acausal_export(self._session._pointer, self.source.encode(), class_name, str(path).encode(), byref(options), byref(report))
        text, findings = self._session._take_findings()
        if status != DONE:
            raise Error(text or "'%s' cannot be exported" % self.name, findings)
        return path

    def __repr__(self):
        return '<acausal.Model %s>' % self.name

    def _repr_html_(self):
        rows = ''.join('<tr><td>%s</td><td>%s</td><td>%s</td></tr>' % tuple(html.escape(t) for t in (v.name, v.unit, v.description))
                       for v in list(self.variables().values())[:20])
        return '<table><caption>%s</caption><tr><th>name</th><th>unit</th><th></th></tr>%s</table>' % (html.escape(self.name), rows)


def _write_inputs(inputs):
    """Inputs in memory as a file that the library reads."""
    names = ['time'] + [n for n in inputs if n != 'time']
    if 'time' not in inputs:
        raise Error("inputs need their times: {'time': [...], 'u': [...]}")
    columns = [list(inputs[n]) for n in names]
    if len({len(c) for c in columns}) != 1:
        raise Error('inputs have different lengths: %s' % ', '.join('%s %d' % (n, len(c)) for n, c in zip(names, columns)))
    with tempfile.NamedTemporaryFile('w', suffix='.csv', delete=False) as file:
        file.write(','.join('"%s"' % n.replace('"', '""') for n in names) + '\n')
        for row in zip(*columns):
            file.write(','.join(repr(float(v)) for v in row) + '\n')
    return file.name
