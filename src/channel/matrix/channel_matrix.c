/*
 * Dense rows of GMP fractions; elimination takes the shortest nonzero number of a column as
 * pivot, which keeps the fractions short.
 */
#include "channel/matrix/channel_matrix.h"

#include <stdlib.h>

#include "core/base/checked.h"
#include "core/base/failure.h"

enum sotto_status sotto_matrix_new(size_t rows, size_t columns, struct sotto_matrix **out)
{
	struct sotto_matrix *m;
	size_t n;

	if (!out)
		return SOTTO_EINVAL;
	if (!sotto_checked_mul_size(rows, columns, &n) || n > SOTTO_MATRIX_CELLS_MAX)
		return SOTTO_ERANGE;
	m = malloc(sizeof *m);
	if (!m)
		return SOTTO_ENOMEM;
	*m = (struct sotto_matrix){rows, columns, calloc(n ? n : 1, sizeof *m->cells)};
	if (!m->cells) {
		free(m);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		mpq_init(m->cells[i]);
	*out = m;
	return SOTTO_OK;
}

void sotto_matrix_free(struct sotto_matrix *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->rows * m->columns; i++)
		mpq_clear(m->cells[i]);
	free(m->cells);
	free(m);
}

enum sotto_status sotto_matrix_copy(const struct sotto_matrix *m, struct sotto_matrix **out)
{
	SOTTO_TRY(sotto_matrix_new(m->rows, m->columns, out));
	for (size_t i = 0; i < m->rows * m->columns; i++)
		mpq_set((*out)->cells[i], m->cells[i]);
	return SOTTO_OK;
}

enum sotto_status sotto_matrix_product(const struct sotto_matrix *a,
				       const struct sotto_matrix *b, struct sotto_matrix **out)
{
	mpq_t term;

	if (!a || !b || !out || a->columns != b->rows)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_matrix_new(a->rows, b->columns, out));
	mpq_init(term);
	for (size_t i = 0; i < a->rows; i++)
		for (size_t k = 0; k < a->columns; k++) {
			if (mpq_sgn(sotto_matrix_at(a, i, k)) == 0)
				continue;
			for (size_t j = 0; j < b->columns; j++) {
				mpq_mul(term, sotto_matrix_at(a, i, k),
					sotto_matrix_at(b, k, j));
				mpq_add(sotto_matrix_at(*out, i, j),
					sotto_matrix_at(*out, i, j), term);
			}
		}
	mpq_clear(term);
	return SOTTO_OK;
}

size_t sotto_matrix_rows(const struct sotto_matrix *m)
{
	return m ? m->rows : 0;
}

size_t sotto_matrix_columns(const struct sotto_matrix *m)
{
	return m ? m->columns : 0;
}

enum sotto_status sotto_matrix_get(const struct sotto_matrix *m, size_t row, size_t column,
				   struct sotto_rational *out)
{
	if (!m || !out || row >= m->rows || column >= m->columns)
		return SOTTO_EINVAL;
	mpq_set(out->q, sotto_matrix_at(m, row, column));
	return SOTTO_OK;
}

enum sotto_status sotto_matrix_set(struct sotto_matrix *m, size_t row, size_t column,
				   const struct sotto_rational *value)
{
	if (!m || !value || row >= m->rows || column >= m->columns)
		return SOTTO_EINVAL;
	mpq_set(sotto_matrix_at(m, row, column), value->q);
	return SOTTO_OK;
}

enum sotto_status
sotto_matrix_defect(const struct sotto_matrix *m, size_t row, struct sotto_rational *out)
{
	mpq_t one;

	if (!m || !out || row >= m->rows)
		return SOTTO_EINVAL;
	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	sotto_matrix_row_sum(out->q, m, row);
	mpq_sub(out->q, one, out->q);
	mpq_clear(one);
	return SOTTO_OK;
}

void sotto_matrix_row_sum(mpq_t sum, const struct sotto_matrix *m, size_t row)
{
	mpq_set_ui(sum, 0, 1);
	for (size_t j = 0; j < m->columns; j++)
		mpq_add(sum, sum, sotto_matrix_at(m, row, j));
}

bool sotto_matrix_is_stochastic(const struct sotto_matrix *m)
{
	bool fine = true;
	mpq_t sum;

	if (!m)
		return false;
	mpq_init(sum);
	for (size_t i = 0; i < m->rows && fine; i++) {
		sotto_matrix_row_sum(sum, m, i);
		fine = mpq_cmp_ui(sum, 1, 1) == 0;
		for (size_t j = 0; j < m->columns && fine; j++)
			fine = mpq_sgn(sotto_matrix_at(m, i, j)) >= 0;
	}
	mpq_clear(sum);
	return fine;
}

enum sotto_status sotto_matrix_normalize(struct sotto_matrix *m)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t sum;

	if (!m)
		return SOTTO_EINVAL;
	mpq_init(sum);
	for (size_t i = 0; i < m->rows && st == SOTTO_OK; i++) {
		sotto_matrix_row_sum(sum, m, i);
		if (mpq_sgn(sum) <= 0)
			st = SOTTO_EINVAL;
		for (size_t j = 0; j < m->columns && st == SOTTO_OK; j++)
			mpq_div(sotto_matrix_at(m, i, j), sotto_matrix_at(m, i, j), sum);
	}
	mpq_clear(sum);
	return st;
}

/* ---- elimination ------------------------------------------------------------- */

/* The row at or below k with the smallest nonzero entry in column k; rows if there is none. */
static size_t find_pivot(const struct sotto_matrix *a, size_t k)
{
	size_t best = a->rows, best_size = 0;

	for (size_t i = k; i < a->rows; i++) {
		mpq_srcptr x = sotto_matrix_at(a, i, k);
		size_t size = mpz_size(mpq_numref(x)) + mpz_size(mpq_denref(x));

		if (mpq_sgn(x) != 0 && (best == a->rows || size < best_size)) {
			best = i;
			best_size = size;
		}
	}
	return best;
}

static void swap_rows(struct sotto_matrix *m, size_t i, size_t j)
{
	for (size_t c = 0; c < m->columns && i != j; c++)
		mpq_swap(sotto_matrix_at(m, i, c), sotto_matrix_at(m, j, c));
}

/* row i -= factor * row k, from column `from` on */
static void
subtract_row(struct sotto_matrix *m, size_t i, size_t k, size_t from, const mpq_t factor)
{
	mpq_t term;

	mpq_init(term);
	for (size_t c = from; c < m->columns; c++) {
		if (mpq_sgn(sotto_matrix_at(m, k, c)) == 0)
			continue;
		mpq_mul(term, factor, sotto_matrix_at(m, k, c));
		mpq_sub(sotto_matrix_at(m, i, c), sotto_matrix_at(m, i, c), term);
	}
	mpq_clear(term);
}

static bool eliminate(struct sotto_matrix *a, struct sotto_matrix *b)
{
	bool regular = true;
	mpq_t factor;

	mpq_init(factor);
	for (size_t k = 0; k < a->rows && regular; k++) {
		size_t pivot = find_pivot(a, k);

		regular = pivot < a->rows;
		if (!regular)
			break;
		swap_rows(a, k, pivot);
		swap_rows(b, k, pivot);
		for (size_t i = 0; i < a->rows; i++) {
			if (i == k || mpq_sgn(sotto_matrix_at(a, i, k)) == 0)
				continue;
			mpq_div(factor, sotto_matrix_at(a, i, k), sotto_matrix_at(a, k, k));
			subtract_row(a, i, k, k, factor);
			subtract_row(b, i, k, 0, factor);
		}
	}
	for (size_t k = 0; k < a->rows && regular; k++)
		for (size_t c = 0; c < b->columns; c++)
			mpq_div(sotto_matrix_at(b, k, c), sotto_matrix_at(b, k, c),
				sotto_matrix_at(a, k, k));
	mpq_clear(factor);
	return regular;
}

enum sotto_status sotto_matrix_solve(const struct sotto_matrix *a, const struct sotto_matrix *b,
				     struct sotto_matrix **out)
{
	struct sotto_matrix *left, *right;
	enum sotto_status st;

	if (a->rows != a->columns || a->rows != b->rows)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_matrix_copy(a, &left));
	st = sotto_matrix_copy(b, &right);
	if (st == SOTTO_OK && !eliminate(left, right)) {
		sotto_matrix_free(right);
		st = SOTTO_EINVAL;
	}
	sotto_matrix_free(left);
	if (st == SOTTO_OK)
		*out = right;
	return st;
}
