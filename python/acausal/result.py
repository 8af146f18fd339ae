"""Results: trajectories of a run or of a file, pictures of them, and comparison."""
import ctypes
import fnmatch
import html
from array import array
from collections import namedtuple
from ctypes import byref

from .library import WRITE, Reasons, constants, lib, structure, text_of

try:
    import numpy
except ImportError:
    numpy = None


def _strings(texts):
    """A `const char *const *` of these, and how many."""
    texts = [t.encode() for t in texts]
    return (ctypes.c_char_p * (len(texts) + 1))(*texts), len(texts)


class UnknownSignal(KeyError):
    """A name that is in no column; says which one is near."""

    def __str__(self):
        return self.args[0]


class Plot:
    """A picture. A notebook shows it by itself; `save` writes it to an .svg file."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def save(self, path):
        with open(path, 'w', encoding='utf-8') as file:
            file.write(self.svg)
        return self

    def __repr__(self):
        return '<acausal.Plot, %d bytes of SVG; save(path) writes it>' % len(self.svg)


class Result:
    """Signals over time. `res['x']` is an array with a number a row; `res.time` has the times, twice at an event."""

    def __init__(self, pointer, stats=None, message=''):
        self._pointer = pointer
        self._cache = {}
        self.stats = stats or {}
        self.message = message
        count = lib.acausal_result_count(pointer)
        signals = [structure('AcausalSignal') for _ in range(count)]
        for i, signal in enumerate(signals):
            lib.acausal_result_signal(pointer, i, byref(signal))
        self._names = [s.name.decode() for s in signals]
        self._units = [s.unit.decode() for s in signals]
        self._index = {name: i for i, name in enumerate(self._names)}

    def __del__(self):
        if getattr(self, '_pointer', None):
            lib.acausal_result_free(self._pointer)
            self._pointer = None

    def keys(self):
        return list(self._names)

    names = property(keys, doc='Names of all signals, time not among them.')
    time = property(lambda self: self['time'])

    def __len__(self):
        return lib.acausal_result_rows(self._pointer)

    def __iter__(self):
        return iter(self._names)

    def __contains__(self, name):
        return name == 'time' or name in self._index

    def __getitem__(self, name):
        if name not in self._cache:
            rows = len(self)
            values = numpy.empty(rows) if numpy else array('d', bytes(8 * rows))
            room = (ctypes.c_double * rows).from_buffer(values) if rows else (ctypes.c_double * 1)()
            if not lib.acausal_result_values(self._pointer, name.encode(), room):
                near = _nearest(name, self._names)
                raise UnknownSignal("the result has no signal '%s'%s" % (name, "; did you mean '%s'?" % near if near else ''))
            self._cache[name] = values
        return self._cache[name]

    def initial(self, name):
        return float(self[name][0])

    def final(self, name):
        return float(self[name][-1])

    def unit(self, name):
        return self._units[self._index[name]]

    def is_cut(self):
        """Whether the file ended inside of a row, which was left out."""
        return lib.acausal_result_is_cut(self._pointer)

    def plot(self, *names, x=None, title=None, width=0, height=0, dark=False):
        """A picture of signals; names may hold * and ?. Without names, of all."""
        plot = structure('AcausalPlot')
        plot.names, plot.count = _strings(names or ['*'])
        plot.x = x.encode() if x else None
        plot.title = title.encode() if title else None
        plot.width, plot.height, plot.dark = width, height, dark
        with Reasons() as s:
            svg, status = text_of(lib.acausal_plot, s.pointer, self._pointer, byref(plot), constants['ACAUSAL_SVG'], WRITE, None)
            if status != constants['ACAUSAL_DONE']:
                raise UnknownSignal(s.why())
        return Plot(svg)

    def find(self, pattern):
        """Names that fit a pattern with * and ?."""
        return [n for n in self._names if fnmatch.fnmatchcase(n, pattern.replace('[', '[[]'))]

    def to_pandas(self):
        """A pandas.DataFrame with time as its index."""
        import pandas
        return pandas.DataFrame({n: self[n] for n in self._names}, index=pandas.Index(self.time, name='time'))

    def __repr__(self):
        return '<acausal.Result: %d signals, %d rows>' % (len(self._names), len(self))

    def _repr_html_(self):
        shown = self._names[:20]
        rows = ''.join('<tr><td>%s</td><td>%s</td>%s</tr>' % (
            html.escape(n), html.escape(self.unit(n)),
            ''.join('<td style="text-align:right">%.6g</td>' % v for v in (self[n][0], min(self[n]), max(self[n]), self[n][-1])))
            for n in shown) if len(self) else ''
        more = len(self._names) - len(shown)
        return ('<table><caption>%d signals, %d rows</caption><tr><th>name</th><th>unit</th><th>first</th><th>least</th>'
                '<th>largest</th><th>last</th></tr>%s</table>%s' % (
                    len(self._names), len(self), rows, '<p>and %d more</p>' % more if more > 0 else ''))


def _nearest(word, words):
    candidates, n = _strings(words)
    near = lib.acausal_nearest(word.encode(), candidates, n)
    return near.decode() if near else None


def read(path):
    """A result from a CSV file, or from a MAT file as Dymola and OpenModelica write it."""
    with Reasons() as s:
        pointer = lib.acausal_result_read(s.pointer, str(path).encode())
        if not pointer:
            raise ValueError(s.why())
    return Result(pointer)


SignalComparison = namedtuple('SignalComparison', 'name verdict deviation excess t a b')


class Comparison(namedtuple('Comparison', 'same signals')):
    """Whether two results are the same within the tube, and each signal's verdict; true if they are."""

    def __bool__(self):
        return self.same


def compare(a, b, tolerance=None, time_tolerance=None):
    """Compares two results: each signal must stay in a tube around its namesake, in value and in time."""
    options, report, signals = structure('AcausalCompareOptions'), structure('AcausalCompareReport'), []
    options.value = options.value if tolerance is None else tolerance
    options.time = options.time if time_tolerance is None else time_tolerance

    def row(_, r):
        r = r.contents
        signals.append(SignalComparison(r.name.decode(), r.verdict.decode(), r.deviation, r.excess, r.t, r.a, r.b))

    callback = lib.acausal_compare.argtypes[4](row)
    with Reasons() as s:
        lib.acausal_compare(s.pointer, a._pointer, b._pointer, byref(options), callback, None, byref(report))
    return Comparison(bool(report.same), signals)
