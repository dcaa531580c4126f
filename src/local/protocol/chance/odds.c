/*
 * Each protocol has a pair of outputs whose likelihood ratio is the greatest; local.md names
 * it.  Everything here is a rational.
 */
#include "local/protocol/chance/odds.h"

#include "local/protocol/chance/threshold.h"

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
void sotto_odds_of_bit(struct sotto_client_chance one, struct sotto_client_chance zero,
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
void sotto_odds_of_swap(const mpq_t one, const mpq_t zero, unsigned long times, mpq_t out,
			bool *unbounded)
{
	mpq_t up, down;

	mpq_inits(up, down, NULL);
	bit_ratios(one, zero, up, down, unbounded);
	mpq_mul(out, up, down);
	power(out, times);
	mpq_clears(up, down, NULL);
}

/* (1 - flip) / flip or its inverse, whichever is greater, to the power */
void sotto_odds_of_flip(struct sotto_client_chance flip, struct sotto_client_chance again,
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
void sotto_odds_of_keep(struct sotto_client_chance chance, uint64_t in, uint64_t rest,
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
