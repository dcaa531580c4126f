/*
 * SEMI JOIN and ANTI JOIN: rows of the left side that have a match, or have none.
 */
#include "central/parse/parse.h"
#include "central/parse/parse_query.h"

#include <string.h>

#include "central/parse/dialect/sql_clause_from.h"
#include "core/base/failure.h"

static bool is_mark(const char *name)
{
	return strcmp(name, SOTTO_SQL_ANTI) == 0 || strcmp(name, SOTTO_SQL_SEMI) == 0;
}

/* The name of the call that is the first term of an OR; "": it is none. */
static const char *first_call(const json_t *quals)
{
	const json_t * or = json_object_get(quals, "BoolExpr");
	const json_t *call =
		json_object_get(json_array_get(json_object_get(or, "args"), 0), "FuncCall");

	if (strcmp(sotto_sql_node_word(or, "boolop"), "OR_EXPR") != 0)
		return "";
	return sotto_sql_node_string(json_array_get(json_object_get(call, "funcname"), 0));
}

/* The mark that the dialect put first into the condition, or into USING; NULL: a usual join. */
static const char *mark_of(const json_t *join)
{
	const char *name = first_call(json_object_get(join, "quals"));
	const json_t *using = json_object_get(join, "usingClause");

	if (json_array_size(using) > 1)
		name = sotto_sql_node_string(json_array_get(using, 0));
	return name && is_mark(name) ? name : NULL;
}

/* The condition without the mark, which is its first term. */
static enum sotto_status
parse_condition(struct sotto_sql_parser *p, const json_t *quals, struct sotto_sql_expr **out)
{
	json_t *rest = json_deep_copy(quals);
	json_t *args = json_object_get(json_object_get(rest, "BoolExpr"), "args");
	enum sotto_status st;

	SOTTO_SQL_NEED(rest);
	(void)json_array_remove(args, 0);
	st = sotto_sql_parse_expr(
		p, json_array_size(args) == 1 ? json_array_get(args, 0) : rest, out);
	json_decref(rest);
	return st;
}

/* x.a = y.a for a column of USING: both sides need a name. */
static enum sotto_status using_condition(struct sotto_sql_parser *p,
					 const struct sotto_sql_from *f,
					 struct sotto_sql_expr **out)
{
	const struct sotto_sql_from *sides[2] = {f->left, f->right};

	*out = NULL;
	for (size_t i = 1; i < f->using_count; i++) {
		struct sotto_sql_expr *ends[2], *equal;

		for (size_t k = 0; k < 2; k++) {
			const char *name = sides[k]->alias ? sides[k]->alias : sides[k]->table;

			if (!name)
				return sotto_sql_fail(
					p->err, SOTTO_EREFUSED, p->text, f->at,
					"write ON x.a = y.a instead of USING for a semi "
					"or anti join of more than two tables");
			ends[k] = sotto_sql_expr_new(p->arena, SOTTO_SQL_COLUMN, f->at);
			SOTTO_SQL_NEED(ends[k]);
			ends[k]->qualifier = name;
			ends[k]->text = f->using[i];
		}
		equal = sotto_sql_op_new(p->arena, SOTTO_SQL_EQ, ends[0], ends[1]);
		SOTTO_SQL_NEED(equal);
		*out = *out ? sotto_sql_op_new(p->arena, SOTTO_SQL_AND, *out, equal) : equal;
		SOTTO_SQL_NEED(*out);
	}
	return SOTTO_OK;
}

/* EXISTS (SELECT 1 FROM y WHERE c) */
static struct sotto_sql_expr *
new_exists(struct sotto_sql_parser *p, struct sotto_sql_from *y, struct sotto_sql_expr *c)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(p->arena, SOTTO_SQL_EXISTS, y->at);
	struct sotto_sql_expr *one = sotto_sql_expr_new(p->arena, SOTTO_SQL_NUMBER, y->at);
	struct sotto_sql_select *s = sotto_arena_alloc(p->arena, sizeof *s);
	struct sotto_sql_output *o = sotto_arena_alloc(p->arena, sizeof *o);

	if (!e || !one || !s || !o)
		return NULL;
	one->text = "1";
	o->expr = one;
	*s = (struct sotto_sql_select){.at = y->at,
				       .outputs = o,
				       .output_count = 1,
				       .from = y,
				       .where = c,
				       .limit = -1};
	e->select = s;
	return e;
}

bool sotto_sql_half_join_is(const json_t *join)
{
	return mark_of(join) != NULL;
}

enum sotto_status
sotto_sql_half_join(struct sotto_sql_parser *p, const json_t *join, struct sotto_sql_from *f)
{
	bool anti = strcmp(mark_of(join), SOTTO_SQL_ANTI) == 0;
	struct sotto_sql_expr *condition, *exists;

	SOTTO_TRY(f->using_count
			  ? using_condition(p, f, &condition)
			  : parse_condition(p, json_object_get(join, "quals"), &condition));
	SOTTO_SQL_NEED(condition);
	exists = new_exists(p, f->right, condition);
	SOTTO_SQL_NEED(exists);
	if (anti)
		exists = sotto_sql_op_new(p->arena, SOTTO_SQL_NOT, exists, NULL);
	SOTTO_SQL_NEED(exists);
	p->half_joins =
		p->half_joins ? sotto_sql_op_new(p->arena, SOTTO_SQL_AND, p->half_joins, exists)
			      : exists;
	SOTTO_SQL_NEED(p->half_joins);
	*f = *f->left;
	return SOTTO_OK;
}
