/*
 * From lists of counts to what is picked.  The lists are read by mechanisms only.
 */
#include "central/session/release/release.h"

#include <stdlib.h>

#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "core/mechanism/quantile/mode.h"

/* One pick and what it is made with, for all rows. */
struct picking {
	const struct sotto_plan *plan;
	const struct sotto_pick *pick;
	const struct sotto_engine_result *exact;
	struct sotto_rng *rng;
	struct sotto_arena *arena;
	size_t column; /* of the lists */
	const struct sotto_engine_list *domain; /* of a MODE */
	struct sotto_noisy *noisy; /* quantiles of one row */
};

/* ---- getting ready ---------------------------------------------------------------- */

/* The public list of a MODE comes with one of the rows; it is the same for all. */
static void find_domain(struct picking *w)
{
	size_t column = w->column + (w->plan->pick_count - (size_t)(w->pick - w->plan->picks));

	for (const struct sotto_pick *p = w->plan->picks; p < w->pick; p++)
		column += p->kind == SOTTO_PICK_MODE;
	for (size_t i = 0; i < sotto_engine_rows(w->exact); i++) {
		w->domain = sotto_engine_list(w->exact, i, column);
		if (w->domain->n > 0)
			return;
	}
}

static enum sotto_status ready(struct picking *w)
{
	if (w->pick->kind == SOTTO_PICK_MODE) {
		find_domain(w);
		return SOTTO_OK;
	}
	w->noisy = calloc(w->pick->quantiles.rank_count + 1, sizeof *w->noisy);
	return w->noisy ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- one row ---------------------------------------------------------------------- */

static struct sotto_histogram
histogram(const struct picking *w, size_t row, int64_t lo, int64_t hi)
{
	const struct sotto_engine_list *l = sotto_engine_list(w->exact, row, w->column);

	return (struct sotto_histogram){
		.values = l->values, .counts = l->counts, .n = l->n, .lo = lo, .hi = hi};
}

static enum sotto_status pick_ranks(struct picking *w, size_t row, struct sotto_value *out)
{
	const struct sotto_rank_pick *p = &w->pick->quantiles;
	struct sotto_histogram h = histogram(w, row, p->lo, p->hi);

	if (h.n > 0 && !h.values)
		return SOTTO_ESTATE;
	SOTTO_TRY(sotto_rank_choice_publish(p->choice, w->rng, &h, w->noisy));
	for (size_t i = 0; i < p->rank_count; i++)
		out[i] = (struct sotto_value){.kind = SOTTO_VALUE_INTEGER,
					      .integer = w->noisy[i].value,
					      .number = (double)w->noisy[i].value};
	return SOTTO_OK;
}

static enum sotto_status pick_mode(struct picking *w, size_t row, struct sotto_value *out)
{
	struct sotto_histogram h;
	struct sotto_noisy place;

	if (!w->domain || w->domain->n == 0 || !w->domain->keys)
		return SOTTO_ESTATE;
	h = histogram(w, row, 0, (int64_t)w->domain->n - 1);
	if (h.n > 0 && !h.values)
		return SOTTO_ESTATE;
	SOTTO_TRY(sotto_mode_publish(w->pick->mode.choice->mechanism, w->rng, &h, &place));
	return sotto_value_copy(w->arena, w->domain->keys[place.value], out);
}

enum sotto_status sotto_picks_publish(const struct sotto_plan *plan,
				      const struct sotto_engine_result *exact,
				      const size_t *rows, size_t n, struct sotto_rng *rng,
				      struct sotto_arena *arena, struct sotto_value *out)
{
	size_t lists = plan->key_count + plan->derived_count + plan->measure_count +
		       (sotto_loss_is_run(&plan->loss) ? plan->loss.count : 0);
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
		free(w.noisy);
	}
	return st;
}

/* ---- groups ------------------------------------------------------------------------- */

enum sotto_status sotto_top_publish(const struct sotto_plan *plan,
				    const struct sotto_engine_result *exact, const size_t *rows,
				    size_t n, struct sotto_rng *rng, size_t *places,
				    size_t *count)
{
	size_t column = plan->key_count + plan->derived_count + plan->top.measure;
	struct sotto_exact *scores = calloc(n + 1, sizeof *scores);
	enum sotto_status st;

	if (!scores)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++)
		scores[i] = sotto_engine_exact(exact, rows[i], column);
	st = sotto_group_choice_publish(&plan->top, rng, scores, n, places, count);
	sotto_wipe(scores, (n + 1) * sizeof *scores);
	free(scores);
	return st;
}
