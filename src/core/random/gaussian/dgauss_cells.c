/* Weights, alias table and edges of the staircase; why this is enough: dgauss_block.md. */
#include "core/random/gaussian/dgauss_cells.h"

#include <string.h>

#include "core/base/wide.h"
#include "core/number/exp/exp_enclosure.h"
#include "core/number/exp/expansion.h"
#include "core/number/exp/fixed_point.h"

enum { CELLS = SOTTO_DGAUSS_CELLS };

/* exp(-j^2 kappa), enclosed, for the inner edges of all cells and of the one after. */
struct edges {
	mpq_t kappa;
	struct sotto_exp_enclosure at[CELLS + 1];
};

static void exponent_at_edge(const struct edges *e, unsigned j, mpq_t x)
{
	mpq_set_ui(x, (unsigned long)j * j, 1);
	mpq_mul(x, x, e->kappa);
}

static void edges_init(struct edges *e, const mpq_t sigma2, unsigned shift)
{
	mpq_t x;

	mpq_init(x);
	mpq_init(e->kappa);
	mpq_inv(e->kappa, sigma2);
	mpq_div_2exp(e->kappa, e->kappa, 1);
	mpq_mul_2exp(e->kappa, e->kappa, 2 * shift);
	for (unsigned j = 0; j <= CELLS; j++) {
		exponent_at_edge(e, j, x);
		e->at[j] = sotto_exp_enclose_rational(x);
	}
	mpq_clear(x);
}

/* The least shift with sigma2 < 128 * 4^shift: sigma is then at most 11.4 cells. */
static unsigned shift_of(const mpq_t sigma2)
{
	unsigned shift = 0;
	mpq_t cells;

	mpq_init(cells);
	for (mpq_set(cells, sigma2); mpq_cmp_ui(cells, CELLS, 1) >= 0; shift++)
		mpq_div_2exp(cells, cells, 2);
	mpq_clear(cells);
	return shift;
}

/* An integer above c exp(-j^2 kappa), j >= 1. */
static uint32_t weight_of(const struct edges *e, uint32_t scale, unsigned j)
{
	sotto_u128 above = (e->at[j].high >> (SOTTO_EXP_SCALE - 64)) + 1;

	return (uint32_t)(scale * above >> 64) + 1;
}

static uint32_t weight_sum(const struct edges *e, uint32_t scale)
{
	uint32_t sum = scale; /* cell 0: at least c, and what is left over */

	for (unsigned j = 1; j < CELLS; j++)
		sum += weight_of(e, scale, j);
	return sum;
}

/* The largest c whose weights fit. */
static uint32_t scale_of(const struct edges *e)
{
	uint32_t fits = 1, too_large = SOTTO_DGAUSS_WEIGHT;

	while (too_large - fits > 1) {
		uint32_t middle = (fits + too_large) / 2;

		if (weight_sum(e, middle) <= SOTTO_DGAUSS_WEIGHT)
			fits = middle;
		else
			too_large = middle;
	}
	return fits;
}

static void set_weights(struct sotto_dgauss_cells *c, const struct edges *e)
{
	uint32_t left = SOTTO_DGAUSS_WEIGHT;

	c->scale = scale_of(e);
	for (unsigned j = 1; j < CELLS; j++) {
		c->weight[j] = (uint16_t)weight_of(e, c->scale, j);
		left -= c->weight[j];
	}
	c->weight[0] = (uint16_t)left;
}

/*
 * Walker's alias table in integers: a cell that does not fill its column gets the
 * rest of it filled by one that has more than a column.
 */
static void set_columns(struct sotto_dgauss_cells *c)
{
	uint8_t poor[CELLS], rich[CELLS];
	unsigned poor_count = 0, rich_count = 0;
	uint32_t left[CELLS];

	for (unsigned j = 0; j < CELLS; j++) {
		left[j] = c->weight[j];
		c->keep[j] = 0;
		c->other[j] = (uint8_t)j;
		if (left[j] < SOTTO_DGAUSS_COLUMN)
			poor[poor_count++] = (uint8_t)j;
		else
			rich[rich_count++] = (uint8_t)j;
	}
	while (poor_count) {
		uint8_t to = poor[--poor_count], from = rich[rich_count - 1];

		c->keep[to] = (uint8_t)left[to];
		c->other[to] = from;
		left[from] -= SOTTO_DGAUSS_COLUMN - left[to];
		if (left[from] < SOTTO_DGAUSS_COLUMN) {
			rich_count--;
			poor[poor_count++] = from;
		}
	}
}

/* floor(2^16 (c / m_j) exp(-edge^2 kappa)), one less where that is 2^16. */
static uint16_t acceptance_at(const struct sotto_dgauss_cells *c, const struct edges *e,
			      unsigned j, unsigned edge)
{
	const unsigned drop = 14, keep = SOTTO_EXP_SCALE - drop - 16;
	sotto_u128 low = (e->at[edge].low >> drop) * c->scale / c->weight[j] >> keep;
	sotto_u128 high = ((e->at[edge].high >> drop) + 1) * c->scale / c->weight[j] >> keep;
	uint64_t floor = (uint64_t)low;
	mpq_t x;
	mpz_t z;

	if (low != high) {
		mpq_init(x);
		mpz_init(z);
		exponent_at_edge(e, edge, x);
		sotto_expansion_scaled_floor(x, c->scale, c->weight[j], 16, z);
		floor = mpz_get_ui(z);
		mpz_clear(z);
		mpq_clear(x);
	}
	return floor < 65535 ? (uint16_t)floor : 65535;
}

static void set_acceptance(struct sotto_dgauss_cells *c, const struct edges *e)
{
	for (unsigned j = 0; j < SOTTO_DGAUSS_TAIL; j++) {
		uint16_t inner = acceptance_at(c, e, j, j),
			 outer = acceptance_at(c, e, j, j + 1);

		c->inner[0][j] = (uint8_t)inner;
		c->inner[1][j] = (uint8_t)(inner >> 8);
		c->outer[0][j] = (uint8_t)outer;
		c->outer[1][j] = (uint8_t)(outer >> 8);
	}
}

/* c 2^-16 times the sum of exp(-j^2 kappa) over all integers j. */
static void set_plan(struct sotto_dgauss_cells *c, const struct edges *e)
{
	const unsigned drop = SOTTO_EXP_SCALE - 64;
	sotto_u128 sum = (sotto_u128)1 << 64;

	for (unsigned j = 1; j < CELLS; j++)
		sum += 2 * (e->at[j].low >> drop);
	c->acceptance = (uint64_t)(sum * c->scale >> (64 + 16 - 32));
}

/*
 * In units of 2^-16, fitted for the least largest error of 1 - 2 v s(v) against
 * exp(-2 v), 0 <= v <= 0.5625.  The tests check the error at every v.
 */
static const uint16_t series[SOTTO_DGAUSS_SERIES] = {65534, 65473, 43158, 19831, 5105};

static void set_judge(struct sotto_dgauss_cells *c, const struct edges *e)
{
	uint32_t slope = (uint32_t)sotto_fixed_down(e->kappa, 24);

	c->slope_high = (uint16_t)(slope >> 8);
	c->slope_low = (uint16_t)(slope & 255);
	c->curve = (uint16_t)sotto_fixed_down(e->kappa, 21);
	c->place_mask = (uint16_t)(c->shift < 16 ? 0xffff << (16 - c->shift) : 0xffff);
	c->sign_step = (uint16_t)(c->shift <= 16 ? 1 << (16 - c->shift) : 0);
	memcpy(c->series, series, sizeof series);
}

void sotto_dgauss_cells_init(struct sotto_dgauss_cells *c, const mpq_t sigma2)
{
	struct edges e;

	memset(c, 0, sizeof *c);
	c->shift = shift_of(sigma2);
	c->digits = (c->shift + 15) / 16;
	edges_init(&e, sigma2, c->shift);
	set_weights(c, &e);
	set_columns(c);
	set_acceptance(c, &e);
	set_plan(c, &e);
	if (c->shift > 0)
		set_judge(c, &e);
	mpq_clear(e.kappa);
}
