"""The Python package: what it computes is what the library computes, and what is wrong comes as an exception that says why."""
import ctypes
import math
import os
import subprocess
import sys
import tempfile
import unittest

import acausal
from acausal.header import Header

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
BALL = os.path.join(TOP, 'models', 'BouncingBall.mo')
PENDULUM = os.path.join(TOP, 'models', 'Pendulum.mo')

DECAY = '''
model Decay
  input Real u(start = 1);
  parameter Real k(unit = "1/s") = 2 "Rate";
  parameter Integer n = 2;
  Real x[n](each start = 1, each fixed = true, each unit = "m");
equation
  for i in 1:n loop
    der(x[i]) = -k * x[i] + 0 * u;
  end for;
end Decay;
model Driven
  input Real u;
  Real y(start = 0, fixed = true);
equation
  der(y) = u;
end Driven;
model Stops
  Real x(start = 1, fixed = true);
equation
  der(x) = -1;
  assert(x > 0.5, "the tank is empty");
end Stops;
'''


class Files(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.directory.name, name)
        if text is not None:
            with open(path, 'w') as file:
                file.write(text)
        return path


class Layout(Files):
    def test_structures_are_as_the_compiler_lays_them_out(self):
        header = Header()
        structures = {n: t for n, t in header.types.items()
                      if isinstance(t, type) and issubclass(t, ctypes.Structure) and hasattr(t, '_fields_')}
        self.assertGreater(len(structures), 8)
        lines = ['#include <acausal.h>', '#include <stdio.h>', 'int main(void) {']
        for name, kind in structures.items():
            lines.append('printf("%s %%zu\\n", sizeof(%s));' % (name, name))
            lines += ['printf("%s.%s %%zu\\n", offsetof(%s, %s));' % (name, f[0], name, f[0]) for f in kind._fields_]
        source = self.path('layout.c', '\n'.join(lines + ['return 0; }']))
        program = self.path('layout')
        subprocess.check_call(['cc', '-I' + os.path.join(TOP, 'include'), source, '-o', program])
        for line in subprocess.check_output([program], text=True).splitlines():
            what, number = line.split()
            name, _, field = what.partition('.')
            mine = getattr(structures[name], field).offset if field else ctypes.sizeof(structures[name])
            self.assertEqual(mine, int(number), what)

    def test_all_functions_are_found(self):
        for name in Header().functions:
            self.assertTrue(hasattr(acausal.library.lib, name), name)


class Runs(Files):
    def test_a_ball_falls_as_it_should(self):
        res = acausal.load(BALL).simulate(stop=0.4, tolerance=1e-9)
        self.assertAlmostEqual(res.final('h'), 1 - 9.81 * 0.16 / 2, 7)
        self.assertEqual(len(res['h']), len(res.time))
        self.assertEqual((res.time[0], res.time[-1]), (0.0, 0.4))
        self.assertEqual(res.unit('h'), 'm')
        self.assertIn('h', res)
        self.assertGreater(res.stats['steps'], 1)

    def test_values_hold_until_reset(self):
        model = acausal.load(BALL)
        model.set('e', 0.5)
        self.assertEqual(model.get('e'), 0.5)
        self.assertEqual(model.simulate(set={'e': 0.9}).final('e'), 0.9)
        self.assertEqual(model.get(['e', 'h']), [0.5, 1.0])
        model.reset()
        self.assertEqual(model.parameters(), {'e': 0.8})

    def test_structural_parameters_and_arrays(self):
        model = acausal.load(self.path('Decay.mo', DECAY))
        model.set(['n', 'k'], [3, 1])
        res = model.simulate(stop=1, tolerance=1e-9)
        self.assertAlmostEqual(res.final('x[3]'), math.exp(-1), 7)
        model.set({'x': [1, 2, 3]})
        self.assertEqual(model.get('x[3]'), 3)

    def test_variables_say_what_they_are(self):
        variables = acausal.load(self.path('Decay.mo', DECAY)).variables()
        self.assertEqual(variables['k'].unit, '1/s')
        self.assertEqual(variables['k'].description, 'Rate')
        self.assertEqual(variables['k'].kind, 'parameter')
        self.assertTrue(variables['x[1]'].is_state and variables['u'].is_input)

    def test_inputs_from_memory(self):
        model = acausal.load(self.path('Decay.mo', DECAY), 'Driven')
        res = model.simulate(stop=2, tolerance=1e-9, inputs={'time': [0, 1, 2], 'u': [0, 1, 1]})
        self.assertAlmostEqual(res.final('y'), 1.5, 7)
        with self.assertRaisesRegex(acausal.Error, 'different lengths: time 2, u 1'):
            model.simulate(inputs={'time': [0, 1], 'u': [0]})

    def test_solvers_agree(self):
        model = acausal.load(PENDULUM)
        a = model.simulate(stop=2, solver='radau5', tolerance=1e-9)
        b = model.simulate(stop=2, solver='dopri5', tolerance=1e-9, options={'max-step': 0.05})
        compared = acausal.compare(a, b)
        self.assertTrue(compared)
        self.assertIn('x', [s.name for s in compared.signals])
        self.assertFalse(acausal.compare(a, model.simulate(stop=2, set={'L': 2})))

    def test_derivatives(self):
        model = acausal.load(self.path('Decay.mo', DECAY))
        model.set('k', 3)
        for method in ('forward', 'adjoint', 'ad'):
            s = model.sensitivity(wrt=['k', 'x[1]'], of='x[1]', method=method, stop=1, tolerance=1e-9)
            self.assertAlmostEqual(s['x[1]', 'k'], -math.exp(-3), 6, method)
            self.assertAlmostEqual(s['x[1]', 'x[1]'], math.exp(-3), 6, method)
        over_time = model.sensitivity(wrt='k', of='x[1]', stop=1).result['d(x[1])/d(k)']
        self.assertAlmostEqual(over_time[250], -0.5 * math.exp(-1.5), 4)
        energy = model.sensitivity(wrt='k', objective='integral(x[1]^2)', stop=5, tolerance=1e-9)
        self.assertAlmostEqual(list(energy.derivatives.values())[0], -1 / 18, 6)
        with self.assertRaisesRegex(acausal.Error, "no parameter or variable 'kk'"):
            model.sensitivity(wrt='kk', of='x[1]')

    def test_files(self):
        path = self.path('ball.mat')
        res = acausal.load(BALL).simulate(output=path)
        again = acausal.read(path)
        self.assertEqual(list(res['h']), list(again['h']))
        self.assertFalse(again.is_cut())
        with self.assertRaisesRegex(ValueError, 'no column is named'):
            acausal.read(self.path('bad.csv', 'x,y\n1,2\n'))

    def test_an_fmu_runs_in_both_ways(self):
        subprocess.check_call([sys.executable, os.path.join(TOP, 'tests', 'fmus', 'make.py'), self.directory.name, 'decay_2'])
        for kind in ('me', 'cs'):
            model = acausal.load(self.path('decay_2.fmu'))
            model.set('k', 3)
            res = model.simulate(stop=1, kind=kind, tolerance=1e-8, interval=0.001)
            self.assertAlmostEqual(res.final('x') / res.initial('x'), math.exp(-3), 2 if kind == 'cs' else 6)

    @unittest.skipUnless(hasattr(acausal.library.lib, 'acausal_export'), 'no export of FMUs in this library')
    def test_an_exported_model_runs_as_the_model_does(self):
        model = acausal.load(self.path('Decay.mo', DECAY))
        model.set('k', 3)
        fmu = acausal.load(model.export(self.path('Decay.fmu')))
        self.assertAlmostEqual(fmu.simulate(stop=1, tolerance=1e-8).final('x[1]'), math.exp(-3), 6)
        with self.assertRaisesRegex(acausal.Error, 'cannot be written|No such file'):
            model.export('/nowhere/Decay.fmu')

    def test_progress_and_interruption(self):
        model = acausal.load(os.path.join(TOP, 'models', 'VanDerPol.mo'))
        told = []

        def stop(share, t):
            told.append((share, t))
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            model.simulate(solver='dopri5', progress=stop, tolerance=1e-6)
        self.assertEqual(len(told), 1)
        self.assertTrue(0 <= told[0][0] <= 1)
        self.assertIn('mu', model.simulate(set={'mu': 1}, stop=1))


class Mistakes(Files):
    def test_a_model_with_mistakes(self):
        with self.assertRaisesRegex(acausal.Error, r'E0201.*\n.*Pendulum.mo:2:23') as caught:
            acausal.load(os.path.join(TOP, 'docs', 'broken', 'Pendulum.mo'))
        self.assertEqual([d['code'] for d in caught.exception.diagnostics], ['E0201', 'E0201', 'E0202'])
        with self.assertRaisesRegex(acausal.Error, 'none.mo'):
            acausal.load('none.mo')

    def test_names_that_are_not_there(self):
        model = acausal.load(BALL)
        with self.assertRaisesRegex(acausal.Error, "did you mean 'flying'"):
            model.set('flyng', 1)
        with self.assertRaisesRegex(KeyError, "no signal 'flyng'; did you mean 'flying'"):
            model.simulate()['flyng']
        with self.assertRaisesRegex(acausal.Error, "no solver 'radau4'"):
            model.simulate(solver='radau4')

    def test_a_run_that_fails_keeps_its_rows(self):
        with self.assertRaisesRegex(acausal.RunError, 'the tank is empty') as caught:
            acausal.load(self.path('Decay.mo', DECAY), 'Stops').simulate(stop=2)
        self.assertAlmostEqual(caught.exception.time, 0.5, 2)
        self.assertGreater(len(caught.exception.result), 100)

    def test_a_model_goes_on_after_a_mistake(self):
        model = acausal.load(BALL)
        for _ in range(3):
            with self.assertRaises(acausal.Error):
                model.simulate(solver='nothing')
            self.assertEqual(model.simulate(stop=0.1).diagnostics, [])


class Pictures(Files):
    def test_pictures_for_notebooks(self):
        res = acausal.load(BALL).simulate()
        picture = res.plot('h', 'v', title='A & B')
        self.assertTrue(picture._repr_svg_().startswith('<svg') and 'A &amp; B' in picture.svg)
        path = self.path('ball.svg')
        picture.save(path)
        with open(path) as file:
            self.assertEqual(file.read(), picture.svg)
        self.assertIn('<td>h</td><td>m</td>', res._repr_html_())
        self.assertIn('BouncingBall', acausal.load(BALL)._repr_html_())
        with self.assertRaisesRegex(KeyError, "no signal 'z'"):
            res.plot('z')

    def test_classes_of_a_file(self):
        classes = acausal.Session().classes(os.path.join(TOP, 'models', 'Circuit.mo'))
        self.assertIn(('Circuit.RLC', 'model', 'All of them in one loop'), classes)


class WithoutNumPy(unittest.TestCase):
    def test_arrays_are_there_with_and_without(self):
        script = ('import sys\n%s\nimport acausal\nr = acausal.load(%r).simulate(stop=0.1)\n'
                  'print(type(r["h"]).__name__, len(r["h"]), r["h"][0])')
        with_it = subprocess.check_output([sys.executable, '-c', script % ('', BALL)], text=True).split()
        without = subprocess.check_output([sys.executable, '-c', script % ('sys.modules["numpy"] = None', BALL)], text=True).split()
        self.assertEqual(without, ['array', with_it[1], '1.0'])
        try:
            import numpy  # noqa: F401
            self.assertEqual(with_it[0], 'ndarray')
        except ImportError:
            print('skipped: no NumPy')


if __name__ == '__main__':
    unittest.main()
