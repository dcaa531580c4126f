// What a device keeps between visits: its secret, what it has reported so far, the reports that are not sent yet.
//
//   "SJS1", then each part as length and bytes (secret, ledger, outbox, waiting reports), then CRC-32C.
import { checksum, concat, readWord, word } from "./bytes";
import { SottoError } from "./error";

const MAGIC = 0x31534a53;

export interface Stored {
  state: Uint8Array;
  ledger: Uint8Array;
  outbox: Uint8Array; // a batch whose arrival is not confirmed; empty if there is none
  waiting: Uint8Array; // reports that are in no batch yet
}

export function packState(s: Stored): Uint8Array {
  const parts = [s.state, s.ledger, s.outbox, s.waiting].map((p) => concat([word(p.length), p]));
  const body = concat([word(MAGIC), ...parts]);
  return concat([body, word(checksum(body))]);
}

export function unpackState(bytes: Uint8Array): Stored {
  const end = bytes.length - 4;
  const parts: Uint8Array[] = [];
  if (end < 4 || readWord(bytes, 0) !== MAGIC || readWord(bytes, end) !== checksum(bytes.subarray(0, end)))
    throw new SottoError("ECORRUPT");
  for (let at = 4; at < end; ) {
    const length = at + 4 <= end ? readWord(bytes, at) : end;
    if (length > end - at - 4) throw new SottoError("ECORRUPT");
    parts.push(bytes.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  const [state, ledger, outbox, waiting] = parts;
  if (parts.length !== 4 || state!.length !== 60 || ledger!.length !== 92) throw new SottoError("ECORRUPT");
  return { state: state!, ledger: ledger!, outbox: outbox!, waiting: waiting! };
}

// A ledger that has counted nothing (sotto_client_ledger_store).
export function emptyLedger(perDay: number, values: number): Uint8Array {
  const fields = [0, 0, perDay, 0, values].map(word);
  const body = concat([word(0x314c4c53), ...fields, new Uint8Array(64)]);
  return concat([body, word(checksum(body))]);
}
