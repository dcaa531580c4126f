// SHA-256, CRC-32C, and the public hash functions of the sketches (src/local/client/primitive/family.h).

const ROUND = new Uint32Array(64), START = new Uint32Array(8);

/** Fractional parts of square and cube roots of the first primes, as FIPS 180-4 has it. */
(function constants(): void {
  const part = (x: number): number => Math.floor((x - Math.floor(x)) * 4294967296) >>> 0;
  let count = 0;
  for (let n = 2; count < 64; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) prime &&= n % d !== 0;
    if (!prime) continue;
    if (count < 8) START[count] = part(Math.sqrt(n));
    ROUND[count++] = part(Math.cbrt(n));
  }
})();

const turn = (x: number, n: number): number => x >>> n | x << (32 - n);

function compress(h: Uint32Array, block: DataView, at: number): void {
  const w = new Uint32Array(64);
  for (let i = 0; i < 16; i++) w[i] = block.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >>> 3) + w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >>> 10);
  }
  let [a, b, c, d, e, f, g, k] = h;
  for (let i = 0; i < 64; i++) {
    const t = k + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + ROUND[i] + w[i] | 0;
    const u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
    k = g; g = f; f = e; e = d + t | 0; d = c; c = b; b = a; a = t + u | 0;
  }
  [a, b, c, d, e, f, g, k].forEach((x, i) => { h[i] += x; });
}

export function sha256(bytes: Uint8Array): Uint8Array {
  const blocks = Math.ceil((bytes.length + 9) / 64), padded = new Uint8Array(64 * blocks), view = new DataView(padded.buffer);
  const h = Uint32Array.from(START), out = new Uint8Array(32);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  view.setUint32(64 * blocks - 4, bytes.length * 8);
  for (let i = 0; i < blocks; i++) compress(h, view, 64 * i);
  h.forEach((x, i) => new DataView(out.buffer).setUint32(4 * i, x));
  return out;
}

const CRC = Uint32Array.from({ length: 256 }, (_, i) => {
  for (let k = 0; k < 8; k++) i = i & 1 ? i >>> 1 ^ 0x82f63b78 : i >>> 1;
  return i;
});

export function crc32c(...parts: Uint8Array[]): number {
  let crc = -1;
  for (const bytes of parts) for (const b of bytes) crc = CRC[(crc ^ b) & 255] ^ crc >>> 8;
  return ~crc >>> 0;
}

function chachaBlock(key: Uint8Array, counter: number): Uint32Array {
  const start = Uint32Array.from([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, ...new Uint32Array(key.buffer), counter, 0, 0, 0]);
  const x = Uint32Array.from(start);
  const quarter = (a: number, b: number, c: number, d: number): void => {
    x[a] += x[b]; x[d] = turn(x[d] ^ x[a], 16); x[c] += x[d]; x[b] = turn(x[b] ^ x[c], 20);
    x[a] += x[b]; x[d] = turn(x[d] ^ x[a], 24); x[c] += x[d]; x[b] = turn(x[b] ^ x[c], 25);
  };
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 4; i++) quarter(i, 4 + i, 8 + i, 12 + i);
    for (let i = 0; i < 4; i++) quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
  }
  return x.map((v, i) => v + start[i]);
}

const FIELD = (1n << 61n) - 1n;

/** The key of bytes: the first 8 bytes of their SHA-256. */
export const keyOf = (bytes: Uint8Array): bigint => new DataView(sha256(bytes).buffer).getBigUint64(0, true) % FIELD;

/** The function of one row of a sketch: a polynomial of degree 2 over the field of 2^61 - 1. */
export function rowHash(salt: bigint, row: number, range: number): (key: bigint) => number {
  const key = new Uint8Array(32);
  key.set(new TextEncoder().encode("sotto hash family 1"));
  new DataView(key.buffer).setBigUint64(20, salt, true);
  key[28] = 1;
  const block = chachaBlock(key, row);
  const [c0, c1, c2] = [0, 1, 2].map(i => ((BigInt(block[2 * i + 1]) << 32n | BigInt(block[2 * i])) >> 3n) % FIELD);
  return x => Math.floor(Number(((c2 * x + c1) % FIELD * x + c0) % FIELD >> 29n) * range / 4294967296);
}
