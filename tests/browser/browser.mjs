/* browser.mjs: what the tests in a browser share: Debian's Chromium by playwright-core, checks, pictures.
 *
 * ACAUSAL_PLAYWRIGHT names a directory whose node_modules holds playwright-core (scripts/setup-browser makes one);
 * ACAUSAL_PICTURES one for screenshots. Without Chromium or playwright-core a test ends with 77: skipped. */
import { createRequire } from 'node:module';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

const SKIPPED = 77;
let checks = 0, failures = 0;

export function check(ok, what) {
    checks++;
    if (!ok) failures++, console.log('failed: ' + what);
    return ok;
}

export function end() {
    console.log(`${checks} checks, ${failures} failed`);
    process.exit(failures ? 1 : 0);
}

function skip(why) {
    console.log('skipped: ' + why);
    process.exit(SKIPPED);
}

export async function openBrowser() {
    const places = [process.env.ACAUSAL_PLAYWRIGHT, process.env.HOME && path.join(process.env.HOME, '.cache/acausal-browser')].filter(Boolean);
    const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);
    const place = places.find(p => existsSync(path.join(p, 'node_modules/playwright-core')));
    if (!chromium) skip('no Chromium here');
    if (!place) skip('no playwright-core here (scripts/setup-browser)');
    const playwright = createRequire(path.join(place, 'package.json'))('playwright-core');
    return playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
}

/* A page whose console errors and uncaught errors are failures. */
export async function openPage(browser, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, ...options });
    const page = await context.newPage();
    page.on('console', m => { if (m.type() === 'error') check(false, 'console: ' + m.text() + ' (' + m.location().url.replace(/token=[^&]*/, '') + ')'); });
    page.on('pageerror', e => check(false, 'page: ' + e.message));
    return page;
}

export async function picture(page, name) {
    const dir = process.env.ACAUSAL_PICTURES;
    if (!dir) return;
    mkdirSync(dir, { recursive: true });
    await page.screenshot({ path: path.join(dir, name + '.png') });
}
