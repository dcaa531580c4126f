/*
 * Broken twins: mistakes that were published, shipped or are easy to make.  Each claims an
 * epsilon that it does not keep, and the audit has to find out.
 */
#include "audit/audit_subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "sotto/choose.h"
#include "sotto/noise.h"

enum { QUESTIONS = 12, REUSING = 6, CANDIDATES = 6, VALUES = 60 };

static int64_t clamp(int64_t x)
{
	return x < -VALUES ? -VALUES : x > VALUES ? VALUES : x;
}

static enum sotto_status
draw(const struct sotto_laplace *m, struct sotto_rng *rng, int64_t *noise)
{
	struct sotto_noisy z = {0};
	enum sotto_status st = sotto_laplace_publish(m, rng, sotto_exact_of(0), &z);

	*noise = z.value;
	return st;
}

/* Laplace noise for this sensitivity, and the claim of the command line for all that follows. */
static enum sotto_status
open_noise(const struct audit_terms *terms, int64_t sensitivity, struct audit_case *out)
{
	struct sotto_laplace *m = NULL;
	enum sotto_status st = sotto_laplace_new(terms->epsilon, sensitivity, &m);

	out->mechanism = m;
	out->claim = (struct audit_claim){sotto_rational_double_up(terms->epsilon), 0};
	return st;
}

static void close_noise(void *mechanism)
{
	sotto_laplace_free(mechanism);
}

static enum sotto_status
open_single(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	(void)err;
	return open_noise(terms, 1, out);
}

static enum sotto_status
open_double(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	(void)err;
	return open_noise(terms, 2, out);
}

/* ---- the sensitivity of a value that moves by 2 is taken for 1 ---- */

static enum sotto_status
half_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_noisy y = {0};
	enum sotto_status st =
		sotto_laplace_publish(mechanism, rng, sotto_exact_of(side ? 2 : 0), &y);

	*outcome = y.value;
	return st;
}

/* ---- sparse vectors without some of their noise: Lyu, Su and Li 2017 show such mistakes ---- */

/* Which of them is above an exact threshold: every "below" costs, and none is charged. */
static enum sotto_status
bare_threshold_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	*outcome = 0;
	for (int i = 0; i < QUESTIONS; i++) {
		int64_t noise;
		enum sotto_status st = draw(mechanism, rng, &noise);

		if (st != SOTTO_OK)
			return st;
		if ((int64_t)side + noise > 1) {
			*outcome = i + 1;
			break;
		}
	}
	return SOTTO_OK;
}

/* Noise on the threshold alone: the pattern orders the exact questions. */
static enum sotto_status
bare_questions_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	int64_t threshold, pattern = 0;
	enum sotto_status st = draw(mechanism, rng, &threshold);

	for (int i = 0; i < QUESTIONS; i++)
		if ((int64_t)((i < QUESTIONS / 2) == (side == 1)) >= threshold)
			pattern |= (int64_t)1 << i;
	*outcome = pattern;
	return st;
}

/* The value of the first positive, with the noise that it was compared with. */
static enum sotto_status
reused_noise_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	int64_t threshold, noise;
	enum sotto_status st = draw(mechanism, rng, &threshold);

	*outcome = -1;
	for (int i = 0; i < REUSING && st == SOTTO_OK; i++) {
		bool last = i == REUSING - 1;
		int64_t query = last ? 0 : (int64_t)side - 1;

		st = draw(mechanism, rng, &noise);
		if (query + noise >= threshold) {
			*outcome = (last ? 4 * VALUES : 0) + clamp(query + noise) + VALUES;
			break;
		}
	}
	return st;
}

/* ---- noisy max that also reports the largest noisy score, without a charge for it ---- */

static enum sotto_status
max_value_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	int64_t best = INT64_MIN, noise;
	enum sotto_status st = SOTTO_OK;

	for (int i = 0; i < CANDIDATES && st == SOTTO_OK; i++) {
		st = draw(mechanism, rng, &noise);
		if ((int64_t)side + noise > best)
			best = (int64_t)side + noise;
	}
	*outcome = best;
	return st;
}

/* ---- exponential mechanism without the factor 2, for scores that move both ways ---- */

static enum sotto_status
no_factor_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	struct sotto_rational one;
	struct sotto_exponential *m = NULL;
	struct sotto_selection s = {
		.epsilon = terms->epsilon, .sensitivity = &one, .monotone = true};
	enum sotto_status st;

	sotto_rational_init(&one);
	sotto_rational_set_integer(&one, 1);
	st = sotto_exponential_new(&s, &m, err);
	sotto_rational_release(&one);
	out->mechanism = m;
	out->claim = (struct audit_claim){sotto_rational_double_up(terms->epsilon), 0};
	return st;
}

static enum sotto_status
no_factor_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_exact scores[CANDIDATES];
	size_t index = 0;
	enum sotto_status st;

	for (size_t i = 0; i < CANDIDATES; i++)
		scores[i] = sotto_exact_of((i == 0) == (side == 1));
	st = sotto_exponential_select(mechanism, rng, scores, CANDIDATES, &index);
	*outcome = (int64_t)index;
	return st;
}

static void no_factor_close(void *mechanism)
{
	sotto_exponential_free(mechanism);
}

/* ---- two coins that claim ln 3 and tell the truth too often ---- */

static enum sotto_status
eager_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	struct sotto_randomized_response *m = memory_new(1, sizeof *m);
	struct sotto_rational truth, yes;
	enum sotto_status st;

	(void)terms;
	sotto_rational_init(&truth);
	sotto_rational_init(&yes);
	st = sotto_rational_set_ratio(&truth, 2, 3);
	if (st == SOTTO_OK)
		st = sotto_rational_set_ratio(&yes, 1, 2);
	if (st == SOTTO_OK)
		st = sotto_randomized_response_init(m, &truth, &yes, err);
	sotto_rational_release(&truth);
	sotto_rational_release(&yes);
	out->mechanism = m;
	out->claim = (struct audit_claim){log(3), 0};
	return st;
}

static enum sotto_status
eager_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_noisy answer = {0};
	enum sotto_status st = sotto_randomized_response_publish(mechanism, rng,
								 sotto_exact_of(side), &answer);

	*outcome = answer.value;
	return st;
}

static void eager_close(void *mechanism)
{
	sotto_randomized_response_release(mechanism);
	free(mechanism);
}

/*
 * ---- Laplace noise as textbooks have it, in doubles: x +- ln(u) / epsilon
 *
 * Not every double is ln(u) for one of the 2^53 numbers u, so a result that is not betrays
 * that x is not 0 (Mironov 2012).  The outcome is whether it is.
 */

static enum sotto_status
textbook_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	double *epsilon = memory_new(1, sizeof *epsilon);

	(void)err;
	*epsilon = sotto_rational_double_down(terms->epsilon);
	out->mechanism = epsilon;
	out->claim = (struct audit_claim){sotto_rational_double_up(terms->epsilon), 0};
	return SOTTO_OK;
}

/* The size of the noise for the k-th u. */
static double textbook_size(double k, double epsilon)
{
	return -log(ldexp(k, -53)) / epsilon;
}

static bool comes_from_zero(double y, double epsilon)
{
	double near = round(ldexp(exp(-fabs(y) * epsilon), 53));

	for (double k = fmax(near - 4, 1); k <= near + 4; k++)
		if (textbook_size(k, epsilon) == fabs(y))
			return true;
	return false;
}

static enum sotto_status
textbook_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	double epsilon = *(const double *)mechanism, y;
	uint64_t word = 0;
	enum sotto_status st = sotto_rng_fill(rng, &word, sizeof word);

	y = textbook_size((double)((word >> 11) + 1), epsilon);
	y = (double)side + (word & 1 ? y : -y);
	*outcome = comes_from_zero(y, epsilon);
	return st;
}

#define NOISE_OF(open_) .open = open_, .close = close_noise

const struct audit_subject audit_twins[] = {
	{.name = "half-sensitivity",
	 .inputs = "0, or 2, with noise for a sensitivity of 1",
	 .outcome = "the noisy number",
	 .run = half_run,
	 NOISE_OF(open_single)},
	{.name = "textbook-laplace",
	 .inputs = "0, or 1, as floating-point numbers",
	 .outcome = "whether the result can come from 0",
	 .open = textbook_open,
	 .run = textbook_run,
	 .close = free},
	{.name = "sparse-bare-threshold",
	 .inputs = "12 questions; all rise by 1; no noise on the threshold",
	 .outcome = "which one was above",
	 .run = bare_threshold_run,
	 NOISE_OF(open_double)},
	{.name = "sparse-bare-questions",
	 .inputs = "12 questions; half rise by 1, half fall; no noise on them",
	 .outcome = "which were above",
	 .run = bare_questions_run,
	 NOISE_OF(open_double)},
	{.name = "sparse-reused-noise",
	 .inputs = "6 questions; all but the last rise by 1",
	 .outcome = "the first one above, with the noise of the comparison",
	 .run = reused_noise_run,
	 NOISE_OF(open_double)},
	{.name = "noisy-max-value",
	 .inputs = "6 scores; all rise by 1",
	 .outcome = "the largest noisy score, which was not paid for",
	 .run = max_value_run,
	 NOISE_OF(open_double)},
	{.name = "exponential-no-factor-2",
	 .inputs = "6 scores; one rises by 1, the others fall by 1",
	 .outcome = "who was chosen",
	 .open = no_factor_open,
	 .run = no_factor_run,
	 .close = no_factor_close},
	{.name = "eager-response",
	 .inputs = "no, or yes; the truth 2 times out of 3, not every second time",
	 .outcome = "the answer",
	 .open = eager_open,
	 .run = eager_run,
	 .close = eager_close},
	{.name = NULL}};
