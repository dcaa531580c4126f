/* Policies: what is read, and every mistake with its file, line and a hint. */
#include "central/policy/policy.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buffer.h"
#include "testlib/tap.h"

static enum sotto_status
parse(struct sotto_policy *p, const char *text, struct sotto_error *err)
{
	err->text[0] = '\0';
	return sotto_policy_parse(p, "data/sotto.yaml", text, strlen(text), err);
}

static void a_whole_policy_is_read(void)
{
	static const char text[] =
		"engine: duckdb\nledger: l.db\n"
		"budget: { epsilon: 4, delta: 1e-6, analysts: {ann: 1/2}, renew: 30 days }\n"
		"default: {epsilon: 0.1}\n"
		"tables:\n"
		"  patients:\n    source: patients.csv\n    unit: patient_id\n    max_groups: "
		"3\n    max_rows: 5\n"
		"    columns:\n      age: { bounds: [0, 120] }\n"
		"      salary: { bounds: [20000, 200000], step: 0.01 }\n"
		"      city: { keys: [Padova, Nantes, null] }\n      floor: { keys: [1, 2, 3] "
		"}\n"
		"  visits: {source: /abs/v.parquet, unit: row}\n"
		"  cities: { source: cities.csv, public: true }\n";
	const struct sotto_policy_table *t;
	const struct sotto_policy_column *c;
	struct sotto_error err;
	struct sotto_policy p;

	REQUIRE(parse(&p, text, &err) == SOTTO_OK);
	CHECK_STR(p.ledger, "data/l.db");
	CHECK_INT(p.window, 30 * 86400);
	CHECK_INT(p.table_count, 3);
	CHECK(mpq_cmp_ui(p.epsilon->q, 4, 1) == 0 && mpq_cmp_ui(p.delta->q, 1, 1000000) == 0);
	t = sotto_policy_table_find(&p, "PATIENTS");
	REQUIRE(t);
	CHECK_STR(t->source, "data/patients.csv");
	CHECK_STR(t->unit, "patient_id");
	CHECK_INT(t->max_groups, 3);
	c = sotto_policy_column_find(t, "salary");
	REQUIRE(c && c->step);
	CHECK(mpq_cmp_ui(c->step->q, 1, 100) == 0);
	c = sotto_policy_column_find(t, "city");
	REQUIRE(c);
	CHECK_INT(c->key_count, 3);
	CHECK(c->keys[2] == NULL);
	CHECK_INT(c->type, SOTTO_TYPE_TEXT);
	CHECK_INT(sotto_policy_column_find(t, "floor")->type, SOTTO_TYPE_INTEGER);
	CHECK(sotto_policy_table_find(&p, "visits")->unit_is_row);
	CHECK_STR(sotto_policy_table_find(&p, "visits")->source, "/abs/v.parquet");
	CHECK(sotto_policy_table_find(&p, "cities")->is_public);
	sotto_policy_release(&p);
}

/* Where the engine is said does not matter. */
static void tables_of_postgres_are_names_and_files_have_a_slash(void)
{
	static const char text[] = "budget: { epsilon: 1 }\ntables:\n"
				   "  a: { unit: row }\n  b: { source: clinic.b, unit: row }\n"
				   "  c: { source: ./c.csv, unit: row }\n"
				   "dsn: host=x dbname=y\nengine: postgres\n";
	struct sotto_error err;
	struct sotto_policy p;

	REQUIRE(parse(&p, text, &err) == SOTTO_OK);
	CHECK(p.server == SOTTO_SERVER_POSTGRES);
	CHECK_STR(p.dsn, "host=x dbname=y");
	CHECK_STR(p.tables[0].source, "a");
	CHECK_STR(p.tables[1].source, "clinic.b");
	CHECK_STR(p.tables[2].source, "data/./c.csv");
	CHECK(p.tables[0].on_server && p.tables[1].on_server && !p.tables[2].on_server);
	sotto_policy_release(&p);
}

static void what_a_question_may_use_is_read_and_has_defaults(void)
{
	static const char tables[] = "budget: {epsilon: 1}\ntables: {t: {source: a.csv, unit: "
				     "id}}\n";
	static const char limits[] =
		"memory: 4GiB\nmin_epsilon: 1/50\ntime: {pad: 500ms, limit: "
		"2m}\nbudget: {epsilon: 1}\ntables: {t: {source: a.csv, "
		"unit: id}}\n";
	struct sotto_error err;
	struct sotto_policy p;

	REQUIRE(parse(&p, tables, &err) == SOTTO_OK);
	CHECK(!p.has_pad && p.pad == 0 && p.memory == 0);
	CHECK(p.limit == (uint64_t)60 * 1000000000);
	CHECK(mpq_cmp_ui(p.min_epsilon->q, 1, 10000) == 0);
	sotto_policy_release(&p);
	REQUIRE(parse(&p, limits, &err) == SOTTO_OK);
	CHECK(p.has_pad && p.pad == 500000000);
	CHECK(p.limit == (uint64_t)120 * 1000000000);
	CHECK(p.memory == (uint64_t)4 << 30);
	CHECK(mpq_cmp_ui(p.min_epsilon->q, 1, 50) == 0);
	sotto_policy_release(&p);
}

/* Planted: a name that ends at its first blank, so that another column was looked for. */
static void a_path_may_lead_over_names_with_blanks(void)
{
	static const char text[] = "budget: {epsilon: 1}\ntables:\n"
				   "  clients: {source: c.csv, unit: client id}\n"
				   "  loans: {source: l.csv, unit: {column: client id, "
				   "via: loans.paid by  ->  clients.client id }}\n";
	struct sotto_error err;
	struct sotto_policy p;

	REQUIRE(parse(&p, text, &err) == SOTTO_OK);
	CHECK_STR(p.tables[1].via_column, "paid by");
	CHECK_STR(p.tables[1].via_table, "clients");
	CHECK_STR(p.tables[1].via_key, "client id");
	CHECK_STR(p.tables[1].unit, "paid by");
	sotto_policy_release(&p);
}

#define BUDGET "budget: {epsilon: 1}\n"
#define TABLE "tables: {t: {source: a.csv, unit: id}}\n"

static const struct {
	const char *text, *words;
} mistakes[] = {
	{"", "the file is empty"},
	{"a: [", "sotto.yaml:2: this is not YAML"},
	{"ledger: l\n\n# \xff\n",
	 "sotto.yaml:3: this is not YAML: invalid leading UTF-8 octet"},
	{"ledger: l\n\001\n",
	 "sotto.yaml:2: this is not YAML: control characters are not allowed"},
	{"- x", ":1: the policy must be a list of \"name: value\""},
	{BUDGET "buget: 1\n" TABLE,
	 ":2: unknown field \"buget\" in the policy; the fields are engine"},
	{BUDGET TABLE BUDGET, ":3: \"budget\" is given twice (first on line 1)"},
	{TABLE, "the policy has no budget"},
	{BUDGET, "the policy has no tables"},
	{"budget: {epsilon: x}\n" TABLE, ":1: epsilon must be a number"},
	{"budget: {epsilon: 0}\n" TABLE, "epsilon must be above 0"},
	{"budget: {epsilon: 1, delta: 1}\n" TABLE, "delta must be from 0 to below 1"},
	{"budget: {epsilon: 1, renew: soon}\n" TABLE, "renew must be a time like"},
	{"budget: {epsilon: 1, renew: 0 days}\n" TABLE, "renew must be a time like"},
	{"budget: {epsilon: 1, renew: 3 days more}\n" TABLE, "renew must be a time like"},
	{"budget: {epsilon: 1, renew: 3 months}\n" TABLE, "renew must be a time like"},
	{"budget: {epsilon: 1, analysts: {ann: 2}}\n" TABLE,
	 "the share of ann must be above 0 and at most 1"},
	{"time: {pad: 1}\n" BUDGET TABLE, ":1: pad must be a time of at most 24h"},
	{"time: {pad: -1s}\n" BUDGET TABLE, "pad must be a time"},
	{"time: {pad: 1.5s}\n" BUDGET TABLE, "pad must be a time"},
	{"time: {pad: 1 second}\n" BUDGET TABLE, "like 500ms, 1s, 2m or 1h"},
	{"time: {pad: 25h}\n" BUDGET TABLE, "at most 24h"},
	{"time: {limit: 99999999999999999999s}\n" BUDGET TABLE, "limit must be a time"},
	{"time: {limit: 999999999999h}\n" BUDGET TABLE, "limit must be a time"},
	{"time: {limit: 0s}\n" BUDGET TABLE, "limit must be above 0"},
	{"time: {padding: 1s}\n" BUDGET TABLE, "unknown field \"padding\" in time"},
	{"time: 1s\n" BUDGET TABLE, "time must be a list of"},
	{"memory: 4\n" BUDGET TABLE, ":1: memory must be at least 256MiB"},
	{"memory: 255MiB\n" BUDGET TABLE, "memory must be at least 256MiB"},
	{"memory: lots\n" BUDGET TABLE, "like 512MiB, 4GiB or 1TiB"},
	{"memory: 999999999999TiB\n" BUDGET TABLE, "memory must be"},
	{"min_epsilon: 0\n" BUDGET TABLE, "min_epsilon must be above 0"},
	{"min_epsilon: tiny\n" BUDGET TABLE, "min_epsilon must be a number"},
	{"min_epsilon: 0.5\ndefault: {epsilon: 0.1}\n" BUDGET TABLE,
	 "the default epsilon is below min_epsilon"},
	{"engine: oracle\n" BUDGET TABLE, "unknown engine \"oracle\""},
	{"dsn: dbname=x\n" BUDGET TABLE, "dsn is for engine: postgres"},
	{BUDGET "tables:\n  t: {table: a, unit: row}\nengine: postgres\n",
	 ":3: the name of table t on the server is its source"},
	{BUDGET "tables:\n  t: {table: a, unit: row}\nengine: adbc\ndriver: d\nuri: u\n",
	 ":3: the name of table t on the server is its source"},
	{BUDGET "tables:\n  t: {unit: row}\nengine: adbc\ndriver: d\n",
	 "engine: adbc needs driver: LIBRARY and uri: ADDRESS"},
	{BUDGET "tables:\n  t: {unit: row}\nengine: adbc\nuri: u\n",
	 "engine: adbc needs driver: LIBRARY and uri: ADDRESS"},
	{BUDGET "tables:\n  t: {unit: row}\nengine: adbc\ndriver: d\nuri: u\ndsn: x\n",
	 "dsn is for engine: postgres"},
	{"driver: d\n" BUDGET TABLE, "driver and uri are for engine: adbc"},
	{"uri: u\n" BUDGET TABLE, "driver and uri are for engine: adbc"},
	{"engine: odbc\n" BUDGET TABLE, "unknown engine \"odbc\""},
	{BUDGET "tables:\n  t: {unit: id}\n", ":3: table t has no source"},
	{BUDGET "tables:\n  t: {source: a.csv}\n", ":3: table t says neither unit"},
	{BUDGET "tables:\n  t: {source: a.csv, public: true, unit: id}\n",
	 "is public, so it has no unit"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, max_rows: 0}\n",
	 "max_rows must be a whole number"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, max_rows: 1.5}\n",
	 "max_rows must be a whole number"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: {via: x}}\n",
	 "path to the unit is written like"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: {column: p, via: t.p -> x.p}}\n",
	 "not there, or in a circle"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: {column: p, via: t.p -> x.p}}\n"
		"  x: {source: b.csv, unit: row}\n",
	 "must be a column of the table"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: {column: p, via: t.p -> x.p}}\n"
		"  x: {source: b.csv, unit: q}\n",
	 "leads to the unit q of table x: write column: q"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: {column: p, via: t.p -> x.p}}\n"
		"  x: {source: b.csv, unit: {column: p, via: x.p -> t.p}}\n",
	 "in a circle"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: {via: t.p -> x.p}}\n"
		"  x: {source: b.csv, unit: p}\n",
	 "a unit needs a column"},
	{BUDGET "tables:\n  t:\n    source: a.csv\n    unit: id\n    columns:\n      "
		"x: {bounds: [5, 1]}\n",
	 ":7: the lower bound of x is above the upper one"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {bounds: [1]}}}\n",
	 "must be two numbers"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {bounds: [01.01.2024, "
		"31.01.2024]}}}\n",
	 "or a date, written like 2024-01-31"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {step: 1}}}\n",
	 "a step but no bounds"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {bounds: [2024-01-01, "
		"7]}}}\n",
	 "one bound of x is a date and the other is not"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {bounds: [2024-02-01, "
		"2024-01-31]}}}\n",
	 "the lower bound of x is above the upper one"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {type: integer, "
		"bounds: [2024-01-01, 2024-01-31]}}}\n",
	 "bounds that are dates, so its type must be date or timestamp"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {type: date, bounds: "
		"[1, 2]}}}\n",
	 "bounds that are numbers, so its type must be number or integer"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {step: 2, bounds: "
		"[2024-01-01, 2024-01-31]}}}\n",
	 "whose step is a day"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {bounds: [2024-02-30, "
		"2024-03-31]}}}\n",
	 "a bound"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {bounds: [2024-02-01, "
		"'2024-03-31 23:59:59']}}}\n",
	 "write the day alone, like 2024-03-31"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {keys: [a, a]}}}\n",
	 "is given twice"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {keys: []}}}\n",
	 "must be a list"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {type: integer, "
		"keys: [1, 01]}}}\n",
	 "the key 01 of x is not written the way values of type integer are"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {type: number, "
		"keys: [1, 1.0]}}}\n",
	 "the key 1.0 of x is not written"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {type: date, "
		"keys: ['2024-1-1']}}}\n",
	 "the key 2024-1-1 of x is not written"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {type: boolean, "
		"keys: [t]}}}\n",
	 "the key t of x is not written"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {type: blob}}}\n",
	 "unknown type \"blob\""},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {type: text, "
		"bounds: [0, 1]}}}\n",
	 "so its type must be number or integer"},
	{BUDGET "tables:\n  t: {source: a.csv, unit: id, columns: {x: {bound: [0, 1]}}}\n",
	 "unknown field \"bound\" in a column"},
};

static void each_mistake_has_its_line_and_a_hint(void)
{
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
		struct sotto_error err;
		struct sotto_policy p;

		if (tap_check(parse(&p, mistakes[i].text, &err) == SOTTO_EPARSE, __FILE__,
			      __LINE__, "case %zu is not refused", i))
			(void)tap_check(strstr(err.text, mistakes[i].words) != NULL, __FILE__,
					__LINE__, "case %zu says: %s", i, err.text);
		else
			sotto_policy_release(&p);
	}
}

/* ---- the shape of the YAML ------------------------------------------------------------------ */

static const char head[] =
	"budget: {epsilon: 1}\ntables:\n  t:\n    source: t.csv\n    unit: row\n";

static void add(struct sotto_buffer *b, const char *text)
{
	if (sotto_buffer_append_text(b, text) != SOTTO_OK)
		abort();
}

/* So many times opening, then closing, below a table. */
static enum sotto_status
parse_nested(const char *open, const char *close, int depth, struct sotto_error *err)
{
	struct sotto_buffer b;
	struct sotto_policy p;
	enum sotto_status st;

	sotto_buffer_init(&b, 64 << 20);
	add(&b, head);
	add(&b, "    columns: ");
	for (int i = 0; i < depth; i++)
		add(&b, open);
	for (int i = 0; i < depth; i++)
		add(&b, close);
	st = sotto_policy_parse(&p, "p.yaml", b.bytes, b.length, err);
	if (st == SOTTO_OK)
		sotto_policy_release(&p);
	sotto_buffer_release(&b);
	return st;
}

static void deep_nesting_is_refused_at_once(void)
{
	static const char *const brackets[][2] = {
		{"[", "]"}, {"{a: ", "}"}, {"[\n", "]"}, {"{? ", "}"}, {"[{a: ", "}]"}};
	static const int depths[] = {97, 98, 200, 100000};

	for (size_t i = 0; i < sizeof brackets / sizeof brackets[0]; i++)
		for (size_t k = 0; k < sizeof depths / sizeof depths[0]; k++) {
			int levels = depths[k] * (i == 4 ? 2 : 1) + 3; /* below the table */
			struct sotto_error err = {""};

			CHECK_INT(parse_nested(brackets[i][0], brackets[i][1], depths[k], &err),
				  SOTTO_EPARSE);
			CHECK((strstr(err.text, "nested more than 100 deep") != NULL) ==
			      (levels > 100));
		}
}

static void a_second_document_is_refused(void)
{
	static const char *const second[] = {"---\nbudget: {epsilon: 100}\n", "---\n",
					     "...\n---\nx: 1\n", "--- {a: 1}\n"};
	struct sotto_error err;
	struct sotto_policy p;
	char text[500];

	for (size_t i = 0; i < sizeof second / sizeof second[0]; i++) {
		snprintf(text, sizeof text, "%s%s", head, second[i]);
		CHECK_INT(parse(&p, text, &err), SOTTO_EPARSE);
		CHECK(strstr(err.text, "a second document begins here") != NULL);
	}
	snprintf(text, sizeof text, "---\n%s...\n# the end\n", head);
	CHECK_INT(parse(&p, text, &err), SOTTO_OK);
	sotto_policy_release(&p);
}

/* With work that grows with the square these would take hours of the processor, not seconds. */
static void long_lists_take_linear_time(void)
{
	enum { NAMES = 150000, SECONDS = 60 };
	int status = 0;

	fflush(stdout);
	if (fork() == 0) {
		const struct rlimit limit = {SECONDS, SECONDS};
		struct sotto_buffer b;
		struct sotto_policy p;
		char line[80];

		(void)setrlimit(RLIMIT_CPU, &limit);
		sotto_buffer_init(&b, 64 << 20);
		add(&b, head);
		add(&b, "    columns:\n");
		for (int i = 0; i < NAMES; i++) {
			snprintf(line, sizeof line, "      column_%d: {bounds: [0, 1]}\n", i);
			add(&b, line);
		}
		_exit(sotto_policy_parse(&p, "p.yaml", b.bytes, b.length, NULL) == SOTTO_OK
			      ? 0
			      : 1);
	}
	wait(&status);
	CHECK_INT(status, 0);
}

int main(void)
{
	RUN(a_whole_policy_is_read);
	RUN(what_a_question_may_use_is_read_and_has_defaults);
	RUN(tables_of_postgres_are_names_and_files_have_a_slash);
	RUN(a_path_may_lead_over_names_with_blanks);
	RUN(each_mistake_has_its_line_and_a_hint);
	RUN(deep_nesting_is_refused_at_once);
	RUN(a_second_document_is_refused);
	RUN(long_lists_take_linear_time);
	return tap_done();
}
