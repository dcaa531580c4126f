/*
 * Takes the engine's text of a type apart, recursively and to a limited depth, and writes the
 * SQL that reaches each field.
 */
#include "central/policy/schema_field.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/base/sql_quote.h"

enum { DEPTH_MAX = 8, FIELDS_MAX = 2000 };

struct reader {
	struct sotto_arena *arena;
	struct sotto_schema_field **fields;
	size_t *count;
};

static const char opening[] = "STRUCT(";

static bool is_structure(const char *type)
{
	size_t n = strlen(type);

	return strncmp(type, opening, strlen(opening)) == 0 && type[n - 1] == ')';
}

/* Behind a text or a name in quotes, whose own quotes are doubled. */
static const char *after_quoted(const char *s)
{
	char quote = *s++;

	while (*s && (*s != quote || s[1] == quote))
		s += *s == quote ? 2 : 1;
	return *s ? s + 1 : s;
}

/* The comma or the bracket that ends what begins here. */
static const char *end_of_type(const char *s)
{
	int depth = 0;

	while (*s) {
		if (*s == '\'' || *s == '"') {
			s = after_quoted(s);
			continue;
		}
		if (depth == 0 && (*s == ',' || *s == ')'))
			return s;
		depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
		s++;
	}
	return s;
}

static const char *copy(struct sotto_arena *a, const char *s, size_t n)
{
	return sotto_arena_textf(a, "%.*s", (int)n, s);
}

/* "a ""b""" as a "b" */
static const char *unquoted(struct sotto_arena *a, const char *s, size_t n)
{
	char *out = sotto_arena_alloc(a, n + 1);
	size_t length = 0;

	if (!out)
		return NULL;
	for (size_t i = 1; i + 1 < n; i++) {
		i += s[i] == '"';
		out[length++] = s[i];
	}
	return out;
}

/* One field "name type"; *s is left at what follows it. */
static enum sotto_status
read_field(struct sotto_arena *a, const char **s, const char **name, const char **type)
{
	const char *start = *s, *end;

	end = *start == '"' ? after_quoted(start) : start + strcspn(start, " ");
	*name = *start == '"' ? unquoted(a, start, (size_t)(end - start))
			      : copy(a, start, (size_t)(end - start));
	start = end + strspn(end, " ");
	*s = end_of_type(start);
	*type = copy(a, start, (size_t)(*s - start));
	return *name && *type ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
add(struct reader *r, const struct sotto_schema_field *whole, unsigned depth);

static enum sotto_status add_part(struct reader *r, const struct sotto_schema_field *whole,
				  const char *name, const char *type, unsigned depth)
{
	const char *quoted = sotto_sql_quote_text(r->arena, name);
	struct sotto_schema_field part = {.type = type};

	if (!quoted)
		return SOTTO_ENOMEM;
	part.name = sotto_arena_textf(r->arena, "%s.%s", whole->name, name);
	part.sql = sotto_arena_textf(r->arena, "struct_extract(%s, %s)", whole->sql, quoted);
	if (!part.name || !part.sql)
		return SOTTO_ENOMEM;
	return add(r, &part, depth + 1);
}

static enum sotto_status
add_parts(struct reader *r, const struct sotto_schema_field *whole, unsigned depth)
{
	const char *s = whole->type + strlen(opening), *name, *type;

	while (*s && *s != ')') {
		SOTTO_TRY(read_field(r->arena, &s, &name, &type));
		if (*name)
			SOTTO_TRY(add_part(r, whole, name, type, depth));
		s += *s == ',';
		s += strspn(s, " ");
	}
	return SOTTO_OK;
}

static enum sotto_status
add(struct reader *r, const struct sotto_schema_field *whole, unsigned depth)
{
	struct sotto_schema_field *slot;

	if (is_structure(whole->type))
		return depth < DEPTH_MAX ? add_parts(r, whole, depth) : SOTTO_OK;
	if (depth == 0 || *r->count >= FIELDS_MAX)
		return SOTTO_OK;
	slot = SOTTO_PUSH(r->arena, *r->fields, *r->count);
	if (!slot)
		return SOTTO_ENOMEM;
	*slot = *whole;
	return SOTTO_OK;
}

enum sotto_status sotto_schema_fields(struct sotto_arena *a, const char *column,
				      const char *type, struct sotto_schema_field **out,
				      size_t *count)
{
	struct reader r = {.arena = a, .fields = out, .count = count};
	struct sotto_schema_field whole = {.name = column, .type = type};

	*out = NULL;
	*count = 0;
	whole.sql = sotto_sql_quote_name(a, column);
	return whole.sql ? add(&r, &whole, 0) : SOTTO_ENOMEM;
}
