/*
 * Dense factors and inverses in blocks of rows: what a block is multiplied with is read
 * once per block, four rows at a time, instead of once per row.
 */
#include "local/rappor/regression/cholesky.h"

#include "local/rappor/regression/dots.h"

#define BLOCK 32

static double dot(const double *restrict a, const double *restrict b, size_t n)
{
	double s[8] = {0}, sum = 0;
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		for (size_t j = 0; j < 8; j++)
			s[j] += a[i + j] * b[i + j];
	for (; i < n; i++)
		sum += a[i] * b[i];
	for (size_t j = 0; j < 8; j++)
		sum += s[j];
	return sum;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Elements j .. j+3 of a row below the block of rows that they belong to. */
static void solve_four(sotto_dots dots, const double *a, size_t n, const bool *dropped,
		       size_t j, double *row)
{
	double d[4];

	dots(row, a + j * n, n, j, d);
	for (size_t c = 0; c < 4; c++) {
		const double *other = a + (j + c) * n;
		double x = row[j + c] - d[c];

		for (size_t t = 0; t < c; t++)
			x -= row[j + t] * other[j + t];
		row[j + c] = dropped[j + c] ? 0 : x / other[j + c];
	}
}

/* One row from element `from` on, with its pivot. */
static void finish_row(double *a, size_t n, bool *dropped, size_t i, size_t from)
{
	double *row = a + i * n, start = row[i], pivot;

	for (size_t j = from; j < i; j++)
		row[j] = dropped[j] ? 0 : (row[j] - dot(row, a + j * n, j)) / a[j * n + j];
	pivot = start - dot(row, row, i);
	dropped[i] = !(pivot > 1e-9 * start);
	row[i] = dropped[i] ? 1 : __builtin_sqrt(pivot);
	for (size_t j = 0; dropped[i] && j < i; j++)
		row[j] = 0;
}

void sotto_cholesky_factor(double *a, size_t n, bool *dropped)
{
	sotto_dots dots = sotto_dots_choose();

	for (size_t first = 0; first < n; first += BLOCK) {
		size_t end = least(first + BLOCK, n);

		for (size_t j = 0; j < first; j += 4)
			for (size_t i = first; i < end; i++)
				solve_four(dots, a, n, dropped, j, a + i * n);
		for (size_t i = first; i < end; i++)
			finish_row(a, n, dropped, i, first);
	}
}

void sotto_cholesky_solve(const double *l, size_t n, const bool *dropped, double *b)
{
	for (size_t i = 0; i < n; i++)
		b[i] = dropped[i] ? 0 : (b[i] - dot(l + i * n, b, i)) / l[i * n + i];
	for (size_t i = n; i-- > 0;) {
		b[i] /= l[i * n + i];
		for (size_t j = 0; j < i; j++)
			b[j] -= l[i * n + j] * b[i];
	}
}

/* (L^-1)[i][j], kept in row j; elements before i are there.  tail = the part from `from` on. */
static double
invert_element(const double *l, size_t n, size_t i, size_t j, size_t from, double tail)
{
	const double *row = l + i * n, *u = l + j * n;
	double s = row[j] / u[j] + tail;

	for (size_t k = j + 1; k < from; k++)
		s += row[k] * u[k];
	return -s / row[i];
}

/*
 * The upper triangle holds the inverse factor transposed: u[j][i] = (L^-1)[i][j], so
 * that all loops run along rows.
 */
void sotto_cholesky_inverse_diagonal(double *l, size_t n, const bool *dropped, double *out)
{
	sotto_dots dots = sotto_dots_choose();

	for (size_t first = 0; first < n; first += BLOCK) {
		size_t end = least(first + BLOCK, n);

		for (size_t i = first + 1; i < n; i++) {
			size_t j = first;
			double d[4];

			for (; i >= end && j < end; j += 4) {
				dots(l + i * n + end, l + j * n + end, n, i - end, d);
				for (size_t c = 0; c < 4; c++)
					l[(j + c) * n + i] =
						invert_element(l, n, i, j + c, end, d[c]);
			}
			for (; j < least(i, end); j++)
				l[j * n + i] = invert_element(l, n, i, j, i, 0);
		}
	}
	for (size_t j = 0; j < n; j++) {
		const double *u = l + j * n;

		out[j] = 1 / u[j] / u[j] + dot(u + j + 1, u + j + 1, n - j - 1);
		if (dropped[j])
			out[j] = __builtin_inf();
	}
}

/* Element (a, b), a <= b, of the inverse; tail = the part of the sum from `from` on. */
static double
inverse_element(const double *l, size_t n, size_t a, size_t b, size_t from, double tail)
{
	const double *u = l + a * n, *v = l + b * n;
	double own = 1 / v[b], s = (a == b ? own : u[b]) * own + tail;

	for (size_t k = b + 1; k < from; k++)
		s += u[k] * v[k];
	return s;
}

/* (L^-1)' L^-1: rows of the upper triangle against each other, from the later diagonal on. */
void sotto_cholesky_inverse(const double *l, size_t n, const bool *dropped, double *out)
{
	sotto_dots dots = sotto_dots_choose();

	for (size_t first = 0; first < n; first += BLOCK) {
		size_t end = least(first + BLOCK, n);

		for (size_t b = first; b < n; b++) {
			size_t a = first;
			double d[4];

			for (; b >= end && a < end; a += 4) {
				dots(l + b * n + b + 1, l + a * n + b + 1, n, n - b - 1, d);
				for (size_t c = 0; c < 4; c++)
					out[(a + c) * n + b] =
						inverse_element(l, n, a + c, b, b + 1, d[c]);
			}
			for (; a <= least(b, end - 1); a++)
				out[a * n + b] = inverse_element(l, n, a, b, n, 0);
		}
	}
	for (size_t a = 0; a < n; a++)
		for (size_t b = a; b < n; b++) {
			if (dropped[a] || dropped[b])
				out[a * n + b] = 0;
			out[b * n + a] = out[a * n + b];
		}
}
