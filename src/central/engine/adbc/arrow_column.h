/*
 * arrow_column.h - values out of Arrow arrays
 *
 * Every value of a column has an image in the engine and no conversion can fail: an
 * error on one person's row would tell that it is there.  What the shape of an array
 * promises (so many buffers, so long) is checked once for each batch; a value that its
 * own array contradicts (a text that ends before it begins, an index past its
 * dictionary) is NULL.
 *
 * Arrow's C interface does not say how long a buffer is: a driver that lies about that
 * is a faulty program in the worker's process, and ends with it.
 */
#ifndef SOTTO_ARROW_COLUMN_H
#define SOTTO_ARROW_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "central/engine/duckdb_library.h"
#include "core/base/wide.h"
#include "sotto/owner.h"

/* A text of more bytes is NULL; so are bytes whose hexadecimal text would have more. */
enum { SOTTO_ARROW_TEXT_MAX = 1 << 16 };

/* How values lie in their buffers. */
enum sotto_arrow_layout {
	SOTTO_ARROW_NOTHING, /* no buffers: all are NULL */
	SOTTO_ARROW_BITS,
	SOTTO_ARROW_FIXED, /* `width` bytes each */
	SOTTO_ARROW_OFFSETS32,
	SOTTO_ARROW_OFFSETS64,
};

/* What a value means, and with it what it becomes. */
enum sotto_arrow_meaning {
	SOTTO_ARROW_BOOL,
	SOTTO_ARROW_SIGNED,
	SOTTO_ARROW_UNSIGNED,
	SOTTO_ARROW_HALF,
	SOTTO_ARROW_FLOAT,
	SOTTO_ARROW_DOUBLE,
	SOTTO_ARROW_DECIMAL, /* exactly */
	SOTTO_ARROW_WIDE_DECIMAL, /* as the nearest double */
	SOTTO_ARROW_DATE,
	SOTTO_ARROW_TIMESTAMP, /* in UTC */
	SOTTO_ARROW_TIME, /* as text */
	SOTTO_ARROW_TEXT,
	SOTTO_ARROW_BYTES, /* as hexadecimal text */
};

struct sotto_arrow_plain {
	enum sotto_arrow_layout layout;
	enum sotto_arrow_meaning meaning;
	unsigned width; /* of FIXED */
	int64_t per_second; /* of TIMESTAMP and TIME; of DATE: per day */
	int digits, scale; /* of a decimal */
};

struct sotto_arrow_column {
	struct sotto_arrow_plain values; /* of the dictionary, if there is one */
	struct sotto_arrow_plain indices;
	bool has_dictionary;
	bool folds; /* a text of which the server calls other texts equal */
};

/* One value, read. */
struct sotto_arrow_value {
	bool is_null;
	int64_t integer; /* also a truth value, days, microseconds; bits of an UNSIGNED */
	double number;
	sotto_i128 digits; /* of a DECIMAL */
	const char *text; /* in the array, or in the reader's scratch */
	size_t length;
};

/* Where texts are made that an array does not hold. */
struct sotto_arrow_scratch {
	char text[SOTTO_ARROW_TEXT_MAX + 8];
};

/* False: a type without an image (lists, structs, intervals, ...); the column is left out. */
bool sotto_arrow_column_read(const struct ArrowSchema *schema, struct sotto_arrow_column *out);

/*
 * Whether the array has the buffers that its column needs, for so many rows after its offset.
 */
bool sotto_arrow_array_fits(const struct sotto_arrow_column *c, const struct ArrowArray *array,
			    int64_t rows);

/* The value of a row of an array that fits. */
struct sotto_arrow_value sotto_arrow_value(const struct sotto_arrow_column *c,
					   const struct ArrowArray *array, int64_t row,
					   struct sotto_arrow_scratch *scratch);

/* The engine's type; the caller destroys it. */
duckdb_logical_type
sotto_arrow_logical(const struct sotto_duckdb *api, const struct sotto_arrow_column *c);

/* Writes a value that is not NULL. */
void sotto_arrow_put(const struct sotto_duckdb *api, const struct sotto_arrow_column *c,
		     duckdb_vector vector, void *data, size_t row,
		     const struct sotto_arrow_value *value);

#endif
