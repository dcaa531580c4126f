/* Randomized response on one bit: two coins, given by their probabilities. */
#include "local/decode/estimate.h"
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/row_draw.h"
#include "sotto/local.h"

static void odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	sotto_odds_of_bit(p->one, p->zero, out, unbounded);
}

static bool shape(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	(void)p;
	out->cells = 1;
	return true;
}

static enum sotto_local_reason
report_flaw(const struct sotto_client_params *p, const uint8_t *r)
{
	(void)p;
	return part_value(r, 1, 2);
}

/* "no" is supported by a no, "yes" by a yes. */
static enum sotto_status estimate(const struct sotto_local_counts *c, const uint64_t *keys,
				  size_t count, double alpha, enum sotto_local_target target,
				  struct sotto_local_estimate *out)
{
	double one = sotto_local_chance(c->params->one),
	       zero = sotto_local_chance(c->params->zero);
	uint64_t yes = c->cells[0];
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; i < count && st == SOTTO_OK; i++)
		st = keys[i] == 0
			     ? sotto_local_estimate_pure(c->reports, c->reports - yes, 1 - zero,
							 1 - one, alpha, target, &out[i])
			     : sotto_local_estimate_pure(c->reports, yes, one, zero, alpha,
							 target, &out[i]);
	return st;
}

static enum sotto_status simulate(struct sotto_simulation_rng *dice,
				  const struct sotto_client_params *p, const uint64_t *holders,
				  size_t values, uint64_t *groups, uint64_t *cells)
{
	(void)values;
	(void)groups;
	cells[0] = sotto_draw_cell(dice, holders[0] + holders[1], holders[1],
				   sotto_local_chance(p->one), sotto_local_chance(p->zero));
	return SOTTO_OK;
}

static double likelihood(const struct sotto_client_params *p,
			 const struct sotto_client_value *v, const uint8_t *r)
{
	bool yes = v->number != 0;
	double one = sotto_local_chance(yes ? p->one : p->zero);

	return log(r[0] ? one : 1 - one);
}

const struct sotto_protocol sotto_protocol_RR = {
	.given = SOTTO_GIVEN_CHANCES,
	.odds = odds,
	.counting = SOTTO_COUNT_BITS,
	.shape = shape,
	.report_flaw = report_flaw,
	.likelihood = likelihood,
	.outputs = SOTTO_OUTPUTS_ANSWERS,
	.estimate = estimate,
	.simulate = simulate,
};
