#!/usr/bin/env python3
"""Broken models, and what a person must be told of them. Usage: run.py ACAUSAL FILE.cases [-v] [NAME...]

    === NAME            begins a case: what follows is the text of its model M in M.mo
    $ COMMAND           what is done with it, instead of the command of the file (`$ ` before the first case)
    ? PATTERN           must be in what it says
    ^ PATTERN           must not be in it
    ! PATTERN           must be in the last line of stderr

Lines of the model that end in `//!` are the culprits: the first place that is named, of the first error if there is one, behind `-->` or as M.mo:LINE in the output
of a profile, has to be one of them. Beside the model there is the library of library.mo. A case without any place says so by `//-` in it.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Case:
    def __init__(self, name, command):
        self.name, self.command, self.text, self.rules = name, command, [], []


def read(path):
    command, cases = 'simulate M.mo', []
    for line in open(path):
        line = line.rstrip('\n')
        if line.startswith('=== '):
            cases.append(Case(line[4:], command))
        elif line.startswith('$ ') and not cases:
            command = line[2:]
        elif line.startswith('$ '):
            cases[-1].command = line[2:]
        elif line[:2] in ('? ', '^ ', '! '):
            cases[-1].rules.append((line[0], line[2:]))
        elif cases:
            cases[-1].text.append(line)
    return cases


def first_place(said):
    errors = re.search(r'^error\[.*', said, re.M | re.S)
    found = re.search(r'(?:-->|^\s*\S.*?[ (])\s*(\S*\.mo):(\d+)', errors.group(0) if errors else said, re.M)
    return found and (os.path.basename(found.group(1)), int(found.group(2)))


def judge(case, acausal):
    """What is not as it should be, and what was said."""
    wrong = []
    culprits = [k for k, line in enumerate(case.text, 1) if line.rstrip().endswith('//!')]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'M.mo'), 'w') as file:
            file.write('\n'.join(case.text) + '\n')
        os.mkdir(os.path.join(folder, 'libs'))
        with open(os.path.join(HERE, 'library.mo')) as library, open(os.path.join(folder, 'libs', 'Parts.mo'), 'w') as copy:
            copy.write(library.read())
        words = case.command.split()
        words[1:1] = [] if words[0] == 'explain' else ['--lib', 'libs']
        done = subprocess.run([acausal, *words], cwd=folder, capture_output=True, text=True, timeout=20)
    said = done.stderr + done.stdout
    last = (done.stderr.strip().split('\n') or [''])[-1]
    if done.returncode not in (0, 1, 3):
        wrong.append('exit code %d' % done.returncode)
    if not any(line.rstrip().endswith('//-') for line in case.text):
        place = first_place(said)
        if not culprits or place is None or place[0] != 'M.mo' or place[1] not in culprits:
            wrong.append('the first place is %s, not M.mo:%s' % (place, culprits))
    for kind, pattern in case.rules:
        where = last if kind == '!' else said
        if (re.search(pattern, where, re.M) is None) == (kind != '^'):
            wrong.append('%s %s' % (kind, pattern))
    return wrong, said


def main():
    acausal, path, rest = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    shows, names = '-v' in rest, [name for name in rest if name != '-v']
    cases = [case for case in read(path) if not names or case.name in names]
    failed = 0
    for case in cases:
        wrong, said = judge(case, acausal)
        failed += bool(wrong)
        if wrong:
            print('failed: %s\n  %s' % (case.name, '\n  '.join(wrong)))
        if wrong or shows:
            print('\n'.join('    | ' + line for line in said.strip().split('\n')[:24 if not shows else 200]))
    print('%d cases, %d failed' % (len(cases), failed))
    return 1 if failed or not cases else 0


if __name__ == '__main__':
    sys.exit(main())
