/* analyze.mjs: the page of a structure in a browser: blocks open, an equation is told and followed, every tab has what it is for, for a large
 * model too; nothing is asked of the network, nothing is said on the console. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { check, end, openBrowser, openPage, picture } from './browser.mjs';

const [acausal, models] = process.argv.slice(2);
const browser = await openBrowser();
const dir = mkdtempSync(path.join(tmpdir(), 'acausal-analyze-'));

async function open(name, ...model) {
    const file = path.join(dir, name + '.html'), page = await openPage(browser);
    execFileSync(acausal, ['analyze', ...model, '--html', file], { stdio: ['ignore', 'pipe', 'pipe'] });
    page.on('request', r => check(r.url().startsWith('file:') || r.url().startsWith('data:'), 'asks for ' + r.url()));
    await page.goto('file://' + file);
    await page.waitForFunction(() => document.querySelector('.graph').dataset.drawn > 0);
    return page;
}

const tab = async (page, name) => {
    await page.locator('#tab-' + name).click();
    return page.locator('#view-' + name).textContent();
};

async function pendulum() {
    const page = await open('pendulum', path.join(models, 'Pendulum.mo'));
    check(await page.locator('.node').count() >= 4, 'states and blocks are nodes');
    check(await page.locator('.node.nonlinear .line').count() === 2, 'a small model is open');
    await page.locator('.node.nonlinear .head').click();
    check(await page.locator('.node.nonlinear .line').count() === 0, 'a click closes');
    await page.locator('.node.nonlinear .head').click();
    await page.locator('.node.nonlinear .line').last().hover();
    check(/x \^ 2 \+ y \^ 2 = L \^ 2[^]*Pendulum\.mo:15/.test(await page.locator('.bubble').textContent()), 'the pointer tells the equation and its place');
    await picture(page, 'analyze-hover');
    await page.locator('.node.nonlinear .line').last().click();
    const details = await page.locator('.details').textContent();
    check(details.includes('is read by') && /is read by[^]*(der|v[xy])/.test(details), 'a click tells what reads it: ' + details);
    const reduction = await tab(page, 'reduction');
    check(reduction.includes('differentiated twice') && reduction.includes('given up as states') && reduction.includes('chosen while the model runs'), 'index reduction');
    await picture(page, 'analyze-reduction');
    check((await tab(page, 'partitions')).includes('One partition'), 'one partition');
    await tab(page, 'incidence');
    const box = await page.locator('.structure .area').boundingBox();
    await page.mouse.move(box.x + 20, box.y + 20);
    check((await page.locator('.structure .told').textContent()).includes('x ^ 2 + y ^ 2'), 'the matrix tells equations');
    await page.close();
}

async function robot() {
    const page = await open('robot', path.join(models, 'Robot.mo'), 'Robot.Arm'), few = await page.locator('.node').count();
    check(few > 3 && few < 60, 'many assignments are a few nodes');
    await page.locator('.node.assign .head').first().click();
    check(await page.locator('.node.assign .line').count() > 20, 'which open');
    await picture(page, 'analyze-robot');
    await page.close();
}

await pendulum();
await robot();
await browser.close();
rmSync(dir, { recursive: true });
end();
