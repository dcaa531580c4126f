// The owner's page of people: who has a key, new keys, and an end to old ones.

import { Person, get, post } from "./api";
import { h, replace } from "./dom";
import { day } from "./format";

export async function peoplePage(root: HTMLElement): Promise<void> {
  const { users } = await get<{ users: Person[] }>("users");
  const message = h("div", { role: "status", "aria-live": "polite" });
  const act = async (name: string, what: string): Promise<void> => {
    try {
      const reply = await post<{ key?: string }>(`users/${encodeURIComponent(name)}/${what}`);
      if (reply.key) replace(message, keyView(name, reply.key));
      else await peoplePage(root);
    } catch (e) {
      replace(message, h("p", { class: "error" }, (e as Error).message));
    }
  };
  replace(root, h("h1", {}, "People"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "People" }, h("table", { class: "wide people" },
      h("thead", {}, h("tr", {}, ...["Name", "Role", "Share", "Since", "Key"].map(t => h("th", { scope: "col", class: t === "Since" ? "when" : "" }, t)))),
      h("tbody", {}, ...users.map(u => h("tr", {},
        h("td", {}, u.name), h("td", {}, u.revoked ? "revoked" : u.role, u.collection && h("small", {}, ` of ${u.collection}`)),
        h("td", {}, u.role === "device" ? "" : u.share ?? "all"), h("td", { class: "when" }, day(u.made)),
        h("td", {}, h("div", { class: "tools" },
          twice("New key", `New key for ${u.name}`, "End the old one?", () => void act(u.name, "rotate")),
          !u.revoked && twice("Revoke", `Revoke ${u.name}`, "Sure?", () => void act(u.name, "revoke"))))))))),
    message, addForm(root, message));
}

/** A button that ends something asks once more. */
function twice(name: string, label: string, question: string, act: () => void): HTMLElement {
  let sure = false;
  const say = (yes: boolean): void => {
    sure = yes;
    b.textContent = yes ? question : name;
    b.setAttribute("aria-label", yes ? `${label}: ${question}` : label);
    b.classList.toggle("warn", yes);
  };
  const b = h("button", { type: "button", click: () => (sure ? act() : say(true)), blur: () => say(false) });
  say(false);
  return b;
}

function keyView(name: string, key: string): HTMLElement {
  const copy = h("button", {
    type: "button", click: () => void navigator.clipboard?.writeText(key).then(() => { copy.textContent = "Copied"; }, () => undefined),
  }, "Copy");
  return h("div", { class: "card shown-once" }, h("p", {}, `The key of ${name}. It is not shown again.`), h("code", { class: "key" }, key), copy);
}

function addForm(root: HTMLElement, message: HTMLElement): HTMLElement {
  const name = h("input", { id: "new-name", required: true, maxlength: 63, autocomplete: "off" });
  const role = h("select", { id: "new-role" }, ...["analyst", "owner", "device"].map(r => h("option", {}, r)));
  const share = h("input", { id: "new-share", placeholder: "all, or 1/4", autocomplete: "off" });
  const collection = h("input", { id: "new-collection", autocomplete: "off", required: true });
  const shareLabel = h("label", { for: "new-share" }, "Share of the budget", share);
  const collectionLabel = h("label", { for: "new-collection" }, "Collection", collection);
  const suit = (): void => {
    shareLabel.hidden = role.value !== "analyst";
    collectionLabel.hidden = collection.disabled = role.value !== "device";
  };
  role.addEventListener("change", suit);
  suit();
  return h("form", {
    class: "line",
    submit: async (e: Event) => {
      e.preventDefault();
      try {
        const reply = await post<{ name: string; key: string }>("users", {
          name: name.value, role: role.value, share: (role.value === "analyst" && share.value) || undefined,
          collection: role.value === "device" ? collection.value : undefined,
        });
        await peoplePage(root);
        root.querySelector("[role=status]")?.append(keyView(reply.name, reply.key));
      } catch (problem) {
        replace(message, h("p", { class: "error" }, (problem as Error).message));
      }
    },
  }, h("h2", {}, "Add somebody"), h("label", { for: "new-name" }, "Name", name), h("label", { for: "new-role" }, "Role", role),
    shareLabel, collectionLabel, h("button", { class: "primary" }, "Add"));
}
