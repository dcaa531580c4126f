// A browser for tests: every page is watched for other hosts, broken rules and errors.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';

const modules = createRequire(process.env.CONSOLE_MODULES + '/');
const { chromium } = modules('playwright-core');
const axe = readFileSync(modules.resolve('axe-core/axe.min.js'), 'utf8');

export const url = process.env.CONSOLE_URL;
const host = new URL(url).host;

let count = 0;
/** One line of TAP; a falsy or thrown result is a failure. */
export async function check(name, what) {
  count++;
  try {
    const result = typeof what === 'function' ? await what() : await what;
    if (result === undefined || result) return console.log(`ok ${count} - ${name}`);
    console.log(`not ok ${count} - ${name}`);
  } catch (e) {
    console.log(`not ok ${count} - ${name}\n# ${String(e.message ?? e).split('\n').slice(0, 12).join('\n# ')}`);
  }
}
export const finish = () => console.log(`1..${count}`);

export const launch = () => chromium.launch({
  executablePath: '/usr/bin/chromium', headless: true,
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});

/** A page of this size and colour scheme; faults collects what no page may do. */
export async function open(browser, { width = 1280, height = 850, scheme = 'light', state } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, storageState: state, acceptDownloads: true });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const page = await context.newPage(), faults = [];
  page.setDefaultTimeout(120000); // the machine may be very busy
  await page.addInitScript(() => {
    window.broken = [];
    window.shift = 0;
    document.addEventListener('securitypolicyviolation', e => window.broken.push(`${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}`));
    new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput) window.shift += e.value; })
      .observe({ type: 'layout-shift', buffered: true });
  });
  page.on('request', r => { if (!/^(data|blob):/.test(r.url()) && new URL(r.url()).host !== host) faults.push(`asks ${r.url()}`); });
  page.on('pageerror', e => faults.push(`throws ${e.message}`));
  page.on('console', m => { if (m.type() === 'error' && !/Failed to load resource/.test(m.text())) faults.push(`says ${m.text()}`); });
  return { context, page, faults };
}

/** Asks the server as the page does that is logged in. */
export const asThePage = (page, path, options = {}) => page.evaluate(async ([path, options]) => {
  const headers = { Authorization: `Bearer ${localStorage.getItem('sotto-session')}`, ...options.headers };
  const r = await fetch(path, { ...options, headers });
  return { status: r.status, body: await r.json() };
}, [path, options]);

/** Broken rules of the Content-Security-Policy on the page at hand. */
export const broken = page => page.evaluate(() => window.broken);

/** Serious and critical faults of accessibility. */
export async function axeFaults(page) {
  if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }));
  return violations.filter(v => v.impact === 'serious' || v.impact === 'critical')
    .map(v => `${v.id}: ${v.nodes.slice(0, 4).map(n => `${n.target} ${n.any[0]?.message ?? ''}`).join(' | ')}`);
}

/** Throws with what is in the list. */
export function none(list) {
  if (list.length > 0) throw new Error([...new Set(list)].join('\n'));
}

/** Wider than the screen: something must be scrolled sideways. */
export const overflows = page => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth + 1);
