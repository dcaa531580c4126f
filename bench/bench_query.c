/*
 * sotto query against DuckDB itself (race.h).
 *
 *   row        unit: row, 50 keys, COUNT + SUM + AVG, against the plain query
 *   user       unit: column, against the hand-written two-level aggregate
 *   groups     10 000 public groups, against the plain query
 *   average    unit: row, 50 keys, AVG of a double column, against the plain query
 *   start      a tiny table, against opening DuckDB and one query
 *
 * The policies' questions are fresh ones: each pays for, and computes, what the limits lose
 * (honest answers), which the hand-written query does not.
 *
 * SOTTO_BENCH_ROWS sets the number of rows (20 000 000).
 */
#include "race.h"

static void make_data(const char *path, long rows)
{
	struct sotto_embedded *e = race_engine();
	char sql[1024];

	(void)snprintf(sql, sizeof sql, "ATTACH '%s' AS d", path);
	race_execute(e, sql);
	(void)snprintf(sql, sizeof sql,
		       "CREATE TABLE d.t AS SELECT CAST(hash(i) %% %ld AS BIGINT) AS id, "
		       "CAST(hash(i, 1) %% 50 AS INTEGER) AS k, CAST(hash(i, 2) %% 10000 AS "
		       "INTEGER) AS g, "
		       "CAST(hash(i, 3) %% 1000 AS INTEGER) AS x, CAST(hash(i, 4) %% 100000 "
		       "AS DOUBLE) / 128 AS d FROM range(%ld) AS r(i)",
		       rows / 20 + 1, rows);
	race_execute(e, sql);
	race_execute(e, "CREATE TABLE d.tiny AS SELECT * FROM d.t LIMIT 100; CHECKPOINT d");
	sotto_embedded_close(e);
}

static void write_keys(FILE *out, const char *column, int n)
{
	fprintf(out, "      %s: {keys: [0", column);
	for (int i = 1; i < n; i++)
		fprintf(out, ", %d", i);
	fprintf(out, "]}\n");
}

/* One question: its policy has no more than it needs. */
struct question {
	const char *name;
	const char *table, *unit, *key; /* key may be NULL */
	int keys;
	const char *sql; /* over the table t */
	const char *plain;
	double limit;
};

static const struct question questions[] = {
	{"row", "t", "row", "k", 50, "SELECT k, COUNT(*), SUM(x), AVG(x) FROM t GROUP BY k",
	 "SELECT k, count(*), sum(x), avg(x) FROM t GROUP BY k", 1.1},
	{"user", "t", "id", "k", 50, "SELECT k, COUNT(*), SUM(x), AVG(x) FROM t GROUP BY k",
	 "SELECT k, sum(least(n, 40)), sum(CASE WHEN n > 40 THEN s * 40 // n ELSE s END) FROM "
	 "(SELECT id, k, count(*) AS n, sum(x) AS s FROM t GROUP BY id, k) GROUP BY k",
	 1.1},
	{"groups", "t", "row", "g", 10000, "SELECT g, COUNT(*), SUM(x) FROM t GROUP BY g",
	 "SELECT g, count(*), sum(x) FROM t GROUP BY g", 1.1},
	{"average", "t", "row", "k", 50, "SELECT k, AVG(d) FROM t GROUP BY k",
	 "SELECT k, avg(d) FROM t GROUP BY k", 1.5},
	{"start", "tiny", "row", NULL, 0, "SELECT COUNT(*) FROM t", "SELECT count(*) FROM tiny",
	 3},
};

static void write_policy(const char *path, const char *data, const struct question *q)
{
	const char *slash = strrchr(data, '/');
	FILE *out = fopen(path, "w");

	if (!out)
		race_stop("policy", path);
	fprintf(out,
		"ledger: ledger-%s.db\nbudget: {epsilon: 1000000}\ntables:\n"
		"  t:\n    source: %s\n    table: %s\n    unit: %s\n    max_groups: 50\n"
		"    max_rows: 40\n    columns:\n      x: {bounds: [0, 1000], nullable: "
		"false}\n      d: {bounds: [0, 1000], nullable: false}\n",
		q->name, slash ? slash + 1 : data, q->table, q->unit);
	if (q->key)
		write_keys(out, q->key, q->keys);
	if (fclose(out) != 0)
		race_stop("policy", path);
}

int main(int argc, char **argv)
{
	const char *wish = getenv("SOTTO_BENCH_ROWS");
	long rows = wish ? strtol(wish, NULL, 10) : 20000000;
	char name[64], data[RACE_PATH], policy[RACE_PATH];

	if (argc == 3)
		return race_plain(argv[1], argv[2]);
	(void)snprintf(name, sizeof name, "rows-d-%ld.duckdb", rows);
	race_file(name, data);
	race_file("query.yaml", policy);
	if (access(data, F_OK) != 0)
		make_data(data, rows);
	(void)snprintf(name, sizeof name, "SQL answers: %ld rows, %ld units", rows,
		       rows / 20 + 1);
	race_title(name);
	for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
		write_policy(policy, data, &questions[i]);
		race(questions[i].name, policy, questions[i].sql, data, questions[i].plain,
		     questions[i].limit);
	}
	return 0;
}
