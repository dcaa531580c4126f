/*
 * Takes the fewest places that any term of an AND leaves, which binding a simple comparison
 * tells, and lowers the unit's number of rows to that.
 */
#include "central/relation/unit_row_number.h"

static bool is_plain(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_COLUMN || e->kind == SOTTO_SQL_NUMBER;
}

/* A column, or two of a column and a number compared: binding these has no effect. */
static bool is_simple(const struct sotto_sql_expr *e)
{
	return e->kind == SOTTO_SQL_COLUMN || (e->kind == SOTTO_SQL_OP && e->count == 2 &&
					       is_plain(e->args[0]) && is_plain(e->args[1]));
}

/* The fewest places that a term of the condition leaves; 0: none says. */
static int64_t places_left(const struct sotto_binder *b, const struct sotto_sql_expr *e)
{
	struct sotto_binder quiet = *b;
	struct sotto_bound x;
	int64_t left, right;

	if (e->kind == SOTTO_SQL_OP && e->op == SOTTO_SQL_AND) {
		left = places_left(b, e->args[0]);
		right = places_left(b, e->args[1]);
		return left > 0 && (right == 0 || left < right) ? left : right;
	}
	quiet.err = NULL;
	return is_simple(e) && sotto_bind(&quiet, e, &x) == SOTTO_OK ? x.places : 0;
}

void sotto_unit_row_number_apply(const struct sotto_binder *b,
				 const struct sotto_sql_expr *where, struct sotto_relation *r)
{
	int64_t places = where && r->unit ? places_left(b, where) : 0;

	if (places > 0 && (r->unit_rows == 0 || places < r->unit_rows))
		r->unit_rows = places;
}

void sotto_unit_row_number_forget(struct sotto_relation *r)
{
	for (size_t i = 0; i < r->scope.count; i++) {
		r->scope.columns[i]->bound.is_place = false;
		r->scope.columns[i]->bound.places = 0;
	}
}
