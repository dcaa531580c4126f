/*
 * From lists of counts to what is chosen.  The lists are read by mechanisms only.
 */
#include "central/session/release/release.h"

#include <stdlib.h>

#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "core/mechanism/quantile/mode.h"

/* One choice and what it is made with, for all rows. */
struct choosing {
	const struct sotto_plan *plan;
	const struct sotto_choice *choice;
	const struct sotto_engine_result *exact;
	struct sotto_rng *rng;
	struct sotto_arena *arena;
	size_t column; /* of the lists */
	const struct sotto_engine_list *domain; /* of a MODE */
	struct sotto_noisy *noisy; /* quantiles of one row */
};

/* ---- getting ready ---------------------------------------------------------------- */

/* The public list of a MODE comes with one of the rows; it is the same for all. */
static void find_domain(struct choosing *w)
{
	size_t column =
		w->column + (w->plan->choice_count - (size_t)(w->choice - w->plan->choices));

	for (const struct sotto_choice *p = w->plan->choices; p < w->choice; p++)
		column += p->kind == SOTTO_CHOICE_MODE;
	for (size_t i = 0; i < sotto_engine_rows(w->exact); i++) {
		w->domain = sotto_engine_list(w->exact, i, column);
		if (w->domain->n > 0)
			return;
	}
}

static enum sotto_status ready(struct choosing *w)
{
	if (w->choice->kind == SOTTO_CHOICE_MODE) {
		find_domain(w);
		return SOTTO_OK;
	}
	w->noisy = calloc(w->choice->quantiles.rank_count + 1, sizeof *w->noisy);
	return w->noisy ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- one row ---------------------------------------------------------------------- */

static struct sotto_histogram
histogram(const struct choosing *w, size_t row, int64_t lo, int64_t hi)
{
	const struct sotto_engine_list *l = sotto_engine_list(w->exact, row, w->column);

	return (struct sotto_histogram){
		.values = l->values, .counts = l->counts, .n = l->n, .lo = lo, .hi = hi};
}

static enum sotto_status choose_ranks(struct choosing *w, size_t row, struct sotto_value *out)
{
	const struct sotto_choice_of_ranks *p = &w->choice->quantiles;
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

static enum sotto_status choose_mode(struct choosing *w, size_t row, struct sotto_value *out)
{
	struct sotto_histogram h;
	struct sotto_noisy place;

	if (!w->domain || w->domain->n == 0 || !w->domain->keys)
		return SOTTO_ESTATE;
	h = histogram(w, row, 0, (int64_t)w->domain->n - 1);
	if (h.n > 0 && !h.values)
		return SOTTO_ESTATE;
	SOTTO_TRY(sotto_mode_publish(w->choice->mode.choice->mechanism, w->rng, &h, &place));
	return sotto_value_copy(w->arena, w->domain->keys[place.value], out);
}

enum sotto_status sotto_choices_publish(const struct sotto_plan *plan,
					const struct sotto_engine_result *exact,
					const size_t *rows, size_t n, struct sotto_rng *rng,
					struct sotto_arena *arena, struct sotto_value *out)
{
	size_t lists = plan->key_count + plan->derived_count + plan->measure_count +
		       (sotto_loss_is_run(&plan->loss) ? plan->loss.count : 0);
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; st == SOTTO_OK && i < plan->choice_count; i++) {
		struct choosing w = {.plan = plan,
				     .choice = &plan->choices[i],
				     .exact = exact,
				     .rng = rng,
				     .arena = arena,
				     .column = lists + i};

		st = ready(&w);
		for (size_t row = 0; st == SOTTO_OK && row < n; row++) {
			struct sotto_value *at =
				out + row * plan->outcome_count + w.choice->first;

			st = w.choice->kind == SOTTO_CHOICE_MODE
				     ? choose_mode(&w, rows[row], at)
				     : choose_ranks(&w, rows[row], at);
		}
		free(w.noisy);
	}
	return st;
}

/* ---- groups ------------------------------------------------------------------------- */

enum sotto_status sotto_top_groups_publish(const struct sotto_plan *plan,
					   const struct sotto_engine_result *exact,
					   const size_t *rows, size_t n, struct sotto_rng *rng,
					   size_t *places, size_t *count)
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
