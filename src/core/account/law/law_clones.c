/*
 * Binomial masses by recurrence from the mode, cut off where less than 4 exp(-tail) is left,
 * and divided by their sum.
 */
#include "core/account/law/law_clones.h"

#include <math.h>
#include <stdlib.h>

static double mode_of(const struct sotto_clones *s)
{
	return fmin(s->users, floor((s->users + 1) * s->p));
}

struct sotto_clones sotto_clones_of(const struct sotto_event *e, double most, double tail)
{
	double e0 = sotto_rational_double_up(&e->local_epsilon), half;
	struct sotto_clones s = {.users = fmin((double)(e->users - 1), most),
				 .reach = sqrt(2 * tail) + 1};

	s.a = 1 / (1 + exp(-e0));
	s.b = exp(-e0) * s.a;
	s.p = e->is_binary ? 2 * s.b : exp(-e0);
	half = s.reach * sqrt(s.users * s.p * (1 - s.p)) + s.reach * s.reach + 2;
	s.low = floor(fmax(0, mode_of(&s) - half));
	s.high = floor(fmin(s.users, mode_of(&s) + half));
	s.count = (size_t)(s.high - s.low) + 1;
	return s;
}

/* By recurrence from the mode. */
enum sotto_status sotto_clones_weigh(struct sotto_clones *s)
{
	double mode = mode_of(s), odds = s->p / (1 - s->p), sum = 0;

	s->mass = calloc(s->count, sizeof *s->mass);
	if (!s->mass)
		return SOTTO_ENOMEM;
	s->mass[(size_t)(mode - s->low)] = 1;
	for (double c = mode; c > s->low; c--)
		s->mass[(size_t)(c - 1 - s->low)] =
			s->mass[(size_t)(c - s->low)] * c / ((s->users - c + 1) * odds);
	for (double c = mode; c < s->high; c++)
		s->mass[(size_t)(c + 1 - s->low)] =
			s->mass[(size_t)(c - s->low)] * (s->users - c) / (c + 1) * odds;
	for (size_t i = 0; i < s->count; i++)
		sum += s->mass[i];
	for (size_t i = 0; i < s->count; i++)
		s->mass[i] /= sum;
	return SOTTO_OK;
}
