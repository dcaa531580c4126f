/*
 * table.h - results in rows and columns, printed as --format asks
 *
 *	static const struct column columns[] = {
 *		{"city", "city", COLUMN_TEXT},
 *		{"count", "noisy count", COLUMN_INTEGER},
 *	};
 *	table_init(&t, columns, 2);
 *	table_add_text(&t, "Padova");
 *	table_add_integer(&t, 117);
 *	table_print(&t, call->format, call->out);
 *	table_release(&t);
 *
 * Cells are added from left to right, row by row.  On a terminal the header is
 * bold and columns are aligned by what the eye sees; control characters are
 * escaped.  CSV quotes as RFC 4180 has it.  JSON is an object whose
 * "rows" are an array of objects.
 */
#ifndef SOTTO_TABLE_H
#define SOTTO_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "show/json.h"
#include "show/output_format.h"
#include "sotto/rational.h"

enum column_kind { COLUMN_TEXT, COLUMN_INTEGER, COLUMN_NUMBER };

enum column_align { ALIGN_BY_KIND, ALIGN_LEFT, ALIGN_RIGHT }; /* by kind: numbers right */

struct column {
	const char *name; /* key in JSON and CSV: lower case, underscores; never changes */
	const char *title; /* for people; NULL to use the name */
	enum column_kind kind;
	enum column_align align;
};

struct cell {
	char *text; /* for programs; NULL for "no value", or if is_double */
	char *shown; /* for people; NULL to show text */
	bool is_double;
	double x; /* if is_double: programs get all its digits */
};

struct table {
	const struct column *columns; /* borrowed */
	size_t column_count;
	struct cell *cells; /* row by row */
	size_t cell_count;
};

void table_init(struct table *t, const struct column *columns, size_t count);
void table_release(struct table *t);

void table_add_text(struct table *t, const char *text);
void table_add_integer(struct table *t, int64_t value);
void table_add_rational(struct table *t, const struct sotto_rational *r);

/* Add a decimal that is never more than r, or never less; programs get all digits of a double. */
void table_add_amount_down(struct table *t, const struct sotto_rational *r);
void table_add_amount_up(struct table *t, const struct sotto_rational *r);

/* Adds a double: all digits for programs, `digits` significant ones for people. */
void table_add_double(struct table *t, double x, int digits);

/* Do the same, but people never see less than x, or never more: for the two sides of a bound. */
void table_add_double_up(struct table *t, double x, int digits);
void table_add_double_down(struct table *t, double x, int digits);

/* Adds no value: an empty cell, null in JSON. */
void table_add_nothing(struct table *t);

size_t table_row_count(const struct table *t);

/* Prints the table, whose rows must be complete. */
void table_print(const struct table *t, enum format format, FILE *out);

/* Print in one of the formats. */
void table_print_human(const struct table *t, FILE *out);
void table_print_csv(const struct table *t, FILE *out);
#endif
