/* Pure protocols: supports per candidate, then the estimate.  Sketches: sketch.c. */
#include "local/decode/estimate.h"
#include "sotto/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/client/layout.h"
#include "local/client/primitive/family.h"
#include "local/decode/consistency.h"
#include "local/decode/fwht.h"
#include "local/decode/sketch.h"
#include "local/decode/supports.h"
#include "sotto/local.h"

uint64_t sotto_candidate_key(const struct sotto_local_candidates *c, size_t i, bool number)
{
	if (number)
		return c->numbers ? c->numbers[i] : i;
	return sotto_family_key(c->strings[i], c->lengths[i]);
}

/* p and q of a pure protocol. */
struct rates {
	double p, q;
};

static struct rates chain(double p1, double q1, double p2, double q2)
{
	return (struct rates){p1 * p2 + (1 - p1) * q2, q1 * p2 + (1 - q1) * q2};
}

static struct rates rates_of(const struct sotto_client_params *p)
{
	double keep = sotto_local_chance(p->keep), flip = sotto_local_chance(p->flip);
	double one = sotto_local_chance(p->one), zero = sotto_local_chance(p->zero);
	double d = p->size, w = p->hashes;

	switch (p->protocol) {
	case SOTTO_CLIENT_GRR:
		return (struct rates){keep, (1 - keep) / (d - 1)};
	case SOTTO_CLIENT_OLH:
	case SOTTO_CLIENT_FLH:
		return (struct rates){keep, 1 / w};
	case SOTTO_CLIENT_SUBSET:
		return (struct rates){keep, (keep * (w - 1) + (1 - keep) * w) / (d - 1)};
	case SOTTO_CLIENT_RAPPOR:
		return chain(1 - flip, flip, one, zero);
	default: /* RR, SUE, OUE */
		return (struct rates){one, zero};
	}
}

/* The keys that hash functions see. */
static void mix_numbers(const struct sotto_client_params *p, const uint64_t *keys, size_t count,
			uint64_t *mixed)
{
	for (size_t i = 0; i < count; i++)
		mixed[i] = p->size > 0 ? sotto_family_number_key(keys[i]) : keys[i];
}

static void support_counts(const struct sotto_local_counts *c, const uint64_t *keys,
			   size_t count, uint64_t *mixed, uint64_t *out)
{
	memset(out, 0, count * sizeof *out);
	switch (c->params->protocol) {
	case SOTTO_CLIENT_RR:
		for (size_t i = 0; i < count; i++)
			out[i] = c->cells[0];
		break;
	case SOTTO_CLIENT_OLH:
		mix_numbers(c->params, keys, count, mixed);
		sotto_olh_count(c->log, c->log_reports, sotto_client_report_bytes(c->params),
				c->params->hashes, mixed, count, out);
		break;
	case SOTTO_CLIENT_FLH:
		mix_numbers(c->params, keys, count, mixed);
		sotto_flh_count(c, mixed, count, out);
		break;
	default:
		for (size_t i = 0; i < count; i++)
			out[i] = c->cells[keys[i]];
		break;
	}
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

static enum sotto_status
estimate_pure(const struct sotto_local_counts *c, const uint64_t *keys, size_t count,
	      double alpha, enum sotto_local_target target, struct sotto_local_estimate *out)
{
	uint64_t *supports = malloc((count + 1) * sizeof *supports);
	uint64_t *mixed = calloc(count + 1, sizeof *mixed);
	double *extra = calloc(count + 1, sizeof *extra);
	struct rates r = rates_of(c->params);
	bool flh = c->params->protocol == SOTTO_CLIENT_FLH;
	enum sotto_status st = supports && mixed && extra ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK)
		support_counts(c, keys, count, mixed, supports);
	for (unsigned pass = 0; pass <= flh && st == SOTTO_OK; pass++) {
		/* the first pass of FLH is about how the users who reported collide */
		enum sotto_local_target now = pass < flh ? SOTTO_LOCAL_SAMPLE : target;

		if (pass == 1)
			seed_variance(c, out, count, extra);
		for (size_t i = 0; i < count && st == SOTTO_OK; i++) {
			/* "no" is supported by a no; all others by their own symbol */
			bool no = c->params->protocol == SOTTO_CLIENT_RR && keys[i] == 0;

			st = sotto_local_estimate_pure(
				c->reports, no ? c->reports - supports[i] : supports[i],
				no ? 1 - r.q : r.p, no ? 1 - r.p : r.q, extra[i], alpha, now,
				&out[i]);
		}
	}
	free(supports);
	free(mixed);
	free(extra);
	return st;
}

/*
 * Hadamard response: the signed sum over the value's block.  Each report in the
 * block adds one to the variance of that sum, so its variance is read off the data.
 */
static enum sotto_status estimate_hadamard(const struct sotto_local_counts *c,
					   const uint64_t *keys, size_t count, double alpha,
					   enum sotto_local_target target,
					   struct sotto_local_estimate *out)
{
	const struct sotto_client_params *p = c->params;
	double keep = sotto_local_chance(p->keep);
	double scale = keep - (1 - keep) / (2.0 * p->groups - 1), n = (double)c->reports;
	int64_t *table = malloc((c->cell_count + 1) * sizeof *table);
	double *in_block = calloc(p->groups, sizeof *in_block);
	enum sotto_status st = SOTTO_OK;

	if (!table || !in_block) {
		free(table);
		free(in_block);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < c->cell_count; i++) {
		table[i] = (int64_t)c->cells[i];
		in_block[i / p->width] += (double)c->cells[i];
	}
	for (uint32_t b = 0; b < p->groups; b++)
		sotto_fwht_i64(table + (size_t)b * p->width, p->width);
	for (size_t i = 0; i < count && st == SOTTO_OK; i++) {
		size_t block = keys[i] % p->groups, row = keys[i] / p->groups + 1;
		int64_t sum = table[block * p->width + row];
		double null, held;

		if (p->groups == 1) { /* one block is a pure protocol, with exact intervals */
			st = sotto_local_estimate_pure(
				c->reports, (uint64_t)(((int64_t)c->reports + sum) / 2), keep,
				.5, 0, alpha, target, &out[i]);
			continue;
		}
		out[i].count = (double)sum / scale;
		held = fmin(fmax(out[i].count, 0), n);
		null = in_block[block] / scale / scale;
		out[i].sd =
			sqrt(fmax(null - held, 0) + (target == SOTTO_LOCAL_POPULATION && n > 0
							     ? held * (1 - held / n)
							     : 0));
		sotto_local_estimate_normal(&out[i], sqrt(null), alpha);
	}
	free(table);
	free(in_block);
	return st;
}

/* Horvitz-Thompson over the drawn buckets: each bucket is with a device w.p. d/k. */
static enum sotto_status
estimate_buckets(const struct sotto_local_counts *c, const uint64_t *keys, size_t count,
		 double alpha, enum sotto_local_target target, struct sotto_local_estimate *out)
{
	const struct sotto_client_params *p = c->params;
	double f = sotto_local_chance(p->flip), g = sotto_local_chance(p->flip2);
	double flip = f + g - 2 * f * g, gap = 1 - 2 * flip, n = (double)c->reports;
	double ratio = (double)p->size / p->hashes, noise = flip * (1 - flip) / gap / gap;

	for (size_t i = 0; i < count; i++) {
		double received = (double)c->groups[keys[i]], held;

		if (p->hashes == p->size) { /* every bucket: symmetric unary encoding */
			SOTTO_TRY(sotto_local_estimate_pure(c->reports, c->cells[keys[i]],
							    1 - flip, flip, 0, alpha, target,
							    &out[i]));
			continue;
		}
		out[i].count = ratio * ((double)c->cells[keys[i]] - flip * received) / gap;
		held = fmin(fmax(out[i].count, 0), n);
		out[i].sd =
			sqrt(n * ratio * noise + held * (ratio - 1) +
			     (target == SOTTO_LOCAL_POPULATION && n > 0 ? held * (1 - held / n)
									: 0));
		sotto_local_estimate_normal(&out[i], sqrt(n * ratio * noise), alpha);
	}
	return SOTTO_OK;
}

static enum sotto_status find_keys(const struct sotto_client_params *p,
				   const struct sotto_local_candidates *candidates,
				   uint64_t *keys, struct sotto_error *err)
{
	bool number = sotto_client_takes_number(p);

	if (!number && !candidates->strings)
		return sotto_fail(err, SOTTO_EINVAL,
				  "this collection is of strings: give candidates");
	if (number && candidates->strings)
		return sotto_fail(err, SOTTO_EINVAL,
				  "this collection is of numbers, not of strings");
	for (size_t i = 0; i < candidates->count; i++) {
		keys[i] = sotto_candidate_key(candidates, i, number);
		if (number && keys[i] >= p->size)
			return sotto_fail(
				err, SOTTO_EINVAL,
				"a candidate is outside the domain of the collection");
	}
	return SOTTO_OK;
}

static enum sotto_status estimate(const struct sotto_local_counts *c, const uint64_t *keys,
				  size_t count, const struct sotto_local_options *o,
				  struct sotto_local_estimate *out, struct sotto_error *err)
{
	double alpha = sotto_local_interval_alpha(o, count);

	switch (c->params->protocol) {
	case SOTTO_CLIENT_RR:
	case SOTTO_CLIENT_GRR:
	case SOTTO_CLIENT_SUE:
	case SOTTO_CLIENT_OUE:
	case SOTTO_CLIENT_OLH:
	case SOTTO_CLIENT_FLH:
	case SOTTO_CLIENT_SUBSET:
		return estimate_pure(c, keys, count, alpha, o->target, out);
	case SOTTO_CLIENT_RAPPOR:
		if (c->params->size > 0)
			return estimate_pure(c, keys, count, alpha, o->target, out);
		return sotto_fail(err, SOTTO_EINVAL,
				  "RAPPOR reports of strings are decoded by regression");
	case SOTTO_CLIENT_HR:
		return estimate_hadamard(c, keys, count, alpha, o->target, out);
	case SOTTO_CLIENT_DBITFLIP:
		return estimate_buckets(c, keys, count, alpha, o->target, out);
	case SOTTO_CLIENT_CMS:
	case SOTTO_CLIENT_HCMS:
		return sotto_sketch_estimate(c, keys, count, alpha, o->target, out);
	default:
		return sotto_fail(err, SOTTO_EINVAL, "this protocol has a decoder of its own");
	}
}

static enum sotto_status finish(const struct sotto_local_counts *c, size_t count, bool all,
				const struct sotto_local_options *o,
				struct sotto_local_estimate *out, struct sotto_error *err)
{
	struct sotto_local_options raw = *o;

	if (o->post != SOTTO_LOCAL_POST_IBU)
		return sotto_post_finish(out, count, all, (double)c->reports, o);
	if (!all)
		return sotto_fail(err, SOTTO_EINVAL,
				  "ibu needs all values of a collection over numbers");
	raw.post = SOTTO_LOCAL_POST_NONE;
	SOTTO_TRY(sotto_post_finish(out, count, all, (double)c->reports, &raw));
	return sotto_post_ibu(c, out, count, o->iterations, err);
}

/* Intervals again, at the level of those that were selected. */
static enum sotto_status
select_intervals(const struct sotto_local_counts *c, const uint64_t *keys, size_t count,
		 const struct sotto_local_options *o, struct sotto_local_estimate *out,
		 struct sotto_error *err)
{
	struct sotto_local_estimate *again = malloc((count + 1) * sizeof *again);
	struct sotto_local_options wider = *o;
	enum sotto_status st = again ? SOTTO_OK : SOTTO_ENOMEM;

	wider.alpha = sotto_post_selected_alpha(out, count, o);
	if (st == SOTTO_OK)
		st = estimate(c, keys, count, &wider, again, err);
	if (st == SOTTO_OK)
		sotto_post_take_intervals(out, again, count);
	free(again);
	return st;
}

enum sotto_status sotto_local_decode(struct sotto_local_aggregate *a,
				     const struct sotto_local_candidates *candidates,
				     const struct sotto_local_options *options,
				     struct sotto_local_estimate *out, struct sotto_error *err)
{
	if (!a || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_local_counts c = sotto_local_aggregate_counts(a);
	size_t count = candidates->count;
	bool all = sotto_client_takes_number(c.params) && !candidates->numbers &&
		   count == c.params->size;
	uint64_t *keys;
	enum sotto_status st;

	if (sotto_local_options_check(options) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EINVAL, "alpha must lie strictly between 0 and 1");
	keys = malloc((count + 1) * sizeof *keys);
	if (!keys)
		return SOTTO_ENOMEM;
	st = find_keys(c.params, candidates, keys, err);
	if (st == SOTTO_OK)
		st = estimate(&c, keys, count, options, out, err);
	if (st == SOTTO_OK)
		st = finish(&c, count, all, options, out, err);
	if (st == SOTTO_OK && options->selected)
		st = select_intervals(&c, keys, count, options, out, err);
	free(keys);
	return st;
}
