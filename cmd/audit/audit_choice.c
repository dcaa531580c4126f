/*
 * Choices by score: one candidate rises by the sensitivity, and all others, which led by as
 * much, fall by it.
 */
#include "audit/audit_subject.h"

#include "sotto/choose.h"

enum { CANDIDATES = 16, GAPS = 64 };

static void scores_of(unsigned side, struct sotto_exact out[CANDIDATES])
{
	for (size_t i = 0; i < CANDIDATES; i++)
		out[i] = sotto_exact_of((i == 0) == (side == 1));
}

/* The parameters that the three kinds share; `one` is the sensitivity. */
static struct sotto_selection
selection(const struct audit_terms *terms, struct sotto_rational *one)
{
	sotto_rational_init(one);
	sotto_rational_set_integer(one, 1);
	return (struct sotto_selection){.epsilon = terms->epsilon, .sensitivity = one};
}

/* ---- exponential ---- */

static enum sotto_status exponential_open(const struct audit_terms *terms,
					  struct audit_case *out, struct sotto_error *err)
{
	struct sotto_rational one;
	struct sotto_selection s = selection(terms, &one);
	struct sotto_exponential *m = NULL;
	struct sotto_cost cost;
	enum sotto_status st = sotto_exponential_new(&s, &m, err);

	out->mechanism = m;
	sotto_rational_release(&one);
	sotto_cost_init(&cost);
	if (st == SOTTO_OK)
		st = sotto_exponential_cost(m, &cost);
	return audit_claim_take(&out->claim, st, &cost);
}

static enum sotto_status
exponential_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_exact scores[CANDIDATES];
	size_t index = 0;
	enum sotto_status st;

	scores_of(side, scores);
	st = sotto_exponential_select(mechanism, rng, scores, CANDIDATES, &index);
	*outcome = (int64_t)index;
	return st;
}

static void exponential_close(void *mechanism)
{
	sotto_exponential_free(mechanism);
}

/* ---- permute-and-flip ---- */

static enum sotto_status permute_and_flip_open(const struct audit_terms *terms,
					       struct audit_case *out, struct sotto_error *err)
{
	struct sotto_rational one;
	struct sotto_selection s = selection(terms, &one);
	struct sotto_permute_and_flip *m = NULL;
	struct sotto_cost cost;
	enum sotto_status st = sotto_permute_and_flip_new(&s, &m, err);

	out->mechanism = m;
	sotto_rational_release(&one);
	sotto_cost_init(&cost);
	if (st == SOTTO_OK)
		st = sotto_permute_and_flip_cost(m, &cost);
	return audit_claim_take(&out->claim, st, &cost);
}

static enum sotto_status
permute_and_flip_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_exact scores[CANDIDATES];
	size_t index = 0;
	enum sotto_status st;

	scores_of(side, scores);
	st = sotto_permute_and_flip_select(mechanism, rng, scores, CANDIDATES, &index);
	*outcome = (int64_t)index;
	return st;
}

static void permute_and_flip_close(void *mechanism)
{
	sotto_permute_and_flip_free(mechanism);
}

/* ---- noisy max ---- */

static enum sotto_status
noisy_max_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	struct sotto_rational one;
	struct sotto_selection s = selection(terms, &one);
	struct sotto_noisy_max *m = NULL;
	struct sotto_cost cost;
	enum sotto_status st = sotto_noisy_max_new(&s, 1, &m, err);

	out->mechanism = m;
	sotto_rational_release(&one);
	sotto_cost_init(&cost);
	if (st == SOTTO_OK)
		st = sotto_noisy_max_cost(m, &cost);
	return audit_claim_take(&out->claim, st, &cost);
}

static enum sotto_status
noisy_max_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_exact scores[CANDIDATES];
	size_t index = 0;
	enum sotto_status st;

	scores_of(side, scores);
	st = sotto_noisy_max_select(mechanism, rng, scores, CANDIDATES, &index);
	*outcome = (int64_t)index;
	return st;
}

static enum sotto_status
noisy_max_gap_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_exact scores[CANDIDATES];
	struct sotto_noisy gap = {0};
	size_t index = 0;
	enum sotto_status st;

	scores_of(side, scores);
	st = sotto_noisy_max_select_gap(mechanism, rng, scores, CANDIDATES, &index, &gap);
	gap.value >>= sotto_noisy_max_bits(mechanism); /* whole scores */
	*outcome = (int64_t)index * GAPS + (gap.value < GAPS ? gap.value : GAPS - 1);
	return st;
}

static void noisy_max_close(void *mechanism)
{
	sotto_noisy_max_free(mechanism);
}

#define SCORES .inputs = "16 scores; one rises by 1, the others fall by 1"

const struct audit_subject audit_choice[] = {{.name = "exponential",
					      SCORES,
					      .outcome = "who was chosen",
					      .open = exponential_open,
					      .run = exponential_run,
					      .close = exponential_close},
					     {.name = "permute-and-flip",
					      SCORES,
					      .outcome = "who was chosen",
					      .open = permute_and_flip_open,
					      .run = permute_and_flip_run,
					      .close = permute_and_flip_close},
					     {.name = "noisy-max",
					      SCORES,
					      .outcome = "who was chosen",
					      .open = noisy_max_open,
					      .run = noisy_max_run,
					      .close = noisy_max_close},
					     {.name = "noisy-max-gap",
					      SCORES,
					      .outcome = "who was chosen, and by how much",
					      .open = noisy_max_open,
					      .run = noisy_max_gap_run,
					      .close = noisy_max_close},
					     {.name = NULL}};
