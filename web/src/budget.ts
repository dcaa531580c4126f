// Budget: what is left as a gauge, spending over time and by person, and the history.

import { Budget, Entry, Person, Spent, get } from "./api";
import { Child, h, replace, svg } from "./dom";
import { draft } from "./draft";
import { day, isNarrow, left, short } from "./format";

interface History { entries: Entry[]; more: boolean }

export async function budgetPage(root: HTMLElement, person: Person): Promise<void> {
  const [b, history] = await Promise.all([get<Budget>("budget"), get<History>("history")]);
  const share = b.budget.epsilon > 0 ? Math.min(1, spentOf(b) / b.budget.epsilon) : 0;
  const entries = history.entries;
  const list = h("tbody", { role: "rowgroup" });
  const more = h("button", { type: "button", click: () => void older() }, "Show later entries");
  const older = async (): Promise<void> => {
    const next = await get<History>(`history?after=${entries[entries.length - 1].number}`);
    entries.push(...next.entries);
    more.hidden = !next.more;
    fill();
  };
  const fill = (): void => replace(list, ...entries.slice().reverse().map(e => row(e, person)));
  fill();
  more.hidden = !history.more;
  replace(root, h("h1", {}, "Budget"), cards(b, share),
    entries.length > 1 && h("div", { class: "pair" },
      h("figure", {}, h("figcaption", {}, "Epsilon spent so far"), spending(entries)),
      person.role === "owner" && h("figure", {}, h("figcaption", {}, "Epsilon by person"), byPerson(entries))),
    h("h2", {}, "History"),
    entries.length === 0 ? h("p", { class: "hint" }, "Nothing was asked yet.") :
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "History" }, h("table", { class: "wide history", role: "table" },
        h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...["No.", "When", "Who", "Epsilon", "Delta", "Question", "Again"].map(t =>
          h("th", { scope: "col", role: "columnheader", class: ["No.", "Epsilon", "Delta"].includes(t) ? "number" : "" }, t)))), list)),
    more);
}

/** Of a budget that is also spent in rho: what is no longer left. */
function spentOf(b: Budget): number {
  return b.spent.epsilon ?? b.budget.epsilon - b.left.epsilon;
}

function amount(cost: Spent): string {
  return cost.epsilon === null ? `rho ${short(cost.rho ?? 0, 6)}` : short(cost.epsilon, 6);
}

function cards(b: Budget, share: number): HTMLElement {
  const card = (title: string, large: string, hint: string, ...more: Node[]): HTMLElement =>
    h("div", { class: "card" }, h("h2", {}, title), h("p", { class: "large" }, large), h("p", { class: "hint" }, hint), ...more);
  return h("div", { class: "cards" },
    card("Left", left(b.left.epsilon), `of epsilon ${short(b.budget.epsilon, 6)}; ${amount(b.spent)} is spent`, gauge(share)),
    card("Left for private keys", short(b.left.delta, 3), `of delta ${short(b.budget.delta, 3)}, half of which pays for composition`),
    card("Releases", String(b.releases), b.renews ? `the budget is renewed on ${day(b.renews)}` : "the budget is not renewed"));
}

/** Whoever asked may see the stored answer again; nobody else's is free. */
function row(e: Entry, person: Person): HTMLElement {
  const again = e.answered && e.analyst === person.name && /^\s*(select|with)\b/i.test(e.query);
  const cell = (style: string, ...parts: Child[]): HTMLElement => h("td", { role: "cell", class: style }, ...parts);
  return h("tr", { role: "row" },
    cell("number", String(e.number)), cell("when", day(e.time)), cell("", e.analyst),
    cell("number epsilon", amount(e.cost)), cell("number delta", short(e.cost.delta, 3)),
    cell("code", e.query, !e.answered && e.cost.epsilon !== 0 && h("em", {}, " charged, but not answered")),
    cell("again", again && h("button", {
      type: "button", class: "link", title: "The stored answer costs nothing",
      click: () => {
        draft.sql = e.query;
        draft.epsilon = e.cost.epsilon_exact ?? String(e.cost.epsilon ?? "");
        location.hash = "#ask";
      },
    }, "Show again, free")));
}

/** Full at first; what is spent is missing at its right end. */
function gauge(share: number): HTMLElement {
  const rest = h("div", { class: share > 0.9 ? "rest low" : "rest" });
  rest.style.width = `${100 * (1 - share)}%`;
  return h("div", { class: "gauge", role: "img", "aria-label": `${Math.round(100 * share)} % is spent` }, rest);
}

function spending(entries: Entry[]): SVGElement {
  const W = isNarrow() ? 360 : 480, H = 190, first = entries[0].time, span = Math.max(1, entries[entries.length - 1].time - first);
  let sum = 0;
  const steps = entries.map(e => ({ t: e.time, s: (sum += e.cost.epsilon ?? 0) }));
  const x = (t: number): number => 8 + (W - 70) * (t - first) / span, y = (s: number): number => H - 26 - (H - 44) * s / (sum || 1);
  const path = steps.map((p, i) => (i === 0 ? `M${x(p.t)} ${y(0)}V${y(p.s)}` : `H${x(p.t)}V${y(p.s)}`)).join("");
  return svg("svg", { viewBox: `0 0 ${W} ${H}`, class: "chart", role: "img", "aria-label": `epsilon ${short(sum)} spent` },
    svg("line", { class: "grid", x1: 8, x2: W - 60, y1: y(0), y2: y(0) }),
    svg("path", { class: "line", d: path }),
    svg("text", { class: "tick", x: W - 56, y: y(sum) + 4 }, short(sum)),
    svg("text", { class: "tick", x: 8, y: H - 8 }, day(first)),
    svg("text", { class: "tick", x: isNarrow() ? W : W - 62, y: H - 8, "text-anchor": "end" }, span > 1 ? day(first + span) : ""));
}

function byPerson(entries: Entry[]): SVGElement {
  const sums = new Map<string, number>();
  for (const e of entries) sums.set(e.analyst, (sums.get(e.analyst) ?? 0) + (e.cost.epsilon ?? 0));
  const all = [...sums].filter(([, s]) => s > 0).sort((a, b) => b[1] - a[1]).slice(0, 8);
  const W = isNarrow() ? 360 : 480, row = 24, H = Math.max(1, all.length) * row + 8, most = all[0]?.[1] || 1;
  return svg("svg", { viewBox: `0 0 ${W} ${H}`, class: "chart", role: "img", "aria-label": all.map(([n, s]) => `${n}: ${short(s)}`).join(", ") },
    ...all.flatMap(([name, s], i) => [
      svg("text", { class: "tick", x: 110, y: i * row + 19, "text-anchor": "end" }, name.length > 15 ? name.slice(0, 14) + "…" : name),
      svg("rect", { class: "bar", x: 118, y: i * row + 6, width: Math.max(2, (W - 190) * s / most), height: row - 8, rx: 3 }),
      svg("text", { class: "tick", x: 124 + (W - 190) * s / most, y: i * row + 19 }, short(s)),
    ]));
}
