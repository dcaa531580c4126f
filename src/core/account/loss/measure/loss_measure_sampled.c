/*
 * A sampled discrete Gaussian as a list of atoms in hardware arithmetic, for workloads of so many
 * that high precision would take too long.  Errors: sample.md.
 */
#include <float.h>
#include <math.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/integral/real.h"
#include "core/account/law/atom_list.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"

/* Outcomes farther out, in standard deviations, are left out and charged. */
#define SIGMAS 15.0
/* The losses of rates nearer to 1 than this lose too many digits. */
#define RATE_MAX 0.999
/* No loss before sampling is larger: its exponential is a double. */
#define LOSS_MAX 600.0

struct lattice {
	double v, d; /* sigma^2 and sensitivity */
	double q; /* rate */
	double reach; /* x from -reach to d + reach */
};

static struct lattice lattice_of(const struct sotto_event *e)
{
	const struct sotto_event *child = e->children[0];
	struct lattice l = {mpq_get_d(child->sigma_squared.q), (double)child->sensitivity,
			    mpq_get_d(e->rate.q), 0};

	l.reach = floor(SIGMAS * sqrt(l.v)) + 2;
	return l;
}

static double atoms_of(const struct lattice *l)
{
	return 2 * l->reach + l->d + 1;
}

static double loss_at(const struct lattice *l, double x)
{
	return l->d * (l->d - 2 * x) / (2 * l->v);
}

bool sotto_measure_has_rough(const struct sotto_event *e)
{
	struct lattice l;

	if (e->kind != SOTTO_EVENT_SAMPLED || e->children[0]->count != 1 ||
	    e->children[0]->kind != SOTTO_EVENT_DISCRETE_GAUSSIAN)
		return false;
	l = lattice_of(e);
	return l.v > 0.01 && l.v < 1e12 && l.q > 1e-300 && l.q <= RATE_MAX &&
	       loss_at(&l, -l.reach) < LOSS_MAX && atoms_of(&l) <= SOTTO_ROUGH_ATOMS;
}

/* log(1 - q + q e^x) */
static double mixed(double q, double x)
{
	return q < 0.5 ? log1p(q * expm1(x)) : log((1 - q) + q * exp(x));
}

/* Masses e^(-x^2/(2v)) of P, or (1-q) Q + q P, not yet divided by their sum; losses growing. */
static void list(const struct lattice *l, enum sotto_direction direction, struct sotto_law *law)
{
	for (size_t i = 0; i < law->n; i++) {
		double x = l->d + l->reach - (double)i, away = x - l->d, loss = loss_at(l, x);
		double p = exp(-x * x / (2 * l->v)), q = exp(-away * away / (2 * l->v));

		if (direction == SOTTO_REMOVE) {
			law->mass[i] = (1 - l->q) * q + l->q * p;
			law->loss[i] = mixed(l->q, loss);
		} else {
			law->mass[i] = p;
			law->loss[i] = -mixed(l->q, -loss);
		}
	}
}

/* Drops what is not a full double, makes the masses sum to 1, and notes their mean loss. */
static void settle(struct sotto_law *law)
{
	struct sotto_sum sum = {0}, mean = {0};
	size_t n = 0;

	for (size_t i = 0; i < law->n; i++)
		sotto_sum_add(&sum, law->mass[i]);
	for (size_t i = 0; i < law->n; i++) {
		if (!(law->mass[i] > DBL_MIN / SOTTO_U))
			continue;
		law->loss[n] = law->loss[i];
		law->mass[n] = law->mass[i] / sotto_sum_total(&sum);
		sotto_sum_add(&mean, law->mass[n] * law->loss[n]);
		n++;
	}
	law->n = n;
	law->mean = sotto_sum_total(&mean);
}

/* Beyond either end masses, of which the largest is 1 or more, fall by e^(-reach/v) or more at each step. */
static void charge_tails(struct sotto_loss_measure *m, const struct lattice *l, uint64_t count)
{
	double fall = -expm1(-l->reach / l->v), end = exp(-l->reach * l->reach / (2 * l->v));
	mpfr_t mass;

	mpfr_init2(mass, 64);
	mpfr_set_d(mass, 8 * end / fmin(fall, 1), MPFR_RNDU);
	mpfr_add_d(mass, mass, SOTTO_ROUGH_ATOMS * DBL_MIN / SOTTO_U, MPFR_RNDU);
	sotto_measure_leave_out(m, mass, count);
	mpfr_clear(mass);
}

enum sotto_status sotto_measure_add_rough(struct sotto_loss_measure *m,
					  const struct sotto_event *e, uint64_t count,
					  enum sotto_direction direction)
{
	struct lattice l = lattice_of(e);
	double largest = loss_at(&l, -l.reach), far = l.d + l.reach;
	struct sotto_law *law;

	m->lattice = false;
	SOTTO_TRY(sotto_measure_push(m, count, &law));
	SOTTO_TRY(sotto_law_atoms_init(law, (size_t)atoms_of(&l)));
	if (law->n > SOTTO_FEW_ATOMS)
		law->class = &sotto_law_points;
	m->n++;
	sotto_work_use(m->work, 80 * (double)law->n);
	list(&l, direction, law);
	settle(law);
	law->mass_error = SOTTO_U * (24 + 4 * fmin(far * far / (2 * l.v), 710));
	if (l.q < 0.5)
		law->loss_error = SOTTO_U * (24 + 8 * largest);
	else
		law->loss_shift = SOTTO_U * (24 + 8 * largest + 8 / (1 - l.q));
	law->top = law->loss[law->n - 1] * (1 + 2 * law->loss_error) + 2 * law->loss_shift;
	sotto_measure_raise_top(m, INFINITY, 0, count);
	charge_tails(m, &l, count);
	return SOTTO_OK;
}
