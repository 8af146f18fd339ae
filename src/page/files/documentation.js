'use strict';
/* documentation.js: what a class says of itself, with its parameters, connectors and equations; links lead to other classes, and back. The
 * server has taken everything out of the text that runs or fetches. */

const pages = { past: [], future: [], shown: null };

function goTo(name, source) {
    if (pages.shown) pages.past.push(pages.shown);
    pages.future = [];
    view(name, source);
}

function goBack(from, to) {
    const next = from.pop();
    if (!next) return;
    to.push(pages.shown);
    pages.going = true;
    view(next.name, next.source);
}

function classLink(name) {
    return make('a', { href: '#', onclick: e => { e.preventDefault(); goTo(name); } }, name);
}

function valueText(c) {
    return c.binding || (c.start !== undefined ? 'start = ' + JSON.stringify(c.start) : '');
}

function componentTable(title, all) {
    if (!all.length) return '';
    return sheet(t(title), table(['.' + t('Name'), t('Type'), t('Value'), t('Unit'), t('Description')], all.map(c => [c.name + (c.sizes ? '[' + c.sizes.map(n => n ?? ':').join(', ') + ']' : ''),
        c.type.includes('.') && !c.missing ? classLink(c.type) : c.type, make('code', {}, valueText(c)), prettyUnit(c.unit || ''), c.description || ''])));
}

/* Links and anchors of the cleaned text come alive here. */
function liveText(html) {
    const box = make('div', { className: 'prose' });
    box.innerHTML = html;
    for (const a of box.querySelectorAll('a[data-class]')) {
        a.href = '#';
        a.addEventListener('click', e => { e.preventDefault(); goTo(decodeURIComponent(a.dataset.class).replace(/^\./, '')); });
    }
    for (const a of box.querySelectorAll('a[data-anchor]')) {
        a.href = '#';
        a.addEventListener('click', e => { e.preventDefault(); const to = [...box.querySelectorAll('[data-name]')].find(x => x.dataset.name === a.dataset.anchor); if (to) to.scrollIntoView(); });
    }
    return box;
}

async function showDocumentation() {
    const host = at('view-documentation'), wanted = viewed;
    if (!wanted) return host.replaceChildren(make('div', { className: 'empty' }, t('Choose a class.')));
    let texts, about;
    try {
        [texts, about] = await Promise.all([ask('GET', 'documentation', { source: wanted.source, class: wanted.name }), ask('GET', 'describe', { source: wanted.source, class: wanted.name })]);
    } catch (e) {
        return host.replaceChildren(make('div', { className: 'empty' }, e.message));
    }
    if (wanted !== viewed) return;
    pages.shown = wanted;
    pages.going = false;
    const d = about.described || { class: wanted.name, kind: '', components: [], bases: [], sections: [], classes: [] }, open = d.components.filter(c => !c.protected);
    const parent = d.class.split('.').slice(0, -1).join('.');
    host.replaceChildren(
        make('div', { className: 'plot-bar doc-bar' }, make('button', { disabled: !pages.past.length, title: t('Back'), ariaLabel: t('Back'), onclick: () => goBack(pages.past, pages.future) }, '←'),
            make('button', { disabled: !pages.future.length, title: t('Forward'), ariaLabel: t('Forward'), onclick: () => goBack(pages.future, pages.past) }, '→'),
            make('span', { className: 'mono' }, ...(parent ? [classLink(parent), '.'] : []), d.class.split('.').pop()), make('span', { className: 'grow' }),
            make('button', { onclick: () => openTab('diagram') }, t('Diagram')), readOnly ? '' : make('button', { title: t('a new model that extends this class'), onclick: () => extendClass(d.class) }, t('Extend'))),
        make('div', { className: 'doc-head' }, iconOf(d.class), make('div', {}, make('h1', {}, d.class.split('.').pop()), make('p', {}, (d.partial ? 'partial ' : '') + d.kind + (d.description ? ': ' + d.description : '')))),
        ...(d.bases.filter(b => b.depth === 1).length ? [make('p', { className: 'soft' }, t('Extends') + ' ', ...d.bases.filter(b => b.depth === 1).flatMap((b, i) => [i ? ', ' : '', classLink(b.class)]))] : []),
        ...about.diagnostics.slice(0, 10).map(diagnosticBox),
        texts.info ? liveText(texts.info) : make('p', { className: 'soft' }, t('This class has no documentation.')),
        componentTable('Parameters', open.filter(c => c.variability === 'parameter' || c.variability === 'constant')),
        componentTable('Connectors', open.filter(c => c.connector)),
        componentTable('Variables', open.filter(c => !c.variability && !c.connector)),
        d.classes.length ? sheet(t('Classes'), table(['.' + t('Name'), '', t('Description')], d.classes.map(c => [classLink(d.class + '.' + c.name), c.kind, c.description || '']))) : '',
        d.sections.length ? sheet(t('Equations'), ...d.sections.map(s => make('pre', { className: 'code' }, ...paintText(s.text)))) : '',
        texts.revisions ? sheet(t('Revisions'), liveText(texts.revisions)) : '');
    host.scrollTop = 0;
    host.dataset.shown = d.class;
}

/* A piece of Modelica with its colours. */
function paintText(text) {
    const out = [];
    let last = 0;
    for (const [kind, from, to] of tokens(text)) {
        out.push(text.slice(last, from), make('span', { className: kind }, text.slice(from, to)));
        last = to;
    }
    return [...out, text.slice(last)];
}

async function extendClass(base) {
    const name = prompt(t('Name of the new model'), 'My' + base.split('.').pop());
    if (!name) return;
    try {
        const made = await ask('POST', 'new', { name: name.trim(), base });
        sources.push(made);
        await openModel(made.source, made.classes[0].name);
        openTab('diagram');
    } catch (e) {
        say(e.message, true);
    }
}

document.addEventListener('viewed', () => { if (open === 'documentation') showDocumentation(); });
