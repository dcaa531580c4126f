// The averaging attack: the same question again and again.

import { dice } from "../math/random";
import { choice, facts, figure, powers, rounded, slider, topic } from "../page";
import { plot } from "../plot";

export type Defence = "none" | "fresh" | "stored" | "budget";

/** What the attacker's mean is after each question. */
export function attack(defence: Defence, truth: number, epsilon: number, questions: number, budget: number, seed: number): number[] {
  const d = dice(seed), out: number[] = [], first = d.laplace(1 / epsilon);
  let sum = 0;
  for (let i = 1; i <= questions; i++) {
    if (defence === "budget" && i * epsilon > budget + 1e-9) break;
    const noise = defence === "none" ? 0 : defence === "stored" ? first : i === 1 ? first : d.laplace(1 / epsilon);
    sum += truth + noise;
    out.push(sum / i);
  }
  return out;
}

export default topic({
  title: "Averaging",
  lead: "Noise averages out. An attacker asks for the same count many times and takes the mean. What stops it is not more noise but a budget, or one stored answer.",
  controls: {
    defence: choice("The database", { none: "adds no noise", fresh: "fresh noise each time, no limit", stored: "repeats the stored answer, free", budget: "fresh noise, and a budget" }, "fresh"),
    epsilon: powers("epsilon of one answer", -1.5, 0.3, -0.7), questions: powers("Questions", 0, 3.5, 2.5, x => String(Math.round(x))),
    budget: slider("Budget", 1, 10, 1, 4),
  },
  again: "Attack again",
  draw: (s, stage, seed) => {
    const truth = 42, epsilon = Number(rounded(10 ** s.epsilon)), n = Math.round(10 ** s.questions);
    const means = attack(s.defence as Defence, truth, epsilon, n, s.budget, seed), last = means[means.length - 1] ?? NaN;
    const spent = s.defence === "none" ? "none" : s.defence === "stored" ? String(epsilon) : rounded(means.length * epsilon);
    stage.append(
      facts(["questions answered", String(means.length)], ["the attacker's mean", Number.isNaN(last) ? "nothing" : last.toFixed(2)],
        ["truth", String(truth)], ["epsilon really spent", spent], ["succeeds", Math.abs(last - truth) < 0.5 ? "yes" : "no"]),
      figure("The attacker's mean after each question", plot({
        label: "Mean of the answers against the number of questions", x: { label: "questions", log: true, min: 1, max: Math.max(2, n) }, y: { label: "mean", min: truth - 15, max: truth + 15 },
        series: [{ kind: "line", name: "mean of the answers", points: means.map((m, i) => [i + 1, m]) }], marks: [{ y: truth, label: "the secret count" }],
      })));
  },
  notice: [
    "Without noise one question is enough. With fresh noise each time the mean creeps to the truth: the error shrinks with the root of the questions.",
    "The loss of privacy can be computed: epsilon adds up. A hundred answers of epsilon 0.2 cost as much as one of epsilon 20.",
    "sotto gives the stored answer when the same question comes again: it costs nothing and reveals nothing new.",
    "With a budget the attacker is simply told no.",
  ],
  command: s => `sotto noise laplace --epsilon ${rounded(10 ** s.epsilon)} --count ${Math.min(100, Math.round(10 ** s.questions))} 42`,
});
