/*
 * toy_block_kernel.h - the product's block sampler, made for toy scales
 *
 * Before including it, define TOY_GROUP, the lanes of a group, and TOY_BITS if
 * heads and words are not to have 4 bits.  The tail's first word must be 0, as
 * it is in the product: a^(2^K) < 2^-TOY_BITS.
 */
#include "core/base/mask.h"
#include "core/random/laplace/sampler_block.h"
#include "testlib/effort.h"
#include "testlib/tap.h"
#include "testlib/sampler/toy_core_kernel.h"

enum { TOY_LANES = 4, TOY_RANGE = 9 };

#define BLOCK_HEAD_BITS TOY_BITS
#define BLOCK_GROUP TOY_GROUP
#define BLOCK_STRIDE (TOY_LANES + TOY_GROUP)
#define BLOCK_RECORDS (TOY_LANES / TOY_GROUP * TOY_PLANES)
#define BLOCK_BUDGET 4

struct toy_path {
	struct sotto_block_record *(*heads)(const struct toy_planes *p, const uint8_t *heads,
					    uint32_t group, uint8_t *slots,
					    struct sotto_block_record *records);
	void (*widen)(const struct toy_planes *p, const uint8_t *slots, int64_t *out, size_t n);
};

static inline unsigned block_slot(const struct toy_planes *p, unsigned k)
{
	return k < p->value_bits ? 0 : SOTTO_BLOCK_FLAGS;
}

static inline unsigned block_bit(const struct toy_planes *p, unsigned k)
{
	return k < p->value_bits ? k : k == p->count - 1;
}

static inline size_t block_budget(const struct toy_planes *p, size_t lanes)
{
	(void)lanes;
	return p->budget;
}

static inline enum sotto_status
block_heads(struct all_tapes *t, size_t n, uint8_t *spare, uint8_t **heads)
{
	*heads = spare;
	return all_tapes_read(t, n, spare);
}

static inline enum sotto_status block_words(struct all_tapes *t, size_t n, uint8_t *words)
{
	return all_tapes_read(t, n, words);
}

#include "core/random/laplace/planes_block_kernel.h"

static struct sotto_block_record *toy_heads(const struct toy_planes *p, const uint8_t *heads,
					    uint32_t group, uint8_t *slots,
					    struct sotto_block_record *records)
{
	memset(slots, 0, TOY_GROUP);
	memset(slots + SOTTO_BLOCK_FLAGS * BLOCK_STRIDE, 0, TOY_GROUP);
	for (unsigned k = 0; k < p->count; k++) {
		uint64_t ties = 0;

		for (unsigned lane = 0; lane < TOY_GROUP; lane++, heads++) {
			unsigned less = *heads < p->head[k];

			ties |= (uint64_t)(*heads == p->head[k]) << lane;
			slots[block_slot(p, k) * BLOCK_STRIDE + lane] |=
				(uint8_t)(less << block_bit(p, k));
		}
		*records = (struct sotto_block_record){ties, k, group};
		records += ties != 0;
	}
	return records;
}

static void toy_widen(const struct toy_planes *p, const uint8_t *slots, int64_t *out, size_t n)
{
	const uint8_t *flags = slots + SOTTO_BLOCK_FLAGS * BLOCK_STRIDE;

	for (size_t i = 0; i < n; i++)
		out[i] = slots[i] ^ -(int64_t)(p->has_sign & flags[i]);
}

static const struct toy_path toy_kernels = {toy_heads, toy_widen};

/* Faults of the joint law of all lanes, from every tape of the length. */
static unsigned
toy_block_faults(const struct toy_planes *p, unsigned lanes, unsigned length, double *undecided)
{
	mpq_t *law = toy_law(p, TOY_RANGE);
	static struct block_work work;
	int64_t z[TOY_LANES] = {0};
	struct all_tapes t;
	struct tally y;
	unsigned faults;

	all_tapes_first(&t, TOY_BITS, length);
	tally_init(&y, &t, lanes, TOY_RANGE);
	do {
		enum sotto_status st = block_draw(p, &t, &work, z, lanes);

		tally_add(&y, &t, st, z);
	} while (all_tapes_next(&t));
	faults = tally_faults(&y, law);
	*undecided = (double)y.undecided / (double)y.total;
	block_wipe(p, &work, lanes);
	tally_release(&y);
	toy_law_free(law, TOY_RANGE);
	return faults;
}

struct toy_shape {
	unsigned num, den; /* a */
	unsigned value_bits;
	unsigned lanes;
	unsigned extra; /* words of the tape past the heads, budget included */
	double undecided; /* the mass that such tapes leave open, at most */
};

static void
toy_block_init(struct toy_planes *p, const struct toy_shape *s, bool has_sign, unsigned budget)
{
	toy_init(p, TOY_BITS, s->num, s->den, s->value_bits, has_sign);
	CHECK_INT(p->head[p->count - 1], 0);
	p->budget = budget;
	p->path = &toy_kernels;
}

static void toy_block_check(const struct toy_shape *s, bool has_sign, unsigned budget)
{
	const unsigned longer = effort() == EFFORT_LONG;
	struct toy_planes p;
	double undecided;
	unsigned length;

	toy_block_init(&p, s, has_sign, budget);
	length = p.count * s->lanes + s->extra + longer;
	CHECK_INT(toy_block_faults(&p, s->lanes, length, &undecided), 0);
	(void)tap_check(undecided < s->undecided, __FILE__, __LINE__,
			"a = %u/%u, %u value bits, %u lanes, budget %u: %g undecided", s->num,
			s->den, s->value_bits, s->lanes, budget, undecided);
	toy_release(&p);
}

/* A wrong digit in the part of a probability that only ties look at. */
static unsigned
toy_block_faults_if_planted(const struct toy_shape *s, unsigned budget, unsigned plane)
{
	struct toy_planes p;
	double undecided;
	unsigned faults;

	toy_block_init(&p, s, true, budget);
	p.digit[plane][1] ^= 1u << (TOY_BITS - 1);
	p.after_head[plane] = p.digit[plane][1];
	faults = toy_block_faults(&p, s->lanes, p.count * s->lanes + s->extra, &undecided);
	toy_release(&p);
	return faults;
}
