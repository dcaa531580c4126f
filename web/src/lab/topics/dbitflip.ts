// dBitFlip: a histogram from a few bits of each device.

import { LEFT, PEOPLE, RIGHT, WIDTH, everybody, handOn } from "../crowd";
import { device, reportsOf } from "../device";
import { buckets } from "../math/local";
import { PROTOCOL, Params, flipUp, params } from "../math/params";
import { choice, facts, figure, powers, rounded, slider, topic } from "../page";
import { plot } from "../plot";

export const BUCKETS = 16;

export const design = (epsilon: number, sent: number): Params =>
  params({ protocol: PROTOCOL.dbitflip, size: BUCKETS, hashes: sent, flip: flipUp(epsilon / 2) });

/** Hours of the day, in 16 parts: a morning and an evening. */
export function hours(evening: number): number[] {
  const weight = (i: number): number => (1 - evening) * Math.exp(-((i - 5) ** 2) / 3) + evening * Math.exp(-((i - 12) ** 2) / 4) + 0.02;
  const all = Array.from({ length: BUCKETS }, (_, i) => weight(i)), sum = all.reduce((a, b) => a + b, 0);
  const out = all.map(w => Math.floor(PEOPLE * w / sum));
  out[0] += PEOPLE - out.reduce((a, b) => a + b, 0);
  return out;
}

export default topic({
  title: "dBitFlip",
  lead: "When is the app used? Each device draws a few of the sixteen parts of the day, once and for all, and sends one noisy bit for each: is it mine?",
  controls: {
    epsilon: powers("epsilon of one report", -0.5, 0.9, 0.3), sent: choice("Bits that each device sends", { 2: "2", 4: "4", 8: "8" }, "4"),
    evening: slider("Share of evening people", 0, 1, 0.1, 0.6),
  },
  again: "Ask the devices again",
  draw: async (s, stage, seed) => {
    const epsilon = Number(rounded(10 ** s.epsilon)), sent = Number(s.sent), p = design(epsilon, sent), counts = hours(s.evening), d = await device();
    const reports = reportsOf(d, p, everybody(counts.map((_, i) => i), counts, seed)), found = buckets(p, reports);
    stage.append(
      facts(["devices", PEOPLE.toLocaleString("en")], ["bytes each", String(reports[0].length)], ["reports about one part", Math.round(PEOPLE * sent / BUCKETS).toLocaleString("en")], ["typical error", `± ${Math.round(1.96 * found[0].sd)}`]),
      figure("People by part of the day", plot({
        label: "True and estimated histogram", x: { label: "part of the day" }, y: { label: "people" },
        series: [{ kind: "bars", name: "truth", tone: 4, width: WIDTH, shift: LEFT, points: counts.map((c, i) => [i, c]) },
          { kind: "bars", name: "estimate", tone: 0, width: WIDTH, shift: RIGHT, points: found.map((e, i) => [i, e.count]) },
          { kind: "whiskers", tone: 5, shift: RIGHT, points: found.map((e, i) => [i, e.count - 1.96 * e.sd, e.count + 1.96 * e.sd]) }],
      })), handOn(p, epsilon, reports));
  },
  notice: [
    "More bits from each device: less error, at the same epsilon. Only two of the bits can differ between two values, however many are sent.",
    "Each bit gets the noise of half of epsilon, because two of them differ at most.",
    "The parts are drawn once. A device that drew anew each day would tell more and more.",
  ],
  command: s => `printf '%s\\n' 'protocol dbitflip' 'size ${BUCKETS}' 'hashes ${s.sent}' 'epsilon ${rounded(10 ** s.epsilon)}' > params
sotto local simulate --params params --values ${BUCKETS} --clients 10000`,
});
