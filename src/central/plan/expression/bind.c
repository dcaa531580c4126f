#include "central/plan/expression/bind.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "central/parse/sql_print.h"
#include "central/policy/policy.h"
#include "central/policy/schema.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"
#include "core/number/nearest.h"

enum sotto_status sotto_bind_refuse(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    const char *format, ...)
{
	char sentence[SOTTO_ERROR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(sentence, sizeof sentence, format, args);
	va_end(args);
	return sotto_sql_fail(b->err, SOTTO_EREFUSED, b->text, e->at, "%.440s", sentence);
}

static enum sotto_status too_long(struct sotto_binder *b)
{
	return sotto_fail(b->err, SOTTO_ERANGE,
			  "the query grows too long when written out; ask a simpler one");
}

enum sotto_status sotto_bind_print(struct sotto_binder *b, const char **out,
				   const char *template, const char *const *args, size_t count)
{
	*out = sotto_sql_print_template(b->arena, template, args, count);
	return *out ? SOTTO_OK : too_long(b);
}

enum sotto_status sotto_bind_join(struct sotto_binder *b, const char **out, const char *mark,
				  const char *const *texts, size_t count)
{
	size_t length = 1, at = 0;
	char *all;

	for (size_t i = 0; i < count; i++)
		length += strlen(texts[i]) + strlen(mark);
	all = length <= SOTTO_SQL_PRINT_MAX ? sotto_arena_alloc(b->arena, length) : NULL;
	if (!all)
		return too_long(b);
	for (size_t i = 0; i < count; i++)
		at += (size_t)snprintf(all + at, length - at, "%s%s", i ? mark : "", texts[i]);
	*out = all;
	return SOTTO_OK;
}

const char *
sotto_bind_number(struct sotto_arena *a, const struct sotto_rational *r, bool as_double)
{
	bool whole = mpz_cmp_ui(mpq_denref(r->q), 1) == 0 &&
		     mpz_sizeinbase(mpq_numref(r->q), 2) <= 62;

	if (whole && !as_double)
		return sotto_arena_textf(a, "%ld", mpz_get_si(mpq_numref(r->q)));
	if (whole)
		return sotto_arena_textf(a, "CAST(%ld AS DOUBLE)",
					 mpz_get_si(mpq_numref(r->q)));
	return sotto_arena_textf(a, "CAST('%.17g' AS DOUBLE)", sotto_nearest_double(r->q));
}

enum sotto_status
sotto_bind_depend(struct sotto_binder *b, struct sotto_bound *out, const struct sotto_bound *x)
{
	out->nullable = out->nullable || x->nullable;
	out->noisy = out->noisy || x->noisy;
	for (size_t i = 0; i < x->column_count; i++) {
		const struct sotto_scope_column **slot;
		bool known = false;

		for (size_t j = 0; j < out->column_count; j++)
			known = known || out->columns[j] == x->columns[i];
		if (known)
			continue;
		slot = SOTTO_PUSH(b->arena, out->columns, out->column_count);
		if (!slot)
			return SOTTO_ENOMEM;
		*slot = x->columns[i];
	}
	return SOTTO_OK;
}

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
	whole = mpz_cmp_ui(mpq_denref(r->q), 1) == 0 &&
		mpz_sizeinbase(mpq_numref(r->q), 2) <= 62;
	whole = whole && !strpbrk(e->text, ".eE"); /* 1.0 is no integer: 1 / 2.0 is a half */
	*out = (struct sotto_bound){.type = whole ? SOTTO_TYPE_INTEGER : SOTTO_TYPE_NUMBER,
				    .is_double = !whole,
				    .literal = e,
				    .number = r,
				    .range = {r, r}};
	out->sql = sotto_bind_number(b->arena, r, !whole);
	return out->sql ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
bind_literal(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	if (e->kind == SOTTO_SQL_NUMBER)
		return bind_number(b, e, out);
	*out = (struct sotto_bound){.literal = e, .type = SOTTO_TYPE_LOOSE};
	if (e->kind == SOTTO_SQL_BOOL) {
		out->type = SOTTO_TYPE_BOOLEAN;
		out->sql = e->truth ? "TRUE" : "FALSE";
	} else if (e->kind == SOTTO_SQL_TEXT) {
		out->sql = sotto_sql_print_text(b->arena, e->text);
	} else {
		out->nullable = true;
		out->sql = "NULL";
	}
	return out->sql ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- columns ------------------------------------------------------------------- */

static bool matches(const struct sotto_scope_column *c, const struct sotto_sql_expr *e)
{
	if (e->qualifier)
		return strcasecmp(c->table, e->qualifier) == 0 &&
		       strcasecmp(c->name, e->text) == 0;
	return !c->hidden && strcasecmp(c->name, e->text) == 0;
}

bool sotto_scope_has(const struct sotto_scope *scope, const struct sotto_sql_expr *e)
{
	for (size_t i = 0; i < scope->count; i++)
		if (matches(scope->columns[i], e))
			return true;
	return false;
}

static enum sotto_status unknown_column(struct sotto_binder *b, const struct sotto_sql_expr *e)
{
	char list[240] = "";
	size_t n = 0;

	if (b->outer && sotto_scope_has(b->outer, e))
		return sotto_bind_refuse(b, e,
					 "the subquery reads %.40s of the query around it, "
					 "which is not supported here; join it in FROM "
					 "instead",
					 e->text);
	for (size_t i = 0; i < b->scope->count && n < sizeof list; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "",
				      b->scope->columns[i]->name);
	return sotto_bind_refuse(b, e, "there is no column %.40s%s%.40s; the columns are %s",
				 e->qualifier ? e->qualifier : "", e->qualifier ? "." : "",
				 e->text, list);
}

static enum sotto_status
bind_column(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	const struct sotto_scope *scope = b->scope;
	struct sotto_scope_column *found = NULL;
	const struct sotto_scope_column **slot;

	if (b->correlated && !sotto_scope_has(scope, e))
		scope = b->correlated;
	for (size_t i = 0; i < scope->count; i++) {
		if (!matches(scope->columns[i], e))
			continue;
		if (found)
			return sotto_bind_refuse(b, e,
						 "the column %.40s is in two tables; write "
						 "table.column",
						 e->text);
		found = scope->columns[i];
	}
	if (!found)
		return unknown_column(b, e);
	if (found->bound.type == SOTTO_TYPE_OTHER)
		return sotto_bind_refuse(
			b, e, "the column %.40s has a type that is not supported", e->text);
	*out = found->bound;
	out->columns = NULL;
	out->column_count = 0;
	slot = SOTTO_PUSH(b->arena, out->columns, out->column_count);
	if (!slot)
		return SOTTO_ENOMEM;
	*slot = found;
	return SOTTO_OK;
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

static enum sotto_status literal_as(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    const struct sotto_bound *x, enum sotto_sql_type type,
				    const char **out)
{
	const char *text = x->literal->text;
	struct sotto_rational *r = sotto_arena_rational(b->arena);

	if (!r)
		return SOTTO_ENOMEM;
	if (is_numeric(type)) {
		if (sotto_rational_parse(r, text, NULL) != SOTTO_OK || !is_moderate(r))
			return sotto_bind_refuse(
				b, e, "a number is expected, not the text '%.40s'", text);
		*out = sotto_bind_number(b->arena, r, true);
		return *out ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (is_temporal(type) && !looks_like_date(text))
		return sotto_bind_refuse(b, e,
					 "a date is expected, written like '2024-12-31', not "
					 "'%.40s'",
					 text);
	return sotto_bind_print(b, out, "TRY_CAST($1 AS $2)",
				(const char *[]){x->sql, sotto_sql_type_engine(type)}, 2);
}

static bool castable(enum sotto_sql_type from, enum sotto_sql_type to)
{
	if (from == to || from == SOTTO_TYPE_LOOSE)
		return true;
	if ((is_numeric(from) || from == SOTTO_TYPE_BOOLEAN) && is_numeric(to))
		return true;
	return from == SOTTO_TYPE_DATE && to == SOTTO_TYPE_TIMESTAMP;
}

bool sotto_bound_is_private(const struct sotto_bound *x)
{
	for (size_t i = 0; i < x->column_count; i++)
		if (!x->columns[i]->source || !x->columns[i]->source->is_public)
			return true;
	return false;
}

const char *sotto_bind_read(struct sotto_arena *a, const char *text, enum sotto_sql_type type)
{
	return sotto_schema_read_sql(a, text, type);
}

enum sotto_status
sotto_bind_near(struct sotto_binder *b, const struct sotto_bound *x, const char **out)
{
	*out = x->sql;
	if (is_temporal(x->type))
		SOTTO_TRY(sotto_load_add(b, sotto_load_reading(x->type)));
	if (x->type != SOTTO_TYPE_DATE || x->literal)
		return SOTTO_OK;
	return sotto_bind_print(b, out,
				"CASE WHEN $1 BETWEEN DATE '290000-01-01 (BC)' AND DATE "
				"'290000-12-31' OR NOT isfinite($1) THEN $1 END",
				&x->sql, 1);
}

/* A text column is read as it lies in the table, anything else is cast. */
static enum sotto_status cast(struct sotto_binder *b, const struct sotto_bound *x,
			      enum sotto_sql_type type, const char **out)
{
	const char *args[] = {NULL, sotto_sql_type_engine(type)};

	if (x->whole || x->type == SOTTO_TYPE_LOOSE) {
		*out = sotto_bind_read(b->arena, x->whole ? x->whole : x->sql, type);
		return *out ? sotto_load_add(b, sotto_load_reading(type)) : SOTTO_ENOMEM;
	}
	SOTTO_TRY(sotto_bind_near(b, x, &args[0]));
	return sotto_bind_print(b, out, "TRY_CAST($1 AS $2)", args, 2);
}

enum sotto_status sotto_bind_as(struct sotto_binder *b, const struct sotto_sql_expr *e,
				const struct sotto_bound *x, enum sotto_sql_type type,
				const char **out)
{
	bool text_to_text = x->type == SOTTO_TYPE_LOOSE &&
			    (type == SOTTO_TYPE_TEXT || type == SOTTO_TYPE_LOOSE);

	if (x->literal && x->literal->kind == SOTTO_SQL_NULL)
		return sotto_bind_print(b, out, "CAST(NULL AS $1)",
					(const char *[]){sotto_sql_type_engine(
						is_numeric(type) ? SOTTO_TYPE_NUMBER : type)},
					1);
	if (!castable(x->type, type))
		return sotto_bind_refuse(b, e,
					 "a value of type %s is expected here, not %s; write a "
					 "cast if that is meant",
					 sotto_sql_type_word(type),
					 sotto_sql_type_word(x->type));
	if (text_to_text || (x->type == type && !is_numeric(type))) {
		*out = x->sql;
		return SOTTO_OK;
	}
	if (x->literal && x->literal->kind == SOTTO_SQL_TEXT)
		return literal_as(b, e, x, type, out);
	if (x->number) {
		*out = sotto_bind_number(b->arena, x->number, true);
		return *out ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (is_numeric(type) && x->is_double) {
		*out = x->sql;
		return SOTTO_OK;
	}
	if (is_numeric(type))
		type = SOTTO_TYPE_NUMBER;
	return cast(b, x, type, out);
}

enum sotto_status sotto_bind_summand(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     struct sotto_bound *out)
{
	SOTTO_TRY(sotto_bind(b, e, out));
	if (out->type != SOTTO_TYPE_BOOLEAN)
		return SOTTO_OK;
	out->type = SOTTO_TYPE_INTEGER;
	out->literal = NULL;
	out->domain = NULL;
	SOTTO_TRY(sotto_range_of(b->arena, 0, 1, &out->range));
	return sotto_bind_print(b, &out->sql, "TRY_CAST($1 AS BIGINT)", &out->sql, 1);
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

const char *sotto_bind_alike(struct sotto_arena *a, const struct sotto_bound *x)
{
	if (!x->is_double && x->type != SOTTO_TYPE_NUMBER)
		return x->sql;
	return sotto_sql_print_template(
		a,
		"CASE WHEN TRY_CAST($1 AS DOUBLE) = CAST('NaN' AS DOUBLE) "
		"THEN CAST('NaN' AS DOUBLE) ELSE TRY_CAST($1 AS DOUBLE) + "
		"CAST(0 AS DOUBLE) END",
		&x->sql, 1);
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
	const char *number;

	if (x->is_double)
		number = x->sql;
	else
		SOTTO_TRY(cast(b, x, SOTTO_TYPE_NUMBER, &number));
	out->is_double = true;
	out->sql = number;
	out->range = x->range;
	if (x->type == SOTTO_TYPE_BOOLEAN)
		SOTTO_TRY(sotto_range_of(b->arena, 0, 1, &out->range));
	if (e->type != SOTTO_TYPE_INTEGER || x->type == SOTTO_TYPE_INTEGER)
		return SOTTO_OK;
	SOTTO_TRY(sotto_range_whole(b->arena, out->range, &out->range));
	return sotto_bind_print(b, &out->sql, "round($1)", &number, 1);
}

static enum sotto_status
bind_cast(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound x;

	SOTTO_TRY(sotto_bind(b, e->args[0], &x));
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
		return literal_as(b, e, &x, e->type, &out->sql);
	}
	*out = (struct sotto_bound){.type = e->type, .nullable = true};
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	if (is_numeric(e->type))
		return cast_to_number(b, e, &x, out);
	if (x.type == e->type) {
		*out = x;
		return SOTTO_OK;
	}
	if (e->type != SOTTO_TYPE_TEXT)
		return cast(b, &x, e->type, &out->sql);
	SOTTO_TRY(sotto_bind_near(b, &x, &x.sql));
	return sotto_bind_print(b, &out->sql, "TRY_CAST($1 AS VARCHAR)", &x.sql, 1);
}

/* ---- the whole ----------------------------------------------------------------- */

static enum sotto_status
bind_kind(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	switch (e->kind) {
	case SOTTO_SQL_NULL:
	case SOTTO_SQL_BOOL:
	case SOTTO_SQL_NUMBER:
	case SOTTO_SQL_TEXT:
		return bind_literal(b, e, out);
	case SOTTO_SQL_COLUMN:
		return bind_column(b, e, out);
	case SOTTO_SQL_OP:
		return sotto_bind_operator(b, e, out);
	case SOTTO_SQL_CASE:
		return sotto_bind_case(b, e, out);
	case SOTTO_SQL_IN:
		return e->select ? sotto_bind_subquery(b, e, out) : sotto_bind_in(b, e, out);
	case SOTTO_SQL_SCALAR:
	case SOTTO_SQL_EXISTS:
		return sotto_bind_subquery(b, e, out);
	case SOTTO_SQL_CAST:
		return bind_cast(b, e, out);
	case SOTTO_SQL_CALL:
		return sotto_bind_call(b, e, out);
	case SOTTO_SQL_STAR:
	case SOTTO_SQL_KEY:
	case SOTTO_SQL_VALUE:
		break;
	}
	return sotto_bind_refuse(b, e, "* stands for all columns and is no value");
}

enum sotto_status
sotto_bind(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_loads below = {0}, *around = b->below;
	enum sotto_status st;

	b->below = &below;
	st = bind_kind(b, e, out);
	b->below = around;
	SOTTO_TRY(st);
	SOTTO_TRY(sotto_load_measure(b, e, &below, out));
	if (around || b->lazy || !b->planner || !b->err)
		return SOTTO_OK; /* a part of another, or only looked at */
	return sotto_load_count(b, e, out);
}

enum sotto_status sotto_bind_condition(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       struct sotto_bound *out)
{
	SOTTO_TRY(sotto_bind(b, e, out));
	SOTTO_TRY(sotto_bind_as(b, e, out, SOTTO_TYPE_BOOLEAN, &out->sql));
	out->whole = NULL;
	return SOTTO_OK;
}
