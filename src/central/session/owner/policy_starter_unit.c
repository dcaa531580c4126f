/*
 * Which column says who a row is about: found among the columns of a table, refused with the
 * nearest name if it is not there, and written down.
 */
#include "central/session/owner/policy_starter.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/buffer.h"
#include "core/base/failure.h"

enum { LISTED = 120 }; /* bytes of names that a refusal shows */

bool sotto_starter_fits_path(const char *name, bool is_column)
{
	size_t n = strlen(name);

	return n > 0 && n < SOTTO_STARTER_NAME && !strstr(name, "->") &&
	       !strpbrk(name, "\t\r\n") && !(is_column && strchr(name, '.')) &&
	       name[0] != ' ' && name[n - 1] != ' ';
}

enum sotto_status
sotto_starter_add_path(struct sotto_buffer *b, const char *column, const char *via)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_. ->";

	SOTTO_TRY(sotto_buffer_append_text(b, "{ column: "));
	SOTTO_TRY(sotto_starter_add_name(b, column));
	SOTTO_TRY(sotto_buffer_append_text(b, ", via: "));
	if (via[strspn(via, plain)] == '\0' && !strchr("-> .", *via))
		SOTTO_TRY(sotto_buffer_append_text(b, via));
	else
		SOTTO_TRY(sotto_starter_add_quoted(b, via));
	return sotto_buffer_append_text(b, " }");
}

enum sotto_status sotto_starter_add_unit(struct starter *s, const char *table, const char *unit)
{
	bool fits = sotto_starter_fits_path(table, false) &&
		    sotto_starter_fits_path(unit, true) && strcmp(unit, "row") != 0;
	const char *via;

	if (fits && *s->first) {
		via = sotto_arena_textf(&s->session->arena, "%s.%s -> %s.%s", table, unit,
					s->first, unit);
		return via ? sotto_starter_add_path(s->out, unit, via) : SOTTO_ENOMEM;
	}
	if (fits)
		(void)snprintf(s->first, SOTTO_STARTER_NAME, "%s", table);
	return sotto_starter_add_name(s->out, unit);
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

enum sotto_status
sotto_starter_refuse_unit(struct starter *s, const struct sotto_schema_table *t)
{
	const char *unit = s->from->unit, *near = NULL, *list = "", *more = "";
	struct sotto_arena *a = &s->session->arena;
	size_t best = 3;

	for (size_t i = 0; list && i < t->column_count; i++) {
		size_t far = distance(t->columns[i].name, unit);

		if (far < best && far < strlen(unit)) {
			best = far;
			near = t->columns[i].name;
		}
		if (i > 0 && strlen(list) + strlen(t->columns[i].name) > LISTED)
			more = ", ...";
		else if (!*more)
			list = sotto_arena_textf(a, "%s%s%.*s", list, i ? ", " : "", LISTED,
						 t->columns[i].name);
	}
	if (!list)
		return SOTTO_ENOMEM;
	if (near)
		return sotto_fail(
			s->err, SOTTO_EREFUSED,
			"%.120s has no column %.60s; did you mean %.60s? It has %.160s%s",
			t->policy->source, unit, near, list, more);
	return sotto_fail(
		s->err, SOTTO_EREFUSED,
		"%.120s has no column %.60s (it has %.160s%s); name the column that "
		"says who a row is about, --unit row if each row is a person, or give "
		"the file with --public if nothing in it is private",
		t->policy->source, unit, list, more);
}
