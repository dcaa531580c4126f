// Collections: how many reports come in, what they say with whiskers, and sending a batch by hand.

import { Answer, Person, Problem, get, isMissing, postBytes } from "./api";
import { chart } from "./chart";
import { h, replace } from "./dom";
import { short } from "./format";
import { planForm } from "./plan";

interface Estimate { value: string | number; estimate: number; low: number; high: number }
interface Estimates { protocol: string; reports: number; estimates?: Estimate[]; mean?: number; low?: number; high?: number }

const ABSENT = "This server accepts no reports from devices. Collect them with sotto local collect.";
const EVERY = 5000;
let name = "", candidates = "";

export async function collectionsPage(root: HTMLElement, person: Person): Promise<void> {
  const field = h("input", { id: "collection", value: name, required: true, autocomplete: "off", list: "collections" });
  const asked = h("input", { id: "candidates", value: candidates, autocomplete: "off", placeholder: "joy,heart,grin", size: 30 });
  const names = h("datalist", { id: "collections" });
  const state = h("div", { role: "status", "aria-live": "polite" });
  const file = h("input", { id: "batch", type: "file" });
  const sent = h("p", { class: "hint", role: "status" });
  const seen: { time: number; reports: number }[] = [];
  const show = async (): Promise<void> => {
    if (name === "") return;
    try {
      const about = candidates === "" ? "" : `?candidates=${encodeURIComponent(candidates)}`;
      const reply = await get<Estimates>(`collections/${encodeURIComponent(name)}/estimates${about}`);
      seen.push({ time: Date.now(), reports: reply.reports });
      replace(state, estimatesView(reply, perMinute(seen)));
    } catch (e) {
      replace(state, h("p", { class: "error" }, isMissing(e) ? ABSENT : (e as Error).message));
    }
  };
  const send = async (): Promise<void> => {
    const chosen = file.files?.[0];
    name = field.value.trim();
    if (!chosen || name === "") return replace(sent, "Choose a collection and a file of batches first.");
    try {
      await postBytes(`collections/${encodeURIComponent(name)}/reports`, new Uint8Array(await chosen.arrayBuffer()));
      replace(sent, "The server has stored the batch. If it is sent twice, it counts once.");
      await show();
    } catch (e) {
      replace(sent, isMissing(e) ? ABSENT : (e as Error).message);
    }
  };
  replace(root, h("h1", {}, "Collections"),
    h("p", { class: "hint" }, "Devices randomize their own values before they send anything; this page estimates from their reports. The lab simulates such devices."),
    h("form", { class: "line", submit: (e: Event) => { e.preventDefault(); name = field.value.trim(); candidates = asked.value.trim(); seen.length = 0; void show(); } },
      h("label", { for: "collection" }, "Collection", field), names,
      h("label", { for: "candidates" }, "Values to estimate, if they are words", asked), h("button", { class: "primary" }, "Show")),
    state,
    person.role === "owner" && h("form", { class: "line", submit: (e: Event) => { e.preventDefault(); void send(); } },
      h("h2", {}, "Send reports"), h("label", { for: "batch" }, "A file of batches, as sotto local encode --out batch writes it", file),
      h("button", {}, "Send")), sent, planForm());
  await offer(names, field);
  await show();
  const timer = window.setInterval(() => (state.isConnected ? void show() : window.clearInterval(timer)), EVERY);
}

/** Names that the server tells, the first of them at once; a server without that list is fine. */
async function offer(names: HTMLElement, field: HTMLInputElement): Promise<void> {
  try {
    const { collections } = await get<{ collections: { name: string }[] }>("collections");
    replace(names, ...collections.map(c => h("option", { value: c.name })));
    if (name === "" && collections.length > 0) field.value = collections[0].name;
  } catch (e) {
    if (!(e instanceof Problem) || !isMissing(e)) throw e;
  }
}

function perMinute(seen: { time: number; reports: number }[]): number | null {
  const first = seen[0], last = seen[seen.length - 1];
  return last.time > first.time ? 60000 * (last.reports - first.reports) / (last.time - first.time) : null;
}

function estimatesView(x: Estimates, rate: number | null): HTMLElement {
  const rows = (x.estimates ?? []).slice(0, 60);
  const answer = {
    columns: [{ name: "value", type: "text", noisy: false }, { name: "devices", type: "number", noisy: true }],
    rows: rows.map(e => [String(e.value), e.estimate]),
    intervals: rows.map(e => [null, [e.low, e.high]]),
  } as unknown as Answer;
  const picture = rows.length > 0 ? chart(answer, 1) : null;
  const card = (title: string, large: string, hint: string): HTMLElement =>
    h("div", { class: "card" }, h("h2", {}, title), h("p", { class: "large" }, large), h("p", { class: "hint" }, hint));
  return h("div", {}, h("div", { class: "cards" },
    card("Reports", x.reports.toLocaleString("en"), `protocol ${x.protocol}`),
    card("Intake", rate === null ? "…" : short(rate, 3), "reports a minute, since this page is open"),
    x.mean !== undefined && card("Mean", short(x.mean, 5), `95 %: ${short(x.low ?? NaN, 5)} to ${short(x.high ?? NaN, 5)}`)),
    picture && h("figure", {}, h("figcaption", {}, "Estimated devices, with 95 % intervals"), picture));
}
