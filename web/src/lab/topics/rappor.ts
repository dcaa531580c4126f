// RAPPOR: strings in noisy Bloom filters, from ten thousand devices.

import { h } from "../../dom";
import { LEFT, PEOPLE, RIGHT, WIDTH, everybody, handOn, holders } from "../crowd";
import { device, reportsOf } from "../device";
import { bitRates, bits, bloom, regression } from "../math/local";
import { PROTOCOL, Params, chance, params } from "../math/params";
import { choice, facts, figure, powers, rounded, slider, topic } from "../page";
import { plot } from "../plot";

export const PAGES = ["news", "mail", "wiki", "maps", "shop", "game", "bank", "blog"];

/** One report of each device: no permanent step; p and q as the program designs them for this epsilon. */
export function design(epsilon: number, width: number, hashes: number, cohorts: number): Params {
  const q = 1 / (1 + Math.exp(-epsilon / (2 * hashes)));
  return params({ protocol: PROTOCOL.rappor, width, hashes, groups: cohorts, zero: chance(1 - q), one: chance(q) });
}

export default topic({
  title: "RAPPOR",
  lead: "Each browser hashes its start page into a Bloom filter, flips the bits at random and sends them. Ten thousand such reports, made here by the real encoder, still tell which pages are popular.",
  controls: {
    epsilon: powers("epsilon of one report", -0.3, 0.9, 0.6), width: choice("Bits of the filter", { 16: "16", 32: "32", 64: "64", 128: "128" }, "32"),
    hashes: choice("Hash functions", { 1: "1", 2: "2" }, "2"), slope: slider("How uneven popularity is", 0, 2, 0.1, 1),
    known: choice("The candidates are", { all: "all pages", missing: "all but the most popular one" }, "all"),
  },
  again: "Ask the devices again",
  draw: async (s, stage, seed) => {
    const epsilon = Number(rounded(10 ** s.epsilon)), p = design(epsilon, Number(s.width), Number(s.hashes), 16);
    const counts = holders(PAGES.length, s.slope), d = await device(), reports = reportsOf(d, p, everybody(PAGES, counts, seed));
    const first = s.known === "all" ? 0 : 1, candidates = PAGES.slice(first), found = regression(p, reports, candidates);
    const { ones, reports: sent } = bits(p, reports), rates = bitRates(p), own = new Set(bloom(p, 0, PAGES[0]));
    stage.append(
      facts(["devices", PEOPLE.toLocaleString("en")], ["bytes each", String(reports[0].length)], ["P(a set bit is sent set)", rates.one.toFixed(3)], ["typical error", `± ${Math.round(1.96 * found[found.length - 1].sd)}`]),
      figure("Devices with each page", plot({
        label: "True and estimated number of devices for each page", height: 270, x: { label: "", names: PAGES }, y: { label: "devices" },
        series: [{ kind: "bars", name: "truth", tone: 4, width: WIDTH, shift: LEFT, points: counts.map((c, i) => [i, c]) },
          { kind: "bars", name: "estimate", tone: 0, width: WIDTH, shift: RIGHT, points: found.map((e, i) => [i + first, e.count]) },
          { kind: "whiskers", tone: 5, shift: RIGHT, points: found.map((e, i) => [i + first, e.count - 1.96 * e.sd, e.count + 1.96 * e.sd]) }],
      })),
      figure(`Bits that the ${sent[0]} devices of the first cohort sent`, plot({
        label: "Share of reports with each bit set, in one cohort", height: 190, x: { label: `bit (${PAGES[0]} sets ${[...own].join(" and ")})` }, y: { label: "share", min: 0, max: 1 },
        series: [{ kind: "bars", points: Array.from({ length: p.width }, (_, i) => [i, ones[i] / sent[0]]) }], marks: [{ y: rates.zero, label: "noise alone" }],
      })), handOn(p, epsilon, reports), h("p"));
  },
  notice: [
    "A single report is mostly noise; only sums over thousands rise above it.",
    "Fewer bits collide more: with 16 bits two pages are easily taken for each other.",
    "If the most popular page is not among the candidates, its bits are blamed on the others. Lists of candidates matter.",
    "Two hash functions need twice the noise on each bit, for the same epsilon.",
  ],
  command: s => `printf '%s\\n' 'protocol rappor' 'width ${s.width}' 'hashes ${s.hashes}' 'groups 16' 'f 0' 'p ${(1 - 1 / (1 + Math.exp(-(10 ** s.epsilon) / (2 * Number(s.hashes))))).toFixed(6)}' 'q ${(1 / (1 + Math.exp(-(10 ** s.epsilon) / (2 * Number(s.hashes))))).toFixed(6)}' > params
sotto local simulate --params params --values 8 --clients 10000`,
});
