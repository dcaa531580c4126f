// The server's interface: what is asked, what comes back, and problems as errors.

export type Amount = number;
export interface Price { epsilon: Amount; delta: Amount; epsilon_exact?: string }
export interface Column { name: string; type: string; noisy: boolean }
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
export interface ExplainedColumn extends Column { error: number | null; error_times_count: number | null }
export interface Explanation {
  columns: ExplainedColumn[];
  mechanism: string;
  cost: Price;
  left: Price;
  affordable: boolean;
  repeated: boolean;
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
export interface Budget { budget: Price; spent: Price; left: Price; releases: number; renews: number | null }
export interface Entry {
  number: number; time: number; analyst: string; query: string; cost: Price; answered: boolean;
}
export interface Person {
  name: string; role: string; share: string | null; collection: string | null;
  made: number; revoked: boolean;
}

export class Problem extends Error {
  constructor(readonly status: number, readonly code: string, sentence: string) {
    super(sentence);
  }
}

async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const reply = await fetch("/v1/" + path, {
    method,
    headers: body === undefined ? { "X-Sotto": "1" } : { "X-Sotto": "1", "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
    credentials: "same-origin",
  });
  const data = await reply.json();
  if (!reply.ok) throw new Problem(reply.status, data.code, data.title);
  return data as T;
}

export const get = <T>(path: string): Promise<T> => call<T>("GET", path);
export const post = <T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> =>
  call<T>("POST", path, body, signal);
