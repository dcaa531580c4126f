/*
 * Values with counts and the gaps between them become runs, of which the exponential mechanism
 * chooses with the counts as scores.
 */
#include "core/mechanism/quantile/mode.h"
#include "core/base/failure.h"
#include "core/mechanism/quantile/rank.h"
#include "core/mechanism/quantile/runs.h"

static void fill_runs(struct sotto_runs *r, const struct sotto_histogram *h)
{
	uint64_t next = (uint64_t)h->lo;

	for (size_t i = 0; i < h->n; i++) {
		int64_t v = h->values[i].secret;

		sotto_runs_add(r, (int64_t)next, (uint64_t)v - next, 0);
		sotto_runs_add(r, v, 1, h->counts[i].secret);
		next = (uint64_t)v + 1;
	}
	sotto_runs_add(r, (int64_t)next, (uint64_t)h->hi - next + 1, 0);
}

enum sotto_status sotto_mode_publish(const struct sotto_exponential *m, struct sotto_rng *rng,
				     const struct sotto_histogram *h, struct sotto_noisy *out)
{
	if (!m || !rng || !h || !out)
		return SOTTO_EINVAL;

	struct sotto_runs r;
	enum sotto_status st;

	SOTTO_TRY(sotto_histogram_check(h));
	st = sotto_runs_init(&r, 2 * h->n + 1);
	if (st == SOTTO_OK) {
		fill_runs(&r, h);
		st = sotto_runs_choose(&r, m, rng, out);
	}
	sotto_runs_release(&r);
	return st;
}
