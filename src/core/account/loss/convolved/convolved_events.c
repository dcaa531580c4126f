/*
 * Every event is cut by its own curve, also one that has a law: a list of outcomes is all that a grid wants.
 */
#include "core/account/loss/convolved/convolved_events.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/loss/convolved/convolved_clones.h"
#include "core/base/failure.h"

void sotto_convolved_events_release(struct sotto_convolved_events *e)
{
	for (size_t i = 0; i < e->n; i++) {
		sotto_cells_release(&e->list[i].cuts.above);
		sotto_cells_release(&e->list[i].cuts.below);
	}
	free(e->list);
	*e = (struct sotto_convolved_events){.list = NULL};
}

/* What events have lists of, besides values of their curves. */
struct sources {
	const struct sotto_terms *terms;
	enum sotto_direction direction;
	const struct sotto_cutting *cutting;
	struct sotto_between_share clones;
};

static enum sotto_status
cut_event(struct sotto_cuts *c, const struct sotto_event *e, const struct sources *s)
{
	if (sotto_convolved_clones_possible(e, s->terms->neighbours))
		return sotto_convolved_clones_of(c, e, &s->clones, s->cutting->work);
	return sotto_cells_curve(c, e, s->terms->neighbours, s->direction, s->cutting);
}

enum sotto_status
sotto_convolved_events_of(struct sotto_convolved_events *e, const struct sotto_terms *t,
			  enum sotto_direction direction, const struct sotto_cutting *cutting)
{
	struct sources from = {.terms = t, .direction = direction, .cutting = cutting};

	*e = (struct sotto_convolved_events){.list = calloc(t->n + 1, sizeof *e->list)};
	if (!e->list)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_convolved_clones_share(t, cutting, &from.clones));
	for (size_t i = 0; i < t->n; i++) {
		struct sotto_convolved_event *to = &e->list[e->n++];

		to->count = (double)t->list[i].count;
		e->total += to->count;
		SOTTO_TRY(cut_event(&to->cuts, t->list[i].event, &from));
	}
	return SOTTO_OK;
}

const struct sotto_cells *
sotto_convolved_side(const struct sotto_convolved_event *e, enum sotto_side side)
{
	return side == SOTTO_UPPER ? &e->cuts.above : &e->cuts.below;
}

static double tilted_mean(const struct sotto_cells *c, double order)
{
	double most = -INFINITY, sum = 0, moment = 0;

	for (size_t i = 0; i < c->outcomes; i++)
		if (c->mass[i] > 0)
			most = fmax(most, log(c->mass[i]) + order * c->loss[i]);
	for (size_t i = 0; i < c->outcomes; i++) {
		double weight =
			c->mass[i] > 0 ? exp(log(c->mass[i]) + order * c->loss[i] - most) : 0;

		sum += weight;
		moment += weight * c->loss[i];
	}
	return moment / sum;
}

static void keep_between(struct sotto_cells *c, double low, double high)
{
	size_t n = 0;

	for (size_t i = 0; i < c->outcomes; i++) {
		if (c->loss[i] < low || c->loss[i] > high)
			continue;
		c->loss[n] = c->loss[i];
		c->mass[n++] = c->mass[i];
	}
	c->outcomes = n;
}

void sotto_convolved_events_trim(struct sotto_convolved_events *e, double order, double below,
				 double above)
{
	for (size_t i = 0; i < e->n; i++) {
		double mean = tilted_mean(&e->list[i].cuts.above, order);

		keep_between(&e->list[i].cuts.below, mean - below, mean + above);
	}
}

static double list_cumulant(const struct sotto_cells *c, double s)
{
	double most = -INFINITY, sum = 0;

	for (size_t i = 0; i < c->outcomes; i++)
		if (c->mass[i] > 0)
			most = fmax(most, s * c->loss[i]);
	for (size_t i = 0; i < c->outcomes && isfinite(most); i++)
		if (c->mass[i] > 0)
			sum += c->mass[i] * exp(s * c->loss[i] - most);
	return isfinite(most) ? most + log(sum) : -INFINITY;
}

double
sotto_convolved_cumulant(const struct sotto_convolved_events *e, enum sotto_side side, double s)
{
	double sum = 0;

	for (size_t i = 0; i < e->n; i++)
		sum += e->list[i].count *
		       list_cumulant(sotto_convolved_side(&e->list[i], side), s);
	return sum;
}
