// Randomized response: two coins, many people, one estimate.

import { dice } from "../math/random";
import { belief, coinsEpsilon, estimateYes, saysYes } from "../math/response";
import { facts, figure, powers, slider, topic } from "../page";
import { curve, plot } from "../plot";

export default topic({
  title: "Randomized response",
  lead: "Everybody tosses a coin. Heads: tell the truth. Tails: toss again and say what the second coin says. Nobody can be blamed for a yes, and the share of yeses can still be found.",
  controls: {
    truth: slider("P(first coin says: tell the truth)", 0.05, 0.95, 0.05, 0.5),
    yes: slider("P(second coin says yes)", 0.1, 0.9, 0.1, 0.5),
    share: slider("Share of people for whom yes is true", 0, 1, 0.05, 0.3),
    people: powers("People", 2, 5, 3, x => String(Math.round(x))),
  },
  again: "Ask them again",
  draw: (s, stage, seed) => {
    const coins = { truth: s.truth, yes: s.yes }, n = Math.round(10 ** s.people), d = dice(seed);
    const really = Math.round(n * s.share);
    let said = 0;
    for (let i = 0; i < n; i++) said += d.uniform() < saysYes(coins, i < really) ? 1 : 0;
    const e = estimateYes(coins, n, said);
    stage.append(
      facts(["epsilon of one answer", coinsEpsilon(coins).toFixed(3)], ["truth", `${really}`], ["said yes", `${said}`],
        ["estimate", `${Math.round(e.count)} ± ${Math.round(1.96 * e.error)}`]),
      figure("How sure can one be about somebody who said yes?", plot({
        label: "Belief after a yes against belief before", height: 290,
        x: { label: "belief before the answer", min: 0, max: 1 }, y: { label: "belief after a yes", min: 0, max: 1 },
        series: [{ kind: "line", name: "after the coins", points: curve(0, 1, x => belief(coins, x)) },
          { kind: "line", name: "nothing learned", tone: 3, points: [[0, 0], [1, 1]] }],
        marks: [{ x: s.share, label: `${s.share}: then ${belief(coins, s.share).toFixed(2)}` }],
      })));
  },
  notice: [
    "With two fair coins epsilon is ln 3: a yes makes “yes is true” at most three times as likely as it was.",
    "The estimate subtracts the yeses that the second coin made, and divides by P(tell the truth).",
    "Its error shrinks with the square root of the number of people. Ten times fewer people: about three times the error.",
    "More truth bends the curve away from the diagonal: more is learned about each person.",
  ],
  command: s => `sotto noise randomized-response --p ${s.truth} --r ${s.yes} yes no no yes`,
});
