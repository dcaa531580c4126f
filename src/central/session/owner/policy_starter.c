/*
 * A policy to start from.  Only headers and catalogues are read, and names come from
 * the owner where there is neither: no value of any record finds its way into the file.
 */
#include "central/session/owner/policy_starter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "central/seal/source/source_description.h"
#include "central/session/owner/postgres_declared.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(b, __VA_ARGS__))

/* The file's name without folder and ending: data/patients.csv is table patients. */
static void table_name(const char *file, char *name, size_t size)
{
	size_t end = strlen(file), start;

	while (end > 0 && file[end - 1] == '/') /* of a folder */
		end--;
	for (start = end; start > 0 && file[start - 1] != '/';)
		start--;
	if (memchr(file + start, '.', end - start))
		end = start + strcspn(file + start, ".");
	(void)snprintf(name, size, "%.*s", (int)(end - start), file + start);
}

/* ---- what is asked for ------------------------------------------------------------------------- */

static bool is_text(const char *file)
{
	return sotto_source_is_text(sotto_source_kind(file));
}

/* A number or a date where a name should stand: the line is a record. */
static bool is_value(const char *name)
{
	return name[strcspn(name, "0123456789")] != '\0' &&
	       name[strspn(name, "0123456789 .,:/+-eEtTzZ")] == '\0';
}

/* Names and types, without looking at records. */
enum sotto_status sotto_starter_schema(struct starter *s,
				       const struct sotto_policy_table *table,
				       struct sotto_schema_table *schema)
{
	struct sotto_session *session = s->session;
	struct sotto_sealed_column *columns;
	enum sotto_status st;
	size_t count;

	*schema = (struct sotto_schema_table){.policy = table};
	st = sotto_source_columns(&session->arena, table, &columns, &count, s->err);
	if (st == SOTTO_EIO)
		return sotto_fail(s->err, SOTTO_EIO,
				  "%.200s could not be read; check that it exists, that you "
				  "may read it, and that it is the kind of file that the end "
				  "of its name says",
				  table->source);
	SOTTO_TRY(st);
	schema->columns =
		sotto_arena_alloc(&session->arena, (count + 1) * sizeof *schema->columns);
	if (!schema->columns)
		return SOTTO_ENOMEM;
	schema->column_count = count;
	for (size_t i = 0; i < count; i++) {
		schema->columns[i].name = columns[i].name;
		schema->columns[i].type = SOTTO_TYPE_LOOSE;
		if (columns[i].type)
			sotto_schema_column_type(&schema->columns[i], columns[i].type);
	}
	return SOTTO_OK;
}

/* The first line, whatever the columns are called by the owner; a file without one is not looked at. */
static enum sotto_status check_names(struct starter *s, const struct sotto_policy_table *table)
{
	struct sotto_policy_table as_it_is = *table;
	struct sotto_schema_table t;

	if (sotto_source_kind(table->source) != SOTTO_SOURCE_CSV || table->has_no_header ||
	    s->from->has_header)
		return SOTTO_OK;
	as_it_is.names = NULL;
	as_it_is.name_count = 0;
	SOTTO_TRY(sotto_starter_schema(s, &as_it_is, &t));
	for (size_t i = 0; i < t.column_count; i++)
		if (is_value(t.columns[i].name))
			return sotto_fail(
				s->err, SOTTO_EREFUSED,
				"the first line of %.160s does not look like names (cell %zu "
				"is a number or a date); give --no-header --columns A,B,... if "
				"it is a record, --header if these are names",
				table->source, i + 1);
	return SOTTO_OK;
}

/* Before anything reads it: the engine would look for JSON in a folder. */
static enum sotto_status check_kind(struct starter *s, const char *file)
{
	bool is_folder = file[0] && file[strlen(file) - 1] == '/';
	struct stat at;

	if (!is_folder && stat(file, &at) == 0 && S_ISDIR(at.st_mode))
		return sotto_fail(s->err, SOTTO_EIO,
				  "%.200s is a folder; write %.200s/, with a slash at its end, "
				  "for the Parquet files in it",
				  file, file);
	if (sotto_source_kind(file) == SOTTO_SOURCE_UNKNOWN)
		return sotto_fail(
			s->err, SOTTO_EREFUSED,
			"%.200s must end in .csv, .tsv, .json, .ndjson (each also with "
			".gz), .parquet or .duckdb, or in / for a folder of Parquet "
			"files",
			file);
	return SOTTO_OK;
}

static enum sotto_status add_file(struct starter *s, const char *file, bool is_public)
{
	char name[SOTTO_STARTER_NAME];
	struct sotto_policy_table table = {.source = file,
					   .written = file,
					   .name = name,
					   .line = 1,
					   .is_public = is_public};

	struct sotto_schema_table schema;

	SOTTO_TRY(check_kind(s, file));
	if (sotto_source_kind(file) == SOTTO_SOURCE_DATABASE)
		return sotto_starter_database(s, file, is_public);
	if (is_text(file) && !is_public) {
		table.has_no_header = s->from->has_no_header;
		table.names = (const char **)s->from->columns;
		table.name_count = s->from->column_count;
	}
	if (sotto_starter_is_json(file) && !is_public && !table.names)
		return sotto_fail(s->err, SOTTO_EREFUSED,
				  "%.200s has no header, and sotto does not take names from "
				  "records; say which fields are columns: --columns "
				  "ID,AGE,CITY",
				  file);
	table_name(file, name, sizeof name);
	SOTTO_TRY(check_names(s, &table));
	SOTTO_TRY(sotto_starter_schema(s, &table, &schema));
	return sotto_starter_table(s, &schema);
}

/* Names without a slash are tables of the server, if there is one; none: all that it has. */
static enum sotto_status
add_sources(struct starter *s, const char *const *names, size_t count, bool is_public)
{
	struct sotto_arena *a = &s->session->arena;
	const char **served = sotto_arena_alloc(a, (count + 1) * sizeof *served);
	const char *const *list = served;
	size_t n = 0;

	if (!served)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (s->session->policy.server && !strchr(names[i], '/'))
			served[n++] = names[i];
	if (count == 0 && s->session->policy.server == SOTTO_SERVER_POSTGRES && !is_public)
		SOTTO_TRY(sotto_postgres_tables(a, s->session->policy.dsn, &list, &n, s->err));
	if (n > 0)
		SOTTO_TRY(sotto_starter_served(s, list, n, is_public));
	for (size_t i = 0; i < count; i++)
		if (!s->session->policy.server || strchr(names[i], '/'))
			SOTTO_TRY(add_file(s, names[i], is_public));
	return SOTTO_OK;
}

static enum sotto_status add_engine(struct sotto_buffer *b, const struct sotto_policy *p)
{
	const struct {
		const char *name, *value;
	} addresses[] = {{"dsn", p->dsn}, {"driver", p->driver}, {"uri", p->uri}};

	ADD("engine: %s\n", sotto_policy_engine(p->server));
	for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
		if (!addresses[i].value)
			continue;
		ADD("%s: ", addresses[i].name);
		SOTTO_TRY(sotto_starter_add_name(b, addresses[i].value));
		ADD("\n");
	}
	return SOTTO_OK;
}

static enum sotto_status
check_request(const struct sotto_starter *from, struct sotto_error *err)
{
	size_t texts = 0;

	for (size_t i = 0; i < from->file_count; i++)
		texts += is_text(from->files[i]);
	if ((from->driver != NULL) != (from->uri != NULL) || (from->driver && from->dsn))
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"a database behind an ADBC driver needs --driver and --uri, not --dsn");
	if (from->has_no_header && from->column_count == 0)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "without a header the columns need names: --columns "
				  "ID,AGE,CITY");
	if (from->column_count > 0 && texts != 1)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "--columns names the columns of one text file; run init "
				  "again for the other files");
	return SOTTO_OK;
}

static enum sotto_status write_starter(struct starter *s)
{
	struct sotto_buffer *b = s->out;

	ADD("# A sotto policy: what is protected, what may be asked, how much may be spent.\n"
	    "# Made from names and types alone; go through every line before the first "
	    "query.\n\n");
	SOTTO_TRY(add_engine(b, &s->session->policy));
	ADD("ledger: sotto-ledger.db\n\n"
	    "# Everything that is ever answered from these tables, together.\n"
	    "budget: { epsilon: 1, delta: 1e-6 }\n\n"
	    "# What a query costs when the analyst does not say.\n"
	    "default: { epsilon: 0.1 }\n\n"
	    "# What one question may use, with the defaults.\n"
	    "# time: { limit: 60s, pad: 0s }  # what takes longer is charged and fails; "
	    "answers leave at\n"
	    "#                                # multiples of pad, so that their time tells "
	    "nothing\n"
	    "# memory: 4GiB                   # of the engine; without it four fifths of the "
	    "machine's\n"
	    "# min_epsilon: 0.0001            # the least that a question costs\n\n"
	    "tables:");
	SOTTO_TRY(add_sources(s, s->from->files, s->from->file_count, false));
	return add_sources(s, s->from->public_files, s->from->public_count, true);
}

enum sotto_status
sotto_policy_starter(const struct sotto_starter *from, char **text, struct sotto_error *err)
{
	struct sotto_session *s;
	struct sotto_buffer b;
	enum sotto_status st;

	if (!from || !from->unit || !text)
		return SOTTO_EINVAL;
	SOTTO_TRY(check_request(from, err));
	s = calloc(1, sizeof *s);
	if (!s)
		return SOTTO_ENOMEM;
	sotto_arena_init(&s->arena, (size_t)64 << 20);
	sotto_arena_init(&s->policy.arena, 1 << 20);
	s->policy.path = "sotto.yaml";
	s->policy.server = from->driver ? SOTTO_SERVER_ADBC
			   : from->dsn  ? SOTTO_SERVER_POSTGRES
					: SOTTO_SERVER_NONE;
	s->policy.dsn = from->dsn && *from->dsn ? from->dsn : NULL;
	s->policy.driver = from->driver;
	s->policy.uri = from->driver ? from->uri : NULL;
	sotto_buffer_init(&b, 1 << 20);
	st = write_starter(
		&(struct starter){.from = from, .session = s, .out = &b, .err = err});
	if (st == SOTTO_OK)
		*text = b.bytes;
	else
		sotto_buffer_release(&b);
	s->policy.tables = NULL;
	sotto_session_close(s);
	return st;
}
