'use strict';
/* studio.js: models, their source, parameters, runs with curves while they go on, structure. Talks to serve/server.c. */

const start = JSON.parse(document.getElementById('start').textContent);
const token = new URLSearchParams(location.search).get('token') || '';
const at = id => document.getElementById(id);

/* ---- the server ---- */

/* Values of a request: lists give several of one name; what is undefined is left out. */
function pairs(values) {
    const p = new URLSearchParams();
    for (const [key, value] of Object.entries(values))
        for (const v of Array.isArray(value) ? value : [value]) if (v !== undefined && v !== null) p.append(key, v);
    return p;
}

async function ask(method, path, values = {}, as = 'json') {
    const query = pairs(values), headers = { 'X-Acausal-Token': token };
    const url = '/api/' + path + (method === 'GET' && query.size !== 0 ? '?' + query : '');
    if (method === 'POST') headers['Content-Type'] = 'application/x-www-form-urlencoded';
    let answer;
    try {
        answer = await fetch(url, { method, headers, body: method === 'POST' ? query.toString() : undefined });
    } catch (e) {
        say('the server is gone: start acausal serve again', true);
        throw new Error('the server is gone');
    }
    if (!answer.ok) {
        const why = await answer.json().catch(() => ({ error: answer.statusText }));
        throw Object.assign(new Error(why.error), { status: answer.status });
    }
    return as === 'json' ? answer.json() : as === 'text' ? answer.text() : as === 'blob' ? answer.blob() : answer.arrayBuffer();
}

function say(text, isBad) {
    at('status').textContent = text;
    at('status').style.color = isBad ? 'var(--bad)' : '';
}

/* ---- state ---- */

let current = null;          /* { source, name } */
let model = null;            /* what the server says of it */
let runs = [];               /* newest first: { id, info, signals, index, columns, kept, visible } */
let active = null;           /* the run that goes on */
const chosen = new Set();    /* names of variables */
const values = new Map();    /* parameters that were changed: name, text */
let readOnly = false;

/* ---- tabs ---- */

const tabs = [['curves', 'Curves'], ['diagram', 'Diagram'], ['source', 'Source'], ['documentation', 'Documentation'], ['animation', 'Animation'], ['compare', 'Compare'], ['structure', 'Structure'], ['messages', 'Messages']];
let open = 'curves';

function openTab(name) {
    open = name;
    for (const [key] of tabs) {
        at('view-' + key).classList.toggle('on', key === name);
        at('tab-' + key).setAttribute('aria-selected', key === name);
    }
    if (name === 'structure') showStructure();
    if (name === 'compare') showCompare();
    if (name === 'messages') showMessages();
    if (name === 'source') paintCode();
    if (name === 'diagram') showDiagram();
    if (name === 'documentation') showDocumentation();
    if (name === 'animation') showScene();
    closeDrawers();
}

/* On a narrow screen the panels are drawers. */
function toggleDrawer(id, want) {
    const open = at(id).classList.toggle('drawn', want);
    at('show-' + id).setAttribute('aria-expanded', String(open));
    if (open) toggleDrawer(id === 'left' ? 'right' : 'left', false);
}

function closeDrawers() {
    for (const id of ['left', 'right']) if (at(id).classList.contains('drawn')) toggleDrawer(id, false);
}

/* ---- models ---- */

const sources = [];          /* { source, classes, errors } */
const RUNNABLE = new Set(['model', 'block', 'class']);

async function loadModels() {
    const all = start.models, first = start.classes;
    readOnly = all.read_only;
    at('save').hidden = at('new').hidden = readOnly;
    at('code').readOnly = readOnly;
    document.title = all.directory.split('/').pop() + ' – Acausal';
    if (first) {
        sources.push(first);
        showModels();
        if (start.class) await openModel(first.source, start.class, start);
        else if (first.errors) openBroken(first.source);
    }
    const rest = all.sources.filter(s => !first || s !== first.source);
    for (let i = 0; i < rest.length; i += 40) {
        sources.push(...await ask('POST', 'classes', { source: rest.slice(i, i + 40) }));
        showModels();
        /* the first model with an experiment, to have something to look at */
        const s = !current && sources.find(x => runnable(x).some(c => c.experiment));
        if (s) openModel(s.source, runnable(s).find(c => c.experiment).name);
    }
    if (!sources.length) say('no .mo files in ' + all.directory);
    if (!current) drawCurves();
}

function runnable(source) {
    return source.classes.filter(c => RUNNABLE.has(c.kind) && !c.partial);
}

/* Where a class is inside of its library; '' right below the top. */
function packageOf(name) {
    return name.split('.').slice(1, -1).join('.');
}

function showModels() {
    const fits = searcher(at('model-search').value), rows = [];
    for (const s of [...sources].sort((a, b) => a.source < b.source ? -1 : 1)) {
        const shown = runnable(s).filter(fits);
        if (!shown.length && !s.errors) continue;
        rows.push(make('div', { className: 'source' + (s.errors ? ' bad' : ''), title: s.errors ? s.errors + ' errors' : '' }, (s.source || '(library)') + (s.errors ? ' ●' : '')));
        for (const c of shown.slice(0, 400))
            rows.push(make('button', {
                className: 'class' + (c.experiment ? '' : ' part') + (current && current.source === s.source && current.name === c.name ? ' on' : ''), title: c.name + (c.description ? '\n' + c.description : ''),
                data: { name: c.name }, onclick: () => openModel(s.source, c.name),
            }, c.name.split('.').pop(), packageOf(c.name) ? make('small', {}, packageOf(c.name)) : ''));
        if (!shown.length && s.errors) rows.push(make('button', { className: 'class bad', onclick: () => openBroken(s.source) }, 'cannot be read'));
    }
    at('models').replaceChildren(...rows);
}

function forgetRuns() {
    for (const r of runs) ask('POST', 'forget', { id: r.id }).catch(() => {});
    runs = [];
    active = null;
}

async function newModel() {
    const name = prompt(t('Name of the new model'));
    if (!name) return;
    try {
        const made = await ask('POST', 'new', { name: name.trim(), base: open === 'diagram' ? '-' : undefined });
        sources.push(made);
        if (open !== 'diagram') openTab('source');
        await openModel(made.source, made.classes[0].name);
    } catch (e) {
        say(e.message, true);
    }
}

async function openBroken(source) {
    current = { source, name: '' };
    showModels();
    openTab('source');
    await loadSource();
    check();
}

/* `given`: what the page came with, for the model that it opens first. */
async function openModel(source, name, given) {
    forgetRuns();
    chosen.clear();
    values.clear();
    current = { source, name };
    model = null;
    view(name, source);
    at('model-name').textContent = name;
    at('run').disabled = true;
    at('progress').className = 'progress';
    at('progress').firstChild.style.width = '0';
    for (const id of ['from', 'to', 'tolerance', 'points']) at(id).value = '';
    showModels();
    showRuns();
    drawCurves(); /* nothing of the model before stays */
    if (!given) loadSource();
    await translate(given);
    if (given) loadSource();
    if (open === 'structure') showStructure();
}

/* Asks what the model is, then runs it. */
async function translate(given) {
    const wanted = current;
    say(t('translating'));
    let info;
    try {
        info = given && given.model ? given.model : await ask('POST', 'model', { source: wanted.source, class: wanted.name });
    } catch (e) {
        return say(e.message, true);
    }
    if (wanted !== current) return;
    model = info;
    at('run').disabled = !info.translated;
    showProblems(info.diagnostics);
    showParameters();
    if (!info.translated) {
        say(problemCount(info.diagnostics), true);
        showVariables();
        drawCurves();
        if (open === 'curves') openTab('source');
        return;
    }
    const [, from, to, tolerance] = info.experiment;
    at('from').placeholder = from === null ? '0' : String(from);
    at('to').placeholder = to === null ? '1' : String(to);
    at('tolerance').placeholder = tolerance === null ? '1e-6' : String(tolerance);
    if (given && given.run) await follow(given.run);
    else await startRun();
}

function problemCount(all) {
    const errors = all.filter(d => d.severity === 'error').length, warnings = all.filter(d => d.severity === 'warning').length;
    return errors ? `${errors} error${errors > 1 ? 's' : ''}` : warnings ? `${warnings} warning${warnings > 1 ? 's' : ''}` : '';
}

/* ---- parameters ---- */

function showParameters() {
    const all = (model && model.parameters || []).map(([name, unit, description, type, value, low, high, structural]) => ({ name, unit, description, type, value, low, high, structural }));
    const fits = searcher(at('parameter-search').value), shown = all.filter(fits).slice(0, 150);
    at('parameter-search-box').hidden = all.length < 9;
    at('restore').hidden = !values.size;
    at('parameters').replaceChildren(...shown.map(parameterRow),
        all.length ? '' : make('div', { className: 'empty', style: 'padding:8px' }, 'none'),
        shown.length < all.filter(fits).length ? make('div', { className: 'unit' }, `${all.filter(fits).length - shown.length} more: search for them`) : '');
}

/* The range of a slider: what the model allows, or about the value. */
function sliderRange(p) {
    const v = p.value || 0, size = v === 0 ? 1 : Math.abs(v);
    let low = p.low !== null ? p.low : v < 0 ? -2 * size : v === 0 ? -1 : 0, high = p.high !== null ? p.high : v > 0 ? 2 * size : v === 0 ? 1 : 0;
    if (Math.abs(low) > 1e6 * size) low = v < 0 ? -2 * size : 0;
    if (Math.abs(high) > 1e6 * size) high = v > 0 ? 2 * size : 1;
    if (!(low < high)) high = low + 1;
    return [low, high];
}

function parameterRow(p) {
    const row = make('div', { className: 'parameter' + (values.has(p.name) ? ' changed' : ''), data: { name: p.name }, title: p.name + (p.description ? '\n' + p.description : '') + (p.structural ? '\nstructural: a change translates the model anew' : '') });
    const plain = p.value === null ? '' : p.type === 'Boolean' ? String(p.value !== 0) : String(Number(p.value.toPrecision(12))), now = values.has(p.name) ? values.get(p.name) : plain;
    const change = (text, soon) => {
        if (text === plain) values.delete(p.name);
        else values.set(p.name, text);
        row.classList.toggle('changed', values.has(p.name));
        at('restore').hidden = !values.size;
        if (at('live').checked) soon ? runSoon() : startRun();
    };
    const head = make('div', { className: 'head' }, make('b', {}, p.name));
    row.append(head);
    if (p.type === 'Boolean') {
        head.append(make('input', { type: 'checkbox', checked: now === 'true', ariaLabel: p.name, onchange: e => change(String(e.target.checked)) }));
        return row;
    }
    const [low, high] = sliderRange(p), whole = p.type !== 'Real';
    const field = make('input', { type: 'text', value: now, ariaLabel: p.name, inputMode: 'decimal' });
    const slider = make('input', { type: 'range', min: low, max: high, step: whole ? 1 : (high - low) / 200, value: now, ariaLabel: p.name + ', slider' });
    field.addEventListener('change', () => {
        const ok = field.value.trim() !== '' && Number.isFinite(Number(field.value));
        field.classList.toggle('wrong', !ok);
        if (!ok) return;
        slider.value = field.value;
        change(field.value.trim());
    });
    slider.addEventListener('input', () => {
        field.value = whole ? slider.value : String(Number(Number(slider.value).toPrecision(4)));
        change(field.value, true);
    });
    head.append(field, make('span', { className: 'unit' }, prettyUnit(p.unit)));
    row.append(slider);
    return row;
}

/* ---- runs ---- */

let soon = null;
function runSoon() {
    clearTimeout(soon);
    soon = setTimeout(startRun, 25);
}

let starting = false, again = false;

/* One order at a time; what comes meanwhile is one more. */
async function startRun() {
    if (!model || !model.translated) return;
    if (starting) {
        again = true;
        return;
    }
    starting = true;
    const wanted = current;
    const order = {
        source: wanted.source, class: wanted.name, start: at('from').value, stop: at('to').value, tolerance: at('tolerance').value, points: at('points').value,
        solver: at('solver').value, set: [...values].map(([name, value]) => name + '=' + value), instead: active ? active.id : undefined,
    };
    try {
        const { id } = await ask('POST', 'run', order);
        if (wanted === current) await follow(id);
    } catch (e) {
        if (e.status === 429) again = true;
        else say(e.message, true);
    }
    starting = false;
    if (again) {
        again = false;
        runSoon();
    }
}

/* A new run takes the place of the last one, unless that one is kept. */
async function follow(id) {
    const run = { id, info: { state: 'translating', rows: 0, t: null, set: [] }, signals: null, index: new Map(), columns: new Map(), kept: false, visible: true, label: '' };
    active = run;
    at('cancel').disabled = false;
    const first = await poll(run);
    runs.unshift(run);
    for (const old of runs.filter(r => r !== run && !r.kept)) drop(old);
    showRuns();
    await show(run);
    if (first) watch(run);
    else ended(run);
}

/* The state of a run; true while it goes on. */
async function poll(run) {
    run.info = await ask('GET', 'run', { id: run.id, names: run.signals && run.signals.length ? undefined : 1 });
    if (run.info.signals && run.info.signals.length) {
        run.signals = run.info.signals.map(([name, unit, description, kind]) => ({ name, unit, description, kind }));
        run.signals.forEach((s, i) => run.index.set(s.name, i));
    }
    return run.info.state === 'translating' || run.info.state === 'running';
}

async function watch(run) {
    let goesOn = true;
    while (goesOn && runs.includes(run)) {
        await new Promise(done => setTimeout(done, 60));
        try {
            goesOn = await poll(run);
        } catch (e) {
            return;
        }
        if (!runs.includes(run)) return;
        await show(run);
    }
    ended(run);
}

async function show(run) {
    const { t, start: from, stop, state } = run.info, box = at('progress');
    if (run === active) {
        box.classList.toggle('busy', state === 'translating');
        box.classList.toggle('failed', state === 'failed' || state === 'wrong');
        box.firstChild.style.width = state === 'done' ? '100%' : stop > from ? Math.max(0, Math.min(100, 100 * (t - from) / (stop - from))) + '%' : '0';
        if (state === 'running') say(`t = ${formatNumber(t)} of ${formatNumber(stop)}`);
    }
    if (!chosen.size && run.signals) chooseFirst(run);
    if (run === runs[0]) showVariables(true);
    await drawCurves();
}

function ended(run) {
    if (active === run) active = null, at('cancel').disabled = true;
    if (run === runs[0]) {
        const i = run.info, ok = i.state === 'done';
        say(ok ? `done in ${formatNumber(i.simulate_ms, 3)} ms, ${i.rows} rows` + (i.message ? '; ' + i.message : '') : i.state + (i.message ? ': ' + i.message : i.diagnostics && i.diagnostics.length ? ': ' + i.diagnostics[0].message : ''), !ok && i.state !== 'cancelled');
        if (i.diagnostics && i.diagnostics.length) showProblems([...model.diagnostics, ...i.diagnostics]);
    }
    showRuns();
    if (open === 'messages') showMessages();
    if (open === 'compare') showCompare();
    if (open === 'diagram') animate();
    if (open === 'animation') showScene();
}

function drop(run) {
    runs = runs.filter(r => r !== run);
    ask('POST', 'forget', { id: run.id }).catch(() => {});
}

function showRuns() {
    at('runs').replaceChildren(...runs.map((r, i) => {
        const text = '#' + r.id + '  ' + (r.info.set.length ? r.info.set.join(', ') : 'as given');
        const exports = make('select', { ariaLabel: 'export run ' + r.id, title: 'export', onchange: e => exportRun(r, e.target) },
            ...[['', 'export'], ['csv', 'CSV'], ['mat', 'MAT'], ['html', 'report'], ['svg', 'SVG'], ['png', 'PNG']].map(([value, label]) => make('option', { value }, label)));
        return make('div', { className: 'item' + (i ? ' old' : '') + (['failed', 'wrong'].includes(r.info.state) ? ' bad' : ''), data: { id: r.id } },
            make('input', { type: 'checkbox', checked: r.visible, title: 'show its curves', ariaLabel: 'show run ' + r.id, onchange: e => { r.visible = e.target.checked; drawCurves(); } }),
            make('span', { className: 'what', title: text + '\n' + r.info.state }, text),
            make('button', { title: 'stays when another run is made', ariaPressed: String(r.kept), onclick: () => { r.kept = !r.kept; showRuns(); } }, t(r.kept ? 'kept' : 'keep')),
            exports,
            make('button', { title: 'forget this run', onclick: () => { drop(r); showRuns(); drawCurves(); } }, '×'));
    }), runs.length ? '' : make('div', { className: 'unit', style: 'padding:6px 0' }, t('none yet')));
}

/* Saves what a request gives as a file. */
async function download(name, request) {
    try {
        const link = make('a', { href: URL.createObjectURL(await request), download: name });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        say('exported ' + name);
    } catch (e) {
        say(e.message, true);
    }
}

function exportRun(run, select) {
    const format = select.value;
    select.value = '';
    return download((current.name || 'run') + '-' + run.id + '.' + format, ask('GET', 'export', { id: run.id, format, name: [...chosen] }, 'blob'));
}

function exportModel(select) {
    const fmi = select.value;
    select.value = '';
    if (!current || !fmi) return;
    say('making an FMU');
    download(current.name + '.fmu', ask('POST', 'fmu', { source: current.source, class: current.name, fmi, set: [...values].map(([name, value]) => name + '=' + value) }, 'blob'));
}

/* ---- curves ---- */

const plot = new Plot(at('plot'), {
    onCursor: t => { at('cursor').textContent = t === null ? '' : 't = ' + formatNumber(t, 7); },
    onRemove: s => toggle(s.name),
    onDraw: () => {
        if (!plot.panels.some(p => p.series.some(s => s.x.length > 1))) return;
        document.documentElement.dataset.drawn = runs.length ? runs[0].id : 0;
        if (!document.documentElement.dataset.first) document.documentElement.dataset.first = performance.now().toFixed(0);
    },
});

function append(old, more) {
    const n = old ? old.length : 0;
    if (!n) return more;
    const room = old.room && old.room.length >= n + more.length ? old.room : new Float64Array(2 * (n + more.length));
    if (room !== old.room) room.set(old);
    room.set(more, n);
    const view = room.subarray(0, n + more.length);
    view.room = room;
    return view;
}

/* Fetches what is missing of some columns of a run. */
async function load(run, names) {
    const want = names.filter(n => run.index.has(n));
    const groups = new Map();
    for (const n of want) {
        const from = run.columns.has(n) ? run.columns.get(n).y.length : 0;
        if (from >= run.info.rows) continue;
        if (!groups.has(from)) groups.set(from, []);
        groups.get(from).push(n);
    }
    for (const [from, list] of groups) {
        const data = new Float64Array(await ask('GET', 'rows', { id: run.id, from, c: list.map(n => run.index.get(n)) }, 'bytes')), rows = data[0];
        if (!rows) continue;
        const x = data.subarray(1, 1 + rows);
        list.forEach((n, i) => {
            const old = run.columns.get(n), y = data.subarray(1 + rows * (i + 1), 1 + rows * (i + 2));
            if (old && old.y.length !== from) return;
            run.columns.set(n, { x: append(old && old.x, x), y: append(old && old.y, y) });
        });
    }
}

function eventsOf(run) {
    const c = run && [...run.columns.values()][0], times = [];
    if (!c) return times;
    for (let i = 1; i < c.x.length; i++) if (c.x[i] === c.x[i - 1] && times[times.length - 1] !== c.x[i]) times.push(c.x[i]);
    return times;
}

let drawing = false, drawAgain = false;

async function drawCurves() {
    if (drawing) {
        drawAgain = true;
        return;
    }
    drawing = true;
    try {
        do {
            drawAgain = false;
            await drawOnce();
        } while (drawAgain);
    } catch (e) {
        if (e.status !== 404) say(e.message, true);
    }
    drawing = false;
}

async function drawOnce() {
    const visible = runs.filter(r => r.visible && r.signals).reverse(), over = at('over').value, series = [];
    let number = 0;
    for (const run of visible) await load(run, [...chosen, ...(over ? [over] : [])]);
    const names = visible.length ? visible[visible.length - 1].signals.filter(s => chosen.has(s.name)) : [];
    for (const s of names)
        for (const run of visible) {
            const c = run.columns.get(s.name), x = over && run.columns.get(over);
            if (!c) continue;
            const n = over && x ? Math.min(x.y.length, c.y.length) : c.y.length;
            series.push({
                name: s.name, label: visible.length > 1 ? s.name + '  #' + run.id : s.name, unit: s.unit, description: s.description, steps: s.kind === 1 && !over,
                x: over && x ? x.y.subarray(0, n) : c.x, y: c.y.subarray(0, n), colour: number++, dash: visible.length > 1 && run !== visible[visible.length - 1],
            });
        }
    const panels = panelsByUnit(series), newest = visible[visible.length - 1];
    if (series.length > 8) panels.forEach(p => p.series.forEach((s, i) => { s.colour = i; }));
    plot.options.xEnd = newest && newest.info.state === 'running' ? newest.info.stop : undefined;
    const unit = over && newest ? (newest.signals[newest.index.get(over)] || {}).unit || '' : 's';
    plot.set(panels, { xLabel: (over || 'time') + (unit ? ' [' + prettyUnit(unit) + ']' : ''), events: at('events').checked && !over ? eventsOf(newest) : [], isPhase: !!over });
    if (!series.length) at('plot').replaceChildren(make('div', { className: 'empty' }, t(!current ? 'Choose a model on the left.' : runs.length ? 'Choose variables on the left.' : 'No run yet.')));
}

/* ---- variables ---- */

const list = new LongList(at('list'), 26, s => make('div', {
    className: 'row' + (chosen.has(s.name) ? ' on' : '') + (s.kind === 2 ? ' constant' : ''), title: s.name + (s.description ? '\n' + s.description : ''), data: { name: s.name }, onclick: () => toggle(s.name),
}, make('input', { type: 'checkbox', checked: chosen.has(s.name), ariaLabel: s.name }), make('span', { className: 'name' }, s.name), make('span', { className: 'unit' }, prettyUnit(s.unit))));

let shownSignals = null, shownQuery = null;

function showVariables(ifChanged) {
    const all = runs[0] && runs[0].signals || [], query = at('search').value;
    if (ifChanged && all.length && shownSignals && shownSignals.length === all.length && shownQuery === query && shownSignals[0].name === all[0].name) return list.draw();
    shownSignals = all;
    shownQuery = query;
    const found = all.filter(searcher(query)).sort((a, b) => (a.kind === 2) - (b.kind === 2));
    list.set(found);
    at('found').textContent = found.length === all.length ? all.length + ' variables' : found.length + ' of ' + all.length;
    const over = at('over').value;
    at('over').replaceChildren(make('option', { value: '' }, 'time'), ...all.filter(s => s.kind !== 2).slice(0, 2000).map(s => make('option', { value: s.name, selected: s.name === over }, s.name)));
}

function toggle(name) {
    if (!chosen.delete(name)) chosen.add(name);
    list.draw();
    drawCurves();
}

function chooseFirst(run) {
    const states = new Set(model && model.states || []), moving = run.signals.filter(s => s.kind !== 2 && !s.name.startsWith('der('));
    const first = moving.filter(s => states.has(s.name));
    for (const s of (first.length ? first : moving).slice(0, 4)) chosen.add(s.name);
}

/* ---- source ---- */

let savedText = '', sourceStamp = '', problems = [];
const KEYWORDS = new Set(('algorithm and annotation block break class connect connector constant constrainedby der discrete each else elseif elsewhen encapsulated end enumeration equation expandable extends external false final flow for function if import impure in initial inner input loop model not operator or outer output package parameter partial protected public pure record redeclare replaceable return stream then true type when while within').split(' '));
const TOKEN = /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:\\[\s\S]|[^"\\])*(?:"|$))|('(?:\\.|[^'\\\n])*')|(\b\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)/g;

async function loadSource() {
    const wanted = current;
    try {
        const { file, text, stamp } = await ask('GET', 'source', { source: wanted.source, class: wanted.name });
        if (wanted !== current) return;
        at('file').textContent = file;
        savedText = text;
        sourceStamp = stamp;
        at('code').value = text;
    } catch (e) {
        at('file').textContent = e.message;
        savedText = at('code').value = '';
    }
    edited();
    const name = wanted.name.split('.').pop(), line = savedText.split('\n').findIndex(l => new RegExp('\\b(model|block|class|package)\\s+' + name + '\\b').test(l));
    at('editor').scrollTop = line > 8 ? (line - 3) * 20 : 0;
}

/* Pieces of the text: [class, from, to], in order. */
function tokens(text) {
    const out = [];
    for (const m of text.matchAll(TOKEN)) {
        const kind = m[1] ? 'c' : m[2] ? 's' : m[4] ? 'n' : m[5] && KEYWORDS.has(m[5]) ? 'k' : '';
        if (kind) out.push([kind, m.index, m.index + m[0].length]);
    }
    return out;
}

function here(d) {
    return d.file && d.line && at('file').textContent.endsWith(d.file.replace(/^\.\//, ''));
}

/* The text cut into lines and words; made anew when it changes. */
let cut = { text: null };

function cutText() {
    const text = at('code').value;
    if (cut.text === text) return cut;
    const lines = text.split('\n'), starts = [0];
    for (const l of lines) starts.push(starts[starts.length - 1] + l.length + 1);
    cut = { text, lines, starts, words: tokens(text), longest: lines.reduce((n, l) => Math.max(n, l.length), 0) };
    return cut;
}

/* Diagnostics of this file, with where they begin and end; none while the text is another than was checked. */
function marksHere({ text, lines, starts }) {
    const place = (line, column) => Math.min(text.length, (starts[line - 1] ?? text.length) + [...(lines[line - 1] || '')].slice(0, column - 1).join('').length);
    return text !== savedText ? [] : problems.filter(here).map(d => {
        const from = place(d.line, d.column || 1);
        return { d, from, to: Math.max(place(d.end_line || d.line, d.end_column || 2), from + 1), end: Math.min(text.length, (starts[d.line] ?? text.length + 1) - 1) };
    });
}

/* Draws the lines in view: what is typed is a textarea without colour, above the same text with colours and marks. */
function paintCode() {
    const c = cutText(), marks = marksHere(c), LINE = 20, box = at('editor');
    const first = Math.max(0, Math.floor(box.scrollTop / LINE) - 20), last = Math.min(c.lines.length, first + Math.ceil((box.clientHeight || 800) / LINE) + 40);
    const from = c.starts[first], to = last < c.lines.length ? c.starts[last] - 1 : c.text.length;
    const cuts = new Set([from, to]), inside = v => { if (v > from && v < to) cuts.add(v); };
    const words = c.words.filter(w => w[2] > from && w[1] < to);
    for (const w of words) inside(w[1]), inside(w[2]);
    for (const m of marks) inside(m.from), inside(m.to), inside(m.end);
    const sorted = [...cuts].sort((x, y) => x - y), nodes = [];
    let w = 0;
    sorted.forEach((p, i) => {
        for (const m of marks.filter(x => x.end === p).slice(0, 2)) nodes.push(make('span', { className: 'said ' + m.d.severity }, m.d.message));
        if (i + 1 === sorted.length) return;
        while (w < words.length && words[w][2] <= p) w++;
        const kind = w < words.length && words[w][1] <= p ? words[w][0] : '', under = marks.find(m => m.from <= p && sorted[i + 1] <= m.to), piece = c.text.slice(p, sorted[i + 1]);
        nodes.push(kind || under ? make('span', { className: kind + (under ? ' squiggle ' + under.d.severity : '') }, piece) : piece);
    });
    const sheet = at('paint').parentNode, widest = marks.reduce((n, m) => Math.max(n, c.lines[m.d.line - 1].length + m.d.message.length + 8), c.longest + 4);
    sheet.style.height = c.lines.length * LINE + 16 + 'px';
    sheet.style.minWidth = widest + 'ch';
    at('paint').style.transform = `translateY(${first * LINE}px)`;
    at('paint').replaceChildren(...nodes, '\n');
    at('gutter').style.height = c.lines.length * LINE + 16 + 'px';
    at('gutter').style.paddingTop = 8 + first * LINE + 'px';
    at('gutter').replaceChildren(...c.lines.slice(first, last).map((_, i) => {
        const m = marks.filter(x => x.d.line === first + i + 1), d = (m.find(x => x.d.severity === 'error') || m[0] || {}).d;
        return make('div', d ? { className: d.severity, title: d.message } : {}, String(first + i + 1));
    }));
}

function edited() {
    const changed = at('code').value !== savedText;
    at('save').disabled = !changed;
    at('edited').textContent = changed ? t('not saved') : '';
    paintCode();
}

function showProblems(all) {
    problems = all;
    const count = all.length ? make('span', { className: 'count' + (all.some(d => d.severity === 'error') ? ' bad' : '') }, all.length) : '';
    at('tab-source').replaceChildren(t('Source'), count);
    at('problems').replaceChildren(...all.slice(0, 100).map(d => {
        const box = diagnosticBox(d);
        box.addEventListener('click', () => { if (here(d)) at('editor').scrollTop = Math.max(0, (d.line - 5) * 20); });
        return box;
    }));
    if (open === 'source') paintCode();
}

async function check() {
    try {
        const r = await ask('POST', 'check', { source: current.source, class: current.name });
        showProblems(r.diagnostics);
        say(problemCount(r.diagnostics) || `${r.equations} equations, ${r.unknowns} unknowns: no problems`, r.diagnostics.some(d => d.severity === 'error'));
        return r;
    } catch (e) {
        say(e.message, true);
        return null;
    }
}

async function save() {
    if (!current || at('save').disabled) return;
    const text = at('code').value;
    try {
        ({ stamp: sourceStamp } = await ask('POST', 'save', { source: current.source, class: current.name, text, stamp: sourceStamp }));
    } catch (e) {
        return say(e.message, true);
    }
    savedText = text;
    edited();
    const [listed] = await ask('POST', 'classes', { source: [current.source] }), place = sources.findIndex(s => s.source === current.source);
    if (place >= 0) sources[place] = listed;
    showModels();
    if (!listed.classes.some(c => c.name === current.name) && listed.classes.length && !listed.errors) current = { source: current.source, name: runnable(listed)[0] ? runnable(listed)[0].name : '' };
    if (open === 'diagram') showDiagram(true);
    const r = await check();
    if (r && !r.diagnostics.some(d => d.severity === 'error')) await translate();
}

/* ---- structure and messages ---- */

async function showStructure() {
    const host = at('view-structure'), wanted = current;
    if (!current) return;
    try {
        const { analysis, structure } = await ask('POST', 'structure', { source: current.source, class: current.name });
        if (wanted === current) showAnalysis(host, analysis, structure);
    } catch (e) {
        host.replaceChildren(make('div', { className: 'empty' }, e.message));
    }
}

/* ---- comparison ---- */

let compared = { a: 0, b: 0 };

function chooseRun(key) {
    return make('select', { ariaLabel: 'run ' + key.toUpperCase(), onchange: e => { compared[key] = Number(e.target.value); showCompare(); } },
        ...runs.map(r => make('option', { value: r.id, selected: r.id === compared[key] }, '#' + r.id + '  ' + (r.info.set.join(', ') || 'as given'))));
}

async function showCompare() {
    const host = at('view-compare'), ended = runs.filter(r => !['translating', 'running'].includes(r.info.state)), wanted = current;
    if (ended.length < 2) return host.replaceChildren(make('div', { className: 'empty' }, t('Keep a run, change something, and run again: then two runs can be compared.')));
    if (!ended.some(r => r.id === compared.a) || !ended.some(r => r.id === compared.b)) compared = { a: ended[1].id, b: ended[0].id };
    let all;
    try {
        all = await ask('GET', 'compare', { a: compared.a, b: compared.b });
    } catch (e) {
        return host.replaceChildren(make('div', { className: 'empty' }, e.message));
    }
    if (wanted !== current) return;
    const fixed = new Set((runs[0].signals || []).filter(s => s.kind === 2).map(s => s.name));
    const rows = all.signals.filter(s => !fixed.has(s.name)).sort((x, y) => y.deviation - x.deviation), different = rows.filter(r => r.verdict === 'different');
    const link = name => make('a', { href: '#', onclick: e => { e.preventDefault(); chosen.add(name); list.draw(); drawCurves(); openTab('curves'); } }, name);
    host.replaceChildren(
        make('div', { className: 'plot-bar', style: 'background:none;border:0;padding:0 0 14px' }, make('label', {}, 'A ', chooseRun('a')), make('label', {}, 'B ', chooseRun('b'))),
        cards([['signals that differ', different.length], ['the same within the tube', rows.filter(r => r.verdict === 'same').length], ['largest deviation, share of the range', rows.length ? formatNumber(rows[0].deviation, 3) : undefined]]),
        sheet('Signals, the most different first', table(['.signal', 'verdict', '#deviation', '#worst at', '#A', '#B'], rows.slice(0, 300).map(r => [link(r.name), r.verdict,
            formatNumber(r.deviation, 3), r.verdict === 'different' ? formatNumber(r.t) : '', r.verdict === 'different' ? formatNumber(r.a) : '', r.verdict === 'different' ? formatNumber(r.b) : '']))));
}

function showMessages() {
    const run = runs[0], i = run && run.info, parts = [];
    if (problems.length) parts.push(sheet('Diagnostics', ...problems.map(diagnosticBox)));
    if (i && i.said) parts.push(sheet('The model says', make('pre', {}, i.said)));
    if (i && i.stats) {
        const lines = i.stats.split('\n').map(l => l.match(/^(.*?\S)\s{2,}(.*)$/)).filter(Boolean).map(m => [m[1], m[2]]);
        parts.push(sheet('The last run', make('div', { className: 'columns' }, table(['what', 'value'], lines))));
    }
    at('view-messages').replaceChildren(...(parts.length ? parts : [make('div', { className: 'empty' }, t('Nothing to say.'))]));
}
