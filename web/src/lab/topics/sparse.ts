// Sparse vector: the right version and the broken twins.

import { dice } from "../math/random";
import { VARIANTS, loss } from "../math/sparse";
import { choice, facts, figure, powers, rounded, slider, topic } from "../page";
import { plot } from "../plot";

const KINDS = ["right", "thrifty", "endless"];
const OPTIONS = Object.fromEntries(Object.entries(VARIANTS).map(([k, v]) => [k, v.name]));

export default topic({
  title: "Sparse vector",
  lead: "A stream of counts is compared with a threshold, and only the few that are above are reported. Done right, the many noes cost nothing. Several published versions got it wrong; here they are caught.",
  slow: true,
  controls: {
    kind: choice("Version", OPTIONS, "right"), epsilon: powers("epsilon that it claims", -1, 0.3, 0),
    yeses: slider("Yeses allowed", 1, 8, 1, 3), threshold: slider("Threshold", 20, 80, 1, 50),
  },
  again: "Run the stream again",
  draw: (s, stage, seed) => {
    const epsilon = Number(rounded(10 ** s.epsilon)), v = VARIANTS[s.kind], d = dice(seed), world = dice(7);
    const counts = Array.from({ length: 60 }, (_, i) => [i + 1, Math.max(0, Math.round(30 + 25 * Math.sin(i / 6) + 8 * world.normal()))]);
    const line = s.threshold + d.laplace(v.threshold(epsilon, s.yeses)), told: number[][] = [];
    for (const [i, count] of counts) {
      if (v.stops && told.length === s.yeses) break;
      const scale = v.query(epsilon, s.yeses);
      if (count + (scale > 0 ? d.laplace(scale) : 0) >= line) told.push([i, count]);
    }
    const ms = [1, 2, 3, 4, 5, 6, 7, 8], proven = loss(s.kind, epsilon, s.yeses);
    stage.append(
      facts(["claimed epsilon", String(epsilon)], ["proven loss", Number.isFinite(proven) ? proven.toFixed(2) : "unbounded"],
        ["verdict", proven > epsilon + 1e-6 ? "not private as claimed" : "no leak found"]),
      figure("The stream: counts, and those it told", plot({
        label: "Counts, the threshold, and the answers", height: 250, x: { label: "query" }, y: { label: "count" },
        series: [{ kind: "bars", name: "count", tone: 4, points: counts }, { kind: "dots", name: "told: above", tone: 1, points: told }],
        marks: [{ y: s.threshold, label: "threshold" }],
      })),
      figure("Loss that m noes and m yeses prove about one person", plot({
        label: "Privacy loss against the number of yeses", height: 250, x: { label: "m", min: 1, max: 8 }, y: { label: "loss / claimed epsilon", min: 0, max: 8 },
        series: KINDS.map((k, i) => ({ kind: "line" as const, name: VARIANTS[k].name, tone: i, points: ms.map(m => [m, loss(k, epsilon, m) / epsilon]) })),
        marks: [{ y: 1, label: "what was claimed" }],
      })));
  },
  notice: [
    "The right version stays below the claim however many questions come.",
    "Noise that does not grow with the number of yeses leaks more with every yes.",
    "Without an end the loss grows without limit. Without noise on the queries one answer can be impossible for the neighbour: the loss is unbounded.",
    "The proof is a number: the chance of one and the same output in two neighbouring worlds, integrated over the threshold's noise.",
  ],
  command: s => `sotto noise sparse --epsilon ${rounded(10 ** s.epsilon)} --threshold ${s.threshold} --positives ${s.yeses} 31 46 58 22 71`,
});
