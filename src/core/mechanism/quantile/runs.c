/*
 * Chooses a run by its weight times its length and then a uniform outcome in it; which run it
 * was is looked up by reading all of them.
 */
#include "core/mechanism/quantile/runs.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/base/wipe.h"
#include "core/mechanism/choice/exponential.h"
#include "sotto/rng.h"

enum sotto_status sotto_runs_init(struct sotto_runs *r, size_t capacity)
{
	*r = (struct sotto_runs){.capacity = capacity};
	r->first = calloc(capacity, sizeof *r->first);
	r->copies = calloc(capacity, sizeof *r->copies);
	r->scores = calloc(capacity, sizeof *r->scores);
	return r->first && r->copies && r->scores ? SOTTO_OK : SOTTO_ENOMEM;
}

static void wipe_and_free(void *p, size_t size)
{
	if (p)
		sotto_wipe(p, size);
	free(p);
}

void sotto_runs_release(struct sotto_runs *r)
{
	wipe_and_free(r->first, r->capacity * sizeof *r->first);
	wipe_and_free(r->copies, r->capacity * sizeof *r->copies);
	wipe_and_free(r->scores, r->capacity * sizeof *r->scores);
}

void sotto_runs_add(struct sotto_runs *r, int64_t first, uint64_t copies, int64_t score)
{
	assert(r->n < r->capacity);
	r->first[r->n] = first;
	r->copies[r->n] = copies;
	/* an empty run must not be the best */
	r->scores[r->n++] = sotto_exact_of(sotto_mask_i64(copies > 0, score, INT64_MIN));
}

/* Reads every run, for which one was chosen is not published: only where in it. */
static void look_up(const struct sotto_runs *r, size_t run, int64_t *first, uint64_t *copies)
{
	int64_t found = 0;
	uint64_t many = 0;

	for (size_t i = 0; i < r->n; i++) {
		found = sotto_mask_i64(i == run, r->first[i], found);
		many = sotto_mask_u64(i == run, r->copies[i], many);
	}
	*first = found;
	*copies = many;
}

enum sotto_status sotto_runs_choose(const struct sotto_runs *r,
				    const struct sotto_exponential *m, struct sotto_rng *rng,
				    struct sotto_noisy *out)
{
	uint64_t copies, step;
	int64_t first;
	size_t run;

	SOTTO_TRY(sotto_exponential_select_copies(m, rng, r->scores, r->copies, r->n, &run));
	look_up(r, run, &first, &copies);
	SOTTO_TRY(sotto_uniform_below(rng, copies, &step));
	out->value = first + (int64_t)step;
	return SOTTO_OK;
}
