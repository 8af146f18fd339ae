"""Acausal from Python: Modelica models and FMUs to trajectories.

    import acausal

    model = acausal.load('models/BouncingBall.mo')
    model.set('e', 0.7)
    res = model.simulate(stop=3)
    res['h'][-1]                 # NumPy arrays where NumPy is there
    res.plot('h', 'v')           # a picture in a notebook; .save('ball.svg') elsewhere

Nothing has to be compiled: the module calls the shared library by ctypes. Names of methods follow PyFMI where it has them.
"""
from .errors import Error, RunError
from .integrate import CEvents, OdeResult, OdeSolution, Problem, ProblemError, solve, solve_ivp
from .library import lib as _lib
from .model import Model, Sensitivity, Session, Variable, load, simulate
from .result import Comparison, Plot, Result, compare, read

__version__ = _lib.acausal_version().decode()
__all__ = ['CEvents', 'Comparison', 'Error', 'Model', 'OdeResult', 'OdeSolution', 'Plot', 'Problem', 'ProblemError', 'Result', 'RunError', 'Sensitivity',
           'Session', 'Variable', 'compare', 'load', 'read', 'simulate', 'solve', 'solve_ivp']
