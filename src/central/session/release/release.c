/*
 * Adds noise measure by measure over all groups, drops what the threshold hides, and sorts by
 * key; rows that look alike are shuffled, so that the engine's order does not show.
 */
#include "central/session/release/release.h"

#include <stdlib.h>
#include <string.h>

#include "central/session/answer/evaluate.h"
#include "core/base/buffer.h"
#include "core/base/digest_text.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "core/random/generator/uniform.h"

void sotto_release_init(struct sotto_release *r)
{
	*r = (struct sotto_release){0};
	sotto_arena_init(&r->arena, (size_t)2 << 30);
}

void sotto_release_shape(struct sotto_release *r, const struct sotto_plan *plan)
{
	r->key_count = plan->key_count + plan->derived_count;
	r->measure_count = plan->top.chosen ? 0 : plan->measure_count;
	r->outcome_count = plan->outcome_count;
}

void sotto_release_release(struct sotto_release *r)
{
	sotto_arena_release(&r->arena);
}

enum sotto_status
sotto_value_copy(struct sotto_arena *a, struct sotto_engine_cell cell, struct sotto_value *out)
{
	*out = (struct sotto_value){.integer = cell.integer, .number = cell.number};
	switch (cell.kind) {
	case SOTTO_ENGINE_NULL:
		break;
	case SOTTO_ENGINE_BOOL:
		out->kind = SOTTO_VALUE_BOOL;
		break;
	case SOTTO_ENGINE_INTEGER:
		out->kind = SOTTO_VALUE_INTEGER;
		out->number = (double)cell.integer;
		break;
	case SOTTO_ENGINE_NUMBER:
		out->kind = SOTTO_VALUE_NUMBER;
		break;
	case SOTTO_ENGINE_TEXT:
		out->kind = SOTTO_VALUE_TEXT;
		out->text = sotto_arena_text(a, cell.text);
		if (!out->text)
			return SOTTO_ENOMEM;
		break;
	}
	return SOTTO_OK;
}

bool sotto_plan_has_shape(const struct sotto_plan *plan, const struct sotto_engine_result *r)
{
	size_t lists = plan->choice_count;

	size_t ends = 0;

	for (size_t i = 0; i < plan->output_count; i++)
		ends += plan->outputs[i].has_ends ? 2 : 0;
	if (!plan->owner)
		return sotto_engine_has_shape(r, plan->output_count + ends, 0, 0);
	for (size_t i = 0; i < plan->choice_count; i++)
		lists += plan->choices[i].kind == SOTTO_CHOICE_MODE;
	return sotto_engine_has_shape(
		r, plan->key_count + plan->derived_count,
		plan->measure_count + (sotto_loss_is_run(&plan->loss) ? plan->loss.count : 0),
		lists);
}

/* ---- noise ------------------------------------------------------------------------------ */

/* One measure over all groups: noisy[row * measures + i]. */
static enum sotto_status publish_measure(const struct sotto_plan *plan, size_t i,
					 const struct sotto_engine_result *exact,
					 struct sotto_rng *rng, struct sotto_noisy *noisy)
{
	size_t n = sotto_engine_rows(exact);
	size_t column = plan->key_count + plan->derived_count + i;
	struct sotto_exact *x = calloc(n + 1, sizeof *x);
	struct sotto_noisy *out = calloc(n + 1, sizeof *out);
	enum sotto_status st = x && out ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t row = 0; st == SOTTO_OK && row < n; row++)
		x[row] = sotto_engine_exact(exact, row, column);
	if (st == SOTTO_OK && n > 0)
		st = sotto_added_noise_publish(plan->measures[i].noise, rng, x, out, n);
	for (size_t row = 0; st == SOTTO_OK && row < n; row++)
		noisy[row * plan->measure_count + i] = out[row];
	if (x)
		sotto_wipe(x, (n + 1) * sizeof *x);
	free(x);
	free(out);
	return st;
}

/* ---- rows --------------------------------------------------------------------------------- */

struct row {
	const struct sotto_value *keys;
	const struct sotto_noisy *values;
	size_t from; /* of the engine's result */
};

static int compare_rows(const void *x, const void *y, void *key_count)
{
	const struct row *a = x, *b = y;
	int c = 0;

	for (size_t i = 0; c == 0 && i < *(size_t *)key_count; i++)
		c = sotto_value_compare(&a->keys[i], &b->keys[i]);
	return c;
}

/* One run of rows that are shown alike, in an order by chance. */
static enum sotto_status shuffle(struct row *rows, size_t n, struct sotto_rng *rng)
{
	size_t *order = calloc(n, sizeof *order);
	struct row *moved = calloc(n, sizeof *moved);
	enum sotto_status st = order && moved ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK)
		st = sotto_uniform_permutation(rng, order, n);
	for (size_t i = 0; st == SOTTO_OK && i < n; i++)
		moved[i] = rows[order[i]];
	if (st == SOTTO_OK)
		memcpy(rows, moved, n * sizeof *rows);
	free(moved);
	free(order);
	return st;
}

/*
 * Two keys can be shown alike (a NUL, and the sign for it): their order would be that of the
 * engine, which is that of private rows.
 */
static enum sotto_status
shuffle_alike(struct row *rows, size_t n, size_t key_count, struct sotto_rng *rng)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n; end++)
			if (compare_rows(&rows[i], &rows[end], &key_count) != 0)
				break;
		if (end - i > 1)
			SOTTO_TRY(shuffle(rows + i, end - i, rng));
	}
	return SOTTO_OK;
}

static enum sotto_status keep_rows(struct sotto_release *r, const struct sotto_plan *plan,
				   const struct sotto_engine_result *exact,
				   const struct sotto_noisy *noisy, struct row *rows)
{
	size_t n = sotto_engine_rows(exact);

	for (size_t i = 0; i < n; i++) {
		const struct sotto_noisy *values = noisy + i * r->measure_count;
		struct sotto_value *keys;

		if (!sotto_key_threshold_passes(&plan->threshold, values))
			continue;
		keys = sotto_arena_alloc(&r->arena, (r->key_count + 1) * sizeof *keys);
		if (!keys)
			return SOTTO_ENOMEM;
		for (size_t k = 0; k < r->key_count; k++)
			SOTTO_TRY(sotto_value_copy(&r->arena, sotto_engine_cell(exact, i, k),
						   &keys[k]));
		rows[r->rows++] = (struct row){.keys = keys, .values = values, .from = i};
	}
	return SOTTO_OK;
}

static enum sotto_status gather(struct sotto_release *r, const struct row *rows)
{
	r->keys = sotto_arena_alloc(&r->arena, (r->rows * r->key_count + 1) * sizeof *r->keys);
	r->values = sotto_arena_alloc(&r->arena,
				      (r->rows * r->measure_count + 1) * sizeof *r->values);
	if (!r->keys || !r->values)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < r->rows; i++) {
		memcpy(r->keys + i * r->key_count, rows[i].keys,
		       r->key_count * sizeof *r->keys);
		memcpy(r->values + i * r->measure_count, rows[i].values,
		       r->measure_count * sizeof *r->values);
	}
	return SOTTO_OK;
}

/* Keeps the chosen rows, the best first. */
static enum sotto_status keep_top(struct sotto_release *r, const struct sotto_plan *plan,
				  const struct sotto_engine_result *exact,
				  struct sotto_rng *rng, struct row *rows)
{
	size_t *from = sotto_arena_alloc(&r->arena, (r->rows + 1) * sizeof *from);
	size_t *places = sotto_arena_alloc(&r->arena, (r->rows + 1) * sizeof *places);
	struct row *kept = sotto_arena_alloc(&r->arena, (r->rows + 1) * sizeof *kept);
	size_t count;

	if (!from || !places || !kept)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < r->rows; i++)
		from[i] = rows[i].from;
	SOTTO_TRY(sotto_top_groups_publish(plan, exact, from, r->rows, rng, places, &count));
	for (size_t i = 0; i < count; i++)
		kept[i] = rows[places[i]];
	memcpy(rows, kept, count * sizeof *rows);
	r->rows = count;
	return SOTTO_OK;
}

static enum sotto_status add_outcomes(struct sotto_release *r, const struct sotto_plan *plan,
				      const struct sotto_engine_result *exact,
				      struct sotto_rng *rng, const struct row *rows)
{
	size_t *from = sotto_arena_alloc(&r->arena, (r->rows + 1) * sizeof *from);

	r->outcomes = sotto_arena_alloc(&r->arena,
					(r->rows * r->outcome_count + 1) * sizeof *r->outcomes);
	if (!from || !r->outcomes)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < r->rows; i++)
		from[i] = rows[i].from;
	return sotto_choices_publish(plan, exact, from, r->rows, rng, &r->arena, r->outcomes);
}

static enum sotto_status sort_rows(struct sotto_release *r, const struct sotto_plan *plan,
				   const struct sotto_engine_result *exact,
				   const struct sotto_noisy *noisy, struct sotto_rng *rng)
{
	struct row *rows = calloc(sotto_engine_rows(exact) + 1, sizeof *rows);
	size_t sorted_by = plan->key_count;
	enum sotto_status st;

	if (!rows)
		return SOTTO_ENOMEM;
	st = keep_rows(r, plan, exact, noisy, rows);
	if (st == SOTTO_OK) {
		qsort_r(rows, r->rows, sizeof *rows, compare_rows, &sorted_by);
		st = shuffle_alike(rows, r->rows, sorted_by, rng);
		if (st == SOTTO_OK && plan->top.chosen)
			st = keep_top(r, plan, exact, rng, rows);
	}
	if (st == SOTTO_OK)
		st = gather(r, rows);
	if (st == SOTTO_OK)
		st = add_outcomes(r, plan, exact, rng, rows);
	free(rows);
	return st;
}

enum sotto_status sotto_release_publish(struct sotto_release *r, const struct sotto_plan *plan,
					const struct sotto_engine_result *exact,
					struct sotto_rng *rng)
{
	size_t n = sotto_engine_rows(exact);
	struct sotto_noisy *noisy = calloc(n * plan->measure_count + 1, sizeof *noisy);
	enum sotto_status st = noisy ? sotto_rng_reseed(rng) : SOTTO_ENOMEM;

	/* Without keys there is one group: any other number of rows would tell something. */
	if (plan->key_count == 0 && n != 1)
		st = SOTTO_ESTATE;
	sotto_release_shape(r, plan);
	for (size_t i = 0; st == SOTTO_OK && i < r->measure_count; i++)
		st = publish_measure(plan, i, exact, rng, noisy);
	if (st == SOTTO_OK)
		st = sotto_release_publish_losses(r, plan, exact, rng);
	if (st == SOTTO_OK)
		st = sort_rows(r, plan, exact, noisy, rng);
	free(noisy);
	return st;
}

/* ---- identity ------------------------------------------------------------------------------ */

static enum sotto_status add_amount(struct sotto_buffer *b, const struct sotto_rational *r)
{
	char *amount = mpq_get_str(NULL, 16, r->q);
	enum sotto_status st = sotto_buffer_appendf(b, " %s\n", amount);

	free(amount);
	return st;
}

/* What sets the size of noise: epsilon or sigma^2. */
static enum sotto_status
describe_noise(const struct sotto_added_noise *n, struct sotto_buffer *b)
{
	return add_amount(b, n->kind == SOTTO_NOISE_LAPLACE ? &n->laplace.epsilon
							    : &n->gaussian.sigma2);
}

static enum sotto_status
describe_tree(const struct sotto_added_noise *n, struct sotto_buffer *b)
{
	return add_amount(b, n->kind == SOTTO_NOISE_LAPLACE ? &n->laplace.scale
							    : &n->gaussian.sigma2);
}

static enum sotto_status
describe_quantiles(const struct sotto_rank_choice *c, struct sotto_buffer *b)
{
	bool tree = c->method == SOTTO_RANKS_BY_TREE;

	SOTTO_TRY(sotto_buffer_appendf(b, "pick 0 tree %d\n", tree));
	for (size_t i = 0; i < c->count; i++) {
		const struct sotto_rank *r = &c->ranks[i];

		SOTTO_TRY(sotto_buffer_appendf(b, "%u/%u %d %lld %lld\n", r->part, r->whole,
					       r->side, (long long)r->margin,
					       (long long)r->offset));
	}
	SOTTO_TRY(tree ? describe_tree(c->tree.noise, b) : add_amount(b, &c->choice.epsilon));
	return add_amount(b, &c->choice.end_epsilon);
}

static enum sotto_status describe_choice(const struct sotto_choice *p, struct sotto_buffer *b)
{
	if (p->kind == SOTTO_CHOICE_RANKS)
		return describe_quantiles(p->quantiles.choice, b);
	SOTTO_TRY(sotto_buffer_append_text(b, "pick 1 tree 0\n"));
	SOTTO_TRY(add_amount(b, &p->mode.choice->epsilon));
	return sotto_buffer_append_text(b, " 0\n");
}

/* Ledgers keep digests of this text: another text would forget every earlier answer. */
static enum sotto_status describe(const struct sotto_plan *plan, struct sotto_buffer *b)
{
	SOTTO_TRY(sotto_buffer_append_text(b, plan->reads ? plan->reads : ""));
	if (plan->asked) /* what is done to a part before rows are compared with it */
		SOTTO_TRY(sotto_buffer_appendf(b, "asked %s\n", plan->asked));
	SOTTO_TRY(sotto_buffer_appendf(b, "%s\nnoise %d\nthreshold %lld\n", plan->engine_sql,
				       (int)plan->noise, (long long)plan->threshold.least));
	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_measure *m = &plan->measures[i];

		SOTTO_TRY(sotto_buffer_appendf(b, "%lld", (long long)m->per_group));
		SOTTO_TRY(describe_noise(m->noise, b));
	}
	for (size_t i = 0; i < plan->choice_count; i++)
		SOTTO_TRY(describe_choice(&plan->choices[i], b));
	if (plan->spread.is_pending) /* the answer will have other limits */
		SOTTO_TRY(sotto_buffer_append_text(b, "limits to be found\n"));
	if (sotto_loss_is_wanted(&plan->loss)) {
		SOTTO_TRY(sotto_buffer_append_text(b, "losses"));
		SOTTO_TRY(add_amount(b, plan->loss.epsilon));
	}
	if (!plan->top.chosen)
		return SOTTO_OK;
	SOTTO_TRY(sotto_buffer_appendf(b, "top %lld least %d of %zu",
				       (long long)plan->top.count, plan->top.least,
				       plan->top.measure));
	return add_amount(b, plan->top.epsilon);
}

enum sotto_status
sotto_release_key(const struct sotto_plan *plan, char key[SOTTO_RELEASE_KEY_SIZE])
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 32 << 20);
	st = describe(plan, &b);
	if (st == SOTTO_OK)
		st = sotto_digest_text(sotto_buffer_text(&b), b.length, key);
	sotto_buffer_release(&b);
	return st;
}
