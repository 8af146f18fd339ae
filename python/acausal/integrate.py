"""Equations of one's own: `solve`, `solve_ivp` with SciPy's arguments, and `Problem`, which can be stepped, changed and gone on with.

All integrators that `acausal solvers` lists, and SciPy's names for those it has: RK23, RK45, DOP853, Radau, BDF, LSODA.
"""
from __future__ import annotations

import ctypes
import threading
import warnings
from ctypes import byref
from typing import Any, Callable, Optional, Sequence, Union

from .errors import Error
from . import functions as _functions
from .functions import Functions, _as_real, address_of, data_address, pattern_of
from .library import Reasons, constants, lib, plainly, structure, types
from .result import _strings

np: Any = _functions.np

# SciPy's names. RK23 is the formula of Bogacki and Shampine (1989) as a tableau.
METHODS = {'RK45': 'dopri5', 'DOP853': 'dop853', 'RADAU': 'radau5', 'BDF': 'bdf', 'LSODA': 'switching', 'RK23': 'rk23'}
TABLEAUX = {'rk23': 'stages 4\norder 3 2\na 1/2\na 0 3/4\na 2/9 1/3 4/9\nb 2/9 1/3 4/9 0\nbhat 7/24 1/4 1/3 1/8\n'}

AT_LIMIT, AT_EVENT, AT_STEP, INTERRUPTED, BROKEN_OFF = (
    constants['ACAUSAL_' + n] for n in ('AT_LIMIT', 'AT_EVENT', 'AT_STEP', 'INTERRUPTED', 'BROKEN_OFF'))

MESSAGES = {0: 'The end of the interval was reached.', 1: 'A terminal event occurred.'}

# The same functions, called without giving the interpreter's lock away: callbacks in Python need not ask for it then.
_held: Any = ctypes.PyDLL(lib._name)
for _name in ('acausal_integrator_new', 'acausal_integrator_run', 'acausal_integrator_restart'):
    _function = getattr(_held, _name)
    _function.restype, _function.argtypes = getattr(lib.raw, _name).restype, getattr(lib.raw, _name).argtypes
    setattr(_held, _name, plainly(_function))


class ProblemError(Error, ValueError):
    """What is wrong with a problem, or with how it is to be solved."""


class OdeSolution:
    """The solution between the steps: `sol(t)` has the shape of y, `sol([t, ...])` a column for each time."""

    def __init__(self, ts: Any, nodes: Any, values: Sequence[Any], descending: bool = False) -> None:
        """nodes: how many rows of values hold each piece, at Chebyshev points; values: an array for each piece."""
        self.ts = np.asarray(ts)
        self._sign = -1.0 if descending else 1.0
        self._nodes = np.asarray(nodes, dtype=int)
        self._groups: dict[int, Any] = {}
        self._place = np.zeros(len(self._nodes), dtype=int)
        for k in np.unique(self._nodes):
            of = np.flatnonzero(self._nodes == k)
            self._place[of] = np.arange(len(of))
            self._groups[int(k)] = np.stack([values[i] for i in of])
        self.n_segments = len(self._nodes)
        self.t_min, self.t_max = (min(self.ts[0], self.ts[-1]), max(self.ts[0], self.ts[-1])) if len(self.ts) else (np.nan, np.nan)

    def __call__(self, t: Any) -> Any:
        times = np.asarray(t, dtype=float)
        if times.ndim > 1:
            raise ValueError('times should be a number or one row of numbers')
        at = np.atleast_1d(times)
        if self.n_segments == 0:
            raise ValueError('there is no solution between steps: no step was taken')
        # of two pieces that meet at t the first one counts, as at an event: the value before it
        piece = np.searchsorted(self._sign * self.ts, self._sign * at, side='left') - 1
        piece = np.clip(piece, 0, self.n_segments - 1)
        first = next(iter(self._groups.values()))
        out = np.empty((len(at), first.shape[2]), dtype=first.dtype)
        for k, values in self._groups.items():
            of = np.flatnonzero(self._nodes[piece] == k)
            for start in range(0, len(of), 4096):
                some = of[start:start + 4096]
                out[some] = _barycentric(at[some], self.ts[piece[some]], self.ts[piece[some] + 1], values[self._place[piece[some]]])
        return out[0] if times.ndim == 0 else out.T


def _barycentric(t: Any, a: Any, b: Any, values: Any) -> Any:
    """Polynomials through Chebyshev points of the second kind at one time each (Berrut and Trefethen 2004)."""
    k = values.shape[1]
    x = 0.5 * (1.0 - np.cos(np.pi * np.arange(k) / (k - 1)))
    weights = (-1.0) ** np.arange(k)
    weights[0] *= 0.5
    weights[-1] *= 0.5
    span = np.where(b == a, 1.0, b - a)
    off = ((t - a) / span)[:, None] - x[None, :]
    hit = off == 0.0
    w = weights / np.where(hit, 1.0, off)
    met = hit.any(axis=1)
    w[met] = np.where(hit[met], 1.0, 0.0)
    return np.einsum('pk,pkn->pn', w, values) / w.sum(axis=1)[:, None]


class OdeResult(dict):  # type: ignore[type-arg]
    """What a run computed, by SciPy's names: t, y, sol, t_events, y_events, nfev, njev, nlu, status, message, success.

    Beside these: `stats`, a dict of all counts, and with sensitivities `sensitivity`, parameters x unknowns x times.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__  # type: ignore[assignment]
    __delattr__ = dict.__delitem__  # type: ignore[assignment]

    def __dir__(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return '\n'.join('%*s: %s' % (width, k, str(v).replace('\n', '\n' + ' ' * (width + 2))) for k, v in self.items())


def _need_numpy() -> None:
    if np is None:
        raise ImportError('acausal.solve works on arrays of NumPy, which is not installed (Debian: python3-numpy)')


def _method(method: Any) -> str:
    name = method if isinstance(method, str) else getattr(method, '__name__', None)
    if name is None:
        raise ProblemError('the method should be a name such as %s' % ', '.join(map(repr, METHODS)))
    return METHODS.get(name.upper(), name)


class Problem:
    """Equations y' = f(t, y), L y' = f(t, y) or F(t, y, y') = 0, with their integrator: run, look, change, and go on.

        p = acausal.Problem(f, 0, [1, 0], method='radau', events=hit)
        while p.t < 10:
            res = p.run(10)
            if res.status == 1:
                p.restart(-0.9 * p.y)

    f(t, y, *args) is a Python function, or a pointer to a C function int f(void *data, double t, const double *y, double *f)
    of ctypes, cffi or numba, or a SciPy LowLevelCallable, which runs without Python; `data` is its first argument. Arrays that functions
    get are only read. jac: df/dy as a function of (t, y), or a matrix, full or sparse; of F: dF/dy + c dF/dy' as a function of (t, y, yp, c).
    mass: L, a matrix or its diagonal. yp0, or implicit=True: f is F(t, y, yp). index: 1, 2 or 3 for each unknown. parameters: f(t, y, p,
    *args), whose derivatives in p are integrated along; parameter_jac: df/dp. options: those of `acausal solvers`, such as
    {'max-order': 3, 'increment': 'cvode', 'restart': 'rk-nordsieck'}.
    """

    def __init__(self, f: Any, t0: float, y0: Any, *, t_end: Optional[float] = None, method: Any = 'auto', rtol: float = 1e-6, atol: Any = 1e-9,
                 jac: Any = None, jac_sparsity: Any = None, mass: Any = None, events: Any = None, args: Any = (), data: Any = None,
                 yp0: Any = None, implicit: bool = False, index: Optional[Sequence[int]] = None, parameters: Any = None,
                 parameter_jac: Any = None, slopes0: Any = None, first_step: Optional[float] = None, max_step: Optional[float] = None,
                 min_step: Optional[float] = None, options: Optional[dict[str, Any]] = None, between: bool = False, _stop_at_all: bool = False) -> None:
        _need_numpy()
        self._pointer: Any = None
        self._session = _session()
        self._shape(y0, t0)
        self._args = args
        is_residual = implicit or yp0 is not None
        self._parameters: Any = None if parameters is None else np.array(parameters, dtype=float).ravel()
        self.width = self._n * (1 + (0 if parameters is None else len(self._parameters)))
        if parameters is not None and self._is_complex:
            raise ProblemError('derivatives in parameters are for real unknowns')
        functions = self._functions = Functions(self._n, self._is_complex, args, self._parameters)
        what = self._problem = structure('AcausalProblem')
        self._hold: list[Any] = [what]
        what.n, what.t0 = self._n, t0
        what.y0 = self._doubles(self._start)
        if yp0 is not None:
            what.yp0 = self._doubles(self._real(yp0, 'yp0'))
        what.arg = data_address(data)
        self._put('residual' if is_residual else 'f', functions.right_hand_side(f, is_residual))
        self._put_events(events, _stop_at_all)
        self._put_matrices(jac, jac_sparsity, mass, is_residual, parameter_jac)
        if index is not None:
            what.index = self._array(np.repeat(np.asarray(index), 2) if self._is_complex else index, np.uint8, ctypes.c_ubyte, self._n, 'index')
        if self._parameters is not None:
            what.parameters, what.parameter_count = self._doubles(self._parameters), len(self._parameters)
            if slopes0 is not None:
                what.slopes0 = self._doubles(np.array(slopes0, dtype=float).reshape(len(self._parameters), self._n))
        self._put_method(method, rtol, atol, dict(options or {}), {'initial-step': first_step, 'max-step': max_step, 'min-step': min_step})
        what.between = between
        if functions.has_python:
            what.places = ctypes.cast(functions.places, type(what.places))
        self._library: Any = _held if functions.has_python else lib
        self.t, self._y = float(t0), np.zeros(self.width)
        self._start_t = self.t
        self._y[:self._n] = self._start
        if t_end is not None:
            self._open(t_end)

    def _open(self, t_end: float) -> None:
        """Makes the integrator, once it is known where time goes."""
        if self._pointer:
            return
        self._problem.t_end = t_end
        self._pointer = self._library.acausal_integrator_new(self._session.pointer, byref(self._problem))
        if not self._pointer:
            self._raise('the problem cannot be solved')

    def __del__(self) -> None:
        if getattr(self, '_pointer', None):
            lib.acausal_integrator_free(self._pointer)
            self._pointer = None

    # ---- what is given ---------------------------------------------------------------------------

    def _shape(self, y0: Any, t0: float) -> None:
        start = np.asarray(y0)
        if start.ndim == 0:
            start = start.reshape(1)
        if start.ndim != 1:
            raise ProblemError('y0 should be one row of numbers; it has shape %s' % (start.shape,))
        if start.size == 0:
            raise ProblemError('y0 is empty')
        if not (np.issubdtype(start.dtype, np.number) or start.dtype == bool):
            raise ProblemError('y0 should hold numbers, not %s' % start.dtype)
        self._is_complex = bool(np.issubdtype(start.dtype, np.complexfloating))
        self._count = len(start)
        self._n = 2 * self._count if self._is_complex else self._count
        self._start = self._real(start, 'y0')
        if not np.isfinite(self._start).all():
            raise ProblemError('y0 should hold finite numbers')
        if not np.isfinite(t0):
            raise ProblemError('the start time should be a finite number')

    def _real(self, values: Any, what: str) -> Any:
        kind = np.complex128 if self._is_complex else float
        values = np.array(values, dtype=kind).ravel()
        if len(values) != self._count:
            raise ProblemError('%s has %d values for %d unknowns' % (what, len(values), self._count))
        return values.view(float)

    def _doubles(self, values: Any) -> Any:
        self._hold.append(values)
        return values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))

    def _array(self, values: Any, dtype: Any, kind: Any, count: int, what: str) -> Any:
        array = np.ascontiguousarray(values, dtype=dtype)
        if array.shape != (count,):
            raise ProblemError('%s has shape %s for %d values' % (what, array.shape, count))
        self._hold.append(array)
        return array.ctypes.data_as(ctypes.POINTER(kind))

    def _put(self, field: str, function: Any) -> None:
        """A callback, or an address, into a field of the problem."""
        kind = dict(self._problem._fields_)[field]
        self._hold.append(function)
        address = function if isinstance(function, int) else ctypes.cast(function, ctypes.c_void_p).value
        setattr(self._problem, field, kind(address))

    def _put_events(self, events: Any, stop_at_all: bool) -> None:
        if events is None:
            events = ()
        if callable(events) or address_of(events) is not None:
            events = (events,)
        self._events = tuple(events)
        if not self._events:
            return
        what, m = self._problem, len(self._events)
        addresses = [address_of(g) for g in self._events]
        if any(a is not None for a in addresses):
            if m > 1:
                raise ProblemError('a pointer to a C function computes all events: give it alone, as CEvents(pointer, count)')
            self._put('indicate', addresses[0])
        elif m == 1 and isinstance(self._events[0], CEvents):
            m = self._events[0].count
            self._put('indicate', self._events[0].address)
        else:
            self._put('indicate', self._functions.indicators(self._events))
        single = self._events[0]
        many = isinstance(single, CEvents)
        directions = single.direction if many else [getattr(g, 'direction', 0) for g in self._events]
        terminal = single.terminal if many else [getattr(g, 'terminal', 0) for g in self._events]
        terminal = [1 if stop_at_all else int(x or 0) for x in terminal]
        what.indicators = self._indicators = m
        what.directions = self._array(np.sign(np.asarray(directions, dtype=float)), np.int8, ctypes.c_byte, m, 'direction')
        what.terminal = self._array(terminal, np.int64, ctypes.c_long, m, 'terminal')

    def _put_matrices(self, jac: Any, jac_sparsity: Any, mass: Any, is_residual: bool, parameter_jac: Any) -> None:
        what, n = self._problem, self._n
        pattern = None
        if jac_sparsity is not None:
            pattern = pattern_of(self._wide(jac_sparsity), n, 'jac_sparsity')
        elif jac is not None and address_of(jac) is None and not self._is_complex:
            first = jac if not callable(jac) else None
            if callable(jac) and not is_residual:
                first = self._ask(jac)
            if hasattr(first, 'tocsc'):
                pattern = pattern_of(first, n, 'the Jacobian')
        if pattern is not None:
            what.pattern_start = self._array(pattern[0], np.int32, ctypes.c_int, n + 1, 'starts')
            what.pattern_row = self._array(pattern[1], np.int32, ctypes.c_int, len(pattern[1]), 'rows')
        m = 0 if self._parameters is None else len(self._parameters)
        self._functions.place_values(max(len(pattern[1]) if pattern is not None else n * n if jac is not None else 1, n * m))
        if jac is not None:
            self._put('residual_jacobian' if is_residual else 'jacobian', self._functions.matrix(jac, pattern, is_residual))
        if parameter_jac is not None:
            if not m:
                raise ProblemError('parameter_jac needs parameters')
            self._put('parameter_jacobian', self._functions.matrix(parameter_jac, None, False, m))
        if mass is not None:
            self._put_mass(mass)

    def _ask(self, jac: Callable[..., Any]) -> Any:
        """The Jacobian at the start: whether it is sparse, and where."""
        y = self._start.copy()
        return jac(self._problem.t0, y, *self._functions.args)

    def _wide(self, sparsity: Any) -> Any:
        if not self._is_complex:
            return sparsity
        full = sparsity.toarray() if hasattr(sparsity, 'toarray') else np.asarray(sparsity)
        return np.kron(full != 0, np.ones((2, 2)))

    def _put_mass(self, mass: Any) -> None:
        what, n = self._problem, self._n
        matrix = mass if hasattr(mass, 'tocsc') else np.asarray(mass)
        if matrix.ndim == 1:
            diagonal = np.repeat(matrix, 2) if self._is_complex else matrix
            what.mass = self._array(diagonal, np.float64, ctypes.c_double, n, 'mass')
            return
        if self._is_complex:
            matrix = _as_real(matrix.toarray() if hasattr(matrix, 'toarray') else matrix)
        start, row = pattern_of(matrix, n, 'the mass matrix')
        if hasattr(matrix, 'tocsc'):
            values = matrix.tocsc()
            values.sum_duplicates()
            values = values.data
        else:
            values = matrix[row, np.repeat(np.arange(n), np.diff(start))]
        what.mass = self._array(values, np.float64, ctypes.c_double, len(row), 'mass')
        what.mass_start = self._array(start, np.int32, ctypes.c_int, n + 1, 'starts')
        what.mass_row = self._array(row, np.int32, ctypes.c_int, len(row), 'rows')

    def _put_method(self, method: Any, rtol: float, atol: Any, options: dict[str, Any], steps: dict[str, Any]) -> None:
        what = self._problem
        name = _method(method)
        if name in TABLEAUX:
            what.tableau = TABLEAUX[name].encode()
        else:
            what.solver = name.encode()
        if np.ndim(rtol) != 0 or not float(rtol) >= 0:
            raise ProblemError('rtol should be one number that is not negative')
        if float(rtol) < 1e-13 and float(rtol) > 0:
            warnings.warn('rtol = %g is near the precision of numbers; 1e-13 is used' % rtol, stacklevel=4)
            rtol = 1e-13
        what.rtol = float(rtol)
        if np.ndim(atol) == 0:
            what.atol = float(atol)
            if not float(atol) >= 0:
                raise ProblemError('atol should not be negative')
        else:
            each = np.asarray(atol, dtype=float)
            if each.shape != (self._count,):
                raise ProblemError('atol has shape %s for %d unknowns' % (each.shape, self._count))
            what.atol_each = self._doubles(np.repeat(each, 2) if self._is_complex else each.copy())
        for key, value in steps.items():
            if value is None or value == 0 and key == 'min-step':
                continue
            if not float(value) > 0:
                raise ProblemError('%s should be positive' % key.replace('-', '_').replace('initial', 'first'))
            if np.isfinite(value):
                options[key] = repr(float(value))
        texts = ['%s=%s' % (k.replace('_', '-'), v) for k, v in options.items()]
        what.options, what.option_count = _strings(texts)
        self._hold.append(what.options)

    # ---- running ---------------------------------------------------------------------------------

    @property
    def y(self) -> Any:
        """The unknowns at `t`."""
        real = self._y[:self._n]
        return real.view(np.complex128) if self._is_complex else real

    @property
    def sensitivity(self) -> Any:
        """Derivatives at `t`, parameters x unknowns."""
        return self._y[self._n:].reshape(-1, self._n)

    def _raise(self, otherwise: str) -> None:
        error = self._functions.raised
        self._functions.raised = None
        why = self._session.why()
        lib.acausal_clear_diagnostics(self._session.pointer)
        if error is not None:
            raise error
        raise ProblemError(why or otherwise)

    def _advance(self, until: float, t_eval: Any, dense: bool, steps: int, step: Any, progress: Any) -> Any:
        """One call of acausal_integrator_run; its arrays as copies."""
        functions = self._functions
        advance, path = structure('AcausalAdvance'), structure('AcausalPath')
        advance.until, advance.pieces, advance.steps = until, dense, steps
        hold: list[Any] = []
        if t_eval is not None:
            times = np.ascontiguousarray(t_eval, dtype=float)
            hold.append(times)
            room = times if len(times) else np.zeros(1)
            hold.append(room)
            advance.times, advance.time_count = room.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), len(times)
        if step is not None:
            if not functions.has_python:
                raise ProblemError('a step callback needs its right-hand side in Python')
            callback = functions.at_step(step, self._n)
            hold.append(callback)
            advance.step = type(advance.step)(ctypes.cast(callback, ctypes.c_void_p).value)
        stop = ctypes.c_int(0)
        advance.interrupt = ctypes.pointer(stop)

        def tell(_: Any, t: float) -> None:  # signals of Python are handled here, too
            try:
                if progress is not None:
                    progress(t)
            except BaseException as error:
                functions.raised = error
                stop.value = 1

        kind: Any = ctypes.PYFUNCTYPE if functions.has_python else ctypes.CFUNCTYPE
        callback = kind(None, ctypes.c_void_p, ctypes.c_double)(tell)
        hold.append(callback)
        advance.progress = type(advance.progress)(ctypes.cast(callback, ctypes.c_void_p).value)
        status = self._library.acausal_integrator_run(self._pointer, byref(advance), byref(path))
        if status == constants['ACAUSAL_USAGE']:
            self._raise('the run cannot begin')
        self.t = path.t
        self._y = _copy(path.y, (self.width,))
        return _Part(self, path)

    def _finish(self, parts: Sequence[Any], status: int, message: str, dense: bool, descending: bool) -> OdeResult:
        rows = np.concatenate([p.values for p in parts])
        n, m = self._n, getattr(self, '_indicators', 0)
        kind = np.complex128 if self._is_complex else float
        of = np.concatenate([p.event_of for p in parts])
        event_t, event_y = np.concatenate([p.event_times for p in parts]), np.concatenate([p.event_values for p in parts])
        work = self.stats()
        result = OdeResult(
            t=np.concatenate([p.times for p in parts]), y=np.ascontiguousarray(rows[:, :n]).view(kind).T, sol=None,
            t_events=[event_t[of == k] for k in range(m)] if m else None,
            y_events=[np.ascontiguousarray(event_y[of == k][:, :n]).view(kind) for k in range(m)] if m else None,
            nfev=work['f'] + work['f_jacobian'], njev=work['jacobians'], nlu=work['factors'], status=status, message=message,
            success=status >= 0, stats=work)
        if self.width > n:
            result['sensitivity'] = np.ascontiguousarray(rows[:, n:].reshape(len(rows), -1, n).transpose(1, 2, 0))
        if dense:
            ts, nodes, values = [np.array([self._start_t])], [], []
            for p in parts:
                if len(p.nodes):
                    ts.append(p.piece_times[1:])
                    nodes += list(p.nodes)
                    at = 0
                    for k in p.nodes:
                        values.append(np.ascontiguousarray(p.piece_values[at:at + k, :n]).view(kind))
                        at += k
            result['sol'] = OdeSolution(np.concatenate(ts), nodes, values, descending)
        return result

    def run(self, until: float, t_eval: Any = None, dense_output: bool = False, steps: int = 0, step: Any = None, on_event: Any = None,
            progress: Any = None) -> OdeResult:
        """Goes to `until`, to a terminal event (status 1), or so many steps (status 2), and returns what came by.

        step(t, y) is called after each step, progress(t) ten times a second; what is true from `step` ends the run. on_event(t, y, which)
        handles every event: an array is where it goes on from, None changes nothing, False ends the run. An exception in a
        function, KeyboardInterrupt too, is raised again and has all rows so far as `result`.
        """
        if not np.isfinite(until):
            raise ProblemError('the time to run to should be a finite number')
        self._open(np.copysign(np.inf, until - self.t))
        parts: list[Any] = []
        self._start_t = self.t
        descending = until < self.t
        message = ''
        while True:
            part = self._advance(until, t_eval, dense_output, steps, step, progress)
            parts.append(part)
            if self._functions.raised is not None:
                error, self._functions.raised = self._functions.raised, None
                try:
                    error.result = self._finish(parts, -1, 'ended by %s' % type(error).__name__, dense_output, descending)  # type: ignore[attr-defined]
                except Exception:  # one that takes no attributes is raised as it is
                    pass
                raise error
            if part.end != AT_EVENT or on_event is None:
                break
            if not self._handle(part, on_event):
                break
        status = {AT_LIMIT: 0, AT_EVENT: 1, AT_STEP: 2, INTERRUPTED: 2}.get(part.end, -1)
        if status == 2:
            message = 'It stopped as asked.'
        text = part.message or message or MESSAGES.get(status, '')
        return self._finish(parts, status, text, dense_output, descending)

    def _handle(self, part: Any, on_event: Callable[..., Any]) -> bool:
        which = [int(k) for k, t in zip(part.event_of, part.event_times) if t == part.t]
        answer = on_event(self.t, self.y.copy(), which[0] if len(which) == 1 else which)
        if answer is False:
            return False
        if answer is not None:
            self.restart(answer)
        return True

    def restart(self, y: Any = None, t: Optional[float] = None, yp: Any = None, jump: bool = True, sensitivity: Any = None) -> None:
        """Goes on from here with other unknowns. jump=False: only f is another one, and the integrator keeps more of what it knows."""
        values = self._y.copy()
        if y is not None:
            values[:self._n] = self._real(y, 'y')
        if sensitivity is not None:
            values[self._n:] = np.asarray(sensitivity, dtype=float).ravel()
        elif self.width > self._n and y is not None:
            raise ProblemError('a jump of y makes its derivatives jump, too: give them as sensitivity')
        slopes = self._real(yp, 'yp').ctypes.data_as(ctypes.POINTER(ctypes.c_double)) if yp is not None else None
        t = self.t if t is None else float(t)
        if not self._pointer:
            raise ProblemError('there is no run to go on with')
        status = self._library.acausal_integrator_restart(self._pointer, t, values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), slopes, jump)
        if status != constants['ACAUSAL_DONE']:
            self._raise('it cannot go on from there')
        self.t, self._y = t, values

    def interpolate(self, t: float) -> Any:
        """The unknowns at a time inside of the last step."""
        room = np.empty(self.width)
        if not self._pointer:
            raise ProblemError('no step was taken yet')
        lib.acausal_integrator_interpolate(self._pointer, float(t), room.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        return room[:self._n].view(np.complex128) if self._is_complex else room[:self._n]

    def stats(self) -> dict[str, Any]:
        """Counts of steps, calls and factorisations, step sizes and orders; all since the beginning."""
        work = structure('AcausalWork')
        if not self._pointer:
            return {}
        lib.acausal_integrator_work(self._pointer, byref(work))
        values = {name: getattr(work, name) for name, _ in work._fields_ if name != 'size'}
        return {k: v.decode() if isinstance(v, bytes) else v for k, v in values.items()}


class CEvents:
    """Events that one C function computes: int g(void *data, double t, const double *y, double *g) writes `count` numbers."""

    def __init__(self, pointer: Any, count: int, direction: Any = 0, terminal: Any = 0) -> None:
        self.address = address_of(pointer)
        if self.address is None:
            raise ProblemError('this is no pointer to a C function')
        self.count, self._pointer = count, pointer
        self.direction, self.terminal = np.broadcast_to(direction, count), np.broadcast_to(terminal, count)

    def __call__(self, *_: Any) -> None:
        raise TypeError('events of C are called by the library')


def _copy(pointer: Any, shape: tuple[int, ...], dtype: Any = float) -> Any:
    if 0 in shape or not pointer:
        return np.zeros(shape, dtype=dtype)
    return np.ctypeslib.as_array(pointer, shape).copy()


class _Part:
    """What one call computed."""

    def __init__(self, problem: Problem, path: Any) -> None:
        w = problem.width
        self.end, self.t, self.message = path.end, path.t, (path.message or b'').decode('utf-8', 'replace')
        self.times, self.values = _copy(path.times, (path.rows,)), _copy(path.values, (path.rows, w))
        self.event_times, self.event_values = _copy(path.event_times, (path.events,)), _copy(path.event_values, (path.events, w))
        self.event_of = _copy(path.event_of, (path.events,), np.int32)
        self.nodes = _copy(path.piece_nodes, (path.pieces,), np.int32)
        self.piece_times = _copy(path.piece_times, (path.pieces + 1 if path.pieces else 0,))
        self.piece_values = _copy(path.piece_values, (int(self.nodes.sum()), w))


_sessions = threading.local()


def _session() -> Reasons:
    """A session for problems of this thread."""
    if not hasattr(_sessions, 'own'):
        _sessions.own = Reasons()
        _sessions.own.__enter__()
    return _sessions.own


def _interval(t_span: Any, t_eval: Any) -> tuple[float, float, Any]:
    try:
        t0, t_end = map(float, t_span)
    except (TypeError, ValueError):
        raise ProblemError('t_span should be two times, not %r' % (t_span,)) from None
    if t_eval is None:
        return t0, t_end, None
    times = np.asarray(t_eval, dtype=float)
    if times.ndim != 1:
        raise ProblemError('t_eval should be one row of times')
    if np.any(times < min(t0, t_end)) or np.any(times > max(t0, t_end)) or np.isnan(times).any():
        raise ProblemError('t_eval has times that are not within t_span')
    steps = np.diff(times)
    if (t_end >= t0 and np.any(steps <= 0)) or (t_end < t0 and np.any(steps >= 0)):
        raise ProblemError('t_eval is not sorted in the direction of t_span')
    return t0, t_end, times


def solve(f: Any, t_span: Sequence[float], y0: Any, method: Any = 'auto', t_eval: Any = None, dense_output: bool = False, events: Any = None,
          args: Any = (), *, rtol: float = 1e-6, atol: Any = 1e-9, jac: Any = None, jac_sparsity: Any = None, mass: Any = None,
          sensitivities: Any = None, step: Any = None, on_event: Any = None, progress: Any = None, **more: Any) -> OdeResult:
    """Integrates y' = f(t, y), L y' = f(t, y) or F(t, y, y') = 0 over t_span; takes and gives what SciPy's solve_ivp does, and more.

    method: any of `acausal solvers`, or SciPy's names. mass: L, whose rows of zeros make algebraic equations. yp0=, or implicit=True: f
    is F(t, y, yp). sensitivities: parameters p of f(t, y, p, *args), in which `result.sensitivity` has the derivatives of y.
    on_event(t, y, which) handles events: an array is where the run goes on from, None changes nothing, False ends it. All
    others are those of Problem: first_step, max_step, options, parameter_jac, data, index ...
    """
    _need_numpy()
    t0, t_end, times = _interval(t_span, t_eval)
    if sensitivities is not None:
        more['parameters'] = sensitivities
    problem = Problem(f, t0, y0, t_end=t_end, method=method, rtol=rtol, atol=atol, jac=jac, jac_sparsity=jac_sparsity, mass=mass, events=events,
                      args=_args(args), between=bool(dense_output or times is not None), _stop_at_all=on_event is not None, **more)
    return problem.run(t_end, times, dense_output, step=step, on_event=on_event, progress=progress)


def _args(args: Any) -> Any:
    if args is None:
        return ()
    try:
        return tuple(args)
    except TypeError:
        raise TypeError('args should be a tuple such as (%r,)' % (args,)) from None


def solve_ivp(fun: Any, t_span: Sequence[float], y0: Any, method: Any = 'RK45', t_eval: Any = None, dense_output: bool = False,
              events: Any = None, vectorized: bool = False, args: Any = None, **options: Any) -> OdeResult:
    """SciPy's function of this name, by the integrators of Acausal: the same arguments, defaults and fields of the result.

    Methods are SciPy's (RK45, RK23, DOP853, Radau, BDF, LSODA) or any of `acausal solvers`. Options: rtol (1e-3), atol (1e-6), jac, jac_sparsity,
    first_step, max_step, min_step, and what `solve` takes. Unlike SciPy's, events at which an event function is 0 at the very start are none,
    and nfev counts the calls for difference Jacobians, too.
    """
    _need_numpy()
    if isinstance(method, str) and method not in METHODS and _method(method) == METHODS.get(method.upper()):
        method = METHODS[method.upper()]
    if options.get('rtol') is None:
        options['rtol'] = 1e-3
    if options.get('atol') is None:
        options['atol'] = 1e-6
    bands = [options.pop(k, None) for k in ('lband', 'uband')]
    if any(b is not None for b in bands) and options.get('jac') is None and options.get('jac_sparsity') is None:
        n = np.size(y0)
        rows = np.arange(n)
        away = rows[:, None] - rows[None, :]
        options['jac_sparsity'] = (away <= (bands[0] or 0)) & (-away <= (bands[1] or 0))
    if vectorized:
        inner = fun
        if address_of(fun) is None:
            def fun(t: float, y: Any, *given: Any) -> Any:  # it may insist on columns
                value = np.asarray(inner(t, y[:, None], *given))
                return value[:, 0] if value.ndim == 2 else value
    return solve(fun, t_span, y0, method, t_eval, dense_output, events, args, **options)
