/*
 * Ranks are fractions of the number of values in 128-bit integers; histograms are checked and
 * summed in a time that depends on their length alone.
 */
#include "core/mechanism/quantile/rank.h"

#include <stdlib.h>

#include "core/base/checked.h"
#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/base/wipe.h"

sotto_i128 sotto_rank_target(const struct sotto_rank *r, int64_t n)
{
	sotto_i128 whole = r->whole, all = 2 * whole * n;
	sotto_i128 target = 2 * (sotto_i128)r->part * n + r->side;
	sotto_i128 least = whole * sotto_mask_i64(r->margin < n, r->margin, n);

	if (r->margin > 0) {
		target = sotto_mask_i128(target < least, least, target);
		target = sotto_mask_i128(target > all - least, all - least, target);
	}
	return target + r->offset * whole;
}

int64_t sotto_rank_sensitivity(const struct sotto_rank *r, int64_t rows)
{
	int64_t part = r->part, whole = r->whole;

	if (r->margin > 0)
		return 2 * whole * rows;
	return 2 * (part > whole - part ? part : whole - part) * rows;
}

enum sotto_status sotto_histogram_check(const struct sotto_histogram *h)
{
	bool wrong = h->lo > h->hi;
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < h->n; i++) {
		int64_t v = h->values[i].secret;

		wrong |= (v < h->lo) | (v > h->hi) | (h->counts[i].secret <= 0);
		wrong |= (i > 0) & (v <= last);
		last = v;
	}
	SOTTO_DECLASSIFY(wrong); /* a mistake of the caller */
	return wrong ? SOTTO_EINVAL : SOTTO_OK;
}

enum sotto_status sotto_histogram_add_up(const struct sotto_histogram *h, int64_t **out)
{
	bool too_many = false;
	int64_t *sums;
	size_t size;

	SOTTO_TRY(sotto_histogram_check(h));
	if (!sotto_checked_mul_size(h->n + 1, sizeof *sums, &size) || !(sums = malloc(size)))
		return SOTTO_ENOMEM;
	sums[0] = 0;
	for (size_t i = 0; i < h->n; i++) {
		int64_t sum = (int64_t)((uint64_t)sums[i] + (uint64_t)h->counts[i].secret);

		/* the sum stays within the limit, so that it never overflows unseen */
		too_many |= h->counts[i].secret > SOTTO_RANK_VALUES_MAX - sums[i];
		sums[i + 1] = sotto_mask_i64(too_many, 0, sum);
	}
	SOTTO_DECLASSIFY(too_many); /* more rows than an engine can go through */
	if (too_many) {
		sotto_wipe(sums, size);
		free(sums);
		return SOTTO_ERANGE;
	}
	*out = sums;
	return SOTTO_OK;
}

void sotto_histogram_forget(const struct sotto_histogram *h, int64_t *sums)
{
	if (!sums)
		return;
	sotto_wipe(sums, (h->n + 1) * sizeof *sums);
	free(sums);
}
