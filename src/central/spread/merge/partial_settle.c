/*
 * A partial in one order, whatever order the engine's threads brought: rows by their keys, the
 * texts of a set by their bytes, public lists in the first row.  So a bucket that is computed
 * twice gives the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "central/engine/engine_result.h"
#include "central/spread/merge/partial.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

struct place {
	const struct sotto_engine_result *result;
	size_t row;
};

/* Any order will do, if it is always the same; NaN are alike. */
static int compare_cells(const struct sotto_engine_cell *x, const struct sotto_engine_cell *y)
{
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	switch (x->kind) {
	case SOTTO_ENGINE_NULL:
		return 0;
	case SOTTO_ENGINE_NUMBER:
		return memcmp(&x->number, &y->number, sizeof x->number);
	case SOTTO_ENGINE_TEXT:
		return strcmp(x->text, y->text);
	case SOTTO_ENGINE_BOOL:
	case SOTTO_ENGINE_INTEGER:
		break;
	}
	return (x->integer > y->integer) - (x->integer < y->integer);
}

static int compare_places(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	int c = 0;

	for (size_t i = 0; c == 0 && i < a->result->column_count; i++) {
		const struct sotto_result_column *column = &a->result->columns[i];

		if (column->kind == SOTTO_ENGINE_CELLS)
			c = compare_cells(&column->cells[a->row], &column->cells[b->row]);
	}
	return c;
}

static int compare_keys(const void *x, const void *y)
{
	return compare_cells(x, y);
}

static void *column_values(struct sotto_result_column *c, size_t *size)
{
	switch (c->kind) {
	case SOTTO_ENGINE_CELLS:
		*size = sizeof *c->cells;
		return c->cells;
	case SOTTO_ENGINE_EXACTS:
		*size = sizeof *c->exact;
		return c->exact;
	case SOTTO_ENGINE_LISTS:
		*size = sizeof *c->lists;
		return c->lists;
	case SOTTO_ENGINE_WIDES:
		break;
	}
	*size = sizeof *c->wide;
	return c->wide;
}

static enum sotto_status
permute(struct sotto_result_column *c, const struct place *places, size_t rows)
{
	size_t size;
	char *values = column_values(c, &size), *moved = malloc(rows * size + 1);

	if (!moved)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < rows; i++)
		memcpy(moved + i * size, values + places[i].row * size, size);
	memcpy(values, moved, rows * size);
	sotto_wipe(moved, rows * size);
	free(moved);
	return SOTTO_OK;
}

/* The engine gives a public list with whatever row comes first (column o...). */
static void lift_domain(struct sotto_result_column *c, size_t rows)
{
	for (size_t i = 1; i < rows; i++) {
		if (c->lists[i].n > 0 && c->lists[0].n == 0) {
			struct sotto_engine_list first = c->lists[0];

			c->lists[0] = c->lists[i];
			c->lists[i] = first;
		}
	}
}

/* All values of a set have the same count, so that only the keys are sorted (column s...). */
static void sort_sets(struct sotto_result_column *c, size_t rows)
{
	for (size_t i = 0; i < rows; i++)
		if (c->lists[i].keys)
			qsort(c->lists[i].keys, c->lists[i].n, sizeof *c->lists[i].keys,
			      compare_keys);
}

static enum sotto_status settle(struct sotto_engine_result *r, const struct place *places)
{
	for (size_t i = 0; i < r->column_count; i++) {
		struct sotto_result_column *c = &r->columns[i];

		SOTTO_TRY(permute(c, places, r->rows));
		if (c->kind == SOTTO_ENGINE_LISTS && c->name[0] == 'o')
			lift_domain(c, r->rows);
		else if (c->kind == SOTTO_ENGINE_LISTS && c->name[0] == 's')
			sort_sets(c, r->rows);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_partial_settle(struct sotto_engine_result *r)
{
	struct place *places;
	enum sotto_status st;

	if (r->rows == 0)
		return SOTTO_OK;
	places = calloc(r->rows, sizeof *places);
	if (!places)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < r->rows; i++)
		places[i] = (struct place){r, i};
	qsort(places, r->rows, sizeof *places, compare_places);
	st = settle(r, places);
	free(places);
	return st;
}
