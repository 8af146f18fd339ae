"""`acausal debug --dap` as an editor meets it: a session from initialize to disconnect. Usage: dap.py ACAUSAL MODELS"""
import json
import subprocess
import sys

server = subprocess.Popen([sys.argv[1], 'debug', sys.argv[2] + '/BouncingBall.mo', '--dap'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
sequence, events = 0, []


def message():
    length = 0
    for line in iter(server.stdout.readline, b'\r\n'):
        assert line, 'the server has ended'
        if line.startswith(b'Content-Length:'):
            length = int(line[15:])
    return json.loads(server.stdout.read(length))


def ask(command, **arguments):
    global sequence
    sequence += 1
    text = json.dumps({'seq': sequence, 'type': 'request', 'command': command, 'arguments': arguments}).encode()
    server.stdin.write(b'Content-Length: %d\r\n\r\n' % len(text) + text)
    server.stdin.flush()
    while True:
        answer = message()
        if answer['type'] == 'event':
            events.append(answer)
            continue
        assert answer['request_seq'] == sequence and answer['command'] == command, answer
        return answer


def event(name):
    while True:
        found = events.pop(0) if events else message()
        if found['event'] == name:
            return found['body']


def values(scope):
    return {v['name']: float(v['value'].split()[0]) for v in ask('variables', variablesReference=scope)['body']['variables']}


assert ask('initialize', adapterID='acausal')['body']['supportsStepBack']
event('initialized')
assert ask('launch')['success']
found = ask('setBreakpoints', source={'path': 'BouncingBall.mo'}, breakpoints=[{'line': 10}, {'line': 2}])['body']['breakpoints']
assert [b['verified'] for b in found] == [True, False], found
ask('evaluate', expression='break h < 0.5')
ask('configurationDone')
assert event('stopped')['reason'] == 'breakpoint'
assert abs(values(1)['h'] - 0.5) < 1e-6
ask('continue', threadId=1)
assert 'state event' in event('stopped')['description']
frame = ask('stackTrace', threadId=1)['body']['stackFrames'][0]
assert frame['line'] == 10 and frame['source']['path'].endswith('BouncingBall.mo'), frame
assert [s['name'] for s in ask('scopes', frameId=1)['body']['scopes']] == ['States', 'Variables', 'Parameters']
assert values(3)['e'] == 0.8
high = values(1)['h']
ask('next', threadId=1)
assert event('stopped')['reason'] == 'step'
assert 'der(h) = v' in ask('evaluate', expression='why h')['body']['result']
ask('stepBack', threadId=1)
event('stopped')
assert values(1)['h'] == high
assert ask('setVariable', variablesReference=1, name='h', value='3')['success']
assert not ask('setVariable', variablesReference=2, name='der(h)', value='3')['success']
assert ask('evaluate', expression='h')['body']['result'] == '3'
assert not ask('gotoTargets')['success']
ask('continue', threadId=1)
assert event('stopped')['reason'] == 'breakpoint'
assert abs(values(1)['h'] - 0.5) < 1e-6
ask('disconnect')
server.stdin.close()
assert server.wait(20) == 0
print('a session of %d requests' % sequence)
