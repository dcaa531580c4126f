/* Square matrices of a few rows: products, inverses, eigenvalues. */
#include "census/solve/information/census_symmetric.h"

#include <math.h>
#include <string.h>

enum { ROWS_MAX = 64, SWEEPS_MAX = 60 };
static const double singular = 1e-11; /* of the largest eigenvalue: what is zero */

void sotto_small_multiply(size_t rows, size_t inner, size_t columns, const double *a,
			  const double *b, double *out)
{
	for (size_t i = 0; i < rows; i++) {
		double *to = out + i * columns;

		memset(to, 0, columns * sizeof *to);
		for (size_t k = 0; k < inner; k++)
			for (size_t j = 0; j < columns; j++)
				to[j] += a[i * inner + k] * b[k * columns + j];
	}
}

void sotto_small_sandwich(size_t rows, size_t n, const double *a, const double *s, double *out,
			  double *work)
{
	sotto_small_multiply(rows, n, n, a, s, work);
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j <= i; j++) {
			double sum = 0;

			for (size_t k = 0; k < n; k++)
				sum += work[i * n + k] * a[j * n + k];
			out[i * rows + j] = out[j * rows + i] = sum;
		}
}

bool sotto_symmetric_factor(double *a, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		double pivot = a[k * n + k], before = pivot;

		for (size_t i = 0; i < k; i++)
			pivot -= a[k * n + i] * a[k * n + i];
		if (!(pivot > 1e-12 * before) || before <= 0)
			return false;
		a[k * n + k] = sqrt(pivot);
		for (size_t r = k + 1; r < n; r++) {
			double sum = a[r * n + k];

			for (size_t i = 0; i < k; i++)
				sum -= a[r * n + i] * a[k * n + i];
			a[r * n + k] = sum / a[k * n + k];
		}
	}
	return true;
}

void sotto_symmetric_invert_factor(const double *l, size_t n, double *out)
{
	for (size_t c = 0; c < n; c++) {
		double *x = out + c * n;

		for (size_t i = 0; i < n; i++) {
			double sum = i == c ? 1 : 0;

			for (size_t j = c; j < i; j++)
				sum -= l[i * n + j] * x[j];
			x[i] = i < c ? 0 : sum / l[i * n + i];
		}
		for (size_t i = n; i-- > 0;) {
			double sum = x[i];

			for (size_t j = i + 1; j < n; j++)
				sum -= l[j * n + i] * x[j];
			x[i] = sum / l[i * n + i];
		}
	}
}

/* ---- eigenvalues --------------------------------------------------------------------------------- */

static bool is_diagonal(const double *a, size_t n)
{
	double off = 0, all = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			all += a[i * n + j] * a[i * n + j];
			off += i == j ? 0 : a[i * n + j] * a[i * n + j];
		}
	return off <= 1e-30 * all;
}

/* Rotates rows and columns p and q so that a[p][q] is 0. */
static void rotate(double *a, size_t n, size_t p, size_t q, double *vectors)
{
	double theta, t, c, s;

	if (a[p * n + q] == 0)
		return;
	theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
	t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
	c = 1 / sqrt(t * t + 1);
	s = t * c;
	for (size_t k = 0; k < n; k++) {
		double x = a[k * n + p], y = a[k * n + q];

		a[k * n + p] = c * x - s * y;
		a[k * n + q] = s * x + c * y;
	}
	for (size_t k = 0; k < n; k++) {
		double x = a[p * n + k], y = a[q * n + k];
		double v = vectors[p * n + k], w = vectors[q * n + k];

		a[p * n + k] = c * x - s * y;
		a[q * n + k] = s * x + c * y;
		vectors[p * n + k] = c * v - s * w;
		vectors[q * n + k] = s * v + c * w;
	}
}

void sotto_symmetric_decompose(double *a, size_t n, double *values, double *vectors)
{
	for (size_t i = 0; i < n * n; i++)
		vectors[i] = i % (n + 1) == 0;
	for (int sweep = 0; sweep < SWEEPS_MAX && !is_diagonal(a, n); sweep++)
		for (size_t p = 0; p < n; p++)
			for (size_t q = p + 1; q < n; q++)
				rotate(a, n, p, q, vectors);
	for (size_t i = 0; i < n; i++)
		values[i] = a[i * n + i];
}

/* ---- inverses -------------------------------------------------------------------------------------- */

/* By Cholesky, where a is clearly positive definite but for rows of zeros. */
static bool invert_regular(size_t n, const double *a, double floor, double *inverse,
			   double *range, double *work)
{
	double *out = work + n * n;
	size_t m = 0, at[ROWS_MAX];

	for (size_t i = 0; i < n; i++)
		if (a[i * n + i] > 0)
			at[m++] = i;
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < m; j++)
			work[i * m + j] = a[at[i] * n + at[j]];
	if (!sotto_symmetric_factor(work, m))
		return false;
	for (size_t i = 0; i < m && floor > 0; i++)
		if (work[i * m + i] * work[i * m + i] < 1000 * floor)
			return false;
	sotto_symmetric_invert_factor(work, m, out);
	memset(inverse, 0, n * n * sizeof *inverse);
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < m; j++)
			inverse[at[i] * n + at[j]] = out[i * m + j];
	for (size_t i = 0; range && i < n * n; i++)
		range[i] = i % (n + 1) == 0 && a[i] > 0;
	return true;
}

void sotto_symmetric_invert(size_t n, const double *a, double floor, double *inverse,
			    double *range, double *work)
{
	double *vectors = work + n * n, *values = vectors + n * n, zero = floor;

	if (invert_regular(n, a, floor, inverse, range, work))
		return;
	memcpy(work, a, n * n * sizeof *a);
	sotto_symmetric_decompose(work, n, values, vectors);
	for (size_t i = 0; i < n; i++)
		zero = fmax(zero, singular * values[i]);
	memset(inverse, 0, n * n * sizeof *inverse);
	if (range)
		memset(range, 0, n * n * sizeof *range);
	for (size_t v = 0; v < n; v++)
		for (size_t i = 0; values[v] > zero && i < n; i++)
			for (size_t j = 0; j < n; j++) {
				double both = vectors[v * n + i] * vectors[v * n + j];

				inverse[i * n + j] += both / values[v];
				if (range)
					range[i * n + j] += both;
			}
}

static void swap_rows(size_t n, double *a, size_t i, size_t j)
{
	for (size_t k = 0; i != j && k < n; k++) {
		double kept = a[i * n + k];

		a[i * n + k] = a[j * n + k];
		a[j * n + k] = kept;
	}
}

void sotto_small_solve(size_t n, double *a, double *x)
{
	for (size_t c = 0; c < n; c++) {
		size_t best = c;

		for (size_t i = c + 1; i < n; i++)
			if (fabs(a[i * n + c]) > fabs(a[best * n + c]))
				best = i;
		swap_rows(n, a, c, best);
		swap_rows(n, x, c, best);
		for (size_t i = c + 1; i < n; i++) {
			double f = a[i * n + c] / a[c * n + c];

			for (size_t k = c; f != 0 && k < n; k++)
				a[i * n + k] -= f * a[c * n + k];
			for (size_t k = 0; f != 0 && k < n; k++)
				x[i * n + k] -= f * x[c * n + k];
		}
	}
	for (size_t i = n; i-- > 0;)
		for (size_t k = 0; k < n; k++) {
			double sum = x[i * n + k];

			for (size_t j = i + 1; j < n; j++)
				sum -= a[i * n + j] * x[j * n + k];
			x[i * n + k] = sum / a[i * n + i];
		}
}
