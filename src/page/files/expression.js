'use strict';
/* expression.js: Modelica expressions as functions of the values of variables, for what follows time in diagrams. Only arithmetic: nothing of
 * a model is ever run as a script. */

const PRECEDENCE = { or: 1, and: 2, '<': 4, '<=': 4, '>': 4, '>=': 4, '==': 4, '<>': 4, '+': 5, '-': 5, '.+': 5, '.-': 5, '*': 6, '/': 6, '.*': 6, './': 6, '^': 7, '.^': 7 };
const isList = Array.isArray;
const each = (a, b, f) => isList(a) && isList(b) ? a.map((x, i) => each(x, b[i], f)) : isList(a) ? a.map(x => each(x, b, f)) : isList(b) ? b.map(x => each(a, x, f)) : f(a, b);
const BINARY = {
    or: (a, b) => a || b, and: (a, b) => a && b, '<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b, '==': (a, b) => a === b, '<>': (a, b) => a !== b,
    '+': (a, b) => typeof a === 'string' ? a + b : each(a, b, (x, y) => x + y), '-': (a, b) => each(a, b, (x, y) => x - y), '*': (a, b) => each(a, b, (x, y) => x * y), '/': (a, b) => each(a, b, (x, y) => x / y), '^': (a, b) => each(a, b, Math.pow),
};
const FUNCTIONS = {
    sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, atan2: Math.atan2, exp: Math.exp, log: Math.log, log10: Math.log10, sqrt: Math.sqrt, abs: Math.abs, sign: Math.sign, ceil: Math.ceil, floor: Math.floor,
    integer: Math.floor, min: (...a) => Math.min(...a.flat()), max: (...a) => Math.max(...a.flat()), mod: (a, b) => a - Math.floor(a / b) * b, rem: (a, b) => a % b, div: (a, b) => Math.trunc(a / b), noEvent: a => a, Integer: a => a, real: a => a, pre: a => a,
    String: (v, named) => typeof v === 'boolean' ? String(v) : typeof v !== 'number' ? String(v) : named && named.format ? v.toFixed(Number((/\.(\d)/.exec(named.format) || [0, 3])[1])) : String(Number(v.toPrecision(named && named.significantDigits || 6))),
    size: (a, k) => { let x = a; for (let i = 1; i < k; i++) x = x[0]; return x.length; }, sum: a => a.flat(9).reduce((x, y) => x + y, 0), fill: (v, n) => Array(n).fill(v), DynamicSelect: (a, b) => b, smooth: (p, x) => x,
};

/* NULL: it is none of those that are understood. The function takes one that gives a variable's value or throws. */
function compileExpression(text) {
    const words = text.match(/\s+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+|[A-Za-z_]\w*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\.[-+*/^]|<=|>=|==|<>|[-+*/^<>(){},=.[\]:]/g);
    if (!words || words.join('') !== text) return null;
    const all = words.filter(w => w.trim());
    let i = 0;
    const take = w => all[i] === w ? (i++, true) : false, need = w => { if (!take(w)) throw new Error('expected ' + w); };
    function binary(least) {
        let a = unary();
        while (PRECEDENCE[all[i]] >= least) {
            const op = all[i++].replace(/^\.(?=.)/, ''), b = binary(PRECEDENCE[op] + 1), l = a;
            a = env => BINARY[op](l(env), b(env));
        }
        return a;
    }
    function unary() {
        if (take('-')) { const a = binary(6); return env => each(0, a(env), (x, y) => x - y); }
        if (take('+')) return binary(6);
        if (take('not')) { const a = binary(4); return env => !a(env); }
        return primary();
    }
    function list(end) {
        const out = [];
        if (take(end)) return out;
        do {
            if (/^[A-Za-z_]/.test(all[i] || '') && all[i + 1] === '=') { const name = all[i]; i += 2; out.push({ name, of: expression() }); } else out.push({ of: expression() });
        } while (take(','));
        need(end);
        return out;
    }
    function primary() {
        const w = all[i++];
        if (w === undefined) throw new Error('ends');
        if (w === '(') { const a = expression(); need(')'); return a; }
        if (w === '{') { const items = list('}'); return env => items.map(x => x.of(env)); }
        if (/^[\d.]/.test(w)) { const v = Number(w); return () => v; }
        if (w[0] === '"') { const v = JSON.parse(w.replace(/\\'/g, "'").replace(/\\\?/g, '?')); return () => v; }
        if (w === 'true' || w === 'false') return () => w === 'true';
        return reference(w);
    }
    function reference(first) {
        let name = first;
        const indices = [];
        for (;;) {
            if (all[i] === '.' && /^[A-Za-z_']/.test(all[i + 1] || '')) { name += indices.length ? '\u0000' : ''; name += '.' + all[i + 1]; i += 2; }
            else if (take('[')) { const subs = list(']'); indices.push(subs); name += '\u0001'; }
            else break;
        }
        if (take('(')) {
            const f = FUNCTIONS[name.split('.').pop()], args = list(')');
            if (!f) throw new Error('no function ' + name);
            return env => { const plain = args.filter(a => !a.name).map(a => a.of(env)), named = args.filter(a => a.name); return named.length ? f(...plain, Object.fromEntries(named.map(a => [a.name, a.of(env)]))) : f(...plain); };
        }
        if (name === 'Modelica.Constants.eps') return () => 2 ** -52;
        if (name === 'Modelica.Constants.pi') return () => Math.PI;
        if (!indices.length) return env => env(name);
        return env => { let k = 0; return env(name.replace(/\u0000/g, '').replace(/\u0001/g, () => '[' + indices[k++].map(s => s.of(env)).join(',') + ']')); };
    }
    function expression() {
        if (!take('if')) return binary(1);
        const c = expression();
        need('then');
        const a = expression(), b = all[i] === 'elseif' ? (all[i] = 'if', expression()) : (need('else'), expression());
        return env => c(env) ? a(env) : b(env);
    }
    try {
        const f = expression();
        return i === all.length ? f : null;
    } catch (e) {
        return null;
    }
}
