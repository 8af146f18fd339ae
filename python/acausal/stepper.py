"""Runs in parts, as masters of co-simulation and PyFMI's users take them: step, look, set, and go back."""
from __future__ import annotations

import ctypes
import os
from ctypes import byref
from typing import Any, Optional

from .errors import Error, RunError
from .library import constants, lib, structure
from .model import Model, _Run, alone
from .result import _nearest

DONE, FAILED = constants['ACAUSAL_DONE'], constants['ACAUSAL_FAILED']


class Stepper:
    """A run that goes on when it is told to.

        with model.start(set={'e': 0.7}) as run:
            while run.time < 3:
                run.set('u', control(run.get('h')))
                run.do_step(0.01)

    Another run of the model ends it; models of their own, by `acausal.load`, do not disturb each other.
    """

    def __init__(self, model: Model, options: dict[str, Any]) -> None:
        self.model = model
        self._session = model._session
        self._pointer: Any = None
        names = list(model.variables())
        self._number = {name: i for i, name in enumerate(names)}
        self._inputs = [v.name for v in model.variables().values() if v.is_input]
        self._rooms: dict[Any, tuple[Any, Any, int]] = {}
        self._options = options
        self._begin()

    @alone
    def _begin(self) -> None:
        self._run = _Run(None)
        s = structure('AcausalSimulation')
        temporary = self.model._fill(s, self._run, **self._options)
        if temporary:
            os.unlink(temporary)
        self._pointer = lib.acausal_stepper_new(self.model._pointer, byref(s))
        self._simulation = s
        if not self._pointer:
            self._session._raise('the run cannot begin')
        begin = self._options.get('start')
        self.time = float(begin if begin is not None else self.model.experiment.start or 0.0)
        self.is_over = False

    def close(self) -> None:
        if self._pointer:
            lib.acausal_stepper_free(self._pointer)
            self._pointer = None

    __del__ = close

    def __enter__(self) -> Stepper:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _check(self, status: int) -> None:
        if status == DONE:
            return
        text, findings = self._session._take_findings()
        self._run.end()
        if status == FAILED:
            raise RunError(text, findings, None, self.time)
        raise Error(text or 'this cannot be done', findings)

    @alone
    def advance(self, until: float) -> float:
        """Goes on to a time, and returns how far it came: less where the model ended the run, which `is_over` says."""
        if not self._pointer:
            raise Error('this run is closed')
        t = ctypes.c_double(self.time)
        status = lib.acausal_stepper_advance(self._pointer, until, byref(t))
        self.time = t.value
        self._check(status)
        self.is_over = self.time < until
        return self.time

    def do_step(self, step: float) -> float:
        """Goes on by a step, and returns the time."""
        return self.advance(self.time + step)

    def _room(self, names: Any) -> tuple[Any, Any, int]:
        """Numbers of variables and room for their values."""
        key = names if isinstance(names, str) else tuple(names)
        if key not in self._rooms:
            wanted = [key] if isinstance(key, str) else list(key)
            for name in wanted:
                if name not in self._number:
                    near = _nearest(name, list(self._number))
                    raise Error("there is no variable '%s'%s" % (name, "; did you mean '%s'?" % near if near else ''))
            n = len(wanted)
            self._rooms[key] = ((ctypes.c_size_t * n)(*[self._number[w] for w in wanted]), (ctypes.c_double * n)(), n)
        return self._rooms[key]

    @alone
    def get(self, names: Any) -> Any:
        """The value of a variable now; of several names, a list."""
        if not self._pointer:
            raise Error('this run is closed')
        numbers, values, n = self._room(names)
        self._check(lib.raw.acausal_stepper_get(self._pointer, numbers, n, values))
        return values[0] if isinstance(names, str) else list(values)

    @alone
    def set(self, names: Any, values: Any) -> None:
        """Inputs, and tunable parameters of FMUs, from here on."""
        if not self._pointer:
            raise Error('this run is closed')
        numbers, room, n = self._room(names)
        given = [values] if isinstance(names, str) else list(values)
        if len(given) != n:
            raise Error('%d values for %d names' % (len(given), n))
        for i, value in enumerate(given):
            room[i] = value
        self._check(lib.raw.acausal_stepper_set(self._pointer, numbers, n, room))

    @property
    def states(self) -> dict[str, float]:
        """The continuous states by name."""
        names = [v.name for v in self.model.variables().values() if v.is_state]
        return dict(zip(names, self.get(names))) if names else {}

    @alone
    def keep(self) -> None:
        """Keeps the whole state, for `back`: as FMI's get and set of FMU states."""
        self._kept_time = self.time
        self._check(lib.acausal_stepper_keep(self._pointer))

    @alone
    def back(self) -> None:
        """Goes back to what was kept."""
        self._check(lib.acausal_stepper_back(self._pointer))
        self.time, self.is_over = self._kept_time, False

    def __repr__(self) -> str:
        return '<acausal.Stepper of %s at t = %g>' % (self.model.name, self.time)
