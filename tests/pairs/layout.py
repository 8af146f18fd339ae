"""Items of a model as declarations, equations and algorithms, and these as classes."""
from draw import BOOLEAN, INTEGER, NUMBER
from write import TYPES, Place, Writer


def literal(v):
    return ('true' if v else 'false') if isinstance(v, bool) else repr(v) if v >= 0 else '(%r)' % v


class Layout(Writer):
    """The whole text. Pieces wait in lists (declarations, equations, ...) until the classes are chosen."""

    def place(self, **more):
        return Place(self.name, **more)

    def choose(self, item, what, *options):
        return self.style.choose('%s/%d' % (what, item.vars[0]), *options)

    def declare(self, id, modifiers='', prefix='', binding=''):
        v = self.m.vars[id]
        name = self.inner_names[id]
        size = '[%d]' % v.n if v.n else ''
        said = '%s%s %s%s%s%s' % (prefix, TYPES[v.type], name, size, '(%s)' % modifiers if modifiers else '', ' = ' + binding if binding else '')
        self.declared[id] = said + ';'

    # ---- items -------------------------------------------------------------------------------

    def write_parameter(self, it):
        value = self.ex(it.parts[0], self.place(held=True))
        way = self.choose(it, 'parameter', 'plain', 'final', 'constant', 'modified', 'late', 'initial')
        type, id = self.m.vars[it.vars[0]].type, it.vars[0]
        simple = it.parts[0].op in ('number', 'int', 'bool')
        if way == 'constant' and simple and value[0] != 'c':
            self.declare(id, prefix='constant ', binding=value)
        elif way == 'late':
            self.declare(id, 'fixed = false', 'parameter ')
            self.initial.append('%s = %s;' % (self.name(id), value))
        elif way == 'initial':
            self.declare(id, 'fixed = false', 'final parameter ')
            self.initial_steps.append('%s := %s;' % (self.name(id), value))
        elif way == 'modified' and simple and value[0] != 'c':
            self.declare(id, prefix='parameter ', binding={NUMBER: '77', BOOLEAN: 'false', INTEGER: '77'}[type])
            self.modified.append('%s = %s' % (self.inner_names[id], value))
        else:
            self.declare(id, prefix='final parameter ' if way == 'final' else 'parameter ', binding=value)

    def write_late(self, it):
        id, value = it.vars[0], self.ex(it.parts[0], self.place(held=True))
        self.declare(id, 'fixed = false, start = 0.5', 'parameter ')
        x = self.name(id)
        way = self.choose(it, 'late', 'equation', 'turned')
        left = '%s^3 + %s' % (x, x) if it.more['bent'] else '3*%s' % x
        self.initial.append('%s = %s;' % ((left, value) if way == 'equation' else (value, left)))

    def write_state(self, it):
        id, x = it.vars[0], self.name(it.vars[0])
        force, k = self.ex(it.parts[0], self.place()), literal(it.more['rate'])
        self.start(it, id, literal(it.more['start']))
        way = self.choose(it, 'state', 'plain', 'turned', 'scaled', 'implicit', 'variable', 'moved', 'extra')
        right = '%s - %s*%s' % (force, k, x)
        if way == 'variable' or way == 'extra':
            name = 'd%d' % id
            self.constants.append('Real %s;' % name)
            self.equations.append(['der(%s) = %s;' % (x, name)])
            self.equations.append(['%s = %s;' % (name, right) if way == 'variable' else '2*%s + sin(%s)/2 = 2*(%s) + sin(%s)/2;' % (name, name, right, right)])
            return
        self.equations.append([{'plain': 'der(%s) = %s;' % (x, right), 'turned': '%s = der(%s);' % (right, x), 'scaled': '3*der(%s) = 3*(%s);' % (x, right),
                                'implicit': 'der(%s) + %s*%s = %s;' % (x, k, x, force), 'moved': '0 = %s - der(%s);' % (right, x)}[way]])

    def start(self, it, id, value):
        way = self.choose(it, 'start', 'fixed', 'initial', 'steps', 'other', 'offset')
        x = self.name(id)
        each = 'each ' if self.m.vars[id].n else ''
        if way == 'fixed':
            self.declare(id, 'start = %s, %sfixed = true' % (value, each))
            return
        self.declare(id, '' if way != 'other' else '%sstart = 5' % each)
        if way == 'steps':
            self.initial_steps.append('%s := %s;' % (x, value))
        elif way == 'offset' and not each:
            self.initial.append('%s - 1 = %s - 1;' % (x, value))
        else:
            self.initial.append('%s = %s;' % (x, value))

    def family(self, it, make):
        """make(index, expression) for all elements, as a loop, written out, or as a whole."""
        n = self.m.vars[it.vars[0]].n
        way = self.choose(it, 'family', 'loop', 'unrolled', 'reversed', 'split')
        text = lambda i: make(i, self.ex(it.parts[0], self.place(index=i)))
        if way == 'loop':
            return [['for i in 1:%d loop' % n, '  ' + text('i'), 'end for;']]
        if way == 'reversed':
            return [['for i in %d:-1:1 loop' % n, '  ' + text('i'), 'end for;']]
        if way == 'split':
            return [[text('1')], ['for j in 2:%d loop' % n, '  ' + text('j'), 'end for;']]
        return [[text(str(k + 1))] for k in range(n)]

    def write_states(self, it):
        id, x, k = it.vars[0], self.name(it.vars[0]), literal(it.more['rate'])
        self.start(it, id, '{%s}' % ', '.join(literal(v) for v in it.more['start']))
        if self.choose(it, 'whole', False, True):
            n = self.m.vars[id].n
            self.equations.append(['der(%s) = {%s for i in 1:%d} - %s*%s;' % (x, self.ex(it.parts[0], self.place(index='i')), n, k, x)])
            return
        self.equations += self.family(it, lambda i, e: 'der(%s[%s]) = %s - %s*%s[%s];' % (x, i, e, k, x, i))

    def write_vector(self, it):
        id, x = it.vars[0], self.name(it.vars[0])
        n = self.m.vars[id].n
        self.declare(id)
        way = self.choose(it, 'vector', 'equations', 'comprehension', 'algorithm', 'literal', 'binding', 'parts')
        at = lambda i: self.ex(it.parts[0], self.place(index=i))
        if way == 'equations':
            self.equations += self.family(it, lambda i, e: '%s[%s] = %s;' % (x, i, e))
        elif way == 'comprehension':
            self.equations.append(['%s = {%s for i in 1:%d};' % (x, at('i'), n)])
        elif way == 'literal':
            self.equations.append(['%s = {%s};' % (x, ', '.join(at(str(k + 1)) for k in range(n)))])
        elif way == 'binding':
            self.declare(id, binding='{%s for i in 1:%d}' % (at('i'), n))
        elif way == 'parts':
            self.help('Part', '  model Part\n    Real u, y;\n    parameter Integer k = 0;\n  equation\n    y = u;\n  end Part;')
            name = 'p%d' % id
            self.constants.append('Part %s[%d](k = 1:%d);' % (name, n, n))
            self.equations += self.family(it, lambda i, e: '%s[%s].u = %s;' % (name, i, e))
            self.equations.append(['%s = %s.y;' % (x, name)])
        else:
            pieces = self.family(it, lambda i, e: '%s[%s] := %s;' % (x, i, e))
            self.algorithms.append([line for piece in pieces for line in piece])

    def write_plain(self, it):
        id, x = it.vars[0], self.name(it.vars[0])
        part = it.parts[0]
        e = self.ex(part, self.place())
        self.declare(id)
        way = self.choose(it, 'plain', 'equation', 'turned', 'moved', 'binding', 'steps', 'branches', 'branch steps', 'alias', 'component', 'record',
                          'negative', 'connected', 'tuple', 'limits')
        if part.op == 'if' and way in ('branches', 'branch steps'):
            self.branches(id, x, part, way)
        elif way == 'binding':
            self.declare(id, binding=e)
        elif way == 'limits':
            self.declare(id, 'min = -1e9, max = 1e9, nominal = 2, start = 3, unit = "1"')
            self.equations.append(['%s = %s;' % (x, e)])
        elif way == 'steps':
            self.algorithms.append(['%s := 1;' % x, '%s := %s*(%s);' % (x, x, e)])
        elif way == 'alias' or way == 'negative':
            name, minus = 'a%d' % id, '-' if way == 'negative' else ''
            self.constants.append('Real %s;' % name)
            self.equations.append(['%s = %s%s;' % (x, minus, name)])
            self.equations.append(['%s%s = %s;' % (minus, name, e)])
        elif way == 'component':
            self.help('Gain', '  block Gain\n    input Real u;\n    output Real y;\n    parameter Real k = 1;\n  equation\n    y = k*u;\n  end Gain;')
            self.constants.append('Gain g%d(u = %s, k = 1);' % (id, e))
            self.equations.append(['%s = g%d.y;' % (x, id)])
        elif way == 'connected':
            self.help('Pin', '  connector Pin\n    Real v;\n    flow Real i;\n  end Pin;')
            self.help('Source', '  model Source\n    Pin p;\n    Real u;\n  equation\n    p.v = u + p.i;\n  end Source;')
            self.help('Load', '  model Load\n    Pin p;\n  equation\n    p.i = p.v;\n  end Load;')
            self.constants += ['Source s%d(u = %s);' % (id, e), 'Load l%d, m%d;' % (id, id)]
            self.equations += [['connect(s%d.p, l%d.p);' % (id, id)], ['connect(l%d.p, m%d.p);' % (id, id)], ['%s = 3*m%d.p.v;' % (x, id)]]
        elif way == 'record':
            self.help('Box', '  record Box\n    Real value;\n    Real twice;\n  end Box;')
            self.help('box', '  function box\n    input Real u;\n    output Box b;\n  algorithm\n    b.value := u;\n    b.twice := 2*u;\n  end box;')
            self.constants.append('Box r%d = box(%s);' % (id, e))
            self.equations.append(['%s = r%d.twice - r%d.value;' % (x, id, id)])
        elif way == 'tuple':
            self.help('both', '  function both\n    input Real u;\n    output Real y, z;\n  algorithm\n    y := 2*u;\n    z := u;\n  end both;')
            self.equations.append(['(, %s) = both(%s);' % (x, e)])
        else:
            self.equations.append([{'turned': '%s = %s;' % (e, x), 'moved': '%s - (%s) = 0;' % (x, e)}.get(way, '%s = %s;' % (x, e))])

    def branches(self, id, x, part, way):
        c, a, b = (self.ex(p, self.place()) for p in part.args)
        if way == 'branches':
            self.equations.append(['if %s then' % c, '  %s = %s;' % (x, a), 'else', '  %s = %s;' % (x, b), 'end if;'])
        else:
            self.algorithms.append(['if %s then' % c, '  %s := %s;' % (x, a), 'else', '  %s := %s;' % (x, b), 'end if;'])

    def write_boolean(self, it):
        id, x = it.vars[0], self.name(it.vars[0])
        c = self.ex(it.parts[0], self.place())
        self.declare(id)
        way = self.choose(it, 'boolean', 'equation', 'steps', 'whens', 'binding', 'integer', 'not')
        if way == 'binding':
            self.declare(id, binding=c)
        elif way == 'steps':
            self.algorithms.append(['%s := %s;' % (x, c)])
        elif way == 'whens':
            self.equations.append(['when %s then' % c, '  %s = true;' % x, 'elsewhen not %s then' % c, '  %s = false;' % x, 'end when;'])
            self.initial.append('pre(%s) = %s;' % (x, c))
        elif way == 'integer':
            name = 'n%d' % id
            self.constants.append('Integer %s;' % name)
            self.equations += [['%s = if %s then 3 else 2;' % (name, c)], ['%s = %s > 2;' % (x, name)]]
        elif way == 'not':
            name = 'q%d' % id
            self.constants.append('Boolean %s;' % name)
            self.equations += [['%s = not %s;' % (name, c)], ['%s = not %s;' % (x, name)]]
        else:
            self.equations.append(['%s = %s;' % (x, c)])

    def write_integer(self, it):
        id, x = it.vars[0], self.name(it.vars[0])
        e = self.ex(it.parts[0], self.place())
        self.declare(id)
        way = self.choose(it, 'integer', 'equation', 'steps', 'binding', 'real', 'named')
        if way == 'binding':
            self.declare(id, binding=e)
        elif way == 'steps':
            self.algorithms.append(['%s := %s;' % (x, e)])
        elif way == 'real':
            name = 'w%d' % id
            self.constants.append('discrete Real %s;' % name)
            self.equations += [['%s = %s;' % (name, e)], ['%s = integer(%s + 0.5);' % (x, name)]]
        elif way == 'named':
            self.help('Three', '  type Three = enumeration(one, two, three);')
            name = 'e%d' % id
            self.constants.append('Three %s;' % name)
            self.equations += [['%s = if mod(%s, 3) == 0 then Three.one elseif mod(%s, 3) == 1 then Three.two else Three.three;' % (name, e, e)],
                               ['%s = 3*div(%s - mod(%s, 3), 3) + Integer(%s) - 1;' % (x, e, e, name)]]
        else:
            self.equations.append(['%s = %s;' % (x, e)])

    def write_pair(self, it):
        """Two equations in two unknowns: x + a f(y) = e, y + b f(x) = g, with |a b| < 1."""
        x, y = (self.name(i) for i in it.vars)
        e, g = (self.ex(p, self.place()) for p in it.parts)
        for i in it.vars:
            self.declare(i)
        f = 'sin(%s)' if it.more['bent'] else '%s'
        a, b = literal(it.more['a']), literal(it.more['b'])
        rows = ['%s + %s*%s = %s;' % (x, a, f % y, e), '%s + %s*%s = %s;' % (y, b, f % x, g)]
        way = self.choose(it, 'pair', 'plain', 'sums', 'matrix', 'solved', 'loop')
        if way == 'sums':
            rows[0], rows[1] = rows[0], '%s + %s + %s*%s + %s*%s = %s + %s;' % (x, y, a, f % y, b, f % x, e, g)
        elif way == 'matrix' and not it.more['bent']:
            rows = ['[1, %s; %s, 1]*{%s, %s} = {%s, %s};' % (a, b, x, y, e, g)]
        elif way == 'solved':
            rows = ['%s = %s - %s*%s;' % (x, e, a, f % y), '%s = %s - %s*%s;' % (y, g, b, f % x)]
        elif way == 'loop':
            name = 'o%d' % it.vars[0]
            self.constants.append('Real %s[2];' % name)
            rows = ['%s = {%s, %s};' % (name, x, y), '%s[1] + %s*%s = %s;' % (name, a, f % (name + '[2]'), e), '%s[2] + %s*%s = %s;' % (name, b, f % (name + '[1]'), g)]
        self.equations += [[r] for r in rows]

    def write_event(self, it):
        ids, branches, n = it.vars, it.more['branches'], len(it.vars)
        inside = self.place(held=True)
        sample = it.parts[0].op == 'sample'
        for id, value in zip(ids, it.more['starts']):
            way = self.style.choose('begin/%d' % id, 'fixed', 'initial')
            if way == 'fixed':
                self.declare(id, 'start = %s, fixed = true' % literal(value), 'discrete ' if self.style.choose('word/%d' % id, False, True) else '')
            else:
                self.declare(id, '')
                self.initial.append('pre(%s) = %s;' % (self.name(id), literal(value)))
        conditions = ['sample(%s, %s)' % tuple(map(literal, it.parts[0].args)) if sample else self.ex(it.parts[0], self.place())]
        if branches > 1:
            conditions.append(self.ex(it.parts[1], self.place()))
        if self.choose(it, 'condition', False, True) and not sample:
            name = 'h%d' % ids[0]
            self.constants.append('Boolean %s;' % name)
            self.equations.append(['%s = %s;' % (name, conditions[0])])
            conditions[0] = name
        elif sample and self.choose(it, 'clockwork', False, True):
            name = 'h%d' % ids[0]
            self.constants.append('Boolean %s;' % name)
            self.equations.append(['%s = %s;' % (name, conditions[0])])
            conditions[0] = name
        exprs = it.parts[branches:]
        way = self.choose(it, 'event', 'equation', 'steps', 'turned', 'split', 'vector', 'ifs')
        if way == 'split' and branches == 1:
            for k, id in enumerate(ids):
                self.equations.append(['when %s then' % conditions[0], '  %s = %s;' % (self.name(id), self.ex(exprs[k], inside)), 'end when;'])
            return
        if way == 'vector':
            conditions[0] = '{%s, false}' % conditions[0]
        lines = []
        sign = ':=' if way == 'steps' else '='
        for b in range(branches):
            lines.append('%s %s then' % ('when' if b == 0 else 'elsewhen', conditions[b]))
            rows = ['  %s %s %s;' % (self.name(id), sign, self.ex(exprs[b*n + k], inside)) for k, id in enumerate(ids)]
            lines += rows[::-1] if way == 'turned' else rows
        lines.append('end when;')
        (self.algorithms if way == 'steps' else self.equations).append(lines)

    def write_hysteresis(self, it):
        (x, on), m = (self.name(i) for i in it.vars), it.more
        low, high, up, down = (literal(m[k]) for k in ('low', 'high', 'up', 'down'))
        self.declare(it.vars[0], 'start = %s, fixed = true' % low)
        self.declare(it.vars[1], 'start = true, fixed = true')
        way = self.choose(it, 'hysteresis', 'equation', 'whens', 'long', 'steps')
        rates = ['der(%s) = if %s then %s else -%s;' % (x, on, up, down)]
        if way == 'whens':
            self.equations += [['when %s > %s then' % (x, high), '  %s = false;' % on, 'elsewhen %s < %s then' % (x, low), '  %s = true;' % on, 'end when;']]
        elif way == 'long':
            self.equations += [['%s = %s < %s or (pre(%s) and %s <= %s);' % (on, x, low, on, x, high)]]
        elif way == 'steps':
            self.algorithms += [['when {%s > %s, %s < %s} then' % (x, high, x, low), '  %s := not pre(%s);' % (on, on), 'end when;']]
        else:
            self.equations += [['%s = if pre(%s) then not %s > %s else %s < %s;' % (on, on, x, high, x, low)]]
        self.equations.append(rates)

    def write_bounce(self, it):
        x, m = self.name(it.vars[0]), it.more
        bound, back, speed = (literal(m[k]) for k in ('bound', 'back', 'speed'))
        self.declare(it.vars[0], 'start = 0, fixed = true')
        way = self.choose(it, 'bounce', 'equation', 'variable', 'turned')
        self.equations.append(['der(%s) = %s;' % (x, speed)])
        reinit = '  reinit(%s, %s + 0.1*pre(%s) - 0.1*%s);' % (x, back, x, bound)
        if way == 'variable':
            name = 'k%d' % it.vars[0]
            self.constants.append('Boolean %s = %s > %s;' % (name, x, bound))
            self.equations.append(['when %s then' % name, reinit, 'end when;'])
        elif way == 'turned':
            self.equations.append(['when %s < %s then' % (bound, x), '  reinit(%s, %s);' % (x, back), 'end when;'])
        else:
            self.equations.append(['when %s > %s then' % (x, bound), reinit, 'end when;'])

    # ---- classes -----------------------------------------------------------------------------

    def block(self, head, sections):
        lines = ['  ' + head]
        for title, rows in sections:
            if rows and title:
                lines.append('  ' + title)
            lines += ['    ' + r for r in rows]
        lines.append('  end %s;' % head.split()[-1])
        return '\n'.join(lines)

    def text(self):
        self.modified = []
        way = self.style.choose('layout', 'one', 'bases', 'component', 'chosen', 'changed', 'outer')
        inside = way in ('component', 'chosen', 'changed')
        self.inner_names = {id: self.base_name(v) for id, v in self.m.vars.items()}
        self.names = dict(self.inner_names)
        for it in self.m.items:
            getattr(self, 'write_' + it.kind)(it)
        path = 'part.' if inside else ''
        for id, v in self.m.vars.items():
            quoted = self.inner_names[id]
            for k in range(1, v.n + 1) if v.n else [0]:
                self.columns['%d' % id + ('[%d]' % k if v.n else '')] = path + quoted + ('[%d]' % k if v.n else '')
        declared = [self.declared[i] for it in self.m.items for i in it.vars]
        declared = self.style.shuffle('order of declarations', declared + self.constants)
        equations = self.style.shuffle('order of equations', self.equations)
        rows = lambda pieces: [line for piece in pieces for line in piece]
        algorithms = [('algorithm', piece) for piece in self.style.shuffle('order of algorithms', self.algorithms)]
        initial = [('initial equation', self.style.shuffle('order at the start', self.initial)), ('initial algorithm', self.initial_steps)]
        changes = ', '.join(self.modified)
        self.classes(way, declared, equations, algorithms, initial, changes, rows)
        return 'package P\n' + '\n'.join(self.outside) + '\nend P;\n'

    def classes(self, way, declared, equations, algorithms, initial, changes, rows):
        out = self.outside
        behind = '(%s)' % changes if changes else ''
        all = [('', declared)] + initial + [('equation', rows(equations))] + algorithms
        if way == 'bases':
            half = len(equations) // 2
            out.append(self.block('partial model Declared', [('', declared)]))
            out.append(self.block('partial model First', [('', ['extends Declared;'])] + initial + [('equation', rows(equations[:half]))]))
            out.append(self.block('model M', [('', ['extends First%s;' % behind]), ('equation', rows(equations[half:]))] + algorithms))
        elif way == 'component':
            out.append(self.block('model Part1', all))
            out.append(self.block('model M', [('', ['Part1 part%s;' % behind])]))
        elif way == 'chosen':
            out.append(self.block('partial model Face', [('', [])]))
            out.append(self.block('model Part1', [('', ['extends Face;'])] + all))
            out.append(self.block('model Frame', [('', ['replaceable model Which = Face constrainedby Face;', 'Which part;'])]))
            out.append(self.block('model M', [('', ['extends Frame(redeclare model Which = Part1%s);' % behind])]))
        elif way == 'changed':
            out.append(self.block('partial model Face', [('', [])]))
            out.append(self.block('model Part1', [('', ['extends Face;'])] + all))
            out.append(self.block('model Frame', [('', ['replaceable Face part;'])]))
            out.append(self.block('model M', [('', ['extends Frame(redeclare Part1 part%s);' % behind])]))
        elif changes:
            out.append(self.block('model Part1', all))
            out.append(self.block('model M', [('', ['extends Part1%s;' % behind])]))
        else:
            out.append(self.block('model M', all))


def write(model, style):
    """The text, and the names of values in the result by what they are of the model."""
    layout = Layout(model, style)
    text = layout.text()
    return text, layout.columns
