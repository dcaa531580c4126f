/*
 * Whole totals of children: least cost among all whole numbers within reach, no child preferred to
 * another, and exactly the rounding error that predictions count on.
 */
#include "census/solve/family/census_totals.h"

#include <math.h>
#include <stdlib.h>

#include "testlib/tap.h"
#include "testlib/tape.h"

enum { CHILDREN = 4, REACH = 9 };

static uint64_t dice_state = 3;

static uint32_t dice(uint32_t n)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(dice_state >> 33) % n;
}

struct family {
	struct sotto_census_totals f;
	int64_t low[CHILDREN], high[CHILDREN];
	double total[CHILDREN], variance[CHILDREN], out[CHILDREN];
};

static double cost_of(const struct family *y, const double *x)
{
	double sum = 0;

	for (size_t c = 0; c < y->f.children; c++)
		sum += (x[c] - y->total[c]) * (x[c] - y->total[c]) / y->variance[c];
	return sum;
}

/* Bounds within 0 .. REACH - 1, so that all families of numbers can be tried. */
static double make_family(struct family *y)
{
	int64_t least = 0, most = 0;

	*y = (struct family){.f = {.children = 1 + dice(CHILDREN),
				   .low = y->low,
				   .high = y->high,
				   .total = y->total,
				   .variance = y->variance,
				   .out = y->out}};
	for (size_t c = 0; c < y->f.children; c++) {
		y->low[c] = dice(3);
		y->high[c] = y->low[c] + dice(REACH - 2);
		y->total[c] = dice(2) ? (double)dice(12) - 2 : (double)dice(1200) / 100 - 2;
		y->variance[c] = dice(2) ? 1 : 0.05 + (double)dice(400) / 20;
		least += y->low[c];
		most += y->high[c];
	}
	return (double)(least + dice((uint32_t)(most - least) + 1));
}

/* One child hardly known, the others well and all on one side of a half: it goes two steps. */
static double make_uneven_family(struct family *y)
{
	double sum = 0;
	uint32_t side = dice(2) ? 34 : 51;

	make_family(y);
	y->f.children = CHILDREN;
	for (size_t c = 0; c < CHILDREN; c++) {
		y->low[c] = 0;
		y->high[c] = REACH - 1;
		y->total[c] = 2 + dice(4) + (double)(c ? side + dice(15) : dice(100)) / 100;
		y->variance[c] = c ? 0.05 : 20;
		sum += y->total[c];
	}
	return round(sum);
}

static double least_cost(const struct family *y, double whole)
{
	double best = INFINITY;
	size_t all = 1;

	for (size_t c = 0; c < y->f.children; c++)
		all *= REACH;
	for (size_t number = 0; number < all; number++) {
		double x[CHILDREN], sum = 0;
		size_t rest = number;
		bool fits = true;

		for (size_t c = 0; c < y->f.children; c++, rest /= REACH) {
			x[c] = (double)(rest % REACH);
			sum += x[c];
			fits = fits && x[c] >= (double)y->low[c] && x[c] <= (double)y->high[c];
		}
		if (fits && sum == whole)
			best = fmin(best, cost_of(y, x));
	}
	return best;
}

static void whole_totals_cost_least(void)
{
	struct sotto_rng *rng = stream_open(1);
	struct family y;

	for (int i = 0; i < 3000; i++) {
		double whole = i % 2 ? make_family(&y) : make_uneven_family(&y), sum = 0;
		bool fits = true;

		CHECK(sotto_census_share_totals(&y.f, whole, rng) == SOTTO_OK);
		for (size_t c = 0; c < y.f.children; c++) {
			sum += y.out[c];
			fits = fits && y.out[c] == floor(y.out[c]) &&
			       y.out[c] >= (double)y.low[c] && y.out[c] <= (double)y.high[c];
		}
		CHECK(fits && sum == whole);
		CHECK(cost_of(&y, y.out) <= least_cost(&y, whole) + 1e-6);
	}
	stream_close(rng);
}

/* n equally good children whose parent has j more than they: j of them go up, each as often. */
static void equal_fractions_go_up_by_lot(void)
{
	enum { ROUNDS = 20000 };
	struct sotto_rng *rng = stream_open(2);

	for (size_t n = 2; n <= CHILDREN; n++)
		for (size_t j = 0; j < n; j++) {
			struct family y = {.f = {.children = n}};
			double ups[CHILDREN] = {0}, squares = 0;
			double share = (double)j / (double)n;

			y.f = (struct sotto_census_totals){n,       y.low,      y.high,
							   y.total, y.variance, y.out};
			for (size_t c = 0; c < n; c++) {
				y.high[c] = 1000;
				y.total[c] = 100;
				y.variance[c] = 3;
			}
			for (int i = 0; i < ROUNDS; i++) {
				CHECK(sotto_census_share_totals(&y.f,
								100.0 * (double)n + (double)j,
								rng) == SOTTO_OK);
				for (size_t c = 0; c < n; c++) {
					ups[c] += y.out[c] - 100;
					squares += (y.out[c] - 100 - share) *
						   (y.out[c] - 100 - share);
				}
			}
			/* rounding.md, (b): j(n-j)/n^2 for each child, whatever the lots */
			CHECK(fabs(squares / ROUNDS / (double)n - share * (1 - share)) < 1e-9);
			for (size_t c = 0; c < n; c++) /* 6.5 standard deviations */
				CHECK(fabs(ups[c] / ROUNDS - share) <=
				      6.5 * sqrt(share * (1 - share) / ROUNDS));
		}
	stream_close(rng);
}

int main(void)
{
	RUN(whole_totals_cost_least);
	RUN(equal_fractions_go_up_by_lot);
	return tap_done();
}
