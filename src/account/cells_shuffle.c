/*
 * The clone pair of shuffled reports in cells: outcome (x, c) has the loss
 * log((a x + b (N-x))/(b x + a (N-x))), N = c+1, a = e^e0/(1+e^e0), b = 1 - a.
 *
 * One clone less is less private (adding a clone is post-processing), so with very many
 * users c is taken in runs, whose lowest c stands for all on the upper side and whose
 * highest on the lower.
 */
#include <math.h>
#include <stdlib.h>

#include "account/cells.h"
#include "base/failure.h"

#define OUTCOMES_MAX 4e6

struct clones {
	double users, p, a, b;
	double reach; /* standard deviations that are kept */
};

static struct clones clones_of(const struct sotto_event *e, double tail)
{
	double e0 = sotto_rational_double_up(&e->a);
	struct clones s = {.users = (double)(e->n - 1), .reach = sqrt(2 * tail) + 1};

	s.a = 1 / (1 + exp(-e0));
	s.b = exp(-e0) * s.a;
	s.p = e->flag ? 2 * s.b : exp(-e0);
	return s;
}

static double loss(const struct clones *s, double x, double n)
{
	return log((s->a * x + s->b * (n - x)) / (s->b * x + s->a * (n - x)));
}

/* Masses of x = from .. to out of n at 1/2, times the factor of P, summing to 1 */
static void add_given(struct sotto_cells *g, const struct clones *s, double n, double mass)
{
	double half = s->reach * sqrt(n) / 2 + 2, middle = floor(n / 2);
	double from = fmax(0, middle - half), to = fmin(n, middle + half), b = 1, sum = 0;
	double start;

	for (int pass = 0; pass < 2; pass++) { /* first the sum, then the outcomes */
		b = 1;
		for (double x = middle; x <= to; x++) {
			double w = b * (s->a * x + s->b * (n - x));

			if (pass)
				sotto_cells_add(g, loss(s, x, n), mass * w / sum);
			else
				start = w, sum += start;
			b *= (n - x) / (x + 1);
		}
		b = middle > 0 ? middle / (n - middle + 1) : 0;
		for (double x = middle - 1; x >= from; x--) {
			double w = b * (s->a * x + s->b * (n - x));

			if (pass)
				sotto_cells_add(g, loss(s, x, n), mass * w / sum);
			else
				sum += w;
			b *= x / (n - x + 1);
		}
	}
}

/* Masses of C by recurrence from the mode; returns how many, first in *low. */
static double *clone_masses(const struct clones *s, double *low, size_t *count)
{
	double mode = floor((s->users + 1) * s->p), sum = 0, odds = s->p / (1 - s->p);
	double half = s->reach * sqrt(s->users * s->p * (1 - s->p)) + s->reach * s->reach + 2;
	double high = fmin(s->users, mode + half), *mass;

	mode = fmin(mode, s->users);
	*low = fmax(0, mode - half);
	*low = floor(*low);
	*count = (size_t)(floor(high) - *low) + 1;
	mass = calloc(*count, sizeof *mass);
	if (!mass)
		return NULL;
	mass[(size_t)(mode - *low)] = 1;
	for (double c = mode; c > *low; c--)
		mass[(size_t)(c - 1 - *low)] =
			mass[(size_t)(c - *low)] * c / ((s->users - c + 1) * odds);
	for (double c = mode; c < floor(high); c++)
		mass[(size_t)(c + 1 - *low)] =
			mass[(size_t)(c - *low)] * (s->users - c) / (c + 1) * odds;
	for (size_t i = 0; i < *count; i++)
		sum += mass[i];
	for (size_t i = 0; i < *count; i++)
		mass[i] /= sum;
	return mass;
}

enum sotto_status sotto_cells_shuffle(struct sotto_cells *g, const struct sotto_event *e,
				      const struct sotto_cutting *cutting)
{
	struct clones s = clones_of(e, cutting->tail);
	double low, most, *mass;
	enum sotto_status st;
	size_t count, run;

	mass = clone_masses(&s, &low, &count);
	if (!mass)
		return SOTTO_ENOMEM;
	most = loss(&s, (low + 1) / 2 + fmin((low + 1) / 2, s.reach * sqrt(low + 1) / 2 + 3),
		    low + 1);
	run = (size_t)((double)count * s.reach * sqrt(s.users * s.p + 1) / OUTCOMES_MAX) + 1;
	st = sotto_cells_init(g, -most, most, cutting);
	for (size_t i = 0; i < count && st == SOTTO_OK; i += run) {
		size_t last = i + run < count ? i + run : count;
		double sum = 0;

		for (size_t j = i; j < last; j++)
			sum += mass[j];
		add_given(g, &s,
			  low + (double)(cutting->side == SOTTO_UPPER ? i : last - 1) + 1, sum);
	}
	free(mass);
	if (st == SOTTO_OK) { /* what was cut off, and recurrences of this many steps */
		g->above += 4 * exp(-cutting->tail);
		g->error += 4 * SOTTO_U * ((double)count + s.reach * sqrt(s.users * s.p + 1));
	}
	return st;
}
