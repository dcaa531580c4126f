// A device in JavaScript: randomizes one value and writes a batch that `sotto local collect` takes.
//
//   node device.mjs SOTTO_CLIENT.js PARAMS.js STATE VALUE > batch
//
// In an application the first two are imports: "sotto-client" and the module that
// `sotto local params --to js` printed.
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [library, parameters, stateFile, value] = process.argv.slice(2);
const { Client } = await import(pathToFileURL(library).href);
const { default: params } = await import(pathToFileURL(parameters).href);

const save = (state) => {
  writeFileSync(`${stateFile}.new`, state, { mode: 0o600, flush: true });
  renameSync(`${stateFile}.new`, stateFile);
};

const stored = existsSync(stateFile) ? new Uint8Array(readFileSync(stateFile)) : null;
const client = await Client.open(params, stored, { metric: "keyboard-layout", limits: { perDay: 10, values: 4 } });
client.encode(params.takes === "number" ? Number(value) : value);
const bytes = client.batch();
save(client.state); // before anything leaves
process.stdout.write(bytes);
client.confirm();
save(client.state);
