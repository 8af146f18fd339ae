'use strict';
/* tree.js: all libraries as a tree that is fetched as it is opened, with icons, and a search through all names and descriptions. What is
 * chosen is shown in the diagram and the documentation. */

const tree = { nodes: new Map(), icons: new Map(), wanted: [] };
let viewed = null;           /* { name, source }: the class that diagram and documentation show; source: undefined for libraries */

function isOwn(name) {
    const s = sources.find(x => x.classes.some(c => c.name === name));
    return s && s.source;
}

/* A class becomes the one that is looked at; of one of the directory's models the source is known. */
function view(name, source) {
    if (source === undefined) source = isOwn(name);
    viewed = { name, source };
    document.dispatchEvent(new CustomEvent('viewed'));
}

/* Icons are asked for together, and kept. */
function iconOf(name) {
    const box = make('span', { className: 'icon', data: { icon: name } });
    if (tree.icons.has(name)) showIcon(box, name);
    else tree.wanted.push(box);
    if (tree.wanted.length === 1) setTimeout(fetchIcons, 10);
    return box;
}

function showIcon(box, name) {
    const svg = tree.icons.get(name);
    if (svg) box.replaceChildren(make('img', { alt: '', src: 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svg) }));
}

async function fetchIcons() {
    const boxes = tree.wanted;
    tree.wanted = [];
    const names = [...new Set(boxes.map(b => b.dataset.icon).filter(n => !tree.icons.has(n)))];
    for (let i = 0; i < names.length; i += 100) {
        const part = names.slice(i, i + 100);
        try {
            const got = await ask('POST', 'icons', { name: part });
            for (const n of part) tree.icons.set(n, got[n] || '');
        } catch (e) {
            for (const n of part) tree.icons.set(n, '');
        }
    }
    for (const b of boxes) showIcon(b, b.dataset.icon);
}

const SHORT_KINDS = { package: 'P', model: 'M', block: 'B', connector: 'C', record: 'R', function: 'F', type: 'T', class: 'K', operator: 'O' };

function treeRow([name, kind, description, flags], depth, parent) {
    const own = flags.includes('w') || (parent && parent.own), last = name.split('.').pop();
    const node = { name, kind, own, flags, depth, children: null, open: false };
    const arrow = make('span', { className: 'arrow', ariaHidden: 'true' }, flags.includes('c') ? '▸' : '');
    node.row = make('div', {
        className: 'leaf kind-' + kind + (flags.includes('p') ? ' partial' : '') + (flags.includes('e') || flags.includes('x') ? ' example' : ''), role: 'treeitem', tabIndex: -1, draggable: true, data: { name },
        title: `${kind} ${name}${flags.includes('e') ? ' (' + t('example') + ')' : ''}\n${description}`, style: `padding-left:${6 + 14 * depth}px`,
        onclick: e => { if (e.target === arrow && flags.includes('c')) return toggleNode(node); pick(node); },
        ondblclick: () => flags.includes('c') && kind === 'package' ? toggleNode(node) : addToDiagram(name),
        ondragstart: e => { e.dataTransfer.setData('text/acausal-class', name); e.dataTransfer.effectAllowed = 'copy'; dragged = name; },
    }, arrow, iconOf(name), make('span', { className: 'label' }, last), make('i', { className: 'kind', title: kind }, SHORT_KINDS[kind] || ''));
    node.row.setAttribute('aria-level', depth + 1);
    if (flags.includes('c')) node.row.setAttribute('aria-expanded', 'false');
    node.arrow = arrow;
    tree.nodes.set(node.row, node);
    return node;
}

let dragged = null;

function pick(node) {
    for (const r of at('tree').querySelectorAll('[aria-selected="true"]')) r.removeAttribute('aria-selected');
    node.row.setAttribute('aria-selected', 'true');
    node.row.tabIndex = 0;
    node.row.focus();
    view(node.name);
    if (open !== 'diagram' && open !== 'documentation') openTab(node.kind === 'package' || node.kind === 'function' ? 'documentation' : 'diagram');
}

async function toggleNode(node, want) {
    if (want !== undefined && want === node.open) return;
    node.open = !node.open;
    node.arrow.textContent = node.open ? '▾' : '▸';
    node.row.setAttribute('aria-expanded', String(node.open));
    if (!node.children) {
        node.children = (await ask('GET', 'tree', { class: node.name })).map(c => treeRow(c, node.depth + 1, node));
        node.group = make('div', { role: 'group' }, ...node.children.map(c => c.box = make('div', {}, c.row)));
        node.row.parentNode.append(node.group);
    }
    node.group.hidden = !node.open;
}

async function loadTree() {
    if (tree.loaded) return;
    tree.loaded = true;
    try {
        const roots = (await ask('GET', 'tree')).sort((a, b) => b[3].includes('w') - a[3].includes('w') || (a[0] < b[0] ? -1 : 1));
        at('tree').replaceChildren(...roots.map(r => make('div', {}, treeRow(r, 0, null).row)));
        const first = at('tree').querySelector('.leaf');
        if (first) first.tabIndex = 0;
    } catch (e) {
        tree.loaded = false;
        say(e.message, true);
    }
}

/* Up and down through what is in view, right and left to open and close, Enter adds to the diagram. */
function treeKeys(e) {
    const rows = [...at('tree').querySelectorAll('.leaf')].filter(r => r.offsetParent), i = rows.indexOf(document.activeElement), node = tree.nodes.get(rows[i]);
    const go = k => { if (!rows[k]) return; rows.forEach(r => r.tabIndex = -1); rows[k].tabIndex = 0; rows[k].focus(); };
    if (e.key === 'ArrowDown') go(i + 1);
    else if (e.key === 'ArrowUp') go(i - 1);
    else if (e.key === 'ArrowRight' && node && node.flags.includes('c')) toggleNode(node, true);
    else if (e.key === 'ArrowLeft' && node && node.open) toggleNode(node, false);
    else if (e.key === 'Enter' && node) addToDiagram(node.name);
    else if (e.key === ' ' && node) pick(node);
    else return;
    e.preventDefault();
}

let searching = 0;

async function searchLibraries() {
    const q = at('library-search').value.trim(), turn = ++searching;
    at('tree').hidden = q !== '';
    at('found-classes').hidden = q === '';
    if (!q) return;
    try {
        const found = await ask('GET', 'search', { q });
        if (turn !== searching) return;
        at('found-classes').replaceChildren(...found.map(c => {
            const node = treeRow(c, 0, null);
            node.row.tabIndex = 0;
            node.row.querySelector('.label').replaceChildren(c[0].split('.').pop(), make('small', {}, c[0].split('.').slice(0, -1).join('.')));
            return make('div', {}, node.row);
        }), found.length ? '' : make('div', { className: 'empty' }, t('nothing found')));
    } catch (e) {
        say(e.message, true);
    }
}

/* Models or libraries on the left. */
function openLeft(which) {
    for (const key of ['models', 'libraries']) {
        at('left-' + key).setAttribute('aria-selected', String(key === which));
        at('pane-' + key).hidden = key !== which;
    }
    if (which === 'libraries') loadTree();
}

at('left-models').addEventListener('click', () => openLeft('models'));
at('left-libraries').addEventListener('click', () => openLeft('libraries'));
at('library-search').addEventListener('input', searchLibraries);
at('tree').addEventListener('keydown', treeKeys);
at('found-classes').addEventListener('keydown', e => { if (e.key === 'Enter') addToDiagram(document.activeElement.dataset.name); });
