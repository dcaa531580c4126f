/* Repetitions of a few outcomes at any distances, sum by sum (argument in outcomes.md). */
#include <math.h>
#include <stdlib.h>

#include "core/account/law/outcomes/outcomes.h"
#include "core/base/failure.h"

/* Sums that are listed, and that are made at one time, at most. */
enum { SUMS_MAX = 1 << 10, PRODUCTS_MAX = 1 << 14 };
/* Sums that are nearer to each other, in units of u and over the largest loss, are one. */
#define NEAR 64.0

struct sum {
	double loss, mass;
};

static int by_loss(const void *a, const void *b)
{
	double x = ((const struct sum *)a)->loss, y = ((const struct sum *)b)->loss;

	return (x > y) - (x < y);
}

/* Sums in other orders differ by rounding alone.  Returns how many are left. */
static size_t unite(struct sum *list, size_t n, double reach)
{
	size_t m = 0;

	qsort(list, n, sizeof *list, by_loss);
	for (size_t i = 0; i < n; i++) {
		if (m > 0 && list[i].loss - list[m - 1].loss <= NEAR * SOTTO_U * reach)
			list[m - 1].mass += list[i].mass;
		else
			list[m++] = list[i];
	}
	return m;
}

/* All sums of so many draws; returns how many, 0 if they are too many. */
static size_t
sum_up(const struct sotto_outcomes *o, uint64_t count, double reach, struct sum *list)
{
	struct sum before[SUMS_MAX];
	size_t n = o->n;

	for (size_t i = 0; i < n; i++)
		list[i] = (struct sum){o->loss[i], o->mass[i]};
	for (uint64_t k = 1; k < count; k++) {
		size_t m = 0;

		if (n * o->n > PRODUCTS_MAX)
			return 0;
		for (size_t i = 0; i < n; i++)
			before[i] = list[i];
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < o->n; j++)
				list[m++] = (struct sum){before[i].loss + o->loss[j],
							 before[i].mass * o->mass[j]};
		n = unite(list, m, reach);
		if (n > SUMS_MAX)
			return 0;
	}
	return n;
}

enum sotto_status
sotto_outcomes_product(struct sotto_outcomes *o, uint64_t count, struct sotto_work *work)
{
	double k = (double)count, reach = 0;
	struct sotto_outcomes all;
	struct sum *list;
	size_t n;

	if (o->n > SUMS_MAX || (double)o->n * (double)o->n > PRODUCTS_MAX)
		return SOTTO_EREFUSED;
	for (size_t i = 0; i < o->n; i++)
		reach = fmax(reach, k * fabs(o->loss[i]));
	list = malloc(PRODUCTS_MAX * sizeof *list);
	if (!list)
		return SOTTO_ENOMEM;
	n = sum_up(o, count, reach, list);
	sotto_work_use(work, 60 * k * (double)(n * o->n));
	if (n == 0 || sotto_outcomes_init(&all, n) != SOTTO_OK) {
		free(list);
		return n == 0 ? SOTTO_EREFUSED : SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		all.loss[i] = list[i].loss;
		all.mass[i] = list[i].mass;
	}
	free(list);
	all.exact = true;
	all.size = 1;
	all.mass_error = k * (o->mass_error + SOTTO_U * (2 + (double)o->n));
	all.loss_error = 0;
	all.loss_shift = k * o->loss_shift + o->loss_error * reach + k * 80 * SOTTO_U * reach;
	all.left_out = k * o->left_out;
	all.left_grown = k * o->left_grown * pow(o->growth, k - 1);
	all.infinite = -expm1(k * log1p(-o->infinite));
	all.missing = -expm1(k * log1p(-o->missing));
	sotto_outcomes_release(o);
	*o = all;
	return SOTTO_OK;
}
