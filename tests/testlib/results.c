#include "testlib/results.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 7 };

static void fill_cells(struct sotto_engine_result *r, struct sotto_engine_cell *c)
{
	c[1] = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_BOOL, .integer = 1};
	c[2] = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_INTEGER, .integer = INT64_MIN};
	c[3] = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_NUMBER, .number = -0.0};
	c[4] = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_NUMBER, .number = (double)NAN};
	c[5] = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_TEXT,
					  .text = sotto_result_keep_text(r, "", 0)};
	c[6] = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_TEXT,
					  .text = sotto_result_keep_text(r, "a\0b", 3)};
}

static void fill_lists(struct sotto_engine_result *r, struct sotto_engine_list *l)
{
	l[1] = (struct sotto_engine_list){
		.n = 2, .values = calloc(3, sizeof *l->values), .counts = calloc(3, 8)};
	l[1].values[0].secret = -5;
	l[1].values[1].secret = (int64_t)1 << 62;
	l[1].counts[0].secret = 7;
	l[2] = (struct sotto_engine_list){
		.n = 2, .keys = calloc(3, sizeof *l->keys), .counts = calloc(3, 8)};
	l[2].keys[0] = (struct sotto_engine_cell){.kind = SOTTO_ENGINE_TEXT,
						  .text = sotto_result_keep_text(r, "key", 3)};
	l[2].counts[1].secret = -3;
}

struct sotto_engine_result *results_make(void)
{
	struct sotto_engine_result *r = sotto_engine_result_new(3);

	if (!r || sotto_result_set_column(r, 0, "key", SOTTO_ENGINE_CELLS) != SOTTO_OK ||
	    sotto_result_set_column(r, 1, "", SOTTO_ENGINE_EXACTS) != SOTTO_OK ||
	    sotto_result_set_column(r, 2, "list", SOTTO_ENGINE_LISTS) != SOTTO_OK ||
	    sotto_result_grow(r, ROWS) != SOTTO_OK)
		return NULL;
	r->rows = ROWS;
	fill_cells(r, r->columns[0].cells);
	for (int i = 0; i < ROWS; i++)
		r->columns[1].exact[i] = i % 2 ? -((int64_t)1 << 62) : i * 1000;
	fill_lists(r, r->columns[2].lists);
	return r;
}

static bool same_cell(struct sotto_engine_cell x, struct sotto_engine_cell y)
{
	return x.kind == y.kind && x.integer == y.integer &&
	       memcmp(&x.number, &y.number, sizeof x.number) == 0 &&
	       (x.text != NULL) == (y.text != NULL) && (!x.text || strcmp(x.text, y.text) == 0);
}

static bool same_list(const struct sotto_engine_list *x, const struct sotto_engine_list *y)
{
	bool same = x->n == y->n && (x->n == 0 || (x->keys != NULL) == (y->keys != NULL));

	for (size_t i = 0; same && i < x->n; i++)
		same = x->counts[i].secret == y->counts[i].secret &&
		       (x->keys ? same_cell(x->keys[i], y->keys[i])
				: x->values[i].secret == y->values[i].secret);
	return same;
}

static bool same_value(const struct sotto_engine_result *x, const struct sotto_engine_result *y,
		       size_t row, size_t column)
{
	switch (x->columns[column].kind) {
	case SOTTO_ENGINE_EXACTS:
		return x->columns[column].exact[row] == y->columns[column].exact[row];
	case SOTTO_ENGINE_LISTS:
		return same_list(&x->columns[column].lists[row],
				 &y->columns[column].lists[row]);
	default:
		return same_cell(x->columns[column].cells[row], y->columns[column].cells[row]);
	}
}

bool results_are_same(const struct sotto_engine_result *x, const struct sotto_engine_result *y)
{
	bool same = x->rows == y->rows && x->column_count == y->column_count;

	for (size_t i = 0; same && i < x->column_count; i++) {
		same = x->columns[i].kind == y->columns[i].kind &&
		       strcmp(x->columns[i].name, y->columns[i].name) == 0;
		for (size_t row = 0; same && row < x->rows; row++)
			same = same_value(x, y, row, i);
	}
	return same;
}

static unsigned long sum_cell(struct sotto_engine_cell c)
{
	return (unsigned long)c.kind + (unsigned long)c.integer + (c.text ? strlen(c.text) : 0);
}

unsigned long results_sum(const struct sotto_engine_result *r)
{
	unsigned long sum = r->rows;

	for (size_t i = 0; i < r->column_count; i++) {
		const struct sotto_result_column *c = &r->columns[i];

		sum += strlen(c->name);
		for (size_t row = 0; row < r->rows; row++) {
			if (c->kind == SOTTO_ENGINE_EXACTS)
				sum += (unsigned long)c->exact[row];
			else if (c->kind == SOTTO_ENGINE_CELLS)
				sum += sum_cell(c->cells[row]);
			for (size_t j = 0; c->kind == SOTTO_ENGINE_LISTS && j < c->lists[row].n;
			     j++)
				sum += (unsigned long)c->lists[row].counts[j].secret +
				       (c->lists[row].keys ? sum_cell(c->lists[row].keys[j])
							   : (unsigned long)c->lists[row]
								     .values[j]
								     .secret);
		}
	}
	return sum;
}
