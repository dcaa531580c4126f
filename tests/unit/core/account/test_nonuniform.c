/* Sums over many losses by one transform, against sums one by one. */
#include "core/account/integral/nonuniform.h"

#include <math.h>
#include <stdlib.h>

#include "testlib/tap.h"

enum { LOSSES = 3000 };

struct cloud {
	double loss[LOSSES], weight[LOSSES];
};

/* A bell of losses between -reach and reach, weights summing to 1. */
static void make_cloud(struct cloud *c, double reach)
{
	double sum = 0;

	for (int i = 0; i < LOSSES; i++) {
		double x = 2 * (i + 0.37) / LOSSES - 1;

		c->loss[i] = reach * x * (1 + 0.01 * sin(7.0 * i));
		c->weight[i] = exp(-8 * x * x) * (1.2 + cos(3.0 * i));
		sum += c->weight[i];
	}
	for (int i = 0; i < LOSSES; i++)
		c->weight[i] /= sum;
}

static struct cx one_by_one(const struct cloud *c, double t)
{
	long double re = 0, im = 0;

	for (int i = 0; i < LOSSES; i++) {
		long double s, x;

		sincosl((long double)t * c->loss[i], &s, &x);
		re += c->weight[i] * x;
		im += c->weight[i] * s;
	}
	return cx_of((double)re, (double)im);
}

/* Checks some sums of the segment; returns the largest error in units of what is allowed. */
static double
worst_ratio(double reach, double h, uint64_t first, enum sotto_nonuniform_care care)
{
	static struct cloud c;
	struct sotto_nonuniform u;
	double worst = 0;

	make_cloud(&c, reach);
	CHECK(sotto_nonuniform_init(&u, c.loss, LOSSES, h, care) == SOTTO_OK);
	sotto_nonuniform_run(&u, c.loss, c.weight, first);
	for (uint64_t j = 0; j < SOTTO_SEGMENT; j += 1 + SOTTO_SEGMENT / 97) {
		double t = h * (double)(first + j);
		struct cx z = cx_sub(u.sums[j], one_by_one(&c, t));

		worst = fmax(worst, cx_abs(z) / (sotto_nonuniform_error(&u) +
						 8 * 0x1p-53 * t * reach));
	}
	CHECK(sotto_nonuniform_error(&u) < (care == SOTTO_NONUNIFORM_SHARP ? 1e-13 : 2e-7));
	sotto_nonuniform_release(&u);
	return worst;
}

static void every_sum_is_within_the_bound(void)
{
	static const enum sotto_nonuniform_care cares[] = {SOTTO_NONUNIFORM_SHARP,
							   SOTTO_NONUNIFORM_ROUGH};

	for (int i = 0; i < 2; i++) {
		CHECK(worst_ratio(0.2, 0.5, 256, cares[i]) < 1);
		CHECK(worst_ratio(3, 0.5, 256, cares[i]) < 1);
		CHECK(worst_ratio(11, 0.31, 256 + 3 * SOTTO_SEGMENT, cares[i]) < 1);
		/* losses beyond half a period go round the circle */
		CHECK(worst_ratio(40, 0.25, 1000, cares[i]) < 1);
	}
}

/* A weight moved by less than a millionth must be seen: the test can fail. */
static void a_moved_weight_is_seen(void)
{
	static struct cloud c;
	struct sotto_nonuniform u;
	double t;

	make_cloud(&c, 1);
	CHECK(sotto_nonuniform_init(&u, c.loss, LOSSES, 0.5, SOTTO_NONUNIFORM_SHARP) ==
	      SOTTO_OK);
	sotto_nonuniform_run(&u, c.loss, c.weight, 512);
	c.weight[LOSSES / 2] += 1e-9;
	t = 0.5 * (512 + 77);
	CHECK(cx_abs(cx_sub(u.sums[77], one_by_one(&c, t))) >
	      sotto_nonuniform_error(&u) + 8 * 0x1p-53 * t);
	sotto_nonuniform_release(&u);
}

int main(void)
{
	RUN(every_sum_is_within_the_bound);
	RUN(a_moved_weight_is_seen);
	return tap_done();
}
