/*
 * Moves each fraction at random by no more than the accuracy of the solver, so that of equal
 * fractions not always the first ones are rounded up.
 */
#include "census/whole/census_scatter.h"

#include <math.h>
#include <stdint.h>

#include "core/base/failure.h"

static const double known_to = 0.02; /* people: when the solver stops */

/* splitmix64: lots need no secrecy, which their seed has. */
static uint64_t next_lot(uint64_t *state)
{
	uint64_t lot = *state += UINT64_C(0x9e3779b97f4a7c15);

	lot = (lot ^ (lot >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	lot = (lot ^ (lot >> 27)) * UINT64_C(0x94d049bb133111eb);
	return lot ^ (lot >> 31);
}

enum sotto_status sotto_census_scatter(double *x, size_t n, struct sotto_rng *rng)
{
	uint64_t state;

	SOTTO_TRY(sotto_uniform_below(rng, UINT64_MAX, &state));
	for (size_t i = 0; i < n; i++)
		if (x[i] > 0)
			x[i] = fmax(
				x[i] + known_to * ((double)(next_lot(&state) >> 11) * 0x1p-52 -
						   1),
				0);
	return SOTTO_OK;
}
