/*
 * Products of two lists of masses: eight rows at a time, so that a sum is loaded and stored once for eight of them; none where all eight are nothing.  The sums
 * of a run are had from one place to the next.
 */
#include "core/account/law/couples/couple_block.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8 };

/* y has ROWS - 1 zeros before it and after it. */
static void add_rows(const double *x, const double *y, size_t m, double *out)
{
	for (size_t k = 0; k < m + ROWS - 1; k++) {
		const double *at = y + k;

		out[k] += ((x[0] * at[7] + x[1] * at[6]) + (x[2] * at[5] + x[3] * at[4])) +
			  ((x[4] * at[3] + x[5] * at[2]) + (x[6] * at[1] + x[7] * at[0]));
	}
}

static bool is_nothing(const double *x)
{
	for (int i = 0; i < ROWS; i++)
		if (x[i] > 0)
			return false;
	return true;
}

/*
 * Products of a run with as many places of another list, at most, so that it reaches over one of their ends: up to the last of its places sums from their bottom,
 * and beyond sums from their top, all of them positive.
 */
static void
add_run_part(const struct sotto_couple_masses *x, const double *y, size_t m, double *out)
{
	size_t count = x->run.count;
	double first = x->mass[x->run.from], ratio = x->run.ratio, sum = 0,
	       last = first * exp((double)(count - 1) * log(ratio));

	for (size_t k = 0; k < count; k++) {
		sum = sum * ratio + (k < m ? y[k] : 0);
		out[k] += first * sum;
	}
	sum = 0;
	for (size_t k = count + m - 2; k >= count; k--) {
		sum = sum / ratio + y[k - count + 1];
		out[k] += last * sum;
	}
}

static void
add_run(const struct sotto_couple_masses *x, const struct sotto_couple_masses *y, double *out)
{
	size_t count = x->run.count;

	for (size_t i = 0; i < y->n && count > 0; i += count)
		add_run_part(x, y->mass + i, y->n - i < count ? y->n - i : count,
			     out + x->run.from + i);
}

/* How many groups of rows x has beside its run. */
static size_t count_rows(const struct sotto_couple_masses *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++) {
		if (i >= x->run.from && i < x->run.from + x->run.count)
			i = x->run.from + x->run.count;
		if (i < x->n && x->mass[i] > 0) {
			n++;
			i |= ROWS - 1;
		}
	}
	return n;
}

enum sotto_status sotto_couple_products(const struct sotto_couple_masses *x,
					const struct sotto_couple_masses *y, double *out)
{
	size_t rows;
	double *padded, *wide;

	if (count_rows(y) * x->n < count_rows(x) * y->n) {
		const struct sotto_couple_masses *other = x;

		x = y;
		y = other;
	}
	rows = (x->n + ROWS - 1) / ROWS * ROWS;
	padded = calloc(rows + y->n + 2 * ROWS, sizeof *padded);
	if (!padded)
		return SOTTO_ENOMEM;
	wide = padded + rows;
	memcpy(padded, x->mass, x->n * sizeof *padded);
	memcpy(wide + ROWS - 1, y->mass, y->n * sizeof *wide);
	memset(padded + x->run.from, 0, x->run.count * sizeof *padded);
	add_run(x, y, out);
	for (size_t i = 0; i < rows; i += ROWS)
		if (!is_nothing(padded + i))
			add_rows(padded + i, wide, y->n, out + i);
	free(padded);
	return SOTTO_OK;
}
