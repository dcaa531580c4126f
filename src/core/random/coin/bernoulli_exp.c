/*
 * The coin of exp(-x): comparing one word with certified bounds decides it, except with
 * probability 2^-63; argument in bernoulli_exp.md.
 */
#include "core/random/coin/bernoulli_exp.h"

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/number/exp/exp_enclosure.h"
#include "core/number/exp/expansion.h"
#include "core/number/exp/fixed_point.h"
#include "core/number/rational/rational_value.h"
#include "core/random/coin/bernoulli.h"
#include "core/random/generator/random_source.h"

/* -1, 0 or 1 as the digits of u lie below, at or above those of p. */
static int compare_digits(const struct sotto_scaled_exp *p, const mpz_t digits, unsigned bits)
{
	int order;
	mpz_t limit;

	mpz_init(limit);
	sotto_expansion_scaled_floor(p->x, p->num, p->den, bits, limit);
	order = mpz_cmp(digits, limit);
	mpz_clear(limit);
	return order;
}

static enum sotto_status append_word(struct sotto_rng *rng, mpz_t digits)
{
	uint64_t word;

	SOTTO_TRY(sotto_source_word(rng, &word));
	mpz_mul_2exp(digits, digits, 64);
	mpz_add_ui(digits, digits, word);
	return SOTTO_OK;
}

enum sotto_status sotto_scaled_exp_settle(const struct sotto_scaled_exp *p,
					  struct sotto_rng *rng, sotto_u128 digits,
					  unsigned bits, bool *out)
{
	enum sotto_status st = SOTTO_OK;
	int order;
	mpz_t all;

	mpz_init(all);
	sotto_fixed_to_mpz(digits, all);
	for (;;) {
		order = compare_digits(p, all, bits);
		if (order != 0)
			break;
		st = append_word(rng, all);
		if (st != SOTTO_OK)
			break;
		bits += 64;
	}
	mpz_clear(all);
	if (st == SOTTO_OK)
		*out = order < 0;
	return st;
}

/* Words the bounds do not decide: x is copied, for the settling owns its number. */
static enum sotto_status
settle_word(struct sotto_rng *rng, const mpq_t x, uint64_t word, bool *out)
{
	struct sotto_scaled_exp p = {.num = 1, .den = 1};
	enum sotto_status st;

	mpq_init(p.x);
	mpq_set(p.x, x);
	st = sotto_scaled_exp_settle(&p, rng, word, 64, out);
	mpq_clear(p.x);
	return st;
}

enum sotto_status
sotto_bernoulli_exp(struct sotto_rng *rng, const struct sotto_rational *x, bool *out)
{
	if (!rng || !x || !out)
		return SOTTO_EINVAL;
	x = sotto_rational_settled(x);

	struct sotto_exp_enclosure bounds;
	uint64_t word;
	bool decided, below;

	if (sotto_rational_sign(x) < 0)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_source_ready(rng));
	if (sotto_rational_sign(x) == 0) {
		*out = true;
		return SOTTO_OK;
	}
	bounds = sotto_exp_enclose_rational(x->q);
	SOTTO_TRY(sotto_source_word(rng, &word));
	decided = sotto_exp_word_decides(bounds, word, &below);
	/* It is not with probability below 2^-63. */
	SOTTO_DECLASSIFY(decided);
	if (__builtin_expect(!decided, 0))
		return settle_word(rng, x->q, word, out);
	*out = below;
	return SOTTO_OK;
}
