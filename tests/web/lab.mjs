// The lab's functions, bundled from web/src/lab, against what the program says of the same parameters.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { webcrypto } from 'node:crypto';

globalThis.crypto ??= webcrypto; // Debian 12 has Node.js 18, where it is no global yet

const sources = process.env.LAB_SOURCES, program = process.env.SOTTO;
const { buildSync } = createRequire(process.env.CONSOLE_MODULES + '/')('esbuild');
const topics = readdirSync(`${sources}/topics`).map(f => f.replace('.ts', ''));
const maths = readdirSync(`${sources}/math`).map(f => f.replace('.ts', ''));
buildSync({
  stdin: {
    contents: [...maths.map(m => `export * as ${m} from "./math/${m}";`), ...topics.map(t => `export * as topic_${t} from "./topics/${t}";`),
      'export { Device } from "./device";', 'export * as crowd from "./crowd";', 'export * as place from "../place";', 'export * as difference from "../diff";',
      'export * as copies from "../copy";', 'export * as tables from "../csv";', 'export * as format from "../format";'].join('\n'),
    resolveDir: sources, loader: 'ts',
  },
  bundle: true, format: 'esm', platform: 'node', target: 'es2022', outfile: 'lab.bundle.mjs', logLevel: 'error',
});
const lab = await import(pathToFileURL('lab.bundle.mjs').href);

let count = 0;
function check(name, what) {
  count++;
  try {
    what();
    console.log(`ok ${count} - ${name}`);
  } catch (e) {
    console.log(`not ok ${count} - ${name}\n# ${String(e.message).split('\n').slice(0, 6).join('\n# ')}`);
  }
}
const sotto = (...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
const json = (...args) => JSON.parse(sotto(...args, '--format', 'json'));
function near(got, want, tolerance = 1e-9, what = '') {
  if (!(Math.abs(got - want) <= tolerance * Math.max(1, Math.abs(want)))) throw new Error(`${what}: the lab has ${got}, the program ${want}`);
}
const truth = (fact, what) => { if (!fact) throw new Error(what); };

// ---- noise ------------------------------------------------------------------------------------------
check('the Laplace error and tail are the program\'s', () => {
  for (const e of [0.1, 0.5, 2]) {
    const [l] = json('noise', 'accuracy', '-e', String(e), '--tail', '3', '--confidence', '0.9').mechanisms;
    near(lab.laws.laplaceError(1 / e, 0.9), l.error);
    near(lab.laws.laplaceTail(3, 1 / e), l.tail);
  }
});
check('the geometric error is the program\'s', () => {
  for (const e of [0.05, 0.2, 0.5, 1, 3])
    near(lab.laws.geometricError(Math.exp(-e), 0.95), json('noise', 'geometric', '-e', String(e), '100').accuracy.error, 0, `epsilon ${e}`);
});
check('the truncated matrix is the program\'s, row by row', () => {
  const c = lab.laws.truncatedGeometric(8, Math.exp(-0.7));
  for (let x = 0; x < 8; x++) {
    const { probabilities } = json('noise', 'truncated-geometric', '-e', '0.7', '--range', '0', '7', '--value', String(x), '--probabilities');
    c[x].forEach((p, y) => near(p, probabilities[y], 1e-9, `${x} to ${y}`));
  }
});
check('the least sigma of Gaussian noise is the program\'s', () => {
  for (const [e, d] of [[0.5, '1e-6'], [1, '1e-9'], [3, '1e-3']])
    near(lab.normal.gaussianSigma(e, Number(d)), json('noise', 'accuracy', '-e', String(e), '-d', d).mechanisms[1].scale, 1e-8);
});
check('delta of Gaussian noise is the accountant\'s', () => {
  for (const [s, e] of [[2, 1], [0.7, 3], [5, 0.2]])
    near(lab.normal.gaussianDelta(s, e), json('account', `gaussian(sigma=${s})`, '-e', String(e)).pld.delta_upper, 1e-11);
});
check('randomized response is estimated as the program does', () => {
  for (const [p, r, no, yes] of [[0.5, 0.5, 700, 300], [0.8, 0.2, 9000, 1000], [0.25, 0.7, 50, 70]]) {
    const want = json('noise', 'randomized-response', '--estimate', '--coin', String(p), '--yes', String(r), String(no), String(yes));
    const got = lab.response.estimateYes({ truth: p, yes: r }, no + yes, yes);
    near(got.count / (no + yes), want.share, 1e-12);
    near(got.error / (no + yes), want.standard_error, 1e-9);
  }
});
check('the coins\' epsilon is the accountant\'s', () => {
  near(lab.response.coinsEpsilon({ truth: 0.5, yes: 0.5 }), Math.log(3));
  near(lab.response.coinsEpsilon({ truth: 0.8, yes: 0.5 }), json('account', 'randomized-response(p=0.9)', '-d', '0').basic.epsilon, 1e-9);
});
check('what clipping costs in noise is the program\'s scale', () => {
  const values = lab.topic_clipping.incomes(100, 1), scale = json('sensitivity', 'sum', '--range', '0', '50000', '-e', '0.5').add_remove.scale;
  near(lab.topic_clipping.clippedError(values, 50000, 0.5).noise, Math.SQRT2 * scale / 100, 1e-12);
});
check('the dice of the lab have the laws they are shown beside', () => {
  const d = lab.random.dice(5), alpha = Math.exp(-0.5), n = 200000, seen = new Map();
  for (let i = 0; i < n; i++) { const z = d.geometric(alpha); seen.set(z, (seen.get(z) ?? 0) + 1); }
  for (let z = -5; z <= 5; z++) near(seen.get(z) / n, lab.laws.geometricChance(z, alpha), 0.005, `P(${z})`);
  let tail = 0;
  for (let i = 0; i < n; i++) tail += Math.abs(d.laplace(2)) > 3;
  near(tail / n, lab.laws.laplaceTail(3, 2), 0.006);
});

// ---- choices and streams ------------------------------------------------------------------------------
check('the exponential mechanism and permute-and-flip have the program\'s chances', () => {
  const votes = { a: 12, b: 9, c: 10, d: 1, e: 5 }, words = Object.entries(votes).map(([k, v]) => `${k}=${v}`);
  for (const [name, f] of [['exponential', lab.choose.exponential], ['permute-and-flip', lab.choose.permuteAndFlip]]) {
    const { probabilities: want } = json('noise', name, '-e', '0.6', '--probabilities', ...words);
    f(Object.values(votes), 0.6).forEach((p, i) => near(p, want[Object.keys(votes)[i]], 1e-12, name));
  }
});
check('the right sparse vector never shows more than it claims, the twins do', () => {
  for (const e of [0.2, 1]) for (const m of [1, 3, 6]) {
    truth(lab.sparse.loss('right', e, m) <= e + 1e-6, `right, epsilon ${e}, m ${m}`);
    truth(lab.sparse.loss('thrifty', e, m) <= (1 + 6 * m) / 4 * e + 1e-6, 'the twin loses more than is proven of it');
    truth(lab.sparse.loss('endless', e, m) >= m * e / 2, 'the endless twin loses at least m epsilon / 2');
  }
  truth(lab.sparse.loss('thrifty', 1, 3) > 1 && lab.sparse.loss('endless', 1, 3) > 1, 'the twins are caught');
  truth(lab.sparse.loss('bare', 1, 1) === Infinity, 'an impossible answer is an unbounded loss');
});
check('its chances are those of running it', () => {
  const v = lab.sparse.VARIANTS.right, d = lab.random.dice(3), values = [1, -2, 2], answers = [false, false, true], n = 400000;
  let hits = 0;
  for (let i = 0; i < n; i++) {
    const line = d.laplace(v.threshold(1, 1));
    hits += values.every((q, k) => (q + d.laplace(v.query(1, 1)) >= line) === answers[k]);
  }
  near(Math.exp(lab.sparse.logChance(values, answers, v.threshold(1, 1), v.query(1, 1))), hits / n, 0.004);
});
check('composition agrees with the accountant, theorem by theorem', () => {
  for (const [k, e, d] of [[50, 0.1, '1e-6'], [3, 0.5, '1e-9'], [700, 0.02, '1e-4'], [1, 1, '1e-6']]) {
    const want = json('account', `laplace(epsilon=${e})*${k}`, '-d', d), delta = Number(d), c = lab.compose;
    near(c.basic(k, e), want.basic.epsilon, 1e-9, 'basic');
    near(c.advanced(k, e, delta), want.advanced.epsilon, 1e-9, 'advanced');
    near(c.optimalPure(k, e, delta), want.kov.epsilon, 1e-8, 'optimal');
    near(Math.min(c.basic(k, e), c.concentrated(k, e, delta)), Math.min(want.basic.epsilon, want.zcdp.epsilon), 1e-6, 'concentrated');
    near(Math.min(c.basic(k, e), c.renyi(k, e, delta)), Math.min(want.basic.epsilon, want.rdp.epsilon), 1e-6, 'renyi');
  }
  for (const [k, s, d] of [[50, 5, '1e-6'], [4, 2, '1e-9']]) {
    const want = json('account', `gaussian(sigma=${s})*${k}`, '-d', d);
    near(lab.compose.gaussian(k, s, Number(d)), want.pld.epsilon_upper, 1e-6, 'Gaussian');
    near(lab.compose.gaussianConcentrated(k, s, Number(d)), want.zcdp.epsilon, 1e-6, 'Gaussian, concentrated');
  }
});

// ---- attacks ----------------------------------------------------------------------------------------
check('averaging succeeds without limit and fails against a budget or a stored answer', () => {
  const last = list => list[list.length - 1], a = lab.topic_averaging.attack;
  near(last(a('none', 42, 0.2, 1, 4, 1)), 42, 0);
  near(last(a('fresh', 42, 0.2, 200000, 4, 1)), 42, 0.003);
  truth(a('budget', 42, 0.2, 1000, 4, 1).length === 20, 'a budget of 4 buys 20 answers of 0.2');
  truth(new Set(a('stored', 42, 0.2, 50, 4, 1).map(x => x.toFixed(9))).size === 1, 'a stored answer teaches nothing');
});
check('differencing is right as often as the formula says, and never beyond the bound', () => {
  const d = lab.random.dice(9), n = 200000;
  for (const e of [0.1, 0.5, 2]) {
    let right = 0;
    for (let i = 0; i < n; i++) right += 1 + d.laplace(1 / e) - d.laplace(1 / e) > 0.5;
    near(right / n, lab.topic_differencing.rightGuess(e), 0.006, `epsilon ${e}`);
    truth(lab.topic_differencing.rightGuess(e) <= 1 / (1 + Math.exp(-2 * e)), 'the bound of two answers');
  }
});

// ---- usefulness ---------------------------------------------------------------------------------------
const users = Object.keys(lab.channel.PRIORS).flatMap(p => Object.keys(lab.channel.GAINS).map(g => [p, g]));
check('utility is the program\'s for every mechanism, prior and gain', () => {
  for (const [p, g] of users) for (const m of Object.keys(lab.channel.MECHANISMS)) {
    const got = lab.channel.utility(lab.channel.MECHANISMS[m](6, 0.8), lab.channel.PRIORS[p](6), lab.channel.GAINS[g](6));
    near(got, json('utility', '--n', '6', '-e', '0.8', '-m', m, '--prior', p, '--gain', g).utility, 1e-9, `${m}, ${p}, ${g}`);
  }
});
check('the optimal mechanism is worth what the program proves to be best', () => {
  for (const [p, g] of users) for (const e of [0.3, 1.2]) {
    const prior = lab.channel.PRIORS[p](6), gain = lab.channel.GAINS[g](6), best = lab.channel.optimal(6, e, prior, gain);
    near(lab.channel.utility(best, prior, gain), json('optimal', '--n', '6', '-e', String(e), '--prior', p, '--gain', g).utility, 1e-9, `${p}, ${g}`);
    truth(lab.channel.epsilonOf(best) <= e + 1e-12, 'and is private');
  }
});

// ---- census --------------------------------------------------------------------------------------------
const described = n => ({ name: n.name, value: n.value, variance: n.variance, ...(n.children.length ? { children: n.children.map(described) } : {}) });
const listed = (n, path = '/') => [[path, n], ...n.children.flatMap(c => listed(c, path === '/' ? c.name : `${path}/${c.name}`))];
check('least squares on the small country is that of sotto release --estimate', () => {
  for (const seed of [1, 2, 3]) {
    const root = lab.topic_census.country();
    lab.topic_census.measure(root, 0.3, lab.topic_census.SHARES.bottom, seed);
    const d = lab.random.dice(seed);
    for (const [, n] of listed(root)) n.variance *= 0.5 + d.uniform(); // siblings need not be measured alike
    lab.census.leastSquares(root);
    writeFileSync('tree.json', JSON.stringify({ mode: 'gls', tree: described(root) }));
    const want = new Map(JSON.parse(sotto('release', '--estimate', 'tree.json')).nodes.map(n => [n.path, n.estimate]));
    for (const [path, n] of listed(root)) near(n.estimate, want.get(path), 1e-9, path);
  }
});
check('a parent\'s total is shared out as sotto release does it from the top', () => {
  const d = lab.random.dice(4);
  for (let t = 0; t < 5; t++) {
    const values = Array.from({ length: 5 }, () => Math.round(20 * d.normal()) + 5), total = 30 + d.below(40);
    writeFileSync('tree.json', JSON.stringify({ mode: 'topdown', tree: { name: 'all', value: total, variance: 0, children: values.map((v, i) => ({ name: `c${i}`, value: v, variance: 2 })) } }));
    const nodes = JSON.parse(sotto('release', '--estimate', 'tree.json')).nodes.slice(1);
    lab.census.project(values, total).forEach((x, i) => near(x, nodes[i].nonnegative, 1e-9, `${values}`));
  }
});
check('published tables are whole, not negative, and add up', () => {
  for (let seed = 1; seed < 60; seed++) {
    const root = lab.topic_census.country();
    lab.topic_census.measure(root, 0.1, lab.topic_census.SHARES.even, seed);
    lab.census.leastSquares(root);
    lab.census.topDown(root, Math.max(0, Math.round(root.estimate)));
    for (const [, n] of listed(root)) {
      truth(Number.isInteger(n.whole) && n.whole >= 0, `${n.name} is ${n.whole}`);
      truth(n.children.length === 0 || n.children.reduce((s, c) => s + c.whole, 0) === n.whole, `${n.name} does not add up`);
    }
  }
});

// ---- devices: the real encoder, the program's collector and decoder, the lab's decoder ----------------------
const device = await lab.Device.load(new WebAssembly.Module(readFileSync(process.env.CLIENT_WASM)));
const id = n => Uint8Array.from({ length: 16 }, (_, i) => (i === 0 ? n : 7));

/** Parameters as the program makes them of this text. */
function designed(...lines) {
  writeFileSync('params', lines.join('\n') + '\n');
  return lab.params.load(new Uint8Array(execFileSync(program, ['local', 'params', '--to', 'bytes', 'params'])));
}
/** What the program decodes from these reports, by way of a batch made by the lab. */
function decoded(p, reports, ...args) {
  const store = `store${count}`;
  writeFileSync('reports.batch', lab.params.batch(p, 1, reports, id(count)));
  execFileSync(program, ['local', 'collect', '--store', store, '--params', 'params', 'reports.batch', '--snapshot', 'all'], { stdio: 'ignore' });
  return json('local', 'decode', '--snapshot', 'all', ...args);
}
const reportsOf = (p, values) => values.map(v => { device.begin(p); return device.encode(v); });
const crowd = (values, counts) => lab.crowd.everybody(values, counts, 1);
function same(p, q) {
  for (const name of Object.keys(p)) {
    truth(p[name] === q[name], `${name}: the lab has ${p[name]}, the program ${q[name]}`);
  }
}
check('SHA-256 and CRC-32C are those of the standards', () => {
  const hex = b => Buffer.from(b).toString('hex'), text = t => new TextEncoder().encode(t);
  truth(hex(lab.hash.sha256(text('abc'))) === 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'abc');
  truth(hex(lab.hash.sha256(text('a'.repeat(119)))) === createRequire(import.meta.url)('node:crypto').createHash('sha256').update('a'.repeat(119)).digest('hex'), 'two blocks');
  truth(lab.hash.crc32c(text('123456789')) === 0xe3069283, 'the check value');
});
check('parameters pass through their bytes unchanged', () => {
  const p = lab.topic_puzzle.design(8), q = lab.params.load(lab.params.store(p));
  for (const name of Object.keys(p)) truth(p[name] === q[name], name);
});
check('one bit for a mean: parameters, batch and estimate are the program\'s', () => {
  const p = designed('protocol 1bitmean', 'size 240', 'epsilon 1'), reports = reportsOf(p, lab.topic_mean.minutes(90, 1).slice(0, 3000));
  same(lab.topic_mean.design(1), p);
  const got = lab.local.mean(p, reports), [want] = decoded(p, reports).rows;
  near(got.count, want.mean, 1e-9, 'mean');
  near(got.sd, want.standard_error, 1e-9, 'sd');
});
check('dBitFlip: parameters, batch and estimates are the program\'s', () => {
  for (const sent of [2, 4]) {
    const p = designed('protocol dbitflip', 'size 16', `hashes ${sent}`, 'epsilon 2'), counts = lab.topic_dbitflip.hours(0.6);
    same(lab.topic_dbitflip.design(2, sent), p);
    const reports = reportsOf(p, crowd(counts.map((_, i) => i), counts).slice(0, 3000)), got = lab.local.buckets(p, reports);
    decoded(p, reports).estimates.forEach((want, i) => { near(got[i].count, want.estimate, 1e-9, `bucket ${i}`); near(got[i].sd, want.standard_error, 1e-9); });
    count += 0.01; // another store
  }
  count = Math.floor(count);
});
check('the count sketch: parameters, batch and estimates are the program\'s', () => {
  const p = designed('protocol cms', 'width 64', 'groups 16', 'epsilon 4'), words = lab.topic_sketch.FACES;
  same(lab.topic_sketch.design(4, 16, 64), p);
  const reports = reportsOf(p, crowd(words, lab.crowd.holders(words.length, 1, 3000))), got = lab.local.sketchCounts(lab.local.sketch(p, p.flip, reports), words.map(lab.local.textKey));
  writeFileSync('candidates', words.join('\n') + '\n');
  decoded(p, reports, '--candidates', 'candidates').estimates.forEach((want, i) => near(got[i], want.estimate, 1e-9, words[i]));
});
check('RAPPOR: parameters and batch are the program\'s, estimates within a part of its error', () => {
  const q = lab.topic_rappor.millionths(4, 2), pages = lab.topic_rappor.PAGES;
  const p = designed('protocol rappor', 'width 32', 'hashes 2', 'groups 16', 'f 0', `p ${(1e6 - q) / 1e6}`, `q ${q / 1e6}`);
  same(lab.topic_rappor.design(4, 32, 2, 16), p);
  const reports = reportsOf(p, crowd(pages, lab.crowd.holders(pages.length, 1))), got = lab.local.regression(p, reports, pages);
  writeFileSync('candidates', pages.join('\n') + '\n');
  decoded(p, reports, '--candidates', 'candidates').estimates.forEach((want, i) => {
    truth(Math.abs(got[i].count - want.estimate) < want.standard_error / 3, `${pages[i]}: ${got[i].count} and ${want.estimate} ± ${want.standard_error}`);
    truth(got[i].sd > 0.7 * want.standard_error && got[i].sd < 1.5 * want.standard_error, `sd ${got[i].sd} and ${want.standard_error}`);
  });
});
check('RAPPOR\'s epsilon is what the program states for the same parameters', () => {
  const [said] = json('local', 'privacy', '--params', 'params').rows;
  truth(said.epsilon <= 4 && said.epsilon > 3.9999, `${said.epsilon}`);
});
check('the fragment puzzle is solved as the program solves it', () => {
  const p = designed('protocol sfp', 'size 6', 'width 256', 'hashes 2', 'groups 16', 'grain 8', 'epsilon 4', 'second 4');
  same(lab.topic_puzzle.design(4), p);
  const words = lab.topic_puzzle.WORDS.slice(0, 3), reports = reportsOf(p, crowd(words, lab.crowd.holders(3, 0.7)));
  const kept = lab.local.fragments(p, reports, lab.topic_puzzle.LETTERS, 80), found = lab.local.solvePuzzle(p, reports, kept);
  const want = new Map(decoded(p, reports, '--alphabet', lab.topic_puzzle.LETTERS, '--keep', '80').estimates.map(e => [e.string, e.estimate]));
  for (const w of words) near(found.find(f => f.word === w)?.count, want.get(w), 1e-9, w);
});

check('parameters are the program\'s at every step of the sliders', () => {
  const epsilons = id => { const c = lab[`topic_${id}`].default.controls.epsilon, out = []; for (let v = c.min; v <= c.max + 1e-9; v += 3 * c.step) out.push(Number((10 ** v).toPrecision(2))); return out; };
  for (const e of epsilons('mean')) same(lab.topic_mean.design(e), designed('protocol 1bitmean', 'size 240', `epsilon ${e}`));
  for (const e of epsilons('sketch')) same(lab.topic_sketch.design(e, 64, 64), designed('protocol cms', 'width 64', 'groups 64', `epsilon ${e}`));
  for (const e of epsilons('dbitflip')) same(lab.topic_dbitflip.design(e, 4), designed('protocol dbitflip', 'size 16', 'hashes 4', `epsilon ${e}`));
});

// ---- the console's own functions ------------------------------------------------------------------------
check('a place in a sentence is the word in the text', () => {
  const text = 'SELECT a,\n  patient_id\nFROM t', at = s => { const { from, to } = lab.place.span(text, lab.place.placeOf(s)); return text.slice(from, to); };
  truth(at('x (line 2, character 3)') === 'patient_id' && at('x (line 1, character 9)') === ',' && at('line 3: x') === 'FROM t' && at('sotto.yaml:3: unknown field') === 'FROM t', 'places');
  truth(lab.place.placeOf('no place') === null && at('x (line 9, character 99)') === 't', 'past the end');
});
check('a difference makes the new text of the old one', () => {
  const d = lab.random.dice(8), text = () => Array.from({ length: 1 + d.below(8) }, () => 'abc'[d.below(3)]).join('\n');
  const common = (a, b) => (a.length === 0 || b.length === 0 ? 0 : a[0] === b[0] ? 1 + common(a.slice(1), b.slice(1)) : Math.max(common(a.slice(1), b), common(a, b.slice(1))));
  for (let i = 0; i < 300; i++) {
    const a = text(), b = text(), lines = lab.difference.diff(a, b), only = kind => lines.filter(l => l.kind !== kind).map(l => l.text).join('\n');
    truth(lines.filter(l => l.kind === 'same').length === common(a.split('\n'), b.split('\n')), 'as much as possible stays');
    truth(only('new') === a && only('gone') === b, `${JSON.stringify(a)} to ${JSON.stringify(b)}`);
  }
});
check('copied commands quote whatever is in a question', () => {
  const q = { sql: `SELECT COUNT(*) AS "it's $(x) \`y\`" FROM t -- 100 % \\ é`, epsilon: '1/3' }, s = { origin: 'http://h:1', host: 'h', person: 'alice' };
  const words = command => JSON.parse(execFileSync('sh', ['-c', `curl() { node -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- "$@"; }; psql() { curl "$@"; }; SOTTO_KEY=k; ${command}`], { encoding: 'utf8' }));
  truth(JSON.parse(words(lab.copies.asCurl(q, s)).at(-1)).sql === q.sql, 'curl');
  truth(words(lab.copies.asPsql(q, s)).includes(q.sql), 'psql');
  writeFileSync('q.py', lab.copies.asPython(q, s).replace(/^request[\s\S]*/m, 'print(question["sql"], question["epsilon"], sep="|", end="")'));
  truth(execFileSync('python3', ['q.py'], { encoding: 'utf8' }) === `${q.sql}|1/3`, 'Python');
});
check('numbers left are never rounded up, and 9.7 is 9.7', () => {
  truth(lab.format.left(9.7) === '9.7' && lab.format.left(0.9999999) === '0.999999' && lab.format.left(2 / 3) === '0.666666' && lab.format.left(0) === '0', 'left');
});
check('CSV defuses formulas and quotes what needs it', () => {
  const a = { columns: [{ name: 'k', noisy: false }, { name: 'n', noisy: true }], rows: [['=1+1', 5], ['a,"b"', -2]], intervals: [[null, [1, 9]], [null, [-4, 0]]] };
  truth(lab.tables.csv(a) === `k,n,n_low,n_high\n'=1+1,5,1,9\n"a,""b""",-2,-4,0\n`, lab.tables.csv(a));
});

// ---- the commands that the pages state ----------------------------------------------------------------------
for (const name of topics) check(`the command of the page ${name} works, at both ends of every control`, () => {
  const t = lab[`topic_${name}`].default, ends = Object.entries(t.controls).flatMap(([id, c]) =>
    (c.kind === 'slider' ? [c.min, c.max] : Object.keys(c.options)).map(v => [id, v]));
  const start = Object.fromEntries(Object.entries(t.controls).map(([id, c]) => [id, c.value]));
  const commands = new Set([t.command(start), ...ends.map(([id, v]) => t.command({ ...start, [id]: v }))]);
  for (const command of commands) {
    truth(command.includes('sotto '), command);
    try {
      execFileSync('sh', ['-ec', `rm -rf nation\n${command.replace(/^sotto /gm, `'${program}' `)}`], { stdio: ['pipe', 'ignore', 'pipe'] });
    } catch (e) {
      throw new Error(`${command}\n${e.stderr}`);
    }
  }
});
console.log(`1..${count}`);
