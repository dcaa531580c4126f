// An answer as CSV: a noisy column has its interval beside it.

import { Answer, Value } from "./api";

/** Quoted where a comma, a quote or a line break asks for it; formulas of spreadsheets are defused. */
function field(v: Value): string {
  const text = v === null ? "" : String(v);
  const safe = typeof v === "string" && /^[=+\-@\t]/.test(text) ? "'" + text : text;
  return /[",\n\r]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
}

export function csv(a: Answer): string {
  const head: Value[] = a.columns.flatMap(c => (c.noisy ? [c.name, c.name + "_low", c.name + "_high"] : [c.name]));
  const rows = a.rows.map((row, r) => row.flatMap((v, k) =>
    a.columns[k].noisy ? [v, a.intervals[r][k]?.[0] ?? null, a.intervals[r][k]?.[1] ?? null] : [v]));
  return [head, ...rows].map(row => row.map(field).join(",")).join("\n") + "\n";
}
