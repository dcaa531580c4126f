/*
 * Iterative Bayesian updates (Agrawal, Aggarwal 2001): share_v <- sum over outputs y of
 * (c_y / n) share_v A(y|v) / sum_u share_u A(y|u), to the maximum of the likelihood.
 *
 * In these protocols A(y|v) has two values for each output, one for the values that
 * it supports and one for the others: a bit per pair is enough.
 */
#include "local/decode/ibu.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/family.h"
#include "local/decode/consistency.h"
#include "sotto/discover.h"
#include "sotto/local.h"
#include "local/protocol/record.h"

#define PAIRS_MAX (UINT64_C(1) << 31)
#define ROUNDS_USUAL 10000
#define CHANGE_MIN 1e-9 /* it goes on until no share moves by that */

struct outputs {
	size_t count, values, words; /* words of 64 bits per output */
	double *weight; /* reports with this output */
	double high[2], low[2]; /* A for supported values and for others; RR: per answer */
	uint64_t *supports;
};

static void outputs_release(struct outputs *o)
{
	free(o->weight);
	free(o->supports);
}

static enum sotto_status outputs_make(struct outputs *o, size_t count, size_t values)
{
	*o = (struct outputs){.count = count, .values = values, .words = values / 64 + 1};
	if (count > PAIRS_MAX / (o->words * 64))
		return SOTTO_ERANGE;
	o->weight = calloc(count + 1, sizeof *o->weight);
	o->supports = calloc(count * o->words + 1, sizeof *o->supports);
	return o->weight && o->supports ? SOTTO_OK : SOTTO_ENOMEM;
}

static void support(struct outputs *o, size_t y, size_t v)
{
	o->supports[y * o->words + v / 64] |= UINT64_C(1) << v % 64;
}

static void fill_answers(struct outputs *o, const struct sotto_local_counts *c)
{
	double one = sotto_local_chance(c->params->one),
	       zero = sotto_local_chance(c->params->zero);

	o->weight[0] = (double)(c->reports - c->cells[0]);
	o->weight[1] = (double)c->cells[0];
	support(o, 0, 0);
	support(o, 1, 1);
	o->high[0] = 1 - zero;
	o->low[0] = 1 - one;
	o->high[1] = one;
	o->low[1] = zero;
}

static void set_odds(struct outputs *o, double high, double low)
{
	o->high[0] = o->high[1] = high;
	o->low[0] = o->low[1] = low;
}

static void fill_symbols(struct outputs *o, const struct sotto_local_counts *c)
{
	double keep = sotto_local_chance(c->params->keep);

	set_odds(o, keep, (1 - keep) / (c->params->size - 1.0));
	for (size_t y = 0; y < o->count; y++) {
		o->weight[y] = (double)c->cells[y];
		support(o, y, y);
	}
}

static void fill_columns(struct outputs *o, const struct sotto_local_counts *c)
{
	const struct sotto_client_params *p = c->params;
	double keep = sotto_local_chance(p->keep), half = p->width / 2.0;

	set_odds(o, keep / half, (1 - keep) / (half * (2.0 * p->groups - 1)));
	for (size_t y = 0; y < o->count; y++) {
		o->weight[y] = (double)c->cells[y];
		for (size_t v = y / p->width; v < o->values; v += p->groups)
			if (!__builtin_parityll(y % p->width & (v / p->groups + 1)))
				support(o, y, v);
	}
}

static void
fill_hashed(struct outputs *o, size_t y, uint64_t seed, uint32_t symbol, uint32_t range)
{
	struct sotto_pair_hash h = sotto_pair_hash_of_seed(seed);

	for (size_t v = 0; v < o->values; v++)
		if (sotto_scale32(sotto_pair_hash_at(&h, sotto_family_number_key(v)), range) ==
		    symbol)
			support(o, y, v);
}

static void fill_hashes(struct outputs *o, const struct sotto_local_counts *c)
{
	const struct sotto_client_params *p = c->params;
	double keep = sotto_local_chance(p->keep);
	size_t stride = sotto_client_report_bytes(p);

	set_odds(o, keep, (1 - keep) / (p->hashes - 1.0));
	for (size_t y = 0; y < o->count; y++)
		if (p->protocol == SOTTO_CLIENT_FLH) {
			o->weight[y] = (double)c->cells[y];
			fill_hashed(o, y, sotto_family_seed(p->salt, (uint32_t)(y / p->hashes)),
				    (uint32_t)(y % p->hashes), p->hashes);
		} else {
			const uint8_t *at = c->log + y * stride;

			o->weight[y] = 1;
			fill_hashed(o, y, load64_le(at),
				    (uint32_t)load_le(at + 8, bytes_below(p->hashes)),
				    p->hashes);
		}
}

static enum sotto_status
outputs_fill(struct outputs *o, const struct sotto_local_counts *c, size_t values)
{
	switch (sotto_protocol_of(c->params->protocol)->outputs) {
	case SOTTO_OUTPUTS_ANSWERS:
		SOTTO_TRY(outputs_make(o, 2, values));
		fill_answers(o, c);
		return SOTTO_OK;
	case SOTTO_OUTPUTS_SYMBOLS:
		SOTTO_TRY(outputs_make(o, c->cell_count, values));
		fill_symbols(o, c);
		return SOTTO_OK;
	case SOTTO_OUTPUTS_COLUMNS:
		SOTTO_TRY(outputs_make(o, c->cell_count, values));
		fill_columns(o, c);
		return SOTTO_OK;
	case SOTTO_OUTPUTS_HASH_CELLS:
		SOTTO_TRY(outputs_make(o, c->cell_count, values));
		fill_hashes(o, c);
		return SOTTO_OK;
	case SOTTO_OUTPUTS_HASH_REPORTS:
		SOTTO_TRY(outputs_make(o, c->log_reports, values));
		fill_hashes(o, c);
		return SOTTO_OK;
	case SOTTO_OUTPUTS_UNKNOWN:
		break;
	}
	*o = (struct outputs){0};
	return SOTTO_EINVAL;
}

/* Adds x to to[v] for each value that the output supports; or sums from[v] over them. */
static double
over_supported(const struct outputs *o, size_t y, const double *from, double *to, double x)
{
	double sum = 0;

	for (size_t w = 0; w < o->words; w++)
		for (uint64_t bits = o->supports[y * o->words + w]; bits; bits &= bits - 1) {
			size_t v = 64 * w + (size_t)__builtin_ctzll(bits);

			sum += from[v];
			if (to)
				to[v] += x;
		}
	return sum;
}

/* One update; the greatest change. */
static double update(const struct outputs *o, double n, double *share, double *gain)
{
	double base = 0, change = 0;

	for (size_t v = 0; v < o->values; v++)
		gain[v] = 0;
	for (size_t y = 0; y < o->count; y++) {
		double high = o->high[y & 1], low = o->low[y & 1], held, x;

		if (o->weight[y] == 0)
			continue;
		held = over_supported(o, y, share, NULL, 0);
		x = o->weight[y] / n / (low + (high - low) * held);
		base += x * low;
		(void)over_supported(o, y, share, gain, x * (high - low));
	}
	for (size_t v = 0; v < o->values; v++) {
		double next = share[v] * (base + gain[v]);

		change = fmax(change, fabs(next - share[v]));
		share[v] = next;
	}
	return change;
}

enum sotto_status sotto_post_ibu(const struct sotto_local_counts *c,
				 struct sotto_local_estimate *e, size_t count, unsigned most,
				 struct sotto_error *err)
{
	double *share = malloc((2 * count + 1) * sizeof *share), change = 1;
	struct outputs o = {0};
	enum sotto_status st = share ? outputs_fill(&o, c, count) : SOTTO_ENOMEM;

	if (st == SOTTO_EINVAL)
		st = sotto_fail(
			err, st,
			"ibu needs the law of each report, which the counters of rr, grr, "
			"hr, flh and olh hold");
	for (size_t v = 0; st == SOTTO_OK && v < count; v++)
		share[v] = 1.0 / (double)count;
	most = most ? most : ROUNDS_USUAL;
	for (unsigned i = 0; st == SOTTO_OK && c->reports > 0 && i < most; i++)
		if ((change = update(&o, (double)c->reports, share, share + count)) <
		    CHANGE_MIN)
			break;
	/* what still moves by less than any other maximization asks for is good enough */
	if (st == SOTTO_OK && c->reports > 0 && change >= SOTTO_LOCAL_EM_CHANGE)
		st = sotto_fail(err, SOTTO_ERANGE,
				"ibu has not converged after %u iterations; allow more with "
				"--iterations, or take another --post",
				most);
	for (size_t v = 0; st == SOTTO_OK && v < count; v++)
		e[v].post = (double)c->reports * share[v];
	outputs_release(&o);
	free(share);
	return st;
}
