// The page of examples/device in a real browser, and the C program beside it: people answer,
// one collector counts them.  The collector is another site than the page.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';

const staged = process.env.DEVICE_STAGED, collector = process.env.DEVICE_COLLECTOR, program = process.env.DEVICE_PROGRAM;
const types = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
const site = createServer((request, reply) => {
  const name = new URL(request.url, 'http://h').pathname.slice(1) || 'index.html';
  try {
    reply.setHeader('Content-Type', types[name.split('.').pop()] ?? 'text/plain');
    reply.setHeader('Content-Security-Policy',
      `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src ${new URL(collector).origin}`);
    reply.end(readFileSync(`${staged}/${name}`));
  } catch {
    reply.statusCode = 404;
    reply.end();
  }
});
await new Promise(ready => site.listen(0, '127.0.0.1', ready));
process.env.CONSOLE_URL = `http://127.0.0.1:${site.address().port}`;
const { axeFaults, broken, check, finish, launch, none, open, overflows, url } = await import('./browser.mjs');

const browser = await launch();
const { page, faults } = await open(browser, { width: 360, height: 640 });
const sent = [];
page.on('request', r => { if (r.url() === collector && r.method() === 'POST') sent.push(r.postDataBuffer()); });
const start = () => page.goto(`${url}/?collector=${encodeURIComponent(collector)}`);
const says = text => page.waitForFunction(t => document.getElementById('status').textContent.startsWith(t), text);
async function answer(layout) {
  await page.evaluate(() => { document.getElementById('status').textContent = ''; });
  await page.selectOption('#layout', String(layout));
  await page.click('button');
}
const newPerson = () => page.evaluate(() => localStorage.clear());

await start();
await check('the page has no serious fault of accessibility', async () => none(await axeFaults(page)));
await check('it fits a telephone', async () => !await overflows(page));

await check('sixty people answer, each a device of its own', async () => {
  for (let i = 0; i < 60; i++) {
    await newPerson();
    await answer(i % 3 ? 2 : 5);
    await says('Sent');
  }
  return sent.length === 60;
});
await check('who answers again sends the same noisy answer', async () => {
  await answer(2); // the last person, who has layout 2
  await says('Sent');
  const report = bytes => bytes.subarray(bytes.length - 1);
  return sent.length === 61 && report(sent[60]).equals(report(sent[59]));
});
await check('a batch that the collector refuses is dropped, and the page says so', async () => {
  await newPerson();
  await page.route(collector, route => route.fulfill({ status: 400, body: '{"title":"not today"}' }));
  await answer(2);
  await says('Not sent: the collector refused the batch: not today');
  await page.unroute(collector);
  await answer(2);
  await says('Sent');
});
await check('a reply that was lost makes nothing count twice', async () => {
  await newPerson();
  const arrived = new Promise(done => page.route(collector, async route => {
    await route.fetch(); // the collector has it
    await route.abort();
    done();
  }));
  await answer(2);
  await arrived;
  await start(); // the person comes back
  await page.unroute(collector);
  sent.length = 0;
  await answer(2);
  await says('Sent');
  return sent.length === 2; // the first batch again, which the collector knows, and a new one
});
await check('a state that was damaged is refused, not replaced', async () => {
  await page.evaluate(() => {
    const key = 'sotto-keyboard-layout', text = localStorage.getItem(key);
    localStorage.setItem(key, (text[0] === 'A' ? 'B' : 'A') + text.slice(1));
  });
  await answer(2);
  await says('Not sent');
});
await check('the page asks nobody but the collector, and breaks no rule', async () => {
  none(faults.filter(f => f !== `asks ${collector}`));
  none(await broken(page));
});
await browser.close();
site.close();

await check('forty devices in C send to the same collector', async () => {
  for (let i = 0; i < 40; i++) {
    const body = execFileSync(program, [`${staged}/device${i}`, i % 4 ? '2' : '5']);
    const reply = await fetch(collector, { method: 'POST', body });
    if (reply.status !== 202) throw new Error(`answered ${reply.status}`);
  }
});
finish();
