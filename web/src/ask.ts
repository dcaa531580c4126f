// Ask: SQL with its price while typing, the answer as a table and as a chart.

import { Answer, Column, Explanation, Table, Value, get, post } from "./api";
import { chart } from "./chart";
import { download, h, replace } from "./dom";
import { beside, left, plain, short } from "./format";

const EPSILONS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

let draft = "";
let epsilonAt = 3;

export async function askPage(root: HTMLElement): Promise<void> {
  const tables = (await get<{ tables: Table[] }>("tables")).tables;
  const sql = h("textarea", {
    id: "sql", class: "sql", spellcheck: false, rows: 6, autocapitalize: "off",
    placeholder: "SELECT …, COUNT(*) FROM … GROUP BY …", "aria-label": "SQL", "aria-describedby": "price",
  });
  const slider = h("input", { id: "epsilon", type: "range", min: 0, max: EPSILONS.length - 1, value: epsilonAt });
  const shown = h("output", { for: "epsilon" });
  const price = h("div", { id: "price", class: "price", role: "status", "aria-live": "polite" });
  const button = h("button", { class: "primary", type: "submit", disabled: true }, "Ask");
  const answer = h("section", { class: "answer", "aria-live": "polite" });
  const form = h("form", {
    class: "ask",
    submit: (e: Event) => { e.preventDefault(); void submit(); },
  }, sql,
    h("div", { class: "controls" },
      h("label", { for: "epsilon" }, "epsilon ", shown), slider, button),
    price);

  const epsilon = (): number => EPSILONS[Number(slider.value)];
  let timer = 0, waiting: AbortController | undefined;
  const explain = (): void => {
    draft = sql.value;
    epsilonAt = Number(slider.value);
    shown.textContent = String(epsilon());
    window.clearTimeout(timer);
    waiting?.abort();
    button.disabled = true;
    if (sql.value.trim() === "") return replace(price, h("p", { class: "hint" }, "Write a question; its price and error show here before you pay."));
    timer = window.setTimeout(async () => {
      waiting = new AbortController();
      try {
        const x = await post<Explanation>("explain", { sql: sql.value, epsilon: epsilon() }, waiting.signal);
        replace(price, priceOf(x));
        button.disabled = !x.affordable && !x.repeated;
        button.textContent = x.repeated ? "Show again, free" : "Ask";
      } catch (e) {
        if ((e as Error).name === "AbortError") return;
        button.textContent = "Ask";
        replace(price, refusal(e as Error, sql));
      }
    }, 250);
  };
  const submit = async (): Promise<void> => {
    button.disabled = true;
    replace(answer, h("p", { class: "hint" }, "The question is being answered…"));
    try {
      const a = await post<Answer>("query", { sql: sql.value, epsilon: epsilon() });
      replace(answer, answerView(a, sql.value, epsilon()));
    } catch (e) {
      replace(answer, h("p", { class: "error", role: "alert" }, (e as Error).message));
    }
    explain();
  };
  sql.addEventListener("input", explain);
  sql.addEventListener("keydown", e => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !button.disabled) void submit();
  });
  slider.addEventListener("input", explain);
  replace(root, h("div", { class: "columns" },
    h("div", { class: "main" }, h("h1", {}, "Ask"), form, answer),
    h("aside", {}, h("h2", {}, "What you can ask about"),
      ...tables.map(t => tableView(t, text => { insert(sql, text); explain(); })))));
  sql.value = draft || example(tables);
  sql.focus();
  explain();
}

function example(tables: Table[]): string {
  const t = tables.find(table => !table.public);
  if (!t) return "";
  const key = t.columns.find(c => c.keys);
  return key ? `SELECT ${key.name}, COUNT(*) AS n FROM ${t.name} GROUP BY ${key.name}` : `SELECT COUNT(*) AS n FROM ${t.name}`;
}

function insert(area: HTMLTextAreaElement, text: string): void {
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  area.focus();
}

function tableView(t: Table, pick: (text: string) => void): HTMLElement {
  const about = (c: Table["columns"][number]): string =>
    c.keys ? `${c.keys.length} values` : c.bounds ? `${c.bounds[0]} to ${c.bounds[1]}` : c.type;
  return h("details", { open: !t.public },
    h("summary", {}, t.name, " ", h("small", {}, t.public ? "public" : `protects each ${t.unit}`)),
    h("ul", { class: "list" }, ...t.columns.map(c =>
      h("li", {}, h("button", { type: "button", class: "link", click: () => pick(c.name) }, c.name),
        " ", h("small", {}, about(c))))));
}

/** The sentence, and the place in the SQL that it speaks of. */
function refusal(e: Error, area: HTMLTextAreaElement): HTMLElement {
  const at = /\(line (\d+), character (\d+)\)/.exec(e.message);
  const lines = area.value.split("\n");
  const line = at ? lines[Number(at[1]) - 1] : undefined;
  const column = at ? Number(at[2]) - 1 : 0;
  return h("div", { class: "refusal" }, h("p", { class: "error" }, e.message),
    line !== undefined && h("pre", {}, line.slice(0, column),
      h("mark", {}, /^[A-Za-z_0-9]+|^./.exec(line.slice(column))?.[0] ?? " "),
      line.slice(column + (/^[A-Za-z_0-9]+|^./.exec(line.slice(column))?.[0].length ?? 1))));
}

function priceOf(x: Explanation): HTMLElement {
  const free = x.cost.epsilon === 0;
  const errors = x.columns.filter(c => c.noisy).map(c =>
    c.error !== null ? `${c.name} ± ${short(c.error, 3)}`
      : c.error_times_count !== null ? `${c.name} ± ${short(c.error_times_count / 100, 3)} for a group of 100` : c.name);
  return h("div", {},
    h("p", {}, x.repeated ? "You asked this before: the same answer is free." :
      free ? "Exact and free: nothing private is asked." :
        h("span", {}, "Costs ", h("strong", {}, `epsilon ${short(x.cost.epsilon, 6)}`),
          x.cost.delta > 0 && ` and delta ${short(x.cost.delta, 3)}`,
          x.affordable ? `; then ${left(x.left.epsilon)} is left.` : `; only ${left(x.left.epsilon)} is left.`)),
    errors.length > 0 && h("p", { class: "hint" }, "95 % of the time: ", errors.join(", "), ` (${x.mechanism})`),
    h("details", {}, h("summary", {}, "What will be done"),
      h("dl", {}, ...x.lines.filter(l => l.section !== "engine").flatMap(l => [h("dt", {}, l.name), h("dd", {}, l.text)]))));
}

// ---- the answer ----------------------------------------------------------------------------------

function isNumber(c: Column): boolean {
  return c.type === "integer" || c.type === "number";
}

function cell(a: Answer, r: number, k: number): HTMLElement {
  const v = a.rows[r][k], interval = a.intervals[r][k];
  if (!interval || typeof v !== "number")
    return h("td", { class: isNumber(a.columns[k]) ? "number" : "" }, v === null ? h("span", { class: "null" }, "∅") : plain(v));
  const error = Math.max(Number(interval[1]) - v, v - Number(interval[0]));
  return h("td", { class: "number", title: `95 %: ${plain(interval[0])} to ${plain(interval[1])}` },
    beside(v, error), h("small", { class: "margin" }, ` ± ${short(error, 2)}`));
}

export function answerView(a: Answer, sql: string, epsilon: number): HTMLElement {
  const most = 500;
  const noisy = a.columns.map((c, i) => (c.noisy && isNumber(c) ? i : -1)).filter(i => i >= 0);
  const pictures = a.rows.length > 1 ? noisy.map(i => chart(a, i)) : [];
  return h("div", {},
    h("p", { class: "cost" }, a.repeated ? "The same answer as before, free." :
      a.cost.epsilon === 0 ? "Exact and free." : `Cost epsilon ${short(a.cost.epsilon, 6)}.`, ` ${left(a.left.epsilon)} is left.`),
    ...a.notes.map(n => h("p", { class: "hint" }, n)),
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ...a.columns.map(c =>
        h("th", { scope: "col", class: isNumber(c) ? "number" : "" }, c.name)))),
      h("tbody", {}, ...a.rows.slice(0, most).map((_, r) => h("tr", {}, ...a.columns.map((__, k) => cell(a, r, k))))))),
    a.rows.length > most && h("p", { class: "hint" }, `${a.rows.length - most} more rows are in the download.`),
    ...pictures.map((p, i) => p && h("figure", {}, h("figcaption", {}, a.columns[noisy[i]].name), p)),
    h("div", { class: "tools" },
      tool("CSV", () => download("answer.csv", "text/csv", csv(a))),
      tool("JSON", () => download("answer.json", "application/json", JSON.stringify(a, null, 1))),
      pictures[0] && tool("SVG", () => download("answer.svg", "image/svg+xml", (pictures[0] as SVGElement).outerHTML)),
      tool("Copy as curl", () => void navigator.clipboard.writeText(asCurl(sql, epsilon)))));
}

function tool(name: string, act: () => void): HTMLElement {
  return h("button", { type: "button", click: act }, name);
}

/** Quoted where a comma, a quote or a line break asks for it; formulas of spreadsheets are defused. */
function csvField(v: Value): string {
  const text = v === null ? "" : String(v);
  const safe = typeof v === "string" && /^[=+\-@\t]/.test(text) ? "'" + text : text;
  return /[",\n\r]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
}

function csv(a: Answer): string {
  const head = a.columns.flatMap(c => (c.noisy ? [c.name, c.name + "_low", c.name + "_high"] : [c.name]));
  const rows = a.rows.map((row, r) => row.flatMap((v, k) =>
    a.columns[k].noisy ? [v, a.intervals[r][k]?.[0] ?? null, a.intervals[r][k]?.[1] ?? null] : [v]));
  return [head as Value[], ...rows].map(row => row.map(csvField).join(",")).join("\n") + "\n";
}

function asCurl(sql: string, epsilon: number): string {
  const body = JSON.stringify({ sql, epsilon }).replace(/'/g, "'\\''");
  return `curl -H "Authorization: Bearer $SOTTO_KEY" ${location.origin}/v1/query -d '${body}'`;
}


