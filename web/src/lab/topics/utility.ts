// What a mechanism is worth to a user with a prior and a gain.

import { h } from "../../dom";
import { GAINS, MECHANISMS, PRIORS, utility } from "../math/channel";
import { choice, facts, figure, powers, rounded, slider, topic } from "../page";
import { HALF, heat, plot } from "../plot";

export const names = (of: Record<string, unknown>): Record<string, string> => Object.fromEntries(Object.keys(of).map(k => [k, k]));

export default topic({
  title: "Utility",
  lead: "A user has a belief about the answer before, sees the noisy answer, and makes the best guess. What is the guess worth on average? That is the utility of the mechanism, for this user.",
  controls: {
    mechanism: choice("Mechanism", names(MECHANISMS), "geometric"), n: slider("Answers, from 0 to", 2, 11, 1, 7),
    epsilon: powers("epsilon", -1, 0.6, 0), prior: choice("The user's belief", names(PRIORS), "uniform"),
    gain: choice("What a guess gains", { identity: "1 if it is right", distance: "less with distance", squared: "less with squared distance" }, "distance"),
  },
  draw: (s, stage) => {
    const n = s.n + 1, epsilon = Number(rounded(10 ** s.epsilon)), prior = PRIORS[s.prior](n), gain = GAINS[s.gain](n);
    const c = MECHANISMS[s.mechanism](n, epsilon), nothing = utility(prior.map(() => [1]), prior, gain), es = Array.from({ length: 30 }, (_, i) => 0.1 * (i + 1));
    stage.append(
      facts(["utility", utility(c, prior, gain).toFixed(4)], ["knowing the truth", gain(0, 0).toFixed(0)],
        ["knowing nothing", nothing.toFixed(4)]),
      h("div", { class: "pair" },
        figure("From the truth (row) to the answer (column)", heat(c, `Matrix of the ${s.mechanism} mechanism`, "truth", "answer")),
        figure("Utility against epsilon", plot({
          label: "Utility of each mechanism against epsilon", width: HALF, height: 300, x: { label: "epsilon", min: 0, max: 3 }, y: { label: "utility", min: nothing, max: gain(0, 0) },
          series: Object.entries(MECHANISMS).map(([name, m]) => ({ kind: "line" as const, name, points: es.map(e => [e, utility(m(n, e), prior, gain)]) })),
          marks: [{ x: Math.min(3, epsilon), label: `epsilon ${epsilon}` }],
        }))));
  },
  notice: [
    "k-randomized response treats all wrong answers alike. That is good when only the exact answer counts, and bad when near misses are fine.",
    "Where the answers stand in a line, the exponential mechanism does not use all of its epsilon: it could be sharper.",
    "A user who believes little in the extremes profits more from noise that stays close.",
  ],
  command: s => `sotto utility --n ${s.n + 1} --epsilon ${rounded(10 ** s.epsilon)} --mechanism ${s.mechanism} --prior ${s.prior} --gain ${s.gain}`,
});
