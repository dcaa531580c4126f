/*
 * Powers are fractions where a root is exact; otherwise MPFR encloses them, with more and more
 * bits until a comparison is decided, and rounds alpha to the side asked for.
 */
#include "channel/matrix/channel_eps.h"

#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "sotto/rational.h"

/* With the limit on distances (channel_graph.h), powers stay below 20 million bits. */
enum { EPSILON_MAX = 10000, LOG_BITS_MAX = 2000 };

/* Epsilon 0, which eps_release frees. */
static void eps_init(struct sotto_eps *e)
{
	e->is_log = false;
	mpq_init(e->value);
}

static void eps_release(struct sotto_eps *e)
{
	mpq_clear(e->value);
}

/* ---- reading ------------------------------------------------------------------- */

static enum sotto_status parse_fraction(mpq_t out, const char *text, size_t length)
{
	struct sotto_rational r;
	char copy[200];
	enum sotto_status st;

	if (length == 0 || length >= sizeof copy)
		return SOTTO_EPARSE;
	memcpy(copy, text, length);
	copy[length] = '\0';
	sotto_rational_init(&r);
	st = sotto_rational_parse(&r, copy, NULL);
	if (st == SOTTO_OK)
		mpq_set(out, r.q);
	sotto_rational_release(&r);
	return st;
}

/* What stands behind "ln": 2, 3/2 or (3/2). */
static enum sotto_status parse_log(mpq_t out, const char *text)
{
	size_t n = strlen(text);

	if (n >= 2 && text[0] == '(' && text[n - 1] == ')')
		return parse_fraction(out, text + 1, n - 2);
	return parse_fraction(out, text, n);
}

static enum sotto_status parse_value(const char *text, bool *is_log, mpq_t out)
{
	*is_log = true;
	if (strncmp(text, "ln", 2) == 0)
		return parse_log(out, text + 2);
	if (strncmp(text, "alpha=", 6) == 0) {
		SOTTO_TRY(parse_fraction(out, text + 6, strlen(text + 6)));
		if (mpq_sgn(out) <= 0)
			return SOTTO_EPARSE;
		mpq_inv(out, out);
		return SOTTO_OK;
	}
	*is_log = false;
	return parse_fraction(out, text, strlen(text));
}

static bool in_range(bool is_log, const mpq_t value)
{
	if (!is_log)
		return mpq_sgn(value) >= 0 && mpq_cmp_ui(value, EPSILON_MAX, 1) <= 0;
	return mpq_cmp_ui(value, 1, 1) >= 0 &&
	       mpz_sizeinbase(mpq_numref(value), 2) <= LOG_BITS_MAX;
}

/*
 * Reads an epsilon.  Fails: SOTTO_EPARSE, SOTTO_ERANGE if it is negative or above 10000; err says
 * why.
 */
static enum sotto_status
parse_into(struct sotto_eps *e, const char *text, struct sotto_error *err)
{
	bool is_log;
	enum sotto_status st;
	mpq_t value;

	mpq_init(value);
	st = parse_value(text, &is_log, value);
	if (st != SOTTO_OK)
		st = sotto_fail(err, SOTTO_EPARSE,
				"'%.60s' is not an epsilon; write a decimal such as 0.5, ln2, "
				"ln(3/2) or "
				"alpha=1/2",
				text);
	else if (!in_range(is_log, value))
		st = sotto_fail(
			err, SOTTO_ERANGE,
			"epsilon must be between 0 and %d, so alpha between 0 and 1; '%.60s' "
			"is not",
			EPSILON_MAX, text);
	if (st == SOTTO_OK) {
		e->is_log = is_log;
		mpq_set(e->value, value);
	}
	mpq_clear(value);
	return st;
}

/* ---- powers -------------------------------------------------------------------- */

static void whole_power(mpq_t out, const mpq_t base, unsigned long n)
{
	mpz_pow_ui(mpq_numref(out), mpq_numref(base), n);
	mpz_pow_ui(mpq_denref(out), mpq_denref(base), n);
}

/* base^times where that is a fraction: times = p/q and base is a perfect q-th power. */
static bool rational_power(mpq_t out, const mpq_t base, const mpq_t times)
{
	unsigned long root;
	bool exact;
	mpq_t power;

	if (mpq_cmp_ui(base, 1, 1) == 0 || mpq_sgn(times) == 0) {
		mpq_set_ui(out, 1, 1);
		return true;
	}
	root = mpz_get_ui(mpq_denref(times));
	mpq_init(power);
	exact = mpz_root(mpq_numref(power), mpq_numref(base), root) &&
		mpz_root(mpq_denref(power), mpq_denref(base), root);
	if (exact)
		whole_power(out, power, mpz_get_ui(mpq_numref(times)));
	mpq_clear(power);
	return exact;
}

/* epsilon times, rounded to the side */
static void exponent(mpfr_t out, const struct sotto_eps *e, const mpq_t times, mpfr_rnd_t side)
{
	if (e->is_log) {
		mpfr_set_q(out, e->value, side);
		mpfr_log(out, out, side);
	} else {
		mpfr_set_q(out, e->value, side);
	}
	mpfr_mul_q(out, out, times, side);
}

int sotto_eps_compare(const struct sotto_eps *e, const mpq_t times, const mpq_t ratio)
{
	mpq_t power;
	int sign = 0;

	mpq_init(power);
	if ((e->is_log && rational_power(power, e->value, times)) ||
	    (!e->is_log && (mpq_sgn(e->value) == 0 || mpq_sgn(times) == 0))) {
		if (!e->is_log)
			mpq_set_ui(power, 1, 1);
		sign = mpq_cmp(ratio, power);
		mpq_clear(power);
		return sign;
	}
	mpq_clear(power);
	for (mpfr_prec_t bits = 128; sign == 0; bits *= 2) {
		mpfr_t low, high;

		mpfr_inits2(bits, low, high, (mpfr_ptr)0);
		exponent(low, e, times, MPFR_RNDD);
		exponent(high, e, times, MPFR_RNDU);
		mpfr_exp(low, low, MPFR_RNDD);
		mpfr_exp(high, high, MPFR_RNDU);
		if (mpfr_cmp_q(high, ratio) < 0)
			sign = 1;
		else if (mpfr_cmp_q(low, ratio) > 0)
			sign = -1;
		mpfr_clears(low, high, (mpfr_ptr)0);
	}
	return sign;
}

/* A small epsilon has an alpha near 1, whose distance from 1 is to keep its digits. */
static unsigned digits_near_one(const mpfr_t exponent)
{
	enum { MOST = 4096 };
	long digits = mpfr_regular_p(exponent) ? -mpfr_get_exp(exponent) : MOST;

	return digits < 0 ? 0 : digits > MOST ? MOST : (unsigned)digits;
}

static bool alpha_on_side(const struct sotto_eps *e, const mpq_t times, unsigned bits,
			  mpq_t alpha, mpfr_rnd_t side)
{
	mpfr_t x;
	mpz_t mantissa;

	if (e->is_log && rational_power(alpha, e->value, times)) {
		mpq_inv(alpha, alpha);
		return true;
	}
	if (!e->is_log && (mpq_sgn(e->value) == 0 || mpq_sgn(times) == 0)) {
		mpq_set_ui(alpha, 1, 1);
		return true;
	}
	mpfr_init2(x, 64);
	exponent(x, e, times, MPFR_RNDD);
	bits += digits_near_one(x);
	mpfr_set_prec(x, bits + 64);
	exponent(x, e, times, side == MPFR_RNDU ? MPFR_RNDD : MPFR_RNDU);
	mpfr_neg(x, x, MPFR_RNDN);
	mpfr_exp(x, x, side);
	if (mpfr_get_exp(x) < 0) /* so many digits of a small number, too */
		bits += (unsigned)-mpfr_get_exp(x);
	mpfr_mul_2ui(x, x, bits, side);
	mpz_init(mantissa);
	mpfr_get_z(mantissa, x, side);
	mpq_set_z(alpha, mantissa);
	mpq_div_2exp(alpha, alpha, bits);
	mpz_clear(mantissa);
	mpfr_clear(x);
	return false;
}

bool sotto_eps_alpha_up(const struct sotto_eps *e, const mpq_t times, unsigned bits,
			mpq_t alpha)
{
	return alpha_on_side(e, times, bits, alpha, MPFR_RNDU);
}

bool sotto_eps_alpha_down(const struct sotto_eps *e, const mpq_t times, unsigned bits,
			  mpq_t alpha)
{
	return alpha_on_side(e, times, bits, alpha, MPFR_RNDD);
}

double sotto_eps_double(const struct sotto_eps *e)
{
	mpfr_t x;
	mpq_t one;
	double d;

	if (!e)
		return 0;
	mpfr_init2(x, 128);
	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	exponent(x, e, one, MPFR_RNDN);
	d = mpfr_get_d(x, MPFR_RNDN);
	mpq_clear(one);
	mpfr_clear(x);
	return d;
}

enum sotto_status
sotto_eps_new(const char *text, struct sotto_eps **out, struct sotto_error *err)
{
	struct sotto_eps *e;
	enum sotto_status st;

	if (!text || !out)
		return SOTTO_EINVAL;
	e = malloc(sizeof *e);
	if (!e)
		return SOTTO_ENOMEM;
	eps_init(e);
	st = parse_into(e, text, err);
	if (st == SOTTO_OK)
		*out = e;
	else
		sotto_eps_free(e);
	return st;
}

void sotto_eps_free(struct sotto_eps *e)
{
	if (!e)
		return;
	eps_release(e);
	free(e);
}

bool sotto_eps_alpha(const struct sotto_eps *e, struct sotto_rational *out)
{
	mpq_t one, alpha;
	bool exact;

	if (!e || !out)
		return false;
	mpq_inits(one, alpha, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	exact = sotto_eps_alpha_up(e, one, 64, alpha);
	if (exact)
		mpq_set(out->q, alpha);
	mpq_clears(one, alpha, (mpq_ptr)0);
	return exact;
}

bool sotto_eps_is_zero(const struct sotto_eps *e)
{
	return e->is_log ? mpq_cmp_ui(e->value, 1, 1) == 0 : mpq_sgn(e->value) == 0;
}
