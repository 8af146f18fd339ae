'use strict';
/* analyze.js: the page of a structure: a graph of blocks that opens, index reduction, partitions, incidence. */

const facts = JSON.parse(document.getElementById('facts').textContent);
const at = id => document.getElementById(id);
const s = facts.structure, equations = facts.equations;
const tooLarge = n => make('div', { className: 'empty' }, `A system of ${n} equations is too large for a page: acausal analyze --json, --dump=blt and --svg have it.`);
const chips = (names, lost) => names.map(name => make('span', { className: 'chip' + (lost ? ' lost' : '') }, name));

/* ---- the graph: which block needs which ---- */

const WIDTH = 250, ACROSS = 70, HEAD = 28, LINE = 20, GAP = 12, MOST_GROUPS = 14, MOST_LINES = 120, OPEN_AT_FIRST = 30;

function componentOf(name) {
    const inner = name.replace(/^(der\()+/, ''), end = inner.search(/[.[)]/);
    return inner.includes('.') ? inner.slice(0, end < 0 ? undefined : end) : '';
}

/* Nodes: what is known, a node for each block that is solved, and assignments in between by component. Level: how
 * many solved blocks lie on the longest way to it. */
function nodesOf() {
    const blockOf = new Array(s.n), level = [], keys = new Map(), nodes = [{ kind: 'known', title: 'states, inputs, discrete', rows: [], column: 0 }];
    s.blocks.forEach(([first, end], b) => { for (let i = first; i < end; i++) blockOf[i] = b; });
    const isSolved = b => s.blocks[b][1] - s.blocks[b][0] > 1 || s.blocks[b][2] > 0;
    const many = s.blocks.length > OPEN_AT_FIRST, sizes = new Map();
    s.blocks.forEach(([first, end], b) => {
        level[b] = 0;
        for (let i = first; i < end; i++)
            for (const j of s.rows[i]) if (blockOf[j] !== b) level[b] = Math.max(level[b], level[blockOf[j]] + isSolved(blockOf[j]));
        if (!isSolved(b)) {
            const key = level[b] + ':' + componentOf(s.name[first]);
            sizes.set(key, (sizes.get(key) || 0) + 1);
        }
    });
    const kept = new Set();
    for (let l = 0; l <= Math.max(0, ...level); l++)
        [...sizes].filter(([key]) => key.startsWith(l + ':')).sort((a, b) => b[1] - a[1]).slice(0, MOST_GROUPS).forEach(([key]) => kept.add(key));
    const nodeOf = s.blocks.map(([first, end, torn], b) => {
        if (isSolved(b)) {
            const found = facts.analysis.continuous.blocks.find(x => x.number === b + 1);
            nodes.push({ kind: found ? found.kind : 'linear', title: `block ${b + 1}`, note: `${found ? found.kind : 'solved'}, ${end - first} eq.`, rows: [], column: 2 * level[b] + 2 });
            return nodes.length - 1;
        }
        const component = componentOf(s.name[first]);
        let key = many ? level[b] + ':' + component : 'b' + b;
        if (many && !kept.has(key)) key = level[b] + ':';
        if (!keys.has(key)) {
            keys.set(key, nodes.length);
            nodes.push({ kind: 'assign', title: !many ? s.name[first] : key.endsWith(':') ? 'others' : component, rows: [], column: 2 * level[b] + 1 });
        }
        return keys.get(key);
    });
    blockOf.forEach((b, i) => { nodes[nodeOf[b]].rows.push(i); });
    nodes.forEach(n => {
        if (n.kind === 'assign' && n.rows.length > 1) n.note = `${n.rows.length} assignments`;
        else if (n.kind === 'assign') n.note = 'assignment', n.title = s.name[n.rows[0]];
    });
    return { nodes, rowNode: blockOf.map(b => nodeOf[b]), blockOf };
}

class BlockGraph {
    constructor(host) {
        this.svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        this.board = make('div', { className: 'graph' }, this.svg);
        this.details = make('div', { className: 'details' });
        host.replaceChildren(make('div', { className: 'beside' }, this.board, this.details));
        Object.assign(this, nodesOf(), { open: new Set(), bubble: make('div', { className: 'bubble', hidden: true }), chosen: -1 });
        host.append(this.bubble);
        this.states = new Set(facts.analysis.states.map(v => v.name));
        this.knownNames = [...new Set(equations.flatMap(e => e.reads))];
        this.edges = new Map();
        this.users = Array.from({ length: s.n }, () => []);
        s.rows.forEach((columns, i) => columns.forEach(j => {
            if (j !== i) this.users[j].push(i);
            if (this.rowNode[j] !== this.rowNode[i]) this.edges.set(this.rowNode[j] + '>' + this.rowNode[i], [this.rowNode[j], this.rowNode[i]]);
        }));
        equations.forEach((e, i) => { if (e.reads.length) this.edges.set('0>' + this.rowNode[i], [0, this.rowNode[i]]); });
        if (s.n <= OPEN_AT_FIRST) this.nodes.forEach((n, k) => { if (n.rows.length > 1) this.open.add(k); });
        this.explain();
        this.draw();
    }

    lines(k) {
        if (!this.open.has(k)) return 0;
        const n = k ? this.nodes[k].rows.length : this.knownNames.length;
        return Math.min(n, MOST_LINES) + (n > MOST_LINES);
    }

    place() {
        const heights = new Map(), xs = [...new Set(this.nodes.map(n => n.column))].sort((a, b) => a - b);
        for (const [k, n] of this.nodes.entries()) {
            n.x = 24 + xs.indexOf(n.column) * (WIDTH + ACROSS);
            n.y = heights.get(n.column) || 24;
            n.h = HEAD + this.lines(k) * LINE + (this.lines(k) ? 6 : 2);
            heights.set(n.column, n.y + n.h + GAP);
        }
        this.width = 48 + xs.length * (WIDTH + ACROSS);
        this.height = 48 + Math.max(...heights.values());
    }

    draw() {
        this.place();
        this.svg.setAttribute('width', this.width);
        this.svg.setAttribute('height', this.height);
        this.svg.replaceChildren(...[...this.edges.values()].map(([a, b]) => {
            const path = document.createElementNS('http://www.w3.org/2000/svg', 'path'), from = this.nodes[a], to = this.nodes[b];
            const x = from.x + WIDTH, y = from.y + HEAD / 2, u = to.x, v = to.y + HEAD / 2;
            path.setAttribute('d', from.x === to.x ? `M${x} ${y} C${x + 46} ${y} ${x + 46} ${v} ${x} ${v}` : `M${x} ${y} C${x + 50} ${y} ${u - 50} ${v} ${u} ${v}`);
            path.dataset.from = a;
            path.dataset.to = b;
            return path;
        }));
        this.board.replaceChildren(this.svg, ...this.nodes.map((n, k) => this.box(n, k)));
        this.board.dataset.drawn = this.nodes.length;
    }

    box(n, k) {
        const isOpen = this.open.has(k), canOpen = k === 0 ? this.knownNames.length > 0 : true;
        const box = make('div', { className: 'node ' + n.kind, style: `left:${n.x}px;top:${n.y}px;height:${n.h}px`, data: { node: k } },
            make('div', { className: 'head', onclick: () => canOpen && this.toggle(k) },
                make('b', {}, (canOpen ? isOpen ? '▾ ' : '▸ ' : '') + n.title), make('span', {}, k ? n.note : String(this.knownNames.length))));
        box.addEventListener('pointerenter', () => this.mark(k));
        box.addEventListener('pointerleave', () => this.mark(-1));
        if (n.rows.length === 1) this.hover(box, n.rows[0]);
        if (!isOpen) return box;
        const all = k ? n.rows : this.knownNames;
        for (const row of all.slice(0, MOST_LINES)) box.append(k ? this.line(row) : make('div', { className: 'line', title: row }, row));
        if (all.length > MOST_LINES) box.append(make('div', { className: 'line' }, `… and ${all.length - MOST_LINES} more`));
        return box;
    }

    line(i) {
        const b = s.blocks[this.blockOf[i]], torn = i >= b[1] - b[2];
        const line = make('div', { className: 'line' + (torn ? ' torn' : '') + (i === this.chosen ? ' on' : ''), onclick: () => this.choose(i), data: { row: i } }, make('b', {}, s.name[i]), ' · ' + equations[i].source);
        this.hover(line, i);
        return line;
    }

    toggle(k) {
        if (!this.open.delete(k)) this.open.add(k);
        if (k && this.nodes[k].rows.length === 1) this.choose(this.nodes[k].rows[0]);
        else this.draw();
    }

    mark(k) {
        for (const path of this.svg.children) path.setAttribute('class', k < 0 ? '' : path.dataset.to === String(k) ? 'in' : path.dataset.from === String(k) ? 'out' : '');
    }

    hover(element, i) {
        element.addEventListener('pointermove', e => {
            e.stopPropagation();
            this.bubble.hidden = false;
            this.bubble.replaceChildren(...this.told(i));
            const w = this.bubble.offsetWidth, h = this.bubble.offsetHeight;
            this.bubble.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - w - 8)) + 'px';
            this.bubble.style.top = (e.clientY + 16 + h > innerHeight ? Math.max(4, e.clientY - h - 10) : e.clientY + 16) + 'px';
        });
        element.addEventListener('pointerleave', () => { this.bubble.hidden = true; });
    }

    told(i) {
        const e = equations[i], b = s.blocks[this.blockOf[i]], torn = i >= b[1] - b[2], parts = [make('code', {}, e.source)];
        if (e.text !== e.source) parts.push(make('code', { className: 'soft' }, 'as computed: ' + e.text));
        parts.push(make('div', { className: 'soft' }, (torn ? 'residual; tearing variable ' : 'gives ') + s.name[i] + (s.place[i] ? ' · ' + s.place[i] : '') +
            (e.times ? ` · differentiated ${e.times === 1 ? 'once' : e.times === 2 ? 'twice' : e.times + ' times'}` : '')));
        return parts;
    }

    choose(i) {
        this.chosen = i;
        this.open.add(this.rowNode[i]);
        this.draw();
        const reads = s.rows[i].filter(j => j !== i), link = j => make('button', { className: 'link', onclick: () => this.show(j) }, s.name[j]);
        this.details.replaceChildren(make('h2', {}, s.name[i]), ...this.told(i),
            make('h3', {}, 'reads'), ...reads.slice(0, 200).map(link), ...chips(equations[i].reads), reads.length + equations[i].reads.length ? '' : 'parameters and time only',
            make('h3', {}, 'is read by'), ...this.users[i].slice(0, 200).map(link), this.users[i].length ? '' : 'nothing but the result');
    }

    show(i) {
        this.choose(i);
        const n = this.nodes[this.rowNode[i]];
        this.board.scrollTo({ left: n.x - 200, top: n.y - 120 });
    }

    explain() {
        const key = (colour, text) => make('div', { className: 'key' }, make('i', { style: 'background:' + colour }), text);
        this.details.replaceChildren(make('h2', {}, 'Blocks in the order of computing'),
            make('p', {}, 'Left to right: what is known at a time, then what follows from it. Each block of equations that must be solved together is a box; assignments between them are grouped by component.'),
            key('#0072B2', 'states, inputs, discrete values'), key('#009E73', 'linear block'), key('#D55E00', 'nonlinear block'), key('#9aa2ab', 'assignments'),
            make('p', { className: 'soft' }, 'A click on a head opens or closes a box; on an equation it shows what it reads and what reads it. Blue lines come in, orange ones go out.'));
    }
}

function showBlocks(host) {
    if (!equations) host.replaceChildren(tooLarge(s.n));
    else if (!s.n) host.replaceChildren(make('div', { className: 'empty' }, 'No equations: nothing is computed at each step.'));
    else new BlockGraph(host);
}

/* ---- index reduction ---- */

function chainOf(chain) {
    const times = ['differentiated once', 'twice', 'three times', 'four times'];
    return make('div', { className: 'chain' }, make('span', {}, 'as written'), make('code', {}, chain.source, chain.place ? make('span', { className: 'place' }, chain.place) : ''),
        ...chain.derivatives.flatMap((text, k) => [make('span', {}, times[k] || k + 1 + ' times'), make('code', {}, text)]));
}

function showReduction(host) {
    const a = facts.analysis, parts = [cards([['index', a.index], ['equations differentiated', a.differentiated], ['dummy derivatives', a.dummy_derivatives], ['states', a.states.length]])];
    if (!facts.reduction.length)
        parts.push(make('div', { className: 'diagnostic' }, a.index > 1 ? 'No equation is differentiated that stands in the source.' : 'Nothing had to be differentiated: no equation ties states to each other.'));
    for (const r of facts.reduction) {
        const more = [];
        if (r.followers.length) {
            const list = make('details', {}, make('summary', {}, `${r.followers.length} more had to be differentiated with it`), ...r.followers.slice(0, 100).map(chainOf));
            if (r.followers.length > 100) list.append(`… and ${r.followers.length - 100} more`);
            more.push(list);
        }
        if (r.given_up.length) more.push(make('h3', {}, 'given up as states: the constraint gives them'), ...chips(r.given_up, true));
        if (r.states.length) more.push(make('h3', {}, 'states among what it ties'), ...chips(r.states));
        for (const set of r.sets) more.push(make('h3', {}, `${set.states} of these ${set.states === 1 ? 'is a state' : 'are states'}, chosen while the model runs`), ...chips(set.of));
        parts.push(sheet('Constraint, differentiated ' + (['', 'once', 'twice', 'three times'][r.constraint.derivatives.length] || r.constraint.derivatives.length + ' times'), chainOf(r.constraint), ...more));
    }
    if (a.states.length) parts.push(sheet('States', table(['.state', 'why'], a.states.slice(0, 500).map(v => [v.name, v.why]))));
    host.replaceChildren(...parts);
}

/* ---- partitions ---- */

function showPartitions(host) {
    if (!facts.partitions) return host.replaceChildren(tooLarge(s.n));
    const parts = [cards([['variables that change all the time', facts.in_time], ['change at events only', facts.partitions.reduce((n, p) => n + p.n, 0)], ['never change', facts.constant],
        ['relations', facts.analysis.relations.length], ['clocks and samples', facts.analysis.samples]])];
    if (!facts.partitions.length) parts.push(make('div', { className: 'diagnostic' }, 'One partition: nothing changes at events only.'));
    for (const p of [...facts.partitions].sort((x, y) => y.n - x.n).slice(0, 300)) {
        const clocks = [...new Set(p.variables.map(v => v[2]).filter(Boolean))];
        parts.push(sheet(`${p.n} variable${p.n === 1 ? '' : 's'} that change${p.n === 1 ? 's' : ''} only at`,
            table(['kind', '.when', 'place'], p.reasons.slice(0, 60).map(r => [r.kind, r.text, r.place])),
            p.reasons.length > 60 ? `… and ${p.reasons.length - 60} more` : '',
            make('h3', {}, clocks.length ? `variables; with the number of their clock` : 'variables'),
            ...p.variables.map(v => make('span', { className: 'chip', title: v[1] + (v[3] ? '\n' + v[3] : '') }, v[0] + (v[2] ? ' · clock ' + v[2] : ''))),
            p.n > p.variables.length ? `… and ${p.n - p.variables.length} more` : ''));
    }
    host.replaceChildren(...parts);
}

/* ---- incidence, summary ---- */

function showIncidence(host) {
    if (!equations || !s.n) return host.replaceChildren(s.n ? tooLarge(s.n) : make('div', { className: 'empty' }, 'No equations.'));
    const box = make('div', { style: `height:${Math.max(240, Math.min(innerHeight - 110, s.n * 26 + 150))}px` });
    host.replaceChildren(box);
    s.text = equations.map(e => e.source);
    new StructureView(box, s);
}

/* ---- tabs ---- */

const tabs = [['blocks', 'Blocks', showBlocks], ['reduction', 'Index reduction', showReduction], ['partitions', 'Partitions', showPartitions],
    ['incidence', 'Incidence', showIncidence], ['summary', 'Summary', host => showAnalysis(host, facts.analysis, null)]];
const counts = { reduction: facts.reduction.length, partitions: (facts.partitions || []).length };
const built = new Set();

function openTab(name) {
    for (const [key] of tabs) {
        at('view-' + key).classList.toggle('on', key === name);
        at('tab-' + key).setAttribute('aria-selected', key === name);
    }
    if (!built.has(name)) built.add(name), tabs.find(([key]) => key === name)[2](at('view-' + name));
}

at('title').textContent = facts.title;
at('note').textContent = 'structure, by Acausal ' + facts.version;
at('tabs').append(...tabs.map(([key, text]) => make('button', { id: 'tab-' + key, role: 'tab', onclick: () => openTab(key) }, text, counts[key] ? make('span', { className: 'count' }, counts[key]) : null)));
startTheme(at('theme'));
openTab('blocks');
