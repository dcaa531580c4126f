/* The table of all protocols, in the order of their numbers. */
#include "local/protocol/record.h"

#define CELLS_MAX ((size_t)1 << 32)

static const struct sotto_protocol *const records[] = {
#define RECORD(id, number, text) [number] = &sotto_protocol_##id,
	SOTTO_CLIENT_PROTOCOLS(RECORD)
#undef RECORD
};

const struct sotto_protocol *sotto_protocol_of(uint32_t protocol)
{
	return protocol < sizeof records / sizeof records[0] ? records[protocol] : NULL;
}

enum sotto_status
sotto_shape_of(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	const struct sotto_protocol *record = sotto_protocol_of(p->protocol);
	struct sotto_report_shape shape = {0};

	if (!record || !record->shape(p, &shape) || shape.cells > CELLS_MAX)
		return SOTTO_ERANGE;
	*out = shape;
	return SOTTO_OK;
}
