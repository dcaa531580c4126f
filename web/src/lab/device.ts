// Pretend devices: the real encoder, as WebAssembly, with a key of its own for each device.

import { Params, store } from "./math/params";

interface Exports {
  memory: WebAssembly.Memory;
  sotto_wasm_buffers: () => number;
  sotto_wasm_init: (idLength: number) => number;
  sotto_wasm_encode: (length: number) => number;
  sotto_wasm_encode_number: (low: number, high: number) => number;
}

/** Where the parts of the module's buffer are: part of its interface. */
const KEY = 84, ID = 116, VALUE = 372, REPORT = 1396;
const METRIC = new TextEncoder().encode("lab");

export class Device {
  private constructor(private readonly wasm: Exports, private readonly at: number) {}

  static async load(module: WebAssembly.Module): Promise<Device> {
    let memory: WebAssembly.Memory;
    const entropy = (at: number, n: number): number => {
      for (let i = 0; i < n; i += 65536)
        crypto.getRandomValues(new Uint8Array(memory.buffer as ArrayBuffer, at + i, Math.min(65536, n - i)));
      return 0;
    };
    const { exports } = await WebAssembly.instantiate(module, { env: { entropy } });
    const wasm = exports as unknown as Exports;
    memory = wasm.memory;
    return new Device(wasm, wasm.sotto_wasm_buffers());
  }

  private put(offset: number, bytes: Uint8Array): void {
    new Uint8Array(this.wasm.memory.buffer).set(bytes, this.at + offset);
  }

  /** Becomes another device: a new secret key. */
  begin(p: Params): void {
    this.put(0, store(p));
    crypto.getRandomValues(new Uint8Array(this.wasm.memory.buffer as ArrayBuffer, this.at + KEY, 32));
    this.put(ID, METRIC);
    if (this.wasm.sotto_wasm_init(METRIC.length) !== 0) throw new Error("the encoder refuses these parameters");
  }

  encode(value: number | string): Uint8Array {
    let n: number;
    if (typeof value === "number") n = this.wasm.sotto_wasm_encode_number(value, 0);
    else {
      const bytes = new TextEncoder().encode(value);
      this.put(VALUE, bytes);
      n = this.wasm.sotto_wasm_encode(bytes.length);
    }
    if (n < 0) throw new Error("the encoder refuses this value");
    return new Uint8Array(this.wasm.memory.buffer).slice(this.at + REPORT, this.at + REPORT + n);
  }
}

let loading: Promise<Device> | undefined;

/** The encoder that the server sends with the console. */
export function device(): Promise<Device> {
  return loading ??= fetch("/client.wasm").then(r => r.arrayBuffer())
    .then(bytes => WebAssembly.compile(bytes)).then(module => Device.load(module));
}

/** One report of each value, each from a device of its own. */
export function reportsOf(d: Device, p: Params, values: (number | string)[]): Uint8Array[] {
  return values.map(v => { d.begin(p); return d.encode(v); });
}
