/*
 * parse_query.h - from the analyst's text to a tree
 */
#ifndef SOTTO_PARSE_QUERY_H
#define SOTTO_PARSE_QUERY_H

#include "central/parse/syntax_tree.h"
#include "core/base/arena.h"
#include "sotto/query.h"
#include "sotto/status.h"

/*
 * Longer texts are refused, and larger trees: limits of time and memory, not of taste.  A tree is
 * measured as PostgreSQL's parser writes it, in bytes; in memory it takes about sixty times that.
 */
enum {
	SOTTO_SQL_TEXT_MAX = 200000,
	SOTTO_SQL_TREE_MAX = 2 << 20,
	SOTTO_SQL_DEPTH_MAX = 120,
};

struct sotto_sql_query {
	struct sotto_arena arena;
	const char *text; /* a copy in the arena */
	struct sotto_sql_select *select;
};

/*
 * Parses exactly one SELECT, with values for $1, $2, …, each of which is one constant,
 * whatever it holds.  Pair a success with _release.
 *
 * Fails:    SOTTO_EPARSE where PostgreSQL would not understand the text;
 *           SOTTO_EREFUSED where it would and this program does not answer it
 *           (err says what to write instead); SOTTO_ERANGE for a text that is
 *           too long or too deep; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_query_bind(struct sotto_sql_query *q, const char *text,
		     const struct sotto_bound_value *parameters, size_t count,
		     struct sotto_error *err);
void sotto_sql_query_release(struct sotto_sql_query *q);

/*
 * Writes the sentence followed by the place in the text (line and character of
 * byte `at`, if that is not negative) and returns status.
 */
__attribute__((format(printf, 5, 6))) enum sotto_status
sotto_sql_fail(struct sotto_error *err, enum sotto_status status, const char *text, int at,
	       const char *format, ...);

#endif
