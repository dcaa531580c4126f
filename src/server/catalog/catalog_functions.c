/*
 * Functions of PostgreSQL that questions about the catalog call.
 *
 * Sizes, counts and statistics of tables are NULL: they would tell about private rows.
 */
#include <string.h>
#include <strings.h>

#include "server/catalog/catalog.h"
#include "server/catalog/catalog_inside.h"

static const char *text_of(sqlite3_value *v)
{
	return (const char *)sqlite3_value_text(v);
}

/* ---- names of numbers, numbers of names ---------------------------------------------------------- */

/* The first cell of a query with one parameter; NULL if there is none. */
static void look_up(sqlite3_context *c, const char *sql, sqlite3_value *x, sqlite3_value *y)
{
	sqlite3_stmt *q = NULL;

	if (sqlite3_prepare_v2(sqlite3_context_db_handle(c), sql, -1, &q, NULL) != SQLITE_OK)
		return;
	(void)sqlite3_bind_value(q, 1, x);
	if (y)
		(void)sqlite3_bind_value(q, 2, y);
	if (sqlite3_step(q) == SQLITE_ROW)
		sqlite3_result_value(c, sqlite3_column_value(q, 0));
	sqlite3_finalize(q);
}

struct naming {
	const char *number_of, *name_of;
};

static const struct naming classes = {
	"SELECT oid FROM \"pg_catalog pg_class\" WHERE relname = ?1",
	"SELECT relname FROM \"pg_catalog pg_class\" WHERE oid = ?1"};
static const struct naming type_names = {"SELECT oid FROM types WHERE name = ?1 OR short = ?1",
					 "SELECT name FROM types WHERE oid = ?1"};
static const struct naming namespaces = {
	"SELECT oid FROM \"pg_catalog pg_namespace\" WHERE nspname = ?1",
	"SELECT nspname FROM \"pg_catalog pg_namespace\" WHERE oid = ?1"};

/* 'public.patients', '"patients"' or patients: the name alone. */
static void name_alone(const char *text, char out[256])
{
	const char *dot = strrchr(text, '.');
	size_t n = 0;

	for (const char *c = dot ? dot + 1 : text; *c && n < 255; c++)
		if (*c != '"')
			out[n++] = *c;
	out[n] = '\0';
}

/* A number stays one; a text that is a number becomes one; a name is looked up. */
static void number_of(sqlite3_context *c, int n, sqlite3_value **v)
{
	const struct naming *names = sqlite3_user_data(c);
	sqlite3_stmt *q = NULL;
	const char *text;
	char name[256];

	(void)n;
	if (sqlite3_value_numeric_type(v[0]) != SQLITE_TEXT) {
		sqlite3_result_value(c, v[0]);
		return;
	}
	text = text_of(v[0]);
	name_alone(text, name);
	if (sqlite3_prepare_v2(sqlite3_context_db_handle(c), names->number_of, -1, &q, NULL) ==
	    SQLITE_OK) {
		(void)sqlite3_bind_text(q, 1, name, -1, SQLITE_TRANSIENT);
		if (sqlite3_step(q) == SQLITE_ROW)
			sqlite3_result_value(c, sqlite3_column_value(q, 0));
	}
	sqlite3_finalize(q);
}

static void name_of(sqlite3_context *c, int n, sqlite3_value **v)
{
	const struct naming *names = sqlite3_user_data(c);

	(void)n;
	look_up(c, names->name_of, v[0], NULL);
}

static void procedure(sqlite3_context *c, int n, sqlite3_value **v)
{
	char name[256];

	(void)n;
	if (!text_of(v[0]))
		return;
	name_alone(text_of(v[0]), name);
	sqlite3_result_text(c, name, -1, SQLITE_TRANSIENT);
}

static void description(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	look_up(c,
		"SELECT description FROM \"pg_catalog pg_description\" WHERE objoid = ?1 AND "
		"objsubid = 0",
		v[0], NULL);
}

static void column_description(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	look_up(c,
		"SELECT description FROM \"pg_catalog pg_description\" WHERE objoid = ?1 AND "
		"objsubid = ?2",
		v[0], v[1]);
}

static void is_visible(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	look_up(c,
		"SELECT relnamespace IN (11, 2200) FROM \"pg_catalog pg_class\" WHERE oid = ?1",
		v[0], NULL);
}

static void setting(sqlite3_context *c, int n, sqlite3_value **v)
{
	if (n > 0)
		look_up(c,
			"SELECT setting FROM \"pg_catalog pg_settings\" WHERE lower(name) = "
			"lower(?1)",
			v[0], NULL);
}

/* ---- who and where ---------------------------------------------------------------------------- */

static void version(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	(void)v;
	sqlite3_result_text(c, "PostgreSQL 15.0 (sotto: answers are noisy)", -1, SQLITE_STATIC);
}

static void user(sqlite3_context *c, int n, sqlite3_value **v)
{
	const struct sotto_catalog_who *who = sqlite3_user_data(c);

	(void)n;
	(void)v;
	sqlite3_result_text(c, who->name, -1, SQLITE_TRANSIENT);
}

static void database(sqlite3_context *c, int n, sqlite3_value **v)
{
	const struct sotto_catalog_who *who = sqlite3_user_data(c);

	(void)n;
	(void)v;
	sqlite3_result_text(c, who->database, -1, SQLITE_TRANSIENT);
}

static void process(sqlite3_context *c, int n, sqlite3_value **v)
{
	const struct sotto_catalog_who *who = sqlite3_user_data(c);

	(void)n;
	(void)v;
	sqlite3_result_int(c, who->number);
}

static void schema(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	(void)v;
	sqlite3_result_text(c, "public", -1, SQLITE_STATIC);
}

static void schemas(sqlite3_context *c, int n, sqlite3_value **v)
{
	bool all = n > 0 && sqlite3_value_int(v[0]);

	sqlite3_result_text(c, all ? "{pg_catalog,public}" : "{public}", -1, SQLITE_STATIC);
}

static void owner(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	(void)v;
	sqlite3_result_text(c, "owner", -1, SQLITE_STATIC);
}

static void encoding(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	(void)v;
	sqlite3_result_text(c, "UTF8", -1, SQLITE_STATIC);
}

/* ---- truth ------------------------------------------------------------------------------------- */

static void yes(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	(void)v;
	sqlite3_result_int(c, 1);
}

static void no(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	(void)v;
	sqlite3_result_int(c, 0);
}

static void nothing(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	(void)v;
	sqlite3_result_null(c);
}

/* The last argument names the privilege: tables are read, and nothing is changed. */
static void may_read(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *what = n > 0 ? text_of(v[n - 1]) : NULL;

	sqlite3_result_int(c, what && strcasestr(what, "select") != NULL);
}

static void may_use(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *what = n > 0 ? text_of(v[n - 1]) : NULL;

	sqlite3_result_int(c,
			   what && (strcasestr(what, "usage") || strcasestr(what, "connect")));
}

static void truth(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *text = text_of(v[0]);

	(void)n;
	if (!text)
		return;
	if (sqlite3_value_numeric_type(v[0]) == SQLITE_INTEGER)
		sqlite3_result_int(c, sqlite3_value_int(v[0]) != 0);
	else
		sqlite3_result_int(c, *text == 't' || *text == 'T' || *text == 'y' ||
					      *text == 'Y' || strcasecmp(text, "on") == 0);
}

static void truth_text(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	if (sqlite3_value_type(v[0]) != SQLITE_NULL)
		sqlite3_result_text(c, sqlite3_value_int(v[0]) ? "true" : "false", -1,
				    SQLITE_STATIC);
}

/* ---- all of them ---------------------------------------------------------------------------------- */

struct function {
	const char *name;
	void (*run)(sqlite3_context *, int, sqlite3_value **);
	const void *context;
	int arguments;
};

static const struct function functions[] = {
	{"pg_match", sotto_catalog_match, NULL, 3},
	{"pg_like", sotto_catalog_like, NULL, 3},
	{"pg_regclass", number_of, &classes, 1},
	{"pg_regclass_text", name_of, &classes, 1},
	{"pg_regtype", number_of, &type_names, 1},
	{"pg_regtype_text", name_of, &type_names, 1},
	{"pg_regnamespace", number_of, &namespaces, 1},
	{"pg_regnamespace_text", name_of, &namespaces, 1},
	{"pg_regproc", procedure, NULL, 1},
	{"format_type", name_of, &type_names, 2},
	{"obj_description", description, NULL, -1},
	{"col_description", column_description, NULL, 2},
	{"current_setting", setting, NULL, -1},
	{"pg_table_is_visible", is_visible, NULL, 1},
	{"version", version, NULL, 0},
	{"current_schema", schema, NULL, 0},
	{"current_schemas", schemas, NULL, 1},
	{"pg_get_userbyid", owner, NULL, 1},
	{"pg_encoding_to_char", encoding, NULL, 1},
	{"pg_yes", yes, NULL, -1},
	{"pg_no", no, NULL, -1},
	{"pg_nothing", nothing, NULL, -1},
	{"pg_may_read", may_read, NULL, -1},
	{"pg_may_use", may_use, NULL, -1},
	{"pg_bool", truth, NULL, 1},
	{"pg_bool_text", truth_text, NULL, 1},
	{"pg_concat", sotto_catalog_concat, NULL, -1},
	{"pg_format", sotto_catalog_format, NULL, -1},
	{"quote_ident", sotto_catalog_quote_name, NULL, 1},
};

static const struct function of_who[] = {
	{"current_user", user, NULL, 0},
	{"current_database", database, NULL, 0},
	{"pg_backend_pid", process, NULL, 0},
};

static int add(sqlite3 *db, const struct function *f, const void *context)
{
	return sqlite3_create_function(db, f->name, f->arguments, SQLITE_UTF8, (void *)context,
				       f->run, NULL, NULL);
}

enum sotto_status sotto_catalog_add_functions(sqlite3 *db, const struct sotto_catalog_who *who)
{
	int code = SQLITE_OK;

	for (size_t i = 0; code == SQLITE_OK && i < sizeof functions / sizeof functions[0]; i++)
		code = add(db, &functions[i], functions[i].context);
	for (size_t i = 0; code == SQLITE_OK && i < sizeof of_who / sizeof of_who[0]; i++)
		code = add(db, &of_who[i], who);
	return code == SQLITE_OK ? sotto_catalog_add_array_functions(db) : SOTTO_ENOMEM;
}
