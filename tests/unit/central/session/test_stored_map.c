/*
 * Maps from keys to units that sealing stores: queries that read one say what they say without
 * it, and a map that is gone, damaged or of other data is not believed.  Epsilon is so large that
 * the noise is none (below 1e-15 that it is 0.6 or more).
 */
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/engine/engine.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000000000}\ntables:\n"
	"  stays: {source: p.duckdb, unit: id, columns: {stay: {unique: true}}}\n"
	"  drugs:\n    source: p.duckdb\n"
	"    unit: {column: id, via: drugs.stay -> stays.stay}\n"
	"    max_rows: 5\n    max_groups: 3\n    columns: {x: {bounds: [0, 100]}}\n";

/* Stay 4 is nobody's, 6 does not exist, and one drug has no stay; unit 10 has twelve drugs. */
#define DATA(first)                                                                            \
	"CREATE OR REPLACE TABLE stays(stay INTEGER, id INTEGER); INSERT INTO stays VALUES "   \
	"(1, " first "), (2, 10), (3, 20), (4, NULL), (5, 30); CREATE OR REPLACE TABLE "       \
	"drugs(stay INTEGER, x INTEGER); INSERT INTO drugs SELECT 1, 10 FROM range(10) UNION " \
	"ALL SELECT 2, 10 FROM range(2) UNION ALL VALUES (3, 50), (4, 7), (5, 5), (6, 9), "    \
	"(NULL, 8)"

static const char question[] = "SELECT SUM(x) FROM drugs";

/* ---- the data ------------------------------------------------------------------------------- */

static bool make_data(struct clinic *c, const char *sql)
{
	char path[FOLDER_PATH_MAX], attach[FOLDER_PATH_MAX + 40];
	struct sotto_engine *e;
	bool done;

	if (sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1}, &e,
				     &c->err) != SOTTO_OK)
		return false;
	folder_file(&c->folder, "p.duckdb", path);
	(void)snprintf(attach, sizeof attach, "ATTACH '%s' AS f; USE f", path);
	done = sotto_engine_execute(e, attach) == SOTTO_OK &&
	       sotto_engine_execute(e, sql) == SOTTO_OK &&
	       sotto_engine_execute(e, "CHECKPOINT f") == SOTTO_OK;
	if (!done)
		tap_note("%s", sotto_engine_detail(e));
	sotto_engine_close(e);
	return done;
}

static bool open_case(struct clinic *c)
{
	return clinic_open(c, policy, NULL) && make_data(c, DATA("10")) &&
	       (clinic_seal(c), clinic_reopen(c));
}

/* The one file of that kind in the folder of sealed things; false if there is none, or several. */
static bool find_map(const struct clinic *c, char out[FOLDER_PATH_MAX])
{
	char pattern[FOLDER_PATH_MAX];
	glob_t found;
	bool is_one;

	folder_file(&c->folder, "sotto-sealed/*.owners", pattern);
	is_one = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1;
	if (is_one)
		(void)snprintf(out, FOLDER_PATH_MAX, "%s", found.gl_pathv[0]);
	globfree(&found);
	return is_one;
}

/* ---- asking --------------------------------------------------------------------------------- */

/* Without sealing before, unlike clinic_ask; NAN if there is no answer. */
static double ask(struct clinic *c, bool fresh)
{
	struct sotto_question q = {.sql = question, .fresh = fresh};
	struct sotto_answer *a = NULL;
	struct sotto_rational e;
	double sum = NAN;

	sotto_rational_init(&e);
	if (sotto_rational_parse(&e, "40000", NULL) == SOTTO_OK)
		q.epsilon = &e;
	if (sotto_session_query(c->session, &q, &a, &c->err) == SOTTO_OK)
		sum = a->values[0].number;
	else
		tap_note("%s", c->err.text);
	sotto_answer_free(a);
	sotto_rational_release(&e);
	return sum;
}

/* Whether the engine would read the stored map; it makes one otherwise. */
static bool is_stored(struct clinic *c)
{
	struct sotto_question q = {.sql = question};
	struct sotto_explanation *x = NULL;
	struct sotto_rational e;
	bool stored = false, made = true;

	sotto_rational_init(&e);
	if (sotto_rational_parse(&e, "1", NULL) == SOTTO_OK)
		q.epsilon = &e;
	if (sotto_session_explain(c->session, &q, &x, &c->err) == SOTTO_OK) {
		stored = strstr(x->engine_sql, "\"stays by stay to id\"()") != NULL;
		made = strstr(x->engine_sql, "sotto_owners(") != NULL;
	}
	CHECK(stored != made);
	sotto_explanation_free(x);
	sotto_rational_release(&e);
	return stored;
}

/* 10 keeps 5 of 12 drugs, with their mean; 20 and 30 have one each. */
enum { SUM = 50 + 50 + 5, SUM_WITHOUT_10 = 50 + 50 + 5 + 20 };

static bool says(struct clinic *c, double sum)
{
	double x = ask(c, true);

	return tap_check(fabs(x - sum) < 0.6, __FILE__, __LINE__, "%g, not %g", x, sum);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void a_query_reads_the_stored_map(void)
{
	char path[FOLDER_PATH_MAX];
	struct stat found;
	struct clinic c;

	REQUIRE(open_case(&c));
	REQUIRE(find_map(&c, path));
	CHECK(stat(path, &found) == 0 && (found.st_mode & 0777) == 0600);
	CHECK(is_stored(&c));
	(void)says(&c, SUM);
	clinic_close(&c);
}

/* The answer that was paid for is found again. */
static void without_the_map_a_query_says_the_same(void)
{
	char path[FOLDER_PATH_MAX];
	struct clinic c;
	double first;

	REQUIRE(open_case(&c));
	REQUIRE(find_map(&c, path));
	first = ask(&c, false);
	CHECK(unlink(path) == 0);
	CHECK(!is_stored(&c));
	CHECK(ask(&c, false) == first);
	(void)says(&c, SUM);
	clinic_seal(&c);
	CHECK(find_map(&c, path));
	CHECK(is_stored(&c));
	(void)says(&c, SUM);
	clinic_close(&c);
}

/* Exchanges each number 10 of 4 bytes, which is a unit, for 40, and leaves size and times. */
static bool give_away(const char *path)
{
	static char bytes[1 << 16];
	struct stat old;
	bool any = false, done;
	size_t n;
	FILE *f = fopen(path, "r+");

	if (!f || fstat(fileno(f), &old) != 0)
		return false;
	n = fread(bytes, 1, sizeof bytes, f);
	for (size_t i = 64; i + 4 <= n; i += 4) {
		int32_t unit;

		memcpy(&unit, bytes + i, sizeof unit);
		if (unit != 10)
			continue;
		unit = 40;
		memcpy(bytes + i, &unit, sizeof unit);
		any = true;
		break; /* of stay 1: its drugs would be another unit's */
	}
	rewind(f);
	done = fwrite(bytes, 1, n, f) == n && fflush(f) == 0 &&
	       futimens(fileno(f), (const struct timespec[]){old.st_atim, old.st_mtim}) == 0;
	return fclose(f) == 0 && done && any;
}

static void a_map_that_was_changed_is_not_believed(void)
{
	char path[FOLDER_PATH_MAX];
	struct clinic c;

	REQUIRE(open_case(&c));
	CHECK(is_stored(&c));
	REQUIRE(find_map(&c, path) && give_away(path));
	CHECK(!is_stored(&c)); /* in a session that has used it */
	(void)says(&c, SUM);
	REQUIRE(clinic_reopen(&c));
	CHECK(!is_stored(&c)); /* and in a new one */
	(void)says(&c, SUM);
	clinic_seal(&c);
	CHECK(is_stored(&c));
	(void)says(&c, SUM);
	clinic_close(&c);
}

static bool copy_file(const char *from, const char *to)
{
	static char bytes[1 << 16];
	FILE *in = fopen(from, "r"), *out = fopen(to, "w");
	size_t n = in ? fread(bytes, 1, sizeof bytes, in) : 0;
	bool done = out && n > 0 && fwrite(bytes, 1, n, out) == n;

	if (in)
		(void)fclose(in);
	return out && fclose(out) == 0 && done;
}

/* Stay 1 belongs to 40 now: 10 keeps its two drugs, and 40 keeps 5 of 10. */
static void a_map_of_older_data_is_not_believed(void)
{
	char path[FOLDER_PATH_MAX], old[FOLDER_PATH_MAX], first[FOLDER_PATH_MAX];
	struct clinic c;

	REQUIRE(open_case(&c));
	REQUIRE(find_map(&c, first));
	folder_file(&c.folder, "old", old);
	CHECK(copy_file(first, old));
	REQUIRE(make_data(&c, DATA("40")));
	CHECK(isnan(ask(&c, true))); /* the table is not what was sealed */
	clinic_seal(&c);
	REQUIRE(find_map(&c, path));
	CHECK(strcmp(path, first) != 0); /* the old one is swept away */
	CHECK(is_stored(&c));
	(void)says(&c, SUM_WITHOUT_10);
	CHECK(copy_file(old, path));
	CHECK(!is_stored(&c));
	(void)says(&c, SUM_WITHOUT_10);
	clinic_close(&c);
}

/* A policy without a table that finds its units there: as in folders that were sealed before. */
static void tables_that_were_sealed_without_a_map_are_read(void)
{
	static const char alone[] =
		"ledger: ledger.db\nbudget: {epsilon: 1000000000}\ntables:\n"
		"  stays: {source: p.duckdb, unit: id, columns: {stay: {unique: true}}}\n";
	char path[FOLDER_PATH_MAX], manifest[FOLDER_PATH_MAX];
	struct clinic c;

	REQUIRE(clinic_open(&c, alone, NULL) && make_data(&c, DATA("10")));
	clinic_seal(&c);
	folder_file(&c.folder, "sotto-sealed/manifest.json", manifest);
	CHECK(access(manifest, F_OK) == 0 && !find_map(&c, path));
	CHECK(clinic_write(&c, "sotto.yaml", policy));
	clinic_seal(&c); /* stays is kept, drugs is new */
	CHECK(find_map(&c, path));
	REQUIRE(clinic_reopen(&c));
	CHECK(is_stored(&c));
	(void)says(&c, SUM);
	clinic_close(&c);
}

int main(void)
{
	RUN(a_query_reads_the_stored_map);
	RUN(without_the_map_a_query_says_the_same);
	RUN(a_map_that_was_changed_is_not_believed);
	RUN(a_map_of_older_data_is_not_believed);
	RUN(tables_that_were_sealed_without_a_map_are_read);
	return tap_done();
}
