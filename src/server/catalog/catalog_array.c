/* Arrays of PostgreSQL as the texts that it writes them as, '{a,"b c"}', in SQLite. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/buffer.h"
#include "server/catalog/catalog_array.h"
#include "server/catalog/catalog_inside.h"

enum { ARRAY_CAP = 1 << 20, SERIES_MAX = 10000 };

/* ---- reading -------------------------------------------------------------------------------- */

bool sotto_array_next(const char **at, struct sotto_buffer *out, bool *is_null)
{
	const char *c = *at;
	bool quoted = false;

	sotto_buffer_clear(out);
	if (*c == '{' || *c == ',')
		c++;
	if (*c == '}' || *c == '\0')
		return false;
	quoted = *c == '"';
	for (c += quoted; *c && (quoted ? *c != '"' : *c != ',' && *c != '}'); c++) {
		c += *c == '\\' && c[1];
		if (sotto_buffer_append(out, c, 1) != SOTTO_OK)
			return false;
	}
	c += quoted && *c == '"';
	*is_null = !quoted && strcmp(sotto_buffer_text(out), "NULL") == 0;
	*at = c;
	return true;
}

static const char *text_of(sqlite3_value *v)
{
	return (const char *)sqlite3_value_text(v);
}

static size_t count(const char *array)
{
	struct sotto_buffer item;
	bool is_null;
	size_t n = 0;

	sotto_buffer_init(&item, ARRAY_CAP);
	while (sotto_array_next(&array, &item, &is_null))
		n++;
	sotto_buffer_release(&item);
	return n;
}

static void array_upper(sqlite3_context *c, int n, sqlite3_value **v)
{
	size_t items = n > 0 && text_of(v[0]) ? count(text_of(v[0])) : 0;

	if (items)
		sqlite3_result_int64(c, (sqlite3_int64)items);
}

static void array_lower(sqlite3_context *c, int n, sqlite3_value **v)
{
	if (n > 0 && text_of(v[0]) && count(text_of(v[0])))
		sqlite3_result_int(c, 1);
}

static void array_at(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *array = text_of(v[0]);
	sqlite3_int64 wanted = sqlite3_value_int64(v[1]), i = 0;
	struct sotto_buffer item;
	bool is_null;

	(void)n;
	sotto_buffer_init(&item, ARRAY_CAP);
	while (array && sotto_array_next(&array, &item, &is_null))
		if (++i == wanted && !is_null)
			sqlite3_result_text(c, sotto_buffer_text(&item), -1, SQLITE_TRANSIENT);
	sotto_buffer_release(&item);
}

/* x = ANY (array); NULL if either is. */
static void in_array(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *x = text_of(v[0]), *array = text_of(v[1]);
	struct sotto_buffer item;
	bool is_null, found = false;

	(void)n;
	if (!x || !array)
		return;
	sotto_buffer_init(&item, ARRAY_CAP);
	while (!found && sotto_array_next(&array, &item, &is_null))
		found = !is_null && strcmp(sotto_buffer_text(&item), x) == 0;
	sotto_buffer_release(&item);
	sqlite3_result_int(c, found);
}

static void array_to_string(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *array = text_of(v[0]), *between = n > 1 ? text_of(v[1]) : NULL;
	struct sotto_buffer item, all;
	enum sotto_status st = SOTTO_OK;
	bool is_null, first = true;

	if (!array || !between)
		return;
	sotto_buffer_init(&item, ARRAY_CAP);
	sotto_buffer_init(&all, ARRAY_CAP);
	while (st == SOTTO_OK && sotto_array_next(&array, &item, &is_null)) {
		if (is_null)
			continue;
		if (!first)
			st = sotto_buffer_append_text(&all, between);
		if (st == SOTTO_OK)
			st = sotto_buffer_append_text(&all, sotto_buffer_text(&item));
		first = false;
	}
	sqlite3_result_text(c, sotto_buffer_text(&all), -1, SQLITE_TRANSIENT);
	sotto_buffer_release(&all);
	sotto_buffer_release(&item);
}

/* ---- writing -------------------------------------------------------------------------------- */

static enum sotto_status add_item(struct sotto_buffer *b, const char *text)
{
	bool plain = text && *text && strcasecmp(text, "NULL") != 0 &&
		     strcspn(text, "{},\"\\ \t\r\n\f\v") == strlen(text);
	enum sotto_status st = SOTTO_OK;

	if (b->length > 1)
		st = sotto_buffer_append(b, ",", 1);
	if (st == SOTTO_OK && (!text || plain))
		return sotto_buffer_append_text(b, text ? text : "NULL");
	if (st == SOTTO_OK)
		st = sotto_buffer_append(b, "\"", 1);
	for (; st == SOTTO_OK && *text; text++) {
		if (*text == '"' || *text == '\\')
			st = sotto_buffer_append(b, "\\", 1);
		if (st == SOTTO_OK)
			st = sotto_buffer_append(b, text, 1);
	}
	return st == SOTTO_OK ? sotto_buffer_append(b, "\"", 1) : st;
}

static void finish(sqlite3_context *c, struct sotto_buffer *b, enum sotto_status st)
{
	if (st == SOTTO_OK)
		st = sotto_buffer_append(b, "}", 1);
	if (st == SOTTO_OK)
		sqlite3_result_text(c, sotto_buffer_text(b), -1, SQLITE_TRANSIENT);
	else
		sqlite3_result_error_nomem(c);
	sotto_buffer_release(b);
}

static void make_array(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, ARRAY_CAP);
	st = sotto_buffer_append(&b, "{", 1);
	for (int i = 0; st == SOTTO_OK && i < n; i++)
		st = add_item(&b, text_of(v[i]));
	finish(c, &b, st);
}

static void string_to_array(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *text = text_of(v[0]), *between = n > 1 ? text_of(v[1]) : NULL;
	struct sotto_buffer b;
	enum sotto_status st;

	if (!text || !between || !*between)
		return;
	sotto_buffer_init(&b, ARRAY_CAP);
	st = sotto_buffer_append(&b, "{", 1);
	while (st == SOTTO_OK && text) {
		const char *end = strstr(text, between);
		char *item = end ? strndup(text, (size_t)(end - text)) : strdup(text);

		st = item ? add_item(&b, item) : SOTTO_ENOMEM;
		free(item);
		text = end ? end + strlen(between) : NULL;
	}
	finish(c, &b, st);
}

/* array_agg, whose state is the text so far. */
struct gathered {
	struct sotto_buffer *text;
};

static void gather_step(sqlite3_context *c, int n, sqlite3_value **v)
{
	struct gathered *g = sqlite3_aggregate_context(c, sizeof *g);

	(void)n;
	if (g && !g->text) {
		g->text = malloc(sizeof *g->text);
		if (g->text)
			sotto_buffer_init(g->text, ARRAY_CAP);
		if (g->text && sotto_buffer_append(g->text, "{", 1) != SOTTO_OK)
			sqlite3_result_error_nomem(c);
	}
	if (!g || !g->text || add_item(g->text, text_of(v[0])) != SOTTO_OK)
		sqlite3_result_error_nomem(c);
}

static void gather_end(sqlite3_context *c)
{
	struct gathered *g = sqlite3_aggregate_context(c, 0);

	if (!g || !g->text) {
		sqlite3_result_text(c, "{}", -1, SQLITE_STATIC);
		return;
	}
	finish(c, g->text, SOTTO_OK);
	free(g->text);
	g->text = NULL;
}

/* ---- rows of an array, as JSON for json_each ----------------------------------------------------- */

static void array_json(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *array = text_of(v[0]);
	json_t *list = json_array();
	struct sotto_buffer item;
	char *text;
	bool is_null;

	(void)n;
	sotto_buffer_init(&item, ARRAY_CAP);
	while (array && sotto_array_next(&array, &item, &is_null))
		(void)json_array_append_new(
			list, is_null ? json_null() : json_string(sotto_buffer_text(&item)));
	sotto_buffer_release(&item);
	text = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	sqlite3_result_text(c, text ? text : "[]", -1, SQLITE_TRANSIENT);
	free(text);
}

static void series(sqlite3_context *c, int n, sqlite3_value **v)
{
	sqlite3_int64 from = sqlite3_value_int64(v[0]), to = sqlite3_value_int64(v[1]);
	json_t *list = json_array();
	char *text;

	(void)n;
	if (sqlite3_value_type(v[0]) == SQLITE_NULL || sqlite3_value_type(v[1]) == SQLITE_NULL)
		to = from - 1;
	if (to > from && (uint64_t)to - (uint64_t)from > SERIES_MAX) {
		json_decref(list);
		sqlite3_result_error(c, "a series is too long", -1);
		return;
	}
	for (sqlite3_int64 i = from; i <= to; i++)
		(void)json_array_append_new(list, json_integer(i));
	text = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	sqlite3_result_text(c, text ? text : "[]", -1, SQLITE_TRANSIENT);
	free(text);
}

enum sotto_status sotto_catalog_add_array_functions(sqlite3 *db)
{
	static const struct {
		const char *name;
		int arguments;
		void (*run)(sqlite3_context *, int, sqlite3_value **);
	} functions[] = {
		{"array_upper", 2, array_upper},
		{"array_length", 2, array_upper},
		{"cardinality", 1, array_upper},
		{"array_lower", 2, array_lower},
		{"pg_array_at", 2, array_at},
		{"pg_in_array", 2, in_array},
		{"array_to_string", -1, array_to_string},
		{"string_to_array", 2, string_to_array},
		{"pg_array", -1, make_array},
		{"pg_array_json", 1, array_json},
		{"pg_series", 2, series},
	};
	int code = SQLITE_OK;

	for (size_t i = 0; code == SQLITE_OK && i < sizeof functions / sizeof functions[0]; i++)
		code = sqlite3_create_function(db, functions[i].name, functions[i].arguments,
					       SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
					       functions[i].run, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_create_function(db, "pg_array_agg", 1, SQLITE_UTF8, NULL, NULL,
					       gather_step, gather_end);
	return code == SQLITE_OK ? SOTTO_OK : SOTTO_ENOMEM;
}
