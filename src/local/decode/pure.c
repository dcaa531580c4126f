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
enum sotto_status sotto_pure_estimate_supports(uint64_t reports, const uint64_t *supports,
					       size_t count, struct sotto_rates rates,
					       const struct sotto_collisions *x, double alpha,
					       enum sotto_local_target target,
					       struct sotto_local_estimate *out)
{
	struct remembered *known = calloc(REMEMBERED, sizeof *known);
	enum sotto_status st = known ? SOTTO_OK : SOTTO_ENOMEM;
	struct sotto_meetings m = {.count = 0};

	if (x)
		m = sotto_meetings_of(x, alpha);
	for (size_t i = 0; i < count && st == SOTTO_OK; i++) {
		struct remembered *k = &known[supports[i] % REMEMBERED];

		if (!k->is_known || k->supports != supports[i]) {
			st = sotto_local_estimate_pure(reports, supports[i], rates.p, rates.q,
						       alpha, target, &k->e);
			if (st == SOTTO_OK && x)
				sotto_local_estimate_collide(&k->e, x, &m, reports, supports[i],
							     rates.p, rates.q);
			k->is_known = st == SOTTO_OK;
			k->supports = supports[i];
		}
		out[i] = k->e;
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
	struct sotto_collisions x;
	enum sotto_status st = supports && mixed ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK && record->supports)
		record->supports(c, keys, count, mixed, supports);
	else if (st == SOTTO_OK)
		support_cells(c, keys, count, supports);
	if (st == SOTTO_OK && record->collisions)
		x = record->collisions(c);
	if (st == SOTTO_OK)
		st = sotto_pure_estimate_supports(
			c->reports, supports, count, record->rates(c->params),
			record->collisions ? &x : NULL, alpha, target, out);
	free(supports);
	free(mixed);
	return st;
}
