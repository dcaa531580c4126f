/*
 * Follows an expression over keys and aggregates down to what its type comes from.
 */
#include "central/aggregate/output_type.h"

static enum sotto_sql_type key_type(const struct sotto_plan *plan, size_t index)
{
	enum sotto_sql_type type = index < plan->key_count
					   ? plan->keys[index].bound.type
					   : plan->derived_types[index - plan->key_count];

	return type == SOTTO_TYPE_LOOSE ? SOTTO_TYPE_TEXT : type;
}

enum sotto_sql_type
sotto_output_type(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	switch (e->kind) {
	case SOTTO_SQL_KEY:
		return key_type(plan, e->index);
	case SOTTO_SQL_VALUE:
		return plan->aggregates[e->index].type;
	case SOTTO_SQL_BOOL:
	case SOTTO_SQL_IN:
		return SOTTO_TYPE_BOOLEAN;
	case SOTTO_SQL_CAST:
		return e->type;
	case SOTTO_SQL_CASE:
		return e->count > 1 ? sotto_output_type(plan, e->args[1]) : SOTTO_TYPE_TEXT;
	case SOTTO_SQL_OP:
		return e->op <= SOTTO_SQL_NEGATE   ? SOTTO_TYPE_NUMBER
		       : e->op == SOTTO_SQL_CONCAT ? SOTTO_TYPE_TEXT
						   : SOTTO_TYPE_BOOLEAN;
	case SOTTO_SQL_CALL:
		if (sotto_sql_expr_chooses(e))
			return sotto_output_type(plan, e->args[0]);
		return sotto_sql_expr_form(e) == SOTTO_SQL_FORM_CONCAT ? SOTTO_TYPE_TEXT
								       : SOTTO_TYPE_NUMBER;
	case SOTTO_SQL_NUMBER:
		return SOTTO_TYPE_NUMBER;
	default:
		return SOTTO_TYPE_TEXT;
	}
}
