/*
 * json_path.h - paths to a value in a JSON text: ->, ->>, #>> and dots
 *
 * A path is $ followed by fields, ."name" or .name, and elements, [0].  The engine is given no
 * other one, so that it complains about none.
 */
#ifndef SOTTO_JSON_PATH_H
#define SOTTO_JSON_PATH_H

#include "central/parse/parse.h"
#include "central/parse/syntax_tree.h"
#include "core/base/arena.h"

bool sotto_json_path_is_plain(const char *path);

/* path with one more field; NULL without memory, "" if no path can say the name. */
const char *sotto_json_path_field(struct sotto_arena *a, const char *path, const char *name);

/* The value at a path, as a text: a call of json_extract_string.  NULL without memory. */
struct sotto_sql_expr *
sotto_json_value(struct sotto_arena *a, struct sotto_sql_expr *json, const char *path);

/*
 * json -> key, json ->> key, json #> path, json #>> path; *done false: another operator.
 *
 * Fails:    SOTTO_EREFUSED if the key is not written out.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_json_operator(struct sotto_sql_parser *p, const char *symbol, struct sotto_sql_expr *json,
		    struct sotto_sql_expr *key, struct sotto_sql_expr **out, bool *done);

#endif
