/* The geometric mechanism with its result clamped to a range. */
#include "core/account/cost/cost_inside.h"
#include "sotto/noise.h"

#include <stdlib.h>

#include "core/base/checked.h"
#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/base/wide.h"
#include "core/base/wipe.h"
#include "core/number/exp/expansion.h"
#include "core/number/rational/rational_value.h"
#include "core/number/exp/exp_share.h"
#include "core/random/laplace/dlaplace.h"

enum { DIGITS_MAX = 4096, GUARD = 64 };

struct sotto_truncated {
	struct sotto_dlaplace *noise;
	struct sotto_range range;
	int64_t sensitivity;
	struct sotto_rational step; /* epsilon per grid step */
};

static enum sotto_status check(const struct sotto_rational *epsilon, int64_t sensitivity,
			       struct sotto_range range, struct sotto_error *err)
{
	if (sotto_rational_sign(epsilon) <= 0)
		return sotto_fail(err, SOTTO_EINVAL, "epsilon must be greater than 0");
	if (sensitivity < 1)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the sensitivity must be at least one step");
	if (range.low > range.high)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the lower end of the range is above its upper end");
	return SOTTO_OK;
}

enum sotto_status sotto_truncated_new(const struct sotto_rational *epsilon, int64_t sensitivity,
				      struct sotto_range range, struct sotto_truncated **out,
				      struct sotto_error *err)
{
	if (!epsilon || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	epsilon = sotto_rational_settled(epsilon);

	struct sotto_truncated *m;
	enum sotto_status st;

	SOTTO_TRY(check(epsilon, sensitivity, range, err));
	m = malloc(sizeof *m);
	if (!m)
		return SOTTO_ENOMEM;
	m->range = range;
	m->sensitivity = sensitivity;
	sotto_rational_init(&m->step);
	mpz_set_si(mpq_numref(m->step.q), sensitivity);
	mpq_div(m->step.q, epsilon->q, m->step.q);
	st = sotto_dlaplace_new(&m->step, &m->noise);
	if (st == SOTTO_OK) {
		*out = m;
		return SOTTO_OK;
	}
	sotto_rational_release(&m->step);
	free(m);
	return st == SOTTO_ERANGE ? sotto_fail(err, st,
					       "epsilon over sensitivity must lie between "
					       "2^-50 and 2^10 per grid step")
				  : st;
}

void sotto_truncated_free(struct sotto_truncated *m)
{
	if (!m)
		return;
	sotto_dlaplace_free(m->noise);
	sotto_rational_release(&m->step);
	free(m);
}

static int64_t hold(struct sotto_range range, int64_t x)
{
	x = sotto_mask_i64(x < range.low, range.low, x);
	return sotto_mask_i64(x > range.high, range.high, x);
}

enum sotto_status sotto_truncated_publish(const struct sotto_truncated *m,
					  struct sotto_rng *rng, struct sotto_exact x,
					  struct sotto_noisy *out)
{
	if (!m || !rng || !out)
		return SOTTO_EINVAL;

	int64_t noise;

	SOTTO_TRY(sotto_dlaplace_draw(m->noise, rng, &noise));
	out->value = hold(m->range, sotto_saturating_add_i64(x.secret, noise));
	sotto_wipe(&noise, sizeof noise);
	return SOTTO_OK;
}

enum sotto_status sotto_truncated_cost(const struct sotto_truncated *m, struct sotto_cost *cost)
{
	if (!m || !cost)
		return SOTTO_EINVAL;
	return sotto_cost_set_geometric(cost, &m->step, m->sensitivity);
}

static void set_i128(mpz_t out, sotto_i128 n)
{
	mpz_set_si(out, (int64_t)(n >> 64));
	mpz_mul_2exp(out, out, 64);
	mpz_add_ui(out, out, (uint64_t)n);
}

/* 2^digits a^n, n >= 0, short of it by less than 1. */
static void
power_floor(const struct sotto_truncated *m, sotto_i128 n, unsigned digits, mpz_t out)
{
	mpq_t x;

	mpq_init(x);
	set_i128(mpq_numref(x), n);
	mpq_mul(x, x, m->step.q);
	if (n == 0)
		mpz_ui_pow_ui(out, 2, digits);
	else
		sotto_expansion_floor(SOTTO_EXPANSION_EXP, x, digits, out);
	mpq_clear(x);
}

/*
 * 2^digits P[Z >= n], off by less than 3: a^n / (1 + a) for n >= 0, and what is left of
 * 1 on the other side of zero.
 */
static void tail(const struct sotto_truncated *m, sotto_i128 n, unsigned digits, mpz_t out)
{
	mpz_t share;
	mpq_t one;

	if (n < 0) {
		tail(m, 1 - n, digits, out);
		mpz_neg(out, out);
		mpz_init_set_ui(share, 1);
		mpz_mul_2exp(share, share, digits);
		mpz_add(out, out, share);
		mpz_clear(share);
		return;
	}
	mpz_init(share);
	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	sotto_share_floor(m->step.q, one, digits, share);
	power_floor(m, n, digits, out);
	mpz_mul(out, out, share);
	mpz_fdiv_q_2exp(out, out, digits);
	mpq_clear(one);
	mpz_clear(share);
}

/* 2^digits P[z given y], off by less than 6. */
static void
mass(const struct sotto_truncated *m, int64_t y, int64_t z, unsigned digits, mpz_t out)
{
	sotto_i128 up = (sotto_i128)z - y;
	mpz_t above;

	if (m->range.low == m->range.high) {
		mpz_ui_pow_ui(out, 2, digits);
	} else if (z == m->range.high) {
		tail(m, up, digits, out);
	} else if (z == m->range.low) {
		tail(m, -up, digits, out);
	} else {
		sotto_i128 distance = up < 0 ? -up : up;

		mpz_init(above);
		tail(m, distance, digits, out);
		tail(m, distance + 1, digits, above);
		mpz_sub(out, out, above);
		mpz_clear(above);
	}
}

enum sotto_status sotto_truncated_probability_down(const struct sotto_truncated *m, int64_t y,
						   int64_t z, unsigned digits,
						   struct sotto_rational *out)
{
	if (!m || !out)
		return SOTTO_EINVAL;

	mpz_t value;

	if (z < m->range.low || z > m->range.high)
		return SOTTO_EINVAL;
	if (digits > DIGITS_MAX)
		return SOTTO_ERANGE;
	mpz_init(value);
	mass(m, y, z, digits + GUARD, value);
	if (m->range.low != m->range.high)
		mpz_sub_ui(value, value, 6);
	if (mpz_sgn(value) < 0)
		mpz_set_ui(value, 0);
	mpz_fdiv_q_2exp(mpq_numref(out->q), value, GUARD);
	mpz_set_ui(mpq_denref(out->q), 1);
	mpz_mul_2exp(mpq_denref(out->q), mpq_denref(out->q), digits);
	mpq_canonicalize(out->q);
	mpz_clear(value);
	return SOTTO_OK;
}
