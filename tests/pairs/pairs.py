#!/usr/bin/env python3
"""Pairs of models that mean the same must give the same trajectories.

    pairs.py --bin ACAUSAL [--seed S] [--models N] [--ways K] [--size ITEMS] [--out DIR] [--jobs J] [--minutes M]

Draws N random models, writes each plainly and in K other ways, runs all and compares every value at every point. What differs, or ends
otherwise, is asked again with a finer tolerance, cut down (see reduce.py), and left in DIR as two models and a note. Some ways are not of
the text: the residual form, another integrator, the model's exported FMU. Ends with 1 if there was a difference.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from draw import draw          # noqa: E402
from layout import write       # noqa: E402
from reduce import reduce_pair # noqa: E402
from write import Style        # noqa: E402

POINTS = 41                    # prime: points of the result are no points of samples
AGREE = 2e-5                   # of 1 + the value's size; tolerances of runs are far below
SURE = 1e-3                    # what has to differ with the finer tolerance, too
RUNS = [[], [], [], [], ['--option', 'form=dae'], ['--solver', 'radau5'], ['--solver', 'dopri5'], ['fmu']]


class Runner:
    def __init__(self, bin, work):
        self.bin, self.work, self.runs = bin, work, 0

    def path(self, name):
        return os.path.join(self.work, name)

    def call(self, argv):
        self.runs += 1
        try:
            done = subprocess.run([self.bin] + argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors='replace', timeout=60)
            return done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            return -99, 'no end within 60 s'

    def run(self, text, columns, how=(), tol='1e-9', name='m'):
        """Exit code, message, and rows at the points by what they are of the model."""
        source, out = self.path(name + '.mo'), self.path(name + '.csv')
        with open(source, 'w') as f:
            f.write(text)
        if os.path.exists(out):
            os.remove(out)
        common = ['--start', '0', '--stop', '2', '--points', str(POINTS), '--tol', tol, '-o', out, '--quiet', '--time-limit', '20']
        argv = ['simulate', source, 'P.M'] + list(how) + common
        if how and how[0] == 'fmu':
            fmu = self.path(name + '.fmu')
            code, said = self.call(['export', source, 'P.M', '-o', fmu, '--quiet'])
            if code:
                return code, said, None
            argv = ['simulate', fmu] + common
        code, said = self.call(argv)
        if code:
            return code, said, None
        return 0, said, read(out, columns)


def read(path, columns):
    """The last row of each point of the grid."""
    with open(path, newline='') as f:
        rows = list(csv.reader(f))
    at = {name: k for k, name in enumerate(rows[0])}
    known, seen = {}, {}
    for row in rows[1:]:
        for k, cell in enumerate(row):
            if cell != '':
                known[k] = cell
        t = float(row[0])*POINTS/2
        if abs(t - round(t)) < 1e-9:
            seen[round(t)] = dict(known)
    find = lambda name: at.get(name, at.get(name.replace(' ', '')))
    places = {what: find(name) for what, name in columns.items()}
    lost = [columns[what] for what, k in places.items() if k is None]
    if lost:
        raise KeyError('%s is not in the result' % lost[0])
    word = {'true': 1.0, 'false': 0.0}
    return {t: {what: float(word.get(row[k], row[k])) if k in row else None for what, k in places.items()} for t, row in seen.items()}


def difference(a, b, limit):
    """What differs first, or None."""
    for t in sorted(a):
        if t not in b:
            return 'no row at t = %g' % (t*2/POINTS)
        for what, x in a[t].items():
            y = b[t].get(what)
            if x is not None and y is not None and not abs(x - y) <= limit*(1 + abs(x)):
                return 'variable %s is %.10g and %.10g at t = %g' % (what, x, y, t*2/POINTS)
    return None


def judge(runner, model, style_a, style_b, how, limit=AGREE, tol='1e-9'):
    """None if both agree, else what is different in a few words."""
    text_a, columns_a = write(model, style_a)
    text_b, columns_b = write(model, style_b)
    code_a, said_a, a = runner.run(text_a, columns_a, tol=tol, name='a')
    code_b, said_b, b = runner.run(text_b, columns_b, how, tol=tol, name='b')
    if code_a or code_b:
        if code_a == code_b:
            return None if code_a == 0 else 'both end with %d: %s' % (code_a, last(said_a))
        return 'ends: %d and %d: %s' % (code_a, code_b, last(said_a if code_a else said_b))
    return difference(a, b, limit)


def last(said):
    lines = said.strip().splitlines()
    return lines[-1][:300] if lines else ''


def kind_of(what):
    """Differences of one kind are reduced as one."""
    return what and what.split(':')[0].split(' ')[0]


def sure(runner, model, off, how):
    """A difference that stays when the tolerance is finer."""
    what = judge(runner, model, off[0], off[1], how, AGREE)
    if what and kind_of(what) in ('variable', 'no'):
        return judge(runner, model, off[0], off[1], how, SURE, '1e-11')
    return what


def one_model(job):
    opt, seed = job
    found, pairs = [], 0
    with tempfile.TemporaryDirectory(prefix='pairs') as work:
        runner = Runner(opt.bin, work)
        model = draw(seed, opt.size)
        plain = Style(None)
        text, columns = write(model, plain)
        code, said, rows = runner.run(text, columns)
        if code:
            found.append((None, [], 'the plain text ends with %d: %s' % (code, last(said))))
        for k in range(0 if code else opt.ways):
            style = Style(seed*1000 + k, rate=(0.15, 0.35, 0.6)[k % 3])
            how = RUNS[(seed + k) % len(RUNS)]
            if how == ['fmu'] and (seed*opt.ways + k) % 5:
                how = []
            other, other_columns = write(model, style)
            code, said, got = runner.run(other, other_columns, how, name='b')
            what = 'ends: 0 and %d: %s' % (code, last(said)) if code else difference(rows, got, AGREE)
            pairs += 1
            if what and (code or sure(runner, model, (plain, Style(style.seed, rate=style.rate)), how)):
                found.append((style, how, what))
                break
        for style, how, what in found:
            report(opt, runner, model, seed, style, how, what)
    return pairs, [(seed, what) for _, _, what in found]


def report(opt, runner, model, seed, style, how, what):
    """Cuts down what was found, and leaves it in a directory of its own."""
    place = os.path.join(opt.out, '%d' % seed)
    os.makedirs(place, exist_ok=True)
    if style is None:
        code = runner.run(*write(model, Style(None)))[0]
        model, _ = reduce_pair(model, lambda m, off: runner.run(*write(m, Style(None)))[0] == code, ())
        texts = [write(model, Style(None))[0]]
    else:
        make = lambda off: Style(style.seed, off, style.rate)
        same = lambda m, off: kind_of(sure(runner, m, (Style(None), make(off)), how)) == kind_of(what)
        model, off = reduce_pair(model, same, style.taken)
        other = make(off)
        texts = [write(model, Style(None))[0], write(model, other)[0]]
        what = '%s\nways: %s' % (sure(runner, model, (Style(None), make(off)), how) or what, ', '.join(other.taken))
    for k, text in enumerate(texts):
        with open(os.path.join(place, 'ab'[k] + '.mo'), 'w') as f:
            f.write(text)
    with open(os.path.join(place, 'what.txt'), 'w') as f:
        f.write('%s\nrun: %s\n' % (what, ' '.join(how)))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('--bin', required=True)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--models', type=int, default=100)
    ap.add_argument('--minutes', type=float, help='begin no model after so long')
    ap.add_argument('--ways', type=int, default=6)
    ap.add_argument('--size', type=int, default=9)
    ap.add_argument('--jobs', type=int, default=1)
    ap.add_argument('--out', default='pairs-found')
    opt = ap.parse_args()
    opt.bin = os.path.abspath(opt.bin)
    end = time.monotonic() + 60*opt.minutes if opt.minutes else None
    pairs = bad = 0
    jobs = ((opt, opt.seed*100000 + k) for k in range(opt.models) if not end or time.monotonic() < end)
    with ProcessPoolExecutor(opt.jobs) as pool:
        for n, found in (pool.map(one_model, jobs) if opt.jobs > 1 else map(one_model, jobs)):
            pairs += n
            for seed, what in found:
                bad += 1
                print('model %d: %s' % (seed, what), flush=True)
    print('%d pairs, %d differ' % (pairs, bad))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
