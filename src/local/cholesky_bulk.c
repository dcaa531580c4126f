#include "local/cholesky.h"

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

void sotto_cholesky_factor(double *a, size_t n, bool *dropped)
{
	for (size_t i = 0; i < n; i++) {
		double *row = a + i * n, start = row[i], pivot;

		for (size_t j = 0; j < i; j++)
			row[j] = dropped[j] ? 0
					    : (row[j] - dot(row, a + j * n, j)) / a[j * n + j];
		pivot = start - dot(row, row, i);
		dropped[i] = !(pivot > 1e-9 * start);
		row[i] = dropped[i] ? 1 : __builtin_sqrt(pivot);
		for (size_t j = 0; dropped[i] && j < i; j++)
			row[j] = 0;
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

/* Column j of the inverse factor, kept as row j so that all loops run along rows. */
void sotto_cholesky_inverse_diagonal(double *l, size_t n, const bool *dropped, double *out)
{
	/* the upper triangle holds the inverse factor transposed: u[j][i] = (L^-1)[i][j] */
	for (size_t j = 0; j < n; j++) {
		double *u = l + j * n, own = 1 / l[j * n + j];

		out[j] = own * own;
		for (size_t i = j + 1; i < n; i++) {
			const double *row = l + i * n;
			double s = row[j] * own + dot(row + j + 1, u + j + 1, i - j - 1);

			u[i] = -s / row[i];
			out[j] += u[i] * u[i];
		}
		if (dropped[j])
			out[j] = __builtin_inf();
	}
}

/* (L^-1)' L^-1: rows of the upper triangle against each other, from the later diagonal on. */
void sotto_cholesky_inverse(const double *l, size_t n, const bool *dropped, double *out)
{
	for (size_t a = 0; a < n; a++)
		for (size_t b = a; b < n; b++) {
			double own = 1 / l[b * n + b], s = 0;

			if (!dropped[a] && !dropped[b])
				s = (a == b ? own : l[a * n + b]) * own +
				    dot(l + a * n + b + 1, l + b * n + b + 1, n - b - 1);
			out[a * n + b] = out[b * n + a] = s;
		}
}
