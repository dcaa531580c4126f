/*
 * Arguments of calls, by the letters of row_function.h: as values of a type, or written out.
 */
#include "central/expression/bind.h"
#include "central/expression/number/whole_arithmetic.h"

#include <string.h>

#include "central/parse/pattern/text_pattern.h"
#include "central/parse/value/json_path.h"
#include "central/parse/value/date_format.h"
#include "central/parse/value/time_zone.h"
#include "central/expression/row_function.h"
#include "central/expression/range/public_range.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

static enum sotto_status literal_integer(struct sotto_binder *b, const struct sotto_sql_expr *e,
					 const struct sotto_bound *x,
					 const struct sotto_expression **out)
{
	if (!x->number || mpz_cmp_ui(mpq_denref(x->number->q), 1) != 0 ||
	    mpz_cmpabs_ui(mpq_numref(x->number->q), 1000000) > 0)
		return sotto_bind_refuse(b, e,
					 "a whole number written out is expected here, at most "
					 "1000000");
	*out = x->value;
	return SOTTO_OK;
}

/* Short, so that what is put in its place cannot grow a text without end. */
enum sotto_status
sotto_bind_literal_text(struct sotto_binder *b, const struct sotto_sql_expr *e,
			const struct sotto_bound *x, const struct sotto_expression **out)
{
	if (!x->literal || x->literal->kind != SOTTO_SQL_TEXT || strlen(x->literal->text) > 100)
		return sotto_bind_refuse(b, e,
					 "a text written out is expected here, of at most 100 "
					 "characters");
	*out = x->value;
	return SOTTO_OK;
}

/* What takes the place of a match; parts of the match are not put in. */
static enum sotto_status
literal_replacement(struct sotto_binder *b, const struct sotto_sql_expr *e,
		    const struct sotto_bound *x, const struct sotto_expression **out)
{
	SOTTO_TRY(sotto_bind_literal_text(b, e, x, out));
	if (strchr(x->literal->text, '\\'))
		return sotto_bind_refuse(
			b, e,
			"the replacement for a match must be a plain text without a backslash");
	return SOTTO_OK;
}

/* The same, with groups of the match: \0 to \9, and \\ for a backslash. */
static enum sotto_status literal_groups(struct sotto_binder *b, const struct sotto_sql_expr *e,
					const struct sotto_bound *x,
					const struct sotto_expression **out)
{
	SOTTO_TRY(sotto_bind_literal_text(b, e, x, out));
	for (const char *s = strchr(x->literal->text, '\\'); s; s = strchr(s + 2, '\\'))
		if (!s[1] || !strchr("0123456789\\", s[1]))
			return sotto_bind_refuse(
				b, e,
				"a backslash in the replacement is followed by the number of a "
				"group, like '\\1', or by another backslash");
	return SOTTO_OK;
}

static enum sotto_status literal_part(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      const struct sotto_bound *x,
				      const struct sotto_expression **out)
{
	if (!x->literal || x->literal->kind != SOTTO_SQL_TEXT ||
	    !sotto_date_part(x->literal->text))
		return sotto_bind_refuse(b, e,
					 "the part of a date must be one of year, quarter, "
					 "month, week, day, dow, isodow, doy, hour, minute, "
					 "second, epoch");
	*out = x->value;
	return SOTTO_OK;
}

static enum sotto_status literal_pattern(struct sotto_binder *b, const struct sotto_sql_expr *e,
					 const struct sotto_bound *x,
					 const struct sotto_expression **out)
{
	if (!x->literal || x->literal->kind != SOTTO_SQL_TEXT ||
	    !sotto_sql_pattern_is_plain(x->literal->text))
		return sotto_bind_refuse(
			b, e,
			"a regular expression is written out in the query, with at most %d "
			"characters: signs, ., [a-z], ( ), |, ^, $, *, +, ?, {2,3}, \\d, \\w "
			"and \\s",
			SOTTO_SQL_PATTERN_MAX);
	*out = x->value;
	return SOTTO_OK;
}

static enum sotto_status literal_format(struct sotto_binder *b, const struct sotto_sql_expr *e,
					const struct sotto_bound *x,
					const struct sotto_expression **out)
{
	if (!x->literal || x->literal->kind != SOTTO_SQL_TEXT ||
	    !sotto_sql_format_is_plain(x->literal->text))
		return sotto_bind_refuse(
			b, e,
			"the format of a date is written out in the query, like '%%Y-%%m' or, "
			"for to_char, 'YYYY-MM'");
	*out = x->value;
	return SOTTO_OK;
}

/* The signs that the engine reads as well as it writes them. */
static enum sotto_status literal_reading(struct sotto_binder *b, const struct sotto_sql_expr *e,
					 const struct sotto_bound *x,
					 const struct sotto_expression **out)
{
	if (!x->literal || x->literal->kind != SOTTO_SQL_TEXT ||
	    !sotto_sql_format_is_read(x->literal->text))
		return sotto_bind_refuse(
			b, e,
			"the format in which a text is read as a date is written out in the "
			"query, of %%Y, %%m, %%d, %%b, %%B, %%y, %%H, %%I, %%p, %%M and %%S");
	*out = x->value;
	return SOTTO_OK;
}

static enum sotto_status literal_interval(struct sotto_binder *b,
					  const struct sotto_sql_expr *e, struct sotto_bound *x,
					  const struct sotto_expression **out)
{
	*x = (struct sotto_bound){0};
	if (!sotto_expr_is_interval(e) || e->args[0]->text[0] == '-' ||
	    strcmp(e->args[0]->text, "0") == 0)
		return sotto_bind_refuse(b, e,
					 "write an interval above 0 here, like "
					 "INTERVAL '15 minutes'");
	return sotto_bind_amount(b, e, out);
}

static enum sotto_status literal_path(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      const struct sotto_bound *x,
				      const struct sotto_expression **out)
{
	if (!x->literal || x->literal->kind != SOTTO_SQL_TEXT ||
	    !sotto_json_path_is_plain(x->literal->text))
		return sotto_bind_refuse(b, e,
					 "a path in a JSON text is written out, with fields "
					 "and elements only, like '$.address.city' or "
					 "'$.visits[0]'");
	*out = x->value;
	return SOTTO_OK;
}

static enum sotto_status literal_zone(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      const struct sotto_bound *x,
				      const struct sotto_expression **out)
{
	const char *zone = x->literal && x->literal->kind == SOTTO_SQL_TEXT
				   ? sotto_time_zone_find(x->literal->text)
				   : NULL;

	if (!zone)
		return sotto_bind_refuse(b, e,
					 "a time zone is written out by its name, like "
					 "'Europe/Berlin'");
	*out = sotto_expression_text(b->arena, zone);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/*
 * Date functions complain near the ends of the engine's range, and an analyst
 * could make such a date for one row: what is outside years 1 to 9999 is NULL.
 */
enum sotto_status sotto_bind_temporal(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      const struct sotto_bound *x,
				      const struct sotto_expression **out)
{
	const struct sotto_expression *value;

	if (x->type == SOTTO_TYPE_DATE)
		return sotto_bind_made(b, out,
				       SOTTO_APPLY(b->arena, SOTTO_OP_DATE_INSIDE, x->value));
	SOTTO_TRY(sotto_bind_as(b, e, x, SOTTO_TYPE_TIMESTAMP, &value));
	return sotto_bind_made(b, out, SOTTO_APPLY(b->arena, SOTTO_OP_TIMESTAMP_INSIDE, value));
}

enum sotto_status sotto_bind_argument(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      char letter, struct sotto_bound *x,
				      const struct sotto_expression **out)
{
	if (letter == 'v')
		return literal_interval(b, e, x, out);
	SOTTO_TRY(sotto_bind(b, e, x));
	switch (letter) {
	case 'n':
		SOTTO_TRY(sotto_public_range(b, x));
		return sotto_bind_as(b, e, x, SOTTO_TYPE_NUMBER, out);
	case 'b':
		return sotto_whole_is(x) ? sotto_whole_value(b, x, out)
					 : sotto_bind_as(b, e, x, SOTTO_TYPE_NUMBER, out);
	case 't':
		return sotto_bind_as(b, e, x, SOTTO_TYPE_TEXT, out);
	case 'd':
	case 'o':
		return sotto_bind_temporal(b, e, x, out);
	case 'w':
		return literal_part(b, e, x, out);
	case 'l':
		return sotto_bind_literal_text(b, e, x, out);
	case 'r':
		return literal_replacement(b, e, x, out);
	case 's':
		return literal_groups(b, e, x, out);
	case 'p':
		return literal_pattern(b, e, x, out);
	case 'f':
		return literal_format(b, e, x, out);
	case 'x':
		return literal_reading(b, e, x, out);
	case 'j':
		return literal_path(b, e, x, out);
	case 'z':
		return literal_zone(b, e, x, out);
	default:
		return literal_integer(b, e, x, out);
	}
}

/* A whole number that the engine has as a DOUBLE is written without ".0". */
enum sotto_status sotto_bind_text(struct sotto_binder *b, const struct sotto_bound *x,
				  const struct sotto_expression **out)
{
	const struct sotto_expression *value;

	if (x->type == SOTTO_TYPE_LOOSE || x->type == SOTTO_TYPE_TEXT) {
		*out = x->value;
		return SOTTO_OK;
	}
	SOTTO_TRY(sotto_bind_near(b, x, &value));
	if (x->type == SOTTO_TYPE_INTEGER && x->is_double)
		value = sotto_expression_cast(b->arena, SOTTO_OP_TRY_CAST, value,
					      SOTTO_TYPE_INTEGER);
	return sotto_bind_made(
		b, out,
		sotto_expression_cast(b->arena, SOTTO_OP_TRY_CAST, value, SOTTO_TYPE_TEXT));
}
