/*
 * Maps the engine's names of types to ours by prefix; the delimiter and the names of a CSV file
 * are read from its header alone.
 */
#include "central/policy/schema.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/utf8_check.h"
#include "core/base/failure.h"

static const struct {
	const char *prefix;
	enum sotto_sql_type type;
	bool is_double, as_text;
} engine_types[] = {
	{"TINYINT", SOTTO_TYPE_INTEGER, false, false},
	{"SMALLINT", SOTTO_TYPE_INTEGER, false, false},
	{"INTEGER", SOTTO_TYPE_INTEGER, false, false},
	{"BIGINT", SOTTO_TYPE_INTEGER, false, false},
	{"UTINYINT", SOTTO_TYPE_INTEGER, false, false},
	{"USMALLINT", SOTTO_TYPE_INTEGER, false, false},
	{"UINTEGER", SOTTO_TYPE_INTEGER, false, false},
	{"UBIGINT", SOTTO_TYPE_NUMBER, false, false},
	{"HUGEINT", SOTTO_TYPE_NUMBER, false, false},
	{"UHUGEINT", SOTTO_TYPE_NUMBER, false, false},
	{"DECIMAL(", SOTTO_TYPE_NUMBER, false, false},
	{"FLOAT", SOTTO_TYPE_NUMBER, false, false},
	{"DOUBLE", SOTTO_TYPE_NUMBER, true, false},
	{"VARCHAR", SOTTO_TYPE_TEXT, false, false},
	{"FOLDED_TEXT", SOTTO_TYPE_TEXT, false, true}, /* SOTTO_FOLDED_TEXT of engine.h */
	{"ENUM(", SOTTO_TYPE_TEXT, false, true},
	{"UUID", SOTTO_TYPE_TEXT, false, true},
	{"TIME", SOTTO_TYPE_TEXT, false, true},
	{"TIMESTAMP WITH TIME ZONE", SOTTO_TYPE_TIMESTAMP, false, false},
	{"DATE", SOTTO_TYPE_DATE, false, false},
	{"TIMESTAMP", SOTTO_TYPE_TIMESTAMP, false, false},
	{"BOOLEAN", SOTTO_TYPE_BOOLEAN, false, false},
};

/* DECIMAL(18,3): the digits count too. */
static void set_native(struct sotto_schema_column *c, size_t i, const char *engine_type)
{
	const char *open = strchr(engine_type, '(');

	c->digits = c->scale = 0;
	if (engine_types[i].type == SOTTO_TYPE_NUMBER && open)
		(void)sscanf(open, "(%2u,%2u)", &c->digits, &c->scale);
	c->native = (unsigned)(i + 1) * 10000 + c->digits * 100 + c->scale;
}

static bool is_text(const struct sotto_schema_column *c)
{
	return c->type == SOTTO_TYPE_LOOSE || (c->type == SOTTO_TYPE_TEXT && !c->as_text);
}

const struct sotto_schema_column *
sotto_schema_column_find(const struct sotto_schema_table *t, const char *name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (strcasecmp(t->columns[i].name, name) == 0)
			return &t->columns[i];
	return NULL;
}

bool sotto_schema_same_type(const struct sotto_schema_column *x,
			    const struct sotto_schema_column *y)
{
	return (x->native && x->native == y->native) || (is_text(x) && is_text(y)) ||
	       (x->type == SOTTO_TYPE_INTEGER && y->type == SOTTO_TYPE_INTEGER);
}

const char *
sotto_schema_read_sql(struct sotto_arena *a, const char *text, enum sotto_sql_type type)
{
	if (type == SOTTO_TYPE_TIMESTAMP)
		return sotto_arena_textf(a, SOTTO_READ_MOMENT_TEMPLATE("%1$s", "%2$d"), text,
					 SOTTO_TEXT_READ);
	return sotto_arena_textf(a, SOTTO_READ_TEMPLATE("%s", "%d", "%s"), text,
				 SOTTO_TEXT_READ, text, sotto_sql_type_engine(type));
}

void sotto_schema_column_type(struct sotto_schema_column *c, const char *engine_type)
{
	c->type = SOTTO_TYPE_OTHER;
	for (size_t i = 0; i < sizeof engine_types / sizeof engine_types[0]; i++) {
		const char *p = engine_types[i].prefix;
		size_t n = strlen(p);

		if (strncmp(p, engine_type, n) != 0 || strchr(engine_type, '['))
			continue;
		if (p[n - 1] != '(' && engine_type[n] != '\0')
			continue;
		c->type = engine_types[i].type;
		c->is_double = engine_types[i].is_double;
		c->as_text = engine_types[i].as_text;
		c->folds = strcmp(p, "FOLDED_TEXT") == 0;
		c->zoned = strcmp(p, "TIMESTAMP WITH TIME ZONE") == 0;
		set_native(c, i, engine_type);
	}
}

bool sotto_schema_is_copied_as_text(const char *engine_type)
{
	static const char *const types[] = {"HUGEINT", "UHUGEINT", "INTERVAL",
					    "TIME WITH TIME ZONE"};

	for (size_t i = 0; engine_type && i < sizeof types / sizeof types[0]; i++)
		if (strcmp(types[i], engine_type) == 0)
			return true;
	return false;
}

const char *
sotto_schema_stored_sql(struct sotto_arena *a, const char *engine_type, const char *value)
{
	return sotto_schema_is_copied_as_text(engine_type)
		       ? sotto_arena_textf(a, "CAST(%s AS %s)", value, engine_type)
		       : value;
}

bool sotto_schema_is_floating(const char *engine_type)
{
	return strcmp(engine_type, "DOUBLE") == 0 || strcmp(engine_type, "FLOAT") == 0;
}

/* ---- CSV headers ------------------------------------------------------------------ */

static char find_delimiter(const char *text, size_t length)
{
	bool quoted = false;

	for (size_t i = 0; i < length && (quoted || (text[i] != '\n' && text[i] != '\r'));
	     i++) {
		if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && text[i] && strchr(",;\t|", text[i]))
			return text[i];
	}
	return ',';
}

/* One name from *at on; leaves *at on the mark, the end of line or the end. */
static enum sotto_status
read_name(const char *text, size_t length, char delimiter, size_t *at, char *name)
{
	size_t n = 0, i = *at;
	bool quoted = i < length && text[i] == '"';

	for (i += quoted; i < length; i++) {
		if (quoted && text[i] == '"') {
			if (i + 1 >= length || text[i + 1] != '"')
				break;
			i++;
		} else if (!quoted &&
			   (text[i] == delimiter || text[i] == '\n' || text[i] == '\r')) {
			break;
		}
		if (text[i] == '\0')
			return SOTTO_EPARSE;
		name[n++] = text[i];
	}
	name[n] = '\0';
	if (quoted && (i >= length || text[i++] != '"'))
		return SOTTO_EPARSE;
	if (i < length && text[i] != delimiter && text[i] != '\n' && text[i] != '\r')
		return SOTTO_EPARSE;
	*at = i;
	return SOTTO_OK;
}

static bool is_taken(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcasecmp(names[i], name) == 0)
			return true;
	return false;
}

/* "column3" for a name that is empty, "age_2" for one that is there already; NULL: no memory. */
static const char *
invent_name(struct sotto_arena *a, const char *const *names, size_t count, size_t i)
{
	const char *base = names[i][0] ? names[i] : sotto_arena_textf(a, "column%zu", i + 1);
	const char *name = base;

	for (size_t k = 2; name && is_taken(names, count, name); k++)
		name = sotto_arena_textf(a, "%s_%zu", base, k);
	return base ? name : NULL;
}

/* Every column gets a name of its own; what has one keeps it. */
static enum sotto_status
complete_names(struct sotto_arena *a, const char **names, size_t count, struct sotto_error *err)
{
	bool any = false;

	for (size_t i = 0; i < count; i++)
		any = any || names[i][0];
	if (!any)
		return sotto_fail(err, SOTTO_EPARSE, "the header has no names");
	for (size_t i = 0; i < count; i++) {
		if (names[i][0] && !is_taken(names, i, names[i]))
			continue;
		names[i] = invent_name(a, names, count, i);
		if (!names[i])
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

static enum sotto_status
keep_name(struct sotto_arena *a, const char ***names, size_t *count, const char *name)
{
	const char **slot = SOTTO_PUSH(a, *names, *count);

	if (!slot)
		return SOTTO_ENOMEM;
	*slot = sotto_arena_text(a, name);
	return *slot ? SOTTO_OK : SOTTO_ENOMEM;
}

/* Names go into a policy, which is UTF-8. */
static enum sotto_status
check_encoding(const char *text, size_t length, struct sotto_error *err)
{
	if (length >= 2 &&
	    (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
		return sotto_fail(err, SOTTO_EPARSE,
				  "the file is in UTF-16; convert it first: iconv -f UTF-16 -t "
				  "UTF-8");
	if (!sotto_utf8_is_valid((const uint8_t *)text, length))
		return sotto_fail(err, SOTTO_EPARSE,
				  "the header has bytes that are not UTF-8; convert the file "
				  "first, like iconv -f LATIN1 -t UTF-8");
	return SOTTO_OK;
}

enum sotto_status sotto_csv_header(struct sotto_arena *a, const char *text, size_t length,
				   const char ***names, size_t *count, char *delimiter,
				   struct sotto_error *err)
{
	size_t at = 0;
	char *name;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		at = 3;
	SOTTO_TRY(check_encoding(text, length, err));
	*names = NULL;
	*count = 0;
	*delimiter = find_delimiter(text + at, length - at);
	name = sotto_arena_alloc(a, length + 1);
	if (!name)
		return SOTTO_ENOMEM;
	for (;; at++) {
		if (read_name(text, length, *delimiter, &at, name) != SOTTO_OK)
			return sotto_fail(err, SOTTO_EPARSE,
					  "name %zu of the header is not quoted well",
					  *count + 1);
		SOTTO_TRY(keep_name(a, names, count, name));
		if (at < length && text[at] == *delimiter)
			continue;
		if (at + 1 < length && text[at] == '\r' && text[at + 1] != '\n')
			return sotto_fail(
				err, SOTTO_EPARSE,
				"the lines of the file end in CR alone; end them in LF");
		return complete_names(a, *names, *count, err);
	}
}
