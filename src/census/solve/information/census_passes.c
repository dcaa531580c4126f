/*
 * Estimates each node from its children and its own measurements, leaves first, then hands what
 * a parent knows better down by the children's shares.
 */
#include "census/solve/information/census_passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/information/census_gather.h"
#include "core/base/failure.h"

/* What one node needs; z and spread are sums over children. */
struct room {
	double *z, *h, *spare; /* cells */
	double *spread; /* of the children together */
	double *info, *gain; /* one matrix each */
	double *sharing; /* three */
	double *work;
};

static void
sum_children(const struct sotto_census_passes *p, size_t node, double *z, double *spread)
{
	const struct sotto_census_shape *shape = p->run->shape;
	const struct sotto_census_basis *b = &p->run->basis;

	memset(z, 0, p->run->schema->cells * sizeof *z);
	memset(spread, 0, sotto_census_spread_size(b) * sizeof *spread);
	for (size_t c = shape->first[node]; c < shape->first[node] + shape->count[node]; c++) {
		const double *more = sotto_census_passes_z(p, c);

		for (size_t i = 0; i < p->run->schema->cells; i++)
			z[i] += more[i];
		sotto_census_spread_add(b, sotto_census_passes_spread(p, c), spread);
	}
}

/* A total that is fixed moves the estimate of the component without contrasts. */
static void fix_total(const struct sotto_census_passes *p, size_t node, struct room *r)
{
	const struct sotto_census_basis *b = &p->run->basis;
	double *z = sotto_census_passes_z(p, node), share[SOTTO_CENSUS_EXPLICIT_MAX], lack;

	if (p->run->shape->total_low[node] != p->run->shape->total_high[node])
		return;
	sotto_census_spread_fix_total(b, sotto_census_passes_spread(p, node), share, r->work);
	lack = (double)p->run->shape->total_low[node] / sqrt((double)b->regular);
	for (size_t e = 0; e < b->places; e++)
		lack -= z[e * b->regular];
	for (size_t e = 0; e < b->places; e++)
		z[e * b->regular] += share[e] * lack;
}

/* From the children, where they count, and the node's own measurements. */
static enum sotto_status
estimate_node(struct sotto_census_passes *p, size_t node, struct room *r)
{
	const struct sotto_census_basis *b = &p->run->basis;
	double *z = sotto_census_passes_z(p, node), *s = sotto_census_passes_spread(p, node);
	size_t cells = p->run->schema->cells;

	if (sotto_census_looks_below(p->run, node)) {
		sum_children(p, node, z, s);
	} else {
		memset(z, 0, cells * sizeof *z);
		sotto_census_spread_forget(b, sotto_census_node_mask(p->run, node), s);
	}
	SOTTO_TRY(sotto_census_own_terms(p->w, node, r->info, r->h, r->spare));
	sotto_census_info_apply(b, r->info, z, r->spare, false);
	for (size_t i = 0; i < cells; i++)
		r->h[i] -= r->spare[i];
	sotto_census_spread_measure(b, r->info, s, r->gain, r->work);
	sotto_census_info_apply(b, r->gain, r->h, z, true);
	fix_total(p, node, r);
	return SOTTO_OK;
}

/* x_c = z_c + A_c (x - Z) */
static void pass_to_children(const struct sotto_census_passes *p, size_t node, struct room *r)
{
	const struct sotto_census_shape *shape = p->run->shape;
	const struct sotto_census_basis *b = &p->run->basis;
	struct sotto_census_shares sharing;

	sum_children(p, node, r->z, r->spread);
	sotto_census_shares_init(&sharing, b, r->spread, r->sharing, r->work);
	for (size_t i = 0; i < p->run->schema->cells; i++)
		r->z[i] = sotto_census_passes_z(p, node)[i] - r->z[i];
	for (size_t c = shape->first[node]; c < shape->first[node] + shape->count[node]; c++) {
		sotto_census_shares_apply(&sharing, b, sotto_census_passes_spread(p, node),
					  sotto_census_passes_spread(p, c), r->gain, r->work);
		sotto_census_info_apply(b, r->gain, r->z, sotto_census_passes_z(p, c), true);
	}
}

enum sotto_status sotto_census_passes_run(struct sotto_census_passes *p)
{
	const struct sotto_census_basis *b = &p->run->basis;
	size_t cells = p->run->schema->cells, nodes = sotto_census_node_count(p->run->shape);
	size_t size = sotto_census_spread_size(b);
	double *memory =
		malloc((3 * cells + size + 5 * b->block + sotto_census_spread_work(b)) *
		       sizeof *memory);
	enum sotto_status st = memory ? SOTTO_OK : SOTTO_ENOMEM;
	struct room r = {.z = memory};

	if (st == SOTTO_OK) {
		r.h = r.z + cells;
		r.spare = r.h + cells;
		r.spread = r.spare + cells;
		r.info = r.spread + size;
		r.gain = r.info + b->block;
		r.sharing = r.gain + b->block;
		r.work = r.sharing + 3 * b->block;
	}
	for (size_t v = nodes; st == SOTTO_OK && v-- > 0;)
		st = estimate_node(p, v, &r);
	for (size_t v = 0; st == SOTTO_OK && v < nodes; v++)
		if (p->run->shape->count[v] > 0)
			pass_to_children(p, v, &r);
	free(memory);
	return st;
}
