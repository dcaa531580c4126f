/*
 * The footer is a struct FileMetaData in Thrift's compact protocol; its field 2 is the
 * list of columns.  Of a column, field 1 is the physical type, 6 and 10 say what its
 * bytes mean.  Everything else is copied as it is.
 */
#include "central/seal/typed/parquet_texts.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/engine/file_identity.h"
#include "central/engine/whole_io.h"
#include "core/base/failure.h"

enum { SCHEMA = 2, TYPE = 1, CONVERTED = 6, LOGICAL = 10 };
enum { INT64 = 2, BYTE_ARRAY = 6, CONVERTED_DECIMAL = 5, LOGICAL_DECIMAL = 5 };
enum { CONVERTED_MILLIS = 9, LOGICAL_TIMESTAMP = 8, UNIT = 2, UNIT_MILLIS = 1 };
enum {
	T_STOP,
	T_TRUE,
	T_FALSE,
	T_BYTE,
	T_I16,
	T_I32,
	T_I64,
	T_DOUBLE,
	T_BINARY,
	T_LIST,
	T_SET,
	T_MAP,
	T_STRUCT
};
enum { DEPTH_MAX = 32 };

struct thrift {
	const unsigned char *at, *end;
	unsigned depth;
};

static bool take_number(struct thrift *t, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 64 && t->at < t->end; shift += 7) {
		unsigned char c = *t->at++;

		*out |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

static bool take_bytes(struct thrift *t, uint64_t n)
{
	if ((uint64_t)(t->end - t->at) < n)
		return false;
	t->at += n;
	return true;
}

/* The head of a field; *type is T_STOP at the end of the struct. */
static bool take_field(struct thrift *t, int *id, unsigned *type)
{
	uint64_t number;
	unsigned head;

	if (t->at >= t->end)
		return false;
	head = *t->at++;
	*type = head & 0xf;
	if (head == 0)
		return true;
	if (head >> 4) {
		*id += (int)(head >> 4);
		return true;
	}
	if (!take_number(t, &number) || number > UINT16_MAX)
		return false;
	*id = (int)(number >> 1) ^ -(int)(number & 1);
	return true;
}

static bool take_list(struct thrift *t, uint64_t *count, unsigned *type)
{
	unsigned head;

	if (t->at >= t->end)
		return false;
	head = *t->at++;
	*type = head & 0xf;
	*count = head >> 4;
	return *count < 15 || take_number(t, count);
}

static bool skip(struct thrift *t, unsigned type, bool in_list);

static bool skip_struct(struct thrift *t)
{
	unsigned type = T_STOP;
	int id = 0;

	do {
		if (!take_field(t, &id, &type) || (type != T_STOP && !skip(t, type, false)))
			return false;
	} while (type != T_STOP);
	return true;
}

static bool skip_list(struct thrift *t)
{
	uint64_t count;
	unsigned type;

	if (!take_list(t, &count, &type) || count > (uint64_t)(t->end - t->at))
		return false;
	for (uint64_t i = 0; i < count; i++)
		if (!skip(t, type, true))
			return false;
	return true;
}

static bool skip_map(struct thrift *t)
{
	uint64_t count;
	unsigned types;

	if (!take_number(t, &count) || count > (uint64_t)(t->end - t->at))
		return false;
	if (count == 0)
		return true;
	types = *t->at++;
	for (uint64_t i = 0; i < count; i++)
		if (!skip(t, types >> 4, true) || !skip(t, types & 0xf, true))
			return false;
	return true;
}

static bool skip_value(struct thrift *t, unsigned type, bool in_list)
{
	uint64_t number;

	switch (type) {
	case T_TRUE:
	case T_FALSE:
		return !in_list || take_bytes(t, 1);
	case T_BYTE:
		return take_bytes(t, 1);
	case T_I16:
	case T_I32:
	case T_I64:
		return take_number(t, &number);
	case T_DOUBLE:
		return take_bytes(t, 8);
	case T_BINARY:
		return take_number(t, &number) && take_bytes(t, number);
	case T_LIST:
	case T_SET:
		return skip_list(t);
	case T_MAP:
		return skip_map(t);
	case T_STRUCT:
		return skip_struct(t);
	default:
		return false;
	}
}

static bool skip(struct thrift *t, unsigned type, bool in_list)
{
	bool ok;

	if (t->depth >= DEPTH_MAX)
		return false;
	t->depth++;
	ok = skip_value(t, type, in_list);
	t->depth--;
	return ok;
}

/* ---- one column ------------------------------------------------------------------------------ */

/* Numbers in the compact protocol are in zigzag: 2 n for n that is not negative. */
static bool peek_number(struct thrift t, uint64_t *out)
{
	bool ok = take_number(&t, out);

	*out >>= 1;
	return ok;
}

/* Which member of the union LogicalType is set. */
static bool peek_member(struct thrift t, uint64_t *out)
{
	unsigned type;
	int id = 0;
	bool ok = take_field(&t, &id, &type);

	*out = (uint64_t)id;
	return ok;
}

/* Of the union LogicalType: a time in milliseconds. */
static bool peek_millis(struct thrift t)
{
	unsigned type;
	int id = 0, field = 0;

	if (!take_field(&t, &id, &type) || id != LOGICAL_TIMESTAMP || type != T_STRUCT)
		return false;
	while (take_field(&t, &field, &type) && type != T_STOP) {
		uint64_t unit;

		if (field == UNIT && type == T_STRUCT)
			return peek_member(t, &unit) && unit == UNIT_MILLIS;
		if (!skip(&t, type, false))
			return false;
	}
	return false;
}

struct column {
	bool is_bytes, is_decimal;
	bool is_whole,
		is_millis; /* both: a time in milliseconds, which the engine multiplies */
};

static bool look(struct thrift t, struct column *c)
{
	unsigned type = T_STOP;
	uint64_t number = 0;
	int id = 0;

	*c = (struct column){0};
	for (;;) {
		if (!take_field(&t, &id, &type))
			return false;
		if (type == T_STOP)
			return true;
		if (id == TYPE && peek_number(t, &number)) {
			c->is_bytes = number == BYTE_ARRAY;
			c->is_whole = number == INT64;
		}
		if (id == CONVERTED && peek_number(t, &number)) {
			c->is_decimal = c->is_decimal || number == CONVERTED_DECIMAL;
			c->is_millis = c->is_millis || number == CONVERTED_MILLIS;
		}
		if (id == LOGICAL && peek_millis(t))
			c->is_millis = true;
		if (id == LOGICAL && peek_member(t, &number))
			c->is_decimal = c->is_decimal || number == LOGICAL_DECIMAL;
		if (!skip(&t, type, false))
			return false;
	}
}

/* Fields are written with their full numbers: which one stands before may have gone. */
static enum sotto_status
put_field(struct sotto_buffer *b, int id, unsigned type, const unsigned char *from, size_t n)
{
	unsigned number = (unsigned)id * 2;
	unsigned char head[3] = {(unsigned char)type, (unsigned char)(number & 0x7f), 0};
	size_t length = 2;

	if (number > 0x7f) {
		head[1] |= 0x80;
		head[2] = (unsigned char)(number >> 7);
		length = 3;
	}
	SOTTO_TRY(sotto_buffer_append(b, head, length));
	return n ? sotto_buffer_append(b, from, n) : SOTTO_OK;
}

static enum sotto_status put_column(struct thrift *t, struct sotto_buffer *b)
{
	struct column c;
	int id = 0;

	if (!look(*t, &c))
		return SOTTO_EPARSE;
	for (;;) {
		const unsigned char *start;
		unsigned type;

		if (!take_field(t, &id, &type) || id < 0 || id > 4000)
			return SOTTO_EPARSE;
		if (type == T_STOP)
			return sotto_buffer_append(b, "", 1);
		start = t->at;
		if (!skip(t, type, false))
			return SOTTO_EPARSE;
		if (((c.is_bytes && !c.is_decimal) || (c.is_whole && c.is_millis)) &&
		    (id == CONVERTED || id == LOGICAL))
			continue;
		SOTTO_TRY(put_field(b, id, type, start, (size_t)(t->at - start)));
	}
}

static enum sotto_status put_columns(struct thrift *t, struct sotto_buffer *b)
{
	const unsigned char *start = t->at;
	uint64_t count;
	unsigned type;

	if (!take_list(t, &count, &type) || type != T_STRUCT)
		return SOTTO_EPARSE;
	SOTTO_TRY(sotto_buffer_append(b, start, (size_t)(t->at - start)));
	for (uint64_t i = 0; i < count; i++)
		SOTTO_TRY(put_column(t, b));
	return SOTTO_OK;
}

enum sotto_status
sotto_footer_loosen(const unsigned char *footer, size_t n, struct sotto_buffer *out)
{
	struct thrift t = {footer, footer + n, 0};
	unsigned type;
	int id = 0;

	do {
		if (!take_field(&t, &id, &type) || type == T_STOP)
			return SOTTO_EPARSE;
		if (id != SCHEMA && !skip(&t, type, false))
			return SOTTO_EPARSE;
	} while (id != SCHEMA);
	if (type != T_LIST)
		return SOTTO_EPARSE;
	SOTTO_TRY(sotto_buffer_append(out, footer, (size_t)(t.at - footer)));
	SOTTO_TRY(put_columns(&t, out));
	return sotto_buffer_append(out, t.at, (size_t)(t.end - t.at));
}

/* ---- the file ---------------------------------------------------------------------------------- */

static enum sotto_status copy_data(int from, int to, uint64_t n)
{
	char piece[1 << 16];

	for (uint64_t at = 0; at < n;) {
		size_t most = n - at < sizeof piece ? (size_t)(n - at) : sizeof piece;
		ssize_t k = pread(from, piece, most, (off_t)at);

		if (k <= 0 || !sotto_write_all(to, piece, (size_t)k))
			return SOTTO_EIO;
		at += (uint64_t)k;
	}
	return SOTTO_OK;
}

static enum sotto_status
read_footer(int file, uint64_t start, uint32_t length, struct sotto_buffer *loose)
{
	unsigned char *footer = malloc((size_t)length + 1);
	enum sotto_status st = SOTTO_ENOMEM;

	if (footer)
		st = pread(file, footer, length, (off_t)start) == (ssize_t)length
			     ? sotto_footer_loosen(footer, length, loose)
			     : SOTTO_EIO;
	free(footer);
	return st;
}

static enum sotto_status put_footer(int file, const struct sotto_buffer *loose)
{
	uint32_t n = (uint32_t)loose->length;
	unsigned char end[8] = {(unsigned char)n,
				(unsigned char)(n >> 8),
				(unsigned char)(n >> 16),
				(unsigned char)(n >> 24),
				'P',
				'A',
				'R',
				'1'};

	return sotto_write_all(file, loose->bytes, loose->length) &&
			       sotto_write_all(file, end, sizeof end)
		       ? SOTTO_OK
		       : SOTTO_EIO;
}

static enum sotto_status loosen(int from, int to)
{
	struct sotto_buffer loose;
	enum sotto_status st;
	uint32_t length;
	uint64_t start;
	struct stat s;

	if (fstat(from, &s) != 0)
		return SOTTO_EIO;
	SOTTO_TRY(sotto_parquet_footer(from, (uint64_t)s.st_size, &start, &length));
	sotto_buffer_init(&loose, (size_t)1 << 31);
	st = read_footer(from, start, length, &loose);
	if (st == SOTTO_OK)
		st = copy_data(from, to, start);
	if (st == SOTTO_OK)
		st = put_footer(to, &loose);
	sotto_buffer_release(&loose);
	return st;
}

enum sotto_status sotto_parquet_loosen(const char *from, const char *to)
{
	int source = open(from, O_RDONLY | O_CLOEXEC), target;
	enum sotto_status st = SOTTO_EIO;

	if (source < 0)
		return SOTTO_EIO;
	target = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (target >= 0) {
		st = loosen(source, target);
		if (close(target) != 0)
			st = SOTTO_EIO;
	}
	(void)close(source);
	return st;
}
