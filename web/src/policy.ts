// The owner's policy: edited here, compared with what holds, checked by the server, then saved.

import { Problem, get, isMissing, put } from "./api";
import { Line, diff, excerpt } from "./diff";
import { h, replace } from "./dom";
import type { Editor } from "./editor";
import { placeOf } from "./place";

const READ_ONLY = "This server does not take a policy from the browser: edit the file, then run sotto policy accept.";

export async function policyPage(root: HTMLElement): Promise<void> {
  const [{ text }, { yamlEditor }] = await Promise.all([get<{ text: string }>("policy"), import("./editor")]);
  const review = h("section", { class: "review", "aria-live": "polite", "aria-label": "Changes" });
  const button = h("button", { type: "button", class: "primary", disabled: true, click: () => showChanges() }, "Review the change");
  let saved = text;
  const editor = yamlEditor({
    label: "Policy", text,
    changed: () => { button.disabled = editor.text() === saved; editor.mark([]); replace(review); },
  });
  const showChanges = (): void => {
    const lines = diff(saved, editor.text());
    replace(review, h("h2", {}, "What changes"), difference(lines),
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
      replace(review, h("p", { class: "good" }, "The policy is saved and holds from now on."), changes(reply));
    } catch (e) {
      refuse(e as Error, editor, review, () => void save(true));
    }
  };
  replace(root, h("h1", {}, "Policy"),
    h("p", { class: "hint" }, "What is protected, what may be asked, how much may be spent. Nothing is saved before you have seen the change."),
    h("div", { class: "policy" }, editor.element), h("div", { class: "tools" }, button), review);
}

function refuse(e: Error, editor: Editor, review: HTMLElement, accept: () => void): void {
  const place = placeOf(e.message);
  const weaker = e instanceof Problem && (e.status === 409 || /accept/.test(e.code) || "weakens" in e.body || "changes" in e.body);
  editor.mark(place ? [{ place, message: e.message }] : []);
  review.querySelectorAll(".verdict").forEach(old => old.remove());
  review.append(h("div", { class: "verdict", role: "alert" },
    h("p", { class: "error" }, isMissing(e) ? READ_ONLY : e.message),
    e instanceof Problem ? changes(e.body) : "",
    weaker && !isMissing(e) ? h("button", { type: "button", click: accept }, "Save it all the same: I accept that people are protected less") : ""));
}

/** What the server says of the change: texts, or objects with a text, under the name changes. */
function changes(reply: Record<string, unknown>): HTMLElement {
  const list = Array.isArray(reply.changes) ? reply.changes : [];
  const text = (c: unknown): string => typeof c === "string" ? c : Object.values(c as object).filter(v => typeof v === "string").join(": ");
  return h("ul", { class: "list" }, ...list.map(c =>
    h("li", {}, text(c), (c as { weakens?: boolean }).weakens === true && h("strong", { class: "error" }, " (protects less)"))));
}

function difference(lines: Line[]): HTMLElement {
  const sign = { same: " ", gone: "−", new: "+" };
  return h("pre", { class: "diff", tabindex: 0, "aria-label": "Changed lines" }, ...excerpt(lines, 2).map(l =>
    l ? h("span", { class: l.kind }, `${sign[l.kind]} ${l.text}\n`) : h("span", { class: "soft" }, "  …\n")));
}
