/*
 * Values of $1, $2, … put into the parser's tree as the constants that they stand for.
 *
 * No text of a value ever becomes text of a query: a value is one node of the tree, whatever
 * it holds, and what stands in a node of a number is checked to be a number first.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "central/parse/parse.h"
#include "central/parse/pg_node.h"
#include "central/parse/parse_query.h"
#include "core/base/failure.h"

enum { DIGITS_MAX = 1000, DEPTH_MAX = 4000 };

/* [-+]digits[.digits][e[-+]digits], with a digit before or after the point. */
static bool is_number(const char *s)
{
	size_t digits = 0, n = strlen(s);

	if (n > DIGITS_MAX)
		return false;
	s += *s == '-' || *s == '+';
	for (; isdigit((unsigned char)*s); s++)
		digits++;
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++)
			digits++;
	if (digits == 0)
		return false;
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '-' || *s == '+';
		if (!isdigit((unsigned char)*s))
			return false;
		while (isdigit((unsigned char)*s))
			s++;
	}
	return *s == '\0';
}

static bool is_whole(const char *s, long long *out)
{
	size_t n = strspn(s + (*s == '-'), "0123456789");

	if (n == 0 || n > 18 || s[n + (*s == '-')] != '\0')
		return false;
	*out = strtoll(s, NULL, 10);
	return true;
}

/* {"A_Const": {field: {field: value}}}; takes value. */
static json_t *constant(const char *field, json_t *value, int at)
{
	return json_pack("{s:{s:{s:o}, s:i}}", "A_Const", field, field, value, "location", at);
}

static json_t *number(const char *text, int at)
{
	long long whole;

	if (is_whole(text, &whole))
		return constant("ival", json_integer(whole), at);
	return constant("fval", json_string(text + (*text == '+')), at);
}

/* CAST('2024-05-01' AS date) */
static json_t *moment(const char *text, const char *type, int at)
{
	return json_pack("{s:{s:o, s:{s:[{s:{s:s}}]}, s:i}}", "TypeCast", "arg",
			 constant("sval", json_string(text), at), "typeName", "names", "String",
			 "sval", type, "location", at);
}

/* NULL: not of its kind, not UTF-8, or no memory. */
static json_t *node_of(const struct sotto_bound_value *x, int at)
{
	switch (x->kind) {
	case SOTTO_PARAMETER_NULL:
		return json_pack("{s:{s:b, s:i}}", "A_Const", "isnull", 1, "location", at);
	case SOTTO_PARAMETER_BOOL:
		return constant("boolval", json_boolean(strcmp(x->text, "true") == 0), at);
	case SOTTO_PARAMETER_NUMBER:
		return is_number(x->text) ? number(x->text, at) : NULL;
	case SOTTO_PARAMETER_TEXT:
		return constant("sval", json_string(x->text), at);
	case SOTTO_PARAMETER_DATE:
		return moment(x->text, "date", at);
	case SOTTO_PARAMETER_TIMESTAMP:
		return moment(x->text, "timestamp", at);
	}
	return NULL;
}

static enum sotto_status
bind_one(const struct sotto_sql_parser *p, const json_t *param, bool is_count, json_t **out)
{
	int n = sotto_sql_node_int(param, "number", 0),
	    at = sotto_sql_node_int(param, "location", 0);
	struct sotto_bound_value x;
	long long whole;

	if (n < 1 || (size_t)n > p->parameter_count)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, at,
				      p->parameter_count
					      ? "there is no value for the parameter $%d"
					      : "the parameter $%d has no value; write the "
						"value",
				      n);
	x = p->parameters[n - 1];
	/* LIMIT '3' is what a client means that names no types. */
	if (is_count && x.kind == SOTTO_PARAMETER_TEXT && is_whole(x.text, &whole))
		x.kind = SOTTO_PARAMETER_NUMBER;
	*out = node_of(&x, at);
	return *out ? SOTTO_OK
		    : sotto_sql_fail(p->err, SOTTO_EPARSE, p->text, at,
				     "the value of the parameter $%d cannot be read", n);
}

static enum sotto_status
bind_below(const struct sotto_sql_parser *p, json_t *node, size_t depth);

/* The child in place of itself, or what it stands for; *out is NULL if it stays. */
static enum sotto_status bind_child(const struct sotto_sql_parser *p, json_t *child,
				    bool is_count, size_t depth, json_t **out)
{
	const json_t *param = json_object_get(child, "ParamRef");

	*out = NULL;
	if (param)
		return bind_one(p, param, is_count, out);
	return bind_below(p, child, depth + 1);
}

static enum sotto_status
bind_below(const struct sotto_sql_parser *p, json_t *node, size_t depth)
{
	json_t *child, *made;
	const char *key;
	size_t i;

	if (depth > DEPTH_MAX)
		return sotto_fail(p->err, SOTTO_ERANGE, "the query is nested too deep");
	json_object_foreach(node, key, child)
	{
		bool is_count =
			strcmp(key, "limitCount") == 0 || strcmp(key, "limitOffset") == 0;

		SOTTO_TRY(bind_child(p, child, is_count, depth, &made));
		if (made && json_object_set_new(node, key, made) != 0)
			return SOTTO_ENOMEM;
	}
	json_array_foreach(node, i, child)
	{
		SOTTO_TRY(bind_child(p, child, false, depth, &made));
		if (made && json_array_set_new(node, i, made) != 0)
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_sql_bind(const struct sotto_sql_parser *p, json_t *root)
{
	return bind_below(p, root, 0);
}
