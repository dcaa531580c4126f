// Tests of the JavaScript package, in Node, against an HTTP server that misbehaves.
//
//   node device_client.mjs SOTTO_CLIENT.js NUMBERS.mjs TEXTS.mjs
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const [library, numbersFile, textsFile] = process.argv.slice(2);
const { Client, SottoError } = await import(pathToFileURL(library).href);
const { default: numbers } = await import(pathToFileURL(numbersFile).href);
const { default: texts } = await import(pathToFileURL(textsFile).href);

let count = 0;
let failed = 0;
const ok = (holds, name) => {
  count++;
  if (!holds) failed++;
  console.log(`${holds ? "ok" : "not ok"} ${count} - ${name}`);
};
const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
const codeOf = async (run) => {
  try {
    await run();
    return "none";
  } catch (error) {
    return error instanceof SottoError ? error.code : `another error: ${error}`;
  }
};

// ---- values and state
const one = await Client.open(numbers, null);
const first = one.encode(3);
ok(first.length === numbers.reportBytes, "a report has the length of the collection");
const reopened = await Client.open(numbers, one.state);
ok(same(reopened.encode(3), first), "a memoized answer is the same after the state was stored");
ok(reopened.pending === 2, "reports that wait are part of the state");
ok((await codeOf(() => Client.open(numbers, one.state, { metric: "another" }))) === "ESTATE",
  "the state of another metric is refused");
ok((await codeOf(() => Client.open(texts, one.state))) !== "none", "the state of another collection is refused");
let unseen = 0;
const state = one.state;
for (let bit = 0; bit < 8 * state.length; bit++) {
  const damaged = state.slice();
  damaged[bit >> 3] ^= 1 << (bit & 7);
  if ((await codeOf(() => Client.open(numbers, damaged))) === "none") unseen++;
}
ok(unseen === 0, "every flipped bit of the state is seen");
ok((await codeOf(() => Client.open(numbers, state.slice(0, 40)))) === "ECORRUPT", "so is a state cut short");

// ---- what is refused costs nothing
const before = one.state;
for (const [value, code, name] of [
  ["three", "EINVAL", "a text where numbers are collected"],
  [8, "ERANGE", "a number past the domain"],
  [-1, "ERANGE", "a negative number"],
  [0.5, "EINVAL", "half a number"],
  [NaN, "EINVAL", "no number"],
  [2n ** 64n, "ERANGE", "a number of 65 bits"],
]) {
  ok((await codeOf(() => one.encode(value))) === code, `${name} is refused`);
}
ok(same(one.state, before), "and the state is as it was");
ok((await codeOf(async () => (await Client.open(texts, null)).encode("x".repeat(1025)))) === "ERANGE",
  "a text of more than a kilobyte is refused");
const dry = () => {
  throw new Error("no entropy");
};
ok((await codeOf(() => Client.open(numbers, null, { entropy: dry }))) === "EENTROPY", "without entropy there is no secret");
let day = 100;
const limited = await Client.open(numbers, null, { limits: { perDay: 2, values: 2 }, today: () => day });
limited.encode(1);
limited.encode(1);
ok((await codeOf(() => limited.encode(1))) === "EBUDGET", "the third report of a day is refused");
day = 101;
limited.encode(2);
ok((await codeOf(() => limited.encode(3))) === "EBUDGET", "and so is a third value");
ok(limited.pending === 3, "what was refused is not sent");

// ---- sending
const received = [];
const silent = [];
let answers = [];
const server = createServer((request, reply) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    received.push(new Uint8Array(Buffer.concat(parts)));
    const answer = answers.shift() ?? 202;
    if (answer === "hang up") request.socket.destroy();
    else if (answer === "silence") silent.push(reply);
    else {
      reply.statusCode = answer;
      reply.end(answer === 400 ? '{"detail":"of another collection"}' : "");
    }
  });
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const url = `http://127.0.0.1:${server.address().port}/reports`;
const quick = { pause: 1 };

answers = [503, "hang up", 429];
ok((await reopened.send(url, quick)) === 1, "one batch arrives after three failures");
ok(received.length === 4 && received.every((bytes) => same(bytes, received[0])), "and every try sent the same bytes");
ok(reopened.batch() === null && reopened.pending === 0, "then nothing waits");
ok((await reopened.send(url, quick)) === 0 && received.length === 4, "and nothing is sent");

answers = [400];
reopened.encode(3);
ok((await codeOf(() => reopened.send(url, quick))) === "EREFUSED", "a refused batch says so");
ok(reopened.batch() === null, "and is dropped");

for (const status of [401, 403, 404, 405]) {
  answers = [status];
  reopened.encode(3);
  ok((await codeOf(() => reopened.send(url, quick))) === "EIO", `a reply ${status} is not a verdict on the batch`);
  ok(reopened.batch() !== null && (await reopened.send(url, quick)) >= 1, "which is kept and sent later");
}

received.length = 0;
answers = [500, 500];
reopened.encode(3);
ok((await codeOf(() => reopened.send(url, { pause: 1, retries: 1 }))) === "EIO", "a collector that fails is given up");
const kept = await Client.open(numbers, reopened.state);
kept.encode(3);
ok((await kept.send(url, quick)) === 2, "the batch is in the stored state and is sent first");
ok(same(received[0], received[2]), "with the bytes of the first try");
ok(!same(received[2].slice(12, 28), received[3].slice(12, 28)), "two batches have two ids");

kept.encode(3);
received.length = 0;
await Promise.all([kept.send(url, quick), kept.send(url, quick)]);
ok(received.length === 1, "two calls at once send one batch");

// ---- a device that stops at any moment
const ids = (batches) => new Set(batches.map((bytes) => bytes.slice(12, 28).join()));
const disk = { state: null };
const save = (bytes) => {
  disk.state = bytes.slice();
};
const stopping = await Client.open(numbers, null);
answers = [500];
stopping.encode(3);
await codeOf(() => stopping.send(url, { pause: 1, retries: 0, save }));
ok(disk.state !== null, "the state is stored before anything leaves");
const again = await Client.open(numbers, disk.state);
again.encode(3); // a second report, while the first batch has not arrived
received.length = 0;
const written = [];
await again.send(url, { pause: 1, save: (bytes) => void written.push(bytes.slice()) });
ok(received.length === 2 && written.length === 3, "it is stored once before and after each batch");
const first2 = received.slice();
for (const [i, bytes] of written.entries()) {
  received.length = 0;
  await (await Client.open(numbers, bytes)).send(url, quick);
  ok(ids([...first2, ...received]).size === 2 && received.length === 2 - i,
    `a device that stops after ${i} batches sends the others, and nothing under a new id`);
}
const byHand = await Client.open(numbers, disk.state);
byHand.encode(3);
byHand.batch();
const handed = byHand.state;
received.length = 0;
await byHand.send(url, quick);
await (await Client.open(numbers, handed)).send(url, quick);
ok(received.length === 4 && ids(received).size === 2, "batch() before the state is stored does the same without save");
ok((await codeOf(() => again.send(url, { save: () => { throw new SottoError("EIO", "no room"); } }))) === "none",
  "nothing is stored if there is nothing to send");
received.length = 0;
again.encode(3);
ok((await codeOf(() => again.send(url, { save: () => { throw new SottoError("EIO", "no room"); } }))) === "EIO" && received.length === 0,
  "nothing leaves if the state cannot be stored");
answers = ["silence"];
ok((await codeOf(() => again.send(url, { retries: 0, timeout: 50 }))) === "EIO", "a collector that is silent is given up");
ok((await again.send(url, quick)) === 1, "and the batch is kept");

// ---- states of an earlier version, and many reports
const word = (x) => [x & 255, (x >>> 8) & 255, (x >>> 16) & 255, (x >>> 24) & 255];
const crc32c = (bytes) => {
  let c = ~0;
  for (const byte of bytes) {
    c ^= byte;
    for (let bit = 0; bit < 8; bit++) c = (c >>> 1) ^ (c & 1 ? 0x82f63b78 : 0);
  }
  return ~c >>> 0;
};
const partsOf = (bytes) => {
  const parts = [];
  for (let at = 4; at < bytes.length - 4; ) {
    const n = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
    parts.push([...bytes.slice(at + 4, at + 4 + n)]);
    at += 4 + n;
  }
  return parts;
};
const old = await Client.open(numbers, null);
const oldAnswer = old.encode(3);
old.batch();
old.encode(3);
const [secret, ledger, waiting, outbox] = partsOf(old.state);
const body = [0x53, 0x4a, 0x53, 0x31, ...[secret, ledger, outbox, waiting].flatMap((p) => [...word(p.length), ...p])];
const revived = await Client.open(numbers, Uint8Array.from([...body, ...word(crc32c(body))]));
ok(revived.pending === 1 && same(revived.encode(3), oldAnswer), "a state of the first version is read");
received.length = 0;
ok((await revived.send(url, quick)) === 2 && same(received[0], Uint8Array.from(outbox)), "with the batch that it holds");
const busy = await Client.open(numbers, null, { limits: { perDay: 200000 } });
for (let i = 0; i < 65537; i++) busy.encode(3);
received.length = 0;
ok((await busy.send(url, quick)) === 2, "more reports than a collector takes at once go in two batches");

for (const reply of silent) reply.destroy();
server.close();
console.log(`1..${count}`);
process.exit(failed ? 1 : 0);
