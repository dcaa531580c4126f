#include "central/parse/sql_print.h"

#include <string.h>

static const char *quote(struct sotto_arena *a, const char *text, char mark)
{
	size_t n = 2, at = 0;
	char *out;

	for (const char *s = text; *s; s++)
		n += *s == mark ? 2 : 1;
	out = sotto_arena_alloc(a, n + 1);
	if (!out)
		return NULL;
	out[at++] = mark;
	for (const char *s = text; *s; s++) {
		if (*s == mark)
			out[at++] = mark;
		out[at++] = *s;
	}
	out[at] = mark;
	return out;
}

const char *sotto_sql_print_name(struct sotto_arena *a, const char *name)
{
	return quote(a, name, '"');
}

const char *sotto_sql_print_text(struct sotto_arena *a, const char *text)
{
	return quote(a, text, '\'');
}

/* The argument a "$3" stands for, or NULL if s is no placeholder. */
static const char *placeholder(const char *s, const char *const *args, size_t count)
{
	size_t i = (size_t)(s[1] - '1');

	return s[0] == '$' && s[1] >= '1' && s[1] <= '9' && i < count ? args[i] : NULL;
}

static size_t template_length(const char *template, const char *const *args, size_t count)
{
	size_t n = 0;

	for (const char *s = template; *s; s++) {
		const char *arg = placeholder(s, args, count);

		n += arg ? strlen(arg) : 1;
		if (n > SOTTO_SQL_PRINT_MAX)
			break;
		s += arg != NULL;
	}
	return n;
}

const char *sotto_sql_print_template(struct sotto_arena *a, const char *template,
				     const char *const *args, size_t count)
{
	size_t n = template_length(template, args, count), at = 0;
	char *out = n > SOTTO_SQL_PRINT_MAX ? NULL : sotto_arena_alloc(a, n + 1);

	if (!out)
		return NULL;
	for (const char *s = template; *s; s++) {
		const char *arg = placeholder(s, args, count);
		size_t length = arg ? strlen(arg) : 1;

		memcpy(out + at, arg ? arg : s, length);
		at += length;
		s += arg != NULL;
	}
	return out;
}
