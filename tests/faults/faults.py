"""faults.py ACAUSAL SHIM FMU [--all] [--seed N]: every allocation of a command fails once, in turn, and every write does.

A command whose memory is out ends by itself, with an exit code other than 0 and a message; or it went on without, and then its results are
those of an undisturbed run. A command whose file cannot be written says so and names it. Without --all some of the allocations are taken: the
first ones, and others at equal distances from a place that the seed chooses.
"""
import argparse
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
MODELS = os.path.join(TOP, 'models')
FIRST, OTHERS = 20, 60  # allocations that are taken without --all
SECONDS = 60


def without_times(said):
    return re.sub(r'seconds [0-9.e-]+|[0-9.]+ m?s\b|[0-9.]+ MB', '', said)


class Faults:
    def __init__(self, opt, directory):
        self.opt, self.directory, self.failed, self.runs = opt, directory, 0, 0
        self.count = os.path.join(directory, 'count')
        self.out = os.path.join(directory, 'out.csv')

    def run(self, words, at=0, limit=None, stdout=subprocess.PIPE):
        if os.path.exists(self.out):
            os.remove(self.out)
        environment = dict(os.environ, LD_PRELOAD=self.opt.shim, ACAUSAL_FAULT_AT=str(at), XDG_CONFIG_HOME=self.directory)
        if not at and limit is None:
            environment['ACAUSAL_FAULT_COUNT'] = self.count

        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        self.runs += 1
        try:
            done = subprocess.run([self.opt.acausal] + words, env=environment, stdout=stdout, stderr=subprocess.PIPE, cwd=self.directory,
                                  stdin=subprocess.DEVNULL, timeout=SECONDS, preexec_fn=prepare, restore_signals=False)
            return done.returncode, (done.stdout or b'').decode('utf-8', 'replace') + done.stderr.decode('utf-8', 'replace')
        except subprocess.TimeoutExpired:
            return None, 'it does not end'

    def wrong(self, words, what, said):
        self.failed += 1
        if self.failed <= 400:
            print('acausal %s: %s: %s' % (' '.join(words), what, said.strip()[-200:]))

    def result(self):
        with open(self.out, 'rb') as file:
            return file.read()

    def allocations(self, words, writes):
        """Results, or what is printed but for times, are as without a fault wherever the exit code is 0."""
        code, said = self.run(words)
        plain = without_times(said)
        if code != 0:
            return self.wrong(words, 'exit code %s, undisturbed' % code, said)
        want = self.result() if writes else None
        with open(self.count) as file:
            n = int(file.read())
        if self.opt.all:
            places = range(1, n + 1)
        else:
            stride = max(1, (n - FIRST) // OTHERS)
            places = list(range(1, min(n, FIRST) + 1)) + list(range(FIRST + 1 + self.opt.seed % stride, n + 1, stride))
        for at in places:
            code, said = self.run(words, at)
            if code is None or code < 0 or code > 4 or code == 2:
                self.wrong(words, 'allocation %d of %d: exit code %s' % (at, n, code), said)
            elif code and not said.strip():
                self.wrong(words, 'allocation %d of %d: exit code %d without a word' % (at, n, code), said)
            elif not code and (self.result() != want if writes else without_times(said) != plain):
                self.wrong(words, 'allocation %d of %d: another result, and nothing is said' % (at, n), said)

    def writes(self, words):
        code, said = self.run(words)
        size = os.path.getsize(self.out)
        for limit in sorted({0, 1, 100, 4095, 4096, size // 2, size - 1}):
            if limit >= size:
                continue
            code, said = self.run(words, limit=limit)
            if code not in (1, 3, 4) or not re.search(r'out\.csv|cannot unpack', said):
                self.wrong(words, 'a file that ends at byte %d of %d: exit code %s' % (limit, size, code), said)
        code, said = self.run(words, limit=size)
        if code != 0:
            self.wrong(words, 'a file that just has room: exit code %s' % code, said)

    def full(self, words):
        with open('/dev/full', 'wb') as full:
            code, said = self.run(words, stdout=full)
        if code in (0, None) or code < 0 or code > 4:
            self.wrong(words, 'to a full device: exit code %s' % code, said)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('acausal')
    ap.add_argument('shim')
    ap.add_argument('fmu')
    ap.add_argument('--all', action='store_true')
    ap.add_argument('--seed', type=int, default=0)
    opt = ap.parse_args()
    opt.acausal, opt.shim = os.path.abspath(opt.acausal), os.path.abspath(opt.shim)
    with tempfile.TemporaryDirectory() as directory:
        fmus = os.path.join(directory, 'fmus')
        os.mkdir(fmus)
        subprocess.check_call([sys.executable, os.path.join(TOP, 'tests', 'fmus', 'make.py'), fmus, opt.fmu])
        shutil.copy(os.path.join(fmus, opt.fmu + '.fmu'), os.path.join(directory, 'M.fmu'))
        faults = Faults(opt, directory)
        ball, pendulum = os.path.join(MODELS, 'BouncingBall.mo'), os.path.join(MODELS, 'Pendulum.mo')
        faults.allocations(['parse', ball], False)
        faults.allocations(['check', pendulum], False)
        faults.allocations(['flatten', pendulum], False)
        faults.allocations(['simulate', pendulum, '-o', faults.out], True)
        faults.allocations(['simulate', ball, '-o', faults.out], True)
        faults.allocations(['fmu', 'info', 'M.fmu'], False)
        faults.allocations(['simulate', 'M.fmu', '-o', faults.out], True)
        faults.writes(['simulate', ball, '-o', faults.out])
        faults.writes(['simulate', 'M.fmu', '-o', faults.out])
        for words in (['flatten', pendulum], ['analyze', pendulum], ['check', pendulum], ['fmu', 'info', 'M.fmu'], ['solvers'], ['help', 'simulate']):
            faults.full(words)
    print('%d runs, %d wrong' % (faults.runs, faults.failed))
    return 1 if faults.failed else 0


if __name__ == '__main__':
    sys.exit(main())
