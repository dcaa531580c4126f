/* Sorted increments are plain increments, whatever the size of the table. */
#include "local/aggregate/scatter.h"

#include <stdlib.h>

#include "testlib/fixture/local.h"
#include "testlib/tap.h"

#define BLOCK 20000

struct stream {
	uint64_t seed;
	uint32_t at[BLOCK];
	uint8_t minus[BLOCK];
};

/* Places below cells; every second time close together, so that bytes overflow. */
static void draw(struct stream *x, size_t cells, bool hot)
{
	local_fill(&x->seed, (uint8_t *)x->at, sizeof x->at);
	local_fill(&x->seed, x->minus, sizeof x->minus);
	for (size_t i = 0; i < BLOCK; i++) {
		x->at[i] = (uint32_t)(x->at[i] % (hot && cells > 7 ? 7 : cells));
		x->minus[i] = x->minus[i] < 100;
	}
}

static bool same_as_plain(size_t cells, bool both_ways, unsigned blocks)
{
	uint64_t *got = calloc(cells, 8), *want = calloc(cells, 8);
	struct stream *x = calloc(1, sizeof *x);
	struct sotto_scatter *s = NULL;
	bool same;

	if (!got || !want || !x || sotto_scatter_new(cells, both_ways, &s) != SOTTO_OK)
		return false;
	for (unsigned b = 0; b < blocks; b++) {
		draw(x, cells, b % 2);
		for (size_t i = 0; i < BLOCK; i++)
			want[x->at[i]] += both_ways && x->minus[i] ? UINT64_MAX : 1;
		sotto_scatter_add(s, got, x->at, both_ways ? x->minus : NULL, BLOCK - b % 3);
		for (size_t i = BLOCK - b % 3; i < BLOCK; i++)
			sotto_scatter_add(s, got, x->at + i, both_ways ? x->minus + i : NULL,
					  1);
		if (b % 16 == 15)
			sotto_scatter_flush(s, got);
	}
	sotto_scatter_flush(s, got);
	same = memcmp(got, want, cells * 8) == 0;
	sotto_scatter_free(s);
	free(got);
	free(want);
	free(x);
	return same;
}

static void tables_of_any_size_get_what_plain_increments_give(void)
{
	static const size_t sizes[] = {1,      7,      65535,   65536,   65537,
				       131072, 300000, 1 << 20, 3000001, (1 << 25) + 5};

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		for (int both = 0; both <= 1; both++)
			CHECK(same_as_plain(sizes[i], both, 40));
}

/* All in one lane: it is applied before it overflows, and bytes carry both ways. */
static void one_cell_takes_a_million_steps_up_and_down(void)
{
	const size_t cells = 1 << 20, n = 1000000;
	uint64_t *table = calloc(cells, 8);
	uint32_t *at = malloc(n * sizeof *at);
	uint8_t *minus = calloc(n, 1);
	struct sotto_scatter *s = NULL;

	REQUIRE(table && at && minus && sotto_scatter_new(cells, true, &s) == SOTTO_OK);
	for (size_t i = 0; i < n; i++)
		at[i] = 70000;
	sotto_scatter_add(s, table, at, minus, n);
	sotto_scatter_flush(s, table);
	CHECK(table[70000] == n);
	memset(minus, 1, n);
	for (int i = 0; i < 3; i++)
		sotto_scatter_add(s, table, at, minus, n);
	sotto_scatter_flush(s, table);
	CHECK(table[70000] == (uint64_t)-2 * n);
	sotto_scatter_flush(s, table);
	CHECK(table[70000] == (uint64_t)-2 * n);
	sotto_scatter_free(s);
	free(table);
	free(at);
	free(minus);
}

static void too_many_cells_are_refused(void)
{
	struct sotto_scatter *s = NULL;

	CHECK_INT(sotto_scatter_new(((size_t)1 << 32) + 1, false, &s), SOTTO_ERANGE);
	CHECK(s == NULL);
}

int main(void)
{
	RUN(tables_of_any_size_get_what_plain_increments_give);
	RUN(one_cell_takes_a_million_steps_up_and_down);
	RUN(too_many_cells_are_refused);
	return tap_done();
}
