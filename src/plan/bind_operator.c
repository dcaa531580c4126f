/*
 * Operators over rows.  Arithmetic is done in doubles: it cannot overflow into
 * an error, and each result is a function of one row alone.
 */
#include "plan/bind.h"

#include <string.h>

#include "base/failure.h"
#include "plan/domain.h"
#include "plan/planner.h"
#include "sql/like.h"
#include "sql/pattern.h"
#include "sql/print.h"

static enum sotto_status bind_pair(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   struct sotto_bound *x, struct sotto_bound *y)
{
	SOTTO_TRY(sotto_bind(b, e->args[0], x));
	return sotto_bind(b, e->args[1], y);
}

static const struct {
	enum sotto_sql_op op;
	const char *template;
	sotto_range_fn range;
} arithmetic[] = {
	{SOTTO_SQL_ADD, "($1 + $2)", sotto_range_add},
	{SOTTO_SQL_SUBTRACT, "($1 - $2)", sotto_range_subtract},
	{SOTTO_SQL_MULTIPLY, "($1 * $2)", sotto_range_multiply},
	{SOTTO_SQL_DIVIDE, "($1 / nullif($2, 0))", sotto_range_divide},
	{SOTTO_SQL_MODULO, "($1 % nullif($2, 0))", NULL},
};

/* A remainder has the sign of x and stays below the divisor. */
static enum sotto_status modulo_range(struct sotto_arena *a, struct sotto_range x,
				      struct sotto_range y, struct sotto_range *out)
{
	struct sotto_range size, opposite, zero;

	SOTTO_TRY(sotto_range_of(a, 0, 0, &zero));
	SOTTO_TRY(sotto_range_absolute(a, y, &size));
	SOTTO_TRY(sotto_range_negate(a, size, &opposite));
	out->hi = x.hi && sotto_rational_sign(x.hi) <= 0 ? zero.hi : size.hi;
	out->lo = x.lo && sotto_rational_sign(x.lo) >= 0 ? zero.lo : opposite.lo;
	return SOTTO_OK;
}

/* Whole numbers divide to whole numbers, cut towards zero, as in PostgreSQL. */
static enum sotto_status whole_division(struct sotto_binder *b, struct sotto_bound *out)
{
	SOTTO_TRY(sotto_range_whole(b->arena, out->range, &out->range));
	return sotto_bind_print(b, &out->sql, "trunc($1)", &out->sql, 1);
}

static enum sotto_status bind_days_between(struct sotto_binder *b,
					   const struct sotto_sql_expr *e,
					   const struct sotto_bound *x,
					   const struct sotto_bound *y, struct sotto_bound *out)
{
	const char *args[2];

	out->type = SOTTO_TYPE_INTEGER;
	SOTTO_TRY(sotto_bind_temporal(b, e, x, &args[0]));
	SOTTO_TRY(sotto_bind_temporal(b, e, y, &args[1]));
	return sotto_bind_print(b, &out->sql, "date_diff('day', $2, $1)", args, 2);
}

/* What has no type of its own beside a date is one. */
static bool are_dates(const struct sotto_bound *x, const struct sotto_bound *y)
{
	return (x->type == SOTTO_TYPE_DATE &&
		(y->type == SOTTO_TYPE_DATE || y->type == SOTTO_TYPE_LOOSE)) ||
	       (y->type == SOTTO_TYPE_DATE && x->type == SOTTO_TYPE_LOOSE);
}

static bool is_number(const struct sotto_bound *x)
{
	return x->type == SOTTO_TYPE_INTEGER || x->type == SOTTO_TYPE_NUMBER;
}

static enum sotto_status bind_arithmetic(struct sotto_binder *b, const struct sotto_sql_expr *e,
					 size_t i, struct sotto_bound *out)
{
	bool moves = e->op == SOTTO_SQL_ADD || e->op == SOTTO_SQL_SUBTRACT;
	struct sotto_bound x, y;
	const char *args[2];

	if (moves && (sotto_expr_is_interval(e->args[0]) || sotto_expr_is_interval(e->args[1])))
		return sotto_bind_interval(b, e, out);
	SOTTO_TRY(bind_pair(b, e, &x, &y));
	if (moves && x.type == SOTTO_TYPE_DATE && is_number(&y))
		return sotto_bind_days(b, e, &x, &y, out);
	if (e->op == SOTTO_SQL_ADD && y.type == SOTTO_TYPE_DATE && is_number(&x))
		return sotto_bind_days(b, e, &y, &x, out);
	*out = (struct sotto_bound){.type = SOTTO_TYPE_NUMBER, .is_double = true};
	out->nullable = e->op == SOTTO_SQL_DIVIDE || e->op == SOTTO_SQL_MODULO;
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	SOTTO_TRY(sotto_bind_depend(b, out, &y));
	if (e->op == SOTTO_SQL_SUBTRACT && are_dates(&x, &y)) {
		*out = (struct sotto_bound){.columns = out->columns,
					    .column_count = out->column_count,
					    .nullable = true};
		return bind_days_between(b, e, &x, &y, out);
	}
	SOTTO_TRY(sotto_bind_as(b, e->args[0], &x, SOTTO_TYPE_NUMBER, &args[0]));
	SOTTO_TRY(sotto_bind_as(b, e->args[1], &y, SOTTO_TYPE_NUMBER, &args[1]));
	SOTTO_TRY(sotto_bind_print(b, &out->sql, arithmetic[i].template, args, 2));
	SOTTO_TRY((arithmetic[i].range ? arithmetic[i].range : modulo_range)(
		b->arena, x.range, y.range, &out->range));
	if (x.type != SOTTO_TYPE_INTEGER || y.type != SOTTO_TYPE_INTEGER)
		return SOTTO_OK;
	out->type = SOTTO_TYPE_INTEGER;
	return e->op == SOTTO_SQL_DIVIDE ? whole_division(b, out) : SOTTO_OK;
}

static enum sotto_status
bind_negate(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound x;
	const char *number;

	SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	SOTTO_TRY(sotto_bind_as(b, e, &x, SOTTO_TYPE_NUMBER, &number));
	*out = (struct sotto_bound){.is_double = true,
				    .type = x.type == SOTTO_TYPE_INTEGER ? SOTTO_TYPE_INTEGER
									 : SOTTO_TYPE_NUMBER};
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	SOTTO_TRY(sotto_range_negate(b->arena, x.range, &out->range));
	return sotto_bind_print(b, &out->sql, "(- $1)", &number, 1);
}

/* Cut, because a chain of WITH could double a text until memory ends. */
static enum sotto_status
bind_concat(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound part[2];
	const char *args[2];

	SOTTO_TRY(bind_pair(b, e, &part[0], &part[1]));
	*out = (struct sotto_bound){.type = SOTTO_TYPE_TEXT};
	for (int i = 0; i < 2; i++) {
		SOTTO_TRY(sotto_bind_depend(b, out, &part[i]));
		if (part[i].type == SOTTO_TYPE_LOOSE || part[i].type == SOTTO_TYPE_TEXT)
			args[i] = part[i].sql;
		else
			SOTTO_TRY(sotto_bind_print(b, &args[i], "TRY_CAST($1 AS VARCHAR)",
						   &part[i].sql, 1));
	}
	return sotto_bind_print(b, &out->sql, "left($1 || $2, 10000)", args, 2);
}

static const struct {
	enum sotto_sql_op op;
	const char *template;
} comparisons[] = {
	{SOTTO_SQL_EQ, "($1 = $2)"},
	{SOTTO_SQL_NE, "($1 <> $2)"},
	{SOTTO_SQL_LT, "($1 < $2)"},
	{SOTTO_SQL_LE, "($1 <= $2)"},
	{SOTTO_SQL_GT, "($1 > $2)"},
	{SOTTO_SQL_GE, "($1 >= $2)"},
	{SOTTO_SQL_DISTINCT_FROM, "($1 IS DISTINCT FROM $2)"},
	{SOTTO_SQL_AND, "($1 AND $2)"},
	{SOTTO_SQL_OR, "($1 OR $2)"},
	{SOTTO_SQL_NOT, "(NOT $1)"},
	{SOTTO_SQL_IS_NULL, "($1 IS NULL)"},
	{SOTTO_SQL_IS_TRUE, "($1 IS NOT DISTINCT FROM TRUE)"},
	{SOTTO_SQL_IS_FALSE, "($1 IS NOT DISTINCT FROM FALSE)"},
};

static const char *comparison_template(enum sotto_sql_op op)
{
	for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++)
		if (comparisons[i].op == op)
			return comparisons[i].template;
	return NULL;
}

/* Whole numbers are compared as they lie in the table: the engine can then skip blocks. */
static bool both_native(const struct sotto_bound *x, const struct sotto_bound *y)
{
	return x->type == SOTTO_TYPE_INTEGER && y->type == SOTTO_TYPE_INTEGER &&
	       !x->is_double && !y->is_double;
}

/*
 * Texts of two columns are compared as they lie in the tables, which the engine does best;
 * and so is one with a shorter text written out: there cutting it would change nothing.
 */
static void compare_whole(const struct sotto_bound *x, const struct sotto_bound *y,
			  enum sotto_sql_type type, const char **x_sql)
{
	bool is_short = y->literal && y->literal->text &&
			(double)strlen(y->literal->text) < x->load.length;

	if (type == SOTTO_TYPE_TEXT && x->whole && (y->whole || is_short))
		*x_sql = x->whole;
}

static enum sotto_status
bind_comparison(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	enum sotto_sql_type type;
	struct sotto_bound x, y;
	const char *args[2];

	SOTTO_TRY(bind_pair(b, e, &x, &y));
	SOTTO_TRY(sotto_bind_common(b, e, &x, &y, &type));
	if (both_native(&x, &y)) {
		args[0] = x.sql;
		args[1] = y.sql;
	} else {
		SOTTO_TRY(sotto_bind_as(b, e->args[0], &x, type, &args[0]));
		SOTTO_TRY(sotto_bind_as(b, e->args[1], &y, type, &args[1]));
		compare_whole(&x, &y, type, &args[0]);
		compare_whole(&y, &x, type, &args[1]);
	}
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	SOTTO_TRY(sotto_bind_depend(b, out, &y));
	if (e->op == SOTTO_SQL_DISTINCT_FROM)
		out->nullable = false;
	return sotto_bind_print(b, &out->sql, comparison_template(e->op), args, 2);
}

static enum sotto_status
bind_logic(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound part[2];
	const char *args[2];

	for (size_t i = 0; i < e->count; i++) {
		SOTTO_TRY(sotto_bind_condition(b, e->args[i], &part[i]));
		SOTTO_TRY(sotto_bind_depend(b, out, &part[i]));
		args[i] = part[i].sql;
	}
	return sotto_bind_print(b, &out->sql, comparison_template(e->op), args, e->count);
}

static enum sotto_status
bind_test(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound x;

	if (e->op == SOTTO_SQL_IS_NULL)
		SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	else
		SOTTO_TRY(sotto_bind_condition(b, e->args[0], &x));
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	out->nullable = false;
	return sotto_bind_print(b, &out->sql, comparison_template(e->op),
				x.whole ? &x.whole : &x.sql, 1);
}

static const char ends_template[] =
	"(prefix($1, $2) AND suffix($1, $3) AND strlen($1) >= strlen($2) + strlen($3))";

static const char *const like_templates[] = {
	[SOTTO_SQL_LIKE_EXACT] = "($1 = $2)",
	[SOTTO_SQL_LIKE_BEGIN] = "prefix($1, $2)",
	[SOTTO_SQL_LIKE_END] = "suffix($1, $2)",
	[SOTTO_SQL_LIKE_INSIDE] = "contains($1, $2)",
	[SOTTO_SQL_LIKE_BOTH] = ends_template,
	[SOTTO_SQL_LIKE_PARTS] = "($1 LIKE $2)",
	[SOTTO_SQL_LIKE_REGEX] = "regexp_full_match($1, $2, 's')",
};

/* ILIKE compares small letters with small letters. */
static enum sotto_status
in_small_letters(struct sotto_binder *b, const struct sotto_sql_expr *e, const char **args)
{
	for (int i = 0; e->op == SOTTO_SQL_ILIKE && i < 3; i++)
		SOTTO_TRY(sotto_bind_print(b, &args[i], "lower($1)", &args[i], 1));
	return SOTTO_OK;
}

static enum sotto_status check_pattern(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       const struct sotto_bound *pattern,
				       struct sotto_sql_like *out)
{
	enum sotto_status st = SOTTO_ERANGE;

	if (pattern->literal && pattern->literal->kind == SOTTO_SQL_TEXT)
		st = sotto_sql_like_read(b->arena, pattern->literal->text, out);
	if (st == SOTTO_ERANGE)
		return sotto_bind_refuse(b, e,
					 "LIKE takes a pattern written out in the query, like "
					 "'Pad%%'");
	SOTTO_TRY(st);
	if (out->kind == SOTTO_SQL_LIKE_REGEX && !sotto_sql_pattern_is_plain(out->text))
		return sotto_bind_refuse(
			b, e, "a pattern of LIKE with _ may have at most %d characters",
			SOTTO_SQL_PATTERN_MAX / 2);
	return SOTTO_OK;
}

static enum sotto_status
bind_like(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound x, pattern;
	struct sotto_sql_like like;
	const char *args[3];

	SOTTO_TRY(bind_pair(b, e, &x, &pattern));
	SOTTO_TRY(check_pattern(b, e, &pattern, &like));
	SOTTO_TRY(sotto_bind_as(b, e->args[0], &x, SOTTO_TYPE_TEXT, &args[0]));
	args[1] = sotto_sql_print_text(b->arena, like.text);
	args[2] = sotto_sql_print_text(b->arena, like.end);
	SOTTO_NEED(args[1] && args[2]);
	if (x.whole && e->op == SOTTO_SQL_LIKE && like.kind <= SOTTO_SQL_LIKE_BEGIN &&
	    (double)strlen(like.text) < x.load.length)
		args[0] = x.whole;
	SOTTO_TRY(in_small_letters(b, e, args));
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	return sotto_bind_print(b, &out->sql, like_templates[like.kind], args, 3);
}

/* The values that a truth value has: what GROUP BY of it can show. */
static enum sotto_status finish_boolean(struct sotto_binder *b, struct sotto_bound *out)
{
	out->type = SOTTO_TYPE_BOOLEAN;
	return sotto_domain_boolean(b->arena, out->nullable, &out->domain);
}

enum sotto_status sotto_bind_operator(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      struct sotto_bound *out)
{
	for (size_t i = 0; i < sizeof arithmetic / sizeof arithmetic[0]; i++)
		if (arithmetic[i].op == e->op)
			return bind_arithmetic(b, e, i, out);
	if (e->op == SOTTO_SQL_NEGATE)
		return bind_negate(b, e, out);
	if (e->op == SOTTO_SQL_CONCAT)
		return bind_concat(b, e, out);
	*out = (struct sotto_bound){.type = SOTTO_TYPE_BOOLEAN};
	if (e->op == SOTTO_SQL_AND || e->op == SOTTO_SQL_OR || e->op == SOTTO_SQL_NOT)
		SOTTO_TRY(bind_logic(b, e, out));
	else if (e->op == SOTTO_SQL_IS_NULL || e->op == SOTTO_SQL_IS_TRUE ||
		 e->op == SOTTO_SQL_IS_FALSE)
		SOTTO_TRY(bind_test(b, e, out));
	else if (e->op == SOTTO_SQL_LIKE || e->op == SOTTO_SQL_ILIKE)
		SOTTO_TRY(bind_like(b, e, out));
	else
		SOTTO_TRY(bind_comparison(b, e, out));
	return finish_boolean(b, out);
}

/* x = item, each in the type that both have in common. */
static enum sotto_status
bind_item(struct sotto_binder *b, const struct sotto_sql_expr *e, const struct sotto_bound *x,
	  const struct sotto_sql_expr *item, struct sotto_bound *out, const char **sql)
{
	enum sotto_sql_type type;
	struct sotto_bound y;
	const char *pair[2];

	SOTTO_TRY(sotto_bind(b, item, &y));
	SOTTO_TRY(sotto_bind_common(b, item, x, &y, &type));
	SOTTO_TRY(sotto_bind_depend(b, out, &y));
	if (both_native(x, &y)) {
		pair[0] = x->sql;
		pair[1] = y.sql;
	} else {
		SOTTO_TRY(sotto_bind_as(b, e->args[0], x, type, &pair[0]));
		SOTTO_TRY(sotto_bind_as(b, item, &y, type, &pair[1]));
		compare_whole(x, &y, type, &pair[0]);
	}
	return sotto_bind_print(b, sql, "$1 = $2", pair, 2);
}

enum sotto_status
sotto_bind_in(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	const char **items = sotto_arena_alloc(b->arena, (e->count + 1) * sizeof *items);
	struct sotto_bound x;
	const char *sql;

	SOTTO_NEED(items);
	*out = (struct sotto_bound){0};
	SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	for (size_t i = 1; i < e->count; i++)
		SOTTO_TRY(bind_item(b, e, &x, e->args[i], out, &items[i - 1]));
	if (e->count < 2)
		return sotto_bind_refuse(b, e, "IN needs a list of values");
	SOTTO_TRY(sotto_bind_join(b, &sql, " OR ", items, e->count - 1));
	SOTTO_TRY(sotto_bind_print(b, &out->sql, "($1)", &sql, 1));
	return finish_boolean(b, out);
}
