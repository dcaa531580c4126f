/*
 * Sorts the groups of both results by key and walks along them, adding up differences; these
 * are then compared with the sensitivity that the noise was made for.
 */
#include "testlib/question/movement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number/nearest.h"

static size_t key_columns(const struct sotto_plan *plan)
{
	return plan->key_count + plan->derived_count;
}

static size_t loss_columns(const struct sotto_plan *plan)
{
	return sotto_loss_is_run(&plan->loss) ? plan->loss.count : 0;
}

static int compare_cells(struct sotto_engine_cell x, struct sotto_engine_cell y)
{
	if (x.kind != y.kind)
		return x.kind < y.kind ? -1 : 1;
	if (x.kind == SOTTO_ENGINE_TEXT)
		return strcmp(x.text, y.text);
	if (x.kind == SOTTO_ENGINE_NUMBER)
		return memcmp(&x.number, &y.number, sizeof x.number);
	return (x.integer > y.integer) - (x.integer < y.integer);
}

struct row {
	const struct sotto_engine_result *result;
	size_t index, keys;
};

static int compare_keys(const struct row *x, const struct row *y)
{
	int c = 0;

	for (size_t k = 0; c == 0 && k < x->keys; k++)
		c = compare_cells(sotto_engine_cell(x->result, x->index, k),
				  sotto_engine_cell(y->result, y->index, k));
	return c;
}

static int compare_rows(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	int c = compare_keys(a, b);

	return c ? c : (a->index > b->index) - (a->index < b->index);
}

static struct row *
sorted_rows(const struct sotto_plan *plan, const struct sotto_engine_result *r)
{
	size_t n = sotto_engine_rows(r);
	struct row *rows = calloc(n + 1, sizeof *rows);

	if (!rows)
		abort();
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct row){.result = r, .index = i, .keys = key_columns(plan)};
	qsort(rows, n, sizeof *rows, compare_rows);
	return rows;
}

static int64_t measure_of(const struct sotto_plan *plan, const struct row *row, size_t i)
{
	return row ? sotto_engine_exact(row->result, row->index, key_columns(plan) + i).secret
		   : 0;
}

static const struct sotto_engine_list *
list_of(const struct sotto_plan *plan, const struct row *row, size_t i)
{
	static const struct sotto_engine_list empty;

	return row ? sotto_engine_list(row->result, row->index,
				       key_columns(plan) + plan->measure_count +
					       loss_columns(plan) + i)
		   : &empty;
}

/* How many counts of values differ, over all values of both lists, which are sorted. */
static int64_t list_difference(struct movement *m, const struct sotto_engine_list *x,
			       const struct sotto_engine_list *y)
{
	int64_t up = 0, down = 0;
	size_t i = 0, j = 0;

	while (i < x->n || j < y->n) {
		bool left =
			j == y->n || (i < x->n && x->values[i].secret <= y->values[j].secret);
		bool right =
			i == x->n || (j < y->n && y->values[j].secret <= x->values[i].secret);
		int64_t d =
			(left ? x->counts[i].secret : 0) - (right ? y->counts[j].secret : 0);

		up += d > 0 ? d : 0;
		down -= d < 0 ? d : 0;
		i += left;
		j += right;
	}
	m->both_ways = m->both_ways || (up > 0 && down > 0);
	return up + down;
}

static bool add_lists(struct movement *m, const struct sotto_plan *plan, const struct row *x,
		      const struct row *y)
{
	bool moved = false;

	for (size_t i = 0; i < plan->choice_count; i++) {
		int64_t d = list_difference(m, list_of(plan, x, i), list_of(plan, y, i));

		moved = moved || d != 0;
		m->choice_most[i] = d > m->choice_most[i] ? d : m->choice_most[i];
		m->choice_groups[i] += d != 0;
		m->choice_l1[i] += (double)d;
		m->choice_squares[i] += (double)d * (double)d;
	}
	return moved;
}

/* One group on both sides, or on one of them. */
static void add_group(struct movement *m, const struct sotto_plan *plan, const struct row *x,
		      const struct row *y)
{
	bool moved = add_lists(m, plan, x, y) || !x || !y;

	for (size_t i = 0; i < plan->measure_count; i++) {
		double change = (double)measure_of(plan, x, i) - (double)measure_of(plan, y, i);
		double d = fabs(change);

		if (plan->top.chosen && plan->top.measure == i) {
			m->score_grew = m->score_grew || change > 0;
			m->score_fell = m->score_fell || change < 0;
		}
		moved = moved || d != 0;
		m->most[i] = d > (double)m->most[i] ? (int64_t)d : m->most[i];
		m->groups[i] += d != 0;
		m->l1[i] += d;
		m->squares[i] += d * d;
	}
	m->all_groups += moved;
	m->same_keys = m->same_keys && x && y;
	m->same = m->same && !moved;
}

static bool has_repeated(const struct row *rows, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (compare_keys(&rows[i - 1], &rows[i]) == 0)
			return true;
	return false;
}

/* The vector stands in every row; without rows there is nobody to count. */
static int64_t
loss_of(const struct sotto_plan *plan, const struct sotto_engine_result *r, size_t i)
{
	return sotto_engine_rows(r) == 0
		       ? 0
		       : sotto_engine_exact(r, 0, key_columns(plan) + plan->measure_count + i)
				 .secret;
}

static void add_losses(struct movement *m, const struct sotto_plan *plan,
		       const struct sotto_engine_result *x, const struct sotto_engine_result *y)
{
	for (size_t i = 0; i < loss_columns(plan); i++) {
		m->loss[i] = fabs((double)loss_of(plan, x, i) - (double)loss_of(plan, y, i));
		m->same = m->same && m->loss[i] == 0;
	}
}

void movement_between(struct movement *m, const struct sotto_plan *plan,
		      const struct sotto_engine_result *x, const struct sotto_engine_result *y)
{
	struct row *a = sorted_rows(plan, x), *b = sorted_rows(plan, y);
	size_t na = sotto_engine_rows(x), nb = sotto_engine_rows(y), i = 0, j = 0;

	*m = (struct movement){.same_keys = true, .same = true};
	m->repeated_keys = has_repeated(a, na) || has_repeated(b, nb);
	while (i < na || j < nb) {
		int c = i == na ? 1 : j == nb ? -1 : compare_keys(&a[i], &b[j]);

		add_group(m, plan, c <= 0 ? &a[i] : NULL, c >= 0 ? &b[j] : NULL);
		i += c <= 0;
		j += c >= 0;
	}
	add_losses(m, plan, x, y);
	free(a);
	free(b);
}

/* What a choice loses when one group's list moves by max_rows counts. */
static double choices_epsilon(const struct sotto_choice *p)
{
	const struct sotto_rank_choice *c = p->quantiles.choice;

	if (p->kind == SOTTO_CHOICE_MODE)
		return sotto_nearest_double(p->mode.choice->epsilon.q);
	return (double)(c->count / 3) * (sotto_nearest_double(c->choice.epsilon.q) +
					 2 * sotto_nearest_double(c->choice.end_epsilon.q));
}

static double choices_rho(const struct sotto_choice *p)
{
	const struct sotto_rank_choice *c = p->quantiles.choice;

	if (p->kind == SOTTO_CHOICE_MODE)
		return pow(sotto_nearest_double(p->mode.choice->epsilon.q), 2) / 8;
	return (double)(c->count / 3) *
	       (pow(sotto_nearest_double(c->choice.epsilon.q), 2) +
		2 * pow(sotto_nearest_double(c->choice.end_epsilon.q), 2)) /
	       8;
}

static double choice_loss(const struct movement *m, const struct sotto_plan *plan, size_t i)
{
	const struct sotto_choice *p = &plan->choices[i];
	const struct sotto_rank_choice *c = p->quantiles.choice;
	bool laplace = plan->noise == SOTTO_NOISE_LAPLACE;
	double rows = (double)plan->max_rows, levels;

	if (p->kind == SOTTO_CHOICE_MODE || c->method == SOTTO_RANKS_BY_CHOICE)
		return laplace ? m->choice_l1[i] / rows * choices_epsilon(p)
			       : m->choice_squares[i] / (rows * rows) * choices_rho(p);
	levels = c->tree.shape.height + 1;
	return laplace ? m->choice_l1[i] * levels /
				 sotto_nearest_double(c->tree.noise->laplace.scale.q)
		       : m->choice_squares[i] * levels /
				 (2 * sotto_nearest_double(c->tree.noise->gaussian.sigma2.q));
}

/* sum of L1 movement over scale, that is what Laplace noise loses between these two. */
static double laplace_loss(const struct movement *m, const struct sotto_plan *plan)
{
	double loss = 0;

	for (size_t i = 0; i < plan->measure_count; i++)
		loss += m->l1[i] /
			sotto_nearest_double(plan->measures[i].noise->laplace.scale.q);
	for (size_t i = 0; i < plan->choice_count; i++)
		loss += choice_loss(m, plan, i);
	return loss;
}

/* sum of squared L2 movement over 2 sigma^2: the zCDP loss of Gaussian noise. */
static double gaussian_loss(const struct movement *m, const struct sotto_plan *plan)
{
	double loss = 0;

	for (size_t i = 0; i < plan->measure_count; i++)
		loss += m->squares[i] /
			(2 * sotto_nearest_double(plan->measures[i].noise->gaussian.sigma2.q));
	for (size_t i = 0; i < plan->choice_count; i++)
		loss += choice_loss(m, plan, i);
	return loss;
}

/* What the loss vector loses between these two; it always has Laplace noise. */
static double vector_loss(const struct movement *m, const struct sotto_plan *plan)
{
	double loss = 0;

	for (size_t i = 0; i < loss_columns(plan); i++)
		loss += m->loss[i] /
			sotto_nearest_double(plan->loss.items[i].noise->laplace.scale.q);
	return loss;
}

static const char *vector_fault(const struct movement *m, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < loss_columns(plan); i++)
		if (m->loss[i] > (double)plan->loss.items[i].moved)
			return "an item of the loss vector moves too far";
	if (loss_columns(plan) > 0 &&
	    vector_loss(m, plan) > (1 + 1e-9) * sotto_nearest_double(plan->loss.epsilon->q))
		return "the loss vector loses more than its share";
	return NULL;
}

static const char *choice_fault(const struct movement *m, const struct sotto_plan *plan)
{
	if (!plan->top.chosen)
		return NULL;
	if (m->most[plan->top.measure] > plan->top.moved)
		return "a score moves further than groups are chosen for";
	if (plan->top.monotone && m->score_grew && m->score_fell)
		return "scores grow and fall with one unit";
	return NULL;
}

const char *movement_fault(const struct movement *m, const struct sotto_plan *plan)
{
	const double slack = 1 + 1e-9; /* of the doubles in this check */

	if (vector_fault(m, plan))
		return vector_fault(m, plan);
	if (choice_fault(m, plan))
		return choice_fault(m, plan);

	if (plan->public_keys && !m->same_keys)
		return "public groups differ";
	if (m->repeated_keys)
		return "a group is given twice";
	if (plan->noise == SOTTO_NOISE_NONE)
		return m->same ? NULL : "what is free differs";
	for (size_t i = 0; i < plan->measure_count; i++) {
		if (m->most[i] > plan->measures[i].per_group)
			return "a measure moves too far in one group";
		if (m->groups[i] > plan->groups)
			return "a measure moves in too many groups";
	}
	for (size_t i = 0; i < plan->choice_count; i++) {
		if (m->choice_most[i] > plan->max_rows)
			return "a list of counts moves too far in one group";
		if (m->choice_groups[i] > plan->groups)
			return "lists of counts move in too many groups";
	}
	if (m->both_ways)
		return "counts of values grow and fall with one unit";
	if (m->all_groups > plan->groups)
		return "too many groups move";
	if (plan->noise == SOTTO_NOISE_LAPLACE &&
	    laplace_loss(m, plan) + vector_loss(m, plan) >
		    slack * sotto_nearest_double(plan->own_cost.epsilon.q))
		return "more epsilon is lost than charged";
	if (plan->noise == SOTTO_NOISE_GAUSSIAN &&
	    gaussian_loss(m, plan) > slack * sotto_nearest_double(plan->own_cost.rho.q))
		return "more rho is lost than charged";
	return NULL;
}
