/*
 * Keeps for each cell its mass and its excess over the left end, from which both laws follow;
 * whatever rounding can lose is charged to the upper one.
 */
#include "core/account/law/cells/law_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/law/atom_list.h"

/* What sums of a few hundred terms can do to a mass, and to its part at the right end. */
#define MASS_ERROR 0x1p-46
/* A mass or a tail below this may have become 0: on the upper side each is charged with it. */
#define SMALLEST 0x1p-1022
/* More outcomes than this are worth a transform. */
enum { POINTS_MAX = 1024 };

enum sotto_status sotto_cells_init(struct sotto_cells *c, double low, double high,
				   const struct sotto_cutting *cutting)
{
	double least = 1e-6 * fmax(fabs(low), fabs(high)) + 1e-300, first, last;
	double d = fmax(high - low, least) / (double)cutting->cells;

	if (!(low <= high) || isinf(d))
		return SOTTO_ERANGE;
	first = floor(low / d) - 1;
	last = ceil(high / d) + 1;
	if (!(fabs(first) < 0x1p52 && fabs(last) < 0x1p52))
		return SOTTO_ERANGE;
	*c = (struct sotto_cells){.d = d,
				  .first = (int64_t)first,
				  .n = (size_t)(last - first),
				  .of_many = cutting->of_many,
				  .error = MASS_ERROR};
	c->at = calloc(c->n, sizeof *c->at);
	return c->at ? SOTTO_OK : SOTTO_ENOMEM;
}

void sotto_cells_release(struct sotto_cells *c)
{
	free(c->at);
	free(c->loss);
	c->at = NULL;
	c->loss = NULL;
}

/* The excess over G of what has mass p and excess x over g >= G */
static double excess_over(double gap, double p, double x)
{
	return -expm1(-gap) * p + exp(-gap) * x;
}

static int64_t floor_ratio(int64_t a, int64_t b)
{
	return a >= 0 ? a / b : -((-a + b - 1) / b);
}

enum sotto_status
sotto_cells_merge(const struct sotto_cells *fine, size_t run, struct sotto_cells *out)
{
	int64_t first = floor_ratio(fine->first, (int64_t)run);
	int64_t last = floor_ratio(fine->first + (int64_t)fine->n - 1, (int64_t)run);

	*out = *fine;
	out->d = fine->d * (double)run;
	out->first = first;
	out->n = (size_t)(last - first) + 1;
	out->at = calloc(out->n, sizeof *out->at);
	if (!out->at)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < fine->n; i++) {
		int64_t index = fine->first + (int64_t)i,
			coarse = floor_ratio(index, (int64_t)run);
		struct sotto_cell *to = &out->at[coarse - first];
		double gap = (double)(index - coarse * (int64_t)run) * fine->d;

		to->p += fine->at[i].p;
		to->excess += excess_over(gap, fine->at[i].p, fine->at[i].excess);
	}
	return SOTTO_OK;
}

void sotto_cells_add(struct sotto_cells *c, double loss, double mass)
{
	double at = floor(loss / c->d), index = at - (double)c->first;

	if (index < 0) {
		c->below += mass;
	} else if (index >= (double)c->n) {
		c->above += mass;
	} else {
		double rest = fmin(fmax(loss - at * c->d, 0), c->d);

		c->at[(size_t)index].p += mass;
		c->at[(size_t)index].excess += mass * -expm1(-rest);
	}
}

static double edge(const struct sotto_cells *c, size_t i)
{
	return (double)(c->first + (int64_t)i) * c->d;
}

/*
 * Right end (P - e^g Q)/(1 - e^-d) of each cell, a hair more, and the rest at its left.
 * What lies below goes to the lowest point, which only raises its loss.
 */
static void upper_points(const struct sotto_cells *c, struct sotto_law *law)
{
	double scale = -(1 + 8 * MASS_ERROR) / expm1(-c->d), kept = c->below;

	for (size_t i = 0; i <= c->n; i++) {
		double p = i < c->n ? c->at[i].p : 0;
		double right = p > 0 ? fmin(c->at[i].excess * scale, p) : 0;

		law->loss[i] = edge(c, i);
		law->mass[i] = kept + (p - right);
		kept = right;
	}
}

/* log P/Q of the whole cell is g - log(1 - excess/P), a hair less. */
static void lower_points(const struct sotto_cells *c, struct sotto_law *law)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct sotto_cell *cell = &c->at[i];
		double share = cell->p > 0 ? cell->excess / cell->p * (1 - 8 * MASS_ERROR) : 0;

		law->mass[i] = cell->p;
		law->loss[i] = edge(c, i) - log1p(-fmin(share, -expm1(-c->d)));
	}
	law->loss[c->n] = edge(c, c->n);
	law->mass[c->n] = 0;
}

/* An atom, its loss moved to the side, at its place among the points. */
static void
insert_atom(struct sotto_law *law, const struct sotto_outcome *atom, enum sotto_side side)
{
	double loss = side == SOTTO_UPPER ? atom->loss + atom->error : atom->loss - atom->error;
	size_t i = law->n++;

	for (; i > 0 && law->loss[i - 1] > loss; i--) {
		law->loss[i] = law->loss[i - 1];
		law->mass[i] = law->mass[i - 1];
	}
	law->loss[i] = loss;
	law->mass[i] = atom->mass;
}

/* Drops empty points, makes the masses sum to 1, and fills in mean and errors. */
static void finish(const struct sotto_cells *c, struct sotto_law *law)
{
	struct sotto_sum sum = {0}, mean = {0};
	size_t n = 0;

	for (size_t i = 0; i < law->n; i++)
		sotto_sum_add(&sum, law->mass[i]);
	for (size_t i = 0; i < law->n; i++) {
		if (!(law->mass[i] > 0))
			continue;
		law->loss[n] = law->loss[i];
		law->mass[n] = law->mass[i] / sotto_sum_total(&sum);
		sotto_sum_add(&mean, law->mass[n] * law->loss[n]);
		n++;
	}
	law->n = n;
	law->loss_error = 4 * SOTTO_U;
	law->loss_shift = 4 * SOTTO_U * c->d;
	law->mass_error = c->error;
	law->mean = sotto_sum_total(&mean);
	law->top = n > 0 ? law->loss[n - 1] : 0;
}

/* Outcomes in place of cells. */
static enum sotto_status
outcomes_law(const struct sotto_cells *c, struct sotto_law *law, double *lost)
{
	if (sotto_law_atoms_init(law, c->outcomes) != SOTTO_OK)
		return SOTTO_ENOMEM;
	memcpy(law->loss, c->loss, c->outcomes * sizeof *law->loss);
	memcpy(law->mass, c->mass, c->outcomes * sizeof *law->mass);
	*lost = c->above + SMALLEST * (double)(c->outcomes + 2);
	if (law->n > SOTTO_FEW_ATOMS)
		law->class = c->fine                ? &sotto_law_fine_points
			     : law->n <= POINTS_MAX ? &sotto_law_points
						    : &sotto_law_cloud;
	finish(c, law);
	return SOTTO_OK;
}

enum sotto_status sotto_cells_law(const struct sotto_cells *c, enum sotto_side side,
				  struct sotto_law *law, double *lost)
{
	if (c->loss)
		return outcomes_law(c, law, lost);
	if (sotto_law_atoms_init(law, c->n + 1 + c->n_atoms) != SOTTO_OK)
		return SOTTO_ENOMEM;
	law->n = c->n + 1;
	if (side == SOTTO_UPPER) {
		upper_points(c, law);
		*lost = c->above + SMALLEST * (double)(law->n + c->n_atoms + 2);
	} else {
		lower_points(c, law);
		*lost = c->above + c->below;
	}
	for (size_t i = 0; i < c->n_atoms; i++)
		insert_atom(law, &c->atoms[i], side);
	if (c->of_many)
		law->class = &sotto_law_points;
	finish(c, law);
	return SOTTO_OK;
}
