/*
 * Noisy max over groups: whether it is worth it, and drawing it.
 */
#include "central/price/choice/group_choice.h"

#include <math.h>

#include "core/base/failure.h"
#include "core/number/nearest.h"
#include "sotto/choose.h"

/* The 95 % error of noisy max among n groups, in what one unit moves. */
static double error_among(const struct sotto_group_choice *c, double n)
{
	return (double)c->count * (c->monotone ? 1 : 2) * log(20 * n) /
	       sotto_nearest_double(c->epsilon->q);
}

/* There may be fewer groups than are asked for: then fewer are chosen, with less noise. */
static enum sotto_status
new_mechanism(const struct sotto_group_choice *c, size_t count, struct sotto_noisy_max **out)
{
	struct sotto_rational moved;
	struct sotto_selection s = {.epsilon = c->epsilon,
				    .sensitivity = &moved,
				    .monotone = c->monotone,
				    .least = c->least};
	enum sotto_status st;

	sotto_rational_init(&moved);
	mpq_set_si(moved.q, c->moved, 1);
	st = sotto_noisy_max_new(&s, count, out, NULL);
	sotto_rational_release(&moved);
	return st;
}

enum sotto_status sotto_group_choice_price(struct sotto_group_choice *c, int64_t moved,
					   const struct sotto_rational *epsilon, double other,
					   struct sotto_cost *cost)
{
	struct sotto_noisy_max *m = NULL;

	c->moved = moved;
	c->chosen = false;
	if (c->count == 0)
		return SOTTO_OK;
	sotto_rational_set(c->epsilon, epsilon);
	if (error_among(c, 1) > other)
		return SOTTO_OK;
	SOTTO_TRY(new_mechanism(c, (size_t)c->count, &m));
	sotto_noisy_max_free(m);
	c->chosen = true;
	c->error95 = error_among(c, c->group_count) * (double)moved;
	sotto_cost_release(cost);
	sotto_cost_init(cost);
	return sotto_cost_set_pure(cost, epsilon);
}

enum sotto_status sotto_group_choice_publish(const struct sotto_group_choice *c,
					     struct sotto_rng *rng,
					     const struct sotto_exact *scores, size_t n,
					     size_t *places, size_t *count)
{
	size_t wanted = (uint64_t)c->count < n ? (size_t)c->count : n;
	struct sotto_noisy_max *m = NULL;
	enum sotto_status st = SOTTO_OK;

	if (wanted > 0)
		st = new_mechanism(c, wanted, &m);
	if (st == SOTTO_OK && wanted > 0)
		st = sotto_noisy_max_select(m, rng, scores, n, places);
	if (st == SOTTO_OK)
		*count = wanted;
	sotto_noisy_max_free(m);
	return st;
}
