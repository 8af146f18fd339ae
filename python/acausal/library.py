"""Loads the shared library and gives its functions the types that acausal.h declares."""
import ctypes
import ctypes.util
import os
import re

from .header import Header


def _candidates():
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


def _load():
    reasons = []
    for path in _candidates():
        try:
            # External functions of models call ModelicaError and its like in the library.
            return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            reasons.append(str(error))
    raise ImportError('libacausal.so cannot be loaded: build it with `make build`, or say in the variable ACAUSAL_LIBRARY '
                      'where it is (%s)' % '; '.join(reasons))


header = Header()
types = header.types
constants = header.constants
lib = _load()
for _name, (_result, _arguments) in header.functions.items():
    if hasattr(lib, _name):
        _function = getattr(lib, _name)
        _function.restype, _function.argtypes = _result, _arguments


def structure(name):
    """A structure of acausal.h with its defaults and its size."""
    made = types[name]()
    made.size = ctypes.sizeof(made)
    init = getattr(lib, re.sub(r'(?<!^)(?=[A-Z])', '_', name.replace('Options', '')).lower() + '_init', None)
    if init:
        init(ctypes.byref(made), made.size)
    return made


class Reasons:
    """A session for calls on results alone: `with Reasons() as s:`; s.pointer goes into the call, s.why() says what was wrong."""

    def __enter__(self):
        self.pointer = lib.acausal_session_new()
        if not self.pointer:
            raise MemoryError('no memory for a session')
        return self

    def __exit__(self, *_):
        lib.acausal_session_free(self.pointer)

    def why(self):
        return (lib.acausal_first_error(self.pointer) or b'').decode('utf-8', 'replace')


def text_of(function, *arguments):
    """Calls a function that writes through an AcausalWrite, and returns what it wrote with what it returned."""
    pieces = []
    write = types['AcausalWrite'](lambda _, text, n: pieces.append(ctypes.string_at(text, n)))
    arguments = [write if a is WRITE else a for a in arguments]
    status = function(*arguments)
    return b''.join(pieces).decode('utf-8', 'replace'), status


class _Write:
    """Stands for the place of `AcausalWrite write, void *arg` in the arguments of text_of."""


WRITE = _Write()
