// The differencing attack: all, and all but one.

import { dice } from "../math/random";
import { choice, facts, figure, powers, rounded, slider, topic } from "../page";
import { plot } from "../plot";

/** P(|difference of two Laplace noises| is such that the guess is right), noise of scale 1/epsilon. */
export function rightGuess(epsilon: number): number {
  const t = 0.5 * epsilon; // the guess is wrong if the noise's difference passes half a person
  return 1 - Math.exp(-t) * (2 + t) / 4;
}

export default topic({
  title: "Differencing",
  lead: "“How many people in the village are ill?” “How many, not counting the baker?” Each question is harmless. Their difference is the baker's diagnosis.",
  controls: {
    noise: choice("The database", { none: "adds no noise", laplace: "adds Laplace noise" }, "none"),
    epsilon: powers("epsilon of each answer", -1.5, 1, -0.5), ill: choice("The baker is", { yes: "ill", no: "well" }, "yes"),
    villages: slider("Villages attacked", 100, 2000, 100, 500),
  },
  again: "Attack again",
  draw: (s, stage, seed) => {
    const epsilon = Number(rounded(10 ** s.epsilon)), d = dice(seed), baker = s.ill === "yes" ? 1 : 0;
    const noise = (): number => (s.noise === "none" ? 0 : d.laplace(1 / epsilon));
    let right = 0;
    const differences = Array.from({ length: s.villages }, () => {
      const others = 20 + d.below(30), all = others + baker + noise(), without = others + noise(), x = all - without;
      right += (x > 0.5 ? 1 : 0) === baker ? 1 : 0;
      return x;
    });
    const reach = 12, bins = Array.from({ length: 2 * reach + 1 }, (_, i) => [i - reach, 0]);
    differences.forEach(x => { const b = bins[Math.round(x) + reach]; if (b) b[1]++; });
    stage.append(
      facts(["attacker is right in", `${(100 * right / s.villages).toFixed(0)} %`], ["in theory", s.noise === "none" ? "100 %" : `${(100 * rightGuess(epsilon)).toFixed(1)} %`],
        ["never more than", s.noise === "none" ? "no limit" : `${(100 / (1 + Math.exp(-2 * epsilon))).toFixed(1)} %`], ["epsilon spent", s.noise === "none" ? "unbounded" : rounded(2 * epsilon)]),
      figure("Difference of the two answers, over all villages", plot({
        label: "Histogram of the differences", x: { label: "first answer minus second" }, y: { label: "villages", min: 0 },
        series: [{ kind: "bars", points: bins }], marks: [{ x: 0.5, label: "right of here: “ill”" }],
      })));
  },
  notice: [
    "Without noise the attack never fails, and no rule about small groups stops it: both groups are large.",
    "With noise the attacker is barely better than a coin, and a theorem says how much better at most: 1 / (1 + e^(-2 epsilon)), because two answers were bought.",
    "At a large epsilon the protection fades. epsilon is a dial, not a switch.",
  ],
  command: s => `sotto noise laplace --epsilon ${rounded(10 ** s.epsilon)} --sensitivity 1 --count 2 42`,
});
