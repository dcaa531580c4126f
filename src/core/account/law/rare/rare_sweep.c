/*
 * Logarithms of laws with a likely outcome on the line are series, as in law_rare.c but of few digits.  Of the others 1 - |M(s)/M(c)|^2 is a sum over
 * pairs of outcomes of terms that are not negative, and bounds -log |M(s)/M(c)|^2 from below.  All are one list, and a transform sums it at every few nodes.
 */
#include "core/account/law/rare/rare_sweep.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"

/* Outcomes of a law that are looked at in pairs, the heaviest; and pairs, beside the heaviest. */
enum { HEAVY = 4 };
#define LEAST_PAIR 0.02
/* Pairs of any law that weigh less are not worth their time. */
#define LEAST_OF_ALL 1e-5
/* The likeliest outcome is more likely than the others, times this; terms that weigh less are left out, and more terms are not made. */
#define LIKELY 0.9
#define LEAST 1e-4
enum { TERMS_OF_ONE = 128, OUTCOMES_MAX = 128 };
/* What weights are wrong by, relative, at most: errors of their logarithms are far smaller. */
#define WRONG 1e-6
/* Nodes that one bound is for, at most; and what may lie between, in the logarithm: so much, and this part of all. */
enum { STRIDE_MAX = 32 };
#define SLIP 3.0
#define SLIP_PART 0.15

void sotto_rare_sweep_release(struct sotto_rare_sweep *s)
{
	sotto_rare_series_release(&s->list);
	if (s->ready)
		sotto_nonuniform_release(&s->sums);
}

/* Outcomes of one law at an order, the usual one among them, beside the likeliest, which comes first. */
struct weighed_law {
	double weight[OUTCOMES_MAX + 1], gap[OUTCOMES_MAX + 1];
	size_t n;
	double sum; /* of all but the likeliest */
};

static void weigh_law(const struct sotto_rare *r, const struct sotto_rare_law *law,
		      double order, struct weighed_law *out)
{
	double most = 0, at = 0;

	for (size_t i = law->first; i < law->first + law->n; i++) {
		double x = r->log_ratio[i] + order * r->gap[i];

		if (x > most) {
			most = x;
			at = r->gap[i];
		}
	}
	*out = (struct weighed_law){.weight = {1}, .n = 1};
	for (size_t i = law->first; i <= law->first + law->n; i++) {
		bool usual = i == law->first + law->n;
		double g = usual ? 0 : r->gap[i], x = usual ? 0 : r->log_ratio[i] + order * g;

		if (x == most && g == at)
			continue;
		out->weight[out->n] = exp(x - most);
		out->gap[out->n] = g - at;
		out->sum += out->weight[out->n++];
	}
}

/* The heaviest pairs of the heaviest outcomes. */
static enum sotto_status
add_pairs(struct sotto_rare_sweep *s, const struct weighed_law *w, double count)
{
	size_t list[HEAVY], n = 0;
	double all = 1 + w->sum;

	for (size_t i = 0; i < w->n; i++) {
		size_t at = n;

		while (at > 0 && w->weight[list[at - 1]] < w->weight[i])
			at--;
		if (at == HEAVY)
			continue;
		n = n < HEAVY ? n + 1 : HEAVY;
		for (size_t j = n - 1; j > at; j--)
			list[j] = list[j - 1];
		list[at] = i;
	}
	for (size_t i = 1; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			double both = w->weight[list[i]] * w->weight[list[j]];

			if (both < LEAST_PAIR * w->weight[list[0]] * w->weight[list[1]])
				continue;
			SOTTO_TRY(sotto_rare_series_push(&s->list,
							 w->gap[list[i]] - w->gap[list[j]],
							 count * both / (all * all)));
		}
	return SOTTO_OK;
}

static enum sotto_status add_law(struct sotto_rare_sweep *s, const struct sotto_rare *r,
				 const struct sotto_rare_law *law, double order)
{
	struct weighed_law w;
	enum sotto_status st = SOTTO_EREFUSED;

	if (law->n > OUTCOMES_MAX)
		return SOTTO_OK; /* nothing is said of it */
	weigh_law(r, law, order, &w);
	if (w.sum < LIKELY)
		st = sotto_rare_series_add(&s->list, w.gap + 1, w.weight + 1, w.n - 1, w.sum,
					   (double)law->count);
	return st == SOTTO_EREFUSED ? add_pairs(s, &w, (double)law->count) : st;
}

/* The sum of |weight| (1 - cos(u gap)), rounded up. */
static double loss_at(const struct sotto_rare_sweep *s, double u)
{
	double sum = 0;

	for (size_t i = 0; i < s->list.n; i++) {
		double half = sin(0.5 * u * s->list.gap[i]);

		sum += 2 * fabs(s->list.weight[i]) * half * half;
	}
	return sum * (1 + 0x1p-20);
}

/* As many nodes for a bound as what lies between allows: halving a step again and again, what the sum can grow by adds up. */
static void set_stride(struct sotto_rare_sweep *s)
{
	s->stride = 1;
	s->slip = 0;
	for (uint64_t u = 1; 2 * u <= STRIDE_MAX; u *= 2) {
		double slip = s->slip + loss_at(s, s->h * (double)u);

		if (!(slip <= SLIP + SLIP_PART * s->list.size))
			break;
		s->stride = 2 * u;
		s->slip = slip;
	}
}

void sotto_rare_sweep_begin(struct sotto_rare_sweep *s, double h)
{
	*s = (struct sotto_rare_sweep){.h = h};
	s->list.least = LEAST;
	s->list.most = TERMS_OF_ONE;
}

enum sotto_status sotto_rare_sweep_add(struct sotto_rare_sweep *s, const double *loss,
				       const double *weight, size_t n, double count)
{
	for (size_t i = 1; i < n; i++)
		for (size_t j = 0; j < i; j++) {
			double both = count * weight[i] * weight[j];

			if (both > LEAST_OF_ALL)
				SOTTO_TRY(sotto_rare_series_push(&s->list, loss[i] - loss[j],
								 both));
		}
	return SOTTO_OK;
}

enum sotto_status sotto_rare_sweep_init(struct sotto_rare_sweep *s,
					const struct sotto_rare *list, double c, double h)
{
	sotto_rare_sweep_begin(s, h);
	for (size_t j = 0; j < list->n; j++)
		SOTTO_TRY(add_law(s, list, &list->laws[j], c));
	return sotto_rare_sweep_settle(s);
}

enum sotto_status sotto_rare_sweep_settle(struct sotto_rare_sweep *s)
{
	if (s->list.n == 0)
		return SOTTO_OK;
	for (size_t i = 0; i < s->list.n; i++)
		s->far = fmax(s->far, fabs(s->list.gap[i]));
	set_stride(s);
	s->ready = true;
	return sotto_nonuniform_init(&s->sums, s->list.gap, s->list.n, s->h * (double)s->stride,
				     SOTTO_NONUNIFORM_ROUGH);
}

void sotto_rare_sweep_run(struct sotto_rare_sweep *s, uint64_t first, double *bound)
{
	struct sotto_nonuniform *u = &s->sums;
	double t = s->h * (double)(first + s->stride * SOTTO_SEGMENT);
	double wrong = s->list.size * (1.1 * sotto_nonuniform_error(u) + WRONG +
				       32 * SOTTO_U * t * s->far) +
		       2 * s->list.left_out,
	       middle = sotto_sum_total(&s->list.sum);

	sotto_nonuniform_run(u, s->list.gap, s->list.weight, first / s->stride);
	for (size_t j = 0; j + 1 < SOTTO_SEGMENT; j++) {
		double most = fmax(u->sums[j].re, u->sums[j + 1].re) + s->slip + wrong;

		bound[j] = most < middle ? exp(most - middle) * (1 + 0x1p-40) : 1;
	}
}

double sotto_rare_sweep_steps(const struct sotto_rare_sweep *s)
{
	return sotto_nonuniform_steps(&s->sums) + 20.0 * SOTTO_SEGMENT;
}
