// Randomized response with two coins, and with k answers.

export interface Coins { truth: number; yes: number }

/** P(answer yes | the truth is yes or no). */
export const saysYes = (c: Coins, truth: boolean): number => c.truth * (truth ? 1 : 0) + (1 - c.truth) * c.yes;

/** The epsilon of one answer. */
export function coinsEpsilon(c: Coins): number {
  const a = saysYes(c, true), b = saysYes(c, false);
  return Math.log(Math.max(a / b, (1 - b) / (1 - a)));
}

export interface Estimate { count: number; error: number }

/** How many people are yes, from how many said so; the error is one standard deviation. */
export function estimateYes(c: Coins, people: number, yes: number): Estimate {
  const share = yes / people;
  return { count: (yes - people * (1 - c.truth) * c.yes) / c.truth, error: Math.sqrt(people * share * (1 - share)) / c.truth };
}

/** How sure one may be that somebody who said yes is one, if `share` of all people are. */
export function belief(c: Coins, share: number): number {
  const a = saysYes(c, true) * share;
  return a / (a + saysYes(c, false) * (1 - share));
}
