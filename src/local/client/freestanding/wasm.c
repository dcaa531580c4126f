/*
 * wasm.c - the encoder as a WebAssembly module
 *
 * The host writes parameters, key, metric and value into the module's buffers,
 * provides env.entropy, and reads the report.  One module is one client.
 *
 *	const b = exports.sotto_wasm_buffers();      addresses: see struct buffers
 *	exports.sotto_wasm_state_make(id_length)     draws a new state; 0 or a status
 *	exports.sotto_wasm_state_open(id_length)     the key of the stored state; the same
 *	exports.sotto_wasm_init(id_length)           0 or an enum sotto_status
 *	exports.sotto_wasm_ledger(today)             counts in the stored ledger from now on
 *	exports.sotto_wasm_encode(length)            bytes of the report, or minus a status
 *	exports.sotto_wasm_encode_number(low, high)  the same for a number
 *	exports.sotto_wasm_batch(reports, day)       a batch's header, where reports are
 */
#include "local/client/batch.h"
#include "sotto/client.h"

#define EXPORT __attribute__((visibility("default"), used))

__attribute__((import_module("env"), import_name("entropy"))) int
sotto_wasm_entropy(uint8_t *out, size_t n);

/* Offsets are part of the interface: 0, 84, 116, 372, 1396, 34164, 34224, in this order. */
struct buffers {
	uint8_t params[SOTTO_CLIENT_PARAMS_BYTES];
	uint8_t key[32];
	uint8_t id[256];
	uint8_t value[1024];
	uint8_t report[32768];
	uint8_t state[SOTTO_CLIENT_STATE_BYTES];
	uint8_t ledger[SOTTO_CLIENT_LEDGER_BYTES];
};

static struct buffers buffers;
static struct sotto_client_params params;
static struct sotto_client client;
static struct sotto_client_ledger ledger;

EXPORT struct buffers *sotto_wasm_buffers(void);
EXPORT int sotto_wasm_state_make(size_t id_length);
EXPORT int sotto_wasm_state_open(size_t id_length);
EXPORT int sotto_wasm_init(size_t id_length);
EXPORT int sotto_wasm_ledger(uint32_t today);
EXPORT int sotto_wasm_batch(uint32_t reports, uint32_t day);
EXPORT int sotto_wasm_encode(size_t length);
EXPORT int sotto_wasm_encode_number(uint32_t low, uint32_t high);

static int entropy(void *context, uint8_t *out, size_t n)
{
	(void)context;
	return sotto_wasm_entropy(out, n);
}

EXPORT struct buffers *sotto_wasm_buffers(void)
{
	return &buffers;
}

static enum sotto_status load_params(size_t id_length)
{
	return id_length > sizeof buffers.id
		       ? SOTTO_ERANGE
		       : sotto_client_params_load(&params, buffers.params);
}

EXPORT int sotto_wasm_state_make(size_t id_length)
{
	enum sotto_status status = load_params(id_length);

	return (int)(status != SOTTO_OK
			     ? status
			     : sotto_client_state_make(&params, buffers.id, id_length, entropy,
						       NULL, buffers.state));
}

EXPORT int sotto_wasm_state_open(size_t id_length)
{
	enum sotto_status status = load_params(id_length);

	return (int)(status != SOTTO_OK
			     ? status
			     : sotto_client_state_key(buffers.state, &params, buffers.id,
						      id_length, buffers.key));
}

EXPORT int sotto_wasm_init(size_t id_length)
{
	struct sotto_client_secrets secrets = {
		.key = buffers.key, .id = buffers.id, .id_length = id_length, .fill = entropy};
	enum sotto_status status = load_params(id_length);

	return (int)(status != SOTTO_OK ? status
					: sotto_client_init(&client, &params, &secrets));
}

EXPORT int sotto_wasm_ledger(uint32_t today)
{
	enum sotto_status status = sotto_client_ledger_load(&ledger, buffers.ledger);

	if (status == SOTTO_OK) {
		client.secrets.ledger = &ledger;
		client.secrets.today = today;
	}
	return (int)status;
}

static int finish(enum sotto_status status, size_t used)
{
	if (status == SOTTO_OK && client.secrets.ledger)
		sotto_client_ledger_store(&ledger, buffers.ledger);
	return status == SOTTO_OK ? (int)used : -(int)status;
}

EXPORT int sotto_wasm_encode(size_t length)
{
	size_t used = 0;
	enum sotto_status status =
		length > sizeof buffers.value || !client.params
			? SOTTO_ERANGE
			: sotto_client_encode(&client, buffers.value, length, buffers.report,
					      sizeof buffers.report, &used);

	return finish(status, used);
}

EXPORT int sotto_wasm_encode_number(uint32_t low, uint32_t high)
{
	size_t used = 0;
	enum sotto_status status =
		!client.params ? SOTTO_ERANGE
			       : sotto_client_encode_number(&client, low | (uint64_t)high << 32,
							    buffers.report,
							    sizeof buffers.report, &used);

	return finish(status, used);
}

EXPORT int sotto_wasm_batch(uint32_t reports, uint32_t day)
{
	uint8_t id[SOTTO_CLIENT_BATCH_ID_BYTES];
	struct sotto_batch_header header = {
		.params = &params, .id = id, .from = day, .until = day, .reports = reports};

	if (sotto_wasm_entropy(id, sizeof id) != 0)
		return -(int)SOTTO_EENTROPY;
	sotto_batch_header_store(&header, buffers.report);
	return SOTTO_CLIENT_BATCH_HEADER;
}
