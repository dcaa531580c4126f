/* Tables for people: aligned columns, a header, nothing that a terminal would obey. */
#include "show/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "show/printable.h"
#include "show/terminal.h"

static const char *shown(const struct cell *cell)
{
	if (cell->shown)
		return cell->shown;
	return cell->text ? cell->text : "";
}

static const char *title_of(const struct column *column)
{
	return column->title ? column->title : column->name;
}

static bool is_right(const struct column *column)
{
	if (column->align == ALIGN_BY_KIND)
		return column->kind != COLUMN_TEXT;
	return column->align == ALIGN_RIGHT;
}

static void pad(size_t columns, FILE *out)
{
	fprintf(out, "%*s", (int)columns, "");
}

static void
print_aligned(const char *text, const struct column *column, size_t width, bool last, FILE *out)
{
	size_t space = width - printable_print(text, NULL);

	if (is_right(column))
		pad(space, out);
	printable_print(text, out);
	if (!is_right(column) && !last)
		pad(space, out);
	fputs(last ? "\n" : "  ", out);
}

static size_t *measure(const struct table *t)
{
	size_t *widths = memory_new(t->column_count, sizeof *widths);

	for (size_t c = 0; c < t->column_count; c++)
		widths[c] = printable_print(title_of(&t->columns[c]), NULL);
	for (size_t i = 0; i < t->cell_count; i++) {
		size_t width = printable_print(shown(&t->cells[i]), NULL),
		       c = i % t->column_count;

		if (width > widths[c])
			widths[c] = width;
	}
	return widths;
}

/* The last column with anything in it: blanks behind that would only trail. */
static size_t last_column(const struct table *t, const size_t *widths)
{
	size_t last = t->column_count - 1;

	while (last > 0 && widths[last] == 0)
		last--;
	return last;
}

void table_print_human(const struct table *t, FILE *out)
{
	size_t *widths = measure(t);
	size_t rows = table_row_count(t), last = last_column(t, widths);

	fputs(terminal_bold(out), out);
	for (size_t c = 0; c <= last; c++)
		print_aligned(title_of(&t->columns[c]), &t->columns[c], widths[c], c == last,
			      out);
	fputs(terminal_plain(out), out);
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c <= last; c++)
			print_aligned(shown(&t->cells[r * t->column_count + c]), &t->columns[c],
				      widths[c], c == last, out);
	free(widths);
}
