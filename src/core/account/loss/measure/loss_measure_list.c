/* A measure of which every law is a list of atoms, for sums over all outcomes. */
#include <math.h>

#include "core/account/loss/finite/finite_pair.h"
#include "core/account/loss/finite/finite_sum.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"

/* A law has no more atoms, a law's draws no more sums, and all laws together no more outcomes. */
#define ATOMS_MAX 512.0
#define SUMS_MAX 32768.0
#define OUTCOMES_MAX 0x1p34

/* Of the pair's outcomes those whose masses exp(-x^2/(2v)) are doubles. */
static double gaussian_atoms(const struct sotto_event *e)
{
	if (sotto_pair_gaussian_atoms(e) > ATOMS_MAX)
		return INFINITY;
	return 2 * floor(sqrt(2 * 709 * mpq_get_d(e->sigma_squared.q))) + 1;
}

static double atoms_of(const struct sotto_event *e);

/* The larger of two curves turns where one of them does, and where they cross. */
static double cells_atoms(const struct sotto_event *e)
{
	double sum = 0;

	for (size_t i = 0; i < e->n_children; i++)
		sum += 2 * sotto_exact_sums(atoms_of(e->children[i]),
					    (double)e->children[i]->count, false);
	return sum;
}

/* How many atoms the event's law has; INFINITY if it is not a list. */
static double atoms_of(const struct sotto_event *e)
{
	switch (e->kind) {
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_EXPONENTIAL:
	case SOTTO_EVENT_APPROX:
		return 2;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		return e->answers > 2 ? 3 : 2;
	case SOTTO_EVENT_GEOMETRIC:
		return (double)e->sensitivity + 1;
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		return gaussian_atoms(e);
	case SOTTO_EVENT_PARALLEL:
		return cells_atoms(e);
	case SOTTO_EVENT_SHUFFLE:
		return e->users <= SOTTO_PAIR_USERS ? sotto_pair_clones_atoms(e) : INFINITY;
	case SOTTO_EVENT_SAMPLED:
		return e->children[0]->count == 1 ? atoms_of(e->children[0]) + 1 : INFINITY;
	default:
		return INFINITY;
	}
}

static bool is_even(const struct sotto_event *e)
{
	return e->kind == SOTTO_EVENT_GEOMETRIC || e->kind == SOTTO_EVENT_DISCRETE_GAUSSIAN;
}

/*
 * One kind of discrete Gaussian that is no narrower than 1: a contour is as sharp and
 * quicker.
 */
static bool is_one_wide_gaussian(const struct sotto_terms *t)
{
	return t->n == 1 && t->list[0].event->kind == SOTTO_EVENT_DISCRETE_GAUSSIAN &&
	       mpq_cmp_ui(t->list[0].event->sigma_squared.q, 1, 1) >= 0;
}

static bool are_few(const struct sotto_terms *t)
{
	double all = 1;

	if (t->n_laplace || is_one_wide_gaussian(t))
		return false;
	for (size_t i = 0; i < t->n && all <= OUTCOMES_MAX; i++) {
		double atoms = atoms_of(t->list[i].event), sums;

		if (!(atoms <= ATOMS_MAX))
			return false;
		sums = sotto_exact_sums(atoms, (double)t->list[i].count,
					is_even(t->list[i].event));
		if (sums > SUMS_MAX)
			return false;
		all *= sums;
	}
	return all <= OUTCOMES_MAX;
}

static enum sotto_status add_all(struct sotto_loss_measure *m, const struct sotto_terms *t,
				 enum sotto_direction direction)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].event->kind == SOTTO_EVENT_PARALLEL)
			SOTTO_TRY(sotto_measure_add_parallel(m, &t->list[i], t->neighbours,
							     direction));
		else
			SOTTO_TRY(sotto_measure_add_as_pair(m, t->list[i].event,
							    t->list[i].count, direction));
	return SOTTO_OK;
}

enum sotto_status sotto_measure_list(struct sotto_loss_measure *m, const struct sotto_terms *t,
				     enum sotto_direction direction)
{
	enum sotto_status st;

	if (!are_few(t))
		return SOTTO_EREFUSED;
	sotto_measure_init(m);
	m->lattice = false;
	m->work = t->work;
	st = add_all(m, t, direction);
	if (st != SOTTO_OK) {
		sotto_measure_release(m);
		return st;
	}
	sotto_measure_settle(m);
	return SOTTO_OK;
}
