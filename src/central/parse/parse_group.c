/*
 * GROUP BY: a list of keys, or of sets of keys (GROUPING SETS, ROLLUP, CUBE).
 */
#include "central/parse/parse.h"
#include "central/parse/parse_query.h"

#include <string.h>

#include "core/base/failure.h"

enum { SETS_MAX = 32 };

struct sets {
	struct sotto_sql_grouping *list;
	size_t count;
};

static enum sotto_status
add_set(struct sotto_sql_parser *p, struct sets *s, struct sotto_sql_grouping set)
{
	struct sotto_sql_grouping *slot;

	if (s->count >= SETS_MAX)
		return sotto_sql_fail(
			p->err, SOTTO_EREFUSED, p->text, -1,
			"GROUP BY makes more than %d sets of keys; each would get "
			"too small a share of the budget",
			SETS_MAX);
	slot = SOTTO_PUSH(p->arena, s->list, s->count);
	SOTTO_SQL_NEED(slot);
	*slot = set;
	return SOTTO_OK;
}

static enum sotto_status join_sets(struct sotto_sql_parser *p, struct sotto_sql_grouping x,
				   struct sotto_sql_grouping y, struct sotto_sql_grouping *out)
{
	out->count = x.count + y.count;
	out->keys = sotto_arena_alloc(p->arena, (out->count + 1) * sizeof *out->keys);
	SOTTO_SQL_NEED(out->keys);
	for (size_t i = 0; i < out->count; i++)
		out->keys[i] = i < x.count ? x.keys[i] : y.keys[i - x.count];
	return SOTTO_OK;
}

/* (a, b) or a: the keys that stand together. */
static enum sotto_status
parse_keys(struct sotto_sql_parser *p, const json_t *node, struct sotto_sql_grouping *out)
{
	const json_t *row = json_object_get(node, "RowExpr");

	if (row)
		return sotto_sql_parse_list(p, json_object_get(row, "args"), &out->keys,
					    &out->count);
	out->keys = sotto_arena_alloc(p->arena, sizeof *out->keys);
	SOTTO_SQL_NEED(out->keys);
	out->count = 1;
	return sotto_sql_parse_expr(p, node, &out->keys[0]);
}

/* The subsets of ROLLUP's and CUBE's elements, the largest first. */
static enum sotto_status
add_subsets(struct sotto_sql_parser *p, const json_t *content, bool cube, struct sets *out)
{
	size_t n = json_array_size(content);
	struct sotto_sql_grouping parts[8], none = {0};

	if (n > (cube ? 5 : 8))
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, -1,
				      "ROLLUP takes at most 8 keys, CUBE at most 5");
	for (size_t i = 0; i < n; i++)
		SOTTO_TRY(parse_keys(p, json_array_get(content, i), &parts[i]));
	for (size_t left = cube ? (size_t)1 << n : n + 1; left-- > 0;) {
		struct sotto_sql_grouping set = none;

		for (size_t i = 0; i < n; i++)
			if (cube ? left >> (n - 1 - i) & 1 : i < left)
				SOTTO_TRY(join_sets(p, set, parts[i], &set));
		SOTTO_TRY(add_set(p, out, set));
	}
	return SOTTO_OK;
}

static enum sotto_status
parse_element(struct sotto_sql_parser *p, const json_t *node, struct sets *out)
{
	const json_t *body = json_object_get(node, "GroupingSet");
	const char *kind = sotto_sql_node_word(body, "kind");
	const json_t *content = json_object_get(body, "content");
	struct sotto_sql_grouping set = {0};

	if (!body) {
		SOTTO_TRY(parse_keys(p, node, &set));
		return add_set(p, out, set);
	}
	if (strcmp(kind, "GROUPING_SET_EMPTY") == 0)
		return add_set(p, out, set);
	if (strcmp(kind, "GROUPING_SET_SETS") != 0)
		return add_subsets(p, content, strcmp(kind, "GROUPING_SET_CUBE") == 0, out);
	for (size_t i = 0; i < json_array_size(content); i++)
		SOTTO_TRY(parse_element(p, json_array_get(content, i), out));
	return SOTTO_OK;
}

static bool has_sets(const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_object_get(json_array_get(list, i), "GroupingSet"))
			return true;
	return false;
}

enum sotto_status sotto_sql_parse_groups(struct sotto_sql_parser *p, const json_t *list,
					 struct sotto_sql_select *s)
{
	struct sets all = {0};

	if (!has_sets(list))
		return sotto_sql_parse_list(p, list, &s->groups, &s->group_count);
	SOTTO_TRY(add_set(p, &all, (struct sotto_sql_grouping){0}));
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct sets one = {0}, product = {0};

		SOTTO_TRY(parse_element(p, json_array_get(list, i), &one));
		for (size_t x = 0; x < all.count; x++)
			for (size_t y = 0; y < one.count; y++) {
				struct sotto_sql_grouping set;

				SOTTO_TRY(join_sets(p, all.list[x], one.list[y], &set));
				SOTTO_TRY(add_set(p, &product, set));
			}
		all = product;
	}
	s->sets = all.list;
	s->set_count = all.count;
	return SOTTO_OK;
}
