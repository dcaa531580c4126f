/*
 * Prints the library's lines under their sections, wrapped at spaces; JSON is written from the
 * fields of the explanation instead, so programs need not read sentences.
 */
#include "query/explain_print.h"

#include <stdlib.h>
#include <string.h>

#include "query/answer_print.h"
#include "show/json_document.h"
#include "show/printable.h"
#include "show/table.h"
#include "show/terminal.h"

enum { LINE_WIDTH = 96 };

/* ---- for people ------------------------------------------------------------------------------ */

static const struct {
	const char *section, *title;
} titles[] = {{"protected", "Who is protected"},
	      {"groups", "Groups"},
	      {"noise", "What is counted, and its noise"},
	      {"answer", "The answer, with 95 % confidence"},
	      {"price", "Price"},
	      {"limits", "What it may use"},
	      {"engine", "What the database will be asked"}};

static const char *title_of(const char *section)
{
	for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
		if (strcmp(titles[i].section, section) == 0)
			return titles[i].title;
	return section;
}

static bool starts_section(const struct sotto_explanation *e, size_t i)
{
	return i == 0 || strcmp(e->lines[i].section, e->lines[i - 1].section) != 0;
}

static int name_width(const struct sotto_explanation *e, size_t first)
{
	size_t widest = 0;

	for (size_t i = first; i < e->count && (i == first || !starts_section(e, i)); i++)
		if (strlen(e->lines[i].name) > widest)
			widest = strlen(e->lines[i].name);
	return (int)(widest < 40 ? widest : 40);
}

/* Breaks at spaces; what follows is indented like what came before. */
static void print_wrapped(const char *text, int indent, FILE *out)
{
	size_t room = indent < LINE_WIDTH - 30 ? (size_t)(LINE_WIDTH - indent) : 30;

	while (strlen(text) > room) {
		size_t n = room;

		while (n > 0 && text[n] != ' ')
			n--;
		if (n == 0)
			break;
		fprintf(out, "%.*s\n%*s", (int)n, text, indent, "");
		text += n + 1;
	}
	fprintf(out, "%s\n", text);
}

/* "), NAME AS (SELECT": here a part of the WITH ends. */
static bool ends_part(const char *c)
{
	return strncmp(c, "), ", 3) == 0 &&
	       strncmp(c + 3 + strcspn(c + 3, " "), " AS (SELECT", 11) == 0;
}

static void print_sql(const char *sql, FILE *out)
{
	fputs("  ", out);
	for (const char *c = sql; *c; c++) {
		if (ends_part(c)) {
			fputs("),\n  ", out);
			c += 2;
		} else {
			fputc(*c, out);
		}
	}
	fputc('\n', out);
}

static bool is_sql(const struct sotto_explanation_line *line)
{
	return strcmp(line->section, "engine") == 0;
}

static void print_line(const struct sotto_explanation_line *line, int width, FILE *out)
{
	char *name = printable_text(line->name), *text = printable_text(line->text);

	if (is_sql(line)) {
		print_sql(text, out);
	} else {
		fprintf(out, "  %-*s  ", width, name);
		print_wrapped(text, width + 4, out);
	}
	free(name);
	free(text);
}

static void print_text(const struct sotto_explanation *e, bool sql, FILE *out)
{
	int width = 0;

	for (size_t i = 0; i < e->count; i++) {
		const struct sotto_explanation_line *line = &e->lines[i];

		if (is_sql(line) && !sql)
			continue;
		if (starts_section(e, i)) {
			width = name_width(e, i);
			fprintf(out, "%s%s%s%s\n", i ? "\n" : "", terminal_bold(out),
				title_of(line->section), terminal_plain(out));
		}
		print_line(line, width, out);
	}
}

static void print_csv(const struct sotto_explanation *e, bool sql, FILE *out)
{
	static const struct column columns[] = {{"section", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"name", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"text", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, columns, 3);
	for (size_t i = 0; i < e->count; i++) {
		if (is_sql(&e->lines[i]) && !sql)
			continue;
		table_add_text(&t, e->lines[i].section);
		table_add_text(&t, e->lines[i].name);
		table_add_text(&t, e->lines[i].text);
	}
	table_print(&t, FORMAT_CSV, out);
	table_release(&t);
}

/* ---- for programs ----------------------------------------------------------------------------- */

static void write_unit(struct json_writer *w, const struct sotto_explanation *e)
{
	const struct sotto_document d = json_document(w);

	json_key(w, "unit");
	if (!e->table) {
		json_write_null(w);
		return;
	}
	json_open_record(w);
	json_member_text(w, "table", e->table);
	json_member_text(w, "column", e->unit);
	json_member_integer(w, "max_groups", e->groups);
	json_member_integer(w, "max_rows", e->rows);
	json_member_bool(w, "drops_groups", e->drops_groups);
	json_close_object(w);
	sotto_limits_write(e->limits, e->limits_count, "contributions", &d);
}

static void write_keys(struct json_writer *w, const struct sotto_explanation *e)
{
	json_key(w, "keys");
	json_open_array(w);
	for (size_t i = 0; i < e->key_count; i++) {
		const struct sotto_explained_key *k = &e->keys[i];

		json_open_record(w);
		json_member_text(w, "name", k->name);
		json_member_text(w, "kind", k->is_public ? "public" : "private");
		json_key(w, "values");
		if (k->is_public && k->values >= 0)
			json_write_integer(w, k->values);
		else
			json_write_null(w);
		json_member_text(w, "why", k->why);
		json_close_object(w);
	}
	json_close_array(w);
	json_key(w, "threshold");
	if (e->threshold)
		json_write_integer(w, e->threshold);
	else
		json_write_null(w);
}

static void write_bounds(struct json_writer *w, bool known, double lo, double hi)
{
	json_key(w, "bounds");
	if (!known) {
		json_write_null(w);
		return;
	}
	json_open_row(w);
	json_write_double(w, lo);
	json_write_double(w, hi);
	json_close_array(w);
}

static void write_measure(struct json_writer *w, const struct sotto_explained_measure *m)
{
	json_open_record(w);
	json_member_text(w, "what", m->what);
	json_key(w, "used_by");
	json_open_row(w);
	for (size_t i = 0; i < m->used_by_count; i++)
		json_write_text(w, m->used_by[i]);
	json_close_array(w);
	write_bounds(w, m->is_bounded, m->lo, m->hi);
	json_member_double(w, "centre", m->centre);
	json_member_double(w, "step", m->step);
	json_member_double(w, "sensitivity", m->sensitivity);
	json_member_double(w, "scale", m->scale);
	json_member_double(w, "error", m->error);
	json_close_object(w);
}

static void write_choice(struct json_writer *w, const struct sotto_explained_choice *c)
{
	json_open_record(w);
	json_member_text(w, "what", c->what);
	json_member_text(w, "method", c->method);
	write_bounds(w, c->lo < c->hi, c->lo, c->hi);
	json_member_double(w, "step", c->step);
	json_member_double(w, "error", c->error);
	json_close_object(w);
}

static void write_column(struct json_writer *w, const struct sotto_explained_column *c)
{
	json_open_record(w);
	json_member_text(w, "name", c->name);
	json_member_text(w, "type", c->type);
	json_member_text(w, "kind", c->noisy ? "noisy" : "key");
	json_member_double(w, "error", c->error);
	json_member_double(w, "error_times_count", c->error_times_count);
	json_member_double(w, "typical_error", c->typical_error);
	json_close_object(w);
}

static void write_limits(struct json_writer *w, const struct sotto_explanation *e)
{
	json_key(w, "limits");
	json_open_record(w);
	json_member_double(w, "time", e->time_limit);
	json_member_double(w, "pad", e->pad);
	json_key(w, "memory");
	if (e->memory_limit)
		json_write_integer(w, (int64_t)e->memory_limit);
	else
		json_write_null(w);
	json_key(w, "buckets");
	if (e->buckets)
		json_write_integer(w, e->buckets);
	else
		json_write_null(w);
	json_close_object(w);
}

static void print_json(const struct sotto_explanation *e, FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	write_unit(&w, e);
	write_keys(&w, e);
	json_key(&w, "measures");
	json_open_array(&w);
	for (size_t i = 0; i < e->measure_count; i++)
		write_measure(&w, &e->measures[i]);
	json_close_array(&w);
	json_key(&w, "choices");
	json_open_array(&w);
	for (size_t i = 0; i < e->choice_count; i++)
		write_choice(&w, &e->choices[i]);
	json_close_array(&w);
	json_key(&w, "columns");
	json_open_array(&w);
	for (size_t i = 0; i < e->column_count; i++)
		write_column(&w, &e->columns[i]);
	json_close_array(&w);
	json_member_integer(&w, "typical_group", e->typical_group);
	json_member_text(&w, "mechanism", e->mechanism);
	answer_write_spent(&w, "cost", &e->epsilon, &e->delta);
	answer_write_left(&w, "remaining", &e->epsilon_left, &e->delta_left);
	answer_write_fits(&w, e->fits);
	write_limits(&w, e);
	json_member_bool(&w, "affordable", e->affordable);
	json_member_bool(&w, "repeated", e->repeated);
	json_member_bool(&w, "assumes_limits", e->assumes_limits);
	json_member_bool(&w, "data_changed", e->data_changed);
	json_member_text(&w, "engine_sql", e->engine_sql);
	json_close_object(&w);
	json_end(&w);
}

void explain_print(const struct sotto_explanation *e, enum format format, bool sql, FILE *out)
{
	if (format == FORMAT_JSON)
		print_json(e, out);
	else if (format == FORMAT_CSV)
		print_csv(e, sql, out);
	else
		print_text(e, sql, out);
}
