/* Counts the quotes first and then copies the text once, with each of them doubled. */
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
