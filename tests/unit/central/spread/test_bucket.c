/* Buckets of the unit: equal units share one, each unit has one, and the hash is the known one. */
#include "central/spread/bucket.h"

#include "central/engine/engine.h"
#include "testlib/tap.h"

static struct sotto_engine *engine;

static bool holds(const char *sql)
{
	struct sotto_engine_result *r = NULL;
	bool held = false;

	if (sotto_engine_run(engine, sql, &r) == SOTTO_OK && sotto_engine_rows(r) == 1) {
		struct sotto_engine_cell cell = sotto_engine_cell(r, 0, 0);

		held = cell.kind == SOTTO_ENGINE_BOOL && cell.integer;
	} else {
		tap_note("%s", sotto_engine_detail(engine));
	}
	sotto_engine_result_free(r);
	return held;
}

static void the_engine_has_the_hash_that_the_vectors_have(void)
{
	struct sotto_buffer b;

	sotto_buffer_init(&b, 1 << 16);
	REQUIRE(sotto_bucket_compose_check(&b) == SOTTO_OK);
	CHECK(holds(sotto_buffer_text(&b)));
	sotto_buffer_release(&b);
}

/* Each vector alone, with another value: so that one that is never looked at would be seen. */
static void a_hash_that_differs_in_one_vector_is_noticed(void)
{
	const struct sotto_bucket_vector *v;
	struct sotto_buffer b;

	for (size_t i = 0; (v = sotto_bucket_vector(i)) != NULL; i++) {
		char right[32], wrong[32];
		char *at;

		sotto_buffer_init(&b, 1 << 16);
		REQUIRE(sotto_bucket_compose_check(&b) == SOTTO_OK);
		(void)snprintf(right, sizeof right, " = %llu", (unsigned long long)v->hash);
		(void)snprintf(wrong, sizeof wrong, " < %llu", (unsigned long long)v->hash);
		at = strstr(b.bytes, right);
		REQUIRE(at != NULL);
		memcpy(at, wrong, strlen(wrong));
		CHECK(!holds(b.bytes));
		sotto_buffer_release(&b);
	}
}

static bool has_vector_of(const char *type)
{
	const struct sotto_bucket_vector *v;

	for (size_t i = 0; (v = sotto_bucket_vector(i)) != NULL; i++) {
		char sql[256];

		(void)snprintf(sql, sizeof sql, "SELECT starts_with(typeof(%s), '%s')", v->unit,
			       type);
		if (v->kind != SOTTO_BUCKET_ROW && holds(sql))
			return true;
	}
	return false;
}

/* The types of policy/schema.c; whole numbers are all hashed as BIGINT, and DECIMAL in four widths. */
static void every_type_that_a_unit_can_have_has_a_known_value(void)
{
	static const char *const types[] = {"BIGINT",
					    "UBIGINT",
					    "HUGEINT",
					    "UHUGEINT",
					    "FLOAT",
					    "DOUBLE",
					    "DECIMAL(4,1)",
					    "DECIMAL(9,2)",
					    "DECIMAL(18,3)",
					    "DECIMAL(38,4)",
					    "VARCHAR",
					    "ENUM(",
					    "UUID",
					    "TIME",
					    "DATE",
					    "TIMESTAMP",
					    "TIMESTAMP WITH TIME ZONE",
					    "BOOLEAN",
					    "BLOB",
					    "INTERVAL"};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		(void)tap_check(has_vector_of(types[i]), __FILE__, __LINE__, "%s", types[i]);
}

/* Whether the two are in one bucket of 1009. */
static bool share(const char *type_x, const char *x, const char *type_y, const char *y)
{
	struct sotto_buffer b;
	bool held;

	sotto_buffer_init(&b, 1 << 16);
	held = sotto_buffer_append_text(&b, "SELECT ") == SOTTO_OK &&
	       sotto_bucket_compose(&b, sotto_bucket_kind_of(type_x), x, 1009) == SOTTO_OK &&
	       sotto_buffer_append_text(&b, " = ") == SOTTO_OK &&
	       sotto_bucket_compose(&b, sotto_bucket_kind_of(type_y), y, 1009) == SOTTO_OK &&
	       holds(sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return held;
}

static void what_the_engine_takes_for_equal_is_in_one_bucket(void)
{
	CHECK(share("TINYINT", "CAST(-7 AS TINYINT)", "BIGINT", "CAST(-7 AS BIGINT)"));
	CHECK(share("INTEGER", "CAST(-7 AS INTEGER)", "SMALLINT", "CAST(-7 AS SMALLINT)"));
	CHECK(share("UINTEGER", "CAST(7 AS UINTEGER)", "INTEGER", "CAST(7 AS INTEGER)"));
	CHECK(share(NULL, "'7'", "VARCHAR", "CAST('7' AS VARCHAR)"));
	CHECK(share("ENUM('b', 'a')", "CAST('a' AS ENUM('b', 'a'))", "VARCHAR", "'a'"));
	CHECK(share("DOUBLE", "CAST('0.0' AS DOUBLE)", "DOUBLE", "CAST('-0.0' AS DOUBLE)"));
	CHECK(share("FLOAT", "CAST('nan' AS FLOAT)", "FLOAT", "-CAST('nan' AS FLOAT)"));
	CHECK(share("INTERVAL", "INTERVAL '1 month'", "INTERVAL", "INTERVAL '30 days'"));
	CHECK(share("VARCHAR", "NULL", "BIGINT", "NULL"));
	CHECK(share("DOUBLE[]", "[CAST('-0.0' AS DOUBLE)]", "DOUBLE[]", "[CAST(0 AS DOUBLE)]"));
	/* without a cast they would not be */
	CHECK(!holds("SELECT hash(CAST(-7 AS INTEGER)) = hash(CAST(-7 AS BIGINT))"));
	CHECK(!holds("SELECT hash(CAST('a' AS ENUM('b', 'a'))) = hash('a')"));
}

/* What somebody may write into their unit; each list in one type. */
static const struct {
	const char *type, *values;
} written[] = {
	{"VARCHAR", "['', ' ', 'a', 'A', 'a ', chr(0), 'a' || chr(0), 'a' || chr(0) || 'b', "
		    "'\u00e9', 'e' || chr(769), '1', '1.0', '01', repeat('z', 100000), NULL]"},
	{"DOUBLE", "['-0.0', '0', 'nan', '-nan', 'inf', '-inf', '1', '1.0', '5e-324', NULL]"},
	{"FLOAT", "['-0.0', '0', 'nan', '-nan', 'inf', '16777216', '16777217', NULL]"},
	{"DECIMAL(4,1)", "['1', '1.0', '1.04', '-0', '0', NULL]"},
	{"DECIMAL(38,4)", "['1', '1.0000', '-0.0', '0', '9999999999999999999999', NULL]"},
	{"HUGEINT", "['0', '-0', '-1', '18446744073709551616', NULL]"},
	{"UBIGINT", "['0', '18446744073709551615', NULL]"},
	{"TIMESTAMP", "['infinity', '-infinity', '1970-01-01', '1970-01-01 00:00:00.000000', "
		      "'290000-01-01', NULL]"},
	{"TIMESTAMP WITH TIME ZONE", "['2020-01-01 12:00:00+00', '2020-01-01 13:00:00+01', "
				     "'infinity', NULL]"},
	{"TIME", "['00:00:00', '24:00:00', '12:00:00', '12:00:00.000', NULL]"},
	{"INTERVAL", "['1 month', '30 days', '720 hours', '1 year', '12 months', NULL]"},
	{"UUID", "['00000000-0000-0000-0000-00000000000a', "
		 "'00000000-0000-0000-0000-00000000000A', NULL]"},
	{"BLOB", "['', '\\x00', '\\x00\\x00', 'a', NULL]"},
	{"ENUM('b', 'a', 'A')", "['a', 'A', 'b', NULL]"},
	{"DOUBLE[]", "['[-0.0]', '[0.0]', '[nan]', '[]', '[NULL]', NULL]"},
};

/* Units that are grouped as one, or found equal by a join, in one bucket. */
static void whatever_a_unit_is_it_has_one_bucket(void)
{
	for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
		struct sotto_buffer b;

		sotto_buffer_init(&b, 1 << 16);
		REQUIRE(sotto_buffer_appendf(
				&b,
				"WITH u AS (SELECT CAST(v AS %s) AS u FROM (SELECT "
				"unnest(%s) AS v)), t AS (SELECT u, ",
				written[i].type, written[i].values) == SOTTO_OK);
		REQUIRE(sotto_bucket_compose(&b, sotto_bucket_kind_of(written[i].type), "u",
					     1009) == SOTTO_OK);
		REQUIRE(sotto_buffer_append_text(
				&b, " AS b FROM u) SELECT (SELECT max(n) = 1 FROM (SELECT "
				    "count(DISTINCT b) AS n FROM t GROUP BY u)) AND (SELECT "
				    "bool_and(x.b = y.b) FROM t AS x JOIN t AS y ON x.u IS NOT "
				    "DISTINCT FROM y.u)") == SOTTO_OK);
		(void)tap_check(holds(b.bytes), __FILE__, __LINE__, "%s", written[i].type);
		sotto_buffer_release(&b);
	}
}

static void every_unit_has_one_bucket_and_buckets_are_about_equal(void)
{
	struct sotto_buffer b;

	sotto_buffer_init(&b, 1 << 16);
	REQUIRE(sotto_buffer_append_text(&b, "SELECT count(*) = 7 AND min(n) > 13500 AND "
					     "max(n) < 15100 AND sum(n) = 100000 AND min(b) = "
					     "0 AND max(b) = 6 FROM (SELECT ") == SOTTO_OK);
	REQUIRE(sotto_bucket_compose(&b, SOTTO_BUCKET_WHOLE, "range", 7) == SOTTO_OK);
	REQUIRE(sotto_buffer_append_text(&b, " AS b, count(*) AS n FROM range(100000) GROUP "
					     "BY b)") == SOTTO_OK);
	CHECK(holds(b.bytes));
	sotto_buffer_release(&b);
}

static void a_bucket_of_a_divisor_follows_from_the_bucket(void)
{
	struct sotto_buffer b;

	sotto_buffer_init(&b, 1 << 16);
	REQUIRE(sotto_buffer_append_text(&b, "SELECT bool_and(") == SOTTO_OK);
	REQUIRE(sotto_bucket_compose(&b, SOTTO_BUCKET_WHOLE, "range", 12) == SOTTO_OK);
	REQUIRE(sotto_buffer_append_text(&b, " % 4 = ") == SOTTO_OK);
	REQUIRE(sotto_bucket_compose(&b, SOTTO_BUCKET_WHOLE, "range", 4) == SOTTO_OK);
	REQUIRE(sotto_buffer_append_text(&b, ") FROM range(10000)") == SOTTO_OK);
	CHECK(holds(b.bytes));
	sotto_buffer_release(&b);
}

static void a_number_of_buckets_out_of_range_is_refused(void)
{
	struct sotto_buffer b;

	sotto_buffer_init(&b, 1 << 16);
	CHECK(sotto_bucket_compose(&b, SOTTO_BUCKET_WHOLE, "1", 0) == SOTTO_ERANGE);
	CHECK(sotto_bucket_compose(&b, SOTTO_BUCKET_WHOLE, "1", SOTTO_BUCKETS_MAX + 1) ==
	      SOTTO_ERANGE);
	CHECK(b.length == 0);
	sotto_buffer_release(&b);
}

int main(void)
{
	struct sotto_error err = {""};

	if (sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1}, &engine,
				     &err) != SOTTO_OK)
		return tap_skip_all(err.text);
	RUN(the_engine_has_the_hash_that_the_vectors_have);
	RUN(a_hash_that_differs_in_one_vector_is_noticed);
	RUN(every_type_that_a_unit_can_have_has_a_known_value);
	RUN(what_the_engine_takes_for_equal_is_in_one_bucket);
	RUN(whatever_a_unit_is_it_has_one_bucket);
	RUN(every_unit_has_one_bucket_and_buckets_are_about_equal);
	RUN(a_bucket_of_a_divisor_follows_from_the_bucket);
	RUN(a_number_of_buckets_out_of_range_is_refused);
	sotto_engine_close(engine);
	return tap_done();
}
