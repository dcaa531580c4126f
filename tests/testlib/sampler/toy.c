/*
 * Long division gives the digits of each plane's probability; the law is written down in
 * fractions.
 */
#include "testlib/sampler/toy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

/* a^(2^k), and from it the plane's probability: itself for the tail, else a/(1+a). */
static void plane_probability(const struct toy_planes *p, unsigned k, mpq_t out)
{
	bool tail = k == p->count - 1, sign = p->has_sign && k == p->value_bits;
	unsigned squarings = tail ? p->value_bits : sign ? 0 : k;
	mpq_t one;

	mpq_set(out, p->a);
	for (unsigned i = 0; i < squarings; i++)
		mpq_mul(out, out, out);
	if (tail)
		return;
	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	mpq_add(one, one, out);
	mpq_div(out, out, one);
	mpq_clear(one);
}

static void expand(const mpq_t x, unsigned word_bits, uint8_t digit[TOY_DIGITS])
{
	mpz_t rest, word;

	mpz_init_set(rest, mpq_numref(x));
	mpz_init(word);
	for (unsigned i = 0; i < TOY_DIGITS; i++) {
		mpz_mul_2exp(rest, rest, word_bits);
		mpz_fdiv_qr(word, rest, rest, mpq_denref(x));
		digit[i] = (uint8_t)mpz_get_ui(word);
	}
	mpz_clear(rest);
	mpz_clear(word);
}

void toy_init(struct toy_planes *p, unsigned word_bits, unsigned num, unsigned den,
	      unsigned value_bits, bool has_sign)
{
	mpq_t probability;

	memset(p, 0, sizeof *p);
	p->value_bits = value_bits;
	p->count = value_bits + 1 + has_sign;
	p->has_sign = has_sign;
	p->word_bits = word_bits;
	assert(p->count <= TOY_PLANES);
	mpq_init(p->a);
	mpq_set_ui(p->a, num, den);
	mpq_canonicalize(p->a);
	mpq_init(probability);
	for (unsigned k = 0; k < p->count; k++) {
		plane_probability(p, k, probability);
		expand(probability, word_bits, p->digit[k]);
		p->head[k] = p->first[k] = p->digit[k][0];
		p->after_head[k] = p->digit[k][1];
	}
	mpq_clear(probability);
}

void toy_release(struct toy_planes *p)
{
	mpq_clear(p->a);
}

enum sotto_status toy_continue(const struct toy_planes *p, struct all_tapes *t, unsigned k,
			       unsigned offset, bool *bit)
{
	const uint8_t *digit = p->digit[k] + offset / p->word_bits;
	uint8_t random;

	assert(offset % p->word_bits == 0);
	do
		SOTTO_TRY(all_tapes_read(t, 1, &random));
	while (random == *digit++);
	*bit = random < digit[-1];
	return SOTTO_OK;
}

/* (1 - a) a^x, or (1 - a)/(1 + a) a^abs(z) */
mpq_t *toy_law(const struct toy_planes *p, unsigned range)
{
	mpq_t *law = calloc(2 * (size_t)range + 1, sizeof *law), mass, divisor;

	if (!law)
		abort();
	mpq_inits(mass, divisor, NULL);
	mpq_set_ui(mass, 1, 1);
	mpq_add(divisor, mass, p->a);
	mpq_sub(mass, mass, p->a);
	if (p->has_sign)
		mpq_div(mass, mass, divisor);
	for (unsigned z = 0; z <= range; z++) {
		mpq_init(law[range + z]);
		mpq_set(law[range + z], mass);
		if (z > 0) {
			mpq_init(law[range - z]);
			if (p->has_sign)
				mpq_set(law[range - z], mass);
		}
		mpq_mul(mass, mass, p->a);
	}
	mpq_clears(mass, divisor, NULL);
	return law;
}

void toy_law_free(mpq_t *law, unsigned range)
{
	for (unsigned i = 0; i < 2 * range + 1; i++)
		mpq_clear(law[i]);
	free(law);
}
