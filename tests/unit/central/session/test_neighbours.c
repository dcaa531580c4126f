/*
 * The strongest test there is: over random policies, data and queries, one unit
 * is taken away with all its rows, and every exact measure must move by no more
 * than its plan declares, in no more groups than the plan declares.
 */
#include <stdlib.h>

#include "central/engine/engine.h"
#include "central/plan/plan.h"
#include "central/session/answer/answer_table.h"
#include "testlib/effort.h"
#include "testlib/chance.h"
#include "testlib/tap.h"

enum { ROWS = 1500, UNITS = 60 };

struct world {
	struct chance chance;
	struct sotto_engine *engine;
	struct sotto_policy policy;
	struct sotto_schema_table schemas[2];
	char query[4000];
};

/* ---- data: skewed, with outliers, NULL, NaN, infinities and heavy units ------------------------ */

static const char table_sql[] =
	"CREATE OR REPLACE TABLE base AS SELECT "
	"i AS rid, "
	"CASE WHEN h(i, 1) %% 3 = 0 THEN h(i, 2) %% 3 ELSE h(i, 3) %% %d END AS id, "
	"CAST(CASE WHEN h(i, 4) %% 17 = 0 THEN NULL WHEN h(i, 5) %% 11 = 0 THEN 1000000000 - "
	"h(i, 6) "
	"%% 2000000000 ELSE h(i, 7) %% 150 - 20 END AS INTEGER) AS a, "
	"CASE h(i, 8) %% 23 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN "
	"'inf'::DOUBLE WHEN 3 "
	"THEN '-inf'::DOUBLE WHEN 4 THEN 1e308 WHEN 5 THEN -0.0 ELSE (h(i, 9) %% 20000 - "
	"10000) / 7.0 END AS b, "
	"CASE h(i, 10) %% 9 WHEN 0 THEN NULL ELSE chr(CAST(97 + h(i, 11) %% 7 AS INTEGER)) END "
	"AS c, "
	"CASE h(i, 12) %% 5 WHEN 0 THEN NULL WHEN 1 THEN TRUE WHEN 2 THEN TRUE ELSE FALSE END "
	"AS d, "
	"CASE h(i, 13) %% 19 WHEN 0 THEN NULL ELSE DATE '2024-01-01' + CAST(h(i, 14) %% 700 AS "
	"INTEGER) END AS e, "
	"CASE h(i, 15) %% 6 WHEN 0 THEN NULL WHEN 1 THEN 'no number' WHEN 2 THEN '1e400' ELSE "
	"CAST(h(i, 16) %% 100 - 50 AS VARCHAR) END AS f "
	"FROM range(%d) AS r(i)";

static bool make_data(struct world *w)
{
	char sql[4096];

	(void)snprintf(sql, sizeof sql,
		       "CREATE OR REPLACE MACRO h(x, y) AS CAST(hash(x, y, %llu) %% 1000000007 "
		       "AS BIGINT)",
		       (unsigned long long)chance_word(&w->chance));
	if (sotto_engine_execute(w->engine, sql) != SOTTO_OK)
		return false;
	(void)snprintf(sql, sizeof sql, table_sql, UNITS, ROWS);
	return sotto_engine_execute(w->engine, sql) == SOTTO_OK &&
	       sotto_engine_execute(w->engine, "CREATE OR REPLACE TABLE places AS SELECT * "
					       "FROM (VALUES ('a', 'north', 1, '1'), "
					       "('b', 'north', 2, '01'), ('b', 'north', 2, "
					       "'1.0'), ('c', 'south', 3, 'x'), "
					       "('d', 'south', 4, '2'), (NULL, 'west', 5, "
					       "NULL), ('a', 'south', 6, '02')) "
					       "AS v(c, region, people, code)") == SOTTO_OK;
}

static bool take_away(struct world *w, const char *condition)
{
	char sql[256];

	(void)snprintf(sql, sizeof sql,
		       "CREATE OR REPLACE VIEW data AS SELECT * FROM base WHERE NOT (%s)",
		       condition);
	return sotto_engine_execute(w->engine, sql) == SOTTO_OK;
}

/* ---- policies ---------------------------------------------------------------------------------- */

static struct sotto_schema_column data_columns[] = {
	{.name = "rid", .type = SOTTO_TYPE_INTEGER},
	{.name = "id", .type = SOTTO_TYPE_INTEGER},
	{.name = "a", .type = SOTTO_TYPE_INTEGER},
	{.name = "b", .type = SOTTO_TYPE_NUMBER, .is_double = true},
	{.name = "c", .type = SOTTO_TYPE_TEXT},
	{.name = "d", .type = SOTTO_TYPE_BOOLEAN},
	{.name = "e", .type = SOTTO_TYPE_DATE},
	{.name = "f", .type = SOTTO_TYPE_LOOSE},
};
static struct sotto_schema_column place_columns[] = {
	{.name = "c", .type = SOTTO_TYPE_TEXT},
	{.name = "region", .type = SOTTO_TYPE_TEXT},
	{.name = "people", .type = SOTTO_TYPE_INTEGER},
	{.name = "code", .type = SOTTO_TYPE_LOOSE},
};

static enum sotto_status give_schema(void *context, const struct sotto_policy_table *table,
				     const struct sotto_schema_table **out,
				     struct sotto_error *err)
{
	struct world *w = context;
	struct sotto_schema_table *s = &w->schemas[table->is_public];

	(void)err;
	*s = table->is_public ? (struct sotto_schema_table){.policy = table,
							    .scan = "places",
							    .columns = place_columns,
							    .column_count = 4}
			      : (struct sotto_schema_table){.policy = table,
							    .scan = "data",
							    .columns = data_columns,
							    .column_count = 8};
	*out = s;
	return SOTTO_OK;
}

static bool make_policy(struct world *w)
{
	static const char *const steps[] = {"", ", step: 1", ", step: 0.01", ", step: 1/3"};
	char text[2048];
	struct sotto_error err = {""};
	int n = snprintf(
		text, sizeof text,
		"budget: {epsilon: 1, delta: 1e-6}\ntables:\n  data:\n    source: x.csv\n"
		"    unit: %s\n    max_groups: %u\n    max_rows: %u\n    columns:\n"
		"      a: {bounds: [%d, %u]%s%s}\n      b: {bounds: [%d.5, %u.25]%s}\n"
		"      f: {bounds: [-10, %u]}\n%s%s"
		"  places: {source: y.csv, public: true, columns: {code: {type: integer}}}\n",
		chance_in(&w->chance, 4) ? "row" : "id", 1 + chance_below(&w->chance, 4),
		1 + chance_below(&w->chance, 6), -(int)chance_below(&w->chance, 100),
		chance_below(&w->chance, 200), chance_in(&w->chance, 2) ? ", step: 1" : "",
		chance_in(&w->chance, 3) ? ", nullable: false" : "",
		-(int)chance_below(&w->chance, 2000), chance_below(&w->chance, 2000),
		steps[chance_below(&w->chance, 4)], chance_below(&w->chance, 60),
		chance_in(&w->chance, 2) ? "      c: {keys: [a, b, c, zz]}\n" : "",
		chance_in(&w->chance, 2) ? "      e: {bounds: [2024-02-11, 2025-03-02]}\n"
					 : "");

	return n < (int)sizeof text &&
	       sotto_policy_parse(&w->policy, "p.yaml", text, (size_t)n, &err) == SOTTO_OK;
}

/* ---- queries ------------------------------------------------------------------------------------ */

static const char *number(struct world *w)
{
	static const char *const exprs[] = {
		"a",
		"b",
		"f",
		"-a",
		"a + 1",
		"a * 2 - b",
		"a * b",
		"abs(b)",
		"clip(a / b, -3, 4)",
		"CASE WHEN d THEN a ELSE 7 END",
		"CASE WHEN c = 'a' THEN 1 ELSE 0 END",
		"least(a, 10)",
		"greatest(a, b)",
		"coalesce(a, -5)",
		"a % 7",
		"clip(sqrt(b), 0, 9)",
		"round(b)",
		"clip(ln(a), -1, 5)",
		"clip(power(b, 2), 0, 1000)",
		"clip(CAST(f AS INTEGER), -5, 5)",
		"clip(e - DATE '2024-06-01', -30, 200)",
		"extract(month FROM e)",
		"3",
		"a / 3",
		"clip(length(c || c), 0, 3)",
		"nullif(a, 3)",
		"clip(exp(a), 0, 100)",
		"CASE WHEN b > 0 THEN b END",
	};

	return exprs[chance_below(&w->chance, sizeof exprs / sizeof exprs[0])];
}

static const char *condition(struct world *w)
{
	static const char *const exprs[] = {
		"d",
		"NOT d",
		"a > 20",
		"b < 0 OR c = 'b'",
		"c IN ('a', 'b', 'x')",
		"a BETWEEN 0 AND 50",
		"c LIKE 'a%'",
		"b IS NOT NULL",
		"e >= '2024-05-01'",
		"f > 3",
		"a % 3 = 0",
		"d IS NOT TRUE",
		"length(c) = 1",
		"a / nullif(b, 0) > 1",
		"coalesce(a, 0) <> 7",
		"f = 'no number'",
		/* these leave some public keys */
		"data.c IN ('a', 'zz') AND a > 5",
		"extract(quarter FROM e) = 2",
		"e BETWEEN '2024-03-05' AND '2024-04-10'",
		"e < DATE '2024-03-05' + INTERVAL '2' MONTH AND a % 3 <> 1",
		"(data.c = 'a' AND a < 9) OR (data.c = 'b' AND a > 20)",
		"a > 1000000 AND data.c = 'b'",
		/* these compare rows with what is finished first */
		"a > (SELECT AVG(a) FROM data)",
		"a > (SELECT 0.5 * AVG(o.a) FROM data AS o WHERE o.c = data.c AND d)",
		"data.c IN (SELECT c FROM data GROUP BY c HAVING COUNT(*) > 10)",
	};

	return exprs[chance_below(&w->chance, sizeof exprs / sizeof exprs[0])];
}

static const char *key(struct world *w, bool joined)
{
	static const char *const exprs[] = {
		"d",
		"a > 10",
		"CASE WHEN a < 0 THEN 'low' WHEN a < 50 THEN 'mid' ELSE 'high' END",
		"width_bucket(a, 0, 100, 5)",
		"extract(quarter FROM e)",
		"a % 4",
		"date_trunc('month', e)",
		"data.c",
		"upper(data.c)",
		"f",
		("CASE WHEN a < 0 THEN TRUE WHEN a < 50 THEN 'true' WHEN a < 70 THEN 't' "
		 "ELSE FALSE END"),
		"CASE WHEN a < 0 THEN 1 WHEN a < 50 THEN 1.0 WHEN a < 70 THEN '1' ELSE 2 END",
		/* within bounds */
		"a",
		"a / 10",
		"abs(a) % 5",
		"e",
		"extract(year FROM e) * 100 + extract(month FROM e)",
		"strftime(e, '%Y-%m')",
		"region",
		"people",
		"code",
	};
	unsigned most = sizeof exprs / sizeof exprs[0] - (joined ? 0 : 3);

	return exprs[chance_below(&w->chance, most)];
}

static void add(struct world *w, const char *format, const char *x)
{
	size_t n = strlen(w->query);

	(void)snprintf(w->query + n, sizeof w->query - n, format, x);
}

static void add_aggregate(struct world *w)
{
	switch (chance_below(&w->chance, 9)) {
	case 0:
		add(w, "%s", "COUNT(*)");
		break;
	case 1:
		add(w, "COUNT(%s)", number(w));
		break;
	case 2:
		add(w, "%s", "COUNT(DISTINCT id)");
		break;
	case 3:
		add(w, "COUNT(DISTINCT %s)", number(w));
		break;
	case 4:
		add(w, "AVG(%s)", number(w));
		break;
	case 5:
		add(w, "STDDEV(%s)", number(w));
		break;
	default:
		add(w, "SUM(%s)", number(w));
		break;
	}
	if (chance_in(&w->chance, 5))
		add(w, " FILTER (WHERE %s)", condition(w));
}

static void make_query(struct world *w)
{
	static const char *const joins[] = {
		" JOIN places ON data.c = places.c",
		" LEFT JOIN places ON data.c = places.c",
		" RIGHT JOIN places ON places.c = data.c",
		" FULL JOIN places ON places.people > data.a",
		" CROSS JOIN places",
	};
	bool joined = chance_in(&w->chance, 4);
	unsigned keys = chance_below(&w->chance, 3);

	w->query[0] = '\0';
	add(w, "%s", "SELECT ");
	for (unsigned i = 0, n = 1 + chance_below(&w->chance, 3); i < n; i++) {
		add(w, "%s", i ? ", " : "");
		add_aggregate(w);
	}
	add(w, " FROM %s",
	    joined || !chance_in(&w->chance, 4) ? "data"
						: "(SELECT * FROM data WHERE a > 0) AS data");
	if (joined)
		add(w, "%s", joins[chance_below(&w->chance, 5)]);
	if (chance_in(&w->chance, 2))
		add(w, " WHERE %s", condition(w));
	else if (joined && chance_in(&w->chance, 2))
		add(w, "%s", " WHERE region = 'north' AND people < 3");
	for (unsigned i = 0; i < keys; i++)
		add(w, i ? ", %s" : " GROUP BY %s", key(w, joined));
}

/* ---- comparing ------------------------------------------------------------------------------------ */

static bool same_cell(struct sotto_engine_cell x, struct sotto_engine_cell y)
{
	if (x.kind != y.kind)
		return false;
	if (x.kind == SOTTO_ENGINE_TEXT)
		return strcmp(x.text, y.text) == 0;
	return x.integer == y.integer && memcmp(&x.number, &y.number, sizeof x.number) == 0;
}

static size_t find_row(const struct sotto_engine_result *r,
		       const struct sotto_engine_result *from, size_t row, size_t keys)
{
	for (size_t i = 0; i < sotto_engine_rows(r); i++) {
		bool same = true;

		for (size_t k = 0; same && k < keys; k++)
			same = same_cell(sotto_engine_cell(r, i, k),
					 sotto_engine_cell(from, row, k));
		if (same)
			return i;
	}
	return SIZE_MAX;
}

static int64_t exact_at(const struct sotto_engine_result *r, size_t row, size_t column)
{
	return row == SIZE_MAX ? 0 : sotto_engine_exact(r, row, column).secret;
}

/* How the groups of x differ from those of y: the worst move, and in how many groups. */
struct movement {
	int64_t most[64];
	int64_t groups[64];
};

static void compare(const struct sotto_plan *plan, const struct sotto_engine_result *x,
		    const struct sotto_engine_result *y, bool only_missing, struct movement *m)
{
	for (size_t row = 0; row < sotto_engine_rows(x); row++) {
		size_t other = find_row(y, x, row, plan->key_count);

		if (only_missing && other != SIZE_MAX)
			continue;
		for (size_t i = 0; i < plan->measure_count; i++) {
			size_t column = plan->key_count + plan->derived_count + i;
			int64_t d =
				llabs(exact_at(x, row, column) - exact_at(y, other, column));

			m->groups[i] += d != 0;
			m->most[i] = d > m->most[i] ? d : m->most[i];
		}
	}
}

static void check_removal(struct world *w, const struct sotto_plan *plan,
			  const struct sotto_engine_result *all, const char *removed)
{
	struct sotto_engine_result *less = NULL;
	struct movement m = {{0}, {0}};

	REQUIRE(take_away(w, removed));
	if (!tap_check(sotto_engine_run(w->engine, plan->engine_sql, &less) == SOTTO_OK,
		       __FILE__, __LINE__, "%s: %s", w->query, sotto_engine_detail(w->engine)))
		return;
	compare(plan, all, less, false, &m);
	compare(plan, less, all, true, &m);
	for (size_t i = 0; i < plan->measure_count; i++) {
		(void)tap_check(m.most[i] <= plan->measures[i].per_group, __FILE__, __LINE__,
				"%s: without %s measure %zu moves by %lld, declared %lld",
				w->query, removed, i, (long long)m.most[i],
				(long long)plan->measures[i].per_group);
		(void)tap_check(
			m.groups[i] <= plan->groups, __FILE__, __LINE__,
			"%s: without %s measure %zu moves in %lld groups, declared %lld",
			w->query, removed, i, (long long)m.groups[i], (long long)plan->groups);
	}
	sotto_engine_result_free(less);
}

static unsigned planned, refused, fewer, bounded, compared;

/* Public values are counted by the engine, as a session does. */
static enum sotto_status
count_values(void *context, const char *sql, int64_t *out, struct sotto_error *err)
{
	struct world *w = context;
	struct sotto_engine_result *rows = NULL;

	(void)err;
	if (sotto_engine_run(w->engine, sql, &rows) != SOTTO_OK)
		return SOTTO_EIO;
	*out = sotto_engine_cell(rows, 0, 0).integer;
	sotto_engine_result_free(rows);
	return SOTTO_OK;
}

/* The tables that rows are compared with hold anything: noise can make anything of them. */
static bool make_values(struct world *w, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->part_count; i++) {
		const struct sotto_plan *part = plan->parts[i];
		const char *rows = part->output_count > 1 ? "('a', 3), ('b', 40)"
				   : part->key_count      ? "('a'), ('c')"
							  : "(10)";
		char sql[128];

		(void)snprintf(sql, sizeof sql, "INSERT INTO \"sotto part %zu\" (%s) VALUES %s",
			       i, part->output_count > 1 ? "c0, c1" : "c0", rows);
		if (sotto_answer_table_create(w->engine, part, i) != SOTTO_OK ||
		    sotto_engine_execute(w->engine, sql) != SOTTO_OK)
			return false;
	}
	return true;
}

/* More values than the plan was made for would be more groups than noise was drawn for. */
static void check_groups(const struct world *w, const struct sotto_plan *plan,
			 const struct sotto_engine_result *all)
{
	int64_t most = 1;

	for (size_t i = 0; i < plan->set_count; i++)
		most *= plan->sets[i].size;
	if (!plan->public_keys || plan->key_count == 0)
		return;
	fewer += plan->set_count == 1 && plan->sets[0].may_be_fewer;
	bounded += plan->keys[0].held != NULL;
	(void)tap_check((int64_t)sotto_engine_rows(all) <= most, __FILE__, __LINE__,
			"%s: %zu groups, at most %lld", w->query, sotto_engine_rows(all),
			(long long)most);
}

/* Takes units away, one after another. */
static void check_plan(struct world *w, const struct sotto_plan *plan)
{
	struct sotto_engine_result *all = NULL;
	bool row_unit = plan->owner->unit_is_row;
	char removed[64];

	REQUIRE(take_away(w, "FALSE"));
	if (tap_check(sotto_engine_run(w->engine, plan->engine_sql, &all) == SOTTO_OK, __FILE__,
		      __LINE__, "%s: %s", w->query, sotto_engine_detail(w->engine))) {
		check_groups(w, plan, all);
		for (unsigned i = 0; i < 4; i++) {
			unsigned unit =
				i < 2 ? i : chance_below(&w->chance, row_unit ? ROWS : UNITS);

			(void)snprintf(removed, sizeof removed, "%s = %u",
				       row_unit ? "rid" : "id", unit);
			check_removal(w, plan, all, removed);
		}
	}
	sotto_engine_result_free(all);
}

static void check_query(struct world *w)
{
	const struct sotto_plan_request request = {.policy = &w->policy,
						   .schema = give_schema,
						   .schema_context = w,
						   .count = count_values,
						   .count_context = w,
						   .salt = 5};
	struct sotto_error err = {""};
	struct sotto_plan plan;

	make_query(w);
	if (sotto_plan_make(&plan, &request, w->query, &err) != SOTTO_OK) {
		(void)tap_check(err.text[0] != '\0', __FILE__, __LINE__, "%s: no reason",
				w->query);
		refused++;
		return;
	}
	planned++;
	compared += plan.part_count > 0;
	for (size_t i = 0; i < plan.part_count; i++)
		check_plan(w, plan.parts[i]);
	if (tap_check(make_values(w, &plan), __FILE__, __LINE__, "%s: %s", w->query,
		      sotto_engine_detail(w->engine)))
		check_plan(w, &plan);
	sotto_plan_release(&plan);
}

static void one_unit_moves_nothing_further_than_declared(void)
{
	static const unsigned worlds_by_effort[] = {12, 30, 300};
	unsigned worlds = worlds_by_effort[effort()];
	struct world w = {.chance = {2026}};
	struct sotto_error err = {""};

	if (!tap_check(
		    sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1},
					     &w.engine, &err) == SOTTO_OK,
		    __FILE__, __LINE__, "%s", err.text))
		return;
	for (unsigned i = 0; i < worlds; i++) {
		REQUIRE(make_data(&w));
		REQUIRE(make_policy(&w));
		for (int j = 0; j < 10; j++)
			check_query(&w);
		sotto_policy_release(&w.policy);
	}
	tap_note("%u queries planned, %u refused; %u with keys within bounds, %u with fewer "
		 "keys",
		 planned, refused, bounded, fewer);
	CHECK(planned > 5 * worlds);
	CHECK(bounded > worlds / 2 && fewer > worlds / 2 && compared > worlds / 4);
	sotto_engine_close(w.engine);
}

int main(void)
{
	RUN(one_unit_moves_nothing_further_than_declared);
	return tap_done();
}
