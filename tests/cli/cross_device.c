/*
 * Prints in hexadecimal what a device keeps and sends: state, ledger and a batch of reports of
 * the parameters on standard input.  Its entropy counts, so that every machine must print
 * the same.
 */
#include <stdio.h>
#include <string.h>

#include "sotto/client.h"

static int counting_fill(void *context, uint8_t *out, size_t n)
{
	unsigned *i = context;

	for (size_t j = 0; j < n; j++, (*i)++)
		out[j] = (uint8_t)(*i * 17 + *i / 256 * 91);
	return 0;
}

static void print(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

int main(void)
{
	uint8_t bytes[SOTTO_CLIENT_PARAMS_BYTES], state[SOTTO_CLIENT_STATE_BYTES], key[32],
		kept[SOTTO_CLIENT_LEDGER_BYTES], report[512], out[4096];
	struct sotto_client_ledger ledger = {.daily_limit = 10, .distinct_limit = 10};
	struct sotto_client_params params;
	struct sotto_client_batch batch;
	struct sotto_client client;
	unsigned counter = 0;
	struct sotto_client_secrets secrets = {.key = key,
					       .id = "m",
					       .id_length = 1,
					       .fill = counting_fill,
					       .context = &counter,
					       .ledger = &ledger,
					       .today = 20000};
	size_t used, length;

	if (fread(bytes, 1, sizeof bytes, stdin) != sizeof bytes ||
	    sotto_client_params_load(&params, bytes) != SOTTO_OK ||
	    sotto_client_state_make(&params, "m", 1, counting_fill, &counter, state) !=
		    SOTTO_OK ||
	    sotto_client_state_key(state, &params, "m", 1, key) != SOTTO_OK ||
	    sotto_client_init(&client, &params, &secrets) != SOTTO_OK ||
	    sotto_client_batch_start(&batch, &params, counting_fill, &counter, out,
				     sizeof out) != SOTTO_OK)
		return 1;
	for (unsigned i = 0; i < 5; i++) {
		enum sotto_status st =
			sotto_client_takes_number(&params)
				? sotto_client_encode_number(&client, i % 2, report,
							     sizeof report, &used)
				: sotto_client_encode(&client, i % 2 ? "aaaaaa" : "bbbbbb", 6,
						      report, sizeof report, &used);

		if (st != SOTTO_OK || sotto_client_batch_add(&batch, report, used) != SOTTO_OK)
			return 2;
	}
	if (sotto_client_batch_finish(&batch, 20000, 20000, &length) != SOTTO_OK)
		return 3;
	sotto_client_ledger_store(&ledger, kept);
	print(state, sizeof state);
	print(kept, sizeof kept);
	print(out, length);
	return 0;
}
