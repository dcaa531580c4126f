/*
 * (1) At most c answers are ever "above".
 * (2) The threshold's noise is drawn before the first comparison and never shown; unless
 *     optimized, again after each positive.
 * (3) Every query has noise of its own, and a released value again its own: the noise of
 *     a comparison is never part of an answer.
 * (4) A draw that fails answers nothing.
 */
#include "sotto/stream.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/checked.h"
#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/wide.h"
#include "core/base/wipe.h"
#include "core/mechanism/stream/sparse_scales.h"
#include "core/random/laplace/dlaplace.h"

enum { RUN = 4096 }; /* queries whose noise is drawn together */

struct sotto_sparse_vector {
	struct sotto_sparse_scales scales;
	struct sotto_dlaplace *threshold_noise;
	struct sotto_dlaplace *query_noise;
	struct sotto_dlaplace *value_noise; /* NULL unless numeric */
	struct sotto_rational epsilon;
	struct sotto_rational delta;
	int64_t threshold;
	uint64_t positives;
	uint64_t left;
	bool optimized;
	bool armed; /* the bar is drawn */
	sotto_i128 bar; /* threshold plus noise */
};

static enum sotto_status new_noise(const struct sotto_rational *scale,
				   struct sotto_dlaplace **out, struct sotto_error *err)
{
	struct sotto_rational rate;
	enum sotto_status st;

	sotto_rational_init(&rate);
	mpq_inv(rate.q, scale->q);
	st = sotto_dlaplace_new(&rate, out);
	sotto_rational_release(&rate);
	if (st == SOTTO_ERANGE)
		return sotto_fail(err, st,
				  "the noise would have a scale above 2^50 or below 2^-10 "
				  "grid steps; choose another step");
	return st;
}

static enum sotto_status prepare(struct sotto_sparse_vector *s,
				 const struct sotto_sparse_vector_options *o,
				 struct sotto_error *err)
{
	SOTTO_TRY(sotto_sparse_scales_set(&s->scales, o, err));
	SOTTO_TRY(new_noise(&s->scales.threshold, &s->threshold_noise, err));
	SOTTO_TRY(new_noise(&s->scales.query, &s->query_noise, err));
	if (o->numeric)
		SOTTO_TRY(new_noise(&s->scales.value, &s->value_noise, err));
	sotto_rational_set(&s->epsilon, o->epsilon);
	if (o->delta)
		sotto_rational_set(&s->delta, o->delta);
	s->threshold = o->threshold;
	s->positives = s->left = o->positives;
	s->optimized = o->optimized;
	return SOTTO_OK;
}

enum sotto_status sotto_sparse_vector_new(const struct sotto_sparse_vector_options *options,
					  struct sotto_sparse_vector **out,
					  struct sotto_error *err)
{
	if (!options || !options->epsilon || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_sparse_vector *s = calloc(1, sizeof *s);
	enum sotto_status st;

	if (!s)
		return SOTTO_ENOMEM;
	sotto_sparse_scales_init(&s->scales);
	sotto_rational_init(&s->epsilon);
	sotto_rational_init(&s->delta);
	st = prepare(s, options, err);
	if (st == SOTTO_OK)
		*out = s;
	else
		sotto_sparse_vector_free(s);
	return st;
}

void sotto_sparse_vector_free(struct sotto_sparse_vector *s)
{
	if (!s)
		return;
	sotto_sparse_scales_release(&s->scales);
	sotto_rational_release(&s->epsilon);
	sotto_rational_release(&s->delta);
	sotto_dlaplace_free(s->threshold_noise);
	sotto_dlaplace_free(s->query_noise);
	sotto_dlaplace_free(s->value_noise);
	sotto_wipe(s, sizeof *s);
	free(s);
}

static enum sotto_status arm(struct sotto_sparse_vector *s, struct sotto_rng *rng)
{
	int64_t noise;

	if (s->left == 0)
		return SOTTO_EBUDGET;
	if (s->armed)
		return SOTTO_OK;
	SOTTO_TRY(sotto_dlaplace_draw(s->threshold_noise, rng, &noise));
	s->bar = (sotto_i128)s->threshold + noise;
	s->armed = true;
	return SOTTO_OK;
}

static enum sotto_status answer_positive(struct sotto_sparse_vector *s, struct sotto_rng *rng,
					 struct sotto_exact query,
					 struct sotto_sparse_answer *answer)
{
	int64_t noise = 0;

	*answer = (struct sotto_sparse_answer){.above = true};
	if (s->value_noise) {
		SOTTO_TRY(sotto_dlaplace_draw(s->value_noise, rng, &noise));
		answer->value.value = sotto_saturating_add_i64(query.secret, noise);
		sotto_wipe(&noise, sizeof noise);
	}
	s->left--;
	s->armed = s->optimized;
	return SOTTO_OK;
}

/* Answers queries whose noise is drawn; stops after the first positive. */
static enum sotto_status compare(struct sotto_sparse_vector *s, struct sotto_rng *rng,
				 const struct sotto_exact *queries, const int64_t *noise,
				 size_t n, size_t *asked, struct sotto_sparse_answer *answer)
{
	bool above = false;
	size_t i = 0;

	while (i < n && !above) {
		above = (sotto_i128)queries[i].secret + noise[i] >= s->bar;
		SOTTO_DECLASSIFY(above); /* it is the answer */
		i++;
	}
	*answer = (struct sotto_sparse_answer){.above = false};
	if (above)
		SOTTO_TRY(answer_positive(s, rng, queries[i - 1], answer));
	*asked = i;
	return SOTTO_OK;
}

enum sotto_status sotto_sparse_vector_ask(struct sotto_sparse_vector *s, struct sotto_rng *rng,
					  struct sotto_exact query,
					  struct sotto_sparse_answer *answer)
{
	if (!s || !rng || !answer)
		return SOTTO_EINVAL;

	struct sotto_sparse_answer found;
	size_t asked;
	int64_t noise;

	SOTTO_TRY(arm(s, rng));
	SOTTO_TRY(sotto_dlaplace_draw(s->query_noise, rng, &noise));
	SOTTO_TRY(compare(s, rng, &query, &noise, 1, &asked, &found));
	sotto_wipe(&noise, sizeof noise);
	*answer = found;
	return SOTTO_OK;
}

static enum sotto_status scan(struct sotto_sparse_vector *s, struct sotto_rng *rng,
			      const struct sotto_exact *queries, size_t n, int64_t *noise,
			      size_t *asked, struct sotto_sparse_answer *answer)
{
	struct sotto_sparse_answer found = {.above = false};
	size_t done = 0;

	while (done < n && !found.above) {
		size_t run = n - done < RUN ? n - done : RUN, some;

		SOTTO_TRY(sotto_dlaplace_fill(s->query_noise, rng, noise, run));
		SOTTO_TRY(compare(s, rng, queries + done, noise, run, &some, &found));
		done += some;
	}
	*asked = done;
	*answer = found;
	return SOTTO_OK;
}

enum sotto_status sotto_sparse_vector_scan(struct sotto_sparse_vector *s, struct sotto_rng *rng,
					   const struct sotto_exact *queries, size_t n,
					   size_t *asked, struct sotto_sparse_answer *answer)
{
	if (!s || !rng || (!queries && n > 0) || !asked || !answer)
		return SOTTO_EINVAL;

	enum sotto_status st;
	int64_t noise[RUN];

	SOTTO_TRY(arm(s, rng));
	st = scan(s, rng, queries, n, noise, asked, answer);
	sotto_wipe(noise, sizeof noise);
	return st;
}

void sotto_sparse_vector_restart(struct sotto_sparse_vector *s)
{
	s->left = s->positives;
	s->armed = false;
	s->bar = 0;
}

uint64_t sotto_sparse_vector_left(const struct sotto_sparse_vector *s)
{
	return s->left;
}

void sotto_sparse_vector_scales(const struct sotto_sparse_vector *s,
				struct sotto_rational *threshold, struct sotto_rational *query,
				struct sotto_rational *value)
{
	if (threshold)
		sotto_rational_set(threshold, &s->scales.threshold);
	if (query)
		sotto_rational_set(query, &s->scales.query);
	if (value)
		sotto_rational_set(value, &s->scales.value);
}

enum sotto_status
sotto_sparse_vector_cost(const struct sotto_sparse_vector *s, struct sotto_cost *cost)
{
	if (!s || !cost)
		return SOTTO_EINVAL;
	return sotto_cost_set_approx(cost, &s->epsilon, &s->delta);
}

/* With probability at least 1 - share / m none of m draws is beyond this (sparse_vector.md). */
static double reach(const struct sotto_rational *scale, double m, double share)
{
	return (mpq_get_d(scale->q) * log(m / share) + 0.5) * (1 + 0x1p-40);
}

enum sotto_status sotto_sparse_vector_error(const struct sotto_sparse_vector *s, uint64_t k,
					    double beta, double *error)
{
	if (!s || !error)
		return SOTTO_EINVAL;

	double share = beta / (s->value_noise ? 3 : 2);
	double bars = s->optimized ? 1 : (double)s->positives;

	if (!(beta > 0 && beta < 1) || k == 0)
		return SOTTO_EINVAL;
	*error = reach(&s->scales.threshold, bars, share) +
		 reach(&s->scales.query, (double)k, share);
	if (s->value_noise)
		*error = fmax(*error, reach(&s->scales.value, (double)s->positives, share));
	return SOTTO_OK;
}
