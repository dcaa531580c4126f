/* Local hashing: one seed a report (OLH), few public seeds (FLH), prefixes (PEM). */
#include <math.h>

#include "core/base/checked.h"
#include "local/client/primitive/family.h"
#include "local/decode/estimate.h"
#include "local/decode/pure.h"
#include "local/decode/supports.h"
#include "local/discover/discover_inside.h"
#include "local/protocol/likelihood.h"
#include "local/protocol/chance/odds.h"
#include "local/protocol/record.h"
#include "local/protocol/report_parts.h"
#include "local/protocol/chance/threshold.h"
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
	(void)second;
	p->keep = sotto_chance_keep_down(eps, 1, p->hashes - 1);
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

/* The sum of n_u (n_u - 1) over all values u, also those nobody asks about, from the table (local.md). */
static double seed_pairs(const struct sotto_local_counts *c)
{
	double g = c->params->hashes, k = c->params->groups, n = (double)c->reports,
	       in_rows = 0;
	double keep = sotto_local_chance(c->params->keep), p = keep, q = (1 - keep) / (g - 1);

	for (size_t row = 0; row < c->params->groups; row++) {
		const uint64_t *cells = c->cells + row * c->params->hashes;
		double users = 0, squares = 0, held;

		for (uint32_t i = 0; i < c->params->hashes; i++) {
			users += (double)cells[i];
			squares += (double)cells[i] * (double)cells[i];
		}
		squares -= users * (p * (1 - p) + (g - 1) * q * (1 - q));
		held = (squares - users * users * q * (g * q + 2 * (p - q))) / (p - q) /
		       (p - q);
		in_rows += (held - users * users / g) / (1 - 1 / g);
	}
	return fmin(fmax(k * (in_rows - n), 0), n * n);
}

static struct sotto_collisions flh_collisions(const struct sotto_local_counts *c)
{
	return (struct sotto_collisions){c->params->groups, c->params->hashes, seed_pairs(c)};
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

static uint64_t key_of(const struct sotto_client_params *p, const struct sotto_client_value *v)
{
	return p->size > 0 ? sotto_family_number_key(v->number)
			   : sotto_family_key(v->bytes, v->length);
}

static double olh_likelihood(const struct sotto_client_params *p,
			     const struct sotto_client_value *v, const uint8_t *r)
{
	return like_hashed(p, load64_le(r), key_of(p, v), r + 8);
}

static double flh_likelihood(const struct sotto_client_params *p,
			     const struct sotto_client_value *v, const uint8_t *r)
{
	unsigned head = bytes_below(p->groups);

	return like_hashed(p, sotto_family_seed(p->salt, (uint32_t)load_le(r, head)),
			   key_of(p, v), r + head);
}

static double pem_likelihood(const struct sotto_client_params *p,
			     const struct sotto_client_value *v, const uint8_t *r)
{
	unsigned head = bytes_below(p->groups);
	uint32_t bits = pem_prefix_bits(p, (uint32_t)load_le(r, head));

	return like_hashed(p, load64_le(r + head), sotto_prefix_key(v->bytes, v->length, bits),
			   r + head + 8);
}

const struct sotto_protocol sotto_protocol_OLH = {
	.sizes = "size is at least 2, or left out for texts; hashes, the range of the hash, is "
		 "2 to 65536",
	.choose_sizes = choose_range,
	.set_chances = set_chances,
	.odds = odds,
	.counting = SOTTO_COUNT_NOTHING,
	.shape = shape_kept,
	.report_flaw = olh_flaw,
	.likelihood = olh_likelihood,
	.outputs = SOTTO_OUTPUTS_HASH_REPORTS,
	.rates = rates,
	.supports = olh_supports,
	.estimate = sotto_pure_estimate,
	.null_variance = olh_null_variance,
	.decode_steps = olh_steps,
};

const struct sotto_protocol sotto_protocol_FLH = {
	.sizes = "size is at least 2, or left out for texts; groups, the number of seeds, is "
		 "at least 1, hashes 2 to 65536",
	.choose_sizes = choose_seeds,
	.set_chances = set_chances,
	.odds = odds,
	.counting = SOTTO_COUNT_HASHES,
	.shape = shape_flh,
	.report_flaw = flh_flaw,
	.likelihood = flh_likelihood,
	.salted = true,
	.outputs = SOTTO_OUTPUTS_HASH_CELLS,
	.rates = rates,
	.supports = flh_supports,
	.collisions = flh_collisions,
	.estimate = sotto_pure_estimate,
	.null_variance = flh_null_variance,
	.decode_steps = flh_steps,
};

const struct sotto_protocol sotto_protocol_PEM = {
	.sizes = "size is 1 to 1024 bits, grain below size, groups 1 to size - grain, hashes 2 "
		 "to 65536",
	.choose_sizes = choose_range,
	.set_chances = set_chances,
	.odds = odds,
	.counting = SOTTO_COUNT_NOTHING,
	.shape = shape_kept,
	.report_flaw = pem_flaw,
	.likelihood = pem_likelihood,
	.discover = sotto_discover_pem,
};
