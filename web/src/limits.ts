// The owner's assistant for contribution limits: finds privately how much one unit brings, and offers to keep it.

import { Table, follow, get } from "./api";
import { h, replace } from "./dom";
import { left, short } from "./format";
import { sqlName } from "./name";

interface Found {
  max_groups: number | null; max_rows: number; groups_beyond: number | null; rows_beyond: number;
  cost: number; left: number; repeated: boolean; written: boolean; reason: string | null;
}

export async function limitsForm(written: () => Promise<void>): Promise<HTMLElement> {
  const { tables } = await get<{ tables: Table[] }>("tables");
  const own = tables.filter(t => !t.public);
  const table = h("select", { id: "limits-table", change: () => suit() }, ...own.map(t => h("option", {}, t.name)));
  const by = h("select", { id: "limits-by" });
  const epsilon = h("input", { id: "limits-epsilon", value: "0.5", size: 6, autocomplete: "off" });
  const said = h("div", { role: "status", "aria-live": "polite" });
  const suit = (): void => {
    const t = own.find(o => o.name === table.value);
    replace(by, h("option", { value: "" }, "nothing: one group"),
      ...(t?.columns ?? []).filter(c => c.name !== t?.unit).map(c => h("option", { value: sqlName(c.name), selected: c.keys !== null }, c.name)));
  };
  const find = async (write: boolean): Promise<void> => {
    const now = own.find(o => o.name === table.value);
    try {
      replace(said, h("p", { class: "hint" }, "Looking…"));
      const f = await follow<Found>("limits", { table: table.value, by: by.value, epsilon: epsilon.value, write }, () => undefined);
      replace(said, view(f, now, () => void find(true)));
      if (f.written) await written();
    } catch (e) {
      replace(said, h("p", { class: "error" }, (e as Error).message));
    }
  };
  suit();
  return h("section", {}, h("form", { class: "line", submit: (e: Event) => { e.preventDefault(); void find(false); } },
    h("h2", {}, "Find how much one unit may contribute"),
    h("p", { class: "hint wide" }, "The noise grows with the number of groups, and of rows in a group, that one unit may contribute. Limits that almost nobody exceeds lose little and keep the noise small."),
    h("label", { for: "limits-table" }, "Table", table), h("label", { for: "limits-by" }, "Grouped by", by),
    h("label", { for: "limits-epsilon" }, "Epsilon to spend", epsilon), h("button", { disabled: own.length === 0 }, "Find")), said);
}

/** A share of the units in words. */
const part = (share: number): string => (share < 0.005 ? "hardly any unit" : `about ${short(100 * share, 2)} % of the units`);

function view(f: Found, now: Table | undefined, keep: () => void): HTMLElement {
  const price = f.repeated ? "Found before: free." : `Cost epsilon ${short(f.cost, 6)}; ${left(f.left)} is left.`;
  const row = (name: string, found: number, today: number | null | undefined, beyond: number): HTMLElement =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, today === null || today === undefined ? "not set" : String(today)),
      h("td", { class: "number" }, h("strong", {}, String(found))), h("td", {}, part(beyond)));
  return h("div", {}, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Limits" }, h("table", { class: "found" },
    h("thead", {}, h("tr", {}, ...["", "Now", "Found", "Lose some"].map(t => h("th", { scope: "col" }, t)))),
    h("tbody", {}, f.max_groups !== null && row("max_groups", f.max_groups, now?.max_groups, f.groups_beyond ?? 0),
      row("max_rows", f.max_rows, now?.max_rows, f.rows_beyond)))),
    h("p", {}, price),
    f.written ? h("p", { class: "good" }, "They are in the policy.") : f.reason ? h("p", { class: "error" }, f.reason) : h("button", { type: "button", click: keep }, "Write them into the policy, free"));
}
