/*
 * (1) A choice is made only when every number consistent with the bounds makes it.
 * (2) The random digits already drawn stay: an undecided choice is continued with
 *     more of them, never drawn anew.
 * (3) The first look does the same steps for every score.
 */
#include "core/account/cost/cost_inside.h"
#include "core/mechanism/choice/exponential.h"

#include <stdlib.h>

#include "core/base/checked.h"
#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/base/wide.h"
#include "core/base/wipe.h"
#include "core/mechanism/choice/selection.h"
#include "core/random/generator/uniform.h"
#include "sotto/choose.h"
#include "sotto/rng.h"

enum { RUN = 512 }; /* weights at a time */

enum sotto_status sotto_exponential_new(const struct sotto_selection *s,
					struct sotto_exponential **out, struct sotto_error *err)
{
	struct sotto_preference *p = NULL;

	if (!s || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	SOTTO_TRY(sotto_preference_new(s, &p, err));
	*out = (struct sotto_exponential *)p;
	return SOTTO_OK;
}

void sotto_exponential_free(struct sotto_exponential *m)
{
	sotto_preference_free(m ? &m->preference : NULL);
}

enum sotto_status
sotto_exponential_cost(const struct sotto_exponential *m, struct sotto_cost *cost)
{
	if (!m || !cost)
		return SOTTO_EINVAL;
	return sotto_cost_set_bounded_range(cost, &m->preference.epsilon);
}

/* One choice being made. */
struct choice {
	const struct sotto_exponential *m;
	const struct sotto_exact *scores;
	const uint64_t *copies; /* how many outcomes have each score; NULL: one */
	size_t n;
	uint64_t outcomes; /* in all */
	int64_t best;
	sotto_u128 *sums; /* sums[i]: lower bound of the first i + 1 weights, scaled */
	sotto_u128 error; /* of one outcome's weight, in the same units */
	sotto_u128 random; /* the first 128 binary digits of a uniform number */
};

/* Where among the sums the random number falls. */
struct place {
	size_t index;
	sotto_u128 before; /* largest sum not above the target, 0 if none */
	sotto_u128 after; /* smallest sum above it */
};

static uint64_t distance(const struct choice *c, size_t i)
{
	return sotto_selection_distance(c->best, c->scores[i].secret, c->m->preference.least);
}

static uint64_t copies_of(const struct choice *c, size_t i)
{
	return c->copies ? c->copies[i] : 1;
}

/* Drops so many digits of each weight that n of them stay below 2^128. */
static unsigned dropped_digits(uint64_t n)
{
	unsigned bits = 0;

	while (bits < 64 && n >> bits)
		bits++;
	return bits;
}

static void add_weights(struct choice *c)
{
	unsigned drop = dropped_digits(c->outcomes);
	uint64_t distances[RUN];
	sotto_u128 sum = 0;

	for (size_t first = 0; first < c->n; first += RUN) {
		size_t n = c->n - first < RUN ? c->n - first : RUN;
		sotto_u128 *sums = c->sums + first;

		for (size_t i = 0; i < n; i++)
			distances[i] = distance(c, first + i);
		sotto_weight_down_all(&c->m->preference.weight, distances, sums, n);
		for (size_t i = 0; i < n; i++)
			sums[i] = sum += (sums[i] >> drop) * copies_of(c, first + i);
	}
	sotto_wipe(distances, sizeof distances);
	c->error = ((sotto_u128)SOTTO_WEIGHT_ERROR >> drop) + 2;
}

/* floor(a b / 2^128) */
static sotto_u128 multiply_high(sotto_u128 a, sotto_u128 b)
{
	uint64_t ah = (uint64_t)(a >> 64), al = (uint64_t)a;
	uint64_t bh = (uint64_t)(b >> 64), bl = (uint64_t)b;
	sotto_u128 low = (sotto_u128)al * bl, left = (sotto_u128)ah * bl;
	sotto_u128 right = (sotto_u128)al * bh;
	sotto_u128 middle = (low >> 64) + (uint64_t)left + (uint64_t)right;

	return (sotto_u128)ah * bh + (left >> 64) + (right >> 64) + (middle >> 64);
}

static struct place find(const struct choice *c, sotto_u128 target)
{
	struct place p = {0, 0, ~(sotto_u128)0};

	for (size_t i = 0; i < c->n; i++) {
		sotto_u128 sum = c->sums[i];
		bool passed = sum <= target;

		p.index += passed;
		p.before = sotto_mask_u128(passed, sum, p.before);
		p.after = sotto_mask_u128(!passed & (sum < p.after), sum, p.after);
	}
	return p;
}

/*
 * The target is the random number times the total.  With S the lower bound of the
 * total it lies in [target, target + outcomes error + 2): see exponential.md.
 */
static bool decide(const struct choice *c, size_t *index)
{
	sotto_u128 target = multiply_high(c->random, c->sums[c->n - 1]);
	sotto_u128 slack = c->error * c->outcomes;
	struct place p = find(c, target);

	*index = p.index;
	p.before += sotto_mask_u128(p.index > 0, slack, 0);
	return (p.before <= target) & (target + slack + 2 <= p.after);
}

/*
 * The first score whose sum of exact bounds passes the target, if that is certain.
 * floors[i] is short of the weight of all copies by at most one unit for each.
 */
static bool decide_floors(const struct choice *c, mpz_t *floors, const mpz_t random,
			  unsigned digits, size_t *index)
{
	mpz_t total, low, high, sum;
	uint64_t passed = 0; /* outcomes in sum */
	bool certain = false;

	mpz_inits(total, low, high, sum, NULL);
	for (size_t i = 0; i < c->n; i++)
		mpz_add(total, total, floors[i]);
	/* low <= 2^digits target < high, from both ends of total and of the random number */
	mpz_mul(low, random, total);
	mpz_add_ui(total, total, c->outcomes);
	mpz_add_ui(high, random, 1);
	mpz_mul(high, high, total);
	mpz_fdiv_q_2exp(low, low, digits);
	mpz_cdiv_q_2exp(high, high, digits);
	for (size_t i = 0; i < c->n && !certain; i++) {
		mpz_add(sum, sum, floors[i]);
		passed += copies_of(c, i);
		certain = mpz_cmp(high, sum) <= 0; /* true sums are in [sum, sum + passed] */
		*index = i;
	}
	if (certain) {
		mpz_sub(sum, sum, floors[*index]);
		mpz_add_ui(sum, sum, passed - copies_of(c, *index));
		certain = mpz_cmp(sum, low) <= 0;
	}
	mpz_clears(total, low, high, sum, NULL);
	return certain;
}

static enum sotto_status append_word(struct sotto_rng *rng, mpz_t random)
{
	uint64_t word;

	SOTTO_TRY(sotto_uniform_word(rng, &word));
	mpz_mul_2exp(random, random, 64);
	mpz_add_ui(random, random, word);
	return SOTTO_OK;
}

/* Goes on with twice as many digits of everything until the choice is certain. */
static enum sotto_status refine(const struct choice *c, struct sotto_rng *rng, mpz_t *floors,
				mpz_t random, size_t *index)
{
	unsigned drawn = 128;

	for (unsigned digits = 256;; digits *= 2) {
		for (; drawn < digits; drawn += 64)
			SOTTO_TRY(append_word(rng, random));
		for (size_t i = 0; i < c->n; i++) {
			sotto_weight_floor(&c->m->preference.weight, distance(c, i), digits,
					   floors[i]);
			mpz_mul_ui(floors[i], floors[i], copies_of(c, i));
		}
		if (decide_floors(c, floors, random, digits, index))
			return SOTTO_OK;
	}
}

static enum sotto_status
decide_slowly(const struct choice *c, struct sotto_rng *rng, size_t *index)
{
	mpz_t *floors = malloc(c->n * sizeof *floors);
	enum sotto_status st;
	mpz_t random;

	if (!floors)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < c->n; i++)
		mpz_init(floors[i]);
	mpz_init_set_ui(random, (uint64_t)(c->random >> 64));
	mpz_mul_2exp(random, random, 64);
	mpz_add_ui(random, random, (uint64_t)c->random);
	st = refine(c, rng, floors, random, index);
	mpz_clear(random);
	for (size_t i = 0; i < c->n; i++)
		mpz_clear(floors[i]);
	free(floors);
	return st;
}

static enum sotto_status choose_one(struct choice *c, struct sotto_rng *rng, size_t *index)
{
	uint64_t high, low;
	bool certain;
	size_t found;

	SOTTO_TRY(sotto_uniform_word(rng, &high));
	SOTTO_TRY(sotto_uniform_word(rng, &low));
	c->random = (sotto_u128)high << 64 | low;
	c->best = sotto_selection_best(c->scores, c->n, c->m->preference.least);
	add_weights(c);
	certain = decide(c, &found);
	SOTTO_DECLASSIFY(certain); /* it is not with probability below n^3 2^-117 */
	if (__builtin_expect(!certain, 0))
		SOTTO_TRY(decide_slowly(c, rng, &found));
	*index = found;
	return SOTTO_OK;
}

static enum sotto_status select_one(struct choice *c, struct sotto_rng *rng, size_t *index)
{
	enum sotto_status st;
	size_t size;

	if (c->n == 0)
		return SOTTO_EINVAL;
	if (!sotto_checked_mul_size(c->n, sizeof *c->sums, &size) || !(c->sums = malloc(size)))
		return SOTTO_ENOMEM;
	st = choose_one(c, rng, index);
	sotto_wipe(c->sums, size);
	free(c->sums);
	return st;
}

enum sotto_status
sotto_exponential_select(const struct sotto_exponential *m, struct sotto_rng *rng,
			 const struct sotto_exact *scores, size_t n, size_t *index)
{
	struct choice c = {.m = m, .scores = scores, .n = n, .outcomes = n};
	enum sotto_status st = select_one(&c, rng, index);

	sotto_wipe(&c, sizeof c);
	return st;
}

enum sotto_status
sotto_exponential_select_copies(const struct sotto_exponential *m, struct sotto_rng *rng,
				const struct sotto_exact *scores, const uint64_t *copies,
				size_t n, size_t *index)
{
	struct choice c = {.m = m, .scores = scores, .copies = copies, .n = n};
	enum sotto_status st;

	for (size_t i = 0; i < n; i++)
		c.outcomes += copies[i];
	SOTTO_DECLASSIFY(c.outcomes); /* public: only how they share scores is secret */
	st = select_one(&c, rng, index);
	sotto_wipe(&c, sizeof c);
	return st;
}
