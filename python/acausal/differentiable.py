"""Runs as functions with exact derivatives: values and vector-Jacobian products on NumPy arrays, and maps of intervals.

`acausal.torch` wraps the first for PyTorch; the guide shows how callbacks of JAX and CasADi do.
"""
from __future__ import annotations

import ctypes
from ctypes import byref
from typing import Any, Callable, Mapping, Optional, Sequence

import numpy as np

from .errors import Error, RunError
from .library import constants, lib, structure
from .model import Model, alone
from .result import _strings

DONE = constants['ACAUSAL_DONE']


def _elements(name: str, value: Any) -> list[tuple[str, float]]:
    """A scalar or an array as scalars: p, v[1], m[2,1]."""
    array = np.asarray(value, dtype=float)
    if array.ndim == 0:
        return [(name, float(array))]
    return [('%s[%s]' % (name, ','.join(str(i + 1) for i in at)), float(array[at])) for at in np.ndindex(*array.shape)]


def _rows_at(result: Any, times: Any) -> Any:
    """Of each time the last row there: after an event."""
    t = np.asarray(result.time)
    slack = 1e-9 * max(abs(t[-1] - t[0]), 1e-300)
    rows = np.searchsorted(t, times + slack, side='right') - 1
    if len(t) == 0 or np.any(np.abs(t[np.clip(rows, 0, None)] - times) > slack):
        raise Error('the run ended at t = %.9g, before all times that are asked for' % (t[-1] if len(t) else float('nan')))
    return rows


def value_and_vjp(model: Model, values: Mapping[str, Any], of: Sequence[str], inputs: Optional[Mapping[str, Any]] = None,
                  times: Optional[int] = None, method: Optional[str] = None, wrt: Optional[Sequence[str]] = None, **options: Any
                  ) -> tuple[Any, Callable[[Any], dict[str, Any]]]:
    """Runs the model; its value, and the function from weights to their product with the Jacobian.

    values: parameters and start values by name, numbers or arrays. of: variables. inputs: {'time': ..., 'u': ...}. times: None: values
    at the end, an array of len(of); N: at N + 1 equidistant times, an array (N + 1) x len(of). The product has an array for each of
    `wrt` (all of values and inputs if not given), of its shape. Derivatives are those of the run through its events: by the forward
    method, or for values at the end of many parameters by the adjoint one; `method` chooses.
    """
    names = [n for n in (wrt if wrt is not None else [*values, *(inputs or {})]) if n != 'time']
    scalars = {n: [e for e, _ in _elements(n, values[n])] for n in names if n in values}
    rows = len(np.atleast_1d(inputs['time'])) if inputs is not None else 0
    flat = [e for n in names if n in scalars for e in scalars[n]]
    driven = [n for n in names if n not in scalars]
    unknown = [n for n in driven if inputs is None or n not in inputs]
    if unknown:
        raise Error("'%s' is neither among values nor among inputs" % unknown[0])
    count = len(flat) + rows * len(driven)
    if method is None:
        method = 'adjoint' if times is None and count > 4 * len(of) else 'forward'
    if times is not None and method not in ('forward', 'ad'):
        raise Error("values over time need the method 'forward' or 'ad'")
    settings = dict(options.pop('set', {}))
    for n, v in values.items():
        settings.update(_elements(n, v))
    table = None if inputs is None else {n: np.asarray(v, dtype=float) for n, v in inputs.items()}
    for n, v in (table or {}).items():
        if v.shape != (rows,):
            raise Error("the input '%s' has shape %s for %d times" % (n, v.shape, rows))
    if times is not None:
        options['points'] = times
    if not flat + driven:
        raise Error('nothing to differentiate in')
    s = model.sensitivity(wrt=flat + driven, of=list(of), method=method, set=settings, inputs=table, **options)
    jacobian: dict[str, Any] = {}
    if times is None:
        value = np.array([s.values[o] for o in of])
        for n in names:
            shape = np.shape(values[n]) if n in scalars else (rows,)
            per = [[s.derivatives[o, e] for e in scalars[n]] if n in scalars else s.inputs[o, n] for o in of]
            jacobian[n] = np.array(per).reshape((len(of), *shape))
    else:
        result = s.result
        assert result is not None
        at = _rows_at(result, np.linspace(result.time[0], result.time[-1], times + 1) if not result.message else _grid(model, options, times))
        value = np.column_stack([result[o][at] for o in of])
        order = [n for n in (table or {}) if n != 'time']
        for n in names:
            columns = scalars[n] if n in scalars else ['inputs_%d[%d]' % (order.index(n) + 1, k + 1) for k in range(rows)]
            shape = np.shape(values[n]) if n in scalars else (rows,)
            per_of = [np.column_stack([result['d(%s)/d(%s)' % (o, c)][at] for c in columns]) for o in of]
            jacobian[n] = np.stack(per_of, axis=1).reshape((times + 1, len(of), *shape))

    def vjp(weights: Any) -> dict[str, Any]:
        w = np.asarray(weights, dtype=float)
        if w.shape != value.shape:
            raise Error('weights have shape %s; the value has %s' % (w.shape, value.shape))
        return {n: np.tensordot(w, jacobian[n], axes=w.ndim) for n in names}

    vjp.jacobian = jacobian  # type: ignore[attr-defined]
    return value, vjp


def _grid(model: Model, options: Mapping[str, Any], times: int) -> Any:
    e = model.experiment
    start = float(options['start'] if options.get('start') is not None else e.start or 0.0)
    stop = float(options['stop'] if options.get('stop') is not None else e.stop if e.stop is not None else start + 1.0)
    return np.linspace(start, stop, times + 1)


class IntervalMap:
    """x(t1) = Phi(x(t0), u0, u1, p) by equal steps of a Runge-Kutta method, with the derivatives of the computed map.

        phi = model.interval_map(steps=4, inputs=['u'], parameters=['k'])
        x1, d = phi(0, 0.1, phi.x0, [1.0])         # d['x'], d['u0'], d['u1'], d['p']: Jacobians
        g = phi.back([1, 0])                       # weights times the Jacobians of the last call

    method: 'rk4', 'dopri5', 'radau5', 'sdirk3', ... An interval lies between two events. linear: inputs go from u0 to u1.
    """

    def __init__(self, model: Model, steps: int = 1, method: str = 'rk4', inputs: Sequence[str] = (), parameters: Sequence[str] = (),
                 linear: bool = False, start: float = 0.0, set: Optional[Mapping[str, Any]] = None) -> None:
        from .model import _value_text
        self.model, self._session = model, model._session
        self._pointer: Any = None
        what = structure('AcausalInterval')
        what.method, what.steps, what.is_linear, what.start = method.encode(), steps, linear, start
        what.inputs, what.input_count = _strings(inputs)
        what.parameters, what.parameter_count = _strings(parameters)
        values = dict(model._values, **{n: _value_text(v) for n, v in (set or {}).items()})
        what.set, what.set_count = _strings('%s=%s' % pair for pair in values.items())
        self.inputs, self.parameters = list(inputs), list(parameters)
        self._begin(what)

    @alone
    def _begin(self, what: Any) -> None:
        self._pointer = lib.acausal_map_new(self.model._pointer, byref(what))
        if not self._pointer:
            self._session._raise('the map cannot be made')
        self.model._variables = None
        n = lib.acausal_map_states(self._pointer)
        self.states = [lib.acausal_map_state(self._pointer, i).decode() for i in range(n)]
        self.x0 = np.ctypeslib.as_array(lib.acausal_map_start(self._pointer), (n,)).copy() if n else np.zeros(0)

    def __del__(self) -> None:
        if getattr(self, '_pointer', None):
            lib.acausal_map_free(self._pointer)

    def _in(self, values: Any, count: int, what: str) -> Any:
        array = np.ascontiguousarray(values, dtype=float)
        if array.shape != (count,):
            raise Error('%s has shape %s; it should be (%d,)' % (what, array.shape, count))
        return array

    @alone
    def __call__(self, t0: float, t1: float, x: Any, u0: Any = (), u1: Any = None, derivatives: bool = True) -> tuple[Any, dict[str, Any]]:
        n, m, p = len(self.states), len(self.inputs), len(self.parameters)
        x, u0 = self._in(x, n, 'x'), self._in(u0, m, 'u0')
        u1 = u0 if u1 is None else self._in(u1, m, 'u1')
        end, d = np.zeros(n), np.zeros((n + 2 * m + p, n))
        double = ctypes.POINTER(ctypes.c_double)
        pointers = [a.ctypes.data_as(double) for a in (x, u0, u1, end, d)]
        status = lib.acausal_map_forward(self._pointer, t0, t1, *pointers[:4], pointers[4] if derivatives else None)
        if status != DONE:
            text, findings = self._session._take_findings()
            raise RunError(text or 'the model cannot be evaluated on the way', findings, None, t0)
        parts = np.split(d.T, [n, n + m, n + 2 * m], axis=1)
        return end, dict(zip(('x', 'u0', 'u1', 'p'), parts)) if derivatives else {}

    @alone
    def back(self, weights: Any) -> dict[str, Any]:
        n, m, p = len(self.states), len(self.inputs), len(self.parameters)
        w, gradient = self._in(weights, n, 'weights'), np.zeros(n + 2 * m + p)
        double = ctypes.POINTER(ctypes.c_double)
        if lib.acausal_map_back(self._pointer, w.ctypes.data_as(double), gradient.ctypes.data_as(double)) != DONE:
            raise Error('no interval was computed that could be gone back')
        return dict(zip(('x', 'u0', 'u1', 'p'), np.split(gradient, [n, n + m, n + 2 * m])))
