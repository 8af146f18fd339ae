"""guide.py ACAUSAL PAGE...: does what a reader of the pages does: writes the files they show, runs the commands, in order.

A block of ```sh holds commands, one a line; `# exit code N` after one says how it ends, 0 if nothing is said. A block of ```modelica, ```c or
```python below a line with a file's name in backquotes and a colon is that file; other ```python blocks are run. A comment <!-- ... --> right
above a block says why it is not run; <!-- needs MSL --> is run where ACAUSAL_MSL is set. The directory has models/, docs/broken/ and M.fmu.
`acausal serve` is run until its page has come, and then interrupted; a browser is only asked for.
After the pages come the examples of the help pages.
"""
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, '..', '..')
SECONDS, ENOUGH = 60, 120  # for a command; after so many in all, examples of help pages are left out


def blocks(path):
    """(line number, language, file named above or None, comment above or None, lines)"""
    with open(path, encoding='utf-8') as file:
        lines = file.read().splitlines()
    i = 0
    while i < len(lines):
        opened = re.match(r'```(\w*)', lines[i])
        if not opened:
            i += 1
            continue
        start = i
        while not lines[i + 1].startswith('```'):
            i += 1
        above = [line for line in lines[max(0, start - 2):start] if line]
        name = re.match(r'`([\w./]+)`:$', above[-1]) if above else None
        comment = re.match(r'<!-- (.*) -->$', above[-1]) if above else None
        yield start + 1, opened.group(1), name and name.group(1), comment and comment.group(1), lines[start + 1:i + 1]
        i += 2


class Reader:
    def __init__(self, acausal, directory):
        self.directory, self.failed, self.ran = directory, 0, 0
        build = os.path.dirname(acausal)
        cache = os.path.join(build, 'CMakeCache.txt')
        self.sanitized = os.path.exists(cache) and 'ACAUSAL_SANITIZE:BOOL=ON' in open(cache).read()
        self.environment = dict(os.environ, PATH=build + ':' + os.environ['PATH'], PYTHONDONTWRITEBYTECODE='1',
                                XDG_CONFIG_HOME=os.path.join(directory, 'config'))
        if os.path.exists(cache):  # a program that was installed finds the rest by itself
            self.environment.update(PYTHONPATH=os.path.join(TOP, 'python'), ACAUSAL_LIBRARY=os.path.join(build, 'libacausal.so'))

    def run(self, place, command, want=0):
        missing = missing_file(self.directory, command[-1]) if command[0] == 'bash' and not want else None
        if missing:
            print('skipped: %s: there is no %s: %s' % (place, missing, command[-1]))
            return
        try:
            done = subprocess.run(command, cwd=self.directory, env=self.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=SECONDS)
            code, said = done.returncode, done.stdout.decode('utf-8', 'replace')
        except subprocess.TimeoutExpired:  # speed is no rule of this test, and machines are busy
            print('skipped: %s: not done after %d s: %s' % (place, SECONDS, command[-1]))
            return
        self.ran += 1
        if code != want:
            self.failed += 1
            print('%s: exit code %s instead of %d: %s\n%s' % (place, code, want, command[-1], said[-600:]))

    def serve(self, place, command):
        """A server gives its page at the address it prints, asks for a browser if told so, and ends at Ctrl-C with exit code 0."""
        asked = os.path.join(self.directory, 'asked')
        with open(os.path.join(self.directory, 'xdg-open'), 'w') as browser:
            browser.write('#!/bin/sh\necho "$1" >"%s"\n' % asked)
        os.chmod(browser.name, 0o755)
        environment = dict(self.environment, PATH=self.directory + ':' + self.environment['PATH'])
        server = subprocess.Popen(shlex.split(command, comments=True), cwd=self.directory, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        try:
            address = server.stdout.readline().decode().strip()
            page = urllib.request.urlopen(address, timeout=SECONDS).read()
            until = time.monotonic() + SECONDS
            while '--open' in command and not os.path.exists(asked) and time.monotonic() < until:
                time.sleep(0.05)
            good = b'<html' in page and ('--open' not in command or os.path.exists(asked))
        except (OSError, ValueError) as error:
            good, page = False, str(error).encode()
        server.send_signal(signal.SIGINT)
        code = server.wait(SECONDS)
        self.ran += 1
        if not good or code != 0:
            self.failed += 1
            print('%s: exit code %s: %s\n%s' % (place, code, command, page[:300].decode('utf-8', 'replace')))

    def page(self, path):
        for line, language, name, comment, lines in blocks(path):
            place = '%s:%d' % (os.path.basename(path), line)
            if name and language:
                with open(os.path.join(self.directory, name), 'w') as file:
                    file.write('\n'.join(lines) + '\n')
            elif language == 'sh' and self.allows(comment, place):
                for command in lines:
                    if not command.strip() or command.lstrip().startswith('#'):
                        continue
                    if command.startswith('acausal serve '):
                        self.serve(place, command)
                        continue
                    code = re.search(r'# exit code (\d)', command)
                    self.run(place, ['bash', '-c', command], int(code.group(1)) if code else 0)
            elif language == 'python' and not self.sanitized and self.allows(comment, place):
                self.run(place, ['/usr/bin/python3', '-c', '\n'.join(lines)])

    def allows(self, comment, place):
        if comment is None:
            return True
        if comment != 'needs MSL':
            return False
        if not os.environ.get('ACAUSAL_MSL'):
            print('skipped: %s needs the Modelica Standard Library' % place)
            return False
        if not os.path.exists(os.path.join(self.directory, 'MSL')):
            os.symlink(os.environ['ACAUSAL_MSL'], os.path.join(self.directory, 'MSL'))
        return True


def help_examples(acausal):
    """(command, example) for all examples of the help pages but those of benchmarks, which take long."""
    def say(*words):
        return subprocess.run([acausal, 'help', *words], stdout=subprocess.PIPE, check=True).stdout.decode()
    for command in re.findall(r'^  ([a-z]+) ', say().partition('Commands:')[2].partition('\n\n')[0], re.M):
        for example in re.findall(r'^  (acausal .*)$', say(command), re.M):
            if command not in ('bench', 'serve', 'realtime'):
                yield command, example


def missing_file(directory, command):
    """A file or library that a command reads and that is not there: words with a suffix that do not stand after an option that writes."""
    words = shlex.split(command, comments=True)
    for before, word in zip([''] + words, words):
        file = re.match(r'([^:=]+\.(?:mo|fmu|ssd|ssp|system|csv|mat))(?:$|:)', word)
        reads = file and before not in ('-o', '--plot', '--csv', '--log', '--fmu')
        if (reads and not os.path.exists(os.path.join(directory, file.group(1)))) or word == 'ModelicaStandardLibrary':
            return word
    return None


def main(acausal, *pages):
    with tempfile.TemporaryDirectory() as directory:
        shutil.copytree(os.path.join(TOP, 'models'), os.path.join(directory, 'models'))
        shutil.copytree(os.path.join(TOP, 'docs', 'broken'), os.path.join(directory, 'docs', 'broken'))
        fmus = os.path.join(directory, 'fmus')
        os.mkdir(fmus)
        subprocess.check_call([sys.executable, os.path.join(TOP, 'tests', 'fmus', 'make.py'), fmus, 'ball_2'])
        shutil.copy(os.path.join(fmus, 'ball_2.fmu'), os.path.join(directory, 'M.fmu'))
        started = time.monotonic()
        reader = Reader(os.path.abspath(acausal), directory)
        for page in pages:
            reader.page(page)
        for command, example in help_examples(os.path.abspath(acausal)):
            if not missing_file(directory, example) and time.monotonic() - started < ENOUGH:
                reader.run('help ' + command, ['bash', '-c', example])
    print('%d commands, %d failed' % (reader.ran, reader.failed))
    return 1 if reader.failed or not reader.ran else 0


sys.exit(main(*sys.argv[1:]))
