/*
 * Corners of a polygon are outcomes, and as many opposite ones; what values and losses of the polygon may be wrong by is added on the safe side (convolved.md).
 */
#include "core/account/loss/convolved/convolved_clones.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/clone_groups/clone_rows.h"
#include "core/account/law/law.h"
#include "core/base/failure.h"

/* All lists together have six outcomes for each of so many cells at most. */
#define CELLS 0x1p17
/* More are not looked at for each cell. */
#define OUTCOMES_OF_CELL 32.0

/* One who changes alone is a group of one. */
static bool read_event(const struct sotto_event *e, struct sotto_between_event *r)
{
	if (e->kind != SOTTO_EVENT_SHUFFLE)
		return sotto_between_read(e, r);
	*r = (struct sotto_between_event){.shuffle = e, .people = 1};
	return sotto_clone_pair_of(e, &r->pair) &&
	       r->pair.epsilon0 <= SOTTO_BETWEEN_EPSILON_MAX;
}

bool sotto_convolved_clones_possible(const struct sotto_event *e,
				     enum sotto_neighbours neighbours)
{
	struct sotto_between_event r;

	return neighbours == SOTTO_REPLACE && read_event(e, &r);
}

static struct sotto_between_need need_of(const struct sotto_event *e)
{
	struct sotto_between_event r;

	if (e->kind == SOTTO_EVENT_SHUFFLE && read_event(e, &r))
		return (struct sotto_between_need){
			.outcomes = sotto_clone_rows_estimate(&r.pair, 1), .weight = 1};
	return sotto_between_need_of(e);
}

enum sotto_status sotto_convolved_clones_share(const struct sotto_terms *t,
					       const struct sotto_cutting *cutting,
					       struct sotto_between_share *out)
{
	struct sotto_between_need *needs = malloc((t->n + 1) * sizeof *needs);
	size_t n = 0;

	if (!needs)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < t->n; i++)
		if (sotto_convolved_clones_possible(t->list[i].event, t->neighbours))
			needs[n++] = need_of(t->list[i].event);
	*out = sotto_between_share_of(needs, n);
	out->cells_most = fmin((double)cutting->cells, CELLS / (double)(n + 1));
	out->cells_least = out->cells_most;
	out->outcomes = fmin(out->outcomes, OUTCOMES_OF_CELL * (double)cutting->cells);
	if (!(cutting->wide > 0))
		out->outcomes = 0;
	free(needs);
	return SOTTO_OK;
}

/* The corners, from the last opposite one on; losses grow. */
static enum sotto_status
list_corners(struct sotto_cells *c, const struct sotto_corners *from, double moved)
{
	size_t n = from->n;

	*c = (struct sotto_cells){.loss = malloc((4 * n + 1) * sizeof *c->loss),
				  .outcomes = 2 * n};
	if (!c->loss)
		return SOTTO_ENOMEM;
	c->mass = c->loss + 2 * n;
	for (size_t i = 0; i < n; i++) {
		c->loss[n + i] = from->loss[i] + moved;
		c->mass[n + i] = from->mass[i];
		c->loss[n - 1 - i] = moved - from->loss[i];
		c->mass[n - 1 - i] = from->mass[i] * exp(-from->loss[i]);
	}
	return SOTTO_OK;
}

/* What masses err by: values, those of slopes, powers of a group's losses that are moved, and of an opposite the exponential. */
static double error_of(const struct sotto_polygons *p, const struct sotto_corners *c)
{
	return 1.01 * (p->wrong + 2 * p->moved + SOTTO_U * (256 + 16 * (double)c->n));
}

enum sotto_status sotto_convolved_clones_of(struct sotto_cuts *c, const struct sotto_event *e,
					    const struct sotto_between_share *share,
					    struct sotto_work *work)
{
	struct sotto_between_event r;
	struct sotto_polygons p;
	enum sotto_status st;

	if (!read_event(e, &r))
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_polygons_of(&r, share, work, &p));
	st = list_corners(&c->above, &p.above, p.moved);
	if (st == SOTTO_OK)
		st = list_corners(&c->below, &p.below, -p.moved);
	c->above.above = 2 * p.left_out;
	c->above.error = error_of(&p, &p.above);
	c->below.error = error_of(&p, &p.below);
	sotto_polygons_release(&p);
	return st;
}
