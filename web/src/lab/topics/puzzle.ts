// Sequence fragment puzzle: words that nobody listed, put together from pieces.

import { h } from "../../dom";
import { PEOPLE, everybody, handOn, holders } from "../crowd";
import { device, reportsOf } from "../device";
import { Fragment, fragments, puzzleHash, solvePuzzle } from "../math/local";
import { PROTOCOL, Params, flipUp, params } from "../math/params";
import { facts, powers, rounded, slider, topic } from "../page";

export const WORDS = ["rasten", "linsen", "tannen", "silent", "astern", "retina"];
export const LETTERS = "aeilnrst";

export const design = (epsilon: number): Params => params({
  protocol: PROTOCOL.sfp, size: 6, width: 256, hashes: 2, groups: 16, grain: 8, flip: flipUp(epsilon / 4), flip2: flipUp(epsilon / 4),
});

function pieces(list: Fragment[], start: number): HTMLElement {
  return h("div", { class: "card" }, h("h3", {}, `Letters ${2 * start + 1} and ${2 * start + 2}`),
    h("ol", {}, ...list.slice(0, 8).map(f => h("li", {}, h("b", {}, f.piece), h("small", {}, ` puzzle ${f.puzzle}, about ${Math.round(f.count)}`)))));
}

export default topic({
  title: "Fragment puzzle",
  lead: "A new word spreads, and nobody has it on a list. Each device sends two letters of its word, together with a small hash of the whole word. Pieces with the same hash belong together.",
  controls: {
    epsilon: powers("epsilon of one report, both parts", 0.4, 1.1, 0.9), words: slider("Words going round", 1, 6, 1, 3),
    keep: slider("Pieces kept of each place", 4, 40, 4, 16),
  },
  again: "Ask the devices again",
  draw: async (s, stage, seed) => {
    const epsilon = Number(rounded(10 ** s.epsilon)), p = design(epsilon), words = WORDS.slice(0, s.words), counts = holders(s.words, 0.7);
    const d = await device(), reports = reportsOf(d, p, everybody(words, counts, seed));
    const kept = fragments(p, reports, LETTERS, s.keep), found = solvePuzzle(p, reports, kept);
    const sure = found.filter(f => f.count > 3 * f.sd);
    stage.append(
      facts(["devices", PEOPLE.toLocaleString("en")], ["bytes each", String(reports[0].length)], ["put together", `${found.length} words`], ["found for sure", `${sure.length} of ${s.words}`]),
      h("h2", {}, "Most frequent pieces"), h("div", { class: "cards three" }, ...kept.map(pieces)),
      h("h2", {}, "Words put together"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Words" }, h("table", {},
        h("thead", {}, h("tr", {}, ...["Word", "Puzzle", "Estimate", "Truth", ""].map(t => h("th", { scope: "col" }, t)))),
        h("tbody", {}, ...found.slice(0, 10).map(f => h("tr", {}, h("td", {}, f.word), h("td", { class: "number" }, String(puzzleHash(p, f.word))),
          h("td", { class: "number" }, `${Math.round(f.count)} ± ${Math.round(1.96 * f.sd)}`), h("td", { class: "number" }, String(counts[words.indexOf(f.word)] ?? 0)),
          h("td", {}, f.count > 3 * f.sd ? "found" : "could be chance")))))), handOn(p, epsilon, reports));
  },
  notice: [
    "The hash is what ties pieces together: without it “ra”, “st” and “en” could come from any words.",
    "A word put together must hash to the same puzzle itself. That throws out nearly all wrong combinations.",
    "Half of epsilon goes to the piece, half to the whole word, whose own sketch then tests it.",
    "Rare words lose a piece, and with it the whole word. Keep more pieces, or ask more people.",
  ],
  command: s => `printf '%s\\n' 'protocol sfp' 'size 6' 'width 256' 'hashes 2' 'groups 16' 'grain 8' 'epsilon ${rounded(10 ** s.epsilon / 2)}' 'second ${rounded(10 ** s.epsilon / 2)}' > params
sotto local privacy --params params`,
});
