/* studio.mjs: the studio in a browser: a model opens and is run at once, sliders run it again, runs are compared, a long run shows its
 * curves while it goes on and can be cancelled, mistakes are shown in their lines, saving mends them, structure and export work; a hundred quick
 * restarts and a closed browser leave the server as it was. */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { check, end, openBrowser, openPage, picture } from './browser.mjs';

const [acausal, models] = process.argv.slice(2);
const browser = await openBrowser();
const dir = mkdtempSync(path.join(tmpdir(), 'acausal-studio-'));
cpSync(models, dir, { recursive: true });
writeFileSync(path.join(dir, 'Slow.mo'), `model Slow "An oscillation that takes long to compute"
  parameter Real w = 1000 "frequency";
  Real x(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = w*v;
  der(v) = -w*x;
  annotation(experiment(StopTime = 20000));
end Slow;
`);
writeFileSync(path.join(dir, 'Wrong.mo'), `model Wrong
  Real x;
equation
  der(x) = -y;
end Wrong;
`);

function serve(...args) {
    const server = spawn(acausal, ['serve', ...args]), began = performance.now();
    return new Promise(done => {
        let text = '';
        server.stdout.on('data', d => {
            text += d;
            if (text.includes('\n')) done({ server, address: text.trim(), began });
        });
    });
}

async function stop({ server }) {
    const code = new Promise(done => server.on('exit', done));
    server.kill('SIGINT');
    check(await code === 0, 'the server ends well');
}

const drawn = (page, least) => page.waitForFunction(n => Number(document.documentElement.dataset.drawn) >= n, least, { timeout: 20000 });
const openModel = (page, name) => page.locator(`.models .class[data-name="${name}"]`).click();

/* How long it takes from the command to the first curve, in a browser that is open. */
async function first() {
    const warm = await openPage(browser);
    const s = await serve(path.join(dir, 'BouncingBall.mo'));
    await warm.goto(s.address);
    await drawn(warm, 1);
    const ms = performance.now() - s.began;
    console.log(`from the command to the first curve: ${ms.toFixed(0)} ms, of which ${await warm.evaluate(() => document.documentElement.dataset.first)} ms in the page`);
    check(ms < 5000, 'the first curve comes soon');
    await picture(warm, 'studio-first');
    await warm.context().close();
    await stop(s);
}

async function work() {
    const s = await serve(dir), page = await openPage(browser);
    await page.goto(s.address);
    await drawn(page, 1);
    await page.waitForFunction(() => document.querySelectorAll('.models .class').length > 10);
    await openModel(page, 'BouncingBall');
    await page.waitForFunction(() => document.querySelector('#status').textContent.startsWith('done'));
    check(await page.evaluate(() => plot.panels.length === 2), 'height and speed are shown');
    await picture(page, 'studio-light');

    const e = page.locator('.parameter[data-name="e"]');
    await page.locator('#runs button', { hasText: 'keep' }).first().click();
    await e.locator('input[type="text"]').fill('0.5');
    await e.locator('input[type="text"]').press('Enter');
    await page.waitForFunction(() => runs.length === 2 && runs[0].info.state === 'done' && plot.panels[0].series.length === 2);
    check(await page.locator('#runs .item').count() === 2, 'a kept run stays beside the new one');
    check((await page.locator('#runs .item').first().textContent()).includes('e=0.5'), 'a run says what it was made with');
    await page.mouse.move(700, 300);
    await page.locator('#theme').click();
    await page.waitForTimeout(100);
    await picture(page, 'studio-compare-dark');
    await page.locator('#theme').click();

    for (let i = 0; i < 100; i++) await page.evaluate(v => {
        const slider = document.querySelector('.parameter[data-name="e"] input[type="range"]');
        slider.value = v;
        slider.dispatchEvent(new Event('input'));
    }, 0.3 + i / 200);
    await page.waitForFunction(() => !active && !starting && runs[0].info.set[0] === 'e=0.795' && runs[0].info.state === 'done', null, { timeout: 20000 });
    check(await page.evaluate(() => runs.length) === 2, 'a hundred moves of a slider leave one run');

    await page.locator('#tab-compare').click();
    await page.waitForFunction(() => document.querySelectorAll('#view-compare tbody tr').length > 3);
    check((await page.locator('#view-compare').textContent()).includes('different'), 'runs are compared');
    await picture(page, 'studio-comparison');
    await page.locator('#tab-structure').click();
    await page.waitForSelector('.structure .area[data-drawn]');
    check((await page.locator('#view-structure').textContent()).includes('h < 0'), 'relations are told');
    const download = page.waitForEvent('download');
    await page.locator('#tab-curves').click();
    await page.locator('#runs select').first().selectOption('csv');
    const file = await (await download).path();
    check(readFileSync(file, 'utf8').startsWith('time,'), 'a run is exported');
    await page.locator('#search').fill('der');
    check(/^2 of 7$/.test(await page.locator('#found').textContent()), 'variables are searched');
    await page.locator('#search').fill('');
    await slow(page);
    await mistakes(page);
    await page.context().close();
    await closed(s);
    await stop(s);
}

async function slow(page) {
    await openModel(page, 'Slow');
    await page.waitForFunction(() => runs[0] && runs[0].info.state === 'running' && plot.panels.length && plot.panels[0].series[0].x.length > 1, null, { timeout: 20000 });
    const before = await page.evaluate(() => plot.panels[0].series[0].x.length);
    await page.waitForFunction(n => plot.panels[0].series[0].x.length > n, before, { timeout: 20000 });
    check(true, 'curves grow while the run goes on');
    await picture(page, 'studio-live');
    await page.locator('#cancel').click();
    await page.waitForFunction(() => runs[0].info.state === 'cancelled' && document.querySelector('#status').textContent.startsWith('cancelled'), null, { timeout: 20000 });
    check(true, 'a run is cancelled');
}

async function mistakes(page) {
    await openModel(page, 'Wrong');
    await page.waitForSelector('#gutter .error');
    check((await page.locator('#gutter .error').textContent()).includes('4'), 'a mistake is shown at its line');
    check(await page.locator('.said').count() >= 1, 'with what it is');
    await picture(page, 'studio-mistake');
    await page.locator('#code').fill('model Wrong\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\nend Wrong;\n');
    await page.locator('#save').click();
    await page.waitForFunction(() => runs.length && runs[0].info.state === 'done', null, { timeout: 20000 });
    check(readFileSync(path.join(dir, 'Wrong.mo'), 'utf8').includes('der(x) = -x'), 'the source is saved');
    check(await page.locator('#gutter .error').count() === 0, 'and the mistake gone');
    await picture(page, 'studio-source');
    await openModel(page, 'Robot.Arm');
    await page.waitForFunction(() => runs.length && runs[0].info.class === 'Robot.Arm' && runs[0].info.state === 'done', null, { timeout: 60000 });
    await picture(page, 'studio-robot');
    await page.locator('#tab-structure').click();
    await page.waitForSelector('.structure .area[data-drawn]');
    await page.waitForTimeout(200);
    await picture(page, 'studio-structure');
    await page.locator('#tab-messages').click();
    await picture(page, 'studio-messages');
}

/* The browser goes while a run is under way; another one finds the server at work. */
async function closed(s) {
    const page = await openPage(browser);
    await page.goto(s.address);
    await page.waitForFunction(() => document.querySelectorAll('.models .class').length > 10);
    await openModel(page, 'Slow');
    await page.waitForFunction(() => runs[0] && runs[0].info.state === 'running');
    await page.context().close();
    const again = await openPage(browser);
    await again.goto(s.address);
    await drawn(again, 1);
    check(true, 'the server survives a closed browser');
    await again.context().close();
}

await first();
await work();
await browser.close();
rmSync(dir, { recursive: true });
end();
