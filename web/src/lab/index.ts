// The lab: what the lectures tell, to be moved by hand.  Each page is loaded when it is shown.

import { h, replace } from "../dom";
import type { Topic } from "./page";

interface Entry { id: string; name: string; about: string; load: () => Promise<{ default: Topic }> }

export const chapters: { name: string; entries: Entry[] }[] = [
  {
    name: "Noise", entries: [
      { id: "response", name: "Randomized response", about: "Two coins protect a yes or a no.", load: () => import("./topics/response") },
      { id: "laplace", name: "Laplace noise", about: "Noise with a sharp peak, and what epsilon means for it.", load: () => import("./topics/laplace") },
      { id: "geometric", name: "Geometric noise", about: "The same on whole numbers, exactly.", load: () => import("./topics/geometric") },
      { id: "truncated", name: "Truncated noise", about: "Answers that stay in their range.", load: () => import("./topics/truncated") },
      { id: "gaussian", name: "Gaussian noise", about: "What a little delta buys.", load: () => import("./topics/gaussian") },
      { id: "clipping", name: "Clipping and sensitivity", about: "Less noise against more bias.", load: () => import("./topics/clipping") },
    ],
  },
  {
    name: "Choices and streams", entries: [
      { id: "exponential", name: "Exponential mechanism", about: "Choosing well without revealing a single vote.", load: () => import("./topics/exponential") },
      { id: "sparse", name: "Sparse vector", about: "Many questions for the price of one, and versions that leak.", load: () => import("./topics/sparse") },
      { id: "composition", name: "Composition", about: "What many answers cost together, by every theorem.", load: () => import("./topics/composition") },
    ],
  },
  {
    name: "Attacks", entries: [
      { id: "averaging", name: "Averaging", about: "Asking the same again and again.", load: () => import("./topics/averaging") },
      { id: "differencing", name: "Differencing", about: "Two harmless questions, one secret.", load: () => import("./topics/differencing") },
    ],
  },
  {
    name: "Usefulness", entries: [
      { id: "utility", name: "Utility", about: "How useful a mechanism is to a user.", load: () => import("./topics/utility") },
      { id: "optimal", name: "Optimal mechanisms", about: "The best mechanism for a user, as a heat map.", load: () => import("./topics/optimal") },
    ],
  },
  {
    name: "Devices that protect themselves", entries: [
      { id: "rappor", name: "RAPPOR", about: "Strings in noisy Bloom filters.", load: () => import("./topics/rappor") },
      { id: "sketch", name: "Count sketch", about: "Each device sends one row of a hash table.", load: () => import("./topics/sketch") },
      { id: "puzzle", name: "Fragment puzzle", about: "Words that nobody listed.", load: () => import("./topics/puzzle") },
      { id: "mean", name: "One bit for a mean", about: "A number in a single bit.", load: () => import("./topics/mean") },
      { id: "dbitflip", name: "dBitFlip", about: "A histogram from a few bits of each device.", load: () => import("./topics/dbitflip") },
    ],
  },
  {
    name: "Hierarchies", entries: [
      { id: "census", name: "A small census", about: "Noisy tables that add up.", load: () => import("./topics/census") },
    ],
  },
];

export async function labPage(root: HTMLElement, id: string): Promise<void> {
  const all = chapters.flatMap(c => c.entries), at = all.findIndex(e => e.id === id), entry = all[at];
  if (entry) {
    const [page, loaded] = await Promise.all([import("./page"), entry.load()]);
    return page.topicPage(root, loaded.default, { before: all[at - 1], after: all[at + 1] });
  }
  replace(root, h("h1", {}, "Lab"),
    h("p", { class: "lead" }, "Try out how privacy works. All data here are made up."),
    ...chapters.map(c => h("section", {}, h("h2", {}, c.name), h("div", { class: "cards" }, ...c.entries.map(e =>
      h("a", { class: "card", href: `#lab/${e.id}` }, h("strong", {}, e.name), h("p", { class: "hint" }, e.about)))))));
}
