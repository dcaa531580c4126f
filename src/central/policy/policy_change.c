/*
 * Two lists of sorted lines, side by side.  A change is harmless if its name says so; the list
 * of harmless names is short on purpose, and whatever is not on it needs the owner.
 */
#include "central/policy/policy_change.h"
#include "central/policy/policy_terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/buffer.h"
#include "core/base/failure.h"

enum { TEXT_MAX = 64 << 20 };

/* A line of the terms; name and value are borrowed from it. */
struct line {
	const char *name, *value;
};

struct lines {
	struct line *list;
	size_t count;
};

/* Of two lines of one name, the one that is written first comes first. */
static int compare_names(const void *x, const void *y)
{
	const struct line *a = x, *b = y;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->name > b->name) - (a->name < b->name);
}

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
	if (out->count)
		qsort(out->list, out->count, sizeof *out->list, compare_names);
	return SOTTO_OK;
}

static const char *value_of(const struct lines *l, const char *name)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(l->list[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->count && strcmp(l->list[low].name, name) == 0 ? l->list[low].value
								      : NULL;
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

/* Two policies, and the private tables of the second that are new, of people who were known. */
struct comparison {
	struct sotto_arena *arena;
	struct lines before, after;
	const char **tables;
	size_t table_count;
};

static bool has_people(const struct lines *l, const char *people)
{
	for (size_t i = 0; i < l->count; i++)
		if (strncmp(l->list[i].name, "table ", 6) == 0 &&
		    ends_in(l->list[i].name, "people") &&
		    strcasecmp(l->list[i].value, people) == 0)
			return true;
	return false;
}

static bool is_new_table(const struct comparison *c, const struct line *table)
{
	const char *name, *people;

	if (strncmp(table->name, "table ", 6) != 0 || strcmp(table->value, "private") != 0 ||
	    value_of(&c->before, table->name))
		return false;
	name = sotto_arena_textf(c->arena, "%s people", table->name);
	people = name ? value_of(&c->after, name) : NULL;
	return people && has_people(&c->before, people);
}

static enum sotto_status find_new_tables(struct comparison *c)
{
	for (size_t i = 0; i < c->after.count; i++) {
		const struct line *line = &c->after.list[i];
		const char **slot;

		if (!is_new_table(c, line))
			continue;
		slot = SOTTO_PUSH(c->arena, c->tables, c->table_count);
		if (!slot)
			return SOTTO_ENOMEM;
		*slot = line->name + 6;
	}
	return SOTTO_OK;
}

/* True if the line belongs to such a table, and promises nothing that nobody checks. */
static bool is_of_new_table(const struct comparison *c, const struct line *line)
{
	if (strstr(line->value, "not checked"))
		return false;
	for (size_t i = 0; i < c->table_count; i++)
		if (is_about(line->name, c->tables[i]))
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

static enum sotto_status compare_line(const struct comparison *c, const struct line *line,
				      struct sotto_policy_changes *out)
{
	struct sotto_arena *a = c->arena;
	const char *old = value_of(&c->before, line->name);
	bool harmless;

	if (ends_in(line->name, "people") || (old && strcmp(old, line->value) == 0))
		return SOTTO_OK;
	harmless = is_harmless_name(line->name) || is_safe_promise(line->name, line->value) ||
		   (!old && is_of_new_table(c, line));
	return note(a, out,
		    old ? sotto_arena_textf(a, "%s: %s -> %s", line->name, old, line->value)
			: sotto_arena_textf(a, "%s: added, %s", line->name, line->value),
		    !harmless);
}

static enum sotto_status note_removed(const struct comparison *c, const struct line *line,
				      struct sotto_policy_changes *out)
{
	if (value_of(&c->after, line->name) || ends_in(line->name, "people"))
		return SOTTO_OK;
	return note(c->arena, out,
		    sotto_arena_textf(c->arena, "%s: removed, was %s", line->name, line->value),
		    !is_harmless_name(line->name) && !is_safe_promise(line->name, NULL));
}

enum sotto_status sotto_policy_compare(struct sotto_arena *a, const char *before,
				       const char *after, struct sotto_policy_changes *out)
{
	struct comparison c = {.arena = a};

	*out = (struct sotto_policy_changes){0};
	if (!before)
		return note(a, out, "no policy was accepted for this ledger yet", true);
	if (strcmp(before, after) == 0)
		return SOTTO_OK;
	SOTTO_TRY(cut(a, before, &c.before));
	SOTTO_TRY(cut(a, after, &c.after));
	SOTTO_TRY(find_new_tables(&c));
	for (size_t i = 0; i < c.after.count; i++)
		SOTTO_TRY(compare_line(&c, &c.after.list[i], out));
	for (size_t i = 0; i < c.before.count; i++)
		SOTTO_TRY(note_removed(&c, &c.before.list[i], out));
	return SOTTO_OK;
}

const char *sotto_policy_changes_text(struct sotto_arena *a,
				      const struct sotto_policy_changes *c, const char *between)
{
	const char *text = NULL;
	struct sotto_buffer b;
	enum sotto_status st = SOTTO_OK;

	sotto_buffer_init(&b, TEXT_MAX);
	for (size_t i = 0; st == SOTTO_OK && i < c->count; i++)
		st = sotto_buffer_appendf(&b, "%s%s", b.length ? between : "", c->list[i].text);
	if (st == SOTTO_OK)
		text = sotto_arena_text(a, sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return text;
}

const char *sotto_policy_changes_needed(struct sotto_arena *a,
					const struct sotto_policy_changes *c, size_t most)
{
	const char *text = "";
	size_t more = 0;

	for (size_t i = 0; text && i < c->count; i++) {
		if (!c->list[i].needs_accept)
			continue;
		if (more > 0 || (*text && strlen(text) + strlen(c->list[i].text) > most))
			more++;
		else
			text = sotto_arena_textf(a, "%s%s%s", text, *text ? "; " : "",
						 c->list[i].text);
	}
	return text && more > 0 ? sotto_arena_textf(a, "%s; and %zu more", text, more) : text;
}
