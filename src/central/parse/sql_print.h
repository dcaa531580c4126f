/*
 * sql_print.h - the tokens of engine SQL
 *
 * Names and texts reach the engine through these functions, or through
 * emit/ in plan: names in double quotes, text in single quotes, each quote inside doubled.
 * Each returns NULL when the arena is full.
 */
#ifndef SOTTO_SQL_PRINT_H
#define SOTTO_SQL_PRINT_H

#include "core/base/arena.h"

const char *sotto_sql_print_name(struct sotto_arena *a, const char *name);
const char *sotto_sql_print_text(struct sotto_arena *a, const char *text);

#endif
