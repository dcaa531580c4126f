// The price of a question and how wrong its answer will be, before it is paid.

import { Explanation } from "./api";
import { h } from "./dom";
import { brief, left, margin, short } from "./format";

function errors(x: Explanation): string[] {
  return x.columns.filter(c => c.noisy).map(c =>
    c.error !== null ? `${c.name} ± ${margin(c.error, 3)}`
      : c.typical_error !== null ? `${c.name} about ± ${margin(c.typical_error, 3)} for a group of ${x.typical_group}` : c.name);
}

/** The error of the first noisy column alone, for a comparison of epsilons. */
export function errorOf(x: Explanation): string {
  const c = x.columns.find(column => column.noisy && (column.error !== null || column.typical_error !== null));
  if (!c) return "";
  return brief(c.error ?? (c.typical_error as number), 2, 1e3);
}

function cost(x: Explanation): HTMLElement {
  if (x.repeated) return h("p", {}, "You asked this before: the same answer is free.");
  if (x.cost.epsilon === 0) return h("p", {}, "Exact and free: nothing private is asked.");
  return h("p", {}, "Costs ", h("strong", {}, `epsilon ${short(x.cost.epsilon, 6)}`),
    x.cost.delta > 0 && ` and delta ${short(x.cost.delta, 3)}`,
    x.affordable ? `; then ${left(x.left.epsilon)} is left.` : `; only ${left(x.left.epsilon)} is left.`);
}

export function priceView(x: Explanation): HTMLElement {
  const wrong = errors(x);
  return h("div", {}, cost(x),
    wrong.length > 0 && h("p", { class: "hint" }, "95 % of the time: ", wrong.join(", "), ` (${x.mechanism})`,
      x.assumes_limits && "; more if the limits that are found let one unit count with more than one row or group"),
    h("details", {}, h("summary", {}, "What will be done"),
      h("dl", {}, ...x.lines.filter(l => l.section !== "engine").flatMap(l => [h("dt", {}, l.name), h("dd", {}, l.text)]))));
}
