// The page's only script: randomize here, keep the secret in this browser, send the report.
import { Client } from "./sotto-client.js";
import params from "./params.js";

const KEY = "sotto-keyboard-layout";
const COLLECTOR = new URLSearchParams(location.search).get("collector") ?? "/reports";
const status = document.getElementById("status");

const load = () => {
  const text = localStorage.getItem(KEY);
  return text ? Uint8Array.from(atob(text), (c) => c.charCodeAt(0)) : null;
};
const save = (state) => localStorage.setItem(KEY, btoa(String.fromCharCode(...state)));

document.getElementById("question").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const client = await Client.open(params, load(), { metric: "keyboard-layout" });
    client.encode(Number(document.getElementById("layout").value));
    await client.send(COLLECTOR, { save }); // stores the state before anything leaves
    status.textContent = "Sent. Thank you!";
  } catch (error) {
    status.textContent = `Not sent: ${error.message}.`;
  }
});
