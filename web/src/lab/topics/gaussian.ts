// Gaussian noise: what delta buys, and how much the textbook formula gives away.

import { laplaceError } from "../math/laws";
import { classicSigma, density, gaussianDelta, gaussianSigma, quantile } from "../math/normal";
import { facts, figure, powers, rounded, slider, topic } from "../page";
import { curve, plot } from "../plot";

export default topic({
  title: "Gaussian noise",
  lead: "Gaussian noise has thin tails, but no finite epsilon holds for all answers: with probability delta the loss may be larger. It pays off when one person touches many numbers at once.",
  controls: {
    epsilon: powers("epsilon", -1, 0.5, 0), delta: slider("delta", -12, -3, 1, -6, v => `1e${v}`),
    numbers: powers("Numbers that one person touches", 0, 3, 0, x => String(Math.round(x))),
  },
  draw: (s, stage) => {
    const epsilon = 10 ** s.epsilon, delta = 10 ** s.delta, k = Math.round(10 ** s.numbers);
    const sigma = gaussianSigma(epsilon, delta) * Math.sqrt(k), classic = classicSigma(epsilon, delta) * Math.sqrt(k), scale = k / epsilon;
    const reach = 4 * Math.max(sigma, scale);
    const laplace = laplaceError(scale, 0.95), gauss = sigma * quantile(0.975);
    stage.append(
      facts(["sigma needed", rounded(sigma)], ["textbook's sigma", rounded(classic)], ["95 % error, Gaussian", `± ${rounded(gauss)}`], ["95 % error, Laplace", `± ${rounded(laplace)}`]),
      figure("Noise of one of the numbers", plot({
        label: "Gaussian and Laplace densities", height: 250, x: { label: "noise", min: -reach, max: reach }, y: { label: "density", min: 0 },
        series: [{ kind: "line", name: "Gaussian", points: curve(-reach, reach, x => density(x, sigma), 400) },
          { kind: "line", name: "Laplace at delta 0", points: curve(-reach, reach, x => Math.exp(-Math.abs(x) / scale) / (2 * scale), 400) }],
      })),
      figure("delta that this noise has at every epsilon", plot({
        label: "delta against epsilon", height: 250, x: { label: "epsilon", min: 0, max: 3 * epsilon }, y: { label: "delta", log: true, min: delta / 1e4, max: 1 },
        series: [{ kind: "line", points: curve(0, 3 * epsilon, e => Math.max(1e-300, gaussianDelta(sigma / Math.sqrt(k), e))) }],
        marks: [{ x: epsilon, label: `epsilon ${rounded(epsilon)}, delta 1e${s.delta}` }],
      })));
  },
  notice: [
    "For one number Laplace noise is usually better. Move the third slider: Laplace grows with the count of numbers, Gaussian only with its square root.",
    "A thousandfold smaller delta needs little more noise: sigma grows with the root of the logarithm.",
    "The textbook's formula asks for more than is needed, and above epsilon 1 it is not even proven.",
  ],
  command: s => {
    const k = Math.round(10 ** s.numbers);
    return `sotto noise accuracy --epsilon ${rounded(10 ** s.epsilon)} --delta 1e${s.delta} --dimension ${k} --l1 ${k} --l2 ${rounded(Math.sqrt(k))}`;
  },
});
