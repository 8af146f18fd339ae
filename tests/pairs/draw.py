"""Draws random models: items in the order of what they need, of typed expressions.

A model is data, not text: write.py writes one model in many ways that mean the same. What is drawn is tame, so that two texts of one
model must agree: states contract, values stay of size 1, and no relation feeds back to what it is about, but for hysteresis and reinit
with room between their switching points.
"""
import random

NUMBER, BOOLEAN, INTEGER = 'R', 'B', 'I'


class E:
    """An expression: an operator, its arguments, and a number of its own that choices about it are keyed by."""
    __slots__ = ('op', 'args', 'key')
    count = 0

    def __init__(self, op, *args):
        E.count += 1
        self.op, self.args, self.key = op, args, E.count

    def with_args(self, args):
        e = E.__new__(E)
        e.op, e.args, e.key = self.op, tuple(args), self.key
        return e


class Item:
    """Something that gives variables their values. `kind` says how; `vars` are their ids; `parts` its expressions; `more` plain data."""
    def __init__(self, kind, vars, parts, **more):
        self.kind, self.vars, self.parts, self.more = kind, list(vars), list(parts), more

    def copy(self, parts=None):
        return Item(self.kind, self.vars, self.parts if parts is None else parts, **self.more)


class Var:
    def __init__(self, id, type, n=0, held=False):
        self.id, self.type, self.n, self.held = id, type, n, held    # n: of an array; held: between events


class Function:
    def __init__(self, name, inputs, body):
        self.name, self.inputs, self.body = name, inputs, body


class Model:
    def __init__(self):
        self.vars, self.items, self.functions, self.stop = {}, [], [], 2.0


class Draw:
    def __init__(self, seed, size):
        self.r = random.Random(seed)
        self.m = Model()
        self.size = size
        self.known = []        # ids that expressions may use now
        self.parameters = []

    # ---- expressions -------------------------------------------------------------------------

    def value(self, low=-2.0, high=2.0):
        v = round(self.r.uniform(low, high), 3)
        return v if abs(v) > 0.01 else 0.37

    def pick(self, type, held=None):
        ids = [i for i in self.known if self.m.vars[i].type == type and (held is None or self.m.vars[i].held >= held)]
        return self.r.choice(ids) if ids else None

    def leaf(self, held=False):
        r = self.r.random()
        id = self.pick(NUMBER, held or None)
        if r < 0.6 and id is not None:
            v = self.m.vars[id]
            return E('element', id, self.r.randrange(v.n) + 1) if v.n else E('var', id)
        if r < 0.75 and not held:
            return E('sin', E('*', E('number', self.value(0.5, 3)), E('time')))
        whole = self.pick(INTEGER)
        if r < 0.85 and whole is not None:
            return E('*', E('number', 0.1), E('var', whole))
        return E('number', self.value())

    def real(self, depth=3, held=False):
        """A Real of moderate size; `held`: made of what is constant between events."""
        r = self.r
        if depth <= 0 or r.random() < 0.12:
            return self.leaf(held)
        sub = lambda: self.real(depth - 1, held)
        op = r.choice(['+', '-', '+', '-', '*', '/', 'neg', 'sin', 'cos', 'tanh', 'atan', 'root', 'square', 'if', 'max', 'min', 'abs', 'call', 'sum',
                       'floor', 'mod', 'fold', 'product', 'array', 'select'])
        if op in '+-':
            return E(op, sub(), sub())
        if op == '*':
            return E('*', E(r.choice(['sin', 'tanh']), sub()), sub())
        if op == '/':
            return E('/', sub(), E('+', E('number', 1.5), E('square', E('tanh', sub()))))
        if op == 'square':
            return E('square', E('tanh', sub()))
        if op == 'root':
            return E('root', E('+', E('number', 1.0), E('square', sub())))
        if op == 'if':
            return E('if', self.condition(depth - 1, held), sub(), sub())
        if op in ('max', 'min', 'product'):
            return E(op, sub(), sub()) if op != 'product' else E('product', E('tanh', sub()), E('sin', sub()), sub())
        if op == 'call' and self.m.functions:
            f = r.choice(self.m.functions)
            return E('call', f, *[sub() for _ in range(f.inputs)])
        arrays = [i for i in self.known if self.m.vars[i].n and self.m.vars[i].type == NUMBER and self.m.vars[i].held >= held]
        if op == 'sum' and arrays:
            return E('sum', r.choice(arrays))
        if op == 'select' and arrays:
            return self.select(r.choice(arrays), depth - 1, held)
        if op == 'floor':
            return E('*', E('number', 0.3), E('floor', E('*', E('number', self.value(0.7, 2.9)), sub())))
        if op == 'mod':
            return E('mod', sub(), E('number', self.value(0.6, 1.9)))
        if op == 'array':
            return E('dot', sub(), sub(), sub(), sub())
        if op in ('sin', 'cos', 'tanh', 'atan', 'abs', 'neg'):
            return E(op, sub())
        return E('tanh', sub())

    def select(self, array, depth, held):
        """An element whose place is computed: any Integer, brought into the array's range."""
        n = self.m.vars[array].n
        whole = self.pick(INTEGER)
        place = E('var', whole) if whole is not None else E('whole', E('*', E('number', 1.7), self.real(depth - 1, held)))
        return E('at', array, E('+', E('int', 1), E('imod', place, E('int', n))))

    def condition(self, depth=1, held=False):
        r = self.r
        x = r.random()
        known = self.pick(BOOLEAN)
        if x < 0.25 and known is not None:
            return E('var', known)
        if x < 0.4 and depth > 0:
            return E(r.choice(['and', 'or']), self.condition(depth - 1, held), self.condition(depth - 1, held))
        if x < 0.47:
            return E('not', self.condition(depth - 1, held))
        whole = self.pick(INTEGER)
        if x < 0.6 and whole is not None:
            return E(r.choice(['i<', 'i>=', 'i==']), E('var', whole), E('int', r.randrange(1, 4)))
        if x < 0.7 and not held:
            return E(r.choice(['<', '>']), E('time'), E('number', self.value(0.1, 1.9)))
        return E(r.choice(['<', '<=', '>', '>=']), self.real(min(depth, 1), held), E('number', self.value(-0.9, 0.9)))

    def whole(self, depth=2):
        r = self.r
        x = r.random()
        known = self.pick(INTEGER)
        if x < 0.35 and known is not None:
            return E('var', known)
        if x < 0.5 or depth <= 0:
            return E('int', r.randrange(-3, 6))
        if x < 0.6:
            return E('whole', E('*', E('number', self.value(1, 3)), self.real(1)))
        if x < 0.7:
            return E('iif', self.condition(1), self.whole(depth - 1), self.whole(depth - 1))
        if x < 0.8:
            return E(r.choice(['imod', 'idiv']), self.whole(depth - 1), E('int', r.randrange(2, 5)))
        return E(r.choice(['i+', 'i-']), self.whole(depth - 1), self.whole(depth - 1))

    def body(self, depth, inputs, inside=False):
        """The body of a function: smooth or with kinks, of ('argument', k)."""
        r = self.r
        if depth <= 0 or r.random() < 0.15:
            x = r.random()
            return E('accumulated') if inside and x < 0.4 else E('counter') if inside and x < 0.6 else \
                E('argument', r.randrange(inputs)) if x < 0.9 else E('number', self.value())
        sub = lambda: self.body(depth - 1, inputs, inside)
        op = r.choice(['+', '-', '*', '/', 'sin', 'tanh', 'max', 'abs', 'fold', 'neg', 'root', 'kink', 'array'])
        if op in '+-':
            return E(op, sub(), sub())
        if op == '*':
            return E('*', E('sin', sub()), sub())
        if op == '/':
            return E('/', sub(), E('+', E('number', 1.5), E('square', E('tanh', sub()))))
        if op == 'root':
            return E('root', E('+', E('number', 1.0), E('square', sub())))
        if op == 'max':
            return E(r.choice(['max', 'min']), sub(), sub())
        if op == 'kink':
            return E('if', E('<', E('argument', 0), E('number', self.value())), sub(), E('sin', sub())) if inside is None else E('abs', sub())
        if op == 'array':
            return E('dot', sub(), sub(), sub(), sub())
        if op == 'fold' and not inside:
            return E('fold', r.randrange(2, 5), self.body(1, inputs), E('tanh', self.body(depth - 1, inputs, True)))
        return E(op if op in ('sin', 'tanh', 'abs', 'neg') else 'cos', sub())

    # ---- items -------------------------------------------------------------------------------

    def add(self, type, n=0, held=False):
        id = len(self.m.vars)
        self.m.vars[id] = Var(id, type, n, held)
        return id

    def item(self, kind, vars, parts, **more):
        self.m.items.append(Item(kind, vars, parts, **more))
        self.known += vars

    def parameter(self):
        type = self.r.choice([NUMBER, NUMBER, NUMBER, BOOLEAN, INTEGER])
        old = self.known
        self.known = list(self.parameters)
        part = E('number', self.value()) if type == NUMBER else E('bool', self.r.random() < 0.5) if type == BOOLEAN else E('int', self.r.randrange(0, 5))
        if type == NUMBER and self.parameters and self.r.random() < 0.4:
            part = E('tanh', self.real(2, True))
        self.known = old
        id = self.add(type, held=True)
        self.item('parameter', [id], [part])
        self.parameters.append(id)

    def state(self):
        id = self.add(NUMBER)
        self.item('state', [id], [self.real(3)], rate=self.value(0.5, 3), start=self.value())

    def states(self):
        n = self.r.randrange(2, 5)
        id = self.add(NUMBER, n)
        self.item('states', [id], [self.family(n)], rate=self.value(0.5, 3), start=[self.value() for _ in range(n)])

    def family(self, n):
        """An expression with the index of a loop in it."""
        arrays = [i for i in self.known if self.m.vars[i].n == n and self.m.vars[i].type == NUMBER]
        e = self.real(2)
        inner = E('+', e, E('*', E('number', self.value()), E('index')))
        if arrays:
            inner = E('+', E('sin', inner), E('each', self.r.choice(arrays)))
        return E(self.r.choice(['sin', 'tanh', 'cos']), inner) if self.r.random() < 0.7 else inner

    def plain(self):
        self.item('plain', [self.add(NUMBER)], [self.real(4)])

    def vector(self):
        n = self.r.randrange(2, 5)
        id = self.add(NUMBER, n)
        self.item('vector', [id], [self.family(n)])

    def boolean(self):
        self.item('boolean', [self.add(BOOLEAN, held=True)], [self.condition(2)])

    def integer(self):
        self.item('integer', [self.add(INTEGER, held=True)], [self.whole()])

    def pair(self):
        a, b = self.add(NUMBER), self.add(NUMBER)
        self.item('pair', [a, b], [self.real(2), self.real(2)], a=self.value(-0.7, 0.7), b=self.value(-0.7, 0.7), bent=self.r.random() < 0.4)

    def event(self):
        """A when-clause with one to three targets, and maybe an elsewhen."""
        r = self.r
        kinds = [r.choice([NUMBER, NUMBER, INTEGER, BOOLEAN]) for _ in range(r.randrange(1, 4))]
        ids = [self.add(k, held=True) for k in kinds]
        first = E('sample', self.value(0.0, 0.3) if r.random() < 0.7 else 0.0, self.value(0.15, 0.6)) if r.random() < 0.5 else self.condition(1)
        parts, starts = [first], []
        branches = 1 + (r.random() < 0.4)
        if branches > 1:
            parts.append(self.condition(1))
        for k in kinds:
            starts.append({NUMBER: self.value(), INTEGER: r.randrange(0, 4), BOOLEAN: r.random() < 0.5}[k])
        for _ in range(branches):
            for k, id in zip(kinds, ids):
                parts.append({NUMBER: lambda: E('-', E('*', E('number', 0.5), E('pre', id)), self.real(2)),
                              INTEGER: lambda: E('imod', E('i+', E('pre', id), E('int', r.randrange(1, 4))), E('int', r.randrange(3, 8))),
                              BOOLEAN: lambda: E('not', E('pre', id)) if r.random() < 0.6 else self.condition(1)}[k]())
        self.item('event', ids, parts, branches=branches, starts=starts)

    def hysteresis(self):
        """A state that goes up and down between two bounds."""
        x, on = self.add(NUMBER), self.add(BOOLEAN, held=True)
        low = self.value(-1, 0)
        self.item('hysteresis', [x, on], [], low=low, high=round(low + self.r.uniform(0.3, 1), 3), up=self.value(0.8, 2), down=self.value(0.8, 2))

    def bounce(self):
        """A state that is set back when it has come to a bound."""
        x = self.add(NUMBER)
        self.item('bounce', [x], [], bound=self.value(0.3, 0.9), back=self.value(-1, -0.2), speed=self.value(0.7, 2))

    def late(self):
        """A parameter that an initial equation gives: p^3 + p = value."""
        id = self.add(NUMBER, held=True)
        old, self.known = self.known, list(self.parameters)
        self.item('late', [id], [E('tanh', self.real(2, True))], bent=self.r.random() < 0.5)
        self.known = old + [id]
        self.parameters.append(id)

    def model(self):
        r = self.r
        for k in range(r.randrange(0, 3)):
            n = r.randrange(1, 4)
            self.m.functions.append(Function('f%d' % k, n, self.body(3, n)))
        for _ in range(r.randrange(1, 4)):
            self.parameter()
        if r.random() < 0.3:
            self.late()
        kinds = [self.state] * 3 + [self.plain] * 4 + [self.vector, self.states, self.boolean, self.boolean, self.integer, self.pair,
                                                       self.event, self.event, self.hysteresis, self.bounce]
        for _ in range(r.randrange(2, self.size + 1)):
            r.choice(kinds)()
        return self.m


def draw(seed, size=9):
    return Draw(seed, size).model()
