/*
 * Trees for the engine: equality is by structure, a private table is known in every node
 * above it, and what is written says the same to the engine.
 */
#include <string.h>

#include "central/emit/emit.h"
#include "central/expression/row_function.h"
#include "central/tree/engine_tree.h"
#include "testlib/tap.h"

static struct sotto_arena arena;

static const struct sotto_expression *column(const char *name)
{
	return sotto_expression_column(&arena, "t1", name);
}

static bool writes(const struct sotto_rowset *query, const char *sql)
{
	struct sotto_emitted e;

	return sotto_emit(&arena, query, &e) == SOTTO_OK &&
	       tap_check(strcmp(e.sql, sql) == 0, __FILE__, __LINE__, "%s", e.sql);
}

static const struct sotto_rowset *table(const char *name, bool is_private)
{
	return sotto_rowset_scan(&arena, name, is_private, "t1");
}

static void equality_is_by_structure(void)
{
	const struct sotto_expression *x =
		SOTTO_APPLY(&arena, SOTTO_OP_ADD, column("a"), column("b"));
	const struct sotto_expression *y =
		SOTTO_APPLY(&arena, SOTTO_OP_ADD, column("a"), column("b"));
	const struct sotto_expression *z =
		SOTTO_APPLY(&arena, SOTTO_OP_ADD, column("b"), column("a"));
	const struct sotto_rowset *p = sotto_rowset_one(&arena, x, "k", table("s", false)),
				  *q = sotto_rowset_one(&arena, y, "k", table("s", false)),
				  *r = sotto_rowset_one(&arena, z, "k", table("s", false));

	CHECK(x != y && sotto_expression_equal(x, y) && !sotto_expression_equal(x, z));
	CHECK(!sotto_expression_equal(column("a"), sotto_expression_column(&arena, "t2", "a")));
	CHECK(!sotto_expression_equal(column("a"), sotto_expression_column(&arena, NULL, "a")));
	CHECK(!sotto_expression_equal(sotto_expression_text(&arena, "1"),
				      sotto_expression_whole(&arena, 1)));
	CHECK(!sotto_expression_equal(
		sotto_expression_cast(&arena, SOTTO_OP_CAST, x, SOTTO_TYPE_DATE),
		sotto_expression_cast(&arena, SOTTO_OP_CAST, x, SOTTO_TYPE_TEXT)));
	CHECK(sotto_rowset_equal(p, q) && !sotto_rowset_equal(p, r));
	CHECK(sotto_expression_equal(sotto_expression_query(&arena, SOTTO_OP_SCALAR, NULL, p),
				     sotto_expression_query(&arena, SOTTO_OP_SCALAR, NULL, q)));
	CHECK(!sotto_rowset_equal(p, sotto_rowset_one(&arena, x, "l", table("s", false))));
	CHECK(!sotto_rowset_equal(p, sotto_rowset_one(&arena, x, "k", table("u", false))));
}

static void a_private_table_is_known_above_it(void)
{
	const struct sotto_expression *one = sotto_expression_whole(&arena, 1);
	const struct sotto_rowset *open = table("s", false), *closed = table("p", true);
	const struct sotto_expression *inside = sotto_expression_query(
		&arena, SOTTO_OP_EXISTS, NULL, sotto_rowset_one(&arena, one, NULL, closed));
	struct sotto_emitted e;

	CHECK(!open->reads_private && closed->reads_private && inside->reads_private);
	CHECK(SOTTO_APPLY(&arena, SOTTO_OP_NOT, inside)->reads_private);
	CHECK(sotto_rowset_one(&arena, inside, NULL, open)->reads_private);
	CHECK(sotto_rowset_join(&arena, SOTTO_ROWSET_LEFT, open, open, inside)->reads_private);
	CHECK(sotto_rowset_set(&arena, SOTTO_SQL_UNION, true, open, closed)->reads_private);
	CHECK(!sotto_rowset_one(&arena, one, NULL, open)->reads_private);
	REQUIRE(sotto_emit(&arena, sotto_rowset_one(&arena, inside, NULL, open), &e) ==
		SOTTO_OK);
	CHECK(e.reads_private && e.scan_count == 2);
	REQUIRE(sotto_emit(&arena, sotto_rowset_one(&arena, one, NULL, open), &e) == SOTTO_OK);
	CHECK(!e.reads_private && e.scan_count == 1 && strcmp(e.scans[0], "s") == 0);
}

static void what_is_written_is_quoted(void)
{
	const struct sotto_rowset *s = table("s", false);
	const struct sotto_expression *list[] = {sotto_expression_whole(&arena, -1),
						 sotto_expression_word(&arena, SOTTO_OP_NULL)};
	const struct sotto_rowset *values = sotto_rowset_values(&arena, list, 2, "v", "k");

	CHECK(writes(sotto_rowset_one(&arena, sotto_expression_text(&arena, "it's $1 \"x\""),
				      "a b", s),
		     "SELECT 'it''s $1 \"x\"' AS \"a b\" FROM s AS t1"));
	CHECK(writes(sotto_rowset_one(&arena, column("say \"k0\"; --"), "k0", s),
		     "SELECT t1.\"say \"\"k0\"\"; --\" AS k0 FROM s AS t1"));
	CHECK(writes(sotto_rowset_one(&arena, column("select"), "K0", values),
		     "SELECT t1.\"select\" AS \"K0\" FROM (VALUES (-1), (NULL)) AS v(k)"));
	CHECK(writes(
		sotto_rowset_set(&arena, SOTTO_SQL_UNION, false,
				 sotto_rowset_one(&arena, column("a"), NULL, s),
				 sotto_rowset_set(&arena, SOTTO_SQL_UNION, true, s, s)),
		"SELECT t1.a FROM s AS t1 UNION SELECT * FROM (SELECT * FROM s AS t1 UNION ALL "
		"SELECT * FROM s AS t1)"));
}

static void arguments_count_as_often_as_they_are_computed(void)
{
	static const struct sotto_operation o = {"f($1, nullif(g($1, $2), $3), $1)",
						 SOTTO_OPERATION_CALL};

	CHECK(sotto_operation_times(&o, 0) == 4);
	CHECK(sotto_operation_times(&o, 1) == 2);
	CHECK(sotto_operation_times(&o, 2) == 1);
	CHECK(sotto_operation_times(sotto_operation(SOTTO_OP_COALESCE), 11) == 1);
	CHECK(sotto_operation_times(sotto_operation(SOTTO_OP_CUT), 0) == 3);
}

/* The arguments that a template names are 1 to the largest, without a gap. */
static bool is_template(const char *t)
{
	char most = '0';

	for (const char *s = t; (s = strchr(s, '$')); s += 2) {
		if (!strchr("123456789,|_Tqcsw", s[1]))
			return false;
		most = s[1] >= '1' && s[1] <= '9' && s[1] > most ? s[1] : most;
	}
	for (char digit = '1'; digit <= most; digit++) {
		char token[] = {'$', digit, '\0'};

		if (!strstr(t, token))
			return false;
	}
	return true;
}

static void every_operation_has_a_template(void)
{
	const struct sotto_function *f;

	for (int i = SOTTO_OP_NONE + 1; i < SOTTO_OPERATION_COUNT; i++) {
		const struct sotto_operation *o = sotto_operation((enum sotto_operation_name)i);

		(void)tap_check(o->template && is_template(o->template), __FILE__, __LINE__,
				"operation %d", i);
	}
	for (size_t i = 0; (f = sotto_function_at(i)); i++)
		(void)tap_check(is_template(f->operation.template), __FILE__, __LINE__, "%s",
				f->name);
}

int main(void)
{
	sotto_arena_init(&arena, 1 << 20);
	RUN(equality_is_by_structure);
	RUN(a_private_table_is_known_above_it);
	RUN(what_is_written_is_quoted);
	RUN(arguments_count_as_often_as_they_are_computed);
	RUN(every_operation_has_a_template);
	sotto_arena_release(&arena);
	return tap_done();
}
