// The best mechanism for one user: the geometric one, and a best guess after it.

import { h } from "../../dom";
import { GAINS, MECHANISMS, PRIORS, bestGuesses, epsilonOf, optimal, utility } from "../math/channel";
import { choice, facts, figure, powers, rounded, slider, topic } from "../page";
import { heat } from "../plot";
import { names } from "./utility";

export default topic({
  title: "Optimal mechanisms",
  lead: "Of all epsilon-private mechanisms on the answers 0 to n, which is best for this user? A theorem says: always the geometric one, followed by the user's own best guess.",
  controls: {
    n: slider("Answers, from 0 to", 2, 11, 1, 7), epsilon: powers("epsilon", -1, 0.6, -0.2), prior: choice("The user's belief", names(PRIORS), "triangular"),
    gain: choice("What a guess gains", { identity: "1 if it is right", distance: "less with distance", squared: "less with squared distance" }, "squared"),
  },
  draw: (s, stage) => {
    const n = s.n + 1, epsilon = Number(rounded(10 ** s.epsilon)), prior = PRIORS[s.prior](n), gain = GAINS[s.gain](n);
    const geometric = MECHANISMS.geometric(n, epsilon), best = optimal(n, epsilon, prior, gain), guesses = bestGuesses(geometric, prior, gain);
    const others = Object.entries(MECHANISMS).filter(([name]) => name !== "geometric").map(([name, m]) => [name, utility(m(n, epsilon), prior, gain).toFixed(4)] as [string, string]);
    stage.append(
      facts(["best utility", utility(best, prior, gain).toFixed(4)], ...others, ["epsilon used", epsilonOf(best).toFixed(3)]),
      h("div", { class: "pair" },
        figure("Geometric: for everybody", heat(geometric, "Matrix of the geometric mechanism", "truth", "answer")),
        figure("After this user's best guess", heat(best, "Matrix of the optimal mechanism", "truth", "guess"))),
      h("p", {}, "This user reads ", h("b", {}, guesses.map((g, y) => (g === y ? "" : `${y} as ${g}`)).filter(t => t !== "").join(", ") || "every answer as it is"), "."));
  },
  notice: [
    "The owner needs to know nothing about users: one geometric answer serves all of them, each with another best guess.",
    "At a small epsilon columns go empty: answers at the ends are read as something more believable.",
    "On a cycle or between categories this is no longer true; there a linear program is solved (sotto optimal --graph cycle).",
  ],
  command: s => `sotto optimal --n ${s.n + 1} --epsilon ${rounded(10 ** s.epsilon)} --prior ${s.prior} --gain ${s.gain}`,
});
