/* Hadamard response: a column of the Hadamard matrix, in one of several blocks. */
#include <math.h>
#include <stdlib.h>

#include "core/base/checked.h"
#include "local/decode/estimate.h"
#include "local/decode/kernel/fwht.h"
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/threshold.h"
#include "sotto/local.h"

static uint32_t power_of_two_from(double x)
{
	uint32_t power = 1;

	while (power < x && power < (1u << 30))
		power *= 2;
	return power;
}

/* B = 2^floor(log2 min(e, 2d)) blocks of 2^ceil(log2(d/B + 1)) columns. */
static void choose_sizes(struct sotto_client_params *p, double e)
{
	double limit = fmin(e, 2.0 * p->size);

	if (p->groups == 0)
		for (p->groups = 1; 2.0 * p->groups <= limit; p->groups *= 2)
			;
	if (p->width == 0)
		p->width = power_of_two_from(ceil((double)p->size / p->groups) + 1);
}

static void set_chances(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	(void)second;
	p->keep = sotto_chance_keep_down(eps, 1, 2 * (uint64_t)p->groups - 1);
}

static void odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	sotto_odds_of_keep(p->keep, 1, 2 * (uint64_t)p->groups - 1, out, unbounded);
}

static bool shape(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	return sotto_checked_mul_size(p->groups, p->width, &out->cells);
}

static enum sotto_local_reason
report_flaw(const struct sotto_client_params *p, const uint8_t *r)
{
	uint64_t columns = (uint64_t)p->groups * p->width;

	return part_value(r, bytes_below(columns), columns);
}

enum { COARSE = 8 };

/*
 * A signed sum of the reports in the value's block.  Each of them adds one to the variance of
 * that sum, so its variance is read off the data; where they are few, what the holders and
 * everybody else send there on average is the better guess if it is more.  The reports of all
 * who do not hold the value have either sign alike: given their number, "nobody" is one binomial.
 */
static void estimate_signed(const struct sotto_client_params *p, double n, uint64_t in_block,
			    int64_t sum, double alpha, enum sotto_local_target target,
			    struct sotto_local_estimate *out)
{
	double keep = sotto_local_chance(p->keep), other = (1 - keep) / (2.0 * p->groups - 1);
	double scale = keep - other, plus = ((double)in_block + (double)sum) / 2;
	double held, null;

	out->count = (double)sum / scale;
	held = fmin(fmax(out->count, 0), n);
	null = fmax((double)in_block, held * (keep + other) + (n - held) * 2 * other) / scale /
	       scale;
	out->sd = sqrt(fmax(null - held, 0) +
		       (target == SOTTO_LOCAL_POPULATION && n > 0 ? held * (1 - held / n) : 0));
	sotto_local_estimate_normal(out, sqrt(null), alpha);
	if (out->sd <
	    COARSE / scale) { /* the sum is whole: a step is not small beside its noise */
		out->low -= .5 / scale;
		out->high += .5 / scale;
	}
	out->p_value = sotto_local_chance_of_nobody(plus, (double)in_block, .5);
}

/* Hadamard response, by one transform of each block. */
static enum sotto_status estimate_hadamard(const struct sotto_local_counts *c,
					   const uint64_t *keys, size_t count, double alpha,
					   enum sotto_local_target target,
					   struct sotto_local_estimate *out)
{
	const struct sotto_client_params *p = c->params;
	double keep = sotto_local_chance(p->keep);
	int64_t *table = malloc((c->cell_count + 1) * sizeof *table);
	uint64_t *in_block = calloc(p->groups, sizeof *in_block);
	enum sotto_status st = SOTTO_OK;

	if (!table || !in_block) {
		free(table);
		free(in_block);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < c->cell_count; i++) {
		table[i] = (int64_t)c->cells[i];
		in_block[i / p->width] += c->cells[i];
	}
	for (uint32_t b = 0; b < p->groups; b++)
		sotto_fwht_i64(table + (size_t)b * p->width, p->width);
	for (size_t i = 0; i < count && st == SOTTO_OK; i++) {
		size_t block = keys[i] % p->groups, row = keys[i] / p->groups + 1;
		int64_t sum = table[block * p->width + row];

		if (p->groups == 1) /* one block is a pure protocol, with exact intervals */
			st = sotto_local_estimate_pure(
				c->reports, (uint64_t)(((int64_t)c->reports + sum) / 2), keep,
				.5, alpha, target, &out[i]);
		else
			estimate_signed(p, (double)c->reports, in_block[block], sum, alpha,
					target, &out[i]);
	}
	free(table);
	free(in_block);
	return st;
}

static double null_variance(const struct sotto_client_params *p, double n, double d)
{
	double keep = sotto_local_chance(p->keep), others = 2.0 * p->groups - 1;
	double scale = keep - (1 - keep) / others;
	double in = (keep + (2 * p->groups - 1) * (1 - keep) / others) / p->groups;

	(void)d;
	return n * in / scale / scale;
}

static double
decode_steps(const struct sotto_client_params *p, double n, double d, double cells)
{
	(void)n;
	(void)d;
	return cells * log2(p->width);
}

static double likelihood(const struct sotto_client_params *p,
			 const struct sotto_client_value *v, const uint8_t *r)
{
	uint64_t column = load_le(r, bytes_below((uint64_t)p->groups * p->width));
	uint32_t row = (uint32_t)v->number / p->groups + 1;
	bool own_block = column / p->width == (v->number & (p->groups - 1));

	return like_symbol(own_block && !__builtin_parity((uint32_t)(column % p->width) & row),
			   p->keep, 2.0 * p->groups - 1);
}

const struct sotto_protocol sotto_protocol_HR = {
	.sizes = "size is 2 to 2147483648, width and groups are powers of two, and one group "
		 "has fewer than "
		 "width of the values",
	.needs_size = true,
	.choose_sizes = choose_sizes,
	.set_chances = set_chances,
	.odds = odds,
	.counting = SOTTO_COUNT_SYMBOLS,
	.shape = shape,
	.report_flaw = report_flaw,
	.likelihood = likelihood,
	.outputs = SOTTO_OUTPUTS_COLUMNS,
	.estimate = estimate_hadamard,
	.null_variance = null_variance,
	.decode_steps = decode_steps,
};
