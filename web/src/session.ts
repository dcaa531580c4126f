// The token of this login, which goes with every request beside the cookie that the login has set.  Storage belongs to one
// address with its port, and browsers never send it by themselves; the cookie also goes to whatever else is served on this host.

const NAME = "sotto-session";

/** Where storage is forbidden, a login lasts as long as its page. */
const stored = (): string => {
  try { return localStorage.getItem(NAME) ?? ""; } catch { return ""; }
};
const store = (text: string): void => {
  try { if (text) localStorage.setItem(NAME, text); else localStorage.removeItem(NAME); } catch { /* as above */ }
};

let token = stored();

/** "" if nobody is logged in.  A tab keeps its own, so that a login in another tab does not change who asks here. */
export const session = (): string => token;

export function beginSession(text: string): void {
  token = text;
  store(text);
}

export function endSession(): void {
  if (stored() === token) store("");
  token = "";
}

/** Takes over the login of another tab; false if there is none. */
export function adoptSession(): boolean {
  if (stored() === token) return false;
  token = stored();
  return token !== "";
}

/** Calls this when another tab has logged in, or (true) has logged out what this tab uses. */
export const whenSessionChanges = (then: (ended: boolean) => void): void =>
  window.addEventListener("storage", e => {
    if (e.key === NAME) then(e.oldValue === token && !e.newValue);
  });
