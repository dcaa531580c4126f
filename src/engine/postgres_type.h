/*
 * postgres_type.h - how each type of PostgreSQL reaches the engine
 *
 * Every value of a column has a value there and no conversion can fail: an error
 * on one person's row would tell that it is there.
 */
#ifndef SOTTO_ENGINE_POSTGRES_TYPE_H
#define SOTTO_ENGINE_POSTGRES_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/copy.h"
#include "engine/library.h"

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
};

/* By the type's number in the catalogue (domains resolved) and its modifier. */
struct sotto_postgres_type sotto_postgres_type_of(uint32_t oid, int32_t modifier);

/* SQL that sends the column, whose name is quoted already.  NULL: no memory. */
const char *sotto_postgres_expression(struct sotto_arena *a, uint32_t oid,
				      struct sotto_postgres_type type, const char *column);

/* The engine's type; the caller destroys it. */
duckdb_logical_type
sotto_postgres_logical(const struct sotto_duckdb *api, struct sotto_postgres_type type);

/* Writes a value that is not NULL.  False if it has not the length of its type. */
bool sotto_postgres_put(const struct sotto_duckdb *api, struct sotto_postgres_type type,
			duckdb_vector vector, void *data, size_t row,
			const struct sotto_copy_field *value);

#endif
