/* The rows of an answer: which are shown, in which order, and all their cells. */
#include "central/price/plan_price.h"
#include "central/session/answer/answer_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/session/answer/answer_cell.h"
#include "central/session/answer/answer_limits.h"
#include "central/session/answer/answer_picked.h"
#include "central/session/answer/evaluate.h"
#include "core/base/failure.h"

#define NEED(pointer)                                                                          \
	do {                                                                                   \
		if (!(pointer))                                                                \
			return SOTTO_ENOMEM;                                                   \
	} while (0)

enum sotto_status
sotto_answer_new(const struct sotto_plan *plan, struct sotto_answer_owned **out)
{
	struct sotto_answer_owned *o = calloc(1, sizeof *o);
	struct sotto_answer *a;

	NEED(o);
	a = &o->answer;
	sotto_arena_init(&o->arena, (size_t)4 << 30);
	sotto_rational_init(&a->epsilon);
	sotto_rational_init(&a->delta);
	sotto_rational_init(&a->epsilon_left);
	sotto_rational_init(&a->delta_left);
	a->mechanism = sotto_plan_mechanism(plan);
	a->column_count = plan->output_count;
	a->columns = sotto_arena_alloc(&o->arena, (a->column_count + 1) * sizeof *a->columns);
	*out = o;
	NEED(a->columns);
	for (size_t i = 0; i < a->column_count; i++) {
		const struct sotto_plan_output *from = &plan->outputs[i];

		a->columns[i] = (struct sotto_answer_column){
			.name = sotto_arena_text(&o->arena, from->name),
			.type = sotto_sql_type_word(from->type),
			.noisy = from->noisy};
		NEED(a->columns[i].name);
	}
	SOTTO_TRY(sotto_limits_list(&o->arena, plan, &a->limits, &a->limits_count));
	return sotto_answer_add_notes(o, plan);
}

void sotto_answer_free(struct sotto_answer *a)
{
	struct sotto_answer_owned *o = (struct sotto_answer_owned *)a;

	if (!o)
		return;
	sotto_rational_release(&a->epsilon);
	sotto_rational_release(&a->delta);
	sotto_rational_release(&a->epsilon_left);
	sotto_rational_release(&a->delta_left);
	sotto_arena_release(&o->arena);
	free(o);
}

/* ---- which rows ------------------------------------------------------------------------------- */

static void compute_row(struct sotto_answer_work *w, size_t row)
{
	const struct sotto_group_values g = sotto_cell_values(w, row);

	if (!w->plan->top.chosen) /* chosen groups come without values */
		sotto_aggregates_compute(w->plan, &g, w->aggregates);
}

static bool passes(struct sotto_answer_work *w, size_t row)
{
	struct sotto_evaluation v = sotto_cell_row(w, row, w->aggregates);
	struct sotto_value x;

	if (!w->plan->having)
		return true;
	compute_row(w, row);
	x = sotto_evaluate(&v, w->plan->having);
	return x.kind == SOTTO_VALUE_BOOL && x.integer;
}

/* Values to sort by, one run for each row of the release. */
struct sorting {
	const struct sotto_plan *plan;
	struct sotto_value *values;
};

static int compare(const void *x, const void *y, void *context)
{
	const struct sorting *s = context;
	size_t a = *(const size_t *)x, b = *(const size_t *)y, n = s->plan->order_count;

	for (size_t i = 0; i < n; i++) {
		const struct sotto_value *u = &s->values[a * n + i], *v = &s->values[b * n + i];
		const struct sotto_plan_order *o = &s->plan->orders[i];
		bool null = u->kind == SOTTO_VALUE_NULL || v->kind == SOTTO_VALUE_NULL;
		int c = sotto_value_compare(u, v);

		if (c != 0)
			return (null ? o->nulls_first : o->descending) ? -c : c;
	}
	return (a > b) - (a < b);
}

static enum sotto_status sort_rows(struct sotto_answer_work *w)
{
	struct sorting s = {.plan = w->plan};
	size_t n = w->plan->order_count;

	if (n == 0 || w->plan->top.chosen)
		return SOTTO_OK;
	s.values = sotto_arena_alloc(&w->owned->arena,
				     (w->release->rows * n + 1) * sizeof *s.values);
	NEED(s.values);
	for (size_t i = 0; i < w->chosen_count; i++) {
		size_t row = w->chosen[i];
		struct sotto_evaluation v = sotto_cell_row(w, row, w->aggregates);

		compute_row(w, row);
		for (size_t j = 0; j < n; j++)
			s.values[row * n + j] = sotto_evaluate(&v, w->plan->orders[j].expr);
	}
	qsort_r(w->chosen, w->chosen_count, sizeof *w->chosen, compare, &s);
	return SOTTO_OK;
}

/* By what is shown; of equal rows, the first one first. */
static int compare_shown(const void *x, const void *y, void *answer)
{
	const struct sotto_answer *a = answer;
	size_t u = *(const size_t *)x, v = *(const size_t *)y, n = a->column_count;
	int c = 0;

	for (size_t i = 0; c == 0 && i < n; i++)
		c = sotto_value_compare(&a->values[u * n + i], &a->values[v * n + i]);
	return c ? c : (u > v) - (u < v);
}

static bool same_row(const struct sotto_answer *a, size_t x, size_t y)
{
	for (size_t i = 0; i < a->column_count; i++)
		if (sotto_value_compare(&a->values[x * a->column_count + i],
					&a->values[y * a->column_count + i]) != 0)
			return false;
	return true;
}

/*
 * Row x stands for row y too, which is equal: each of its intervals holds that of y, and there
 * is none where y has none.
 */
static void widen_row(struct sotto_answer *a, size_t x, size_t y)
{
	for (size_t i = 0; i < a->column_count; i++) {
		struct sotto_value *low = &a->lows[x * a->column_count + i];
		struct sotto_value *high = &a->highs[x * a->column_count + i];
		const struct sotto_value *from = &a->lows[y * a->column_count + i];
		const struct sotto_value *to = &a->highs[y * a->column_count + i];

		if (low->kind == SOTTO_VALUE_NULL)
			continue;
		if (from->kind == SOTTO_VALUE_NULL || sotto_value_compare(from, low) < 0)
			*low = *from;
		if (to->kind == SOTTO_VALUE_NULL || sotto_value_compare(to, high) > 0)
			*high = *to;
	}
}

/* The rows that equal an earlier one, whose intervals then hold theirs too. */
static enum sotto_status find_repeated(struct sotto_answer_owned *o, bool **out)
{
	struct sotto_answer *a = &o->answer;
	size_t *order = sotto_arena_alloc(&o->arena, (a->row_count + 1) * sizeof *order);
	bool *repeated = sotto_arena_alloc(&o->arena, (a->row_count + 1) * sizeof *repeated);
	size_t first = 0;

	NEED(order && repeated);
	for (size_t i = 0; i < a->row_count; i++)
		order[i] = i;
	qsort_r(order, a->row_count, sizeof *order, compare_shown, a);
	for (size_t i = 0; i < a->row_count; i++) {
		repeated[order[i]] = i > 0 && same_row(a, order[i], order[first]);
		if (repeated[order[i]])
			widen_row(a, order[first], order[i]);
		else
			first = i;
	}
	*out = repeated;
	return SOTTO_OK;
}

/*
 * SELECT DISTINCT over the finished rows: the first of equal ones stays.  They are found by sorting,
 * since there may be a million.
 */
static enum sotto_status drop_repeated(struct sotto_answer_owned *o)
{
	struct sotto_answer *a = &o->answer;
	size_t n = a->column_count, kept = 0;
	bool *repeated;

	SOTTO_TRY(find_repeated(o, &repeated));
	for (size_t i = 0; i < a->row_count; i++) {
		if (repeated[i])
			continue;
		memmove(a->values + kept * n, a->values + i * n, n * sizeof *a->values);
		memmove(a->lows + kept * n, a->lows + i * n, n * sizeof *a->lows);
		memmove(a->highs + kept * n, a->highs + i * n, n * sizeof *a->highs);
		kept++;
	}
	a->row_count = kept;
	return SOTTO_OK;
}

static void cut_rows(struct sotto_answer *a, int64_t offset, int64_t limit)
{
	size_t skip = (size_t)offset < a->row_count ? (size_t)offset : a->row_count;

	a->values += skip * a->column_count;
	a->lows += skip * a->column_count;
	a->highs += skip * a->column_count;
	a->row_count -= skip;
	if (limit >= 0 && (size_t)limit < a->row_count)
		a->row_count = (size_t)limit;
}

static enum sotto_status allocate_cells(struct sotto_answer_owned *o, size_t rows)
{
	struct sotto_answer *a = &o->answer;
	size_t cells = rows * a->column_count + 1;

	a->row_count = rows;
	a->values = sotto_arena_alloc(&o->arena, cells * sizeof *a->values);
	a->lows = sotto_arena_alloc(&o->arena, cells * sizeof *a->lows);
	a->highs = sotto_arena_alloc(&o->arena, cells * sizeof *a->highs);
	NEED(a->values && a->lows && a->highs);
	return SOTTO_OK;
}

static enum sotto_status choose_rows(struct sotto_answer_work *w)
{
	for (size_t i = 0; i < w->release->rows; i++)
		if (passes(w, i))
			w->chosen[w->chosen_count++] = i;
	SOTTO_TRY(sort_rows(w));
	return allocate_cells(w->owned, w->chosen_count);
}

enum sotto_status sotto_answer_fill(struct sotto_answer_owned *owned,
				    const struct sotto_plan *plan,
				    const struct sotto_release *release)
{
	struct sotto_answer_work w = {.owned = owned, .plan = plan, .release = release};
	struct sotto_answer *a = &owned->answer;
	struct sotto_arena *arena = &owned->arena;

	w.aggregates =
		sotto_arena_alloc(arena, (plan->aggregate_count + 1) * sizeof *w.aggregates);
	w.moved = sotto_arena_alloc(arena, (plan->aggregate_count + 1) * sizeof *w.moved);
	w.shift = sotto_arena_alloc(arena, (sotto_cell_movable(plan) + 1) * sizeof *w.shift);
	w.chosen = sotto_arena_alloc(arena, (release->rows + 1) * sizeof *w.chosen);
	NEED(w.aggregates && w.moved && w.shift && w.chosen);
	SOTTO_TRY(choose_rows(&w));
	for (size_t i = 0; i < w.chosen_count; i++) {
		compute_row(&w, w.chosen[i]);
		for (size_t j = 0; j < a->column_count; j++)
			SOTTO_TRY(sotto_cell_fill(&w, w.chosen[i], j, i * a->column_count + j));
	}
	if (sotto_answer_is_picked(plan))
		sotto_answer_widen(&w);
	if (plan->distinct)
		SOTTO_TRY(drop_repeated(owned));
	cut_rows(a, plan->offset, plan->limit);
	return SOTTO_OK;
}

/* The ends of intervals stand after the outputs, two for each that has them. */
static enum sotto_status fill_ends(struct sotto_answer_owned *o, const struct sotto_plan *plan,
				   const struct sotto_engine_result *rows, size_t row)
{
	struct sotto_answer *a = &o->answer;
	size_t from = a->column_count;

	for (size_t j = 0; j < a->column_count; j++) {
		size_t at = row * a->column_count + j;

		if (!plan->outputs[j].has_ends)
			continue;
		SOTTO_TRY(sotto_value_copy(&o->arena, sotto_engine_cell(rows, row, from),
					   &a->lows[at]));
		SOTTO_TRY(sotto_value_copy(&o->arena, sotto_engine_cell(rows, row, from + 1),
					   &a->highs[at]));
		sotto_cell_drop_dust(&a->values[at]);
		sotto_cell_drop_dust(&a->lows[at]);
		sotto_cell_drop_dust(&a->highs[at]);
		from += 2;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_answer_fill_public(struct sotto_answer_owned *o,
					   const struct sotto_plan *plan,
					   const struct sotto_engine_result *rows)
{
	struct sotto_answer *a = &o->answer;

	SOTTO_TRY(allocate_cells(o, sotto_engine_rows(rows)));
	for (size_t i = 0; i < a->row_count; i++) {
		for (size_t j = 0; j < a->column_count; j++)
			SOTTO_TRY(sotto_value_copy(&o->arena, sotto_engine_cell(rows, i, j),
						   &a->values[i * a->column_count + j]));
		SOTTO_TRY(fill_ends(o, plan, rows, i));
	}
	return SOTTO_OK;
}
