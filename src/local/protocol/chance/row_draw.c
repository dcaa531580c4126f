/* Counters of bit vectors from their law, row by row. */
#include "local/protocol/chance/row_draw.h"

#include <stdlib.h>
#include <string.h>

#include "sotto/local.h"

uint64_t sotto_draw_cell(struct sotto_simulation_rng *dice, uint64_t n, uint64_t with,
			 double one, double zero)
{
	return sotto_simulation_binomial(dice, with, one) +
	       sotto_simulation_binomial(dice, n - with, zero);
}

enum sotto_status sotto_draw_rows(struct sotto_simulation_rng *dice,
				  const struct sotto_row_law *law,
				  const struct sotto_client_params *p, const uint64_t *holders,
				  size_t values, uint64_t *groups, uint64_t *cells)
{
	double flip = sotto_local_chance(p->flip), zero = law->zero, one = law->one;
	uint64_t *left = malloc((values + 1) * sizeof *left);
	uint64_t *with = malloc(p->width * sizeof *with);

	if (!left || !with) {
		free(left);
		free(with);
		return SOTTO_ENOMEM;
	}
	memcpy(left, holders, values * sizeof *left);
	for (uint32_t g = 0; g < p->groups; g++) {
		memset(with, 0, p->width * sizeof *with);
		for (size_t v = 0; v < values; v++) {
			uint64_t here =
				sotto_simulation_binomial(dice, left[v], 1.0 / (p->groups - g));

			left[v] -= here;
			groups[g] += here;
			if (here)
				law->set_cells(p, g, v, here, with);
		}
		for (uint32_t b = 0; b < p->width; b++)
			cells[(size_t)g * p->width + b] = sotto_draw_cell(
				dice, groups[g], with[b], one - (one - zero) * flip,
				zero + (one - zero) * flip);
	}
	free(left);
	free(with);
	return SOTTO_OK;
}
