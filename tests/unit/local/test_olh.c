/* Counting OLH reports over candidates: every kernel counts what the hash function says. */
#include "local/decode/kernel/olh.h"

#include <stdlib.h>
#include <string.h>

#include "local/client/layout.h"
#include "local/decode/supports.h"
#include "testlib/fixture/local.h"
#include "testlib/tap.h"

static const uint32_t ranges[] = {2, 3, 4, 5, 7, 255, 256, 257, 1000, 4096, 65535, 65536};

static bool supports(uint32_t hash, uint64_t symbol, uint32_t range)
{
	return sotto_scale32(hash, range) == symbol;
}

/* Both ends of the interval of each symbol, and the hashes beside them. */
static void an_answer_has_exactly_the_hashes_that_scale_to_its_symbol(void)
{
	const struct sotto_pair_hash h = {0, 0, 0};
	uint64_t wrong = 0;

	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
		for (uint64_t symbol = 0; symbol < ranges[i]; symbol++) {
			struct sotto_olh_answer a = sotto_olh_answer_of(&h, symbol, ranges[i]);
			uint32_t start = (uint32_t)((0 - a.b) >> 32), end = start + a.width;

			wrong += a.width == 0;
			wrong += !supports(start, symbol, ranges[i]);
			wrong += !supports(end - 1, symbol, ranges[i]);
			wrong += supports(start - 1, symbol, ranges[i]);
			wrong += supports(end, symbol, ranges[i]);
		}
	CHECK(wrong == 0);
	CHECK(sotto_olh_answer_of(&h, 5, 5).width == 0);
	CHECK(sotto_olh_answer_of(&h, UINT32_MAX, 5).width == 0);
}

struct kernels {
	const char *name;
	struct sotto_olh_kernel kernel;
	bool here;
};

static size_t all_kernels(struct kernels out[3])
{
	out[0] = (struct kernels){
		"portable", {sotto_olh_small_portable, sotto_olh_wide_portable}, true};
#if defined(__x86_64__)
	out[1] = (struct kernels){"avx2",
				  {sotto_olh_small_avx2, sotto_olh_wide_avx2},
				  __builtin_cpu_supports("avx2")};
	out[2] = (struct kernels){"avx512",
				  {sotto_olh_small_avx512, sotto_olh_wide_avx512},
				  __builtin_cpu_supports("avx512dq") &&
					  __builtin_cpu_supports("avx512bw")};
	return 3;
#else
	return 1;
#endif
}

#define KEYS 203

struct case_of {
	uint32_t range;
	uint64_t keys[KEYS];
	uint32_t low[KEYS];
	struct sotto_pair_hash hash[SOTTO_OLH_TOGETHER];
	uint64_t symbol[SOTTO_OLH_TOGETHER];
	struct sotto_olh_answer answers[SOTTO_OLH_TOGETHER];
};

static void draw(struct case_of *c, uint64_t *seed, uint32_t range, bool small)
{
	uint64_t seeds[2 * SOTTO_OLH_TOGETHER];

	c->range = range;
	local_fill(seed, (uint8_t *)c->keys, sizeof c->keys);
	local_fill(seed, (uint8_t *)seeds, sizeof seeds);
	for (size_t i = 0; i < KEYS; i++) {
		c->keys[i] = small ? c->keys[i] >> 32 : c->keys[i];
		c->low[i] = (uint32_t)c->keys[i];
	}
	for (size_t r = 0; r < SOTTO_OLH_TOGETHER; r++) {
		c->hash[r] = sotto_pair_hash_of_seed(seeds[r]);
		c->symbol[r] = seeds[SOTTO_OLH_TOGETHER + r] % range;
		c->answers[r] = sotto_olh_answer_of(&c->hash[r], c->symbol[r], range);
	}
}

static uint32_t wanted(const struct case_of *c, size_t key)
{
	uint32_t n = 0;

	for (size_t r = 0; r < SOTTO_OLH_TOGETHER; r++)
		n += supports(sotto_pair_hash_at(&c->hash[r], c->keys[key]), c->symbol[r],
			      c->range);
	return n;
}

static uint64_t wrong_counts(const struct sotto_olh_kernel *k, const struct case_of *c,
			     bool small, size_t count)
{
	uint32_t out[KEYS] = {0};
	uint64_t wrong = 0;

	if (small)
		k->small(c->answers, c->low, count, out);
	else
		k->wide(c->answers, c->keys, count, out);
	for (size_t i = 0; i < KEYS; i++)
		wrong += out[i] != (i < count ? wanted(c, i) : 0);
	return wrong;
}

static void every_kernel_counts_what_the_hash_says(void)
{
	struct kernels all[3];
	size_t n = all_kernels(all);
	struct case_of c;
	uint64_t seed = 11;

	for (size_t k = 0; k < n; k++) {
		uint64_t wrong = 0;

		for (int round = 0; all[k].here && round < 60; round++)
			for (int small = 0; small <= 1; small++) {
				draw(&c, &seed, ranges[round % 12], small);
				wrong += wrong_counts(&all[k].kernel, &c, small,
						      (size_t)round % 2 ? KEYS : round);
			}
		CHECK(wrong == 0);
	}
}

/* Numbers of reports that do and do not fill a group, of candidates that pass a tile. */
static void a_count_is_the_plain_double_loop(void)
{
	const size_t keys = 1500, most = 11, stride = 9;
	uint64_t *key = malloc(keys * sizeof *key), *got = malloc(keys * sizeof *got);
	uint8_t reports[11 * 9];
	uint64_t seed = 5, wrong = 0;

	REQUIRE(key && got);
	for (int wide = 0; wide <= 1; wide++)
		for (size_t n = 0; n <= most; n++) {
			local_fill(&seed, reports, sizeof reports);
			local_fill(&seed, (uint8_t *)key, keys * sizeof *key);
			for (size_t i = 0; i < keys; i++) {
				key[i] >>= wide ? 0 : 32;
				got[i] = i;
			}
			for (size_t r = 0; r < n; r++)
				reports[r * stride + 8] %= 6; /* 5 is not a symbol */
			sotto_olh_count(reports, n, stride, 5, key, keys, got);
			for (size_t i = 0; i < keys; i++) {
				uint64_t want = i;

				for (size_t r = 0; r < n; r++) {
					struct sotto_pair_hash h = sotto_pair_hash_of_seed(
						load64_le(reports + r * stride));

					want += supports(sotto_pair_hash_at(&h, key[i]),
							 reports[r * stride + 8], 5);
				}
				wrong += got[i] != want;
			}
		}
	CHECK(wrong == 0);
	free(key);
	free(got);
}

int main(void)
{
	RUN(an_answer_has_exactly_the_hashes_that_scale_to_its_symbol);
	RUN(every_kernel_counts_what_the_hash_says);
	RUN(a_count_is_the_plain_double_loop);
	return tap_done();
}
