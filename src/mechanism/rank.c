#include "mechanism/rank.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/failure.h"
#include "base/wipe.h"

sotto_i128 sotto_rank_target(const struct sotto_rank *r, int64_t n)
{
	sotto_i128 whole = r->whole, all = 2 * whole * n;
	sotto_i128 target = 2 * (sotto_i128)r->part * n + r->side;
	sotto_i128 least = r->margin < n ? r->margin * whole : n * whole;

	if (r->margin > 0 && target < least)
		target = least;
	if (r->margin > 0 && target > all - least)
		target = all - least;
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
	for (size_t i = 0; i < h->n; i++) {
		int64_t v = h->values[i].secret;

		if (v < h->lo || v > h->hi || (i > 0 && v <= h->values[i - 1].secret) ||
		    h->counts[i].secret <= 0)
			return SOTTO_EINVAL;
	}
	return h->lo <= h->hi ? SOTTO_OK : SOTTO_EINVAL;
}

enum sotto_status sotto_histogram_add_up(const struct sotto_histogram *h, int64_t **out)
{
	int64_t *sums;
	size_t size;

	SOTTO_TRY(sotto_histogram_check(h));
	if (!sotto_checked_mul_size(h->n + 1, sizeof *sums, &size) || !(sums = malloc(size)))
		return SOTTO_ENOMEM;
	sums[0] = 0;
	for (size_t i = 0; i < h->n; i++) {
		if (h->counts[i].secret > SOTTO_RANK_VALUES_MAX - sums[i]) {
			sotto_wipe(sums, size);
			free(sums);
			return SOTTO_ERANGE;
		}
		sums[i + 1] = sums[i] + h->counts[i].secret;
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
