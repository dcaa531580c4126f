/*
 * Maps from keys to units, and to numbers of units, that sealing stores: queries that read one say
 * what they say without it, and a map that is gone, damaged or of other data is not believed.
 * Epsilon is so large that the noise is none (below 1e-15 that it is 0.6 or more).
 */
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
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
	"    max_rows: 5\n    max_groups: 3\n    columns: {x: {bounds: [0, 100]}, ward: "
	"{keys: [a]}}\n";

/* Stay 4 is nobody's, 6 does not exist, and one drug has no stay; unit 10 has twelve drugs. */
#define DATA(first)                                                                            \
	"CREATE OR REPLACE TABLE stays(stay INTEGER, id INTEGER); INSERT INTO stays VALUES "   \
	"(1, " first "), (2, 10), (3, 20), (4, NULL), (5, 30); CREATE OR REPLACE TABLE "       \
	"drugs(stay INTEGER, x INTEGER, ward VARCHAR); INSERT INTO drugs SELECT 1, 10, 'a' "   \
	"FROM range(10) UNION ALL SELECT 2, 10, 'a' FROM range(2) UNION ALL VALUES (3, 50, "   \
	"'a'), (4, 7, 'a'), (5, 5, 'a'), (6, 9, 'a'), (NULL, 8, 'a')"

/* Without groups units only have to be told apart, so their numbers do. */
static const struct {
	const char *sql, *map;
} questions[] = {
	{"SELECT SUM(x) FROM drugs", "\"stays by stay to number of id\"()"},
	{"SELECT ward, SUM(x) FROM drugs GROUP BY ward", "\"stays by stay to id\"()"},
};

enum { QUESTIONS = 2 };

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

/* Both maps, in some order; false if there are others, or none. */
static bool find_maps(const struct clinic *c, char out[QUESTIONS][FOLDER_PATH_MAX])
{
	char pattern[FOLDER_PATH_MAX];
	glob_t found;
	bool are_two;

	folder_file(&c->folder, "sotto-sealed/*.owners", pattern);
	are_two = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == QUESTIONS;
	for (size_t i = 0; are_two && i < QUESTIONS; i++)
		(void)snprintf(out[i], FOLDER_PATH_MAX, "%s", found.gl_pathv[i]);
	globfree(&found);
	return are_two;
}

/* ---- asking --------------------------------------------------------------------------------- */

/* Without sealing before, unlike clinic_ask; NAN if there is no answer. */
static double ask(struct clinic *c, const char *sql, bool fresh)
{
	struct sotto_question q = {.sql = sql, .fresh = fresh};
	struct sotto_answer *a = NULL;
	struct sotto_rational e;
	double sum = NAN;

	sotto_rational_init(&e);
	if (sotto_rational_parse(&e, "40000", NULL) == SOTTO_OK)
		q.epsilon = &e;
	if (sotto_session_query(c->session, &q, &a, &c->err) == SOTTO_OK)
		sum = a->values[a->column_count - 1].number;
	else
		tap_note("%s", c->err.text);
	sotto_answer_free(a);
	sotto_rational_release(&e);
	return sum;
}

/* Whether the engine would read the stored map for a question; it makes one otherwise. */
static bool reads_map(struct clinic *c, size_t i)
{
	struct sotto_question q = {.sql = questions[i].sql};
	struct sotto_explanation *x = NULL;
	struct sotto_rational e;
	bool stored = false, made = true;

	sotto_rational_init(&e);
	if (sotto_rational_parse(&e, "1", NULL) == SOTTO_OK)
		q.epsilon = &e;
	if (sotto_session_explain(c->session, &q, &x, &c->err) == SOTTO_OK) {
		stored = strstr(x->engine_sql, questions[i].map) != NULL;
		made = strstr(x->engine_sql, "sotto_owners(") != NULL;
	}
	CHECK(stored != made);
	sotto_explanation_free(x);
	sotto_rational_release(&e);
	return stored;
}

static bool read_maps(struct clinic *c)
{
	return reads_map(c, 0) && reads_map(c, 1);
}

static bool make_maps(struct clinic *c)
{
	return !reads_map(c, 0) && !reads_map(c, 1);
}

/* 10 keeps 5 of 12 drugs, with their mean; 20 and 30 have one each. */
enum { SUM = 50 + 50 + 5, SUM_WITH_40 = 50 + 50 + 5 + 20 };

static void says(struct clinic *c, double sum)
{
	for (size_t i = 0; i < QUESTIONS; i++) {
		double x = ask(c, questions[i].sql, true);

		(void)tap_check(fabs(x - sum) < 0.6, __FILE__, __LINE__, "%g, not %g: %s", x,
				sum, questions[i].sql);
	}
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void queries_read_the_stored_maps(void)
{
	char paths[QUESTIONS][FOLDER_PATH_MAX];
	struct stat found;
	struct clinic c;

	REQUIRE(open_case(&c));
	REQUIRE(find_maps(&c, paths));
	for (size_t i = 0; i < QUESTIONS; i++)
		CHECK(stat(paths[i], &found) == 0 && (found.st_mode & 0777) == 0600);
	CHECK(read_maps(&c));
	says(&c, SUM);
	clinic_close(&c);
}

/* The answer that was paid for is found again. */
static void without_the_maps_a_query_says_the_same(void)
{
	char paths[QUESTIONS][FOLDER_PATH_MAX];
	double first[QUESTIONS];
	struct clinic c;

	REQUIRE(open_case(&c));
	REQUIRE(find_maps(&c, paths));
	for (size_t i = 0; i < QUESTIONS; i++)
		first[i] = ask(&c, questions[i].sql, false);
	CHECK(unlink(paths[0]) == 0 && unlink(paths[1]) == 0);
	CHECK(make_maps(&c));
	for (size_t i = 0; i < QUESTIONS; i++)
		CHECK(ask(&c, questions[i].sql, false) == first[i]);
	says(&c, SUM);
	clinic_seal(&c);
	CHECK(find_maps(&c, paths));
	CHECK(read_maps(&c));
	says(&c, SUM);
	clinic_close(&c);
}

/* Behind the head, 64 slots and the head of the one block: the unit of stay 1, or its number. */
enum { OWNER_OF_1 = 64 + 64 * 8 + 24 };

/* Gives stay 1 to somebody who has nothing else, and leaves size and times. */
static bool give_away(const char *path)
{
	const int32_t other = 40;
	int32_t owner = 0;
	struct stat old;
	bool done;
	int f = open(path, O_RDWR);

	if (f < 0 || fstat(f, &old) != 0)
		return false;
	done = pread(f, &owner, sizeof owner, OWNER_OF_1) == sizeof owner &&
	       (owner == 10 || (owner >= 0 && owner < 3)) &&
	       pwrite(f, &other, sizeof other, OWNER_OF_1) == sizeof other &&
	       futimens(f, (const struct timespec[]){old.st_atim, old.st_mtim}) == 0;
	return close(f) == 0 && done;
}

static void maps_that_were_changed_are_not_believed(void)
{
	char paths[QUESTIONS][FOLDER_PATH_MAX];
	struct clinic c;

	REQUIRE(open_case(&c));
	CHECK(read_maps(&c));
	REQUIRE(find_maps(&c, paths) && give_away(paths[0]) && give_away(paths[1]));
	CHECK(make_maps(&c)); /* in a session that has used them */
	says(&c, SUM);
	REQUIRE(clinic_reopen(&c));
	CHECK(make_maps(&c)); /* and in a new one */
	says(&c, SUM);
	clinic_seal(&c);
	CHECK(read_maps(&c));
	says(&c, SUM);
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
static void maps_of_older_data_are_not_believed(void)
{
	char first[QUESTIONS][FOLDER_PATH_MAX], paths[QUESTIONS][FOLDER_PATH_MAX],
		old[QUESTIONS][FOLDER_PATH_MAX];
	struct clinic c;

	REQUIRE(open_case(&c));
	REQUIRE(find_maps(&c, first));
	for (size_t i = 0; i < QUESTIONS; i++) {
		folder_file(&c.folder, i ? "old-1" : "old-0", old[i]);
		CHECK(copy_file(first[i], old[i]));
	}
	REQUIRE(make_data(&c, DATA("40")));
	CHECK(isnan(ask(&c, questions[0].sql, true))); /* it is not what was sealed */
	clinic_seal(&c);
	REQUIRE(find_maps(&c, paths));
	CHECK(access(first[0], F_OK) != 0 && access(first[1], F_OK) != 0); /* swept away */
	CHECK(read_maps(&c));
	says(&c, SUM_WITH_40);
	for (size_t i = 0; i < QUESTIONS; i++) /* whichever is in the place of which */
		CHECK(copy_file(old[i], paths[i]));
	CHECK(make_maps(&c));
	says(&c, SUM_WITH_40);
	clinic_close(&c);
}

/* A policy without a table that finds its units there: as in folders that were sealed before. */
static void tables_that_were_sealed_without_maps_are_read(void)
{
	static const char alone[] =
		"ledger: ledger.db\nbudget: {epsilon: 1000000000}\ntables:\n"
		"  stays: {source: p.duckdb, unit: id, columns: {stay: {unique: true}}}\n";
	char paths[QUESTIONS][FOLDER_PATH_MAX], manifest[FOLDER_PATH_MAX];
	struct clinic c;

	REQUIRE(clinic_open(&c, alone, NULL) && make_data(&c, DATA("10")));
	clinic_seal(&c);
	folder_file(&c.folder, "sotto-sealed/manifest.json", manifest);
	CHECK(access(manifest, F_OK) == 0 && !find_maps(&c, paths));
	CHECK(clinic_write(&c, "sotto.yaml", policy));
	clinic_seal(&c); /* stays is kept, drugs is new */
	CHECK(find_maps(&c, paths));
	REQUIRE(clinic_reopen(&c));
	CHECK(read_maps(&c));
	says(&c, SUM);
	clinic_close(&c);
}

int main(void)
{
	RUN(queries_read_the_stored_maps);
	RUN(without_the_maps_a_query_says_the_same);
	RUN(maps_that_were_changed_are_not_believed);
	RUN(maps_of_older_data_are_not_believed);
	RUN(tables_that_were_sealed_without_maps_are_read);
	return tap_done();
}
