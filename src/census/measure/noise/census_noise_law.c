/*
 * A law as a table of 64-bit prefixes of its distribution function, and the exact
 * comparison that goes on where a prefix does not decide (noise.md).
 */
#include "census/measure/noise/census_noise_law.h"

#include <gmp.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "core/base/failure.h"
#include "core/random/generator/random_source.h"

enum { REACH_MAX = 1 << 12, SWEEP_BITS = 320 };

/* ---- P[X <= k], to within 2^-bits ------------------------------------------------------------- */

/* exp(-k^2/(2s)) or a^|k|, at the precision of out, to a relative 2^-(bits-8) */
static void weight(const struct sotto_noise_law *law, int64_t k, mpfr_t out)
{
	mpfr_set_si(out, k, MPFR_RNDN);
	if (law->gaussian) {
		mpfr_sqr(out, out, MPFR_RNDN);
		mpfr_div_q(out, out, law->scale.q, MPFR_RNDN);
		mpfr_div_2ui(out, out, 1, MPFR_RNDN);
	} else {
		mpfr_abs(out, out, MPFR_RNDN);
		mpfr_div_q(out, out, law->scale.q, MPFR_RNDN);
	}
	mpfr_neg(out, out, MPFR_RNDN);
	mpfr_exp(out, out, MPFR_RNDN);
}

/* The sum of the weights from m >= 1 on, until what is left is below 2^-bits of the total. */
static void tail(const struct sotto_noise_law *law, int64_t m, mpfr_prec_t bits, mpfr_t out)
{
	mpfr_t w;

	mpfr_init2(w, mpfr_get_prec(out));
	mpfr_set_zero(out, 1);
	if (law->gaussian) {
		do {
			weight(law, m++, w);
			mpfr_add(out, out, w, MPFR_RNDN);
		} while (mpfr_get_exp(w) > -(mpfr_exp_t)bits - 8);
	} else { /* a^m/(1-a) */
		weight(law, 1, w);
		mpfr_ui_sub(w, 1, w, MPFR_RNDN);
		weight(law, m, out);
		mpfr_div(out, out, w, MPFR_RNDN);
	}
	mpfr_clear(w);
}

/* 2^bits P[X <= k], rounded down, from a computation with an error below 2^-guard of it. */
static void scaled_cdf(const struct sotto_noise_law *law, int64_t k, mpfr_prec_t bits,
		       mpfr_prec_t precision, mpfr_t out)
{
	mpfr_t total;

	mpfr_init2(total, precision);
	mpfr_set_prec(out, precision);
	tail(law, 1, precision, total);
	mpfr_mul_2ui(total, total, 1, MPFR_RNDN);
	mpfr_add_ui(total, total, 1, MPFR_RNDN);
	tail(law, k < 0 ? -k : k + 1, precision, out);
	mpfr_div(out, out, total, MPFR_RNDN);
	if (k >= 0)
		mpfr_ui_sub(out, 1, out, MPFR_RNDN);
	mpfr_mul_2ui(out, out, (unsigned long)bits, MPFR_RNDN);
	mpfr_clear(total);
}

/*
 * floor(2^bits P[X <= k]).  The value is computed with 128 bits to spare and then with more,
 * until the error cannot reach the next whole number.
 */
static void
cdf_prefix(const struct sotto_noise_law *law, int64_t k, mpfr_prec_t bits, mpz_t out)
{
	mpfr_t x, error;
	mpz_t other;

	mpfr_init2(x, 64);
	mpfr_init2(error, 64);
	mpz_init(other);
	for (mpfr_prec_t spare = 128;; spare *= 2) {
		mpfr_prec_t precision = bits + 2 * spare;

		scaled_cdf(law, k, bits, precision, x);
		mpfr_set_ui_2exp(error, 1, -(mpfr_exp_t)spare, MPFR_RNDU);
		mpfr_add(x, x, error, MPFR_RNDU);
		mpfr_get_z(other, x, MPFR_RNDD);
		mpfr_sub(x, x, error, MPFR_RNDD);
		mpfr_sub(x, x, error, MPFR_RNDD);
		mpfr_get_z(out, x, MPFR_RNDD);
		/* A probability lies strictly between 0 and 1, however near. */
		if (mpz_sgn(out) < 0)
			mpz_set_ui(out, 0);
		if (mpz_sizeinbase(other, 2) > (size_t)bits)
			mpz_sub_ui(other, other, 1);
		if (mpz_cmp(out, other) == 0)
			break;
	}
	mpz_clear(other);
	mpfr_clear(x);
	mpfr_clear(error);
}

/* ---- the rare path ---------------------------------------------------------------------------- */

/* The uniform number so far: its first `bits` binary digits. */
struct digits {
	mpz_t value;
	mpfr_prec_t bits;
	struct sotto_rng *more;
};

static enum sotto_status extend(struct digits *u)
{
	uint64_t word = 0;

	SOTTO_TRY(sotto_source_ready(u->more));
	SOTTO_TRY(sotto_source_word(u->more, &word));
	mpz_mul_2exp(u->value, u->value, 64);
	mpz_add_ui(u->value, u->value, word);
	u->bits += 64;
	return SOTTO_OK;
}

/* Is u < P[X <= k]?  Draws digits until the prefixes differ. */
static enum sotto_status
is_below(const struct sotto_noise_law *law, struct digits *u, int64_t k, bool *below)
{
	enum sotto_status st = SOTTO_OK;
	int order = 0;
	mpz_t prefix;

	mpz_init(prefix);
	for (;;) {
		cdf_prefix(law, k, u->bits, prefix);
		order = mpz_cmp(u->value, prefix);
		if (order != 0)
			break;
		st = extend(u);
		if (st != SOTTO_OK)
			break;
	}
	*below = order < 0;
	mpz_clear(prefix);
	return st;
}

/* The k with P[X <= k-1] <= u < P[X <= k], from a first guess. */
static enum sotto_status settle(const struct sotto_noise_law *law, uint64_t word, int64_t k,
				struct sotto_rng *more, int64_t *out)
{
	struct digits u = {.bits = 64, .more = more};
	bool below = false;
	enum sotto_status st;

	mpz_init_set_ui(u.value, word);
	st = is_below(law, &u, k, &below);
	while (st == SOTTO_OK && !below)
		st = is_below(law, &u, ++k, &below);
	while (st == SOTTO_OK && below) {
		st = is_below(law, &u, k - 1, &below);
		if (st == SOTTO_OK && below)
			k--;
	}
	mpz_clear(u.value);
	if (st == SOTTO_OK)
		*out = k;
	return st;
}

enum sotto_status sotto_noise_from_word(const struct sotto_noise_law *law, uint64_t word,
					struct sotto_rng *more, int64_t *out)
{
	size_t i;

	if (!law->cdf)
		return law->gaussian ? sotto_dgauss_draw(law->dgauss, more, out)
				     : sotto_dlaplace_draw(law->dlaplace, more, out);
	i = law->guide[word >> (64 - SOTTO_NOISE_GUIDE_BITS)];
	while (i < law->size && law->cdf[i] < word)
		i++;
	if (i < law->size && law->cdf[i] != word && i > 0) {
		*out = (int64_t)i - law->reach;
		return SOTTO_OK;
	}
	return settle(law, word, (int64_t)i - law->reach, more, out);
}

/* ---- building ---------------------------------------------------------------------------------- */

/* From here on the law has less than 2^-64 on either side. */
static double reach_of(const struct sotto_noise_law *law)
{
	double scale = mpq_get_d(law->scale.q);

	return law->gaussian ? ceil(sqrt(2 * scale * 46)) + 2 : ceil(scale * 46) + 2;
}

/* weights[k], k = 0 .. reach, each from the one before by one or two multiplications. */
static mpfr_t *sweep_weights(const struct sotto_noise_law *law)
{
	mpfr_t *weights = malloc((size_t)(law->reach + 1) * sizeof *weights), ratio, bend;

	if (!weights)
		return NULL;
	mpfr_inits2(SWEEP_BITS, ratio, bend, (mpfr_ptr)0);
	weight(law, 1, ratio);
	mpfr_sqr(bend, ratio, MPFR_RNDN);
	for (int64_t k = 0; k <= law->reach; k++) {
		mpfr_init2(weights[k], SWEEP_BITS);
		if (k == 0) {
			mpfr_set_ui(weights[0], 1, MPFR_RNDN);
			continue;
		}
		mpfr_mul(weights[k], weights[k - 1], ratio, MPFR_RNDN);
		if (law->gaussian)
			mpfr_mul(ratio, ratio, bend, MPFR_RNDN);
	}
	mpfr_clears(ratio, bend, (mpfr_ptr)0);
	return weights;
}

/* 2^64 times the sum so far, rounded down; looked at more closely where that is not safe. */
static uint64_t
prefix_of(const struct sotto_noise_law *law, int64_t k, const mpfr_t sum, const mpfr_t total)
{
	uint64_t out;
	mpfr_t x;
	mpz_t prefix;

	mpfr_init2(x, SWEEP_BITS);
	mpz_init(prefix);
	mpfr_div(x, sum, total, MPFR_RNDN);
	mpfr_mul_2ui(x, x, 64, MPFR_RNDN);
	mpfr_get_z(prefix, x, MPFR_RNDD);
	mpfr_sub_z(x, x, prefix, MPFR_RNDN);
	if (mpfr_cmp_d(x, 0x1p-128) < 0 || mpfr_cmp_d(x, 1 - 0x1p-50) > 0)
		cdf_prefix(law, k, 64, prefix);
	out = mpz_get_ui(prefix);
	mpz_clear(prefix);
	mpfr_clear(x);
	return out;
}

/* All prefixes in one sweep from the far left. */
static enum sotto_status build_table(struct sotto_noise_law *law)
{
	mpfr_t total, sum, *weights = sweep_weights(law);

	law->size = (size_t)(2 * law->reach + 1);
	law->cdf = malloc(law->size * sizeof *law->cdf);
	if (!weights || !law->cdf) {
		free(weights);
		return SOTTO_ENOMEM;
	}
	mpfr_inits2(SWEEP_BITS, total, sum, (mpfr_ptr)0);
	tail(law, 1, SWEEP_BITS, total);
	mpfr_mul_2ui(total, total, 1, MPFR_RNDN);
	mpfr_add_ui(total, total, 1, MPFR_RNDN);
	tail(law, law->reach + 1, SWEEP_BITS, sum);
	for (size_t i = 0; i < law->size; i++) {
		int64_t k = (int64_t)i - law->reach;

		mpfr_add(sum, sum, weights[k < 0 ? -k : k], MPFR_RNDN);
		law->cdf[i] = prefix_of(law, k, sum, total);
	}
	for (int64_t k = 0; k <= law->reach; k++)
		mpfr_clear(weights[k]);
	free(weights);
	mpfr_clears(total, sum, (mpfr_ptr)0);
	return SOTTO_OK;
}

static void build_guide(struct sotto_noise_law *law)
{
	size_t i = 0;

	for (uint64_t top = 0; top <= 1u << SOTTO_NOISE_GUIDE_BITS; top++) {
		uint64_t word = top << (64 - SOTTO_NOISE_GUIDE_BITS);

		while (top < 1u << SOTTO_NOISE_GUIDE_BITS && i < law->size &&
		       law->cdf[i] < word)
			i++;
		law->guide[top] = (uint16_t)i;
	}
}

static enum sotto_status set_law(struct sotto_noise_law *law)
{
	double reach = reach_of(law);
	struct sotto_rational rate;
	enum sotto_status st;

	if (reach <= REACH_MAX) {
		law->reach = (int64_t)reach;
		SOTTO_TRY(build_table(law));
		build_guide(law);
		return SOTTO_OK;
	}
	if (law->gaussian)
		return sotto_dgauss_new(&law->scale, &law->dgauss);
	sotto_rational_init(&rate);
	mpq_inv(rate.q, law->scale.q);
	st = sotto_dlaplace_new(&rate, &law->dlaplace);
	sotto_rational_release(&rate);
	return st;
}

enum sotto_status sotto_noise_law_new(bool gaussian, const struct sotto_rational *scale,
				      struct sotto_noise_law **out)
{
	struct sotto_noise_law *law = calloc(1, sizeof *law);
	enum sotto_status st;

	if (!law)
		return SOTTO_ENOMEM;
	law->gaussian = gaussian;
	sotto_rational_init(&law->scale);
	sotto_rational_set(&law->scale, scale);
	st = set_law(law);
	if (st == SOTTO_OK)
		*out = law;
	else
		sotto_noise_law_free(law);
	return st;
}

void sotto_noise_law_free(struct sotto_noise_law *law)
{
	if (!law)
		return;
	free(law->cdf);
	sotto_dgauss_free(law->dgauss);
	sotto_dlaplace_free(law->dlaplace);
	sotto_rational_release(&law->scale);
	free(law);
}
