/*
 * Looks at the kinds of operands, following choices to what they choose, and reads quoted numbers.
 */
#include "central/aggregate/output_operand.h"

#include <stdlib.h>
#include <string.h>

#include "central/aggregate/output_type.h"
#include "central/expression/bind.h"
#include "core/base/failure.h"

enum kind { ANY /* NULL */, NUMBER, OTHER };

static enum kind kind_of_type(enum sotto_sql_type type)
{
	return type == SOTTO_TYPE_INTEGER || type == SOTTO_TYPE_NUMBER ? NUMBER : OTHER;
}

static enum kind kind_of(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	bool merged = sotto_sql_expr_chooses(e);
	enum kind kind = ANY;

	if (e->kind == SOTTO_SQL_NULL)
		return ANY;
	if (e->kind == SOTTO_SQL_VALUE) /* a date, or the number of days that it is */
		return kind_of_type(e->type);
	if (!merged && e->kind != SOTTO_SQL_CASE)
		return kind_of_type(sotto_output_type(plan, e));
	for (size_t i = 0; kind == ANY && i < e->count; i++) {
		bool when = !merged && i % 2 == 0 && i + 1 < e->count;

		kind = when ? ANY : kind_of(plan, e->args[i]);
	}
	return kind;
}

static bool is_number(const char *text)
{
	char *end;

	if (!*text || text[strspn(text, "+-.0123456789eE")] != '\0')
		return false;
	(void)strtod(text, &end);
	return *end == '\0';
}

static bool is_comparison(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_IN || (e->kind == SOTTO_SQL_OP && e->op >= SOTTO_SQL_EQ &&
					   e->op <= SOTTO_SQL_DISTINCT_FROM);
}

static bool computes(const struct sotto_sql_expr *e)
{
	if (e->kind == SOTTO_SQL_OP)
		return e->op <= SOTTO_SQL_NEGATE;
	return e->kind == SOTTO_SQL_CALL && !sotto_sql_expr_chooses(e) &&
	       sotto_sql_expr_form(e) != SOTTO_SQL_FORM_CONCAT;
}

/* Are its operands numbers, or is one, so that the others should be? */
static bool wants_numbers(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	if (computes(e))
		return true;
	if (!is_comparison(e) && !sotto_sql_expr_chooses(e))
		return false;
	for (size_t i = 0; i < e->count; i++)
		if (kind_of(plan, e->args[i]) == NUMBER)
			return true;
	return false;
}

enum sotto_status sotto_output_check_operands(const struct sotto_plan *plan,
					      struct sotto_binder *b, struct sotto_sql_expr *e)
{
	/* It chooses by position alone: a text may stand for what is missing. */
	bool mixes = sotto_sql_expr_form(e) == SOTTO_SQL_FORM_COALESCE;

	if (!wants_numbers(plan, e))
		return SOTTO_OK;
	for (size_t i = 0; i < e->count; i++) {
		struct sotto_sql_expr *x = e->args[i];

		if (x->kind == SOTTO_SQL_TEXT && is_number(x->text))
			x->kind = SOTTO_SQL_NUMBER;
		else if (!mixes && kind_of(plan, x) == OTHER)
			return sotto_bind_refuse(
				b, x,
				"a number is expected here, beside a number; a text that "
				"holds one is cast to numeric");
	}
	return SOTTO_OK;
}
