/*
 * Streams of questions: those that shall be "below" rise by the sensitivity, the one that
 * shall be "above" falls by it.  And bounds, which are found by two such streams.
 */
#include "audit/audit_subject.h"

#include <math.h>
#include <stdlib.h>

#include "frame/allocation.h"
#include "sotto/stream.h"

enum { QUESTIONS = 12, MOVE = 2, VALUES = 64, FEW = 30 };

struct stream {
	struct sotto_sparse_vector *sparse;
	int period; /* the last of so many questions shall be above */
};

static enum sotto_status open_stream(const struct audit_terms *terms,
				     struct sotto_sparse_vector_options o,
				     struct audit_case *out, struct sotto_error *err)
{
	struct stream *s = memory_new(1, sizeof *s);
	struct sotto_cost cost;
	enum sotto_status st;

	o.epsilon = terms->epsilon;
	o.sensitivity = MOVE;
	s->period = QUESTIONS / (int)o.positives;
	out->mechanism = s;
	st = sotto_sparse_vector_new(&o, &s->sparse, err);
	sotto_cost_init(&cost);
	if (st == SOTTO_OK)
		st = sotto_sparse_vector_cost(s->sparse, &cost);
	return audit_claim_take(&out->claim, st, &cost);
}

static enum sotto_status above_threshold_open(const struct audit_terms *terms,
					      struct audit_case *out, struct sotto_error *err)
{
	return open_stream(terms, (struct sotto_sparse_vector_options){.positives = 1}, out,
			   err);
}

static enum sotto_status
sparse_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	return open_stream(terms, (struct sotto_sparse_vector_options){.positives = 2}, out,
			   err);
}

static enum sotto_status sparse_optimized_open(const struct audit_terms *terms,
					       struct audit_case *out, struct sotto_error *err)
{
	return open_stream(
		terms, (struct sotto_sparse_vector_options){.positives = 2, .optimized = true},
		out, err);
}

static enum sotto_status numeric_sparse_open(const struct audit_terms *terms,
					     struct audit_case *out, struct sotto_error *err)
{
	return open_stream(
		terms, (struct sotto_sparse_vector_options){.positives = 1, .numeric = true},
		out, err);
}

/* The outcome: where the positives are, and the sum of their values. */
static enum sotto_status
stream_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct stream *s = mechanism;
	int64_t places = 0, value = 0;

	sotto_sparse_vector_restart(s->sparse);
	for (int i = 0; i < QUESTIONS && sotto_sparse_vector_left(s->sparse); i++) {
		bool rises = (i + 1) % s->period != 0;
		struct sotto_exact query =
			sotto_exact_of(rises == (side == 1) ? MOVE / 2 : -MOVE / 2);
		struct sotto_sparse_answer a;
		enum sotto_status st = sotto_sparse_vector_ask(s->sparse, rng, query, &a);

		if (st != SOTTO_OK)
			return st;
		if (a.above) {
			places = places * (QUESTIONS + 1) + i + 1;
			value += a.value.value;
		}
	}
	value = value < -VALUES ? -VALUES : value > VALUES ? VALUES : value;
	*outcome = places * (2 * VALUES + 1) + value + VALUES;
	return SOTTO_OK;
}

static void stream_close(void *mechanism)
{
	struct stream *s = mechanism;

	sotto_sparse_vector_free(s->sparse);
	free(s);
}

/* ---- bounds: values at one place, too few to be found most of the time, or one more ---- */

struct search {
	struct sotto_rational epsilon;
	struct sotto_bounds_options options;
	int64_t values;
};

static enum sotto_status
bounds_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	struct search *s = memory_new(1, sizeof *s);
	struct sotto_cost cost;

	(void)err;
	sotto_rational_init(&s->epsilon);
	sotto_rational_set(&s->epsilon, terms->epsilon);
	s->options = (struct sotto_bounds_options){
		.epsilon = &s->epsilon, .contributions = 1, .beta = 0.5};
	s->values = (int64_t)fmin(FEW / sotto_rational_double_up(terms->epsilon), 1e9);
	out->mechanism = s;
	sotto_cost_init(&cost);
	return audit_claim_take(&out->claim, sotto_bounds_cost(&s->options, &cost), &cost);
}

/* Where a bound stands among the powers of two. */
static int64_t place(int64_t bound)
{
	int64_t power = 0;

	for (uint64_t x = (uint64_t)(bound < 0 ? -(bound + 1) : bound); x; x >>= 1)
		power++;
	return bound < 0 ? 64 - power : 65 + power;
}

/* The outcome: both bounds, found or not. */
static enum sotto_status
bounds_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	const struct search *s = mechanism;
	struct sotto_exact counts[SOTTO_BOUNDS_BINS];
	struct sotto_bounds found = {.found = false};
	enum sotto_status st;

	sotto_bounds_count(NULL, 0, counts);
	counts[SOTTO_BOUNDS_BINS / 2] = sotto_exact_of(s->values + side);
	st = sotto_bounds_find(&s->options, rng, counts, &found, NULL);
	*outcome = (place(found.range.low) * 1000 + place(found.range.high)) * 2 + found.found;
	return st;
}

static void bounds_close(void *mechanism)
{
	struct search *s = mechanism;

	sotto_rational_release(&s->epsilon);
	free(s);
}

#define STREAM                                                                                 \
	.inputs = "12 questions; some rise by 2, others fall by 2", .run = stream_run,         \
	.close = stream_close

const struct audit_subject audit_stream[] = {
	{.name = "above-threshold",
	 STREAM,
	 .outcome = "which one was above",
	 .open = above_threshold_open},
	{.name = "sparse", STREAM, .outcome = "which two were above", .open = sparse_open},
	{.name = "sparse-optimized",
	 STREAM,
	 .outcome = "which two were above",
	 .open = sparse_optimized_open},
	{.name = "numeric-sparse",
	 STREAM,
	 .outcome = "which one was above, and its value",
	 .open = numeric_sparse_open},
	{.name = "bounds",
	 .inputs = "a few equal values, or one more",
	 .outcome = "both bounds",
	 .slowness = 10,
	 .open = bounds_open,
	 .run = bounds_run,
	 .close = bounds_close},
	{.name = NULL}};
