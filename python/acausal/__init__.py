"""Acausal from Python: Modelica models, FMUs and own equations to trajectories.

    import acausal

    model = acausal.load('models/BouncingBall.mo')
    model.set('e', 0.7)
    res = model.simulate(stop=3)
    res['h'][-1]                 # NumPy arrays where NumPy is there
    res.plot('h', 'v')           # a picture in a notebook; .save('ball.svg') elsewhere

The module calls the shared library by ctypes. Names of methods follow PyFMI and FMPy where they have them.
"""
from .errors import Error, RunError
from .fmu import ModelDescription, read_model_description, simulate_fmu, validate_fmu
from .integrate import CEvents, OdeResult, OdeSolution, Problem, ProblemError, solve, solve_ivp
from .library import lib as _lib
from .model import Experiment, Model, Sensitivity, Session, StartValue, Variable, load, simulate
from .result import Comparison, Plot, Result, compare, read
from .stepper import Stepper

__version__ = _lib.acausal_version().decode()
__all__ = ['CEvents', 'Comparison', 'Error', 'Experiment', 'Model', 'ModelDescription', 'OdeResult', 'OdeSolution', 'Plot', 'Problem', 'ProblemError',
           'Result', 'RunError', 'Sensitivity', 'Session', 'StartValue', 'Stepper', 'Variable', 'compare', 'load', 'read', 'read_model_description',
           'simulate', 'simulate_fmu', 'solve', 'solve_ivp', 'validate_fmu']
