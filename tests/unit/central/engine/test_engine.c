/* The engine: nothing is spilled, nothing is read but what was allowed, keys stay apart. */
#include "central/engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "testlib/folder.h"
#include "testlib/tap.h"

static struct sotto_engine *open_engine(void)
{
	struct sotto_engine *e = NULL;
	struct sotto_error err = {""};

	if (sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 2}, &e,
				     &err) != SOTTO_OK)
		tap_note("%s", err.text);
	return e;
}

static bool says(struct sotto_engine *e, const char *sql, const char *text)
{
	struct sotto_engine_result *r = NULL;
	bool same = false;

	if (sotto_engine_run(e, sql, &r) == SOTTO_OK && sotto_engine_rows(r) == 1) {
		struct sotto_engine_cell cell = sotto_engine_cell(r, 0, 0);

		same = cell.kind == SOTTO_ENGINE_TEXT && strcmp(cell.text, text) == 0;
		if (!same)
			tap_note("%s", cell.kind == SOTTO_ENGINE_TEXT ? cell.text : "no text");
	}
	sotto_engine_result_free(r);
	return same;
}

static size_t count_files(const struct folder *f)
{
	char command[FOLDER_PATH_MAX + 64];
	size_t n = 0;
	FILE *p;

	(void)snprintf(command, sizeof command, "find '%s' -type f | wc -l", f->path);
	p = popen(command, "re");
	if (!p || fscanf(p, "%zu", &n) != 1)
		n = SIZE_MAX;
	if (p)
		(void)pclose(p);
	return n;
}

/* Sorting more than the memory allows would spill, if there were where to. */
static const char too_large[] =
	"SELECT max(x) FROM (SELECT hash(range) AS x, 'text ' || range AS y, row_number() OVER "
	"(ORDER BY hash(range), 'text ' || range) AS z FROM range(3000000))";

static void what_does_not_fit_into_memory_fails_and_is_not_written_to_disk(void)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_engine *e = open_engine();
	struct folder f;

	folder_open(&f);
	REQUIRE(e && chdir(f.path) == 0);
	CHECK(says(e, "SELECT current_setting('temp_directory')", ""));
	REQUIRE(sotto_engine_execute(e, "SET memory_limit = '30MB'") == SOTTO_OK);
	CHECK(sotto_engine_run(e, too_large, &r) == SOTTO_EIO);
	CHECK_INT(count_files(&f), 0);
	sotto_engine_close(e);
	CHECK_INT(count_files(&f), 0);
	REQUIRE(chdir("/") == 0);
	folder_close(&f);
}

static void a_locked_engine_reads_what_it_may_and_keeps_its_settings(void)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_engine *e = open_engine();
	char allowed[FOLDER_PATH_MAX], other[FOLDER_PATH_MAX], sql[FOLDER_PATH_MAX + 128];
	const char *paths[] = {allowed};
	struct folder f;

	folder_open(&f);
	folder_file(&f, "allowed.csv", allowed);
	folder_file(&f, "other.csv", other);
	REQUIRE(e);
	(void)snprintf(sql, sizeof sql, "COPY (SELECT 'word' AS x) TO '%s'", allowed);
	REQUIRE(sotto_engine_execute(e, sql) == SOTTO_OK);
	(void)snprintf(sql, sizeof sql, "COPY (SELECT 'other' AS x) TO '%s'", other);
	REQUIRE(sotto_engine_execute(e, sql) == SOTTO_OK);
	REQUIRE(sotto_engine_lock(e, paths, 1, NULL, 0) == SOTTO_OK);
	(void)snprintf(sql, sizeof sql, "SELECT x FROM read_csv('%s')", allowed);
	CHECK(says(e, sql, "word"));
	(void)snprintf(sql, sizeof sql, "SELECT x FROM read_csv('%s')", other);
	CHECK(sotto_engine_run(e, sql, &r) == SOTTO_EIO);
	(void)snprintf(sql, sizeof sql, "COPY (SELECT 1) TO '%s.out'", other);
	CHECK(sotto_engine_execute(e, sql) == SOTTO_EIO);
	CHECK(sotto_engine_execute(e, "SET temp_directory = '/tmp'") == SOTTO_EIO);
	CHECK(sotto_engine_execute(e, "SET enable_external_access = true") == SOTTO_EIO);
	sotto_engine_close(e);
	folder_close(&f);
}

static void a_text_with_a_nul_in_it_keeps_its_end(void)
{
	struct sotto_engine *e = open_engine();

	REQUIRE(e);
	CHECK(says(e, "SELECT 'a' || chr(0) || 'b'",
		   "a\xe2\x90\x80"
		   "b"));
	CHECK(says(e, "SELECT chr(0)", "\xe2\x90\x80"));
	CHECK(says(e, "SELECT ''", ""));
	sotto_engine_close(e);
}

static void a_sum_past_64_bits_is_held_at_its_end(void)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_engine *e = open_engine();

	REQUIRE(e);
	REQUIRE(sotto_engine_run(
			e,
			"SELECT CAST('170141183460469231731687303715884105727' AS HUGEINT), "
			"CAST('-170141183460469231731687303715884105727' AS HUGEINT), "
			"CAST(NULL AS HUGEINT), CAST(-5 AS HUGEINT)",
			&r) == SOTTO_OK);
	CHECK(sotto_engine_exact(r, 0, 0).secret == (int64_t)1 << 62);
	CHECK(sotto_engine_exact(r, 0, 1).secret == -((int64_t)1 << 62));
	CHECK(sotto_engine_exact(r, 0, 2).secret == 0);
	CHECK(sotto_engine_exact(r, 0, 3).secret == -5);
	sotto_engine_result_free(r);
	sotto_engine_close(e);
}

int main(void)
{
	RUN(what_does_not_fit_into_memory_fails_and_is_not_written_to_disk);
	RUN(a_locked_engine_reads_what_it_may_and_keeps_its_settings);
	RUN(a_text_with_a_nul_in_it_keeps_its_end);
	RUN(a_sum_past_64_bits_is_held_at_its_end);
	return tap_done();
}
