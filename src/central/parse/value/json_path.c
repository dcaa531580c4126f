/*
 * Reads a path step by step and refuses anything else; a chain of operators becomes one path,
 * so that the engine extracts once.
 */
#include "central/parse/value/json_path.h"

#include <string.h>

#include "central/parse/parse_query.h"
#include "core/base/failure.h"

enum { PATH_MAX_LENGTH = 200, INDEX_DIGITS = 6 };

static const char digits[] = "0123456789";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char letters_and_digits[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* What no path can say: the ends of a quoted name, and what is not a character. */
static bool is_plain_name(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (name[i] == '"' || name[i] == '\\' || (unsigned char)name[i] < ' ')
			return false;
	return n > 0;
}

/* One step of a path; NULL if it is not one. */
static const char *after_step(const char *s)
{
	size_t n;

	if (*s == '[') {
		n = strspn(s + 1, digits);
		return n > 0 && n <= INDEX_DIGITS && s[1 + n] == ']' ? s + n + 2 : NULL;
	}
	if (*s != '.')
		return NULL;
	s++;
	if (*s == '"') {
		n = strcspn(s + 1, "\"");
		return s[1 + n] == '"' && is_plain_name(s + 1, n) ? s + n + 2 : NULL;
	}
	return *s && strchr(letters, *s) ? s + strspn(s, letters_and_digits) : NULL;
}

bool sotto_json_path_is_plain(const char *path)
{
	if (strlen(path) > PATH_MAX_LENGTH || *path != '$' || !path[1])
		return false;
	for (path++; path && *path;)
		path = after_step(path);
	return path != NULL;
}

const char *sotto_json_path_field(struct sotto_arena *a, const char *path, const char *name)
{
	return is_plain_name(name, strlen(name)) ? sotto_arena_textf(a, "%s.\"%s\"", path, name)
						 : "";
}

static const char *element(struct sotto_arena *a, const char *path, const char *index)
{
	size_t n = strlen(index);

	return n > 0 && n <= INDEX_DIGITS && strspn(index, digits) == n
		       ? sotto_arena_textf(a, "%s[%s]", path, index)
		       : "";
}

static struct sotto_sql_expr *value_at(struct sotto_arena *a, const char *function,
				       struct sotto_sql_expr *json, const char *path)
{
	struct sotto_sql_expr *call = sotto_sql_expr_new(a, SOTTO_SQL_CALL, json->at);
	struct sotto_sql_expr *text = sotto_sql_expr_new(a, SOTTO_SQL_TEXT, json->at);
	struct sotto_sql_expr **args = sotto_arena_alloc(a, 2 * sizeof *args);

	if (!call || !text || !args)
		return NULL;
	text->text = path;
	args[0] = json;
	args[1] = text;
	call->text = function;
	call->args = args;
	call->count = 2;
	return call;
}

struct sotto_sql_expr *
sotto_json_value(struct sotto_arena *a, struct sotto_sql_expr *json, const char *path)
{
	return value_at(a, "json_extract_string", json, path);
}

/* {a,0,b}: fields, and elements where only digits stand. */
static const char *path_of_list(struct sotto_arena *a, const char *path, const char *list)
{
	size_t n = strlen(list);

	if (n < 3 || n > PATH_MAX_LENGTH || list[0] != '{' || list[n - 1] != '}')
		return "";
	for (const char *s = list + 1; path && *path && s < list + n;) {
		size_t length = strcspn(s, ",}");
		const char *name = sotto_arena_textf(a, "%.*s", (int)length, s);

		if (!name)
			return NULL;
		path = strspn(name, digits) == length ? element(a, path, name)
						      : sotto_json_path_field(a, path, name);
		s += length + 1;
	}
	return path;
}

/* What stands right of the operator, behind what a chain of them has already. */
static const char *path_of(struct sotto_arena *a, const char *symbol, const char *path,
			   const struct sotto_sql_expr *key)
{
	if (symbol[0] == '#')
		return key->kind == SOTTO_SQL_TEXT ? path_of_list(a, path, key->text) : "";
	if (key->kind == SOTTO_SQL_TEXT)
		return sotto_json_path_field(a, path, key->text);
	return key->kind == SOTTO_SQL_NUMBER ? element(a, path, key->text) : "";
}

enum sotto_status sotto_json_operator(struct sotto_sql_parser *p, const char *symbol,
				      struct sotto_sql_expr *json, struct sotto_sql_expr *key,
				      struct sotto_sql_expr **out, bool *done)
{
	static const char *const symbols[] = {"->", "->>", "#>", "#>>"};
	const char *path = "$";

	*done = false;
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
		*done = *done || strcmp(symbols[i], symbol) == 0;
	if (!*done)
		return SOTTO_OK;
	if (json->kind == SOTTO_SQL_CALL && strcmp(json->text, "json_extract") == 0 &&
	    json->count == 2 && json->args[1]->kind == SOTTO_SQL_TEXT &&
	    sotto_json_path_is_plain(json->args[1]->text)) {
		path = json->args[1]->text;
		json = json->args[0];
	}
	path = path_of(p->arena, symbol, path, key);
	SOTTO_SQL_NEED(path);
	if (!sotto_json_path_is_plain(path))
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, key->at,
				      "the operator %s takes a name or a number that is "
				      "written out, like info ->> 'name'",
				      symbol);
	*out = value_at(p->arena,
			symbol[strlen(symbol) - 2] == '>' ? "json_extract_string"
							  : "json_extract",
			json, path);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}
