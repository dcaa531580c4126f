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

enum { REMEMBERED = 1024 };

struct remembered {
	bool is_known;
	uint64_t supports;
	struct sotto_local_estimate e;
};

/* Candidates with as many supports have the same estimate, which takes long to find exactly. */
static enum sotto_status estimate_each(uint64_t reports, const uint64_t *supports,
				       const double *extra, size_t count, struct sotto_rates r,
				       double alpha, enum sotto_local_target target,
				       struct sotto_local_estimate *out)
{
	struct remembered *known = calloc(REMEMBERED, sizeof *known);
	enum sotto_status st = known ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t i = 0; i < count && st == SOTTO_OK; i++) {
		struct remembered *k = &known[supports[i] % REMEMBERED];

		if (!k->is_known || k->supports != supports[i]) {
			st = sotto_local_estimate_pure(reports, supports[i], r.p, r.q, alpha,
						       target, &k->e);
			k->is_known = st == SOTTO_OK;
			k->supports = supports[i];
		}
		out[i] = k->e;
		sotto_local_estimate_collide(&out[i], reports, supports[i], r.p, r.q, extra[i]);
	}
	free(known);
	return st;
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
		st = estimate_each(c->reports, supports, extra, count, r, alpha, now, out);
	}
	free(supports);
	free(mixed);
	free(extra);
	return st;
}
