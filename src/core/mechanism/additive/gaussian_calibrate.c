/*
 * Finds the least sigma2, or the least epsilon, at which delta is small enough.
 */
#include "sotto/noise.h"

#include <stdbool.h>

#include "core/base/failure.h"
#include "core/mechanism/additive/gaussian_law.h"
#include "core/number/least.h"
#include "core/number/rational/rational_value.h"

enum { BITS_LEAST = 128, BITS_MOST = 4096, GUARD = 128 };

/* One of epsilon and sigma2 is NULL: that is what is looked for. */
struct question {
	const struct sotto_rational *epsilon;
	const struct sotto_rational *sigma2;
	const struct sotto_rational *delta; /* the limit; NULL to ask for delta itself */
	int64_t sensitivity;
	size_t dimension;
};

static const struct sotto_span epsilons = {SOTTO_GAUSSIAN_EPSILON_LEAST,
					   SOTTO_GAUSSIAN_EPSILON_MOST};
static const struct sotto_span sigma2s = {SOTTO_GAUSSIAN_SIGMA2_LEAST,
					  SOTTO_GAUSSIAN_SIGMA2_MOST};
static const struct sotto_span deltas = {SOTTO_GAUSSIAN_DELTA_LEAST, 0};

static bool is_outside(struct sotto_span span, const struct sotto_rational *x)
{
	return x && !sotto_span_holds(span, x->q);
}

static enum sotto_status check(const struct question *q)
{
	if (q->sensitivity < 1 || q->dimension < 1)
		return SOTTO_EINVAL;
	if (q->epsilon && sotto_rational_sign(q->epsilon) <= 0)
		return SOTTO_EINVAL;
	if (q->delta &&
	    (sotto_rational_sign(q->delta) <= 0 || mpq_cmp_ui(q->delta->q, 1, 1) >= 0))
		return SOTTO_EINVAL;
	if (is_outside(epsilons, q->epsilon) || is_outside(sigma2s, q->sigma2) ||
	    is_outside(deltas, q->delta))
		return SOTTO_ERANGE;
	return SOTTO_OK;
}

/* x stands for the one that is NULL. */
static void
enclose(struct sotto_enclosure *delta, const struct question *q, const mpq_t x, unsigned bits)
{
	mpq_srcptr epsilon = q->epsilon ? q->epsilon->q : x;
	mpq_srcptr sigma2 = q->sigma2 ? q->sigma2->q : x;

	if (q->dimension == 1)
		sotto_gaussian_law_delta(delta, sigma2, q->sensitivity, epsilon, bits);
	else
		sotto_gaussian_law_delta_zcdp(delta, sigma2, q->sensitivity, epsilon);
}

/* delta <= limit, certainly; a bound that no precision decides counts as too large */
static bool suffices(const void *question, const mpq_t x)
{
	const struct question *q = question;
	bool below = false, above = false;

	for (unsigned bits = BITS_LEAST; bits <= BITS_MOST && !below && !above; bits *= 2) {
		struct sotto_enclosure delta;

		sotto_enclosure_init(&delta, bits + GUARD);
		enclose(&delta, q, x, bits);
		below = mpfr_cmp_q(delta.hi, q->delta->q) <= 0;
		above = mpfr_cmp_q(delta.lo, q->delta->q) > 0;
		sotto_enclosure_release(&delta);
	}
	return below;
}

static enum sotto_status
find_least(const struct question *q, struct sotto_span span, struct sotto_rational *x)
{
	SOTTO_TRY(check(q));
	return sotto_least_find(x->q, span, suffices, q) ? SOTTO_OK : SOTTO_ERANGE;
}

enum sotto_status sotto_gaussian_calibrate_up(const struct sotto_rational *epsilon,
					      const struct sotto_rational *delta,
					      int64_t sensitivity, size_t dimension,
					      struct sotto_rational *sigma2)
{
	epsilon = sotto_rational_settled(epsilon);
	delta = sotto_rational_settled(delta);

	const struct question q = {epsilon, NULL, delta, sensitivity, dimension};

	return find_least(&q, sigma2s, sigma2);
}

enum sotto_status sotto_gaussian_epsilon_up(const struct sotto_rational *sigma2,
					    int64_t sensitivity, size_t dimension,
					    const struct sotto_rational *delta,
					    struct sotto_rational *epsilon)
{
	sigma2 = sotto_rational_settled(sigma2);
	delta = sotto_rational_settled(delta);

	const struct question q = {NULL, sigma2, delta, sensitivity, dimension};

	return find_least(&q, epsilons, epsilon);
}

/* hi <= 2 lo, or so small that nobody asks */
static bool is_sharp(const struct sotto_enclosure *e)
{
	bool sharp;
	mpfr_t twice;

	if (mpfr_cmp_ui_2exp(e->hi, 1, SOTTO_GAUSSIAN_DELTA_LEAST) < 0)
		return true;
	mpfr_init2(twice, 64);
	mpfr_mul_2ui(twice, e->lo, 1, MPFR_RNDD);
	sharp = mpfr_lessequal_p(e->hi, twice);
	mpfr_clear(twice);
	return sharp;
}

/* A delta of 1 is always true, and the zCDP bound can be beyond it. */
static void take_up(struct sotto_rational *delta, const struct sotto_enclosure *e)
{
	mpfr_t up;

	mpfr_init2(up, 64);
	mpfr_set(up, e->hi, MPFR_RNDU);
	if (mpfr_cmp_ui(up, 1) > 0)
		mpfr_set_ui(up, 1, MPFR_RNDU);
	if (mpfr_cmp_ui_2exp(up, 1, SOTTO_GAUSSIAN_DELTA_LEAST) < 0)
		mpfr_set_ui_2exp(up, 1, SOTTO_GAUSSIAN_DELTA_LEAST, MPFR_RNDU);
	mpfr_get_q(delta->q, up);
	mpfr_clear(up);
}

enum sotto_status sotto_gaussian_delta_up(const struct sotto_rational *sigma2,
					  int64_t sensitivity, size_t dimension,
					  const struct sotto_rational *epsilon,
					  struct sotto_rational *delta)
{
	sigma2 = sotto_rational_settled(sigma2);
	epsilon = sotto_rational_settled(epsilon);

	const struct question q = {epsilon, sigma2, NULL, sensitivity, dimension};
	bool sharp = false;

	SOTTO_TRY(check(&q));
	for (unsigned bits = BITS_LEAST; bits <= BITS_MOST && !sharp; bits *= 2) {
		struct sotto_enclosure e;

		sotto_enclosure_init(&e, bits + GUARD);
		enclose(&e, &q, sigma2->q, bits);
		sharp = is_sharp(&e);
		take_up(delta, &e);
		sotto_enclosure_release(&e);
	}
	return SOTTO_OK;
}
