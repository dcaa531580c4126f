// Decoders of the local protocols: unbiased estimates with their standard deviations.
// The program's decoders are src/local/decode; a test holds these against them.

import { keyOf, rowHash, sha256 } from "./hash";
import { Params, probability } from "./params";

export interface Estimate { count: number; sd: number }

const bit = (bytes: Uint8Array, i: number): number => bytes[i >> 3] >> (i & 7) & 1;
const bytesBelow = (n: number): number => (n <= 256 ? 1 : n <= 65536 ? 2 : n <= 16777216 ? 3 : 4);
const number = (bytes: Uint8Array, at: number, n: number): number => {
  let x = 0;
  for (let i = 0; i < n; i++) x += bytes[at + i] * 256 ** i;
  return x;
};

// ---- one bit for a mean ---------------------------------------------------------------------------

export function mean(p: Params, reports: Uint8Array[]): Estimate {
  const flip = probability(p.flip), gap = 1 - 2 * flip, n = reports.length;
  const rate = reports.reduce((sum, r) => sum + r[0], 0) / n;
  return { count: p.size * (rate - flip) / gap, sd: p.size / gap * Math.sqrt(rate * (1 - rate) / n) };
}

// ---- dBitFlip -------------------------------------------------------------------------------------

/** Each bucket is with a device with chance d / k: what came is scaled up by k / d. */
export function buckets(p: Params, reports: Uint8Array[]): Estimate[] {
  const ones = new Float64Array(p.size), received = new Float64Array(p.size), bytes = bytesBelow(p.size);
  for (const r of reports)
    for (let i = 0; i < p.hashes; i++) {
      const b = number(r, i * bytes, bytes);
      received[b]++;
      ones[b] += bit(r.subarray(p.hashes * bytes), i);
    }
  const flip = probability(p.flip), gap = 1 - 2 * flip, ratio = p.size / p.hashes, n = reports.length;
  return [...ones].map((o, b) => {
    const count = ratio * (o - flip * received[b]) / gap, held = Math.min(Math.max(count, 0), n);
    return { count, sd: Math.sqrt(n * ratio * flip * (1 - flip) / gap / gap + held * (ratio - 1)) };
  });
}

// ---- count mean sketch ----------------------------------------------------------------------------

export interface Sketch { p: Params; flip: number; n: number; rowReports: Float64Array; ones: Float64Array }

export function sketch(p: Params, flip: bigint, reports: Uint8Array[], offset = 0): Sketch {
  const s = { p, flip: probability(flip), n: reports.length, rowReports: new Float64Array(p.groups), ones: new Float64Array(p.groups * p.width) };
  const head = bytesBelow(p.groups);
  for (const r of reports) {
    const row = number(r, offset, head), bits = r.subarray(offset + head);
    s.rowReports[row]++;
    for (let i = 0; i < p.width; i++) s.ones[row * p.width + i] += bit(bits, i);
  }
  return s;
}

/** How many hold each key: the mean of the rows, less what falls into the same cell by chance. */
export function sketchCounts(s: Sketch, keys: bigint[]): number[] {
  const c = 1 / (1 - 2 * s.flip), m = s.p.width, out = keys.map(() => 0);
  for (let row = 0; row < s.p.groups; row++) {
    const hash = rowHash(s.p.salt, row, m), half = s.rowReports[row] / 2;
    keys.forEach((key, i) => { out[i] += c * (s.ones[row * m + hash(key)] - half) + half; });
  }
  return out.map(sum => m / (m - 1) * (sum - s.n / m));
}

/** Standard deviation of a count near zero when `squares` is the sum of the squares of all counts. */
export function sketchSd(s: Sketch, squares: number): number {
  const m = s.p.width, k = s.p.groups, scale = m / (m - 1), gap = 1 - 2 * s.flip;
  return Math.sqrt((s.n * (1 - 1 / k) + squares / k) / (m - 1) + scale * scale * s.n * s.flip * (1 - s.flip) / gap / gap);
}

export const textKey = (text: string): bigint => keyOf(new TextEncoder().encode(text));

// ---- sequence fragment puzzle -----------------------------------------------------------------------

const padded = (word: string, length: number): Uint8Array => {
  const out = new Uint8Array(length);
  out.set(new TextEncoder().encode(word).slice(0, length));
  return out;
};

export const puzzleHash = (p: Params, word: string): number =>
  Number(new DataView(sha256(padded(word, p.size)).buffer).getBigUint64(0, true) & ((1n << BigInt(p.grain)) - 1n));

const fragmentKey = (puzzle: number, piece: string, length: number): bigint => {
  const packed = new Uint8Array(2 + length);
  packed[0] = puzzle & 255;
  packed[1] = puzzle >> 8;
  packed.set(new TextEncoder().encode(piece), 2);
  return keyOf(packed);
};

export interface Fragment { start: number; puzzle: number; piece: string; count: number }
export interface Found { word: string; count: number; sd: number }

/** The most frequent (puzzle, piece) pairs of every start. */
export function fragments(p: Params, reports: Uint8Array[], alphabet: string, keep: number): Fragment[][] {
  const letters = [...alphabet], starts = p.size / p.hashes;
  const pieces = Array.from({ length: p.hashes - 1 }).reduce<string[]>(some => some.flatMap(s => letters.map(l => s + l)), letters);
  const all = Array.from({ length: 1 << p.grain }, (_, puzzle) => pieces.map(piece => ({ puzzle, piece }))).flat();
  const keys = all.map(f => fragmentKey(f.puzzle, f.piece, p.hashes));
  return Array.from({ length: starts }, (_, start) => {
    const counts = sketchCounts(sketch(p, p.flip, reports.filter(r => r[0] === start), 1), keys);
    return all.map((f, i) => ({ ...f, start, count: counts[i] })).sort((a, b) => b.count - a.count).slice(0, keep);
  });
}

/** Strings whose pieces carry one hash, and which hash to it themselves; then the words' own sketch. */
export function solvePuzzle(p: Params, reports: Uint8Array[], kept: Fragment[][]): Found[] {
  const words: string[] = [];
  for (let puzzle = 0; puzzle < 1 << p.grain; puzzle++) {
    const joined = kept.reduce<string[]>((some, list) =>
      some.flatMap(s => list.filter(f => f.puzzle === puzzle).map(f => s + f.piece)), [""]);
    words.push(...joined.filter(w => puzzleHash(p, w) === puzzle));
  }
  const half = 1 + bytesBelow(p.groups) + Math.ceil(p.width / 8), s = sketch(p, p.flip2, reports, half);
  const counts = sketchCounts(s, words.map(w => keyOf(padded(w, p.size))));
  const sd = sketchSd(s, counts.reduce((sum, c) => sum + Math.max(0, c) ** 2, 0));
  return words.map((word, i) => ({ word, count: counts[i], sd })).sort((a, b) => b.count - a.count);
}

// ---- RAPPOR -----------------------------------------------------------------------------------------

/** The bits of a string's Bloom filter in one cohort. */
export function bloom(p: Params, cohort: number, text: string): number[] {
  const bytes = new TextEncoder().encode(text), message = new Uint8Array(4 + bytes.length);
  new DataView(message.buffer).setUint32(0, cohort);
  message.set(bytes, 4);
  const digest = new DataView(sha256(message).buffer);
  return Array.from({ length: p.hashes }, (_, i) => Math.floor(digest.getUint32(4 * i) * p.width / 4294967296));
}

/** P(a bit is sent as 1), given that it is 0 or 1 in the filter. */
export function bitRates(p: Params): { zero: number; one: number } {
  const f = probability(p.flip), zero = probability(p.zero), one = probability(p.one);
  return { zero: (1 - f) * zero + f * one, one: (1 - f) * one + f * zero };
}

export interface Bits { reports: Float64Array; ones: Float64Array }

export function bits(p: Params, reports: Uint8Array[]): Bits {
  const out = { reports: new Float64Array(p.groups), ones: new Float64Array(p.groups * p.width) }, head = bytesBelow(p.groups);
  for (const r of reports) {
    const cohort = number(r, 0, head), vector = r.subarray(head);
    out.reports[cohort]++;
    for (let i = 0; i < p.width; i++) out.ones[cohort * p.width + i] += bit(vector, i);
  }
  return out;
}

/** How many hold each candidate: the debiased bit rates, explained by least squares. */
export function regression(p: Params, reports: Uint8Array[], candidates: string[]): Estimate[] {
  const counted = bits(p, reports), { zero, one } = bitRates(p), k = candidates.length;
  const normal = Array.from({ length: k }, () => new Float64Array(k)), right = new Float64Array(k);
  for (let c = 0; c < p.groups; c++) {
    const n = counted.reports[c];
    if (n === 0) continue;
    const sets = candidates.map(text => new Set(bloom(p, c, text)));
    for (let i = 0; i < p.width; i++) {
      const rate = counted.ones[c * p.width + i] / n, share = (rate - zero) / (one - zero);
      const held = Math.min(Math.max(rate, zero), one), weight = n * (one - zero) ** 2 / (held * (1 - held));
      const on = sets.flatMap((s, j) => (s.has(i) ? [j] : []));
      for (const a of on) {
        right[a] += weight * share;
        for (const b of on) normal[a][b] += weight;
      }
    }
  }
  const inverse = invert(normal), n = reports.length;
  return inverse.map((row, i) => ({ count: n * row.reduce((sum, x, j) => sum + x * right[j], 0), sd: n * Math.sqrt(inverse[i][i]) }));
}

/** Gauss-Jordan with pivots. */
function invert(m: Float64Array[]): number[][] {
  const n = m.length, a = m.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let c = 0; c < n; c++) {
    const best = a.slice(c).reduce((b, row, i) => (Math.abs(row[c]) > Math.abs(a[b][c]) ? c + i : b), c);
    [a[c], a[best]] = [a[best], a[c]];
    const pivot = a[c][c] || 1e-300;
    a[c] = a[c].map(x => x / pivot);
    a.forEach((row, i) => { if (i !== c && row[c] !== 0) { const f = row[c]; a[i] = row.map((x, j) => x - f * a[c][j]); } });
  }
  return a.map(row => row.slice(n));
}
