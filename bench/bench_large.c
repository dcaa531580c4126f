/*
 * A large table within a limit of memory: 100 000 000 rows of 2 000 000 units in a Parquet file,
 * COUNT, SUM and AVG in 20 groups, at row and at user level.  What is told is the time of a whole
 * sotto query, its CPU time and the most memory that one of its processes held; it fails if a
 * question does not come through, or if one held more than the policy allows.
 *
 * SOTTO_BENCH_LARGE sets the number of rows.  The file is made for the run and taken away.
 */
#include "race.h"

enum { GIGABYTES = 8, KEYS = 20, ROWS_OF_A_UNIT = 50 };

static void make_data(const char *path, long rows)
{
	struct sotto_embedded *e = race_engine();
	char sql[RACE_PATH + 512];

	(void)snprintf(sql, sizeof sql,
		       "COPY (SELECT CAST(hash(i) %% %ld AS BIGINT) AS id, CAST(hash(i, 1) %% "
		       "%d AS INTEGER) AS k, CAST(hash(i, 3) %% 1000 AS INTEGER) AS x FROM "
		       "range(%ld) AS r(i)) TO '%s' (FORMAT parquet)",
		       rows / ROWS_OF_A_UNIT + 1, KEYS, rows, path);
	race_execute(e, sql);
	sotto_embedded_close(e);
}

static void write_policy(const char *path, const char *data, const char *unit)
{
	FILE *out = fopen(path, "w");

	if (!out)
		race_stop("policy", path);
	fprintf(out,
		"ledger: large-%s.db\nbudget: {epsilon: 1000000}\nmemory: %dGiB\n"
		"time: {limit: 10m}\ntables:\n  t:\n    source: %s\n    unit: %s\n"
		"    max_groups: %d\n    max_rows: 40\n    columns:\n"
		"      x: {bounds: [0, 1000], nullable: false}\n      k: {bounds: [0, %d]}\n",
		unit, GIGABYTES, strrchr(data, '/') + 1, unit, KEYS, KEYS - 1);
	if (fclose(out) != 0)
		race_stop("policy", path);
}

/* The question as it is asked; what it used is told by the system. */
static bool ask(const char *name, const char *policy)
{
	const char *ours[] = {race_program(),
			      "query",
			      "--fresh",
			      "--epsilon",
			      "1",
			      "--threads",
			      "2",
			      "--policy",
			      policy,
			      "SELECT k, COUNT(*), SUM(x), AVG(x) FROM t GROUP BY k",
			      NULL};
	struct race_time seal = race_seal(policy), t = race_run(ours);
	double gigabytes = (double)t.kilobytes / (1 << 20);

	printf("%-8s %9.1f s %9.1f s %9.1f s %9.2f GiB %9d GiB\n", name, seal.clock, t.clock,
	       t.cpu, gigabytes, GIGABYTES);
	return gigabytes <= GIGABYTES;
}

int main(void)
{
	const char *wish = getenv("SOTTO_BENCH_LARGE");
	long rows = wish ? strtol(wish, NULL, 10) : 100000000;
	char data[RACE_PATH], policy[RACE_PATH];
	bool all;

	race_file("large.parquet", data);
	race_file("large.yaml", policy);
	make_data(data, rows);
	printf("A large table: %ld rows, %ld units, %d groups, Parquet, %d threads\n", rows,
	       rows / ROWS_OF_A_UNIT + 1, KEYS, RACE_THREADS);
	printf("%-8s %11s %11s %11s %13s %13s\n", "query", "sealing", "question", "CPU", "held",
	       "at most");
	write_policy(policy, data, "row");
	all = ask("row", policy);
	write_policy(policy, data, "id");
	all = ask("user", policy) && all;
	(void)remove(data);
	return all ? 0 : 1;
}
