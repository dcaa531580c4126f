/* Answers questions about the catalog. */
#include "server/catalog/catalog.h"

#include <pg_query.h>
#include <stdlib.h>
#include <string.h>

#include "central/parse/parse.h"
#include "central/parse/parse_query.h"
#include "central/parse/pg_node.h"
#include "core/base/failure.h"
#include "core/base/shortest.h"
#include "core/base/steady.h"
#include "server/catalog/catalog_inside.h"
#include "server/catalog/catalog_temporary.h"

enum {
	STEPS = 1000, /* of the engine, between looks at how many there were */
	LOOKS_MAX = 50000,
	ANSWER_BYTES = 32 << 20,
	SQL_BYTES = 4 << 20,
	SQLITE_DEPTH = 1000,
	TEXT_BYTES = 1 << 20, /* of one value */
	TEMPORARY_BYTES = 64 << 20, /* of what is sorted or kept on the way */
	SECONDS_MAX = 5,
};

/* ---- what a statement asks about --------------------------------------------------------------- */

struct sight {
	size_t catalog, others;
	const json_t *ctes[32];
	size_t cte_count;
	size_t depth;
};

static bool is_cte(const struct sight *s, const char *name)
{
	for (size_t i = 0; i < s->cte_count; i++)
		if (strcmp(sotto_sql_node_word(s->ctes[i], "ctename"), name) == 0)
			return true;
	return false;
}

static void look_at_table(struct sight *s, const json_t *table)
{
	const char *schema = sotto_sql_node_word(table, "schemaname"),
		   *name = sotto_sql_node_word(table, "relname");

	if (strcmp(schema, "pg_catalog") == 0 || strcmp(schema, "information_schema") == 0 ||
	    (!*schema && strncmp(name, "pg_", 3) == 0 && sotto_catalog_has("", name)))
		s->catalog++;
	else if (*schema || !is_cte(s, name))
		s->others++;
}

static void gather_ctes(struct sight *s, json_t *node)
{
	json_t *child, *cte = json_object_get(node, "CommonTableExpr");
	const char *key;
	size_t i;

	if (s->depth++ < 2000) {
		if (cte && s->cte_count < sizeof s->ctes / sizeof s->ctes[0])
			s->ctes[s->cte_count++] = cte;
		json_object_foreach(node, key, child) gather_ctes(s, child);
		json_array_foreach(node, i, child) gather_ctes(s, child);
	}
	s->depth--;
}

static void look(struct sight *s, json_t *node)
{
	json_t *child, *table = json_object_get(node, "RangeVar");
	const char *key;
	size_t i;

	if (s->depth++ < 2000) {
		if (table)
			look_at_table(s, table);
		json_object_foreach(node, key, child) look(s, child);
		json_array_foreach(node, i, child) look(s, child);
	}
	s->depth--;
}

static const json_t *only_select(const json_t *root)
{
	const json_t *list = json_object_get(root, "stmts");

	return json_array_size(list) == 1
		       ? json_object_get(json_object_get(json_array_get(list, 0), "stmt"),
					 "SelectStmt")
		       : NULL;
}

/* The syntax tree; NULL if it is not one, or too large for any question. */
static json_t *parse(const char *sql)
{
	PgQueryParseResult result;
	json_t *root = NULL;

	if (strnlen(sql, SOTTO_SQL_TEXT_MAX + 1) > SOTTO_SQL_TEXT_MAX)
		return NULL;
	result = pg_query_parse(sql);
	if (!result.error &&
	    strnlen(result.parse_tree, SOTTO_SQL_TREE_MAX + 1) <= SOTTO_SQL_TREE_MAX)
		root = json_loads(result.parse_tree, 0, NULL);
	pg_query_free_parse_result(result);
	return root;
}

enum sotto_catalog_about sotto_catalog_about(const char *sql)
{
	json_t *root = parse(sql);
	struct sight s = {0};
	bool is_select = only_select(root) != NULL;

	if (is_select) {
		gather_ctes(&s, root);
		look(&s, root);
	}
	json_decref(root);
	if (!is_select || (s.others > 0 && s.catalog == 0))
		return SOTTO_ABOUT_DATA;
	return s.catalog == 0  ? SOTTO_ABOUT_NOTHING
	       : s.others == 0 ? SOTTO_ABOUT_CATALOG
			       : SOTTO_ABOUT_BOTH;
}

/* ---- the engine ---------------------------------------------------------------------------------- */

struct engine {
	sqlite3 *db;
	struct sotto_catalog_temporary temporary;
	size_t looks;
	uint64_t
		deadline; /* of the time that the thread works, so that a busy machine refuses nothing */
};

static int count_steps(void *context)
{
	struct engine *e = context;

	return ++e->looks > LOOKS_MAX || sotto_steady_worked() > e->deadline;
}

/* Nothing but reading, whatever was printed. */
static int
only_read(void *context, int action, const char *a, const char *b, const char *c, const char *d)
{
	(void)context;
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION ||
			       action == SQLITE_RECURSIVE
		       ? SQLITE_OK
		       : SQLITE_DENY;
}

static enum sotto_status open_engine(struct engine *e, struct sotto_session *s,
				     const struct sotto_catalog_who *who,
				     struct sotto_error *err)
{
	SOTTO_TRY(sotto_catalog_temporary_init(&e->temporary, TEMPORARY_BYTES));
	if (sqlite3_open_v2(":memory:", &e->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    e->temporary.name) != SQLITE_OK)
		return SOTTO_ENOMEM;
	(void)sqlite3_db_config(e->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	SOTTO_TRY(sotto_catalog_add_functions(e->db, who));
	SOTTO_TRY(sotto_catalog_fill(e->db, s, who, err));
	/* json_each is set up when it is first used, which is more than reading. */
	if (sqlite3_exec(e->db, "SELECT 1 FROM json_each('[]')", NULL, NULL, NULL) != SQLITE_OK)
		return SOTTO_ENOMEM;
	(void)sqlite3_limit(e->db, SQLITE_LIMIT_LENGTH, TEXT_BYTES);
	e->deadline = sotto_steady_worked() + SECONDS_MAX * SOTTO_STEADY_SECOND;
	(void)sqlite3_limit(e->db, SQLITE_LIMIT_EXPR_DEPTH, SQLITE_DEPTH);
	(void)sqlite3_limit(e->db, SQLITE_LIMIT_ATTACHED, 0);
	(void)sqlite3_set_authorizer(e->db, only_read, NULL);
	sqlite3_progress_handler(e->db, STEPS, count_steps, e);
	return SOTTO_OK;
}

/* ---- the answer ---------------------------------------------------------------------------------- */

/* PostgreSQL's number for a type that a column was declared with. */
static int32_t declared(const char *type)
{
	static const struct {
		const char *name;
		enum sotto_pg_type type;
	} names[] = {{"bool", SOTTO_PG_BOOL},     {"int2", SOTTO_PG_INT2},
		     {"int4", SOTTO_PG_INT4},     {"int8", SOTTO_PG_INT8},
		     {"oid", SOTTO_PG_OID},       {"float4", SOTTO_PG_FLOAT4},
		     {"float8", SOTTO_PG_FLOAT8}, {"text_array", SOTTO_PG_TEXT_ARRAY}};

	for (size_t i = 0; type && i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i].name, type) == 0)
			return names[i].type;
	return SOTTO_PG_TEXT;
}

/* What is shown as a name is a text for clients. */
static int32_t shown(enum sotto_pg_type type)
{
	switch (type) {
	case SOTTO_PG_REGCLASS:
	case SOTTO_PG_REGTYPE:
	case SOTTO_PG_REGNAMESPACE:
	case SOTTO_PG_REGPROC:
		return SOTTO_PG_TEXT;
	default:
		return type;
	}
}

/* The outputs of the first block; NULL if one of them is a star. */
static const json_t *targets_of(const json_t *select)
{
	const json_t *list;

	while (json_object_get(select, "larg"))
		select = json_object_get(select, "larg");
	list = json_object_get(select, "targetList");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *fields = json_object_get(
			json_object_get(json_object_get(json_object_get(json_array_get(list, i),
									"ResTarget"),
							"val"),
					"ColumnRef"),
			"fields");

		if (json_object_get(json_array_get(fields, json_array_size(fields) - 1),
				    "A_Star"))
			return NULL;
	}
	return list;
}

static enum sotto_status
take_columns(struct sotto_catalog_answer *out, sqlite3_stmt *q, const json_t *select)
{
	const json_t *targets = targets_of(select);

	out->column_count = (size_t)sqlite3_column_count(q);
	out->columns = calloc(out->column_count + 1, sizeof *out->columns);
	for (size_t i = 0; out->columns && i < out->column_count; i++) {
		const json_t *value = json_object_get(
			json_object_get(json_array_get(targets, i), "ResTarget"), "val");
		int32_t type = shown(sotto_catalog_type_of(value));
		const char *name = sqlite3_column_name(q, (int)i);

		out->columns[i].type =
			type ? type : declared(sqlite3_column_decltype(q, (int)i));
		out->columns[i].name = name ? strdup(name) : NULL;
		if (!out->columns[i].name)
			return SOTTO_ENOMEM;
	}
	return out->columns ? SOTTO_OK : SOTTO_ENOMEM;
}

static char *cell_text(sqlite3_stmt *q, int i, int32_t type)
{
	char number[SOTTO_SHORTEST_SIZE];

	if (type == SOTTO_PG_BOOL)
		return strdup(sqlite3_column_int(q, i) ? "t" : "f");
	if (sqlite3_column_type(q, i) == SQLITE_FLOAT) {
		sotto_shortest(sqlite3_column_double(q, i), number);
		return strdup(number);
	}
	return strdup((const char *)sqlite3_column_text(q, i));
}

static enum sotto_status take_row(struct sotto_catalog_answer *out, sqlite3_stmt *q)
{
	size_t n = out->row_count * out->column_count;
	char **cells = realloc(out->cells, (n + out->column_count + 1) * sizeof *cells);

	if (!cells)
		return SOTTO_ENOMEM;
	out->cells = cells;
	memset(cells + n, 0, out->column_count * sizeof *cells);
	out->row_count++;
	for (size_t i = 0; i < out->column_count; i++) {
		if (sqlite3_column_type(q, (int)i) == SQLITE_NULL)
			continue;
		cells[n + i] = cell_text(q, (int)i, out->columns[i].type);
		if (!cells[n + i])
			return SOTTO_ENOMEM;
		out->bytes += strlen(cells[n + i]) + sizeof *cells;
	}
	return out->bytes <= ANSWER_BYTES ? SOTTO_OK : SOTTO_ERANGE;
}

static bool is_limit(int step)
{
	return step == SQLITE_INTERRUPT || step == SQLITE_FULL || step == SQLITE_NOMEM ||
	       step == SQLITE_TOOBIG;
}

static enum sotto_status run(struct engine *e, const char *sql, const json_t *select,
			     struct sotto_catalog_answer *out, struct sotto_error *err)
{
	sqlite3_stmt *q = NULL;
	enum sotto_status st;
	int step = SQLITE_DONE;

	if (sqlite3_prepare_v2(e->db, sql, -1, &q, NULL) != SQLITE_OK)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "this question about the catalog is not understood: %.200s",
				  sqlite3_errmsg(e->db));
	st = take_columns(out, q, select);
	while (st == SOTTO_OK && (step = sqlite3_step(q)) == SQLITE_ROW)
		st = take_row(out, q);
	if (st == SOTTO_ERANGE || is_limit(step))
		st = sotto_fail(
			err, SOTTO_ERANGE,
			"this question about the catalog takes too long or is too large");
	else if (st == SOTTO_OK && step != SQLITE_DONE)
		st = sotto_fail(err, SOTTO_EREFUSED,
				"this question about the catalog is not understood: %.200s",
				sqlite3_errmsg(e->db));
	sqlite3_finalize(q);
	return st;
}

static enum sotto_status print(const struct sotto_question *q, json_t *root,
			       struct sotto_buffer *sql, struct sotto_error *err)
{
	struct sotto_sql_parser parser = {.text = q->sql,
					  .err = err,
					  .parameters = q->parameters,
					  .parameter_count = q->parameter_count};
	struct sotto_catalog_printer p = {
		.out = sql, .status = SOTTO_OK, .err = err, .parser = &parser};

	SOTTO_TRY(sotto_sql_bind(&parser, root));
	sotto_catalog_print_select(&p, only_select(root), true);
	return p.status;
}

enum sotto_status sotto_catalog_ask(struct sotto_session *s, const struct sotto_question *q,
				    const struct sotto_catalog_who *who,
				    struct sotto_catalog_answer *out, struct sotto_error *err)
{
	json_t *root = parse(q->sql);
	struct sotto_buffer sql;
	struct engine e = {0};
	enum sotto_status st;

	*out = (struct sotto_catalog_answer){0};
	sotto_buffer_init(&sql, SQL_BYTES);
	st = only_select(root) ? print(q, root, &sql, err)
			       : sotto_fail(err, SOTTO_EPARSE, "this is no SELECT");
	if (st == SOTTO_OK)
		st = open_engine(&e, s, who, err);
	if (st == SOTTO_OK)
		st = run(&e, sotto_buffer_text(&sql), only_select(root), out, err);
	sqlite3_close(e.db);
	sotto_catalog_temporary_release(&e.temporary);
	sotto_buffer_release(&sql);
	json_decref(root);
	if (st != SOTTO_OK)
		sotto_catalog_answer_release(out);
	return st;
}

void sotto_catalog_answer_release(struct sotto_catalog_answer *a)
{
	for (size_t i = 0; a->columns && i < a->column_count; i++)
		free(a->columns[i].name);
	for (size_t i = 0; a->cells && i < a->row_count * a->column_count; i++)
		free(a->cells[i]);
	free(a->columns);
	free(a->cells);
	*a = (struct sotto_catalog_answer){0};
}
