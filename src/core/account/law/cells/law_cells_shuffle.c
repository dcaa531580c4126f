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

#include "core/account/law/cells/law_cells.h"
#include "core/account/law/law_clones.h"
#include "core/base/failure.h"

#define OUTCOMES_MAX 1.2e7
/* The masses of more users' clones would not fit into memory. */
#define USERS_MAX 1e12

static double loss(const struct sotto_clones *s, double x, double n)
{
	return log((s->a * x + s->b * (n - x)) / (s->b * x + s->a * (n - x)));
}

/* Masses of x = from .. to out of n at 1/2, times the factor of P, summing to 1 */
static void
add_given(struct sotto_cells *g, const struct sotto_clones *s, double n, double mass)
{
	double half = s->reach * sqrt(n) / 2 + 2, middle = floor(n / 2);
	double from = fmax(0, middle - half), to = fmin(n, middle + half), b = 1, sum = 0;

	for (int pass = 0; pass < 2; pass++) { /* first the sum, then the outcomes */
		b = 1;
		for (double x = middle; x <= to; x++) {
			double w = b * (s->a * x + s->b * (n - x));

			if (pass)
				sotto_cells_add(g, loss(s, x, n), mass * w / sum);
			else
				sum += w;
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

/* The masses, and how many clones make a run. */
static enum sotto_status
find_masses(struct sotto_clones *s, const struct sotto_cutting *cutting, size_t *run)
{
	struct sotto_work *work = cutting->work;
	double each = s->reach * sqrt(s->users * s->p + 1) + 5,
	       outcomes = (double)s->count * each, most = OUTCOMES_MAX;

	if (work)
		most = fmin(most, work->left / (40 * fmax(1, (double)cutting->laws)));
	if (outcomes > most) /* runs are listed twice, by their fewest and by their most */
		most /= 2;
	if (most < fmax(each, (double)s->count) || s->users > USERS_MAX)
		return SOTTO_EREFUSED;
	*run = (size_t)(outcomes / most) + 1;
	sotto_work_use(work,
		       (*run > 1 ? 40 : 20) * each * ceil((double)s->count / (double)*run));
	return sotto_clones_weigh(s);
}

/* All runs of clones, by their fewest or their most. */
static enum sotto_status add_runs(struct sotto_cells *g, const struct sotto_clones *s,
				  size_t run, bool fewest, const struct sotto_cutting *cutting)
{
	double most = loss(s,
			   (s->low + 1) / 2 +
				   fmin((s->low + 1) / 2, s->reach * sqrt(s->low + 1) / 2 + 3),
			   s->low + 1);

	SOTTO_TRY(sotto_cells_init(g, -most, most, cutting));
	for (size_t i = 0; i < s->count; i += run) {
		size_t last = i + run < s->count ? i + run : s->count;
		double sum = 0;

		for (size_t j = i; j < last; j++)
			sum += s->mass[j];
		add_given(g, s, s->low + (double)(fewest ? i : last - 1) + 1, sum);
	}
	/* what was cut off, and recurrences of this many steps */
	g->above += 4 * exp(-cutting->tail);
	g->error += 4 * SOTTO_U * ((double)s->count + s->reach * sqrt(s->users * s->p + 1));
	return SOTTO_OK;
}

enum sotto_status sotto_cells_shuffle(struct sotto_cuts *c, const struct sotto_event *e,
				      const struct sotto_cutting *cutting)
{
	struct sotto_clones s = sotto_clones_of(e, INFINITY, cutting->tail);
	size_t run = 1;
	enum sotto_status st = find_masses(&s, cutting, &run);

	if (st == SOTTO_OK)
		st = add_runs(&c->above, &s, run, true, cutting);
	if (st == SOTTO_OK && run > 1)
		st = add_runs(&c->below, &s, run, false, cutting);
	free(s.mass);
	return st;
}
