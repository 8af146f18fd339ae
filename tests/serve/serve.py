"""The studio's server as a client meets it, a friendly one and others: who may ask, what may be asked for, runs from start to end.

    serve.py ACAUSAL MODELS
"""
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

checks = failures = 0


def check(ok, what):
    global checks, failures
    checks += 1
    if not ok:
        failures += 1
        print('failed: ' + what)
    return ok


class Server:
    def __init__(self, acausal, *args):
        self.process = subprocess.Popen([acausal, 'serve', '--quiet', *args], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        parts = urllib.parse.urlparse(self.address)
        self.port = parts.port
        self.host = '127.0.0.1:%d' % self.port
        self.token = urllib.parse.parse_qs(parts.query)['token'][0]

    def raw(self, data, end=False, wait=10):
        """Sends bytes; gives back all that comes until the server closes."""
        s = socket.create_connection(('127.0.0.1', self.port), timeout=wait)
        try:
            s.sendall(data)
            if end:
                s.shutdown(socket.SHUT_WR)
            got = b''
            while True:
                piece = s.recv(65536)
                if not piece:
                    return got
                got += piece
        except (ConnectionError, socket.timeout):
            return got if 'got' in dir() else b''
        finally:
            s.close()

    def ask(self, method, path, values=(), headers=None, body=None):
        """Status and content of an answer."""
        query = urllib.parse.urlencode(values, doseq=True)
        head = {'Host': self.host, 'X-Acausal-Token': self.token, 'Connection': 'close'}
        head.update(headers or {})
        if method == 'POST' and body is None:
            body = query.encode()
        elif query:
            path += '?' + query
        if body is not None:
            head['Content-Length'] = str(len(body))
        lines = ['%s %s HTTP/1.1' % (method, path)] + ['%s: %s' % h for h in head.items() if h[1] is not None]
        got = self.raw(('\r\n'.join(lines) + '\r\n\r\n').encode() + (body or b''))
        front, _, content = got.partition(b'\r\n\r\n')
        return int(front.split()[1]) if front else 0, content, front.decode('latin1')

    def json(self, method, path, **values):
        status, content, _ = self.ask(method, path, values)
        return json.loads(content) if status == 200 else {'status': status, 'error': content.decode()}

    def finish(self, id_, seconds=30):
        end = time.time() + seconds
        while time.time() < end:
            info = self.json('GET', '/api/run', id=id_, names=1)
            if info.get('state') not in ('translating', 'running'):
                return info
            time.sleep(0.02)
        return info

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


def who_may_ask(s):
    other = s.host.replace('127.0.0.1', 'evil.example')
    rows = [
        ('a good request', {}, 200),
        ('no token', {'X-Acausal-Token': None}, 403),
        ('a wrong token', {'X-Acausal-Token': 'x' * 32}, 403),
        ('a part of the token', {'X-Acausal-Token': s.token[:31]}, 403),
        ('another host', {'Host': other}, 403),
        ('no host', {'Host': None}, 403),
        ('another port', {'Host': '127.0.0.1:1'}, 403),
        ('localhost', {'Host': s.host.replace('127.0.0.1', 'localhost')}, 200),
        ('its own origin', {'Origin': 'http://' + s.host}, 200),
        ('another origin', {'Origin': 'http://evil.example'}, 403),
        ('no origin', {'Origin': 'null'}, 403),
        ('a safe origin of another place', {'Origin': 'https://' + s.host}, 403),
        ('a page of another place', {'Sec-Fetch-Site': 'cross-site'}, 403),
        ('a page of another port', {'Sec-Fetch-Site': 'same-site'}, 403),
    ]
    for what, headers, want in rows:
        got = s.ask('GET', '/api/models', headers=headers)[0]
        check(got == want, '%s: %d, not %d' % (what, got, want))
    status, page, head = s.ask('GET', '/', {'token': s.token}, headers={'X-Acausal-Token': None})
    check(status == 200 and b'Acausal studio' in page, 'the page')
    check("default-src 'none'" in head and 'frame-ancestors' in head and 'no-store' in head and 'nosniff' in head, 'headers of the page')
    check(s.ask('GET', '/', {'token': 'x'}, headers={'X-Acausal-Token': None})[0] == 403, 'the page with a wrong token')
    check(s.ask('GET', '/api/models', {'token': s.token}, headers={'X-Acausal-Token': None})[0] == 403, 'a token in the address is for the page only')
    with open('/proc/net/tcp') as f:
        local = [line.split()[1] for line in f if line.split()[1].endswith(':%04X' % s.port) and line.split()[3] == '0A']
    check(local == ['0100007F:%04X' % s.port], 'it listens on 127.0.0.1 only')


def odd_requests(s):
    good = 'GET /api/models HTTP/1.1\r\nHost: %s\r\nX-Acausal-Token: %s\r\n' % (s.host, s.token)
    rows = [
        ('not HTTP', b'hello\r\n\r\n', b'400'),
        ('another version', b'GET / HTTP/3\r\n\r\n', b'505'),
        ('another method', b'DELETE / HTTP/1.1\r\n\r\n', b'405'),
        ('chunks', (good + 'Transfer-Encoding: chunked\r\n\r\n').encode(), b'501'),
        ('two hosts', (good + 'Host: x\r\nConnection: close\r\n\r\n').encode(), b'400'),
        ('a long head', (good + 'X: ' + 'x' * 20000 + '\r\n\r\n').encode(), b'431'),
        ('a head without end', b'GET / HTTP/1.1\r\nX: ' + b'x' * 40000, b'431'),
        ('a huge body', good.replace('GET', 'POST').encode() + b'Content-Length: 99999999\r\n\r\n', b'413'),
        ('a length that is none', (good + 'Content-Length: 1e3\r\n\r\n').encode(), b'400'),
        ('a negative length', (good + 'Content-Length: -1\r\n\r\n').encode(), b'400'),
        ('zero bytes', b'GET /\0 HTTP/1.1\r\n\r\n', b'400'),
        ('no path', b'GET x HTTP/1.1\r\n\r\n', b'400'),
        ('nothing there', (good.replace('/api/models', '/etc/passwd') + 'Connection: close\r\n\r\n').encode(), b'404'),
        ('the wrong way', (good.replace('/api/models', '/api/run') + 'Connection: close\r\n\r\n').encode().replace(b'/api/run', b'/api/save'), b'405'),
    ]
    for what, data, want in rows:
        got = s.raw(data)
        check(got[9:12] == want, '%s: %r' % (what, got[:60]))
    check(s.raw(b'GET / HT', end=True) == b'', 'a request that is cut short')
    both = s.raw((good + '\r\n' + good + 'Connection: close\r\n\r\n').encode())
    check(both.count(b'HTTP/1.1 200 OK') == 2, 'two requests at once')


def paths(s, directory):
    secret = tempfile.mkdtemp()
    with open(os.path.join(secret, 'Secret.mo'), 'w') as f:
        f.write('model Secret end Secret;')
    os.symlink(os.path.join(secret, 'Secret.mo'), os.path.join(directory, 'Link.mo'))
    os.symlink(secret, os.path.join(directory, 'linked'))
    for path in ['../Secret.mo', '/etc/passwd', os.path.join(secret, 'Secret.mo'), 'Link.mo', 'linked/Secret.mo', 'x/../../x.mo', '..', 'BouncingBall.mo/..',
                 '../' + os.path.basename(directory) + '2', 'x\0.mo', 'a' * 5000]:
        for method, where in [('GET', '/api/source'), ('POST', '/api/check'), ('POST', '/api/run'), ('POST', '/api/model'), ('POST', '/api/save')]:
            status = s.ask(method, where, {'source': path, 'text': 'x'})[0]
            check(status in (404, 409), '%s %s: %d' % (where, path[:40], status))
    check(s.ask('GET', '/api/source', {'source': ''})[0] == 404, 'the directory is not a source')
    beside = directory + '-beside'  # its name begins as the directory's does
    os.makedirs(os.path.join(directory, 'Lib'))
    os.makedirs(beside)
    with open(os.path.join(directory, 'Lib', 'package.mo'), 'w') as f:
        f.write('package Lib end Lib;')
    with open(os.path.join(beside, 'A.mo'), 'w') as f:
        f.write('within Lib; model A end A;')
    os.symlink(os.path.join(beside, 'A.mo'), os.path.join(directory, 'Lib', 'A.mo'))
    for name in ['Lib.A', 'Lib..A', 'Lib.', 'Lib...']:
        for method, where in [('GET', '/api/source'), ('POST', '/api/save')]:
            status, content, _ = s.ask(method, where, {'source': 'Lib', 'class': name, 'text': 'x'})
            check(status == 404 or b'Lib/package.mo' in content, '%s %s: %d' % (where, name, status))
    with open(os.path.join(beside, 'A.mo')) as f:
        check(f.read() == 'within Lib; model A end A;', 'a file beside the directory stays')
    shutil.rmtree(beside)
    shutil.rmtree(os.path.join(directory, 'Lib'))
    shutil.rmtree(secret)
    os.unlink(os.path.join(directory, 'Link.mo'))
    os.unlink(os.path.join(directory, 'linked'))


def a_run(s):
    models = s.json('GET', '/api/models')
    check('BouncingBall.mo' in models['sources'], 'sources are listed')
    classes = s.ask('POST', '/api/classes', {'source': ['BouncingBall.mo', 'Circuit.mo']})
    names = [[c['name'] for c in x['classes']] for x in json.loads(classes[1])]
    check(names[0] == ['BouncingBall'] and 'Circuit.RLC' in names[1], 'classes are listed')
    model = s.json('POST', '/api/model', source='BouncingBall.mo')
    check([p[0] for p in model['parameters']] == ['e'] and model['parameters'][0][4] == 0.8 or 'e' in [p[0] for p in model['parameters']], 'parameters have values')
    check(model['experiment'][2] == 3 and model['states'] == ['h', 'v'], 'the experiment and states')
    run = s.json('POST', '/api/run', source='BouncingBall.mo', set='e=0.5', points=100)
    info = s.finish(run['id'])
    check(info['state'] == 'done' and info['rows'] > 100 and info['set'] == ['e=0.5'], 'a run ends well')
    index = [x[0] for x in info['signals']].index('h')
    data = s.ask('GET', '/api/rows', {'id': run['id'], 'c': index})[1]
    rows = struct.unpack('<%dd' % (len(data) // 8), data)
    n = int(rows[0])
    check(len(rows) == 1 + 2 * n and n == info['rows'] and rows[1] == 0 and rows[n] == 3 and rows[1 + n] == 1, 'its rows')
    tail = s.ask('GET', '/api/rows', {'id': run['id'], 'c': index, 'from': n - 1})[1]
    check(struct.unpack('<3d', tail) == (1.0, rows[n], rows[-1]), 'rows from a place on')
    check(s.ask('GET', '/api/export', {'id': run['id'], 'format': 'csv'})[1].startswith(b'time,'), 'CSV')
    check(b'Aclass' in s.ask('GET', '/api/export', {'id': run['id'], 'format': 'mat'})[1][:40], 'MAT')
    check(s.ask('GET', '/api/export', {'id': run['id'], 'format': 'svg', 'name': 'h'})[1].startswith(b'<svg'), 'SVG')
    check(b'</html>' in s.ask('GET', '/api/export', {'id': run['id'], 'format': 'html'})[1], 'a report')
    check(s.ask('GET', '/api/export', {'id': run['id'], 'format': 'exe'})[0] == 404, 'an unknown format')
    check(s.ask('GET', '/api/run', {'id': 99999})[0] == 404, 'a run that is not there')
    check('analysis' in s.json('POST', '/api/structure', source='BouncingBall.mo'), 'structure')
    other = s.json('POST', '/api/run', source='BouncingBall.mo', points=100)['id']
    s.finish(other)
    found = s.json('GET', '/api/compare', a=run['id'], b=other)
    check(found['same'] is False and [x['verdict'] for x in found['signals'] if x['name'] == 'h'] == ['different'], 'two runs are compared')
    check(s.json('GET', '/api/compare', a=run['id'], b=77777).get('status') == 404, 'with one that is not there')
    if shutil.which(os.environ.get('CC', 'cc')):
        status, content, head = s.ask('POST', '/api/fmu', {'source': 'BouncingBall.mo', 'fmi': 3, 'set': 'e=0.5'})
        check(status == 200 and content[:2] == b'PK' and b'modelDescription.xml' in content, 'an FMU: %d %r' % (status, content[:80]))
    check(s.ask('POST', '/api/fmu', {'source': 'BouncingBall.mo', 'set': 'nothing=1'})[0] == 409, 'an FMU with a value for nothing')
    wrong = s.json('POST', '/api/run', source='BouncingBall.mo', set='nothing=1')
    info = s.finish(wrong['id'])
    check(info['state'] == 'wrong' and 'nothing' in info['diagnostics'][0]['message'], 'a value for nothing')
    check(s.json('POST', '/api/run', source='BouncingBall.mo', solver='/etc/passwd').get('status') == 400, 'a solver is not a file')


def saving(s, directory):
    path = os.path.join(directory, 'Mine.mo')
    with open(path, 'w') as f:
        f.write('model Mine\n  Real x = y;\nend Mine;\n')
    os.chmod(path, 0o640)
    found = s.json('POST', '/api/check', source='Mine.mo')['diagnostics']
    check(any(d['severity'] == 'error' and d['line'] == 2 for d in found), 'a mistake has its line')
    text = 'model Mine\n  Real x = 2 + 1 "a & b + c %41 é";\nend Mine;\n'
    check(s.json('POST', '/api/save', source='Mine.mo', text=text).get('saved') is True, 'saved')
    with open(path) as f:
        check(f.read() == text, 'every character')
    check(os.stat(path).st_mode & 0o777 == 0o640, 'its mode stays')
    check(s.json('POST', '/api/check', source='Mine.mo')['diagnostics'] == [], 'the mistake is gone')
    check(s.json('POST', '/api/save', source='None.mo', text='x').get('status') == 404, 'only what is there')
    check(not [n for n in os.listdir(directory) if 'acausal-' in n], 'nothing is left behind')
    made = s.json('POST', '/api/new', name='Fresh')
    check(made['source'] == 'Fresh.mo' and made['classes'][0]['name'] == 'Fresh', 'a new model')
    check(s.finish(s.json('POST', '/api/run', source='Fresh.mo')['id'])['state'] == 'done', 'runs at once')
    for name in ['Fresh', '', '../x', 'a b', '1x', 'x' * 200, 'x/y']:
        check(s.json('POST', '/api/new', name=name).get('status') == 409, 'no model of the name %r' % name[:10])


def an_fmu(s, directory, here):
    subprocess.check_call([sys.executable, os.path.join(here, '..', 'fmus', 'make.py'), directory, 'ball_2'])
    check('ball_2.fmu' in s.json('GET', '/api/models')['sources'], 'FMUs are listed')
    model = s.json('POST', '/api/model', source='ball_2.fmu', **{'class': 'ball_2.fmu'})
    check(model.get('translated') is True and len(model['parameters']) > 0, 'an FMU is opened')
    info = s.finish(s.json('POST', '/api/run', source='ball_2.fmu', **{'class': 'ball_2.fmu'})['id'])
    check(info['state'] == 'done' and info['rows'] > 10, 'and run: ' + str(info.get('message')))
    check(s.ask('POST', '/api/structure', {'source': 'ball_2.fmu'})[0] == 409, 'its structure is unknown')
    check(s.ask('GET', '/api/source', {'source': 'ball_2.fmu'})[0] == 404, 'and its source')


def restarts(s, directory):
    """A hundred orders as fast as they can be given, each instead of the last."""
    with open(os.path.join(directory, 'Long.mo'), 'w') as f:
        f.write('model Long parameter Real w = 1000; Real x(start=1), y(start=0); equation der(x) = w*y; der(y) = -w*x;'
                ' annotation(experiment(StopTime=1e5)); end Long;')
    before, refused, done = 0, 0, 0
    while done < 100:
        values = {'source': 'Long.mo', 'set': 'w=%d' % (1000 + done)}
        if before:
            values['instead'] = before
        answer = s.json('POST', '/api/run', **values)
        refused += 'id' not in answer
        check('id' in answer or answer['status'] == 429, 'an order is taken or put off')
        before = answer.get('id', before)
        done += 'id' in answer
        if 'id' not in answer:
            time.sleep(0.005)
    s.json('POST', '/api/cancel', id=before)
    info = s.finish(before)
    check(info['state'] == 'cancelled', 'the last one is cancelled: ' + str(info.get('state')))
    status, content, _ = s.ask('GET', '/api/runs')
    runs = json.loads(content)
    check(len(runs) <= 40 and not [r for r in runs if r['id'] > before], 'few are remembered')
    for r in runs:
        s.json('POST', '/api/forget', id=r['id'])
        check(s.json('GET', '/api/run', id=r['id']).get('state') == 'forgotten', 'a late question about a run that was forgotten')
    check(s.finish(s.json('POST', '/api/run', source='BouncingBall.mo')['id'])['state'] == 'done', 'the server is as before')


def many_clients(s):
    """More connections than it takes, some of them silent: it goes on."""
    held = [socket.create_connection(('127.0.0.1', s.port)) for _ in range(100)]
    for h in held:
        h.close()
    time.sleep(0.2)
    check(s.ask('GET', '/api/models')[0] == 200, 'it answers after a crowd')
    for _ in range(50):
        c = socket.create_connection(('127.0.0.1', s.port))
        c.sendall(('GET /api/models HTTP/1.1\r\nHost: %s\r\nX-Acausal-Token: %s\r\n\r\n' % (s.host, s.token)).encode())
        c.close()
    time.sleep(0.2)
    check(s.ask('GET', '/api/models')[0] == 200, 'it answers after clients that left')


def slow_clients(s):
    """Clients that begin and never end do not keep others out."""
    held = []
    for _ in range(80):
        c = socket.create_connection(('127.0.0.1', s.port))
        c.sendall(b'GET / HTTP/1.1\r\nX: ')
        held.append(c)
    began = time.time()
    check(s.ask('GET', '/api/models')[0] == 200, 'it answers beside 80 slow clients')
    check(time.time() - began < 8, 'and soon')
    for h in held:
        h.close()


def foreign_code(s, directory):
    """C code of a model runs when it was trusted, not because somebody opened a page."""
    mark = os.path.join(directory, 'ran')
    with open(os.path.join(directory, 'Foreign.mo'), 'w') as f:
        f.write('package Foreign function f output Real y; external "C" y = f() annotation(Include = "#include <stdio.h>\n'
                'static double f(void) { FILE *x = fopen(\\"%s\\", \\"w\\"); if (x) fclose(x); return 1; }"); end f;'
                ' model A parameter Real p = f(); Real x = p * time; end A;'
                ' model B constant Integer n = integer(f()); Real x[n] = ones(n) * time; end B; end Foreign;' % mark)
    for name in ['Foreign.A', 'Foreign.B']:
        values = {'source': 'Foreign.mo', 'class': name}
        s.json('POST', '/api/check', **values)
        s.json('POST', '/api/model', **values)
        s.ask('POST', '/api/structure', values)
        s.ask('POST', '/api/fmu', values)
        info = s.finish(s.json('POST', '/api/run', **values)['id'])
        check(info['state'] == 'wrong' and 'not trusted' in info['diagnostics'][0]['message'], name + ' is not trusted')
    check(not os.path.exists(mark), 'nothing of it ran')


def main(acausal, models):
    directory = os.path.realpath(tempfile.mkdtemp())
    for name in os.listdir(models):
        if name.endswith('.mo'):
            shutil.copy(os.path.join(models, name), directory)
    s = Server(acausal, directory)
    who_may_ask(s)
    odd_requests(s)
    paths(s, directory)
    a_run(s)
    saving(s, directory)
    if shutil.which(os.environ.get('CC', 'cc')):
        an_fmu(s, directory, os.path.dirname(os.path.abspath(__file__)))
    restarts(s, directory)
    many_clients(s)
    slow_clients(s)
    foreign_code(s, directory)
    check(s.process.poll() is None, 'it is still there')
    check(s.stop() == 0, 'it ends when it is told')
    s = Server(acausal, os.path.join(directory, 'Mine.mo'), '--read-only')
    check(s.json('POST', '/api/save', source='Mine.mo', text='x').get('status') == 403, 'read only')
    check(b'"class":"Mine"' in s.ask('GET', '/', {'token': s.token})[1], 'a source to begin with')
    check(s.stop() == 0, 'it ends again')
    broken = subprocess.run([acausal, 'serve', os.path.join(directory, 'none')], capture_output=True, text=True)
    check(broken.returncode == 1 and 'No such file' in broken.stderr, 'a directory that is not there')
    taken = socket.socket()
    taken.bind(('127.0.0.1', 0))
    taken.listen(1)
    port = str(taken.getsockname()[1])
    broken = subprocess.run([acausal, 'serve', directory, '--port', port], capture_output=True, text=True)
    check(broken.returncode == 1 and 'cannot be opened' in broken.stderr, 'a port that is taken')
    shutil.rmtree(directory)
    print('%d checks, %d failed' % (checks, failures))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
