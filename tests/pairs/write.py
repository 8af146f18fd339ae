"""Writes a model of draw.py as Modelica, in one of very many ways that mean the same.

Each choice has a key of its own: where it stands, and what it is about. The first option is the plain one. A Style takes others at
random, by seed and key, so that the choices of one place stay when another place is left out; `off` holds the keys that have to be plain,
and `taken` those that were not. Text.columns says what each value of the model is called in the result.
"""
import hashlib

from draw import BOOLEAN, INTEGER, NUMBER, E

TYPES = {NUMBER: 'Real', BOOLEAN: 'Boolean', INTEGER: 'Integer'}
CALLS = {'sin': 'sin', 'cos': 'cos', 'tanh': 'tanh', 'atan': 'atan', 'root': 'sqrt', 'floor': 'floor'}
SAME_ORDER = {'<': '>', '>': '<', '<=': '>=', '>=': '<='}
OPPOSITE = {'<': '>=', '>': '<=', '<=': '>', '>=': '<'}


class Style:
    def __init__(self, seed, off=(), rate=0.3):
        self.seed, self.off, self.rate, self.taken = seed, set(off), rate, []

    def number(self, key):
        text = '%s/%s' % (self.seed, key)
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest(), 'big') / 2.0 ** 48

    def choose(self, key, *options):
        """One of the options; the first is the plain one."""
        if self.seed is None or key in self.off or self.number(key) >= self.rate or len(options) < 2:
            return options[0]
        self.taken.append(key)
        return options[1 + int(self.number(key + '/which') * (len(options) - 1))]

    def shuffle(self, key, things):
        things = list(things)
        if self.choose(key, False, True):
            things = [t for _, t in sorted((self.number('%s/%d' % (key, i)), t) for i, t in enumerate(things))]
        return things


class Place:
    """Where an expression stands: what names mean there, and whether operators that only equations may hold are allowed."""
    def __init__(self, name, index=None, arguments=None, function=False, counter=None, accumulated=None, held=False):
        self.name, self.index, self.arguments, self.function = name, index, arguments, function
        self.counter, self.accumulated, self.held = counter, accumulated, held

    def but(self, **more):
        p = Place(self.name, self.index, self.arguments, self.function, self.counter, self.accumulated, self.held)
        for k, v in more.items():
            setattr(p, k, v)
        return p


class Writer:
    def __init__(self, model, style):
        self.m, self.style = model, style
        self.outside = []      # classes of the package
        self.constants = []    # declarations of the model
        self.declared = {}     # by variable: declarations; the pieces of text that say what is where
        self.equations, self.algorithms, self.initial, self.initial_steps = [], [], [], []
        self.names = {}
        self.columns = {}
        self.functions_made = {}
        self.helpers = set()

    # ---- names -------------------------------------------------------------------------------

    def base_name(self, v):
        way = self.style.choose('name/%d' % v.id, 'plain', 'long', 'quoted', 'short')
        return {'plain': 'v%d' % v.id, 'long': 'a_variable_of_number_%d' % v.id, 'quoted': "'v %d.x'" % v.id, 'short': 'Z%d' % v.id}[way]

    def name(self, id):
        return self.names[id]

    # ---- expressions -------------------------------------------------------------------------

    def number(self, e, place):
        v = e.args[0]
        text = repr(float(v)) if v >= 0 else '(-%r)' % -float(v)
        way = self.style.choose('number/%d' % e.key, 'plain', 'parameter', 'constant', 'final', 'package', 'late', 'array', 'record')
        if place.function and way in ('parameter', 'final', 'late', 'array', 'record'):
            way = 'plain'
        if way == 'plain':
            return text
        name = 'c%d' % e.key
        if name in self.helpers:
            return self.number_used(name, way)
        self.helpers.add(name)
        if way == 'package':
            self.outside.append('  constant Real %s = %s;' % (name, text))
            return name
        if way == 'constant' and place.function:
            self.outside.append('  constant Real %s = %s;' % (name, text))
            return name
        said = {'parameter': 'parameter Real %s = %s', 'constant': 'constant Real %s = %s', 'final': 'final parameter Real %s = %s',
                'late': 'parameter Real %s(fixed = false, start = %s)', 'array': 'parameter Real %s[3] = {1, %s, 2}',
                'record': 'parameter Holder %s(low = 1, value = %s)'}[way]
        if way == 'record':
            self.help('Holder', '  record Holder\n    Real low = 2, value = 3;\n    Real high = value + 1;\n  end Holder;')
        self.constants.append(said % (name, text) + ';')
        if way == 'late':
            self.initial.append('%s = %s;' % (name, text))
        return self.number_used(name, way)

    def number_used(self, name, way):
        return {'array': '%s[2]', 'record': '%s.value'}.get(way, '%s') % name

    def help(self, name, text):
        if name not in self.helpers:
            self.helpers.add(name)
            self.outside.append(text)

    def two(self, e, place, op):
        a, b = self.ex(e.args[0], place), self.ex(e.args[1], place)
        return '(%s %s %s)' % (a, op, b)

    def ex(self, e, place):
        ex = lambda x: self.ex(x, place)
        choose = lambda *options: self.style.choose('%s/%d' % (e.op, e.key), *options)
        op, a = e.op, e.args
        if op == 'number':
            return self.number(e, place)
        if op == 'int':
            return str(a[0]) if a[0] >= 0 else '(%d)' % a[0]
        if op == 'bool':
            return 'true' if a[0] else 'false'
        if op == 'var':
            return place.name(a[0])
        if op == 'time':
            return 'time'
        if op == 'element':
            return self.element(a[0], str(a[1]), place)
        if op == 'each':
            return self.element(a[0], place.index, place)
        if op == 'at':
            return self.computed_element(e, place)
        if op == 'index':
            return place.index
        if op == 'argument':
            return place.arguments[a[0]]
        if op == 'counter':
            return place.counter
        if op == 'accumulated':
            return place.accumulated
        if op == 'pre':
            return 'pre(%s)' % place.name(a[0])
        if op == '+':
            way = choose('plain', 'swapped', 'minus', 'sum')
            x, y = ex(a[0]), ex(a[1])
            return {'plain': '(%s + %s)' % (x, y), 'swapped': '(%s + %s)' % (y, x), 'minus': '(%s - (-%s))' % (x, y), 'sum': 'sum({%s, %s})' % (x, y)}[way]
        if op == '-':
            way = choose('plain', 'plus', 'turned')
            x, y = ex(a[0]), ex(a[1])
            return {'plain': '(%s - %s)' % (x, y), 'plus': '(%s + (-%s))' % (x, y), 'turned': '(-(%s - %s))' % (y, x)}[way]
        if op == '*':
            way = choose('plain', 'swapped', 'dot', 'divided')
            x, y = ex(a[0]), ex(a[1])
            return {'plain': '(%s*%s)' % (x, y), 'swapped': '(%s*%s)' % (y, x), 'dot': '({%s}*{%s})' % (x, y), 'divided': '(%s/(1/2)*%s/2)' % (x, y)}[way]
        if op == '/':
            x, y = ex(a[0]), ex(a[1])
            return {'plain': '(%s/%s)' % (x, y), 'power': '(%s*(%s)^(-1))' % (x, y), 'elements': 'sum({%s}./{%s})' % (x, y)}[choose('plain', 'power', 'elements')]
        if op == 'neg':
            x = ex(a[0])
            return {'plain': '(-%s)' % x, 'zero': '(0 - %s)' % x, 'times': '((-1)*%s)' % x}[choose('plain', 'zero', 'times')]
        if op == 'square':
            x = ex(a[0])
            return {'plain': '(%s^2)' % x, 'times': '(%s*%s)' % (x, x), 'two': 'product(fill(%s, 2))' % x}[choose('plain', 'times', 'two')]
        if op == 'product':
            x, y, z = map(ex, a)
            return {'plain': '(%s*%s*%s)' % (x, y, z), 'product': 'product({%s, %s, %s})' % (x, z, y), 'nested': '(%s*(%s*%s))' % (x, y, z)}[choose('plain', 'product', 'nested')]
        if op == 'dot':
            return self.dot(e, place, choose)
        if op == 'fold':
            return self.fold(e, place)
        if op in CALLS:
            x = ex(a[0])
            if op == 'floor' and choose('plain', 'whole') == 'whole' and not place.function:
                return 'integer(%s)' % x
            if op in ('sin', 'tanh') and choose('plain', 'function') == 'function':
                return self.wrapped(op, x)
            return '%s(%s)' % (CALLS[op], x)
        if op in ('max', 'min', 'abs', 'mod'):
            return self.kinked(e, place, choose)
        if op == 'if' or op == 'iif':
            return self.choice(e, place, choose)
        if op == 'sum':
            return self.total(a[0], place, choose)
        if op == 'call':
            return self.called(e, place, choose)
        if op in ('and', 'or', 'not'):
            return self.logic(e, place, choose)
        if op in SAME_ORDER:
            x, y = ex(a[0]), ex(a[1])
            return {'plain': '(%s %s %s)' % (x, op, y), 'swapped': '(%s %s %s)' % (y, SAME_ORDER[op], x),
                    'not': '(not %s %s %s)' % (x, OPPOSITE[op], y), 'difference': '(%s - %s %s 0)' % (x, y, op)}[
                        choose('plain', 'swapped', 'not', 'difference') if 'time' not in (x, y) else choose('plain', 'swapped', 'not')]
        if op in ('i<', 'i>=', 'i=='):
            x, y = ex(a[0]), ex(a[1])
            way = choose('plain', 'not', 'shifted')
            plain = {'i<': '<', 'i>=': '>=', 'i==': '=='}[op]
            other = {'i<': '>=', 'i>=': '<', 'i==': '<>'}[op]
            return {'plain': '(%s %s %s)' % (x, plain, y), 'not': '(not %s %s %s)' % (x, other, y), 'shifted': '(%s + 1 %s %s + 1)' % (x, plain, y)}[way]
        if op in ('i+', 'i-'):
            return self.two(e, place, op[1])
        if op == 'imod':
            x, y = ex(a[0]), ex(a[1])
            return {'plain': 'mod(%s, %s)' % (x, y), 'rem': 'rem(rem(%s, %s) + %s, %s)' % (x, y, y, y)}[choose('plain', 'rem')]
        if op == 'idiv':
            x, y = ex(a[0]), ex(a[1])
            return {'plain': 'div(%s, %s)' % (x, y), 'rem': 'div(%s - rem(%s, %s), %s)' % (x, x, y, y)}[choose('plain', 'rem')]
        if op == 'whole':
            return 'integer(%s)' % ex(a[0])
        raise ValueError(op)

    def element(self, id, index, place):
        return '%s[%s]' % (place.name(id), index)

    def computed_element(self, e, place):
        id, v = e.args[0], self.m.vars[e.args[0]]
        index = self.ex(e.args[1], place)
        way = self.style.choose('at/%d' % e.key, 'plain', 'ifs', 'sum')
        at = lambda k: self.element(id, str(k), place)
        if way == 'plain':
            return self.element(id, index, place)
        if way == 'sum':
            return 'sum(if k == %s then %s else 0 for k in 1:%d)' % (index, self.element(id, 'k', place), v.n)
        text = at(v.n)
        for k in range(v.n - 1, 0, -1):
            text = 'if %s == %d then %s else %s' % (index, k, at(k), text)
        return '(%s)' % text

    def dot(self, e, place, choose):
        a, b, c, d = (self.ex(x, place) for x in e.args)
        return {'plain': '(%s*%s + %s*%s)' % (a, c, b, d), 'dot': '({%s, %s}*{%s, %s})' % (a, b, c, d),
                'matrix': 'scalar([%s, %s]*[%s; %s])' % (a, b, c, d), 'elements': 'sum({%s, %s}.*{%s, %s})' % (a, b, c, d),
                'transpose': 'sum(transpose([%s; %s])*{%s, %s})' % (a, b, c, d)}[choose('plain', 'dot', 'matrix', 'elements', 'transpose')]

    def wrapped(self, op, x):
        name = 'my_' + op
        self.help(name, '  function %s\n    input Real u;\n    output Real y;\n  algorithm\n    y := %s(u);\n  end %s;' % (name, op, name))
        return '%s(%s)' % (name, x)

    def kinked(self, e, place, choose):
        x = self.ex(e.args[0], place)
        y = self.ex(e.args[1], place) if len(e.args) > 1 else None
        if e.op == 'mod':
            return {'plain': 'mod(%s, %s)' % (x, y), 'floor': '(%s - floor(%s/%s)*%s)' % (x, x, y, y)}[choose('plain', 'floor')]
        if e.op == 'abs':
            return {'plain': 'abs(%s)' % x, 'if': '(if %s >= 0 then %s else -%s)' % (x, x, x), 'max': 'max(%s, -%s)' % (x, x)}[choose('plain', 'if', 'max')]
        order = '>' if e.op == 'max' else '<'
        return {'plain': '%s(%s, %s)' % (e.op, x, y), 'if': '(if %s %s %s then %s else %s)' % (x, order, y, x, y),
                'array': '%s({%s, %s})' % (e.op, x, y), 'turned': '(-%s(-%s, -%s))' % ('min' if e.op == 'max' else 'max', x, y)}[
                    choose('plain', 'if', 'array', 'turned')]

    def choice(self, e, place, choose):
        c, x, y = (self.ex(a, place) for a in e.args)
        way = choose('plain', 'not', 'elseif', 'variable', 'noevent')
        if way == 'not':
            return '(if not %s then %s else %s)' % (c, y, x)
        if way == 'elseif':
            return '(if not %s then %s elseif %s then %s else 0)' % (c, y, c, x)
        if way == 'variable' and not place.function and place.index is None and not place.held:
            name = 'b%d' % e.key
            if name not in self.helpers:
                self.helpers.add(name)
                self.constants.append('Boolean %s;' % name)
                self.equations.append(['%s = %s;' % (name, c)])
            return '(if %s then %s else %s)' % (name, x, y)
        return '(if %s then %s else %s)' % (c, x, y)

    def total(self, id, place, choose):
        n, name = self.m.vars[id].n, place.name(id)
        return {'plain': 'sum(%s)' % name, 'ones': '(%s*ones(%d))' % (name, n), 'for': 'sum(%s[k] for k in 1:%d)' % (name, n),
                'long': '(%s)' % ' + '.join('%s[%d]' % (name, k + 1) for k in range(n)),
                'slice': '(%s[1] + sum(%s[2:end]))' % (name, name), 'size': 'sum(%s[k] for k in 1:size(%s, 1))' % (name, name)}[
                    choose('plain', 'ones', 'for', 'long', 'slice', 'size')]

    def logic(self, e, place, choose):
        x = [self.ex(a, place) for a in e.args]
        if e.op == 'not':
            return {'plain': '(not %s)' % x[0], 'equal': '(%s == false)' % x[0]}[choose('plain', 'equal')]
        other = 'or' if e.op == 'and' else 'and'
        return {'plain': '(%s %s %s)' % (x[0], e.op, x[1]), 'swapped': '(%s %s %s)' % (x[1], e.op, x[0]),
                'morgan': '(not (not %s %s not %s))' % (x[0], other, x[1])}[choose('plain', 'swapped', 'morgan')]

    # ---- functions ---------------------------------------------------------------------------

    def fold(self, e, place):
        """`accumulated` over rounds, written out; functions may have a loop instead."""
        n, start, step = e.args
        value = self.ex(start, place)
        for k in range(n):
            value = self.ex(step, place.but(counter=str(k + 1), accumulated=value))
        return value

    def called(self, e, place, choose):
        f, arguments = e.args[0], [self.ex(a, place) for a in e.args[1:]]
        way = choose('call', 'body', 'named', 'outputs')
        if way == 'body':
            return self.ex(f.body, place.but(arguments=arguments, function=True))
        name = self.function(f)
        if way == 'named':
            return '%s(%s)' % (name, ', '.join('u%d = %s' % (k + 1, x) for k, x in reversed(list(enumerate(arguments)))))
        return '%s(%s)' % (name, ', '.join(arguments))

    def function(self, f):
        if f.name in self.functions_made:
            return self.functions_made[f.name]
        self.functions_made[f.name] = f.name
        choose = lambda what, *options: self.style.choose('%s/%s' % (what, f.name), *options)
        names = ['u%d' % (k + 1) for k in range(f.inputs)]
        steps, locals = [], []
        body = self.steps(f.body, Place(None, arguments=names, function=True), steps, locals, f.name)
        inputs = ''.join('    input Real %s;\n' % n for n in names)
        lines = ''.join('    %s\n' % s for s in steps)
        protected = '  protected\n' + ''.join('    Real %s;\n' % n for n in locals) if locals else ''
        note = choose('note', '', '    annotation(Inline = true);\n', '    annotation(Inline = false);\n', '    annotation(LateInline = true);\n')
        way = choose('class', 'plain', 'extends', 'replaceable', 'binding', 'early', 'array')
        if way == 'extends':
            self.outside.append('  partial function %s_face\n%s    output Real y;\n  end %s_face;' % (f.name, inputs, f.name))
            inputs, output = '    extends %s_face;\n' % f.name, ''
        else:
            output = '    output Real y;\n'
        if way == 'binding' and not steps:
            self.outside.append('  function %s\n%s    output Real y = %s;\n  algorithm\n%s  end %s;' % (f.name, inputs, body, note, f.name))
            return f.name
        if way == 'early':
            lines += '    y := 0;\n    if true then\n      y := %s;\n      return;\n    end if;\n    y := 1e3;\n' % body
        elif way == 'array':
            lines += '    parts := {%s, 0.5};\n    for k in 1:2 loop\n      if k == 1 then y := parts[k]; else y := y + 0*parts[k]; end if;\n    end for;\n' % body
            protected = (protected or '  protected\n') + '    Real parts[:];\n'
        else:
            lines += '    y := %s;\n' % body
        self.outside.append('  %sfunction %s\n%s%s%s  algorithm\n%s%s  end %s;' % (
            'replaceable ' if way == 'replaceable' else '', f.name, inputs, output, protected, lines, note, f.name))
        return f.name

    def steps(self, e, place, steps, locals, name):
        """An expression of a function: parts of it as statements before."""
        if e.op == 'fold':
            way = self.style.choose('loop/%d' % e.key, 'for', 'plain', 'while', 'down', 'break')
            if way != 'plain':
                n, start, step = e.args
                total, k = 't%d' % e.key, 'k%d' % e.key
                locals.append(total)
                first = self.steps(start, place, steps, locals, name)
                steps.append('%s := %s;' % (total, first))
                if way == 'while':
                    locals.append(k)
                    steps += ['%s := 1;' % k, 'while %s <= %d loop' % (k, n), '  %s := %s;' % (total, self.ex(step, place.but(counter=k, accumulated=total))),
                              '  %s := %s + 1;' % (k, k), 'end while;']
                elif way == 'break':
                    steps += ['for %s in 1:%d loop' % (k, n + 5), '  if %s > %d then break; end if;' % (k, n),
                              '  %s := %s;' % (total, self.ex(step, place.but(counter=k, accumulated=total))), 'end for;']
                elif way == 'down':
                    steps += ['for %s in %d:-1:1 loop' % (k, n), '  %s := %s;' % (total, self.ex(step, place.but(counter='(%d - %s)' % (n + 1, k), accumulated=total))), 'end for;']
                else:
                    steps += ['for %s in 1:%d loop' % (k, n), '  %s := %s;' % (total, self.ex(step, place.but(counter=k, accumulated=total))), 'end for;']
                return total
        if e.op in ('+', '-', 'sin', 'tanh', 'neg', 'abs', '/'):
            parts = [self.steps(a, place, steps, locals, name) for a in e.args]
            texts = {'+': '(%s + %s)', '-': '(%s - %s)', '/': '(%s/%s)', 'sin': 'sin(%s)', 'tanh': 'tanh(%s)', 'neg': '(-%s)', 'abs': 'abs(%s)'}
            text = texts[e.op] % tuple(parts)
            if self.style.choose('step/%d' % e.key, False, True):
                local = 's%d' % e.key
                locals.append(local)
                steps.append('%s := %s;' % (local, text))
                return local
            return text
        return self.ex(e, place)
