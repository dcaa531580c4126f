/*
 * Two lists of sorted lines, side by side.  A change is harmless if its name says so; the list
 * of harmless names is short on purpose, and whatever is not on it needs the owner.
 */
#include "central/policy/policy_change.h"
#include "central/policy/policy_terms.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/failure.h"

/* A line of the terms; name and value are borrowed from it. */
struct line {
	const char *name, *value;
};

struct lines {
	struct line *list;
	size_t count;
};

static enum sotto_status cut(struct sotto_arena *a, const char *text, struct lines *out)
{
	char *copy = sotto_arena_text(a, text);

	*out = (struct lines){0};
	if (!copy)
		return SOTTO_ENOMEM;
	for (char *save = NULL, *line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct line *slot = SOTTO_PUSH(a, out->list, out->count);
		char *tab = strchr(line, '\t');

		if (!slot)
			return SOTTO_ENOMEM;
		if (tab)
			*tab = '\0';
		*slot = (struct line){.name = line, .value = tab ? tab + 1 : ""};
	}
	return SOTTO_OK;
}

static const char *value_of(const struct lines *l, const char *name)
{
	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->list[i].name, name) == 0)
			return l->list[i].value;
	return NULL;
}

/* ---- which are harmless ---------------------------------------------------------------------- */

static bool ends_in(const char *name, const char *word)
{
	size_t n = strlen(name), m = strlen(word);

	return n > m && name[n - m - 1] == ' ' && strcmp(name + n - m, word) == 0;
}

/* "column visits.cost bounds" is a fact of a column, not a table called "column". */
static bool is_harmless_name(const char *name)
{
	static const char *const of_columns[] = {"bounds", "step", "keys", "max_text"};
	static const char *const of_tables[] = {"max_groups", "max_rows", "max_text", "rows"};

	for (size_t i = 0; i < sizeof of_columns / sizeof of_columns[0]; i++)
		if (strncmp(name, "column ", 7) == 0 && ends_in(name, of_columns[i]))
			return true;
	for (size_t i = 0; i < sizeof of_tables / sizeof of_tables[0]; i++)
		if (strncmp(name, "table ", 6) == 0 && ends_in(name, of_tables[i]))
			return true;
	return false;
}

/* What sealing checks holds whether it is promised or not; taking a promise back is safe. */
static bool is_safe_promise(const char *name, const char *after)
{
	return strncmp(name, "column ", 7) == 0 &&
	       (ends_in(name, "unique") || ends_in(name, "nullable")) &&
	       (!after || !strstr(after, "not checked"));
}

/* The table that a line is about: "table visits unit", "column visits.cost bounds". */
static bool is_about(const char *name, const char *table)
{
	size_t n = strlen(table);

	if (strncmp(name, "table ", 6) == 0)
		return strncmp(name + 6, table, n) == 0 &&
		       (name[6 + n] == '\0' || name[6 + n] == ' ');
	return strncmp(name, "column ", 7) == 0 && strncmp(name + 7, table, n) == 0 &&
	       name[7 + n] == '.';
}

static bool has_people(const struct lines *l, const char *people)
{
	for (size_t i = 0; i < l->count; i++)
		if (strncmp(l->list[i].name, "table ", 6) == 0 &&
		    ends_in(l->list[i].name, "people") &&
		    strcasecmp(l->list[i].value, people) == 0)
			return true;
	return false;
}

/* A private table that was not there, of people who were. */
static bool is_new_table(struct sotto_arena *a, const struct lines *before,
			 const struct lines *after, const struct line *table)
{
	const char *name = sotto_arena_textf(a, "%s people", table->name), *people;

	if (strncmp(table->name, "table ", 6) != 0 || strcmp(table->value, "private") != 0 ||
	    !name || value_of(before, table->name))
		return false;
	people = value_of(after, name);
	return people && has_people(before, people);
}

/* True if the line belongs to such a table, and promises nothing that nobody checks. */
static bool is_of_new_table(struct sotto_arena *a, const struct lines *before,
			    const struct lines *after, const struct line *line)
{
	if (strstr(line->value, "not checked"))
		return false;
	for (size_t i = 0; i < after->count; i++)
		if (is_new_table(a, before, after, &after->list[i]) &&
		    is_about(line->name, after->list[i].name + 6))
			return true;
	return false;
}

/* ---- the difference --------------------------------------------------------------------------- */

static enum sotto_status note(struct sotto_arena *a, struct sotto_policy_changes *out,
			      const char *text, bool needs_accept)
{
	struct sotto_policy_change *slot = SOTTO_PUSH(a, out->list, out->count);

	if (!slot || !text)
		return SOTTO_ENOMEM;
	*slot = (struct sotto_policy_change){.text = text, .needs_accept = needs_accept};
	return SOTTO_OK;
}

static enum sotto_status compare_line(struct sotto_arena *a, const struct lines *before,
				      const struct lines *after, const struct line *line,
				      struct sotto_policy_changes *out)
{
	const char *old = value_of(before, line->name);
	bool harmless;

	if (ends_in(line->name, "people") || (old && strcmp(old, line->value) == 0))
		return SOTTO_OK;
	harmless = is_harmless_name(line->name) || is_safe_promise(line->name, line->value) ||
		   (!old && is_of_new_table(a, before, after, line));
	return note(a, out,
		    old ? sotto_arena_textf(a, "%s: %s -> %s", line->name, old, line->value)
			: sotto_arena_textf(a, "%s: added, %s", line->name, line->value),
		    !harmless);
}

enum sotto_status sotto_policy_compare(struct sotto_arena *a, const char *before,
				       const char *after, struct sotto_policy_changes *out)
{
	struct lines x, y;

	*out = (struct sotto_policy_changes){0};
	if (!before)
		return note(a, out, "no policy was accepted for this ledger yet", true);
	SOTTO_TRY(cut(a, before, &x));
	SOTTO_TRY(cut(a, after, &y));
	for (size_t i = 0; i < y.count; i++)
		SOTTO_TRY(compare_line(a, &x, &y, &y.list[i], out));
	for (size_t i = 0; i < x.count; i++)
		if (!value_of(&y, x.list[i].name) && !ends_in(x.list[i].name, "people"))
			SOTTO_TRY(note(a, out,
				       sotto_arena_textf(a, "%s: removed, was %s",
							 x.list[i].name, x.list[i].value),
				       !is_harmless_name(x.list[i].name) &&
					       !is_safe_promise(x.list[i].name, NULL)));
	return SOTTO_OK;
}

const char *sotto_policy_changes_text(struct sotto_arena *a,
				      const struct sotto_policy_changes *c, bool only_needed)
{
	const char *text = "";

	for (size_t i = 0; text && i < c->count; i++)
		if (!only_needed || c->list[i].needs_accept)
			text = sotto_arena_textf(a, "%s%s%s", text, *text ? "; " : "",
						 c->list[i].text);
	return text;
}
