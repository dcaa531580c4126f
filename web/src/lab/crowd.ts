// Ten thousand pretend people, and the page's way to hand their reports on.

import { download, h } from "../dom";
import { Params, batch } from "./math/params";
import { dice } from "./math/random";

export const PEOPLE = 10000;

/** How many hold each of k values: a few common ones and a tail (Zipf). */
export function holders(k: number, slope: number, people = PEOPLE): number[] {
  const weights = Array.from({ length: k }, (_, i) => (i + 1) ** -slope), sum = weights.reduce((a, b) => a + b, 0);
  const out = weights.map(w => Math.floor(people * w / sum));
  out[0] += people - out.reduce((a, b) => a + b, 0);
  return out;
}

/** Everybody's value, in no order. */
export function everybody<T>(values: T[], counts: number[], seed: number): T[] {
  const out = values.flatMap((v, i) => Array<T>(counts[i]).fill(v)), d = dice(seed);
  for (let i = out.length - 1; i > 0; i--) { const j = d.below(i + 1); [out[i], out[j]] = [out[j], out[i]]; }
  return out;
}

/** The reports as a file that sotto local collect and the collections page take. */
export function handOn(p: Params, epsilon: number, reports: Uint8Array[]): HTMLElement {
  const save = (): void => download("reports.batch", "application/octet-stream", batch(p, epsilon, reports, crypto.getRandomValues(new Uint8Array(16))));
  return h("p", { class: "tools" }, h("button", { type: "button", click: save }, "Download the reports as a batch"));
}

/** Relative places of bars that stand side by side. */
export const LEFT = -0.2, RIGHT = 0.2, WIDTH = 0.36;
