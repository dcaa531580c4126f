// Count mean sketch: one row of a hash table from each device.

import { LEFT, PEOPLE, RIGHT, WIDTH, everybody, handOn, holders } from "../crowd";
import { device, reportsOf } from "../device";
import { sketch, sketchCounts, sketchSd, textKey } from "../math/local";
import { PROTOCOL, Params, flipUp, params } from "../math/params";
import { choice, facts, figure, powers, rounded, slider, topic } from "../page";
import { plot } from "../plot";

export const FACES = ["joy", "heart", "grin", "sob", "cool", "rage", "think", "sleep", "party", "wow"];

export const design = (epsilon: number, rows: number, columns: number): Params =>
  params({ protocol: PROTOCOL.cms, width: columns, groups: rows, flip: flipUp(epsilon / 2) });

export default topic({
  title: "Count sketch",
  lead: "Which emoji do people use? Each device picks one row of a public hash table, marks its emoji's column there, flips every bit at random, and sends the row. The server adds rows and divides the noise out.",
  controls: {
    epsilon: powers("epsilon of one report", -0.3, 0.9, 0.6), columns: choice("Columns", { 16: "16", 64: "64", 256: "256", 1024: "1024" }, "64"),
    rows: choice("Rows", { 4: "4", 16: "16", 64: "64", 256: "256" }, "64"), slope: slider("How uneven popularity is", 0, 2, 0.1, 1),
  },
  again: "Ask the devices again",
  draw: async (s, stage, seed) => {
    const epsilon = Number(rounded(10 ** s.epsilon)), p = design(epsilon, Number(s.rows), Number(s.columns));
    const counts = holders(FACES.length, s.slope), d = await device(), reports = reportsOf(d, p, everybody(FACES, counts, seed));
    const table = sketch(p, p.flip, reports), found = sketchCounts(table, FACES.map(textKey));
    const sd = sketchSd(table, counts.reduce((sum, c) => sum + c * c, 0));
    stage.append(
      facts(["devices", PEOPLE.toLocaleString("en")], ["bytes each", String(reports[0].length)], ["P(a bit is flipped)", (Number(p.flip) / 2 ** 64).toFixed(3)], ["error in 95 %", `± ${Math.round(1.96 * sd)}`]),
      figure("Devices with each emoji", plot({
        label: "True and estimated number of devices for each emoji", x: { label: "", names: FACES }, y: { label: "devices" },
        series: [{ kind: "bars", name: "truth", tone: 4, width: WIDTH, shift: LEFT, points: counts.map((c, i) => [i, c]) },
          { kind: "bars", name: "estimate", tone: 0, width: WIDTH, shift: RIGHT, points: found.map((c, i) => [i, c]) },
          { kind: "whiskers", tone: 5, shift: RIGHT, points: found.map((c, i) => [i, c - 1.96 * sd, c + 1.96 * sd]) }],
      })), handOn(p, epsilon, reports));
  },
  notice: [
    "The error does not depend on how popular an emoji is. Rare ones drown first.",
    "Few columns: emojis share a cell, and the estimate subtracts only what collides on average.",
    "The table's size costs the server memory and the device bytes, but no privacy.",
    "Only emojis that you ask about are estimated. The next page finds words that nobody asked about.",
  ],
  command: s => `printf '%s\\n' 'protocol cms' 'width ${s.columns}' 'groups ${s.rows}' 'epsilon ${rounded(10 ** s.epsilon)}' > params
sotto local simulate --params params --values 10 --clients 10000`,
});
