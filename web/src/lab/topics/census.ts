// A small census: noise at every level, then tables that add up.

import { h } from "../../dom";
import { Node, leastSquares, node, topDown } from "../math/census";
import { dice } from "../math/random";
import { choice, facts, figure, powers, rounded, slider, topic } from "../page";
import { plot } from "../plot";

/** A country of three counties with three towns each, some of them tiny. */
export function country(): Node {
  const counties: [string, [string, number][]][] = [
    ["North", [["Alm", 812], ["Birk", 96], ["Croft", 5]]], ["Middle", [["Dale", 1540], ["Elm", 310], ["Ford", 42]]], ["South", [["Glen", 230], ["Holm", 11], ["Isle", 0]]],
  ];
  const level = counties.map(([name, towns]) => node(name, towns.reduce((s, t) => s + t[1], 0), towns.map(([t, c]) => node(t, c))));
  return node("country", level.reduce((s, c) => s + c.truth, 0), level);
}

/** Shares of epsilon for country, counties and towns; noise is geometric, its variance exact. */
export function measure(root: Node, epsilon: number, shares: number[], seed: number): void {
  const d = dice(seed);
  const visit = (n: Node, depth: number): void => {
    const alpha = Math.exp(-epsilon * shares[depth]);
    n.value = n.truth + d.geometric(alpha);
    n.variance = 2 * alpha / (1 - alpha) ** 2;
    n.children.forEach(c => visit(c, depth + 1));
  };
  visit(root, 0);
}

export const SHARES: Record<string, number[]> = { even: [1 / 3, 1 / 3, 1 / 3], top: [0.6, 0.25, 0.15], bottom: [0.1, 0.2, 0.7] };

const towns = (root: Node): Node[] => root.children.flatMap(c => c.children);
const wrong = (nodes: Node[], pick: (n: Node) => number): string => (nodes.reduce((s, n) => s + Math.abs(pick(n) - n.truth), 0) / nodes.length).toFixed(1);

function table(root: Node): HTMLElement {
  const row = (n: Node, depth: number): HTMLElement[] => [h("tr", {}, h("td", { class: `depth${depth}` }, n.name),
    ...[n.truth, n.value, n.estimate.toFixed(1), n.whole].map(v => h("td", { class: "number" }, String(v)))), ...n.children.flatMap(c => row(c, depth + 1))];
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Counts" }, h("table", {},
    h("thead", {}, h("tr", {}, ...["Place", "Truth", "Noisy", "Least squares", "Published"].map((t, i) => h("th", { scope: "col", class: i > 0 ? "number" : "" }, t)))),
    h("tbody", {}, ...row(root, 0))));
}

export default topic({
  title: "A small census",
  lead: "Every town, every county and the country are counted, each with its own noise. As a result the tables do not add up. Least squares reconciles them, and a second step from the country down to the towns makes whole numbers that are not negative.",
  controls: {
    epsilon: powers("epsilon of the whole census", -1.3, 0.5, -0.5), shares: choice("Who gets most of epsilon", { even: "all levels alike", top: "the country", bottom: "the towns" }, "even"),
    fixed: choice("The country's total is", { noisy: "noisy as well", known: "public, by law" }, "noisy"), runs: slider("Censuses in the comparison", 50, 400, 50, 200),
  },
  again: "Count again",
  draw: (s, stage, seed) => {
    const epsilon = Number(rounded(10 ** s.epsilon));
    const run = (k: number): Node => {
      const root = country();
      measure(root, epsilon, SHARES[s.shares], k);
      if (s.fixed === "known") { root.value = root.truth; root.variance = 1e-9; }
      leastSquares(root);
      topDown(root, s.fixed === "known" ? root.truth : Math.max(0, Math.round(root.estimate)));
      return root;
    };
    const shown = run(seed), all = Array.from({ length: s.runs }, (_, i) => run(1000 * seed + i));
    const rms = (nodes: (r: Node) => Node[], pick: (n: Node) => number): number => {
      const errors = all.flatMap(r => nodes(r).map(n => (pick(n) - n.truth) ** 2));
      return Math.sqrt(errors.reduce((a, b) => a + b, 0) / errors.length);
    };
    const levels: ((r: Node) => Node[])[] = [r => [r], r => r.children, towns];
    const bars = (pick: (n: Node) => number): number[][] => levels.map((l, i) => [i, rms(l, pick)]);
    stage.append(
      facts(["epsilon", String(epsilon)], ["towns off by, noisy", wrong(towns(shown), n => n.value)], ["towns off by, published", wrong(towns(shown), n => n.whole)],
        ["negative towns", String(towns(shown).filter(n => n.value < 0).length)]),
      figure(`Typical error over ${s.runs} censuses`, plot({
        label: "Root mean square error at each level", height: 230, x: { label: "", names: ["country", "counties", "towns"] }, y: { label: "error", min: 0 },
        series: [{ kind: "bars", name: "noisy", tone: 4, width: 0.26, shift: -0.28, points: bars(n => n.value) },
          { kind: "bars", name: "least squares", tone: 1, width: 0.26, points: bars(n => n.estimate) },
          { kind: "bars", name: "published", tone: 0, width: 0.26, shift: 0.28, points: bars(n => n.whole) }],
      })), table(shown));
  },
  notice: [
    "Least squares makes every level better at once: counties borrow from towns, and towns from counties.",
    "Published numbers add up, are whole and never negative. Tiny towns gain accuracy, but get a small upward bias.",
    "Giving the country most of epsilon helps it a little and hurts the towns a lot.",
  ],
  command: () => `sotto release --generate nation --counties 1
sotto release nation/plan.yaml --check`,
});
