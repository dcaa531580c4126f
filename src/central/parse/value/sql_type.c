/*
 * Tables: what each type is called for people and in the engine, and which names of types in
 * SQL stand for it.
 */
#include "central/parse/value/sql_type.h"

#include <stddef.h>
#include <string.h>

const char *sotto_sql_type_word(enum sotto_sql_type type)
{
	static const char *const words[] = {
#define WORD(name, word, engine) word,
		SOTTO_SQL_TYPE_LIST(WORD)
#undef WORD
	};

	return words[type];
}

const char *sotto_sql_type_engine(enum sotto_sql_type type)
{
	static const char *const names[] = {
#define ENGINE(name, word, engine) engine,
		SOTTO_SQL_TYPE_LIST(ENGINE)
#undef ENGINE
	};

	return names[type];
}

static const struct {
	const char *name;
	enum sotto_sql_type type;
} names[] = {
	{"bool", SOTTO_TYPE_BOOLEAN},
	{"boolean", SOTTO_TYPE_BOOLEAN},
	{"int2", SOTTO_TYPE_INTEGER},
	{"int4", SOTTO_TYPE_INTEGER},
	{"int8", SOTTO_TYPE_INTEGER},
	{"int", SOTTO_TYPE_INTEGER},
	{"integer", SOTTO_TYPE_INTEGER},
	{"bigint", SOTTO_TYPE_INTEGER},
	{"smallint", SOTTO_TYPE_INTEGER},
	{"tinyint", SOTTO_TYPE_INTEGER},
	{"int64", SOTTO_TYPE_INTEGER},
	{"float64", SOTTO_TYPE_NUMBER},
	{"bignumeric", SOTTO_TYPE_NUMBER},
	{"float4", SOTTO_TYPE_NUMBER},
	{"float8", SOTTO_TYPE_NUMBER},
	{"numeric", SOTTO_TYPE_NUMBER},
	{"decimal", SOTTO_TYPE_NUMBER},
	{"double", SOTTO_TYPE_NUMBER},
	{"real", SOTTO_TYPE_NUMBER},
	{"float", SOTTO_TYPE_NUMBER},
	{"number", SOTTO_TYPE_NUMBER},
	{"text", SOTTO_TYPE_TEXT},
	{"varchar", SOTTO_TYPE_TEXT},
	{"bpchar", SOTTO_TYPE_TEXT},
	{"string", SOTTO_TYPE_TEXT},
	{"nvarchar", SOTTO_TYPE_TEXT},
	{"varchar2", SOTTO_TYPE_TEXT},
	{"date", SOTTO_TYPE_DATE},
	{"timestamp", SOTTO_TYPE_TIMESTAMP},
	{"datetime", SOTTO_TYPE_TIMESTAMP},
	{"timestamp_ntz", SOTTO_TYPE_TIMESTAMP},
	{"timestamptz", SOTTO_TYPE_TIMESTAMP},
	{"json", SOTTO_TYPE_TEXT},
	{"jsonb", SOTTO_TYPE_TEXT},
};

enum sotto_sql_type sotto_sql_type_of_name(const char *name)
{
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].type;
	return SOTTO_TYPE_OTHER;
}
