/* sotto_census_round: a table or a list of fractions as JSON in, whole numbers out. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "census/exact/census_json_text.h"
#include "census/whole/census_round_read.h"
#include "census/whole/census_transport.h"
#include "core/base/failure.h"
#include "sotto/census.h"
#include "sotto/rng.h"

enum { OUTPUT_MAX = 1 << 26 };
static const int64_t unit_max = INT64_C(1) << 40;

static enum sotto_status line_sum(const struct sotto_round_numbers *t, size_t first,
				  size_t step, size_t count, int64_t *out, const char *what,
				  size_t which, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t sum;

	mpq_init(sum);
	for (size_t j = 0; j < count; j++)
		mpq_add(sum, sum, t->want[first + j * step]);
	if (mpz_cmp_ui(mpq_denref(sum), 1) != 0)
		st = sotto_fail(err, SOTTO_EPARSE,
				"cells: the sum of %s %zu is not a whole number", what, which);
	else if (mpz_sizeinbase(mpq_numref(sum), 2) > 61)
		st = sotto_fail(err, SOTTO_EPARSE, "cells: the sum of %s %zu is beyond 2^61",
				what, which);
	*out = mpz_get_si(mpq_numref(sum));
	mpq_clear(sum);
	return st;
}

/* The common denominator if it is small enough, else 2^40: then cells are cut to that grid. */
static int64_t common_unit(const struct sotto_round_numbers *t)
{
	mpz_t unit;
	int64_t out;

	mpz_init_set_ui(unit, 1);
	for (size_t i = 0; i < t->n && mpz_cmp_si(unit, unit_max) <= 0; i++)
		mpz_lcm(unit, unit, mpq_denref(t->want[i]));
	out = mpz_cmp_si(unit, unit_max) <= 0 ? mpz_get_si(unit) : 0;
	mpz_clear(unit);
	return out;
}

struct lines {
	int64_t *floors, *want, *low, *high, *rows, *columns;
};

static void lines_release(struct lines *l)
{
	free(l->floors);
	free(l->want);
	free(l->low);
	free(l->high);
	free(l->rows);
	free(l->columns);
}

/* Only the part of a cell beyond its floor is rounded, as a multiple of 1/unit. */
static void
set_cell(const struct sotto_round_numbers *t, struct lines *l, size_t i, int64_t unit)
{
	mpz_t z, rest;

	mpz_inits(z, rest, NULL);
	mpz_fdiv_qr(z, rest, mpq_numref(t->want[i]), mpq_denref(t->want[i]));
	l->floors[i] = mpz_get_si(z);
	mpz_mul_si(z, rest, unit);
	mpz_fdiv_q(z, z, mpq_denref(t->want[i]));
	l->want[i] = mpz_get_si(z);
	l->low[i] = 0;
	l->high[i] = mpz_sgn(rest) > 0;
	l->rows[i / t->columns] -= l->floors[i];
	l->columns[i % t->columns] -= l->floors[i];
	mpz_clears(z, rest, NULL);
}

static enum sotto_status round_cells(struct sotto_round_numbers *t,
				     enum sotto_rounding rounding, struct sotto_rng *rng,
				     struct sotto_error *err)
{
	struct lines l = {.floors = malloc(t->n * sizeof *l.floors),
			  .want = malloc(t->n * sizeof *l.want),
			  .low = malloc(t->n * sizeof *l.low),
			  .high = malloc(t->n * sizeof *l.high),
			  .rows = malloc(t->rows * sizeof *l.rows),
			  .columns = malloc(t->columns * sizeof *l.columns)};
	struct sotto_transport_work work = {0};
	int64_t unit = common_unit(t);
	struct sotto_transport table = {.rows = t->rows, .columns = t->columns, .x = t->x};
	enum sotto_status st = l.floors && l.want && l.low && l.high && l.rows && l.columns
				       ? SOTTO_OK
				       : SOTTO_ENOMEM;

	if (st == SOTTO_OK && unit == 0 && rounding == SOTTO_ROUNDING_UNBIASED)
		st = sotto_fail(err, SOTTO_EPARSE,
				"cells: the common denominator is beyond 2^40; round the cells "
				"to fewer digits");
	for (size_t r = 0; st == SOTTO_OK && r < t->rows; r++)
		st = line_sum(t, r * t->columns, 1, t->columns, &l.rows[r], "row", r + 1, err);
	for (size_t k = 0; st == SOTTO_OK && k < t->columns; k++)
		st = line_sum(t, k, t->columns, t->rows, &l.columns[k], "column", k + 1, err);
	if (st == SOTTO_OK) {
		table.unit = unit ? unit : unit_max;
		for (size_t i = 0; i < t->n; i++) {
			set_cell(t, &l, i, table.unit);
			if (rounding == SOTTO_ROUNDING_FAST) {
				l.low[i] = -l.floors[i];
				l.high[i] = INT64_C(1) << 40;
			}
		}
		table.want = l.want;
		table.low = l.low;
		table.high = l.high;
		table.row_sums = l.rows;
		table.column_sums = l.columns;
		st = sotto_transport_round(&table, rounding, rng, &work);
		for (size_t i = 0; i < t->n; i++)
			t->x[i] += l.floors[i];
	}
	sotto_transport_work_release(&work);
	lines_release(&l);
	return st;
}

/* ---- output --------------------------------------------------------------------------------- */

/* Sum of |x - want|, and of (x - want)^2 by weight. */
static void
measure(const struct sotto_round_numbers *t, const mpq_t *weights, mpq_t l1, mpq_t cost)
{
	mpq_t d;

	mpq_init(d);
	for (size_t i = 0; i < t->n; i++) {
		mpq_set_si(d, t->x[i], 1);
		mpq_sub(d, d, t->want[i]);
		mpq_abs(d, d);
		mpq_add(l1, l1, d);
		mpq_mul(d, d, d);
		if (weights)
			mpq_mul(d, d, weights[i]);
		mpq_add(cost, cost, d);
	}
	mpq_clear(d);
}

static enum sotto_status
put_row(struct sotto_buffer *b, const struct sotto_round_numbers *t, size_t r)
{
	for (size_t k = 0; k < t->columns; k++)
		SOTTO_TRY(sotto_buffer_appendf(b, "%s%lld", k ? ", " : "[",
					       (long long)t->x[r * t->columns + k]));
	return sotto_buffer_append_text(b, "]");
}

static enum sotto_status put_result(struct sotto_buffer *b, const struct sotto_round_numbers *t,
				    const mpq_t *weights, bool exact)
{
	enum sotto_status st;
	mpq_t l1, cost;

	SOTTO_TRY(sotto_buffer_append_text(b, "{\"cells\": ["));
	for (size_t r = 0; r < t->rows; r++) {
		if (r > 0)
			SOTTO_TRY(sotto_buffer_append_text(b, ",\n"));
		SOTTO_TRY(put_row(b, t, r));
	}
	SOTTO_TRY(sotto_buffer_append_text(b, "]"));
	if (weights) {
		SOTTO_TRY(sotto_buffer_append_text(b, ", \"values\": "));
		SOTTO_TRY(put_row(b, t, 0));
	}
	mpq_inits(l1, cost, NULL);
	measure(t, weights, l1, cost);
	st = sotto_buffer_append_text(b, ", \"l1\": ");
	if (st == SOTTO_OK)
		st = sotto_json_put_number(b, l1, exact);
	if (st == SOTTO_OK)
		st = sotto_buffer_append_text(b, ", \"cost\": ");
	if (st == SOTTO_OK)
		st = sotto_json_put_number(b, cost, exact);
	mpq_clears(l1, cost, NULL);
	return st == SOTTO_OK ? sotto_buffer_append_text(b, "}\n") : st;
}

static enum sotto_status run_cells(json_t *root, bool exact, enum sotto_rounding rounding,
				   struct sotto_rng *rng, struct sotto_buffer *b,
				   struct sotto_error *err)
{
	struct sotto_round_numbers t = {.rows = 0};
	enum sotto_status st = sotto_round_read_cells(&t, json_object_get(root, "cells"), err);

	if (st == SOTTO_OK)
		st = round_cells(&t, rounding, rng, err);
	if (st == SOTTO_OK)
		st = put_result(b, &t, NULL, exact);
	sotto_round_numbers_release(&t);
	return st;
}

/* What is missing to the next whole numbers is a second row: then all sums are whole. */
static enum sotto_status
round_list_unbiased(struct sotto_round_list *l, struct sotto_rng *rng, struct sotto_error *err)
{
	struct sotto_round_numbers t = {.rows = 0}, *numbers = &l->numbers;
	enum sotto_status st = sotto_round_numbers_init(&t, 2, numbers->n);
	mpq_t sum;

	mpq_init(sum);
	for (size_t i = 0; st == SOTTO_OK && i < 2 * numbers->n; i++) {
		mpq_ptr want = numbers->want[i % numbers->n];

		mpq_init(t.want[t.n++]);
		mpz_fdiv_q(mpq_numref(t.want[i]), mpq_numref(want), mpq_denref(want));
		mpq_sub(t.want[i], want, t.want[i]); /* the fraction */
		if (i < numbers->n) {
			mpq_add(sum, sum, want);
		} else if (mpq_sgn(t.want[i]) > 0) {
			mpz_sub(mpq_numref(t.want[i]), mpq_denref(t.want[i]),
				mpq_numref(t.want[i]));
		}
	}
	if (st == SOTTO_OK &&
	    (mpz_cmp_ui(mpq_denref(sum), 1) != 0 || mpz_cmp_si(mpq_numref(sum), l->sum) != 0))
		st = sotto_fail(
			err, SOTTO_EPARSE,
			"sum must be the sum of the values, or their means cannot hold");
	if (st == SOTTO_OK)
		st = round_cells(&t, SOTTO_ROUNDING_UNBIASED, rng, err);
	for (size_t i = 0; st == SOTTO_OK && i < numbers->n; i++) {
		mpz_fdiv_q(mpq_numref(sum), mpq_numref(numbers->want[i]),
			   mpq_denref(numbers->want[i]));
		numbers->x[i] = mpz_get_si(mpq_numref(sum)) + t.x[i];
	}
	mpq_clear(sum);
	sotto_round_numbers_release(&t);
	return st;
}

static enum sotto_status run_list(json_t *root, bool exact, enum sotto_rounding rounding,
				  struct sotto_rng *rng, struct sotto_buffer *b,
				  struct sotto_error *err)
{
	struct sotto_round_list l = {.sum = 0};
	enum sotto_status st = sotto_round_read_list(&l, root, err);

	if (st == SOTTO_OK && rounding == SOTTO_ROUNDING_UNBIASED)
		st = round_list_unbiased(&l, rng, err);
	else if (st == SOTTO_OK)
		st = sotto_round_list_solve(&l, err);
	if (st == SOTTO_OK)
		st = put_result(b, &l.numbers, (const mpq_t *)l.weights, exact);
	sotto_round_list_release(&l);
	return st;
}

enum sotto_status sotto_census_round(const char *json, bool exact, enum sotto_rounding rounding,
				     struct sotto_rng *rng, char **out, struct sotto_error *err)
{
	static const char *const cell_keys[] = {"cells", NULL};
	static const char *const list_keys[] = {"values", "weights", "sum", NULL};
	struct sotto_buffer b;
	enum sotto_status st;
	json_t *root;
	bool table;

	SOTTO_TRY(sotto_json_load(json, &root, err));
	table = json_object_get(root, "cells") != NULL;
	sotto_buffer_init(&b, OUTPUT_MAX);
	st = sotto_json_keys(root, "the input", table ? cell_keys : list_keys, err);
	if (st == SOTTO_OK)
		st = table ? run_cells(root, exact, rounding, rng, &b, err)
			   : run_list(root, exact, rounding, rng, &b, err);
	json_decref(root);
	return sotto_json_finish(&b, st, out);
}
