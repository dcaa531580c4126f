// sotto-client: local differential privacy in browsers and Node.
//
//   import { Client } from "sotto-client";
//   import params from "./params.js";                       // sotto local params --to js
//   const client = await Client.open(params, load());       // bytes you stored, or null the first time
//   client.encode("https://example.org");                   // randomized here; the value goes no further
//   await client.send("https://collector.example/reports", { save }); // calls save(state) before anything leaves
import { checksum, concat, word } from "./bytes.js";
import { Encoder, Entropy } from "./encoder.js";
import { SottoError } from "./error.js";
import { emptyLedger, packState, Stored, unpackState } from "./state.js";

export { SottoError } from "./error.js";
export type { Entropy } from "./encoder.js";

/** What a collection agrees on; printed by `sotto local params --to js`. */
export interface Params {
  takes: "number" | "text";
  reportBytes: number;
  bytes: Uint8Array;
}

export interface Options {
  /** The name of the metric: two metrics never share an answer.  Default "". */
  metric?: string;
  /**
   * Reports a day and different values in a lifetime (at most 16) that this device may send.
   * What is past them is refused with EBUDGET.  Default 100 and 16.  Fixed when the state is made.
   */
  limits?: { perDay?: number; values?: number };
  /** Days since 1970, for the limit.  Default: the clock's. */
  today?: () => number;
  /** Default: crypto.getRandomValues. */
  entropy?: Entropy;
}

export interface SendOptions {
  /** Tries after the first one, with pauses that double from `pause` milliseconds.  Default 5 and 1000. */
  retries?: number;
  pause?: number;
  /** Milliseconds after which a try without a reply has failed.  Default 30000. */
  timeout?: number;
  /**
   * Stores the state.  Called before anything leaves and again when a batch has arrived, so that
   * a device that stops in between sends the same bytes again and counts once.
   */
  save?: (state: Uint8Array) => void | Promise<void>;
  fetch?: typeof fetch;
  headers?: Record<string, string>;
}

const BLOCK_MAX = 65536;
const REPORTS_MAX = 65536; // of a batch: a collector takes no more unless told to

/* Replies that speak of the batch itself; a wrong key or a wrong address is no reason to lose it. */
const REJECTED = [400, 413, 422];

export class Client {
  private readonly encoder: Encoder;
  private readonly params: Params;
  private readonly today: () => number;
  private outbox: Uint8Array[];
  private waiting: Uint8Array[];
  private sending: Promise<unknown> = Promise.resolve();

  private constructor(encoder: Encoder, params: Params, today: () => number, stored: Stored | null) {
    this.encoder = encoder;
    this.params = params;
    this.today = today;
    this.outbox = stored ? stored.outbox : [];
    this.waiting = stored && stored.waiting.length > 0 ? [stored.waiting] : [];
  }

  /**
   * With null a new secret is drawn: store `state` before the first report leaves, because a
   * device that forgets its secret spends its privacy anew.  Throws a SottoError: ECORRUPT for
   * damaged bytes, ESTATE for those of another collection or metric.
   */
  static async open(params: Params, state: Uint8Array | null, options: Options = {}): Promise<Client> {
    const today = options.today ?? (() => Math.floor(Date.now() / 86400000));
    const stored = state ? unpackState(state) : null;
    const { perDay = 100, values = 16 } = options.limits ?? {};
    if (!(values >= 1 && values <= 16)) throw new SottoError("ERANGE", "limits.values is a number from 1 to 16");
    const encoder = await Encoder.create(params.bytes, options.metric ?? "", options.entropy ?? (await webCrypto()));
    if (stored && stored.waiting.length % params.reportBytes !== 0) throw new SottoError("ECORRUPT");
    encoder.start(stored, emptyLedger(perDay, values), today());
    return new Client(encoder, params, today, stored);
  }

  /** Everything the device must remember.  It is secret: keep it where only this app can read it. */
  get state(): Uint8Array {
    return packState({
      state: this.encoder.state,
      ledger: this.encoder.ledger,
      outbox: this.outbox,
      waiting: concat(this.waiting),
    });
  }

  /** Reports that are in no batch yet. */
  get pending(): number {
    return this.waiting.reduce((n, r) => n + r.length, 0) / this.params.reportBytes;
  }

  /**
   * Randomizes one value and keeps the report for the next batch.  A value that is refused
   * costs nothing.
   */
  encode(value: number | bigint | string | Uint8Array): Uint8Array {
    const text = typeof value === "string" || value instanceof Uint8Array;
    if (text !== (this.params.takes === "text"))
      throw new SottoError("EINVAL", `this collection takes ${this.params.takes === "text" ? "texts" : "numbers"}`);
    this.encoder.setDay(this.today());
    const report = this.encoder.encode(typeof value === "string" ? new TextEncoder().encode(value) : value);
    this.waiting.push(report);
    return report;
  }

  /**
   * Puts the reports that wait into a batch, and returns the oldest batch that has not arrived, or
   * null if there is nothing to send.  Its bytes stay the same until `confirm` is called, so that
   * a batch that is sent twice counts once.
   */
  batch(): Uint8Array | null {
    const stride = this.params.reportBytes;
    while (this.waiting.length > 0) {
      const all = concat(this.waiting);
      const reports = all.subarray(0, REPORTS_MAX * stride);
      const rest = all.subarray(reports.length);
      const header = this.encoder.batchHeader(reports.length / stride, this.today());
      this.outbox.push(concat([header, ...blocks(reports, stride)]));
      this.waiting = rest.length > 0 ? [rest] : [];
    }
    return this.outbox[0] ?? null;
  }

  /** The collector has the batch. */
  confirm(): void {
    this.outbox.shift();
  }

  /**
   * Uploads everything that waits when it is called.  Resolves to the number of batches that the collector has
   * taken; rejects with EREFUSED if it refuses one (that batch is dropped), with EIO if the address
   * or a key is wrong, and with the last error if the collector could not be reached: the batch is
   * then kept and sent first the next time.
   */
  send(url: string, options: SendOptions = {}): Promise<number> {
    const turn = this.sending.catch(() => undefined).then(() => this.sendAll(url, options));
    this.sending = turn;
    return turn;
  }

  private async sendAll(url: string, options: SendOptions): Promise<number> {
    let sent = 0;
    this.batch();
    if (this.outbox.length > 0) await options.save?.(this.state);
    for (let bytes = this.outbox[0]; bytes; bytes = this.outbox[0], sent++) {
      const reply = await post(url, bytes, options);
      if (!reply.ok && !REJECTED.includes(reply.status))
        throw new SottoError("EIO", `the address replied ${reply.status}, not as a collector: ${await reason(reply)}`);
      this.confirm();
      await options.save?.(this.state);
      if (!reply.ok) throw new SottoError("EREFUSED", `the collector refused the batch: ${await reason(reply)}`);
    }
    return sent;
  }
}

// Whole reports in blocks of at most 64 KiB, each with its length and checksum.
function blocks(reports: Uint8Array, stride: number): Uint8Array[] {
  const size = Math.floor(BLOCK_MAX / stride) * stride;
  const out: Uint8Array[] = [];
  for (let at = 0; at < reports.length; at += size) {
    const block = reports.subarray(at, at + size);
    const length = word(block.length);
    out.push(length, word(checksum(block, checksum(length))), block);
  }
  return out;
}

// Tries again where trying again may help: no answer, 408, 429 and 5xx.
async function post(url: string, bytes: Uint8Array, options: SendOptions): Promise<Response> {
  const { retries = 5, pause = 1000, timeout = 30000, headers = {} } = options;
  const request = options.fetch ?? fetch;
  for (let attempt = 0; ; attempt++) {
    let failure: unknown;
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeout);
    try {
      const reply = await request(url, {
        method: "POST",
        headers: { "Content-Type": "application/octet-stream", ...headers },
        body: bytes,
        signal: abort.signal,
      });
      if (reply.status < 500 && reply.status !== 408 && reply.status !== 429) return reply;
      failure = new SottoError("EIO", `the collector answered ${reply.status}`);
    } catch (error) {
      failure = abort.signal.aborted
        ? new SottoError("EIO", `the collector did not reply within ${timeout} milliseconds`)
        : error;
    } finally {
      clearTimeout(timer);
    }
    if (attempt >= retries) throw failure;
    await new Promise((wake) => setTimeout(wake, pause * 2 ** attempt));
  }
}

async function reason(reply: Response): Promise<string> {
  const text = await reply.text().catch(() => "");
  try {
    const problem = JSON.parse(text) as { detail?: string; title?: string };
    return problem.detail ?? problem.title ?? String(reply.status);
  } catch {
    return text.trim().slice(0, 200) || String(reply.status);
  }
}

// crypto.getRandomValues gives at most 64 KiB at a time; older versions of Node have it elsewhere.
async function webCrypto(): Promise<Entropy> {
  const name = "node:crypto";
  const source: Crypto =
    (globalThis as { crypto?: Crypto }).crypto ??
    ((await import(/* @vite-ignore */ name)) as { webcrypto: Crypto }).webcrypto;
  return (out) => {
    for (let at = 0; at < out.length; at += 65536) source.getRandomValues(out.subarray(at, at + 65536));
  };
}
