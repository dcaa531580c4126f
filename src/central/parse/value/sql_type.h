/*
 * sql_type.h - the few types that expressions have here
 *
 * A LOOSE value is text from a file that declares no types (CSV): it becomes a
 * number, a date or a truth value by use, never by a look at the data.
 */
#ifndef SOTTO_SQL_TYPE_H
#define SOTTO_SQL_TYPE_H

/* X(name, word in messages and policies, engine type to cast to) */
#define SOTTO_SQL_TYPE_LIST(X)                                                                 \
	X(SOTTO_TYPE_LOOSE, "untyped", "VARCHAR")                                              \
	X(SOTTO_TYPE_BOOLEAN, "boolean", "BOOLEAN")                                            \
	X(SOTTO_TYPE_INTEGER, "integer", "BIGINT")                                             \
	X(SOTTO_TYPE_NUMBER, "number", "DOUBLE")                                               \
	X(SOTTO_TYPE_TEXT, "text", "VARCHAR")                                                  \
	X(SOTTO_TYPE_DATE, "date", "DATE")                                                     \
	X(SOTTO_TYPE_TIMESTAMP, "timestamp", "TIMESTAMP")                                      \
	X(SOTTO_TYPE_OTHER, "unsupported", "VARCHAR")

enum sotto_sql_type {
#define SOTTO_SQL_TYPE_ENUM(name, word, engine) name,
	SOTTO_SQL_TYPE_LIST(SOTTO_SQL_TYPE_ENUM)
#undef SOTTO_SQL_TYPE_ENUM
};

const char *sotto_sql_type_word(enum sotto_sql_type type);
const char *sotto_sql_type_engine(enum sotto_sql_type type);

/* The type of a PostgreSQL type name ("int4", "varchar", ...); OTHER if unknown. */
enum sotto_sql_type sotto_sql_type_of_name(const char *name);

#endif
