/*
 * schema.h - the columns of a table's source
 *
 * Names and types only, read from headers and catalogues.  A source without
 * types of its own (CSV) has LOOSE columns: guessing types from values would
 * make acceptance of a query depend on private data.
 */
#ifndef SOTTO_SCHEMA_H
#define SOTTO_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "central/parse/value/sql_type.h"
#include "central/policy/policy.h"
#include "sotto/status.h"

struct sotto_schema_column {
	const char *name;
	enum sotto_sql_type type;
	bool is_double; /* stored as a DOUBLE */
	bool as_text; /* the engine must cast it to text first (ENUM, UUID) */
	bool folds; /* texts that differ may be equal where they come from */
	bool is_unique; /* sealing has checked that no two values are equal */
	bool zoned; /* a timestamp with a time zone, which is read in UTC */
	unsigned digits,
		scale; /* of a DECIMAL: all, and those after the point; 0: it is not a DECIMAL */
	const char
		*field_sql; /* how the source is asked for a field of a structure; NULL: it is a
				  column there */
	const char *engine_type; /* the engine's name for it; NULL: text without a type */
	unsigned native; /* the engine's type: columns are compared in that only if it is the
			    same, or both are whole numbers (0: text without a type, or one unknown) */
};

/* True if the engine compares the columns without a cast that a value could break. */
bool sotto_schema_same_type(const struct sotto_schema_column *x,
			    const struct sotto_schema_column *y);

/*
 * Values of some types are not kept by Parquet, which rounds them or has no place for a part of them.  A copy
 * has them as texts, and whoever reads them casts them back: SQL of `value` as the type, in a copy or not.
 * Returns NULL if out of memory.
 */
bool sotto_schema_is_copied_as_text(const char *engine_type);
const char *
sotto_schema_stored_sql(struct sotto_arena *a, const char *engine_type, const char *value);

/* A map from keys to units that sealing has written, each key once. */
struct sotto_schema_owners {
	const char *key, *unit; /* columns */
	bool is_number; /* it has numbers in the place of units, from 0 on (seal_owners.h) */
	const char *map; /* how queries name it: a macro, for the same reason as below */
	const char *file;
	bool is_there; /* it is the file that was written */
};

/*
 * The engine's schemas with the views of tables, and with those of private ones whose values come
 * row by row: without what files say about them, and without what several rows have in common.
 */
#define SOTTO_SCHEMA_VIEWS "source"
#define SOTTO_SCHEMA_EACH "each"

struct sotto_schema_table {
	const struct sotto_policy_table *policy;
	const char *scan; /* how queries name the relation: a view, so that they do not
			     depend on where files are */
	struct sotto_schema_column *columns;
	size_t column_count;
	const char *attach; /* engine SQL that opens the file of it first, or NULL */
	const char *catalogue; /* the name under which that stands */
	const char *definition; /* engine SQL of what the view reads */
	bool is_defined; /* the engine has the view */
	struct sotto_schema_owners *owners;
	size_t owners_count;
};

/* Ignores case; NULL if there is no such column. */
const struct sotto_schema_column *
sotto_schema_column_find(const struct sotto_schema_table *t, const char *name);

/* Sets the type of a column from the engine's name for it ("DECIMAL(10,2)"). */
void sotto_schema_column_type(struct sotto_schema_column *c, const char *engine_type);

/* True of the engine's types with a floating point: what a file says about their values is not used (seal.md). */
bool sotto_schema_is_floating(const char *engine_type);

enum { SOTTO_TEXT_READ = 64 }; /* bytes of a text that is read as a number or a date */

/* SQL that reads a text of at most `most` bytes as a type; NULL for a longer one. */
#define SOTTO_READ_TEMPLATE(text, most, type)                                                  \
	"TRY_CAST(CASE WHEN strlen(CAST(" text " AS VARCHAR)) <= " most " THEN " text          \
	" END AS " type ")"

/*
 * The same for a timestamp.  A text with an offset ("+02", "Z") is converted to UTC.  The pattern
 * admits no names of zones, because the engine fails on unknown ones.
 */
#define SOTTO_READ_MOMENT_TEMPLATE(text, most)                                                 \
	"CASE WHEN strlen(CAST(" text " AS VARCHAR)) <= 16 THEN TRY_CAST(" text                \
	" AS TIMESTAMP) WHEN strlen(CAST(" text " AS VARCHAR)) > " most " THEN NULL "          \
	"WHEN translate(substr(CAST(" text " AS VARCHAR), 17), '+-Zz', '') <> "                \
	"substr(CAST(" text " AS VARCHAR), 17) AND regexp_full_match(CAST(" text               \
	" AS VARCHAR), "                                                                       \
	"'[0-9]{4}-[0-9]{2}-[0-9]{2}[ Tt][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?"        \
	"([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)') THEN make_timestamp(epoch_us(TRY_CAST(CAST(" text  \
	" AS VARCHAR) AS TIMESTAMPTZ))) ELSE TRY_CAST(" text " AS TIMESTAMP) END"

/*
 * SQL that reads a text as a value of a type, or as SQL's NULL if it is not one.  Returns NULL if
 * out of memory.
 */
const char *
sotto_schema_read_sql(struct sotto_arena *a, const char *text, enum sotto_sql_type type);

/* Gives the schema of a table; the caller of planning supplies it. */
typedef enum sotto_status (*sotto_schema_fn)(void *context,
					     const struct sotto_policy_table *table,
					     const struct sotto_schema_table **out,
					     struct sotto_error *err);

/*
 * Reads the names in a CSV file's first line and finds the delimiter: the first , ; tab or | outside
 * quotes.  A column without a name gets one from its place (column3), and a repeated name a number
 * (age_2), so that every column has its own name.
 *
 * Fails:    SOTTO_EPARSE for an unfinished name, or if there is none; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_csv_header(struct sotto_arena *a, const char *text, size_t length, const char ***names,
		 size_t *count, char *delimiter, struct sotto_error *err);

#endif
