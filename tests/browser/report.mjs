/* report.mjs: a report in a browser: curves are drawn, zoom and pan move the axis, the cursor tells values, search finds among thousands,
 * every tab opens, both themes; nothing is asked of the network, nothing is said on the console. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { check, end, openBrowser, openPage, picture } from './browser.mjs';

const [acausal, models] = process.argv.slice(2);
const browser = await openBrowser();
const dir = mkdtempSync(path.join(tmpdir(), 'acausal-report-'));
const run = (...args) => execFileSync(acausal, args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString();

async function open(file) {
    const page = await openPage(browser);
    page.on('request', r => check(r.url().startsWith('file:') || r.url().startsWith('data:') || r.url().startsWith('blob:'), 'asks for ' + r.url()));
    await page.goto('file://' + file);
    await page.waitForFunction(() => document.documentElement.dataset.drawn > 0);
    return page;
}

/* Whether a canvas has anything but its background. */
const inked = page => page.evaluate(() => {
    const c = document.querySelector('.plot-area canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    let n = 0;
    for (let i = 3; i < d.length; i += 4) n += d[i] > 0;
    return n;
});

async function ball() {
    const file = path.join(dir, 'ball.html');
    run('simulate', path.join(models, 'BouncingBall.mo'), '--report', file);
    check(statSync(file).size < 400000, 'the page is below 400 kB');
    const page = await open(file);
    check(await inked(page) > 2000, 'curves are drawn');
    const area = page.locator('.plot-area').first(), box = await area.boundingBox();
    const view = () => page.evaluate(() => plot.view || plot.full);
    const before = await view();
    await page.mouse.move(box.x + 300, box.y + 40);
    await page.mouse.wheel(0, -400);
    await page.waitForTimeout(60);
    const zoomed = await view();
    check(zoomed[1] - zoomed[0] < 0.7 * (before[1] - before[0]), 'the wheel zooms');
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const moved = await view();
    check(Math.abs((moved[1] - moved[0]) - (zoomed[1] - zoomed[0])) < 1e-9 && moved[0] > zoomed[0], 'shift and drag moves');
    await page.mouse.dblclick(box.x + 300, box.y + 40);
    check(JSON.stringify(await view()) === JSON.stringify(before), 'a double click shows all');
    await page.mouse.move(box.x + 200, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 44, { steps: 4 });
    await page.mouse.up();
    const boxed = await view();
    check(boxed[0] > before[0] && boxed[1] < before[1], 'a box zooms');
    await page.locator('#reset').click();
    await page.mouse.move(box.x + 420, box.y + 60);
    check(/^t = [\d.]+/.test(await page.locator('#cursor').textContent()), 'the cursor tells the time');
    check(/[\d]/.test(await page.locator('.plot-name em').first().textContent()), 'and values');
    await picture(page, 'report-light');
    await page.locator('#theme').click();
    await page.waitForTimeout(60);
    await picture(page, 'report-dark');
    for (const [tab, text] of [['run', 'Statistics'], ['structure', 'States'], ['events', '6 events'], ['messages', 'No warnings']]) {
        await page.locator('#tab-' + tab).click();
        await page.waitForTimeout(120);
        check((await page.locator('#view-' + tab).textContent()).includes(text), tab + ' has ' + text);
        await picture(page, 'report-' + tab);
    }
    await page.locator('#tab-curves').click();
    await page.locator('#over').selectOption('h');
    await page.waitForTimeout(80);
    check(await page.evaluate(() => plot.isPhase && plot.xLabel.startsWith('h')), 'a phase plot');
    await picture(page, 'report-phase');
    await page.close();
}

/* Ten thousand variables, and names that look like the end of a script. */
async function many() {
    const file = path.join(dir, 'many.csv'), n = 10000, heads = ['time'];
    for (let i = 0; i < n; i++) heads.push(i === 77 ? '"</script><b>x"' : `group${i % 100}.part[${i}].value`);
    const row = t => [t, ...Array.from({ length: n }, (_, i) => (i % 7 ? Math.sin(t + i).toFixed(4) : 1))].join(',');
    writeFileSync(file, [heads.join(','), ...[0, 0.5, 1, 1, 1.5, 2].map(row)].join('\n') + '\n');
    run('report', file);
    const page = await open(path.join(dir, 'many.html'));
    check(await page.locator('.row').count() < 100, 'only rows in view exist');
    await page.locator('#search').fill('group42 part[742]');
    check(await page.locator('#found').textContent() === `1 of ${n}`, 'search by words');
    await page.locator('.row').first().click();
    await page.waitForFunction(() => plot.panels.some(p => p.series.some(s => s.label === 'group42.part[742].value')));
    await page.locator('#search').fill('group7.*');
    check(await page.locator('#found').textContent() === `100 of ${n}`, 'search by a pattern');
    await page.locator('#search').fill('</script>');
    check(await page.locator('.row .name').first().textContent() === '</script><b>x', 'a name cannot end the script');
    await picture(page, 'report-search');
    await page.close();
}

await ball();
await many();
await browser.close();
rmSync(dir, { recursive: true });
end();
