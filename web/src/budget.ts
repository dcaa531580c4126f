// Budget: what is left as a gauge, spending over time, and the history.

import { Budget, Entry, get } from "./api";
import { h, replace, svg } from "./dom";
import { day, left, short } from "./format";

export async function budgetPage(root: HTMLElement): Promise<void> {
  const [b, history] = await Promise.all([get<Budget>("budget"), get<{ entries: Entry[]; more: boolean }>("history")]);
  const share = b.budget.epsilon > 0 ? Math.min(1, b.spent.epsilon / b.budget.epsilon) : 0;
  replace(root, h("h1", {}, "Budget"),
    h("div", { class: "cards" },
      h("div", { class: "card" }, h("h2", {}, "Left"), h("p", { class: "large" }, left(b.left.epsilon)),
        h("p", { class: "hint" }, `epsilon, of ${short(b.budget.epsilon, 6)}`), gauge(share)),
      h("div", { class: "card" }, h("h2", {}, "Left for private keys"), h("p", { class: "large" }, short(b.left.delta, 3)),
        h("p", { class: "hint" }, `delta, of ${short(b.budget.delta, 3)}`)),
      h("div", { class: "card" }, h("h2", {}, "Releases"), h("p", { class: "large" }, String(b.releases)),
        h("p", { class: "hint" }, b.renews ? `the budget is renewed on ${day(b.renews)}` : "the budget is not renewed"))),
    history.entries.length > 1 && h("figure", {}, h("figcaption", {}, "Spent so far"), spending(history.entries)),
    h("h2", {}, "History"),
    history.entries.length === 0 ? h("p", { class: "hint" }, "Nothing was asked yet.") :
      h("div", { class: "scroll" }, h("table", {},
        h("thead", {}, h("tr", {}, ...["", "when", "who", "epsilon", "delta", "question"].map(t => h("th", { scope: "col" }, t)))),
        h("tbody", {}, ...history.entries.slice().reverse().map(e => h("tr", {},
          h("td", { class: "number" }, String(e.number)), h("td", {}, day(e.time)), h("td", {}, e.analyst),
          h("td", { class: "number" }, short(e.cost.epsilon, 6)), h("td", { class: "number" }, short(e.cost.delta, 3)),
          h("td", { class: "code" }, e.query, !e.answered && h("em", {}, " charged, but not answered"))))))));
}

function gauge(share: number): SVGElement {
  return svg("svg", { viewBox: "0 0 200 12", class: "gauge", role: "img", "aria-label": `${Math.round(100 * share)} % spent` },
    svg("rect", { class: "track", width: 200, height: 12, rx: 6 }),
    svg("rect", { class: share > 0.9 ? "used high" : "used", width: 200 * share, height: 12, rx: 6 }));
}

function spending(entries: Entry[]): SVGElement {
  const W = 720, H = 160, first = entries[0].time, span = Math.max(1, entries[entries.length - 1].time - first);
  let sum = 0;
  const steps = entries.map(e => ({ t: e.time, s: (sum += e.cost.epsilon) }));
  const x = (t: number): number => 8 + (W - 90) * (t - first) / span, y = (s: number): number => H - 12 - (H - 30) * s / (sum || 1);
  const path = steps.map((p, i) => (i === 0 ? `M${x(p.t)} ${y(0)}V${y(p.s)}` : `H${x(p.t)}V${y(p.s)}`)).join("");
  return svg("svg", { viewBox: `0 0 ${W} ${H}`, class: "chart", role: "img", "aria-label": `epsilon ${short(sum)} spent` },
    svg("line", { class: "grid", x1: 8, x2: W - 80, y1: y(0), y2: y(0) }),
    svg("path", { class: "line", d: path }),
    svg("text", { class: "tick", x: W - 76, y: y(sum) + 4 }, short(sum)));
}
