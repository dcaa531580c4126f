/* The block sampler with 8-bit heads and 64-bit words, and its portable kernels. */
#include "core/random/laplace/sampler_block.h"

#include <assert.h>
#include <string.h>

#include "core/base/mask.h"
#include "core/random/laplace/planes_core.h"

#define BLOCK_HEAD_BITS 8
#define BLOCK_GROUP SOTTO_BLOCK_GROUP
#define BLOCK_STRIDE SOTTO_BLOCK_STRIDE
#define BLOCK_RECORDS SOTTO_BLOCK_RECORDS
#define BLOCK_BUDGET SOTTO_BLOCK_BUDGET
#define block_heads sotto_source_take
#define block_slot(p, k) ((p)->slot[k])
#define block_bit(p, k) ((p)->bit[k])

/*
 * Twice the mean number of ties and 64 more: exceeded with probability below
 * 2^-123 for every number of planes and lanes.
 */
static inline size_t block_budget(const struct sotto_planes *p, size_t lanes)
{
	return 2 * ((lanes * p->count + 255) / 256) + 64;
}

#define block_words(rng, n, words) sotto_source_words(rng, n, words)
#include "core/random/laplace/planes_block_kernel.h"

_Static_assert(sizeof(struct block_work) <= SOTTO_SCRATCH_BYTES, "a block fits the scratch");

static enum sotto_status fill(const struct sotto_planes *p, struct sotto_rng *rng,
			      struct block_work *work, int64_t *out, size_t n)
{
	size_t lanes;

	for (; n >= SOTTO_BLOCK_GROUP; out += lanes, n -= lanes) {
		lanes = n < SOTTO_BLOCK_LANES ? n / SOTTO_BLOCK_GROUP * SOTTO_BLOCK_GROUP
					      : SOTTO_BLOCK_LANES;
		SOTTO_TRY(block_draw(p, rng, work, out, lanes));
	}
	for (; n; out++, n--)
		SOTTO_TRY(core_draw(p, rng, out));
	return SOTTO_OK;
}

enum sotto_status
sotto_planes_fill(const struct sotto_planes *p, struct sotto_rng *rng, int64_t *out, size_t n)
{
	struct block_work *work = rng->scratch;
	enum sotto_status st = sotto_source_ready(rng);

	if (st == SOTTO_OK)
		st = fill(p, rng, work, out, n);
	if (n >= SOTTO_BLOCK_GROUP)
		block_wipe(p, work, n < SOTTO_BLOCK_LANES ? n : SOTTO_BLOCK_LANES);
	if (st != SOTTO_OK)
		sotto_wipe(out, n * sizeof *out);
	return st;
}

enum sotto_status
sotto_planes_draw(const struct sotto_planes *p, struct sotto_rng *rng, int64_t *out)
{
	return core_draw(p, rng, out);
}

static void
compare_portable(const struct sotto_planes *p, uint8_t *words, uint64_t *ones, uint64_t *ties)
{
	for (unsigned k = 0; k < p->count; k++) {
		uint64_t random = sotto_load_word(words + 8 * (size_t)k);

		*ones |= (uint64_t)(random < p->first[k]) << k;
		*ties |= (uint64_t)(random == p->first[k]) << k;
	}
	sotto_wipe(words, 8 * (size_t)p->count);
}

/* Gathers 64 bytes of 0 or 1 into the bits of a word, eight at a time by one product. */
static uint64_t pack_bits(const uint8_t bytes[SOTTO_BLOCK_GROUP])
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < SOTTO_BLOCK_GROUP; i += 8)
		bits |= (sotto_load_word(bytes + i) * UINT64_C(0x0102040810204080) >> 56) << i;
	return bits;
}

/* Puts a bit into the slot of each lane below the head; returns the lanes that are tied. */
static uint64_t
compare_plane(const uint8_t *restrict heads, uint8_t head, unsigned bit, uint8_t *restrict slot)
{
	uint8_t tied[SOTTO_BLOCK_GROUP];
	const uint8_t one = (uint8_t)(1u << bit);

	for (unsigned lane = 0; lane < SOTTO_BLOCK_GROUP; lane++)
		slot[lane] |= (uint8_t)(-(heads[lane] < head) & one);
	for (unsigned lane = 0; lane < SOTTO_BLOCK_GROUP; lane++)
		tied[lane] = heads[lane] == head;
	return pack_bits(tied);
}

static struct sotto_block_record *
heads_portable(const struct sotto_planes *p, const uint8_t *heads, uint32_t group,
	       uint8_t *slots, struct sotto_block_record *records)
{
	for (unsigned s = 0; s < SOTTO_BLOCK_SLOTS; s++)
		if (s * 8 < p->value_bits || s == SOTTO_BLOCK_FLAGS)
			memset(slots + s * SOTTO_BLOCK_STRIDE, 0, SOTTO_BLOCK_GROUP);
	for (unsigned k = 0; k < p->count; k++, heads += SOTTO_BLOCK_GROUP) {
		uint64_t ties = compare_plane(heads, p->head[k], p->bit[k],
					      slots + p->slot[k] * SOTTO_BLOCK_STRIDE);

		*records = (struct sotto_block_record){ties, k, group};
		records += ties != 0;
	}
	return records;
}

static void
widen_portable(const struct sotto_planes *p, const uint8_t *slots, int64_t *out, size_t n)
{
	const uint8_t *flags = slots + SOTTO_BLOCK_FLAGS * SOTTO_BLOCK_STRIDE;
	const int64_t sign_mask = p->has_sign;

	for (size_t i = 0; i < n; i++)
		out[i] = -(flags[i] & sign_mask);
	for (unsigned s = 0; s * 8 < p->value_bits; s++, slots += SOTTO_BLOCK_STRIDE)
		for (size_t i = 0; i < n; i++)
			out[i] ^= (int64_t)slots[i] << 8 * s;
}

const struct sotto_block_path sotto_block_portable = {"portable", heads_portable,
						      compare_portable, widen_portable};
