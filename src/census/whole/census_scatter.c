/*
 * Moves each fraction at random by no more than the accuracy of the solver, so that of equal
 * fractions not always the first ones are rounded up.
 */
#include "census/whole/census_scatter.h"

#include <math.h>
#include <stdint.h>

#include "core/base/failure.h"
#include "core/base/splitmix.h"

static const double known_to = 0.02; /* people: when the solver stops */

enum sotto_status sotto_census_scatter(double *x, size_t n, struct sotto_rng *rng)
{
	uint64_t state; /* a secret seed; the lots themselves need no secrecy */

	SOTTO_TRY(sotto_uniform_below(rng, UINT64_MAX, &state));
	for (size_t i = 0; i < n; i++)
		if (x[i] > 0)
			x[i] = fmax(x[i] + known_to * ((double)(sotto_splitmix(&state) >> 11) *
							       0x1p-52 -
						       1),
				    0);
	return SOTTO_OK;
}
