// Mechanisms as matrices on the answers 0 .. n-1 of a path, and what they are worth to a user.

import { truncatedGeometric } from "./laws";

export type Matrix = number[][];
export type Gain = (guess: number, truth: number) => number;

export const PRIORS: Record<string, (n: number) => number[]> = {
  uniform: n => normal(Array.from({ length: n }, () => 1)),
  triangular: n => normal(Array.from({ length: n }, (_, i) => i + 1)),
  bimodal: n => normal(Array.from({ length: n }, (_, i) => 0.5 ** Math.min(i, n - 1 - i))),
  geometric: n => normal(Array.from({ length: n }, (_, i) => 0.5 ** i)),
};

export const GAINS: Record<string, (n: number) => Gain> = {
  identity: () => (w, x) => (w === x ? 1 : 0),
  distance: n => (w, x) => n - 1 - Math.abs(w - x),
  squared: n => (w, x) => (n - 1) ** 2 - (w - x) ** 2,
};

export const MECHANISMS: Record<string, (n: number, epsilon: number) => Matrix> = {
  geometric: (n, e) => truncatedGeometric(n, Math.exp(-e)),
  "k-rr": (n, e) => square(n, (x, y) => (x === y ? Math.exp(e) : 1)),
  exponential: (n, e) => square(n, (x, y) => Math.exp(-e * Math.abs(x - y) / 2)),
};

function normal(v: number[]): number[] {
  const sum = v.reduce((a, b) => a + b, 0);
  return v.map(x => x / sum);
}

const square = (n: number, f: (x: number, y: number) => number): Matrix =>
  Array.from({ length: n }, (_, x) => normal(Array.from({ length: n }, (__, y) => f(x, y))));

/** The best guess after each output: the greatest expected gain; the lowest one of equals. */
export function bestGuesses(c: Matrix, prior: number[], gain: Gain): number[] {
  const n = prior.length;
  return c[0].map((_, y) => {
    const worth = Array.from({ length: n }, (__, w) => prior.reduce((sum, p, x) => sum + p * c[x][y] * gain(w, x), 0));
    return worth.indexOf(Math.max(...worth));
  });
}

/** Expected gain of the best guess. */
export function utility(c: Matrix, prior: number[], gain: Gain): number {
  const guesses = bestGuesses(c, prior, gain);
  return prior.reduce((sum, p, x) => sum + p * c[x].reduce((s, q, y) => s + q * gain(guesses[y], x), 0), 0);
}

/** The mechanism followed by the guesses. */
export function remap(c: Matrix, guesses: number[]): Matrix {
  return c.map(row => {
    const out = row.map(() => 0);
    row.forEach((p, y) => { out[guesses[y]] += p; });
    return out;
  });
}

/**
 * The best epsilon-private mechanism for this user on a path: the geometric one and the user's
 * own best guess after it (Ghosh, Roughgarden and Sundararajan 2009).
 */
export function optimal(n: number, epsilon: number, prior: number[], gain: Gain): Matrix {
  const c = MECHANISMS.geometric(n, epsilon);
  return remap(c, bestGuesses(c, prior, gain));
}

/** The greatest log-ratio between neighbouring rows. */
export function epsilonOf(c: Matrix): number {
  let most = 0;
  for (let x = 0; x + 1 < c.length; x++)
    c[x].forEach((p, y) => { if (p > 0 || c[x + 1][y] > 0) most = Math.max(most, Math.abs(Math.log(p / c[x + 1][y]))); });
  return most;
}
