/*
 * A recursive evaluator over one row, with SQL's three-valued logic; numbers are doubles, and
 * values of different kinds have a fixed order.
 */
#include "central/session/answer/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "central/expression/row_function.h"

static const struct sotto_value null_value = {.kind = SOTTO_VALUE_NULL};

struct sotto_value sotto_value_of_number(double x)
{
	return isnan(x) ? null_value
			: (struct sotto_value){.kind = SOTTO_VALUE_NUMBER, .number = x};
}

static struct sotto_value of_truth(bool truth)
{
	return (struct sotto_value){
		.kind = SOTTO_VALUE_BOOL, .integer = truth, .number = truth};
}

static bool is_number(const struct sotto_value *x)
{
	return x->kind == SOTTO_VALUE_INTEGER || x->kind == SOTTO_VALUE_NUMBER;
}

static bool is_null(const struct sotto_value *x)
{
	return x->kind == SOTTO_VALUE_NULL;
}

/* NULL, numbers of both kinds, and everything else, in one order. */
static int rank(const struct sotto_value *x)
{
	switch (x->kind) {
	case SOTTO_VALUE_BOOL:
		return 0;
	case SOTTO_VALUE_INTEGER:
	case SOTTO_VALUE_NUMBER:
		return 1;
	case SOTTO_VALUE_TEXT:
		return 2;
	case SOTTO_VALUE_NULL:
		break;
	}
	return 3;
}

int sotto_value_compare(const struct sotto_value *x, const struct sotto_value *y)
{
	int rx = rank(x), ry = rank(y), c;

	if (rx != ry)
		return rx < ry ? -1 : 1;
	if (rx == 3)
		return 0;
	if (rx == 2) {
		c = strcmp(x->text, y->text);
		return (c > 0) - (c < 0);
	}
	if (rx == 0 || (x->kind == SOTTO_VALUE_INTEGER && y->kind == SOTTO_VALUE_INTEGER))
		return (x->integer > y->integer) - (x->integer < y->integer);
	if (isnan(x->number) || isnan(y->number)) /* above all numbers */
		return !!isnan(x->number) - !!isnan(y->number);
	return (x->number > y->number) - (x->number < y->number);
}

/* ---- operators --------------------------------------------------------------------------- */

static struct sotto_value arithmetic(enum sotto_sql_op op, double x, double y)
{
	switch (op) {
	case SOTTO_SQL_ADD:
		return sotto_value_of_number(x + y);
	case SOTTO_SQL_SUBTRACT:
		return sotto_value_of_number(x - y);
	case SOTTO_SQL_MULTIPLY:
		return sotto_value_of_number(x * y);
	case SOTTO_SQL_DIVIDE:
		return y == 0 ? null_value : sotto_value_of_number(x / y);
	default:
		return y == 0 ? null_value : sotto_value_of_number(fmod(x, y));
	}
}

static struct sotto_value
comparison(enum sotto_sql_op op, const struct sotto_value *x, const struct sotto_value *y)
{
	int c = sotto_value_compare(x, y);

	switch (op) {
	case SOTTO_SQL_EQ:
		return of_truth(c == 0);
	case SOTTO_SQL_NE:
		return of_truth(c != 0);
	case SOTTO_SQL_LT:
		return of_truth(c < 0);
	case SOTTO_SQL_LE:
		return of_truth(c <= 0);
	case SOTTO_SQL_GT:
		return of_truth(c > 0);
	default:
		return of_truth(c >= 0);
	}
}

static struct sotto_value
logic(const struct sotto_evaluation *v, const struct sotto_sql_expr *e)
{
	bool decides = e->op == SOTTO_SQL_OR; /* the value that settles the result alone */
	bool unknown = false;

	for (size_t i = 0; i < e->count; i++) {
		struct sotto_value x = sotto_evaluate(v, e->args[i]);

		if (x.kind != SOTTO_VALUE_BOOL)
			unknown = true;
		else if ((x.integer != 0) == decides)
			return of_truth(decides);
	}
	return unknown ? null_value : of_truth(!decides);
}

static struct sotto_value
unary(const struct sotto_evaluation *v, const struct sotto_sql_expr *e)
{
	struct sotto_value x = sotto_evaluate(v, e->args[0]);

	switch (e->op) {
	case SOTTO_SQL_NEGATE:
		return is_number(&x) ? sotto_value_of_number(-x.number) : null_value;
	case SOTTO_SQL_NOT:
		return x.kind == SOTTO_VALUE_BOOL ? of_truth(!x.integer) : null_value;
	case SOTTO_SQL_IS_NULL:
		return of_truth(is_null(&x));
	case SOTTO_SQL_IS_TRUE:
		return of_truth(x.kind == SOTTO_VALUE_BOOL && x.integer);
	default:
		return of_truth(x.kind == SOTTO_VALUE_BOOL && !x.integer);
	}
}

static struct sotto_value
operator(const struct sotto_evaluation *v, const struct sotto_sql_expr *e)
{
	struct sotto_value x, y;

	if (e->op == SOTTO_SQL_AND || e->op == SOTTO_SQL_OR)
		return logic(v, e);
	if (e->count == 1)
		return unary(v, e);
	x = sotto_evaluate(v, e->args[0]);
	y = sotto_evaluate(v, e->args[1]);
	if (e->op == SOTTO_SQL_DISTINCT_FROM)
		return of_truth(sotto_value_compare(&x, &y) != 0);
	if (is_null(&x) || is_null(&y))
		return null_value;
	if (e->op == SOTTO_SQL_CONCAT)
		return sotto_value_joined(v->arena, (struct sotto_value[]){x, y}, 2);
	if (e->op <= SOTTO_SQL_MODULO)
		return is_number(&x) && is_number(&y) ? arithmetic(e->op, x.number, y.number)
						      : null_value;
	return comparison(e->op, &x, &y);
}

/* ---- functions --------------------------------------------------------------------------- */

static struct sotto_value
choose(const struct sotto_evaluation *v, const struct sotto_sql_expr *e, int direction)
{
	struct sotto_value best = null_value;

	for (size_t i = 0; i < e->count; i++) {
		struct sotto_value x = sotto_evaluate(v, e->args[i]);

		if (is_null(&x))
			continue;
		if (direction == 0)
			return x;
		if (is_null(&best) || sotto_value_compare(&x, &best) * direction > 0)
			best = x;
	}
	return best;
}

/* A reviewed function, or clip, of numbers. */
static struct sotto_value compute(const struct sotto_sql_expr *e, const struct sotto_value *x)
{
	const struct sotto_function *f = sotto_function_find(e->text);

	for (size_t i = 0; i < e->count; i++)
		if (!is_number(&x[i]))
			return null_value;
	if (f && f->answer.one && e->count == 1)
		return sotto_value_of_number(f->answer.one(x[0].number));
	if (f && f->answer.two && (e->count == 2 || (e->count == 1 && f->args[1] == 'I')))
		return sotto_value_of_number(
			f->answer.two(x[0].number, e->count > 1 ? x[1].number : 0));
	if (e->count == 3 && sotto_sql_expr_form(e) == SOTTO_SQL_FORM_CLIP)
		return sotto_value_of_number(fmin(fmax(x[0].number, x[1].number), x[2].number));
	return null_value;
}

/* Without an end: as many as were written. */
static struct sotto_value join(const struct sotto_evaluation *v, const struct sotto_sql_expr *e)
{
	struct sotto_value all = {.kind = SOTTO_VALUE_TEXT, .text = ""};

	for (size_t i = 0; i < e->count; i++)
		all = sotto_value_joined(
			v->arena, (struct sotto_value[]){all, sotto_evaluate(v, e->args[i])},
			2);
	return all;
}

static struct sotto_value call(const struct sotto_evaluation *v, const struct sotto_sql_expr *e)
{
	enum sotto_sql_form form = sotto_sql_expr_form(e);
	struct sotto_value x[3];

	if (form == SOTTO_SQL_FORM_COALESCE)
		return choose(v, e, 0);
	if (form == SOTTO_SQL_FORM_GREATEST)
		return choose(v, e, 1);
	if (form == SOTTO_SQL_FORM_LEAST)
		return choose(v, e, -1);
	if (form == SOTTO_SQL_FORM_CONCAT)
		return join(v, e);
	if (e->count == 0 || e->count > 3)
		return null_value;
	for (size_t i = 0; i < e->count; i++)
		x[i] = sotto_evaluate(v, e->args[i]);
	if (form == SOTTO_SQL_FORM_NULLIF)
		return !is_null(&x[1]) && sotto_value_compare(&x[0], &x[1]) == 0 ? null_value
										 : x[0];
	return compute(e, x);
}

/* ---- the rest ------------------------------------------------------------------------------ */

static struct sotto_value literal_number(const char *text)
{
	return sotto_value_of_number(strtod(text, NULL));
}

static struct sotto_value truth_of(const struct sotto_value *x)
{
	if (is_number(x))
		return of_truth(x->number != 0);
	if (x->kind == SOTTO_VALUE_TEXT && strcasecmp(x->text, "true") == 0)
		return of_truth(true);
	if (x->kind == SOTTO_VALUE_TEXT && strcasecmp(x->text, "false") == 0)
		return of_truth(false);
	return x->kind == SOTTO_VALUE_BOOL ? *x : null_value;
}

static struct sotto_value cast(const struct sotto_evaluation *v, const struct sotto_sql_expr *e)
{
	struct sotto_value x = sotto_evaluate(v, e->args[0]);
	bool to_number = e->type == SOTTO_TYPE_NUMBER || e->type == SOTTO_TYPE_INTEGER;

	if (e->type == SOTTO_TYPE_BOOLEAN)
		return truth_of(&x);
	if (e->type == SOTTO_TYPE_DATE && x.kind == SOTTO_VALUE_TEXT)
		return sotto_value_of_day(v->arena, &x);
	if (to_number && x.kind == SOTTO_VALUE_TEXT)
		x = literal_number(x.text);
	if (to_number && x.kind == SOTTO_VALUE_BOOL)
		x = sotto_value_of_number(x.number);
	if (to_number && !is_number(&x))
		return null_value;
	if (e->type == SOTTO_TYPE_INTEGER)
		return sotto_value_of_number(round(x.number));
	return x;
}

static struct sotto_value
in_list(const struct sotto_evaluation *v, const struct sotto_sql_expr *e)
{
	struct sotto_value x = sotto_evaluate(v, e->args[0]), item;
	bool unknown = false;

	if (is_null(&x))
		return null_value;
	for (size_t i = 1; i < e->count; i++) {
		item = sotto_evaluate(v, e->args[i]);
		if (is_null(&item))
			unknown = true;
		else if (sotto_value_compare(&x, &item) == 0)
			return of_truth(true);
	}
	return unknown ? null_value : of_truth(false);
}

static struct sotto_value
choice(const struct sotto_evaluation *v, const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i + 1 < e->count; i += 2) {
		struct sotto_value when = sotto_evaluate(v, e->args[i]);

		if (when.kind == SOTTO_VALUE_BOOL && when.integer)
			return sotto_evaluate(v, e->args[i + 1]);
	}
	return e->count % 2 ? sotto_evaluate(v, e->args[e->count - 1]) : null_value;
}

/* What was chosen among dates is a number of days, or of seconds. */
static struct sotto_value
value(const struct sotto_evaluation *v, const struct sotto_sql_expr *e)
{
	const struct sotto_value *x = &v->aggregates[e->index];

	return (e->type == SOTTO_TYPE_DATE || e->type == SOTTO_TYPE_TIMESTAMP) && is_number(x)
		       ? sotto_value_of_moment(v->arena, x->number, e->type)
		       : *x;
}

struct sotto_value
sotto_evaluate(const struct sotto_evaluation *v, const struct sotto_sql_expr *e)
{
	switch (e->kind) {
	case SOTTO_SQL_BOOL:
		return of_truth(e->truth);
	case SOTTO_SQL_NUMBER:
		return literal_number(e->text);
	case SOTTO_SQL_TEXT:
		return (struct sotto_value){.kind = SOTTO_VALUE_TEXT, .text = e->text};
	case SOTTO_SQL_KEY:
		return v->keys[e->index];
	case SOTTO_SQL_VALUE:
		return value(v, e);
	case SOTTO_SQL_OP:
		return operator(v, e);
	case SOTTO_SQL_CALL:
		return call(v, e);
	case SOTTO_SQL_CASE:
		return choice(v, e);
	case SOTTO_SQL_IN:
		return in_list(v, e);
	case SOTTO_SQL_CAST:
		return cast(v, e);
	default:
		return null_value;
	}
}
