/*
 * sotto query against DuckDB itself: same engine, same threads, same file.
 *
 *   row        unit: row, 50 keys, COUNT + SUM + AVG, against the plain query
 *   user       unit: column, against the hand-written two-level aggregate
 *   groups     10 000 public groups, against the plain query
 *   start      a tiny table, against opening DuckDB and one query
 *
 * Both sides are whole processes that load the engine, open the file, run one query
 * and end; sotto also plans, charges its ledger (two syncs of the disk), draws noise
 * and prints.  Best of five.  SOTTO_BENCH_ROWS sets the number of rows (20 000 000).
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/engine.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

enum { ROUNDS = 5, THREADS = 2 };

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

/* One question: its policy has no more than it needs. */
struct question {
	const char *name;
	const char *table, *unit, *key; /* key may be NULL */
	int keys;
	const char *sql; /* over the table t */
	const char *plain; /* over d.TABLE */
	double limit;
};

static const struct question questions[] = {
	{"row", "t", "row", "k", 50, "SELECT k, COUNT(*), SUM(x), AVG(x) FROM t GROUP BY k",
	 "SELECT k, count(*), sum(x), avg(x) FROM d.t GROUP BY k", 1.5},
	{"user", "t", "id", "k", 50, "SELECT k, COUNT(*), SUM(x), AVG(x) FROM t GROUP BY k",
	 "SELECT k, sum(least(n, 40)), sum(CASE WHEN n > 40 THEN s * 40 // n ELSE s END) FROM "
	 "(SELECT id, k, count(*) AS n, sum(x) AS s FROM d.t GROUP BY id, k) GROUP BY k",
	 1.2},
	{"groups", "t", "row", "g", 10000, "SELECT g, COUNT(*), SUM(x) FROM t GROUP BY g",
	 "SELECT g, count(*), sum(x) FROM d.t GROUP BY g", 1.1},
	{"start", "tiny", "row", NULL, 0, "SELECT COUNT(*) FROM t",
	 "SELECT count(*) FROM d.tiny", 3},
};

static void write_policy(const struct folder *f, const struct question *q)
{
	char path[FOLDER_PATH_MAX];
	FILE *out;

	folder_file(f, "sotto.yaml", path);
	out = fopen(path, "w");
	if (!out)
		stop("policy", path);
	fprintf(out,
		"ledger: ledger-%s.db\nbudget: {epsilon: 1000}\ntables:\n"
		"  t:\n    source: data.duckdb\n    table: %s\n    unit: %s\n    max_groups: "
		"50\n"
		"    max_rows: 40\n    columns:\n      x: {bounds: [0, 1000], nullable: "
		"false}\n",
		q->name, q->table, q->unit);
	if (q->key)
		write_keys(out, q->key, q->keys);
	if (fclose(out) != 0)
		stop("policy", path);
}

/* Seconds of one whole process, the best of some. */
static double time_process(char *const *arguments)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now();
		int status = 1;
		pid_t pid;

		(void)fflush(stdout);
		pid = fork();
		if (pid == 0) {
			if (freopen("/dev/null", "w", stdout))
				execv(arguments[0], arguments);
			_exit(1);
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
			stop("a process failed", arguments[0]);
		if (now() - start < best)
			best = now() - start;
	}
	return best;
}

static double time_sotto(const struct folder *f, const struct question *q)
{
	const char *program = getenv("SOTTO") ? getenv("SOTTO") : "build/sotto";
	char policy[FOLDER_PATH_MAX];
	const char *arguments[] = {program, "query",     "--fresh", "--epsilon",
				   "1",     "--threads", "2",       "--policy",
				   policy,  q->sql,      NULL};

	folder_file(f, "sotto.yaml", policy);
	return time_process((char *const *)arguments);
}

static double time_plain(const struct folder *f, const struct question *q)
{
	char path[FOLDER_PATH_MAX];
	const char *arguments[] = {"/proc/self/exe", path, q->plain, NULL};

	folder_file(f, "data.duckdb", path);
	return time_process((char *const *)arguments);
}

/* What the plain side's process does. */
static int run_plain(const char *path, const char *sql)
{
	char attach[FOLDER_PATH_MAX + 64];
	struct sotto_engine *e = open_engine();

	(void)snprintf(attach, sizeof attach, "ATTACH '%s' AS d (READ_ONLY)", path);
	execute(e, attach);
	execute(e, sql);
	sotto_engine_close(e);
	return 0;
}

static void ask(const struct folder *f, const struct question *q)
{
	double sotto, plain;

	write_policy(f, q);
	sotto = time_sotto(f, q);
	plain = time_plain(f, q);
	printf("%-8s %9.3f s %9.3f s %8.2f %8.2f\n", q->name, sotto, plain, sotto / plain,
	       q->limit);
}

int main(int argc, char **argv)
{
	const char *wish = getenv("SOTTO_BENCH_ROWS");
	long rows = wish ? strtol(wish, NULL, 10) : 20000000;
	struct folder f;

	if (argc == 3)
		return run_plain(argv[1], argv[2]);
	folder_open(&f);
	make_data(&f, rows);
	printf("SQL answers: %ld rows, %ld units, %d threads\n", rows, rows / 20 + 1, THREADS);
	printf("%-8s %11s %11s %8s %8s\n", "query", "sotto", "DuckDB", "ratio", "at most");
	for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
		ask(&f, &questions[i]);
	folder_close(&f);
	return 0;
}
