/* Checks arguments and calls the one-sided form of the sampler by bit planes. */
#include "core/random/laplace/geometric.h"

#include <stdlib.h>

#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"
#include "core/random/generator/random_source.h"
#include "core/random/laplace/planes.h"

struct sotto_geometric {
	struct sotto_planes planes;
};

enum sotto_status
sotto_geometric_new(const struct sotto_rational *eps, struct sotto_geometric **out)
{
	if (!eps || !out)
		return SOTTO_EINVAL;
	eps = sotto_rational_settled(eps);

	struct sotto_geometric *g = malloc(sizeof *g);
	enum sotto_status st;

	if (!g)
		return SOTTO_ENOMEM;
	st = sotto_planes_init(&g->planes, eps, false);
	if (st == SOTTO_OK)
		*out = g;
	else
		free(g);
	return st;
}

void sotto_geometric_free(struct sotto_geometric *g)
{
	if (!g)
		return;
	sotto_planes_release(&g->planes);
	free(g);
}

enum sotto_status
sotto_geometric_draw(const struct sotto_geometric *g, struct sotto_rng *rng, int64_t *out)
{
	if (!g || !rng || !out)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_source_ready(rng));
	return sotto_planes_draw(&g->planes, rng, out);
}

enum sotto_status sotto_geometric_fill(const struct sotto_geometric *g, struct sotto_rng *rng,
				       int64_t *out, size_t n)
{
	if (!g || !rng || (!out && n > 0))
		return SOTTO_EINVAL;
	return sotto_planes_fill(&g->planes, rng, out, n);
}
