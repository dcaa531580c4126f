#include "mechanism/weight.h"

#include "number/expansion.h"

#define ONE ((sotto_u128)1 << SOTTO_WEIGHT_DIGITS)

/* exp(-89) < 2^-127: the least k with rate 2^k >= 89, at most 64 */
static unsigned count_of(const mpq_t rate)
{
	unsigned k = 0;
	mpq_t x;

	mpq_init(x);
	mpq_set(x, rate);
	for (; k < SOTTO_WEIGHT_POWERS && mpq_cmp_ui(x, 89, 1) < 0; k++)
		mpq_mul_2exp(x, x, 1);
	mpq_clear(x);
	return k;
}

static sotto_u128 to_u128(const mpz_t n)
{
	mpz_t high;
	sotto_u128 value;

	mpz_init(high);
	mpz_tdiv_q_2exp(high, n, 64);
	value = (sotto_u128)mpz_get_ui(high) << 64 | mpz_get_ui(n);
	mpz_clear(high);
	return value;
}

void sotto_weight_init(struct sotto_weight *w, const mpq_t rate)
{
	mpz_t digits;

	mpz_init(digits);
	mpq_init(w->rate);
	mpq_set(w->rate, rate);
	w->count = count_of(rate);
	for (unsigned k = 0; k < w->count; k++) {
		sotto_weight_floor(w, UINT64_C(1) << k, SOTTO_WEIGHT_DIGITS, digits);
		w->power[k] = to_u128(digits);
	}
	mpz_clear(digits);
}

void sotto_weight_release(struct sotto_weight *w)
{
	mpq_clear(w->rate);
}

/*
 * floor(a b / 2^127) less at most 3: the product of the low halves is left out.
 * Exact if b is ONE.  a, b <= ONE.
 */
static inline sotto_u128 multiply(sotto_u128 a, sotto_u128 b)
{
	uint64_t ah = (uint64_t)(a >> 64), al = (uint64_t)a;
	uint64_t bh = (uint64_t)(b >> 64), bl = (uint64_t)b;

	return ((sotto_u128)ah * bh << 1) + ((sotto_u128)ah * bl >> 63) +
	       ((sotto_u128)al * bh >> 63);
}

sotto_u128 sotto_weight_down(const struct sotto_weight *w, uint64_t m)
{
	/* two shifts, because one by 64 is not defined */
	uint64_t beyond = w->count ? m >> (w->count - 1) >> 1 : m;
	sotto_u128 product = ONE;

	for (unsigned k = 0; k < w->count; k++) {
		sotto_u128 taken = -(sotto_u128)(m >> k & 1);

		product = multiply(product, (w->power[k] & taken) | (ONE & ~taken));
	}
	return product & -(sotto_u128)(beyond == 0);
}

void sotto_weight_floor(const struct sotto_weight *w, uint64_t m, unsigned digits, mpz_t out)
{
	mpq_t x;

	if (m == 0) {
		mpz_set_ui(out, 1);
		mpz_mul_2exp(out, out, digits);
		return;
	}
	mpq_init(x);
	mpz_set_ui(mpq_numref(x), m);
	mpq_mul(x, x, w->rate);
	sotto_expansion_floor(SOTTO_EXPANSION_EXP, x, digits, out);
	mpq_clear(x);
}
