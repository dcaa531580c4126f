/*
 * Operators over rows, except arithmetic: comparisons, logic, LIKE, IN, and joining texts.
 */
#include "central/expression/bind.h"
#include "central/expression/bind_untyped.h"

#include <string.h>

#include "central/parse/pattern/like_pattern.h"
#include "central/parse/pattern/text_pattern.h"
#include "central/expression/domain/public_domain.h"
#include "central/expression/noisy_truth.h"
#include "central/expression/number/decimal.h"
#include "central/expression/number/whole_compare.h"
#include "central/expression/truth_operator.h"
#include "core/base/failure.h"

static enum sotto_status bind_pair(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   struct sotto_bound *x, struct sotto_bound *y)
{
	SOTTO_TRY(sotto_bind(b, e->args[0], x));
	return sotto_bind(b, e->args[1], y);
}

/* Cut, because a chain of WITH could double a text until memory ends. */
static enum sotto_status
bind_concat(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound part[2];
	const struct sotto_expression *args[2];

	SOTTO_TRY(bind_pair(b, e, &part[0], &part[1]));
	*out = (struct sotto_bound){.type = SOTTO_TYPE_TEXT};
	for (int i = 0; i < 2; i++) {
		SOTTO_TRY(sotto_bind_depend(b, out, &part[i]));
		SOTTO_TRY(sotto_bind_text(b, &part[i], &args[i]));
	}
	return sotto_bind_made(b, &out->value,
			       SOTTO_APPLY(b->arena, SOTTO_OP_CONCAT, args[0], args[1]));
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
 * Not two private ones: who writes the same long text into both would have it read to its
 * end in each row that a join makes of theirs.
 */
static void compare_whole(const struct sotto_bound *x, const struct sotto_bound *y,
			  enum sotto_sql_type type, const struct sotto_expression **value)
{
	bool is_short = y->literal && y->literal->text &&
			(double)strlen(y->literal->text) < x->load.length;

	if (type == SOTTO_TYPE_TEXT && x->whole &&
	    (is_short ||
	     (y->whole && !(sotto_bound_is_private(x) && sotto_bound_is_private(y)))))
		*value = x->whole;
}

/* Rows of a unit of which the place is equal to a number, or below it; at least 1 is said. */
static int64_t
places_below(enum sotto_sql_op op, const struct sotto_bound *x, const struct sotto_bound *y)
{
	int64_t whole;

	if (!x->is_place || !y->number ||
	    mpz_cmpabs_ui(mpq_numref(y->number->q), 1000000) > 0 ||
	    !mpz_fits_slong_p(mpq_denref(y->number->q)))
		return 0;
	whole = mpz_get_si(mpq_numref(y->number->q)) / mpz_get_si(mpq_denref(y->number->q));
	if (op == SOTTO_SQL_EQ || (op == SOTTO_SQL_LE && whole < 1))
		return 1;
	if (op == SOTTO_SQL_LT) /* below 2.5 are 1 and 2, below 2 is 1 */
		return mpz_cmp_ui(mpq_denref(y->number->q), 1) != 0
			       ? (whole < 1 ? 1 : whole)
			       : (whole < 3 ? 1 : whole - 1);
	return op == SOTTO_SQL_LE ? whole : 0;
}

/* n = 1, n <= 3, n < 4, or mirrored. */
static int64_t
places_of(enum sotto_sql_op op, const struct sotto_bound *x, const struct sotto_bound *y)
{
	if (!y->is_place)
		return places_below(op, x, y);
	return op == SOTTO_SQL_EQ   ? places_below(op, y, x)
	       : op == SOTTO_SQL_GE ? places_below(SOTTO_SQL_LE, y, x)
	       : op == SOTTO_SQL_GT ? places_below(SOTTO_SQL_LT, y, x)
				    : 0;
}

static enum sotto_status
bind_comparison(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	enum sotto_sql_type type;
	struct sotto_bound x, y;
	const struct sotto_expression *args[2];
	bool done;

	SOTTO_TRY(bind_pair(b, e, &x, &y));
	SOTTO_TRY(sotto_bind_common(b, e, &x, &y, &type));
	SOTTO_TRY(sotto_untyped_note_quoted(b, &x, &y));
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	SOTTO_TRY(sotto_bind_depend(b, out, &y));
	out->places = places_of(e->op, &x, &y);
	if (e->op == SOTTO_SQL_DISTINCT_FROM)
		out->nullable = false;
	SOTTO_TRY(sotto_truth_compare(b, e->op, &x, &y, out));
	SOTTO_TRY(sotto_whole_compare(b->arena, e->op, &x, &y, &out->value, &done));
	if (done)
		return SOTTO_OK;
	if (both_native(&x, &y)) {
		args[0] = x.value;
		args[1] = y.value;
	} else if (!sotto_decimal_native(b->arena, &x, &y, args)) {
		SOTTO_TRY(sotto_bind_as(b, e->args[0], &x, type, &args[0]));
		SOTTO_TRY(sotto_bind_as(b, e->args[1], &y, type, &args[1]));
		compare_whole(&x, &y, type, &args[0]);
		compare_whole(&y, &x, type, &args[1]);
	}
	return sotto_bind_made(b, &out->value, sotto_truth_operator(b->arena, e->op, args, 2));
}

static enum sotto_status
bind_logic(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound part[2];
	const struct sotto_expression *args[2];

	for (size_t i = 0; i < e->count; i++) {
		SOTTO_TRY(sotto_bind_condition(b, e->args[i], &part[i]));
		SOTTO_TRY(sotto_bind_depend(b, out, &part[i]));
		args[i] = part[i].value;
	}
	SOTTO_TRY(sotto_truth_logic(b, e->op, part, e->count, out));
	return sotto_bind_made(b, &out->value,
			       sotto_truth_operator(b->arena, e->op, args, e->count));
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
	return sotto_bind_made(
		b, &out->value,
		sotto_truth_operator(b->arena, e->op, x.whole ? &x.whole : &x.value, 1));
}

static const enum sotto_operation_name likes[] = {
	[SOTTO_SQL_LIKE_EXACT] = SOTTO_OP_EQ,   [SOTTO_SQL_LIKE_BEGIN] = SOTTO_OP_PREFIX,
	[SOTTO_SQL_LIKE_END] = SOTTO_OP_SUFFIX, [SOTTO_SQL_LIKE_INSIDE] = SOTTO_OP_CONTAINS,
	[SOTTO_SQL_LIKE_BOTH] = SOTTO_OP_ENDS,  [SOTTO_SQL_LIKE_REGEX] = SOTTO_OP_FULL_MATCH,
};

static enum sotto_status check_pattern(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       const struct sotto_bound *pattern,
				       struct sotto_sql_like *out)
{
	enum sotto_status st = SOTTO_ERANGE;

	if (pattern->literal && pattern->literal->kind == SOTTO_SQL_TEXT)
		st = sotto_sql_like_read(b->arena, pattern->literal->text, out);
	if (st == SOTTO_ERANGE)
		return sotto_bind_refuse(
			b, e,
			"LIKE takes a pattern written out in the query, like "
			"'Pad%%'; for a text of a column write CONTAINS(x, y), "
			"STARTS_WITH(x, y) or ENDS_WITH(x, y)");
	SOTTO_TRY(st);
	if (out->kind == SOTTO_SQL_LIKE_REGEX && !sotto_sql_pattern_is_plain(out->text))
		return sotto_bind_refuse(
			b, e,
			"a pattern of LIKE with _ or several %% may have at most %d characters",
			SOTTO_SQL_PATTERN_MAX / 2);
	return SOTTO_OK;
}

static enum sotto_status
bind_like(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound x, pattern;
	struct sotto_sql_like like;
	const struct sotto_expression *args[3];

	SOTTO_TRY(bind_pair(b, e, &x, &pattern));
	SOTTO_TRY(check_pattern(b, e, &pattern, &like));
	SOTTO_TRY(sotto_bind_as(b, e->args[0], &x, SOTTO_TYPE_TEXT, &args[0]));
	args[1] = sotto_expression_text(b->arena, like.text);
	args[2] = sotto_expression_text(b->arena, like.end);
	SOTTO_NEED(args[1] && args[2]);
	if (x.whole && e->op == SOTTO_SQL_LIKE && like.kind <= SOTTO_SQL_LIKE_BEGIN &&
	    (double)strlen(like.text) < x.load.length)
		args[0] = x.whole;
	for (int i = 0; e->op == SOTTO_SQL_ILIKE && i < 3; i++) /* in small letters */
		SOTTO_TRY(sotto_bind_made(b, &args[i],
					  SOTTO_APPLY(b->arena, SOTTO_OP_LOWER, args[i])));
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	return sotto_bind_made(b, &out->value,
			       sotto_expression_make(b->arena,
						     sotto_operation(likes[like.kind]), args,
						     like.kind == SOTTO_SQL_LIKE_BOTH ? 3 : 2));
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
	if (sotto_bind_is_arithmetic(e->op))
		return sotto_bind_arithmetic(b, e, out);
	if (e->op == SOTTO_SQL_NEGATE)
		return sotto_bind_negate(b, e, out);
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
static enum sotto_status bind_item(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   const struct sotto_bound *x,
				   const struct sotto_sql_expr *item, struct sotto_bound *out,
				   const struct sotto_expression **value)
{
	enum sotto_sql_type type;
	struct sotto_bound y;
	const struct sotto_expression *pair[2];
	bool done;

	SOTTO_TRY(sotto_bind(b, item, &y));
	SOTTO_TRY(sotto_bind_common(b, item, x, &y, &type));
	SOTTO_TRY(sotto_untyped_note_quoted(b, x, &y));
	SOTTO_TRY(sotto_bind_depend(b, out, &y));
	SOTTO_TRY(sotto_whole_compare(b->arena, SOTTO_SQL_EQ, x, &y, value, &done));
	if (done)
		return SOTTO_OK;
	if (both_native(x, &y)) {
		pair[0] = x->value;
		pair[1] = y.value;
	} else if (!sotto_decimal_native(b->arena, x, &y, pair)) {
		SOTTO_TRY(sotto_bind_as(b, e->args[0], x, type, &pair[0]));
		SOTTO_TRY(sotto_bind_as(b, item, &y, type, &pair[1]));
		compare_whole(x, &y, type, &pair[0]);
	}
	return sotto_bind_made(b, value,
			       SOTTO_APPLY(b->arena, SOTTO_OP_SAME, pair[0], pair[1]));
}

enum sotto_status
sotto_bind_in(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	const struct sotto_expression **items =
		sotto_arena_alloc(b->arena, (e->count + 1) * sizeof(struct sotto_expression *));
	struct sotto_bound x;

	SOTTO_NEED(items);
	*out = (struct sotto_bound){0};
	SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	for (size_t i = 1; i < e->count; i++)
		SOTTO_TRY(bind_item(b, e, &x, e->args[i], out, &items[i - 1]));
	if (e->count < 2)
		return sotto_bind_refuse(b, e, "IN needs a list of values");
	SOTTO_TRY(sotto_bind_made(b, &out->value,
				  sotto_expression_make(b->arena, sotto_operation(SOTTO_OP_ANY),
							items, e->count - 1)));
	return finish_boolean(b, out);
}
