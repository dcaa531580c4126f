/* How many outcomes each law gets that is cut: of some dozens of laws those that need them most (law_cells.md). */
#include <math.h>

#include "core/account/loss/measure/discretized_curve_inside.h"

/* More laws than a few get a few outcomes each. */
enum { FEW_LAWS = 6 };
/*
 * Some dozens of laws share very many, each at most a part of what is left for it, for which it has to be known where the contour goes: so they are cut roughly first.
 */
enum { ROUGH_OUTCOMES = 1 << 9, FINE_OUTCOMES = 200000 };
/* A law gets at least this part of what the neediest does. */
#define LEAST_NEED 0.05

bool sotto_discretized_is_of_many(const struct sotto_discretized_curve *c)
{
	return c->laws > FEW_LAWS || c->terms->n > SOTTO_CUT_MANY_TERMS;
}

bool sotto_discretized_may_be_fine(const struct sotto_discretized_curve *c)
{
	return sotto_discretized_is_of_many(c) && c->terms->n <= SOTTO_FINE_LAWS && !c->slow;
}

/* All laws together must stay within memory. */
void sotto_discretized_count_cells(struct sotto_discretized_curve *c)
{
	double count = 0;

	c->laws = 0;
	for (size_t i = 0; i < c->terms->n; i++) {
		if (!sotto_cells_need(c->terms->list[i].event, c->terms->neighbours, c->extent))
			continue;
		count += (double)c->terms->list[i].count;
		c->laws++;
	}
	c->log_count = log(count + 1);
	c->cells = sotto_cutting_cells(c->laws, sotto_discretized_is_of_many(c));
	if (sotto_discretized_may_be_fine(c))
		c->cells = c->fine ? FINE_OUTCOMES : ROUGH_OUTCOMES;
}

void sotto_discretized_count_affordable(struct sotto_discretized_curve *c)
{
	const struct sotto_work *work = c->terms->work;

	sotto_discretized_count_cells(c);
	if (work && c->steps > 0)
		c->cells = (size_t)fmin((double)c->cells,
					ROUGH_OUTCOMES * 0.5 * work->left / c->steps);
}

/* How far apart the sides of a law that is cut are at the order, roughly. */
static double apart(const struct sotto_discretized_curve *c, size_t law)
{
	const struct sotto_loss_measure *above = &c->measures.above,
					*below = &c->measures.below;
	double high[3] = {0}, low[3] = {0};

	if (above->n < c->laws || below->n != above->n) /* one was left out */
		return 1;
	law += above->n - c->laws;
	sotto_measure_add_cumulants(above, law, c->order, high);
	sotto_measure_add_cumulants(below, law, c->order, low);
	return high[0] - low[0];
}

/* With n points a law is wrong by its part over n^2: all together are least wrong where n goes with the cube root of that part. */
void sotto_discretized_find_needs(struct sotto_discretized_curve *c)
{
	double most = 0;

	for (size_t i = 0; i < c->laws; i++) {
		c->needs[i] = apart(c, i);
		c->needs[i] = c->needs[i] > 0 ? cbrt(c->needs[i]) : 0;
		most = fmax(most, c->needs[i]);
	}
	for (size_t i = 0; i < c->laws; i++)
		c->needs[i] = fmax(c->needs[i], LEAST_NEED * most + 0x1p-1000);
}
