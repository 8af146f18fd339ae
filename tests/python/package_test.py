"""What the package offers beyond a run: views, pickles, threads, runs in parts, linear systems, FMUs, locales, derivatives of hybrid models."""
import asyncio
import concurrent.futures
import gc
import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import acausal

try:
    import numpy as np
except ImportError:
    print('skipped: NumPy is not installed')
    sys.exit(77)
from acausal.differentiable import value_and_vjp

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
BALL = os.path.join(TOP, 'models', 'BouncingBall.mo')

MODELS = '''
model Driven
  input Real u;
  parameter Real k = 1;
  output Real y;
  Real x(start = 0, fixed = true);
equation
  der(x) = u - k*x;
  y = 2*x;
end Driven;
model Bounce "a ball on a floor that accelerates"
  input Real a;
  parameter Real e = 0.8;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81 + a;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
end Bounce;
model Stick "friction that breaks loose"
  input Real f;
  parameter Real m = 2, most = 1;
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
  Boolean slides(start = false, fixed = true);
equation
  der(x) = v;
  m*der(v) = if slides then f - most else 0;
  when f > most then
    slides = true;
  end when;
end Stick;
model Relay "a thermostat"
  input Real cold;
  parameter Real power = 3, low = 0.8, high = 1.2;
  Real T(start = 1, fixed = true);
  Boolean on(start = true, fixed = true);
equation
  der(T) = -(T - cold) + (if on then power else 0);
  on = T < low or pre(on) and T < high;
end Relay;
model Tank "which overflows"
  input Real q;
  parameter Real top = 0.5, out = 0.7;
  Real h(start = 0.2, fixed = true), spilt(start = 0, fixed = true);
equation
  der(h) = if h < top then q - out*h else 0;
  der(spilt) = if h < top then 0 else q - out*top;
end Tank;
model Clutch "two inertias that are joined at a time that depends on a parameter"
  input Real torque;
  parameter Real J = 1, K = 2, at = 0.4;
  Real w1(start = 1, fixed = true), w2(start = 0, fixed = true);
equation
  J*der(w1) = torque - (if time > at then K*(w1 - w2) else 0);
  der(w2) = if time > at then K*(w1 - w2) else 0;
end Clutch;
model Long
  Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = y;
  der(y) = -1e4*x;
end Long;
'''

# class, input, its values, parameters, variable: state events, time events, both ways of going on
HYBRID = [
    ('Bounce', 'a', [0, 2, -1, 0.5], {'e': 0.8, 'h': 1.0}, 'h'),
    ('Stick', 'f', [0.2, 1.6, 2.5, 1.8], {'m': 2.0, 'most': 1.0}, 'x'),
    ('Relay', 'cold', [0, 0.3, 0.1, -0.2], {'power': 3.0, 'low': 0.8, 'high': 1.2}, 'T'),
    ('Tank', 'q', [0.5, 1.5, 1.0, 2.0], {'top': 0.5, 'out': 0.7}, 'spilt'),
    ('Clutch', 'torque', [0, 1, 0.5, 0.2], {'J': 1.0, 'K': 2.0, 'at': 0.4}, 'w2'),
]


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.file = os.path.join(cls.directory.name, 'M.mo')
        with open(cls.file, 'w') as file:
            file.write(MODELS)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def path(self, name):
        return os.path.join(self.directory.name, name)


class Results(Case):
    def test_arrays_are_views_that_keep_the_memory(self):
        result = acausal.load(BALL).simulate(stop=1)
        h, copy = result['h'], result['h'].copy()
        self.assertFalse(h.flags.owndata)
        with self.assertRaises(ValueError):
            h[0] = 2
        del result
        gc.collect()
        self.assertTrue(np.array_equal(h, copy))

    def test_names_parameters_and_units(self):
        result = acausal.load(BALL).simulate(stop=1)
        self.assertEqual(result['h', 'v'].shape, (len(result), 2))
        self.assertEqual(result.parameters, {'e': 0.8, 'g': 9.81})
        self.assertNotIn('e', result.series)
        self.assertTrue(np.all(result['e'] == 0.8))
        self.assertEqual(result.units['h'], 'm')
        self.assertIn('<svg', result._repr_html_())

    def test_parameters_read_back_are_numbers(self):
        for name in ('p.csv', 'p.mat'):
            acausal.load(BALL).simulate(stop=1, output=self.path(name))
            self.assertTrue(np.all(acausal.read(self.path(name))['e'] == 0.8), name)

    def test_pictures_are_what_their_names_say(self):
        plot = acausal.load(BALL).simulate(stop=1).plot('h')
        for suffix, begin in (('svg', b'<svg'), ('png', b'\x89PNG'), ('pdf', b'%PDF')):
            try:
                plot.save(self.path('p.' + suffix))
            except KeyError as error:
                self.assertIn('libcairo', str(error))
                continue
            with open(self.path('p.' + suffix), 'rb') as file:
                self.assertTrue(file.read(4).startswith(begin[:4]), suffix)
        with self.assertRaisesRegex(ValueError, 'should end in'):
            plot.save(self.path('p.gif'))

    def test_tables_of_others(self):
        result = acausal.load(BALL).simulate(stop=1)
        for module, convert in (('pandas', result.to_pandas), ('xarray', result.to_xarray)):
            try:
                __import__(module)
            except ImportError:
                print('skipped: %s is not installed' % module)
                continue
            table = convert()
            self.assertEqual(float(np.asarray(table['h'])[-1]), result.final('h'))
            self.assertNotIn('e', table)

    def test_pickles(self):
        model = acausal.load(BALL)
        model.set('e', 0.6)
        self.assertEqual(pickle.loads(pickle.dumps(model)).get('e'), 0.6)
        result = model.simulate(stop=1)
        again = pickle.loads(pickle.dumps(result))
        self.assertTrue(np.array_equal(again['h'], result['h']))
        self.assertEqual((again.unit('h'), again.stats), ('m', result.stats))


class Steps(Case):
    def test_a_run_in_parts_is_the_run(self):
        with acausal.load(BALL).start(tolerance=1e-10) as run:
            for k in range(1, 21):
                run.advance(k / 20)
            h = run.get('h')
        self.assertAlmostEqual(h, acausal.load(BALL).simulate(stop=1, tolerance=1e-10).final('h'), 7)

    def test_inputs_and_going_back(self):
        with acausal.load(self.file, 'Driven').start(tolerance=1e-10) as run:
            run.set('u', 1.0)
            run.advance(1.0)
            self.assertAlmostEqual(run.get('y'), 2 * (1 - math.exp(-1)), 7)
            self.assertEqual(list(run.states), ['x'])
            run.keep()
            run.set('u', 5.0)
            away = (run.advance(2.0), run.get('x'))
            run.back()
            run.set('u', 5.0)
            self.assertEqual((run.advance(2.0), run.get('x')), away)

    def test_mistakes(self):
        model = acausal.load(self.file, 'Driven')
        run = model.start()
        for call, words in ((lambda: run.set('k', 2), 'no input'), (lambda: run.set('u', math.nan), 'no number'), (lambda: run.advance(-1), 'cannot go on'),
                            (lambda: run.get('z'), 'no variable'), (run.back, 'no state was kept')):
            with self.assertRaisesRegex(acausal.Error, words):
                call()
        model.simulate()
        with self.assertRaisesRegex(acausal.Error, 'another run'):
            run.do_step(0.1)
        run.close()
        with self.assertRaisesRegex(acausal.Error, 'closed'):
            run.get('x')

    def test_fmus(self):
        path = acausal.load(self.file, 'Driven').export(self.path('Driven.fmu'))
        description = acausal.read_model_description(path)
        self.assertEqual([v.name for v in description.by_causality('input')], ['u'])
        table = acausal.simulate_fmu(path, stop_time=1, relative_tolerance=1e-9, start_values={'k': 2}, input={'time': [0, 1], 'u': [1, 1]})
        self.assertAlmostEqual(table['y'][-1], 1 - math.exp(-2), 6)
        self.assertEqual(table.dtype.names, ('time', 'y'))
        for kind in ('me', 'cs'):
            with acausal.load(path).start(kind=kind, tolerance=1e-9) as run:
                run.set('u', 1.0)
                run.do_step(0.5)
                run.do_step(0.5)
                self.assertAlmostEqual(run.get('y'), 2 * (1 - math.exp(-1)), 5)


class Studies(Case):
    def test_linear_systems(self):
        model = acausal.load(self.file, 'Driven')
        linear = model.linearize(steady=True, set={'u': 3})
        self.assertEqual((linear.A[0, 0], linear.B[0, 0], linear.C[0, 0], linear.D[0, 0]), (-1, 1, 2, 0))
        self.assertAlmostEqual(linear.x[0], 3)
        self.assertEqual(list(linear.poles), [-1])
        with self.assertRaisesRegex(acausal.Error, 'no input'):
            model.linearize(inputs=['x'])

    def test_sweeps_fits_verification(self):
        model = acausal.load(BALL)
        runs = model.sweep({'e': [0.5, 0.7]}, ['h'], stop=1)
        self.assertEqual([r.parameters['e'] for r in runs], [0.5, 0.7])
        self.assertAlmostEqual(runs[1].last['h'], model.simulate(set={'e': 0.7}, stop=1).final('h'), 4)
        data = model.simulate(stop=0.4, set={'h': 1.2}, points=20)
        self.assertAlmostEqual(model.fit({'time': data.time, 'h': data['h']}, {'h': (0.5, 2)}).values['h'], 1.2, 6)
        self.assertTrue(model.verify(stop=1))
        self.assertIn('steps', model.profile(stop=1))
        self.assertIn('analysis', model.analyze())

    def test_interval_maps(self):
        phi = acausal.load(self.file, 'Driven').interval_map(steps=4, inputs=['u'], parameters=['k'])
        x, d = phi(0, 0.5, [1.0], [2.0])
        decay = math.exp(-0.5)
        self.assertAlmostEqual(x[0], decay + 2 * (1 - decay), 5)
        self.assertAlmostEqual(d['x'][0, 0], decay, 5)
        self.assertAlmostEqual(phi.back([3.0])['x'][0], 3 * d['x'][0, 0], 12)


class Gradients(Case):
    def test_products_are_those_of_forward_sensitivities(self):
        """Parameters, start values and inputs of five hybrid models: back in time and forward to 1e-8, and against differences."""
        for name, drive, values, parameters, of in HYBRID:
            model = acausal.load(self.file, name)
            inputs = {'time': [0.0, 0.3, 0.6, 1.0], drive: values}
            found = {}
            for method in ('forward', 'adjoint', 'ad-adjoint'):
                value, vjp = value_and_vjp(model, parameters, [of], inputs=inputs, method=method, stop=1.0, tolerance=1e-11)
                found[method] = np.concatenate([np.ravel(vjp([1.0])[n]) for n in [*parameters, drive]])
            size = np.abs(found['forward']).max()
            self.assertGreater(size, 1e-3, name)
            for method in ('adjoint', 'ad-adjoint'):
                self.assertLess(np.abs(found[method] - found['forward']).max(), 1e-8 * size, (name, method))
            differences = []
            for n in parameters:
                ends = [model.simulate(set=dict(parameters, **{n: parameters[n] + d}), inputs=inputs, stop=1.0, tolerance=1e-12).final(of) for d in (1e-5, -1e-5)]
                differences.append((ends[0] - ends[1]) / 2e-5)
            self.assertLess(np.abs(differences - found['forward'][:len(parameters)]).max(), 1e-5 * size, name)

    def test_values_over_time(self):
        model = acausal.load(self.file, 'Driven')
        value, vjp = value_and_vjp(model, {'k': 1.0}, ['x'], inputs={'time': [0.0, 2.0], 'u': [1.0, 1.0]}, times=4, stop=2.0, tolerance=1e-10)
        t = np.linspace(0, 2, 5)
        self.assertLess(np.abs(value[:, 0] - (1 - np.exp(-t))).max(), 1e-8)
        self.assertLess(np.abs(vjp.jacobian['k'][:, 0] - (t * np.exp(-t) - (1 - np.exp(-t)))).max(), 1e-7)
        self.assertLess(np.abs(vjp.jacobian['u'].sum(axis=2)[:, 0] - (1 - np.exp(-t))).max(), 1e-7)
        with self.assertRaisesRegex(acausal.Error, 'shape'):
            vjp([1.0])

    def test_torch(self):
        try:
            import torch
        except ImportError:
            print('skipped: PyTorch is not installed (scripts/setup-python)')
            return
        from acausal.torch import simulate
        model = acausal.load(self.file, 'Bounce')
        e, a = torch.tensor(0.8, dtype=torch.float64, requires_grad=True), torch.tensor([0, 1.0, 0.5], dtype=torch.float64, requires_grad=True)

        def run(e, a):
            return simulate(model, {'e': e}, ['h', 'v'], inputs={'time': [0, 0.5, 1.0], 'a': a}, times=3, stop=1.0, tolerance=1e-11)

        self.assertTrue(torch.autograd.gradcheck(run, (e, a), eps=1e-6, atol=1e-5))
        (2 * run(e, a)[-1, 0]).backward()
        value, vjp = value_and_vjp(model, {'e': 0.8}, ['h'], inputs={'time': [0, 0.5, 1.0], 'a': [0, 1.0, 0.5]}, stop=1.0, tolerance=1e-11)
        self.assertAlmostEqual(float(e.grad), 2 * float(vjp([1.0])['e']), 6)


class Threads(Case):
    def test_pools_and_shared_models(self):
        model = acausal.load(BALL)
        one = model.simulate(set={'e': 0.5}, stop=1).final('h')
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            shared = list(pool.map(lambda _: model.simulate(set={'e': 0.5}, stop=1).final('h'), range(8)))
            own = list(pool.map(lambda _: acausal.load(BALL).simulate(set={'e': 0.5}, stop=1).final('h'), range(4)))
        self.assertEqual(set(shared + own), {one})

    def test_the_interpreter_goes_on_in_a_run(self):
        model, done, seen = acausal.load(self.file, 'Long'), threading.Event(), []

        def work():
            try:
                model.simulate(stop=1e9, points=1, progress=lambda share, t: seen.append(t) or len(seen) > 2 and done.set(), time_limit=60)
            except BaseException:
                pass

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        self.assertTrue(done.wait(50))  # this thread ran while the other one was in the library
        run = threading.Event()
        run.set()
        model_callback = []

        def stop(share, t):
            model_callback.append(t)
            raise RuntimeError('enough')

        with self.assertRaisesRegex(RuntimeError, 'enough') as caught:
            acausal.load(self.file, 'Long').simulate(stop=1e9, points=1000, progress=stop)
        self.assertGreater(len(caught.exception.result), 0)

    def test_callbacks_cannot_use_the_model(self):
        model = acausal.load(self.file, 'Long')
        with self.assertRaisesRegex(acausal.Error, 'in the middle of a run'):
            model.simulate(stop=1e9, points=1, progress=lambda share, t: model.simulate(stop=1))

    def test_interrupts_keep_the_rows(self):
        model = acausal.load(self.file, 'Long')
        with self.assertRaises(KeyboardInterrupt) as caught:
            model.simulate(stop=1e9, points=1000000, variables='x', progress=lambda share, t: signal.raise_signal(signal.SIGINT))
        self.assertGreater(len(caught.exception.result), 0)

    def test_asyncio(self):
        model, seen = acausal.load(self.file, 'Long'), []

        async def main():
            result = await acausal.load(BALL).simulate_async(stop=1)
            task = asyncio.ensure_future(model.simulate_async(progress=lambda share, t: seen.append(t), stop=1e9, points=1))
            while not seen:
                await asyncio.sleep(0.01)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                return len(result)

        self.assertGreater(asyncio.run(main()), 400)
        self.assertEqual(model.simulate(stop=0).final('x'), 1)


class Locales(Case):
    def test_a_decimal_comma_changes_nothing(self):
        """Needs a locale with a comma, which is made where Debian's localedef can."""
        made = subprocess.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8', self.path('de_DE.UTF-8')], capture_output=True)
        if made.returncode != 0 and not os.path.exists(self.path('de_DE.UTF-8')):
            print('skipped: there is no locale with a comma, and none can be made (Debian: locales)')
            return
        script = '''
import locale, sys, acausal
locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')
assert locale.localeconv()['decimal_point'] == ','
model = acausal.load(sys.argv[1])
result = model.simulate(stop=0.4, set={'e': 0.75}, options={'max-step': 0.05}, tolerance=1e-9, output=sys.argv[2])
assert abs(result.final('h') - (1 - 9.81 * 0.08)) < 1e-7
assert abs(acausal.read(sys.argv[2]).final('h') - result.final('h')) < 1e-9
print(repr(result.parameters['e']))
'''
        said = subprocess.check_output([sys.executable, '-c', script, BALL, self.path('l.csv')], text=True, env=dict(os.environ, LOCPATH=self.directory.name))
        self.assertEqual(said.strip(), '0.75')


if __name__ == '__main__':
    unittest.main()
