/* workbench.mjs: a first model is built with the mouse alone, from a library's parts: found in the tree and by search, dragged, connected,
 * given values in dialogs, run, undone; its text changes only where it should. Documentation is harmless; everything works by keyboard, on a
 * phone, in German. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { check, end, openBrowser, openPage, picture } from './browser.mjs';

const [acausal] = process.argv.slice(2), here = path.dirname(fileURLToPath(import.meta.url));
const browser = await openBrowser();
const dir = mkdtempSync(path.join(tmpdir(), 'acausal-workbench-')), lib = path.join(dir, 'lib'), work = path.join(dir, 'work');
mkdirSync(work);
cpSync(path.join(here, 'Parts'), path.join(lib, 'Parts'), { recursive: true });
writeFileSync(path.join(work, 'First.mo'), 'model First\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\n  annotation(experiment(StopTime = 1));\nend First;\n');
writeFileSync(path.join(work, 'Arm.mo'), 'model Arm\n  extends Parts.Arm;\nend Arm;\n');
writeFileSync(path.join(work, 'Odd.mo'), 'model Odd\n  Missing m annotation(Placement(transformation(extent = {{0, 0}, {20, 20}})));\n  Parts.Gear good annotation(Placement(transformation(extent = {{-40, 0}, {-20, 20}})));\nend Odd;\n');

const server = spawn(acausal, ['serve', work, '--lib', lib, '--quiet'], { env: { ...process.env, MODELICAPATH: '' } });
const address = await new Promise(done => {
    let text = '';
    server.stdout.on('data', d => { text += d; if (text.includes('\n')) done(text.trim()); });
});
const motor = () => readFileSync(path.join(work, 'Motor.mo'), 'utf8');
const page = await openPage(browser);
let questions = ['Motor'];
page.on('dialog', d => d.accept(questions.shift()));
await page.goto(address);
await page.waitForFunction(() => document.documentElement.dataset.drawn);
const weight = deflateSync(Buffer.from(await (await page.request.get(address)).body())).length;
console.log(`the page weighs ${(weight / 1024).toFixed(0)} kB deflated`);
check(weight < 600 * 1024, 'the page is light');

/* ---- tree, search, documentation ---- */

await page.click('#left-libraries');
await page.waitForSelector('.leaf[data-name="Parts"]');
await page.click('.leaf[data-name="Parts"] .arrow');
await page.waitForSelector('.leaf[data-name="Parts.Inertia"] img');
check(await page.locator('.leaf[data-name="Parts.TwoFlanges"].partial').count() === 1, 'partial classes look so');
await page.focus('.leaf[data-name="Parts"]');
await page.keyboard.press('ArrowDown');
check(await page.evaluate(() => document.activeElement.dataset.name) === 'Parts.Flange', 'the tree works by keyboard');
await page.click('.leaf[data-name="Parts"] .label');
await page.waitForFunction(() => document.getElementById('view-documentation').dataset.shown === 'Parts');
check(await page.locator('#view-documentation').innerText().then(t => t.includes('Parts that turn') && t.includes('Safe.')), 'documentation is shown');
check(await page.title() !== 'taken over' && await page.locator('#view-documentation script').count() === 0, 'and runs nothing');
await page.click('#view-documentation a[data-class="Parts.Inertia"]');
await page.waitForFunction(() => document.getElementById('view-documentation').dataset.shown === 'Parts.Inertia');
check((await page.locator('#view-documentation').innerText()).includes('Moment of inertia'), 'with parameters');
await picture(page, 'workbench-documentation');
await page.click('.doc-bar button:first-child');
await page.waitForFunction(() => document.getElementById('view-documentation').dataset.shown === 'Parts');
check(true, 'and back');

/* ---- building with the mouse ---- */

await page.click('#tab-diagram');
await page.click('#left-models');
await page.click('#new');
await page.waitForFunction(() => document.getElementById('diagram').dataset.shown === 'Motor');
await page.click('#left-libraries');
const host = await page.locator('#diagram').boundingBox();
const has = name => page.waitForFunction(n => [...document.querySelectorAll('#diagram g[data-component]')].some(g => g.dataset.component === n), name, { timeout: 10000 });

async function drag(query, name, x, component) {
    await page.fill('#library-search', query);
    await page.locator(`#found-classes .leaf[data-name="${name}"]`).dragTo(page.locator('#diagram'), { targetPosition: { x: host.width * x, y: host.height * 0.5 } });
    await has(component);
}

await drag('step', 'Parts.Step', 0.15, 'step');
await drag('torque', 'Parts.Torque', 0.32, 'torque');
await drag('body turns', 'Parts.Inertia', 0.5, 'inertia');
await drag('gear', 'Parts.Gear', 0.66, 'gear');
await drag('inertia', 'Parts.Inertia', 0.84, 'inertia1');
check(/^model Motor\n  Parts\.Step step annotation\(Placement\(transformation\(extent = \{\{-?\d+, -10\}, \{-?\d+, 10\}\}\)\)\);\n/.test(motor()), 'components are in the text');

const middle = name => page.evaluate(n => {
    const g = [...document.querySelectorAll('#diagram g.connector')].find(x => x.dataset.component === n), r = g.querySelector('.hit').getBoundingClientRect();
    return [r.x + r.width / 2, r.y + r.height / 2];
}, name);

async function draw(from, to) {
    const a = await middle(from), b = await middle(to);
    await page.mouse.move(...a);
    await page.mouse.down();
    await page.mouse.move((a[0] + b[0]) / 2, (a[1] + b[1]) / 2 + 4);
    await page.mouse.move(...b, { steps: 3 });
    await page.waitForFunction(() => { const l = document.querySelector('.new-line'); return l && (l.classList.contains('good') || l.classList.contains('bad')); });
    const said = await page.textContent('#status'), lines = await page.locator('#diagram g[data-connection]').count();
    await page.mouse.up();
    if (said.startsWith('connect')) await page.waitForFunction(n => document.querySelectorAll('#diagram g[data-connection]').length > n, lines);
    return said;
}

check(/cannot be connected/.test(await draw('step.y', 'inertia.a')), 'what does not fit is refused while dragging, with the reason');
await page.keyboard.press('Escape');
for (const [a, b] of [['step.y', 'torque.tau'], ['torque.b', 'inertia.a'], ['inertia.b', 'gear.a'], ['gear.b', 'inertia1.a']]) check(await draw(a, b) === `connect(${a}, ${b})`, `${a} to ${b}`);
check((motor().match(/\n  connect\([\w.]+, [\w.]+\) annotation\(Line\(points = \{\{.*\}\}, color = \{\d+, \d+, \d+\}\)\);/g) || []).length === 4, 'connections are in the text, with their lines');
await picture(page, 'workbench-built');

/* ---- dialogs ---- */

async function dialog(component, values) {
    await page.locator(`#diagram g[data-component="${component}"]`).dblclick();
    await page.waitForSelector('#dialog[open]');
    for (const [name, value] of Object.entries(values)) {
        const f = page.locator('#field-' + name);
        if (await f.evaluate(e => e.nodeName) === 'SELECT') await f.selectOption({ label: value });
        else await f.fill(value);
    }
    if (component === 'gear') await picture(page, 'workbench-dialog');
    if (component === 'gear') check(await page.locator('#field-slack').isDisabled(), 'what an enable expression turns off');
    await page.click('#dialog-apply');
    await page.waitForSelector('#dialog:not([open])', { state: 'attached' });
}

await dialog('gear', { ratio: '5', kind: 'worm' });
await dialog('inertia1', { J: '2' });
check(motor().includes('Parts.Gear gear(ratio = 5, kind = Parts.Gear.Kind.worm) annotation(') && motor().includes('inertia1(J = 2)'), 'values are in the text');

/* ---- moving, undo, and nothing else changes ---- */

const before = motor();
await page.locator('#diagram g[data-component="inertia1"]').click();
await page.keyboard.press('ArrowUp');
await page.waitForFunction(() => document.getElementById('diagram-undo').disabled === false && document.querySelector('#diagram').textContent !== null);
await page.waitForTimeout(300);
const moved = motor(), changed = moved.split('\n').filter((l, i) => l !== before.split('\n')[i]);
check(changed.length === 2 && changed[0].includes('inertia1') && changed[1].includes('connect(gear.b, inertia1.a)'), 'moving changes its place and its line: ' + changed.join(' | '));
await page.click('#diagram-rotate');
await page.waitForTimeout(300);
check(/inertia1\(J = 2\) annotation\(Placement\(transformation\(extent = \{\{-10, -10\}, \{10, 10\}\}, rotation = 90, origin = /.test(motor()), 'turning');
await page.focus('#diagram');
await page.keyboard.press('Control+z');
await page.waitForTimeout(300);
check(motor() === moved, 'undo');
await page.keyboard.press('Control+z');
await page.waitForTimeout(300);
check(motor() === before, 'undo again');
await page.keyboard.press('Control+y');
await page.waitForTimeout(300);
check(motor() === moved, 'redo');
await page.locator('#diagram g[data-component="step"]').click();
await page.keyboard.press('Delete');
await page.waitForTimeout(300);
check(!motor().includes('step'), 'deleting takes connections along');
await page.keyboard.press('Control+z');
await page.waitForTimeout(300);
check(motor() === moved, 'and comes back');
await page.locator('#diagram g[data-component="gear"]').click();
await page.keyboard.press('Control+c');
await page.keyboard.press('Control+v');
await has('gear1');
check(motor().includes('Parts.Gear gear1(ratio = 5, kind = Parts.Gear.Kind.worm) annotation('), 'copying');
await page.keyboard.press('Control+z');
await page.waitForTimeout(300);

/* ---- the text beside it, and the run ---- */

await page.click('#tab-source');
check((await page.inputValue('#code')) === motor(), 'the text follows');
await page.click('#tab-curves');
await page.waitForFunction(() => /^done/.test(document.getElementById('status').textContent), null, { timeout: 20000 });
await page.fill('#search', 'inertia1.w');
await page.locator('#list .row').first().click();
await page.waitForTimeout(400);
await picture(page, 'workbench-run');
await page.click('#tab-diagram');
await page.waitForSelector('#time-bar:not([hidden])');
const light = () => page.evaluate(() => [...document.querySelectorAll('#diagram [data-dynamic]')].map(e => e.nodeName === 'text' ? e.textContent : e.getAttribute('fill')).join(' '));
check((await light()) === '1 rgb(0,255,0)', 'what follows time does: ' + await light());
writeFileSync(path.join(work, 'Motor.mo'), motor() + '// by another program\n');
await page.locator('#diagram g[data-component="gear"]').click();
await page.keyboard.press('ArrowDown');
await page.waitForTimeout(400);
check(motor().endsWith('// by another program\n'), 'what another program wrote stays');

/* ---- bad input, another class ---- */

await page.click('#left-models');
await page.click('.models .class[data-name="Odd"]');
await page.click('#tab-diagram');
await has('good');
check(true, 'a class with errors still shows');
await page.click('#left-libraries');
await page.fill('#library-search', '');
await page.click('.leaf[data-name="Parts.Gear"] .label');
await page.click('#tab-diagram');
await page.waitForFunction(() => document.getElementById('diagram').dataset.shown === 'Parts.Gear');
check(await page.locator('#diagram-rotate').isHidden() && (await page.textContent('#diagram-name')).includes('read only'), 'libraries are read only');

/* ---- in three dimensions ---- */

await page.click('#left-models');
await page.click('.models .class[data-name="Arm"]');
await page.waitForFunction(() => /^done/.test(document.getElementById('status').textContent) && document.getElementById('model-name').textContent === 'Arm', null, { timeout: 20000 });
await page.click('#tab-animation');
await page.waitForSelector('#scene canvas, #scene .empty');
const built = await page.locator('#scene canvas').count() === 1;
if (!built) console.log('no animation: ' + await page.textContent('#scene'));
check(built || /built without/.test(await page.textContent('#scene')), 'what was built without three.js says so');
if (built) {
    await page.waitForFunction(() => document.getElementById('scene').dataset.shapes === '4');
    const at0 = time => page.evaluate(x => { setTime(x); const e = scene.shapes.find(s => s.name === 'arm').mesh.matrix.elements; return [e[0], e[1]].map(v => Number(v.toFixed(4))).join(' '); }, time);
    check(await at0(0) === '1 0' && await at0(0.5) === `${Math.cos(1.5).toFixed(4).replace(/0+$/, '')} ${Math.sin(1.5).toFixed(4).replace(/0+$/, '')}`, 'bodies turn as the result says: ' + await at0(0.5));
    const coloured = await page.evaluate(() => { const c = document.createElement('canvas'), g = scene.renderer.domElement; c.width = g.width; c.height = g.height; const x = c.getContext('2d'); x.drawImage(g, 0, 0); const d = x.getImageData(0, 0, c.width, c.height).data; let red = 0, blue = 0; for (let i = 0; i < d.length; i += 4) { if (d[i] > 120 && d[i + 1] < 90 && d[i + 2] < 90) red++; if (d[i + 2] > 120 && d[i] < 90) blue++; } return [red, blue]; });
    check(coloured[0] > 300 && coloured[1] > 100, 'and are seen: ' + coloured);
    const cost = await page.evaluate(() => { const all = []; for (let i = 0; i < 60; i++) { setTime(i / 60); all.push(scene.cost); } return all.sort((a, b) => a - b)[30]; });
    console.log(`a frame costs ${cost.toFixed(2)} ms of script`);
    await picture(page, 'workbench-animation');
}

const phone = await openPage(browser, { viewport: { width: 390, height: 780 }, locale: 'de-DE', hasTouch: true });
await phone.goto(address);
await phone.waitForFunction(() => document.documentElement.dataset.drawn);
const top = (await phone.locator('#plot').boundingBox()).y;
check(top < 200, 'on a phone the plot is at the top: ' + top);
check(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'and nothing is wider than it');
check(await phone.textContent('#tab-curves') === 'Kurven', 'in German');
await picture(phone, 'workbench-phone');
await phone.click('#show-right');
check(await phone.locator('#run').isVisible(), 'the run is in a drawer');
await picture(phone, 'workbench-phone-run');
await phone.click('#show-right');
await phone.click('#tab-diagram');
await phone.waitForFunction(() => document.getElementById('diagram').dataset.shown === 'First');

await browser.close();
const code = new Promise(done => server.on('exit', done));
server.kill('SIGINT');
check(await code === 0, 'the server ends well');
rmSync(dir, { recursive: true });
end();
