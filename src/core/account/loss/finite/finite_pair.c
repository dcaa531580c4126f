/*
 * Writes each law out in MPFR from exact parameters; sampling mixes P and Q outcome by outcome,
 * in forms without cancellation.
 */
#include "core/account/loss/finite/finite_pair.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"

/* Outcomes of a discrete Gaussian: 39 standard deviations keep all mass above 2^-1000. */
enum { SIGMAS = 39 };

/* What it takes (work.h) to write down an outcome of a law, to sample one, and to group one; and any pair at all. */
#define OUTCOME_STEPS 1.5e3
#define SAMPLE_STEPS 3e3
#define GROUP_STEPS 5e3
#define EVENT_STEPS 4e3

void sotto_pair_release(struct sotto_pair *p)
{
	for (size_t i = 0; i < p->n; i++) {
		mpfr_clear(p->loss[i]);
		mpfr_clear(p->mass[i]);
	}
	free(p->loss);
	mpfr_clears(p->only_p, p->only_q, p->left_out, (mpfr_ptr)0);
	*p = (struct sotto_pair){0};
}

enum sotto_status sotto_pair_init(struct sotto_pair *p, size_t n)
{
	if (n > SOTTO_PAIR_MAX)
		return SOTTO_EREFUSED;
	p->loss = malloc(2 * n * sizeof *p->loss + 1);
	if (!p->loss)
		return SOTTO_ENOMEM;
	p->mass = p->loss + n;
	p->n = n;
	mpfr_inits2(SOTTO_PAIR_BITS, p->only_p, p->only_q, p->left_out, (mpfr_ptr)0);
	mpfr_set_zero(p->only_p, 1);
	mpfr_set_zero(p->only_q, 1);
	mpfr_set_zero(p->left_out, 1);
	for (size_t i = 0; i < n; i++)
		mpfr_inits2(SOTTO_PAIR_BITS, p->loss[i], p->mass[i], (mpfr_ptr)0);
	return SOTTO_OK;
}

/* Outcomes +epsilon, 0 and -epsilon with masses E, others and 1, divided by their sum. */
static enum sotto_status response(struct sotto_pair *p, mpq_srcptr epsilon, uint64_t others)
{
	mpfr_t total;

	SOTTO_TRY(sotto_pair_init(p, others ? 3 : 2));
	mpfr_set_q(p->loss[0], epsilon, MPFR_RNDN);
	mpfr_neg(p->loss[1], p->loss[0], MPFR_RNDN);
	mpfr_init2(total, SOTTO_PAIR_BITS);
	/* by exp(-epsilon), so that nothing overflows */
	mpfr_exp(p->mass[1], p->loss[1], MPFR_RNDN);
	mpfr_mul_ui(total, p->mass[1], others + 1, MPFR_RNDN);
	mpfr_add_ui(total, total, 1, MPFR_RNDN);
	if (others) {
		mpfr_set_zero(p->loss[2], 1);
		mpfr_mul_ui(p->mass[2], p->mass[1], others, MPFR_RNDN);
		mpfr_div(p->mass[2], p->mass[2], total, MPFR_RNDN);
	}
	mpfr_div(p->mass[1], p->mass[1], total, MPFR_RNDN);
	mpfr_ui_div(p->mass[0], 1, total, MPFR_RNDN);
	mpfr_clear(total);
	return SOTTO_OK;
}

static enum sotto_status approx(struct sotto_pair *p, const struct sotto_event *e)
{
	mpq_t rest;

	SOTTO_TRY(response(p, e->epsilon.q, 0));
	mpq_init(rest);
	mpq_set_ui(rest, 1, 1);
	mpq_sub(rest, rest, e->delta.q);
	for (size_t i = 0; i < p->n; i++)
		mpfr_mul_q(p->mass[i], p->mass[i], rest, MPFR_RNDN);
	mpfr_set_q(p->only_p, e->delta.q, MPFR_RNDN);
	mpfr_set_q(p->only_q, e->delta.q, MPFR_RNDN);
	mpq_clear(rest);
	return SOTTO_OK;
}

/*
 * The truth has probability t, each other answer r = (1-t)/(k-1).  The two inputs'
 * own answers have losses +-log(t/r); the rest carries none.
 */
static enum sotto_status
response_by_probability(struct sotto_pair *p, const struct sotto_event *e)
{
	mpq_t high, low, rest;

	SOTTO_TRY(sotto_pair_init(p, e->answers > 2 ? 3 : 2));
	mpq_inits(high, low, rest, (mpq_ptr)0);
	mpq_set(high, e->truth.q);
	mpq_set_ui(low, 1, 1);
	mpq_sub(low, low, high);
	mpq_set_ui(rest, e->answers - 1, 1);
	mpq_div(low, low, rest);
	mpq_set_ui(rest, 1, 1);
	mpq_sub(rest, rest, high);
	mpq_sub(rest, rest, low);
	if (mpq_cmp(high, low) < 0)
		mpq_swap(high, low);
	mpfr_set_q(p->mass[0], high, MPFR_RNDN);
	mpfr_set_q(p->mass[1], low, MPFR_RNDN);
	if (p->n == 3) {
		mpfr_set_zero(p->loss[2], 1);
		mpfr_set_q(p->mass[2], rest, MPFR_RNDN);
	}
	if (mpq_sgn(low) == 0) { /* an answer that one input never gives */
		mpfr_swap(p->only_p, p->mass[0]);
		mpfr_set(p->only_q, p->only_p, MPFR_RNDN);
		mpfr_set_zero(p->loss[0], 1);
		mpfr_set_zero(p->loss[1], 1);
	} else {
		mpq_div(high, high, low);
		mpfr_set_q(p->loss[0], high, MPFR_RNDN);
		mpfr_log(p->loss[0], p->loss[0], MPFR_RNDN);
		mpfr_neg(p->loss[1], p->loss[0], MPFR_RNDN);
	}
	mpq_clears(high, low, rest, (mpq_ptr)0);
	return SOTTO_OK;
}

/* a (n - 2j), j = 0 .. n, masses 1, (1-q) q^j, q^n over 1 + q */
static enum sotto_status geometric(struct sotto_pair *p, const struct sotto_event *e)
{
	mpfr_t a, q, one_q, scale;

	if (e->sensitivity >= SOTTO_PAIR_MAX)
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_pair_init(p, e->sensitivity + 1));
	mpfr_inits2(SOTTO_PAIR_BITS, a, q, one_q, scale, (mpfr_ptr)0);
	mpfr_set_q(a, e->step_epsilon.q, MPFR_RNDN);
	mpfr_neg(q, a, MPFR_RNDN);
	mpfr_expm1(one_q, q, MPFR_RNDN);
	mpfr_neg(one_q, one_q, MPFR_RNDN);
	mpfr_exp(q, q, MPFR_RNDN);
	mpfr_add_ui(scale, q, 1, MPFR_RNDN);
	for (size_t j = 0; j <= e->sensitivity; j++) {
		mpfr_mul_si(p->loss[j], a, (long)e->sensitivity - 2 * (long)j, MPFR_RNDN);
		mpfr_mul_si(p->mass[j], a, -(long)j, MPFR_RNDN);
		mpfr_exp(p->mass[j], p->mass[j], MPFR_RNDN);
		if (j > 0 && j < e->sensitivity)
			mpfr_mul(p->mass[j], p->mass[j], one_q, MPFR_RNDN);
		mpfr_div(p->mass[j], p->mass[j], scale, MPFR_RNDN);
	}
	mpfr_clears(a, q, one_q, scale, (mpfr_ptr)0);
	return SOTTO_OK;
}

static void gaussian_atom(mpfr_t loss, mpfr_t mass, long x, const mpfr_t v, long d)
{
	mpfr_t t;

	mpfr_init2(t, SOTTO_PAIR_BITS);
	mpfr_set_si(t, x, MPFR_RNDN);
	mpfr_sqr(t, t, MPFR_RNDN);
	mpfr_div(t, t, v, MPFR_RNDN);
	mpfr_div_si(t, t, -2, MPFR_RNDN);
	mpfr_exp(mass, t, MPFR_RNDN);
	mpfr_set_si(loss, d, MPFR_RNDN);
	mpfr_mul_si(loss, loss, d - 2 * x, MPFR_RNDN);
	mpfr_div(loss, loss, v, MPFR_RNDN);
	mpfr_div_2ui(loss, loss, 1, MPFR_RNDN);
	mpfr_clear(t);
}

/* x as far as this on either side */
static double gaussian_reach(const struct sotto_event *e)
{
	return floor(SIGMAS * sqrt(mpq_get_d(e->sigma_squared.q))) + 2;
}

double sotto_pair_gaussian_atoms(const struct sotto_event *e)
{
	return 2 * gaussian_reach(e) + (double)e->sensitivity + 1;
}

/* (D^2 - 2Dx)/(2v) for x from -reach to reach + D, masses exp(-x^2/(2v)) */
static enum sotto_status discrete_gaussian(struct sotto_pair *p, const struct sotto_event *e)
{
	long reach, d = (long)e->sensitivity;
	mpfr_t v, total;

	if (!(sotto_pair_gaussian_atoms(e) <= SOTTO_PAIR_MAX))
		return SOTTO_EREFUSED;
	reach = (long)gaussian_reach(e);
	SOTTO_TRY(sotto_pair_init(p, (size_t)(2 * reach + d + 1)));
	mpfr_inits2(SOTTO_PAIR_BITS, v, total, (mpfr_ptr)0);
	mpfr_set_q(v, e->sigma_squared.q, MPFR_RNDN);
	mpfr_set_zero(total, 1);
	for (size_t i = 0; i < p->n; i++) {
		gaussian_atom(p->loss[i], p->mass[i], (long)i - reach, v, d);
		mpfr_add(total, total, p->mass[i], MPFR_RNDN);
	}
	for (size_t i = 0; i < p->n; i++)
		mpfr_div(p->mass[i], p->mass[i], total, MPFR_RNDN);
	/* beyond either end the masses fall by more than half at each step */
	mpfr_mul_ui(p->left_out, p->mass[0], 4, MPFR_RNDU);
	mpfr_clears(v, total, (mpfr_ptr)0);
	return SOTTO_OK;
}

/* log(1 - q + q e^x), as a sum of positive terms where 1 + q expm1(x) would cancel */
static void mixed(mpfr_t out, const mpfr_t q, const mpfr_t rest, const mpfr_t x)
{
	if (mpfr_cmp_si(x, -1) < 0) {
		mpfr_exp(out, x, MPFR_RNDN);
		mpfr_fma(out, out, q, rest, MPFR_RNDN);
		mpfr_log(out, out, MPFR_RNDN);
		return;
	}
	mpfr_expm1(out, x, MPFR_RNDN);
	mpfr_mul(out, out, q, MPFR_RNDN);
	mpfr_log1p(out, out, MPFR_RNDN);
}

/* ((1-q)Q + qP, Q) */
static void sample_remove(struct sotto_pair *p, const mpfr_t q, const mpfr_t rest)
{
	mpfr_t t;

	mpfr_init2(t, SOTTO_PAIR_BITS);
	for (size_t i = 0; i + 1 < p->n; i++) {
		mpfr_neg(t, p->loss[i], MPFR_RNDN);
		mpfr_exp(t, t, MPFR_RNDN);
		mpfr_mul(t, t, rest, MPFR_RNDN);
		mpfr_add(t, t, q, MPFR_RNDN);
		mpfr_mul(p->mass[i], p->mass[i], t, MPFR_RNDN);
		mixed(p->loss[i], q, rest, p->loss[i]);
	}
	mpfr_log(p->loss[p->n - 1], rest, MPFR_RNDN);
	mpfr_mul(p->mass[p->n - 1], rest, p->only_q, MPFR_RNDN);
	mpfr_set_zero(p->only_q, 1);
	mpfr_mul(p->only_p, p->only_p, q, MPFR_RNDN);
	mpfr_clear(t);
}

/* (P, (1-q)P + qQ) */
static void sample_add(struct sotto_pair *p, const mpfr_t q, const mpfr_t rest)
{
	for (size_t i = 0; i + 1 < p->n; i++) {
		mpfr_neg(p->loss[i], p->loss[i], MPFR_RNDN);
		mixed(p->loss[i], q, rest, p->loss[i]);
		mpfr_neg(p->loss[i], p->loss[i], MPFR_RNDN);
	}
	mpfr_log(p->loss[p->n - 1], rest, MPFR_RNDN);
	mpfr_neg(p->loss[p->n - 1], p->loss[p->n - 1], MPFR_RNDN);
	mpfr_set(p->mass[p->n - 1], p->only_p, MPFR_RNDN);
	mpfr_set_zero(p->only_p, 1);
	mpfr_mul(p->only_q, p->only_q, q, MPFR_RNDN);
}

/* One outcome more, for the mass that sampling makes finite. */
static enum sotto_status extend(struct sotto_pair *p)
{
	struct sotto_pair longer = {0};

	SOTTO_TRY(sotto_pair_init(&longer, p->n + 1));
	for (size_t i = 0; i < p->n; i++) {
		mpfr_swap(longer.loss[i], p->loss[i]);
		mpfr_swap(longer.mass[i], p->mass[i]);
	}
	mpfr_swap(longer.only_p, p->only_p);
	mpfr_swap(longer.only_q, p->only_q);
	mpfr_swap(longer.left_out, p->left_out);
	sotto_pair_release(p);
	*p = longer;
	return SOTTO_OK;
}

/* 1 - q, to all bits also where q is next to 1 */
static void set_rest(mpfr_t rest, mpq_srcptr q)
{
	mpq_t exact;

	mpq_init(exact);
	mpz_sub(mpq_numref(exact), mpq_denref(q), mpq_numref(q));
	mpz_set(mpq_denref(exact), mpq_denref(q));
	mpfr_set_q(rest, exact, MPFR_RNDN);
	mpq_clear(exact);
}

static enum sotto_status sampled(struct sotto_pair *p, const struct sotto_event *e,
				 enum sotto_direction direction, struct sotto_work *work)
{
	mpfr_t q, rest;
	enum sotto_status st;

	SOTTO_TRY(sotto_pair_of_repeated(p, e->children[0], direction, work));
	sotto_work_use(work, SAMPLE_STEPS * (double)(p->n + 1));
	st = extend(p);
	if (st != SOTTO_OK) {
		sotto_pair_release(p);
		return st;
	}
	mpfr_inits2(SOTTO_PAIR_BITS, q, rest, (mpfr_ptr)0);
	mpfr_set_q(q, e->rate.q, MPFR_RNDN);
	set_rest(rest, e->rate.q);
	if (direction == SOTTO_REMOVE)
		sample_remove(p, q, rest);
	else
		sample_add(p, q, rest);
	mpfr_clears(q, rest, (mpfr_ptr)0);
	return SOTTO_OK;
}

static enum sotto_status group(struct sotto_pair *p, const struct sotto_event *e,
			       enum sotto_direction direction, struct sotto_work *work)
{
	enum sotto_status st;

	if (sotto_pair_has_group(e->children[0]))
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_pair_of_repeated(p, e->children[0], direction, work));
	sotto_work_use(work, GROUP_STEPS * (double)p->n);
	st = sotto_pair_group(p, e->size);
	if (st != SOTTO_OK)
		sotto_pair_release(p);
	return st;
}

static enum sotto_status leaf(struct sotto_pair *p, const struct sotto_event *e)
{
	switch (e->kind) {
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_EXPONENTIAL:
		return response(p, e->epsilon.q, 0);
	case SOTTO_EVENT_APPROX:
		return approx(p, e);
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		return e->has_truth ? response_by_probability(p, e)
				    : response(p, e->epsilon.q, e->answers - 2);
	case SOTTO_EVENT_GEOMETRIC:
		return geometric(p, e);
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		return discrete_gaussian(p, e);
	case SOTTO_EVENT_SHUFFLE:
		return sotto_pair_of_clones(p, e);
	default:
		return SOTTO_EREFUSED;
	}
}

enum sotto_status sotto_pair_of(struct sotto_pair *p, const struct sotto_event *e,
				enum sotto_direction direction, struct sotto_work *work)
{
	if (sotto_work_is_spent(work))
		return SOTTO_EREFUSED;
	if (e->kind == SOTTO_EVENT_SAMPLED)
		return sampled(p, e, direction, work);
	if (e->kind == SOTTO_EVENT_GROUP)
		return group(p, e, direction, work);
	SOTTO_TRY(leaf(p, e));
	sotto_work_use(work, EVENT_STEPS + OUTCOME_STEPS * (double)p->n);
	return SOTTO_OK;
}
