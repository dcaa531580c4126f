/* The counts of a node that are settled: only cells with somebody in them. */
#include "census/solve/census_final_counts.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

void sotto_census_counts_release(struct sotto_census_counts *c)
{
	free(c->cells);
	free(c->counts);
	*c = (struct sotto_census_counts){0};
}

/* Room for n cells, none of them there yet. */
static enum sotto_status counts_init(struct sotto_census_counts *c, size_t n)
{
	c->n = 0;
	c->cells = malloc((n + 1) * sizeof *c->cells);
	c->counts = malloc((n + 1) * sizeof *c->counts);
	return c->cells && c->counts ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_census_counts_keep(struct sotto_census_counts *out,
					   const uint32_t *cells, const int64_t *row,
					   size_t cell_count)
{
	size_t n = 0;

	for (size_t k = 0; k < cell_count; k++)
		n += row[k] > 0;
	SOTTO_TRY(counts_init(out, n));
	for (size_t k = 0; k < cell_count; k++)
		if (row[k] > 0) {
			out->cells[out->n] = cells[k];
			out->counts[out->n++] = row[k];
		}
	return SOTTO_OK;
}

enum sotto_status sotto_census_counts_copy(struct sotto_census_counts *out,
					   const struct sotto_census_counts *from)
{
	SOTTO_TRY(counts_init(out, from->n));
	memcpy(out->cells, from->cells, from->n * sizeof *out->cells);
	memcpy(out->counts, from->counts, from->n * sizeof *out->counts);
	out->n = from->n;
	return SOTTO_OK;
}
