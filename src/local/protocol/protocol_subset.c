/* Subset selection: a set of values that more often has the true one. */
#include <math.h>

#include "local/decode/estimate.h"
#include "local/decode/pure.h"
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/threshold.h"
#include "sotto/local.h"

static void choose_sizes(struct sotto_client_params *p, double e)
{
	if (p->hashes == 0)
		p->hashes = (uint32_t)fmax(1, round(p->size / (e + 1)));
}

static void set_chances(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	(void)second;
	p->keep = sotto_chance_keep_down(eps, p->hashes, p->size - p->hashes);
}

static void odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	sotto_odds_of_keep(p->keep, p->hashes, p->size - p->hashes, out, unbounded);
}

static bool shape(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	out->cells = p->size;
	return true;
}

static enum sotto_local_reason
report_flaw(const struct sotto_client_params *p, const uint8_t *r)
{
	return part_ascending(r, p->hashes, bytes_below(p->size), p->size);
}

static struct sotto_rates rates(const struct sotto_client_params *p)
{
	double keep = sotto_local_chance(p->keep), d = p->size, w = p->hashes;

	return (struct sotto_rates){keep, (keep * (w - 1) + (1 - keep) * w) / (d - 1)};
}

static double null_variance(const struct sotto_client_params *p, double n, double d)
{
	(void)d;
	return sotto_local_variance(n, 0, rates(p).p, rates(p).q, SOTTO_LOCAL_SAMPLE);
}

static double likelihood(const struct sotto_client_params *p,
			 const struct sotto_client_value *v, const uint8_t *r)
{
	unsigned bytes = bytes_below(p->size);
	bool in = false;

	for (uint32_t i = 0; i < p->hashes; i++)
		in |= load_le(r + (size_t)i * bytes, bytes) == v->number;
	return like_symbol(in, p->keep, ((double)p->size - p->hashes) / p->hashes);
}

const struct sotto_protocol sotto_protocol_SUBSET = {
	.sizes = "size is at least 2, and hashes, the size of the subset, below it",
	.needs_size = true,
	.choose_sizes = choose_sizes,
	.set_chances = set_chances,
	.odds = odds,
	.counting = SOTTO_COUNT_SUBSETS,
	.shape = shape,
	.report_flaw = report_flaw,
	.likelihood = likelihood,
	.rates = rates,
	.estimate = sotto_pure_estimate,
	.null_variance = null_variance,
};
