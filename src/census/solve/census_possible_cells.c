/*
 * A counting sort of the cells by group, without those that structural zeros, bounds of 0 or a
 * known table exclude.
 */
#include "census/solve/census_possible_cells.h"

#include <stdlib.h>

#include "census/solve/census_worker.h"

/* Where each cell belongs: its group of the known table or of the frame; UINT32_MAX: nowhere. */
static uint32_t
place_of(const struct sotto_census_run *run, const bool *occupied, uint64_t mask, size_t cell)
{
	const struct sotto_census_schema *s = run->schema;
	uint32_t group =
		occupied ? s->maps[s->known][cell] : s->group_of_place[cell / s->regular];
	bool possible = !s->zero[cell] && mask >> (cell / s->regular) & 1 &&
			(!occupied || occupied[group]);

	return possible ? group : UINT32_MAX;
}

/* Counts the cells of each group, then puts them there in order. */
static void sort_cells(const struct sotto_census_run *run, const bool *occupied, size_t groups,
		       size_t *at, uint32_t *out, size_t *n)
{
	uint64_t mask = sotto_census_node_mask(run, 0);

	for (int pass = 0; pass < 2; pass++) {
		for (size_t cell = 0; cell < run->schema->cells; cell++) {
			uint32_t group = place_of(run, occupied, mask, cell);

			if (group != UINT32_MAX && pass == 0)
				at[group + 1]++;
			else if (group != UINT32_MAX)
				out[at[group]++] = (uint32_t)cell;
		}
		for (size_t g = 0; pass == 0 && g < groups; g++)
			at[g + 1] += at[g];
		*n = pass == 0 ? at[groups] : *n;
	}
}

enum sotto_status
sotto_census_possible_cells(const struct sotto_census_run *run, uint32_t **out, size_t *n)
{
	bool known = run->shape->known.is_given;
	size_t groups = known ? run->shape->known.query_cells : run->schema->groups;
	size_t *at = calloc(groups + 1, sizeof *at);
	bool *occupied = known ? calloc(groups, sizeof *occupied) : NULL;
	enum sotto_status st = SOTTO_ENOMEM;

	*out = malloc(run->schema->cells * sizeof **out);
	*n = 0;
	if (*out && at && (occupied || !known)) {
		struct sotto_census_known_row row = {.n = 0};

		if (known)
			row = sotto_census_known_of(run->shape, 0);
		for (size_t i = 0; i < row.n; i++)
			occupied[row.cells[i]] = true;
		sort_cells(run, occupied, groups, at, *out, n);
		st = SOTTO_OK;
	}
	free(at);
	free(occupied);
	return st;
}
