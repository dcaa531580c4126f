/*
 * Cuts the sorted list where it becomes wider than the series allows, sums powers about each
 * middle with compensation, and bounds the rest by Cauchy's estimate.
 */
#include "core/account/law/laplace_clusters.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/compensated_sum.h"

/* Of width over the radius of convergence; 14 terms then leave 1e-18. */
#define NARROW 0.05
/* Fewer events are not worth a series. */
enum { WORTH = 64, SHARP = 5, TERMS = SOTTO_CLUSTER_TERMS };

void sotto_clusters_free(struct sotto_clusters *c)
{
	if (!c)
		return;
	free(c->at);
	free(c);
}

static void find_middle(struct sotto_cluster *c, const struct sotto_law *law)
{
	struct sotto_sum sum = {0}, count = {0};

	for (size_t i = c->from; i < c->to; i++) {
		sotto_sum_add(&sum, (double)law->counts[i] * law->loss[i]);
		sotto_sum_add(&count, (double)law->counts[i]);
	}
	c->count = sotto_sum_total(&count);
	c->middle = sotto_sum_total(&sum) / c->count;
	c->width = fmax(law->loss[c->to - 1] - c->middle, c->middle - law->loss[c->from]) *
		   (1 + 8 * SOTTO_U);
}

/* The first powers matter most and are summed with compensation. */
static void sum_powers(struct sotto_cluster *c, const struct sotto_law *law)
{
	struct sotto_sum sharp[SHARP] = {{0, 0}};
	double rough[TERMS] = {0};

	for (size_t i = c->from; i < c->to; i++) {
		double z = law->loss[i] - c->middle, power = (double)law->counts[i];

		for (int p = 1; p < SHARP; p++) {
			power *= z;
			sotto_sum_add(&sharp[p], power);
		}
		for (int p = SHARP; p < TERMS; p++) {
			power *= z;
			rough[p] += power;
		}
	}
	c->moment[0] = c->count;
	for (int p = 1; p < TERMS; p++)
		c->moment[p] = p < SHARP ? sotto_sum_total(&sharp[p]) : rough[p];
}

/* On this circle about any middle M changes by at most half of itself (below). */
static double radius(double reach)
{
	return 0.28 / reach;
}

enum sotto_status
sotto_clusters_new(const struct sotto_law *law, double scale, struct sotto_clusters **out)
{
	struct sotto_clusters *c = calloc(1, sizeof *c);
	double span = 2 * NARROW * 0.9 * radius(scale);
	size_t room = 0;

	if (!c)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < law->n;) {
		struct sotto_cluster *grown = c->at, one = {.from = i};

		while (i < law->n && law->loss[i] - law->loss[one.from] <= span)
			i++;
		one.to = i;
		if (c->n == room) {
			room = room ? 2 * room : 16;
			grown = realloc(c->at, room * sizeof *grown);
		}
		if (!grown) {
			sotto_clusters_free(c);
			return SOTTO_ENOMEM;
		}
		c->at = grown;
		if (one.to - one.from >= WORTH) {
			find_middle(&one, law);
			sum_powers(&one, law);
		}
		c->at[c->n++] = one;
	}
	*out = c;
	return SOTTO_OK;
}

bool sotto_cluster_is_good(const struct sotto_cluster *c, double reach)
{
	return c->to - c->from >= WORTH && c->width < NARROW * radius(reach) &&
	       reach * c->middle < 0.25;
}

/*
 * M(e+z)/M(e) = (u e^(sz) + v e^(-(s+1)z))/(u + v), u = A, v = B e^(-(2s+1)e).  For
 * |s+1| e < 1/4: |u| + |v| <= 1.54 |u + v|, so for |z| <= 0.28/|s+1| the ratio is within 1/2 of 1,
 * its logarithm at most log 2, and coefficient p at most log 2/radius^p (Cauchy).  log of
 * the series: p a_p = p m_p - sum of j a_j m_(p-j).
 */
struct cx
sotto_cluster_beyond(const struct sotto_cluster *c, double line, double t, double *error)
{
	struct cx d = cx_inv(cx_of(2 * line + 1, 2 * t)), s = cx_of(line, t);
	struct cx down = cx_of(-(line + 1), -t), fall, u, v, whole, m[TERMS], a[TERMS], sum;
	double size = 0, power = c->count, ratio = c->width / radius(cx_abs(down));

	fall = cx_exp(-(2 * line + 1) * c->middle, -2 * t * c->middle);
	u = cx_mul(cx_of(line + 1, t), d);
	v = cx_mul(cx_mul(s, d), fall);
	whole = cx_inv(cx_add(u, v));
	u = cx_mul(u, whole);
	v = cx_mul(v, whole);
	sum = cx_of(0, 0);
	for (int p = 1; p < TERMS; p++) {
		u = cx_scale(cx_mul(u, s), 1.0 / p);
		v = cx_scale(cx_mul(v, down), 1.0 / p);
		m[p] = cx_add(u, v);
		a[p] = cx_scale(m[p], p);
		for (int j = 1; j < p; j++)
			a[p] = cx_sub(a[p], cx_scale(cx_mul(a[j], m[p - j]), j));
		a[p] = cx_scale(a[p], 1.0 / p);
		sum = cx_add(sum, cx_scale(a[p], c->moment[p]));
		power *= c->width;
		/* roundings of the terms that make a_p, and of the power sums */
		size += power * (pow(2 * cx_abs(down), p) * 64 +
				 cx_abs(a[p]) * (p < SHARP ? 8 : (double)(c->to - c->from)));
	}
	*error = SOTTO_U * size + c->count * pow(ratio, TERMS);
	return sum;
}
