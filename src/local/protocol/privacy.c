/*
 * What a collection costs a device: one report, many of one value, and a lifetime.  The
 * record of a protocol gives the exact odds of one report; everything is a rational until
 * the logarithm at the end.
 */
#include "sotto/local.h"

#include <math.h>
#include <mpfr.h>

#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/chance/threshold.h"

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
static double chain_epsilon(struct sotto_client_chance flip, const struct sotto_permanent *s,
			    uint64_t reports)
{
	struct chain c = {.reports = reports};
	mpq_t rate;
	mpfr_t up, down;
	double eps;

	mpq_init(rate);
	mpfr_inits2(320, c.a, c.q, c.p, up, down, NULL);
	sotto_chance_get(flip, rate);
	mpfr_set_q(c.a, rate, MPFR_RNDN);
	sotto_chance_get(s->zero, rate);
	mpfr_set_q(c.p, rate, MPFR_RNDN);
	sotto_chance_get(s->one, rate);
	mpfr_set_q(c.q, rate, MPFR_RNDN);
	chain_extreme(&c, true, up);
	chain_extreme(&c, false, down);
	if (s->both_ways)
		mpfr_add(up, up, down, MPFR_RNDU);
	mpfr_mul_ui(up, up, s->times, MPFR_RNDU);
	eps = nextafter(mpfr_get_d(up, MPFR_RNDU), INFINITY);
	mpfr_clears(c.a, c.q, c.p, up, down, NULL);
	mpq_clear(rate);
	return eps;
}

/* One value, any number of reports: what the permanent step alone gives away. */
static double
permanent_epsilon(struct sotto_client_chance flip, const struct sotto_permanent *s)
{
	const struct sotto_client_chance never = {0, false};
	bool unbounded = false;
	double eps;
	mpq_t odds;

	mpq_init(odds);
	sotto_odds_of_flip(flip, never, s->flips, odds, &unbounded);
	eps = unbounded ? INFINITY : sotto_local_log_up(odds);
	mpq_clear(odds);
	return eps;
}

/* Distinct memoized answers that a device can ever give; infinite for strings. */
static double
answers_ever(const struct sotto_client_params *p, const struct sotto_protocol *record)
{
	if (!sotto_client_takes_number(p))
		return INFINITY;
	return record->answers ? (double)record->answers(p) : p->size;
}

enum sotto_status sotto_local_privacy_state(const struct sotto_client_params *params,
					    uint64_t reports, struct sotto_local_privacy *out)
{
	if (!params || !out)
		return SOTTO_EINVAL;

	const struct sotto_protocol *record = sotto_protocol_of(params->protocol);
	struct sotto_permanent step;
	bool unbounded = false, has_step;

	if (reports == 0 || reports > 1000000)
		return SOTTO_ERANGE;
	if (sotto_client_params_check(params) != SOTTO_OK)
		return SOTTO_EINVAL;
	has_step = record->permanent && record->permanent(params, &step);
	record->odds(params, out->odds.q, &unbounded);
	out->report = unbounded ? INFINITY : sotto_local_log_up(out->odds.q);
	if (has_step)
		out->permanent = permanent_epsilon(params->flip, &step);
	else
		out->permanent = params->memoize ? out->report : INFINITY;
	if (has_step && params->flip.numerator > 0 && !unbounded)
		out->after = chain_epsilon(params->flip, &step, reports);
	else
		out->after = out->report * (double)reports;
	out->after = fmin(out->after, out->permanent);
	out->lifetime = out->permanent * answers_ever(params, record);
	return SOTTO_OK;
}
