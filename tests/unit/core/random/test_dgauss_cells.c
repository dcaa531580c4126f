/*
 * The staircase: it covers the Gaussian everywhere, its alias table has exactly
 * its weights, and what the judges read of it is certified.
 */
#include "core/random/gaussian/dgauss_cells.h"

#include <stdlib.h>

#include "core/number/exp/expansion.h"
#include "core/number/exp/fixed_point.h"
#include "testlib/sampler/sigmas.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

/* x = edge^2 4^shift / (2 sigma2) */
static void edge_exponent(const struct sotto_dgauss *g, unsigned long edge, mpq_t x)
{
	mpq_set_ui(x, edge, 1);
	mpq_mul(x, x, x);
	mpq_mul_2exp(x, x, 2 * g->cells.shift);
	mpq_div(x, x, g->sigma2);
	mpq_div_2exp(x, x, 1);
}

/* floor(2^bits (num/den) exp(-x at the edge)) */
static void edge_floor(const struct sotto_dgauss *g, unsigned long edge, uint64_t num,
		       uint64_t den, unsigned bits, mpz_t out)
{
	mpq_t x;

	mpq_init(x);
	edge_exponent(g, edge, x);
	sotto_expansion_scaled_floor(x, num, den, bits, out);
	mpq_clear(x);
}

/* c exp(-x) <= m_j, the tail's part 2^-(h+1) m included. */
static unsigned uncovered_cells(const struct sotto_dgauss *g)
{
	unsigned bad = g->cells.scale > g->cells.weight[0];
	mpz_t z;

	mpz_init(z);
	for (unsigned j = 1; j < SOTTO_DGAUSS_CELLS + 64; j++) {
		unsigned cell = j < SOTTO_DGAUSS_TAIL ? j : SOTTO_DGAUSS_TAIL;
		unsigned halvings = j < SOTTO_DGAUSS_TAIL ? 0 : j - SOTTO_DGAUSS_TAIL + 1;

		edge_floor(g, j, g->cells.scale, g->cells.weight[cell], halvings, z);
		bad += mpz_sgn(z) != 0; /* a floor of 0: the number is below 1 */
	}
	mpz_clear(z);
	return bad;
}

static unsigned wrong_weights(const struct sotto_dgauss *g)
{
	const struct sotto_dgauss_cells *c = &g->cells;
	unsigned bad = 0, count[SOTTO_DGAUSS_CELLS] = {0};

	for (unsigned column = 0; column < SOTTO_DGAUSS_CELLS; column++)
		for (unsigned byte = 0; byte < SOTTO_DGAUSS_COLUMN; byte++)
			count[byte < c->keep[column] ? column : c->other[column]]++;
	for (unsigned j = 0; j < SOTTO_DGAUSS_CELLS; j++)
		bad += count[j] != c->weight[j];
	return bad;
}

static unsigned wrong_edges(const struct sotto_dgauss *g)
{
	const struct sotto_dgauss_cells *c = &g->cells;
	unsigned bad = 0;
	mpz_t z;

	mpz_init(z);
	for (unsigned j = 0; j < SOTTO_DGAUSS_CELLS; j++) {
		unsigned inner = c->inner[0][j] | c->inner[1][j] << 8;
		unsigned outer = c->outer[0][j] | c->outer[1][j] << 8;

		if (j == SOTTO_DGAUSS_TAIL) {
			bad += inner != 0 || outer != 0;
			continue;
		}
		edge_floor(g, j, c->scale, c->weight[j], 16, z);
		bad += inner != (mpz_cmp_ui(z, 65535) > 0 ? 65535 : mpz_get_ui(z));
		edge_floor(g, j + 1, c->scale, c->weight[j], 16, z);
		bad += outer != mpz_get_ui(z);
	}
	mpz_clear(z);
	return bad;
}

/* Where the judge's series is used delta is below 1.125, and its constants are floors. */
static unsigned wrong_slopes(const struct sotto_dgauss *g)
{
	const struct sotto_dgauss_cells *c = &g->cells;
	unsigned bad = 0;
	mpq_t kappa, delta;

	if (c->shift == 0)
		return 0;
	mpq_inits(kappa, delta, NULL);
	edge_exponent(g, 1, kappa);
	bad += mpq_cmp_ui(kappa, 1, 64) > 0 || mpq_cmp_ui(kappa, 1, 256) <= 0;
	bad += sotto_fixed_down(kappa, 24) != (c->slope_high * 256u + c->slope_low);
	bad += sotto_fixed_down(kappa, 21) != c->curve;
	for (unsigned j = 0; j < SOTTO_DGAUSS_CELLS; j++) {
		mpq_set_ui(delta, 2 * j + 1, 1);
		mpq_mul(delta, delta, kappa);
		if (mpq_cmp_ui(delta, 9, 8) >= 0)
			bad += (c->inner[0][j] | c->inner[1][j]) != 0;
	}
	mpq_clears(kappa, delta, NULL);
	return bad;
}

static void check_law(const struct sotto_dgauss *g)
{
	const struct sotto_dgauss_cells *c = &g->cells;

	CHECK_INT(uncovered_cells(g), 0);
	CHECK_INT(wrong_weights(g), 0);
	CHECK_INT(wrong_edges(g), 0);
	CHECK_INT(wrong_slopes(g), 0);
	CHECK(c->digits <= 3 && 16 * c->digits >= c->shift && 16 * c->digits < c->shift + 16);
	CHECK(c->acceptance > (c->shift ? UINT64_C(3950000000) : UINT64_C(2130000000)));
}

static void every_listed_sigma_has_a_right_staircase(void)
{
	for (size_t i = 0; i < sigmas_count; i++) {
		struct sotto_dgauss *g = law_of(sigmas[i]);

		check_law(g);
		sotto_dgauss_free(g);
	}
}

static void random_sigmas_over_the_whole_range_too(void)
{
	unsigned laws = getenv("SOTTO_LONG") ? 2000 : 40;

	for (unsigned i = 0; i < laws; i++) {
		char text[64];
		uint64_t r[2];
		struct sotto_dgauss *g;

		tape_noise(i, (uint8_t *)r, sizeof r);
		snprintf(text, sizeof text, "%llu/%llu", (unsigned long long)r[0] | 1,
			 (unsigned long long)(r[1] >> (i % 63)) | 1);
		g = law_of(text);
		check_law(g);
		sotto_dgauss_free(g);
	}
}

/* A weight taken from a cell that has none to spare, and the check above must say so. */
static void a_weight_too_small_by_one_is_found(void)
{
	struct sotto_dgauss *g = law_of("10000");

	g->cells.weight[3] -= 1;
	CHECK(uncovered_cells(g) > 0);
	CHECK(wrong_weights(g) > 0);
	g->cells.weight[3] += 1;
	g->cells.keep[3] ^= 1;
	CHECK(wrong_weights(g) > 0);
	g->cells.keep[3] ^= 1;
	g->cells.inner[0][20] ^= 1;
	CHECK(wrong_edges(g) > 0);
	g->cells.inner[0][20] ^= 1;
	check_law(g);
	sotto_dgauss_free(g);
}

int main(void)
{
	RUN(every_listed_sigma_has_a_right_staircase);
	RUN(random_sigmas_over_the_whole_range_too);
	RUN(a_weight_too_small_by_one_is_found);
	return tap_done();
}
