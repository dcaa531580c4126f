/* A table or a list of fractions out of JSON, exactly. */
#include "census/whole/census_round_read.h"

#include <stdio.h>
#include <stdlib.h>

#include "census/exact/census_json_text.h"
#include "core/base/failure.h"

enum { CELLS_MAX = 1 << 20 };
static const int64_t whole_max = INT64_C(1) << 60;

void sotto_round_numbers_release(struct sotto_round_numbers *t)
{
	for (size_t i = 0; t->want && i < t->n; i++)
		mpq_clear(t->want[i]);
	free(t->want);
	free(t->x);
}

enum sotto_status
sotto_round_numbers_init(struct sotto_round_numbers *t, size_t rows, size_t columns)
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

enum sotto_status
sotto_round_read_cells(struct sotto_round_numbers *t, json_t *rows, struct sotto_error *err)
{
	size_t columns = json_array_size(json_array_get(rows, 0));
	char path[80];

	if (!json_is_array(rows) || columns == 0 || json_array_size(rows) > CELLS_MAX / columns)
		return sotto_fail(err, SOTTO_EPARSE, "cells must be a list of rows");
	SOTTO_TRY(sotto_round_numbers_init(t, json_array_size(rows), columns));
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

void sotto_round_list_release(struct sotto_round_list *l)
{
	for (size_t i = 0; l->weights && i < l->weight_count; i++)
		mpq_clear(l->weights[i]);
	free(l->weights);
	sotto_round_numbers_release(&l->numbers);
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

enum sotto_status
sotto_round_read_list(struct sotto_round_list *l, json_t *root, struct sotto_error *err)
{
	json_t *values = json_object_get(root, "values"), *sum = json_object_get(root, "sum");
	char path[60];

	if (!json_is_array(values) || json_array_size(values) == 0 ||
	    json_array_size(values) > CELLS_MAX)
		return sotto_fail(err, SOTTO_EPARSE, "values must be a list of numbers");
	SOTTO_TRY(read_sum(sum, &l->sum, err));
	SOTTO_TRY(sotto_round_numbers_init(&l->numbers, 1, json_array_size(values)));
	for (size_t i = 0; i < l->numbers.columns; i++) {
		(void)snprintf(path, sizeof path, "values[%zu]", i);
		SOTTO_TRY(add_number(&l->numbers, json_array_get(values, i), path, err));
	}
	return read_weights(l, json_object_get(root, "weights"), err);
}
