/*
 * The first accepted outcome in a random order is a uniform one of those accepted
 * (permute_and_flip.md).  So all coins are flipped, in the order of the list, and one of
 * the accepted is drawn: no permutation is drawn, and no number of flips depends on the
 * scores.
 */
#include "core/mechanism/choice/permute_and_flip.h"

#include <stdlib.h>

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/base/wide.h"
#include "core/base/wipe.h"
#include "core/mechanism/choice/selection.h"
#include "core/number/exp/expansion.h"
#include "core/random/generator/uniform.h"
#include "sotto/choose.h"
#include "sotto/rng.h"

enum { RUN = 512 }; /* outcomes at a time */

enum sotto_status sotto_permute_and_flip_new(const struct sotto_selection *s,
					     struct sotto_permute_and_flip **out,
					     struct sotto_error *err)
{
	struct sotto_preference *p = NULL;

	if (!s || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	SOTTO_TRY(sotto_preference_new(s, &p, err));
	*out = (struct sotto_permute_and_flip *)p;
	return SOTTO_OK;
}

void sotto_permute_and_flip_free(struct sotto_permute_and_flip *m)
{
	sotto_preference_free(m ? &m->preference : NULL);
}

enum sotto_status
sotto_permute_and_flip_cost(const struct sotto_permute_and_flip *m, struct sotto_cost *cost)
{
	if (!m || !cost)
		return SOTTO_EINVAL;
	return sotto_cost_set_pure(cost, &m->preference.epsilon);
}

/* The round of flips of one choice. */
struct round {
	const struct sotto_permute_and_flip *m;
	const struct sotto_exact *scores;
	size_t n;
	int64_t best;
	uint8_t *accepted;
	uint64_t count; /* of accepted outcomes */
};

static uint64_t distance(const struct round *r, size_t i)
{
	return sotto_selection_distance(r->best, r->scores[i].secret, r->m->preference.least);
}

/* Compares word, and as many more as it takes, with the digits of the weight of m. */
static enum sotto_status flip_slowly(const struct sotto_weight *w, uint64_t m, uint64_t word,
				     struct sotto_rng *rng, bool *accept)
{
	enum sotto_status st = SOTTO_OK;
	unsigned offset = 0;
	uint64_t digits;
	mpq_t x;

	if (m == 0) {
		*accept = true; /* the weight is 1, which every word is below */
		return SOTTO_OK;
	}
	mpq_init(x);
	mpz_set_ui(mpq_numref(x), m);
	mpq_mul(x, x, w->rate);
	while ((digits = sotto_expansion_word(SOTTO_EXPANSION_EXP, x, offset)) == word &&
	       st == SOTTO_OK) {
		st = sotto_uniform_word(rng, &word);
		offset += 64;
	}
	*accept = word < digits;
	mpq_clear(x);
	return st;
}

/* Weights and words of one stretch of outcomes. */
struct stretch {
	uint64_t distances[RUN];
	uint64_t words[RUN];
	sotto_u128 weights[RUN];
};

/*
 * 2^64 w lies in [low, high + 1): a word below low is accepted, one above high is not.
 * Whether it lies between is all that a branch asks: two words of 2^64 at most.
 */
static enum sotto_status
flip(struct round *r, const struct stretch *s, size_t k, size_t i, struct sotto_rng *rng)
{
	sotto_u128 up = s->weights[k] + SOTTO_WEIGHT_ERROR;
	uint64_t wrapped = -(uint64_t)(up < SOTTO_WEIGHT_ERROR), word = s->words[k];
	uint64_t low = (uint64_t)(s->weights[k] >> 64), high = (uint64_t)(up >> 64) | wrapped;
	bool accept = word < low, undecided = (word >= low) & (word <= high);

	SOTTO_DECLASSIFY(undecided); /* probability at most 2^-63 */
	if (__builtin_expect(undecided, 0))
		SOTTO_TRY(flip_slowly(&r->m->preference.weight, s->distances[k], word, rng,
				      &accept));
	r->accepted[i] = accept;
	r->count += accept;
	return SOTTO_OK;
}

static enum sotto_status
flip_stretch(struct round *r, struct sotto_rng *rng, struct stretch *s, size_t first, size_t n)
{
	SOTTO_TRY(sotto_rng_fill(rng, s->words, n * sizeof *s->words));
	for (size_t k = 0; k < n; k++)
		s->distances[k] = distance(r, first + k);
	sotto_weight_down_all(&r->m->preference.weight, s->distances, s->weights, n);
	for (size_t k = 0; k < n; k++)
		SOTTO_TRY(flip(r, s, k, first + k, rng));
	return SOTTO_OK;
}

static enum sotto_status flip_all(struct round *r, struct sotto_rng *rng)
{
	enum sotto_status st = SOTTO_OK;
	struct stretch s;

	for (size_t first = 0; first < r->n && st == SOTTO_OK; first += RUN)
		st = flip_stretch(r, rng, &s, first, r->n - first < RUN ? r->n - first : RUN);
	sotto_wipe(&s, sizeof s);
	return st;
}

size_t sotto_permute_and_flip_pick(const uint8_t *accepted, size_t n, uint64_t rank)
{
	uint64_t seen = 0;
	size_t index = 0;

	for (size_t i = 0; i < n; i++) {
		index |= i & (size_t)sotto_mask(accepted[i] & (seen == rank));
		seen += accepted[i];
	}
	return index;
}

static enum sotto_status choose_one(struct round *r, struct sotto_rng *rng, size_t *index)
{
	uint64_t rank;

	r->best = sotto_selection_best(r->scores, r->n, r->m->preference.least);
	SOTTO_TRY(flip_all(r, rng));
	SOTTO_TRY(sotto_uniform_below(rng, r->count, &rank));
	*index = sotto_permute_and_flip_pick(r->accepted, r->n, rank);
	return SOTTO_OK;
}

enum sotto_status
sotto_permute_and_flip_select(const struct sotto_permute_and_flip *m, struct sotto_rng *rng,
			      const struct sotto_exact *scores, size_t n, size_t *index)
{
	struct round r = {.m = m, .scores = scores, .n = n};
	enum sotto_status st;

	if (n == 0)
		return SOTTO_EINVAL;
	r.accepted = malloc(n);
	if (!r.accepted)
		return SOTTO_ENOMEM;
	st = choose_one(&r, rng, index);
	sotto_wipe(r.accepted, n);
	free(r.accepted);
	sotto_wipe(&r, sizeof r);
	return st;
}
