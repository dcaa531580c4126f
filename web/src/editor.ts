// The editor for SQL and for the policy.  It lives in a shadow root, so that its styles are
// constructed sheets: the server's Content-Security-Policy allows no inline style.

import { CompletionContext, CompletionResult, autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { sql } from "@codemirror/lang-sql";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { Diagnostic, setDiagnostics } from "@codemirror/lint";
import { Extension, Prec, TransactionSpec } from "@codemirror/state";
import { EditorView, drawSelection, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { Table } from "./api";
import { questions } from "./dialect";
import { h } from "./dom";
import { sqlName } from "./name";
import { Place, span } from "./place";

const colours = syntaxHighlighting(HighlightStyle.define([
  { tag: [tags.keyword, tags.standard(tags.name)], color: "var(--word)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--word)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
]));

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", border: "1px solid var(--line)", borderRadius: ".5rem", fontSize: "15px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-content": { fontFamily: "ui-monospace, monospace", padding: ".65rem 0", minHeight: "var(--editor-height, 7rem)", caretColor: "var(--ink)" },
  ".cm-gutter": { minHeight: "var(--editor-height, 7rem)" },
  ".cm-line": { padding: "0 .75rem" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection": { backgroundColor: "var(--select) !important" },
  ".cm-gutters": { backgroundColor: "var(--ground)", color: "var(--soft)", border: "0", borderRadius: ".5rem 0 0 .5rem" },
  ".cm-placeholder": { color: "var(--soft)" },
  ".cm-tooltip": { backgroundColor: "var(--card)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: ".4rem", boxShadow: "0 6px 24px #0003", overflow: "hidden" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "ui-monospace, monospace", maxHeight: "14rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: ".15rem .6rem" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent) !important", color: "var(--accent-ink) !important" },
  ".cm-completionDetail": { color: "inherit", opacity: ".8" },
  ".cm-diagnostic": { padding: ".35rem .6rem", borderLeft: "4px solid var(--bad)" },
  ".cm-lintPoint:after": { borderBottomColor: "var(--bad)" },
});

/**
 * Typing over a selection of several lines: left to the browser, it would carry styles along in
 * attributes, which the Content-Security-Policy forbids.
 */
const typeOver = EditorView.domEventHandlers({
  beforeinput: (e, view) => {
    const { main } = view.state.selection;
    if (e.inputType !== "insertText" || e.data === null || main.empty) return false;
    e.preventDefault();
    view.dispatch({ ...view.state.replaceSelection(e.data), userEvent: "input.type", scrollIntoView: true } as TransactionSpec);
    return true;
  },
});

export interface Editor {
  element: HTMLElement;
  text: () => string;
  set: (text: string) => void;
  insert: (text: string) => void;
  focus: () => void;
  /** Underlines the places; none clears them. */
  mark: (places: { place: Place; message: string }[]) => void;
}

interface Wish { label: string; text: string; changed: () => void; submit?: () => void }

function editor(wish: Wish, language: Extension, more: Extension): Editor {
  const element = h("div", { class: "editor" });
  const root = element.attachShadow({ mode: "open" });
  const view = new EditorView({
    root, doc: wish.text,
    extensions: [
      Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (wish.submit?.(), true) }])),
      history(), drawSelection(), bracketMatching(), closeBrackets(), colours, look, typeOver, language, more,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": wish.label, "aria-multiline": "true", spellcheck: "false", autocapitalize: "off" }),
      EditorView.updateListener.of(u => { if (u.docChanged) wish.changed(); }),
      keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    ],
  });
  root.append(view.dom);
  return {
    element,
    text: () => view.state.doc.toString(),
    set: text => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    insert: text => { view.dispatch(view.state.replaceSelection(text)); view.focus(); },
    focus: () => view.focus(),
    mark: places => view.dispatch(setDiagnostics(view.state, places.map(({ place, message }): Diagnostic =>
      ({ ...span(view.state.doc.toString(), place), severity: "error", message })))),
  };
}

const about = (c: Table["columns"][number]): string =>
  c.keys ? `${c.keys.length} values` : c.bounds ? `${c.bounds[0]} to ${c.bounds[1]}` : c.type === "untyped" ? "" : c.type;

/** Whether the table's name stands in the text as a word of its own, whatever signs it is made of. */
const mentions = (text: string, table: string): boolean =>
  new RegExp(`(?<!\\w)${table.replace(/[^\w]/g, "\\$&")}(?!\\w)`, "i").test(text);

/** Columns of the tables that the question names; of all tables while it names none. */
function columns(tables: Table[]): (context: CompletionContext) => CompletionResult | null {
  return context => {
    const word = context.matchBefore(/[\w$]*/), text = context.state.doc.toString();
    if (!word || (word.from === word.to && !context.explicit) || text[word.from - 1] === ".") return null;
    const named = tables.filter(t => mentions(text, t.name)), from = named.length > 0 ? named : tables;
    return {
      from: word.from, validFor: /^[\w$]*$/,
      options: from.flatMap(t => t.columns.map(c => ({
        label: c.name, apply: sqlName(c.name), type: "property", detail: [from.length > 1 ? t.name : "", about(c)].filter(d => d !== "").join(", "), boost: 2,
      }))),
    };
  };
}

/** Names of the public schema complete: tables, columns after a table's name and a dot, and columns alone. */
export function sqlEditor(wish: Wish, tables: Table[]): Editor {
  const schema = Object.fromEntries(tables.map(t => [t.name, t.columns.map(c => ({ label: c.name, apply: sqlName(c.name), type: "property", detail: about(c) }))]));
  return editor(wish, sql({ dialect: questions, schema, upperCaseKeywords: true }),
    [questions.language.data.of({ autocomplete: columns(tables) }), autocompletion({ icons: false }),
      placeholder("SELECT …, COUNT(*) FROM … GROUP BY …")]);
}

export function yamlEditor(wish: Wish): Editor {
  return editor(wish, yaml(), lineNumbers());
}
