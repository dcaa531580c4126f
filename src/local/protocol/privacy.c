/*
 * Each protocol has a pair of outputs whose likelihood ratio is the greatest;
 * local.md names it.  Everything is a rational until the logarithm at the end.
 */
#include "sotto/local.h"

#include <math.h>
#include <mpfr.h>

#include "local/protocol/threshold.h"

void sotto_local_privacy_init(struct sotto_local_privacy *p)
{
	*p = (struct sotto_local_privacy){.report = 0};
	sotto_rational_init(&p->odds);
}

void sotto_local_privacy_release(struct sotto_local_privacy *p)
{
	if (!p)
		return;
	sotto_rational_release(&p->odds);
}

/* out = max(out, a / b); a ratio without a bound is only noted. */
static void raise_to(mpq_t out, const mpq_t a, const mpq_t b, bool *unbounded)
{
	mpq_t ratio;

	if (mpq_sgn(a) == 0)
		return;
	if (mpq_sgn(b) == 0) {
		*unbounded = true;
		return;
	}
	mpq_init(ratio);
	mpq_div(ratio, a, b);
	if (mpq_cmp(ratio, out) > 0)
		mpq_set(out, ratio);
	mpq_clear(ratio);
}

/*
 * The two directions of one bit whose probabilities of being 1 are a and b:
 * up = max ratio at output 1, down at output 0 (each at least 1).
 */
static void bit_ratios(const mpq_t a, const mpq_t b, mpq_t up, mpq_t down, bool *unbounded)
{
	mpq_t one, na, nb;

	mpq_inits(one, na, nb, NULL);
	mpq_set_ui(one, 1, 1);
	mpq_sub(na, one, a);
	mpq_sub(nb, one, b);
	mpq_set_ui(up, 1, 1);
	mpq_set_ui(down, 1, 1);
	if (mpq_cmp(a, b) >= 0) {
		raise_to(up, a, b, unbounded);
		raise_to(down, nb, na, unbounded);
	} else {
		raise_to(up, b, a, unbounded);
		raise_to(down, na, nb, unbounded);
	}
	mpq_clears(one, na, nb, NULL);
}

static void power(mpq_t x, unsigned long n)
{
	mpz_pow_ui(mpq_numref(x), mpq_numref(x), n);
	mpz_pow_ui(mpq_denref(x), mpq_denref(x), n);
}

/* One bit, reported by a value and by another: the worse direction. */
static void odds_of_bit(struct sotto_client_chance one, struct sotto_client_chance zero,
			mpq_t out, bool *unbounded)
{
	mpq_t a, b, up, down;

	mpq_inits(a, b, up, down, NULL);
	sotto_chance_get(one, a);
	sotto_chance_get(zero, b);
	bit_ratios(a, b, up, down, unbounded);
	mpq_set(out, mpq_cmp(up, down) > 0 ? up : down);
	mpq_clears(a, b, up, down, NULL);
}

/* Two bits that differ in opposite directions, as in a one-hot vector. */
static void
odds_of_swap(const mpq_t one, const mpq_t zero, unsigned long times, mpq_t out, bool *unbounded)
{
	mpq_t up, down;

	mpq_inits(up, down, NULL);
	bit_ratios(one, zero, up, down, unbounded);
	mpq_mul(out, up, down);
	power(out, times);
	mpq_clears(up, down, NULL);
}

/* (1 - flip) / flip or its inverse, whichever is greater, to the power */
static void odds_of_flip(struct sotto_client_chance flip, struct sotto_client_chance again,
			 unsigned long times, mpq_t out, bool *unbounded)
{
	mpq_t f, g, one;

	mpq_inits(f, g, one, NULL);
	sotto_chance_get(flip, f);
	sotto_chance_get(again, g);
	mpq_set_ui(one, 1, 1);
	mpq_set(out, f); /* f + g - 2 f g */
	mpq_mul(f, f, g);
	mpq_mul_2exp(f, f, 1);
	mpq_add(out, out, g);
	mpq_sub(f, out, f);
	mpq_sub(g, one, f);
	mpq_set_ui(out, 1, 1);
	raise_to(out, g, f, unbounded);
	raise_to(out, f, g, unbounded);
	power(out, times);
	mpq_clears(f, g, one, NULL);
}

/* keep shared by `in` outputs against 1 - keep shared by `rest` outputs */
static void odds_of_keep(struct sotto_client_chance chance, uint64_t in, uint64_t rest,
			 mpq_t out, bool *unbounded)
{
	mpq_t keep, other, size;

	mpq_inits(keep, other, size, NULL);
	sotto_chance_get(chance, keep);
	mpq_set_ui(other, 1, 1);
	mpq_sub(other, other, keep);
	mpq_set_ui(size, rest, 1);
	mpq_mul(keep, keep, size);
	mpq_set_ui(size, in, 1);
	mpq_mul(other, other, size);
	mpq_set_ui(out, 1, 1);
	raise_to(out, keep, other, unbounded);
	raise_to(out, other, keep, unbounded);
	mpq_clears(keep, other, size, NULL);
}

/* P(bit of the report = 1) given the Bloom bit: out[0] = p*, out[1] = q* */
static void rappor_rates(const struct sotto_client_params *p, mpq_t out[2])
{
	mpq_t flip, zero, one, part;

	mpq_inits(flip, zero, one, part, NULL);
	sotto_chance_get(p->flip, flip);
	sotto_chance_get(p->zero, zero);
	sotto_chance_get(p->one, one);
	mpq_sub(part, one, zero);
	mpq_mul(part, part, flip);
	mpq_add(out[0], zero, part);
	mpq_sub(out[1], one, part);
	mpq_clears(flip, zero, one, part, NULL);
}

static void report_odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	const struct sotto_client_chance never = {0, false};
	mpq_t rate[2];

	mpq_inits(rate[0], rate[1], NULL);
	switch (p->protocol) {
	case SOTTO_CLIENT_RR:
		odds_of_bit(p->one, p->zero, out, unbounded);
		break;
	case SOTTO_CLIENT_GRR:
		odds_of_keep(p->keep, 1, p->size - 1, out, unbounded);
		break;
	case SOTTO_CLIENT_SUE:
	case SOTTO_CLIENT_OUE:
		sotto_chance_get(p->one, rate[1]);
		sotto_chance_get(p->zero, rate[0]);
		odds_of_swap(rate[1], rate[0], 1, out, unbounded);
		break;
	case SOTTO_CLIENT_OLH:
	case SOTTO_CLIENT_FLH:
	case SOTTO_CLIENT_PEM:
		odds_of_keep(p->keep, 1, p->hashes - 1, out, unbounded);
		break;
	case SOTTO_CLIENT_HR:
		odds_of_keep(p->keep, 1, 2 * (uint64_t)p->groups - 1, out, unbounded);
		break;
	case SOTTO_CLIENT_SUBSET:
		odds_of_keep(p->keep, p->hashes, p->size - p->hashes, out, unbounded);
		break;
	case SOTTO_CLIENT_RAPPOR:
		rappor_rates(p, rate);
		odds_of_swap(rate[1], rate[0], p->hashes, out, unbounded);
		break;
	case SOTTO_CLIENT_CMS:
		odds_of_flip(p->flip, never, 2, out, unbounded);
		break;
	case SOTTO_CLIENT_DBITFLIP:
		odds_of_flip(p->flip, p->flip2, p->hashes > 1 ? 2 : 1, out, unbounded);
		break;
	case SOTTO_CLIENT_ONE_BIT_MEAN:
		odds_of_flip(p->flip, p->flip2, 1, out, unbounded);
		break;
	case SOTTO_CLIENT_HCMS:
		odds_of_flip(p->flip, never, 1, out, unbounded);
		break;
	default: /* SFP, TREEHIST: two reports in one */
		odds_of_flip(p->flip, never, p->protocol == SOTTO_CLIENT_SFP ? 2 : 1, rate[0],
			     unbounded);
		odds_of_flip(p->flip2, never, p->protocol == SOTTO_CLIENT_SFP ? 2 : 1, out,
			     unbounded);
		mpq_mul(out, out, rate[0]);
		break;
	}
	mpq_clears(rate[0], rate[1], NULL);
}

/* A permanent bit that is 1 with probability a, sent T times with rates q and p. */
struct chain {
	mpfr_t a, q, p;
	unsigned long reports;
};

/*
 * ln of P(ones of T reports are 1 | bit a) over the same for bit 1 - a.  The
 * likelihood ratio is monotone in the number of ones, so its extremes are at
 * all ones and at none.
 */
static void chain_extreme(const struct chain *c, bool ones, mpfr_t out)
{
	mpfr_t q, p, top, bottom;

	mpfr_inits2(320, q, p, top, bottom, NULL);
	if (ones) {
		mpfr_set(q, c->q, MPFR_RNDN);
		mpfr_set(p, c->p, MPFR_RNDN);
	} else {
		mpfr_ui_sub(q, 1, c->q, MPFR_RNDN);
		mpfr_ui_sub(p, 1, c->p, MPFR_RNDN);
	}
	mpfr_pow_ui(q, q, c->reports, MPFR_RNDN);
	mpfr_pow_ui(p, p, c->reports, MPFR_RNDN);
	mpfr_sub(q, q, p, MPFR_RNDN);
	mpfr_fma(top, c->a, q, p, MPFR_RNDN);
	mpfr_ui_sub(bottom, 1, c->a, MPFR_RNDN);
	mpfr_fma(bottom, bottom, q, p, MPFR_RNDN);
	mpfr_div(out, top, bottom, MPFR_RNDN);
	mpfr_log(out, out, MPFR_RNDN);
	mpfr_abs(out, out, MPFR_RNDN);
	mpfr_clears(q, p, top, bottom, NULL);
}

/* 320 bits carry 10^6 reports with an error far below the last bit of a double. */
static double chain_epsilon(const struct sotto_client_params *p, uint64_t reports)
{
	bool rappor = p->protocol == SOTTO_CLIENT_RAPPOR;
	struct chain c = {.reports = reports};
	mpq_t rate;
	mpfr_t up, down;
	double eps;

	mpq_init(rate);
	mpfr_inits2(320, c.a, c.q, c.p, up, down, NULL);
	sotto_chance_get(p->flip, rate);
	mpfr_set_q(c.a, rate, MPFR_RNDN);
	sotto_chance_get(rappor ? p->zero : p->flip2, rate);
	mpfr_set_q(c.p, rate, MPFR_RNDN);
	if (rappor) {
		sotto_chance_get(p->one, rate);
		mpfr_set_q(c.q, rate, MPFR_RNDN);
	} else {
		mpfr_ui_sub(c.q, 1, c.p, MPFR_RNDN);
	}
	chain_extreme(&c, true, up);
	chain_extreme(&c, false, down);
	if (rappor || (p->protocol == SOTTO_CLIENT_DBITFLIP && p->hashes > 1))
		mpfr_add(up, up, down, MPFR_RNDU);
	mpfr_mul_ui(up, up, rappor ? p->hashes : 1, MPFR_RNDU);
	eps = nextafter(mpfr_get_d(up, MPFR_RNDU), INFINITY);
	mpfr_clears(c.a, c.q, c.p, up, down, NULL);
	mpq_clear(rate);
	return eps;
}

/* One value, any number of reports: what the permanent step alone gives away. */
static double permanent_epsilon(const struct sotto_client_params *p, double report)
{
	const struct sotto_client_chance never = {0, false};
	bool unbounded = false;
	double eps;
	mpq_t odds;

	if (p->protocol != SOTTO_CLIENT_RAPPOR && !p->memoize)
		return INFINITY;
	if (p->protocol != SOTTO_CLIENT_RAPPOR && p->flip2.numerator == 0)
		return report;
	if (p->protocol == SOTTO_CLIENT_SFP || p->protocol == SOTTO_CLIENT_TREEHIST)
		return report;
	mpq_init(odds);
	odds_of_flip(p->flip, never,
		     p->protocol == SOTTO_CLIENT_RAPPOR                      ? 2 * p->hashes
		     : p->protocol == SOTTO_CLIENT_DBITFLIP && p->hashes > 1 ? 2
									     : 1,
		     odds, &unbounded);
	eps = unbounded ? INFINITY : sotto_local_log_up(odds);
	mpq_clear(odds);
	return eps;
}

/* Distinct memoized answers that a device can ever give, or 0 for no bound. */
static uint64_t answers_ever(const struct sotto_client_params *p)
{
	switch (p->protocol) {
	case SOTTO_CLIENT_ONE_BIT_MEAN:
		return p->grain ? p->size / p->grain + 1 : (uint64_t)p->size + 1;
	case SOTTO_CLIENT_DBITFLIP:
		return p->hashes < p->size ? p->hashes + 1 : p->size;
	default:
		return p->size; /* 0 where values are strings */
	}
}

static bool has_chain(const struct sotto_client_params *p)
{
	if (p->protocol == SOTTO_CLIENT_RAPPOR)
		return p->flip.numerator > 0;
	return p->memoize && p->flip2.numerator > 0 &&
	       (p->protocol == SOTTO_CLIENT_ONE_BIT_MEAN ||
		p->protocol == SOTTO_CLIENT_DBITFLIP);
}

enum sotto_status sotto_local_privacy_state(const struct sotto_client_params *params,
					    uint64_t reports, struct sotto_local_privacy *out)
{
	if (!params || !out)
		return SOTTO_EINVAL;

	bool unbounded = false, strings = params->size == 0 ||
					  params->protocol == SOTTO_CLIENT_SFP ||
					  params->protocol == SOTTO_CLIENT_PEM ||
					  params->protocol == SOTTO_CLIENT_TREEHIST;

	if (reports == 0 || reports > 1000000)
		return SOTTO_ERANGE;
	if (sotto_client_params_check(params) != SOTTO_OK)
		return SOTTO_EINVAL;
	report_odds(params, out->odds.q, &unbounded);
	out->report = unbounded ? INFINITY : sotto_local_log_up(out->odds.q);
	out->permanent = permanent_epsilon(params, out->report);
	if (has_chain(params))
		out->after = unbounded ? INFINITY : chain_epsilon(params, reports);
	else
		out->after = fmin(out->permanent, out->report * (double)reports);
	out->after = fmin(out->after, out->permanent);
	out->lifetime = strings ? INFINITY : out->permanent * (double)answers_ever(params);
	return SOTTO_OK;
}
