"""Models: loaded once, set, and simulated as often as wanted."""
from __future__ import annotations

import asyncio
import ctypes
import functools
import html
import json
import os
import sys
import tempfile
import threading
from ctypes import byref
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

from .errors import Error, RunError
from .library import WRITE, constants, lib, structure, text_of
from .result import Result, _nearest, _strings

DONE, FAILED = constants['ACAUSAL_DONE'], constants['ACAUSAL_FAILED']
Path = Union[str, 'os.PathLike[str]']
_F = TypeVar('_F', bound=Callable[..., Any])


class Variable(NamedTuple):
    """What a model says of a variable; `start` of a description is in Model.start_values."""

    name: str
    unit: str
    description: str
    kind: str
    type: str
    is_input: bool
    is_output: bool
    is_state: bool
    is_protected: bool
    is_settable: bool

    @property
    def causality(self) -> str:
        """As in FMI: input, output, parameter or local."""
        return 'input' if self.is_input else 'output' if self.is_output else 'parameter' if self.kind == 'parameter' else 'local'

    @property
    def variability(self) -> str:
        """As in FMI: constant, fixed, discrete or continuous."""
        return 'fixed' if self.kind == 'parameter' else self.kind


class StartValue(NamedTuple):
    """Value at the start without any values set, limits, and whether it can be set; NaN: unknown, no limit."""

    value: float
    low: float
    high: float
    is_structural: bool
    is_final: bool


class Experiment(NamedTuple):
    """What the model says of its experiment; None where it says nothing."""

    start: Optional[float]
    stop: Optional[float]
    tolerance: Optional[float]
    interval: Optional[float]


class Sensitivity:
    """Derivatives by (variable, parameter); `result` is the run with them over time, or None.

    In an input, `inputs[variable, input]` has the derivative for each row of its table.
    """

    def __init__(self, derivatives: dict[tuple[str, str], float], inputs: dict[tuple[str, str], list[float]], values: dict[str, float],
                 result: Optional[Result], seconds: float) -> None:
        self.derivatives, self.inputs, self.values, self.result, self.seconds = derivatives, inputs, values, result, seconds

    def __getitem__(self, pair: tuple[str, str]) -> Any:
        return self.inputs[pair] if pair in self.inputs else self.derivatives[pair]

    def __repr__(self) -> str:
        return '\n'.join('d(%s)/d(%s) = %.9g' % (of, wrt, value) for (of, wrt), value in self.derivatives.items())


def alone(method: _F) -> _F:
    """A method that uses the session: other threads wait, and the session's own callbacks may not come back in."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        session = self if isinstance(self, Session) else self._session
        with session._lock:
            if session._busy:
                raise Error("%s: the model is in the middle of a run; a callback of it cannot use it" % method.__name__)
            session._busy = True
            while session._ended:
                lib.acausal_model_free(session._ended.pop())
            try:
                return method(self, *args, **kwargs)
            finally:
                session._busy = False

    return call  # type: ignore[return-value]


class Session:
    """Libraries that models are looked for in. Most programs need none of their own: `load` makes one."""

    def __init__(self, libraries: Iterable[Path] = ()) -> None:
        self._lock = threading.RLock()
        self._busy = False
        self._ended: list[Any] = []  # models that ended while the session was in use
        self._pointer = lib.acausal_session_new()
        self.libraries = [str(d) for d in libraries]
        if not self._pointer:
            raise MemoryError('no memory for a session')
        for directory in self.libraries:
            lib.acausal_add_library_path(self._pointer, directory.encode())
        if os.environ.get('MODELICAPATH'):
            lib.acausal_add_library_path_list(self._pointer, os.environ['MODELICAPATH'].encode())

    def __del__(self) -> None:
        if getattr(self, '_pointer', None):
            for model in self._ended:
                lib.acausal_model_free(model)
            lib.acausal_session_free(self._pointer)
            self._pointer = None

    def _end_model(self, pointer: Any) -> None:
        """Frees a model now or, in the middle of another call, after it: the collector may come at any time."""
        if self._lock.acquire(blocking=False):
            try:
                if not self._busy:
                    lib.acausal_model_free(pointer)
                    return
            finally:
                self._lock.release()
        self._ended.append(pointer)

    def __reduce__(self) -> Any:
        return Session, (self.libraries,)

    @alone
    def classes(self, path: Path) -> list[tuple[str, str, str]]:
        """(name, kind, description) of all classes in a .mo file or a library's directory."""
        found: list[tuple[str, str, str]] = []
        each = lib.acausal_classes.argtypes[2](lambda _, c: found.append(
            (c.contents.name.decode(), c.contents.kind.decode(), c.contents.description.decode())))
        lib.acausal_classes(self._pointer, str(path).encode(), each, None)
        self._raise_errors()
        return found

    def load(self, source: Path, class_name: Optional[str] = None) -> Model:
        return Model(self, source, class_name)

    def _findings(self) -> list[dict[str, Any]]:
        text, _ = text_of(lib.acausal_write_diagnostics, self._pointer, constants['ACAUSAL_JSON'], WRITE, None)
        return [json.loads(line) for line in text.splitlines() if line.startswith('{')]

    def _take_findings(self) -> tuple[str, list[dict[str, Any]]]:
        """The diagnostics so far, as text and as dicts; they are not told again."""
        text, _ = text_of(lib.acausal_write_diagnostics, self._pointer, constants['ACAUSAL_TEXT'], WRITE, None)
        findings = self._findings()
        lib.acausal_clear_diagnostics(self._pointer)
        return text.rstrip(), findings

    def _raise_errors(self) -> None:
        if lib.acausal_error_count(self._pointer):
            text, findings = self._take_findings()
            raise Error(text, findings)

    def _raise(self, otherwise: str) -> None:
        text, findings = self._take_findings()
        raise Error(text or otherwise, findings)


def load(source: Path, class_name: Optional[str] = None, libraries: Iterable[Path] = ()) -> Model:
    """A model from a .mo file, a library's directory, an .fmu file, or a class name found in the libraries."""
    return Session(libraries).load(source, class_name)


def simulate(source: Path, class_name: Optional[str] = None, libraries: Iterable[Path] = (), **options: Any) -> Result:
    """Loads a model and runs it once; options are those of Model.simulate."""
    return load(source, class_name, libraries).simulate(**options)


def _value_text(value: Any) -> str:
    if isinstance(value, bool) or type(value).__name__ == 'bool_':
        return 'true' if value else 'false'
    if isinstance(value, str):
        return value
    if hasattr(value, '__len__'):
        return '{' + ','.join(_value_text(v) for v in value) + '}'
    return repr(int(value)) if isinstance(value, int) else repr(float(value))


class _Run:
    """What one call of acausal_run needs kept alive, and what it hands back through callbacks."""

    def __init__(self, progress: Any) -> None:
        self.progress = progress
        self.raised: Optional[BaseException] = None
        self.lines: list[str] = []
        self.stop = ctypes.c_int(0)
        self.shown = False

    def on_progress(self, _: Any, t: float, start: float, stop: float) -> None:
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

    def on_line(self, _: Any, line: bytes) -> None:
        try:
            self.lines.append(line.decode('utf-8', 'replace'))
        except BaseException as error:  # noqa: B902
            self.raised = error
            self.stop.value = 1

    def end(self, result: Optional[Result] = None) -> None:
        """Raises what a callback raised, with the rows so far as its `result`."""
        if self.shown:
            sys.stderr.write('\r\033[K')
        if self.raised:
            try:
                self.raised.result = result  # type: ignore[attr-defined]
            except Exception:  # one that takes no attributes is raised as it is
                pass
            raise self.raised


class Model:
    """A translated model or an opened FMU. Values given by `set` hold for all runs after it, until `reset`.

    It may be used from several threads, which wait for each other; models of their own (`load`, or a copy by pickle) run at the same time.
    """

    def __init__(self, session: Session, source: Path, class_name: Optional[str] = None) -> None:
        self._session = session
        self._values: dict[str, str] = {}
        self._variables: Optional[dict[str, Variable]] = None
        self._pointer: Any = None
        self.source = str(source)
        self._class_name = class_name
        self.name = class_name or os.path.splitext(os.path.basename(self.source))[0]
        self._compile()

    @alone
    def _compile(self) -> None:
        self._pointer = lib.acausal_compile(self._session._pointer, self.source.encode(), self._class())
        if not self._pointer:
            self._session._raise("'%s' cannot be loaded" % self.source)

    def _class(self) -> Optional[bytes]:
        return self._class_name.encode() if self._class_name else None

    def __del__(self) -> None:
        if getattr(self, '_pointer', None):
            self._session._end_model(self._pointer)
            self._pointer = None

    def __reduce__(self) -> Any:
        return _model_again, (self._session.libraries, self.source, self._class_name, self._values)

    @alone
    def variables(self) -> dict[str, Variable]:
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

    @property
    def experiment(self) -> Experiment:
        """The default experiment: start, stop, tolerance, interval."""
        e = structure('AcausalExperiment')
        lib.acausal_model_experiment(self._pointer, byref(e))
        return Experiment(*[None if v != v else v for v in (e.start, e.stop, e.tolerance, e.interval)])

    def start_values(self) -> dict[str, StartValue]:
        """Of each variable its value at the start without any values set, and its limits."""
        names = list(self.variables())
        return dict(zip(names, self._start_values(len(names))))

    @alone
    def _start_values(self, count: int) -> list[StartValue]:
        found = [StartValue(float('nan'), float('nan'), float('nan'), False, False)] * count

        def each(_: Any, i: int, pointer: Any) -> None:
            v = pointer.contents
            found[i] = StartValue(v.value, v.low, v.high, v.is_structural, v.is_final)

        lib.acausal_model_start_values(self._pointer, lib.acausal_model_start_values.argtypes[1](each), None)
        lib.acausal_clear_diagnostics(self._session._pointer)
        return found

    def parameters(self) -> dict[str, float]:
        """Names and values of all parameters."""
        names = [v.name for v in self.variables().values() if v.kind == 'parameter' and v.type != 'String']
        start = self.initial()
        return {name: start.initial(name) for name in names if name in start}

    def set(self, names: Any, values: Any = None) -> None:
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

    def reset(self) -> None:
        """Forgets all values given by `set`."""
        self._values.clear()

    def get(self, name: Any) -> Any:
        """The value at the start of a run; of several names, a list."""
        if not isinstance(name, str):
            start = self.initial()
            return [start.initial(n) for n in name]
        return self.initial().initial(name)

    def initial(self, start: Optional[float] = None) -> Result:
        """All variables at the start, after the initial equations are solved: a result with one row."""
        begin = 0.0 if start is None else start
        return self.simulate(start=begin, stop=begin)

    def simulate(self, start: Optional[float] = None, stop: Optional[float] = None, tolerance: Optional[float] = None,
                 interval: Optional[float] = None, points: Optional[int] = None, solver: Optional[str] = None,
                 set: Optional[Mapping[str, Any]] = None, options: Optional[Mapping[str, Any]] = None, inputs: Any = None,
                 init: Optional[Path] = None, output: Optional[Path] = None, variables: Optional[str] = None, kind: Optional[str] = None,
                 time_limit: Optional[float] = None, compile: bool = False, log: bool = False, progress: Any = None) -> Result:
        """Runs the model and returns a Result.

        start, stop, tolerance, interval, points: as the model's experiment says, or 0, 1, 1e-6 and 500 points; points=0 keeps the
        integrator's own steps. solver: a name that `acausal solvers` lists. set: values for this run only. options: a dict of
        solver options such as {'max-step': 0.1}. inputs: a CSV file, or {'time': [...], 'u': [...]}. init: a result file to
        start from. output: a .csv or .mat file to write, too. variables: a regular expression for what the result holds. kind:
        'me' or 'cs' for an FMU. progress: True for a line on stderr, or a function of (share, time); what it raises ends the
        run, and so does Ctrl-C: the exception has the rows so far as `result`. Raises RunError, with the rows so far, when the run fails.
        """
        return self._simulate(_Run(progress), start=start, stop=stop, tolerance=tolerance, interval=interval, points=points, solver=solver,
                              set=set, options=options, inputs=inputs, init=init, output=output, variables=variables, kind=kind,
                              time_limit=time_limit, compile=compile, log=log)

    @alone
    def _simulate(self, run: _Run, **options: Any) -> Result:
        s, report = structure('AcausalSimulation'), structure('AcausalSimulationReport')
        temporary = self._fill(s, run, **options)
        try:
            status = lib.acausal_run(self._pointer, byref(s), byref(report))
        finally:
            if temporary:
                os.unlink(temporary)
        self._variables = None
        result = self._finish(run, status, report)
        assert result is not None
        return result

    async def simulate_async(self, progress: Optional[Callable[[float, float], Any]] = None, **options: Any) -> Result:
        """`simulate` for asyncio: the loop goes on meanwhile, and `progress` is called in it. Cancelling the task ends the run."""
        loop = asyncio.get_running_loop()
        run = _Run(None if progress is None else lambda share, t: loop.call_soon_threadsafe(progress, share, t))
        future = loop.run_in_executor(None, lambda: self._simulate(run, **options))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            run.stop.value = 1
            try:
                await future
            except Error:  # that the run was interrupted
                pass
            raise

    def _fill(self, s: Any, run: _Run, start: Any = None, stop: Any = None, tolerance: Any = None, interval: Any = None, points: Any = None,
              solver: Any = None, set: Any = None, options: Any = None, inputs: Any = None, init: Any = None, output: Any = None,
              variables: Any = None, kind: Any = None, time_limit: Any = None, compile: bool = False, log: bool = False) -> Optional[str]:
        """Puts what is asked for into an AcausalSimulation; the name of a file with inputs that is to be removed after the run, or None."""
        for field, value in (('start', start), ('stop', stop), ('tolerance', tolerance), ('interval', interval), ('points', points),
                             ('time_limit', time_limit)):
            if value is not None:
                setattr(s, field, value)
        temporary = None if inputs is None or isinstance(inputs, (str, os.PathLike)) else _write_inputs(inputs)
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

    def _finish(self, run: _Run, status: int, report: Any) -> Optional[Result]:
        message = (report.message or b'').decode('utf-8', 'replace')
        text, findings = self._session._take_findings()
        result = None
        if report.result:
            stats = json.loads(report.stats_json.decode()) if report.stats_json else {}
            result = Result(report.result, stats, message)
            result.lines, result.diagnostics, result.states = run.lines, findings, report.states
        run.end(result)
        if status == DONE:
            return result
        if status == FAILED:
            raise RunError(message or text, findings, result, report.t)
        raise Error(text or message or 'the model cannot be run', findings)

    @alone
    def sensitivity(self, wrt: Any, of: Any = None, objective: Optional[str] = None, method: str = 'forward', **options: Any) -> Sensitivity:
        """Derivatives of variables at the end (`of`), or of an objective, in parameters, start values and inputs over time.

        s = model.sensitivity(wrt=['e'], of=['h']); s['h', 'e'] is the derivative at the end. With the methods 'forward' and 'ad', s.result
        holds them over time, as s.result['d(h)/d(e)']. Other methods are 'adjoint' (for many parameters), 'ad-adjoint', 'ind' and 'end'. An
        objective is a Modelica expression at the end, with integral(...) over the run. In an input that `inputs` drives, s['h', 'u']
        is a list with a derivative for each row. Options are those of `simulate`.
        """
        options, run = dict(options), _Run(options.pop('progress', None))
        what, report, simulation = (structure('Acausal' + n) for n in ('Sensitivity', 'SensitivityReport', 'Simulation'))
        temporary = self._fill(simulation, run, **options)
        what.run = ctypes.pointer(simulation)
        what.wrt, what.wrt_count = _strings([wrt] if isinstance(wrt, str) else wrt)
        what.of, what.of_count = _strings([of] if isinstance(of, str) else of or [])
        what.objective = objective.encode() if objective else None
        what.method = method.encode()
        try:
            status = lib.acausal_gradient(self._pointer, byref(what), byref(report))
        finally:
            if temporary:
                os.unlink(temporary)
        self._variables = None
        scalars: dict[tuple[str, str], float] = {}
        inputs: dict[tuple[str, str], list[float]] = {}
        values: dict[str, float] = {}
        for i in range(report.count):
            d = report.derivatives[i].contents
            pair = d.of.decode(), d.wrt.decode()
            values[pair[0]] = d.value
            if d.time == d.time:
                inputs.setdefault(pair, []).append(d.derivative)
            else:
                scalars[pair] = d.derivative
        result = self._finish(run, status, report.run.contents if report.run else structure('AcausalSimulationReport'))
        return Sensitivity(scalars, inputs, values, result, report.cpu_seconds)

    def linearize(self, time: Optional[float] = None, steady: bool = False, inputs: Optional[Sequence[str]] = None,
                  outputs: Optional[Sequence[str]] = None, **options: Any) -> Any:
        """The model near a point as x' = A x + B u, y = C x + D u: a Linear, whose to_scipy() is a scipy.signal.StateSpace.

        time: after a run to there; without it after the initial equations. steady: from there to where x' = 0. inputs, outputs: names;
        the model's own if not given. Options are those of `simulate`.
        """
        from .studies import linearize
        return linearize(self, time, steady, inputs, outputs, options)

    def start(self, **options: Any) -> Any:
        """A run in parts, a Stepper: do_step, get, set. Options are those of `simulate`: start, set, solver, tolerance, kind, ..."""
        from .stepper import Stepper
        return Stepper(self, options)

    def sweep(self, vary: Mapping[str, Any], of: Sequence[str], samples: int = 0, seed: int = 0, threads: int = 0, **options: Any) -> Any:
        """Many runs: vary={'e': [0.5, 0.7]} for all combinations, or with samples={'e': (0.5, 0.9)}, ranges, that many of a Latin hypercube."""
        from .studies import sweep
        return sweep(self, vary, of, samples, seed, threads, options)

    def fit(self, data: Any, parameters: Any, **options: Any) -> Any:
        """Parameters from measured data: files or {'time': ..., 'y': ...}; parameters as names, 'p[min,max]', or {'p': (min, max)}."""
        from .studies import fit
        return fit(self, data, parameters, options)

    def verify(self, reference: Optional[Path] = None, solver2: Optional[str] = None, tolerance2: float = 0.0, **options: Any) -> Any:
        """Is a run right? Held against one by another family of integrators, or against a file: a Verification, true if it is."""
        from .studies import verify
        return verify(self, reference, solver2, tolerance2, options)

    def analyze(self) -> dict[str, Any]:
        """Structure: index, states, blocks, tearing, sparsity."""
        from .studies import analyze
        return analyze(self)

    def profile(self, **options: Any) -> dict[str, Any]:
        """Where the time of a run goes: seconds of translation, initial equations, integration, events and output, and counts."""
        from .studies import profile
        return profile(self, options)

    def realtime(self, step: float, **options: Any) -> dict[str, Any]:
        """What a step of a known cost takes and keeps: the report of `acausal realtime`; options are fields of AcausalRealtime."""
        from .studies import realtime
        return realtime(self, step, options)

    def interval_map(self, **options: Any) -> Any:
        """x(t1) = Phi(x(t0), u0, u1, p) with its derivatives, for optimal control: an IntervalMap."""
        from .differentiable import IntervalMap
        return IntervalMap(self, **options)

    @alone
    def export(self, path: Path, fmi: int = 2, kind: str = 'me,cs', sources: bool = False, binary: bool = True,
               solver: Optional[str] = None) -> Path:
        """Writes the model as an FMU, with the values given by `set` built in, and returns its path.

        fmi: 2 or 3. kind: 'me', 'cs' or both. sources: put the C sources into it, too. solver: of co-simulation.
        """
        options, report = structure('AcausalExport'), structure('AcausalExportReport')
        options.fmi, options.sources, options.binary = fmi, sources, binary
        options.model_exchange, options.co_simulation = 'me' in kind, 'cs' in kind
        options.solver = solver.encode() if solver else None
        options.set, options.set_count = _strings('%s=%s' % pair for pair in self._values.items())
        status = lib.acausal_export(self._session._pointer, self.source.encode(), self._class(), str(path).encode(), byref(options), byref(report))
        text, findings = self._session._take_findings()
        if status != DONE:
            raise Error(text or "'%s' cannot be exported" % self.name, findings)
        return path

    def __repr__(self) -> str:
        return '<acausal.Model %s>' % self.name

    def _repr_html_(self) -> str:
        rows = ''.join('<tr><td>%s</td><td>%s</td><td>%s</td></tr>' % tuple(html.escape(t) for t in (v.name, v.unit, v.description))
                       for v in list(self.variables().values())[:20])
        return '<table><caption>%s</caption><tr><th>name</th><th>unit</th><th></th></tr>%s</table>' % (html.escape(self.name), rows)


def _model_again(libraries: list[str], source: str, class_name: Optional[str], values: dict[str, str]) -> Model:
    model = load(source, class_name, libraries)
    model._values.update(values)
    return model


def _write_inputs(inputs: Any) -> str:
    """Inputs in memory, a dict or a structured array, as a file that the library reads."""
    fields = getattr(getattr(inputs, 'dtype', None), 'names', None)
    table: dict[str, Any] = {n: inputs[n] for n in fields} if fields else dict(inputs)
    names = ['time'] + [n for n in table if n != 'time']
    if 'time' not in table:
        raise Error("inputs need their times: {'time': [...], 'u': [...]}")
    columns = [list(table[n]) for n in names]
    if len({len(c) for c in columns}) != 1:
        raise Error('inputs have different lengths: %s' % ', '.join('%s %d' % (n, len(c)) for n, c in zip(names, columns)))
    with tempfile.NamedTemporaryFile('w', suffix='.csv', delete=False) as file:
        file.write(','.join('"%s"' % n.replace('"', '""') for n in names) + '\n')
        for row in zip(*columns):
            file.write(','.join(repr(float(v)) for v in row) + '\n')
    return file.name
