/*
 * Lists the numbers that the limits call for, divides the share of epsilon among them by fixed
 * weights, and gives items with equal noise the same object.
 */
#include "central/price/loss_vector.h"

#include "core/base/arena_rational.h"
#include "core/base/failure.h"

/* Of the share of epsilon: most to the two numbers that the lost share is made of. */
static const unsigned weights[SOTTO_LOSS_KINDS] = {
	[SOTTO_LOSS_UNITS] = 1,
	[SOTTO_LOSS_UNITS_OF_ROWS] = 1,
	[SOTTO_LOSS_UNITS_OF_GROUPS] = 1,
	[SOTTO_LOSS_UNITS_CLIPPED] = 1,
	[SOTTO_LOSS_ROWS] = 4,
	[SOTTO_LOSS_ROWS_KEPT] = 2,
	[SOTTO_LOSS_PAIRS] = 2,
	[SOTTO_LOSS_PAIRS_KEPT] = 1,
};

/* ---- what is counted --------------------------------------------------------------------- */

static void add(struct sotto_loss_vector *v, enum sotto_loss_kind kind, int64_t moved)
{
	v->items[v->count++] = (struct sotto_loss_item){.kind = kind, .moved = moved};
}

void sotto_loss_shape(struct sotto_loss_vector *v, const struct sotto_loss_limits *l)
{
	bool drops = l->rows || l->groups;

	v->count = 0;
	if (!drops && !l->values)
		return;
	add(v, SOTTO_LOSS_UNITS, 1);
	if (l->rows)
		add(v, SOTTO_LOSS_UNITS_OF_ROWS, 1);
	if (l->groups)
		add(v, SOTTO_LOSS_UNITS_OF_GROUPS, 1);
	if (l->values)
		add(v, SOTTO_LOSS_UNITS_CLIPPED, 1);
	if (drops && l->reads_rows) {
		add(v, SOTTO_LOSS_ROWS, 2 * l->max_groups * l->max_rows);
		add(v, SOTTO_LOSS_ROWS_KEPT, l->max_groups * l->max_rows);
	}
	if (l->groups)
		add(v, SOTTO_LOSS_PAIRS, 2 * l->max_groups);
	if (l->groups && !l->reads_rows)
		add(v, SOTTO_LOSS_PAIRS_KEPT, l->max_groups);
}

bool sotto_loss_is_wanted(const struct sotto_loss_vector *v)
{
	return v->count > 0 && v->share && sotto_rational_sign(v->share) > 0;
}

bool sotto_loss_is_run(const struct sotto_loss_vector *v)
{
	return sotto_loss_is_wanted(v) && !v->known;
}

/* ---- the price ----------------------------------------------------------------------------- */

/* An earlier item with the same noise: scale = moved / (share weight / all weights). */
static const struct sotto_loss_item *find_same(const struct sotto_loss_vector *v, size_t i)
{
	const struct sotto_loss_item *x = &v->items[i];

	for (size_t j = 0; j < i; j++)
		if (v->items[j].moved == x->moved &&
		    weights[v->items[j].kind] == weights[x->kind])
			return &v->items[j];
	return NULL;
}

static enum sotto_status
price_item(struct sotto_loss_vector *v, struct sotto_arena *arena, size_t i, unsigned long all)
{
	struct sotto_loss_item *x = &v->items[i];
	const struct sotto_loss_item *same = find_same(v, i);
	struct sotto_rational share;
	enum sotto_status st;
	mpz_t moved;

	if (same) {
		x->noise = same->noise;
		return SOTTO_OK;
	}
	if (!x->noise)
		x->noise = sotto_added_noise_in(arena);
	if (!x->noise)
		return SOTTO_ENOMEM;
	sotto_rational_init(&share);
	mpz_init_set_si(moved, x->moved);
	mpq_set_ui(share.q, weights[x->kind], all);
	mpq_canonicalize(share.q);
	mpq_mul(share.q, share.q, v->epsilon->q);
	st = sotto_added_noise_set_laplace(x->noise, moved, &share);
	if (st == SOTTO_OK)
		st = sotto_added_noise_set_errors(x->noise);
	mpz_clear(moved);
	sotto_rational_release(&share);
	return st;
}

enum sotto_status sotto_loss_price(struct sotto_loss_vector *v, struct sotto_arena *arena,
				   const struct sotto_rational *epsilon,
				   struct sotto_rational *rest, struct sotto_cost *cost)
{
	unsigned long all = 0;

	sotto_rational_set(rest, epsilon);
	if (!sotto_loss_is_wanted(v))
		return SOTTO_OK;
	if (!v->epsilon)
		v->epsilon = sotto_arena_rational(arena);
	if (!v->epsilon)
		return SOTTO_ENOMEM;
	sotto_rational_multiply(v->epsilon, epsilon, v->share);
	sotto_rational_subtract(rest, epsilon, v->epsilon);
	for (size_t i = 0; i < v->count; i++)
		all += weights[v->items[i].kind];
	for (size_t i = 0; i < v->count; i++)
		SOTTO_TRY(price_item(v, arena, i, all));
	for (size_t i = 0; !v->known && i < v->count; i++)
		SOTTO_TRY(sotto_added_noise_charge(v->items[i].noise, cost));
	return SOTTO_OK;
}

enum sotto_status sotto_loss_publish(const struct sotto_loss_vector *v, struct sotto_rng *rng,
				     const struct sotto_exact *exact,
				     struct sotto_loss_value *out)
{
	for (size_t i = 0; i < v->count; i++) {
		const struct sotto_added_noise *noise = v->items[i].noise;
		struct sotto_noisy noisy;

		SOTTO_TRY(sotto_added_noise_publish(noise, rng, &exact[i], &noisy, 1));
		out[i] = (struct sotto_loss_value){.kind = v->items[i].kind,
						   .value = noisy.value,
						   .error = noise->errors[0],
						   .joint_error = noise->errors[1]};
	}
	return SOTTO_OK;
}
