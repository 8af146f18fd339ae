"""The caller's functions as C sees them: Python functions on arrays over C memory, and pointers to C functions.

A Python function gets the time and arrays that are made once, not at each call: the library copies its arguments into them, and the result
out of them. An array that a function keeps is noticed by its reference count, and another one takes its place. What a function raises is kept
in `raised`, ends the run, and is raised again behind it.
"""
from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any, Callable, Optional, Sequence

np: Any
try:
    import numpy as np
except ImportError:  # the rest of the package works without
    np = None

_getrefcount = sys.getrefcount

# The library calls these with the interpreter's lock held; arguments behind those named here are for C functions.
_AT_TIME = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double)
_WITH_FACTOR = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double)
_AT_STEP = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p)

PLACE_Y, PLACE_YP, PLACE_RESULT, PLACE_VALUES, PLACE_INDICATORS = range(5)


def address_of(f: Any) -> Optional[int]:
    """The address of a C function: of ctypes, cffi, numba (`cfunc`), or a SciPy LowLevelCallable. None: `f` is no such thing."""
    if isinstance(f, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        return ctypes.cast(f, ctypes.c_void_p).value
    if isinstance(f, tuple) and hasattr(f, 'function'):  # LowLevelCallable
        return address_of(f.function)
    if type(f).__name__ == 'PyCapsule':
        name, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        return pointer(f, name(f))
    if type(f).__module__ == '_cffi_backend' and not callable(getattr(f, '__self__', None)):
        import _cffi_backend
        return int(_cffi_backend.FFI().cast('uintptr_t', f))
    if isinstance(getattr(f, 'address', None), int) and type(f).__module__.startswith('numba'):
        return f.address
    return None


def data_address(data: Any) -> Optional[int]:
    """The address of what a C function gets as its first argument: of an array or an object of ctypes; an integer is one."""
    if data is None or isinstance(data, int):
        return data
    if isinstance(data, ctypes.c_void_p):
        return data.value
    if isinstance(data, ctypes._Pointer):  # type: ignore[attr-defined]
        return ctypes.cast(data, ctypes.c_void_p).value
    if hasattr(data, '__array_interface__'):
        return data.__array_interface__['data'][0]
    return ctypes.addressof(data)


def pattern_of(matrix: Any, n: int, what: str) -> tuple[Any, Any]:
    """Starts and rows of the columns of a sparse or full matrix: where it is not 0."""
    if hasattr(matrix, 'tocsc'):
        shape, m = matrix.shape, matrix.tocsc()
        if not m.has_canonical_format:
            m = m.copy()
            m.sum_duplicates()
        start, row = m.indptr, m.indices
    else:
        full = np.asarray(matrix)
        shape = full.shape
        columns, row = np.nonzero(full.T) if full.ndim == 2 else (np.zeros(0), np.zeros(0))
        start = np.searchsorted(columns, np.arange(n + 1))
    if tuple(shape) != (n, n):
        raise ValueError('%s has shape %s; it should be (%d, %d)' % (what, tuple(shape), n, n))
    return np.ascontiguousarray(start, dtype=np.int32), np.ascontiguousarray(row, dtype=np.int32)


class Functions:
    """Callbacks of one problem, and the memory that they work on."""

    def __init__(self, n: int, is_complex: bool, args: Sequence[Any], parameters: Any) -> None:
        self.raised: Optional[BaseException] = None
        self.n, self.is_complex = n, is_complex
        self.args = tuple(args) if parameters is None else (parameters,) + tuple(args)
        self.places = (ctypes.POINTER(ctypes.c_double) * 5)()
        self.memory: list[Any] = [None] * 5
        self.has_python = False
        for which in (PLACE_Y, PLACE_YP, PLACE_RESULT):
            self.place(which, n)

    def place(self, which: int, count: int, dtype: Any = None) -> Any:
        """New memory for arguments or results, as an array."""
        memory = np.zeros(max(count, 1))
        self.places[which] = memory.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        self.memory[which] = memory
        real = memory[:count]
        return real.view(np.complex128) if self.is_complex and which in (PLACE_Y, PLACE_YP, PLACE_RESULT) else real

    def fail(self, error: BaseException) -> int:
        self.raised = error
        return -1

    def _check(self, value: Any, count: int, what: str, is_complex: bool) -> None:
        shape = np.shape(value)
        if shape != (count,) and not (count == 1 and shape == ()):
            raise ValueError('%s returned shape %s for %d unknowns' % (what, shape, count))
        if np.iscomplexobj(value) and not is_complex:
            raise ValueError('%s returned complex numbers, but y0 is real: give a complex y0' % what)

    def right_hand_side(self, f: Callable[..., Any], is_residual: bool) -> Any:
        """f(t, y, *args), or F(t, y, yp, *args)."""
        address = address_of(f)
        if address is not None:
            return address
        if not callable(f):
            raise TypeError('the right-hand side is neither a function nor a pointer to one')
        self.has_python = True
        me, args = self, self.args
        y, yp, out = self.place(PLACE_Y, self.n), self.place(PLACE_YP, self.n), self.place(PLACE_RESULT, self.n)
        count, checked, none = len(out), False, _getrefcount(y)
        # a row of plain numbers goes to memory without becoming an array
        pack, packed = struct.Struct('%dd' % count).pack_into, () if self.is_complex else (tuple, list)
        memory = self.memory[PLACE_RESULT]

        def call(_: Any, t: float) -> int:
            nonlocal y, checked
            try:
                value = f(t, y, *args)
                if checked and type(value) in packed:
                    pack(memory, 0, *value)
                    value = None
                    if _getrefcount(y) != none:
                        y = me.place(PLACE_Y, me.n)
                    return 0
                if not checked:
                    me._check(value, count, 'the right-hand side', me.is_complex)
                    checked = True
                out[:] = value
                value = None
                if _getrefcount(y) != none:
                    y = me.place(PLACE_Y, me.n)  # somebody keeps it: it stays as it is
                return 0
            except BaseException as error:
                return me.fail(error)

        def call_residual(_: Any, t: float) -> int:
            nonlocal y, yp, checked
            try:
                value = f(t, y, yp, *args)
                if not checked:
                    me._check(value, count, 'the residual', me.is_complex)
                    checked = True
                out[:] = value
                value = None
                if _getrefcount(y) != none or _getrefcount(yp) != none:
                    y, yp = me.place(PLACE_Y, me.n), me.place(PLACE_YP, me.n)
                return 0
            except BaseException as error:
                return me.fail(error)

        return _AT_TIME(call_residual if is_residual else call)

    def _now(self, which: int) -> Any:
        """A copy of y or y' as they are: for functions that are called seldom."""
        real = np.ctypeslib.as_array(self.places[which], (self.n,)).copy()
        return real.view(np.complex128) if self.is_complex else real

    def indicators(self, events: Sequence[Callable[..., Any]]) -> Any:
        self.has_python = True
        args, out = self.args, self.place(PLACE_INDICATORS, len(events))

        def call(_: Any, t: float) -> int:
            try:
                y = self._now(PLACE_Y)
                for k, g in enumerate(events):
                    value = g(t, y, *args)
                    out[k] = value if np.ndim(value) == 0 else np.asarray(value).reshape(())
                return 0
            except BaseException as error:
                return self.fail(error)

        return _AT_TIME(call)

    def matrix(self, f: Any, pattern: Optional[tuple[Any, Any]], is_residual: bool, columns: int = 0) -> Any:
        """A Jacobian: a function of (t, y), or (t, y, yp, c), or what it always is. columns: of df/dp."""
        address = address_of(f)
        if address is not None:
            return address
        self.has_python = True
        n = self.n
        count = len(pattern[1]) if pattern is not None else n * n
        values = self.place_values(max(count, n * columns))
        rows = pattern[1] if pattern is not None else None
        cols = np.repeat(np.arange(n), np.diff(pattern[0])) if pattern is not None else None

        def put(matrix: Any) -> None:
            wanted = (n, columns) if columns else (n, n)
            if self.is_complex:
                matrix = _as_real(matrix.toarray() if hasattr(matrix, 'toarray') else np.asarray(matrix))
            elif not hasattr(matrix, 'tocsc'):
                matrix = np.asarray(matrix, dtype=float)
                if matrix.shape != wanted and matrix.size == n * (columns or n) and n * (columns or n) == 1:
                    matrix = matrix.reshape(wanted)
            if matrix.shape != wanted:
                raise ValueError('the Jacobian has shape %s; it should be %s' % (matrix.shape, wanted))
            if rows is None or columns:
                full = matrix.toarray() if hasattr(matrix, 'toarray') else matrix
                values[:full.size].reshape(full.shape[::-1])[:] = full.T
                return
            found = np.asarray(matrix[rows, cols]).ravel()
            beyond = (abs(matrix).sum() if hasattr(matrix, 'tocsc') else np.abs(matrix).sum()) - np.abs(found).sum()
            if beyond > 1e-12 * np.abs(found).sum() and np.isfinite(beyond):
                raise ValueError('the Jacobian has entries outside of its pattern: give the whole pattern as jac_sparsity')
            values[:count] = found

        if not callable(f):
            put(f)
            return _AT_TIME(lambda _, t: 0)

        def call(_: Any, t: float) -> int:
            try:
                put(f(t, self._now(PLACE_Y), *self.args))
                return 0
            except BaseException as error:
                return self.fail(error)

        def call_residual(_: Any, t: float, y: Any, yp: Any, c: float) -> int:
            try:
                put(f(t, self._now(PLACE_Y), self._now(PLACE_YP), c, *self.args))
                return 0
            except BaseException as error:
                return self.fail(error)

        return _WITH_FACTOR(call_residual) if is_residual else _AT_TIME(call)

    def place_values(self, count: int) -> Any:
        """Memory for values of matrices, which all of them share."""
        held = getattr(self, '_values', None)
        if held is None or len(held) < count:
            self._values = self.place(PLACE_VALUES, count)
        return self._values

    def at_step(self, f: Callable[..., Any], n: int) -> Any:
        """f(t, y) after a step: what is true ends the run."""
        def call(_: Any, t: float, y: Any) -> int:
            try:
                real = np.ctypeslib.as_array(ctypes.cast(y, ctypes.POINTER(ctypes.c_double)), (n,)).copy()
                return 1 if f(t, real.view(np.complex128) if self.is_complex else real) else 0
            except BaseException as error:
                self.fail(error)
                return 1
        return _AT_STEP(call)


def _as_real(matrix: Any) -> Any:
    """A complex matrix on pairs of real and imaginary part."""
    n, m = matrix.shape
    real = np.empty((2 * n, 2 * m))
    real[0::2, 0::2] = real[1::2, 1::2] = matrix.real
    real[1::2, 0::2] = np.imag(matrix)
    real[0::2, 1::2] = -np.imag(matrix)
    return real
