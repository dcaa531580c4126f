// The frame of a lab page: something to move, something to see, something to notice, and the command.

import { h, replace } from "../dom";

export interface Slider { kind: "slider"; label: string; min: number; max: number; step: number; value: number; show?: (v: number) => string }
export interface Choice { kind: "choice"; label: string; options: Record<string, string>; value: string }
export type Control = Slider | Choice;
export type Controls = Record<string, Control>;
/** What the controls say; a slider's value is a number, a choice's the name of an option. */
export type Settings<C extends Controls> = { [K in keyof C]: C[K] extends Slider ? number : string };

export interface Topic<C extends Controls = Controls> {
  title: string;
  lead: string;
  controls: C;
  /** Buttons that draw made-up data or noise anew. */
  again?: string;
  /** Drawing takes long enough that a moving slider should come to rest first. */
  slow?: boolean;
  /** Fills the stage; called again whenever something was moved. */
  draw: (s: Settings<C>, stage: HTMLElement, seed: number) => void | Promise<void>;
  notice: string[];
  command: (s: Settings<C>) => string;
}

/** Lets the types of a topic's settings follow from its controls. */
export const topic = <C extends Controls>(t: Topic<C>): Topic => t as unknown as Topic;

export const slider = (label: string, min: number, max: number, step: number, value: number, show?: (v: number) => string): Slider =>
  ({ kind: "slider", label, min, max, step, value, show });

/** A slider whose thumb moves over powers: its setting is the exponent of ten. */
export const powers = (label: string, min: number, max: number, value: number, show?: (v: number) => string): Slider =>
  slider(label, min, max, 0.05, value, v => (show ?? rounded)(10 ** v));

export const choice = (label: string, options: Record<string, string>, value: string): Choice => ({ kind: "choice", label, options, value });

export const rounded = (x: number): string => String(Number(x.toPrecision(2)));

/** Where a lecture goes on. */
export interface Around { before?: { id: string; name: string }; after?: { id: string; name: string } }

export function topicPage(root: HTMLElement, t: Topic, around: Around = {}): void {
  const values: Record<string, number | string> = {}, settings = values as unknown as Settings<Controls>;
  const stage = h("div", { class: "stage", role: "group", "aria-label": "Picture" });
  const command = h("code");
  let seed = 1, turn = 0, timer = 0;
  const draw = async (): Promise<void> => {
    const mine = ++turn, next = h("div");
    command.textContent = t.command(settings);
    await t.draw(settings, next, seed);
    if (mine === turn) replace(stage, next);
  };
  const soon = (): void => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void draw(), t.slow ? 120 : 0);
  };
  const fields = Object.entries(t.controls).map(([id, c]) => {
    values[id] = c.value;
    return field(id, c, v => { values[id] = v; soon(); });
  });
  replace(root, h("p", { class: "crumb" }, h("a", { href: "#lab" }, "Lab")), h("h1", {}, t.title), h("p", { class: "lead" }, t.lead),
    h("div", { class: "lab" },
      h("div", { class: "moves" }, h("h2", {}, "Move"), ...fields,
        t.again && h("button", { type: "button", click: () => { seed++; void draw(); } }, t.again)),
      stage, h("div", { class: "see" }, h("h2", {}, "Notice"), h("ul", { class: "notice" }, ...t.notice.map(n => h("li", {}, n))))),
    h("section", { class: "command" }, h("h2", {}, "The same on the command line"), h("pre", { tabindex: 0, "aria-label": "Command" }, command)),
    h("nav", { class: "around", "aria-label": "Other topics" },
      around.before ? h("a", { href: `#lab/${around.before.id}`, rel: "prev" }, `← ${around.before.name}`) : h("span"),
      around.after && h("a", { href: `#lab/${around.after.id}`, rel: "next" }, `${around.after.name} →`)),
    h("p", { class: "hint" }, "All data on this page are made up, and its noise is only for illustration: for real data use the program."));
  void draw();
}

function field(id: string, c: Control, set: (v: number | string) => void): HTMLElement {
  if (c.kind === "choice") {
    const select = h("select", { id: "lab-" + id, change: () => set(select.value) },
      ...Object.entries(c.options).map(([value, text]) => h("option", { value, selected: value === c.value }, text)));
    return h("label", { for: "lab-" + id }, c.label, select);
  }
  const show = c.show ?? String, out = h("output", { for: "lab-" + id }, show(c.value));
  const input = h("input", {
    id: "lab-" + id, type: "range", min: c.min, max: c.max, step: c.step, value: c.value, "aria-valuetext": show(c.value),
    input: () => {
      const v = Number(input.value);
      out.textContent = show(v);
      input.setAttribute("aria-valuetext", show(v));
      set(v);
    },
  });
  return h("label", { for: "lab-" + id, class: "slide" }, h("span", {}, c.label, " ", out), input);
}

/** Figures in a row: a number large, what it is below. */
export function facts(...list: [string, string][]): HTMLElement {
  return h("dl", { class: "facts" }, ...list.map(([what, figure]) => h("div", {}, h("dt", {}, what), h("dd", {}, figure))));
}

export const figure = (caption: string, ...pictures: Node[]): HTMLElement => h("figure", {}, h("figcaption", {}, caption), ...pictures);
