/*
 * Builds the table of a scale: one exponential, then a squaring and a division
 * per plane, in integers with a counted error.  Argument: planes.md.
 */
#include "random/planes.h"

#include <mpfr.h>
#include <string.h>

#include "base/failure.h"
#include "number/expansion.h"
#include "random/block.h"
#include "random/source.h"

enum {
	KEPT = 8 * SOTTO_PLANE_BYTES,
	WORKING = 448, /* binary digits carried after the point */
	TAIL_EXPONENT = 45, /* exp(-45) < 2^-64 */
};

/* Proves value <= 2^WORKING v < value + error for the number v it stands for. */
struct enclosure {
	mpz_t value;
	uint64_t error;
};

static bool eps_in_range(const mpq_t eps)
{
	bool in_range;
	mpq_t low;

	mpq_init(low);
	mpq_set_ui(low, 1, UINT64_C(1) << 50);
	in_range = mpq_cmp(eps, low) >= 0 && mpq_cmp_ui(eps, 1 << 10, 1) <= 0;
	mpq_clear(low);
	return in_range;
}

/* The least k with eps 2^k >= 45, in integers: num 2^k >= 45 den. */
static unsigned value_bits_of(const mpq_t eps)
{
	unsigned k = 0;
	mpz_t left, right;

	mpz_init_set(left, mpq_numref(eps));
	mpz_init(right);
	mpz_mul_ui(right, mpq_denref(eps), TAIL_EXPONENT);
	for (; mpz_cmp(left, right) < 0; k++)
		mpz_mul_2exp(left, left, 1);
	mpz_clear(left);
	mpz_clear(right);
	return k;
}

/*
 * a = exp(-eps).  The exponent is rounded up and the result down, 16 digits
 * past the working ones; with the cut to integers all that is below 2 units.
 */
static void enclose_exp(struct enclosure *a, const mpq_t eps)
{
	mpfr_t x;

	mpfr_init2(x, WORKING + 16);
	mpfr_set_q(x, eps, MPFR_RNDU);
	mpfr_neg(x, x, MPFR_RNDN);
	mpfr_exp(x, x, MPFR_RNDD);
	mpfr_mul_2ui(x, x, WORKING, MPFR_RNDN);
	mpfr_get_z(a->value, x, MPFR_RNDD);
	a->error = 2;
	mpfr_clear(x);
}

/* a <- a^2: (v + e)^2 / 2^WORKING < v^2 / 2^WORKING + 2e + 1, and one for the cut. */
static void square(struct enclosure *a)
{
	mpz_mul(a->value, a->value, a->value);
	mpz_tdiv_q_2exp(a->value, a->value, WORKING);
	a->error = 2 * a->error + 2;
}

/* p = a / (1 + a), which grows no faster than a; one unit more for the cut. */
static void enclose_logistic(struct enclosure *p, const struct enclosure *a, mpz_t spare)
{
	mpz_set_ui(spare, 1);
	mpz_mul_2exp(spare, spare, WORKING);
	mpz_add(spare, spare, a->value);
	mpz_mul_2exp(p->value, a->value, WORKING);
	mpz_tdiv_q(p->value, p->value, spare);
	p->error = a->error + 1;
}

/* The first KEPT digits, if both ends of the enclosure agree on them. */
static bool certified_digits(const struct enclosure *v, mpz_t digits, mpz_t spare)
{
	mpz_add_ui(spare, v->value, v->error);
	mpz_tdiv_q_2exp(spare, spare, WORKING - KEPT);
	mpz_tdiv_q_2exp(digits, v->value, WORKING - KEPT);
	return mpz_cmp(digits, spare) == 0;
}

static uint64_t big_endian_word(const uint8_t *bytes)
{
	uint64_t word = 0;

	for (int i = 0; i < 8; i++)
		word = word << 8 | bytes[i];
	return word;
}

static void store_plane(struct sotto_planes *p, unsigned k, const mpz_t digits)
{
	uint8_t *bytes = p->digits[k];
	size_t used = (mpz_sizeinbase(digits, 2) + 7) / 8;

	memset(bytes, 0, SOTTO_PLANE_BYTES);
	if (mpz_sgn(digits))
		mpz_export(bytes + SOTTO_PLANE_BYTES - used, NULL, 1, 1, 1, 0, digits);
	p->head[k] = bytes[0];
	p->first[k] = big_endian_word(bytes);
	p->after_head[k] = big_endian_word(bytes + 1);
}

/* Which number plane k holds: its kind, and the x it is taken at. */
static enum sotto_expansion plane_kind(const struct sotto_planes *p, unsigned k)
{
	return k == p->count - 1 ? SOTTO_EXPANSION_EXP : SOTTO_EXPANSION_LOGISTIC;
}

static void plane_argument(const struct sotto_planes *p, unsigned k, mpq_t x)
{
	bool sign = p->has_sign && k == p->value_bits;

	if (k > p->value_bits)
		k = p->value_bits;
	mpq_mul_2exp(x, p->eps, sign ? 0 : k);
}

/* The slow way, for the plane whose enclosure straddles a cut: never seen, always right. */
static void refine_digits(const struct sotto_planes *p, unsigned k, mpz_t digits)
{
	mpq_t x;

	mpq_init(x);
	plane_argument(p, k, x);
	sotto_expansion_floor(plane_kind(p, k), x, KEPT, digits);
	mpq_clear(x);
}

static void build(struct sotto_planes *p)
{
	unsigned tail = p->count - 1;
	struct enclosure a, v;
	mpz_t digits, spare;

	mpz_inits(a.value, v.value, digits, spare, NULL);
	enclose_exp(&a, p->eps);
	for (unsigned k = 0; k < p->value_bits; k++) {
		enclose_logistic(&v, &a, spare);
		if (!certified_digits(&v, digits, spare))
			refine_digits(p, k, digits);
		store_plane(p, k, digits);
		if (k == 0 && p->has_sign)
			store_plane(p, p->value_bits, digits);
		square(&a);
	}
	if (p->has_sign && p->value_bits == 0) {
		enclose_logistic(&v, &a, spare);
		if (!certified_digits(&v, digits, spare))
			refine_digits(p, 0, digits);
		store_plane(p, 0, digits);
	}
	if (!certified_digits(&a, digits, spare))
		refine_digits(p, tail, digits);
	store_plane(p, tail, digits);
	mpz_clears(a.value, v.value, digits, spare, NULL);
}

enum sotto_status
sotto_planes_init(struct sotto_planes *p, const struct sotto_rational *eps, bool has_sign)
{
	if (!eps_in_range(eps->q))
		return SOTTO_ERANGE;
	memset(p, 0, sizeof *p);
	mpq_init(p->eps);
	mpq_set(p->eps, eps->q);
	p->has_sign = has_sign;
	p->value_bits = value_bits_of(p->eps);
	p->count = p->value_bits + 1 + has_sign;
	p->path = sotto_block_path_best();
	build(p);
	return SOTTO_OK;
}

void sotto_planes_release(struct sotto_planes *p)
{
	mpq_clear(p->eps);
}

static uint64_t stored_digits(const uint8_t *bytes, unsigned offset)
{
	uint64_t word = big_endian_word(bytes + offset / 8);

	return offset % 8 ? word << (offset % 8) | bytes[offset / 8 + 8] >> (8 - offset % 8)
			  : word;
}

uint64_t sotto_planes_digits(const struct sotto_planes *p, unsigned k, unsigned offset)
{
	uint64_t word;
	mpq_t x;

	if (offset + 64 <= KEPT)
		return stored_digits(p->digits[k], offset);
	mpq_init(x);
	plane_argument(p, k, x);
	word = sotto_expansion_word(plane_kind(p, k), x, offset);
	mpq_clear(x);
	return word;
}

enum sotto_status sotto_planes_continue(const struct sotto_planes *p, struct sotto_rng *rng,
					unsigned k, unsigned offset, bool *bit)
{
	uint64_t random, digits;

	do {
		SOTTO_TRY(sotto_source_word(rng, &random));
		digits = sotto_planes_digits(p, k, offset);
		offset += 64;
	} while (random == digits);
	*bit = random < digits;
	return SOTTO_OK;
}
