// Choosing an outcome by its score: the exponential mechanism, and permute-and-flip.

export function exponential(scores: number[], epsilon: number, sensitivity = 1): number[] {
  const best = Math.max(...scores);
  const weights = scores.map(s => Math.exp(epsilon * (s - best) / (2 * sensitivity)));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map(w => w / sum);
}

/**
 * Permute-and-flip (McKenna and Sheldon 2020): outcomes in random order, each taken with chance
 * q = exp(epsilon (score - best) / 2).  P(r) = q_r times the integral over t in [0, 1] of the
 * product of 1 - t q_s over the others: t is the place of r in the order.
 */
export function permuteAndFlip(scores: number[], epsilon: number, sensitivity = 1): number[] {
  const best = Math.max(...scores);
  const q = scores.map(s => Math.exp(epsilon * (s - best) / (2 * sensitivity)));
  return q.map((own, r) => {
    let product = [1]; // coefficients of the polynomial in t
    q.forEach((other, s) => { if (s !== r) product = [...product, 0].map((c, i) => c - other * (product[i - 1] ?? 0)); });
    return own * product.reduce((sum, c, i) => sum + c / (i + 1), 0);
  });
}

export const mean = (chances: number[], values: number[]): number => chances.reduce((sum, p, i) => sum + p * values[i], 0);
