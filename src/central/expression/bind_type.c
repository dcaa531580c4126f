/*
 * Literals, the types that values are brought to, and casts.
 */
#include <stdio.h>
#include <string.h>

#include "central/expression/bind.h"
#include "central/expression/bind_untyped.h"
#include "central/expression/noisy_interval.h"
#include "central/expression/number/decimal.h"
#include "central/expression/range/public_range.h"
#include "central/expression/range/value_range.h"
#include "central/expression/work/row_work.h"
#include "central/plan/planner.h"
#include "central/policy/schema.h"
#include "core/base/arena_rational.h"
#include "core/base/calendar.h"
#include "core/base/failure.h"

/* ---- literals ------------------------------------------------------------------ */

/* Beyond this, a number could be an infinity to the engine. */
static bool is_moderate(const struct sotto_rational *r)
{
	return mpz_sizeinbase(mpq_numref(r->q), 2) < 900 &&
	       mpz_sizeinbase(mpq_denref(r->q), 2) < 900;
}

static enum sotto_status
bind_number(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_rational *r = sotto_arena_rational(b->arena);
	bool whole;

	if (!r)
		return SOTTO_ENOMEM;
	if (sotto_rational_parse(r, e->text, NULL) != SOTTO_OK)
		return sotto_bind_refuse(b, e, "'%.20s' is not a number", e->text);
	if (!is_moderate(r))
		return sotto_bind_refuse(b, e, "the number %.20s is too large or too small",
					 e->text);
	whole = mpz_cmp_ui(mpq_denref(r->q), 1) == 0 && mpz_fits_slong_p(mpq_numref(r->q));
	whole = whole &&
		!strpbrk(e->text, ".eE"); /* 1.0 is not an integer: 1 / 2.0 is a half */
	*out = (struct sotto_bound){.type = whole ? SOTTO_TYPE_INTEGER : SOTTO_TYPE_NUMBER,
				    .is_double = !whole,
				    .literal = e,
				    .number = r,
				    .range = {r, r}};
	out->value = sotto_expression_number(b->arena, r, !whole);
	return out->value ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_bind_literal(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     struct sotto_bound *out)
{
	if (e->kind == SOTTO_SQL_NUMBER)
		return bind_number(b, e, out);
	*out = (struct sotto_bound){.literal = e, .type = SOTTO_TYPE_LOOSE};
	if (e->kind == SOTTO_SQL_BOOL) {
		out->type = SOTTO_TYPE_BOOLEAN;
		out->value = sotto_expression_word(b->arena,
						   e->truth ? SOTTO_OP_TRUE : SOTTO_OP_FALSE);
	} else if (e->kind == SOTTO_SQL_TEXT) {
		out->value = sotto_expression_text(b->arena, e->text);
	} else {
		out->nullable = true;
		out->value = sotto_expression_word(b->arena, SOTTO_OP_NULL);
	}
	return out->value ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- types --------------------------------------------------------------------- */

static bool is_numeric(enum sotto_sql_type type)
{
	return type == SOTTO_TYPE_INTEGER || type == SOTTO_TYPE_NUMBER;
}

static bool is_temporal(enum sotto_sql_type type)
{
	return type == SOTTO_TYPE_DATE || type == SOTTO_TYPE_TIMESTAMP;
}

static bool all_digits(const char *s, size_t n)
{
	return strspn(s, "0123456789") >= n;
}

/* YYYY-MM-DD, alone or followed by a time of day. */
static bool looks_like_date(const char *s)
{
	return strlen(s) >= 10 && all_digits(s, 4) && s[4] == '-' && all_digits(s + 5, 2) &&
	       s[7] == '-' && all_digits(s + 8, 2) &&
	       (s[10] == '\0' || s[10] == ' ' || s[10] == 'T');
}

/* '2024-03-02 02:00:00+02' is midnight in UTC. */
static enum sotto_status zoned_literal(struct sotto_binder *b, const char *text, int64_t ahead,
				       const struct sotto_expression **out)
{
	const char *time = sotto_arena_textf(b->arena, "%.*s",
					     (int)(10 + strcspn(text + 10, "+-Zz")), text);

	SOTTO_NEED(time);
	return sotto_bind_made(
		b, out,
		SOTTO_APPLY(b->arena, SOTTO_OP_EARLIER,
			    sotto_expression_cast(b->arena, SOTTO_OP_TRY_CAST,
						  sotto_expression_text(b->arena, time),
						  SOTTO_TYPE_TIMESTAMP),
			    SOTTO_APPLY(b->arena, SOTTO_OP_TO_MINUTES,
					sotto_expression_whole(b->arena, ahead))));
}

static enum sotto_status literal_as(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    const struct sotto_bound *x, enum sotto_sql_type type,
				    const struct sotto_expression **out)
{
	const char *text = x->literal->text;
	struct sotto_rational *r = sotto_arena_rational(b->arena);
	int64_t ahead;

	if (!r)
		return SOTTO_ENOMEM;
	if (is_numeric(type)) {
		if (sotto_rational_parse(r, text, NULL) != SOTTO_OK || !is_moderate(r))
			return sotto_bind_refuse(
				b, e, "a number is expected, not the text '%.40s'", text);
		*out = sotto_expression_number(b->arena, r, true);
		return *out ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (is_temporal(type) && !looks_like_date(text))
		return sotto_bind_refuse(b, e,
					 "a date is expected, written like '2024-12-31', not "
					 "'%.40s'",
					 text);
	if (type == SOTTO_TYPE_TIMESTAMP && sotto_calendar_zone(text + 10, &ahead))
		return zoned_literal(b, text, ahead, out);
	return sotto_bind_made(
		b, out, sotto_expression_cast(b->arena, SOTTO_OP_TRY_CAST, x->value, type));
}

static bool castable(enum sotto_sql_type from, enum sotto_sql_type to)
{
	if (from == to || from == SOTTO_TYPE_LOOSE)
		return true;
	if ((is_numeric(from) || from == SOTTO_TYPE_BOOLEAN) && is_numeric(to))
		return true;
	return from == SOTTO_TYPE_DATE && to == SOTTO_TYPE_TIMESTAMP;
}

const struct sotto_expression *sotto_bind_read(struct sotto_arena *a,
					       const struct sotto_expression *text,
					       enum sotto_sql_type type)
{
	return sotto_expression_read(a, text, SOTTO_TEXT_READ, type);
}

enum sotto_status sotto_bind_near(struct sotto_binder *b, const struct sotto_bound *x,
				  const struct sotto_expression **out)
{
	*out = x->value;
	if (is_temporal(x->type))
		SOTTO_TRY(sotto_load_add(b, sotto_load_reading(x->type)));
	if (x->type != SOTTO_TYPE_DATE || x->literal)
		return SOTTO_OK;
	return sotto_bind_made(b, out, SOTTO_APPLY(b->arena, SOTTO_OP_NEAR_DATE, x->value));
}

/* A column that the engine has as a DECIMAL is read faster than it is cast (engine/sum). */
static bool is_decimal_column(const struct sotto_bound *x)
{
	return x->digits > 0 && !x->is_double && !sotto_decimal_is_wide(x) &&
	       x->value->operation->form == SOTTO_OPERATION_COLUMN;
}

/* A text column is read as it lies in the table, anything else is cast. */
static enum sotto_status cast(struct sotto_binder *b, const struct sotto_bound *x,
			      enum sotto_sql_type type, const struct sotto_expression **out)
{
	if (x->whole || x->type == SOTTO_TYPE_LOOSE) {
		*out = sotto_bind_read(b->arena, x->whole ? x->whole : x->value, type);
		return *out ? sotto_load_add(b, sotto_load_reading(type)) : SOTTO_ENOMEM;
	}
	SOTTO_TRY(sotto_bind_near(b, x, out));
	if (sotto_decimal_is_wide(x))
		SOTTO_TRY(sotto_load_add(b, SOTTO_LOAD_DECIMAL));
	if (type == SOTTO_TYPE_NUMBER && is_decimal_column(x))
		return sotto_bind_made(
			b, out, SOTTO_APPLY(b->arena, SOTTO_OP_DECIMAL_NUMBER, x->value));
	return sotto_bind_made(b, out,
			       sotto_expression_cast(b->arena, SOTTO_OP_TRY_CAST, *out, type));
}

enum sotto_status sotto_bind_as(struct sotto_binder *b, const struct sotto_sql_expr *e,
				const struct sotto_bound *x, enum sotto_sql_type type,
				const struct sotto_expression **out)
{
	bool text_to_text = x->type == SOTTO_TYPE_LOOSE &&
			    (type == SOTTO_TYPE_TEXT || type == SOTTO_TYPE_LOOSE);

	if (x->literal && x->literal->kind == SOTTO_SQL_NULL)
		return sotto_bind_made(
			b, out,
			sotto_expression_cast(b->arena, SOTTO_OP_CAST, x->value,
					      is_numeric(type) ? SOTTO_TYPE_NUMBER : type));
	if (!castable(x->type, type))
		return sotto_bind_refuse(b, e,
					 "a value of type %s is expected here, not %s%s%.60s; "
					 "write a cast if that is meant",
					 sotto_sql_type_word(type),
					 sotto_sql_type_word(x->type),
					 e->kind == SOTTO_SQL_COLUMN ? " like " : "",
					 e->kind == SOTTO_SQL_COLUMN ? e->text : "");
	if (text_to_text || (x->type == type && !is_numeric(type))) {
		*out = x->value;
		return SOTTO_OK;
	}
	if (x->literal && x->literal->kind == SOTTO_SQL_TEXT)
		return literal_as(b, e, x, type, out);
	if (x->number) {
		*out = sotto_expression_number(b->arena, x->number, true);
		return *out ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (is_numeric(type) && x->is_double) {
		*out = x->value;
		return SOTTO_OK;
	}
	if (is_numeric(type))
		type = SOTTO_TYPE_NUMBER;
	SOTTO_TRY(sotto_untyped_note(b, x, type));
	return cast(b, x, type, out);
}

enum sotto_status sotto_bind_summand(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     struct sotto_bound *out)
{
	SOTTO_TRY(sotto_bind_rough(b, e, out));
	if (out->type != SOTTO_TYPE_BOOLEAN)
		return SOTTO_OK;
	out->type = SOTTO_TYPE_INTEGER;
	out->literal = NULL;
	out->domain = NULL;
	SOTTO_TRY(sotto_range_of(b->arena, 0, 1, &out->range));
	return sotto_bind_made(b, &out->value,
			       sotto_expression_cast(b->arena, SOTTO_OP_TRY_CAST, out->value,
						     SOTTO_TYPE_INTEGER));
}

enum sotto_status sotto_bind_common(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    const struct sotto_bound *x, const struct sotto_bound *y,
				    enum sotto_sql_type *out)
{
	if (x->type == y->type)
		*out = x->type == SOTTO_TYPE_LOOSE ? SOTTO_TYPE_TEXT : x->type;
	else if (x->type == SOTTO_TYPE_LOOSE)
		*out = y->type;
	else if (y->type == SOTTO_TYPE_LOOSE)
		*out = x->type;
	else if ((is_numeric(x->type) && castable(y->type, SOTTO_TYPE_NUMBER)) ||
		 (is_numeric(y->type) && castable(x->type, SOTTO_TYPE_NUMBER)))
		*out = SOTTO_TYPE_NUMBER;
	else if (is_temporal(x->type) && is_temporal(y->type))
		*out = SOTTO_TYPE_TIMESTAMP;
	else
		return sotto_bind_refuse(b, e,
					 "%s and %s do not go together here; write a cast if "
					 "that is meant",
					 sotto_sql_type_word(x->type),
					 sotto_sql_type_word(y->type));
	return SOTTO_OK;
}

const struct sotto_expression *
sotto_bind_alike(struct sotto_arena *a, const struct sotto_bound *x)
{
	if (!x->is_double && x->type != SOTTO_TYPE_NUMBER)
		return x->value;
	return SOTTO_APPLY(a, SOTTO_OP_ALIKE, x->value);
}

/* ---- casts --------------------------------------------------------------------- */

static enum sotto_status check_cast(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    enum sotto_sql_type from, enum sotto_sql_type to)
{
	bool fine = castable(from, to) || to == SOTTO_TYPE_TEXT || from == SOTTO_TYPE_TEXT ||
		    (is_numeric(from) && to == SOTTO_TYPE_BOOLEAN) ||
		    (from == SOTTO_TYPE_TIMESTAMP && to == SOTTO_TYPE_DATE);

	return fine ? SOTTO_OK
		    : sotto_bind_refuse(b, e, "a value of type %s cannot be cast to %s",
					sotto_sql_type_word(from), sotto_sql_type_word(to));
}

/* A cast to integer rounds, as PostgreSQL does, and stays a DOUBLE that cannot overflow. */
static enum sotto_status cast_to_number(struct sotto_binder *b, const struct sotto_sql_expr *e,
					const struct sotto_bound *x, struct sotto_bound *out)
{
	const struct sotto_expression *number;

	if (x->is_double)
		number = x->value;
	else
		SOTTO_TRY(cast(b, x, SOTTO_TYPE_NUMBER, &number));
	out->is_double = true;
	out->value = number;
	out->range = x->range;
	out->low = x->low;
	out->high = x->high;
	sotto_decimal_take(out, x);
	if (x->type == SOTTO_TYPE_BOOLEAN)
		SOTTO_TRY(sotto_range_of(b->arena, 0, 1, &out->range));
	if (e->type != SOTTO_TYPE_INTEGER || x->type == SOTTO_TYPE_INTEGER)
		return SOTTO_OK;
	SOTTO_TRY(sotto_range_whole(b->arena, out->range, &out->range));
	SOTTO_TRY(
		sotto_interval_growing(b, sotto_operation(SOTTO_OP_ROUND), &number, 1, x, out));
	return sotto_bind_made(b, &out->value, SOTTO_APPLY(b->arena, SOTTO_OP_ROUND, number));
}

static enum sotto_status
cast_value(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound x;

	SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	SOTTO_TRY(sotto_public_range(b, &x));
	SOTTO_TRY(check_cast(b, e, x.type, e->type));
	if (x.literal && x.literal->kind == SOTTO_SQL_TEXT && e->type != SOTTO_TYPE_TEXT) {
		*out = (struct sotto_bound){.type = e->type, .nullable = true};
		if (is_numeric(e->type)) {
			struct sotto_sql_expr *number =
				sotto_sql_expr_new(b->arena, SOTTO_SQL_NUMBER, e->at);

			if (!number)
				return SOTTO_ENOMEM;
			number->text = x.literal->text;
			return bind_number(b, number, out);
		}
		if (is_temporal(e->type))
			SOTTO_TRY(sotto_date_range(b->arena, x.literal->text, &out->range));
		return literal_as(b, e, &x, e->type, &out->value);
	}
	*out = (struct sotto_bound){.type = e->type, .nullable = true};
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	if (is_numeric(e->type))
		return cast_to_number(b, e, &x, out);
	if (x.type == e->type) {
		*out = x;
		return SOTTO_OK;
	}
	if (is_temporal(e->type) && is_temporal(x.type))
		out->range = x.range;
	if (e->type != SOTTO_TYPE_TEXT)
		return cast(b, &x, e->type, &out->value);
	return sotto_bind_text(b, &x, &out->value);
}

enum sotto_status
sotto_bind_cast(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	SOTTO_TRY(cast_value(b, e, out));
	out->moment = e->zoned ? SOTTO_MOMENT_ZONED : SOTTO_MOMENT_LOCAL;
	return SOTTO_OK;
}
