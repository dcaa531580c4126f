/*
 * Laws of sampled mechanisms in cells.  Each cell is cut at its ends in the variable in
 * which the law is smooth, and integrated there by Gauss-Legendre panels of 8 points no
 * longer than 1/4, and in which the loss before sampling changes by at most 1: that is
 * exact to rounding for these densities (law_cells.md).
 */
#include <math.h>

#include "core/account/law/cells/law_cells.h"
#include "core/base/failure.h"

#define PANEL 0.25
/* More than this is not worth it. */
#define PANEL_STEPS_MAX 1e9

static const double node[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
			       0.9602898564975363};
static const double weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
				 0.1012285362903763};

/* A law by a variable x: its P-density, its loss, growing with x, and the inverse. */
struct smooth {
	double q; /* rate */
	double a; /* mu or epsilon0 */
	double panel;
	double (*density)(const struct smooth *, double x);
	double (*loss)(const struct smooth *, double x);
	double (*at_loss)(const struct smooth *, double loss); /* +-INFINITY outside */
};

static void
add_panel(struct sotto_cells *c, size_t cell, const struct smooth *s, double from, double to)
{
	double middle = 0.5 * (from + to), half = 0.5 * (to - from);
	double left = (double)(c->first + (int64_t)cell) * c->d;
	struct sotto_cell *in = &c->at[cell];

	for (int i = 0; i < 8; i++) {
		double x = middle + half * (i < 4 ? -node[i] : node[i - 4]);
		double mass = half * weight[i & 3] * s->density(s, x), l = s->loss(s, x);

		in->p += mass;
		in->excess += mass * -expm1(fmin(0, left - l));
	}
}

/* Each panel has 8 points of a few exponentials each; each cell has its inverse. */
static enum sotto_status
afford(const struct sotto_cutting *cutting, const struct smooth *s, double range)
{
	double steps = 250 * (range / s->panel + (double)cutting->cells);

	if (!(steps < PANEL_STEPS_MAX) || !sotto_work_allows(cutting->work, steps))
		return SOTTO_EREFUSED;
	sotto_work_use(cutting->work, steps);
	return SOTTO_OK;
}

static void add_smooth(struct sotto_cells *c, const struct smooth *s, double low, double high)
{
	double from = low, start = floor(s->loss(s, low) / c->d) - (double)c->first - 1;

	for (size_t i = start > 0 ? (size_t)start : 0; i < c->n && from < high; i++) {
		double edge = (double)(c->first + (int64_t)i + 1) * c->d;
		double to = fmin(high, fmax(from, s->at_loss(s, edge)));
		double panels = ceil((to - from) / s->panel);

		for (double j = 0; j < panels; j++)
			add_panel(c, i, s, from + (to - from) * j / panels,
				  from + (to - from) * (j + 1) / panels);
		from = to;
	}
}

static double normal(double z)
{
	return 0.39894228040143267794 * exp(-0.5 * z * z);
}

/* log(1 - q + q e^v) */
static double mix(double q, double v)
{
	return v < 600 ? (q < 0.5 ? log1p(q * expm1(v)) : log((1 - q) + q * exp(v)))
		       : v + log(q);
}

/* the v with mix(q, v) = l; -INFINITY at and below log(1-q) */
static double unmix(double q, double l)
{
	double y = l < 600 ? 1 + expm1(l) / q : INFINITY;

	return isinf(y) ? l - log(q) : y > 0 ? log(y) : -INFINITY;
}

/* Gaussian, removed: x = z, loss mix(mu z - mu^2/2), density that of the mixture. */
static double gauss_remove_loss(const struct smooth *s, double z)
{
	return mix(s->q, s->a * z - s->a * s->a / 2);
}

static double gauss_remove_density(const struct smooth *s, double z)
{
	return (1 - s->q) * normal(z) + s->q * normal(z - s->a);
}

static double gauss_remove_at(const struct smooth *s, double l)
{
	return unmix(s->q, l) / s->a + s->a / 2;
}

/* added: x = -z, loss -mix, density normal */
static double gauss_add_loss(const struct smooth *s, double x)
{
	return -mix(s->q, -s->a * x - s->a * s->a / 2);
}

static double gauss_add_density(const struct smooth *s, double x)
{
	(void)s;
	return normal(x);
}

static double gauss_add_at(const struct smooth *s, double l)
{
	return -(unmix(s->q, -l) / s->a + s->a / 2);
}

/* Laplace, x the loss before sampling, density e^((x - e0)/2)/4 between -e0 and e0. */
static double laplace_remove_loss(const struct smooth *s, double x)
{
	return mix(s->q, x);
}

static double laplace_remove_density(const struct smooth *s, double x)
{
	return 0.25 * exp((x - s->a) / 2) * (s->q + (1 - s->q) * exp(-x));
}

static double laplace_remove_at(const struct smooth *s, double l)
{
	return unmix(s->q, l);
}

static double laplace_add_loss(const struct smooth *s, double x)
{
	return -mix(s->q, -x);
}

static double laplace_add_density(const struct smooth *s, double x)
{
	return 0.25 * exp((x - s->a) / 2);
}

static double laplace_add_at(const struct smooth *s, double l)
{
	return -unmix(s->q, -l);
}

enum sotto_status sotto_cells_sampled_gaussian(struct sotto_cells *c, double mu, double rate,
					       enum sotto_direction direction,
					       const struct sotto_cutting *cutting)
{
	struct smooth s = {rate,
			   mu,
			   fmin(PANEL, 1 / mu),
			   gauss_remove_density,
			   gauss_remove_loss,
			   gauss_remove_at};
	double tail = cutting->tail, reach = sqrt(2 * tail) + 1, low = -reach,
	       high = reach + mu;

	if (direction == SOTTO_ADD) {
		s = (struct smooth){rate,           mu,          s.panel, gauss_add_density,
				    gauss_add_loss, gauss_add_at};
		high = reach;
	}
	SOTTO_TRY(afford(cutting, &s, fmin(high - low, 4 * reach)));
	SOTTO_TRY(sotto_cells_init(c, s.loss(&s, low), s.loss(&s, high), cutting));
	c->above = 2 * exp(-tail);
	c->below = 2 * exp(-tail);
	if (mu < 2 * reach || direction == SOTTO_ADD) {
		add_smooth(c, &s, low, high);
	} else { /* nothing but two tails between the two normal laws */
		add_smooth(c, &s, low, reach);
		add_smooth(c, &s, mu - reach, high);
		c->above += 2 * exp(-tail);
	}
	return SOTTO_OK;
}

/* mix() is good to some u of its result, of its argument, and from q = 1/2 on of 1. */
static struct sotto_outcome atom_at(const struct smooth *s, double x, double mass)
{
	double loss = s->loss(s, x), whole = s->q < 0.5 ? 0 : 1;

	return (struct sotto_outcome){
		loss,
		SOTTO_U * (8 * fabs(loss) + (4 * s->a + 8) * -expm1(-fabs(loss)) + 8 * whole),
		mass};
}

enum sotto_status sotto_cells_sampled_laplace(struct sotto_cells *c, double epsilon,
					      double rate, enum sotto_direction direction,
					      const struct sotto_cutting *cutting)
{
	struct smooth s = {rate,
			   epsilon,
			   PANEL,
			   laplace_remove_density,
			   laplace_remove_loss,
			   laplace_remove_at};
	double high = 0.5, low = 0.5 * exp(-epsilon);

	if (direction == SOTTO_ADD) {
		s = (struct smooth){
			rate,          epsilon, PANEL, laplace_add_density, laplace_add_loss,
			laplace_add_at};
	} else { /* the atoms weigh p (q + (1-q) e^-loss) */
		high *= rate + (1 - rate) * exp(-epsilon);
		low *= rate + (1 - rate) * exp(epsilon);
	}
	SOTTO_TRY(afford(cutting, &s, 2 * epsilon));
	SOTTO_TRY(sotto_cells_init(c, s.loss(&s, -epsilon), s.loss(&s, epsilon), cutting));
	add_smooth(c, &s, -epsilon, epsilon);
	c->atoms[c->n_atoms++] = atom_at(&s, epsilon, high);
	c->atoms[c->n_atoms++] = atom_at(&s, -epsilon, low);
	return SOTTO_OK;
}
