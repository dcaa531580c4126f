/*
 * Considers single classes, and all classes up to or from each one, as events on the first half
 * of the runs; classes can be sorted first by how much they tell.
 */
#include "testlib/statistics/audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sotto/audit.h"
#include "testlib/tape.h"

/* The chance that a proof is wrong. */
static const double false_alarm = 1e-9;

struct histogram {
	uint64_t count[AUDIT_CLASSES];
	uint64_t total;
};

/* A set of classes: from .. to - 1. */
struct event {
	unsigned from;
	unsigned to;
	bool swapped; /* the neighbour is the likelier one */
};

static void collect(const struct audit *a, bool neighbour, uint64_t runs, uint64_t seed,
		    struct histogram *h)
{
	struct sotto_rng *rng = stream_open(seed);

	memset(h, 0, sizeof *h);
	for (uint64_t i = 0; i < runs; i++) {
		unsigned class = a->run(a->context, neighbour, rng);

		h->count[class < a->classes ? class : a->classes - 1]++;
	}
	h->total = runs;
	stream_close(rng);
}

static uint64_t count_of(const struct histogram *h, struct event e)
{
	uint64_t count = 0;

	for (unsigned c = e.from; c < e.to; c++)
		count += h->count[c];
	return count;
}

/* A quick stand-in for the bound while searching: three standard deviations. */
static double score(double yes, double no, double runs, double delta)
{
	double low = yes - 3 * sqrt(yes + 1) - delta * runs, high = no + 3 * sqrt(no + 1);

	return low > 0 ? log(low / high) : 0;
}

static void consider(const struct histogram h[2], struct event e, double delta,
		     struct event *best, double *best_score)
{
	double x = (double)count_of(&h[0], e), y = (double)count_of(&h[1], e);
	double runs = (double)h[0].total;

	for (int swapped = 0; swapped <= 1; swapped++) {
		double s = swapped ? score(y, x, runs, delta) : score(x, y, runs, delta);

		if (s > *best_score) {
			*best_score = s;
			*best = (struct event){e.from, e.to, swapped};
		}
	}
}

static struct event choose(const struct audit *a, const struct histogram h[2])
{
	struct event best = {0, 1, false};
	double best_score = 0;

	for (unsigned c = 0; c < a->classes; c++) {
		consider(h, (struct event){c, c + 1, false}, a->delta, &best, &best_score);
		consider(h, (struct event){0, c + 1, false}, a->delta, &best, &best_score);
		consider(h, (struct event){c, a->classes, false}, a->delta, &best, &best_score);
	}
	return best;
}

struct audit_proof audit_prove(const struct audit *a)
{
	struct histogram *h = malloc(2 * sizeof *h);
	uint64_t half = a->runs / 2, yes, no;
	struct event e;

	if (!h)
		abort();
	for (int n = 0; n < 2; n++)
		collect(a, n, half, a->seed + (uint64_t)n, &h[n]);
	e = choose(a, h);
	for (int n = 0; n < 2; n++)
		collect(a, n, half, a->seed + 2 + (uint64_t)n, &h[n]);
	yes = count_of(&h[e.swapped], e);
	no = count_of(&h[!e.swapped], e);
	free(h);
	return (struct audit_proof){
		.epsilon = sotto_audit_epsilon_down(
			yes, no, half, &(struct sotto_audit_level){false_alarm, a->delta}),
		.p = (double)yes / (double)half,
		.q = (double)no / (double)half};
}

struct sorted {
	const struct audit *inner;
	double speaks[AUDIT_CLASSES]; /* how much more often a class comes from the dataset */
	unsigned order[AUDIT_CLASSES], rank[AUDIT_CLASSES];
};

static int by_speech(const void *a, const void *b, void *context)
{
	const struct sorted *s = context;
	double x = s->speaks[*(const unsigned *)a], y = s->speaks[*(const unsigned *)b];

	return (x < y) - (x > y);
}

static void sort_classes(struct sorted *s, const struct histogram h[2])
{
	for (unsigned c = 0; c < AUDIT_CLASSES; c++) {
		s->order[c] = c;
		s->speaks[c] = ((double)h[0].count[c] + 1) / ((double)h[1].count[c] + 1);
	}
	qsort_r(s->order, s->inner->classes, sizeof s->order[0], by_speech, s);
	for (unsigned c = 0; c < s->inner->classes; c++)
		s->rank[s->order[c]] = c;
}

static unsigned run_sorted(void *context, bool neighbour, struct sotto_rng *rng)
{
	struct sorted *s = context;
	unsigned class = s->inner->run(s->inner->context, neighbour, rng);

	return s->rank[class < s->inner->classes ? class : s->inner->classes - 1];
}

struct audit_proof audit_prove_sorted(const struct audit *a)
{
	struct histogram *h = malloc(2 * sizeof *h);
	struct sorted *s = calloc(1, sizeof *s);
	struct audit sorted = *a;
	struct audit_proof proof;

	if (!h || !s)
		abort();
	for (int n = 0; n < 2; n++)
		collect(a, n, a->runs / 2, a->seed + 4 + (uint64_t)n, &h[n]);
	s->inner = a;
	sort_classes(s, h);
	sorted.run = run_sorted;
	sorted.context = s;
	proof = audit_prove(&sorted);
	free(h);
	free(s);
	return proof;
}
