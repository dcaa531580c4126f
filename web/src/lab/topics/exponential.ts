// The exponential mechanism: which price, which winner, which language.

import { exponential, mean, permuteAndFlip } from "../math/choose";
import { dice } from "../math/random";
import { facts, figure, powers, rounded, slider, topic } from "../page";
import { plot } from "../plot";

const PLACES = ["lake", "museum", "zoo", "opera", "castle"];

export default topic({
  title: "Exponential mechanism",
  lead: "A class votes where to go. The winner is drawn, and places with more votes are exponentially likelier. No single vote can be read off the choice.",
  controls: {
    lake: slider("Votes for the lake", 0, 30, 1, 12), museum: slider("Votes for the museum", 0, 30, 1, 9),
    zoo: slider("Votes for the zoo", 0, 30, 1, 10), opera: slider("Votes for the opera", 0, 30, 1, 1), castle: slider("Votes for the castle", 0, 30, 1, 5),
    epsilon: powers("epsilon", -1.5, 0.7, -0.3),
  },
  again: "Draw a winner",
  draw: (s, stage, seed) => {
    const votes = [s.lake, s.museum, s.zoo, s.opera, s.castle], epsilon = Number(rounded(10 ** s.epsilon));
    const p = exponential(votes, epsilon), q = permuteAndFlip(votes, epsilon), best = Math.max(...votes), u = dice(seed).uniform();
    let at = 0, sum = p[0];
    while (sum < u && at < p.length - 1) sum += p[++at];
    stage.append(
      facts(["drawn this time", PLACES[at]], ["votes lost on average", (best - mean(p, votes)).toFixed(2)], ["by permute-and-flip", (best - mean(q, votes)).toFixed(2)]),
      figure("Chance of each place", plot({
        label: "Chances of the exponential mechanism and of permute-and-flip", x: { label: "", names: PLACES }, y: { label: "probability", min: 0, max: 1 },
        series: [{ kind: "bars", name: "exponential", tone: 0, width: 0.36, shift: -0.2, points: p.map((v, i) => [i, v]) },
          { kind: "bars", name: "permute-and-flip", tone: 1, width: 0.36, shift: 0.2, points: q.map((v, i) => [i, v]) }],
      })));
  },
  notice: [
    "Only differences of votes matter: ten more for every place change nothing.",
    "Each vote of a place's lead multiplies its odds by e^(epsilon/2).",
    "Permute-and-flip never loses more votes, at the same epsilon, and half as many when the leaders are close.",
    "A place with no votes can win. If it could not, its winning would prove that somebody voted for it.",
  ],
  command: s => `sotto noise exponential --epsilon ${rounded(10 ** s.epsilon)} --probabilities lake=${s.lake} museum=${s.museum} zoo=${s.zoo} opera=${s.opera} castle=${s.castle}`,
});
