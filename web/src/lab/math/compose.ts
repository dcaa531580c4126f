// What k releases cost together: the theorems of composition in closed form.

import { gaussianEpsilon, solve } from "./normal";

export const basic = (k: number, epsilon: number): number => k * epsilon;

/** Dwork, Rothblum and Vadhan 2010. */
export const advanced = (k: number, epsilon: number, delta: number): number =>
  Math.sqrt(2 * k * Math.log(1 / delta)) * epsilon + k * epsilon * (Math.exp(epsilon) - 1);

/** Optimal for any epsilon-private mechanisms (Kairouz, Oh and Viswanath 2015): k-fold randomized response. */
export function optimalPure(k: number, epsilon: number, delta: number): number {
  const logKeep = -Math.log1p(Math.exp(-epsilon)), logLie = logKeep - epsilon;
  const logs: number[] = [];
  for (let lies = 0, choose = 0; lies <= k; choose += Math.log((k - lies) / (lies + 1)), lies++)
    logs.push(choose + (k - lies) * logKeep + lies * logLie);
  const deltaAt = (e: number): number => logs.reduce((sum, log, lies) => {
    const gap = (k - 2 * lies) * epsilon - e;
    return gap > 0 ? sum - Math.exp(log) * Math.expm1(-gap) : sum;
  }, 0);
  return deltaAt(0) <= delta ? 0 : solve(e => delta - deltaAt(e), 0, k * epsilon);
}

/** Epsilon at delta from a Renyi curve (Canonne, Kamath and Steinke 2020), at the best order. */
export function fromRenyi(curve: (order: number) => number, delta: number): number {
  const at = (order: number): number =>
    curve(order) + Math.log1p(-1 / order) - (Math.log(delta) + Math.log(order)) / (order - 1);
  let low = Math.log(1e-6), high = Math.log(1e6); // of order - 1; the function has one valley
  for (let i = 0; i < 300; i++) {
    const a = low + (high - low) * 0.382, b = low + (high - low) * 0.618;
    if (at(1 + Math.exp(a)) < at(1 + Math.exp(b))) high = b; else low = a;
  }
  return Math.max(0, at(1 + Math.exp((low + high) / 2)));
}

/** Concentrated privacy of Laplace noise: rho = epsilon + e^-epsilon - 1, a little less than epsilon^2 / 2. */
export const concentrated = (k: number, epsilon: number, delta: number): number =>
  fromRenyi(order => order * k * (epsilon + Math.expm1(-epsilon)), delta);

/** Renyi privacy of Laplace noise (Mironov 2017). */
export function renyiLaplace(order: number, epsilon: number): number {
  const a = (order - 1) * epsilon + Math.log(order / (2 * order - 1));
  const b = -order * epsilon + Math.log((order - 1) / (2 * order - 1));
  return (a + Math.log1p(Math.exp(b - a))) / (order - 1);
}

export const renyi = (k: number, epsilon: number, delta: number): number =>
  fromRenyi(order => k * renyiLaplace(order, epsilon), delta);

/** Gaussian noise composes exactly: k of sigma are one of sigma / sqrt(k). */
export const gaussian = (k: number, sigma: number, delta: number): number => gaussianEpsilon(sigma / Math.sqrt(k), delta);
export const gaussianConcentrated = (k: number, sigma: number, delta: number): number =>
  fromRenyi(order => order * k / (2 * sigma * sigma), delta);
