// The frame of the console: who is logged in, the pages, and going from one to another.

import { Login, Me, get, post, whenEnded } from "./api";
import { h, replace } from "./dom";
import { adoptSession, beginSession, endSession, session, whenSessionChanges } from "./session";

interface Page {
  name: string;
  load: () => Promise<(root: HTMLElement, me: Me) => Promise<void>>;
  owner?: boolean;
}

const pages: Record<string, Page> = {
  ask: { name: "Ask", load: async () => (await import("./ask")).askPage },
  budget: { name: "Budget", load: async () => (await import("./budget")).budgetPage },
  collections: { name: "Collections", load: async () => (await import("./collections")).collectionsPage },
  people: { name: "People", load: async () => (await import("./people")).peoplePage, owner: true },
  policy: { name: "Policy", load: async () => (await import("./policy")).policyPage, owner: true },
};

const app = document.getElementById("app") as HTMLElement;
let person: Me | undefined;
let turn = 0;
let loading = false;
/** A page with what somebody was writing on it, until the same person has logged in again. */
let kept: { name: string; hash: string; nodes: Element[] } | undefined;

function header(current: string): HTMLElement {
  const link = (id: string, name: string): HTMLElement =>
    h("a", { href: "#" + id, "aria-current": id === current ? "page" : undefined }, name);
  return h("header", {},
    h("a", { class: "skip", href: "#content", click: (e: Event) => { e.preventDefault(); document.getElementById("content")?.focus(); } }, "Skip to the page"),
    h("a", { class: "brand", href: person ? "#ask" : "#lab" }, "sotto"),
    h("nav", { "aria-label": "Pages" },
      ...Object.entries(pages).filter(([, p]) => person && (!p.owner || person.role === "owner")).map(([id, p]) => link(id, p.name)),
      link("lab", "Lab")),
    h("span", { class: "who" }, person?.name ?? "", person
      ? h("button", { type: "button", class: "link", click: () => void logout() }, "Log out")
      : h("a", { href: "#ask" }, "Log in")));
}

async function logout(): Promise<void> {
  await post("logout").catch(() => undefined);
  endSession();
  person = undefined;
  turn++;
  loginPage("");
}

/** The lab works on made-up data: it needs no key.  Every other page does. */
async function show(): Promise<void> {
  const mine = ++turn;
  const [first, second] = location.hash.slice(1).split("/");
  const id = first === "lab" ? "lab" : first in pages && (!pages[first].owner || person?.role === "owner") ? first : "ask";
  if (id !== "lab" && !person) return loginPage("");
  const root = h("main", { id: "content", class: "page", tabindex: -1 });
  replace(app, header(id), root);
  window.scrollTo(0, 0);
  loading = true;
  try {
    if (id === "lab") await (await import("./lab/index")).labPage(root, second ?? "");
    else await (await pages[id].load())(root, person as Me);
    if (mine === turn) document.title = `${root.querySelector("h1")?.textContent ?? "sotto"} · sotto`;
  } catch (e) {
    if (mine === turn) replace(root, h("p", { class: "error", role: "alert" }, (e as Error).message));
  } finally {
    if (mine === turn) loading = false;
  }
}

/** The login did not last.  What was being written is there again afterwards; Ask keeps it by itself. */
function logInAgain(): void {
  if (!person) return endSession();
  const writes = /^#(policy|people)/.test(location.hash);
  kept = loading || !writes ? undefined : { name: person.name, hash: location.hash, nodes: [...app.children] };
  endSession();
  person = undefined;
  turn++;
  if (adoptSession()) return void resume();
  loginPage("You are no longer logged in. Log in to go on; what you wrote is kept.");
}

/** Where it can go on after a new login; false if there is nothing to go back to. */
function goBack(): boolean {
  const back = kept;
  kept = undefined;
  if (!back || back.name !== person?.name || back.hash !== location.hash) return false;
  replace(app, ...back.nodes);
  document.title = `${app.querySelector("h1")?.textContent ?? "sotto"} · sotto`;
  return true;
}

function loginPage(message: string): void {
  const key = h("input", { id: "key", type: "password", required: true, autocomplete: "current-password" });
  document.title = "Log in · sotto";
  replace(app, h("main", { class: "door" }, h("form", {
    class: "login",
    submit: (e: Event) => { e.preventDefault(); void login({ key: key.value.trim() }); },
  }, h("h1", {}, "sotto"), h("p", {}, "Statistics about people, with a proven privacy guarantee."),
    h("label", { for: "key" }, "Your key", key), h("button", { class: "primary" }, "Log in"),
    message !== "" && h("p", { class: "error", role: "alert" }, message),
    h("p", { class: "hint" }, "No key yet? ", h("a", { href: "#lab" }, "Visit the lab"), ": it works on made-up data."))));
  key.focus();
}

async function login(proof: { key?: string; token?: string }): Promise<void> {
  try {
    const reply = await post<Login>("login", proof);
    beginSession(reply.session);
    person = reply;
    if (proof.token || location.hash === "") history.replaceState(null, "", "#ask");
    if (!goBack()) await show();
  } catch (e) {
    loginPage((e as Error).message);
  }
}

/** Goes on with the login that is stored, if there is one. */
async function resume(): Promise<void> {
  person = session() ? await get<Me>("me").catch(() => undefined) : undefined;
  if (!person || !goBack()) await show();
}

/** Another tab has logged in or out: its login is also for a tab that has none.  The lab goes on without one. */
function hear(ended: boolean): void {
  if (ended && location.hash.startsWith("#lab")) {
    endSession();
    person = undefined;
    app.querySelector("header")?.replaceWith(header("lab"));
  } else if (ended) logInAgain();
  else if (!person && adoptSession()) void resume();
}

async function start(): Promise<void> {
  whenEnded(logInAgain);
  whenSessionChanges(hear);
  const link = /^#login=([0-9a-f]+)$/.exec(location.hash);
  window.addEventListener("hashchange", () => void show());
  if (link) return login({ token: link[1] });
  await resume();
}

void start();
