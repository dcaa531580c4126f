/*
 * Gaussian elimination in fractions, with the first entry that is not 0 as pivot; a singular
 * system is solved if its right side lies in the range.
 */
#include "census/exact/census_rational_matrix.h"

#include <stdlib.h>

#include "core/base/failure.h"

enum sotto_status
sotto_rational_matrix_init(struct sotto_rational_matrix *m, size_t rows, size_t columns)
{
	*m = (struct sotto_rational_matrix){.rows = rows, .columns = columns};
	m->cells = malloc((rows * columns + 1) * sizeof *m->cells);
	if (!m->cells)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < rows * columns; i++)
		mpq_init(m->cells[i]);
	return SOTTO_OK;
}

void sotto_rational_matrix_release(struct sotto_rational_matrix *m)
{
	for (size_t i = 0; m->cells && i < m->rows * m->columns; i++)
		mpq_clear(m->cells[i]);
	free(m->cells);
	m->cells = NULL;
}

void sotto_rational_matrix_copy(struct sotto_rational_matrix *to,
				const struct sotto_rational_matrix *from)
{
	for (size_t i = 0; i < from->rows * from->columns; i++)
		mpq_set(to->cells[i], from->cells[i]);
}

void sotto_rational_matrix_add(struct sotto_rational_matrix *a,
			       const struct sotto_rational_matrix *b, const mpq_t factor)
{
	mpq_t part;

	mpq_init(part);
	for (size_t i = 0; i < a->rows * a->columns; i++) {
		mpq_mul(part, b->cells[i], factor);
		mpq_add(a->cells[i], a->cells[i], part);
	}
	mpq_clear(part);
}

static void swap_rows(struct sotto_rational_matrix *m, size_t one, size_t other)
{
	for (size_t j = 0; one != other && j < m->columns; j++)
		mpq_swap(sotto_rational_at(m, one, j), sotto_rational_at(m, other, j));
}

/* row -= factor times pivot row, from a column on */
static void subtract_row(struct sotto_rational_matrix *m, size_t row, size_t pivot, size_t from,
			 const mpq_t factor, mpq_t part)
{
	for (size_t j = from; j < m->columns; j++) {
		mpq_mul(part, factor, sotto_rational_at(m, pivot, j));
		mpq_sub(sotto_rational_at(m, row, j), sotto_rational_at(m, row, j), part);
	}
}

/* Clears the column in every row but the pivot's. */
static void eliminate(struct sotto_rational_matrix *a, struct sotto_rational_matrix *b,
		      size_t pivot, size_t column)
{
	mpq_t factor, part;

	mpq_inits(factor, part, NULL);
	for (size_t i = 0; i < a->rows; i++) {
		if (i == pivot || mpq_sgn(sotto_rational_at(a, i, column)) == 0)
			continue;
		mpq_div(factor, sotto_rational_at(a, i, column),
			sotto_rational_at(a, pivot, column));
		subtract_row(a, i, pivot, column, factor, part);
		subtract_row(b, i, pivot, 0, factor, part);
	}
	mpq_clears(factor, part, NULL);
}

/* Row echelon form; where[j] is the pivot row of column j or SIZE_MAX.  Returns the rank. */
static size_t
reduce(struct sotto_rational_matrix *a, struct sotto_rational_matrix *b, size_t *where)
{
	size_t rank = 0;

	for (size_t j = 0; j < a->columns; j++) {
		size_t row = rank;

		where[j] = (size_t)-1;
		while (row < a->rows && mpq_sgn(sotto_rational_at(a, row, j)) == 0)
			row++;
		if (row == a->rows)
			continue;
		swap_rows(a, rank, row);
		swap_rows(b, rank, row);
		eliminate(a, b, rank, j);
		where[j] = rank++;
	}
	return rank;
}

/*
 * Solves a x = b for every column of b, with free unknowns 0; x replaces b, a is destroyed.
 * False if a column has no solution.
 */
static bool solve(struct sotto_rational_matrix *a, struct sotto_rational_matrix *b)
{
	size_t *where = malloc((a->columns + 1) * sizeof *where);
	bool solved = where != NULL;
	size_t rank = solved ? reduce(a, b, where) : 0;

	for (size_t i = rank; solved && i < a->rows; i++)
		for (size_t j = 0; j < b->columns; j++)
			solved &= mpq_sgn(sotto_rational_at(b, i, j)) == 0;
	/* Unknown j is in row where[j] <= j: from the last to the first nothing is overwritten. */
	for (size_t j = a->columns; solved && j-- > 0;)
		for (size_t k = 0; k < b->columns; k++) {
			mpq_ptr x = sotto_rational_at(b, j, k);

			if (where[j] == (size_t)-1)
				mpq_set_ui(x, 0, 1);
			else
				mpq_div(x, sotto_rational_at(b, where[j], k),
					sotto_rational_at(a, where[j], j));
		}
	free(where);
	return solved;
}

static void set_identity(struct sotto_rational_matrix *m)
{
	for (size_t i = 0; i < m->rows; i++)
		for (size_t j = 0; j < m->columns; j++)
			mpq_set_ui(sotto_rational_at(m, i, j), i == j, 1);
}

enum sotto_status sotto_rational_inverse_init(struct sotto_rational_inverse *v,
					      const struct sotto_rational_matrix *a)
{
	struct sotto_rational_matrix work = {0};
	size_t n = a->rows, *where = malloc((n + 1) * sizeof *where);
	enum sotto_status st = where ? SOTTO_OK : SOTTO_ENOMEM;

	*v = (struct sotto_rational_inverse){.rank = 0};
	if (st == SOTTO_OK)
		st = sotto_rational_matrix_init(&work, n, n);
	if (st == SOTTO_OK)
		st = sotto_rational_matrix_init(&v->steps, n, n);
	if (st == SOTTO_OK) {
		sotto_rational_matrix_copy(&work, a);
		set_identity(&v->steps);
		v->rank = reduce(&work, &v->steps, where);
		for (size_t j = 0; j < n; j++)
			for (size_t k = 0; where[j] != (size_t)-1 && k < n; k++) {
				mpq_ptr step = sotto_rational_at(&v->steps, where[j], k);

				mpq_div(step, step, sotto_rational_at(&work, where[j], j));
			}
		v->where = where;
		where = NULL;
	}
	sotto_rational_matrix_release(&work);
	free(where);
	return st;
}

void sotto_rational_inverse_release(struct sotto_rational_inverse *v)
{
	sotto_rational_matrix_release(&v->steps);
	free(v->where);
	v->where = NULL;
}

/* The sum of a row over the marked columns. */
static void
sum_marked(const struct sotto_rational_inverse *v, size_t row, const bool *marked, mpq_t out)
{
	mpq_set_ui(out, 0, 1);
	for (size_t k = 0; k < v->steps.columns; k++)
		if (marked[k])
			mpq_add(out, out, sotto_rational_at(&v->steps, row, k));
}

bool sotto_rational_inverse_form(const struct sotto_rational_inverse *v, const bool *marked,
				 mpq_t out)
{
	bool determined = true;
	mpq_t sum;

	mpq_init(sum);
	for (size_t i = v->rank; determined && i < v->steps.rows; i++) {
		sum_marked(v, i, marked, sum);
		determined = mpq_sgn(sum) == 0;
	}
	mpq_set_ui(out, 0, 1);
	for (size_t j = 0; determined && j < v->steps.columns; j++)
		if (marked[j] && v->where[j] != (size_t)-1) {
			sum_marked(v, v->where[j], marked, sum);
			mpq_add(out, out, sum);
		}
	mpq_clear(sum);
	return determined;
}

static void multiply(const struct sotto_rational_matrix *a,
		     const struct sotto_rational_matrix *b, struct sotto_rational_matrix *out)
{
	mpq_t part;

	mpq_init(part);
	for (size_t i = 0; i < a->rows; i++)
		for (size_t j = 0; j < b->columns; j++) {
			mpq_ptr sum = sotto_rational_at(out, i, j);

			mpq_set_ui(sum, 0, 1);
			for (size_t k = 0; k < a->columns; k++) {
				mpq_mul(part, sotto_rational_at(a, i, k),
					sotto_rational_at(b, k, j));
				mpq_add(sum, sum, part);
			}
		}
	mpq_clear(part);
}

enum sotto_status sotto_rational_matrix_parallel(struct sotto_rational_matrix *a,
						 const struct sotto_rational_matrix *b)
{
	struct sotto_rational_matrix sum = {0}, solution = {0}, product = {0};
	enum sotto_status st = sotto_rational_matrix_init(&sum, a->rows, a->rows);
	mpq_t one;

	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	if (st == SOTTO_OK)
		st = sotto_rational_matrix_init(&solution, a->rows, a->rows);
	if (st == SOTTO_OK)
		st = sotto_rational_matrix_init(&product, a->rows, a->rows);
	if (st == SOTTO_OK) {
		sotto_rational_matrix_copy(&sum, a);
		sotto_rational_matrix_add(&sum, b, one);
		sotto_rational_matrix_copy(&solution, b);
		if (!solve(&sum, &solution))
			st = SOTTO_ENOMEM; /* the range of b lies in that of a + b: only memory fails */
	}
	if (st == SOTTO_OK) {
		multiply(a, &solution, &product);
		sotto_rational_matrix_copy(a, &product);
	}
	sotto_rational_matrix_release(&sum);
	sotto_rational_matrix_release(&solution);
	sotto_rational_matrix_release(&product);
	mpq_clear(one);
	return st;
}
