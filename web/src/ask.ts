// Ask: SQL with its price while typing, and then the answer.

import { Answer, Explanation, Me, Problem, Progress, Table, follow, get, post } from "./api";
import { answerView } from "./answer";
import { h, replace } from "./dom";
import { amount, draft, ladder } from "./draft";
import type { Editor } from "./editor";
import { sqlName, sqlTable } from "./name";
import { placeOf } from "./place";
import { errorOf, priceView } from "./price";

const PAUSE = 250;

/** Calls fn when nothing has been asked for a while, and drops what is under way. */
function debounced(fn: (signal: AbortSignal) => Promise<void>): () => void {
  let timer = 0, running: AbortController | undefined;
  return () => {
    window.clearTimeout(timer);
    running?.abort();
    const mine = running = new AbortController();
    timer = window.setTimeout(() => void fn(mine.signal), PAUSE);
  };
}

export async function askPage(root: HTMLElement, me: Me): Promise<void> {
  const [{ tables, default_epsilon: usual }, { sqlEditor }] = await Promise.all([
    get<{ tables: Table[]; default_epsilon: string | null }>("tables"), import("./editor")]);
  const price = h("div", { id: "price", class: "price", role: "status", "aria-live": "polite" });
  const button = h("button", { class: "primary", type: "submit", disabled: true }, "Ask");
  const answer = h("div", { "aria-live": "polite" });
  if (draft.epsilon === "") draft.epsilon = usual ?? "0.1";
  const steps = epsilonSlider(() => explain());
  const older = h("p", { class: "older", hidden: true }, "This is the answer to the question below, not to the one above.");
  const result = h("section", { class: "answer", "aria-label": "Answer" }, older, answer);
  let shown: string | undefined;
  if (draft.sql === "") draft.sql = example(tables);

  const explain = (): void => {
    draft.sql = editor.text();
    older.hidden = shown === undefined || shown === draft.sql;
    result.classList.toggle("stale", !older.hidden);
    button.disabled = true;
    if (draft.sql.trim() === "") {
      editor.mark([]);
      replace(price, h("p", { class: "hint" }, "Write a question; its price and its error show here before you pay."));
    }
    explainSoon();
  };
  const explainSoon = debounced(async signal => {
    if (draft.sql.trim() === "") return;
    try {
      const x = await post<Explanation>("explain", draft, signal);
      editor.mark([]);
      replace(price, priceView(x));
      button.disabled = !x.affordable && !x.repeated;
      button.textContent = x.repeated ? "Show again, free" : "Ask";
      await steps.compare(draft.sql, signal);
    } catch (e) {
      if ((e as Error).name === "AbortError") return;
      button.textContent = "Ask";
      steps.clear();
      refuse(e as Error, editor, price);
    }
  });
  const submit = async (): Promise<void> => {
    if (button.disabled) return;
    button.disabled = true;
    const asked = { ...draft };
    const state = h("p", { class: "waiting" }, h("progress", { "aria-label": "In work" }), h("span"));
    shown = asked.sql;
    older.hidden = true;
    result.classList.remove("stale");
    replace(answer, state);
    try {
      replace(answer, answerView(await follow<Answer>("query", asked, p => tell(state, p)), asked, me));
    } catch (e) {
      shown = undefined;
      replace(answer, h("p", { class: "error", role: "alert" }, (e as Error).message));
    }
    steps.forget(); // the question may have found its limits, and others were found for it
    explain();
  };
  const editor = sqlEditor({ label: "SQL", text: draft.sql, changed: () => explain(), submit: () => void submit() }, tables);
  replace(root, h("div", { class: "columns" },
    h("div", { class: "main" }, h("h1", {}, "Ask"),
      h("form", { class: "ask", submit: (e: Event) => { e.preventDefault(); void submit(); } },
        editor.element, steps.element,
        h("div", { class: "pay" }, price, h("div", { class: "act" }, button, h("kbd", {}, "Ctrl Enter")))), result),
    h("aside", { "aria-label": "Tables" }, h("h2", {}, "What you can ask about"),
      ...tables.map(t => tableView(t, name => editor.insert(name))))));
  editor.focus();
  explain();
}

/** Waits or runs, and for how long; who listens hears only when that changes. */
function tell(state: HTMLElement, p: Progress): void {
  const said = state.querySelector("span") as HTMLElement;
  const words = p.state === "queued" ? "Waiting in line" : "Being answered";
  if (said.firstChild?.textContent !== words) replace(said, words, h("span", { "aria-hidden": "true" }));
  replace(said.lastElementChild as Element, p.seconds > 0 ? `, ${p.seconds} s` : "");
}

/** The sentence below, and a squiggle at the place that it speaks of. */
function refuse(e: Error, editor: Editor, price: HTMLElement): void {
  const place = placeOf(e.message);
  editor.mark(place ? [{ place, message: e.message }] : []);
  const hint = e instanceof Problem && e.status === 402 ? "Choose a smaller epsilon, or ask for less." : "";
  replace(price, h("p", { class: "error" }, e.message), hint !== "" && h("p", { class: "hint" }, hint));
}

interface Steps { element: HTMLElement; compare: (sql: string, signal: AbortSignal) => Promise<void>; clear: () => void; forget: () => void }

/** The slider, and under it what each epsilon would give; each is one free explanation. */
function epsilonSlider(changed: () => void): Steps {
  const values = ladder(draft.epsilon);
  const at = values.findIndex(e => amount(e) === amount(draft.epsilon));
  const slider = h("input", {
    id: "epsilon", type: "range", min: 0, max: values.length - 1, value: at, "aria-valuetext": `epsilon ${values[at]}`,
    input: () => pick(Number(slider.value)),
  });
  const cells = values.map((e, i) => h("button", { type: "button", class: "step", tabindex: -1, click: () => pick(i) },
    h("b", {}, e), h("small", {}, " ")));
  const known = new Map<string, string>();
  const mark = (i: number): void => cells.forEach((c, k) => c.classList.toggle("chosen", k === i));
  const pick = (i: number): void => {
    slider.value = String(i);
    slider.setAttribute("aria-valuetext", `epsilon ${values[i]}`);
    draft.epsilon = values[i];
    mark(i);
    changed();
  };
  const error = (i: number): Element => cells[i].lastElementChild as Element;
  let shown = "";
  mark(at);
  slider.style.width = `calc(${100 * (values.length - 1) / values.length}% + 16px)`; // the thumb stands over its step
  return {
    element: h("div", { class: "steps" },
      h("label", { for: "epsilon" }, "What would another epsilon give?"), slider, h("div", { class: "ladder" }, ...cells)),
    clear: () => cells.forEach((_, i) => replace(error(i), " ")),
    forget: () => known.clear(),
    compare: async (sql, signal) => {
      if (sql !== shown) { known.clear(); shown = sql; }
      for (const [i, epsilon] of values.entries()) {
        if (!known.has(epsilon))
          known.set(epsilon, errorOf(await post<Explanation>("explain", { sql, epsilon }, signal)));
        replace(error(i), known.get(epsilon) !== "" && h("i", {}, "± "), known.get(epsilon) ?? "");
      }
    },
  };
}

function example(tables: Table[]): string {
  const t = tables.find(table => !table.public);
  if (!t) return "";
  const key = t.columns.find(c => c.keys);
  const from = `COUNT(*) AS n\nFROM ${sqlTable(t.name)}`;
  return key ? `SELECT ${sqlName(key.name)}, ${from}\nGROUP BY ${sqlName(key.name)}` : `SELECT ${from}`;
}

function tableView(t: Table, pick: (text: string) => void): HTMLElement {
  const about = (c: Table["columns"][number]): string =>
    c.keys ? `${c.keys.length} values` : c.bounds ? `${c.bounds[0]} to ${c.bounds[1]}` : c.type === "untyped" ? "" : c.type;
  return h("details", { open: !t.public },
    h("summary", {}, t.name, " ", h("small", {}, t.public ? "public" : `protects each ${t.unit}`)),
    h("ul", { class: "list" }, ...t.columns.map(c =>
      h("li", {}, h("button", { type: "button", class: "link", title: `put ${c.name} into the question`, click: () => pick(sqlName(c.name)) }, c.name),
        " ", h("small", { class: "about" }, about(c))))));
}
