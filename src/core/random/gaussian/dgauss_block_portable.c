/* Bulk Gaussian kernels in plain C with 16-byte vectors. */
#include <string.h>

#include "core/random/gaussian/dgauss_block.h"
#include "core/random/generator/random_source.h"

#define JUDGE_BYTES 16

typedef uint8_t bytes_16 __attribute__((vector_size(16)));

/* Every entry is compared with every index, so that no address tells one. */
static void judge_lookup(const uint8_t table[SOTTO_DGAUSS_CELLS],
			 const uint8_t index[SOTTO_DGAUSS_GROUP],
			 uint8_t out[SOTTO_DGAUSS_GROUP])
{
	enum { PARTS = SOTTO_DGAUSS_GROUP / sizeof(bytes_16) };
	bytes_16 at[PARTS], found[PARTS] = {{0}}, j = {0};

	memcpy(at, index, sizeof at);
	for (unsigned i = 0; i < PARTS; i++)
		at[i] &= SOTTO_DGAUSS_CELLS - 1;
	for (unsigned entry = 0; entry < SOTTO_DGAUSS_CELLS; entry++, j += 1)
		for (unsigned i = 0; i < PARTS; i++)
			found[i] |= (bytes_16)(at[i] == j) & table[entry];
	memcpy(out, found, sizeof found);
}

static void judge_choose(const uint8_t *random, const uint8_t *keep, const uint8_t *a,
			 const uint8_t *b, uint8_t *out)
{
	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i += sizeof(bytes_16)) {
		bytes_16 r, k, x, y;

		memcpy(&r, random + i, sizeof r);
		memcpy(&k, keep + i, sizeof k);
		memcpy(&x, a + i, sizeof x);
		memcpy(&y, b + i, sizeof y);
		y ^= (y ^ (x & (SOTTO_DGAUSS_CELLS - 1))) & (bytes_16)(r < k);
		memcpy(out + i, &y, sizeof y);
	}
}

/* Gathers 64 bytes of 0 or 1 into the bits of a word, eight at a time by one product. */
static uint64_t pack_bits(const uint8_t bytes[SOTTO_DGAUSS_GROUP])
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i += 8)
		bits |= (sotto_load_word(bytes + i) * UINT64_C(0x0102040810204080) >> 56) << i;
	return bits;
}

static void judge_compare(const uint16_t *p, const uint16_t *head, int below, int above,
			  struct sotto_dgauss_verdict *verdict)
{
	uint8_t yes[SOTTO_DGAUSS_GROUP], not_no[SOTTO_DGAUSS_GROUP];

	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i++) {
		yes[i] = head[i] < p[i] - below;
		not_no[i] = head[i] <= p[i] + above;
	}
	verdict->yes = pack_bits(yes);
	verdict->open = pack_bits(not_no) & ~verdict->yes;
}

#include "core/random/gaussian/dgauss_judge_kernel.h"

static inline judge_lanes judge_product(judge_lanes a, judge_lanes b)
{
	judge_lanes high;

	for (unsigned i = 0; i < JUDGE_LANES; i++)
		high[i] = (uint16_t)((uint32_t)a[i] * b[i] >> 16);
	return high;
}

static size_t gather(const int64_t *value, uint64_t chosen, int64_t *out)
{
	size_t n = 0;

	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i++) {
		out[n] = value[i];
		n += chosen >> i & 1;
	}
	return n;
}

const struct sotto_dgauss_path sotto_dgauss_portable = {"portable", judge, gather};
