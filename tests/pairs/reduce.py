"""Makes a model that shows something as small as possible: fewer ways taken, fewer items, smaller expressions.

`same(model, off)` says whether what is looked for is still there. Greedy, until nothing more goes.
"""
from draw import BOOLEAN, INTEGER, NUMBER, E, Function, Item, Model

NEUTRAL = {NUMBER: lambda: E('number', 0.5), BOOLEAN: lambda: E('bool', True), INTEGER: lambda: E('int', 1)}
BOOLEANS = {'<', '>', '<=', '>=', 'and', 'or', 'not', 'i<', 'i>=', 'i==', 'bool'}
INTEGERS = {'int', 'i+', 'i-', 'imod', 'idiv', 'iif', 'whole'}


def type_of(e, model):
    if e.op in ('var', 'pre'):
        return model.vars[e.args[0]].type
    return BOOLEAN if e.op in BOOLEANS else INTEGER if e.op in INTEGERS else NUMBER


def uses(e, gone):
    if e.op in ('var', 'pre', 'element', 'each', 'sum', 'at') and e.args[0] in gone:
        return True
    return any(isinstance(a, E) and uses(a, gone) for a in e.args)


def without(e, gone, model):
    """The expression with neutral values for variables that are gone."""
    if e.op in ('var', 'pre', 'element', 'each', 'sum', 'at') and e.args[0] in gone:
        return NEUTRAL[model.vars[e.args[0]].type]()
    return e.with_args([without(a, gone, model) if isinstance(a, E) else a for a in e.args])


def smaller(e, model):
    """Expressions of the same type that are a step simpler."""
    type = type_of(e, model)
    if e.op not in ('number', 'int', 'bool', 'sample'):
        yield NEUTRAL[type]()
    for a in e.args:
        if isinstance(a, E) and type_of(a, model) == type:
            yield a
    for k, a in enumerate(e.args):
        if isinstance(a, E):
            for b in smaller(a, model):
                args = list(e.args)
                args[k] = b
                yield e.with_args(args)


def with_items(model, items):
    m = Model()
    m.vars, m.items, m.functions, m.stop = model.vars, items, model.functions, model.stop
    kept = {v for it in items for v in it.vars}
    m.vars = {i: v for i, v in model.vars.items() if i in kept}
    return m


def drop_item(model, k):
    gone = set(model.items[k].vars)
    return with_items(model, [it.copy([without(p, gone, model) for p in it.parts]) for i, it in enumerate(model.items) if i != k])


def fewer_ways(model, off, taken, same):
    """Leaves out ways in halves, then one by one."""
    left = [t for t in dict.fromkeys(taken) if t not in off]
    chunk = max(1, len(left)//2)
    while True:
        k = 0
        while k < len(left):
            less = left[:k] + left[k + chunk:]
            trial = set(taken) - set(less)
            if same(model, trial):
                left, off = less, trial
            else:
                k += chunk
        if chunk == 1:
            return off
        chunk = max(1, chunk//2)


def fewer_items(model, off, same):
    k = len(model.items) - 1
    while k >= 0:
        trial = drop_item(model, k)
        if len(model.items) > 1 and same(trial, off):
            model = trial
        k = min(k - 1, len(model.items) - 1)
    return model


def simpler_parts(model, off, same, budget):
    for k in range(len(model.items)):
        for p in range(len(model.items[k].parts)):
            again = True
            while again and budget[0] > 0:
                again = False
                for e in smaller(model.items[k].parts[p], model):
                    budget[0] -= 1
                    parts = list(model.items[k].parts)
                    parts[p] = e
                    items = list(model.items)
                    items[k] = items[k].copy(parts)
                    if budget[0] > 0 and same(with_items(model, items), off):
                        model, again = with_items(model, items), True
                        break
    return model


def reduce_pair(model, same, taken):
    def held(m, off):
        try:
            return same(m, off)
        except Exception: # a model that cannot be written is no smaller case
            return False
    off, budget = set(), [400]
    for _ in range(3):
        before = (len(model.items), len(off), budget[0])
        model = fewer_items(model, off, held)
        off = fewer_ways(model, off, taken, held)
        model = simpler_parts(model, off, held, budget)
        if (len(model.items), len(off)) == before[:2]:
            break
    return model, off
