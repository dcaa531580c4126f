/*
 * Turns candidates into keys, calls the estimator of the protocol's record for all of them, and
 * makes the estimates consistent; intervals of selected candidates are computed again at their
 * own level.
 */
#include "local/decode/estimate.h"
#include "local/decode/ibu.h"
#include "sotto/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/client/primitive/family.h"
#include "local/decode/consistency.h"
#include "local/decode/supports.h"
#include "local/protocol/record.h"
#include "sotto/local.h"

/* The number or the 64-bit key of a candidate. */
static uint64_t candidate_key(const struct sotto_local_candidates *c, size_t i, bool number)
{
	if (number)
		return c->numbers ? c->numbers[i] : i;
	return sotto_family_key(c->strings[i], c->lengths[i]);
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
		keys[i] = candidate_key(candidates, i, number);
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
	const struct sotto_protocol *record = sotto_protocol_of(c->params->protocol);
	double alpha = sotto_local_interval_alpha(o, count);

	if (!record->estimate)
		return sotto_fail(err, SOTTO_EINVAL, "this protocol has a decoder of its own");
	if (record->strings_by_regression && !sotto_client_takes_number(c->params))
		return sotto_fail(err, SOTTO_EINVAL,
				  "RAPPOR reports of strings are decoded by regression");
	return record->estimate(c, keys, count, alpha, o->target, out);
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
