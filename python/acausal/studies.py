"""What is done with a model beyond one run: linear systems, sweeps, fits, verification, structure, real time."""
from __future__ import annotations

import ctypes
import json
import os
import tempfile
from ctypes import byref
from typing import Any, Mapping, NamedTuple, Optional, Sequence

from .errors import Error, RunError
from .library import WRITE, constants, lib, structure, text_of
from .model import Model, _Run, _write_inputs, alone
from .result import Comparison, Result, SignalComparison, _strings

DONE, FAILED = constants['ACAUSAL_DONE'], constants['ACAUSAL_FAILED']


def _method(function: Any) -> Any:
    """A function of a model that has the session alone, as methods have."""
    @alone
    def call(self: Model, *args: Any) -> Any:
        return function(self, *args)
    return call


class Linear(NamedTuple):
    """x' = A x + B u, y = C x + D u in differences from the point (x, u, y) at time t. zeros: None unless as many outputs as inputs."""

    A: Any
    B: Any
    C: Any
    D: Any
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    x: Any
    u: Any
    y: Any
    t: float
    poles: Any
    zeros: Any
    is_exact: bool

    def to_scipy(self) -> Any:
        """A scipy.signal.StateSpace."""
        from scipy.signal import StateSpace
        return StateSpace(self.A, self.B, self.C, self.D)


@_method
def linearize(model: Model, time: Optional[float], steady: bool, inputs: Optional[Sequence[str]], outputs: Optional[Sequence[str]],
              options: dict[str, Any]) -> Linear:
    import numpy as np
    what, report, run = structure('AcausalLinearize'), structure('AcausalLinear'), structure('AcausalSimulation')
    calls = _Run(options.pop('progress', None))
    temporary = model._fill(run, calls, **options)
    run.keep = False
    what.run, what.time, what.steady = ctypes.pointer(run), float('nan') if time is None else time, steady
    if inputs is not None:
        what.inputs, what.input_count = _strings(inputs)
    if outputs is not None:
        what.outputs, what.output_count = _strings(outputs)
    try:
        status = lib.acausal_linearize(model._pointer, byref(what), byref(report))
    finally:
        if temporary:
            os.unlink(temporary)
    model._variables = None
    text, findings = model._session._take_findings()
    calls.end()
    message = (report.message or b'').decode('utf-8', 'replace')
    if status == FAILED:
        raise RunError(message or text, findings, None, report.t)
    if status != DONE:
        raise Error(text or message, findings)
    n, m, p = report.states, report.inputs, report.outputs

    def numbers(pointer: Any, *shape: int) -> Any:
        return np.ctypeslib.as_array(pointer, shape).copy() if 0 not in shape else np.zeros(shape)

    def names(pointer: Any, count: int) -> list[str]:
        return [pointer[i].decode() for i in range(count)]

    zeros = numbers(report.zero_re, report.zeros) + 1j * numbers(report.zero_im, report.zeros) if report.is_square else None
    return Linear(numbers(report.a, n, n), numbers(report.b, n, m), numbers(report.c, p, n), numbers(report.d, p, m),
                  names(report.state_names, n), names(report.input_names, m), names(report.output_names, p), numbers(report.x, n),
                  numbers(report.u, m), numbers(report.y, p), report.t, numbers(report.pole_re, n) + 1j * numbers(report.pole_im, n), zeros,
                  bool(report.is_exact))


class SweepRun(NamedTuple):
    """One run: parameters by name; values at the end, least and largest ones by variable; message: why it failed, or ''."""

    parameters: dict[str, float]
    last: dict[str, float]
    least: dict[str, float]
    largest: dict[str, float]
    t: float
    message: str


class Sweep(list):  # type: ignore[type-arg]
    """Runs in their order."""

    def to_pandas(self) -> Any:
        import pandas
        return pandas.DataFrame([{**r.parameters, **{'last(%s)' % k: v for k, v in r.last.items()}, **{'min(%s)' % k: v for k, v in r.least.items()},
                                  **{'max(%s)' % k: v for k, v in r.largest.items()}, 'message': r.message} for r in self])


@_method
def sweep(model: Model, vary: Mapping[str, Any], of: Sequence[str], samples: int, seed: int, threads: int, options: dict[str, Any]) -> Sweep:
    what, run, calls, runs = structure('AcausalSweep'), structure('AcausalSimulation'), _Run(options.pop('progress', None)), Sweep()
    temporary = model._fill(run, calls, **options)
    run.keep = False
    names, variables = list(vary), [of] if isinstance(of, str) else list(of)
    texts = ['%s=%r:%r' % (n, float(v[0]), float(v[1])) if samples else '%s=%s' % (n, v if isinstance(v, str) else ','.join(repr(float(x)) for x in v))
             for n, v in vary.items()]
    what.run = ctypes.pointer(run)
    what.vary, what.vary_count = _strings(texts)
    what.of, what.of_count = _strings(variables)
    what.samples, what.seed, what.threads = samples, seed, threads

    def row(_: Any, pointer: Any) -> None:
        r = pointer.contents
        last, least, largest = (dict(zip(variables, at[:len(variables)])) for at in (r.last, r.least, r.largest))
        runs.append(SweepRun(dict(zip(names, r.parameters[:len(names)])), last, least, largest, r.t, r.message.decode('utf-8', 'replace')))

    try:
        status = lib.acausal_sweep(model._session._pointer, model.source.encode(), model._class(), byref(what), lib.acausal_sweep.argtypes[4](row), None)
    finally:
        if temporary:
            os.unlink(temporary)
    text, findings = model._session._take_findings()
    calls.end()
    if status not in (DONE, FAILED):
        raise Error(text or 'the sweep cannot be run', findings)
    return runs


class Fit(NamedTuple):
    """Fitted values, their standard deviations and 95 % intervals by name; result: measured and fitted values."""

    values: dict[str, float]
    deviations: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    sum: float
    noise: float
    converged: bool
    iterations: int
    result: Optional[Result]
    message: str


@_method
def fit(model: Model, data: Any, parameters: Any, options: dict[str, Any]) -> Fit:
    what, run, report, calls = structure('AcausalFit'), structure('AcausalSimulation'), structure('AcausalFitReport'), _Run(options.pop('progress', None))
    objective, sigmas, algorithm = options.pop('objective', None), options.pop('sigmas', {}), options.pop('algorithm', None)
    starts, seed = options.pop('starts', 0), options.pop('seed', 0)
    temporary = [model._fill(run, calls, **options)]
    run.keep = False
    files = []
    for given in [] if data is None else data if isinstance(data, (list, tuple)) else [data]:
        if isinstance(given, (str, os.PathLike)):
            files.append(str(given))
        else:
            files.append(_write_inputs(given))
            temporary.append(files[-1])
    texts = ['%s[%r,%r]' % (n, float(b[0]), float(b[1])) for n, b in parameters.items()] if isinstance(parameters, Mapping) else \
        [parameters] if isinstance(parameters, str) else list(parameters)
    what.run = ctypes.pointer(run)
    what.data, what.data_count = _strings(files)
    what.parameters, what.parameter_count = _strings(texts)
    what.sigmas, what.sigma_count = _strings('%s=%r' % (n, float(s)) for n, s in sigmas.items())
    what.objective = objective.encode() if objective else None
    what.algorithm = algorithm.encode() if algorithm else None
    what.starts, what.seed = starts, seed
    try:
        status = lib.acausal_fit(model._session._pointer, model.source.encode(), model._class(), byref(what), byref(report))
    finally:
        for path in temporary:
            if path:
                os.unlink(path)
    text, findings = model._session._take_findings()
    calls.end()
    message = (report.message or b'').decode('utf-8', 'replace')
    if status not in (DONE, FAILED) or not report.count:
        raise Error(text or message or 'the fit cannot be done', findings)
    rows = [report.parameters[i].contents for i in range(report.count)]
    return Fit({r.name.decode(): r.value for r in rows}, {r.name.decode(): r.deviation for r in rows},
               {r.name.decode(): (r.low, r.high) for r in rows}, report.sum, report.noise, bool(report.converged), report.iterations,
               Result(report.result) if report.result else None, message)


class Verification(NamedTuple):
    """A verdict, a line for people, and each signal's; true if the run is verified."""

    verdict: str
    message: str
    signals: list[SignalComparison]
    result: Optional[Result]
    other: Optional[Result]

    def __bool__(self) -> bool:
        return self.verdict.startswith('verified')


@_method
def verify(model: Model, reference: Any, solver2: Optional[str], tolerance2: float, options: dict[str, Any]) -> Verification:
    what, run, report, calls = structure('AcausalVerify'), structure('AcausalSimulation'), structure('AcausalVerifyReport'), _Run(options.pop('progress', None))
    temporary = model._fill(run, calls, **options)
    what.run = ctypes.pointer(run)
    what.reference = str(reference).encode() if reference is not None else None
    what.solver = solver2.encode() if solver2 else None
    what.tolerance = tolerance2
    signals: list[SignalComparison] = []

    def row(_: Any, pointer: Any) -> None:
        r = pointer.contents
        signals.append(SignalComparison(r.name.decode(), r.verdict.decode(), r.deviation, r.excess, r.t, r.a, r.b))

    try:
        lib.acausal_verify(model._pointer, byref(what), lib.acausal_verify.argtypes[2](row), None, byref(report))
    finally:
        if temporary:
            os.unlink(temporary)
    model._variables = None
    verdict, message = ((t or b'').decode('utf-8', 'replace') for t in (report.verdict, report.message))
    text, findings = model._session._take_findings()
    results = [Result(p) if p else None for p in (report.result, report.other)]
    calls.end(results[0])
    if not verdict:
        raise Error(text or message or 'the run cannot be verified', findings)
    return Verification(verdict, message, signals, results[0], results[1])


@_method
def analyze(model: Model) -> dict[str, Any]:
    text, status = text_of(lib.acausal_structure, model._pointer, WRITE, None)
    if status != DONE:
        model._session._raise('the structure is not known')
    found: dict[str, Any] = json.loads(text)
    return found


def profile(model: Model, options: dict[str, Any]) -> dict[str, Any]:
    return dict(model.simulate(**options).stats)


@_method
def realtime(model: Model, step: float, options: dict[str, Any]) -> dict[str, Any]:
    what = structure('AcausalRealtime')
    what.step = step
    fields = dict(what._fields_)
    for name, value in options.items():
        if name not in fields:
            raise Error("realtime has no option '%s'; there are: %s" % (name, ', '.join(n for n in fields if n != 'size')))
        setattr(what, name, str(value).encode() if fields[name] is ctypes.c_char_p else value)
    text, status = text_of(lib.acausal_realtime, model._session._pointer, model.source.encode(), model._class(), byref(what),
                           constants['ACAUSAL_JSON'], WRITE, None)
    said, findings = model._session._take_findings()
    if not text or status != DONE:
        raise Error(said or 'the model cannot be made ready for real time', findings)
    report: dict[str, Any] = json.loads(text)
    return report


__all__ = ['Comparison', 'Fit', 'Linear', 'Sweep', 'SweepRun', 'Verification']
