/* Pure protocols: supports per candidate, then the estimate. */
#include "local/decode/pure.h"

#include <stdlib.h>

#include "local/decode/estimate.h"
#include "local/protocol/record.h"

static void support_cells(const struct sotto_local_counts *c, const uint64_t *keys,
			  size_t count, uint64_t *out)
{
	for (size_t i = 0; i < count; i++)
		out[i] = c->cells[keys[i]];
}

enum sotto_status sotto_pure_estimate(const struct sotto_local_counts *c, const uint64_t *keys,
				      size_t count, double alpha,
				      enum sotto_local_target target,
				      struct sotto_local_estimate *out)
{
	const struct sotto_protocol *record = sotto_protocol_of(c->params->protocol);
	uint64_t *supports = calloc(count + 1, sizeof *supports);
	uint64_t *mixed = calloc(count + 1, sizeof *mixed);
	double *extra = calloc(count + 1, sizeof *extra);
	struct sotto_rates r = record->rates(c->params);
	unsigned last = record->collisions != NULL;
	enum sotto_status st = supports && mixed && extra ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK && record->supports)
		record->supports(c, keys, count, mixed, supports);
	else if (st == SOTTO_OK)
		support_cells(c, keys, count, supports);
	for (unsigned pass = 0; pass <= last && st == SOTTO_OK; pass++) {
		/* a first pass is about how the users who reported collide */
		enum sotto_local_target now = pass < last ? SOTTO_LOCAL_SAMPLE : target;

		if (pass == 1)
			record->collisions(c, out, count, extra);
		for (size_t i = 0; i < count && st == SOTTO_OK; i++)
			st = sotto_local_estimate_pure(c->reports, supports[i], r.p, r.q,
						       extra[i], alpha, now, &out[i]);
	}
	free(supports);
	free(mixed);
	free(extra);
	return st;
}
