// What a device keeps between visits: its secret, what it has reported so far, the reports that are not sent yet.
//
//   "SJS2", then each part as length and bytes (secret, ledger, waiting reports, each batch), then CRC-32C.
//   "SJS1" had secret, ledger, one batch or nothing, waiting reports; it is still read.
import { checksum, concat, readWord, word } from "./bytes.js";
import { SottoError } from "./error.js";

const MAGIC = 0x32534a53;
const MAGIC_1 = 0x31534a53;

export interface Stored {
  state: Uint8Array;
  ledger: Uint8Array;
  waiting: Uint8Array; // reports that are in no batch yet
  outbox: Uint8Array[]; // batches whose arrival is not confirmed, the oldest first
}

export function packState(s: Stored): Uint8Array {
  const parts = [s.state, s.ledger, s.waiting, ...s.outbox].map((p) => concat([word(p.length), p]));
  const body = concat([word(MAGIC), ...parts]);
  return concat([body, word(checksum(body))]);
}

export function unpackState(bytes: Uint8Array): Stored {
  const end = bytes.length - 4;
  const parts: Uint8Array[] = [];
  if (end < 4 || readWord(bytes, end) !== checksum(bytes.subarray(0, end))) throw new SottoError("ECORRUPT");
  const version = [MAGIC_1, MAGIC].indexOf(readWord(bytes, 0)) + 1;
  for (let at = 4; at < end; ) {
    const length = at + 4 <= end ? readWord(bytes, at) : end;
    if (length > end - at - 4) throw new SottoError("ECORRUPT");
    parts.push(bytes.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  if (version === 1 && parts.length === 4) [parts[2], parts[3]] = [parts[3]!, parts[2]!];
  const [state, ledger, waiting, ...outbox] = parts;
  if (version === 0 || (version === 1 && parts.length !== 4) || parts.length < 3 || state!.length !== 60 || ledger!.length !== 92)
    throw new SottoError("ECORRUPT");
  return { state: state!, ledger: ledger!, waiting: waiting!, outbox: outbox.filter((batch) => batch.length > 0) };
}

// A ledger that has counted nothing (sotto_client_ledger_store).
export function emptyLedger(perDay: number, values: number): Uint8Array {
  const fields = [0, 0, perDay, 0, values].map(word);
  const body = concat([word(0x314c4c53), ...fields, new Uint8Array(64)]);
  return concat([body, word(checksum(body))]);
}
