/*
 * The judges: right on every candidate that 16 digits can tell apart, the same on
 * every instruction set.
 *
 * The portable judge is included once more under another name, so that its p can
 * be read.
 */
#include "core/random/gaussian/dgauss_block.h"

#include <stdlib.h>

#include "core/number/exp/exp_enclosure.h"
#include "core/random/generator/random_source.h"
#include "testlib/sampler/sigmas.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

#define sotto_dgauss_portable copy_portable
#include "core/random/gaussian/dgauss_block_portable.c"
#undef sotto_dgauss_portable

enum { GROUP = SOTTO_DGAUSS_GROUP, HEADS = 1 << 16 };

/* How far 2^16 times the acceptance lies from the judge's p, at least and at most. */
struct errors {
	double low, high;
};

/* 2^16 (c/m) exp(-x) of the candidate with this magnitude, as far as a double tells. */
static double true_p(const struct sotto_dgauss *g, unsigned cell, uint64_t magnitude)
{
	struct sotto_exp_word_enclosure e =
		sotto_exp_enclose_word(sotto_dgauss_exponent_at(&g->bulk, magnitude));

	return ldexp((double)e.low * g->cells.scale / g->cells.weight[cell],
		     16 - SOTTO_EXP_WORD_SCALE);
}

static void widen(struct errors *e, double p, uint16_t judged)
{
	e->low = fmin(e->low, p - judged);
	e->high = fmax(e->high, p - judged);
}

/* The nearest and the farthest magnitude of the candidates with this cell, sign and first digit. */
static void add_candidates(const struct sotto_dgauss *g, unsigned cell, unsigned sign,
			   uint64_t digit, uint16_t judged, struct errors *e)
{
	unsigned shift = g->cells.shift;
	uint64_t near = (uint64_t)cell << shift, far;

	if (shift <= 16) {
		near += (digit >> (16 - shift)) + sign;
		far = near;
	} else {
		near += (digit << (shift - 16)) + sign;
		far = near + (UINT64_C(1) << (shift - 16)) - 1;
	}
	widen(e, true_p(g, cell, near), judged);
	if (far != near)
		widen(e, true_p(g, cell, far), judged);
}

/* All cells but the tail, both signs, and of the first digits 64 in every `stride`. */
static struct errors errors_of(const struct sotto_dgauss *g, unsigned stride)
{
	struct errors e = {0, 0};
	uint8_t bytes[SOTTO_DGAUSS_GROUP_BYTES] = {0}, cells[GROUP];
	uint16_t p[GROUP];

	for (unsigned cell = 0; cell < SOTTO_DGAUSS_TAIL; cell++)
		for (unsigned sign = 0; sign < 2; sign++)
			for (unsigned digit = 0; digit < HEADS; digit += stride) {
				for (unsigned i = 0; i < GROUP; i++) {
					uint16_t d = (uint16_t)(digit + i);

					cells[i] = (uint8_t)cell;
					bytes[i] = (uint8_t)(sign << 7);
					bytes[4 * GROUP + 2 * i] = (uint8_t)d;
					bytes[4 * GROUP + 2 * i + 1] = (uint8_t)(d >> 8);
				}
				judge_wide_cells(&g->cells, bytes, cells, p);
				for (unsigned i = 0; i < GROUP; i++)
					add_candidates(g, cell, sign, digit + i, p[i], &e);
			}
	return e;
}

static bool within_the_band(struct errors e)
{
	return e.low > -SOTTO_DGAUSS_BELOW && e.high < SOTTO_DGAUSS_ABOVE + 1;
}

static void every_candidate_is_judged_within_the_band(void)
{
	static const char *const some[] = {"128", "10000", "549755813888", "1e24"};
	bool all = getenv("SOTTO_LONG") != NULL;

	for (size_t i = 0; i < (all ? sigmas_count : sizeof some / sizeof some[0]); i++) {
		struct sotto_dgauss *g = law_of(all ? sigmas[i] : some[i]);

		if (g->cells.shift > 0) {
			struct errors e = errors_of(g, GROUP);

			tap_note("shift %u: p is off by %.2f to %.2f", g->cells.shift, e.low,
				 e.high);
			CHECK(within_the_band(e));
			CHECK(e.low < -1 && e.high > 2); /* or nothing was measured */
		}
		sotto_dgauss_free(g);
	}
}

/* [-1.04, 2.73] is what dgauss_block.md counts with. */
static void the_series_is_as_good_as_stated(void)
{
	struct sotto_dgauss *g = law_of("10000");
	struct errors e = {0, 0};

	for (unsigned delta = 0; delta <= 36900; delta++) {
		judge_lanes x = judge_exp(&g->cells, judge_all((uint16_t)delta));

		widen(&e, 65536 * exp(-(double)delta / 32768), x[0]);
	}
	CHECK(e.low > -1.04 && e.high < 2.73);
	sotto_dgauss_free(g);
}

static void a_wrong_digit_in_any_coefficient_is_found(void)
{
	struct sotto_dgauss *g = law_of("10000");

	for (unsigned n = 0; n < 5; n++) {
		unsigned bit = 4 + 2 * n; /* the later, the less it weighs */

		g->cells.series[n] ^= (uint16_t)(1 << bit);
		CHECK(!within_the_band(errors_of(g, 16 * GROUP)));
		g->cells.series[n] ^= (uint16_t)(1 << bit);
	}
	g->cells.slope_low ^= 128;
	CHECK(!within_the_band(errors_of(g, 16 * GROUP)));
	g->cells.slope_low ^= 128;
	g->cells.curve ^= 1 << 10;
	CHECK(!within_the_band(errors_of(g, 16 * GROUP)));
	g->cells.curve ^= 1 << 10;
	CHECK(within_the_band(errors_of(g, 16 * GROUP)));
	sotto_dgauss_free(g);
}

/* Heads around p: below the band yes, above it no, in it open, also at both ends of 16 bits. */
static void heads_are_compared_as_stated(void)
{
	static const uint16_t ps[] = {0, 1, 7, 8, 9, 1000, 65528, 65529, 65530, 65534, 65535};

	for (size_t k = 0; k < sizeof ps / sizeof ps[0]; k++)
		for (int first = -40; first < 40; first += 40) {
			struct sotto_dgauss_verdict v;
			uint16_t p[GROUP], head[GROUP];

			for (int i = 0; i < GROUP; i++) {
				p[i] = ps[k];
				head[i] = (uint16_t)(ps[k] + first + i);
			}
			judge_compare(p, head, SOTTO_DGAUSS_BELOW, SOTTO_DGAUSS_ABOVE, &v);
			for (int i = 0; i < GROUP; i++) {
				int above = head[i] - ps[k];

				CHECK_INT(v.yes >> i & 1, above < -SOTTO_DGAUSS_BELOW);
				CHECK_INT(v.open >> i & 1, above >= -SOTTO_DGAUSS_BELOW &&
								   above <= SOTTO_DGAUSS_ABOVE);
			}
		}
}

static const struct sotto_dgauss_path *paths[] = {
	&sotto_dgauss_portable,
#if defined(__x86_64__)
	&sotto_dgauss_avx2,
	&sotto_dgauss_avx512,
#endif
};

static bool can_run(const struct sotto_dgauss_path *path)
{
	const struct sotto_dgauss_path *best = sotto_dgauss_path_best();

	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		if (paths[i] == path)
			return true;
		if (paths[i] == best)
			return false;
	}
	return false;
}

struct judged {
	int64_t value[GROUP], gathered[GROUP];
	uint16_t head[GROUP];
	struct sotto_dgauss_verdict verdict;
	size_t count;
};

static void judge_by(const struct sotto_dgauss_path *path, const struct sotto_dgauss_cells *c,
		     const uint8_t *bytes, struct judged *j)
{
	memset(j, 0, sizeof *j);
	path->judge(c, bytes, j->value, j->head, &j->verdict);
	j->count = path->gather(j->value, j->verdict.yes | j->verdict.open, j->gathered);
	for (size_t i = j->count; i < GROUP; i++)
		j->gathered[i] = 0;
}

/* Random bytes, but in some groups every head equal to p, so that all is open. */
static void paths_judge_and_gather_alike(void)
{
	unsigned groups = getenv("SOTTO_LONG") ? 20000 : 500;
	uint64_t different = 0, open = 0;

	for (size_t i = 0; i < sigmas_count; i++) {
		struct sotto_dgauss *g = law_of(sigmas[i]);

		for (unsigned k = 0; k < groups; k++) {
			uint8_t bytes[SOTTO_DGAUSS_GROUP_BYTES];
			struct judged want, got;

			tape_noise(1000 * i + k, bytes, sizeof bytes);
			if (k % 4 == 0)
				memset(bytes + 2 * GROUP, k % 8 ? 0 : 255, 2 * GROUP);
			judge_by(&sotto_dgauss_portable, &g->cells, bytes, &want);
			open += want.verdict.open != 0;
			for (size_t p = 1; p < sizeof paths / sizeof paths[0]; p++) {
				if (!can_run(paths[p]))
					continue;
				judge_by(paths[p], &g->cells, bytes, &got);
				different += memcmp(&want, &got, sizeof got) != 0;
			}
		}
		sotto_dgauss_free(g);
	}
	CHECK_INT(different, 0);
	CHECK(open > 0);
}

static void gathering_keeps_the_chosen_in_order(void)
{
	int64_t value[GROUP], out[GROUP];

	for (int i = 0; i < GROUP; i++)
		value[i] = INT64_MIN + i;
	for (unsigned k = 0; k < 2000; k++) {
		uint64_t chosen = k ? 0 : UINT64_MAX;
		size_t n = 0, wrong = 0;

		if (k > 1)
			tape_noise(k, (uint8_t *)&chosen, sizeof chosen);
		for (size_t p = 0; p < sizeof paths / sizeof paths[0]; p++) {
			if (!can_run(paths[p]))
				continue;
			n = paths[p]->gather(value, chosen, out);
			CHECK_INT(n, __builtin_popcountll(chosen));
			for (unsigned i = 0, at = 0; i < GROUP; i++)
				if (chosen >> i & 1)
					wrong += out[at++] != value[i];
		}
		CHECK_INT(wrong, 0);
	}
}

int main(void)
{
	RUN(the_series_is_as_good_as_stated);
	RUN(every_candidate_is_judged_within_the_band);
	RUN(a_wrong_digit_in_any_coefficient_is_found);
	RUN(heads_are_compared_as_stated);
	RUN(paths_judge_and_gather_alike);
	RUN(gathering_keeps_the_chosen_in_order);
	return tap_done();
}
