/* One event as a law of a measure, and the lattice that its losses lie on. */
#include <math.h>

#include "core/account/integral/real.h"
#include "core/account/law/sgauss_cumulants.h"
#include "core/account/law/sgauss_rule.h"
#include "core/account/law/slaplace/slaplace_list.h"
#include "core/account/loss/finite/finite_pair.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

enum { FEW_STEPS = 8 };

/* Laws in hardware arithmetic multiply a rate by small masses: below this digits get lost. */
#define RATE_MIN 1e-280

/* Fractions with larger denominators have no lattice that is worth knowing. */
enum { LATTICE_BITS_MAX = 2048 };

static bool is_short(mpq_srcptr q)
{
	return mpz_sizeinbase(mpq_denref(q), 2) <= LATTICE_BITS_MAX;
}

/* spacing becomes the greatest common divisor, offset grows by count times its own */
static void join_lattice(struct sotto_loss_measure *m, mpq_srcptr spacing, mpq_srcptr offset,
			 uint64_t count)
{
	mpz_t a, b;
	mpq_t shift;

	m->lattice &= is_short(m->spacing) && is_short(m->offset) && is_short(spacing);
	if (!m->lattice)
		return;
	mpz_inits(a, b, (mpz_ptr)0);
	mpq_init(shift);
	mpz_mul(a, mpq_numref(m->spacing), mpq_denref(spacing));
	mpz_mul(b, mpq_numref(spacing), mpq_denref(m->spacing));
	mpz_gcd(mpq_numref(shift), a, b);
	mpz_mul(mpq_denref(shift), mpq_denref(m->spacing), mpq_denref(spacing));
	mpq_canonicalize(shift);
	mpq_set(m->spacing, shift);
	mpq_set_ui(shift, count, 1);
	mpq_mul(shift, shift, offset);
	mpq_add(m->offset, m->offset, shift);
	mpq_clear(shift);
	mpz_clears(a, b, (mpz_ptr)0);
}

/* The lattice of an event's losses, where they have one with rational spacing. */
static bool lattice_of(const struct sotto_event *e, mpq_t spacing, mpq_t offset)
{
	switch (e->kind) {
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_APPROX:
	case SOTTO_EVENT_EXPONENTIAL:
		mpq_set(offset, e->epsilon.q);
		mpq_mul_2exp(spacing, e->epsilon.q, 1);
		return true;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		mpq_set(offset, e->epsilon.q);
		mpq_set(spacing, e->epsilon.q);
		return !e->has_truth;
	case SOTTO_EVENT_GEOMETRIC:
		mpq_mul_2exp(spacing, e->step_epsilon.q, 1);
		mpq_set_ui(offset, e->sensitivity, 1);
		mpq_mul(offset, offset, e->step_epsilon.q);
		return true;
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		mpq_set_ui(spacing, e->sensitivity, 1);
		mpq_div(spacing, spacing, e->sigma_squared.q);
		mpq_set_ui(offset, e->sensitivity, 2);
		mpq_canonicalize(offset);
		mpq_mul(offset, offset, spacing);
		return true;
	default:
		return false;
	}
}

static void
note_lattice(struct sotto_loss_measure *m, const struct sotto_event *e, uint64_t count)
{
	mpq_t spacing, offset;

	mpq_inits(spacing, offset, (mpq_ptr)0);
	if (lattice_of(e, spacing, offset))
		join_lattice(m, spacing, offset, count);
	else
		m->lattice = false;
	mpq_clears(spacing, offset, (mpq_ptr)0);
}

static enum sotto_status
add_law(struct sotto_loss_measure *m, const struct sotto_law_class *class,
	const struct sotto_event *e, uint64_t count, struct sotto_law **law)
{
	SOTTO_TRY(sotto_measure_push(m, count, law));
	m->n++;
	(*law)->class = class;
	(*law)->first = sotto_nearest_double(e->first.q);
	(*law)->n = e->whole;
	return SOTTO_OK;
}

static enum sotto_status
add_discrete_gaussian(struct sotto_loss_measure *m, const struct sotto_event *e, uint64_t count)
{
	struct sotto_law *law;

	SOTTO_TRY(add_law(m, &sotto_law_dgauss, e, count, &law));
	law->top = INFINITY;
	sotto_measure_raise_top(m, INFINITY, 0, count);
	return SOTTO_OK;
}

/* The infinite part of an approximate cost is rational: it may use up delta exactly. */
static enum sotto_status
add_approx(struct sotto_loss_measure *m, const struct sotto_event *e, uint64_t count)
{
	struct sotto_pair pair = {0};
	enum sotto_status st;
	mpfr_t delta;

	mpfr_init2(delta, REAL_BITS);
	mpfr_set_q(delta, e->delta.q, MPFR_RNDN);
	sotto_measure_add_infinite(m, delta, true, count);
	mpfr_clear(delta);
	if (mpq_cmp_ui(e->delta.q, 1, 1) == 0 || mpq_sgn(e->epsilon.q) == 0 ||
	    sotto_measure_leave_out_epsilon(m, e->epsilon.q, count))
		return SOTTO_OK;
	SOTTO_TRY(sotto_pair_of(&pair, e, SOTTO_REMOVE, m->work));
	for (size_t i = 0; i < pair.n; i++) {
		mpfr_ui_sub(pair.only_q, 1, pair.only_p, MPFR_RNDN);
		mpfr_div(pair.mass[i], pair.mass[i], pair.only_q, MPFR_RNDN);
	}
	mpfr_set_zero(pair.only_p, 1);
	st = sotto_measure_add_pair(m, &pair, count);
	sotto_pair_release(&pair);
	return st;
}

enum sotto_status sotto_measure_add_as_pair(struct sotto_loss_measure *m,
					    const struct sotto_event *e, uint64_t count,
					    enum sotto_direction direction)
{
	struct sotto_pair pair = {0};
	enum sotto_status st;

	if (sotto_work_is_spent(m->work))
		return SOTTO_EREFUSED;
	if (e->kind == SOTTO_EVENT_APPROX)
		return add_approx(m, e, count);
	SOTTO_TRY(sotto_pair_of(&pair, e, direction, m->work));
	st = sotto_measure_add_pair(m, &pair, count);
	sotto_pair_release(&pair);
	return st;
}

static enum sotto_status
add_geometric(struct sotto_loss_measure *m, const struct sotto_event *e, uint64_t count)
{
	struct sotto_law *law;
	mpq_t total;

	if (e->sensitivity < FEW_STEPS) /* a short sum is quicker than the closed form */
		return sotto_measure_add_as_pair(m, e, count, SOTTO_REMOVE);
	SOTTO_TRY(add_law(m, &sotto_law_geometric, e, count, &law));
	mpq_init(total);
	mpq_set_ui(total, e->sensitivity, 1);
	mpq_mul(total, total, e->step_epsilon.q);
	law->epsilon = sotto_nearest_double(total);
	law->top = sotto_ulps_up(law->epsilon, 1);
	sotto_measure_raise_top(m, law->epsilon, 1 / (1 + exp(-law->step_epsilon)), count);
	mpq_clear(total);
	return SOTTO_OK;
}

enum sotto_status sotto_measure_rate_up(mpq_srcptr rate, double *up)
{
	mpfr_t x;

	mpfr_init2(x, 53);
	mpfr_set_q(x, rate, MPFR_RNDU);
	*up = mpfr_get_d(x, MPFR_RNDU);
	mpfr_clear(x);
	return *up < RATE_MIN ? SOTTO_EREFUSED : SOTTO_OK;
}

/* The top of a sampled Laplace law is an atom. */
static enum sotto_status set_sampled_laplace(struct sotto_loss_measure *m,
					     struct sotto_law *law, uint64_t count,
					     enum sotto_direction direction)
{
	double e = law->noise_epsilon, q = law->rate, top, mass = 0.5;

	law->direction = direction;
	if (law->of_many)
		SOTTO_TRY(sotto_slaplace_keep_list(law));
	law->loss_error = SOTTO_U * (14 + 4 * e); /* of both atoms (law_slaplace.c) */
	law->loss_shift = q < 0.5 ? 0 : 4 * SOTTO_U;
	if (direction == SOTTO_REMOVE) {
		top = e < 600 ? log1p(q * expm1(e)) : e + log(q);
		mass *= q + (1 - q) * exp(-e);
	} else {
		top = -log1p(q * expm1(-e));
	}
	law->top = sotto_ulps_up(top, 8);
	sotto_measure_raise_top(m, sotto_ulps_up(top, 8), mass, count);
	m->top_low = sotto_ulps_down(m->top_low, 64);
	return SOTTO_OK;
}

static enum sotto_status add_sampled(struct sotto_loss_measure *m, const struct sotto_event *e,
				     uint64_t count, enum sotto_direction direction)
{
	const struct sotto_event *child = e->children[0];
	struct sotto_law *law;
	bool laplace = child->kind == SOTTO_EVENT_LAPLACE && child->count == 1;
	double rate;

	if (child->kind != SOTTO_EVENT_GAUSSIAN && !laplace)
		return sotto_measure_add_as_pair(m, e, count, direction);
	SOTTO_TRY(sotto_measure_rate_up(e->rate.q, &rate));
	SOTTO_TRY(add_law(m,
			  !laplace     ? &sotto_law_sampled_gaussian
			  : m->patient ? &sotto_law_listed_laplace
				       : &sotto_law_sampled_laplace,
			  e, count, &law));
	law->rate = rate;
	if (laplace) {
		law->noise_epsilon = sotto_nearest_double(child->epsilon.q);
		law->of_many = m->of_many;
		return set_sampled_laplace(m, law, count, direction);
	}
	law->mu = sqrt(sotto_nearest_double(child->mu_squared.q));
	law->direction = direction;
	law->of_many = m->of_many;
	law->of_hundreds = m->of_hundreds;
	if (law->of_many)
		SOTTO_TRY(sotto_sgauss_list(law, SOTTO_SGAUSS_STEERING));
	law->top = INFINITY;
	if (direction == SOTTO_ADD)
		law->top = sotto_ulps_up(-log1p(-law->rate), 4);
	sotto_measure_raise_top(m, law->top, 0, count);
	return SOTTO_OK;
}

enum sotto_status sotto_measure_add_event(struct sotto_loss_measure *m,
					  const struct sotto_event *e, uint64_t count,
					  enum sotto_direction direction)
{
	note_lattice(m, e, count);
	switch (e->kind) {
	case SOTTO_EVENT_LAPLACE: /* gathered by sotto_measure_add_laplaces */
		return SOTTO_OK;
	case SOTTO_EVENT_GAUSSIAN: /* summed by sotto_measure_add_terms */
		return SOTTO_OK;
	case SOTTO_EVENT_GEOMETRIC:
		return add_geometric(m, e, count);
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		return add_discrete_gaussian(m, e, count);
	case SOTTO_EVENT_SAMPLED:
		return add_sampled(m, e, count, direction);
	default:
		return sotto_measure_add_as_pair(m, e, count, direction);
	}
}
