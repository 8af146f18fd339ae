"""Programs compiled against an older acausal.h run with this library: each header of tests/abi is a promise that was given.

What a header of tests/abi has is in today's, in the same place: functions with their arguments, fields of structures, values of enumerations.
And what the opening comment says of sizes holds when a program and the library know structures of different sizes.
"""
import ctypes
import glob
import os
import unittest

from acausal.header import Header

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
BALL = os.path.join(TOP, 'models', 'BouncingBall.mo').encode()
NOW = Header(os.path.join(TOP, 'include', 'acausal.h'))
OLD = {os.path.basename(path): Header(path) for path in sorted(glob.glob(os.path.join(TOP, 'tests', 'abi', '*.h')))}
DONE, USAGE = 0, 2
GUARD = 0x5a


def shape(kind):
    """A type, written so that equal ones of two headers have equal texts; of structures only the name: they grow."""
    if kind is None:
        return 'void'
    if isinstance(kind, type) and issubclass(kind, ctypes.Structure):
        return 'struct ' + kind.__name__
    if hasattr(kind, '_argtypes_'):
        return '%s(%s)' % (shape(kind._restype_), ', '.join(map(shape, kind._argtypes_)))
    if hasattr(kind, '_length_'):
        return '%s[%d]' % (shape(kind._type_), kind._length_)
    if hasattr(kind, 'contents'):
        return shape(kind._type_) + ' *'
    return kind.__name__


def structures(header):
    return {name: kind for name, kind in header.types.items()
            if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and getattr(kind, '_fields_', None)}


class Cases(unittest.TestCase):
    def test_there_is_a_promise(self):
        self.assertTrue(OLD)

    def test_nothing_is_taken_away(self):
        for version, old in OLD.items():
            for name, (result, arguments) in old.functions.items():
                with self.subTest(version=version, function=name):
                    now = NOW.functions.get(name)
                    self.assertIsNotNone(now)
                    self.assertEqual([shape(result)] + list(map(shape, arguments)), [shape(now[0])] + list(map(shape, now[1])))
            for name, value in old.constants.items():
                with self.subTest(version=version, constant=name):
                    self.assertEqual(NOW.constants.get(name), value)

    def test_fields_stay_in_their_places(self):
        for version, old in OLD.items():
            for name, kind in structures(old).items():
                now = NOW.types.get(name)
                for field, of in kind._fields_:
                    with self.subTest(version=version, structure=name, field=field):
                        self.assertEqual(getattr(kind, field).offset, getattr(now, field).offset)
                        self.assertEqual(shape(of), shape(dict(now._fields_)[field]))

    def test_structures_begin_with_their_size(self):
        for name, kind in structures(NOW).items():
            with self.subTest(structure=name):
                self.assertEqual(kind._fields_[0], ('size', ctypes.c_size_t))


class Runs(unittest.TestCase):
    """The library of this build, called as programs of other ages would."""

    def setUp(self):
        self.lib = ctypes.CDLL(os.environ['ACAUSAL_LIBRARY'])
        for name, (result, arguments) in NOW.functions.items():
            function = getattr(self.lib, name)
            function.restype = ctypes.c_void_p if result not in (ctypes.c_int, ctypes.c_char_p) else result
            function.argtypes = None
        self.session = ctypes.c_void_p(self.lib.acausal_session_new())

    def tearDown(self):
        self.lib.acausal_session_free(self.session)

    def check(self, room, size):
        """acausal_check with a report of `size` bytes in a guarded buffer of `room`; its bytes behind the size."""
        buffer = (ctypes.c_ubyte * room)(*[GUARD] * room)
        ctypes.c_size_t.from_buffer(buffer).value = size
        status = self.lib.acausal_check(self.session, BALL, None, ctypes.byref(buffer))
        return status, buffer

    def test_reports_are_written_as_far_as_the_program_has_room(self):
        kind = NOW.types['AcausalCheckReport']
        for field, _ in kind._fields_[2:]:
            size = getattr(kind, field).offset  # a header that ends in front of this field
            with self.subTest(without=field):
                status, buffer = self.check(256, size)
                self.assertEqual(status, DONE)
                self.assertEqual(ctypes.c_size_t.from_buffer(buffer).value, size)
                self.assertEqual(bytes(buffer[size:]), bytes([GUARD]) * (256 - size))
        status, buffer = self.check(256, 200)  # a header with fields that the library does not have
        self.assertEqual(status, DONE)
        self.assertEqual(bytes(buffer[ctypes.sizeof(kind):200]), bytes(200 - ctypes.sizeof(kind)))
        self.assertEqual(bytes(buffer[200:]), bytes([GUARD]) * 56)

    def test_no_size_is_a_wrong_call(self):
        for size in (0, 4, 1 << 40):
            self.assertEqual(self.check(256, size)[0], USAGE)

    def simulate(self, size, extra):
        options = (ctypes.c_ubyte * (size + 64))()
        self.lib.acausal_simulation_init(ctypes.byref(options), ctypes.c_size_t(size))
        options[size - 1] |= extra
        model = ctypes.c_void_p(self.lib.acausal_compile(self.session, BALL, None))
        report = (ctypes.c_ubyte * 512)()
        ctypes.c_size_t.from_buffer(report).value = 512
        status = self.lib.acausal_run(model, ctypes.byref(options), ctypes.byref(report))
        self.lib.acausal_model_free(model)
        return status

    def test_options_that_are_not_known_are_told(self):
        size = ctypes.sizeof(NOW.types['AcausalSimulation'])
        self.assertEqual(self.simulate(size, 0), DONE)
        self.assertEqual(self.simulate(size + 16, 0), DONE)
        self.assertEqual(self.simulate(size + 16, 1), USAGE)

    def test_each_age_runs_a_model(self):
        for version, old in OLD.items():
            with self.subTest(version=version):
                self.assertEqual(self.simulate(ctypes.sizeof(old.types['AcausalSimulation']), 0), DONE)


if __name__ == '__main__':
    unittest.main()
