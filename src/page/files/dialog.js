'use strict';
/* dialog.js: the parameters of a component, or of the class itself, as their Dialog annotations order them: tabs, groups, units, choices,
 * enumerations, and what is only there while something else is on. Values are expressions; an empty field is the value of the class. */

const isParameter = c => c.variability === 'parameter' && !c.protected && !c.final && !c.connector;

function dialogOf(c) {
    const d = c.annotation && c.annotation.Dialog || {};
    return { tab: typeof d.tab === 'string' ? d.tab : 'General', group: typeof d.group === 'string' ? d.group : 'Parameters', enabled: d.enable !== false, sizing: d.connectorSizing === true };
}

/* choices(choice = 1 "one", ...), as far as they are values. */
function choicesOf(c) {
    const all = c.annotation && c.annotation.choices;
    if (!all || typeof all !== 'object' || all.checkBox) return [];
    return Object.entries(all).filter(([k, v]) => k === 'choice' && typeof v !== 'object').map(([, v]) => String(v));
}

function shownValue(v) {
    return v === undefined || v === null ? '' : typeof v === 'object' && v.name ? v.name : typeof v === 'number' ? String(Number(v.toPrecision(10))) : JSON.stringify(v);
}

/* The field of a parameter. `said`: what stands in the text of this class; '' if nothing does. */
function fieldOf(c, said) {
    const usual = shownValue(c.value) || (said ? '' : c.binding || ''), id = 'field-' + c.name, props = { id, data: { name: c.name }, disabled: !dialogOf(c).enabled };
    const option = (value, label) => make('option', { value, selected: value === said }, label);
    if (c.basis === 'Boolean' && !c.sizes && ['', 'true', 'false'].includes(said)) return make('select', props, option('', usual ? `(${usual})` : ''), option('true', 'true'), option('false', 'false'));
    const literals = (c.literals || []).map(l => c.enumeration + '.' + l), known = literals.find(l => l === said || l.endsWith('.' + said.split('.').pop()));
    if (literals.length && !c.sizes && (!said || known)) return make('select', props, option('', usual ? `(${usual})` : ''), ...literals.map(l => make('option', { value: l, selected: said !== '' && l === known }, l.split('.').pop())));
    const field = make('input', { ...props, type: 'text', value: said, placeholder: usual, spellcheck: false, autocomplete: 'off' }), choices = choicesOf(c);
    if (!choices.length) return field;
    field.setAttribute('list', id + '-choices');
    return make('span', {}, field, make('datalist', { id: id + '-choices' }, ...choices.map(x => make('option', { value: x }))));
}

function groupsOf(list, key) {
    const out = new Map();
    for (const c of list) out.set(dialogOf(c)[key], [...(out.get(dialogOf(c)[key]) || []), c]);
    return out;
}

async function openDialog(name) {
    if (!viewed) return;
    const box = at('dialog');
    let about;
    try {
        about = (await ask('GET', 'describe', { source: viewed.source, class: viewed.name, component: name || undefined })).described;
    } catch (e) {
        return say(e.message, true);
    }
    if (!about) return;
    const own = name && componentOf(name), all = about.components.filter(c => isParameter(c) && !dialogOf(c).sizing), fields = new Map();
    const said = c => (name ? !c.own_binding : true) && c.binding || '';
    const may = writable() && (!own || !own.from), tabs = groupsOf(all, 'tab'), panes = new Map();
    const row = c => {
        const field = fieldOf(c, said(c));
        fields.set(c, field.matches('input, select') ? field : field.querySelector('input'));
        if (!may) fields.get(c).disabled = true;
        return make('div', { className: 'field' + (dialogOf(c).enabled ? '' : ' off') }, make('label', { htmlFor: 'field-' + c.name, className: 'mono' }, c.name), field, make('span', { className: 'unit' }, prettyUnit(c.unit || '')), make('span', { className: 'about' }, c.description || ''));
    };
    for (const [tab, list] of tabs) panes.set(tab, make('div', { className: 'pane', role: 'tabpanel', hidden: panes.size > 0 }, ...[...groupsOf(list, 'group')].map(([group, rows]) => make('fieldset', {}, make('legend', {}, t(group)), ...rows.map(row)))));
    const buttons = [...panes.keys()].map((tab, i) => make('button', { type: 'button', role: 'tab', ariaSelected: String(!i), onclick: () => { for (const [k, p] of panes) p.hidden = k !== tab; buttons.forEach((b, n) => b.setAttribute('aria-selected', String([...panes.keys()][n] === tab))); } }, t(tab)));
    const rename = make('input', { type: 'text', id: 'dialog-name', value: name || '', disabled: !may || !name, spellcheck: false });
    const apply = async () => {
        const edits = [...fields].filter(([c, f]) => f.value.trim() !== said(c) && !(c.literals && f.value.split('.').pop() === said(c).split('.').pop() && f.value && said(c))).map(([c, f]) => ({ kind: 'set', name: (name ? name + '.' : '') + c.name, text: f.value.trim() }));
        if (name && rename.value.trim() !== name) edits.push({ kind: 'rename', name, other: rename.value.trim() });
        if (!edits.length || await change(edits)) box.close();
        if (name) choose([rename.value.trim()]);
    };
    box.replaceChildren(make('form', { method: 'dialog', onsubmit: e => { e.preventDefault(); may ? apply() : box.close(); } },
        make('header', {}, iconOf(about.class), make('div', {}, name ? rename : make('h2', {}, about.class.split('.').pop()), make('div', { className: 'soft' }, about.class, about.description ? ': ' + about.description : ''))),
        panes.size > 1 ? make('nav', { className: 'tabs', role: 'tablist' }, ...buttons) : '', make('div', { className: 'panes' }, ...panes.values(), all.length ? '' : make('p', { className: 'soft' }, t('none yet'))),
        make('footer', {}, name ? make('button', { type: 'button', className: 'quiet', onclick: () => { box.close(); goTo(about.class); openTab('documentation'); } }, t('Documentation')) : '', name ? make('button', { type: 'button', className: 'quiet', onclick: () => { box.close(); view(about.class); openTab('diagram'); } }, t('Diagram')) : '',
            make('span', { className: 'grow' }), make('button', { type: 'button', onclick: () => box.close() }, t('Close')), may ? make('button', { className: 'main', id: 'dialog-apply' }, t('Apply')) : '')));
    box.showModal();
    const first = box.querySelector('.pane input:not(:disabled), .pane select:not(:disabled)');
    if (first) first.focus();
}
