/*
 * RAPPOR: a Bloom filter behind a permanent and an instantaneous response.
 *
 * Privacy, where h hashes set the bits of a value, flip is the probability that the permanent
 * response turns a bit, and p* and q* are those of a 1 in the report for a Bloom bit of 0 and 1:
 * one report is epsilon-private with e^epsilon = (q* (1 - p*) / (p* (1 - q*)))^h (odds()), and
 * all reports of one value together with e^epsilon = ((1 - flip) / flip)^(2 h) (permanent()),
 * because two values differ in at most h bits that only one of them sets, each way.
 */
#include <stdio.h>

#include "core/base/checked.h"
#include "local/client/encode.h"
#include "local/decode/estimate.h"
#include "local/decode/pure.h"
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/row_draw.h"
#include "local/protocol/chance/threshold.h"
#include "sotto/local.h"

/* P(bit of the report = 1) given the Bloom bit: p* for 0 and q* for 1. */
static void exact_rates(const struct sotto_client_params *p, mpq_t p_star, mpq_t q_star)
{
	mpq_t flip, zero, one, part;

	mpq_inits(flip, zero, one, part, NULL);
	sotto_chance_get(p->flip, flip);
	sotto_chance_get(p->zero, zero);
	sotto_chance_get(p->one, one);
	mpq_sub(part, one, zero);
	mpq_mul(part, part, flip);
	mpq_add(p_star, zero, part);
	mpq_sub(q_star, one, part);
	mpq_clears(flip, zero, one, part, NULL);
}

/* Two values differ in all the bits that each of them sets. */
static void odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	mpq_t p_star, q_star;

	mpq_inits(p_star, q_star, NULL);
	exact_rates(p, p_star, q_star);
	sotto_odds_of_swap(q_star, p_star, p->hashes, out, unbounded);
	mpq_clears(p_star, q_star, NULL);
}

static bool permanent(const struct sotto_client_params *p, struct sotto_permanent *out)
{
	*out = (struct sotto_permanent){.flips = 2 * (unsigned long)p->hashes,
					.zero = p->zero,
					.one = p->one,
					.both_ways = true,
					.times = p->hashes};
	return true;
}

static bool shape(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	out->groups = p->groups;
	return sotto_checked_mul_size(p->groups, p->width, &out->cells);
}

static struct sotto_rates rates(const struct sotto_client_params *p)
{
	double flip = sotto_local_chance(p->flip);
	double one = sotto_local_chance(p->one), zero = sotto_local_chance(p->zero);

	return (struct sotto_rates){(1 - flip) * one + flip * zero,
				    flip * one + (1 - flip) * zero};
}

static double null_variance(const struct sotto_client_params *p, double n, double d)
{
	(void)d;
	return sotto_local_variance(n, 0, rates(p).p, rates(p).q, SOTTO_LOCAL_SAMPLE);
}

static double
decode_steps(const struct sotto_client_params *p, double n, double d, double cells)
{
	(void)n;
	(void)cells;
	return d * p->groups * p->hashes;
}

/* The Bloom bits of a value in a cohort. */
static void set_cells(const struct sotto_client_params *p, uint32_t cohort, size_t value,
		      uint64_t users, uint64_t *with)
{
	char name[32];
	int length = snprintf(name, sizeof name, "v%zu", value + 1);
	struct sotto_client_value v = {
		.number = value, .bytes = (const uint8_t *)name, .length = (size_t)length};
	uint8_t bloom[8192];

	sotto_rappor_bloom(p, cohort, &v, bloom);
	for (uint32_t b = 0; b < p->width; b++)
		if (bloom[b / 8] >> b % 8 & 1)
			with[b] += users;
}

static enum sotto_status simulate(struct sotto_simulation_rng *dice,
				  const struct sotto_client_params *p, const uint64_t *holders,
				  size_t values, uint64_t *groups, uint64_t *cells)
{
	const struct sotto_row_law law = {sotto_local_chance(p->zero),
					  sotto_local_chance(p->one), set_cells};

	return sotto_draw_rows(dice, &law, p, holders, values, groups, cells);
}

static double likelihood(const struct sotto_client_params *p,
			 const struct sotto_client_value *v, const uint8_t *r)
{
	unsigned head = bytes_below(p->groups);
	double f = sotto_local_chance(p->flip), zero = sotto_local_chance(p->zero),
	       one = sotto_local_chance(p->one), sum = 0;
	double set = one * (1 - f) + zero * f, unset = zero * (1 - f) + one * f;
	uint8_t bloom[8192] = {0};

	sotto_rappor_bloom(p, (uint32_t)load_le(r, head), v, bloom);
	for (uint32_t i = 0; i < p->width; i++)
		if (bit_at(bloom, i))
			sum += like_bit(bit_at(r + head, i), set, unset);
	return sum;
}

const struct sotto_protocol sotto_protocol_RAPPOR = {
	.given = SOTTO_GIVEN_CHANCES,
	.odds = odds,
	.permanent = permanent,
	.counting = SOTTO_COUNT_ROWS,
	.shape = shape,
	.report_flaw = part_row,
	.likelihood = likelihood,
	.strings_by_regression = true,
	.rates = rates,
	.estimate = sotto_pure_estimate,
	.null_variance = null_variance,
	.decode_steps = decode_steps,
	.simulate = simulate,
};
