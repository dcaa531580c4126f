/* How many outcomes each law gets that is cut: of some dozens of laws those that need them most (law_cells.md). */
#include <math.h>

#include "core/account/loss/measure/discretized_curve_inside.h"

/* More laws than a few get a few outcomes each. */
enum { FEW_LAWS = 6 };
/*
 * Some dozens of laws share very many, each at most a part of what is left for it, for which it has to be known where the contour goes: so they are cut roughly first.
 */
enum { ROUGH_OUTCOMES = 1 << 9, FINE_OUTCOMES = 200000 };
/* Beside outcomes that stay as they are all nodes count, and their number grows with the cells: so many for each such law are enough. */
enum { EVEN_OUTCOMES = 1200, EVEN_LEAST = 64 };
#define MARGIN 1.2
/* A law gets at least this part of what the neediest does. */
#define LEAST_NEED 0.05

bool sotto_discretized_is_of_many(const struct sotto_discretized_curve *c)
{
	return c->laws > FEW_LAWS || c->terms->n > SOTTO_CUT_MANY_TERMS;
}

/* Whether all are cut into cells of equal size. */
static bool is_even(const struct sotto_discretized_curve *c)
{
	return c->even == c->laws;
}

bool sotto_discretized_may_be_fine(const struct sotto_discretized_curve *c)
{
	size_t most = is_even(c) ? SOTTO_FINE_EVEN_LAWS : SOTTO_FINE_LAWS;

	return sotto_discretized_is_of_many(c) && c->terms->n <= most && !c->slow;
}

/* Of cells of equal size as many as are wanted, or some more. */
static size_t fine_outcomes(const struct sotto_discretized_curve *c)
{
	double laws = (double)c->laws, wanted = MARGIN * c->wanted;

	if (!is_even(c))
		return FINE_OUTCOMES;
	wanted = fmin(fmax(wanted, EVEN_LEAST * laws), EVEN_OUTCOMES * laws);
	return (size_t)fmin(FINE_OUTCOMES, wanted);
}

/* All laws together must stay within memory. */
void sotto_discretized_count_cells(struct sotto_discretized_curve *c)
{
	double count = 0;

	c->laws = c->even = 0;
	for (size_t i = 0; i < c->terms->n; i++) {
		if (!sotto_cells_need(c->terms->list[i].event, c->terms->neighbours, c->extent))
			continue;
		count += (double)c->terms->list[i].count;
		c->laws++;
		c->even += sotto_cells_are_even(c->terms->list[i].event);
	}
	c->log_count = log(count + 1);
	c->cells = sotto_cutting_cells(c->laws, sotto_discretized_is_of_many(c));
	if (sotto_discretized_may_be_fine(c))
		c->cells = c->fine ? fine_outcomes(c) : ROUGH_OUTCOMES;
}

void sotto_discretized_count_affordable(struct sotto_discretized_curve *c)
{
	const struct sotto_work *work = c->terms->work;

	sotto_discretized_count_cells(c);
	if (work && c->steps > 0)
		c->cells = (size_t)fmin((double)c->cells,
					ROUGH_OUTCOMES * 0.5 * work->left / c->steps);
}

/* How far apart the sides of a law that is cut are at the order, roughly, and in how many points it was cut for that. */
static double apart(const struct sotto_discretized_curve *c, size_t law, double *points)
{
	const struct sotto_loss_measure *above = &c->measures.above,
					*below = &c->measures.below;
	double high[3] = {0}, low[3] = {0};

	*points = 1;
	if (above->n < c->laws || below->n != above->n) /* one was left out */
		return 1;
	law += above->n - c->laws;
	*points = (double)above->laws[law].n;
	sotto_measure_add_cumulants(above, law, c->order, high);
	sotto_measure_add_cumulants(below, law, c->order, low);
	return high[0] - low[0];
}

/*
 * With n points a law is wrong by a/n^2, a = (what it is wrong by) (points there are)^2: all together are least wrong where n goes with the cube root of a, and by
 * (sum of the roots)^3/(all points)^2 then.
 */
void sotto_discretized_find_needs(struct sotto_discretized_curve *c)
{
	double most = 0, sum = 0;

	for (size_t i = 0; i < c->laws; i++) {
		double points, wrong = apart(c, i, &points);

		c->needs[i] = wrong > 0 ? cbrt(wrong * points * points) : 0;
		most = fmax(most, c->needs[i]);
	}
	for (size_t i = 0; i < c->laws; i++) {
		c->needs[i] = fmax(c->needs[i], LEAST_NEED * most + 0x1p-1000);
		sum += c->needs[i];
	}
	c->wanted = sqrt(sum * sum * sum / (c->order * SOTTO_FINE_WIDTH));
}
