/*
 * Sealing a CSV file, and asking what was sealed, against DuckDB's own reading of the
 * text; whole processes (race.h).
 *
 *   seal    sotto seal, against COPY of read_csv to Parquet, all columns as text
 *   query   sotto query on what was sealed, against the plain query on the text
 *
 * SOTTO_BENCH_ROWS sets the number of rows (5 000 000).
 */
#include "race.h"

static void make_data(const char *path, long rows)
{
	struct sotto_embedded *e = race_engine();
	char sql[1024];

	(void)snprintf(
		sql, sizeof sql,
		"COPY (SELECT i AS id, 'k' || hash(i, 1) %% 50 AS k, hash(i, 3) %% 1000 AS "
		"x, 'note \"' || i || '\", and more' AS note, DATE '2020-01-01' + CAST(i %% "
		"1000 AS INTEGER) AS day FROM range(%ld) AS r(i)) TO '%s' (HEADER)",
		rows, path);
	race_execute(e, sql);
	sotto_embedded_close(e);
}

static void write_policy(const char *path, const char *name)
{
	FILE *out = fopen(path, "w");

	if (!out)
		race_stop("policy", path);
	fprintf(out,
		"ledger: ledger-seal.db\nbudget: {epsilon: 1000000}\nsealed: sealed-bench\n"
		"tables:\n  t:\n    source: %s\n    unit: row\n    columns:\n"
		"      x: {type: integer, bounds: [0, 1000], nullable: false}\n      k: {keys: "
		"[k0",
		name);
	for (int i = 1; i < 50; i++)
		fprintf(out, ", k%d", i);
	fprintf(out, "]}\n");
	if (fclose(out) != 0)
		race_stop("policy", path);
}

static void row(const char *what, struct race_time ours, struct race_time theirs, double bytes)
{
	printf("%-8s %9.3f s %9.3f s %8.2f %8.2f", what, ours.clock, theirs.clock,
	       ours.clock / theirs.clock, ours.cpu / theirs.cpu);
	if (bytes > 0)
		printf("   %.0f MB/s against %.0f MB/s", bytes / 1e6 / ours.clock,
		       bytes / 1e6 / theirs.clock);
	printf("\n");
}

/* The copy is removed before each round: what is sealed is not read again. */
static void race_sealing(const char *policy, const char *text, double bytes)
{
	char sql[3 * RACE_PATH], folder[RACE_PATH], manifest[RACE_PATH], copy[RACE_PATH];
	const char *theirs[] = {"/proc/self/exe", "-", sql, NULL};
	struct race_time a = {.clock = INFINITY, .cpu = INFINITY}, b = a;

	race_file("sealed-bench", folder);
	race_file("sealed-bench/manifest.json", manifest);
	race_file("duckdb.parquet", copy);
	(void)snprintf(
		sql, sizeof sql,
		"SET preserve_insertion_order = false; COPY (SELECT * FROM read_csv('%s', "
		"all_varchar = true)) TO '%s' (FORMAT parquet)",
		text, copy);
	for (int i = 0; i < RACE_ROUNDS; i++) {
		(void)unlink(manifest);
		race_keep(&a, race_seal(policy));
		race_keep(&b, race_run(theirs));
	}
	(void)unlink(copy);
	row("seal", a, b, bytes);
}

static void race_asking(const char *policy, const char *text)
{
	char sql[2 * RACE_PATH];
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
	const char *theirs[] = {"/proc/self/exe", "-", sql, NULL};
	struct race_time a = {.clock = INFINITY, .cpu = INFINITY}, b = a;

	(void)snprintf(
		sql, sizeof sql,
		"SELECT k, count(*), sum(x), avg(x) FROM (SELECT k, TRY_CAST(x AS BIGINT) "
		"AS x FROM read_csv('%s', all_varchar = true)) GROUP BY k",
		text);
	for (int i = 0; i < RACE_ROUNDS; i++) {
		race_keep(&a, race_run(ours));
		race_keep(&b, race_run(theirs));
	}
	row("query", a, b, 0);
}

int main(int argc, char **argv)
{
	const char *wish = getenv("SOTTO_BENCH_ROWS");
	long rows = wish ? strtol(wish, NULL, 10) : 5000000;
	char name[64], text[RACE_PATH], policy[RACE_PATH];
	struct stat found;

	if (argc == 3) {
		struct sotto_embedded *e = race_engine();

		race_execute(e, argv[2]);
		sotto_embedded_close(e);
		return 0;
	}
	(void)snprintf(name, sizeof name, "seal-%ld.csv", rows);
	race_file(name, text);
	race_file("seal.yaml", policy);
	if (access(text, F_OK) != 0)
		make_data(text, rows);
	if (stat(text, &found) != 0)
		race_stop("data", text);
	write_policy(policy, name);
	printf("Sealing: %ld rows, %.0f MB of CSV; whole processes, best of %d\n", rows,
	       (double)found.st_size / 1e6, RACE_ROUNDS);
	printf("%-8s %11s %11s %8s %8s\n", "", "sotto", "DuckDB", "ratio", "of CPU");
	race_sealing(policy, text, (double)found.st_size);
	race_asking(policy, text);
	return 0;
}
