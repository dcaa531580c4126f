// The truncated geometric mechanism as a matrix.

import { h } from "../../dom";
import { epsilonOf } from "../math/channel";
import { truncatedGeometric } from "../math/laws";
import { dice } from "../math/random";
import { facts, figure, powers, rounded, slider, topic } from "../page";
import { HALF, heat, plot } from "../plot";

export default topic({
  title: "Truncated noise",
  lead: "A class of students is asked how many passed. The answer lies between 0 and n, and everybody knows it, so a noisy answer outside is put on the nearest end. That costs no privacy.",
  controls: { n: slider("Students", 2, 15, 1, 7), epsilon: powers("epsilon", -1, 0.5, -0.3), truth: slider("Really passed (as far as there are students)", 0, 15, 1, 2) },
  again: "Draw again",
  draw: (s, stage, seed) => {
    const epsilon = 10 ** s.epsilon, c = truncatedGeometric(s.n + 1, Math.exp(-epsilon)), truth = Math.min(s.truth, s.n), d = dice(seed);
    const drawn = Math.min(s.n, Math.max(0, truth + d.geometric(Math.exp(-epsilon))));
    const error = c[truth].reduce((sum, p, y) => sum + p * Math.abs(y - truth), 0);
    stage.append(
      facts(["epsilon of the matrix", epsilonOf(c).toFixed(3)], ["answer this time", String(drawn)], ["mean error at this truth", error.toFixed(2)]),
      h("div", { class: "pair" }, figure("From the truth (row) to the answer (column)", heat(c, "Matrix of the truncated geometric mechanism", "truth", "answer")),
        figure(`If ${truth} passed`, plot({ label: "Chances of the answers", width: HALF, height: 330, x: { label: "answer" }, y: { label: "probability", min: 0 }, series: [{ kind: "bars", points: c[truth].map((p, y) => [y, p]) }] }))));
  },
  notice: [
    "The first and the last column hold all that would have fallen outside.",
    "Neighbouring rows differ by a factor of e^epsilon at most, in every column: the matrix is private, whatever the data.",
    "Truncation never makes the answer worse, and at the ends much better.",
  ],
  command: s => `sotto noise truncated-geometric --epsilon ${rounded(10 ** s.epsilon)} --range 0 ${s.n} ${Math.min(s.truth, s.n)}`,
});
