"""Results: trajectories of a run or of a file, pictures of them, and comparison."""
from __future__ import annotations

import ctypes
import fnmatch
import html
import os
import tempfile
from array import array
from ctypes import byref
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Sequence, Union

from .library import WRITE, Reasons, bytes_of, constants, lib, structure

numpy: Any
try:
    import numpy
except ImportError:
    numpy = None

FIXED = constants['ACAUSAL_FIXED']


def _strings(texts: Iterable[str]) -> tuple[Any, int]:
    """A `const char *const *` of these, and how many."""
    encoded = [t.encode() for t in texts]
    return (ctypes.c_char_p * (len(encoded) + 1))(*encoded), len(encoded)


class UnknownSignal(KeyError):
    """A name that is in no column; says which one is near."""

    def __str__(self) -> str:
        return str(self.args[0])


class _Memory:
    """What the library holds of a result: as long as the result or an array that looks at it."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer

    def __del__(self) -> None:
        if self.pointer:
            lib.acausal_result_free(self.pointer)
            self.pointer = None


class Plot:
    """A picture. A notebook shows it by itself; `save` writes it as the suffix of the file says."""

    def __init__(self, svg: str, result: Result, options: Any) -> None:
        self.svg = svg
        self._result, self._options = result, options

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Union[str, os.PathLike[str]]) -> Plot:
        """Writes an .svg, .png or .pdf file. PNG and PDF need the cairo library."""
        suffix = os.path.splitext(str(path))[1].lower()
        pictures = {'.svg': 'ACAUSAL_SVG', '.png': 'ACAUSAL_PNG', '.pdf': 'ACAUSAL_PDF'}
        if suffix not in pictures:
            raise ValueError("'%s' should end in .svg, .png or .pdf" % path)
        data = self.svg.encode() if suffix == '.svg' else self._result._draw(self._options, constants[pictures[suffix]])
        with open(path, 'wb') as file:
            file.write(data)
        return self

    def __repr__(self) -> str:
        return '<acausal.Plot, %d bytes of SVG; save(path) writes it>' % len(self.svg)


class Result:
    """Signals over time. `res['x']` is an array with a number a row; `res.time` has the times, twice at an event.

    Arrays of NumPy are views on the memory of the result, which they keep alive; they can only be read. `res['a', 'b']` is a matrix with a
    column for each name. Parameters, constants among them, are in `res.parameters`, too, as numbers.
    """

    lines: list[str]
    diagnostics: list[dict[str, Any]]
    states: int

    def __init__(self, pointer: Any, stats: Optional[dict[str, Any]] = None, message: str = '') -> None:
        pointer = type(pointer).from_buffer_copy(pointer)  # a field of a structure would follow what the library writes there
        self._memory = _Memory(pointer)
        self._pointer = pointer
        self._cache: dict[str, Any] = {}
        self.stats = stats or {}
        self.message = message
        self.lines, self.diagnostics, self.states = [], [], 0
        count = lib.acausal_result_count(pointer)
        signals = [structure('AcausalSignal') for _ in range(count)]
        for i, signal in enumerate(signals):
            lib.acausal_result_signal(pointer, i, byref(signal))
        self._names = [s.name.decode() for s in signals]
        self._units = [s.unit.decode() for s in signals]
        self._descriptions = [s.description.decode() for s in signals]
        self._fixed = [s.kind == FIXED for s in signals]
        self._index = {name: i for i, name in enumerate(self._names)}

    def keys(self) -> list[str]:
        return list(self._names)

    names = property(keys, doc='Names of all signals, time not among them.')

    @property
    def time(self) -> Any:
        return self['time']

    def __len__(self) -> int:
        return int(lib.acausal_result_rows(self._pointer))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return name == 'time' or name in self._index

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, (tuple, list)):
            columns = [self[n] for n in name]
            return numpy.column_stack(columns) if numpy else columns
        if name not in self._cache:
            self._cache[name] = self._values(name)
        return self._cache[name]

    def _values(self, name: str) -> Any:
        rows, stride, sign = len(self), ctypes.c_size_t(), ctypes.c_double()
        at = lib.acausal_result_view(self._pointer, name.encode(), byref(stride), byref(sign))
        if not at:
            near = _nearest(name, self._names)
            raise UnknownSignal("the result has no signal '%s'%s" % (name, "; did you mean '%s'?" % near if near else ''))
        if not numpy:
            return array('d', (sign.value * at[i * stride.value] for i in range(rows)))
        if not rows:
            return numpy.zeros(0)
        memory = (ctypes.c_double * ((rows - 1) * stride.value + 1)).from_address(ctypes.addressof(at.contents))
        memory.owner = self._memory  # type: ignore[attr-defined]
        view = numpy.ndarray((rows,), dtype=float, buffer=memory, strides=(8 * stride.value,))
        if sign.value < 0:
            view = -view
        view.flags.writeable = False
        return view

    @property
    def parameters(self) -> dict[str, float]:
        """What does not change in the run: parameters and constants."""
        return {n: float(self[n][0]) for n, fixed in zip(self._names, self._fixed) if fixed} if len(self) else {}

    @property
    def series(self) -> list[str]:
        """Names of what changes, or may."""
        return [n for n, fixed in zip(self._names, self._fixed) if not fixed]

    def initial(self, name: str) -> float:
        return float(self[name][0])

    def final(self, name: str) -> float:
        return float(self[name][-1])

    def unit(self, name: str) -> str:
        return 's' if name == 'time' else self._units[self._index[name]]

    @property
    def units(self) -> dict[str, str]:
        return dict(zip(self._names, self._units))

    def description(self, name: str) -> str:
        return self._descriptions[self._index[name]]

    def is_cut(self) -> bool:
        """Whether the file ended inside of a row, which was left out."""
        return bool(lib.acausal_result_is_cut(self._pointer))

    def save(self, path: Union[str, os.PathLike[str]]) -> Result:
        """Writes a .csv or .mat file."""
        with Reasons() as s:
            if lib.acausal_result_write(s.pointer, self._pointer, str(path).encode()) != constants['ACAUSAL_DONE']:
                raise ValueError(s.why())
        return self

    def plot(self, *names: str, x: Optional[str] = None, title: Optional[str] = None, width: int = 0, height: int = 0,
             dark: bool = False) -> Plot:
        """A picture of signals; names may hold * and ?. Without names, of all."""
        plot = structure('AcausalPlot')
        plot.names, plot.count = _strings(names or ['*'])
        plot.x = x.encode() if x else None
        plot.title = title.encode() if title else None
        plot.width, plot.height, plot.dark = width, height, dark
        return Plot(self._draw(plot, constants['ACAUSAL_SVG']).decode('utf-8', 'replace'), self, plot)

    def _draw(self, plot: Any, picture: int) -> bytes:
        with Reasons() as s:
            data, status = bytes_of(lib.acausal_plot, s.pointer, self._pointer, byref(plot), picture, WRITE, None)
            if status != constants['ACAUSAL_DONE']:
                raise UnknownSignal(s.why())
        return data

    def axes(self, *names: str, ax: Any = None) -> Any:
        """The same by matplotlib: returns its axes, to go on with."""
        import matplotlib.pyplot as plt
        ax = plt.figure().add_subplot() if ax is None else ax
        for name in names or self.series:
            ax.plot(self.time, self[name], label='%s [%s]' % (name, self.unit(name)) if self.unit(name) else name)
        ax.set_xlabel('time [s]')
        ax.legend()
        return ax

    def find(self, pattern: str) -> list[str]:
        """Names that fit a pattern with * and ?."""
        return [n for n in self._names if fnmatch.fnmatchcase(n, pattern.replace('[', '[[]'))]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame of what changes, with time as its index; its `attrs` have parameters and units."""
        import pandas
        frame = pandas.DataFrame({n: self[n] for n in self.series}, index=pandas.Index(self.time, name='time'))
        frame.attrs = {'parameters': self.parameters, 'units': self.units}
        return frame

    def to_xarray(self) -> Any:
        """An xarray.Dataset of what changes, with units; its `attrs` are the parameters."""
        import xarray
        data = {n: ('time', self[n], {'units': self.unit(n), 'long_name': self.description(n)}) for n in self.series}
        return xarray.Dataset(data, coords={'time': ('time', self.time, {'units': 's'})}, attrs=self.parameters)

    def __reduce__(self) -> Any:
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, 'result.mat')
            self.save(path)
            with open(path, 'rb') as file:
                data = file.read()
        return _unpickled, (data, self.stats, self.message, self.lines, self.diagnostics, self.states)

    def __repr__(self) -> str:
        return '<acausal.Result: %d signals, %d rows>' % (len(self._names), len(self))

    def _repr_html_(self) -> str:
        shown = self._names[:20]
        rows = ''.join('<tr><td>%s</td><td>%s</td>%s</tr>' % (
            html.escape(n), html.escape(self.unit(n)),
            ''.join('<td style="text-align:right">%.6g</td>' % v for v in (self[n][0], min(self[n]), max(self[n]), self[n][-1])))
            for n in shown) if len(self) else ''
        more = len(self._names) - len(shown)
        curves = [n for n in self.series if not n.startswith('der(')][:6]
        picture = self.plot(*(n.replace('[', '[[]') if '*' in n else n for n in curves), width=640, height=320).svg if curves and len(self) > 1 else ''
        return ('<table><caption>%d signals, %d rows</caption><tr><th>name</th><th>unit</th><th>first</th><th>least</th>'
                '<th>largest</th><th>last</th></tr>%s</table>%s%s' % (
                    len(self._names), len(self), rows, '<p>and %d more</p>' % more if more > 0 else '', picture))


def _nearest(word: str, words: Sequence[str]) -> Optional[str]:
    candidates, _ = _strings(words)
    near = lib.acausal_nearest(word.encode(), candidates, len(words))
    return near.decode() if near else None


def read(path: Union[str, os.PathLike[str]]) -> Result:
    """A result from a CSV file, or from a MAT file as Dymola and OpenModelica write it."""
    with Reasons() as s:
        pointer = lib.acausal_result_read(s.pointer, str(path).encode())
        if not pointer:
            raise ValueError(s.why())
    return Result(pointer)


def _unpickled(data: bytes, stats: dict[str, Any], message: str, lines: list[str], diagnostics: list[dict[str, Any]], states: int) -> Result:
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, 'result.mat')
        with open(path, 'wb') as file:
            file.write(data)
        result = read(path)
    result.stats, result.message = stats, message
    result.lines, result.diagnostics, result.states = lines, diagnostics, states
    return result


class SignalComparison(NamedTuple):
    name: str
    verdict: str
    deviation: float
    excess: float
    t: float
    a: float
    b: float


class Comparison(NamedTuple):
    """Whether two results are the same within the tube, and each signal's verdict; true if they are."""

    same: bool
    signals: list[SignalComparison]

    def __bool__(self) -> bool:
        return self.same


def compare(a: Result, b: Result, tolerance: Optional[float] = None, time_tolerance: Optional[float] = None) -> Comparison:
    """Compares two results: each signal must stay in a tube around its namesake, in value and in time."""
    options, report = structure('AcausalCompareOptions'), structure('AcausalCompareReport')
    signals: list[SignalComparison] = []
    options.value = options.value if tolerance is None else tolerance
    options.time = options.time if time_tolerance is None else time_tolerance

    def row(_: Any, pointer: Any) -> None:
        r = pointer.contents
        signals.append(SignalComparison(r.name.decode(), r.verdict.decode(), r.deviation, r.excess, r.t, r.a, r.b))

    callback = lib.acausal_compare.argtypes[4](row)
    with Reasons() as s:
        lib.acausal_compare(s.pointer, a._pointer, b._pointer, byref(options), callback, None, byref(report))
    return Comparison(bool(report.same), signals)
