/*
 * Lists a rectangle of outcomes around the mode, widened alternately to both sides, with masses
 * by recurrence that are rounded down.
 */
#include "core/account/law/clones/clone_heavy.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/clones/clone_rule.h"
#include "core/account/law/law_clones.h"
#include "core/base/failure.h"

/* More clones than this have another bound (clone_far.h). */
#define CLONES_MAX 1000.0
/* Masses are rounded down by this, which is more than they are wrong by. */
#define DOWN (1 - 0x1p-30)

/* The middle outcomes of n reports, about so many; mass is that of n. */
static void add_row(const struct sotto_clone_pair *p, double n, double mass, double many,
		    struct sotto_heavy *out)
{
	double first = fmax(0, ceil(0.5 * (n - many))), last = fmin(n, floor(0.5 * (n + many)));
	double one = exp(lgamma(n + 1) - lgamma(first + 1) - lgamma(n - first + 1) - n * M_LN2);

	for (double x = first; x <= last && out->n < SOTTO_HEAVY; x++) {
		double d = 2 * x - n;

		out->loss[out->n] = sotto_clone_loss(p, d, n);
		out->mass[out->n++] = DOWN * mass * one * (1 + p->tau * d / n);
		one *= (n - x) / (x + 1);
	}
}

/* A rectangle of outcomes around the likeliest, as many standard deviations wide in the number of clones as in the difference. */
static void add_rows(const struct sotto_clone_pair *p, const struct sotto_clones *s,
		     struct sotto_heavy *out)
{
	double mode = fmin(p->users, floor((p->users + 1) * p->p)),
	       rows = sqrt(p->clones * p->rest) + 0.3, columns = 0.5 * sqrt(mode + 1) + 0.3,
	       many = fmin(ceil(sqrt(SOTTO_HEAVY / (rows * columns)) * columns), mode + 2);

	for (int i = 0; i < 2 * SOTTO_HEAVY; i++) { /* 0, 1, -1, 2, -2, ... */
		double k = mode + (i % 2 ? (i + 1) / 2 : -i / 2);

		if (k >= s->low && k <= s->high)
			add_row(p, k + 1, s->mass[(size_t)(k - s->low)], many, out);
	}
}

enum sotto_status sotto_clone_heavy(const struct sotto_clone_pair *p, struct sotto_heavy *out)
{
	static const struct sotto_clone_order order = {0, 0, SOTTO_CLONE_DIGITS};
	struct sotto_clones s = {.users = p->users, .p = p->p};

	out->n = 0;
	if (!(p->clones < CLONES_MAX))
		return SOTTO_OK;
	sotto_clone_window(p, &order, &s.low, &s.high);
	s.count = (size_t)(s.high - s.low) + 1;
	SOTTO_TRY(sotto_clones_weigh(&s));
	add_rows(p, &s, out);
	free(s.mass);
	return SOTTO_OK;
}
