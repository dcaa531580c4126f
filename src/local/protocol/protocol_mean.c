/* 1BitMean: one bit whose probability rises with the value; its mean is estimated. */
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/threshold.h"
#include "sotto/local.h"

static void set_chances(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	(void)second;
	p->flip = sotto_chance_flip_up(eps, 1, 64);
}

static void odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	sotto_odds_of_flip(p->flip, p->flip2, 1, out, unbounded);
}

static bool permanent(const struct sotto_client_params *p, struct sotto_permanent *out)
{
	*out = (struct sotto_permanent){.flips = 1,
					.zero = p->flip2,
					.one = sotto_chance_complement(p->flip2),
					.both_ways = false,
					.times = 1};
	return p->memoize && p->flip2.numerator > 0;
}

static uint64_t answers(const struct sotto_client_params *p)
{
	return (p->grain ? p->size / p->grain : p->size) + UINT64_C(1);
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

static enum sotto_status simulate(struct sotto_simulation_rng *dice,
				  const struct sotto_client_params *p, const uint64_t *holders,
				  size_t values, uint64_t *groups, uint64_t *cells)
{
	double f = sotto_local_chance(p->flip), g = sotto_local_chance(p->flip2);
	double flip = f + g - 2 * f * g;

	(void)groups;
	for (size_t v = 0; v < values; v++)
		cells[0] += sotto_simulation_binomial(
			dice, holders[v], flip + (double)v / p->size * (1 - 2 * flip));
	return SOTTO_OK;
}

static double likelihood(const struct sotto_client_params *p,
			 const struct sotto_client_value *v, const uint8_t *r)
{
	double flip = flip_twice(sotto_local_chance(p->flip), sotto_local_chance(p->flip2));
	double one = flip + (double)v->number / p->size * (1 - 2 * flip);

	return log(r[0] ? one : 1 - one);
}

const struct sotto_protocol sotto_protocol_ONE_BIT_MEAN = {
	.sizes = "size is at least 1 and a multiple of grain",
	.has_gamma = true,
	.needs_size = true,
	.set_chances = set_chances,
	.odds = odds,
	.permanent = permanent,
	.answers = answers,
	.counting = SOTTO_COUNT_BITS,
	.shape = shape,
	.report_flaw = report_flaw,
	.likelihood = likelihood,
	.simulate = simulate,
};
