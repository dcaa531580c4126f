/*
 * Why a value cannot be added up, and what to write instead.
 */
#include <stdio.h>
#include <string.h>

#include "central/parse/dialect/sql_text.h"
#include "central/aggregate/measure/summand.h"
#include "central/expression/bind.h"
#include "central/plan/planner.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

/* The column by which a quotient in e is divided; NULL: there is none. */
static const char *divisor_of(const struct sotto_sql_expr *e)
{
	bool divides = e->kind == SOTTO_SQL_OP && e->op == SOTTO_SQL_DIVIDE;
	const struct sotto_sql_expr *at = divides ? e->args[1] : NULL;
	const char *name = NULL;

	while (at && at->kind != SOTTO_SQL_COLUMN)
		at = at->count ? at->args[0] : NULL;
	if (at)
		return at->text;
	for (size_t i = 0; !name && i < e->count; i++)
		name = divisor_of(e->args[i]);
	return name;
}

/* "an expression of a, b", for one that is too long to be quoted. */
const char *sotto_summand_columns(struct sotto_arena *a, const struct sotto_bound *x)
{
	const char *all = "an expression";

	for (size_t i = 0; all && i < x->column_count && i < 4; i++)
		all = sotto_arena_textf(a, "%s%s%.40s", all, i ? ", " : " of ",
					x->columns[i]->name);
	return all;
}

/* A column of a public table has the bounds of its values, if it is one of numbers. */
static bool is_public_text(const struct sotto_bound *x)
{
	return x->type == SOTTO_TYPE_LOOSE && x->column_count == 1 && x->columns[0]->rows &&
	       x->columns[0]->field_name;
}

static bool has_text(const struct sotto_sql_expr *e)
{
	bool has = e->kind == SOTTO_SQL_TEXT;

	for (size_t i = 0; !has && i < e->count; i++)
		has = has_text(e->args[i]);
	return has;
}

/* Made from a text, like CAST(replace(x, ',', '.') AS DOUBLE): bounds of the column would not be its own. */
static bool reads_text(const struct sotto_sql_expr *arg, const struct sotto_bound *x)
{
	enum sotto_sql_type type;

	if (arg->kind == SOTTO_SQL_COLUMN || x->column_count != 1)
		return false;
	type = x->columns[0]->bound.type;
	return type == SOTTO_TYPE_TEXT || (type == SOTTO_TYPE_LOOSE && has_text(arg));
}

enum sotto_status
sotto_summand_refuse_open(struct sotto_binder *b, const struct sotto_sql_expr *call,
			  const struct sotto_sql_expr *arg, const struct sotto_bound *x)
{
	const char *name = arg->kind == SOTTO_SQL_COLUMN ? arg->text
			   : call->count == 1
				   ? sotto_sql_arguments_of(b->arena, b->text, call->at)
				   : "an expression";
	char operand[200] = "", option[SOTTO_POLICY_OPTION] = "";

	if (name && strcmp(name, "an expression") == 0)
		name = sotto_summand_columns(b->arena, x);
	SOTTO_NEED(name);
	if (b->planner && x->column_count == 1 && x->columns[0]->source) {
		(void)snprintf(operand, sizeof operand, " '%.60s.%.60s'",
			       x->columns[0]->source->name, x->columns[0]->field_name);
		(void)sotto_policy_option(b->planner->policy, option);
	}
	if (x->type == SOTTO_TYPE_TEXT)
		return sotto_bind_refuse(
			b, arg,
			"%.60s is a text, and %s takes numbers and dates with "
			"bounds; the most frequent text is found with MODE, or "
			"with %.60s as a key and COUNT(*) beside it",
			name, call->text, name);
	if (x->type == SOTTO_TYPE_DATE || x->type == SOTTO_TYPE_TIMESTAMP)
		return sotto_bind_refuse(
			b, arg,
			"%.200s in %s has no bounds; declare them in the "
			"policy, like bounds: [2020-01-01, 2024-12-31], or add "
			"a condition, like WHERE d BETWEEN '2020-01-01' AND "
			"'2024-12-31', where d is a column",
			name, call->text);
	if (is_public_text(x))
		return sotto_bind_refuse(b, arg,
					 "%.60s in %s has no type, and so no bounds; declare "
					 "it in the policy, like %.60s: { type: integer }",
					 name, call->text, x->columns[0]->field_name);
	if (divisor_of(arg))
		return sotto_bind_refuse(
			b, arg,
			"%.200s in %s has no bounds, because %.40s may be 0 or next to it; say "
			"how "
			"small it may be, like WHERE %.40s >= 1, or write clip(%.60s, lowest, "
			"highest)",
			name, call->text, divisor_of(arg), divisor_of(arg),
			strncmp(name, "an expression", 13) == 0 ? "x" : name);
	if (reads_text(arg, x))
		return sotto_bind_refuse(b, arg,
					 "%.200s in %s has no bounds, so one unit could move "
					 "the result without limit; write clip(x, lowest, "
					 "highest) around it",
					 name, call->text);
	return sotto_bind_refuse(
		b, arg,
		"%.200s in %s has no bounds, so one unit could move the result "
		"without limit; declare bounds in the policy, write "
		"clip(x, lowest, highest), or find bounds with sotto bounds%s%s",
		name, call->text, operand, option);
}
