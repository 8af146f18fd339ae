'use strict';
/* structure.js: which equation contains which unknown, drawn on a canvas: in the order of the source, or sorted into
 * blocks. Wheel: closer. Drag: move. The pointer tells equation and unknown. */

class StructureView {
    constructor(host, structure) {
        Object.assign(this, { host, s: structure, sorted: true, zoom: 1, dx: 0, dy: 0 });
        this.canvas = make('canvas', { role: 'img', ariaLabel: 'incidence of equations and unknowns' });
        this.area = make('div', { className: 'area' }, this.canvas);
        this.told = make('div', { className: 'told' });
        this.ways = [['sorted into blocks', true], ['as in the source', false]].map(([text, sorted]) =>
            make('button', { ariaPressed: String(sorted === this.sorted), onclick: () => this.sort(sorted) }, text));
        const key = (colour, text) => make('span', { className: 'key' }, make('i', { style: 'background:' + colour }), text);
        host.classList.add('structure');
        host.replaceChildren(
            make('div', { style: 'display:flex;gap:14px;align-items:center;flex-wrap:wrap;padding-bottom:10px' },
                make('span', { className: 'switch' }, ...this.ways),
                make('span', {}, key('#0072B2', 'what it is solved for'), key('#8b939c', 'what it contains'), key('#f3c9a5', 'tearing variable'), key('#009E73', 'block'))),
            this.area, this.told);
        this.arrange();
        this.listen();
        new ResizeObserver(() => this.draw()).observe(this.area);
        window.addEventListener('themechange', () => this.draw());
    }

    sort(sorted) {
        this.sorted = sorted;
        this.ways[0].ariaPressed = String(sorted);
        this.ways[1].ariaPressed = String(!sorted);
        this.arrange();
        this.draw();
    }

    /* Where each row and column of the sorted order is drawn. */
    arrange() {
        const n = this.s.n, ranks = ids => {
            const order = [...ids.keys()].sort((a, b) => ids[a] - ids[b]), rank = new Array(n);
            order.forEach((i, place) => { rank[i] = place; });
            return rank;
        };
        const same = [...Array(n).keys()];
        this.rowAt = this.sorted ? same : ranks(this.s.eq);
        this.columnAt = this.sorted ? same : ranks(this.s.id);
        this.rowOf = new Array(n);
        this.columnOf = new Array(n);
        this.rowAt.forEach((place, i) => { this.rowOf[place] = i; });
        this.columnAt.forEach((place, i) => { this.columnOf[place] = i; });
    }

    cell() {
        const w = this.area.clientWidth, h = this.area.clientHeight;
        return Math.min(26, (Math.min(w, h) - 32) / Math.max(1, this.s.n)) * this.zoom;
    }

    draw() {
        const w = this.area.clientWidth, h = this.area.clientHeight, ratio = window.devicePixelRatio || 1, c = this.canvas.getContext('2d');
        if (!w || !h) return;
        this.canvas.width = w * ratio;
        this.canvas.height = h * ratio;
        this.canvas.style.width = w + 'px';
        this.canvas.style.height = h + 'px';
        c.setTransform(ratio, 0, 0, ratio, 0, 0);
        const cell = this.cell(), left = 16 + this.dx, top = 16 + this.dy, size = this.s.n * cell, s = this.s;
        const style = getComputedStyle(document.documentElement);
        c.fillStyle = style.getPropertyValue('--page');
        c.fillRect(left, top, size, size);
        if (this.sorted)
            for (const [first, end, torn] of s.blocks) {
                if (end - first < 2 && !torn) continue;
                c.fillStyle = isDark() ? '#5a3a20' : '#fbe0c9';
                c.fillRect(left + (end - torn) * cell, top + first * cell, torn * cell, (end - first) * cell);
            }
        const side = Math.max(cell * 0.88, 0.8);
        const dot = (i, j, colour) => { c.fillStyle = colour; c.fillRect(left + this.columnAt[j] * cell, top + this.rowAt[i] * cell, side, side); };
        s.rows.forEach((columns, i) => columns.forEach(j => { if (j !== s.solved[i]) dot(i, j, isDark() ? '#77808c' : '#8b939c'); }));
        s.solved.forEach((j, i) => { if (j >= 0) dot(i, j, isDark() ? '#56B4E9' : '#0072B2'); });
        if (this.sorted) {
            c.strokeStyle = '#009E73';
            c.lineWidth = 1.2;
            for (const [first, end, torn] of s.blocks)
                if (end - first > 1 || torn) c.strokeRect(left + first * cell, top + first * cell, (end - first) * cell, (end - first) * cell);
        }
        c.strokeStyle = style.getPropertyValue('--frame');
        c.lineWidth = 1;
        c.strokeRect(left - 0.5, top - 0.5, size + 1, size + 1);
        this.area.dataset.drawn = s.n;
    }

    tell(e) {
        const r = this.area.getBoundingClientRect(), cell = this.cell(), s = this.s;
        const column = Math.floor((e.clientX - r.left - 16 - this.dx) / cell), row = Math.floor((e.clientY - r.top - 16 - this.dy) / cell);
        if (!(column >= 0 && column < s.n && row >= 0 && row < s.n)) {
            this.told.textContent = '';
            return;
        }
        const i = this.rowOf[row], j = this.columnOf[column], block = s.blocks.findIndex(b => i >= b[0] && i < b[1]);
        const has = s.rows[i].includes(j), gives = s.solved[i] >= 0 ? s.name[s.solved[i]] : 'a residual';
        this.told.textContent = `equation ${s.eq[i] + 1}${s.place[i] ? ' at ' + s.place[i] : ''}, gives ${gives}, block ${block + 1} of ${s.blocks.length}` +
            ` · ${has ? 'contains' : 'without'} ${s.name[j]}` + (s.text ? ` · ${s.text[i]}` : '');
    }

    listen() {
        let drag = null;
        this.area.addEventListener('pointerdown', e => { drag = { x: e.clientX - this.dx, y: e.clientY - this.dy }; this.area.setPointerCapture(e.pointerId); });
        this.area.addEventListener('pointerup', () => { drag = null; });
        this.area.addEventListener('pointermove', e => {
            if (drag) {
                this.dx = e.clientX - drag.x;
                this.dy = e.clientY - drag.y;
                this.draw();
            }
            this.tell(e);
        });
        this.area.addEventListener('dblclick', () => { this.zoom = 1; this.dx = this.dy = 0; this.draw(); });
        this.area.addEventListener('wheel', e => {
            if (e.ctrlKey) return;
            e.preventDefault();
            const r = this.area.getBoundingClientRect(), x = e.clientX - r.left - 16, y = e.clientY - r.top - 16, before = this.zoom;
            this.zoom = Math.max(1, Math.min(200, this.zoom * Math.exp(-e.deltaY * 0.002)));
            const f = this.zoom / before;
            this.dx = this.zoom === 1 ? 0 : x - (x - this.dx) * f;
            this.dy = this.zoom === 1 ? 0 : y - (y - this.dy) * f;
            this.draw();
        }, { passive: false });
    }
}

/* ---- what analysis says, as cards and tables ---- */

function cards(rows) {
    return make('div', { className: 'cards' }, ...rows.filter(r => r[1] !== undefined && r[1] !== null).map(([label, value]) =>
        make('div', { className: 'card' }, make('b', { title: String(value) }, String(value)), make('span', {}, label))));
}

function table(heads, rows) {
    const cell = (tag, value, i) => make(tag, { className: heads[i].startsWith('#') ? 'number' : heads[i].startsWith('.') ? 'mono' : '' }, value);
    return make('table', {},
        make('thead', {}, make('tr', {}, ...heads.map((h, i) => cell('th', h.replace(/^[#.]/, ''), i)))),
        make('tbody', {}, ...rows.map(r => make('tr', {}, ...r.map((v, i) => cell('td', v instanceof Node ? v : String(v), i))))));
}

function sheet(title, ...content) {
    return make('div', { className: 'sheet' }, make('h2', {}, title), ...content);
}

function showAnalysis(host, a, structure) {
    const percent = v => Math.round(1000 * v) / 10 + ' %', parts = [];
    parts.push(cards([['equations', a.equations], ['states', a.states.length], ['index', a.index], ['aliases removed', a.aliases],
        ['blocks to solve', a.continuous.linear + a.continuous.nonlinear], ['largest block', a.continuous.largest], ['tearing variables', a.continuous.torn],
        ['Jacobian entries', a.jacobian.entries], ['exact entries', percent(a.jacobian.exact_share)], ['relations', a.relations.length]]));
    if (structure && structure.n && structure.rows) {
        const box = make('div');
        parts.push(sheet('Equations and unknowns', box));
        box.style.height = Math.max(150, Math.min(640, structure.n * 26 + 130)) + 'px';
        new StructureView(box, structure);
    }
    if (a.states.length) parts.push(sheet('States', table(['.state', 'why'], a.states.slice(0, 500).map(s => [s.name, s.why]))));
    if (a.not_states.length) parts.push(sheet('Differentiated, but not states', table(['.variable', 'why'], a.not_states.slice(0, 200).map(s => [s.name, s.why]))));
    for (const [key, title] of [['continuous', 'Blocks, at each step'], ['initial', 'Blocks, at the start']])
        if (a[key].blocks.length)
            parts.push(sheet(title, table(['#block', 'kind', '#equations', '.tearing'], a[key].blocks.slice(0, 200).map(b => [b.number, b.kind, b.size, b.tearing.slice(0, 12).join(', ') + (b.tearing.length > 12 ? ', …' : '')]))));
    if (a.relations.length) parts.push(sheet('Relations that make events', table(['.relation', 'place', 'kind'], a.relations.slice(0, 200).map(r => [r.text, r.place, r.time_event ? 'time event' : 'state event']))));
    host.replaceChildren(...parts);
}

/* A diagnostic as the program gives it. */
function diagnosticBox(d) {
    const place = d.file ? d.file + (d.line ? ':' + d.line + (d.column ? ':' + d.column : '') : '') : '';
    return make('div', { className: 'diagnostic ' + (d.severity || '') },
        make('div', {}, make('b', {}, (d.severity || 'note') + (d.code ? ' ' + d.code : '') + ': '), d.message || d.text || ''),
        place ? make('div', { className: 'where' }, place) : null,
        ...(d.hints || []).map(h => make('div', { className: 'hint' }, h)));
}
