// Composition: what k answers cost together, by every theorem.

import { Bound, post } from "../../api";
import { h } from "../../dom";
import { advanced, basic, concentrated, gaussian, gaussianConcentrated, optimalPure, renyi } from "../math/compose";
import { choice, facts, figure, powers, rounded, slider, topic } from "../page";
import { Series, plot } from "../plot";

type Law = (k: number) => number;

export function theorems(kind: string, x: number, delta: number): Record<string, Law> {
  if (kind === "gaussian")
    return { "concentrated (zCDP)": k => gaussianConcentrated(k, x, delta), exact: k => gaussian(k, x, delta) };
  return {
    "basic: they add up": k => basic(k, x), "advanced (2010)": k => advanced(k, x, delta),
    "optimal for any mechanism (2015)": k => optimalPure(k, x, delta), "concentrated (zCDP) of Laplace": k => concentrated(k, x, delta),
    "Renyi of Laplace": k => renyi(k, x, delta),
  };
}

export const workload = (kind: string, x: number, k: number): string =>
  kind === "gaussian" ? `gaussian(sigma=${x})*${k}` : `laplace(epsilon=${x})*${k}`;

/** The program's exact accountant, if somebody is logged in. */
async function exact(kind: string, x: number, delta: number, counts: number[]): Promise<number[][]> {
  const ask = async (k: number): Promise<number[]> => {
    const { epsilon } = await post<{ epsilon: Bound[] }>("account", { events: workload(kind, x, k), delta });
    return [k, epsilon.find(b => b.method === "pld")?.upper ?? NaN];
  };
  return Promise.all(counts.map(ask)).catch(() => []);
}

export default topic({
  title: "Composition",
  lead: "Every answer costs. How much do k of them cost together? It depends on the theorem you use: all are correct, but some give smaller totals.",
  slow: true,
  controls: {
    kind: choice("Noise", { laplace: "Laplace", gaussian: "Gaussian" }, "laplace"),
    size: powers("epsilon of one answer (Gaussian: 1 / sigma)", -2, 0, -1), count: powers("Answers", 0.3, 3, 2, x => String(Math.round(x))),
    delta: slider("delta", -12, -3, 1, -6, v => `1e${v}`),
  },
  draw: async (s, stage) => {
    const unit = 10 ** s.size, x = Number(rounded(s.kind === "gaussian" ? 1 / unit : unit)), delta = 10 ** s.delta, most = Math.round(10 ** s.count);
    const ks = [...new Set(Array.from({ length: 40 }, (_, i) => Math.max(1, Math.round(most * i / 39))))];
    const laws = theorems(s.kind, x, delta);
    const series: Series[] = Object.entries(laws).map(([name, law]) => ({ kind: "line", name, points: ks.map(k => [k, law(k)]) }));
    const known = s.kind === "laplace" ? await exact(s.kind, x, delta, [...new Set([1, 0.25, 0.5, 0.75].map(f => Math.max(1, Math.round(f * most))))]) : [];
    if (known.length > 0) series.push({ kind: "dots", name: "exact for Laplace (this server's accountant)", tone: 5, points: known });
    const values = Object.entries(laws).map(([name, law]) => [name, law(most)] as [string, number]).sort((a, b) => a[1] - b[1]);
    stage.append(
      facts(["answers", String(most)], ["best theorem here", values[0][0].replace(/ \(.*/, "")], ["total epsilon", values[0][1].toFixed(3)],
        ["plain sum", s.kind === "laplace" ? basic(most, x).toFixed(2) : "none"]),
      figure(`Total epsilon at delta 1e${s.delta}`, plot({ label: "Total epsilon against the number of answers", height: 380, x: { label: "answers" }, y: { label: "total epsilon", min: 0, max: Math.min(3 * values[0][1], Math.max(...values.map(v => v[1]))) }, series })),
      s.kind === "laplace" && known.length === 0 ? h("p", { class: "hint" }, "Log in, and the server's accountant adds the exact values.") : "");
  },
  notice: [
    "For few answers the plain sum is best. For many, the total grows with the square root of their number instead.",
    "“Advanced” is beaten everywhere by the optimal theorem, which is the last word if only epsilon of each answer is known.",
    "Knowing that the noise is Laplace helps further: the exact points lie below every theorem about epsilon alone.",
  ],
  command: s => {
    const unit = 10 ** s.size, x = rounded(s.kind === "gaussian" ? 1 / unit : unit);
    return `sotto account '${workload(s.kind, Number(x), Math.round(10 ** s.count))}' --delta 1e${s.delta}`;
  },
});
