"""Acausal from Python: Modelica models and FMUs to trajectories.

    import acausal

    model = acausal.load('models/BouncingBall.mo')
    model.set('e', 0.7)
    res = model.simulate(stop=3)
    res['h'][-1]                 # NumPy arrays where NumPy is there
    res.plot('h', 'v')           # a picture in a notebook; .save('ball.svg') elsewhere

Nothing has to be compiled: the module calls the shared library by ctypes. Names of methods follow PyFMI where it has them.
"""
from .library import lib as _lib
from .model import Error, Model, RunError, Sensitivity, Session, Variable, load, simulate
from .result import Comparison, Plot, Result, compare, read

__version__ = _lib.acausal_version().decode()
__all__ = ['Comparison', 'Error', 'Model', 'Plot', 'Result', 'RunError', 'Sensitivity', 'Session', 'Variable', 'compare', 'load', 'read', 'simulate']
