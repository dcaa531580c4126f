/*
 * Outcomes that are whole numbers get scores by their order, upward or downward, or by how
 * much more often they came on one input than on the other.
 *
 * The first quarter of the runs learns the latter, the second quarter chooses way and event,
 * and the rest proves.  Learning and choosing apart matters for power alone: a rare outcome
 * that luck gave to one input looks like a perfect event to whoever learned it there.
 */
#include <math.h>
#include <stdlib.h>

#include "audit/audit_inside.h"
#include "sotto/audit.h"

/* An outcome and how much it speaks for the first input. */
struct speech {
	int64_t outcome;
	double score;
};

struct learned {
	struct speech *items; /* by outcome */
	size_t count;
};

static int by_outcome(const void *a, const void *b)
{
	int64_t x = ((const struct speech *)a)->outcome,
		y = ((const struct speech *)b)->outcome;

	return (x > y) - (x < y);
}

/* Equal outcomes become one; their scores, 1 on the first input and -1 on the second, too. */
static void merge(struct learned *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count;) {
		double count[2] = {0};
		size_t first = i;

		for (; i < l->count && l->items[i].outcome == l->items[first].outcome; i++)
			count[l->items[i].score < 0]++;
		l->items[kept++] = (struct speech){l->items[first].outcome,
						   log((count[0] + 1) / (count[1] + 1))};
	}
	l->count = kept;
}

static enum sotto_status
learn(const struct sotto_audit_outcomes *runs, size_t n, struct learned *out)
{
	out->count = 2 * n;
	out->items = calloc(out->count, sizeof *out->items);
	if (!out->items)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		out->items[2 * i] = (struct speech){runs->of[0][i], 1};
		out->items[2 * i + 1] = (struct speech){runs->of[1][i], -1};
	}
	qsort(out->items, out->count, sizeof *out->items, by_outcome);
	merge(out);
	return SOTTO_OK;
}

/* How outcomes get scores. */
enum way {
	LARGE, /* large ones speak for the first input, small ones for the second */
	SMALL, /* the other way round */
	LEARNED,
	WAYS
};

static double score(enum way way, const struct learned *l, int64_t outcome)
{
	const struct speech key = {.outcome = outcome}, *found;

	if (way != LEARNED)
		return way == LARGE ? (double)outcome : -(double)outcome;
	found = bsearch(&key, l->items, l->count, sizeof key, by_outcome);
	return found ? found->score : 0; /* never seen: it speaks for nobody */
}

/* What scores are made from. */
struct source {
	const struct sotto_audit_outcomes *runs;
	const struct learned *learned;
	double *room;
};

/* Scores of the runs from .. from + out->count - 1. */
static void
fill(const struct source *s, enum way way, size_t from, struct sotto_audit_scores *out)
{
	for (int side = 0; side < 2; side++) {
		double *to = s->room + (side ? out->count : 0);

		for (size_t i = 0; i < out->count; i++)
			to[i] = score(way, s->learned, s->runs->of[side][from + i]);
		out->of[side] = to;
	}
}

static enum sotto_status choose_and_try(const struct source *s,
					const struct sotto_audit_level *level,
					struct sotto_audit_proof *proof)
{
	size_t quarter = s->runs->count / 4, rest = s->runs->count - 2 * quarter;
	struct sotto_audit_scores pilot = {.count = quarter}, fresh = {.count = rest};
	struct sotto_audit_event event, best = {.least = INFINITY};
	enum way best_way = LARGE;
	double epsilon, most = 0;

	for (enum way way = 0; way < WAYS; way++) {
		enum sotto_status st;

		fill(s, way, quarter, &pilot);
		st = sotto_audit_choose(&pilot, rest, level, &event, &epsilon);
		if (st != SOTTO_OK)
			return st;
		if (epsilon > most) {
			most = epsilon;
			best = event;
			best_way = way;
		}
	}
	fill(s, best_way, 2 * quarter, &fresh);
	*proof = sotto_audit_try(&fresh, &best, level);
	return SOTTO_OK;
}

enum sotto_status sotto_audit_prove(const struct sotto_audit_outcomes *runs,
				    const struct sotto_audit_level *level,
				    struct sotto_audit_proof *proof)
{
	struct learned learned = {.items = NULL};
	double *room;
	enum sotto_status st;

	if (!runs || runs->count < 8 || !sotto_audit_level_is_valid(level))
		return SOTTO_EINVAL;
	room = calloc(runs->count, 2 * sizeof *room);
	st = room ? learn(runs, runs->count / 4, &learned) : SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		st = choose_and_try(&(struct source){runs, &learned, room}, level, proof);
	free(learned.items);
	free(room);
	return st;
}
