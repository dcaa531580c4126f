/* exp(-rate m) for whole numbers m, as fixed-point bounds. */
#include "core/mechanism/choice/weight.h"

#include "core/number/exp/expansion.h"

/* exp(-89) < 2^-128: the least k with rate 2^k >= 89, at most 64 */
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

/* floor(a b / 2^128) less at most 2: the product of the low halves is left out. */
static inline sotto_u128 multiply(sotto_u128 a, sotto_u128 b)
{
	uint64_t ah = (uint64_t)(a >> 64), al = (uint64_t)a;
	uint64_t bh = (uint64_t)(b >> 64), bl = (uint64_t)b;

	return (sotto_u128)ah * bh + ((sotto_u128)ah * bl >> 64) + ((sotto_u128)al * bh >> 64);
}

/* product times the power if bit k of m is set */
static inline sotto_u128
step(const struct sotto_weight *w, unsigned k, uint64_t m, sotto_u128 product)
{
	sotto_u128 taken = -(sotto_u128)(m >> k & 1);

	return product ^ ((product ^ multiply(product, w->power[k])) & taken);
}

/* 0 where m has a bit that no power stands for */
static inline sotto_u128 cut(const struct sotto_weight *w, uint64_t m, sotto_u128 product)
{
	/* two shifts, because one by 64 is not defined */
	uint64_t beyond = w->count ? m >> (w->count - 1) >> 1 : m;

	return product & -(sotto_u128)(beyond == 0);
}

sotto_u128 sotto_weight_down(const struct sotto_weight *w, uint64_t m)
{
	sotto_u128 product = ~(sotto_u128)0;

	for (unsigned k = 0; k < w->count; k++)
		product = step(w, k, m, product);
	return cut(w, m, product);
}

/* Four products at a time, so that none waits for another. */
void sotto_weight_down_all(const struct sotto_weight *w, const uint64_t *m, sotto_u128 *out,
			   size_t n)
{
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		sotto_u128 a = ~(sotto_u128)0, b = a, c = a, d = a;

		for (unsigned k = 0; k < w->count; k++) {
			a = step(w, k, m[i], a);
			b = step(w, k, m[i + 1], b);
			c = step(w, k, m[i + 2], c);
			d = step(w, k, m[i + 3], d);
		}
		out[i] = cut(w, m[i], a);
		out[i + 1] = cut(w, m[i + 1], b);
		out[i + 2] = cut(w, m[i + 2], c);
		out[i + 3] = cut(w, m[i + 3], d);
	}
	for (; i < n; i++)
		out[i] = sotto_weight_down(w, m[i]);
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
