/*
 * Scales that are not rational are rounded up, shares of epsilon add up to at most
 * epsilon: both toward more privacy.
 */
#include "core/mechanism/stream/sparse_scales.h"

#include "core/base/failure.h"
#include "core/number/rounded.h"

enum { DIGITS = 64 };

static const uint64_t positives_max = UINT64_C(1) << 32;

void sotto_sparse_scales_init(struct sotto_sparse_scales *s)
{
	sotto_rational_init(&s->threshold);
	sotto_rational_init(&s->query);
	sotto_rational_init(&s->value);
}

void sotto_sparse_scales_release(struct sotto_sparse_scales *s)
{
	sotto_rational_release(&s->threshold);
	sotto_rational_release(&s->query);
	sotto_rational_release(&s->value);
}

static bool has_delta(const struct sotto_sparse_vector_options *o)
{
	return o->delta && sotto_rational_sign(o->delta) != 0;
}

static void set_count(mpq_t out, uint64_t n)
{
	mpz_set_ui(mpq_numref(out), n);
	mpz_set_ui(mpq_denref(out), 1);
}

/* ln(1/delta), rounded up or down */
static void log_inverse(mpq_t out, const struct sotto_rational *delta,
			void (*log)(mpq_t out, const mpq_t x, unsigned digits))
{
	mpq_inv(out, delta->q);
	log(out, out, DIGITS);
}

/* c compositions keep within epsilon only up to 8 ln(1/delta): sparse_vector.md. */
static bool beyond_composition(const struct sotto_sparse_vector_options *o)
{
	bool beyond;
	mpq_t limit;

	mpq_init(limit);
	log_inverse(limit, o->delta, sotto_log_down);
	mpq_mul_2exp(limit, limit, 3);
	beyond = mpq_cmp(o->epsilon->q, limit) > 0;
	mpq_clear(limit);
	return beyond;
}

static enum sotto_status
check(const struct sotto_sparse_vector_options *o, struct sotto_error *err)
{
	if (sotto_rational_sign(o->epsilon) <= 0)
		return sotto_fail(err, SOTTO_EINVAL, "epsilon must be greater than 0");
	if (o->delta && (mpq_sgn(o->delta->q) < 0 || mpq_cmp_ui(o->delta->q, 1, 1) >= 0))
		return sotto_fail(err, SOTTO_EINVAL,
				  "delta must be at least 0 and less than 1");
	if (o->sensitivity < 1)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the sensitivity must be at least one step");
	if (o->positives == 0)
		return sotto_fail(err, SOTTO_EINVAL, "at least one positive must be allowed");
	if (o->positives > positives_max)
		return sotto_fail(err, SOTTO_ERANGE, "at most 2^32 positives are possible");
	if (has_delta(o) && o->optimized)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the optimized split is for pure privacy: leave delta out");
	if (has_delta(o) && beyond_composition(o))
		return sotto_fail(err, SOTTO_ERANGE,
				  "with a delta, epsilon may be at most 8 ln(1/delta); leave "
				  "delta out");
	return SOTTO_OK;
}

/* scale = sqrt(32 c ln(1/delta)) D / epsilon, rounded up; 2/delta if numeric */
static void
set_approximate(mpq_t scale, const struct sotto_sparse_vector_options *o, const mpq_t epsilon)
{
	struct sotto_rational share;
	mpq_t x;

	sotto_rational_init(&share);
	sotto_rational_set(&share, o->delta);
	if (o->numeric)
		mpq_div_2exp(share.q, share.q, 1);
	log_inverse(scale, &share, sotto_log_up);
	sotto_rational_release(&share);
	mpq_init(x);
	set_count(x, o->positives);
	mpq_mul(scale, scale, x);
	mpq_mul_2exp(scale, scale, 5);
	sotto_sqrt_up(scale, scale, DIGITS);
	set_count(x, (uint64_t)o->sensitivity);
	mpq_mul(scale, scale, x);
	mpq_div(scale, scale, epsilon);
	mpq_clear(x);
}

/* scale = 2 c D / epsilon */
static void
set_pure(mpq_t scale, const struct sotto_sparse_vector_options *o, const mpq_t epsilon)
{
	mpq_t x;

	mpq_init(x);
	set_count(scale, o->positives);
	set_count(x, (uint64_t)o->sensitivity);
	mpq_mul(scale, scale, x);
	mpq_mul_2exp(scale, scale, 1);
	mpq_div(scale, scale, epsilon);
	mpq_clear(x);
}

static void
set_scale(mpq_t scale, const struct sotto_sparse_vector_options *o, const mpq_t epsilon)
{
	if (has_delta(o))
		set_approximate(scale, o, epsilon);
	else
		set_pure(scale, o, epsilon);
}

/*
 * threshold D/e1 and queries 2cD/e2 (monotone cD/e2).  The share of the threshold is
 * 1/(1 + (2c)^(2/3)) or near it: any split that adds up is private.
 */
static void set_optimized(struct sotto_sparse_scales *s,
			  const struct sotto_sparse_vector_options *o, const mpq_t epsilon)
{
	uint64_t weight = o->monotone ? o->positives : 2 * o->positives;
	mpq_t first, second, x;

	mpq_inits(first, second, x, NULL);
	set_count(x, weight);
	mpq_mul(x, x, x);
	sotto_cbrt_down(x, x, DIGITS);
	set_count(first, 1);
	mpq_add(x, x, first);
	mpq_div(first, epsilon, x);
	mpq_sub(second, epsilon, first);
	set_count(x, (uint64_t)o->sensitivity);
	mpq_div(s->threshold.q, x, first);
	mpq_div(s->query.q, x, second);
	set_count(x, weight);
	mpq_mul(s->query.q, s->query.q, x);
	mpq_clears(first, second, x, NULL);
}

static void set_restarted(struct sotto_sparse_scales *s,
			  const struct sotto_sparse_vector_options *o, const mpq_t epsilon)
{
	set_scale(s->threshold.q, o, epsilon);
	mpq_mul_2exp(s->query.q, s->threshold.q, o->monotone ? 0 : 1);
}

enum sotto_status sotto_sparse_scales_set(struct sotto_sparse_scales *s,
					  const struct sotto_sparse_vector_options *o,
					  struct sotto_error *err)
{
	mpq_t share, epsilon;

	SOTTO_TRY(check(o, err));
	mpq_inits(share, epsilon, NULL);
	mpq_set_ui(share, o->numeric ? 8 : 9, 9);
	mpq_canonicalize(share);
	mpq_mul(epsilon, o->epsilon->q, share);
	if (o->optimized)
		set_optimized(s, o, epsilon);
	else
		set_restarted(s, o, epsilon);
	if (o->numeric) {
		mpq_set_ui(share, 2, 9);
		mpq_mul(epsilon, o->epsilon->q, share);
		set_scale(s->value.q, o, epsilon);
	}
	mpq_clears(share, epsilon, NULL);
	return SOTTO_OK;
}
