// One bit for a mean: a number in a single bit.

import { PEOPLE, handOn } from "../crowd";
import { device, reportsOf } from "../device";
import { mean } from "../math/local";
import { PROTOCOL, Params, flipUp, params } from "../math/params";
import { dice } from "../math/random";
import { facts, figure, powers, rounded, slider, topic } from "../page";
import { plot } from "../plot";

export const MOST = 240;

export const design = (epsilon: number): Params => params({ protocol: PROTOCOL.mean, size: MOST, flip: flipUp(epsilon, 1, 64n) });

/** Minutes of use a day, from 0 to 240, around a typical value. */
export function minutes(typical: number, seed: number): number[] {
  const d = dice(seed);
  return Array.from({ length: PEOPLE }, () => Math.min(MOST, Math.max(0, Math.round(typical + 40 * d.normal()))));
}

export default topic({
  title: "One bit for a mean",
  lead: "How long is the app used a day? Each device turns its minutes into one bit, which is 1 more often the longer the use, and flips it at random. Ten thousand bits give the mean.",
  slow: true,
  controls: { epsilon: powers("epsilon of one report", -1, 0.7, 0), typical: slider("Typical minutes", 0, 240, 10, 90) },
  again: "Ask the devices again",
  draw: async (s, stage, seed) => {
    const epsilon = Number(rounded(10 ** s.epsilon)), p = design(epsilon), values = minutes(s.typical, seed), d = await device();
    const reports = reportsOf(d, p, values), e = mean(p, reports), truth = values.reduce((a, b) => a + b, 0) / PEOPLE;
    const ones = reports.filter(r => r[0] === 1).length, flip = Number(p.flip) / 2 ** 64;
    const bins = Array.from({ length: 25 }, (_, i) => [10 * i, 0]);
    values.forEach(v => { bins[Math.round(v / 10)][1]++; });
    stage.append(
      facts(["bits that are 1", ones.toLocaleString("en")], ["estimated mean", `${e.count.toFixed(1)} ± ${(1.96 * e.sd).toFixed(1)}`], ["true mean", truth.toFixed(1)], ["bits flipped", `${(100 * flip).toFixed(0)} %`]),
      figure("Minutes of the pretend people, which nobody collects", plot({
        label: "Histogram of minutes with the estimated mean", height: 250, x: { label: "minutes", min: -6, max: 246 }, y: { label: "people", min: 0 },
        series: [{ kind: "bars", tone: 4, width: 9, points: bins }], marks: [{ x: e.count, label: `estimate ${e.count.toFixed(1)}` }],
      })),
      figure("P(the bit is 1), by minutes", plot({
        label: "Probability of a one against minutes", height: 190, x: { label: "minutes", min: 0, max: MOST }, y: { label: "probability", min: 0, max: 1 },
        series: [{ kind: "line", points: [[0, flip], [MOST, 1 - flip]] }],
      })), handOn(p, epsilon, reports));
  },
  notice: [
    "The bit of one device says almost nothing: 0 minutes and 240 minutes give the same bit often.",
    "A larger epsilon makes the line steeper. A flat line means perfect privacy and no statistics.",
    "The error is proportional to the range, not to the mean, so a small mean in a wide range is hard to estimate.",
  ],
  command: s => `printf '%s\\n' 'protocol 1bitmean' 'size ${MOST}' 'epsilon ${rounded(10 ** s.epsilon)}' > params
sotto local encode --params params --each-device 90 120 15`,
});
