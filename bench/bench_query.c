/*
 * sotto query against DuckDB itself: same engine, same threads, same file.
 *
 *   row        unit: row, 50 keys, COUNT + SUM + AVG, against the plain query
 *   user       unit: column, against the hand-written two-level aggregate
 *   groups     10 000 public groups: what noise and formatting add
 *   start      a tiny table, against opening DuckDB and one query
 *
 * Times are of whole processes for sotto (start, plan, charge, run, noise,
 * print), of the query alone for DuckDB.  Best of three.  SOTTO_BENCH_ROWS sets
 * the number of rows (20 000 000).
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/engine.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

enum { ROUNDS = 3, THREADS = 2 };

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void stop(const char *what, const char *why)
{
	fprintf(stderr, "bench_query: %s: %s\n", what, why);
	exit(1);
}

static struct sotto_engine *open_engine(void)
{
	struct sotto_engine *e = NULL;
	struct sotto_error err = {""};

	if (sotto_engine_open(THREADS, &e, &err) != SOTTO_OK)
		stop("engine", err.text);
	return e;
}

static void execute(struct sotto_engine *e, const char *sql)
{
	if (sotto_engine_execute(e, sql) != SOTTO_OK)
		stop(sql, sotto_engine_detail(e));
}

static void make_data(const struct folder *f, long rows)
{
	struct sotto_engine *e = open_engine();
	char path[FOLDER_PATH_MAX], sql[1024];

	folder_file(f, "data.duckdb", path);
	(void)snprintf(sql, sizeof sql, "ATTACH '%s' AS d", path);
	execute(e, sql);
	(void)snprintf(sql, sizeof sql,
		       "CREATE TABLE d.t AS SELECT CAST(hash(i) %% %ld AS BIGINT) AS id, "
		       "CAST(hash(i, 1) %% 50 AS INTEGER) AS k, CAST(hash(i, 2) %% 10000 AS "
		       "INTEGER) AS g, "
		       "CAST(hash(i, 3) %% 1000 AS INTEGER) AS x FROM range(%ld) AS r(i)",
		       rows / 20 + 1, rows);
	execute(e, sql);
	execute(e, "CREATE TABLE d.tiny AS SELECT * FROM d.t LIMIT 100; CHECKPOINT d");
	sotto_engine_close(e);
}

static void write_keys(FILE *out, const char *column, int n)
{
	fprintf(out, "      %s: {keys: [0", column);
	for (int i = 1; i < n; i++)
		fprintf(out, ", %d", i);
	fprintf(out, "]}\n");
}

static void write_table(FILE *out, const char *name, const char *table, const char *unit)
{
	fprintf(out,
		"  %s:\n    source: data.duckdb\n    table: %s\n    unit: %s\n    max_groups: "
		"50\n"
		"    max_rows: 40\n    columns:\n      x: {bounds: [0, 1000], nullable: "
		"false}\n",
		name, table, unit);
	write_keys(out, "k", 50);
	write_keys(out, "g", 10000);
}

static void write_policy(const struct folder *f)
{
	char path[FOLDER_PATH_MAX];
	FILE *out;

	folder_file(f, "sotto.yaml", path);
	out = fopen(path, "w");
	if (!out)
		stop("policy", path);
	fprintf(out, "ledger: ledger.db\nbudget: {epsilon: 1000}\ntables:\n");
	write_table(out, "rows", "t", "row");
	write_table(out, "users", "t", "id");
	write_table(out, "tiny", "tiny", "row");
	if (fclose(out) != 0)
		stop("policy", path);
}

/* Seconds of one whole process of the program. */
static double time_sotto(const struct folder *f, const char *sql)
{
	const char *program = getenv("SOTTO") ? getenv("SOTTO") : "build/sotto";
	char policy[FOLDER_PATH_MAX];
	double best = 1e9;

	folder_file(f, "sotto.yaml", policy);
	for (int i = 0; i < ROUNDS; i++) {
		double start = now();
		int status = 1;
		pid_t pid;

		(void)fflush(stdout);
		pid = fork();

		if (pid == 0) {
			if (!freopen("/dev/null", "w", stdout))
				_exit(1);
			execl(program, program, "query", "--fresh", "--epsilon", "1",
			      "--threads", "2", "--policy", policy, sql, (char *)NULL);
			_exit(1);
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
			stop("sotto query", sql);
		if (now() - start < best)
			best = now() - start;
	}
	return best;
}

/* Seconds of one query in a running engine; with_start: of opening it as well. */
static double time_plain(const struct folder *f, const char *sql, bool with_start)
{
	char path[FOLDER_PATH_MAX], attach[FOLDER_PATH_MAX + 64];
	double best = 1e9;

	folder_file(f, "data.duckdb", path);
	(void)snprintf(attach, sizeof attach, "ATTACH '%s' AS d (READ_ONLY)", path);
	for (int i = 0; i < ROUNDS; i++) {
		double start = now();
		struct sotto_engine *e = open_engine();

		execute(e, attach);
		if (!with_start)
			start = now();
		execute(e, sql);
		if (now() - start < best)
			best = now() - start;
		sotto_engine_close(e);
	}
	return best;
}

static void report(const char *name, double sotto, double plain, double goal)
{
	printf("%-8s sotto %7.3f s  engine %7.3f s  ratio %5.2f  (at most %.2f)\n", name, sotto,
	       plain, sotto / plain, goal);
}

int main(void)
{
	const char *wish = getenv("SOTTO_BENCH_ROWS");
	long rows = wish ? strtol(wish, NULL, 10) : 20000000;
	struct folder f;

	folder_open(&f);
	make_data(&f, rows);
	write_policy(&f);
	printf("%ld rows, %ld units, %d threads\n", rows, rows / 20 + 1, THREADS);
	report("row", time_sotto(&f, "SELECT k, COUNT(*), SUM(x), AVG(x) FROM rows GROUP BY k"),
	       time_plain(&f, "SELECT k, count(*), sum(x), avg(x) FROM d.t GROUP BY k", false),
	       1.5);
	report("user",
	       time_sotto(&f, "SELECT k, COUNT(*), SUM(x), AVG(x) FROM users GROUP BY k"),
	       time_plain(&f,
			  "SELECT k, sum(least(n, 40)), sum(CASE WHEN n > 40 THEN s * 40 // n "
			  "ELSE s END) FROM "
			  "(SELECT id, k, count(*) AS n, sum(x) AS s FROM d.t GROUP BY id, k) "
			  "GROUP BY k",
			  false),
	       1.2);
	report("groups", time_sotto(&f, "SELECT g, COUNT(*), SUM(x) FROM rows GROUP BY g"),
	       time_plain(&f, "SELECT g, count(*), sum(x) FROM d.t GROUP BY g", false), 1.1);
	report("start", time_sotto(&f, "SELECT COUNT(*) FROM tiny"),
	       time_plain(&f, "SELECT count(*) FROM d.tiny", true), 3);
	folder_close(&f);
	return 0;
}
