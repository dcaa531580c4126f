/*
 * Checks arguments and calls the sampler by bit planes; the strict fill draws one value after
 * another, in the order of the single draws.
 */
#include "core/random/laplace/dlaplace.h"

#include <stdlib.h>

#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"
#include "core/random/generator/random_source.h"
#include "core/random/laplace/planes.h"

struct sotto_dlaplace {
	struct sotto_planes planes;
};

enum sotto_status
sotto_dlaplace_new(const struct sotto_rational *eps, struct sotto_dlaplace **out)
{
	if (!eps || !out)
		return SOTTO_EINVAL;
	eps = sotto_rational_settled(eps);

	struct sotto_dlaplace *d = malloc(sizeof *d);
	enum sotto_status st;

	if (!d)
		return SOTTO_ENOMEM;
	st = sotto_planes_init(&d->planes, eps, true);
	if (st == SOTTO_OK)
		*out = d;
	else
		free(d);
	return st;
}

void sotto_dlaplace_free(struct sotto_dlaplace *d)
{
	if (!d)
		return;
	sotto_planes_release(&d->planes);
	free(d);
}

enum sotto_status
sotto_dlaplace_draw(const struct sotto_dlaplace *d, struct sotto_rng *rng, int64_t *out)
{
	if (!d || !rng || !out)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_source_ready(rng));
	return sotto_planes_draw(&d->planes, rng, out);
}

enum sotto_status sotto_dlaplace_fill(const struct sotto_dlaplace *d, struct sotto_rng *rng,
				      int64_t *out, size_t n)
{
	if (!d || !rng || (!out && n > 0))
		return SOTTO_EINVAL;
	return sotto_planes_fill(&d->planes, rng, out, n);
}

static enum sotto_status
fill_by_core(const struct sotto_planes *p, struct sotto_rng *rng, int64_t *out, size_t n)
{
	SOTTO_TRY(sotto_source_ready(rng));
	for (size_t i = 0; i < n; i++)
		SOTTO_TRY(sotto_planes_draw(p, rng, &out[i]));
	return SOTTO_OK;
}

enum sotto_status sotto_dlaplace_fill_strict(const struct sotto_dlaplace *d,
					     struct sotto_rng *rng, int64_t *out, size_t n)
{
	if (!d || !rng || (!out && n > 0))
		return SOTTO_EINVAL;

	enum sotto_status st = fill_by_core(&d->planes, rng, out, n);

	if (st != SOTTO_OK)
		sotto_wipe(out, n * sizeof *out);
	return st;
}
