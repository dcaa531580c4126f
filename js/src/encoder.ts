// The encoder of sotto/client.h as a WebAssembly module: one instance is one device.
//
// Offsets and functions are those of src/local/client/freestanding/wasm.c.
import { check, SottoError } from "./error.js";
import wasm from "sotto-client-wasm";

// Fills the array with random bytes; throws if it cannot.
export type Entropy = (out: Uint8Array) => void;

const OFFSET = { params: 0, id: 116, value: 372, report: 1396, state: 34164, ledger: 34224 } as const;
const STATE_BYTES = 60;
const LEDGER_BYTES = 92;
const VALUE_MAX = 1024;
const ID_MAX = 256;

interface Exports {
  memory: WebAssembly.Memory;
  sotto_wasm_buffers(): number;
  sotto_wasm_state_make(idLength: number): number;
  sotto_wasm_state_open(idLength: number): number;
  sotto_wasm_init(idLength: number): number;
  sotto_wasm_ledger(today: number): number;
  sotto_wasm_encode(length: number): number;
  sotto_wasm_encode_number(low: number, high: number): number;
  sotto_wasm_batch(reports: number, day: number): number;
}

export class Encoder {
  private readonly exports: Exports;
  private readonly base: number;
  private readonly idLength: number;
  private constructor(exports: Exports, params: Uint8Array, metric: string) {
    this.exports = exports;
    this.base = exports.sotto_wasm_buffers();
    const id = new TextEncoder().encode(metric);
    if (params.length !== 84) throw new SottoError("EPARSE");
    if (id.length > ID_MAX) throw new SottoError("ERANGE", `the metric's name is longer than ${ID_MAX} bytes`);
    this.put(OFFSET.params, params);
    this.put(OFFSET.id, id);
    this.idLength = id.length;
  }

  static async create(params: Uint8Array, metric: string, entropy: Entropy): Promise<Encoder> {
    let exports: Exports | undefined;
    const imports = {
      env: {
        entropy: (at: number, n: number): number => {
          try {
            entropy(new Uint8Array(exports!.memory.buffer, at, n));
            return 0;
          } catch {
            return 1;
          }
        },
      },
    };
    const { instance } = await WebAssembly.instantiate(wasm, imports);
    exports = instance.exports as unknown as Exports;
    return new Encoder(exports, params, metric);
  }

  // Draws a new secret, or takes the stored one, and starts to count in the ledger.
  start(stored: { state: Uint8Array; ledger: Uint8Array } | null, emptyLedger: Uint8Array, today: number): void {
    if (stored) this.put(OFFSET.state, stored.state);
    else check(this.exports.sotto_wasm_state_make(this.idLength));
    check(this.exports.sotto_wasm_state_open(this.idLength));
    check(this.exports.sotto_wasm_init(this.idLength));
    this.put(OFFSET.ledger, stored ? stored.ledger : emptyLedger);
    this.setDay(today);
  }

  setDay(today: number): void {
    check(this.exports.sotto_wasm_ledger(today));
  }

  get state(): Uint8Array {
    return this.get(OFFSET.state, STATE_BYTES);
  }

  get ledger(): Uint8Array {
    return this.get(OFFSET.ledger, LEDGER_BYTES);
  }

  encode(value: number | bigint | Uint8Array): Uint8Array {
    let used: number;
    if (value instanceof Uint8Array) {
      if (value.length > VALUE_MAX) throw new SottoError("ERANGE");
      this.put(OFFSET.value, value);
      used = this.exports.sotto_wasm_encode(value.length);
    } else {
      const whole = wholeNumber(value);
      used = this.exports.sotto_wasm_encode_number(Number(whole & 0xffffffffn), Number(whole >> 32n));
    }
    if (used < 0) check(-used);
    return this.get(OFFSET.report, used);
  }

  // The header of a batch of so many reports, with a fresh id.
  batchHeader(reports: number, day: number): Uint8Array {
    const used = this.exports.sotto_wasm_batch(reports, day);
    if (used < 0) check(-used);
    return this.get(OFFSET.report, used);
  }

  private put(offset: number, bytes: Uint8Array): void {
    new Uint8Array(this.exports.memory.buffer).set(bytes, this.base + offset);
  }

  private get(offset: number, length: number): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer).slice(this.base + offset, this.base + offset + length);
  }
}

function wholeNumber(value: number | bigint): bigint {
  if (typeof value === "number" && !Number.isSafeInteger(value))
    throw new SottoError("EINVAL", "the value is not a whole number");
  const whole = BigInt(value);
  if (whole < 0n || whole >= 1n << 64n) throw new SottoError("ERANGE");
  return whole;
}
