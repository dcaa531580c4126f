/* sotto_census_round: a table or a list of fractions as JSON in, whole numbers out. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "census/exact/census_json_text.h"
#include "census/whole/census_round_list.h"
#include "census/whole/census_transport.h"
#include "core/base/failure.h"
#include "sotto/census.h"
#include "sotto/rng.h"

enum { CELLS_MAX = 1 << 20, OUTPUT_MAX = 1 << 26 };
static const int64_t unit_max = INT64_C(1) << 40;
static const int64_t whole_max = INT64_C(1) << 60;

static void numbers_release(struct sotto_round_numbers *t)
{
	for (size_t i = 0; t->want && i < t->n; i++)
		mpq_clear(t->want[i]);
	free(t->want);
	free(t->x);
}

static enum sotto_status
numbers_init(struct sotto_round_numbers *t, size_t rows, size_t columns)
{
	*t = (struct sotto_round_numbers){.rows = rows, .columns = columns};
	t->want = malloc((rows * columns + 1) * sizeof *t->want);
	t->x = calloc(rows * columns + 1, sizeof *t->x);
	return t->want && t->x ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status add_number(struct sotto_round_numbers *t, const json_t *value,
				    const char *path, struct sotto_error *err)
{
	mpq_init(t->want[t->n]);
	t->n++;
	SOTTO_TRY(sotto_json_number(value, path, t->want[t->n - 1], err));
	if (mpq_cmp_si(t->want[t->n - 1], -whole_max, 1) < 0 ||
	    mpq_cmp_si(t->want[t->n - 1], whole_max, 1) > 0)
		return sotto_fail(err, SOTTO_EPARSE, "%.100s is beyond 2^60", path);
	return SOTTO_OK;
}

/* ---- tables -------------------------------------------------------------------------------- */

static enum sotto_status
read_cells(struct sotto_round_numbers *t, json_t *rows, struct sotto_error *err)
{
	size_t columns = json_array_size(json_array_get(rows, 0));
	char path[80];

	if (!json_is_array(rows) || columns == 0 || json_array_size(rows) > CELLS_MAX / columns)
		return sotto_fail(err, SOTTO_EPARSE, "cells must be a list of rows");
	SOTTO_TRY(numbers_init(t, json_array_size(rows), columns));
	for (size_t r = 0; r < t->rows; r++) {
		json_t *row = json_array_get(rows, r);

		if (json_array_size(row) != columns)
			return sotto_fail(err, SOTTO_EPARSE,
					  "cells[%zu] must be a list of %zu numbers, as the "
					  "first row is",
					  r, columns);
		for (size_t k = 0; k < columns; k++) {
			(void)snprintf(path, sizeof path, "cells[%zu][%zu]", r, k);
			SOTTO_TRY(add_number(t, json_array_get(row, k), path, err));
			if (mpq_sgn(t->want[t->n - 1]) < 0)
				return sotto_fail(err, SOTTO_EPARSE, "%s is negative", path);
		}
	}
	return SOTTO_OK;
}

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

/* ---- lists --------------------------------------------------------------------------------- */

static void list_release(struct sotto_round_list *l)
{
	for (size_t i = 0; l->weights && i < l->weight_count; i++)
		mpq_clear(l->weights[i]);
	free(l->weights);
	numbers_release(&l->numbers);
}

static enum sotto_status
read_weights(struct sotto_round_list *l, json_t *source, struct sotto_error *err)
{
	size_t n = l->numbers.columns;
	char path[60];

	if (source && json_array_size(source) != n)
		return sotto_fail(err, SOTTO_EPARSE,
				  "weights must be a list as long as values");
	l->weights = malloc((n + 1) * sizeof *l->weights);
	if (!l->weights)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		mpq_init(l->weights[i]);
		l->weight_count++;
		mpq_set_ui(l->weights[i], 1, 1);
		(void)snprintf(path, sizeof path, "weights[%zu]", i);
		if (source)
			SOTTO_TRY(sotto_json_number(json_array_get(source, i), path,
						    l->weights[i], err));
		if (mpq_sgn(l->weights[i]) <= 0)
			return sotto_fail(err, SOTTO_EPARSE, "%s must be positive", path);
	}
	return SOTTO_OK;
}

static enum sotto_status read_sum(const json_t *source, int64_t *out, struct sotto_error *err)
{
	enum sotto_status st;
	mpq_t sum;

	mpq_init(sum);
	st = sotto_json_number(source, "sum", sum, err);
	if (st == SOTTO_OK && mpz_cmp_ui(mpq_denref(sum), 1) != 0)
		st = sotto_fail(err, SOTTO_EPARSE, "sum must be a whole number");
	else if (st == SOTTO_OK && mpz_cmpabs_ui(mpq_numref(sum), (unsigned long)whole_max) > 0)
		st = sotto_fail(err, SOTTO_EPARSE, "sum is beyond 2^60");
	if (st == SOTTO_OK)
		*out = mpz_get_si(mpq_numref(sum));
	mpq_clear(sum);
	return st;
}

static enum sotto_status
read_list(struct sotto_round_list *l, json_t *root, struct sotto_error *err)
{
	json_t *values = json_object_get(root, "values"), *sum = json_object_get(root, "sum");
	char path[60];

	if (!json_is_array(values) || json_array_size(values) == 0 ||
	    json_array_size(values) > CELLS_MAX)
		return sotto_fail(err, SOTTO_EPARSE, "values must be a list of numbers");
	SOTTO_TRY(read_sum(sum, &l->sum, err));
	SOTTO_TRY(numbers_init(&l->numbers, 1, json_array_size(values)));
	for (size_t i = 0; i < l->numbers.columns; i++) {
		(void)snprintf(path, sizeof path, "values[%zu]", i);
		SOTTO_TRY(add_number(&l->numbers, json_array_get(values, i), path, err));
	}
	return read_weights(l, json_object_get(root, "weights"), err);
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
	enum sotto_status st = read_cells(&t, json_object_get(root, "cells"), err);

	if (st == SOTTO_OK)
		st = round_cells(&t, rounding, rng, err);
	if (st == SOTTO_OK)
		st = put_result(b, &t, NULL, exact);
	numbers_release(&t);
	return st;
}

/* What is missing to the next whole numbers is a second row: then all sums are whole. */
static enum sotto_status
round_list_unbiased(struct sotto_round_list *l, struct sotto_rng *rng, struct sotto_error *err)
{
	struct sotto_round_numbers t = {.rows = 0}, *numbers = &l->numbers;
	enum sotto_status st = numbers_init(&t, 2, numbers->n);
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
	numbers_release(&t);
	return st;
}

static enum sotto_status run_list(json_t *root, bool exact, enum sotto_rounding rounding,
				  struct sotto_rng *rng, struct sotto_buffer *b,
				  struct sotto_error *err)
{
	struct sotto_round_list l = {.sum = 0};
	enum sotto_status st = read_list(&l, root, err);

	if (st == SOTTO_OK && rounding == SOTTO_ROUNDING_UNBIASED)
		st = round_list_unbiased(&l, rng, err);
	else if (st == SOTTO_OK)
		st = sotto_round_list_solve(&l, err);
	if (st == SOTTO_OK)
		st = put_result(b, &l.numbers, (const mpq_t *)l.weights, exact);
	list_release(&l);
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
