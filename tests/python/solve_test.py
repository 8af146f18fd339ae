"""Own right-hand sides: what solve_ivp of SciPy takes and gives, own forms, C functions, and what goes wrong."""
import ctypes
import os
import subprocess
import tempfile
import threading
import unittest

try:
    import numpy as np
except ImportError:
    print('skipped: no NumPy')
    raise SystemExit(77)

import acausal
from acausal import solve, solve_ivp

SCIPY_NAMES = ('RK45', 'RK23', 'DOP853', 'Radau', 'BDF', 'LSODA')


def decay(t, y):
    return -y


def robertson(t, y):
    return [-0.04 * y[0] + 1e4 * y[1] * y[2], 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] ** 2, y[0] + y[1] + y[2] - 1]


ROBERTSON = [1.78659213e-02, 7.27475155e-08, 9.82134006e-01]  # at 1e5, of Radau at 1e-12


def fall(t, y):
    return [y[1], -9.81]


def hit(t, y):
    return y[0]


hit.terminal, hit.direction = True, -1


def apex(t, y):
    return y[1]


class LikeSciPy(unittest.TestCase):
    def test_all_methods_follow_a_solution_and_its_dense_output(self):
        times = np.linspace(0, 6, 61)
        for method in SCIPY_NAMES:
            res = solve_ivp(lambda t, y, w: [y[1], -w * w * y[0]], (0, 6), [1, 0], method=method, t_eval=times, dense_output=True, args=(2.0,),
                            rtol=1e-7, atol=1e-9)
            self.assertEqual((res.status, res.success, res.y.shape), (0, True, (2, 61)), method)
            self.assertLess(np.abs(res.y[0] - np.cos(2 * times)).max(), 2e-4, method)
            self.assertLess(np.abs(res.sol(times) - res.y).max(), 1e-10, method)
            self.assertEqual(res.sol(1.0).shape, (2,))
            self.assertGreater(res.nfev, 10)
            self.assertIsNone(res.t_events)

    def test_events(self):
        for method in SCIPY_NAMES:
            res = solve_ivp(fall, [0, 100], [0, 50], events=[hit, apex], method=method)
            self.assertEqual((res.status, len(res.t_events[0]), len(res.t_events[1])), (1, 1, 1), method)
            self.assertAlmostEqual(res.t_events[0][0], 100 / 9.81, 6)
            self.assertAlmostEqual(res.t_events[1][0], 50 / 9.81, 6)
            self.assertAlmostEqual(res.y_events[1][0, 0], 1250 / 9.81, 4)
            self.assertEqual(res.t[-1], res.t_events[0][0])

    def test_an_event_may_be_terminal_at_its_second_time(self):
        def crossing(t, y):
            return y[0]
        crossing.terminal = 2
        res = solve_ivp(lambda t, y: [y[1], -y[0]], (0, 20), [1, 0], events=crossing, rtol=1e-8, atol=1e-10)
        self.assertAlmostEqual(res.t[-1], 1.5 * np.pi, 6)
        self.assertEqual(len(res.t_events[0]), 2)

    def test_backward_complex_and_scalars(self):
        res = solve_ivp(decay, (5, 0), [1.0], t_eval=[5, 2, 0], rtol=1e-8)
        self.assertEqual(list(res.t), [5, 2, 0])
        self.assertAlmostEqual(res.y[0, 2], np.exp(5), 3)
        for method in ('RK45', 'Radau', 'BDF'):
            res = solve_ivp(lambda t, y: 1j * y, (0, 2), [1 + 0j], method=method, rtol=1e-8, atol=1e-10)
            self.assertLess(abs(res.y[0, -1] - np.exp(2j)), 1e-5, method)
        self.assertAlmostEqual(solve_ivp(lambda t, y: 2.0, (0, 1), 3).y[0, -1], 5)
        self.assertEqual(len(solve_ivp(decay, (0, 1), [1], t_eval=[]).t), 0)

    def test_jacobians_full_constant_and_sparse(self):
        n = 30
        a = (np.diag(np.full(n, -2.0)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)) * n * n
        y0 = np.sin(np.pi * np.arange(1, n + 1) / (n + 1))
        want = y0 * np.exp(-4 * n * n * np.sin(np.pi / 2 / (n + 1)) ** 2 * 0.05)
        plain = solve_ivp(lambda t, y: a @ y, (0, 0.05), y0, method='BDF', rtol=1e-7, atol=1e-9)
        for jac in ({'jac': a}, {'jac': lambda t, y: a}, {'jac_sparsity': a}, {'lband': 1, 'uband': 1}):
            res = solve_ivp(lambda t, y: a @ y, (0, 0.05), y0, method='BDF', rtol=1e-7, atol=1e-9, **jac)
            self.assertLess(np.abs(res.y[:, -1] - want).max(), 1e-5)
            self.assertLess(res.nfev, plain.nfev)

    def test_bad_calls_are_refused(self):
        for wanted, call in (
                ('not within', lambda: solve_ivp(decay, (0, 1), [1], t_eval=[0, 2])),
                ('sorted', lambda: solve_ivp(decay, (0, 1), [1], t_eval=[1, 0])),
                ('finite', lambda: solve_ivp(decay, (0, 1), [np.nan])),
                ('one row', lambda: solve_ivp(decay, (0, 1), [[1.0]])),
                ('positive', lambda: solve_ivp(decay, (0, 1), [1], max_step=-1)),
                ("no solver 'RK46'", lambda: solve_ivp(decay, (0, 1), [1], method='RK46')),
                ("did you mean 'max-step'", lambda: solve(decay, (0, 1), [1], options={'max_stp': 1})),
                (r'shape \(3,\) for 2', lambda: solve(lambda t, y: [1, 2, 3], (0, 1), [1, 2])),
                ('y0 is real', lambda: solve(lambda t, y: [1j], (0, 1), [1])),
                (r'should be \(2, 2\)', lambda: solve(decay, (0, 1), [1, 2], method='BDF', jac=lambda t, y: np.zeros((3, 3)))),
                ('outside of its pattern', lambda: solve(decay, (0, 1), [1, 2], method='BDF', jac=lambda t, y: np.ones((2, 2)), jac_sparsity=np.eye(2)))):
            with self.assertRaisesRegex(ValueError, wanted):
                call()
        with self.assertRaisesRegex(TypeError, 'args'):
            solve_ivp(decay, (0, 1), [1], args=3)

    def test_what_cannot_be_solved_says_so(self):
        res = solve_ivp(lambda t, y: [np.nan], (0, 1), [1])
        self.assertEqual((res.status, res.success), (-1, False))
        self.assertIn('evaluated', res.message)


class OwnForms(unittest.TestCase):
    def test_mass_matrices_and_residuals(self):
        def residual(t, y, yp):
            f = robertson(t, y)
            return [yp[0] - f[0], yp[1] - f[1], f[2]]
        tight = {'rtol': 1e-8, 'atol': 1e-12}
        for res in (solve(robertson, (0, 1e5), [1, 0, 0], mass=np.diag([1, 1, 0]), method='radau5', **tight),
                    solve(robertson, (0, 1e5), [1, 0, 0], mass=[1, 1, 0], **tight),
                    solve(residual, (0, 1e5), [1, 0, 0], yp0=[-0.04, 0.04, 0], method='dassl', **tight),
                    solve(residual, (0, 1e5), [1, 0, 0], implicit=True, **tight)):
            self.assertTrue(np.allclose(res.y[:, -1], ROBERTSON, rtol=1e-5), res.message)

    def test_derivatives_in_parameters(self):
        def exact(t, k, c):
            return np.exp(-k * t) * (1 - c / k) + c / k
        more = {}, {'method': 'radau5', 'jac': lambda t, y, p: [[-p[0]]], 'parameter_jac': lambda t, y, p: [[-y[0], 1]]}
        for options in more:
            res = solve(lambda t, y, p: [-p[0] * y[0] + p[1]], (0, 2), [1.0], sensitivities=[0.7, 0.3], t_eval=[1, 2], rtol=1e-9, atol=1e-12, **options)
            for i, t in enumerate(res.t):
                self.assertAlmostEqual(res.sensitivity[0, 0, i], (exact(t, 0.7 + 1e-6, 0.3) - exact(t, 0.7 - 1e-6, 0.3)) / 2e-6, 7)
                self.assertAlmostEqual(res.sensitivity[1, 0, i], (1 - np.exp(-0.7 * t)) / 0.7, 7)

    def test_a_ball_bounces_on_from_where_it_is_told(self):
        res = solve(fall, (0, 3), [1, 0], events=hit, on_event=lambda t, y, which: [0, -0.8 * y[1]], dense_output=True)
        first = np.sqrt(2 / 9.81)
        times = first * np.array([1, 2.6, 3.88, 4.904])
        self.assertTrue(np.allclose(res.t_events[0][:4], times, rtol=1e-7), res.t_events)
        self.assertAlmostEqual(float(res.sol(first / 2)[0]), 0.75, 7)
        for method in ('dopri5', 'radau5', 'bdf'):
            ball = acausal.Problem(fall, 0, [1, 0], events=hit, method=method)
            while ball.t < 2:
                if ball.run(2).status == 1:
                    ball.restart([0, -0.8 * ball.y[1]])
            self.assertAlmostEqual(ball.y[0], 0.26074, 4, method)
            self.assertEqual(ball.stats()['restarts'], 3)

    def test_steps_of_a_problem(self):
        problem = acausal.Problem(decay, 0, [1.0])
        seen = [problem.run(5, steps=1).t[-1] for _ in range(3)]
        self.assertEqual(seen, sorted(set(seen)))
        self.assertAlmostEqual(problem.interpolate(problem.t)[0], np.exp(-problem.t), 5)
        told = []
        res = solve(decay, (0, 5), [1.0], step=lambda t, y: told.append(t) or t > 1)
        self.assertEqual((res.status, list(res.t[1:])), (2, told))

    def test_arrays_that_a_function_keeps_stay_as_they_are(self):
        kept = []
        solve(lambda t, y: kept.append(y) or -y, (0, 1), [1.0, 2.0])
        self.assertEqual(len({id(y) for y in kept}), len(kept))
        self.assertGreater(len({float(y[0]) for y in kept}), len(kept) // 2)
        self.assertTrue(np.array_equal(kept[0], [1.0, 2.0]))

    def test_every_integrator_solves(self):
        lib, info = acausal.library.lib, acausal.library.structure('AcausalSolverInfo')
        for i in range(lib.acausal_solver_count()):
            lib.acausal_solver_info(i, ctypes.byref(info))
            name, properties = info.name.decode(), info.properties.decode()
            options = {} if 'error control' in properties else {'fixed-step': 1e-3}
            try:
                res = solve(decay, (0, 1), [1.0, 0.5], method=name, options=options, dense_output=True)
            except acausal.Error as error:
                self.assertIn('split', str(error), name)
                continue
            self.assertLess(abs(res.y[0, -1] - np.exp(-1)), 1e-3, name)
            self.assertLess(abs(res.sol(0.51)[1] - 0.5 * np.exp(-0.51)), 2e-3, name)


class Exceptions(unittest.TestCase):
    def test_they_come_out_as_they_went_in_with_the_rows_so_far(self):
        def raises(t, y):
            if t > 0.5:
                raise KeyError('here')
            return -y
        for more in ({}, {'jac': lambda t, y: -np.eye(1), 'method': 'radau5'}):
            with self.assertRaisesRegex(KeyError, 'here') as caught:
                solve(raises, (0, 1), [1.0], **more)
            self.assertLessEqual(caught.exception.result.t[-1], 0.5)
            self.assertGreater(len(caught.exception.result.t), 2)
        with self.assertRaises(ZeroDivisionError):
            solve(lambda t, y: 1 / 0, (0, 1), [1.0])

        def bad_event(t, y):
            raise LookupError('event')
        with self.assertRaises(LookupError):
            solve(decay, (0, 1), [1.0], events=bad_event)
        self.assertTrue(solve(decay, (0, 1), [1.0]).success)

    def test_an_interrupt_from_the_keyboard_keeps_the_rows(self):
        def interrupted(t, y):
            if t > 0.5:
                raise KeyboardInterrupt
            return -y
        with self.assertRaises(KeyboardInterrupt) as caught:
            solve(interrupted, (0, 1), [1.0])
        self.assertGreater(len(caught.exception.result.t), 2)

    def test_threads_solve_side_by_side(self):
        found = [None] * 4

        def work(k):
            found[k] = solve(lambda t, y: [-k * y[0]], (0, 1), [1.0]).y[0, -1]
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(np.allclose(found, np.exp(-np.arange(4.0)), rtol=1e-4), found)


class FunctionsInC(unittest.TestCase):
    def test_pointers_run_without_python(self):
        with tempfile.TemporaryDirectory() as directory:
            source, library = os.path.join(directory, 'f.c'), os.path.join(directory, 'f.so')
            with open(source, 'w') as file:
                file.write('int f(void *d, double t, const double *y, double *f) { const double *p = d; f[0] = -p[0] * y[0]; return 0; }\n'
                           'int g(void *d, double t, const double *y, double *g) { g[0] = y[0] - 0.5; return 0; }\n')
            subprocess.check_call(['cc', '-shared', '-fPIC', source, '-o', library])
            c, k = ctypes.CDLL(library), np.array([2.0])
            res = solve(c.f, (0, 1), [1.0], data=k, events=acausal.CEvents(c.g, 1, terminal=1))
            self.assertAlmostEqual(res.t[-1], np.log(2) / 2, 6)
            res = solve(c.f, (0, 1), [1.0], data=k, events=hit)  # an event in Python beside it
            self.assertAlmostEqual(res.y[0, -1], np.exp(-2), 5)


if __name__ == '__main__':
    unittest.main()
