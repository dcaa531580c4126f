/*
 * From lists of counts to what is picked.  The lists are read by mechanisms only.
 */
#include "central/session/release/release_pick.h"

#include <stdlib.h>

#include "central/session/release/release.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "core/mechanism/quantile/quantile.h"
#include "sotto/choose.h"
#include "sotto/noise.h"

/* One pick and what it is made with, for all rows. */
struct picking {
	const struct sotto_plan *plan;
	const struct sotto_pick *pick;
	const struct sotto_engine_result *exact;
	struct sotto_rng *rng;
	struct sotto_arena *arena;
	size_t column; /* of the lists */
	struct sotto_quantile **choices; /* one for each rank */
	struct sotto_rank_noise noise;
	struct sotto_laplace *laplace;
	struct sotto_gaussian *gaussian;
	struct sotto_exponential *mode;
	const struct sotto_engine_list *domain; /* of a MODE */
	struct sotto_noisy *noisy; /* of one row */
};

/* ---- getting ready ---------------------------------------------------------------- */

static enum sotto_status ready_choices(struct picking *w)
{
	const struct sotto_pick *p = w->pick;

	for (size_t i = 0; i < p->rank_count; i++)
		SOTTO_TRY(sotto_quantile_new(&p->ranks[i], w->plan->max_rows,
					     i % 3 == 0 ? p->epsilon : p->end_epsilon,
					     &w->choices[i]));
	return SOTTO_OK;
}

static enum sotto_status ready_tree(struct picking *w)
{
	enum sotto_status st = w->plan->noise == SOTTO_NOISE_GAUSSIAN
				       ? sotto_gaussian_new(w->pick->noise, &w->gaussian)
				       : sotto_laplace_new_scale(w->pick->noise, &w->laplace);

	w->noise = (struct sotto_rank_noise){.laplace = w->laplace, .gaussian = w->gaussian};
	return st;
}

/* The list comes with one of the rows; it is the same for all. */
static void find_domain(struct picking *w, size_t column)
{
	for (size_t i = 0; i < sotto_engine_rows(w->exact); i++) {
		w->domain = sotto_engine_list(w->exact, i, column);
		if (w->domain->n > 0)
			return;
	}
}

static enum sotto_status ready_mode(struct picking *w)
{
	size_t column = w->column + (w->plan->pick_count - (size_t)(w->pick - w->plan->picks));
	struct sotto_rational rows;
	struct sotto_selection s = {
		.epsilon = w->pick->epsilon, .sensitivity = &rows, .monotone = true};
	enum sotto_status st;

	for (const struct sotto_pick *p = w->plan->picks; p < w->pick; p++)
		column += p->kind == SOTTO_PICK_MODE;
	find_domain(w, column);
	sotto_rational_init(&rows);
	mpq_set_si(rows.q, w->plan->max_rows, 1);
	st = sotto_exponential_new(&s, &w->mode, NULL);
	sotto_rational_release(&rows);
	return st;
}

static enum sotto_status ready(struct picking *w)
{
	const struct sotto_pick *p = w->pick;

	w->choices = calloc(p->rank_count + 1, sizeof *w->choices);
	w->noisy = calloc(p->rank_count + 1, sizeof *w->noisy);
	if (!w->choices || !w->noisy)
		return SOTTO_ENOMEM;
	if (p->kind == SOTTO_PICK_MODE)
		return ready_mode(w);
	return p->tree ? ready_tree(w) : ready_choices(w);
}

static void done(struct picking *w)
{
	for (size_t i = 0; w->choices && i < w->pick->rank_count; i++)
		sotto_quantile_free(w->choices[i]);
	sotto_laplace_free(w->laplace);
	sotto_gaussian_free(w->gaussian);
	sotto_exponential_free(w->mode);
	free(w->choices);
	free(w->noisy);
}

/* ---- one row ---------------------------------------------------------------------- */

static struct sotto_histogram histogram(const struct picking *w, size_t row)
{
	const struct sotto_engine_list *l = sotto_engine_list(w->exact, row, w->column);

	return (struct sotto_histogram){.values = l->values,
					.counts = l->counts,
					.n = l->n,
					.lo = w->pick->lo,
					.hi = w->pick->hi};
}

static enum sotto_status pick_ranks(struct picking *w, size_t row, struct sotto_value *out)
{
	const struct sotto_pick *p = w->pick;
	struct sotto_histogram h = histogram(w, row);

	if (h.n > 0 && !h.values)
		return SOTTO_ESTATE;
	if (p->tree)
		SOTTO_TRY(sotto_rank_tree_publish(&p->shape, &w->noise, w->rng, &h, p->ranks,
						  p->rank_count, w->noisy));
	for (size_t i = 0; i < p->rank_count; i++) {
		if (!p->tree)
			SOTTO_TRY(sotto_quantile_publish(w->choices[i], w->rng, &h,
							 &w->noisy[i]));
		out[i] = (struct sotto_value){.kind = SOTTO_VALUE_INTEGER,
					      .integer = w->noisy[i].value,
					      .number = (double)w->noisy[i].value};
	}
	return SOTTO_OK;
}

static enum sotto_status pick_mode(struct picking *w, size_t row, struct sotto_value *out)
{
	struct sotto_histogram h = histogram(w, row);
	struct sotto_noisy place;

	if (!w->domain || w->domain->n == 0 || !w->domain->keys || (h.n > 0 && !h.values))
		return SOTTO_ESTATE;
	h.hi = (int64_t)w->domain->n - 1;
	SOTTO_TRY(sotto_mode_publish(w->mode, w->rng, &h, &place));
	return sotto_value_copy(w->arena, w->domain->keys[place.value], out);
}

enum sotto_status sotto_picks_publish(const struct sotto_plan *plan,
				      const struct sotto_engine_result *exact,
				      const size_t *rows, size_t n, struct sotto_rng *rng,
				      struct sotto_arena *arena, struct sotto_value *out)
{
	size_t lists = plan->key_count + plan->derived_count + plan->measure_count;
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; st == SOTTO_OK && i < plan->pick_count; i++) {
		struct picking w = {.plan = plan,
				    .pick = &plan->picks[i],
				    .exact = exact,
				    .rng = rng,
				    .arena = arena,
				    .column = lists + i};

		st = ready(&w);
		for (size_t row = 0; st == SOTTO_OK && row < n; row++) {
			struct sotto_value *at =
				out + row * plan->outcome_count + w.pick->first;

			st = w.pick->kind == SOTTO_PICK_MODE ? pick_mode(&w, rows[row], at)
							     : pick_ranks(&w, rows[row], at);
		}
		done(&w);
	}
	return st;
}

/* ---- groups ------------------------------------------------------------------------- */

static enum sotto_status
new_top(const struct sotto_plan *plan, size_t count, struct sotto_noisy_max **out)
{
	const struct sotto_measure *m = &plan->measures[plan->top.measure];
	struct sotto_rational moved;
	struct sotto_selection s = {.epsilon = plan->epsilon,
				    .sensitivity = &moved,
				    .monotone = plan->top.monotone,
				    .least = plan->top.least};
	enum sotto_status st;

	sotto_rational_init(&moved);
	mpq_set_si(moved.q, m->per_group, 1);
	st = sotto_noisy_max_new(&s, count, out, NULL);
	sotto_rational_release(&moved);
	return st;
}

enum sotto_status sotto_top_publish(const struct sotto_plan *plan,
				    const struct sotto_engine_result *exact, const size_t *rows,
				    size_t n, struct sotto_rng *rng, size_t *places,
				    size_t *count)
{
	size_t column = plan->key_count + plan->derived_count + plan->top.measure;
	size_t wanted = (uint64_t)plan->top.count < n ? (size_t)plan->top.count : n;
	struct sotto_exact *scores = calloc(n + 1, sizeof *scores);
	struct sotto_noisy_max *m = NULL;
	enum sotto_status st = scores ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK && wanted > 0)
		st = new_top(plan, wanted, &m);
	for (size_t i = 0; st == SOTTO_OK && i < n; i++)
		scores[i] = sotto_engine_exact(exact, rows[i], column);
	if (st == SOTTO_OK && wanted > 0)
		st = sotto_noisy_max_select(m, rng, scores, n, places);
	if (st == SOTTO_OK)
		*count = wanted;
	if (scores)
		sotto_wipe(scores, (n + 1) * sizeof *scores);
	free(scores);
	sotto_noisy_max_free(m);
	return st;
}
