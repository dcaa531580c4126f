// Laplace noise on two neighbouring datasets.

import { laplaceDensity, laplaceError } from "../math/laws";
import { dice } from "../math/random";
import { facts, figure, powers, rounded, slider, topic } from "../page";
import { curve, plot } from "../plot";

export default topic({
  title: "Laplace noise",
  lead: "The count is 100 with you and 99 without you. Both get Laplace noise. Whoever sees the noisy count has to guess which it was.",
  controls: {
    epsilon: powers("epsilon", -1, 0.6, 0),
    sensitivity: slider("How far one person moves the answer", 1, 5, 1, 1),
    seen: slider("The noisy answer that was seen", 85, 115, 0.5, 101),
    confidence: slider("Confidence of the error", 0.5, 0.99, 0.01, 0.95),
  },
  again: "Draw 200 answers",
  draw: (s, stage, seed) => {
    const epsilon = 10 ** s.epsilon, scale = s.sensitivity / epsilon, d = dice(seed);
    const density = (centre: number) => (x: number): number => laplaceDensity(x - centre, scale);
    const ratio = density(100)(s.seen) / density(100 - s.sensitivity)(s.seen);
    const bins = Array.from({ length: 41 }, (_, i) => [80 + i, 0]);
    for (let i = 0; i < 200; i++) { const k = Math.round(100 + d.laplace(scale)) - 80; if (bins[k]) bins[k][1] += 1 / 200; }
    stage.append(
      facts(["scale of the noise", rounded(scale)], [`error in ${Math.round(100 * s.confidence)} % of answers`, `± ${laplaceError(scale, s.confidence).toFixed(1)}`],
        ["ratio at what was seen", ratio.toFixed(2)], ["never beyond", `e^epsilon = ${Math.exp(epsilon).toFixed(2)}`]),
      figure("Where the noisy answer falls", plot({
        label: "Two Laplace densities, with you and without you",
        x: { label: "noisy count", min: 80, max: 120 }, y: { label: "density", min: 0 },
        series: [{ kind: "bars", name: "200 draws", tone: 4, width: 0.9, points: bins },
          { kind: "line", name: "with you", tone: 0, points: curve(80, 120, density(100), 400) },
          { kind: "line", name: "without you", tone: 1, points: curve(80, 120, density(100 - s.sensitivity), 400) }],
        marks: [{ x: s.seen, label: `seen ${s.seen}` }],
      })));
  },
  notice: [
    "Wherever you put the seen answer, one curve is never more than e^epsilon times as high as the other. That is the whole promise.",
    "Outside the two tips the ratio is exactly e^epsilon: Laplace noise wastes nothing there.",
    "Twice the sensitivity needs twice the noise for the same epsilon.",
    "The error does not depend on how many people were counted: beside a large count it is small.",
  ],
  command: s => `sotto noise laplace --epsilon ${rounded(10 ** s.epsilon)} --sensitivity ${s.sensitivity} --confidence ${s.confidence} 100`,
});
