'use strict';
/* diagram.js: the diagram of a class, drawn by the server: to look at, and, in a model of the directory, to build with. Every change is a
 * change of the text in its file, which the server makes in place; undo puts the text before it back. */

const SVG = 'http://www.w3.org/2000/svg', GRID = 2;
const diagram = { svg: null, about: null, box: null, chosen: new Set(), line: null, past: [], future: [], stamp: '', icon: false, layer: null, busy: null };

const writable = () => !!(viewed && viewed.source !== undefined && !readOnly && !diagram.icon);
const round = v => Number(v.toFixed(2));
const snap = v => Math.round(v / GRID) * GRID;
const points = list => '{' + list.map(p => `{${round(p[0])}, ${round(p[1])}}`).join(', ') + '}';

/* ---- showing ---- */

async function showDiagram(keepView) {
    const host = at('diagram'), wanted = viewed;
    if (!wanted) return host.replaceChildren(make('div', { className: 'empty' }, t('Choose a class.')));
    const ids = { source: wanted.source, class: wanted.name };
    let drawing, about;
    try {
        [drawing, about] = await Promise.all([ask('GET', 'draw', { ...ids, icon: diagram.icon ? 1 : undefined }), ask('GET', 'describe', ids)]);
    } catch (e) {
        return host.replaceChildren(make('div', { className: 'empty' }, e.message));
    }
    if (wanted !== viewed) return;
    const parsed = drawing.svg ? new DOMParser().parseFromString(drawing.svg, 'image/svg+xml').documentElement : null;
    diagram.about = about.described;
    diagram.line = null;
    for (const name of [...diagram.chosen]) if (!componentOf(name)) diagram.chosen.delete(name);
    if (!parsed || parsed.nodeName !== 'svg') {
        host.replaceChildren(make('div', { className: 'empty' }, ...about.diagnostics.slice(0, 5).map(diagnosticBox)));
        return;
    }
    const focused = host.contains(document.activeElement), svg = document.importNode(parsed, true), same = keepView && diagram.box && host.dataset.shown === wanted.name;
    diagram.svg = svg;
    host.replaceChildren(svg);
    host.dataset.shown = wanted.name;
    svg.setAttribute('role', 'group');
    svg.setAttribute('aria-label', wanted.name);
    const [x, y, w, h] = svg.getAttribute('viewBox').split(' ').map(Number);
    diagram.whole = { x: x - 4, y: y - 4, w: w + 8, h: h + 8 };
    if (!same) diagram.box = { ...diagram.whole };
    drawFrame();
    makeHits();
    diagram.layer = svg.appendChild(document.createElementNS(SVG, 'g'));
    diagram.dynamic = [...svg.querySelectorAll('[data-dynamic]')].map(makeDynamic);
    zoomTo(diagram.box);
    showBar(about.diagnostics);
    mark();
    if (!diagram.about || (!diagram.about.components.length && !svg.querySelector('path,text,image'))) {
        const text = writable() ? t('Drag components here from the libraries, or double-click them there.') : t('Nothing to draw: the class has no graphics and no placed components.');
        host.append(make('div', { className: 'hint' }, text));
    }
    animate();
    if (focused) ((diagram.chosen.size === 1 && groupOf([...diagram.chosen][0])) || host).focus({ preventScroll: true });
    if (!document.documentElement.dataset.diagram) document.documentElement.dataset.diagram = performance.now().toFixed(0);
}

function componentOf(name) {
    return diagram.about && diagram.about.components.find(c => c.name === name);
}

function showBar(diagnostics) {
    at('diagram-name').textContent = viewed.name + (viewed.source === undefined || readOnly ? '  (' + t('read only') + ')' : '');
    at('diagram-name').title = (diagnostics || []).map(d => d.message).join('\n');
    for (const id of ['rotate', 'mirror', 'remove', 'undo', 'redo']) at('diagram-' + id).hidden = !writable();
    at('diagram-undo').disabled = !diagram.past.length;
    at('diagram-redo').disabled = !diagram.future.length;
    at('diagram-extend').hidden = readOnly || viewed.source !== undefined;
    at('diagram-icon').setAttribute('aria-pressed', String(diagram.icon));
    const any = diagram.chosen.size > 0 || diagram.line !== null;
    for (const id of ['rotate', 'mirror']) at('diagram-' + id).disabled = !diagram.chosen.size;
    at('diagram-remove').disabled = !any;
}

/* The sheet that the coordinate system is. */
function drawFrame() {
    const [x0, y0, x1, y1] = diagram.svg.dataset.frame.split(' ').map(Number), r = document.createElementNS(SVG, 'rect');
    const all = { x: x0, y: -y1, width: x1 - x0, height: y1 - y0, class: 'sheet-frame' };
    for (const [k, v] of Object.entries(all)) r.setAttribute(k, v);
    diagram.svg.prepend(r);
}

/* Where a component is, as [x0, y0, x1, y1] in the diagram's coordinates; null: it has no place. */
function extentOf(c) {
    const tr = c && c.annotation && c.annotation.Placement && c.annotation.Placement.transformation;
    if (!tr) return null;
    const e = Array.isArray(tr.extent) ? tr.extent : [[-10, -10], [10, 10]], o = Array.isArray(tr.origin) ? tr.origin : [0, 0], r = (typeof tr.rotation === 'number' ? tr.rotation : 0) * Math.PI / 180;
    const turn = ([x, y]) => [o[0] + x * Math.cos(r) - y * Math.sin(r), o[1] + x * Math.sin(r) + y * Math.cos(r)];
    if (!e.every(p => Array.isArray(p) && p.every(v => typeof v === 'number'))) return null;
    const a = turn(e[0]), b = turn(e[1]);
    return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[0], b[0]), Math.max(a[1], b[1])];
}

/* Something to hit, and something to focus, for each component; lines get a broad invisible companion. */
function makeHits() {
    for (const g of diagram.svg.querySelectorAll('g[data-component]')) {
        const path = g.dataset.component, c = componentOf(path.split('[')[0]), top = !path.includes('.'), e = top ? extentOf(c) : null, r = document.createElementNS(SVG, 'rect');
        let box = e ? { x: e[0], y: -e[3], width: e[2] - e[0], height: e[3] - e[1] } : null;
        if (!box) try { box = g.getBBox(); } catch (x) { continue; }
        r.setAttribute('class', 'hit');
        for (const k of ['x', 'y', 'width', 'height']) r.setAttribute(k, box[k]);
        g.prepend(r);
        const title = document.createElementNS(SVG, 'title');
        title.textContent = path + (c ? ': ' + c.type + (c.description ? '\n' + c.description : '') : '');
        g.prepend(title);
        if (!top) continue;
        g.setAttribute('tabindex', '0');
        g.setAttribute('role', 'button');
        g.setAttribute('aria-label', path + (c ? ', ' + c.type.split('.').pop() : ''));
        g.addEventListener('focus', () => { if (!diagram.busy && !diagram.chosen.has(path)) choose([path]); });
    }
    for (const g of diagram.svg.querySelectorAll('g[data-connection]')) {
        const p = g.querySelector('path');
        if (!p) continue;
        const wide = p.cloneNode();
        wide.setAttribute('class', 'wide');
        g.append(wide);
    }
}

function zoomTo(box) {
    diagram.box = box;
    diagram.svg.setAttribute('viewBox', `${box.x} ${box.y} ${box.w} ${box.h}`);
}

function zoom(factor, at0) {
    const b = diagram.box, c = at0 || [b.x + b.w / 2, b.y + b.h / 2], w = Math.min(Math.max(b.w * factor, 10), 20 * diagram.whole.w), k = w / b.w;
    zoomTo({ x: c[0] - (c[0] - b.x) * k, y: c[1] - (c[1] - b.y) * k, w, h: b.h * k });
}

/* From the screen to the picture, y downward. */
function place(e) {
    const m = diagram.svg.getScreenCTM();
    return m ? [(e.clientX - m.e) / m.a, (e.clientY - m.f) / m.d] : [0, 0];
}

/* ---- choosing ---- */

function choose(names, more) {
    if (!more) diagram.chosen.clear();
    diagram.line = null;
    for (const n of names) diagram.chosen.has(n) && more ? diagram.chosen.delete(n) : diagram.chosen.add(n);
    mark();
}

function groupOf(name) {
    return diagram.svg && [...diagram.svg.querySelectorAll('g[data-component]')].find(g => g.dataset.component === name);
}

function mark() {
    if (!diagram.layer) return;
    const marks = [];
    for (const name of diagram.chosen) {
        const e = extentOf(componentOf(name)), r = document.createElementNS(SVG, 'rect');
        if (!e) continue;
        r.setAttribute('class', 'chosen');
        const all = { x: e[0] - 1.5, y: -e[3] - 1.5, width: e[2] - e[0] + 3, height: e[3] - e[1] + 3 };
        for (const [k, v] of Object.entries(all)) r.setAttribute(k, v);
        marks.push(r);
    }
    for (const g of diagram.svg.querySelectorAll('g[data-connection]')) g.classList.toggle('on', diagram.line !== null && Number(g.dataset.connection) === diagram.line);
    diagram.layer.replaceChildren(...marks);
    showBar();
    say([...diagram.chosen].map(n => n + (componentOf(n) ? ': ' + componentOf(n).type : '')).join(', ') || (diagram.line !== null ? lineText(diagram.line) : ''));
}

const lineText = i => { const c = diagram.about.connections[i]; return c ? `connect(${c.from}, ${c.to})` : ''; };

/* ---- changes ---- */

/* One or more changes as one step; each has kind, name, other, text, annotation. */
async function change(edits) {
    if (!writable()) return say(t('this class is read-only: extend it to change it'), true), false;
    if (at('code').value !== savedText && viewed.source === (current && current.source)) await save();
    const fields = { kind: [], name: [], other: [], text: [], annotation: [] };
    for (const e of edits) for (const k of Object.keys(fields)) fields[k].push(e[k] || '');
    const ids = { source: viewed.source, class: viewed.name };
    try {
        const before = await ask('GET', 'source', ids);
        const after = await ask('POST', 'edit', { ...ids, ...fields, stamp: before.stamp });
        diagram.past.push({ name: viewed.name, text: before.text });
        diagram.future = [];
        changed(after);
        return true;
    } catch (e) {
        say(e.message, true);
        showDiagram(true);
        return false;
    }
}

/* The text is another one: everything that shows it follows. */
async function changed({ text, stamp }) {
    diagram.stamp = stamp;
    if (current && current.source === viewed.source) {
        sourceStamp = stamp;
        savedText = text;
        at('code').value = text;
        edited();
        checkSoon();
    }
    await showDiagram(true);
}

let checking = null;

function checkSoon() {
    clearTimeout(checking);
    checking = setTimeout(() => { if (current) translate(); }, 400);
}

async function step(from, to, none) {
    const last = from[from.length - 1];
    if (!last || last.name !== viewed.name) return say(t(none));
    const ids = { source: viewed.source, class: viewed.name };
    try {
        const now = await ask('GET', 'source', ids), { stamp } = await ask('POST', 'save', { ...ids, text: last.text, stamp: now.stamp });
        from.pop();
        to.push({ name: viewed.name, text: now.text });
        changed({ text: last.text, stamp });
    } catch (e) {
        say(e.message, true);
    }
}

const undo = () => step(diagram.past, diagram.future, 'nothing to undo');
const redo = () => step(diagram.future, diagram.past, 'nothing to redo');

/* ---- placing ---- */

/* A placement as middle, half sizes with signs for mirroring, rotation. */
function readPlace(c) {
    const tr = c.annotation.Placement.transformation, e = Array.isArray(tr.extent) ? tr.extent : [[-10, -10], [10, 10]], o = Array.isArray(tr.origin) ? tr.origin : [0, 0], deg = typeof tr.rotation === 'number' ? tr.rotation : 0;
    const r = deg * Math.PI / 180, mx = (e[0][0] + e[1][0]) / 2, my = (e[0][1] + e[1][1]) / 2;
    return { x: o[0] + mx * Math.cos(r) - my * Math.sin(r), y: o[1] + mx * Math.sin(r) + my * Math.cos(r), w: (e[1][0] - e[0][0]) / 2, h: (e[1][1] - e[0][1]) / 2, deg };
}

function writePlace({ x, y, w, h, deg }) {
    deg = ((deg + 180) % 360 + 360) % 360 - 180;
    if (deg === -180) deg = 180;
    if (!deg) return `transformation(extent = ${points([[x - w, y - h], [x + w, y + h]])})`;
    return `transformation(extent = ${points([[-w, -h], [w, h]])}, rotation = ${round(deg)}, origin = {${round(x)}, ${round(y)}})`;
}

/* The chosen ones that are declared here and have a place. */
function movable() {
    const all = [...diagram.chosen].map(componentOf).filter(c => c && c.annotation && c.annotation.Placement && c.annotation.Placement.transformation), own = all.filter(c => !c.from);
    if (own.length < all.length) say(all.find(c => c.from).name + ' ' + t('is inherited, and can be changed where it is declared'), true);
    return own;
}

/* Lines at components that move by (dx, dy): their ends go along, their corners stay square. */
function followingLines(names, dx, dy) {
    const edits = [];
    diagram.about.connections.forEach((c, i) => {
        const line = c.annotation && c.annotation.Line && c.annotation.Line.points;
        if (!Array.isArray(line) || c.inherited) return;
        const first = names.has(c.from.split(/[.[]/)[0]), last = names.has(c.to.split(/[.[]/)[0]);
        if (!first && !last) return;
        edits.push({ index: i, points: first && last ? line.map(([x, y]) => [x + dx, y + dy]) : shiftEnds(line, first, last, dx, dy) });
    });
    return edits;
}

function shiftEnds(line, first, last, dx, dy) {
    const p = line.map(q => [...q]);
    if (last) p.reverse();
    if (p.length === 2 && (p[0][0] === p[1][0] || p[0][1] === p[1][1]) && dx && dy) {
        const flat = p[0][1] === p[1][1], m = flat ? (p[0][0] + p[1][0]) / 2 : (p[0][1] + p[1][1]) / 2;
        p.splice(1, 0, ...(flat ? [[m, p[0][1]], [m, p[1][1]]] : [[p[0][0], m], [p[1][0], m]]));
    } else if (p.length === 2) {
        const flat = p[0][1] === p[1][1], off = flat ? dy : dx;
        if (off) { const m = flat ? (p[0][0] + p[1][0]) / 2 : (p[0][1] + p[1][1]) / 2; p.splice(1, 0, ...(flat ? [[m, p[0][1]], [m, p[1][1]]] : [[p[0][0], m], [p[1][0], m]])); }
    }
    const flat = p.length > 2 && p[0][1] === p[1][1];
    p[0][0] += dx;
    p[0][1] += dy;
    if (p.length > 2) p[1][flat ? 1 : 0] = p[0][flat ? 1 : 0];
    if (last) p.reverse();
    return p;
}

function moveChosen(dx, dy) {
    const own = movable();
    if (!own.length || (!dx && !dy)) return;
    const names = new Set(own.map(c => c.name));
    change([...own.map(c => { const p = readPlace(c); return { kind: 'place', name: c.name, text: writePlace({ ...p, x: p.x + dx, y: p.y + dy }) }; }),
        ...followingLines(names, dx, dy).map(l => ({ kind: 'route', name: diagram.about.connections[l.index].from, other: diagram.about.connections[l.index].to, text: points(l.points) }))]);
}

function turnChosen(make0) {
    const own = movable();
    if (own.length) change(own.map(c => ({ kind: 'place', name: c.name, text: writePlace(make0(readPlace(c))) })));
}

const rotateChosen = by => turnChosen(p => ({ ...p, deg: p.deg + by }));
const mirrorChosen = () => turnChosen(p => (Math.abs(p.deg) % 180 === 90 ? { ...p, h: -p.h } : { ...p, w: -p.w }));

function removeChosen() {
    if (diagram.line !== null) {
        const c = diagram.about.connections[diagram.line];
        return c.inherited ? say(lineText(diagram.line) + ' ' + t('is inherited, and can be changed where it is declared'), true) : change([{ kind: 'disconnect', name: c.from, other: c.to }]);
    }
    const own = [...diagram.chosen].map(componentOf).filter(c => c && !c.from);
    if (own.length < diagram.chosen.size) return say([...diagram.chosen].find(n => (componentOf(n) || {}).from) + ' ' + t('is inherited, and can be changed where it is declared'), true);
    diagram.chosen.clear();
    return own.length ? change(own.map(c => ({ kind: 'remove', name: c.name }))) : undefined;
}

/* ---- adding ---- */

function freeName(wish) {
    const taken = new Set(diagram.about.components.map(c => c.name));
    if (!taken.has(wish)) return wish;
    const stem = wish.replace(/\d+$/, '');
    let n = 1;
    while (taken.has(stem + n)) n++;
    return stem + n;
}

/* A free place near the middle of the view, or where something was dropped. */
async function addToDiagram(name, where) {
    if (!viewed || !diagram.about || !writable()) {
        view(name);
        return openTab('diagram');
    }
    let about;
    try {
        about = (await ask('GET', 'describe', { class: name, source: isOwn(name) })).described;
    } catch (e) {
        return say(e.message, true);
    }
    if (!about) return undefined;
    if (!['model', 'block', 'connector', 'class', 'record', 'type'].includes(about.kind)) return say(`a ${about.kind} is no component`, true);
    if (about.partial) return say(`${name} is partial: it is there to be extended`, true);
    if (name === viewed.name) return say('a class cannot contain itself', true);
    const a = about.annotation || {}, wish = a.defaultComponentName || name.split('.').pop().replace(/^./, c => c.toLowerCase()), b = diagram.box;
    const at0 = where || freePlace([b.x + b.w / 2, -(b.y + b.h / 2)]), [x, y] = at0.map(snap), half = a.Icon && a.Icon.coordinateSystem && typeof a.Icon.coordinateSystem.initialScale === 'number' ? 100 * Math.min(0.2, a.Icon.coordinateSystem.initialScale) : 10;
    const prefixes = typeof a.defaultComponentPrefixes === 'string' ? a.defaultComponentPrefixes.trim() + ' ' : '', own = freeName(/^[A-Za-z_]\w*$/.test(wish) ? wish : 'part');
    openTab('diagram');
    if (await change([{ kind: 'add', name: own, other: prefixes + name, annotation: `Placement(${writePlace({ x, y, w: half, h: half, deg: 0 })})` }])) choose([own]);
}

function freePlace([x, y]) {
    const taken = diagram.about.components.map(extentOf).filter(Boolean);
    for (let ring = 0; ring < 8; ring++)
        for (let i = -ring; i <= ring; i++)
            for (const [dx, dy] of [[i, -ring], [i, ring], [-ring, i], [ring, i]]) {
                const px = snap(x) + 40 * dx, py = snap(y) + 40 * dy;
                if (!taken.some(e => px + 14 > e[0] && px - 14 < e[2] && py + 14 > e[1] && py - 14 < e[3])) return [px, py];
            }
    return [x, y];
}

let clipboard = [];

function copyChosen() {
    clipboard = [...diagram.chosen].map(componentOf).filter(c => c && c.annotation && c.annotation.Placement).map(c => ({ name: c.name, type: c.type, modifiers: c.modifiers || '', sizes: c.sizes, place: readPlace(c) }));
    say(clipboard.map(c => c.name).join(', '));
}

async function pasteCopied() {
    const names = [], edits = clipboard.map(c => {
        const name = freeName(c.name);
        diagram.about.components.push({ name });
        names.push(name);
        return { kind: 'add', name, other: c.type, text: (c.sizes ? '[' + c.sizes.map(n => n ?? ':').join(', ') + ']' : '') + c.modifiers, annotation: `Placement(${writePlace({ ...c.place, x: c.place.x + 10, y: c.place.y - 10 })})` };
    });
    if (edits.length && await change(edits)) choose(names);
}

/* ---- connecting ---- */

/* Where a connector is, which way its component lies from it, and its colour. */
function connectorAt(g) {
    const m = g.dataset.matrix.split(' ').map(Number), path = g.dataset.component, e = extentOf(componentOf(path.split(/[.[]/)[0])), x = round(m[4]), y = round(-m[5]);
    let flat = true;
    if (e && path.includes('.')) flat = Math.abs(x - (e[0] + e[2]) / 2) / Math.max(1, e[2] - e[0]) >= Math.abs(y - (e[1] + e[3]) / 2) / Math.max(1, e[3] - e[1]) - 1e-9;
    const p = [...g.querySelectorAll('path')].find(q => q.getAttribute('stroke') || q.getAttribute('fill') !== 'none');
    return { path, x, y, flat, colour: p && (p.getAttribute('stroke') || p.getAttribute('fill')) || '#000000' };
}

/* Square corners from a to b; given corners in between stay. */
function route(a, b, corners) {
    const out = [[a.x, a.y]];
    let flat = a.flat;
    for (const c of corners) {
        const last = out[out.length - 1];
        if (c[0] !== last[0] && c[1] !== last[1]) out.push(flat ? [c[0], last[1]] : [last[0], c[1]]);
        out.push(c);
        flat = out[out.length - 2][0] === c[0];
    }
    const last = out[out.length - 1];
    if (last[0] !== b.x && last[1] !== b.y) {
        if (flat && b.flat) { const m = snap((last[0] + b.x) / 2); out.push([m, last[1]], [m, b.y]); }
        else if (!flat && !b.flat) { const m = snap((last[1] + b.y) / 2); out.push([last[0], m], [b.x, m]); }
        else out.push(flat ? [b.x, last[1]] : [last[0], b.y]);
    }
    out.push([b.x, b.y]);
    return out.filter((p, i) => !i || p[0] !== out[i - 1][0] || p[1] !== out[i - 1][1]);
}

function rgb(colour) {
    const v = parseInt(colour.slice(1), 16);
    return `{${v >> 16}, ${v >> 8 & 255}, ${v & 255}}`;
}

const reasons = new Map();

async function whyNot(from, to) {
    const key = viewed.name + '|' + from + '|' + to;
    if (!reasons.has(key)) reasons.set(key, (await ask('GET', 'whynot', { source: viewed.source, class: viewed.name, from, to })).why);
    return reasons.get(key);
}

function connectorUnder(e) {
    const below = document.elementsFromPoint(e.clientX, e.clientY).map(x => x.closest && x.closest('g.connector')).filter(g => g && diagram.svg.contains(g));
    return below[0] || null;
}

function beginLine(g) {
    const from = connectorAt(g), line = diagram.layer.appendChild(document.createElementNS(SVG, 'polyline'));
    line.setAttribute('class', 'new-line');
    diagram.busy = { kind: 'line', from, corners: [], line, target: null, why: null };
}

async function dragLine(e) {
    const b = diagram.busy, p = place(e), g = connectorUnder(e), to = g && g.dataset.component !== b.from.path ? connectorAt(g) : null;
    const end = to || { x: snap(p[0]), y: snap(-p[1]), flat: Math.abs(snap(p[0]) - b.from.x) >= Math.abs(snap(-p[1]) - b.from.y) };
    b.line.setAttribute('points', route(b.from, end, b.corners).map(q => q[0] + ',' + -q[1]).join(' '));
    if ((to && to.path) === b.target) return;
    b.target = to && to.path;
    b.why = null;
    b.line.classList.remove('good', 'bad');
    if (!to) return say('');
    const why = await whyNot(b.from.path, to.path).catch(() => null);
    if (diagram.busy !== b || b.target !== to.path) return;
    b.why = why;
    b.line.classList.add(why ? 'bad' : 'good');
    say(why ? `${b.from.path} – ${to.path}: ${t('cannot be connected')}: ${why}` : `connect(${b.from.path}, ${to.path})`, !!why);
}

async function endLine(e) {
    const b = diagram.busy, g = connectorUnder(e), to = g && g.dataset.component !== b.from.path ? connectorAt(g) : null;
    if (!to) {
        const p = place(e);
        if (Math.hypot(snap(p[0]) - b.from.x, snap(-p[1]) - b.from.y) < 4 && !b.corners.length) return cancelBusy();
        b.corners.push([snap(p[0]), snap(-p[1])]); /* a corner; the next click goes on */
        return undefined;
    }
    const why = await whyNot(b.from.path, to.path).catch(x => x.message);
    cancelBusy();
    if (why) return say(`${t('cannot be connected')}: ${why}`, true);
    return change([{ kind: 'connect', name: b.from.path, other: to.path, annotation: `Line(points = ${points(route(b.from, to, b.corners))}, color = ${rgb(b.from.colour)})` }]);
}

function cancelBusy() {
    if (diagram.busy && diagram.busy.line) diagram.busy.line.remove();
    diagram.busy = null;
    mark();
}

/* ---- the pointer ---- */

const fingers = new Map();

function pointerDown(e) {
    if (!diagram.svg || e.button > 1) return;
    fingers.set(e.pointerId, e);
    if (fingers.size === 2) return void (diagram.busy = { kind: 'pinch' });
    const b = diagram.busy;
    if (b && b.kind === 'line') return;
    const connector = e.target.closest('g.connector'), top = e.target.closest('g[data-component]:not([data-component*="."])'), line = e.target.closest('g[data-connection]');
    at('diagram').setPointerCapture(e.pointerId);
    if (e.button === 1 || (!top && !line && !e.shiftKey)) {
        diagram.busy = { kind: 'pan', from: place(e), box: { ...diagram.box }, moved: false };
    } else if (!top && !line) {
        diagram.busy = { kind: 'band', from: place(e) };
    } else if (connector && writable() && !(connector === top && diagram.chosen.has(top.dataset.component))) {
        beginLine(connector);
        diagram.busy.start = [e.clientX, e.clientY];
        diagram.busy.top = top;
    } else if (top) {
        const name = top.dataset.component;
        if (e.shiftKey || e.ctrlKey) choose([name], true);
        else if (!diagram.chosen.has(name)) choose([name]);
        diagram.busy = { kind: 'move', from: place(e), dx: 0, dy: 0 };
    } else {
        diagram.chosen.clear();
        diagram.line = Number(line.dataset.connection);
        mark();
        diagram.busy = { kind: 'segment', from: place(e), group: line };
    }
}

function pointerMove(e) {
    const b = diagram.busy;
    if (fingers.has(e.pointerId) && b && b.kind === 'pinch') return pinch(e);
    if (!b || !diagram.svg) return;
    const p = place(e);
    if (b.kind === 'pan') {
        b.moved = b.moved || Math.hypot(p[0] - b.from[0], p[1] - b.from[1]) > 0.5;
        zoomTo({ ...diagram.box, x: diagram.box.x - (p[0] - b.from[0]), y: diagram.box.y - (p[1] - b.from[1]) });
    } else if (b.kind === 'move') {
        dragMove(b, snap(p[0] - b.from[0]), snap(p[1] - b.from[1]));
    } else if (b.kind === 'line') {
        dragLine(e);
    } else if (b.kind === 'segment') {
        dragSegment(b, p);
    } else if (b.kind === 'band') {
        dragBand(b, p);
    }
}

function pinch(e) {
    const [a, c] = [...fingers.values()], before = Math.hypot(a.clientX - c.clientX, a.clientY - c.clientY);
    fingers.set(e.pointerId, e);
    const [x, y] = [...fingers.values()], after = Math.hypot(x.clientX - y.clientX, x.clientY - y.clientY);
    if (before && after) zoom(before / after, place({ clientX: (x.clientX + y.clientX) / 2, clientY: (x.clientY + y.clientY) / 2 }));
}

function dragMove(b, dx, dy) {
    if (!writable() || (dx === b.dx && dy === b.dy)) return;
    b.dx = dx;
    b.dy = dy;
    const own = movable(), names = new Set(own.map(c => c.name));
    for (const c of own) groupOf(c.name).setAttribute('transform', `translate(${dx} ${dy})`);
    diagram.layer.setAttribute('transform', `translate(${dx} ${dy})`);
    for (const l of followingLines(names, dx, -dy)) showLine(l.index, l.points);
}

function showLine(index, list) {
    const g = diagram.svg.querySelector(`g[data-connection="${index}"]`);
    if (g) for (const p of g.querySelectorAll('path')) p.setAttribute('d', 'M' + list.map(q => q[0] + ' ' + -q[1]).join('L'));
}

/* A piece of a line goes across its own direction; ends stay where their connectors are. */
function dragSegment(b, p) {
    const c = diagram.about.connections[diagram.line], line = c && c.annotation && c.annotation.Line && c.annotation.Line.points;
    if (!writable() || !Array.isArray(line) || c.inherited) return;
    if (b.segment === undefined) {
        let best = Infinity;
        for (let i = 0; i + 1 < line.length; i++) {
            const [x0, y0] = line[i], [x1, y1] = line[i + 1], l = Math.hypot(x1 - x0, y1 - y0) || 1, u = Math.max(0, Math.min(1, ((b.from[0] - x0) * (x1 - x0) + (-b.from[1] - y0) * (y1 - y0)) / l / l));
            const far = Math.hypot(x0 + u * (x1 - x0) - b.from[0], y0 + u * (y1 - y0) + b.from[1]);
            if (far < best) best = far, b.segment = i;
        }
    }
    const q = line.map(x => [...x]);
    let i = b.segment;
    if (i === 0) q.splice(0, 0, [...q[0]]), i++;
    if (i + 2 === q.length) q.push([...q[q.length - 1]]);
    const k = q[i][0] === q[i + 1][0] ? 0 : 1, to = snap(k ? -p[1] : p[0]);
    q[i][k] = q[i + 1][k] = to;
    b.points = q.filter((x, n) => !n || x[0] !== q[n - 1][0] || x[1] !== q[n - 1][1]);
    showLine(diagram.line, b.points);
}

function dragBand(b, p) {
    const x0 = Math.min(p[0], b.from[0]), y0 = Math.min(p[1], b.from[1]), x1 = Math.max(p[0], b.from[0]), y1 = Math.max(p[1], b.from[1]);
    choose(diagram.about.components.filter(c => { const e = extentOf(c); return e && e[0] >= x0 && e[2] <= x1 && -e[3] >= y0 && -e[1] <= y1; }).map(c => c.name));
    const r = diagram.layer.appendChild(document.createElementNS(SVG, 'rect'));
    r.setAttribute('class', 'chosen');
    for (const [k, v] of Object.entries({ x: x0, y: y0, width: x1 - x0, height: y1 - y0 })) r.setAttribute(k, v);
}

function pointerUp(e) {
    const b = diagram.busy;
    fingers.delete(e.pointerId);
    if (!b) return;
    if (b.kind === 'line') {
        const still = b.start && Math.hypot(e.clientX - b.start[0], e.clientY - b.start[1]) < 4;
        b.start = null;
        if (still && !b.corners.length && b.top && !b.clicked) {
            /* a click on a connector begins a line that the next click ends; it chooses the component, too */
            b.clicked = true;
            diagram.chosen.clear();
            diagram.chosen.add(b.top.dataset.component);
            return;
        }
        endLine(e);
        return;
    }
    diagram.busy = null;
    if (b.kind === 'pan' && !b.moved) choose([]);
    if (b.kind === 'move' && (b.dx || b.dy)) moveChosen(b.dx, -b.dy);
    if (b.kind === 'segment' && b.points) {
        const c = diagram.about.connections[diagram.line];
        change([{ kind: 'route', name: c.from, other: c.to, text: points(b.points) }]);
    }
    if (b.kind === 'band') mark();
}

/* ---- keys ---- */

function diagramKeys(e) {
    const ctrl = e.ctrlKey || e.metaKey, far = e.shiftKey ? 10 : 2, moves = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] }, key = e.key.toLowerCase();
    if (ctrl && key === 'z') e.shiftKey ? redo() : undo();
    else if (ctrl && key === 'y') redo();
    else if (ctrl && key === 'c') copyChosen();
    else if (ctrl && key === 'v') pasteCopied();
    else if (ctrl && key === 'a') choose(diagram.about.components.filter(extentOf).map(c => c.name));
    else if (ctrl) return;
    else if (moves[e.key] && diagram.chosen.size) moveChosen(...moves[e.key]);
    else if (moves[e.key]) zoomTo({ ...diagram.box, x: diagram.box.x + 4 * moves[e.key][0], y: diagram.box.y - 4 * moves[e.key][1] });
    else if (e.key === 'Delete' || e.key === 'Backspace') removeChosen();
    else if (e.key === 'Escape') diagram.busy ? cancelBusy() : choose([]);
    else if (key === 'r') rotateChosen(e.shiftKey ? -90 : 90);
    else if (key === 'h') mirrorChosen();
    else if (e.key === '+') zoom(0.8);
    else if (e.key === '-') zoom(1.25);
    else if (key === 'f') zoomTo({ ...diagram.whole });
    else if (e.key === 'Enter' && diagram.chosen.size) openDialog([...diagram.chosen][0]);
    else return;
    e.preventDefault();
}

/* ---- what follows time ---- */

/* A part of the picture that DynamicSelect or a variable decides: what it was, and what each property is computed by. */
function makeDynamic(node) {
    const all = JSON.parse(node.dataset.dynamic), path = all[''], m = (node.dataset.matrix || '1 0 0 1 0 0').split(' ').map(Number);
    const parts = Object.entries(all).filter(([k]) => k).map(([key, text]) => ({ key, run: compileExpression(text) })).filter(p => p.run);
    return { node, path, m, parts, text: node.nodeName === 'text' ? node.textContent : null };
}

const colourOf = v => Array.isArray(v) && v.length === 3 ? `rgb(${v.map(x => Math.max(0, Math.min(255, Math.round(x)))).join(',')})` : null;

function applyDynamic(d, lookup) {
    const at0 = ([x, y]) => { const [a, b, c, e, f, g] = d.m; return `${a * x + c * -y + f} ${b * x + e * -y + g}`; };
    for (const { key, run } of d.parts) {
        let v;
        try { v = run(name => lookup(d.path, name)); } catch (x) { continue; }
        const fill = key === 'fillColor' || key === 'textColor' || (key === 'lineColor' && d.text !== null);
        if (fill && colourOf(v) && (d.text !== null || d.node.getAttribute('fill') !== 'none')) d.node.setAttribute('fill', colourOf(v));
        else if ((key === 'lineColor' || key === 'color') && colourOf(v)) d.node.setAttribute('stroke', colourOf(v));
        else if (key === 'textString' || key === 'string') d.node.textContent = String(v);
        else if (key === 'visible') d.node.style.display = v ? '' : 'none';
        else if (key === 'fillPattern') d.node.style.fill = String(v).endsWith('None') ? 'none' : '';
        else if (key === 'extent' && Array.isArray(v) && v.every(Array.isArray)) {
            const [[x0, y0], [x1, y1]] = v;
            if ([x0, y0, x1, y1].every(Number.isFinite)) d.node.setAttribute('d', `M${at0([x0, y0])}L${at0([x1, y0])}L${at0([x1, y1])}L${at0([x0, y1])}Z`);
        } else if (key === 'points' && Array.isArray(v) && v.every(p => Array.isArray(p) && p.every(Number.isFinite))) {
            d.node.setAttribute('d', 'M' + v.map(at0).join('L') + (/Z$/.test(d.node.getAttribute('d')) ? 'Z' : ''));
        }
    }
}

/* The run whose values the diagram shows, at the time of the slider. */
async function animate() {
    const run = runs.find(r => r.signals), bar = at('time-bar'), own = run && current && viewed && current.name === viewed.name && diagram.dynamic && diagram.dynamic.length;
    bar.hidden = !own;
    if (!own) return;
    const wanted = new Set(), collect = (path, name) => { const full = path ? path + '.' + name : name; if (run.index.has(full)) wanted.add(full); return 0; };
    for (const d of diagram.dynamic) for (const p of d.parts) try { p.run(name => collect(d.path, name)); } catch (x) { /* not now */ }
    await load(run, [...wanted]);
    diagram.run = run;
    diagram.wanted = wanted;
    showTime();
}

function showTime() {
    const run = diagram.run, c = run && [...diagram.wanted].map(n => run.columns.get(n)).find(x => x && x.x.length);
    if (!c) return;
    const share = Number(at('diagram-time').value) / 1000, now = c.x[0] + share * (c.x[c.x.length - 1] - c.x[0]);
    const value = full => {
        const s = run.columns.get(full);
        if (!s || !s.y.length) return undefined;
        let a = 0, b = s.x.length - 1;
        while (a < b) { const m = (a + b + 1) >> 1; s.x[m] <= now ? a = m : b = m - 1; }
        return s.y[Math.min(a, s.y.length - 1)];
    };
    at('diagram-now').textContent = 't = ' + formatNumber(now, 5) + ' s';
    for (const d of diagram.dynamic) applyDynamic(d, (path, name) => { const v = value(path ? path + '.' + name : name); if (v === undefined && name === 'time') return now; if (v === undefined) throw new Error('no value'); return v; });
}

let playing = null;

function play() {
    const button = at('diagram-play');
    if (playing) {
        cancelAnimationFrame(playing);
        playing = null;
    } else {
        let last = performance.now();
        const tick = now => {
            const slider = at('diagram-time'), next = Number(slider.value) + (now - last) / 8;
            last = now;
            slider.value = next > 1000 ? 0 : next;
            showTime();
            playing = requestAnimationFrame(tick);
        };
        playing = requestAnimationFrame(tick);
    }
    button.textContent = playing ? '❚❚' : '▶';
    button.title = t(playing ? 'pause' : 'play');
}

/* ---- start ---- */

(function startDiagram() {
    const host = at('diagram');
    host.addEventListener('pointerdown', pointerDown);
    host.addEventListener('pointermove', pointerMove);
    host.addEventListener('pointerup', pointerUp);
    host.addEventListener('pointercancel', e => { fingers.delete(e.pointerId); cancelBusy(); });
    host.addEventListener('keydown', diagramKeys);
    host.addEventListener('wheel', e => { if (!diagram.svg) return; e.preventDefault(); zoom(Math.exp(e.deltaY / 500), place(e)); }, { passive: false });
    host.addEventListener('dblclick', e => {
        const below = document.elementFromPoint(e.clientX, e.clientY), top = below && below.closest('g[data-component]:not([data-component*="."])'); /* the pointer is captured: the target is all of it */
        cancelBusy();
        if (top) openDialog(top.dataset.component);
        else openDialog(null);
    });
    host.addEventListener('dragover', e => { if (dragged) e.preventDefault(); });
    host.addEventListener('drop', e => {
        const name = dragged || e.dataTransfer.getData('text/acausal-class');
        e.preventDefault();
        dragged = null;
        if (!name) return;
        const p = diagram.svg ? place(e) : [0, 0];
        addToDiagram(name, [p[0], -p[1]]);
    });
    const on = (id, what) => at('diagram-' + id).addEventListener('click', what);
    on('undo', undo), on('redo', redo), on('rotate', () => rotateChosen(90)), on('mirror', mirrorChosen), on('remove', removeChosen);
    on('in', () => zoom(0.8)), on('out', () => zoom(1.25)), on('fit', () => zoomTo({ ...diagram.whole })), on('play', play), on('dialog', () => openDialog([...diagram.chosen][0] || null));
    on('extend', () => extendClass(viewed.name));
    on('icon', () => { diagram.icon = !diagram.icon; showDiagram(); });
    at('diagram-time').addEventListener('input', showTime);
    document.addEventListener('viewed', () => { diagram.chosen.clear(); diagram.past = []; diagram.future = []; reasons.clear(); if (open === 'diagram') showDiagram(); });
})();
