/* Which events are groups in shuffled reports, and the law of one. */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/real.h"
#include "core/account/law/between/between_polygons.h"
#include "core/account/law/clone_groups/clone_group.h"
#include "core/account/law/clone_groups/clone_lift.h"
#include "core/account/law/clone_groups/clone_rows.h"
#include "core/account/law/clone_groups/law_clone_group.h"
#include "core/base/failure.h"

/* Outcomes of all hulls together. */
#define OUTCOMES_OF_ALL 5e6
/*
 * Where a curve is not proved to be next to its hull, and no hull is made, the law lies between two polygons (law_between.h): so far apart, over the squared scale of the
 * loss, or so far with as many cells as can be; and so much more from so many outcomes on, about; in the unit of gains, which is a tenth of the area.
 */
#define CELLS_APART 1e-6
#define CELLS_APART_LEAST 4e-8
#define RUNS_APART 1e-3
#define FEW_OUTCOMES 3e5
#define AREA 10
/* What bends less counts as straight. */
#define STRAIGHT 2e-8
/* A hull that gains less is not made. */
#define LEAST_GAIN 1e-18
/*
 * Orders that a list is made for, over the scale of the loss.  Hulls are made of the heaviest of many laws: the contour is at an order that suits all
 * of them together, and beyond that of its list nothing is claimed of a law, and so of all.
 */
#define ORDER 1.75
#define ORDER_OF_HULL 4.0
#define ORDER_OF_FEW 6.0

static bool read_event(const struct sotto_event *e, struct sotto_clone_pair *pair)
{
	return e->kind == SOTTO_EVENT_GROUP && e->size <= SOTTO_CLONE_GROUP_PEOPLE &&
	       e->children[0]->count == 1 && sotto_clone_pair_of(e->children[0], pair);
}

/* Whether the curve is proved to be next to its hull, at an order that is wanted. */
static bool is_dense(const struct sotto_clone_pair *p, double k)
{
	return sotto_clone_lift_of(p, k, ORDER / sotto_clone_group_scale(p, (size_t)k)).known;
}

bool sotto_clone_group_possible(const struct sotto_event *e)
{
	struct sotto_clone_pair pair;

	return read_event(e, &pair) && (is_dense(&pair, (double)e->size) ||
					sotto_clone_rows_estimate(&pair, (double)e->size) <
						0.5 * SOTTO_CLONE_GROUP_OUTCOMES);
}

/*
 * Whether a hull may be made, how many outcomes it takes, and what it gains for each: how far the curve may lie above it, roughly.  Where nothing else is known of the curve
 * that is as much as can be.
 */
struct gain {
	double outcomes, gain;
};

/* What two polygons of so many corners are apart, roughly, and what bounds of rows by fewer of them add (between.md). */
static double apart(const struct sotto_clone_pair *p, double k, double outcomes)
{
	double scale = k * sotto_clone_scale(p), runs = outcomes > FEW_OUTCOMES;

	return AREA * scale * scale * (CELLS_APART + runs * RUNS_APART);
}

/* How far a curve that is proved to be next to its hull may lie above it, in the unit of gains. */
static double bend_of(const struct sotto_clone_pair *p, double k)
{
	return pow(p->tau, 4) * k * k * (k * k - 1) / pow(p->clones + 1, 3);
}

static struct gain gain_of(const struct sotto_clone_pair *p, size_t people)
{
	double k = (double)people;
	struct gain g = {sotto_clone_rows_estimate(p, k), 0};

	if (g.outcomes < 0.5 * SOTTO_CLONE_GROUP_OUTCOMES)
		g.gain = is_dense(p, k)                            ? bend_of(p, k)
			 : p->epsilon0 > SOTTO_BETWEEN_EPSILON_MAX ? INFINITY
								   : apart(p, k, g.outcomes);
	g.gain /= g.outcomes;
	return g;
}

/* Whether the curve is next to its hull as it stands, or nearer than two polygons of as many cells as can be are to each other. */
static bool may_stand(const struct sotto_clone_pair *p, double k)
{
	double scale = k * sotto_clone_scale(p);

	return is_dense(p, k) &&
	       !(bend_of(p, k) > fmax(STRAIGHT, AREA * CELLS_APART_LEAST * scale * scale));
}

bool sotto_clone_group_is_taken(const struct sotto_event *e, double least)
{
	struct sotto_clone_pair pair;

	return read_event(e, &pair) &&
	       (may_stand(&pair, (double)e->size) || gain_of(&pair, e->size).gain > least);
}

/* The gains of all groups of t, which are counted. */
static size_t find_gains(const struct sotto_terms *t, struct gain *gains)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct sotto_clone_pair pair;

		if (read_event(t->list[i].event, &pair))
			gains[n++] = gain_of(&pair, t->list[i].event->size);
	}
	return n;
}

double sotto_clone_groups_limit(const struct sotto_terms *t)
{
	struct gain *gains = malloc((t->n + 1) * sizeof *gains);
	size_t n = gains ? find_gains(t, gains) : 0;
	double least = gains ? LEAST_GAIN : 1;

	for (; least < 1; least *= 1.3) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += gains[i].gain > least ? gains[i].outcomes : 0;
		if (sum < OUTCOMES_OF_ALL)
			break;
	}
	free(gains);
	return least;
}

enum sotto_status sotto_law_clone_group_of(struct sotto_law *law, const struct sotto_event *e,
					   double least, struct sotto_work *work,
					   double *left_out)
{
	struct sotto_clone_group_wish wish = {.of_many = law->of_many};
	struct sotto_clone_pair pair;

	if (!read_event(e, &pair))
		return SOTTO_EREFUSED;
	wish.hull = gain_of(&pair, e->size).gain > least;
	wish.order = (!law->of_many ? ORDER_OF_FEW
		      : wish.hull   ? ORDER_OF_HULL
				    : ORDER) /
		     sotto_clone_group_scale(&pair, e->size);
	law->top = sotto_next_up((double)e->size *
				 sotto_rational_double_up(&e->children[0]->local_epsilon));
	SOTTO_TRY(sotto_clone_group_new(&pair, e->size, &wish, work, &law->clone_group,
					left_out));
	law->loss_shift = law->clone_group->moved;
	law->class = &sotto_clone_group_class;
	return SOTTO_OK;
}
