// Bytes with checksums: what is stored on the device and what is sent.

const TABLE = (() => {
  const table = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    let crc = i;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    table[i] = crc;
  }
  return table;
})();

// CRC-32C of what has the checksum `crc`, followed by these bytes.
export function checksum(bytes: Uint8Array, crc = 0): number {
  let c = ~crc;
  for (const byte of bytes) c = (c >>> 8) ^ TABLE[(c ^ byte) & 255]!;
  return ~c >>> 0;
}

export function word(x: number): Uint8Array {
  return Uint8Array.of(x, x >>> 8, x >>> 16, x >>> 24);
}

export function readWord(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
}

export function concat(parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
