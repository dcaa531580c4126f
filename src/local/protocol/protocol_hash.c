/* Local hashing: one seed a report (OLH), few public seeds (FLH), prefixes (PEM). */
#include <math.h>

#include "core/base/checked.h"
#include "local/client/primitive/family.h"
#include "local/decode/estimate.h"
#include "local/decode/pure.h"
#include "local/decode/supports.h"
#include "local/discover/discover_inside.h"
#include "local/protocol/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/threshold.h"
#include "sotto/local.h"

static void choose_range(struct sotto_client_params *p, double e)
{
	if (p->hashes == 0)
		p->hashes = (uint32_t)fmax(2, fmin(round(e) + 1, 65536));
}

static void choose_seeds(struct sotto_client_params *p, double e)
{
	choose_range(p, e);
	if (p->groups == 0)
		p->groups = 65536;
}

static void set_chances(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	mpq_t e;

	(void)second;
	mpq_init(e);
	sotto_local_exp_down(eps, 1, e);
	p->keep = sotto_chance_keep_down(e, 1, p->hashes - 1);
	mpq_clear(e);
}

static void odds(const struct sotto_client_params *p, mpq_t out, bool *unbounded)
{
	sotto_odds_of_keep(p->keep, 1, p->hashes - 1, out, unbounded);
}

static bool shape_kept(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	(void)p;
	out->keeps_reports = true;
	return true;
}

static bool shape_flh(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	return sotto_checked_mul_size(p->groups, p->hashes, &out->cells);
}

static enum sotto_local_reason olh_flaw(const struct sotto_client_params *p, const uint8_t *r)
{
	return part_value(r + 8, bytes_below(p->hashes), p->hashes);
}

static enum sotto_local_reason flh_flaw(const struct sotto_client_params *p, const uint8_t *r)
{
	return part_both(
		part_group(r, p->groups),
		part_value(r + bytes_below(p->groups), bytes_below(p->hashes), p->hashes));
}

static enum sotto_local_reason pem_flaw(const struct sotto_client_params *p, const uint8_t *r)
{
	return part_both(part_group(r, p->groups), olh_flaw(p, r + bytes_below(p->groups)));
}

static struct sotto_rates rates(const struct sotto_client_params *p)
{
	return (struct sotto_rates){sotto_local_chance(p->keep), 1.0 / p->hashes};
}

/* The keys that hash functions see. */
static void mix_numbers(const struct sotto_client_params *p, const uint64_t *keys, size_t count,
			uint64_t *mixed)
{
	for (size_t i = 0; i < count; i++)
		mixed[i] = p->size > 0 ? sotto_family_number_key(keys[i]) : keys[i];
}

static void olh_supports(const struct sotto_local_counts *c, const uint64_t *keys, size_t count,
			 uint64_t *mixed, uint64_t *out)
{
	mix_numbers(c->params, keys, count, mixed);
	sotto_olh_count(c->log, c->log_reports, sotto_client_report_bytes(c->params),
			c->params->hashes, mixed, count, out);
}

static void flh_supports(const struct sotto_local_counts *c, const uint64_t *keys, size_t count,
			 uint64_t *mixed, uint64_t *out)
{
	mix_numbers(c->params, keys, count, mixed);
	sotto_flh_count(c, mixed, count, out);
}

/*
 * FLH: users of one value share k' seeds, so a collision moves them together, by a variance
 * of sum over u != v of t_u / K, t_u = n_u (n_u - 1), K = k' (g - 1).  The squares of first
 * estimates, less their own variance, are t_v on average plus just that: with d candidates
 * their sum is 1 + (d - 1)/K times that of the t_u (local.md).
 */
static void seed_variance(const struct sotto_local_counts *c,
			  const struct sotto_local_estimate *e, size_t count, double *extra)
{
	double k = c->params->groups * (c->params->hashes - 1.0), all = 0;

	for (size_t i = 0; i < count; i++) {
		extra[i] = e[i].count * (e[i].count - 1) - e[i].sd * e[i].sd;
		all += extra[i];
	}
	all = fmax(all / (1 + ((double)count - 1) / k), 0);
	for (size_t i = 0; i < count; i++) {
		double own = k > 1 ? (extra[i] - all / k) / (1 - 1 / k) : 0;

		extra[i] = (all - fmin(fmax(own, 0), all)) / k;
	}
}

static double olh_null_variance(const struct sotto_client_params *p, double n, double d)
{
	(void)d;
	return sotto_local_variance(n, 0, rates(p).p, rates(p).q, SOTTO_LOCAL_SAMPLE);
}

/* With all users on other rare values. */
static double flh_null_variance(const struct sotto_client_params *p, double n, double d)
{
	return olh_null_variance(p, n, d) + n * (n / d) / p->groups / (p->hashes - 1.0);
}

static double olh_steps(const struct sotto_client_params *p, double n, double d, double cells)
{
	(void)p;
	(void)cells;
	return n * d;
}

static double flh_steps(const struct sotto_client_params *p, double n, double d, double cells)
{
	(void)n;
	(void)cells;
	return d * p->groups;
}

const struct sotto_protocol sotto_protocol_OLH = {
	.choose_sizes = choose_range,
	.set_chances = set_chances,
	.odds = odds,
	.counting = SOTTO_COUNT_NOTHING,
	.shape = shape_kept,
	.report_flaw = olh_flaw,
	.outputs = SOTTO_OUTPUTS_HASH_REPORTS,
	.rates = rates,
	.supports = olh_supports,
	.estimate = sotto_pure_estimate,
	.null_variance = olh_null_variance,
	.decode_steps = olh_steps,
};

const struct sotto_protocol sotto_protocol_FLH = {
	.choose_sizes = choose_seeds,
	.set_chances = set_chances,
	.odds = odds,
	.counting = SOTTO_COUNT_HASHES,
	.shape = shape_flh,
	.report_flaw = flh_flaw,
	.outputs = SOTTO_OUTPUTS_HASH_CELLS,
	.rates = rates,
	.supports = flh_supports,
	.collisions = seed_variance,
	.estimate = sotto_pure_estimate,
	.null_variance = flh_null_variance,
	.decode_steps = flh_steps,
};

const struct sotto_protocol sotto_protocol_PEM = {
	.choose_sizes = choose_range,
	.set_chances = set_chances,
	.odds = odds,
	.counting = SOTTO_COUNT_NOTHING,
	.shape = shape_kept,
	.report_flaw = pem_flaw,
	.discover = sotto_discover_pem,
};
