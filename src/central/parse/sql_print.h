/*
 * sql_print.h - the tokens of engine SQL
 *
 * Whatever an analyst wrote reaches the engine through these functions only:
 * names in double quotes, text in single quotes, each quote inside doubled.
 * Each returns NULL when the arena is full.
 */
#ifndef SOTTO_SQL_PRINT_H
#define SOTTO_SQL_PRINT_H

#include "core/base/arena.h"

const char *sotto_sql_print_name(struct sotto_arena *a, const char *name);
const char *sotto_sql_print_text(struct sotto_arena *a, const char *text);

/*
 * The template with $1, $2, ... replaced by args; nothing else in it is
 * special.  NULL also if the result passes SOTTO_SQL_PRINT_MAX bytes.
 */
enum { SOTTO_SQL_PRINT_MAX = 1 << 20 };
const char *sotto_sql_print_template(struct sotto_arena *a, const char *template,
				     const char *const *args, size_t count);

#endif
