/* What a device stores: parameters, state and ledger; what loads is stored again as it was. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "local/client/primitive/bytes.h"
#include "local/client/primitive/checksum.h"
#include "sotto/client.h"

static void read_params(const uint8_t *data, size_t size)
{
	uint8_t in[SOTTO_CLIENT_PARAMS_BYTES], again[SOTTO_CLIENT_PARAMS_BYTES];
	struct sotto_client_params p;

	if (size != sizeof in)
		return;
	memcpy(in, data, sizeof in);
	if (sotto_client_params_load(&p, in) != SOTTO_OK)
		return;
	sotto_client_params_store(&p, again);
	if (memcmp(in, again, sizeof in) != 0 || sotto_client_report_bytes(&p) == 0)
		abort();
}

static void read_ledger(const uint8_t *data, size_t size)
{
	uint8_t in[SOTTO_CLIENT_LEDGER_BYTES], again[SOTTO_CLIENT_LEDGER_BYTES];
	struct sotto_client_ledger l;

	if (size != sizeof in)
		return;
	memcpy(in, data, sizeof in);
	store_le(in + sizeof in - 4, sotto_checksum(in, sizeof in - 4), 4);
	if (sotto_client_ledger_load(&l, in) != SOTTO_OK)
		return;
	sotto_client_ledger_store(&l, again);
	if (memcmp(in, again, sizeof in) != 0)
		abort();
}

/* Of the right metric and parameters only, whatever the bytes are. */
static void read_state(const uint8_t *data, size_t size)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_RR,
					.size = 2,
					.zero = {1ull << 62, false},
					.one = {3ull << 62, false}};
	uint8_t in[SOTTO_CLIENT_STATE_BYTES], key[32];

	if (size != sizeof in)
		return;
	memcpy(in, data, sizeof in);
	store_le(in + sizeof in - 4, sotto_checksum(in, sizeof in - 4), 4);
	if (sotto_client_state_key(in, &p, "m", 1, key) == SOTTO_OK &&
	    sotto_client_state_key(in, &p, "n", 1, key) == SOTTO_OK)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_params(data, size);
	read_ledger(data, size);
	read_state(data, size);
	return 0;
}
