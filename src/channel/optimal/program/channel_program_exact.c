/*
 * From a basis to an exact vertex.
 *
 * Rows that are not basic are tight; columns that are not basic are 0.  Tight rows and
 * basic columns make a square system: one solve gives x, one with the transposed system the
 * prices.  It is optimal if x and all slacks are >= 0, prices of inequalities are >= 0 and no
 * column out of the basis would earn more than it costs.
 */
#include <stdint.h>
#include <stdlib.h>

#include "channel/optimal/program/channel_program.h"
#include "channel/matrix/channel_sparse.h"
#include "core/base/failure.h"

/* Where each basic column and tight row stands in the square system. */
struct basis {
	size_t n;
	size_t *column_place, *row_place; /* SIZE_MAX: not in it */
};

static void basis_release(struct basis *b)
{
	free(b->column_place);
	free(b->row_place);
}

static enum sotto_status
basis_of(const struct sotto_program *p, const struct sotto_program_answer *a, struct basis *b)
{
	size_t columns = 0, rows = 0;

	b->column_place = calloc(p->columns, sizeof *b->column_place);
	b->row_place = calloc(p->rows, sizeof *b->row_place);
	if (!b->column_place || !b->row_place) {
		basis_release(b);
		return SOTTO_ENOMEM;
	}
	for (size_t j = 0; j < p->columns; j++)
		b->column_place[j] = a->basic_column[j] ? columns++ : SIZE_MAX;
	for (size_t r = 0; r < p->rows; r++)
		b->row_place[r] = a->basic_row[r] ? SIZE_MAX : rows++;
	b->n = columns;
	if (columns == rows)
		return SOTTO_OK;
	basis_release(b);
	return SOTTO_ESTATE;
}

/* The square system, or its transpose, with right sides or objective. */
static enum sotto_status build_system(const struct sotto_program *p, const struct basis *b,
				      bool transposed, struct sotto_sparse **out)
{
	struct sotto_sparse *s;
	enum sotto_status st = sotto_sparse_new(b->n, &s);

	SOTTO_TRY(st);
	for (size_t r = 0; r < p->rows && st == SOTTO_OK; r++) {
		size_t row = b->row_place[r];

		if (row == SIZE_MAX)
			continue;
		if (!transposed)
			mpq_set(s->right[row], p->right[r]);
		for (size_t i = p->row_start[r]; i < p->row_start[r + 1] && st == SOTTO_OK;
		     i++) {
			size_t column = b->column_place[p->entries[i].column];

			if (column != SIZE_MAX)
				st = transposed ? sotto_sparse_set(s, column, row,
								   p->entries[i].value)
						: sotto_sparse_set(s, row, column,
								   p->entries[i].value);
		}
	}
	for (size_t j = 0; j < p->columns && transposed; j++)
		if (b->column_place[j] != SIZE_MAX)
			mpq_set(s->right[b->column_place[j]], p->objective[j]);
	if (st == SOTTO_OK)
		*out = s;
	else
		sotto_sparse_free(s);
	return st;
}

static enum sotto_status solve_system(const struct sotto_program *p, const struct basis *b,
				      bool transposed, struct sotto_matrix **out)
{
	struct sotto_sparse *s;
	enum sotto_status st;

	SOTTO_TRY(build_system(p, b, transposed, &s));
	st = sotto_sparse_solve(s, out);
	sotto_sparse_free(s);
	return st == SOTTO_EINVAL ? SOTTO_ESTATE : st;
}

/* x >= 0 and every row holds */
static bool is_feasible(const struct sotto_program *p, const struct basis *b,
			const struct sotto_matrix *basic, struct sotto_matrix *x)
{
	bool fine = true;
	mpq_t sum, term;

	mpq_inits(sum, term, (mpq_ptr)0);
	for (size_t j = 0; j < p->columns; j++) {
		if (b->column_place[j] == SIZE_MAX)
			continue;
		mpq_set(x->cells[j], basic->cells[b->column_place[j]]);
		fine = fine && mpq_sgn(x->cells[j]) >= 0;
	}
	for (size_t r = 0; r < p->rows && fine; r++) {
		mpq_set_ui(sum, 0, 1);
		for (size_t i = p->row_start[r]; i < p->row_start[r + 1]; i++) {
			mpq_mul(term, p->entries[i].value, x->cells[p->entries[i].column]);
			mpq_add(sum, sum, term);
		}
		fine = p->equal[r] ? mpq_equal(sum, p->right[r])
				   : mpq_cmp(sum, p->right[r]) <= 0;
	}
	mpq_clears(sum, term, (mpq_ptr)0);
	return fine;
}

/* prices of inequalities >= 0, reduced costs <= 0 */
static enum sotto_status check_prices(const struct sotto_program *p, const struct basis *b,
				      const struct sotto_matrix *prices, bool *fine)
{
	struct sotto_matrix *cost;
	mpq_t term;

	SOTTO_TRY(sotto_matrix_new(1, p->columns, &cost));
	mpq_init(term);
	*fine = true;
	for (size_t j = 0; j < p->columns; j++)
		mpq_set(cost->cells[j], p->objective[j]);
	for (size_t r = 0; r < p->rows && *fine; r++) {
		if (b->row_place[r] == SIZE_MAX)
			continue;
		*fine = p->equal[r] || mpq_sgn(prices->cells[b->row_place[r]]) >= 0;
		for (size_t i = p->row_start[r]; i < p->row_start[r + 1]; i++) {
			mpq_ptr to = cost->cells[p->entries[i].column];

			mpq_mul(term, p->entries[i].value, prices->cells[b->row_place[r]]);
			mpq_sub(to, to, term);
		}
	}
	for (size_t j = 0; j < p->columns && *fine; j++)
		*fine = mpq_sgn(cost->cells[j]) <= 0;
	mpq_clear(term);
	sotto_matrix_free(cost);
	return SOTTO_OK;
}

enum sotto_status sotto_program_exact(const struct sotto_program *p,
				      const struct sotto_program_answer *answer,
				      struct sotto_matrix **x)
{
	struct sotto_matrix *basic = NULL, *prices = NULL, *result = NULL;
	bool fine = false;
	enum sotto_status st;
	struct basis b;

	SOTTO_TRY(basis_of(p, answer, &b));
	st = solve_system(p, &b, false, &basic);
	if (st == SOTTO_OK)
		st = sotto_matrix_new(p->columns, 1, &result);
	if (st == SOTTO_OK && !is_feasible(p, &b, basic, result))
		st = SOTTO_ESTATE;
	if (st == SOTTO_OK)
		st = solve_system(p, &b, true, &prices);
	if (st == SOTTO_OK)
		st = check_prices(p, &b, prices, &fine);
	if (st == SOTTO_OK && !fine)
		st = SOTTO_ESTATE;
	if (st == SOTTO_OK)
		*x = result;
	else
		sotto_matrix_free(result);
	sotto_matrix_free(basic);
	sotto_matrix_free(prices);
	basis_release(&b);
	return st;
}
