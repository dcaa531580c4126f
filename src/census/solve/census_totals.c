#include "census/solve/census_totals.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"

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

struct remainder {
	double gain;
	size_t child;
};

static int compare_gain(const void *a, const void *b)
{
	const struct remainder *l = a, *r = b;

	if (l->gain != r->gain)
		return l->gain > r->gain ? -1 : 1;
	return (l->child > r->child) - (l->child < r->child);
}

/* Floors, then the steps that cost least: (1 - 2 fraction)/t. */
static enum sotto_status round_totals(const struct sotto_census_totals *f, double whole)
{
	struct remainder *list = malloc(f->children * sizeof *list);
	double lack = whole;

	if (!list)
		return SOTTO_ENOMEM;
	for (size_t c = 0; c < f->children; c++) {
		double floor_of = floor(f->out[c] + 1e-9), rest = f->out[c] - floor_of;

		list[c] = (struct remainder){
			.gain = rest < 1e-9 ? -INFINITY
					    : (2 * rest - 1) / fmax(f->variance[c], 1e-9),
			.child = c};
		f->out[c] = floor_of;
		lack -= floor_of;
	}
	qsort(list, f->children, sizeof *list, compare_gain);
	for (size_t i = 0; i < f->children && lack > 0.5; i++, lack--)
		f->out[list[i].child]++;
	free(list);
	return SOTTO_OK;
}

enum sotto_status sotto_census_share_totals(const struct sotto_census_totals *f, double whole)
{
	divide_total(f, whole);
	return round_totals(f, whole);
}
