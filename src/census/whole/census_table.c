/*
 * Fractions become whole multiples of a small unit, so that the flow computes in integers;
 * before unbiased rounding they are moved until all sums are exact.
 */
#include "census/whole/census_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

static const double most = 0x1p60; /* wanted cells are held at this, in parts */

/*
 * Returns the unit in which wanted cells are counted, in parts of a person: 2^20, or fewer if a
 * family has so many people that their parts would not fit.
 */
static int64_t unit_of(const struct sotto_census_fractions *f)
{
	double people = 1, unit = 0x1p20;

	for (size_t k = 0; k < f->cells; k++)
		people += (double)f->parent[k];
	while (unit > 1 && people * unit > most)
		unit /= 2;
	return (int64_t)unit;
}

int64_t sotto_whole_scaled(double x, int64_t unit)
{
	return llrint(x > 0 ? fmin(x * (double)unit, most) : 0);
}

enum sotto_status sotto_whole_table_init(struct sotto_whole_table *b,
					 const struct sotto_census_fractions *f, size_t rows,
					 size_t columns)
{
	size_t cells = rows * columns;
	int64_t *at = calloc(4 * cells + rows + 2 * columns + 1, sizeof *at);

	*b = (struct sotto_whole_table){.memory = at};
	if (!at)
		return SOTTO_ENOMEM;
	b->want = at;
	b->low = at += cells;
	b->high = at += cells;
	b->x = at += cells;
	b->rows = at += cells;
	b->columns = at += rows;
	b->weights = at += columns;
	b->t = (struct sotto_transport){.rows = rows,
					.columns = columns,
					.unit = unit_of(f),
					.want = b->want,
					.row_sums = b->rows,
					.column_sums = b->columns,
					.low = b->low,
					.high = b->high,
					.weights = b->weights,
					.x = b->x};
	for (size_t k = 0; k < columns; k++)
		b->weights[k] = 1;
	return SOTTO_OK;
}

/*
 * Unbiased rounding needs fractions with the exact sums: the nearest ones are found by the
 * same flow, on the grid of the parts.
 */
static enum sotto_status fit(struct sotto_whole_table *b, struct sotto_transport_work *work)
{
	struct sotto_transport fine = b->t;
	size_t cells = b->t.rows * b->t.columns;
	int64_t *copy = malloc((2 * cells + b->t.rows + b->t.columns + 1) * sizeof *copy);
	int64_t *low = copy, *high = copy + cells, *rows = high + cells;
	enum sotto_status st;

	if (!copy)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < cells; i++) {
		low[i] = b->low[i] * b->t.unit;
		high[i] = b->high[i] < INT64_MAX / 4 / b->t.unit ? b->high[i] * b->t.unit
								 : INT64_MAX / 4;
	}
	for (size_t r = 0; r < b->t.rows; r++)
		rows[r] = b->rows[r] * b->t.unit;
	for (size_t k = 0; k < b->t.columns; k++)
		rows[b->t.rows + k] = b->columns[k] * b->t.unit;
	fine.unit = 1;
	fine.low = low;
	fine.high = high;
	fine.row_sums = rows;
	fine.column_sums = rows + b->t.rows;
	st = sotto_transport_round(&fine, SOTTO_ROUNDING_L1, NULL, work);
	if (st == SOTTO_OK)
		memcpy(b->want, b->x, cells * sizeof *b->want);
	free(copy);
	return st;
}

enum sotto_status sotto_whole_table_round(struct sotto_whole_table *b,
					  const struct sotto_census_fractions *f,
					  struct sotto_transport_work *work)
{
	if (f->rounding == SOTTO_ROUNDING_UNBIASED)
		SOTTO_TRY(fit(b, work));
	return sotto_transport_round(&b->t, f->rounding, f->rng, work);
}

bool sotto_whole_is_settled(const struct sotto_census_fractions *f)
{
	for (size_t i = 0; f->low && f->low != f->high && i < f->children * f->groups; i++)
		if (f->low[i] != f->high[i])
			return false;
	return f->low != NULL;
}

bool sotto_whole_has_sets(const struct sotto_census_fractions *f)
{
	for (size_t c = 0; f->sets && c < f->children; c++)
		if (f->sets[c])
			return true;
	return false;
}
