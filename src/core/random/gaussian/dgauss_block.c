/*
 * Many Gaussian draws at once: candidates from a staircase, judged in groups of 64
 * on 16 digits, the few open ones on 80, the rest without end.  Argument: dgauss_block.md.
 */
#include "core/random/gaussian/dgauss_block.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/random/coin/bernoulli_exp.h"
#include "core/random/gaussian/dgauss_law.h"
#include "core/random/generator/random_source.h"

enum {
	HEAD_BITS = 16,
	WORD_BITS = 64,
	DIGITS = HEAD_BITS + WORD_BITS, /* of u that the list reads */
	FAR_BITS = 89, /* twice exp(-x) is below 2^-89 in the tail */
	SMALL_FILL = 5, /* below this one at a time is faster */
};

/* What a verdict needs to know of a candidate. */
struct candidate {
	uint32_t weight; /* of its cell */
	bool far; /* in the tail or 16 sigma away: exp(-x) is below 2^-89 */
	sotto_u128 x; /* its exponent, if it is not far */
};

static inline struct candidate candidate_of(const struct sotto_dgauss *g, int64_t value)
{
	int64_t sign = value >> 63;
	uint64_t inner = (uint64_t)(value ^ sign), magnitude = inner + (uint64_t)(sign & 1);
	uint64_t cell = inner >> g->cells.shift & (SOTTO_DGAUSS_CELLS - 1);
	bool far = (cell == SOTTO_DGAUSS_TAIL) | (magnitude >> g->bulk.bits != 0);
	uint64_t near = (uint64_t)far - 1;

	return (struct candidate){
		.weight = g->cells.weight[cell],
		.far = far,
		.x = sotto_dgauss_exponent_at(&g->bulk, magnitude & near),
	};
}

static inline sotto_u128 digits_of(uint16_t head, uint64_t word)
{
	return (sotto_u128)head << WORD_BITS | word;
}

/*
 * [u < (c / m) exp(-x)] for all u in [from, to) 2^-s, given low <= 2^s exp(-x) <= high;
 * s is at most 112, so the products fit.
 */
static inline enum sotto_dgauss_answer compare(const struct sotto_dgauss *g, uint32_t weight,
					       sotto_u128 from, sotto_u128 to, sotto_u128 low,
					       sotto_u128 high)
{
	unsigned yes = to * weight <= low * g->cells.scale;
	unsigned no = from * weight >= high * g->cells.scale;

	return (enum sotto_dgauss_answer)(SOTTO_DGAUSS_OPEN - 2 * no - yes);
}

/* On 62 digits of u and of exp(-x). */
static inline enum sotto_dgauss_answer
weigh(const struct sotto_dgauss *g, int64_t value, uint16_t head, uint64_t word)
{
	struct candidate c = candidate_of(g, value);
	struct sotto_exp_word_enclosure e = sotto_exp_enclose_word(c.x);
	sotto_u128 u = digits_of(head, word) >> (DIGITS - SOTTO_EXP_WORD_SCALE);
	uint64_t near = (uint64_t)c.far - 1;

	return compare(g, c.weight, u, u + 1, e.low & near, (e.high & near) | c.far);
}

/* On all 80 digits of u and 112 of exp(-x). */
static enum sotto_dgauss_answer
weigh_wide(const struct sotto_dgauss *g, int64_t value, uint16_t head, uint64_t word)
{
	const unsigned scale = DIGITS + 32, drop = SOTTO_EXP_SCALE - scale;
	struct candidate c = candidate_of(g, value);
	struct sotto_exp_enclosure e = sotto_exp_enclose(c.x, SOTTO_DGAUSS_SLACK);
	sotto_u128 u = digits_of(head, word), near = (sotto_u128)c.far - 1;
	sotto_u128 far = (sotto_u128)c.far << (scale - FAR_BITS);

	return compare(g, c.weight, u << 32, (u + 1) << 32, e.low >> drop & near,
		       (((e.high >> drop) + 1) & near) | far);
}

/* H >= 0 with probability 2^-(H+1): the zeros before the first 1 of the tape. */
static enum sotto_status draw_halvings(struct sotto_rng *rng, uint64_t *h)
{
	uint64_t word = 0;

	for (*h = 0; word == 0; *h += word ? (unsigned)__builtin_ctzll(word) : 64)
		SOTTO_TRY(sotto_source_word(rng, &word));
	return SOTTO_OK;
}

static enum sotto_status settle_at(const struct sotto_dgauss *g, struct sotto_rng *rng,
				   uint64_t magnitude, uint32_t weight, sotto_u128 digits,
				   unsigned bits, bool *yes)
{
	struct sotto_scaled_exp p = {.num = g->cells.scale, .den = weight};
	enum sotto_status st;
	mpz_t none;

	mpz_init(none);
	mpq_init(p.x);
	sotto_dgauss_exponent_exact(g->sigma2, none, magnitude, p.x);
	st = sotto_scaled_exp_settle(&p, rng, digits, bits, yes);
	mpq_clear(p.x);
	mpz_clear(none);
	return st;
}

/*
 * Decides what the digits so far do not.  In the tail the cell is drawn now; its
 * weight is 2^-(h+1) of the tail's, so u 2^-(h+1) is compared.
 */
static enum sotto_status settle(const struct sotto_dgauss *g, struct sotto_rng *rng,
				int64_t *value, uint16_t head, const uint64_t *word, bool *yes)
{
	sotto_u128 digits = word ? digits_of(head, *word) : head;
	unsigned bits = word ? DIGITS : HEAD_BITS;
	int64_t sign = *value >> 63;
	uint64_t inner = (uint64_t)(*value ^ sign), cell = inner >> g->cells.shift, h;

	*yes = false;
	if (cell == SOTTO_DGAUSS_TAIL) {
		SOTTO_TRY(draw_halvings(rng, &h));
		if (h >= (sotto_dgauss_end >> g->cells.shift) - SOTTO_DGAUSS_CELLS)
			return SOTTO_OK;
		bits += (unsigned)h + 1;
		inner += h << g->cells.shift;
		*value = (int64_t)inner ^ sign;
	}
	return settle_at(g, rng, inner + (uint64_t)(sign & 1), g->cells.weight[cell], digits,
			 bits, yes);
}

#define BLOCK_LAW struct sotto_dgauss
#define BLOCK_SOURCE struct sotto_rng
#define BLOCK_WORD uint64_t
#define BLOCK_GROUP SOTTO_DGAUSS_GROUP
#define BLOCK_LANES SOTTO_DGAUSS_BLOCK
#define BLOCK_BUDGET (11 + SOTTO_DGAUSS_BLOCK / 384)
#define BLOCK_SPARE SOTTO_DGAUSS_GROUP_BYTES
#define block_judge(law, bytes, value, head, verdict)                                          \
	(law)->path->judge(&(law)->cells, bytes, value, head, verdict)
#define block_weigh weigh
#define block_weigh_wide weigh_wide
#define block_settle settle

/* Too few with probability below 2^-64: of 2^16 heads 15 are open, or just 1. */
static inline size_t block_budget(const struct sotto_dgauss *g, size_t lanes)
{
	return g->cells.shift ? 11 + lanes / 384 : 8 + lanes / 1024;
}

static inline size_t group_bytes(const struct sotto_dgauss *g)
{
	return SOTTO_DGAUSS_GROUP * (4 + 2 * (size_t)g->cells.digits);
}

static inline enum sotto_status
block_take(const struct sotto_dgauss *g, struct sotto_rng *rng, uint8_t *spare, uint8_t **bytes)
{
	return sotto_source_take(rng, group_bytes(g), spare, bytes);
}

static inline void block_forget(const struct sotto_dgauss *g, uint8_t *bytes)
{
	sotto_wipe(bytes, group_bytes(g));
}

#define block_words(rng, n, words) sotto_source_words(rng, n, words)
#include "core/random/gaussian/dgauss_block_kernel.h"

_Static_assert(sizeof(struct block_work) <= SOTTO_SCRATCH_BYTES, "a block fits the scratch");

static uint64_t root_up(uint64_t n)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 32; bit; bit >>= 1)
		if ((sotto_u128)(root + bit) * (root + bit) < n)
			root += bit;
	return root + 1;
}

/*
 * Candidates of which at least n are accepted except with probability 2^-110: their
 * mean is ten standard deviations and more above n.  A multiple of the group.
 */
static uint64_t plan(const struct sotto_dgauss *g, size_t n)
{
	sotto_u128 wanted = (sotto_u128)n + 10 * (sotto_u128)root_up(n) + 50;
	sotto_u128 candidates = (wanted << 32) / g->cells.acceptance + 1;

	return (uint64_t)(candidates / SOTTO_DGAUSS_GROUP + 1) * SOTTO_DGAUSS_GROUP;
}

/* Appends a block's accepted values to out[have..n), as many as there is room for. */
static size_t collect(const struct sotto_dgauss *g, const struct block_work *b, size_t lanes,
		      int64_t *out, size_t have, size_t n)
{
	int64_t surplus[SOTTO_DGAUSS_GROUP];

	for (size_t i = 0; i < lanes; i += SOTTO_DGAUSS_GROUP) {
		bool room = n - have >= SOTTO_DGAUSS_GROUP;
		uint64_t yes = b->yes[i / SOTTO_DGAUSS_GROUP];
		size_t some;

		/* Which candidates are accepted is independent of the values they have then. */
		SOTTO_DECLASSIFY(yes);
		some = g->path->gather(b->value + i, yes, room ? out + have : surplus);
		if (some > n - have)
			some = n - have;
		if (!room)
			memcpy(out + have, surplus, some * sizeof out[0]);
		have += some;
	}
	sotto_wipe(surplus, sizeof surplus);
	return have;
}

/* All planned candidates are drawn, whenever the last value is found. */
static enum sotto_status fill(const struct sotto_dgauss *g, struct sotto_rng *rng,
			      struct block_work *b, int64_t *out, size_t n)
{
	size_t have = 0;

	while (have < n) {
		uint64_t left = plan(g, n - have);

		while (left) {
			size_t lanes = left < BLOCK_LANES ? (size_t)left : BLOCK_LANES;

			SOTTO_TRY(block_draw(g, rng, b, lanes));
			have = collect(g, b, lanes, out, have, n);
			left -= lanes;
		}
	}
	return SOTTO_OK;
}

static enum sotto_status
fill_singly(const struct sotto_dgauss *g, struct sotto_rng *rng, int64_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		SOTTO_TRY(sotto_dgauss_draw(g, rng, &out[i]));
	return SOTTO_OK;
}

enum sotto_status
sotto_dgauss_fill(const struct sotto_dgauss *g, struct sotto_rng *rng, int64_t *out, size_t n)
{
	if (!g || !rng || (!out && n > 0))
		return SOTTO_EINVAL;

	struct block_work *work = rng->scratch;
	enum sotto_status st = sotto_source_ready(rng);

	if (st == SOTTO_OK && n < SMALL_FILL)
		st = fill_singly(g, rng, out, n);
	else if (st == SOTTO_OK) {
		uint64_t lanes = plan(g, n);

		st = fill(g, rng, work, out, n);
		block_wipe(g, work, lanes < BLOCK_LANES ? (size_t)lanes : BLOCK_LANES);
	}
	if (st != SOTTO_OK)
		sotto_wipe(out, n * sizeof *out);
	return st;
}

const struct sotto_dgauss_path *sotto_dgauss_path_best(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
	    __builtin_cpu_supports("avx512vbmi"))
		return &sotto_dgauss_avx512;
	if (__builtin_cpu_supports("avx2"))
		return &sotto_dgauss_avx2;
#endif
	return &sotto_dgauss_portable;
}
