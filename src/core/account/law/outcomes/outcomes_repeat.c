/* Repetitions: a list at equal distances, and sums of its places.  All bounds here are derived in outcomes.md. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/law/gathered/gathered_list.h"
#include "core/account/law/outcomes/outcomes.h"
#include "core/base/failure.h"

/* kappa times the gap of a list: tried one after the other. */
static const double gaps[] = {0.2, 0.1, 0.05, 0.025};
enum { GAPS = sizeof gaps / sizeof *gaps };

/* Sums over a list may err by this part; places that it may have. */
#define GOOD 5e-12
enum { PLACES_MAX = 2048 };

/* Taps on the farther side of an outcome, and the largest sum of their weights' sizes. */
#define TAPS_BESIDE 8
#define LEBESGUE 1.72

/* Outcomes that are kept of each factor, for the size far out. */
enum { HEAVY_FACTORS = 16, HEAVY_DRAWS = 8 };

/* Steps (work.h) for each product. */
#define PRODUCT_STEPS 0.1

/* What gathering does to a sum of tame functions, at the best radius. */
static double gathering_error(const struct sotto_tame *tame, double gap, double rounding)
{
	double beside = TAPS_BESIDE * gap, rho = fmin(16 / tame->kappa, tame->radius - beside);

	if (!(rho > 0))
		return INFINITY;
	return 6.28e7 * pow(gap / rho, 16) * exp(tame->kappa * (rho + beside)) +
	       LEBESGUE * rounding * exp(tame->kappa * beside);
}

/* In two passes over the cells between places. */
double sotto_outcomes_negative_part(const struct sotto_gathered_list *l, const double *loss,
				    const double *mass, size_t n, double kappa)
{
	double fall = exp(-kappa * l->gap), sum = 0, run = 0, *near;

	near = calloc(2 * l->n, sizeof *near);
	if (!near)
		return INFINITY;
	for (size_t i = 0; i < n; i++) {
		double cell = floor((loss[i] - l->loss[0]) / l->gap * (1 - 0x1p-40));

		near[l->n + (size_t)fmax(cell, 0)] += mass[i];
	}
	for (size_t i = 0; i < l->n; i++) { /* cells before the place */
		near[i] += run;
		run = (run + near[l->n + i]) * fall;
	}
	run = 0;
	for (size_t i = l->n; i-- > 0;) { /* and after it */
		run = (run + near[l->n + i]) * fall;
		near[i] += run;
	}
	for (size_t i = 0; i < l->n; i++)
		if (l->mass[i] < 0)
			sum -= l->mass[i] / (near[i] * (1 - 0x1p-20));
	free(near);
	return sum;
}

/* Replaces positive masses at any distances by places at equal ones, if that is good enough for so many repetitions. */
static enum sotto_status
gather(struct sotto_outcomes *o, double gap, uint64_t count, const struct sotto_tame *tame)
{
	double low = INFINITY, high = -INFINITY, places, error, size, k = (double)count;
	struct sotto_gathered_list l;

	for (size_t i = 0; i < o->n; i++) {
		low = fmin(low, o->loss[i]);
		high = fmax(high, o->loss[i]);
	}
	places = ceil((high - low) / gap) + 18;
	if (!(places <= PLACES_MAX))
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_gathered_list_of(&l, o->loss, o->mass, o->n, (size_t)fmax(places, 32)));
	error = o->sum_error + gathering_error(tame, l.gap, l.rounding);
	size = 1 + error +
	       2 * sotto_outcomes_negative_part(&l, o->loss, o->mass, o->n, tame->kappa);
	if (!(k * error * pow(size, k - 1) <= GOOD)) {
		free(l.loss);
		return SOTTO_EREFUSED;
	}
	free(o->loss);
	o->loss = l.loss;
	o->mass = l.mass;
	o->n = l.n;
	o->base = l.loss[0] / l.gap;
	o->step = l.gap;
	o->exact = false;
	o->sum_error = error;
	o->size = size;
	o->loss_shift += 16 * SOTTO_U * fmax(fabs(low), fabs(high));
	return SOTTO_OK;
}

/* A list at equal distances, as wide as they may be. */
static enum sotto_status need_lattice(struct sotto_outcomes *o, uint64_t count,
				      const struct sotto_tame *tame, struct sotto_work *work)
{
	enum sotto_status st = SOTTO_EREFUSED;

	if (o->step > 0)
		return SOTTO_OK;
	if (o->size > 1)
		return SOTTO_EREFUSED;
	if (o->exact)
		sotto_outcomes_find_heavy(o);
	for (int i = 0; i < GAPS && st == SOTTO_EREFUSED; i++) {
		sotto_work_use(work, 20 * (double)o->n);
		st = gather(o, fmin(gaps[i] / tame->kappa, gaps[i] * tame->radius), count,
			    tame);
	}
	return st;
}

static void
multiply(const double *a, size_t n, const double *b, size_t m, double *restrict product)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			product[i + j] += a[i] * b[j];
}

/* The masses of count draws of o, at n places. */
static enum sotto_status
power(const struct sotto_outcomes *o, uint64_t count, size_t n, double *mass)
{
	double *next = calloc(n, sizeof *next);
	size_t m = o->n;

	if (!next)
		return SOTTO_ENOMEM;
	memcpy(mass, o->mass, o->n * sizeof *mass);
	for (uint64_t i = 1; i < count; i++) {
		memset(next, 0, n * sizeof *next);
		multiply(mass, m, o->mass, o->n, next);
		m += o->n - 1;
		memcpy(mass, next, m * sizeof *mass);
	}
	free(next);
	return SOTTO_OK;
}

struct heavy_one {
	double loss, mass;
};

static int by_loss(const void *a, const void *b)
{
	double x = ((const struct heavy_one *)a)->loss, y = ((const struct heavy_one *)b)->loss;

	return (x > y) - (x < y);
}

static int by_mass(const void *a, const void *b)
{
	double x = ((const struct heavy_one *)a)->mass, y = ((const struct heavy_one *)b)->mass;

	return (x < y) - (x > y);
}

/* Equal losses become one; then the likeliest are kept. */
static void keep_heavy(struct heavy_one *list, size_t n, struct sotto_heavy *out)
{
	size_t m = 0;

	qsort(list, n, sizeof *list, by_loss);
	for (size_t i = 0; i < n; i++) {
		double scale = fabs(list[0].loss) + fabs(list[n - 1].loss);

		if (m > 0 && list[i].loss - list[m - 1].loss <= 64 * SOTTO_U * scale)
			list[m - 1].mass += list[i].mass;
		else
			list[m++] = list[i];
	}
	qsort(list, m, sizeof *list, by_mass);
	out->n = m < SOTTO_HEAVY ? m : SOTTO_HEAVY;
	for (size_t i = 0; i < out->n; i++) {
		out->loss[i] = list[i].loss;
		out->mass[i] = list[i].mass;
	}
}

void sotto_outcomes_find_heavy(struct sotto_outcomes *o)
{
	struct heavy_one *list = malloc(o->n * sizeof *list);

	o->heavy.n = 0;
	if (!list)
		return; /* nothing is claimed far out */
	for (size_t i = 0; i < o->n; i++)
		list[i] = (struct heavy_one){o->loss[i], o->mass[i] * (1 - 2 * o->mass_error)};
	keep_heavy(list, o->n, &o->heavy);
	free(list);
}

/* The likeliest sums of both; h becomes these. */
static void add_heavy(struct sotto_heavy *h, const struct sotto_heavy *other)
{
	struct heavy_one list[HEAVY_FACTORS * SOTTO_HEAVY];
	size_t factors = other->n < HEAVY_FACTORS ? other->n : HEAVY_FACTORS, n = 0;

	for (size_t j = 0; j < h->n; j++)
		for (size_t k = 0; k < factors; k++)
			list[n++] = (struct heavy_one){h->loss[j] + other->loss[k],
						       h->mass[j] * other->mass[k] *
							       (1 - 4 * SOTTO_U)};
	if (n > 0)
		keep_heavy(list, n, h);
}

/* Sums of the likeliest of one; of many draws by halves. */
void sotto_outcomes_repeat_heavy(struct sotto_heavy *h, uint64_t count)
{
	struct sotto_heavy one = *h, half;

	if (count > HEAVY_DRAWS) {
		sotto_outcomes_repeat_heavy(h, count / 2);
		half = *h;
		add_heavy(h, &half);
		if (count % 2)
			add_heavy(h, &one);
		return;
	}
	for (uint64_t i = 1; i < count; i++)
		add_heavy(h, &one);
}

/* Where outcomes were left out, so are those at both ends that weigh as little: repetitions make the range wider than anything that counts. */
static void trim(struct sotto_outcomes *o, double people)
{
	double least = o->left_out, low = 0, high = 0, grown = 0;
	size_t first = 0, last = o->n;

	if (!o->exact || !(least > 0))
		return;
	for (; first < last; first++) { /* Q has as much of these as P of their opposites */
		low += o->mass[o->n - 1 - first];
		if (!(low <= least))
			break;
	}
	for (; last > first + 1; last--) {
		high += o->mass[last - 1];
		if (!(high <= least))
			break;
		grown += people * o->mass[last - 1] *
			 exp((people - 1) * fmax(0, o->loss[last - 1]));
	}
	o->left_out += 2.1 * least;
	o->left_grown += 1.1 * (people * least + grown);
	o->base += (double)first;
	o->n = last - first;
	memmove(o->loss, o->loss + first, o->n * sizeof *o->loss);
	memmove(o->mass, o->mass + first, o->n * sizeof *o->mass);
}

enum sotto_status sotto_outcomes_repeat(struct sotto_outcomes *o, uint64_t count,
					const struct sotto_tame *tame, struct sotto_work *work)
{
	double k = (double)count, reach = 0;
	struct sotto_outcomes all;
	size_t n;

	if (count == 1)
		return SOTTO_OK;
	if (o->exact && !(o->step > 0)) {
		enum sotto_status st = sotto_outcomes_product(o, count, work);

		if (st != SOTTO_EREFUSED)
			return st;
	}
	SOTTO_TRY(need_lattice(o, count, tame, work));
	n = count * (o->n - 1) + 1;
	SOTTO_TRY(sotto_outcomes_init(&all, n));
	sotto_work_use(work, PRODUCT_STEPS * (double)(o->n * n) * k / 2);
	if (power(o, count, n, all.mass) != SOTTO_OK) {
		sotto_outcomes_release(&all);
		return SOTTO_ENOMEM;
	}
	all.base = k * o->base;
	all.step = o->step;
	for (size_t i = 0; i < n; i++) {
		all.loss[i] = all.step * (all.base + (double)i);
		reach = fmax(reach, fabs(all.loss[i]));
	}
	all.exact = o->exact;
	all.mass_error = k * (o->mass_error + SOTTO_U * (2 + (double)o->n));
	all.loss_error = o->loss_error + 2 * SOTTO_U;
	all.loss_shift = k * o->loss_shift + (o->exact ? 0 : 16 * SOTTO_U * reach);
	all.left_out = k * o->left_out;
	all.left_grown = k * o->left_grown * pow(o->growth, k - 1);
	all.infinite = -expm1(k * log1p(-o->infinite));
	all.missing = -expm1(k * log1p(-o->missing));
	all.size = pow(o->size, k);
	all.sum_error = k * o->sum_error * pow(o->size, k - 1);
	all.heavy = o->heavy;
	if (!all.exact)
		sotto_outcomes_repeat_heavy(&all.heavy, count);
	sotto_outcomes_release(o);
	*o = all;
	trim(o, tame->people);
	return SOTTO_OK;
}
