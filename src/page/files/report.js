'use strict';
/* report.js: the page of a run: curves, the run, the structure of the model, events, messages. */

const facts = JSON.parse(document.getElementById('facts').textContent);
const packed = document.getElementById('columns').textContent.split('\n');
const unpacked = new Map();
const at = id => document.getElementById(id);

/* A column: base 64, deflated, the bytes of all numbers place by place. */
async function column(i) {
    if (unpacked.has(i)) return unpacked.get(i);
    const binary = atob(packed[i].trim()), bytes = new Uint8Array(binary.length);
    for (let k = 0; k < bytes.length; k++) bytes[k] = binary.charCodeAt(k);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    const planes = new Uint8Array(await new Response(stream).arrayBuffer());
    const n = planes.length / 8, turned = new Uint8Array(planes.length);
    for (let k = 0; k < 8; k++) for (let j = 0; j < n; j++) turned[8 * j + k] = planes[k * n + j];
    const values = new Float64Array(turned.buffer);
    unpacked.set(i, values);
    return values;
}

const signalsOf = set => set.signals.map(([name, unit, description, kind, col, value]) => ({ name, unit, description, kind, col, value }));
const signals = signalsOf(facts.result);
const chosen = new Set();

async function valuesOf(signal, time) {
    return signal.col >= 0 ? column(signal.col) : new Float64Array(time.length).fill(signal.value === null ? NaN : signal.value);
}

/* ---- tabs ---- */

const tabs = [['curves', 'Curves'], ['run', 'Run'], ['structure', 'Structure'], ['events', 'Events'], ['messages', 'Messages']];
const built = new Set(['curves']);
const builders = { run: showRun, structure: showStructure, events: showEvents, messages: showMessages };
const counts = { events: facts.event_count, messages: (facts.diagnostics || []).length };

function openTab(name) {
    for (const [key] of tabs) {
        at('view-' + key).classList.toggle('on', key === name);
        at('tab-' + key).setAttribute('aria-selected', key === name);
    }
    if (!built.has(name)) built.add(name), builders[name](at('view-' + name));
}

/* ---- curves ---- */

const plot = new Plot(at('plot'), {
    onCursor: t => { at('cursor').textContent = t === null ? '' : 't = ' + formatNumber(t, 7); },
    onRemove: s => { toggle(s.signal); },
    onDraw: () => { document.documentElement.dataset.drawn = plot.panels.length; },
});

async function drawCurves() {
    const time = await column(facts.result.time), over = signals.find(s => s.name === at('over').value);
    const x = over ? await valuesOf(over, time) : time, series = [];
    let number = 0;
    for (const s of signals)
        if (chosen.has(s.name))
            series.push({ signal: s, label: s.name, unit: s.unit, description: s.description, x, y: await valuesOf(s, time), steps: s.kind === 1 && !over, colour: number++ });
    const panels = panelsByUnit(series);
    if (series.length > 8) panels.forEach(p => p.series.forEach((s, i) => { s.colour = i; }));
    const unit = over ? over.unit : facts.result.unit;
    plot.set(panels, {
        xLabel: (over ? over.name : 'time') + (unit ? ' [' + prettyUnit(unit) + ']' : ''),
        events: at('events').checked && !over ? facts.events : [],
        isPhase: !!over,
    });
    if (!series.length) at('plot').replaceChildren(make('div', { className: 'empty' }, 'Choose variables on the left.'));
}

function toggle(signal) {
    if (!chosen.delete(signal.name)) chosen.add(signal.name);
    list.draw();
    drawCurves();
}

const list = new LongList(at('list'), 27, s => make('div', {
    className: 'row' + (chosen.has(s.name) ? ' on' : '') + (s.col < 0 ? ' constant' : ''), title: s.name + (s.description ? '\n' + s.description : ''),
    onclick: () => toggle(s), data: { name: s.name },
},
make('input', { type: 'checkbox', checked: chosen.has(s.name), ariaLabel: s.name }),
make('span', { className: 'name' }, s.name),
make('span', { className: 'unit' }, s.col < 0 ? formatNumber(s.value) + ' ' + prettyUnit(s.unit) : prettyUnit(s.unit))));

function search() {
    const fits = searcher(at('search').value), found = signals.filter(fits).sort((a, b) => (a.col < 0) - (b.col < 0));
    list.set(found);
    at('found').textContent = found.length === signals.length ? signals.length + ' variables' : found.length + ' of ' + signals.length;
}

/* States first, then what changes. */
function chooseFirst() {
    const states = new Set(((facts.analysis || {}).states || []).map(s => s.name));
    const moving = signals.filter(s => s.col >= 0), first = moving.filter(s => states.has(s.name));
    for (const s of (first.length ? first : moving.filter(x => !x.name.startsWith('der('))).slice(0, 4)) chosen.add(s.name);
}

/* ---- the other views ---- */

async function showRun(host) {
    const r = facts.result, parts = [];
    parts.push(cards([['from', formatNumber(r.from)], ['to', formatNumber(r.to)], ['rows', r.rows], ['variables', signals.length],
        ['events', facts.event_count], ['steps', facts.steps ? facts.steps.rows : undefined]]));
    if (facts.message) parts.push(make('div', { className: 'diagnostic warning' }, facts.message));
    if (r.truncated) parts.push(make('div', { className: 'diagnostic warning' }, 'The file ended inside of a row; all rows before it are here.'));
    if (r.kept !== r.rows) parts.push(make('div', { className: 'diagnostic' }, `Of ${r.rows} rows ${r.kept} are in this page: of each stretch the least and the largest value.`));
    const stepBox = make('div');
    if (facts.steps) parts.push(sheet('Size and order of steps', stepBox));
    if (facts.stats) {
        const lines = facts.stats.split('\n').map(l => l.match(/^(.*?\S)\s{2,}(.*)$/)).filter(Boolean).map(m => [m[1], m[2]]);
        parts.push(sheet('Statistics', make('div', { className: 'columns' }, table(['what', 'value'], lines))));
    }
    parts.push(sheet('This page', table(['what', 'value'], [['result', facts.file || '–'], ['made', facts.made], ['by', 'Acausal ' + facts.version]])));
    host.replaceChildren(...parts);
    if (!facts.steps) return;
    stepBox.style.cssText = 'height:380px;display:flex';
    const steps = new Plot(stepBox), of = signalsOf(facts.steps), time = await column(facts.steps.time);
    const panels = [];
    for (const [name, label] of [['log10_step', 'log₁₀ of the step'], ['order', 'order']]) {
        const s = of.find(v => v.name === name);
        if (s) panels.push({ unit: '', key: name, series: [{ label, unit: '', x: time, y: await valuesOf(s, time), steps: name === 'order', colour: panels.length }] });
    }
    steps.set(panels, { events: facts.events, xLabel: 'time' + (facts.result.unit ? ' [' + facts.result.unit + ']' : '') });
}

function showStructure(host) {
    if (facts.analysis) showAnalysis(host, facts.analysis, facts.structure);
    else host.replaceChildren(make('div', { className: 'empty' }, 'The structure is known when the report is made with the model: acausal report RESULT SOURCE, or acausal simulate SOURCE --report FILE.html.'));
}

function showEvents(host) {
    if (!facts.event_count) return host.replaceChildren(make('div', { className: 'empty' }, 'No events.'));
    const rows = facts.told.map(([t, changes, all]) => [formatNumber(t, 9),
        changes.map(([name, a, b]) => name + ': ' + formatNumber(a) + ' → ' + formatNumber(b)).join(', ') + (all > changes.length ? `, and ${all - changes.length} more` : '') || 'a relation changed, no value did']);
    host.replaceChildren(sheet(`${facts.event_count} events` + (rows.length < facts.event_count ? `, the first ${rows.length}` : ''), table(['#time', '.what changed'], rows)));
}

function showMessages(host) {
    const all = facts.diagnostics || [];
    host.replaceChildren(...(all.length ? all.map(diagnosticBox) : [make('div', { className: 'empty' }, 'No warnings.')]));
}

/* ---- start ---- */

at('title').textContent = facts.title;
at('note').textContent = facts.made;
at('tabs').append(...tabs.map(([key, text]) => make('button', { id: 'tab-' + key, role: 'tab', onclick: () => openTab(key) }, text,
    counts[key] ? make('span', { className: 'count' }, counts[key]) : null)));
startTheme(at('theme'));
at('search').addEventListener('input', search);
at('clear').addEventListener('click', () => { chosen.clear(); list.draw(); drawCurves(); });
at('reset').addEventListener('click', () => plot.reset());
at('events').addEventListener('change', drawCurves);
at('over').addEventListener('change', () => { plot.view = null; drawCurves(); });
at('over').append(...signals.filter(s => s.col >= 0).slice(0, 3000).map(s => make('option', { value: s.name }, s.name)));
openTab('curves');
chooseFirst();
search();
drawCurves();
