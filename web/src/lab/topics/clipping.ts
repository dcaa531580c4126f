// Clipping a sum: less noise against more bias.

import { dice } from "../math/random";
import { facts, figure, powers, rounded, topic } from "../page";
import { plot } from "../plot";

/** Made-up incomes: most are moderate, a few are very large. */
export function incomes(n: number, seed: number): number[] {
  const d = dice(seed);
  return Array.from({ length: n }, () => Math.round(30000 * Math.exp(0.7 * d.normal())));
}

/** Bias and noise of a mean clipped at `bound`, for n people whose number is public. */
export function clippedError(values: number[], bound: number, epsilon: number): { bias: number; noise: number; total: number } {
  const bias = values.reduce((sum, v) => sum + Math.max(0, v - bound), 0) / values.length;
  const noise = Math.SQRT2 * bound / epsilon / values.length;
  return { bias, noise, total: Math.hypot(bias, noise) };
}

export default topic({
  title: "Clipping and sensitivity",
  lead: "The noise of a sum must hide the largest income that anybody could have. Clipping decides what that is: every income above the bound counts as the bound.",
  controls: {
    bound: powers("Clip at", 4, 6, 5, x => Math.round(x).toLocaleString("en")),
    epsilon: powers("epsilon", -1.5, 0.5, -0.5), people: powers("People", 1.5, 4, 2.5, x => String(Math.round(x))),
  },
  again: "Other people",
  draw: (s, stage, seed) => {
    const n = Math.round(10 ** s.people), values = incomes(n, seed), bound = Math.round(10 ** s.bound), epsilon = Number(rounded(10 ** s.epsilon));
    const mean = values.reduce((a, b) => a + b, 0) / n, at = clippedError(values, bound, epsilon);
    const bounds = Array.from({ length: 80 }, (_, i) => 10 ** (4 + i / 39.5));
    const over = (pick: (e: ReturnType<typeof clippedError>) => number): number[][] => bounds.map(b => [b, pick(clippedError(values, b, epsilon))]);
    stage.append(
      facts(["true mean", Math.round(mean).toLocaleString("en")], ["clipping loses", Math.round(at.bias).toLocaleString("en")],
        ["noise (one sd)", Math.round(at.noise).toLocaleString("en")], ["people above the bound", String(values.filter(v => v > bound).length)]),
      figure("Error of the mean income", plot({
        label: "Bias, noise and total error against the bound", x: { label: "bound", log: true, min: 1e4, max: 1e6 }, y: { label: "error", min: 0, max: mean },
        series: [{ kind: "line", name: "what clipping loses", tone: 1, points: over(e => e.bias) }, { kind: "line", name: "noise", tone: 2, points: over(e => e.noise) },
          { kind: "line", name: "both", tone: 0, points: over(e => e.total) }],
        marks: [{ x: bound, label: `clip at ${bound.toLocaleString("en")}` }],
      })));
  },
  notice: [
    "A bound that is too low loses the rich; one that is too high drowns everybody in noise. The best bound lies in between.",
    "More people: the noise matters less, and the best bound moves up.",
    "The bound must be chosen without looking at the data, or with a private search (sotto bounds).",
    "Without any bound no amount of noise is enough: the sensitivity is infinite.",
  ],
  command: s => `sotto sensitivity sum --range 0 ${Math.round(10 ** s.bound)} --epsilon ${rounded(10 ** s.epsilon)} --explain`,
});
