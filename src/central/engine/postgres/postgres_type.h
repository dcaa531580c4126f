/*
 * postgres_type.h - how each type of PostgreSQL reaches the engine
 *
 * Every value of a column has a value there and no conversion can fail: an error
 * on one person's row would tell that it is there.
 */
#ifndef SOTTO_POSTGRES_TYPE_H
#define SOTTO_POSTGRES_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "central/engine/duckdb_library.h"
#include "central/engine/postgres/postgres_copy.h"
#include "core/base/arena.h"

/* How a value is sent, and what it becomes. */
enum sotto_postgres_carrier {
	SOTTO_POSTGRES_BOOL,
	SOTTO_POSTGRES_INT2,
	SOTTO_POSTGRES_INT4,
	SOTTO_POSTGRES_INT8,
	SOTTO_POSTGRES_FLOAT4,
	SOTTO_POSTGRES_FLOAT8,
	SOTTO_POSTGRES_TEXT,
	SOTTO_POSTGRES_DATE,
	SOTTO_POSTGRES_TIMESTAMP,
	SOTTO_POSTGRES_DECIMAL, /* sent as an int8 of its last digits */
};

struct sotto_postgres_type {
	enum sotto_postgres_carrier carrier;
	uint8_t width, scale; /* of a DECIMAL */
	bool folds; /* a TEXT: texts that differ may be of values that the server calls equal */
};

/* What decides how large the text of a value can become. */
enum sotto_postgres_shape {
	SOTTO_POSTGRES_SHAPE_TEXT = 't', /* text already, or read as text without a cast */
	SOTTO_POSTGRES_SHAPE_FIXED = 'f', /* of a fixed size, and of a short text */
	SOTTO_POSTGRES_SHAPE_LIST = 'l', /* an array */
	SOTTO_POSTGRES_SHAPE_OTHER = 'o',
};

/* A type of the catalogue, domains resolved. */
struct sotto_postgres_origin {
	uint32_t oid;
	int32_t modifier;
	enum sotto_postgres_shape shape;
	const char *digits; /* SQL: how many the numbers in a value have, or ""; borrowed */
	bool folds; /* equal values may have different texts, as with citext */
};

/*
 * In bytes: a value whose text would have more than TEXT_MAX is NULL; so is a value of a type
 * whose text can be longer than what is stored, if that is more than STORED_MAX, or if the
 * numbers in it have more than DIGITS_MAX digits together behind their points.  As many as 1600 columns of a row then stay
 * far below the 1 GB at which the server fails, and no value takes more than about a millisecond.
 */
enum {
	SOTTO_POSTGRES_TEXT_MAX = 1 << 16,
	SOTTO_POSTGRES_STORED_MAX = 1 << 12,
	SOTTO_POSTGRES_DIGITS_MAX = 1 << 13,
};

struct sotto_postgres_type sotto_postgres_type_of(struct sotto_postgres_origin origin);

/* SQL that sends the column, whose name is quoted already.  NULL: no memory. */
const char *sotto_postgres_expression(struct sotto_arena *a,
				      struct sotto_postgres_origin origin, const char *column);

/* The engine's type; the caller destroys it. */
duckdb_logical_type
sotto_postgres_logical(const struct sotto_duckdb *api, struct sotto_postgres_type type);

/*
 * Whether the value can be shown: a text in UTF8, or anything else.  The server
 * checks texts when they are stored, but not those that it makes of a "char".
 */
bool sotto_postgres_is_value(struct sotto_postgres_type type,
			     const struct sotto_copy_field *value);

/* Writes a value that is one.  False if it has not the length of its type. */
bool sotto_postgres_put(const struct sotto_duckdb *api, struct sotto_postgres_type type,
			duckdb_vector vector, void *data, size_t row,
			const struct sotto_copy_field *value);

#endif
