/*
 * One table of the policy to start from: its source, its unit and its columns, with hints
 * where the owner has something to say.
 */
#include "central/session/owner/policy_starter.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/buffer.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(b, __VA_ARGS__))

enum sotto_status sotto_starter_add_name(struct sotto_buffer *b, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_./-";

	if (*name && !strchr("-.0123456789", *name) && name[strspn(name, plain)] == '\0')
		return sotto_buffer_append_text(b, name);
	return sotto_starter_add_quoted(b, name);
}

/*
 * Bytes of the character at c that a text of YAML cannot hold as it is, and its number: control
 * characters, marks of direction and of byte order, and the line breaks that only YAML knows
 * (U+0085, U+2028, U+2029), which would end even a comment.  0: it can be written.
 */
static size_t unwritable(const char *c, unsigned *number)
{
	const unsigned char *u = (const unsigned char *)c;

	if (u[0] < ' ' || u[0] == 0x7f) {
		*number = u[0];
		return 1;
	}
	if (u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0) {
		*number = u[1];
		return 2;
	}
	if ((u[0] & 0xf0) != 0xe0 || (u[1] & 0xc0) != 0x80 || (u[2] & 0xc0) != 0x80)
		return 0;
	*number = (u[0] & 0xfu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
	return (*number >= 0x200b && *number <= 0x200f) ||
			       (*number >= 0x2028 && *number <= 0x202e) ||
			       (*number >= 0x2060 && *number <= 0x206f) || *number == 0xfeff ||
			       *number >= 0xfffe
		       ? 3
		       : 0;
}

/* Whoever named a column of somebody else's file writes no line of the policy. */
enum sotto_status sotto_starter_add_quoted(struct sotto_buffer *b, const char *name)
{
	unsigned number;

	SOTTO_TRY(sotto_buffer_append_text(b, "\""));
	for (const char *c = name; *c;) {
		size_t n = unwritable(c, &number);

		if (n > 0)
			ADD("\\u%04x", number);
		else
			ADD("%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
		c += n > 0 ? n : 1;
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

	SOTTO_TRY(sotto_starter_add_name(b, name));
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

/* For JSON the policy has to name every column; for others only what it says something about. */
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
	else if (c->type == SOTTO_TYPE_DATE || c->type == SOTTO_TYPE_TIMESTAMP)
		hint = "{ bounds: [2000-01-01, 2030-12-31] }   # needed before it can be "
		       "averaged; groups by it are then public";
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

bool sotto_starter_is_json(const char *file)
{
	enum sotto_source_kind kind = sotto_source_kind(file);

	return sotto_source_is_text(kind) && kind != SOTTO_SOURCE_CSV;
}

static enum sotto_status add_reading(struct sotto_buffer *b, const struct sotto_policy_table *t)
{
	if (!t->names || sotto_starter_is_json(t->source))
		return SOTTO_OK;
	if (t->has_no_header)
		ADD("\n    header: false               # the first line is a record");
	ADD("\n    names: [");
	for (size_t i = 0; i < t->name_count; i++) {
		ADD("%s", i ? ", " : "");
		SOTTO_TRY(sotto_starter_add_name(b, t->names[i]));
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
	bool json = sotto_starter_is_json(table->source),
	     row = strcmp(s->from->unit, "row") == 0;
	const char *unit = row || s->via ? s->from->unit : sotto_starter_unit(t, s->from->unit);
	const char *source = source_from_policy(s, table);
	struct sotto_buffer *b = s->out;

	if (!unit && !table->is_public)
		return sotto_starter_refuse_unit(s, t);
	ADD("\n  ");
	SOTTO_TRY(sotto_starter_add_name(b, table->name));
	ADD(":\n    source: ");
	if (!source)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_starter_add_name(b, source));
	if (table->table) {
		ADD("\n    table: ");
		SOTTO_TRY(sotto_starter_add_name(b, table->table));
	}
	if (table->schema) {
		ADD("\n    schema: ");
		SOTTO_TRY(sotto_starter_add_name(b, table->schema));
	}
	SOTTO_TRY(add_reading(b, table));
	if (table->is_public) {
		ADD("\n    public: true                # nothing in it is private\n");
		return SOTTO_OK;
	}
	ADD("\n    unit: ");
	if (s->via)
		SOTTO_TRY(sotto_starter_add_path(b, unit, s->via));
	else
		SOTTO_TRY(sotto_starter_add_unit(s, table->name, unit));
	if (!row)
		SOTTO_TRY(add_limits(b));
	ADD("\n    # max_text: 2000            # characters of a text that are read\n");
	return add_columns(s, t, row || s->via ? "" : unit, json);
}
