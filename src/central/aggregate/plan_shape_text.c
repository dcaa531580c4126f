/*
 * How many bytes the texts of an answer have: its keys, what is computed from them, and values
 * that are chosen from a public list.  All of them are public.
 */
#include "central/aggregate/plan_shape.h"

#include "central/expression/domain/public_domain.h"
#include "central/relation/join_fanout.h"
#include "core/base/failure.h"

/* Texts of so few bytes are not looked at: a question has at most 1000 parts. */
enum { FEW = 64 << 10 };

static const char too_long[] = "the answer would have more than 512 MiB of text, the values of "
			       "its keys in every group; "
			       "group by fewer keys, or by shorter ones: left(key, 100), or "
			       "shorter keys in the policy";

static bool is_text(enum sotto_sql_type type)
{
	return type == SOTTO_TYPE_TEXT || type == SOTTO_TYPE_LOOSE;
}

static bool shows_text(const struct sotto_choice *c)
{
	return c->kind == SOTTO_CHOICE_MODE && is_text(c->mode.domain_type);
}

/* What a domain's longest text has at most; a text that is made has 10 000 characters. */
static double longest(const struct sotto_domain *d)
{
	return d && d->longest > 0 ? (double)d->longest : 40000;
}

/* Bytes of the texts, without looking at any public table. */
static double most(const struct sotto_plan_shape *s)
{
	const struct sotto_plan *plan = s->plan;
	double group = 0, lists = 0;

	for (size_t i = 0; i < plan->key_count; i++)
		if (is_text(plan->keys[i].bound.type))
			group += longest(plan->keys[i].is_image ? NULL : plan->keys[i].domain);
	for (size_t i = 0; i < plan->derived_count; i++)
		if (is_text(plan->derived_types[i]))
			group += longest(NULL);
	for (size_t i = 0; i < plan->choice_count; i++)
		if (shows_text(&plan->choices[i])) {
			const struct sotto_choice_of_mode *m = &plan->choices[i].mode;

			group += longest(m->domain);
			lists += longest(m->domain) * (double)m->size;
		}
	return lists +
	       group * (double)(s->group_count >= 0 ? s->group_count : SOTTO_DOMAIN_MAX);
}

/* ---- the query that adds them up ---------------------------------------------------------- */

static const struct sotto_expression *
plus(struct sotto_arena *a, const struct sotto_expression *x, const struct sotto_expression *y)
{
	return x && y ? SOTTO_APPLY(a, SOTTO_OP_PLUS, x, y) : NULL;
}

static const struct sotto_expression *
size_of(struct sotto_arena *a, const struct sotto_expression *x)
{
	return SOTTO_APPLY(a, SOTTO_OP_TEXT_SIZE,
			   sotto_expression_cast(a, SOTTO_OP_TRY_CAST, x, SOTTO_TYPE_TEXT));
}

/* Of one set of keys: b, the bytes of all its values, and n, how many there are; in one row. */
static const struct sotto_rowset *sized_set(struct sotto_plan *plan, size_t set)
{
	struct sotto_arena *a = &plan->arena;
	const struct sotto_key_set *keys = &plan->sets[set];
	const struct sotto_expression *sum = sotto_expression_whole(a, 0),
				      *star = sotto_expression_word(a, SOTTO_OP_STAR);
	struct sotto_rowset_select s = {0};

	for (size_t i = 0; i < keys->count; i++) {
		const char *name = sotto_arena_textf(a, "k%zu", keys->keys[i]);

		if (is_text(plan->keys[keys->keys[i]].bound.type))
			sum = plus(a, sum, size_of(a, sotto_expression_column(a, "v", name)));
	}
	return sotto_rowset_output(a, &s, SOTTO_APPLY(a, SOTTO_OP_SUM, sum), "b") &&
			       sotto_rowset_output(a, &s, SOTTO_APPLY(a, SOTTO_OP_COUNT, star),
						   "n") &&
			       sotto_rowset_from(a, &s, sotto_rowset_named(a, keys->rows, "v"))
		       ? sotto_rowset_select(a, &s, sotto_arena_textf(a, "s%zu", set))
		       : NULL;
}

static const struct sotto_expression *
of_set(struct sotto_arena *a, size_t set, const char *column)
{
	return sotto_expression_column(a, sotto_arena_textf(a, "s%zu", set), column);
}

/* With every group there is: the factor times how many values the sets but one have. */
static const struct sotto_expression *
times_others(struct sotto_plan *plan, const struct sotto_expression *factor, size_t but)
{
	struct sotto_arena *a = &plan->arena;

	for (size_t i = 0; factor && i < plan->set_count; i++)
		if (i != but)
			factor = SOTTO_APPLY(a, SOTTO_OP_TIMES, factor, of_set(a, i, "n"));
	return factor;
}

/* All groups, as what is computed from their keys reads them. */
static const struct sotto_rowset *groups(struct sotto_plan *plan)
{
	struct sotto_arena *a = &plan->arena;
	struct sotto_rowset_select s = {
		.limit = sotto_expression_whole(a, SOTTO_DOMAIN_MAX + 1)};
	bool made = s.limit && sotto_rowset_output(a, &s, sotto_expression_star(a, NULL), NULL);

	for (size_t i = 0; made && i < plan->set_count; i++)
		made = sotto_rowset_from(a, &s,
					 sotto_rowset_named(a, plan->sets[i].rows,
							    sotto_arena_textf(a, "v%zu", i)));
	return made ? sotto_rowset_select(a, &s, "g") : NULL;
}

/* Of all that is computed from keys; NULL where nothing is, or without memory. */
static const struct sotto_expression *derived_size(struct sotto_plan *plan)
{
	struct sotto_arena *a = &plan->arena;
	const struct sotto_expression *sum = sotto_expression_whole(a, 0);

	for (size_t i = 0; i < plan->derived_count; i++)
		if (is_text(plan->derived_types[i]))
			sum = plus(a, sum, size_of(a, plan->derived[i]));
	return sotto_expression_query(
		a, SOTTO_OP_SCALAR, NULL,
		sotto_rowset_one(a, SOTTO_APPLY(a, SOTTO_OP_SUM, sum), NULL, groups(plan)));
}

static bool derives_text(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->derived_count; i++)
		if (is_text(plan->derived_types[i]))
			return true;
	return false;
}

/* Of a list that is chosen from: in one row the whole list, in each its longest text. */
static const struct sotto_expression *
of_list(struct sotto_arena *a, const struct sotto_choice *c, enum sotto_operation_name what)
{
	const struct sotto_expression *size = size_of(a, sotto_expression_column(a, "v", "k"));

	return sotto_expression_query(
		a, SOTTO_OP_SCALAR, NULL,
		sotto_rowset_one(a, SOTTO_APPLY(a, what, size), NULL,
				 sotto_rowset_named(a, c->mode.domain->rows, "v")));
}

static const struct sotto_expression *all_texts(struct sotto_plan *plan)
{
	struct sotto_arena *a = &plan->arena;
	const struct sotto_expression *sum = sotto_expression_whole(a, 0);

	for (size_t i = 0; i < plan->set_count; i++)
		sum = plus(a, sum, times_others(plan, of_set(a, i, "b"), i));
	if (plan->set_count > 0 && derives_text(plan))
		sum = plus(a, sum, derived_size(plan));
	for (size_t i = 0; i < plan->choice_count; i++) {
		const struct sotto_choice *c = &plan->choices[i];

		if (!shows_text(c))
			continue;
		sum = plus(a, sum, times_others(plan, of_list(a, c, SOTTO_OP_MAX), SIZE_MAX));
		sum = plus(a, sum, of_list(a, c, SOTTO_OP_SUM));
	}
	return sum;
}

static const struct sotto_rowset *total(struct sotto_plan *plan)
{
	struct sotto_arena *a = &plan->arena;
	struct sotto_rowset_select s = {0};

	for (size_t i = 0; i < plan->set_count; i++)
		if (!sotto_rowset_from(a, &s, sized_set(plan, i)))
			return NULL;
	return sotto_rowset_output(
		       a, &s, SOTTO_APPLY(a, SOTTO_OP_CHECKED_OR_NONE, all_texts(plan)), NULL)
		       ? sotto_rowset_select(a, &s, NULL)
		       : NULL;
}

enum sotto_status sotto_shape_check_texts(struct sotto_plan_shape *s)
{
	const int64_t limit = (int64_t)512 << 20;

	if (!s->plan->public_keys || most(s) <= FEW)
		return SOTTO_OK;
	SOTTO_TRY(sotto_planner_check(&s->planner, total(s->plan), limit, too_long));
	s->planner.checks[s->planner.check_count - 1].is_text = true;
	return SOTTO_OK;
}
