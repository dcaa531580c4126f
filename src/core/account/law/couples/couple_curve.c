/* Curves of one cell, or of two together, from the masses of a lattice. */
#include "core/account/law/couples/couple_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"

static enum sotto_status curve_room(struct sotto_couple_curve *c, size_t n)
{
	*c = (struct sotto_couple_curve){.x = malloc(2 * (n + 2) * sizeof *c->x)};
	c->value = c->x + n + 2;
	return c->x ? SOTTO_OK : SOTTO_ENOMEM;
}

/* From outcomes at the corners, P-masses in place of values: a curve rises downwards by the Q-mass above. */
static void sum_up(struct sotto_couple_curve *c)
{
	double above = 0, value = 0;

	for (size_t i = c->n; i-- > 0;) {
		double mass = c->value[i];

		if (i + 1 < c->n)
			value += above * exp(c->x[i]) * expm1(c->x[i + 1] - c->x[i]);
		c->value[i] = value;
		above += mass * exp(-c->x[i]);
	}
}

enum sotto_status sotto_couple_curve_above(const double *masses, size_t top, double d,
					   struct sotto_couple_curve *c)
{
	SOTTO_TRY(curve_room(c, top + 1));
	for (size_t j = 0; j <= top; j++) {
		c->x[c->n] = (double)j * d;
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
		free(c->x);
		c->x = NULL;
		return SOTTO_ENOMEM;
	}
	c->x[0] = c->value[0] = q[0] = 0;
	for (size_t j = 0; j + cells <= top; j++) {
		double p_mass = masses[top + j], q_mass = masses[top - cells - j];

		if (!(p_mass > 0 && q_mass > 0))
			continue;
		c->value[++n] = p_mass;
		q[n] = q_mass;
		c->x[n] = log(p_mass / q_mass);
		while (n > 1 && c->x[n] <= c->x[n - 1] * (1 + 0x1p-40)) {
			c->value[n - 1] += c->value[n];
			q[n - 1] += q[n];
			n--;
			c->x[n] = log(c->value[n] / q[n]);
		}
		if (n == 1 && !(c->x[1] > 0))
			n = 0;
	}
	c->n = n + 1;
	sum_up(c);
	free(q);
	return SOTTO_OK;
}

double sotto_couple_curve_value(struct sotto_couple_curve *c, double x)
{
	double from, to, all;

	while (c->next < c->n && c->x[c->next] <= x)
		c->next++;
	if (c->next == c->n)
		return 0;
	if (c->next == 0)
		return c->value[0];
	from = c->x[c->next - 1];
	to = c->x[c->next];
	all = expm1(to - from);
	return (c->value[c->next - 1] * exp(x - from) * expm1(to - x) +
		c->value[c->next] * expm1(x - from)) /
	       all;
}

double sotto_couple_curves_next(const struct sotto_couple_curve *c, size_t n)
{
	double x = INFINITY;

	for (size_t i = 0; i < n; i++)
		if (c[i].next < c[i].n)
			x = fmin(x, c[i].x[c[i].next]);
	return x;
}
