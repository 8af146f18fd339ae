"""What the studio asks of its server about classes: the tree, search, icons, diagrams, documentation, and changes in place.

    studio.py ACAUSAL MODELS
"""
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serve  # noqa: E402
from serve import Server, check  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TEXT = '''// kept
model Own   "mine"
  Parts.Inertia   load(J=2); // a comment
  Parts.Gear gear;
  annotation (experiment(StopTime=1));
end Own;
'''


def make():
    top = tempfile.mkdtemp(prefix='acausal-studio-')
    shutil.copytree(os.path.join(HERE, '..', 'browser', 'Parts'), os.path.join(top, 'lib', 'Parts'))
    os.mkdir(os.path.join(top, 'work'))
    with open(os.path.join(top, 'work', 'Own.mo'), 'w') as f:
        f.write(TEXT)
    return top


def read(top):
    with open(os.path.join(top, 'work', 'Own.mo')) as f:
        return f.read()


def looking(s, top):
    roots = {c[0]: c for c in s.json('GET', '/api/tree')}
    check('Own' in roots and 'w' in roots['Own'][3], 'the own model is in the tree, and can be written')
    check('Parts' in roots and 'c' in roots['Parts'][3] and 'w' not in roots['Parts'][3], 'a library has classes, and is read only')
    inner = {c[0]: c for c in s.json('GET', '/api/tree', **{'class': 'Parts'})}
    check(inner.get('Parts.Inertia', [0] * 3)[2] == 'A body that turns' and 'p' in inner['Parts.TwoFlanges'][3], 'what is in it')
    found = s.json('GET', '/api/search', q='gear')
    check([f[0] for f in found][:1] == ['Parts.Gear'], 'search by name: %s' % found)
    check('Parts.Inertia' in [f[0] for f in s.json('GET', '/api/search', q='body turns')], 'search by description')
    check('Own' in [f[0] for f in s.json('GET', '/api/search', q='own')], 'search in the directory')
    check(s.json('GET', '/api/search', q='') == [] and s.json('GET', '/api/search', q='no such thing') == [], 'nothing found')
    icons = s.json('POST', '/api/icons', name=['Parts.Inertia', 'Parts.Nothing', '../x'])
    check('<svg' in icons.get('Parts.Inertia', '') and '../x' not in icons, 'icons')
    d = s.json('GET', '/api/draw', source='Own.mo', **{'class': 'Own'})
    check('<svg' in d.get('svg', '') and d['diagnostics'] == [], 'a diagram')
    about = s.json('GET', '/api/describe', source='Own.mo', **{'class': 'Own'})['described']
    check([c['name'] for c in about['components']] == ['load', 'gear'], 'components')
    part = s.json('GET', '/api/describe', source='Own.mo', component='load', **{'class': 'Own'})['described']
    j = [c for c in part['components'] if c['name'] == 'J'][0]
    check(j['binding'] == '2' and 'own_binding' not in j and j['unit'] == 'kg.m2', 'the parameter of an instance')
    doc = s.json('GET', '/api/documentation', **{'class': 'Parts'})['info']
    check('data-class="Parts.Inertia"' in doc and 'data:image/png' in doc and '<script' not in doc and 'onerror' not in doc and 'onclick' not in doc, 'documentation is harmless')
    why = lambda a, b: s.json('GET', '/api/whynot', source='Own.mo', **{'class': 'Own', 'from': a, 'to': b})['why']
    check(why('load.b', 'gear.a') is None, 'what fits together')
    check(why('load.b', 'gear.ratio') is not None and why('load.b', 'load.b') is not None and why('x', 'load.b') is not None, 'what does not')
    with open(os.path.join(top, 'lib', 'Parts', 'cube.stl'), 'w') as f:
        f.write('solid\n')
    with open(os.path.join(top, 'lib', 'secret.stl'), 'w') as f:
        f.write('secret\n')
    shape = lambda uri: s.ask('GET', '/api/shape', {'uri': uri})[:2]
    check(shape('modelica://Parts/cube.stl') == (200, b'solid\n'), 'a shape of a library')
    for uri in ('modelica://Parts/../secret.stl', 'modelica://Parts/%2e%2e/secret.stl', 'modelica://Parts/package.mo', 'modelica://Nix/cube.stl', '/etc/passwd', os.path.join(top, 'lib', 'secret.stl')):
        check(shape(uri)[0] == 404, 'no other file: ' + uri)
    for path in ('draw', 'describe', 'documentation', 'tree'):
        status = s.ask('GET', '/api/' + path, {'source': '../lib/Parts', 'class': 'Parts'})[0]
        check(path == 'tree' or status == 404, 'nothing outside of the directory by its path: %s %d' % (path, status))
        status = s.ask('GET', '/api/' + path, {'class': '/etc/passwd'})[0]
        check(path == 'tree' or status == 400, 'no file in place of a class: %s %d' % (path, status))


def changing(s, top):
    ids = {'source': 'Own.mo', 'class': 'Own'}
    one = lambda **e: s.json('POST', '/api/edit', **{**ids, 'kind': '', 'name': '', 'other': '', 'text': '', 'annotation': '', **e})
    stamp = s.json('GET', '/api/source', **ids)['stamp']
    r = one(kind='add', name='motor', other='Parts.Torque', annotation='Placement(transformation(extent = {{0, 0}, {20, 20}}))', stamp=stamp)
    want = TEXT.replace('  Parts.Gear gear;\n', '  Parts.Gear gear;\n  Parts.Torque motor annotation(Placement(transformation(extent = {{0, 0}, {20, 20}})));\n')
    check(r.get('text') == want and read(top) == want, 'a component is added, and nothing else changes: %s' % r)
    check(one(kind='set', name='load.J', text='3', stamp=stamp).get('status') == 409 and read(top) == want, 'not to a file that is another than was seen')
    r = one(kind='connect', name='motor.b', other='load.a', stamp=r['stamp'])
    check('connect(motor.b, load.a);' in read(top) and read(top).startswith('// kept\nmodel Own   "mine"\n  Parts.Inertia   load(J=2); // a comment\n'), 'a connection')
    many = {**ids, 'kind': ['set', 'place'], 'name': ['load.J', 'gear'], 'other': ['', ''], 'text': ['5', 'transformation(extent = {{1, 1}, {2, 2}})'], 'annotation': ['', '']}
    r = s.json('POST', '/api/edit', **many)
    check('load(J=5)' in r.get('text', '') and 'gear annotation(Placement' in r['text'], 'two changes at once')
    before = read(top)
    check(one(kind='set', name='load.J', text='5 +').get('status') == 409 and read(top) == before, 'nonsense changes nothing')
    check(one(kind='fly', name='x').get('status') == 400, 'a change that there is not')
    check(one(kind='add', name='x', other='Parts.Gear', source='../lib/Parts/package.mo').get('status') == 404, 'no library is changed')
    time.sleep(0.01)
    with open(os.path.join(top, 'work', 'Own.mo'), 'a') as f:
        f.write('// by another\n')
    status = s.json('POST', '/api/save', text='x', stamp=r['stamp'], **ids).get('status')
    check(status == 409 and read(top).endswith('// by another\n'), 'saving asks whether the file is as it was')
    about = s.json('GET', '/api/describe', **ids)['described']
    check('motor' in [c['name'] for c in about['components']], 'what changed is seen at once')
    made = s.json('POST', '/api/new', name='Mine', base='Parts.Inertia')
    with open(os.path.join(top, 'work', 'Mine.mo')) as f:
        check(f.read() == 'model Mine\n  extends Parts.Inertia;\nend Mine;\n' and made['classes'][0]['name'] == 'Mine', 'a model that extends another')
    check(s.json('POST', '/api/new', name='Bad', base='Real x; end').get('status') == 409, 'by its name')


def main():
    acausal = sys.argv[1]
    top = make()
    try:
        s = Server(acausal, os.path.join(top, 'work'), '--lib', os.path.join(top, 'lib'))
        looking(s, top)
        changing(s, top)
        check(s.stop() == 0, 'the server ends well')
        s = Server(acausal, os.path.join(top, 'work'), '--lib', os.path.join(top, 'lib'), '--read-only')
        before = read(top)
        got = s.json('POST', '/api/edit', source='Own.mo', kind='remove', name='load', other='', text='', annotation='', **{'class': 'Own'})
        check(got.get('status') == 403 and read(top) == before, 'a studio that changes no files')
        check(s.stop() == 0, 'it ends well, too')
    finally:
        shutil.rmtree(top)
    print('%d checks, %d failed' % (serve.checks, serve.failures))
    return 1 if serve.failures else 0


if __name__ == '__main__':
    sys.exit(main())
