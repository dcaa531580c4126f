// Laplace and geometric noise: densities, tails, errors, and the truncated geometric matrix.

export const laplaceDensity = (x: number, scale: number): number => Math.exp(-Math.abs(x) / scale) / (2 * scale);

/** P(|noise| > t) */
export const laplaceTail = (t: number, scale: number): number => Math.exp(-t / scale);

/** Not exceeded with this confidence. */
export const laplaceError = (scale: number, confidence: number): number => -scale * Math.log(1 - confidence);

/** Two-sided geometric noise: P(Z = z), alpha = exp(-epsilon / sensitivity). */
export const geometricChance = (z: number, alpha: number): number => (1 - alpha) / (1 + alpha) * alpha ** Math.abs(z);

/** P(|Z| >= t) for a whole t > 0. */
export const geometricTail = (t: number, alpha: number): number => 2 * alpha ** t / (1 + alpha);

/** The least whole t with P(|Z| > t) <= 1 - confidence. */
export function geometricError(alpha: number, confidence: number): number {
  let t = 0;
  while (geometricTail(t + 1, alpha) > 1 - confidence) t++;
  return t;
}

/** Answers 0 .. n-1 with geometric noise; what falls outside is put on the nearest end. */
export function truncatedGeometric(n: number, alpha: number): number[][] {
  return Array.from({ length: n }, (_, x) => Array.from({ length: n }, (__, y) =>
    y === 0 ? alpha ** x / (1 + alpha) : y === n - 1 ? alpha ** (n - 1 - x) / (1 + alpha) : geometricChance(y - x, alpha)));
}
