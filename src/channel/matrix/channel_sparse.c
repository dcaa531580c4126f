/*
 * Elimination on sorted rows; the shortest row that is left is the next pivot, so that few
 * entries are filled in.
 */
#include "channel/matrix/channel_sparse.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum sotto_status sotto_sparse_new(size_t n, struct sotto_sparse **out)
{
	struct sotto_sparse *s = calloc(1, sizeof *s);

	if (!s)
		return SOTTO_ENOMEM;
	s->rows = calloc(n ? n : 1, sizeof *s->rows);
	s->right = calloc(n ? n : 1, sizeof *s->right);
	if (!s->rows || !s->right) {
		free(s->rows);
		free(s->right);
		free(s);
		return SOTTO_ENOMEM;
	}
	s->n = n;
	for (size_t i = 0; i < n; i++)
		mpq_init(s->right[i]);
	*out = s;
	return SOTTO_OK;
}

static void row_release(struct sotto_sparse_row *r)
{
	for (size_t i = 0; i < r->count; i++)
		mpq_clear(r->cells[i].value);
	free(r->cells);
	*r = (struct sotto_sparse_row){0};
}

void sotto_sparse_free(struct sotto_sparse *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		row_release(&s->rows[i]);
		mpq_clear(s->right[i]);
	}
	free(s->rows);
	free(s->right);
	free(s);
}

static bool row_reserve(struct sotto_sparse_row *r, size_t room)
{
	void *grown;

	if (room <= r->room)
		return true;
	room += room / 2 + 4;
	grown = realloc(r->cells, room * sizeof *r->cells);
	if (!grown)
		return false;
	r->cells = grown;
	r->room = room;
	return true;
}

/* The place of a column, or where it would be put in. */
static size_t row_find(const struct sotto_sparse_row *r, size_t column)
{
	size_t low = 0, high = r->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->cells[middle].column < column)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum sotto_status
sotto_sparse_set(struct sotto_sparse *s, size_t row, size_t column, const mpq_t value)
{
	struct sotto_sparse_row *r = &s->rows[row];
	size_t at = row_find(r, column);

	if (mpq_sgn(value) == 0)
		return SOTTO_OK;
	if (!row_reserve(r, r->count + 1))
		return SOTTO_ENOMEM;
	memmove(r->cells + at + 1, r->cells + at, (r->count - at) * sizeof *r->cells);
	r->cells[at].column = column;
	mpq_init(r->cells[at].value);
	mpq_set(r->cells[at].value, value);
	r->count++;
	return SOTTO_OK;
}

/* ---- elimination ---------------------------------------------------------------------------- */

/* A cell of the merged row: x's, less factor times y's; cells that become 0 go. */
static void merge_cell(struct sotto_sparse_row *to, const struct sotto_sparse_cell *x,
		       const struct sotto_sparse_cell *y, const mpq_t factor)
{
	struct sotto_sparse_cell *c = &to->cells[to->count];

	mpq_init(c->value);
	c->column = x ? x->column : y->column;
	if (y)
		mpq_mul(c->value, factor, y->value);
	if (x)
		mpq_sub(c->value, x->value, c->value);
	else
		mpq_neg(c->value, c->value);
	if (mpq_sgn(c->value) == 0)
		mpq_clear(c->value);
	else
		to->count++;
}

/* *x -= factor * y */
static enum sotto_status
row_subtract(struct sotto_sparse_row *x, const struct sotto_sparse_row *y, const mpq_t factor)
{
	struct sotto_sparse_row merged = {0};
	size_t i = 0, j = 0;

	if (!row_reserve(&merged, x->count + y->count))
		return SOTTO_ENOMEM;
	while (i < x->count || j < y->count) {
		bool left = j == y->count ||
			    (i < x->count && x->cells[i].column <= y->cells[j].column);
		bool right = i == x->count ||
			     (j < y->count && y->cells[j].column <= x->cells[i].column);

		merge_cell(&merged, left ? &x->cells[i] : NULL, right ? &y->cells[j] : NULL,
			   factor);
		i += left;
		j += right;
	}
	row_release(x);
	*x = merged;
	return SOTTO_OK;
}

/* The shortest row that is not used yet; n if none is left. */
static size_t shortest_row(const struct sotto_sparse *s, const bool *used)
{
	size_t best = s->n;

	for (size_t i = 0; i < s->n; i++)
		if (!used[i] && (best == s->n || s->rows[i].count < s->rows[best].count))
			best = i;
	return best;
}

static enum sotto_status
eliminate_column(struct sotto_sparse *s, size_t pivot, const struct sotto_sparse_cell *cell)
{
	mpq_t factor, term;
	enum sotto_status st = SOTTO_OK;

	mpq_inits(factor, term, (mpq_ptr)0);
	for (size_t i = 0; i < s->n && st == SOTTO_OK; i++) {
		size_t at = row_find(&s->rows[i], cell->column);

		if (i == pivot || at == s->rows[i].count ||
		    s->rows[i].cells[at].column != cell->column)
			continue;
		mpq_div(factor, s->rows[i].cells[at].value, cell->value);
		mpq_mul(term, factor, s->right[pivot]);
		mpq_sub(s->right[i], s->right[i], term);
		st = row_subtract(&s->rows[i], &s->rows[pivot], factor);
	}
	mpq_clears(factor, term, (mpq_ptr)0);
	return st;
}

static enum sotto_status eliminate(struct sotto_sparse *s, size_t *column_of, bool *used)
{
	for (size_t step = 0; step < s->n; step++) {
		size_t pivot = shortest_row(s, used);

		if (s->rows[pivot].count == 0)
			return SOTTO_EINVAL;
		used[pivot] = true;
		column_of[pivot] = s->rows[pivot].cells[0].column;
		SOTTO_TRY(eliminate_column(s, pivot, &s->rows[pivot].cells[0]));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_sparse_solve(struct sotto_sparse *s, struct sotto_matrix **out)
{
	size_t *column_of = calloc(s->n ? s->n : 1, sizeof *column_of);
	bool *used = calloc(s->n ? s->n : 1, sizeof *used);
	enum sotto_status st = column_of && used ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK)
		st = eliminate(s, column_of, used);
	if (st == SOTTO_OK)
		st = sotto_matrix_new(s->n, 1, out);
	for (size_t i = 0; i < s->n && st == SOTTO_OK; i++)
		mpq_div((*out)->cells[column_of[i]], s->right[i], s->rows[i].cells[0].value);
	free(column_of);
	free(used);
	return st;
}
