// The server's interface: what is asked, what comes back, and problems as errors.

import { session } from "./session";

export interface Price { epsilon: number; delta: number; epsilon_exact?: string }
export interface Column { name: string; type: string; noisy: boolean; biased?: boolean }
export type Value = string | number | boolean | null;
export interface Answer {
  columns: Column[];
  rows: Value[][];
  intervals: ([Value, Value] | null)[][];
  cost: Price;
  left: Price;
  repeated: boolean;
  data_changed: boolean;
  mechanism: string;
  notes: string[];
}
export interface ExplainedColumn extends Column { error: number | null; typical_error: number | null }
export interface Explanation {
  columns: ExplainedColumn[];
  typical_group: number;
  mechanism: string;
  cost: Price;
  left: Price;
  affordable: boolean;
  repeated: boolean;
  /** The limits are found when it is asked; the errors are those of 1 group and 1 row. */
  assumes_limits: boolean;
  lines: { section: string; name: string; text: string }[];
}
export interface TableColumn {
  name: string; type: string; nullable: boolean;
  bounds: [Value, Value] | null; keys: Value[] | null;
}
export interface Table {
  name: string; public: boolean; unit: string | null;
  max_groups: number | null; max_rows: number | null; columns: TableColumn[];
}
/** Where no epsilon bounds the loss it is null, and rho says what was spent. */
export interface Spent { epsilon: number | null; rho?: number; delta: number; epsilon_exact?: string }
export interface Budget { budget: Price; spent: Spent; left: Price; releases: number; renews: number | null }
export interface Entry {
  number: number; time: number; analyst: string; query: string; cost: Spent; answered: boolean;
}
export interface Person {
  name: string; role: string; share: string | null; collection: string | null;
  made: number; revoked: boolean;
}
/** Who is logged in, and where clients of PostgreSQL find the same tables. */
export interface Me extends Person { postgresql: { port: number; database: string } | null }
/** What a login replies: its token goes with every request, beside the cookie that it sets. */
export interface Login extends Me { session: string }
/** How far a question is; more is not told, since it could tell about the data. */
export interface Progress { state: "queued" | "running"; seconds: number }
export interface Bound { method: string; lower: number | null; upper: number | null; reason: string | null }

export class Problem extends Error {
  constructor(readonly status: number, readonly code: string, sentence: string, readonly body: Record<string, unknown> = {}) {
    super(sentence);
  }
}

const AWAY = "The server cannot be reached; nothing was charged that it did not acknowledge.";

async function ask(method: string, path: string, headers: Record<string, string>, body?: BodyInit,
  signal?: AbortSignal): Promise<Response> {
  const who: Record<string, string> = session() ? { Authorization: "Bearer " + session() } : {};
  try {
    return await fetch("/v1/" + path, { method, headers: { ...who, ...headers }, body, signal, credentials: "same-origin" });
  } catch (e) {
    if ((e as Error).name === "AbortError") throw e;
    throw new Problem(0, "away", AWAY);
  }
}

let ended = (): void => undefined;

/** Calls this when the server no longer knows who asks, whichever page hears of it first. */
export const whenEnded = (then: () => void): void => { ended = then; };

function problem(status: number, data: any): Problem {
  if (status === 401) ended();
  return new Problem(status, data.code ?? "", data.title ?? `the server replied ${status}`, data);
}

async function send(method: string, path: string, headers: Record<string, string>, body?: BodyInit,
  signal?: AbortSignal): Promise<any> {
  const reply = await ask(method, path, headers, body, signal);
  const data = await reply.json().catch(() => ({}));
  if (!reply.ok) throw problem(reply.status, data);
  return data;
}

/** A question that may take its time: hears how far it is until the answer comes. */
export async function follow<T>(path: string, body: unknown, heard: (p: Progress) => void): Promise<T> {
  const reply = await ask("POST", path, { "Content-Type": "application/json", Accept: "text/event-stream" }, JSON.stringify(body));
  if (!reply.ok || !reply.body) throw problem(reply.status, await reply.json().catch(() => ({})));
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done) throw new Problem(0, "away", AWAY);
    const events = (text + value).split("\n\n");
    text = events.pop() as string;
    for (const event of events) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? [];
      if (name === "progress") heard(JSON.parse(data));
      if (name === "answer") return JSON.parse(data);
      if (name === "problem") { const p = JSON.parse(data); throw problem(p.status, p); }
    }
  }
}

const json = (method: string, path: string, body: unknown, signal?: AbortSignal): Promise<any> =>
  send(method, path, { "Content-Type": "application/json" }, JSON.stringify(body), signal);

export const get = <T>(path: string): Promise<T> => send("GET", path, {});
export const post = <T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> => json("POST", path, body, signal);
export const put = <T>(path: string, body: unknown): Promise<T> => json("PUT", path, body);
export const postBytes = <T>(path: string, bytes: Uint8Array): Promise<T> =>
  send("POST", path, { "Content-Type": "application/octet-stream" }, bytes);

/** The route does not exist on this server. */
export const isMissing = (e: unknown): boolean => e instanceof Problem && (e.status === 404 || e.status === 405) &&
  (e.code === "no-such-route" || e.code === "wrong-method");
