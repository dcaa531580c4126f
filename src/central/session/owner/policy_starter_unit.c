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

bool sotto_starter_is_plain(const char *name)
{
	return name[strspn(
		       name,
		       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
	       '\0';
}

enum sotto_status sotto_starter_add_unit(struct starter *s, const char *table, const char *unit)
{
	bool plain = sotto_starter_is_plain(table) && sotto_starter_is_plain(unit) &&
		     strcmp(unit, "row") != 0;

	if (plain && *s->first)
		return sotto_buffer_appendf(s->out, "{ column: %s, via: %s.%s -> %s.%s }", unit,
					    table, unit, s->first, unit);
	if (plain)
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
