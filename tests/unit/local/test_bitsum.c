/* Bit sums: every kernel is the naive loop, for all lengths and all counts. */
#include "local/aggregate/bitsum.h"

#include <stdlib.h>

#include "testlib/tap.h"

static uint64_t state = 1;

static uint8_t byte(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint8_t)(state >> 56);
}

static void agree(sotto_bitsum_kernel kernel, size_t bytes, size_t n)
{
	/* odd start: kernels may not count on alignment */
	uint8_t *data = malloc(bytes * n + 1), *at = data + 1;
	uint64_t *got = calloc(8 * bytes, 8), *want = calloc(8 * bytes, 8);

	for (size_t i = 0; i < bytes * n; i++)
		at[i] = byte();
	for (size_t i = 0; i < 8 * bytes; i++)
		got[i] = want[i] = i; /* adds to what is there */
	kernel(got, bytes, at, n);
	sotto_bitsum_naive(want, bytes, at, n);
	CHECK(memcmp(got, want, 64 * bytes) == 0);
	free(data);
	free(got);
	free(want);
}

static void try_kernel(sotto_bitsum_kernel kernel)
{
	for (size_t bytes = 1; bytes <= 70; bytes++)
		for (size_t n = 0; n <= 140; n += 1 + bytes / 8)
			agree(kernel, bytes, n);
	for (size_t bytes = 1; bytes <= 160; bytes += 13)
		agree(kernel, bytes, 5000 + bytes);
	agree(kernel, 16, 100003);
	agree(kernel, 1, 300001);
}

static void portable_kernel_equals_the_naive_loop(void)
{
	try_kernel(sotto_bitsum_portable);
}

#if defined(__x86_64__)
static void avx2_kernel_equals_the_naive_loop(void)
{
	try_kernel(__builtin_cpu_supports("avx2") ? sotto_bitsum_avx2 : sotto_bitsum_portable);
}

static void avx512_kernel_equals_the_naive_loop(void)
{
	try_kernel(__builtin_cpu_supports("avx512bw") ? sotto_bitsum_avx512
						      : sotto_bitsum_portable);
}
#endif

static void the_chosen_kernel_equals_the_naive_loop(void)
{
	try_kernel(sotto_bitsum_add);
}

/* Blocks one after the other, dropped now and then, for every length that divides a row. */
static void try_steps(struct sotto_bitsum_steps steps)
{
	static struct sotto_bitsum_state sum;
	static uint8_t block[SOTTO_BITSUM_BLOCK];

	memset(&sum, 0, sizeof sum);
	for (size_t bytes = 1; bytes <= SOTTO_BITSUM_ROW; bytes *= 2) {
		uint64_t got[8 * SOTTO_BITSUM_ROW] = {1}, want[8 * SOTTO_BITSUM_ROW] = {1};

		for (int i = 1; i <= 300; i++) {
			for (size_t j = 0; j < sizeof block; j++)
				block[j] = byte();
			steps.fold(&sum, block);
			sotto_bitsum_naive(want, bytes, block, sizeof block / bytes);
			if (i == 1 || i == 40 || i == 41 || i == 300)
				steps.drop(&sum, bytes, got);
		}
		CHECK(memcmp(got, want, sizeof got) == 0);
		CHECK_INT(sum.blocks, 0);
	}
}

static void a_sum_that_goes_on_equals_the_naive_loop(void)
{
	try_steps((struct sotto_bitsum_steps){sotto_bitsum_fold_portable,
					      sotto_bitsum_drop_portable});
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		try_steps((struct sotto_bitsum_steps){sotto_bitsum_fold_avx2,
						      sotto_bitsum_drop_avx2});
#endif
	try_steps(sotto_bitsum_steps_choose());
}

int main(void)
{
	RUN(portable_kernel_equals_the_naive_loop);
#if defined(__x86_64__)
	RUN(avx2_kernel_equals_the_naive_loop);
	RUN(avx512_kernel_equals_the_naive_loop);
#endif
	RUN(the_chosen_kernel_equals_the_naive_loop);
	RUN(a_sum_that_goes_on_equals_the_naive_loop);
	return tap_done();
}
