/*
 * Writes one description of the tables three times; people see only the first keys of a long
 * list, programs see all.
 */
#include "query/tables_print.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/json.h"
#include "show/table.h"
#include "show/terminal.h"

enum { KEYS_SHOWN = 60 }; /* characters of a list of keys, for people */

/* ---- JSON ------------------------------------------------------------------------------------- */

static void write_limit(struct json_writer *w, const char *key, bool known, int64_t limit)
{
	json_key(w, key);
	if (known && limit < 0)
		json_write_text(w, "auto");
	else if (known)
		json_write_integer(w, limit);
	else
		json_write_null(w);
}

static void write_bounds(struct json_writer *w, const struct sotto_table_column *c)
{
	json_key(w, "bounds");
	if (!c->lo) {
		json_write_null(w);
		return;
	}
	json_open_row(w);
	if (c->bounds_are_days) {
		json_write_text(w, c->lo);
		json_write_text(w, c->hi);
	} else {
		json_write_number_text(w, c->lo);
		json_write_number_text(w, c->hi);
	}
	json_close_array(w);
}

static void write_keys(struct json_writer *w, const struct sotto_table_column *c)
{
	json_key(w, "keys");
	if (!c->has_keys) {
		json_write_null(w);
		return;
	}
	json_open_row(w);
	for (size_t i = 0; i < c->key_count; i++)
		if (c->keys[i])
			json_write_text(w, c->keys[i]);
		else
			json_write_null(w);
	json_close_array(w);
}

static void write_column(struct json_writer *w, const struct sotto_table_column *c)
{
	json_open_record(w);
	json_member_text(w, "name", c->name);
	json_member_text(w, "type", c->type);
	json_member_bool(w, "unit", c->is_unit);
	json_member_bool(w, "nullable", c->nullable);
	json_member_bool(w, "unique", c->unique);
	write_bounds(w, c);
	write_keys(w, c);
	json_close_object(w);
}

static void write_table(struct json_writer *w, const struct sotto_table *t)
{
	json_open_object(w);
	json_member_text(w, "name", t->name);
	json_member_bool(w, "public", t->is_public);
	json_member_text(w, "unit", t->unit);
	json_member_text(w, "via", t->via);
	write_limit(w, "max_groups", !t->is_public, t->max_groups);
	write_limit(w, "max_rows", !t->is_public, t->max_rows);
	write_limit(w, "rows", t->rows > 0, t->rows);
	json_key(w, "columns");
	json_open_array(w);
	for (size_t i = 0; i < t->column_count; i++)
		write_column(w, &t->columns[i]);
	json_close_array(w);
	json_close_object(w);
}

static void print_json(const struct sotto_tables *tables, FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	json_key(&w, "tables");
	json_open_array(&w);
	for (size_t i = 0; i < tables->count; i++)
		write_table(&w, &tables->list[i]);
	json_close_array(&w);
	json_close_object(&w);
	json_end(&w);
}

/* ---- tables ----------------------------------------------------------------------------------- */

static const struct column columns[] = {{"table", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
					{"column", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
					{"type", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
					{"bounds", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
					{"keys", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
					{"note", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};

static char *bounds_text(const struct sotto_table_column *c)
{
	return c->lo ? memory_text("%s to %s", c->lo, c->hi) : memory_copy_text("");
}

/* For people the first of many, and how many there are. */
static char *keys_text(const struct sotto_table_column *c, bool people)
{
	char *list = memory_copy_text("");
	size_t shown = 0;

	for (; c->has_keys && shown < c->key_count; shown++) {
		const char *key = c->keys[shown] ? c->keys[shown] : "NULL";
		char *longer = memory_text("%s%s%s", list, shown ? ", " : "", key);

		if (people && shown > 0 && strlen(longer) > KEYS_SHOWN) {
			free(longer);
			break;
		}
		free(list);
		list = longer;
	}
	if (c->has_keys && shown < c->key_count) {
		char *longer = memory_text("%s ... (%zu keys)", list, c->key_count);

		free(list);
		list = longer;
	}
	return list;
}

static const char *note(const struct sotto_table_column *c)
{
	if (c->is_unit)
		return "the privacy unit";
	if (c->unique)
		return c->nullable ? "unique" : "unique, never NULL";
	return c->nullable ? "" : "never NULL";
}

static void add_rows(struct table *rows, const struct sotto_table *t, bool people)
{
	for (size_t i = 0; i < t->column_count; i++) {
		const struct sotto_table_column *c = &t->columns[i];
		char *bounds = bounds_text(c), *keys = keys_text(c, people);

		if (!people)
			table_add_text(rows, t->name);
		table_add_text(rows, c->name);
		table_add_text(rows, c->type);
		table_add_text(rows, bounds);
		table_add_text(rows, keys);
		table_add_text(rows, note(c));
		free(bounds);
		free(keys);
	}
}

static void print_csv(const struct sotto_tables *tables, FILE *out)
{
	struct table rows;

	table_init(&rows, columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < tables->count; i++)
		add_rows(&rows, &tables->list[i], false);
	table_print(&rows, FORMAT_CSV, out);
	table_release(&rows);
}

static const char *plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

static void print_heading(const struct sotto_table *t, FILE *out)
{
	fprintf(out, "%s%s%s", terminal_bold(out), t->name, terminal_plain(out));
	if (t->is_public) {
		fputs(": public, answers are exact and free\n", out);
		return;
	}
	if (strcmp(t->unit, "row") == 0) {
		fputs(": private, each row is protected\n", out);
		return;
	}
	fprintf(out, ": private, each %s is protected%s%s%s; ", t->unit, t->via ? " (" : "",
		t->via ? t->via : "", t->via ? ")" : "");
	if (t->max_groups < 0 || t->max_rows < 0) {
		fputs("in how many groups and with how many rows it counts is found privately "
		      "(auto)\n",
		      out);
		return;
	}
	fprintf(out, "it counts in at most %lld group%s, with %lld row%s in each\n",
		(long long)t->max_groups, plural(t->max_groups), (long long)t->max_rows,
		plural(t->max_rows));
}

static void print_text(const struct sotto_tables *tables, FILE *out)
{
	for (size_t i = 0; i < tables->count; i++) {
		struct table rows;

		fputs(i ? "\n" : "", out);
		print_heading(&tables->list[i], out);
		table_init(&rows, columns + 1, sizeof columns / sizeof columns[0] - 1);
		add_rows(&rows, &tables->list[i], true);
		table_print(&rows, FORMAT_TABLE, out);
		table_release(&rows);
	}
}

void tables_print(const struct sotto_tables *tables, enum format format, FILE *out)
{
	if (format == FORMAT_JSON)
		print_json(tables, out);
	else if (format == FORMAT_CSV)
		print_csv(tables, out);
	else
		print_text(tables, out);
}

static const struct sotto_table *find(const struct sotto_tables *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcasecmp(all->list[i].name, name) == 0)
			return &all->list[i];
	return NULL;
}

/* Only the tables that are named, in the order in which they are. */
static enum outcome choose(const struct sotto_tables *all, const char *const *names,
			   size_t count, struct sotto_tables *chosen, struct sotto_error *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct sotto_table *t = find(all, names[i]);

		if (!t)
			return complaint_refuse(err,
						"there is no table %.60s in the policy; sotto "
						"tables lists them",
						names[i]);
		chosen->list[chosen->count++] = *t;
	}
	return OUTCOME_DONE;
}

enum outcome tables_print_some(const struct sotto_tables *all, const char *const *names,
			       size_t count, enum format format, FILE *out,
			       struct sotto_error *err)
{
	struct sotto_tables chosen = {.list = memory_new(count + 1, sizeof *chosen.list)};
	enum outcome outcome = choose(all, names, count, &chosen, err);

	if (outcome == OUTCOME_DONE)
		tables_print(count ? &chosen : all, format, out);
	free(chosen.list);
	return outcome;
}
