/* K-ary randomized response: the value itself, or one of the others. */
#include "local/decode/estimate.h"
#include "local/decode/pure.h"
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/threshold.h"
#include "sotto/local.h"

static void set_chances(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	(void)second;
	p->keep = sotto_chance_keep_down(eps, 1, p->size - 1);
}

static void odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	sotto_odds_of_keep(p->keep, 1, p->size - 1, out, unbounded);
}

static bool shape(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	out->cells = p->size;
	return true;
}

static enum sotto_local_reason
report_flaw(const struct sotto_client_params *p, const uint8_t *r)
{
	return part_value(r, bytes_below(p->size), p->size);
}

static struct sotto_rates rates(const struct sotto_client_params *p)
{
	double keep = sotto_local_chance(p->keep);

	return (struct sotto_rates){keep, (1 - keep) / (p->size - 1.0)};
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
	double keep = sotto_local_chance(p->keep);

	(void)groups;
	for (size_t v = 0; v < values; v++) {
		uint64_t kept = sotto_simulation_binomial(dice, holders[v], keep),
			 rest = holders[v] - kept;
		uint64_t others = p->size - 1;

		cells[v] += kept;
		for (size_t y = 0; y < p->size && rest > 0; y++) {
			uint64_t x;

			if (y == v)
				continue;
			x = others == 1 ? rest
					: sotto_simulation_binomial(dice, rest,
								    1.0 / (double)others);
			cells[y] += x;
			rest -= x;
			others--;
		}
	}
	return SOTTO_OK;
}

static double likelihood(const struct sotto_client_params *p,
			 const struct sotto_client_value *v, const uint8_t *r)
{
	return like_symbol(load_le(r, bytes_below(p->size)) == v->number, p->keep,
			   p->size - 1.0);
}

const struct sotto_protocol sotto_protocol_GRR = {
	.sizes = "size is 2 to 2147483648",
	.needs_size = true,
	.set_chances = set_chances,
	.odds = odds,
	.counting = SOTTO_COUNT_SYMBOLS,
	.shape = shape,
	.report_flaw = report_flaw,
	.likelihood = likelihood,
	.outputs = SOTTO_OUTPUTS_SYMBOLS,
	.rates = rates,
	.estimate = sotto_pure_estimate,
	.null_variance = null_variance,
	.simulate = simulate,
};
