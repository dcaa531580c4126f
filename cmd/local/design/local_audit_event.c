/* Chooses an event, and states what it proves. */
#include <math.h>
#include <stdlib.h>

#include "frame/allocation.h"
#include "local/design/local_audit.h"

enum { THRESHOLDS = 200 }; /* tried, spread over the reports */

void audit_scores_init(struct audit_scores *s, size_t count)
{
	s->count = count;
	for (int i = 0; i < 2; i++)
		s->of[i] = memory_new(count, sizeof *s->of[i]);
}

void audit_scores_release(struct audit_scores *s)
{
	free(s->of[0]);
	free(s->of[1]);
	*s = (struct audit_scores){.count = 0};
}

static int largest_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* The scores of one input, largest first, as the event sees them. */
static double *sorted(const struct audit_scores *s, unsigned input, unsigned favours)
{
	double *out = memory_new(s->count, sizeof *out);

	for (size_t i = 0; i < s->count; i++)
		out[i] = favours ? -s->of[input][i] : s->of[input][i];
	qsort(out, s->count, sizeof *out, largest_first);
	return out;
}

static size_t count_from(const double *sorted_scores, size_t count, double least)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (sorted_scores[middle] >= least)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What trials like these would prove; one miss more than was seen, since none may be luck. */
static double expect(size_t hits, size_t misses, size_t count, size_t trials, double alpha)
{
	double scale = (double)trials / (double)count,
	       missed = fmin((double)(misses + 1) * scale, (double)trials);

	return sotto_local_epsilon_at_least((uint64_t)((double)hits * scale), (uint64_t)missed,
					    trials, alpha);
}

struct audit_event
audit_choose(const struct audit_scores *s, size_t trials, double alpha, double *epsilon)
{
	struct audit_event best = {.least = INFINITY};

	*epsilon = 0;
	for (unsigned favours = 0; favours < 2; favours++) {
		double *own = sorted(s, favours, favours),
		       *other = sorted(s, !favours, favours);
		size_t step = s->count / THRESHOLDS + 1;

		for (size_t i = 0; i < s->count; i += step) {
			double e = expect(count_from(own, s->count, own[i]),
					  count_from(other, s->count, own[i]), s->count, trials,
					  alpha);

			if (e > *epsilon) {
				*epsilon = e;
				best = (struct audit_event){favours, own[i]};
			}
		}
		free(own);
		free(other);
	}
	return best;
}

double audit_try(const struct audit_scores *s, struct audit_event event, double alpha)
{
	uint64_t hits[2] = {0};

	for (unsigned input = 0; input < 2; input++)
		for (size_t i = 0; i < s->count; i++)
			hits[input] += (event.favours ? -s->of[input][i] : s->of[input][i]) >=
				       event.least;
	return sotto_local_epsilon_at_least(hits[event.favours], hits[!event.favours], s->count,
					    alpha);
}

void audit_found_release(struct audit_found *f)
{
	free(f->inputs[0]);
	free(f->inputs[1]);
}
