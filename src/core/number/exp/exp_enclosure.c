/* exp(-x) = 2^-k exp(-j/8) exp(-g), 0 <= g < 1/8.  Error bounds: exp_enclosure.md. */
#include "core/number/exp/exp_enclosure.h"

#include <assert.h>

#include "core/number/exp/fixed_point.h"

enum {
	STEPS = 6, /* ln 2 + 2^-40 < 6/8 */
	WIDE_TERMS = 12, /* terms of the series too large for one word */
	NARROW_TERMS = 9,
	ERROR = 512, /* in units of 2^-126, before the shift by k */
	ERROR_PER_SLACK = 257,
	WORD_ERROR = 24, /* in units of 2^-62 */
};

/* Unrolled, since each pass waits for the one before; clang does it unasked. */
#if defined(__clang__)
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

struct wide {
	uint64_t high, low;
};

static inline sotto_u128 value_of(struct wide w)
{
	return (sotto_u128)w.high << 64 | w.low;
}

/* floor(2^63 / ln 2) and floor(2^128 ln 2).  The tests recompute every number here. */
static const uint64_t inverse_ln2 = UINT64_C(0xb8aa3b295c17f0bb);
static const struct wide ln2 = {UINT64_C(0xb17217f7d1cf79ab), UINT64_C(0xc9e3b39803f2f6af)};

/* floor(2^127 exp(-j/8)) */
static const struct wide steps[STEPS] = {
	{0x8000000000000000, 0x0000000000000000}, {0x70f5a893b608861e, 0x1f58934f97aea57d},
	{0x63afbe7ab2082ba1, 0xa0ae5e4eb1b479dc}, {0x57f91857a63a3aa9, 0xec6dc02611213ba1},
	{0x4da2cbf1be5827f9, 0xeb3ad1aa9866ebb3}, {0x4483724d264f9eac, 0xac52e8bcae357c2a}};

/* floor(2^127 / (8^n n!)), the series of exp(-g) in 8 g: terms 0..11, then 12..20. */
static const struct wide wide_terms[WIDE_TERMS] = {
	{0x8000000000000000, 0x0000000000000000}, {0x1000000000000000, 0x0000000000000000},
	{0x0100000000000000, 0x0000000000000000}, {0x000aaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa},
	{0x0000555555555555, 0x5555555555555555}, {0x0000022222222222, 0x2222222222222222},
	{0x0000000b60b60b60, 0xb60b60b60b60b60b}, {0x0000000034034034, 0x0340340340340340},
	{0x0000000000d00d00, 0xd00d00d00d00d00d}, {0x000000000002e3bc, 0x74aad8e671f55839},
	{0x000000000000093f, 0x27dbbc4fae397780}, {0x000000000000001a, 0xe64567f544e38fe7}};
static const uint64_t narrow_terms[NARROW_TERMS] = {
	0x47bb63bfe3625ed5, 0x00b092309d43684b, 0x000193974a8c07c9,
	0x0000035cfe7ce677, 0x00000006b9fcf9cc, 0x000000000ca963b8,
	0x0000000000168278, 0x00000000000025e9, 0x000000000000003c};

/* An argument taken apart: k, and x - k ln 2 in units of 2^-128. */
struct reduced {
	unsigned shift; /* k, at most 127 */
	unsigned step; /* j */
	sotto_u128 eighths; /* 8 g, in units of 2^-128 */
};

static inline struct reduced reduce(sotto_u128 x)
{
	const unsigned top_bits = SOTTO_EXP_FRACTION - 64;
	uint64_t top = (uint64_t)(x >> 64);
	uint64_t k = (uint64_t)((sotto_u128)top * inverse_ln2 >> 64) >> (top_bits + 63 - 64);
	/* Whole units fall off at the top; what is left is below 1. */
	sotto_u128 rest = (x << (128 - SOTTO_EXP_FRACTION)) - k * value_of(ln2);

	return (struct reduced){k < 127 ? (unsigned)k : 127, (unsigned)(rest >> 125),
				rest << 3};
}

/* Reads every entry, so that no address tells j. */
static inline struct wide step_of(unsigned j)
{
	struct wide step = {0, 0};

	UNROLL
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t mask = -(uint64_t)(i == j);

		step.high |= steps[i].high & mask;
		step.low |= steps[i].low & mask;
	}
	return step;
}

static inline uint64_t product_of_words(uint64_t a, uint64_t b)
{
	return (uint64_t)((sotto_u128)a * b >> 64);
}

/* 2^127 exp(-g) by Horner from the smallest term. */
static inline sotto_u128 series(sotto_u128 eighths)
{
	uint64_t top = (uint64_t)(eighths >> 64), narrow = narrow_terms[NARROW_TERMS - 1];
	sotto_u128 sum;

	UNROLL
	for (int n = NARROW_TERMS - 2; n >= 0; n--)
		narrow = narrow_terms[n] - product_of_words(top, narrow);
	sum = narrow;
	UNROLL
	for (int n = WIDE_TERMS - 1; n >= 0; n--)
		sum = value_of(wide_terms[n]) - sotto_fixed_product(eighths, sum);
	return sum;
}

/* 2^63 exp(-g): the same terms, their first word each. */
static inline uint64_t series_word(uint64_t eighths)
{
	uint64_t sum = wide_terms[WIDE_TERMS - 1].high;

	UNROLL
	for (int n = WIDE_TERMS - 2; n >= 0; n--)
		sum = wide_terms[n].high - product_of_words(eighths, sum);
	return sum;
}

struct sotto_exp_enclosure sotto_exp_enclose(sotto_u128 x, uint64_t slack)
{
	const sotto_u128 one = (sotto_u128)1 << SOTTO_EXP_SCALE;
	struct reduced r = reduce(x);
	sotto_u128 value = sotto_fixed_product(value_of(step_of(r.step)), series(r.eighths));
	sotto_u128 error = ERROR + ERROR_PER_SLACK * (sotto_u128)slack;
	sotto_u128 high = ((value + error) >> r.shift) + 1;

	return (struct sotto_exp_enclosure){(value - error) >> r.shift,
					    high < one ? high : one};
}

struct sotto_exp_word_enclosure sotto_exp_enclose_word(sotto_u128 x)
{
	const uint64_t one = UINT64_C(1) << SOTTO_EXP_WORD_SCALE;
	struct reduced r = reduce(x);
	uint64_t sum = series_word((uint64_t)(r.eighths >> 64));
	uint64_t value = product_of_words(step_of(r.step).high, sum);
	unsigned shift = r.shift < 63 ? r.shift : 63;
	uint64_t high = ((value + WORD_ERROR) >> shift) + 1;

	return (struct sotto_exp_word_enclosure){(value - WORD_ERROR) >> shift,
						 high < one ? high : one};
}

struct sotto_exp_enclosure sotto_exp_enclose_rational(const mpq_t x)
{
	assert(mpq_sgn(x) >= 0);
	if (mpq_cmp_ui(x, SOTTO_EXP_LIMIT, 1) >= 0)
		return (struct sotto_exp_enclosure){0, 1};
	return sotto_exp_enclose(sotto_fixed_down(x, SOTTO_EXP_FRACTION), 1);
}
