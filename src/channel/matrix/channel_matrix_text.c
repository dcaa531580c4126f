/*
 * Matrices as CSV, read exactly: decimals and fractions as they are written, hexadecimal
 * numbers as the fractions that they are.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel/matrix/channel_matrix.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"

enum { FILE_MAX = 1 << 28, CELL_MAX = 4096, COLUMNS_MAX = 1 << 20 };

enum { EXPONENT_MAX = 1 << 14 }; /* of 2: more than a cell may have */

/* Cells while rows are read. */
struct reading {
	const char *name;
	struct sotto_error *err;
	struct sotto_rational *cells;
	size_t count, room;
	size_t rows, columns;
	size_t line;
};

static enum sotto_status refuse(struct reading *r, const char *why)
{
	return sotto_fail(r->err, SOTTO_EPARSE, "%.200s:%zu: %s", r->name, r->line, why);
}

/* Digits with at most one point: the fraction times 16 to the number of places behind it. */
static const char *
read_hexadecimal_digits(const char *text, mpz_t digits, size_t *count, long *places)
{
	char one[2] = {0};
	bool behind = false;
	mpz_t digit;

	mpz_init(digit);
	for (*count = 0, *places = 0;
	     isxdigit((unsigned char)*text) || (*text == '.' && !behind); text++) {
		behind |= *text == '.';
		if (*text == '.')
			continue;
		one[0] = *text;
		(void)mpz_set_str(digit, one, 16);
		mpz_mul_2exp(digits, digits, 4);
		mpz_add(digits, digits, digit);
		++*count;
		*places += behind;
	}
	mpz_clear(digit);
	return text;
}

/*
 * Exactly: as doubles, numbers with more than 53 digits would be rounded, and small ones would all
 * be 0, which neighbours then have in common.
 */
static enum sotto_status read_hexadecimal(struct sotto_rational *out, const char *text)
{
	bool negative = *text == '-';
	long places, exponent = 0;
	size_t count;
	char *end;

	text += *text == '-' || *text == '+';
	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
		return SOTTO_EPARSE;
	mpq_set_ui(out->q, 0, 1);
	text = read_hexadecimal_digits(text + 2, mpq_numref(out->q), &count, &places);
	if (*text == 'p' || *text == 'P') {
		exponent = strtol(text + 1, &end, 10);
		if (end == text + 1 || isspace((unsigned char)text[1]))
			return SOTTO_EPARSE;
		text = end;
	}
	if (*text || count == 0 || exponent < -EXPONENT_MAX || exponent > EXPONENT_MAX)
		return SOTTO_EPARSE;
	exponent -= 4 * places;
	if (negative)
		mpq_neg(out->q, out->q);
	sotto_rational_scale(out, out, (int)exponent);
	return SOTTO_OK;
}

/* As a fraction it is a cell again: whatever is read can be written and read back. */
static bool can_be_written(const struct sotto_rational *cell)
{
	return mpz_sizeinbase(mpq_numref(cell->q), 10) < CELL_MAX / 2 - 2 &&
	       mpz_sizeinbase(mpq_denref(cell->q), 10) < CELL_MAX / 2 - 2;
}

static enum sotto_status add_cell(struct reading *r, const char *text, size_t length)
{
	char copy[CELL_MAX];
	struct sotto_rational *cell;

	while (length && strchr(" \t\"", text[length - 1]))
		length--;
	while (length && strchr(" \t\"", *text)) {
		text++;
		length--;
	}
	if (length == 0 || length >= sizeof copy)
		return refuse(
			r, "a cell is empty or too long; write a number such as 1/4 or 0.25");
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (r->count == r->room) {
		size_t room = r->room ? 2 * r->room : 64;
		void *grown = realloc(r->cells, room * sizeof *r->cells);

		if (!grown)
			return SOTTO_ENOMEM;
		r->cells = grown;
		r->room = room;
	}
	cell = &r->cells[r->count++];
	sotto_rational_init(cell);
	if ((strpbrk(copy, "xX") ? read_hexadecimal(cell, copy)
				 : sotto_rational_parse(cell, copy, NULL)) != SOTTO_OK)
		return refuse(r, "a cell is not a number; write 3/16, 0.25, 1e-3 or 0x1.8p-3");
	if (!can_be_written(cell))
		return refuse(r, "a cell is too large or too small a number; write one with at "
				 "most 2000 digits");
	return SOTTO_OK;
}

static enum sotto_status read_row(struct reading *r, const char *line, size_t length)
{
	const char *end = line + length;
	size_t columns = 0;

	for (const char *from = line; from <= end; columns++) {
		const char *comma = memchr(from, ',', (size_t)(end - from));
		const char *to = comma ? comma : end;

		if (columns == COLUMNS_MAX || r->count == SOTTO_MATRIX_CELLS_MAX)
			return sotto_fail(r->err, SOTTO_ERANGE,
					  "%.200s: the matrix is too large", r->name);
		SOTTO_TRY(add_cell(r, from, (size_t)(to - from)));
		from = to + 1;
	}
	if (r->rows && columns != r->columns)
		return sotto_fail(r->err, SOTTO_EPARSE,
				  "%.200s:%zu: this row has %zu cells, the first has %zu",
				  r->name, r->line, columns, r->columns);
	r->columns = columns;
	r->rows++;
	return SOTTO_OK;
}

/* Without its comment and the blanks at its end; 0 for a line that says nothing. */
static size_t content(const char *line, size_t length)
{
	const char *comment = memchr(line, '#', length);

	if (comment)
		length = (size_t)(comment - line);
	while (length && strchr(" \t\r", line[length - 1]))
		length--;
	return length;
}

static enum sotto_status read_lines(struct reading *r, const char *text, size_t length)
{
	const char *end = text + length;

	if (memchr(text, '\0', length))
		return refuse(r, "the file holds a NUL byte, so it is not CSV");
	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((stop ? stop : end) - text), used;

		r->line++;
		used = content(text, n);
		if (used)
			SOTTO_TRY(read_row(r, text, used));
		text += n + 1;
	}
	return r->rows ? SOTTO_OK : refuse(r, "there is no row in it");
}

enum sotto_status sotto_matrix_parse(const char *text, size_t length, const char *name,
				     struct sotto_matrix **out, struct sotto_error *err)
{
	struct reading r = {.name = name, .err = err};
	struct sotto_matrix *m = NULL;
	enum sotto_status st;

	if (!text || !name || !out)
		return SOTTO_EINVAL;
	st = read_lines(&r, text, length);
	if (st == SOTTO_OK)
		st = sotto_matrix_new(r.rows, r.columns, &m);
	for (size_t i = 0; i < r.count; i++) {
		if (st == SOTTO_OK)
			mpq_set(m->cells[i], r.cells[i].q);
		sotto_rational_release(&r.cells[i]);
	}
	free(r.cells);
	if (st == SOTTO_OK)
		*out = m;
	return st;
}

enum sotto_status
sotto_matrix_read(const char *path, struct sotto_matrix **out, struct sotto_error *err)
{
	struct sotto_buffer b;
	enum sotto_status st;

	if (!path || !out)
		return SOTTO_EINVAL;
	sotto_buffer_init(&b, FILE_MAX);
	st = sotto_buffer_append_file(&b, path);
	if (st == SOTTO_EMISSING)
		st = sotto_fail(err, SOTTO_EIO, "%.300s could not be opened", path);
	else if (st == SOTTO_EIO)
		st = sotto_fail(err, SOTTO_EIO, "%.300s could not be read", path);
	else if (st == SOTTO_ERANGE)
		st = sotto_fail(err, SOTTO_ERANGE, "%.300s is too large for a matrix", path);
	if (st == SOTTO_OK)
		st = sotto_matrix_parse(sotto_buffer_text(&b), b.length, path, out, err);
	sotto_buffer_release(&b);
	return st;
}

enum sotto_status sotto_matrix_format(const struct sotto_matrix *m, char **out)
{
	struct sotto_buffer b;
	enum sotto_status st = SOTTO_OK;

	if (!m || !out)
		return SOTTO_EINVAL;
	sotto_buffer_init(&b, FILE_MAX);
	for (size_t i = 0; i < m->rows && st == SOTTO_OK; i++)
		for (size_t j = 0; j < m->columns && st == SOTTO_OK; j++) {
			char *cell = mpq_get_str(NULL, 10, sotto_matrix_at(m, i, j));

			st = sotto_buffer_appendf(&b, "%s%s", cell,
						  j + 1 < m->columns ? "," : "\n");
			free(cell);
		}
	if (st == SOTTO_OK) {
		*out = strdup(sotto_buffer_text(&b));
		st = *out ? SOTTO_OK : SOTTO_ENOMEM;
	}
	sotto_buffer_release(&b);
	return st;
}
