"""FMUs as FMPy has them: a description, and a run in one line."""
from __future__ import annotations

import json
import os
from types import SimpleNamespace
from typing import Any, Mapping, Optional, Sequence, Union

from .errors import Error
from .library import WRITE, constants, lib, text_of
from .model import Session, load
from .result import Result

Path = Union[str, 'os.PathLike[str]']


class ModelDescription(SimpleNamespace):
    """What an FMU says of itself; `variables` is a dict of SimpleNamespace by name: type, causality, variability, unit, start, ..."""

    variables: dict[str, Any]

    def by_causality(self, causality: str) -> list[Any]:
        return [v for v in self.variables.values() if v.causality == causality]


def read_model_description(path: Path) -> ModelDescription:
    session = Session()
    text, status = text_of(lib.acausal_fmu_info, session._pointer, str(path).encode(), constants['ACAUSAL_JSON'], WRITE, None)
    if status != constants['ACAUSAL_DONE'] or not text:
        session._raise("'%s' cannot be read" % path)
    said = json.loads(text)
    said['variables'] = {v['name']: SimpleNamespace(**v) for v in said['variables']}
    return ModelDescription(**said)


def validate_fmu(path: Path) -> list[dict[str, Any]]:
    """The rules of the standard that an FMU breaks, as diagnostics; an empty list: none."""
    session = Session()
    lib.acausal_fmu_validate(session._pointer, str(path).encode())
    return session._take_findings()[1]


def simulate_fmu(filename: Path, validate: bool = False, start_time: Optional[float] = None, stop_time: Optional[float] = None,
                 solver: Optional[str] = None, step_size: Optional[float] = None, relative_tolerance: Optional[float] = None,
                 output_interval: Optional[float] = None, fmi_type: Optional[str] = None, start_values: Optional[Mapping[str, Any]] = None,
                 input: Any = None, output: Optional[Sequence[str]] = None, timeout: Optional[float] = None, debug_logging: bool = False,
                 step_finished: Any = None) -> Any:
    """FMPy's function of this name: a structured array of NumPy with 'time' and the outputs.

    solver: any of `acausal solvers`; FMPy's 'CVode' and 'Euler' are taken, too. step_finished(time) returning False ends the run.
    """
    import numpy
    if validate:
        broken = [f for f in validate_fmu(filename) if f.get('severity') == 'error']
        if broken:
            raise Error('\n'.join(f.get('message', '') for f in broken), broken)
    model = load(filename)
    kind = {None: None, 'ModelExchange': 'me', 'CoSimulation': 'cs', 'me': 'me', 'cs': 'cs'}.get(fmi_type, fmi_type)
    options = {}
    solvers = {'CVode': 'cvode-bdf', 'Euler': 'euler'}
    if solver == 'Euler' and step_size:
        options['fixed-step'] = step_size
    elif step_size and kind != 'cs':
        options['max-step'] = step_size
    wanted = list(output) if output is not None else [v.name for v in model.variables().values() if v.is_output]

    def tell(share: float, t: float) -> None:
        if step_finished is not None and step_finished(t) is False:
            raise _Enough

    try:
        result = model.simulate(start=start_time, stop=stop_time, tolerance=relative_tolerance, interval=output_interval,
                                solver=solvers.get(solver, solver) if solver else None, set=start_values, inputs=input, kind=kind, options=options,
                                time_limit=timeout, log=debug_logging, progress=tell if step_finished is not None else None)
    except _Enough as enough:
        result = enough.result
    return _structured(numpy, result, wanted)


class _Enough(Exception):
    result: Result


def _structured(numpy: Any, result: Result, names: Sequence[str]) -> Any:
    table = numpy.empty(len(result), dtype=[('time', float)] + [(n, float) for n in names])
    for name in ['time', *names]:
        table[name] = result[name]
    return table
