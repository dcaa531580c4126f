/* Tables as CSV: RFC 4180 quoting, lines end with a newline. */
#include "show/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "show/number_text.h"

static bool needs_quotes(const char *text)
{
	size_t length = strlen(text);

	if (length == 0)
		return true; /* "" is an empty text; nothing at all is not a value */
	return strpbrk(text, ",\"\r\n") || text[0] == ' ' || text[length - 1] == ' ';
}

static void print_field(const char *text, FILE *out)
{
	if (!text)
		return;
	if (!needs_quotes(text)) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void print_cell(const struct cell *cell, FILE *out)
{
	char *digits = cell->is_double ? number_text_double(cell->x) : NULL;

	print_field(digits ? digits : cell->text, out);
	free(digits);
}

void table_print_csv(const struct table *t, FILE *out)
{
	size_t rows = table_row_count(t);

	for (size_t c = 0; c < t->column_count; c++) {
		fputs(c ? "," : "", out);
		print_field(t->columns[c].name, out);
	}
	fputc('\n', out);
	for (size_t r = 0; r < rows; r++) {
		for (size_t c = 0; c < t->column_count; c++) {
			fputs(c ? "," : "", out);
			print_cell(&t->cells[r * t->column_count + c], out);
		}
		fputc('\n', out);
	}
}
