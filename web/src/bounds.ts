// The owner's assistant for bounds: finds the range of a column privately, at a price, and offers to keep it.

import { Table, get, post } from "./api";
import { h, replace } from "./dom";
import { left, short } from "./format";

interface Found { found: boolean; low: number; high: number; cost: number; left: number; repeated: boolean; written: boolean; reason: string | null }

export async function boundsForm(written: () => Promise<void>): Promise<HTMLElement> {
  const { tables } = await get<{ tables: Table[] }>("tables");
  const columns = tables.filter(t => !t.public).flatMap(t =>
    t.columns.filter(c => !c.keys && c.name !== t.unit).map(c => `${t.name}.${c.name}`));
  const column = h("select", { id: "bounds-column" }, ...columns.map(c => h("option", {}, c)));
  const epsilon = h("input", { id: "bounds-epsilon", value: "0.1", size: 6, autocomplete: "off" });
  const said = h("div", { role: "status", "aria-live": "polite" });
  const find = async (write: boolean): Promise<void> => {
    try {
      const f = await post<Found>("bounds", { column: column.value, epsilon: epsilon.value, write });
      replace(said, view(f, () => void find(true)));
      if (f.written) await written();
    } catch (e) {
      replace(said, h("p", { class: "error" }, (e as Error).message));
    }
  };
  return h("section", {}, h("form", { class: "line", submit: (e: Event) => { e.preventDefault(); void find(false); } },
    h("h2", {}, "Find the bounds of a column"),
    h("p", { class: "hint wide" }, "Sums and averages need declared bounds. If you do not know them, they can be found privately; that costs epsilon."),
    h("label", { for: "bounds-column" }, "Column", column), h("label", { for: "bounds-epsilon" }, "Epsilon to spend", epsilon),
    h("button", { disabled: columns.length === 0 }, "Find")), said);
}

function view(f: Found, keep: () => void): HTMLElement {
  const price = f.repeated ? "Found before: free." : `Cost epsilon ${short(f.cost, 6)}; ${left(f.left)} is left.`;
  if (!f.found) return h("p", {}, `No bounds were found: too few values for this epsilon. ${price}`);
  return h("div", {}, h("p", {}, `Nearly all values lie between `, h("strong", {}, `${short(f.low, 6)} and ${short(f.high, 6)}`), `. ${price}`),
    f.written ? h("p", { class: "good" }, "They are in the policy.") : f.reason ? h("p", { class: "error" }, f.reason) : h("button", { type: "button", click: keep }, "Write them into the policy, free"));
}
