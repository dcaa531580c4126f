/* Unary encodings, symmetric (SUE) and optimized (OUE): a bit for each value. */
#include "local/decode/estimate.h"
#include "local/decode/pure.h"
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/row_draw.h"
#include "local/protocol/chance/threshold.h"
#include "sotto/local.h"

static void set_symmetric(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	(void)second;
	p->zero = sotto_chance_flip_up(eps, 2, SOTTO_VECTOR_BITS);
	p->one = sotto_chance_complement(p->zero);
}

static void set_optimized(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	(void)second;
	p->zero = sotto_chance_flip_up(eps, 1, SOTTO_VECTOR_BITS);
	p->one = (struct sotto_client_chance){UINT64_C(1) << 63, false}; /* a half */
}

static void odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	mpq_t one, zero;

	mpq_inits(one, zero, NULL);
	sotto_chance_get(p->one, one);
	sotto_chance_get(p->zero, zero);
	sotto_odds_of_swap(one, zero, 1, out, unbounded);
	mpq_clears(one, zero, NULL);
}

static bool shape(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	out->cells = p->size;
	return true;
}

static enum sotto_local_reason
report_flaw(const struct sotto_client_params *p, const uint8_t *r)
{
	return part_padding(r, p->size);
}

static struct sotto_rates rates(const struct sotto_client_params *p)
{
	return (struct sotto_rates){sotto_local_chance(p->one), sotto_local_chance(p->zero)};
}

static double null_variance(const struct sotto_client_params *p, double n, double d)
{
	(void)d;
	return sotto_local_variance(n, 0, rates(p).p, rates(p).q, SOTTO_LOCAL_SAMPLE);
}

static enum sotto_status simulate(struct sotto_simulation_rng *dice,
				  const struct sotto_client_params *p, const uint64_t *holders,
				  size_t values, uint64_t *groups, uint64_t *cells)
{
	struct sotto_rates r = rates(p);
	uint64_t n = 0;

	(void)groups;
	for (size_t v = 0; v < values; v++)
		n += holders[v];
	for (size_t v = 0; v < p->size; v++)
		cells[v] = sotto_draw_cell(dice, n, v < values ? holders[v] : 0, r.p, r.q);
	return SOTTO_OK;
}

static double likelihood(const struct sotto_client_params *p,
			 const struct sotto_client_value *v, const uint8_t *r)
{
	return like_bit(bit_at(r, v->number), sotto_local_chance(p->one),
			sotto_local_chance(p->zero));
}

#define UNARY                                                                                  \
	.needs_size = true, .sizes = "size is 2 to 262144", .odds = odds,                      \
	.counting = SOTTO_COUNT_VECTORS, .shape = shape, .report_flaw = report_flaw,           \
	.likelihood = likelihood, .rates = rates, .estimate = sotto_pure_estimate,             \
	.null_variance = null_variance, .simulate = simulate

const struct sotto_protocol sotto_protocol_SUE = {UNARY, .set_chances = set_symmetric};
const struct sotto_protocol sotto_protocol_OUE = {UNARY, .set_chances = set_optimized};
