// Which protocol for a collection: compared by formulas, before any device sends anything.

import { post } from "./api";
import { h, replace } from "./dom";
import { short } from "./format";

interface Choice {
  protocol: string; report_bytes: number; standard_error: number | null; least_frequency: number | null;
  server_bytes: number | null; best: boolean;
}

const wish = { users: "100000", values: "100", epsilon: "2" };

export function planForm(): HTMLElement {
  const field = (id: keyof typeof wish): HTMLInputElement =>
    h("input", { id: `plan-${id}`, value: wish[id], inputmode: "decimal", size: 8, autocomplete: "off", required: true, input: () => soon() });
  const users = field("users"), values = field("values"), epsilon = field("epsilon");
  const said = h("div", { role: "status", "aria-live": "polite", class: "planned" });
  let timer = 0;
  const show = async (): Promise<void> => {
    Object.assign(wish, { users: users.value, values: values.value, epsilon: epsilon.value });
    try {
      const reply = await post<{ protocols: Choice[] }>("plan", { users: Number(wish.users), values: Number(wish.values), epsilon: wish.epsilon });
      replace(said, view(reply.protocols));
    } catch (e) {
      replace(said, h("p", { class: "error" }, (e as Error).message));
    }
  };
  const soon = (): void => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void show(), 250);
  };
  void show();
  return h("section", {}, h("form", { class: "line", submit: (e: Event) => { e.preventDefault(); void show(); } },
    h("h2", {}, "Plan a collection"),
    h("p", { class: "hint wide" }, "What each protocol would find with this many devices. No data are needed for this, and nothing is charged."),
    h("label", { for: "plan-users" }, "Devices", users), h("label", { for: "plan-values" }, "Values to tell apart", values),
    h("label", { for: "plan-epsilon" }, "Epsilon of one report", epsilon)), said);
}

function bytes(x: number | null): string {
  if (x === null) return "";
  const steps = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  for (; x >= 1000 && i < steps.length - 1; i++) x /= 1000;
  return `${short(x, 3)} ${steps[i]}`;
}

function view(list: Choice[]): HTMLElement {
  const best = list.find(c => c.best);
  const least = Math.min(...list.map(c => c.standard_error ?? Infinity));
  const bar = (c: Choice): HTMLElement => {
    const b = h("div", { class: c.best ? "bar best" : "bar" });
    b.style.width = `${Math.min(100, 25 * (c.standard_error ?? Infinity) / least)}%`;
    return b;
  };
  return h("div", {}, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Protocols" }, h("table", { class: "plan" },
    h("thead", {}, h("tr", {}, ...["Protocol", "Error of a count (one sd)", "", "Finds values held by", "Report", "Server keeps"].map((t, i) =>
      h("th", { scope: "col", class: i === 1 || i > 2 ? "number" : "" }, t)))),
    h("tbody", {}, ...list.map(c => h("tr", { class: c.best ? "chosen" : "" },
      h("th", { scope: "row" }, c.protocol, c.best && h("small", {}, " best")),
      h("td", { class: "number" }, c.standard_error === null ? "" : `± ${short(c.standard_error, 3)}`), h("td", { class: "size" }, bar(c)),
      h("td", { class: "number" }, c.least_frequency === null ? "" : `${short(100 * c.least_frequency, 2)} %`),
      h("td", { class: "number" }, bytes(c.report_bytes)), h("td", { class: "number" }, bytes(c.server_bytes))))))),
    best && h("div", {}, h("p", { class: "hint" }, "Best is the most accurate protocol, or one with smaller reports whose error is at most 5 % larger. To use it, write its parameters into a file and name that in the policy under collections:"),
      h("pre", { tabindex: 0, "aria-label": "Command" },
        `sotto local plan --n ${wish.users} --d ${wish.values} --eps ${wish.epsilon} --protocol ${best.protocol} --emit text > mine.params\n`,
        `collections: { mine: { params: mine.params, store: mine } }`)));
}
