#include "central/plan/price/plan_price.h"
#include "central/session/answer/answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/session/answer/answer_limits.h"
#include "central/session/answer/evaluate.h"
#include "core/base/failure.h"

#define NEED(pointer)                                                                          \
	do {                                                                                   \
		if (!(pointer))                                                                \
			return SOTTO_ENOMEM;                                                   \
	} while (0)

/* What computing one row after another needs. */
struct work {
	struct sotto_answer_owned *owned;
	const struct sotto_plan *plan;
	const struct sotto_release *release;
	struct sotto_value *aggregates, *moved; /* of the row, and with one measure moved */
	double *shift;
	size_t *chosen; /* rows of the release that are shown, in order */
	size_t chosen_count;
};

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

/*
 * A noisy number without the digits that arithmetic on doubles adds at its end: 25493.85, and
 * not 25493.850000000002.
 */
static double without_dust(double x)
{
	char text[40];

	if (!isfinite(x) || (x == floor(x) && fabs(x) < 1e15))
		return x;
	(void)snprintf(text, sizeof text, "%.15g", x);
	return strtod(text, NULL);
}

static void drop_dust(struct sotto_value *v)
{
	if (v->kind == SOTTO_VALUE_NUMBER)
		v->number = without_dust(v->number);
}

/* ---- one cell ------------------------------------------------------------------------------- */

static struct sotto_evaluation
row_of(const struct work *w, size_t row, const struct sotto_value *aggregates)
{
	return (struct sotto_evaluation){.keys = w->release->keys + row * w->release->key_count,
					 .aggregates = aggregates,
					 .arena = &w->owned->arena};
}

static struct sotto_group_values values_of(const struct work *w, size_t row)
{
	const struct sotto_release *r = w->release;

	return (struct sotto_group_values){.measures = r->values + row * r->measure_count,
					   .outcomes = r->outcomes + row * r->outcome_count,
					   .shift = w->shift};
}

/* What can be moved: measures, then outcomes. */
static size_t movable(const struct sotto_plan *plan)
{
	return plan->measure_count + plan->outcome_count;
}

/*
 * Half a step for each row of a sum, whose number is known where it is counted: with its own
 * noise it is at most so large.  0 where values lie on the grid, or nothing counts them.
 */
static double rounding(const struct work *w, size_t row, size_t i)
{
	const struct sotto_plan *plan = w->plan;
	const struct sotto_measure *m = &plan->measures[i];
	const struct sotto_noisy *values = w->release->values + row * w->release->measure_count;

	if (m->kind != SOTTO_MEASURE_SUM || m->addend.square ||
	    !plan->columns[m->column].can_round)
		return 0;
	for (size_t k = 0; k < plan->measure_count; k++) {
		const struct sotto_measure *n = &plan->measures[k];

		if (n->kind == SOTTO_MEASURE_ROWS &&
		    (n->column == m->column || n->column == SIZE_MAX))
			return fmax((double)(values[k].value + n->noise->errors[0]), 0) / 2;
	}
	return 0;
}

/* How far it is moved so that `together` of them hold: steps, or to the end. */
static double reach(const struct work *w, size_t row, size_t i, size_t together)
{
	const struct sotto_plan *plan = w->plan;

	if (i >= plan->measure_count)
		return 1;
	return (double)plan->measures[i].noise->errors[together - 1] + rounding(w, row, i);
}

/* The output with every measure moved by its shift. */
static double moved_value(struct work *w, size_t row, const struct sotto_sql_expr *e)
{
	const struct sotto_group_values g = values_of(w, row);
	struct sotto_evaluation v = row_of(w, row, w->moved);
	struct sotto_value x;

	sotto_aggregates_compute(w->plan, &g, w->moved);
	x = sotto_evaluate(&v, e);
	return x.kind == SOTTO_VALUE_INTEGER || x.kind == SOTTO_VALUE_NUMBER ? x.number : NAN;
}

/*
 * Few measures: each is moved to both ends of an interval that holds for all of
 * them together, and the extremes over all corners are taken (answer.md).
 */
static void corner_interval(struct work *w, size_t row, const struct sotto_sql_expr *e,
			    const size_t *read, size_t count, double *low, double *high)
{
	for (unsigned corner = 0; corner < 1u << count; corner++) {
		double x;

		for (size_t i = 0; i < count; i++) {
			double error = reach(w, row, read[i], count);

			w->shift[read[i]] = corner >> i & 1 ? error : -error;
		}
		x = moved_value(w, row, e);
		*low = fmin(*low, x);
		*high = fmax(*high, x);
	}
	for (size_t i = 0; i < count; i++)
		w->shift[read[i]] = 0;
}

/* Many measures: moved one at a time, distances added as independent errors are. */
static void spread_interval(struct work *w, size_t row, const struct sotto_sql_expr *e,
			    double *low, double *high)
{
	double value = *low, below = 0, above = 0;

	for (size_t i = 0; i < movable(w->plan); i++) {
		double error = reach(w, row, i, 1), x, y;

		if (!sotto_output_reads(w->plan, e, i))
			continue;
		w->shift[i] = error;
		x = moved_value(w, row, e) - value;
		w->shift[i] = -error;
		y = moved_value(w, row, e) - value;
		w->shift[i] = 0;
		above += pow(fmax(fmax(x, y), 0), 2);
		below += pow(fmin(fmin(x, y), 0), 2);
	}
	*low = value - sqrt(below);
	*high = value + sqrt(above);
}

static void interval(struct work *w, size_t row, const struct sotto_sql_expr *e, double value,
		     struct sotto_value *low, struct sotto_value *high)
{
	size_t read[SOTTO_JOINT_MAX], count = 0;
	double lo = value, hi = value;

	for (size_t i = 0; i < movable(w->plan); i++)
		if (sotto_output_reads(w->plan, e, i)) {
			if (count < SOTTO_JOINT_MAX)
				read[count] = i;
			count++;
		}
	if (count == 0) /* MODE has nothing that could be moved */
		return;
	if (count <= SOTTO_JOINT_MAX)
		corner_interval(w, row, e, read, count, &lo, &hi);
	else
		spread_interval(w, row, e, &lo, &hi);
	*low = sotto_value_of_number(without_dust(lo));
	*high = sotto_value_of_number(without_dust(hi));
}

/* The grid value that an aggregate is: steps of the step; NULL if it is computed from several. */
static const struct sotto_rational *
grid_value(const struct work *w, size_t row, const struct sotto_aggregate *a, int64_t *steps)
{
	const struct sotto_group_values g = values_of(w, row);

	switch (a->form) {
	case SOTTO_FORM_MEASURE:
		*steps = g.measures[a->measure].value;
		return w->plan->measures[a->measure].step;
	case SOTTO_FORM_RANK:
		*steps = g.outcomes[sotto_rank_outcome(w->plan, &a->rank)].integer;
		return w->plan->picks[a->rank.pick].quantiles.step;
	case SOTTO_FORM_MOMENTS:
	case SOTTO_FORM_MODE:
		break;
	}
	return NULL;
}

/* A fraction of a power of two with few bits: a double is exactly it, in fewer digits. */
static bool is_double(const mpq_t q)
{
	mpz_srcptr den = mpq_denref(q);

	return mpz_cmp_ui(den, 1) > 0 && mpz_scan1(den, 0) + 1 == mpz_sizeinbase(den, 2) &&
	       mpz_sizeinbase(mpq_numref(q), 2) <= 53;
}

/* What lies on a decimal grid is shown with exactly its digits, where a double would lose some. */
static enum sotto_status exact_decimal(struct work *w, size_t row,
				       const struct sotto_sql_expr *e, struct sotto_value *out)
{
	const struct sotto_rational *step;
	struct sotto_rational r;
	enum sotto_status st = SOTTO_OK;
	int64_t steps = 0;
	char *text = NULL;

	if (e->kind != SOTTO_SQL_VALUE || out->kind == SOTTO_VALUE_INTEGER)
		return SOTTO_OK;
	step = grid_value(w, row, &w->plan->aggregates[e->index], &steps);
	if (!step || (mpq_cmp_ui(step->q, 1, 1) == 0 && fabs(out->number) < 1e15))
		return SOTTO_OK;
	sotto_rational_init(&r);
	mpq_set_si(r.q, steps, 1);
	mpq_mul(r.q, r.q, step->q);
	if (!is_double(r.q))
		st = sotto_rational_format(&r, &text);
	sotto_rational_release(&r);
	if (st != SOTTO_OK || !text)
		return st;
	out->text = sotto_arena_text(&w->owned->arena, text);
	free(text);
	NEED(out->text);
	return SOTTO_OK;
}

static bool is_moment(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_VALUE &&
	       (e->type == SOTTO_TYPE_DATE || e->type == SOTTO_TYPE_TIMESTAMP);
}

/* The interval of a date: its ends are dates. */
static void moment_interval(struct work *w, size_t row, const struct sotto_sql_expr *e,
			    struct sotto_value *low, struct sotto_value *high)
{
	struct sotto_sql_expr number = *e;
	const struct sotto_value *x = &w->aggregates[e->index];
	struct sotto_value ends[2] = {{.kind = SOTTO_VALUE_NULL}, {.kind = SOTTO_VALUE_NULL}};

	number.type = SOTTO_TYPE_NUMBER;
	interval(w, row, &number, x->number, &ends[0], &ends[1]);
	if (ends[0].kind == SOTTO_VALUE_NULL)
		return;
	*low = sotto_value_of_moment(&w->owned->arena, ends[0].number, e->type);
	*high = sotto_value_of_moment(&w->owned->arena, ceil(ends[1].number), e->type);
}

static enum sotto_status fill_cell(struct work *w, size_t row, size_t column, size_t at)
{
	struct sotto_answer *a = &w->owned->answer;
	const struct sotto_sql_expr *e = w->plan->outputs[column].expr;
	struct sotto_evaluation v = row_of(w, row, w->aggregates);
	struct sotto_value x = sotto_evaluate(&v, e);

	if (x.kind == SOTTO_VALUE_TEXT) {
		x.text = sotto_arena_text(&w->owned->arena, x.text);
		NEED(x.text);
		if (is_moment(e))
			moment_interval(w, row, e, &a->lows[at], &a->highs[at]);
	}
	if (w->plan->outputs[column].noisy &&
	    (x.kind == SOTTO_VALUE_INTEGER || x.kind == SOTTO_VALUE_NUMBER)) {
		interval(w, row, e, x.number, &a->lows[at], &a->highs[at]);
		SOTTO_TRY(exact_decimal(w, row, e, &x));
		drop_dust(&x);
	}
	a->values[at] = x;
	return SOTTO_OK;
}

/* ---- which rows ------------------------------------------------------------------------------- */

static void compute_row(struct work *w, size_t row)
{
	const struct sotto_group_values g = values_of(w, row);

	if (!w->plan->top.chosen) /* chosen groups come without values */
		sotto_aggregates_compute(w->plan, &g, w->aggregates);
}

static bool passes(struct work *w, size_t row)
{
	struct sotto_evaluation v = row_of(w, row, w->aggregates);
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

static enum sotto_status sort_rows(struct work *w)
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
		struct sotto_evaluation v = row_of(w, row, w->aggregates);

		compute_row(w, row);
		for (size_t j = 0; j < n; j++)
			s.values[row * n + j] = sotto_evaluate(&v, w->plan->orders[j].expr);
	}
	qsort_r(w->chosen, w->chosen_count, sizeof *w->chosen, compare, &s);
	return SOTTO_OK;
}

static bool same_row(const struct sotto_answer *a, size_t x, size_t y)
{
	for (size_t i = 0; i < a->column_count; i++)
		if (sotto_value_compare(&a->values[x * a->column_count + i],
					&a->values[y * a->column_count + i]) != 0)
			return false;
	return true;
}

/* SELECT DISTINCT over the finished rows: the first of equal ones stays. */
static void drop_repeated(struct sotto_answer *a)
{
	size_t n = a->column_count, kept = 0;

	for (size_t i = 0; i < a->row_count; i++) {
		bool seen = false;

		for (size_t j = 0; !seen && j < kept; j++)
			seen = same_row(a, i, j);
		if (seen)
			continue;
		memmove(a->values + kept * n, a->values + i * n, n * sizeof *a->values);
		memmove(a->lows + kept * n, a->lows + i * n, n * sizeof *a->lows);
		memmove(a->highs + kept * n, a->highs + i * n, n * sizeof *a->highs);
		kept++;
	}
	a->row_count = kept;
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

static enum sotto_status choose_rows(struct work *w)
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
	struct work w = {.owned = owned, .plan = plan, .release = release};
	struct sotto_answer *a = &owned->answer;
	struct sotto_arena *arena = &owned->arena;

	w.aggregates =
		sotto_arena_alloc(arena, (plan->aggregate_count + 1) * sizeof *w.aggregates);
	w.moved = sotto_arena_alloc(arena, (plan->aggregate_count + 1) * sizeof *w.moved);
	w.shift = sotto_arena_alloc(arena, (movable(plan) + 1) * sizeof *w.shift);
	w.chosen = sotto_arena_alloc(arena, (release->rows + 1) * sizeof *w.chosen);
	NEED(w.aggregates && w.moved && w.shift && w.chosen);
	SOTTO_TRY(choose_rows(&w));
	for (size_t i = 0; i < w.chosen_count; i++) {
		compute_row(&w, w.chosen[i]);
		for (size_t j = 0; j < a->column_count; j++)
			SOTTO_TRY(fill_cell(&w, w.chosen[i], j, i * a->column_count + j));
	}
	if (plan->distinct)
		drop_repeated(a);
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
		drop_dust(&a->values[at]);
		drop_dust(&a->lows[at]);
		drop_dust(&a->highs[at]);
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
