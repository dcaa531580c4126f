// The normal distribution: its density, its distribution function, and the privacy of Gaussian noise.

export const density = (x: number, sigma = 1): number =>
  Math.exp(-x * x / (2 * sigma * sigma)) / (sigma * Math.sqrt(2 * Math.PI));

/** erfc: a series near zero, a continued fraction (Lentz) away from it; relative error about 1e-13. */
export function erfc(x: number): number {
  if (x < 0) return 2 - erfc(-x);
  if (x < 2) {
    let term = x, sum = x;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) sum += (term *= 2 * x * x / (2 * n + 1));
    return 1 - 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
  }
  let f = x, c = x, d = 0;
  for (let n = 1; n < 1000; n++) {
    d = 1 / (x + n / 2 * d);
    c = x + n / 2 / c;
    f *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / f;
}

export const cdf = (x: number): number => erfc(-x / Math.SQRT2) / 2;

/** The x with cdf(x) = p, by halving. */
export const quantile = (p: number): number => solve(x => cdf(x) - p, -40, 40);

/** The zero of an increasing function. */
export function solve(f: (x: number) => number, low: number, high: number): number {
  for (let i = 0; i < 200 && high - low > 1e-15 * Math.max(Math.abs(low), Math.abs(high)); i++) {
    const middle = (low + high) / 2;
    if (f(middle) < 0) low = middle; else high = middle;
  }
  return high;
}

/** Least delta of Gaussian noise at epsilon (Balle and Wang 2018, theorem 8); sensitivity 1. */
export function gaussianDelta(sigma: number, epsilon: number): number {
  return Math.max(0, cdf(1 / (2 * sigma) - epsilon * sigma) - Math.exp(epsilon) * cdf(-1 / (2 * sigma) - epsilon * sigma));
}

/** Least sigma for (epsilon, delta); sensitivity 1. */
export const gaussianSigma = (epsilon: number, delta: number): number =>
  solve(s => delta - gaussianDelta(s, epsilon), 1e-3, 1e6);

/** Least epsilon of Gaussian noise at delta; sensitivity 1. */
export function gaussianEpsilon(sigma: number, delta: number): number {
  return gaussianDelta(sigma, 0) <= delta ? 0 : solve(e => delta - gaussianDelta(sigma, e), 0, 700);
}

/** The textbook's sigma, proven for epsilon below 1 only (Dwork and Roth 2014, appendix A). */
export const classicSigma = (epsilon: number, delta: number): number => Math.sqrt(2 * Math.log(1.25 / delta)) / epsilon;
