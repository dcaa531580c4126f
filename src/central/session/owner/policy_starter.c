/*
 * A policy to start from.  Only headers and catalogues are read, and names come from
 * the owner where there is neither: no value of any record finds its way into the file.
 */
#include "central/session/owner/policy_starter.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "central/seal/source_description.h"
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

/* A name as YAML takes it: as it is, or in quotes. */
static enum sotto_status add_name(struct sotto_buffer *b, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./-";

	if (*name && !strchr("-.0123456789", *name) && name[strspn(name, plain)] == '\0')
		return sotto_buffer_append_text(b, name);
	SOTTO_TRY(sotto_buffer_append_text(b, "\""));
	for (const char *c = name; *c; c++) {
		if (*c == '"' || *c == '\\')
			SOTTO_TRY(sotto_buffer_append_text(b, "\\"));
		SOTTO_TRY(sotto_buffer_append(b, *c == '\n' ? " " : c, 1));
	}
	return sotto_buffer_append_text(b, "\"");
}

static bool is_numeric(enum sotto_sql_type type)
{
	return type == SOTTO_TYPE_INTEGER || type == SOTTO_TYPE_NUMBER;
}

/* A name, a colon, and spaces to where all columns go on; quotes and accents take their place. */
static enum sotto_status add_field(struct sotto_buffer *b, const char *name)
{
	const size_t begin = b->length;
	size_t width = 0;

	SOTTO_TRY(add_name(b, name));
	for (size_t i = begin; i < b->length; i++)
		width += ((unsigned char)b->bytes[i] & 0xc0) != 0x80;
	ADD(":%*s", (int)(width < 16 ? 17 - width : 1), "");
	return SOTTO_OK;
}

/* What the database itself says of a column, which sealing checks again. */
static enum sotto_status add_declared(struct sotto_buffer *b,
				      const struct sotto_schema_column *c,
				      const struct sotto_declared_column *d)
{
	const char *comma = "";

	ADD("      ");
	SOTTO_TRY(add_field(b, c->name));
	ADD("{ ");
	if (d->lo && is_numeric(c->type)) {
		ADD("bounds: [%s, %s]", d->lo, d->hi);
		comma = ", ";
	}
	if (d->filled) {
		ADD("%snullable: false", comma);
		comma = ", ";
	}
	if (d->unique)
		ADD("%sunique: true", comma);
	ADD(" }   # as the database declares it\n");
	return SOTTO_OK;
}

/* A foreign key alone is said by `via`. */
static bool
says_something(const struct sotto_declared_column *d, const struct sotto_schema_column *c)
{
	return d && (d->filled || d->unique || (d->lo && is_numeric(c->type)));
}

/* Of JSON the policy has to name every column; of others only what it says something about. */
static enum sotto_status add_column(struct sotto_buffer *b, const struct sotto_schema_column *c,
				    const struct sotto_declared_column *d, bool json)
{
	const char *hint = "{}";

	if (says_something(d, c))
		return add_declared(b, c, d);

	if (json || c->type == SOTTO_TYPE_LOOSE)
		hint = "{ type: text }         # or: { bounds: [0, 100] }, { keys: [one, "
		       "two] }";
	else if (is_numeric(c->type))
		hint = "{ bounds: [0, 100] }   # needed before it can be summed";
	else if (c->type == SOTTO_TYPE_TEXT)
		hint = "{ keys: [one, two] }   # public values, if they are known";
	ADD("      %s", json ? "" : "# ");
	SOTTO_TRY(add_field(b, c->name));
	ADD("%s\n", hint);
	return SOTTO_OK;
}

static enum sotto_status
add_columns(struct starter *s, const struct sotto_schema_table *t, const char *unit, bool json)
{
	struct sotto_buffer *b = s->out;

	ADD(json ? "    columns:                    # a JSON file has no header: these are "
		   "all\n"
		 : "    columns:                    # remove a # and say what you know: "
		   "type (boolean, integer,\n"
		   "                                # number, text, date, timestamp), "
		   "bounds, keys\n");
	for (size_t i = 0; i < t->column_count; i++) {
		const struct sotto_schema_column *c = &t->columns[i];
		const struct sotto_declared_column *d =
			sotto_declared_find(s->declared, c->name);

		if (strcasecmp(c->name, unit) != 0 || says_something(d, c))
			SOTTO_TRY(add_column(b, c, d, json));
	}
	return SOTTO_OK;
}

bool sotto_starter_is_plain(const char *name)
{
	return name[strspn(
		       name,
		       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
	       '\0';
}

/* Tables after the first that has the unit are about the same people, so they can be joined. */
static enum sotto_status
add_unit(struct sotto_buffer *b, const char *table, const char *unit, char *first)
{
	bool plain = sotto_starter_is_plain(table) && sotto_starter_is_plain(unit) &&
		     strcmp(unit, "row") != 0;

	if (plain && *first) {
		ADD("{ column: %s, via: %s.%s -> %s.%s }", unit, table, unit, first, unit);
		return SOTTO_OK;
	}
	if (plain)
		(void)snprintf(first, SOTTO_STARTER_NAME, "%s", table);
	return add_name(b, unit);
}

/* ---- what is asked for ------------------------------------------------------------------------- */

static bool is_text(const char *file)
{
	return sotto_source_is_text(sotto_source_kind(file));
}

static bool is_json(const char *file)
{
	return is_text(file) && sotto_source_kind(file) != SOTTO_SOURCE_CSV;
}

/* How many letters must be changed to make one word of the other, up to 3. */
static size_t distance(const char *x, const char *y)
{
	size_t same = 0, n = strlen(x), m = strlen(y);

	while (same < n && same < m &&
	       tolower((unsigned char)x[same]) == tolower((unsigned char)y[same]))
		same++;
	while (n > same && m > same &&
	       tolower((unsigned char)x[n - 1]) == tolower((unsigned char)y[m - 1]))
		n--, m--;
	return (n > m ? n : m) - same;
}

/* The column that is meant by the unit; other letters only if that is unambiguous. */
const char *sotto_starter_unit(const struct sotto_schema_table *t, const char *unit)
{
	const char *found = NULL;
	size_t count = 0;

	for (size_t i = 0; i < t->column_count; i++) {
		if (strcmp(t->columns[i].name, unit) == 0)
			return t->columns[i].name;
		if (strcasecmp(t->columns[i].name, unit) == 0) {
			found = t->columns[i].name;
			count++;
		}
	}
	return count == 1 ? found : NULL;
}

static enum sotto_status refuse_unit(struct starter *s, const struct sotto_schema_table *t)
{
	const char *unit = s->from->unit, *near = NULL, *list = "";
	struct sotto_arena *a = &s->session->arena;
	size_t best = 3;

	for (size_t i = 0; list && i < t->column_count; i++) {
		size_t far = distance(t->columns[i].name, unit);

		if (far < best && far < strlen(unit)) {
			best = far;
			near = t->columns[i].name;
		}
		list = sotto_arena_textf(a, "%s%s%s", list, i ? ", " : "", t->columns[i].name);
	}
	if (!list)
		return SOTTO_ENOMEM;
	if (near)
		return sotto_fail(
			s->err, SOTTO_EREFUSED,
			"%.120s has no column %.60s; did you mean %.60s? It has %.160s",
			t->policy->source, unit, near, list);
	return sotto_fail(
		s->err, SOTTO_EREFUSED,
		"%.120s has no column %.60s (it has %.160s); name the column that "
		"says who a row is about, --unit row if each row is a person, or give "
		"the file with --public if nothing in it is private",
		t->policy->source, unit, list);
}

/* A number or a date where a name should stand: the line is a record. */
static bool is_value(const char *name)
{
	return name[strcspn(name, "0123456789")] != '\0' &&
	       name[strspn(name, "0123456789 .,:/+-eEtTzZ")] == '\0';
}

static enum sotto_status check_names(struct starter *s, const struct sotto_schema_table *t)
{
	if (sotto_source_kind(t->policy->source) != SOTTO_SOURCE_CSV || t->policy->names ||
	    s->from->has_header)
		return SOTTO_OK;
	for (size_t i = 0; i < t->column_count; i++)
		if (is_value(t->columns[i].name))
			return sotto_fail(
				s->err, SOTTO_EREFUSED,
				"the first line of %.160s does not look like names (cell %zu "
				"is a number or a date); give --no-header --columns A,B,... if "
				"it is a record, --header if these are names",
				t->policy->source, i + 1);
	return SOTTO_OK;
}

/* ---- a table -------------------------------------------------------------------------------------- */

static enum sotto_status add_reading(struct sotto_buffer *b, const struct sotto_policy_table *t)
{
	if (!t->names || is_json(t->source))
		return SOTTO_OK;
	if (t->has_no_header)
		ADD("\n    header: false               # the first line is a record");
	ADD("\n    names: [");
	for (size_t i = 0; i < t->name_count; i++) {
		ADD("%s", i ? ", " : "");
		SOTTO_TRY(add_name(b, t->names[i]));
	}
	ADD("]");
	return SOTTO_OK;
}

static enum sotto_status add_limits(struct sotto_buffer *b)
{
	ADD("\n    max_groups: auto            # one unit counts in so many groups of a "
	    "query: found privately, or a number\n"
	    "    max_rows: auto              # and with so many rows in each");
	return SOTTO_OK;
}

/* A source as the policy must name it: relative paths start at the policy's own folder. */
static const char *source_from_policy(struct starter *s, const struct sotto_policy_table *t)
{
	const char *policy = s->from->policy, *end = policy ? strrchr(policy, '/') : NULL;
	size_t folder = end ? (size_t)(end - policy) + 1 : 0, n = strlen(t->source);
	char full[PATH_MAX];

	if (folder == 0 || t->on_server || t->source[0] == '/')
		return t->source;
	if (strncmp(t->source, policy, folder) == 0)
		return t->source + folder;
	if (!realpath(t->source, full))
		return t->source;
	return sotto_arena_textf(&s->session->arena, "%s%s", full,
				 t->source[n - 1] == '/' ? "/" : "");
}

enum sotto_status sotto_starter_table(struct starter *s, const struct sotto_schema_table *t)
{
	const struct sotto_policy_table *table = t->policy;
	bool json = is_json(table->source), row = strcmp(s->from->unit, "row") == 0;
	const char *unit = row || s->via ? s->from->unit : sotto_starter_unit(t, s->from->unit);
	const char *source = source_from_policy(s, table);
	struct sotto_buffer *b = s->out;

	if (!unit && !table->is_public)
		return refuse_unit(s, t);
	ADD("\n  ");
	SOTTO_TRY(add_name(b, table->name));
	ADD(":\n    source: ");
	if (!source)
		return SOTTO_ENOMEM;
	SOTTO_TRY(add_name(b, source));
	if (table->table) {
		ADD("\n    table: ");
		SOTTO_TRY(add_name(b, table->table));
	}
	if (table->schema) {
		ADD("\n    schema: ");
		SOTTO_TRY(add_name(b, table->schema));
	}
	SOTTO_TRY(add_reading(b, table));
	if (table->is_public) {
		ADD("\n    public: true                # nothing in it is private\n");
		return SOTTO_OK;
	}
	ADD("\n    unit: ");
	if (s->via)
		ADD("{ column: %s, via: %s }", unit, s->via);
	else
		SOTTO_TRY(add_unit(b, table->name, unit, s->first));
	if (!row)
		SOTTO_TRY(add_limits(b));
	ADD("\n    # max_text: 2000            # characters of a text that are read\n");
	return add_columns(s, t, row || s->via ? "" : unit, json);
}

/* Names and types, without looking at records. */
enum sotto_status sotto_starter_schema(struct starter *s,
				       const struct sotto_policy_table *table,
				       struct sotto_schema_table *schema)
{
	struct sotto_session *session = s->session;
	struct sotto_sealed_column *columns;
	enum sotto_status st;
	struct stat at;
	size_t count;

	*schema = (struct sotto_schema_table){.policy = table};
	st = sotto_source_columns(&session->arena, table, &columns, &count, s->err);
	if (st == SOTTO_EIO && stat(table->source, &at) == 0 && S_ISDIR(at.st_mode))
		return sotto_fail(s->err, SOTTO_EIO,
				  "%.200s is a folder; write %.200s/, with a slash at its end, "
				  "for the Parquet files in it",
				  table->source, table->source);
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

static enum sotto_status add_file(struct starter *s, const char *file, bool is_public)
{
	char name[SOTTO_STARTER_NAME];
	struct sotto_policy_table table = {.source = file,
					   .written = file,
					   .name = name,
					   .line = 1,
					   .is_public = is_public};

	struct sotto_schema_table schema;

	if (sotto_source_kind(file) == SOTTO_SOURCE_DATABASE)
		return sotto_starter_database(s, file, is_public);
	if (is_text(file) && !is_public) {
		table.has_no_header = s->from->has_no_header;
		table.names = (const char **)s->from->columns;
		table.name_count = s->from->column_count;
	}
	if (is_json(file) && !is_public && !table.names)
		return sotto_fail(s->err, SOTTO_EREFUSED,
				  "%.200s has no header, and sotto does not take names from "
				  "records; say which fields are columns: --columns "
				  "ID,AGE,CITY",
				  file);
	table_name(file, name, sizeof name);
	SOTTO_TRY(sotto_starter_schema(s, &table, &schema));
	SOTTO_TRY(check_names(s, &schema));
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
		SOTTO_TRY(add_name(b, addresses[i].value));
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
		return sotto_fail(err, SOTTO_EREFUSED,
				  "a database behind an ADBC driver needs --driver and --uri, "
				  "and no --dsn");
	if (from->has_no_header && from->column_count == 0)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "without a header the columns need names: --columns "
				  "ID,AGE,CITY");
	if (from->column_count > 0 && texts != 1)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"--columns names the columns of one text file; give the other "
			"files with an init of their own");
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
