"""Loads the shared library and gives its functions the types that acausal.h declares."""
from __future__ import annotations

import ctypes
import os
import re
from typing import Any, Callable, Iterator

from .header import Header


def _candidates() -> Iterator[str]:
    """Paths of the library, best first: as told, in the source tree, in the package, where `make install` puts it, where the system looks."""
    here = os.path.dirname(os.path.abspath(__file__))
    if os.environ.get('ACAUSAL_LIBRARY'):
        yield os.environ['ACAUSAL_LIBRARY']
        return
    top = os.path.join(here, '..', '..')
    if os.path.exists(os.path.join(top, 'CMakeLists.txt')):
        yield os.path.join(top, 'build', 'libacausal.so')
    if os.path.exists(os.path.join(here, 'libacausal.so')):
        yield os.path.join(here, 'libacausal.so')
        return
    yield os.path.join(here, '..', '..', '..', 'libacausal.so.0')
    yield 'libacausal.so.0'


def _load() -> ctypes.CDLL:
    reasons = []
    for path in _candidates():
        try:
            # External functions of models call ModelicaError and its like in the library.
            return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            reasons.append(str(error))
    raise ImportError('libacausal.so cannot be loaded: build it with `make build`, or say in the variable ACAUSAL_LIBRARY '
                      'where it is (%s)' % '; '.join(reasons))


# Numbers in models and files have a decimal point, whatever the locale of the process says.
_libc = ctypes.CDLL(None)
_libc.localeconv.restype = ctypes.POINTER(ctypes.c_char_p)  # its first member is the decimal point
_libc.newlocale.restype = _libc.uselocale.restype = ctypes.c_void_p
_libc.newlocale.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p]
_libc.uselocale.argtypes = [ctypes.c_void_p]
_LC_NUMERIC_MASK = 1 << 1
_plain_locale = _libc.newlocale(_LC_NUMERIC_MASK, b'C', None)


def plainly(function: Any) -> Any:
    """The same function, which sees a decimal point."""
    localeconv, uselocale, plain = _libc.localeconv, _libc.uselocale, _plain_locale

    def call(*arguments: Any) -> Any:
        if localeconv()[0] == b'.':
            return function(*arguments)
        before = uselocale(plain)
        try:
            return function(*arguments)
        finally:
            uselocale(before)

    call.argtypes, call.restype = function.argtypes, function.restype  # type: ignore[attr-defined]
    return call


class Library:
    """The functions of the library as attributes; `raw` has them without a look at the locale, for calls without texts."""

    def __init__(self) -> None:
        self.raw = _load()
        self._name = self.raw._name
        for name, (result, arguments) in header.functions.items():
            if hasattr(self.raw, name):
                function = getattr(self.raw, name)
                function.restype, function.argtypes = result, arguments
                setattr(self, name, plainly(function))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError('this libacausal.so has no %s: it is older than acausal.h' % name)


header = Header()
types: dict[str, Any] = header.types
constants: dict[str, int] = header.constants
lib = Library()


def structure(name: str) -> Any:
    """A structure of acausal.h with its defaults and its size."""
    made = types[name]()
    made.size = ctypes.sizeof(made)
    init = getattr(lib, re.sub(r'(?<!^)(?=[A-Z])', '_', name.replace('Options', '')).lower() + '_init', None)
    if init:
        init(ctypes.byref(made), made.size)
    return made


class Reasons:
    """A session for calls on results alone: `with Reasons() as s:`; s.pointer goes into the call, s.why() says what was wrong."""

    def __enter__(self) -> Reasons:
        self.pointer = lib.acausal_session_new()
        if not self.pointer:
            raise MemoryError('no memory for a session')
        return self

    def __exit__(self, *_: Any) -> None:
        lib.acausal_session_free(self.pointer)

    def why(self) -> str:
        return (lib.acausal_first_error(self.pointer) or b'').decode('utf-8', 'replace')


def bytes_of(function: Callable[..., Any], *arguments: Any) -> tuple[bytes, Any]:
    """Calls a function that writes through an AcausalWrite, and returns what it wrote with what it returned."""
    pieces: list[bytes] = []
    write = types['AcausalWrite'](lambda _, text, n: pieces.append(ctypes.string_at(text, n)))
    given = [write if a is WRITE else a for a in arguments]
    status = function(*given)
    return b''.join(pieces), status


def text_of(function: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
    """The same as text."""
    written, status = bytes_of(function, *arguments)
    return written.decode('utf-8', 'replace'), status


class _Write:
    """Stands for the place of `AcausalWrite write, void *arg` in the arguments of text_of."""


WRITE = _Write()
