/*
 * Adding many events at once.  Gaussian and zCDP costs are running sums, exact and
 * therefore independent of order; Laplace events are stored as they are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/event/workload_state.h"
#include "core/base/failure.h"

static enum sotto_status check(const double *x, size_t n)
{
	bool bad = false, far = false;

	for (size_t i = 0; i < n; i++) {
		bad |= !(x[i] >= 0) || isinf(x[i]);
		far |= x[i] != 0 && !(x[i] >= 0x1p-480 && x[i] <= 0x1p480);
	}
	return bad ? SOTTO_EINVAL : far ? SOTTO_ERANGE : SOTTO_OK;
}

static enum sotto_status need_sum(struct sotto_exactsum **sum)
{
	if (!*sum)
		*sum = calloc(1, sizeof **sum);
	return *sum ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status
sotto_workload_add_gaussians(struct sotto_workload *w, const double *mu, size_t n)
{
	if (!w || (!mu && n > 0))
		return SOTTO_EINVAL;
	SOTTO_TRY(check(mu, n));
	SOTTO_TRY(need_sum(&w->mu2));
	sotto_exactsum_add_squares(w->mu2, mu, n);
	return SOTTO_OK;
}

enum sotto_status
sotto_workload_add_zcdps(struct sotto_workload *w, const double *rho, size_t n)
{
	if (!w || (!rho && n > 0))
		return SOTTO_EINVAL;
	SOTTO_TRY(check(rho, n));
	SOTTO_TRY(need_sum(&w->rho));
	for (size_t i = 0; i < n; i++)
		sotto_exactsum_add(w->rho, rho[i]);
	return SOTTO_OK;
}

enum sotto_status
sotto_workload_add_laplaces(struct sotto_workload *w, const double *epsilon, size_t n)
{
	if (!w || (!epsilon && n > 0))
		return SOTTO_EINVAL;

	struct sotto_laplaces *l = &w->laplace;
	size_t capacity = l->capacity ? l->capacity : 1024;
	double *grown;

	SOTTO_TRY(check(epsilon, n));
	if (n > SIZE_MAX / 64 - l->n)
		return SOTTO_ENOMEM;
	while (capacity < l->n + n)
		capacity *= 2;
	if (capacity > l->capacity) {
		grown = realloc(l->epsilon, capacity * sizeof *grown);
		if (!grown)
			return SOTTO_ENOMEM;
		l->epsilon = grown;
		l->capacity = capacity;
	}
	if (n)
		memcpy(l->epsilon + l->n, epsilon, n * sizeof *epsilon);
	l->n += n;
	return SOTTO_OK;
}

static enum sotto_status
merge_sum(struct sotto_exactsum **to, const struct sotto_exactsum *from)
{
	if (!from)
		return SOTTO_OK;
	SOTTO_TRY(need_sum(to));
	for (int e = 0; e < EXACTSUM_BINS; e++)
		(*to)->bins[e] += from->bins[e];
	return SOTTO_OK;
}

enum sotto_status sotto_workload_merge(struct sotto_workload *w,
				       const struct sotto_workload *other,
				       struct sotto_error *err)
{
	if (!w || !other)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	if (other->neighbours != SOTTO_ANY_NEIGHBOURS)
		SOTTO_TRY(sotto_workload_set_neighbours(w, other->neighbours, err));
	for (size_t i = 0; i < other->n; i++)
		SOTTO_TRY(sotto_workload_add(w, other->items[i].event, other->items[i].count,
					     err));
	SOTTO_TRY(merge_sum(&w->mu2, other->mu2));
	SOTTO_TRY(merge_sum(&w->rho, other->rho));
	return sotto_workload_add_laplaces(w, other->laplace.epsilon, other->laplace.n);
}
