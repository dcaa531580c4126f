/*
 * Masses at infinity and masses left out are kept in MPFR, apart from the finite laws, and
 * joined to a delta at the end, on the side that is asked for.
 */
#include "core/account/loss/measure/loss_measure.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/integral/real.h"
#include "core/account/law/atom_list.h"
#include "core/account/law/pieces/law_pieces.h"
#include "core/account/law/sgauss_told.h"
#include "core/account/loss/finite/finite_pair.h"
#include "core/base/failure.h"

/* A loss beyond this counts as infinite, and -LOSS_MAX stands for any below it. */
#define LOSS_MAX 1e280

void sotto_measure_init(struct sotto_loss_measure *m)
{
	*m = (struct sotto_loss_measure){
		.lattice = true, .finite_is_sharp = true, .log_infinite = {NAN, NAN}};
	mpq_inits(m->spacing, m->offset, (mpq_ptr)0);
	mpfr_init2(m->log_finite, REAL_BITS);
	mpfr_set_zero(m->log_finite, 1);
	mpfr_init2(m->left_out, 64);
	mpfr_set_zero(m->left_out, 1);
}

void sotto_measure_release(struct sotto_loss_measure *m)
{
	for (size_t i = m->borrowed; i < m->n; i++)
		if (m->laws[i].class->release)
			m->laws[i].class->release(&m->laws[i]);
	free(m->laws);
	free(m->leaders);
	mpq_clears(m->spacing, m->offset, (mpq_ptr)0);
	mpfr_clears(m->log_finite, m->left_out, (mpfr_ptr)0);
}

enum sotto_status
sotto_measure_borrow(struct sotto_loss_measure *m, const struct sotto_loss_measure *from)
{
	struct sotto_loss_measure copy = *from;

	copy.laws = malloc((from->n + 1) * sizeof *copy.laws);
	if (!copy.laws)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < from->n; i++)
		copy.laws[i] = from->laws[i];
	copy.borrowed = from->n;
	copy.capacity = from->n + 1;
	copy.leaders = NULL;
	copy.n_leaders = copy.n_sampled = 0;
	mpq_inits(copy.spacing, copy.offset, (mpq_ptr)0);
	mpq_set(copy.spacing, from->spacing);
	mpq_set(copy.offset, from->offset);
	mpfr_init2(copy.log_finite, mpfr_get_prec(from->log_finite));
	mpfr_set(copy.log_finite, from->log_finite, MPFR_RNDN);
	mpfr_init2(copy.left_out, mpfr_get_prec(from->left_out));
	mpfr_set(copy.left_out, from->left_out, MPFR_RNDN);
	sotto_measure_release(m);
	*m = copy;
	return SOTTO_OK;
}

enum sotto_status
sotto_measure_push(struct sotto_loss_measure *m, uint64_t count, struct sotto_law **law)
{
	struct sotto_law *grown;

	if (m->n == m->capacity) {
		size_t capacity = m->capacity ? 2 * m->capacity : 8;

		grown = realloc(m->laws, capacity * sizeof *grown);
		if (!grown)
			return SOTTO_ENOMEM;
		m->laws = grown;
		m->capacity = capacity;
	}
	*law = &m->laws[m->n];
	**law = (struct sotto_law){.count = count};
	return SOTTO_OK;
}

/* Blocks of many laws fade before all of them are multiplied. */
#define LAWS_MET 30.0

double sotto_law_steps(const struct sotto_law *law)
{
	if (law->class == &sotto_law_laplace) { /* high powers need series */
		uint64_t most = law->counts[0] > law->counts[law->n - 1]
					? law->counts[0]
					: law->counts[law->n - 1];

		return (5 + sotto_power_steps(most)) * fmin((double)law->n, LAWS_MET);
	}
	if (law->class == &sotto_law_atoms)
		return sotto_power_steps(law->count) +
		       (law->count < 64 ? 1.5 : 10) * (double)law->n;
	if (law->class == &sotto_law_points)
		return sotto_power_steps(law->count) + 1.5 * (double)law->n;
	if (law->class == &sotto_law_geometric)
		return sotto_power_steps(law->count) + 12;
	if (law->class == &sotto_law_dgauss) /* a few terms, or one for each atom */
		return sotto_power_steps(law->count) +
		       (law->sigma_squared > 4 || (law->sigma_squared > 1 && law->count < 64)
				? 40
				: 3 + 60 * sqrt(law->sigma_squared));
	return sotto_power_steps(law->count) +
	       (law->class == &sotto_law_cloud || law->class == &sotto_law_fine_points ? 40
										       : 150);
}

double sotto_measure_node_cost(const struct sotto_loss_measure *m)
{
	double sum = 4;

	for (size_t i = 0; i < m->n; i++)
		sum += sotto_law_steps(&m->laws[i]);
	return (double)m->n > LAWS_MET ? sum * LAWS_MET / (double)m->n : sum;
}

double sotto_law_terms(const struct sotto_law *law, double s)
{
	if (law->class->terms)
		return law->class->terms(law, s);
	return law->loss ? (double)law->n : 4;
}

/* Each term takes some exponentials, or one, and a closed form a few. */
#define TOLD_STEPS 120
#define SOME_STEPS 30
#define ONE_STEPS 8
static double cumulant_steps(const struct sotto_law *law, double s)
{
	double terms = sotto_law_terms(law, s);

	if (law->class == &sotto_law_sampled_gaussian && sotto_sgauss_is_told(law, s))
		return TOLD_STEPS;
	if (law->of_many)
		terms = fmin(terms, SOTTO_TERMS_OF_MANY);
	return terms * (law->class == &sotto_law_points ||
					law->class == &sotto_law_fine_points ||
					law->class == &sotto_law_pieces
				? ONE_STEPS
				: SOME_STEPS);
}

double sotto_measure_cumulant_steps(const struct sotto_loss_measure *m, double s)
{
	double sum = 40;

	for (size_t i = 0; i < m->n; i++)
		sum += cumulant_steps(&m->laws[i], s);
	return sum;
}

void sotto_measure_add_cumulants(const struct sotto_loss_measure *m, size_t i, double s,
				 double k[3])
{
	const struct sotto_law *law = &m->laws[i];

	if (sotto_work_is_spent(m->work)) { /* K of very many laws is not finished */
		k[0] = INFINITY;
		return;
	}
	sotto_work_use(m->work, cumulant_steps(law, s));
	law->class->cumulants(law, s, k);
}

void sotto_measure_cumulants(const struct sotto_loss_measure *m, double s, double k[3])
{
	sotto_work_use(m->work, 40);
	k[0] = s * (s + 1) * m->mu2 / 2;
	k[1] = (s + 0.5) * m->mu2;
	k[2] = m->mu2;
	for (size_t i = 0; i < m->n; i++)
		sotto_measure_add_cumulants(m, i, s, k);
}

void sotto_measure_add_infinite(struct sotto_loss_measure *m, const mpfr_t mass, bool sharp,
				uint64_t count)
{
	mpfr_t l;

	if (mpfr_zero_p(mass) || count == 0)
		return;
	mpfr_init2(l, REAL_BITS);
	mpfr_neg(l, mass, MPFR_RNDN);
	mpfr_log1p(l, l, MPFR_RNDN);
	mpfr_mul_ui(l, l, count, MPFR_RNDN);
	mpfr_add(m->log_finite, m->log_finite, l, MPFR_RNDN);
	m->finite_is_sharp &= sharp;
	m->log_infinite[0] = m->log_infinite[1] = NAN;
	mpfr_clear(l);
}

void sotto_measure_leave_out(struct sotto_loss_measure *m, const mpfr_t mass, uint64_t count)
{
	mpfr_t all;

	mpfr_init2(all, 64);
	mpfr_mul_ui(all, mass, count, MPFR_RNDU);
	mpfr_add(m->left_out, m->left_out, all, MPFR_RNDU);
	m->log_infinite[0] = m->log_infinite[1] = NAN;
	mpfr_clear(all);
}

void sotto_measure_raise_top(struct sotto_loss_measure *m, double top, double mass,
			     uint64_t count)
{
	double all = top * (double)count;

	m->top = sotto_ulps_up(m->top + sotto_ulps_up(all, 3), 1);
	m->top_low = sotto_ulps_down(m->top_low + sotto_ulps_down(all, 3), 1);
	m->log_top_mass += (double)count * log(mass);
}

/* The mass at infinity; on the upper side with what the laws lack. */
static void infinite_mass(mpfr_t mass, const struct sotto_loss_measure *m, bool upper)
{
	mpfr_expm1(mass, m->log_finite, MPFR_RNDN);
	mpfr_neg(mass, mass, MPFR_RNDN);
	if (upper)
		mpfr_add(mass, mass, m->left_out, MPFR_RNDU);
}

/* Its logarithm, since it may be too small for a double. */
static double log_infinite_mass(const struct sotto_loss_measure *m, bool upper)
{
	double nearest;
	mpfr_t l;

	if (mpfr_zero_p(m->log_finite) && (!upper || mpfr_zero_p(m->left_out)))
		return -INFINITY;
	sotto_work_use(m->work, SOTTO_WORK_PRECISE);
	mpfr_init2(l, 64);
	infinite_mass(l, m, upper);
	mpfr_log(l, l, MPFR_RNDN);
	nearest = mpfr_get_d(l, MPFR_RNDN);
	mpfr_clear(l);
	return nearest;
}

void sotto_measure_settle(struct sotto_loss_measure *m)
{
	m->log_infinite[0] = log_infinite_mass(m, true);
	m->log_infinite[1] = log_infinite_mass(m, false);
}

/* log(infinite + finite exp(log_delta)) to all digits but *slack */
static double
whole(const struct sotto_loss_measure *m, double log_delta, bool upper, double *slack)
{
	double log_finite = mpfr_get_d(m->log_finite, MPFR_RNDN),
	       finite = log_finite + log_delta;
	double log_infinite = m->log_infinite[!upper], most, rest;

	if (isnan(log_infinite))
		log_infinite = log_infinite_mass(m, upper);
	*slack = 0;
	if (isinf(log_infinite))
		return log_delta;
	most = fmax(log_infinite, finite);
	rest = fmax(-800, fmin(log_infinite, finite) - most);
	*slack = SOTTO_U * (16 + 4 * fabs(most) + 4 * fabs(rest) * exp(rest));
	return most + log1p(exp(rest));
}

double sotto_measure_whole_up(const struct sotto_loss_measure *m, double log_finite)
{
	double slack, log_delta;

	if (mpfr_zero_p(m->log_finite) && mpfr_zero_p(m->left_out))
		return log_finite;
	log_delta = whole(m, log_finite, true, &slack);
	return slack > 0 ? fmin(0, sotto_next_up(log_delta + slack)) : log_delta;
}

double sotto_measure_whole_down(const struct sotto_loss_measure *m, double log_finite)
{
	double slack, log_delta = log_finite + m->log_kept;

	if (mpfr_zero_p(m->log_finite))
		return log_delta;
	log_delta = whole(m, log_delta, false, &slack);
	return slack > 0 ? sotto_next_down(log_delta - slack) : log_delta;
}

/*
 * log of what delta leaves beside the infinite mass, over the finite mass; *verdict as below.  With
 * the sharpness of the finite mass, or of what was left out if there is such.
 */
static double
target(const struct sotto_loss_measure *m, const mpfr_t delta, bool upper, int *verdict)
{
	bool sharp = m->finite_is_sharp && (!upper || mpfr_zero_p(m->left_out));
	mpfr_t x, y, scale;
	double log_delta = -INFINITY;

	mpfr_inits2(REAL_BITS, x, y, scale, (mpfr_ptr)0);
	infinite_mass(y, m, upper);
	mpfr_sub(x, delta, y, MPFR_RNDN);
	mpfr_div_2ui(scale, delta, sharp ? 560 : 140, MPFR_RNDN);
	if (mpfr_cmpabs(x, scale) <= 0) { /* equal, as far as can be told */
		*verdict = sharp ? 1 : 0;
	} else {
		*verdict = mpfr_sgn(x) < 0 ? -1 : 1;
		mpfr_exp(y, m->log_finite, MPFR_RNDN);
		mpfr_div(x, x, y, MPFR_RNDN);
		mpfr_abs(x, x, MPFR_RNDN);
		mpfr_log(x, x, MPFR_RNDN);
		log_delta = upper ? sotto_next_down(sotto_real_double_down(x))
				  : sotto_next_up(sotto_real_double_up(x));
	}
	mpfr_clears(x, y, scale, (mpfr_ptr)0);
	return log_delta;
}

int sotto_measure_target(const struct sotto_loss_measure *m, const mpfr_t delta,
			 double *log_down, double *log_up)
{
	int verdict, without;

	*log_down = target(m, delta, true, &verdict);
	*log_up = target(m, delta, false, &without);
	if (verdict < 0 && without >= 0) { /* only with what was left out */
		*log_down = -INFINITY;
		verdict = 0;
	}
	return verdict;
}

static void drop_last(struct sotto_loss_measure *m)
{
	struct sotto_law *law = &m->laws[--m->n];

	if (law->class->release)
		law->class->release(law);
}

/*
 * What the law has in doubles.  A mass that a double cannot hold with all digits is left out and
 * charged.
 */
enum sotto_status sotto_measure_add_pair(struct sotto_loss_measure *m,
					 const struct sotto_pair *pair, uint64_t count)
{
	struct sotto_law *law;
	mpfr_t finite, x;
	double top = -INFINITY, top_mass = 0;
	mpfr_t mean;
	size_t n = 0;

	sotto_measure_add_infinite(m, pair->only_p, false, count);
	sotto_measure_leave_out(m, pair->left_out, count);
	if (mpfr_cmp_ui(pair->only_p, 1) >= 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_measure_push(m, count, &law));
	SOTTO_TRY(sotto_law_atoms_init(law, pair->n));
	m->n++;
	mpfr_inits2(SOTTO_PAIR_BITS, finite, x, mean, (mpfr_ptr)0);
	mpfr_ui_sub(finite, 1, pair->only_p, MPFR_RNDN);
	mpfr_set_zero(mean, 1);
	for (size_t i = 0; i < pair->n; i++) {
		if (mpfr_zero_p(pair->mass[i]))
			continue;
		mpfr_div(x, pair->mass[i], finite, MPFR_RNDN);
		if (mpfr_cmp_d(x, DBL_MIN) < 0 || mpfr_cmp_d(pair->loss[i], LOSS_MAX) > 0) {
			sotto_measure_leave_out(m, pair->mass[i], count);
			continue;
		}
		law->mass[n] = mpfr_get_d(x, MPFR_RNDN);
		law->loss[n] = fmax(mpfr_get_d(pair->loss[i], MPFR_RNDN), -LOSS_MAX);
		if (law->loss[n] > -LOSS_MAX)
			mpfr_fma(mean, x, pair->loss[i], mean, MPFR_RNDN);
		else
			mpfr_sub_d(mean, mean, law->mass[n] * LOSS_MAX, MPFR_RNDN);
		if (law->loss[n] > top) {
			top = law->loss[n];
			top_mass = law->mass[n];
		}
		n++;
	}
	mpfr_clears(finite, x, (mpfr_ptr)0);
	if (n == 0) { /* all of it is left out */
		drop_last(m);
		mpfr_clear(mean);
		return SOTTO_OK;
	}
	law->n = n;
	law->loss_error = law->mass_error = 2 * SOTTO_U;
	law->mean = mpfr_get_d(mean, MPFR_RNDN);
	law->top = sotto_ulps_up(top, 1);
	sotto_measure_raise_top(m, top, top_mass, count);
	mpfr_clear(mean);
	return SOTTO_OK;
}

bool sotto_measure_is_at_top(const struct sotto_loss_measure *m, double log_delta)
{
	return isfinite(m->top) &&
	       (isinf(log_delta) || log_delta < m->log_top_mass - 36 - log1p(1 / m->top));
}
