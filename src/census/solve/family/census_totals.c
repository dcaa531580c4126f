/*
 * Weighted least squares by bisection on the multiplier, then rounding by the cheapest steps,
 * then exchanges of one person as long as one lowers the cost; random lots decide ties.
 */
#include "census/solve/family/census_totals.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"

static const double least_gain = 1e-9; /* of an exchange, relative to its cost */

static double total_at(const struct sotto_census_totals *f, size_t c, double mu)
{
	double x = f->total[c] + f->variance[c] * mu;
	double low = (double)f->low[c], high = (double)f->high[c];

	return x < low ? low : x > high ? high : x;
}

/* min sum (N - z)^2/t with the children adding up to the parent: bisection on mu. */
static void divide_total(const struct sotto_census_totals *f, double whole)
{
	double low = -1, high = 1, sum;

	for (int side = 0; side < 2; side++)
		for (int i = 0; i < 200; i++) {
			sum = 0;
			for (size_t c = 0; c < f->children; c++)
				sum += total_at(f, c, side ? high : low);
			if (side ? sum >= whole : sum <= whole)
				break;
			*(side ? &high : &low) *= 2;
		}
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		sum = 0;
		for (size_t c = 0; c < f->children; c++)
			sum += total_at(f, c, middle);
		*(sum < whole ? &low : &high) = middle;
	}
	for (size_t c = 0; c < f->children; c++)
		f->out[c] = total_at(f, c, high);
}

/* What one person more, or less, in child c adds to the cost. */
static double cost_up(const struct sotto_census_totals *f, size_t c)
{
	return f->out[c] + 1 > (double)f->high[c]
		       ? INFINITY
		       : (2 * (f->out[c] - f->total[c]) + 1) / fmax(f->variance[c], 1e-9);
}

static double cost_down(const struct sotto_census_totals *f, size_t c)
{
	return f->out[c] - 1 < (double)f->low[c]
		       ? INFINITY
		       : (1 - 2 * (f->out[c] - f->total[c])) / fmax(f->variance[c], 1e-9);
}

struct offer {
	double cost;
	uint64_t lot; /* decides between equals */
	size_t child;
};

static int compare_offers(const void *a, const void *b)
{
	const struct offer *l = a, *r = b;

	if (l->cost != r->cost)
		return l->cost < r->cost ? -1 : 1;
	if (l->lot != r->lot)
		return l->lot < r->lot ? -1 : 1;
	return (l->child > r->child) - (l->child < r->child);
}

/* The cheapest of all offers. */
static struct offer best_offer(const struct sotto_census_totals *f,
			       double (*cost)(const struct sotto_census_totals *, size_t),
			       const uint64_t *lots)
{
	struct offer best = {.cost = INFINITY, .lot = UINT64_MAX};

	for (size_t c = 0; c < f->children; c++) {
		struct offer offer = {cost(f, c), lots[c], c};

		if (offer.cost < INFINITY &&
		    (best.cost == INFINITY || compare_offers(&offer, &best) < 0))
			best = offer;
	}
	return best;
}

/* Floors, and one person more for the children where that costs least. */
static void round_near(const struct sotto_census_totals *f, double whole, const uint64_t *lots,
		       struct offer *offers)
{
	double lack = whole;

	for (size_t c = 0; c < f->children; c++) {
		f->out[c] = floor(f->out[c] + 1e-9);
		lack -= f->out[c];
		offers[c] = (struct offer){cost_up(f, c), lots[c], c};
	}
	qsort(offers, f->children, sizeof *offers, compare_offers);
	for (size_t i = 0; i < f->children && lack > 0.5; i++, lack--)
		if (offers[i].cost < INFINITY)
			f->out[offers[i].child]++;
}

/* Exchanges as long as they lower the cost: with unequal variances some go beyond the next. */
static void exchange(const struct sotto_census_totals *f, const uint64_t *lots)
{
	for (;;) {
		struct offer up = best_offer(f, cost_up, lots),
			     down = best_offer(f, cost_down, lots);

		if (!(up.cost + down.cost < -least_gain * (1 + fabs(up.cost))))
			return;
		f->out[up.child]++;
		f->out[down.child]--;
	}
}

enum sotto_status sotto_census_share_totals(const struct sotto_census_totals *f, double whole,
					    struct sotto_rng *rng)
{
	uint64_t *lots = malloc(f->children * sizeof *lots);
	struct offer *offers = malloc(f->children * sizeof *offers);
	enum sotto_status st = lots && offers ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t c = 0; st == SOTTO_OK && c < f->children; c++)
		st = sotto_uniform_below(rng, UINT64_MAX, &lots[c]);
	if (st == SOTTO_OK) {
		divide_total(f, whole);
		round_near(f, whole, lots, offers);
		exchange(f, lots);
	}
	free(offers);
	free(lots);
	return st;
}
