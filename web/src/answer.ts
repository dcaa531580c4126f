// An answer: a table with intervals, charts with whiskers, and ways to take it along.

import { Answer, Column, Me } from "./api";
import { chart, isBroad } from "./chart";
import { Question, asCurl, asPsql, asPython } from "./copy";
import { csv } from "./csv";
import { download, h } from "./dom";
import { beside, key, left, margin, plain, short } from "./format";

const MOST_ROWS = 500;
const BIASED = "The limits drop part of what this measures, and the interval does not cover that.";

const isNumber = (c: Column): boolean => c.type === "integer" || c.type === "number";

function cell(a: Answer, r: number, k: number): HTMLElement {
  const v = a.rows[r][k], interval = a.intervals[r][k];
  if (!interval || typeof v !== "number")
    return h("td", { class: isNumber(a.columns[k]) ? "number" : "" }, v === null ? h("span", { class: "null" }, "NULL") : key(v));
  const error = Math.max(Number(interval[1]) - v, v - Number(interval[0]));
  return h("td", { class: "number", title: `95 %: ${plain(interval[0])} to ${plain(interval[1])}` },
    beside(v, error), h("small", { class: "margin" }, ` ± ${margin(error)}`));
}

function table(a: Answer): HTMLElement {
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Answer as a table" }, h("table", {},
    h("thead", {}, h("tr", {}, ...a.columns.map(c => h("th", { scope: "col", class: isNumber(c) ? "number" : "" }, c.name, c.biased && h("b", { class: "star", title: BIASED }, " *"))))),
    h("tbody", {}, ...a.rows.slice(0, MOST_ROWS).map((_, r) => h("tr", {}, ...a.columns.map((__, k) => cell(a, r, k)))))));
}

function tool(name: string, act: () => void): HTMLElement {
  return h("button", { type: "button", click: act }, name);
}

/** Copies, and says so on the button. */
function copier(name: string, text: () => string): HTMLElement {
  const b = h("button", {
    type: "button",
    click: async () => {
      const copied = await navigator.clipboard?.writeText(text()).then(() => true, () => false) ?? false;
      b.textContent = copied ? "Copied" : "The browser does not let this page copy";
      window.setTimeout(() => { b.textContent = `Copy as ${name}`; }, 1500);
    },
  }, `Copy as ${name}`);
  return b;
}

export function answerView(a: Answer, q: Question, me: Me): HTMLElement {
  const noisy = a.columns.map((c, i) => (c.noisy && isNumber(c) ? i : -1)).filter(i => i >= 0);
  const pictures = a.rows.length > 1 ? noisy.map(i => chart(a, i)) : [];
  const figures = pictures.map((p, i) => p && h("figure", { class: isBroad(a) ? "broad" : "" },
    h("figcaption", {}, a.columns[noisy[i]].name, " with 95 % intervals"), p));
  const rows = h("div", {}, table(a),
    a.rows.length > MOST_ROWS && h("p", { class: "hint" }, `${a.rows.length - MOST_ROWS} more rows are in the download.`),
    a.columns.some(c => c.biased) && h("p", { class: "hint" }, h("b", { class: "star" }, "* "), BIASED));
  const server = { origin: location.origin, host: location.hostname, person: me.name, ...me.postgresql };
  return h("div", {},
    h("pre", { class: "asked", tabindex: 0, "aria-label": "The question" }, q.sql.trim()),
    h("p", { class: "cost" }, a.repeated ? "The same answer as before, free." :
      a.cost.epsilon === 0 ? "Exact and free." : `Cost epsilon ${short(a.cost.epsilon, 6)}.`, ` ${left(a.left.epsilon)} is left.`),
    h("div", { class: "result" }, ...(isBroad(a) ? [...figures, rows] : [rows, ...figures])),
    a.notes.length > 0 && h("ul", { class: "notes" }, ...a.notes.map(n => h("li", {}, n))),
    h("div", { class: "tools" },
      tool("Download CSV", () => download("answer.csv", "text/csv", csv(a))),
      tool("Download JSON", () => download("answer.json", "application/json", JSON.stringify(a, null, 1))),
      pictures[0] && tool("Download SVG", () => download("answer.svg", "image/svg+xml", standalone(pictures[0] as SVGElement))),
      me.postgresql && copier("psql", () => asPsql(q, server)),
      copier("Python", () => asPython(q, server)), copier("curl", () => asCurl(q, server))));
}

/** The picture with the colours of this page inside, for a file of its own. */
function standalone(picture: SVGElement): string {
  const copy = picture.cloneNode(true) as SVGElement;
  const from = [...picture.querySelectorAll("*")], to = [...copy.querySelectorAll("*")];
  to.forEach((e, i) => {
    const style = getComputedStyle(from[i]);
    for (const name of ["fill", "stroke", "stroke-width", "opacity", "font-family", "font-size", "text-anchor"])
      e.setAttribute(name, style.getPropertyValue(name));
    e.removeAttribute("class");
  });
  copy.removeAttribute("class");
  return copy.outerHTML;
}
