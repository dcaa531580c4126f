/* Products of two lists of masses, which are most of what two cells take: eight rows at a time, so that a sum is loaded and stored once for eight of them. */
#include "core/account/law/couples/couple_block.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 8 };

/* y has ROWS - 1 zeros before it and after it. */
static void add_rows(const double *x, const double *y, size_t m, size_t first, double *out)
{
	for (size_t k = first; k < m + ROWS - 1; k++) {
		const double *at = y + k;

		out[k] += ((x[0] * at[7] + x[1] * at[6]) + (x[2] * at[5] + x[3] * at[4])) +
			  ((x[4] * at[3] + x[5] * at[2]) + (x[6] * at[1] + x[7] * at[0]));
	}
}

enum sotto_status sotto_couple_products(const double *x, size_t n, const double *y, size_t m,
					size_t from, double *out)
{
	size_t rows = (n + ROWS - 1) / ROWS * ROWS;
	double *padded = calloc(rows + m + 2 * ROWS, sizeof *padded), *wide;

	if (!padded)
		return SOTTO_ENOMEM;
	wide = padded + rows;
	memcpy(padded, x, n * sizeof *x);
	memcpy(wide + ROWS - 1, y, m * sizeof *y);
	for (size_t i = 0; i < rows; i += ROWS)
		add_rows(padded + i, wide, m, from > i ? from - i : 0, out + i);
	free(padded);
	return SOTTO_OK;
}
