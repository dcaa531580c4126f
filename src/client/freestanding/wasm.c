/*
 * wasm.c - the encoder as a WebAssembly module
 *
 * The host writes parameters, key, metric and value into the module's buffers,
 * provides env.entropy, and reads the report.  One module is one client.
 *
 *	const b = exports.sotto_wasm_buffers();      addresses: see struct buffers
 *	exports.sotto_wasm_init(id_length)           0 or an enum sotto_status
 *	exports.sotto_wasm_encode(length)            bytes of the report, or minus a status
 *	exports.sotto_wasm_encode_number(low, high)  the same for a number
 */
#include "client/bytes.h"
#include "sotto/client.h"

#define EXPORT __attribute__((visibility("default"), used))

__attribute__((import_module("env"), import_name("entropy"))) int
sotto_wasm_entropy(uint8_t *out, size_t n);

/* Offsets are part of the interface: 0, 84, 116, 372, 1396, in this order. */
struct buffers {
	uint8_t params[SOTTO_CLIENT_PARAMS_BYTES];
	uint8_t key[32];
	uint8_t id[256];
	uint8_t value[1024];
	uint8_t report[32768];
};

static struct buffers buffers;
static struct sotto_client_params params;
static struct sotto_client client;

EXPORT struct buffers *sotto_wasm_buffers(void);
EXPORT int sotto_wasm_init(size_t id_length);
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

EXPORT int sotto_wasm_init(size_t id_length)
{
	struct sotto_client_secrets secrets = {
		.key = buffers.key, .id = buffers.id, .id_length = id_length, .fill = entropy};
	enum sotto_status status = sotto_client_params_load(&params, buffers.params);

	if (status != SOTTO_OK || id_length > sizeof buffers.id)
		return status != SOTTO_OK ? (int)status : (int)SOTTO_ERANGE;
	return (int)sotto_client_init(&client, &params, &secrets);
}

EXPORT int sotto_wasm_encode(size_t length)
{
	size_t used = 0;
	enum sotto_status status =
		length > sizeof buffers.value || !client.params
			? SOTTO_ERANGE
			: sotto_client_encode(&client, buffers.value, length, buffers.report,
					      sizeof buffers.report, &used);

	return status == SOTTO_OK ? (int)used : -(int)status;
}

EXPORT int sotto_wasm_encode_number(uint32_t low, uint32_t high)
{
	size_t used = 0;
	enum sotto_status status =
		!client.params ? SOTTO_ERANGE
			       : sotto_client_encode_number(&client, low | (uint64_t)high << 32,
							    buffers.report,
							    sizeof buffers.report, &used);

	return status == SOTTO_OK ? (int)used : -(int)status;
}
