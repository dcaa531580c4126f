// Two-sided geometric noise: Laplace on whole numbers.

import { geometricChance, geometricError, laplaceDensity } from "../math/laws";
import { dice } from "../math/random";
import { facts, figure, powers, rounded, topic } from "../page";
import { curve, plot } from "../plot";

export default topic({
  title: "Geometric noise",
  lead: "Counts are whole numbers, so their noise should be too: P(z) is proportional to alpha to the power |z|, with alpha = e^-epsilon. It can be drawn without any rounding.",
  controls: { epsilon: powers("epsilon", -1, 0.5, -0.3), draws: powers("Draws", 1, 5, 3, x => String(Math.round(x))) },
  again: "Draw again",
  draw: (s, stage, seed) => {
    const epsilon = Number(rounded(10 ** s.epsilon)), alpha = Math.exp(-epsilon), n = Math.round(10 ** s.draws), d = dice(seed);
    const reach = Math.min(40, Math.max(6, Math.ceil(4 / epsilon)));
    const law = Array.from({ length: 2 * reach + 1 }, (_, i) => [i - reach, geometricChance(i - reach, alpha)]);
    const seen = law.map(([z]) => [z, 0]);
    for (let i = 0; i < n; i++) { const z = d.geometric(alpha) + reach; if (seen[z]) seen[z][1] += 1 / n; }
    stage.append(
      facts(["alpha", alpha.toFixed(4)], ["P(no noise at all)", geometricChance(0, alpha).toFixed(3)],
        ["error in 95 % of answers", `± ${geometricError(alpha, 0.95)}`], ["variance", rounded(2 * alpha / (1 - alpha) ** 2)]),
      figure("Chance of each whole number", plot({
        label: "Geometric law, draws from it, and the Laplace density", x: { label: "noise", min: -reach - 0.6, max: reach + 0.6 }, y: { label: "probability", min: 0 },
        series: [{ kind: "bars", name: "drawn", tone: 4, points: seen }, { kind: "dots", name: "geometric law", tone: 0, points: law },
          { kind: "line", name: "Laplace density", tone: 1, points: curve(-reach, reach, x => laplaceDensity(x, 1 / epsilon), 400) }],
      })));
  },
  notice: [
    "Each step away from zero multiplies the chance by the same alpha. That is why shifting the whole law by one changes no chance by more than e^epsilon.",
    "For a small epsilon it looks like Laplace; for a large one the true count comes out unchanged most of the time.",
    "More draws: the bars settle on the dots. The tests of the program check the exact distribution instead, over all sequences of coin tosses.",
  ],
  command: s => `sotto noise geometric --epsilon ${rounded(10 ** s.epsilon)} 100`,
});
