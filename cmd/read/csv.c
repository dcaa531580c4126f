/*
 * Reads CSV byte by byte into one buffer, which is used again for each record, and keeps where
 * each field begins; buffers are wiped when they are outgrown or freed, since they hold private
 * data.
 */
#include "read/csv.h"

#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"

/* How a field or a record ended. */
enum ending { END_FIELD, END_RECORD, END_FILE, END_BROKEN };

void csv_init(struct csv_reader *r, FILE *in)
{
	*r = (struct csv_reader){.in = in, .line = 1};
}

void csv_release(struct csv_reader *r)
{
	if (r->bytes)
		explicit_bzero(r->bytes, r->room);
	free(r->bytes);
	free(r->fields);
	*r = (struct csv_reader){0};
}

static enum ending broken(struct csv_reader *r, struct sotto_error *err, const char *why)
{
	(void)complaint_refuse(err, "line %zu: %s", r->start, why);
	return END_BROKEN;
}

static int next_byte(struct csv_reader *r)
{
	int byte = getc_unlocked(r->in);

	if (byte == '\n')
		r->line++;
	return byte;
}

static int peek_byte(struct csv_reader *r)
{
	int byte = getc_unlocked(r->in);

	if (byte != EOF)
		ungetc(byte, r->in);
	return byte;
}

/* Growing by hand, because a block that realloc leaves behind would keep data. */
static void grow(struct csv_reader *r)
{
	size_t room = r->room ? r->room * 2 : 256;
	char *bytes = memory_new(room, 1);

	if (r->bytes) {
		memcpy(bytes, r->bytes, r->length);
		explicit_bzero(r->bytes, r->room);
		free(r->bytes);
	}
	r->bytes = bytes;
	r->room = room;
}

static bool put(struct csv_reader *r, int byte)
{
	if (r->length >= CSV_RECORD_MAX)
		return false;
	if (r->length == r->room)
		grow(r);
	r->bytes[r->length++] = (char)byte;
	return true;
}

static bool begin_field(struct csv_reader *r)
{
	if (r->field_count >= CSV_FIELDS_MAX)
		return false;
	r->fields = memory_grow(r->fields, r->field_count, sizeof *r->fields);
	r->fields[r->field_count++] = r->length;
	return true;
}

/* What the byte after a field means; a lone CR ends a line as LF does. */
static enum ending ending_of(struct csv_reader *r, int byte)
{
	if (byte == ',')
		return END_FIELD;
	if (byte == EOF)
		return END_FILE;
	if (byte == '\r') {
		if (peek_byte(r) == '\n')
			(void)next_byte(r);
		else
			r->line++;
	}
	return END_RECORD;
}

static bool ends_field(int byte)
{
	return byte == ',' || byte == '\n' || byte == '\r' || byte == EOF;
}

static const char too_long[] = "the record is longer than 1 MiB; is a quote left open?";
static const char nul_byte[] = "there is a NUL byte; is this a text file in UTF-8?";

/* After the opening quote, up to and including what follows the closing one. */
static enum ending read_quoted(struct csv_reader *r, struct sotto_error *err)
{
	for (;;) {
		int byte = next_byte(r);

		if (byte == EOF)
			return broken(r, err, "a quoted field is never closed");
		if (byte == '"') {
			byte = next_byte(r);
			if (ends_field(byte))
				return put(r, '\0') ? ending_of(r, byte)
						    : broken(r, err, too_long);
			if (byte != '"')
				return broken(r, err, "there is text after a closing quote");
		}
		if (byte == '\0')
			return broken(r, err, nul_byte);
		if (!put(r, byte))
			return broken(r, err, too_long);
	}
}

static enum ending read_plain(struct csv_reader *r, int byte, struct sotto_error *err)
{
	for (; !ends_field(byte); byte = next_byte(r)) {
		if (byte == '\0')
			return broken(r, err, nul_byte);
		if (!put(r, byte))
			return broken(r, err, too_long);
	}
	return put(r, '\0') ? ending_of(r, byte) : broken(r, err, too_long);
}

static enum ending read_field(struct csv_reader *r, struct sotto_error *err)
{
	int byte;

	if (!begin_field(r))
		return broken(r, err, "the record has more than 65536 fields");
	byte = next_byte(r);
	return byte == '"' ? read_quoted(r, err) : read_plain(r, byte, err);
}

static bool skip_byte_order_mark(struct csv_reader *r)
{
	static const int mark[] = {0xEF, 0xBB, 0xBF};

	if (peek_byte(r) != mark[0])
		return true;
	for (size_t i = 0; i < 3; i++)
		if (next_byte(r) != mark[i])
			return false;
	return true;
}

/* Skips empty lines; false at the end of the file. */
static bool find_record(struct csv_reader *r)
{
	int byte;

	while ((byte = peek_byte(r)) == '\n' || byte == '\r')
		(void)ending_of(r, next_byte(r));
	return byte != EOF;
}

enum csv_result csv_next(struct csv_reader *r, struct sotto_error *err)
{
	enum ending ending;
	bool marked = r->begun || skip_byte_order_mark(r);

	r->begun = true;
	r->length = 0;
	r->field_count = 0;
	r->start = r->line;
	if (!marked) {
		(void)broken(r, err, "the file does not start like UTF-8");
		return CSV_BROKEN;
	}
	if (!find_record(r)) {
		if (!ferror(r->in))
			return CSV_END;
		(void)complaint_refuse(err, "line %zu: the file could not be read", r->line);
		return CSV_BROKEN;
	}
	r->start = r->line;
	do
		ending = read_field(r, err);
	while (ending == END_FIELD);
	return ending == END_BROKEN ? CSV_BROKEN : CSV_RECORD;
}

const char *csv_field(const struct csv_reader *r, size_t i)
{
	return r->bytes + r->fields[i];
}
