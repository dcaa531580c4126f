/*
 * No reviewed function, operator or cast raises an error on any row: an error
 * that depends on a row would tell about it.
 */
#include <stdlib.h>
#include <string.h>

#include "central/engine/engine.h"
#include "central/parse/value/time_zone.h"
#include "central/expression/row_function.h"
#include "central/plan/plan.h"
#include "testlib/chance.h"
#include "testlib/effort.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

static const char evil_sql[] =
	"CREATE TABLE evil AS SELECT row_number() OVER () AS id, * FROM "
	"(SELECT unnest([NULL, 'NaN', 'inf', '-inf', '0.0', '-0.0', '1e308', '-1e308', "
	"'5e-324', '-1', "
	"'0.5', '2.5', '9007199254740993', '1e19']::DOUBLE[]) AS x), "
	"(SELECT unnest([NULL, 0, -1, 1, 9223372036854775807, -9223372036854775808, 3, "
	"-7]::BIGINT[]) AS i), "
	"(SELECT unnest([NULL, '', 'a', 'aé漢字😀', '   ', '%_\\', '1e400', '-12', 'NaN', "
	"'2024-02-30', '290309-12-22 (BC) 00:00:00', '294247-01-10 04:00:54', '5877642-06-25 "
	"(BC)', '2024-02-29', 'true', '{\"a\": [1e9, {\"b\": \"é\"}]}', '{\"a\":', repeat('x', "
	"3000)]) AS t), "
	"(SELECT unnest([NULL, DATE 'infinity', DATE '-infinity', DATE '5000000-01-01', "
	"DATE '2024-02-29', DATE '5877642-06-25 (BC)', DATE '5881580-07-10']) AS d), "
	"(SELECT unnest([NULL, TRUE, FALSE]) AS b)";

/*
 * The rows come from a file whose texts have a dictionary, as sealed ones do: functions are then
 * computed for its entries, those of rows that a CASE around them leaves out among them.
 */
struct world {
	struct folder folder;
	char scan[FOLDER_PATH_MAX + 32];
	struct sotto_engine *engine;
	struct sotto_policy policy;
	struct sotto_schema_table schema;
	int refused; /* because they could work long on a row */
};

static struct sotto_schema_column columns[] = {
	{.name = "id", .type = SOTTO_TYPE_INTEGER},
	{.name = "x", .type = SOTTO_TYPE_NUMBER, .is_double = true},
	{.name = "i", .type = SOTTO_TYPE_INTEGER},
	{.name = "t", .type = SOTTO_TYPE_LOOSE},
	{.name = "d", .type = SOTTO_TYPE_DATE},
	{.name = "b", .type = SOTTO_TYPE_BOOLEAN},
};

static enum sotto_status give_schema(void *context, const struct sotto_policy_table *table,
				     const struct sotto_schema_table **out,
				     struct sotto_error *err)
{
	struct world *w = context;

	(void)err;
	w->schema = (struct sotto_schema_table){
		.policy = table, .scan = w->scan, .columns = columns, .column_count = 6};
	*out = &w->schema;
	return SOTTO_OK;
}

static bool write_rows(struct world *w)
{
	char path[FOLDER_PATH_MAX], sql[FOLDER_PATH_MAX + 64];

	folder_open(&w->folder);
	folder_file(&w->folder, "evil.parquet", path);
	(void)snprintf(w->scan, sizeof w->scan, "read_parquet('%s')", path);
	(void)snprintf(sql, sizeof sql, "COPY evil TO '%s' (FORMAT parquet)", path);
	return sotto_engine_execute(w->engine, evil_sql) == SOTTO_OK &&
	       sotto_engine_execute(w->engine, sql) == SOTTO_OK;
}

static bool world_open(struct world *w)
{
	static const char policy[] = "budget: {epsilon: 1, delta: 1e-6}\n"
				     "tables:\n  evil: {source: evil.csv, unit: row}\n";
	struct sotto_error err = {""};
	bool ok = sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1},
					   &w->engine, &err) == SOTTO_OK &&
		  write_rows(w) &&
		  sotto_policy_parse(&w->policy, "p.yaml", policy, sizeof policy - 1, &err) ==
			  SOTTO_OK;

	if (!ok)
		tap_note("%s %s", err.text, w->engine ? sotto_engine_detail(w->engine) : "");
	return ok;
}

static void world_close(struct world *w)
{
	sotto_policy_release(&w->policy);
	sotto_engine_close(w->engine);
	folder_close(&w->folder);
}

/* What works long on a row may stand in a question once, and what works longer, on a text twice as long, not at all. */
static bool is_refused_as_work(struct world *w, const struct sotto_error *err)
{
	bool refused = strstr(err->text, "could work more than a millisecond") != NULL;

	w->refused += refused;
	return refused;
}

static enum sotto_status plan_once(struct sotto_plan *plan,
				   const struct sotto_plan_request *request,
				   const char *expression, struct sotto_error *err)
{
	char sql[2048];

	(void)snprintf(sql, sizeof sql, "SELECT COUNT(%s) FROM evil", expression);
	return sotto_plan_make(plan, request, sql, err);
}

/* Plans COUNT and SUM of the expression, filtered and grouped by it, and runs that. */
static bool is_total(struct world *w, const char *expression, bool number)
{
	const struct sotto_plan_request request = {
		.policy = &w->policy, .schema = give_schema, .schema_context = w};
	struct sotto_engine_result *r = NULL;
	struct sotto_error err = {""};
	struct sotto_plan plan;
	char sql[4096];
	bool ok;

	(void)snprintf(
		sql, sizeof sql,
		"SELECT COUNT(%s), COUNT(DISTINCT %s)%s%s%s FROM evil WHERE (%s) IS NOT NULL",
		expression, expression, number ? ", SUM(clip(" : "", number ? expression : "",
		number ? ", -5, 5))" : "", expression);
	if (sotto_plan_make(&plan, &request, sql, &err) != SOTTO_OK &&
	    plan_once(&plan, &request, expression, &err) != SOTTO_OK)
		return tap_check(is_refused_as_work(w, &err), __FILE__, __LINE__, "%s: %s", sql,
				 err.text);
	ok = tap_check(sotto_engine_run(w->engine, plan.engine_sql, &r) == SOTTO_OK, __FILE__,
		       __LINE__, "%s: %s", expression, sotto_engine_detail(w->engine));
	sotto_engine_result_free(r);
	sotto_plan_release(&plan);
	return ok;
}

static const char *argument(struct chance *c, char letter)
{
	static const char *const numbers[] = {"x",          "i",       "-x",    "x * i",
					      "t::numeric", "i - 1.5", "x / i", "1e200"};
	static const char *const texts[] = {"t",   "lower(t)", "t || t",
					    "'a'", "i::text",  "x::text"};
	static const char *const dates[] = {"d", "d::timestamp", "t::date", "DATE '2024-01-31'",
					    "t::timestamp"};
	static const char *const groups[] = {"'\\1-\\0'", "'\\\\'", "'é\\9\\1'",
					     "''"}; /* some it has not */
	static const char *const literals[] = {"''", "'a'", "'%_'", "'漢'"};
	static const char *const whole[] = {"0", "1", "-3", "1000000", "-1000000", "7"};
	static const char *const parts[] = {"'year'", "'month'", "'quarter'",
					    "'dow'",  "'hour'",  "'week'",
					    "'doy'",  "'epoch'", "'second'"};

	static const char *const patterns[] = {"'^a.*'", "'(a|é){2,3}$'", "'[^a-z]\\d?'", "''"};
	static const char *const paths[] = {"'$.a'", "'$[0]'", "'$.\"a b\"[3].c'", "'$.a.b.c'"};
	static const char *const zones[] = {"'Europe/Berlin'", "'america/new_york'",
					    "'Pacific/Kiritimati'", "'Africa/Monrovia'",
					    "'Antarctica/Troll'"};
	static const char *const formats[] = {"'%Y-%m'", "'%G %V %j'", "'%-d %% %p'", "'é'"};
	static const char *const widths[] = {"INTERVAL '15 minutes'", "'100000 seconds'",
					     "INTERVAL '100000 years'", "'7 months'"};
	static const char *const readings[] = {"'%Y%m%d'", "'%d %B %y %I:%M %p'",
					       "'%Y-%-m-%-d %H:%M:%S'", "'%S'"};
	static const char *const origins[] = {"'0001-01-01'", "DATE '9999-12-31'",
					      "TIMESTAMP '1999-12-31 23:59:59'"};

	switch (letter) {
	case 'v':
		return widths[chance_below(c, 4)];
	case 'x':
		return readings[chance_below(c, 4)];
	case 'o':
		return origins[chance_below(c, 3)];
	case 'b':
	case 'n':
		return numbers[chance_below(c, 8)];
	case 't':
		return texts[chance_below(c, 6)];
	case 'd':
		return dates[chance_below(c, 5)];
	case 'l':
	case 'r':
		return literals[chance_below(c, 4)];
	case 's':
		return groups[chance_below(c, 4)];
	case 'p':
		return patterns[chance_below(c, 4)];
	case 'f':
		return formats[chance_below(c, 4)];
	case 'j':
		return paths[chance_below(c, 4)];
	case 'z':
		return zones[chance_below(c, 5)];
	case 'w':
		return parts[chance_below(c, 9)];
	default:
		return whole[chance_below(c, 6)];
	}
}

static void no_reviewed_function_raises_an_error(void)
{
	struct chance c = {7};
	const struct sotto_function *f;
	struct world w = {0};
	char call[1024];
	static const int rounds_by_effort[] = {1, 3, 30};
	int rounds = rounds_by_effort[effort()];

	REQUIRE(world_open(&w));
	for (size_t i = 0; (f = sotto_function_at(i)) != NULL; i++)
		for (int round = 0; round < (strchr(f->args, 'd') ? 5 : 1) * rounds; round++) {
			size_t n = (size_t)snprintf(call, sizeof call, "\"%s\"(", f->name);

			for (const char *a = f->args; *a; a++)
				n += (size_t)snprintf(call + n, sizeof call - n, "%s%s",
						      a == f->args ? "" : ", ",
						      argument(&c, (char)(*a | 0x20)));
			(void)snprintf(call + n, sizeof call - n, ")");
			if (strcmp(f->name, "width_bucket") == 0)
				(void)snprintf(call, sizeof call,
					       "width_bucket(%s, -3, 1e6, 9)",
					       argument(&c, 'n'));
			if (strcmp(f->name, "regexp_extract") == 0) /* a group it has */
				(void)snprintf(call, sizeof call,
					       "regexp_extract(%s, '(a|é){2,3}$', %u)",
					       argument(&c, 't'), chance_below(&c, 2));
			(void)is_total(&w, call, false);
		}
	CHECK(w.refused < 10);
	world_close(&w);
}

static const struct {
	const char *expression;
	bool number;
} expressions[] = {
	{"i + i", true},
	{"i * i * i", true},
	{"i - x", true},
	{"x / x", true},
	{"i / i", true},
	{"i % i", true},
	{"x % i", true},
	{"-i", true},
	{"abs(i)", true},
	{"t || t", false},
	{"d - DATE '2024-01-01'", true},
	{"d - d", true},
	{"d + i", false},
	{"d - 100000", false},
	{"x + d", false},
	{"d + INTERVAL '100000 years'", false},
	{"t::timestamp - INTERVAL '100000 months'", false},
	{"d::timestamp + INTERVAL '99999' SECOND", false},
	{"concat(t, x, d, b)", false},
	{"concat_ws('-', t, i)", false},
	{"extract(epoch FROM t::timestamp)", true},
	{"x::integer", true},
	{"t::integer", true},
	{"t::numeric", true},
	{"t::boolean", false},
	{"t::date", false},
	{"t::timestamp", false},
	{"d::timestamp", false},
	{"d::text", false},
	{"b::integer", true},
	{"i::boolean", false},
	{"x::boolean", false},
	{"x > i", false},
	{"d > '2024-01-01'", false},
	{"d::timestamp > d", false},
	{"t > 5", false},
	{"t = 'a'", false},
	{"t IN (1, 2)", false},
	{"t LIKE '%a_\\%'", false},
	{"t ILIKE 'A%'", false},
	{"b = 't'", false},
	{"(x IS DISTINCT FROM i)", false},
	{"CASE WHEN b THEN x ELSE i END", true},
	{"coalesce(i, x, 0)", true},
	{"greatest(i, x)", true},
	{"least(t::numeric, 3)", true},
	{"nullif(x, i)", true},
	{"clip(x, -1, 1)", true},
	{"extract(year FROM d)", true},
	{"extract(month FROM t::date)", true},
	{"sqrt(x) + ln(x) + exp(x) + power(x, i)", true},
	{"power(i, i)", true},
	{"magnitude(x)", true},
	{"magnitude(i)", true},
	{"b AND t", false},
	{"NOT t", false},
	{"substring(t from 2 for 3)", false},
	{"position('a' in t)", true},
	{"trim(t)", false},
	{"trim(both 'x' from t)", false},
	{"t ~ '^\\d+$'", false},
	{"t SIMILAR TO '%(a|b)_'", false},
	{"t LIKE '%!%%' ESCAPE '!'", false},
	{"x ^ 3", true},
	{"i & 255", true},
	{"i | x", true},
	{"i # 7", true},
	{"|/ x", true},
	{"log(2, x)", true},
	{"div(i, x)", true},
	{"b = 1", false},
	{"b + i", true},
	{"(t, i) IN (('a', 1), ('b', 2))", false},
	{"i > ANY (ARRAY[1, 2])", false},
	{"t - DATE '2024-01-01'", true},
	{"to_char(t::timestamp, 'YYYY-MM-DD HH24:MI')", false},
	{"date_trunc(d, MONTH)", false},
	{"date_diff(d, DATE '2024-01-01', DAY)", true},
	{"date_add(d, INTERVAL '3 days')", false},
	{"date(t)", false},
	{"dayname(t::date)", false},
};

static void no_operator_or_cast_raises_an_error(void)
{
	struct world w = {0};

	REQUIRE(world_open(&w));
	for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++)
		(void)is_total(&w, expressions[i].expression, expressions[i].number);
	world_close(&w);
}

/* The engine takes the path of every entry of a dictionary, those of other rows included. */
#define CHOSEN_JSON "CASE WHEN json_valid(t) THEN json_extract_string(t, '$.a') END"

/* The test can fail: the same rows do raise errors when the guards are left out. */
static void the_rows_are_evil_enough(void)
{
	static const char *const raw[] = {"sqrt(x)",
					  "ln(x)",
					  "i * i",
					  "CAST(x AS BIGINT)",
					  "CAST(t AS DOUBLE)",
					  "CAST(t AS DATE)",
					  "abs(i)",
					  "CAST(d AS TIMESTAMP)",
					  "date_part('week', d)",
					  "date_trunc('year', d)",
					  "date_trunc('hour', d)",
					  CHOSEN_JSON};
	struct sotto_engine_result *r = NULL;
	struct world w = {0};
	char sql[1024];

	REQUIRE(world_open(&w));
	for (size_t i = 0; i < sizeof raw / sizeof raw[0]; i++) {
		(void)snprintf(sql, sizeof sql, "SELECT count(%s) FROM %s", raw[i], w.scan);
		(void)tap_check(sotto_engine_run(w.engine, sql, &r) != SOTTO_OK, __FILE__,
				__LINE__, "%s raises no error", raw[i]);
	}
	world_close(&w);
}

/* A name that the engine did not know would fail after the charge. */
static void the_engine_knows_every_time_zone(void)
{
	static char sql[1 << 16];
	struct sotto_engine_result *r = NULL;
	struct world w = {0};
	const char *zone;
	size_t n, i;

	REQUIRE(world_open(&w));
	n = (size_t)snprintf(sql, sizeof sql,
			     "SELECT COUNT(DISTINCT name)::BIGINT FROM pg_timezone_names() "
			     "WHERE name IN ('UTC'");
	for (i = 0; (zone = sotto_time_zone_at(i)) != NULL; i++) {
		n += (size_t)snprintf(sql + n, sizeof sql - n, ", '%s'", zone);
		CHECK(sotto_time_zone_find(zone) == zone); /* the list is sorted */
	}
	(void)snprintf(sql + n, sizeof sql - n, ")");
	REQUIRE(sotto_engine_run(w.engine, sql, &r) == SOTTO_OK);
	CHECK_INT(sotto_engine_cell(r, 0, 0).integer, (int64_t)i + 1);
	CHECK(i > 400);
	CHECK(!sotto_time_zone_find("Mars/Base") && !sotto_time_zone_find(""));
	sotto_engine_result_free(r);
	world_close(&w);
}

int main(void)
{
	RUN(no_reviewed_function_raises_an_error);
	RUN(the_engine_knows_every_time_zone);
	RUN(no_operator_or_cast_raises_an_error);
	RUN(the_rows_are_evil_enough);
	return tap_done();
}
