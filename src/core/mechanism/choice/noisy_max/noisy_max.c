/*
 * (1) The order of outcomes is the caller's and ties go to the lower index: neither
 *     depends on scores.
 * (2) Nothing is held at an end or rounded between scores and the comparison.
 * (3) The same draws and the same steps for every score.
 */
#include "core/mechanism/choice/noisy_max/noisy_max_state.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/base/wipe.h"
#include "core/mechanism/choice/noisy_max/noisy_scan_bulk.h"
#include "core/mechanism/choice/selection.h"
#include "core/random/laplace/geometric.h"
#include "sotto/choose.h"

enum {
	BITS_MAX = 16, /* of refinement: ties then have probability below 2^-16 */
	RUN = 4096, /* draws at a time: a block of the sampler */
};

struct sotto_noisy_max {
	struct sotto_geometric *noise;
	struct sotto_rational epsilon;
	size_t top;
	unsigned bits;
	bool least;
};

/* The fewest bits that make rate 2^-bits at most 2^-16; rate becomes that. */
static unsigned refine(struct sotto_rational *rate)
{
	unsigned bits = 0;

	for (; bits < BITS_MAX && mpq_cmp_ui(rate->q, 1, 1 << BITS_MAX) > 0; bits++)
		mpq_div_2exp(rate->q, rate->q, 1);
	return bits;
}

static enum sotto_status prepare(struct sotto_noisy_max *m, const struct sotto_selection *s,
				 struct sotto_rational *rate, struct sotto_error *err)
{
	enum sotto_status st;

	SOTTO_TRY(sotto_selection_rate(s, m->top, rate, err));
	m->bits = refine(rate);
	st = sotto_geometric_new(rate, &m->noise);
	if (st == SOTTO_ERANGE)
		return sotto_fail(err, st,
				  "epsilon over sensitivity must lie between 2^-50 and 2^26 "
				  "per grid step and chosen outcome");
	return st;
}

enum sotto_status sotto_noisy_max_new(const struct sotto_selection *s, size_t top,
				      struct sotto_noisy_max **out, struct sotto_error *err)
{
	if (!s || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_noisy_max *m = calloc(1, sizeof *m);
	struct sotto_rational rate;
	enum sotto_status st;

	if (!m)
		return SOTTO_ENOMEM;
	m->top = top;
	m->least = s->least;
	sotto_rational_init(&rate);
	st = prepare(m, s, &rate, err);
	sotto_rational_release(&rate);
	if (st == SOTTO_OK) {
		sotto_rational_init(&m->epsilon);
		sotto_rational_set(&m->epsilon, s->epsilon);
		*out = m;
	} else {
		free(m);
	}
	return st;
}

void sotto_noisy_max_free(struct sotto_noisy_max *m)
{
	if (!m)
		return;
	sotto_geometric_free(m->noise);
	sotto_rational_release(&m->epsilon);
	free(m);
}

enum sotto_status sotto_noisy_max_cost(const struct sotto_noisy_max *m, struct sotto_cost *cost)
{
	if (!m || !cost)
		return SOTTO_EINVAL;
	return sotto_cost_set_pure(cost, &m->epsilon);
}

unsigned sotto_noisy_max_bits(const struct sotto_noisy_max *m)
{
	return m->bits;
}

/* Where a pass keeps what it knows: a leader, or places if there are any. */
struct pass {
	struct sotto_noisy_leader leader;
	bool rival; /* the leader's rival is wanted */
	struct sotto_noisy_place *places;
};

static enum sotto_status run_pass(const struct sotto_noisy_max *m, struct sotto_rng *rng,
				  const struct sotto_exact *scores, size_t n, struct pass *pass)
{
	enum sotto_status st = SOTTO_OK;
	int64_t noise[RUN];

	for (size_t first = 0; first < n && st == SOTTO_OK; first += RUN) {
		struct sotto_noisy_run run = {
			scores + first, noise,   n - first < RUN ? n - first : RUN,
			first,          m->bits, m->least};

		st = sotto_geometric_fill(m->noise, rng, noise, run.n);
		if (st != SOTTO_OK)
			break;
		if (pass->places)
			sotto_noisy_places_scan(pass->places, m->top, &run);
		else if (pass->rival)
			sotto_noisy_leader_scan(&pass->leader, &run);
		else
			sotto_noisy_leader_race(&pass->leader, &run);
	}
	sotto_wipe(noise, sizeof noise);
	return st;
}

static enum sotto_status select_top(const struct sotto_noisy_max *m, struct sotto_rng *rng,
				    const struct sotto_exact *scores, size_t n, size_t *indices)
{
	struct pass pass = {.places = malloc(m->top * sizeof *pass.places)};
	enum sotto_status st;

	if (!pass.places)
		return SOTTO_ENOMEM;
	for (size_t k = 0; k < m->top; k++)
		pass.places[k] = (struct sotto_noisy_place){SOTTO_NOISY_NOBODY, 0};
	st = run_pass(m, rng, scores, n, &pass);
	for (size_t k = 0; k < m->top && st == SOTTO_OK; k++)
		indices[k] = pass.places[k].index;
	sotto_wipe(pass.places, m->top * sizeof *pass.places);
	free(pass.places);
	return st;
}

static enum sotto_status select_one(const struct sotto_noisy_max *m, struct sotto_rng *rng,
				    const struct sotto_exact *scores, size_t n, bool rival,
				    struct sotto_noisy_leader *leader)
{
	struct pass pass = {.leader = {SOTTO_NOISY_NOBODY, SOTTO_NOISY_NOBODY, 0},
			    .rival = rival};

	SOTTO_TRY(run_pass(m, rng, scores, n, &pass));
	*leader = pass.leader;
	sotto_wipe(&pass, sizeof pass);
	return SOTTO_OK;
}

enum sotto_status sotto_noisy_max_select(const struct sotto_noisy_max *m, struct sotto_rng *rng,
					 const struct sotto_exact *scores, size_t n,
					 size_t *indices)
{
	if (!m || !rng || (!scores && n > 0) || !indices)
		return SOTTO_EINVAL;

	struct sotto_noisy_leader leader;

	if (n < m->top)
		return SOTTO_EINVAL;
	if (m->top > 1)
		return select_top(m, rng, scores, n, indices);
	SOTTO_TRY(select_one(m, rng, scores, n, false, &leader));
	*indices = leader.index;
	sotto_wipe(&leader, sizeof leader);
	return SOTTO_OK;
}

enum sotto_status sotto_noisy_max_select_gap(const struct sotto_noisy_max *m,
					     struct sotto_rng *rng,
					     const struct sotto_exact *scores, size_t n,
					     size_t *index, struct sotto_noisy *gap)
{
	struct sotto_noisy_leader leader;
	sotto_i128 won_by;

	if (n < 2 || m->top != 1)
		return SOTTO_EINVAL;
	SOTTO_TRY(select_one(m, rng, scores, n, true, &leader));
	won_by = leader.value - leader.rival;
	gap->value = sotto_mask_hold(won_by);
	*index = leader.index;
	sotto_wipe(&leader, sizeof leader);
	return SOTTO_OK;
}
