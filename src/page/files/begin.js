'use strict';
/* begin.js: the studio begins: what is on the page gets its listeners, the first model is opened. */

at('tabs').append(...tabs.map(([key, text]) => make('button', { id: 'tab-' + key, role: 'tab', onclick: () => openTab(key) }, t(text))));
startTheme(at('theme'));
startLanguage(at('language'));
for (const id of ['left', 'right']) at('show-' + id).addEventListener('click', () => toggleDrawer(id));
openTab('curves');
at('model-search').addEventListener('input', showModels);
at('search').addEventListener('input', () => showVariables());
at('parameter-search').addEventListener('input', showParameters);
at('clear').addEventListener('click', () => { chosen.clear(); list.draw(); drawCurves(); });
at('reset').addEventListener('click', () => plot.reset());
at('events').addEventListener('change', drawCurves);
at('over').addEventListener('change', () => { plot.view = null; drawCurves(); });
at('run').addEventListener('click', startRun);
at('cancel').addEventListener('click', () => { if (active) ask('POST', 'cancel', { id: active.id }).catch(() => {}); });
at('restore').addEventListener('click', () => { values.clear(); showParameters(); startRun(); });
at('new').addEventListener('click', newModel);
at('fmu').addEventListener('change', e => exportModel(e.target));
at('check').addEventListener('click', check);
at('save').addEventListener('click', save);
at('code').addEventListener('input', edited);
at('editor').addEventListener('scroll', () => requestAnimationFrame(paintCode));
at('code').addEventListener('keydown', e => {
    if (e.key !== 'Tab' || e.shiftKey) return;
    e.preventDefault();
    document.execCommand('insertText', false, '    ');
});
for (const id of ['from', 'to', 'tolerance', 'points', 'solver']) at(id).addEventListener('change', startRun);
document.addEventListener('keydown', e => {
    if ((e.ctrlKey || e.metaKey) && e.key === 's') e.preventDefault(), save();
    if ((e.ctrlKey || e.metaKey) && e.key === 'Enter') e.preventDefault(), startRun();
});
window.addEventListener('beforeunload', e => { if (at('code').value !== savedText) e.preventDefault(); });
const solvers = () => ask('GET', 'solvers').then(all => at('solver').append(...all.map(([name, summary]) => make('option', { value: name, title: summary }, name)))).catch(() => {});
loadModels().catch(e => say(e.message, true)).then(solvers);
