/*
 * Builds the table of a scale without a division: one exponential, one squaring
 * and one product per plane, in 384-bit fixed point with a proved error.
 *
 * With a_k = exp(-eps 2^k) and r_k = 1/(1 - a_k), each step down from k + 1 is
 *	t = r_(k+1) a_k,   r_k = r_(k+1) + t,   1 - p_k = 1/(1 + a_k) = r_(k+1) - t.
 * Argument: planes.md.
 */
#include "core/random/laplace/planes.h"

#include <mpfr.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/number/exp/expansion.h"
#include "core/random/generator/random_source.h"
#include "core/random/laplace/sampler_block.h"

enum {
	KEPT = 8 * SOTTO_PLANE_BYTES,
	LIMBS = 6,
	WORKING = 64 * LIMBS, /* binary digits carried after the point */
	TAIL_EXPONENT = 45, /* exp(-45) < 2^-64 */
	/* a_K^8 < 2^-512 is nothing in 384 digits: there r = 1, and the way down starts. */
	BEYOND = 3,
};
_Static_assert(GMP_NUMB_BITS == 64, "limbs are 64-bit words");

/* No plane's computed probability is further off than this many units of 2^-384. */
static const mp_limb_t error_units = (mp_limb_t)1 << 62;

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

/*
 * The least k with eps 2^k >= 45, in integers: num 2^k >= 45 den.  The search
 * starts where num 2^k has one bit less than 45 den, or at 0.
 */
static unsigned value_bits_of(const mpq_t eps)
{
	size_t have, want;
	mpz_t left, right;
	unsigned k;

	mpz_init(left);
	mpz_init(right);
	mpz_mul_ui(right, mpq_denref(eps), TAIL_EXPONENT);
	have = mpz_sizeinbase(mpq_numref(eps), 2);
	want = mpz_sizeinbase(right, 2);
	k = want > have + 1 ? (unsigned)(want - have - 1) : 0;
	mpz_mul_2exp(left, mpq_numref(eps), k);
	for (; mpz_cmp(left, right) < 0; k++)
		mpz_mul_2exp(left, left, 1);
	mpz_clear(left);
	mpz_clear(right);
	return k;
}

/*
 * floor(2^384 exp(-eps)), at most 2 units low: the exponent is rounded up and
 * the result down, 16 digits past the working ones, then cut.
 */
static void exp_limbs(const mpq_t eps, mp_limb_t a[LIMBS])
{
	mpfr_t x;
	mpz_t z;

	mpfr_init2(x, WORKING + 16);
	mpz_init(z);
	mpfr_set_q(x, eps, MPFR_RNDU);
	mpfr_neg(x, x, MPFR_RNDN);
	mpfr_exp(x, x, MPFR_RNDD);
	mpfr_mul_2ui(x, x, WORKING, MPFR_RNDN);
	mpfr_get_z(z, x, MPFR_RNDD);
	for (int i = 0; i < LIMBS; i++)
		a[i] = mpz_getlimbn(z, i);
	mpz_clear(z);
	mpfr_clear(x);
}

static void square_limbs(mp_limb_t out[LIMBS], const mp_limb_t a[LIMBS])
{
	mp_limb_t product[2 * LIMBS];

	mpn_sqr(product, a, LIMBS);
	mpn_copyi(out, product + LIMBS, LIMBS);
}

/* One step down: r becomes r_k, p becomes the probability of plane k.  r has an integer part. */
static void step_down(mp_limb_t r[LIMBS + 1], const mp_limb_t a[LIMBS], mp_limb_t p[LIMBS])
{
	mp_limb_t product[2 * LIMBS + 1], complement[LIMBS + 1];
	const mp_limb_t *t = product + LIMBS;

	mpn_mul(product, r, LIMBS + 1, a, LIMBS);
	mpn_sub_n(complement, r, t, LIMBS + 1);
	mpn_add_n(r, r, t, LIMBS + 1);
	mpn_neg(p, complement, LIMBS); /* 1 - complement, whose integer part is 0 */
}

static uint64_t swapped(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

static uint64_t big_endian_word(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
	return swapped(word);
}

static void big_endian_bytes(uint8_t *out, uint64_t word)
{
	word = swapped(word);
	memcpy(out, &word, sizeof word);
}

/* The first KEPT digits: four limbs and the top byte of a fifth. */
static void leading_bytes(const mp_limb_t v[LIMBS], uint8_t out[SOTTO_PLANE_BYTES])
{
	for (int i = 0; i < 4; i++)
		big_endian_bytes(out + 8 * i, v[LIMBS - 1 - i]);
	out[32] = (uint8_t)(v[LIMBS - 5] >> 56);
}

/* The digits on which both ends of v's enclosure agree; false if they do not. */
static bool certified_digits(const mp_limb_t v[LIMBS], uint8_t out[SOTTO_PLANE_BYTES])
{
	uint8_t above[SOTTO_PLANE_BYTES];
	mp_limb_t end[LIMBS];

	/* A value below the error has no certified end on that side but zero. */
	if (mpn_sub_1(end, v, LIMBS, error_units))
		mpn_zero(end, LIMBS);
	leading_bytes(end, out);
	if (mpn_add_1(end, v, LIMBS, error_units))
		return false;
	leading_bytes(end, above);
	return memcmp(out, above, sizeof above) == 0;
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
static void
refined_digits(const struct sotto_planes *p, unsigned k, uint8_t out[SOTTO_PLANE_BYTES])
{
	mpz_t digits;
	size_t used;
	mpq_t x;

	mpz_init(digits);
	mpq_init(x);
	plane_argument(p, k, x);
	sotto_expansion_floor(plane_kind(p, k), x, KEPT, digits);
	used = mpz_sgn(digits) ? (mpz_sizeinbase(digits, 2) + 7) / 8 : 0;
	memset(out, 0, SOTTO_PLANE_BYTES);
	mpz_export(out + SOTTO_PLANE_BYTES - used, NULL, 1, 1, 1, 0, digits);
	mpq_clear(x);
	mpz_clear(digits);
}

static void store_plane(struct sotto_planes *p, unsigned k, const mp_limb_t value[LIMBS])
{
	uint8_t *digits = p->digits[k];

	if (!certified_digits(value, digits))
		refined_digits(p, k, digits);
	p->head[k] = digits[0];
	p->first[k] = big_endian_word(digits);
	p->after_head[k] = big_endian_word(digits + 1);
}

static void build(struct sotto_planes *p)
{
	mp_limb_t a[SOTTO_PLANES_MAX + BEYOND][LIMBS], r[LIMBS + 1] = {0}, value[LIMBS];
	unsigned top = p->value_bits + BEYOND;

	exp_limbs(p->eps, a[0]);
	for (unsigned k = 0; k < top; k++)
		square_limbs(a[k + 1], a[k]);
	store_plane(p, p->count - 1, a[p->value_bits]);
	r[LIMBS] = 1;
	for (unsigned k = top; k-- > 0;) {
		step_down(r, a[k], value);
		if (k < p->value_bits)
			store_plane(p, k, value);
	}
	if (p->has_sign)
		store_plane(p, p->value_bits, value); /* p_0 again, the last that was made */
}

/* A table, because whoever looks here must not branch on the plane. */
static void place_planes(struct sotto_planes *p)
{
	for (unsigned k = 0; k < p->count; k++) {
		bool value = k < p->value_bits;

		p->slot[k] = (uint8_t)(value ? k / 8 : SOTTO_BLOCK_FLAGS);
		p->bit[k] = (uint8_t)(value ? k % 8 : k == p->count - 1);
	}
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
	place_planes(p);
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
