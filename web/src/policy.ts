// The owner's policy: edited here, compared with what holds, checked by the server, then saved.

import { Problem, get, isMissing, put } from "./api";
import { boundsForm } from "./bounds";
import { Line, diff, excerpt } from "./diff";
import { h, replace } from "./dom";
import type { Editor } from "./editor";
import { limitsForm } from "./limits";
import { placeOf } from "./place";

const READ_ONLY = "This server does not take a policy from the browser: edit the file, then run sotto policy accept.";
const WEAKER = "This changes what was promised to the people in the data. It is not saved yet.";

export async function policyPage(root: HTMLElement): Promise<void> {
  const [{ text }, { yamlEditor }] = await Promise.all([get<{ text: string }>("policy"), import("./editor")]);
  const review = h("section", { class: "review", "aria-live": "polite", "aria-label": "Changes" });
  const button = h("button", { type: "button", class: "primary", disabled: true, click: () => void showChanges() }, "Review the change");
  let saved = text;
  const editor = yamlEditor({
    label: "Policy", text,
    changed: () => { button.disabled = editor.text() === saved; editor.mark([]); replace(review); },
  });
  /** The server looks at the text first, and saves nothing. */
  const showChanges = async (): Promise<void> => {
    const text = editor.text();
    let meaning: HTMLElement | "" = "";
    try {
      meaning = changes(await put<Record<string, unknown>>("policy", { text, look: true }));
    } catch (e) {
      replace(review, h("h2", {}, "What changes"), difference(diff(saved, text)));
      return refuse(e as Error, editor, review);
    }
    replace(review, h("h2", {}, "What changes"), difference(diff(saved, text)), meaning,
      h("div", { class: "tools" },
        h("button", { type: "button", class: "primary", click: () => void save(false) }, "Save"),
        h("button", { type: "button", click: () => { editor.set(saved); } }, "Take it back")));
  };
  const save = async (accept: boolean): Promise<void> => {
    const wanted = editor.text();
    try {
      const reply = await put<Record<string, unknown>>("policy", { text: wanted, accept });
      saved = wanted;
      button.disabled = true;
      replace(review, h("p", { class: "good" }, "The policy is saved and in force from now on."), changes(reply));
    } catch (e) {
      refuse(e as Error, editor, review, () => void save(true));
    }
  };
  const written = async (): Promise<void> => {
    saved = (await get<{ text: string }>("policy")).text;
    editor.set(saved);
  };
  replace(root, h("h1", {}, "Policy"),
    h("p", { class: "hint" }, "What is protected, what may be asked, how much may be spent. Nothing is saved before you have seen the change."),
    h("div", { class: "policy" }, editor.element), h("div", { class: "tools" }, button), review,
    await boundsForm(written), await limitsForm(written));
}

function refuse(e: Error, editor: Editor, review: HTMLElement, accept?: () => void): void {
  const place = placeOf(e.message);
  const weaker = e instanceof Problem && e.code === "needs-accept";
  editor.mark(place ? [{ place, message: e.message }] : []);
  review.querySelectorAll(".verdict").forEach(old => old.remove());
  review.append(h("div", { class: "verdict", role: "alert" },
    h("p", { class: "error" }, isMissing(e) ? READ_ONLY : weaker ? WEAKER : e.message),
    weaker && accept ? h("button", { type: "button", click: accept }, "Save it all the same: I accept what changes for them") : ""));
}

/** What the change means, in the server's words. */
function changes(reply: Record<string, unknown>): HTMLElement {
  const list = (Array.isArray(reply.changes) ? reply.changes : []) as { text: string; weakens: boolean }[];
  return h("ul", { class: "changes" }, ...list.map(c =>
    h("li", {}, c.text, c.weakens && h("strong", { class: "error" }, " (has to be accepted)"))));
}

function difference(lines: Line[]): HTMLElement {
  const sign = { same: " ", gone: "−", new: "+" };
  return h("pre", { class: "diff", tabindex: 0, "aria-label": "Changed lines" }, ...excerpt(lines, 2).map(l =>
    l ? h("span", { class: l.kind }, `${sign[l.kind]} ${l.text}\n`) : h("span", { class: "soft" }, "  …\n")));
}
