/* What a device keeps between reports: the drawn key, and the ledger. */
#include "local/client/params_digest.h"
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/checksum.h"
#include "local/client/primitive/sha256.h"
#include "sotto/client.h"

#define STATE_MAGIC 0x31534c53u /* "SLS1" */
#define LEDGER_MAGIC 0x314c4c53u /* "SLL1" */

/* Ties the state to the parameters and the metric. */
static void binding(const struct sotto_client_params *params, const void *id, size_t id_length,
		    uint8_t out[32])
{
	struct sotto_sha256 s;

	sotto_client_params_digest(params, out);
	sotto_sha256_init(&s);
	sotto_sha256_add(&s, out, SOTTO_CLIENT_DIGEST_BYTES);
	sotto_sha256_add(&s, id, id_length);
	sotto_sha256_end(&s, out);
}

enum sotto_status sotto_client_state_make(const struct sotto_client_params *params,
					  const void *id, size_t id_length,
					  sotto_client_fill fill, void *context,
					  uint8_t out[SOTTO_CLIENT_STATE_BYTES])
{
	uint8_t bound[32], key[32];
	bool drawn;

	if (!params || !id || !fill || !out)
		return SOTTO_EINVAL;
	drawn = fill(context, key, sizeof key) == 0;

	if (drawn) {
		binding(params, id, id_length, bound);
		store_le(out, STATE_MAGIC, 4);
		store_le(out + 4, 1, 4);
		copy_bytes(out + 8, bound, 16);
		copy_bytes(out + 24, key, sizeof key);
		store_le(out + 56, sotto_checksum(out, 56), 4);
	}
	wipe_bytes(key, sizeof key);
	return drawn ? SOTTO_OK : SOTTO_EENTROPY;
}

enum sotto_status sotto_client_state_key(const uint8_t state[SOTTO_CLIENT_STATE_BYTES],
					 const struct sotto_client_params *params,
					 const void *id, size_t id_length, uint8_t key[32])
{
	if (!state || !params || !id || !key)
		return SOTTO_EINVAL;

	uint8_t bound[32], differs = 0;

	if (load32_le(state) != STATE_MAGIC || load32_le(state + 4) != 1 ||
	    load32_le(state + 56) != sotto_checksum(state, 56))
		return SOTTO_ECORRUPT;
	binding(params, id, id_length, bound);
	for (unsigned i = 0; i < 16; i++)
		differs |= bound[i] ^ state[8 + i];
	if (differs)
		return SOTTO_ESTATE;
	copy_bytes(key, state + 24, 32);
	return SOTTO_OK;
}

void sotto_client_ledger_store(const struct sotto_client_ledger *l,
			       uint8_t out[SOTTO_CLIENT_LEDGER_BYTES])
{
	const uint32_t fields[5] = {l->day, l->reports, l->daily_limit, l->distinct,
				    l->distinct_limit};

	store_le(out, LEDGER_MAGIC, 4);
	for (unsigned i = 0; i < 5; i++)
		store_le(out + 4 + 4 * i, fields[i], 4);
	for (unsigned i = 0; i < 16; i++)
		store_le(out + 24 + 4 * i, l->tags[i], 4);
	store_le(out + 88, sotto_checksum(out, 88), 4);
}

enum sotto_status sotto_client_ledger_load(struct sotto_client_ledger *l,
					   const uint8_t in[SOTTO_CLIENT_LEDGER_BYTES])
{
	if (!l || !in)
		return SOTTO_EINVAL;
	if (load32_le(in) != LEDGER_MAGIC || load32_le(in + 88) != sotto_checksum(in, 88) ||
	    load32_le(in + 16) > 16)
		return SOTTO_ECORRUPT;
	l->day = load32_le(in + 4);
	l->reports = load32_le(in + 8);
	l->daily_limit = load32_le(in + 12);
	l->distinct = load32_le(in + 16);
	l->distinct_limit = load32_le(in + 20);
	for (unsigned i = 0; i < 16; i++)
		l->tags[i] = load32_le(in + 24 + 4 * i);
	return SOTTO_OK;
}
