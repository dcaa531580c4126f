// The sparse vector technique and the versions of it that are not private (Lyu, Su and Li 2017).

import { laplaceDensity } from "./laws";

export interface Variant {
  name: string;
  /** Scale of the threshold's noise, given epsilon and the number of yeses allowed. */
  threshold: (epsilon: number, yeses: number) => number;
  /** Scale of each query's noise; 0: none. */
  query: (epsilon: number, yeses: number) => number;
  /** Whether it stops after the allowed number of yeses. */
  stops: boolean;
}

export const VARIANTS: Record<string, Variant> = {
  right: { name: "right", threshold: e => 2 / e, query: (e, c) => 4 * c / e, stops: true },
  thrifty: { name: "queries' noise does not grow with the yeses", threshold: e => 4 / e, query: e => 4 / (3 * e), stops: true },
  endless: { name: "never stops", threshold: e => 2 / e, query: e => 2 / e, stops: false },
  bare: { name: "no noise on the queries", threshold: e => 2 / e, query: () => 0, stops: false },
};

const above = (x: number, scale: number): number =>
  scale === 0 ? (x >= 0 ? 1 : 0) : x > 0 ? 1 - Math.exp(-x / scale) / 2 : Math.exp(x / scale) / 2;

/** ln P(answers | values) for a threshold of 0: an integral over the threshold's noise. */
export function logChance(values: number[], answers: boolean[], threshold: number, query: number): number {
  const reach = 40 * threshold + 10, steps = 40000, width = 2 * reach / steps;
  const logs = new Float64Array(steps);
  let best = -Infinity;
  for (let i = 0; i < steps; i++) {
    const rho = -reach + (i + 0.5) * width;
    let log = Math.log(laplaceDensity(rho, threshold));
    values.forEach((v, k) => {
      const p = above(v - rho, query);
      log += Math.log(answers[k] ? p : query === 0 ? 1 - p : above(rho - v, query));
    });
    logs[i] = log;
    best = Math.max(best, log);
  }
  if (best === -Infinity) return -Infinity;
  return best + Math.log(logs.reduce((sum, l) => sum + Math.exp(l - best), 0) * width);
}

export interface Evidence { without: number[]; with: number[]; answers: boolean[] }

/** Two neighbours and the answers that tell them apart best, for m queries of each sign. */
export function evidence(kind: string, m: number): Evidence {
  if (kind === "bare")
    return { without: [0, 1], with: [1, 0], answers: [false, true] };
  const no = Array<boolean>(m).fill(false), yes = Array<boolean>(m).fill(true);
  return { without: Array<number>(2 * m).fill(0), with: [...Array<number>(m).fill(1), ...Array<number>(m).fill(-1)], answers: [...no, ...yes] };
}

/** The privacy loss that the evidence proves: at most epsilon if the variant is right. */
export function loss(kind: string, epsilon: number, m: number): number {
  const v = VARIANTS[kind], e = evidence(kind, m);
  const a = logChance(e.without, e.answers, v.threshold(epsilon, m), v.query(epsilon, m));
  const b = logChance(e.with, e.answers, v.threshold(epsilon, m), v.query(epsilon, m));
  return Math.abs(a - b);
}
