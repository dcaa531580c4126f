/* Curves of one cell, or of two together, from the masses of a lattice. */
#include "core/account/law/couples/couple_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"

static enum sotto_status curve_room(struct sotto_couple_curve *c, size_t n)
{
	*c = (struct sotto_couple_curve){.place = malloc(2 * (n + 2) * sizeof *c->place)};
	c->value = c->place + n + 2;
	return c->place ? SOTTO_OK : SOTTO_ENOMEM;
}

/*
 * From outcomes at the corners, P-masses in place of values: a curve rises downwards by the Q-mass above.  A difference of places that are close is exact: what
 * they are rounded by only moves corners.
 */
static void sum_up(struct sotto_couple_curve *c)
{
	double above = 0, value = 0;

	for (size_t i = c->n; i-- > 0;) {
		double mass = c->value[i];

		if (i + 1 < c->n)
			value += above * (c->place[i + 1] - c->place[i]);
		c->value[i] = value;
		above += mass / c->place[i];
	}
}

enum sotto_status sotto_couple_curve_above(const double *masses, size_t top,
					   const double *places, struct sotto_couple_curve *c)
{
	SOTTO_TRY(curve_room(c, top + 1));
	for (size_t j = 0; j <= top; j++) {
		c->place[c->n] = places[j];
		c->value[c->n++] = masses[top + j];
	}
	sum_up(c);
	return SOTTO_OK;
}

/* A run whose mean is not above that of the last joins it. */
enum sotto_status sotto_couple_curve_below(const double *masses, size_t top, size_t cells,
					   struct sotto_couple_curve *c)
{
	double *q;
	size_t n = 0;

	SOTTO_TRY(curve_room(c, top));
	q = malloc((top + 1) * sizeof *q);
	if (!q) {
		free(c->place);
		c->place = NULL;
		return SOTTO_ENOMEM;
	}
	c->place[0] = 1;
	c->value[0] = q[0] = 0;
	for (size_t j = 0; j + cells <= top; j++) {
		double p_mass = masses[top + j], q_mass = masses[top - cells - j];

		if (!(p_mass > 0 && q_mass > 0))
			continue;
		c->value[++n] = p_mass;
		q[n] = q_mass;
		c->place[n] = p_mass / q_mass;
		while (n > 1 && c->place[n] <= c->place[n - 1] * (1 + 0x1p-40)) {
			c->value[n - 1] += c->value[n];
			q[n - 1] += q[n];
			n--;
			c->place[n] = c->value[n] / q[n];
		}
		if (n == 1 && !(c->place[1] > 1))
			n = 0;
	}
	c->n = n + 1;
	sum_up(c);
	free(q);
	return SOTTO_OK;
}

void sotto_couple_curve_move(struct sotto_couple_curve *c, double by)
{
	for (size_t i = 0; i < c->n; i++)
		c->place[i] *= 1 + by;
}

double sotto_couple_curve_value(struct sotto_couple_curve *c, double place)
{
	double from, to, low, high;

	while (c->next < c->n && c->place[c->next] <= place)
		c->next++;
	if (c->next == c->n)
		return 0;
	if (c->next == 0)
		return c->value[0];
	from = c->place[c->next - 1];
	to = c->place[c->next];
	high = c->value[c->next - 1];
	low = c->value[c->next];
	return low + (high - low) * ((to - place) / (to - from));
}

double sotto_couple_curves_next(const struct sotto_couple_curve *c, size_t n)
{
	double place = INFINITY;

	for (size_t i = 0; i < n; i++)
		if (c[i].next < c[i].n)
			place = fmin(place, c[i].place[c[i].next]);
	return place;
}

void sotto_couple_curve_sample(struct sotto_couple_curve *c, const double *places, size_t n,
			       double *value, double *sag)
{
	size_t i = 0;

	for (size_t j = 0; j < n; j++)
		value[j] = sotto_couple_curve_value(c, places[j]);
	for (size_t j = 0; j + 1 < n; j++) {
		double fall = (value[j] - value[j + 1]) / (places[j + 1] - places[j]), most = 0;

		for (; i < c->n && c->place[i] <= places[j + 1]; i++)
			if (c->place[i] > places[j])
				most = fmax(most, value[j] - fall * (c->place[i] - places[j]) -
							  c->value[i]);
		sag[j] = most;
	}
	sag[n - 1] = 0;
}
