// The owner's pages: people and the policy.

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
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ...["name", "role", "share", "since", ""].map(t => h("th", { scope: "col" }, t)))),
      h("tbody", {}, ...users.map(u => h("tr", {},
        h("td", {}, u.name), h("td", {}, u.revoked ? "revoked" : u.role), h("td", {}, u.share ?? ""), h("td", {}, day(u.made)),
        h("td", { class: "tools" },
          h("button", { type: "button", click: () => void act(u.name, "rotate") }, "New key"),
          !u.revoked && h("button", { type: "button", click: () => void act(u.name, "revoke") }, "Revoke"))))))),
    message, addForm(root, message));
}

function keyView(name: string, key: string): HTMLElement {
  return h("div", { class: "card" }, h("p", {}, `The key of ${name}. It is not shown again.`), h("code", { class: "key" }, key));
}

function addForm(root: HTMLElement, message: HTMLElement): HTMLElement {
  const name = h("input", { id: "new-name", required: true, maxlength: 63, autocomplete: "off" });
  const role = h("select", { id: "new-role" }, h("option", {}, "analyst"), h("option", {}, "owner"));
  const share = h("input", { id: "new-share", placeholder: "none", autocomplete: "off" });
  return h("form", {
    class: "line",
    submit: async (e: Event) => {
      e.preventDefault();
      try {
        const reply = await post<{ name: string; key: string }>("users", {
          name: name.value, role: role.value, share: share.value || undefined,
        });
        await peoplePage(root);
        root.append(keyView(reply.name, reply.key));
      } catch (problem) {
        replace(message, h("p", { class: "error" }, (problem as Error).message));
      }
    },
  }, h("h2", {}, "Add somebody"),
    h("label", { for: "new-name" }, "Name", name), h("label", { for: "new-role" }, "Role", role),
    h("label", { for: "new-share" }, "Share of the budget", share), h("button", { class: "primary" }, "Add"));
}

export async function policyPage(root: HTMLElement): Promise<void> {
  const { text } = await get<{ text: string }>("policy");
  replace(root, h("h1", {}, "Policy"),
    h("p", { class: "hint" }, "What is protected, what may be asked, how much may be spent."),
    h("pre", { class: "policy" }, text));
}
