// The frame of the console: who is logged in, the pages, and going from one to another.

import { Person, Problem, get, post } from "./api";
import { askPage } from "./ask";
import { budgetPage } from "./budget";
import { h, replace } from "./dom";
import { peoplePage, policyPage } from "./owner";

interface Page { name: string; show: (root: HTMLElement) => Promise<void>; owner?: boolean }

const pages: Record<string, Page> = {
  ask: { name: "Ask", show: askPage },
  budget: { name: "Budget", show: budgetPage },
  people: { name: "People", show: peoplePage, owner: true },
  policy: { name: "Policy", show: policyPage, owner: true },
};

const app = document.getElementById("app") as HTMLElement;
let person: Person | undefined;

function header(current: string): HTMLElement {
  return h("header", {},
    h("a", { class: "brand", href: "#ask" }, "sotto"),
    h("nav", { "aria-label": "Pages" }, ...Object.entries(pages)
      .filter(([, p]) => !p.owner || person?.role === "owner")
      .map(([id, p]) => h("a", { href: "#" + id, "aria-current": id === current ? "page" : undefined }, p.name))),
    h("span", { class: "who" }, person?.name ?? "",
      h("button", { type: "button", class: "link", click: () => void logout() }, "Log out")));
}

async function logout(): Promise<void> {
  await post("logout").catch(() => undefined);
  person = undefined;
  loginPage("");
}

async function show(): Promise<void> {
  const id = location.hash.slice(1) in pages ? location.hash.slice(1) : "ask";
  const root = h("div", { class: "page" });
  replace(app, header(id), root);
  try {
    await pages[id].show(root);
  } catch (e) {
    if (e instanceof Problem && e.status === 401) loginPage("");
    else replace(root, h("p", { class: "error", role: "alert" }, (e as Error).message));
  }
}

function loginPage(message: string): void {
  const key = h("input", { id: "key", type: "password", required: true, autocomplete: "current-password" });
  replace(app, h("form", {
    class: "login",
    submit: (e: Event) => { e.preventDefault(); void login({ key: key.value.trim() }); },
  }, h("h1", {}, "sotto"), h("p", {}, "Statistics about people, with a proven guarantee."),
    h("label", { for: "key" }, "Your key", key), h("button", { class: "primary" }, "Log in"),
    message !== "" && h("p", { class: "error", role: "alert" }, message)));
  key.focus();
}

async function login(proof: { key?: string; token?: string }): Promise<void> {
  try {
    person = await post<Person>("login", proof);
    if (proof.token) history.replaceState(null, "", "#ask");
    await show();
  } catch (e) {
    loginPage((e as Error).message);
  }
}

async function start(): Promise<void> {
  const link = /^#login=([0-9a-f]+)$/.exec(location.hash);
  window.addEventListener("hashchange", () => { if (person) void show(); });
  if (link) return login({ token: link[1] });
  try {
    person = await get<Person>("me");
  } catch {
    return loginPage("");
  }
  await show();
}

void start();
