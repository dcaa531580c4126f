/* An event that scores choose, and what its counts prove; the argument is in audit.md. */
#include "sotto/audit.h"

#include <math.h>
#include <stdlib.h>

#include "audit/audit_inside.h"
#include "local/decode/special.h"

enum { THRESHOLDS = 200 }; /* tried in each direction, spread over the runs */

/* Above the relative error of the bounds and of the logarithm, for up to 10^8 trials. */
static const double slack = 1e-6;

bool sotto_audit_level_is_valid(const struct sotto_audit_level *level)
{
	return level && level->alpha > 0 && level->alpha < 1 && level->delta >= 0 &&
	       level->delta < 1;
}

double sotto_audit_epsilon_down(uint64_t hits, uint64_t misses, uint64_t trials,
				const struct sotto_audit_level *level)
{
	double low, high, ratio;

	if (!sotto_audit_level_is_valid(level) || trials == 0 || hits > trials ||
	    misses > trials)
		return 0;
	low = sotto_binomial_low(trials, hits, level->alpha / 2) * (1 - slack);
	high = sotto_binomial_high(trials, misses, level->alpha / 2) * (1 + slack);
	ratio = (low - level->delta) / high;
	return ratio > 1 ? log(ratio) * (1 - slack) : 0;
}

static int largest_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* The score as the event sees it. */
static double seen(double score, unsigned favours)
{
	return favours ? -score : score;
}

/* The scores on one input as the event sees them, largest first. */
static void
sort_into(double *out, const struct sotto_audit_scores *s, unsigned input, unsigned favours)
{
	for (size_t i = 0; i < s->count; i++)
		out[i] = seen(s->of[input][i], favours);
	qsort(out, s->count, sizeof *out, largest_first);
}

static size_t count_from(const double *sorted, size_t count, double least)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sorted[middle] >= least)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What trials like these would prove; one miss more than was seen, since none may be luck. */
static double expect(size_t hits, size_t misses, size_t count, uint64_t trials,
		     const struct sotto_audit_level *level)
{
	double scale = (double)trials / (double)count,
	       missed = fmin((double)(misses + 1) * scale, (double)trials);

	return sotto_audit_epsilon_down((uint64_t)((double)hits * scale), (uint64_t)missed,
					trials, level);
}

enum sotto_status sotto_audit_choose(const struct sotto_audit_scores *s, uint64_t trials,
				     const struct sotto_audit_level *level,
				     struct sotto_audit_event *event, double *epsilon)
{
	struct sotto_audit_event best = {.least = INFINITY};
	double most = 0, *own, *other;

	if (!s || s->count == 0 || trials == 0 || !sotto_audit_level_is_valid(level))
		return SOTTO_EINVAL;
	own = calloc(s->count, 2 * sizeof *own);
	if (!own)
		return SOTTO_ENOMEM;
	other = own + s->count;
	for (unsigned favours = 0; favours < 2; favours++) {
		size_t step = s->count / THRESHOLDS + 1;

		sort_into(own, s, favours, favours);
		sort_into(other, s, !favours, favours);
		for (size_t i = 0; i < s->count; i += step) {
			double e = expect(count_from(own, s->count, own[i]),
					  count_from(other, s->count, own[i]), s->count, trials,
					  level);

			if (e > most) {
				most = e;
				best = (struct sotto_audit_event){favours, own[i]};
			}
		}
	}
	free(own);
	*event = best;
	*epsilon = most;
	return SOTTO_OK;
}

struct sotto_audit_proof sotto_audit_try(const struct sotto_audit_scores *s,
					 const struct sotto_audit_event *event,
					 const struct sotto_audit_level *level)
{
	uint64_t count[2] = {0}, hits, misses;

	if (!s || !event || event->favours > 1)
		return (struct sotto_audit_proof){0};
	for (unsigned input = 0; input < 2; input++)
		for (size_t i = 0; i < s->count; i++)
			count[input] += seen(s->of[input][i], event->favours) >= event->least;
	hits = count[event->favours];
	misses = count[!event->favours];
	return (struct sotto_audit_proof){
		.epsilon = sotto_audit_epsilon_down(hits, misses, s->count, level),
		.hits = hits,
		.misses = misses,
		.trials = s->count};
}
