/*
 * A table is one flat list of cells, each with the text for programs and the text for people;
 * nothing is laid out before the whole table is known.
 */
#include "show/table.h"

#include <assert.h>
#include <stdlib.h>

#include "frame/allocation.h"
#include "show/number_text.h"

void table_init(struct table *t, const struct column *columns, size_t count)
{
	assert(count > 0);
	*t = (struct table){.columns = columns, .column_count = count};
}

void table_release(struct table *t)
{
	for (size_t i = 0; i < t->cell_count; i++) {
		free(t->cells[i].text);
		free(t->cells[i].shown);
	}
	free(t->cells);
	*t = (struct table){0};
}

static void add_cell(struct table *t, char *text, char *shown)
{
	t->cells = memory_grow(t->cells, t->cell_count, sizeof *t->cells);
	t->cells[t->cell_count++] = (struct cell){.text = text, .shown = shown};
}

void table_add_text(struct table *t, const char *text)
{
	add_cell(t, memory_copy_text(text), NULL);
}

void table_add_integer(struct table *t, int64_t value)
{
	add_cell(t, number_text_integer(value), NULL);
}

void table_add_rational(struct table *t, const struct sotto_rational *r)
{
	add_cell(t, number_text_rational(r), NULL);
}

/* Takes the text. */
static void add_double(struct table *t, double x, char *for_people)
{
	add_cell(t, NULL, for_people);
	t->cells[t->cell_count - 1].is_double = true;
	t->cells[t->cell_count - 1].x = x;
}

/* Takes the text that people see. */
static void add_amount(struct table *t, const struct sotto_rational *r, double x, char *shown)
{
	char *exact = number_text_parameter(r);

	if (number_text_survives_double(exact)) {
		add_cell(t, exact, shown);
	} else {
		free(exact);
		add_double(t, x, shown);
	}
}

void table_add_amount_down(struct table *t, const struct sotto_rational *r)
{
	add_amount(t, r, sotto_rational_double_down(r), number_text_amount_down(r));
}

void table_add_amount_up(struct table *t, const struct sotto_rational *r)
{
	add_amount(t, r, sotto_rational_double_up(r), number_text_amount_up(r));
}

void table_add_double(struct table *t, double x, int digits)
{
	add_double(t, x, number_text_rounded(x, digits));
}

void table_add_double_up(struct table *t, double x, int digits)
{
	add_double(t, x, number_text_rounded_up(x, digits));
}

void table_add_double_down(struct table *t, double x, int digits)
{
	add_double(t, x, number_text_rounded_down(x, digits));
}

void table_add_nothing(struct table *t)
{
	add_cell(t, NULL, NULL);
}

size_t table_row_count(const struct table *t)
{
	assert(t->cell_count % t->column_count == 0);
	return t->cell_count / t->column_count;
}

static void write_cell(const struct cell *cell, enum column_kind kind, struct json_writer *w)
{
	if (cell->is_double)
		json_write_double(w, cell->x);
	else if (!cell->text)
		json_write_null(w);
	else if (kind == COLUMN_TEXT)
		json_write_text(w, cell->text);
	else
		json_write_number_text(w, cell->text);
}

static void write_json(const struct table *t, struct json_writer *w)
{
	size_t rows = table_row_count(t);

	json_open_array(w);
	for (size_t r = 0; r < rows; r++) {
		json_open_record(w);
		for (size_t c = 0; c < t->column_count; c++) {
			json_key(w, t->columns[c].name);
			write_cell(&t->cells[r * t->column_count + c], t->columns[c].kind, w);
		}
		json_close_object(w);
	}
	json_close_array(w);
}

void table_print(const struct table *t, enum format format, FILE *out)
{
	struct json_writer w;

	switch (format) {
	case FORMAT_TABLE:
		table_print_human(t, out);
		break;
	case FORMAT_CSV:
		table_print_csv(t, out);
		break;
	case FORMAT_JSON:
		json_begin(&w, out);
		json_open_object(&w);
		json_key(&w, "rows");
		write_json(t, &w);
		json_close_object(&w);
		json_end(&w);
		break;
	}
}
