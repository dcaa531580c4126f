// A program with the types of sotto-client, compiled strictly by tests/cli/device.t.
import { Client, SottoError } from "sotto-client";
import type { Entropy, Options, Params, SendOptions } from "sotto-client";

const entropy: Entropy = (out) => {
  crypto.getRandomValues(out);
};
const options: Options = { metric: "m", limits: { perDay: 3, values: 2 }, today: () => 5, entropy };
const sending: SendOptions = {
  retries: 2,
  pause: 5,
  timeout: 100,
  headers: { Authorization: "key" },
  save: async (state) => {
    await Promise.resolve(state.length);
  },
};

export async function report(params: Params, stored: Uint8Array | null): Promise<number> {
  const client: Client = await Client.open(params, stored, options);
  const bytes: Uint8Array = client.encode(3);
  client.encode("text");
  client.encode(3n);
  client.encode(bytes);
  const batch: Uint8Array | null = client.batch();
  if (batch) client.confirm();
  try {
    return (await client.send("http://127.0.0.1/reports", sending)) + client.state.length;
  } catch (error) {
    if (error instanceof SottoError) return error.code.length + client.pending;
    throw error;
  }
}

// @ts-expect-error a boolean is no value
export const wrongValue = (client: Client) => client.encode(true);
// @ts-expect-error a state is bytes
export const wrongState = (params: Params) => Client.open(params, "text");
// @ts-expect-error there is no such option
export const wrongOption: SendOptions = { retry: 3 };
