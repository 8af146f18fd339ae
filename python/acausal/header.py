"""Reads acausal.h: structures, enumerations and functions, as ctypes sees them.

The header is the one description of the interface; nothing of it is written down again here. It is looked for beside this file (where
`make install` puts a copy) and in the source tree. The subset of C that the header uses is all that is understood.
"""
from __future__ import annotations

import ctypes
import os
import re
from typing import Any, Iterator, Optional

PLAIN: dict[str, Any] = {
    'void': None, 'bool': ctypes.c_bool, 'int': ctypes.c_int, 'long': ctypes.c_long, 'unsigned': ctypes.c_uint,
    'size_t': ctypes.c_size_t, 'double': ctypes.c_double, 'char': ctypes.c_char, 'sig_atomic_t': ctypes.c_int,
    'unsigned char': ctypes.c_ubyte, 'signed char': ctypes.c_byte,
    'int32_t': ctypes.c_int32, 'uint32_t': ctypes.c_uint32, 'int64_t': ctypes.c_int64, 'uint64_t': ctypes.c_uint64,
}


def find_header() -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.path.join(here, 'acausal.h'), os.path.join(here, '..', '..', 'include', 'acausal.h')):
        if os.path.exists(path):
            return path
    raise ImportError('acausal.h is neither beside %s nor in the source tree' % here)


def _split(text: str, separator: str) -> list[str]:
    """Cuts at separators outside of parentheses."""
    parts: list[str] = []
    depth, start = 0, 0
    for i, c in enumerate(text):
        depth += (c == '(') - (c == ')')
        if c == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]


class Header:
    """Types by name in `types`, values of enumerations in `constants`, `(result, arguments)` of functions in `functions`."""

    def __init__(self, path: Optional[str] = None) -> None:
        with open(path or find_header(), encoding='utf-8') as file:
            text = file.read()
        text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
        text = re.sub(r'^\s*#.*$', ' ', text, flags=re.M)
        text = re.sub(r'extern\s+"C"\s*\{', ' ', text)
        text = re.sub(r'static inline [^{]*\{[^}]*\}', ' ', text)  # `structure` of library.py takes their place
        text = re.sub(r'\b(const|volatile|struct)\b', ' ', text)
        self.types = dict(PLAIN)
        self.constants: dict[str, int] = {}
        self.functions: dict[str, tuple[Any, list[Any]]] = {}
        for statement in self._statements(text):
            self._take(statement)

    @staticmethod
    def _statements(text: str) -> Iterator[str]:
        depth, start = 0, 0
        for i, c in enumerate(text):
            depth += (c == '{') - (c == '}')
            if c == ';' and depth == 0:
                yield ' '.join(text[start:i].split())
                start = i + 1

    def _take(self, s: str) -> None:
        enum = re.match(r'typedef enum(?: \w+)? \{(.*)\} (\w+)$', s)
        struct = re.match(r'typedef(?: \w+)? \{(.*)\} (\w+)$', s)
        pointer = re.match(r'typedef (.+?)\(\*(\w+)\)\((.*)\)$', s)
        opaque = re.match(r'typedef (\w+) (\w+)$', s)
        function = re.match(r'(.+?)\b(acausal_\w+)\((.*)\)$', s)
        if enum:
            self._take_enum(enum.group(1))
            self.types[enum.group(2)] = ctypes.c_int
        elif struct:
            self.types[struct.group(2)] = self._structure(struct.group(2), struct.group(1))
        elif pointer:
            self.types[pointer.group(2)] = self._callback(pointer.group(1), pointer.group(3))
        elif opaque and opaque.group(1) == opaque.group(2):
            self.types[opaque.group(2)] = type(opaque.group(2), (ctypes.Structure,), {})
        elif function:
            result, name, arguments = function.groups()
            self.functions[name] = (self._type(result), [self._declared(a)[1] for a in self._arguments(arguments)])

    def _take_enum(self, body: str) -> None:
        value = 0
        for item in body.split(','):
            name, _, given = item.partition('=')
            if not name.strip():
                continue
            value = int(given, 0) if given.strip() else value
            self.constants[name.strip()] = value
            value += 1

    @staticmethod
    def _arguments(text: str) -> list[str]:
        return [] if text.strip() in ('', 'void') else _split(text, ',')

    def _callback(self, result: str, arguments: str) -> Any:
        kinds = [self._declared(a)[1] for a in self._arguments(arguments)]
        for i, kind in enumerate(kinds[:-1]):
            if kind is ctypes.c_char_p and kinds[i + 1] is ctypes.c_size_t:
                kinds[i] = ctypes.c_void_p  # a piece of text with its length has no zero at its end
        return ctypes.CFUNCTYPE(self._type(result), *kinds)

    def _type(self, text: str) -> Any:
        """The type of `char *` or `AcausalResult *`, without a name."""
        stars, base = text.count('*'), text.replace('*', ' ').strip()
        kind = self.types[base]
        if stars and base == 'char':
            kind, stars = ctypes.c_char_p, stars - 1
        elif stars and kind is None:
            kind, stars = ctypes.c_void_p, stars - 1
        for _ in range(stars):
            kind = ctypes.POINTER(kind)
        return kind

    def _declared(self, text: str) -> tuple[str, Any]:
        """Name and type of `double t` or `void (*say)(void *arg, char *line)`; a name may be missing."""
        text = text.strip()
        pointer = re.match(r'(.+?)\(\*(\w+)\)\((.*)\)$', text)
        if pointer:
            return pointer.group(2), self._callback(pointer.group(1), pointer.group(3))
        name = re.search(r'(\w+)\s*((?:\[\d+\])?)$', text)
        if not name or name.group(1) in self.types:
            return '', self._type(text)
        kind = self._type(text[:name.start()])
        if name.group(2):
            kind = kind * int(name.group(2)[1:-1])
        return name.group(1), kind

    def _structure(self, name: str, body: str) -> Any:
        fields = []
        for declaration in _split(body, ';'):
            if not declaration.strip():
                continue
            first, *others = _split(declaration, ',')
            field, kind = self._declared(first)
            fields.append((field, kind))
            base = first.split()[0]
            fields += [self._declared(base + ' ' + other) for other in others]
        return type(name, (ctypes.Structure,), {'_fields_': fields})
