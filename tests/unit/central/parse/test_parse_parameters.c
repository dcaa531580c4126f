/* Values of $1, $2, … are one constant each, whatever they hold. */
#include <stdlib.h>

#include "central/parse/parse_query.h"
#include "testlib/tap.h"

static uint64_t state = 88172645463325252u;

static uint32_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

/* The constant that is compared with in SELECT 1 FROM t WHERE a = $1 AND b = 2. */
static const struct sotto_sql_expr *compared(const struct sotto_sql_query *q)
{
	const struct sotto_sql_expr *where = q->select->where;

	return where->args[0]->args[1];
}

static enum sotto_status
bind(struct sotto_sql_query *q, enum sotto_parameter_kind kind, const char *text)
{
	const struct sotto_bound_value value = {.kind = kind, .text = text};

	return sotto_sql_query_bind(q, "SELECT 1 FROM t WHERE a = $1 AND b = 2", &value, 1,
				    NULL);
}

static void any_text_is_one_constant(void)
{
	static const char letters[] = "'\"\\;-/*$1 xE\n%_()";

	for (int round = 0; round < 3000; round++) {
		struct sotto_sql_query q;
		char text[32];
		size_t n = next() % (sizeof text - 1);

		for (size_t i = 0; i < n; i++)
			text[i] = letters[next() % (sizeof letters - 1)];
		text[n] = '\0';
		REQUIRE(bind(&q, SOTTO_PARAMETER_TEXT, text) == SOTTO_OK);
		CHECK(compared(&q)->kind == SOTTO_SQL_TEXT);
		CHECK(strcmp(compared(&q)->text, text) == 0);
		sotto_sql_query_release(&q);
	}
}

/* A number stands in engine SQL as it is written: nothing else may pass for one. */
static void only_a_number_is_a_number(void)
{
	static const char *const good[] = {"0",       "-7", "1.5",
					   ".5",      "5.", "1e3",
					   "-1.5E-3", "+2", "123456789012345678901234567890"};
	static const char *const bad[] = {"",     "1;",  "1 ",     "1--",   "0x10", "1e",
					  "e5",   "-",   "1.2.3",  "NaN",   "inf",  "1)",
					  "1 OR", "'1'", "1/*x*/", "1\n+1", "--1",  "1_000"};

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		struct sotto_sql_query q;

		REQUIRE(bind(&q, SOTTO_PARAMETER_NUMBER, good[i]) == SOTTO_OK);
		CHECK(compared(&q)->kind == SOTTO_SQL_NUMBER);
		sotto_sql_query_release(&q);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct sotto_sql_query q;

		CHECK(bind(&q, SOTTO_PARAMETER_NUMBER, bad[i]) == SOTTO_EPARSE);
	}
}

static void random_bytes_are_no_number_unless_they_are_one(void)
{
	static const char letters[] = "0123456789+-.eE ;'";

	for (int round = 0; round < 20000; round++) {
		struct sotto_sql_query q;
		char text[8], *end;
		size_t n = next() % (sizeof text - 1);

		for (size_t i = 0; i < n; i++)
			text[i] = letters[next() % (sizeof letters - 1)];
		text[n] = '\0';
		if (bind(&q, SOTTO_PARAMETER_NUMBER, text) != SOTTO_OK)
			continue;
		(void)strtod(text, &end);
		CHECK(*end == '\0' && end != text && text[0] != ' ');
		sotto_sql_query_release(&q);
	}
}

static void what_has_no_value_is_refused(void)
{
	const struct sotto_bound_value one = {.kind = SOTTO_PARAMETER_NUMBER, .text = "1"};
	struct sotto_sql_query q;
	struct sotto_error err;

	CHECK(sotto_sql_query_bind(&q, "SELECT $1", NULL, 0, &err) == SOTTO_EREFUSED);
	CHECK(sotto_sql_query_bind(&q, "SELECT $2", &one, 1, &err) == SOTTO_EREFUSED);
	CHECK(sotto_sql_query_bind(&q, "SELECT $0", &one, 1, &err) == SOTTO_EREFUSED);
	CHECK(strstr(err.text, "(line 1, character 8)") != NULL);
}

static void bytes_that_are_no_text_are_refused(void)
{
	struct sotto_sql_query q;

	CHECK(bind(&q, SOTTO_PARAMETER_TEXT, "\xff\xfe") == SOTTO_EPARSE);
	CHECK(bind(&q, SOTTO_PARAMETER_TEXT, "\xc0\x80") == SOTTO_EPARSE);
}

static void a_limit_takes_a_number_that_came_as_text(void)
{
	const struct sotto_bound_value text = {.kind = SOTTO_PARAMETER_TEXT, .text = "3"};
	struct sotto_sql_query q;

	REQUIRE(sotto_sql_query_bind(&q, "SELECT a FROM t LIMIT $1", &text, 1, NULL) ==
		SOTTO_OK);
	CHECK(q.select->limit == 3);
	sotto_sql_query_release(&q);
}

int main(void)
{
	RUN(any_text_is_one_constant);
	RUN(only_a_number_is_a_number);
	RUN(random_bytes_are_no_number_unless_they_are_one);
	RUN(what_has_no_value_is_refused);
	RUN(bytes_that_are_no_text_are_refused);
	RUN(a_limit_takes_a_number_that_came_as_text);
	return tap_done();
}
