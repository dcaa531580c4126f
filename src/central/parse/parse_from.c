/*
 * FROM: tables, subqueries, joins.
 */
#include "central/parse/parse.h"
#include "central/parse/parse_query.h"

#include <string.h>

#include "core/base/failure.h"

static enum sotto_status refuse(struct sotto_sql_parser *p, int at, const char *why)
{
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, at, "%s", why);
}

enum sotto_status sotto_sql_parse_names(struct sotto_sql_parser *p, const json_t *list,
					const char ***out, size_t *count)
{
	size_t n = json_array_size(list);
	const char **names = sotto_arena_alloc(p->arena, (n + 1) * sizeof *names);

	SOTTO_SQL_NEED(names);
	for (size_t i = 0; i < n; i++) {
		names[i] = sotto_arena_text(p->arena,
					    sotto_sql_node_string(json_array_get(list, i)));
		SOTTO_SQL_NEED(names[i]);
	}
	*out = names;
	*count = n;
	return SOTTO_OK;
}

static enum sotto_status
parse_alias(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_from *f)
{
	const json_t *alias = json_object_get(body, "alias");

	if (!alias)
		return SOTTO_OK;
	f->alias = sotto_arena_text(p->arena, sotto_sql_node_word(alias, "aliasname"));
	SOTTO_SQL_NEED(f->alias);
	return sotto_sql_parse_names(p, json_object_get(alias, "colnames"), &f->columns,
				     &f->column_count);
}

static enum sotto_status
parse_from(struct sotto_sql_parser *p, const json_t *node, struct sotto_sql_from **out);

/* A policy may name tables with their schema; columns are qualified without it. */
static enum sotto_status
parse_table(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_from *f)
{
	const char *schema = sotto_sql_node_word(body, "schemaname");
	const char *name = sotto_sql_node_word(body, "relname");

	f->kind = SOTTO_SQL_TABLE;
	f->at = sotto_sql_node_int(body, "location", 0);
	if (json_object_get(body, "catalogname"))
		return refuse(p, f->at, "name a table as in the policy, without a catalog");
	f->table = sotto_arena_text(p->arena, name);
	if (*schema) {
		f->alias = f->table;
		f->table = sotto_arena_textf(p->arena, "%s.%s", schema, name);
	}
	SOTTO_SQL_NEED(f->table);
	return parse_alias(p, body, f);
}

static enum sotto_status refuse_lateral(struct sotto_sql_parser *p, const json_t *select)
{
	if (!json_object_get(select, "fromClause") && !json_object_get(select, "valuesLists"))
		return refuse(p, 0,
			      "LATERAL is not supported; name what it computes in a subquery, "
			      "like FROM (SELECT *, a * b AS area FROM t) AS t, or write the "
			      "expression where its name stands");
	return refuse(p, 0,
		      "LATERAL is not supported; write each of its columns as a subquery of "
		      "its own "
		      "among the outputs, like (SELECT COUNT(*) FROM visits v WHERE v.id = "
		      "p.id), or UNION ALL of one SELECT for each row that is wanted");
}

static enum sotto_status
parse_subquery(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_from *f)
{
	const json_t *select = json_object_get(json_object_get(body, "subquery"), "SelectStmt");

	f->kind = SOTTO_SQL_SUBQUERY;
	if (sotto_sql_node_true(body, "lateral"))
		return refuse_lateral(p, select);
	SOTTO_TRY(sotto_sql_parse_select(p, select, &f->select));
	f->at = f->select->at;
	return parse_alias(p, body, f);
}

/* (a JOIN b) AS c is (SELECT * FROM a JOIN b) AS c. */
static enum sotto_status
name_join(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_from *f)
{
	struct sotto_sql_select *s = sotto_arena_alloc(p->arena, sizeof *s);
	struct sotto_sql_output *all = sotto_arena_alloc(p->arena, sizeof *all);
	struct sotto_sql_from *join = sotto_arena_alloc(p->arena, sizeof *join);

	SOTTO_SQL_NEED(s && all && join);
	all->expr = sotto_sql_expr_new(p->arena, SOTTO_SQL_STAR, f->at);
	SOTTO_SQL_NEED(all->expr);
	*join = *f;
	*s = (struct sotto_sql_select){
		.at = f->at, .outputs = all, .output_count = 1, .from = join, .limit = -1};
	*f = (struct sotto_sql_from){.kind = SOTTO_SQL_SUBQUERY, .at = f->at, .select = s};
	return parse_alias(p, body, f);
}

/* Rows that a semi join leaves out would come back on a side that an outer join fills up. */
static enum sotto_status
parse_sides(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_from *f)
{
	static const char *const names[] = {"larg", "rarg"};
	struct sotto_sql_from **sides[] = {&f->left, &f->right};

	for (int i = 0; i < 2; i++) {
		const struct sotto_sql_expr *before = p->half_joins;
		bool filled = f->join == SOTTO_SQL_FULL ||
			      f->join == (i ? SOTTO_SQL_LEFT : SOTTO_SQL_RIGHT);

		SOTTO_TRY(parse_from(p, json_object_get(body, names[i]), sides[i]));
		if (filled && p->half_joins != before)
			return refuse(p, (*sides[i])->at,
				      "a semi or anti join inside an outer join is not "
				      "supported; put it into a subquery");
	}
	return SOTTO_OK;
}

static enum sotto_status
parse_join(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_from *f)
{
	const char *type = sotto_sql_node_word(body, "jointype");

	f->kind = SOTTO_SQL_JOIN;
	f->join = strcmp(type, "JOIN_LEFT") == 0    ? SOTTO_SQL_LEFT
		  : strcmp(type, "JOIN_RIGHT") == 0 ? SOTTO_SQL_RIGHT
		  : strcmp(type, "JOIN_FULL") == 0  ? SOTTO_SQL_FULL
						    : SOTTO_SQL_INNER;
	f->natural = sotto_sql_node_true(body, "isNatural");
	SOTTO_TRY(parse_sides(p, body, f));
	f->at = f->right->at;
	SOTTO_TRY(sotto_sql_parse_names(p, json_object_get(body, "usingClause"), &f->using,
					&f->using_count));
	if (sotto_sql_half_join_is(body))
		return sotto_sql_half_join(p, body, f);
	if (json_object_get(body, "quals"))
		SOTTO_TRY(sotto_sql_parse_expr(p, json_object_get(body, "quals"), &f->on));
	return json_object_get(body, "alias") ? name_join(p, body, f) : SOTTO_OK;
}

/* unnest(...) AS x names its column x. */
static enum sotto_status
parse_function(struct sotto_sql_parser *p, const json_t *body, struct sotto_sql_from *f)
{
	f->kind = SOTTO_SQL_SUBQUERY;
	SOTTO_TRY(sotto_sql_parse_rows(p, body, &f->select));
	f->at = f->select->at;
	SOTTO_TRY(parse_alias(p, body, f));
	if (f->alias && f->column_count == 0)
		for (struct sotto_sql_select *s = f->select; s; s = s->unite)
			s->outputs[0].name = f->alias;
	return SOTTO_OK;
}

static enum sotto_status
parse_from_node(struct sotto_sql_parser *p, const json_t *node, struct sotto_sql_from *f)
{
	const char *type = sotto_sql_node_type(node);
	const json_t *body = sotto_sql_node_body(node);

	if (strcmp(type, "RangeVar") == 0)
		return parse_table(p, body, f);
	if (strcmp(type, "RangeSubselect") == 0)
		return parse_subquery(p, body, f);
	if (strcmp(type, "JoinExpr") == 0)
		return parse_join(p, body, f);
	if (strcmp(type, "RangeTableSample") == 0)
		return refuse(p, sotto_sql_node_int(body, "location", 0),
			      "TABLESAMPLE is not supported: a sample makes an answer "
			      "worse and saves nothing; leave it out, or pick rows by a "
			      "condition like WHERE id % 10 = 0");
	return parse_function(p, body, f);
}

static enum sotto_status
parse_from(struct sotto_sql_parser *p, const json_t *node, struct sotto_sql_from **out)
{
	struct sotto_sql_from *f = sotto_arena_alloc(p->arena, sizeof *f);
	enum sotto_status st;

	SOTTO_SQL_NEED(f);
	if (p->depth >= SOTTO_SQL_DEPTH_MAX)
		return sotto_sql_fail(p->err, SOTTO_ERANGE, p->text, -1,
				      "the query is nested more than %d deep",
				      SOTTO_SQL_DEPTH_MAX);
	p->depth++;
	st = parse_from_node(p, node, f);
	p->depth--;
	if (st == SOTTO_OK)
		*out = f;
	return st;
}

/* FROM a, b is a cross join. */
enum sotto_status sotto_sql_parse_from(struct sotto_sql_parser *p, const json_t *list,
				       struct sotto_sql_from **out)
{
	struct sotto_sql_from *all = NULL, *next, *join;

	for (size_t i = 0; i < json_array_size(list); i++) {
		SOTTO_TRY(parse_from(p, json_array_get(list, i), &next));
		if (all) {
			join = sotto_arena_alloc(p->arena, sizeof *join);
			SOTTO_SQL_NEED(join);
			*join = (struct sotto_sql_from){.kind = SOTTO_SQL_JOIN,
							.at = next->at,
							.join = SOTTO_SQL_INNER,
							.left = all,
							.right = next};
			next = join;
		}
		all = next;
	}
	*out = all;
	return SOTTO_OK;
}
