/* Which counters a collection keeps, within bounds. */
#include "local/protocol/report_shape.h"

#include "local/protocol/record.h"

#define CELLS_MAX ((size_t)1 << 32)

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
