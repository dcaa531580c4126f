// Parameters of a collection as the encoder reads them (84 bytes; src/local/client/params.c), and batches.

import { crc32c, sha256 } from "./hash";

export const PROTOCOL = { rappor: 9, cms: 10, hcms: 11, sfp: 12, mean: 13, dbitflip: 14 } as const;

export interface Params {
  protocol: number; memoize: number;
  size: number; width: number; hashes: number; groups: number; grain: number;
  salt: bigint;
  /** Numerators over 2^64; 2^64 itself is certainty. */
  keep: bigint; flip: bigint; flip2: bigint; zero: bigint; one: bigint;
}

const CERTAIN = 1n << 64n;
const SIZES = ["size", "width", "hashes", "groups", "grain"] as const;
const CHANCES = ["keep", "flip", "flip2", "zero", "one"] as const;

export const params = (some: Partial<Params> & { protocol: number }): Params => ({
  memoize: 0, size: 0, width: 0, hashes: 0, groups: 0, grain: 0, salt: 0n, keep: 0n, flip: 0n, flip2: 0n, zero: 0n, one: 0n, ...some,
});

/** A probability on a grid of 2^-48, rounded to it. */
export const chance = (p: number): bigint => BigInt(Math.round(p * 2 ** 48)) << 16n;

/** 1 / (1 + e^epsilon) on the same grid and from above, so that never more epsilon is spent. */
export const flipUp = (epsilon: number): bigint => BigInt(Math.floor(2 ** 48 / (1 + Math.exp(epsilon))) + 1) << 16n;

export const probability = (numerator: bigint): number => Number(numerator) / 2 ** 64;

export function store(p: Params): Uint8Array {
  const out = new Uint8Array(84), view = new DataView(out.buffer);
  out.set(new TextEncoder().encode("SLP1"));
  view.setUint16(4, p.protocol, true);
  out[6] = p.memoize;
  SIZES.forEach((name, i) => view.setUint32(7 + 4 * i, p[name], true));
  view.setBigUint64(27, p.salt, true);
  CHANCES.forEach((name, i) => {
    view.setBigUint64(35 + 9 * i, p[name] % CERTAIN, true);
    out[43 + 9 * i] = p[name] === CERTAIN ? 1 : 0;
  });
  return out;
}

export function load(bytes: Uint8Array): Params {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const p = params({ protocol: view.getUint16(4, true), memoize: bytes[6], salt: view.getBigUint64(27, true) });
  SIZES.forEach((name, i) => { p[name] = view.getUint32(7 + 4 * i, true); });
  CHANCES.forEach((name, i) => { p[name] = bytes[43 + 9 * i] ? CERTAIN : view.getBigUint64(35 + 9 * i, true); });
  return p;
}

const HEADER = 172, BLOCK = 65536;

/** Reports as one batch for sotto local collect (src/local/collect/collector.md). */
export function batch(p: Params, epsilon: number, reports: Uint8Array[], id: Uint8Array): Uint8Array {
  const stride = reports[0].length, perBlock = Math.floor(BLOCK / stride);
  const blocks = Math.ceil(reports.length / perBlock);
  const out = new Uint8Array(HEADER + 8 * blocks + stride * reports.length), view = new DataView(out.buffer);
  const bytes = store(p);
  out.set(new TextEncoder().encode("SLB1"));
  view.setUint16(4, 1, true);
  view.setUint16(6, p.protocol, true);
  view.setUint32(8, HEADER, true);
  out.set(id.slice(0, 16), 12);
  out.set(bytes, 28);
  out.set(sha256(bytes).slice(0, 16), 112);
  view.setFloat64(128, epsilon, true);
  view.setBigUint64(152, BigInt(reports.length), true);
  view.setUint32(160, stride, true);
  view.setUint32(168, crc32c(out.subarray(0, 168)), true);
  let at = HEADER;
  for (let first = 0; first < reports.length; first += perBlock) {
    const some = reports.slice(first, first + perBlock), length = some.length * stride;
    view.setUint32(at, length, true);
    some.forEach((r, i) => out.set(r, at + 8 + i * stride));
    view.setUint32(at + 4, crc32c(out.subarray(at, at + 4), out.subarray(at + 8, at + 8 + length)), true);
    at += 8 + length;
  }
  return out;
}
