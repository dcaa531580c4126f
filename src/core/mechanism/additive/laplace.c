/* The Laplace mechanism: discrete Laplace noise on the grid, and its errors. */
#include "core/account/cost/cost_inside.h"
#include "sotto/noise.h"

#include <mpfr.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "core/mechanism/additive/publish.h"
#include "core/number/least.h"
#include "core/number/rational/rational_value.h"
#include "core/random/laplace/dlaplace.h"

struct sotto_laplace {
	struct sotto_rational per_step; /* epsilon per grid step, 1/scale */
	struct sotto_dlaplace *law;
};

enum { PRECISION = 192 };

/* Takes over per_step. */
static enum sotto_status make(struct sotto_rational *per_step, struct sotto_laplace **out)
{
	struct sotto_laplace *m = calloc(1, sizeof *m);
	enum sotto_status st = m ? sotto_dlaplace_new(per_step, &m->law) : SOTTO_ENOMEM;

	if (st != SOTTO_OK) {
		sotto_rational_release(per_step);
		free(m);
		return st;
	}
	m->per_step = *per_step;
	*out = m;
	return SOTTO_OK;
}

enum sotto_status sotto_laplace_new(const struct sotto_rational *epsilon, int64_t sensitivity,
				    struct sotto_laplace **out)
{
	if (!epsilon || !out)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);

	struct sotto_rational per_step;

	if (sotto_rational_sign(epsilon) <= 0 || sensitivity < 1)
		return SOTTO_EINVAL;
	sotto_rational_init(&per_step);
	mpq_set_si(per_step.q, sensitivity, 1);
	mpq_div(per_step.q, epsilon->q, per_step.q);
	return make(&per_step, out);
}

enum sotto_status
sotto_laplace_new_scale(const struct sotto_rational *scale, struct sotto_laplace **out)
{
	if (!scale || !out)
		return SOTTO_EINVAL;
	scale = sotto_rational_settled(scale);

	struct sotto_rational per_step;

	if (sotto_rational_sign(scale) <= 0)
		return SOTTO_EINVAL;
	sotto_rational_init(&per_step);
	mpq_inv(per_step.q, scale->q);
	return make(&per_step, out);
}

void sotto_laplace_free(struct sotto_laplace *m)
{
	if (!m)
		return;
	sotto_rational_release(&m->per_step);
	sotto_dlaplace_free(m->law);
	free(m);
}

enum sotto_status sotto_laplace_publish(const struct sotto_laplace *m, struct sotto_rng *rng,
					struct sotto_exact x, struct sotto_noisy *out)
{
	if (!m || !rng || !out)
		return SOTTO_EINVAL;

	int64_t noise;

	SOTTO_TRY(sotto_dlaplace_draw(m->law, rng, &noise));
	*out = sotto_publish_sum(x, noise);
	sotto_wipe(&noise, sizeof noise);
	return SOTTO_OK;
}

static enum sotto_status fill(const void *law, struct sotto_rng *rng, int64_t *noise, size_t n)
{
	return sotto_dlaplace_fill(law, rng, noise, n);
}

enum sotto_status sotto_laplace_publish_all(const struct sotto_laplace *m,
					    struct sotto_rng *rng, const struct sotto_exact *x,
					    struct sotto_noisy *out, size_t n)
{
	if (!m || !rng || (n > 0 && (!x || !out)))
		return SOTTO_EINVAL;
	return sotto_publish_all(fill, m->law, rng, x, out, n);
}

enum sotto_status sotto_laplace_epsilon(const struct sotto_laplace *m, int64_t sensitivity,
					struct sotto_rational *epsilon)
{
	if (sensitivity < 1)
		return SOTTO_EINVAL;
	mpq_set_si(epsilon->q, sensitivity, 1);
	mpq_mul(epsilon->q, epsilon->q, m->per_step.q);
	return SOTTO_OK;
}

enum sotto_status
sotto_laplace_cost(const struct sotto_laplace *m, int64_t sensitivity, struct sotto_cost *cost)
{
	if (sensitivity < 1)
		return SOTTO_EINVAL;
	return sotto_cost_set_geometric(cost, &m->per_step, sensitivity);
}

/*
 * t = ln(2n / (beta (1 + a))) / e, rounded up, with a = exp(-e): from t on the
 * union of n tails P(|Z| >= t) = 2 a^t / (1 + a) is at most beta.
 */
static void tail_start_up(const struct sotto_laplace *m, size_t n, const mpq_t beta, mpfr_t t)
{
	mpfr_t a;

	mpfr_init2(a, PRECISION);
	mpfr_set_q(a, m->per_step.q, MPFR_RNDU);
	mpfr_neg(a, a, MPFR_RNDN);
	mpfr_exp(a, a, MPFR_RNDD);
	mpfr_add_ui(a, a, 1, MPFR_RNDD);
	mpfr_mul_q(a, a, beta, MPFR_RNDD);
	mpfr_set_ui(t, n, MPFR_RNDU);
	mpfr_mul_ui(t, t, 2, MPFR_RNDU);
	mpfr_div(t, t, a, MPFR_RNDU);
	mpfr_log(t, t, MPFR_RNDU);
	mpfr_div_q(t, t, m->per_step.q, MPFR_RNDU);
	mpfr_clear(a);
}

static bool is_probability(const struct sotto_rational *beta)
{
	return sotto_rational_sign(beta) > 0 && mpq_cmp_ui(beta->q, 1, 1) < 0;
}

enum sotto_status sotto_laplace_error_up(const struct sotto_laplace *m, size_t n,
					 const struct sotto_rational *beta, int64_t *error)
{
	beta = sotto_rational_settled(beta);

	enum sotto_status st = SOTTO_OK;
	mpfr_t t;

	if (n == 0 || !is_probability(beta))
		return SOTTO_EINVAL;
	mpfr_init2(t, PRECISION);
	tail_start_up(m, n, beta->q, t);
	mpfr_ceil(t, t);
	if (mpfr_cmp_ui(t, 1) < 0)
		mpfr_set_ui(t, 1, MPFR_RNDN); /* the tail formula holds from 1 on */
	if (mpfr_fits_slong_p(t, MPFR_RNDU))
		*error = mpfr_get_si(t, MPFR_RNDU) - 1;
	else
		st = SOTTO_EOVERFLOW;
	mpfr_clear(t);
	return st;
}

struct wanted {
	size_t n;
	const struct sotto_rational *beta;
	int64_t error;
};

/* n 2 a^(error + 1) <= beta (1 + a), certainly, with a = exp(-e) */
static bool is_accurate(const void *context, const mpq_t e)
{
	const struct wanted *w = context;
	mpfr_t tail, room;
	bool accurate;
	mpq_t q;

	mpq_init(q);
	mpfr_init2(tail, PRECISION);
	mpfr_init2(room, PRECISION);
	mpq_set_si(q, -1, 1);
	mpq_mul(q, q, e);
	mpfr_set_q(room, q, MPFR_RNDD);
	mpfr_exp(room, room, MPFR_RNDD);
	mpfr_add_ui(room, room, 1, MPFR_RNDD);
	mpfr_mul_q(room, room, w->beta->q, MPFR_RNDD);
	mpfr_set_q(tail, q, MPFR_RNDU);
	mpfr_mul_si(tail, tail, w->error, MPFR_RNDU);
	mpfr_add_q(tail, tail, q, MPFR_RNDU);
	mpfr_exp(tail, tail, MPFR_RNDU);
	mpfr_mul_ui(tail, tail, w->n, MPFR_RNDU);
	mpfr_mul_ui(tail, tail, 2, MPFR_RNDU);
	accurate = mpfr_lessequal_p(tail, room);
	mpfr_clear(tail);
	mpfr_clear(room);
	mpq_clear(q);
	return accurate;
}

enum sotto_status sotto_laplace_calibrate_error_up(size_t n, const struct sotto_rational *beta,
						   int64_t error,
						   struct sotto_rational *per_step)
{
	beta = sotto_rational_settled(beta);

	static const struct sotto_span scales = {-50, 10};
	const struct wanted w = {n, beta, error};

	if (n == 0 || error < 0 || !is_probability(beta))
		return SOTTO_EINVAL;
	return sotto_least_find(per_step->q, scales, is_accurate, &w) ? SOTTO_OK : SOTTO_ERANGE;
}

/* sqrt(cosh(e) - 1) = sqrt(2) sinh(e/2), which does not cancel for small e. */
double sotto_laplace_deviation_up(const struct sotto_laplace *m)
{
	double up;
	mpfr_t x;

	mpfr_init2(x, PRECISION);
	mpfr_set_q(x, m->per_step.q, MPFR_RNDD);
	mpfr_div_ui(x, x, 2, MPFR_RNDD);
	mpfr_sinh(x, x, MPFR_RNDD);
	mpfr_sqr(x, x, MPFR_RNDD);
	mpfr_mul_ui(x, x, 2, MPFR_RNDD);
	mpfr_rec_sqrt(x, x, MPFR_RNDU);
	up = mpfr_get_d(x, MPFR_RNDU);
	mpfr_clear(x);
	return up;
}
