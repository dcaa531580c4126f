/*
 * One long text cannot keep the engine busy, whatever pattern is looked for in it: the engine makes
 * its own search of some patterns (LIKE over a column with a collation, and regular expressions of
 * characters and .* alone), and that search tries all ways to divide the text.
 *
 * A search that goes back would take longer than the limit by many powers of ten; one that does not
 * takes milliseconds.  So there is no clock in this: what is not answered went back.
 *
 * Seen to fail: with LIKE for several %, and with a regular expression that stands without brackets.
 */
#include <stdio.h>
#include <string.h>

#include "central/engine/engine.h"
#include "testlib/chance.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

enum { PATTERNS = 12, PARTS = 9, TIMES = 190 };

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 0\n"
	"time: {limit: 15s}\n"
	"tables:\n  text: { source: visits.csv, unit: id }\n"
	"  typed: { source: visits.parquet, unit: id }\n";

/* Texts of a file that has types have a collation. */
static const char *const tables[] = {"text", "typed"};

/* How a pattern of parts is asked for: what joins them, and what stands around them. */
static const struct form {
	const char *before, *joint, *after;
} forms[] = {
	{"note LIKE '%", "%", "z%'"},
	{"note NOT LIKE '%", "%", "z%'"},
	{"upper(note) LIKE '", "%", "z'"},
	{"note ILIKE '%", "%", "z'"},
	{"note LIKE '%", "%_", "_z'"},
	{"note LIKE '%", "%", "!%z%' ESCAPE '!'"},
	{"note LIKE ANY ('%", "%", "z%', 'y')"},
	{"note SIMILAR TO '%", "%", "z%'"},
	{"note SIMILAR TO '", "%_%", "z'"},
	{"note ~ '", ".*", "z'"},
	{"note !~ '", ".*?", "z'"},
	{"note ~ '^.*", ".*", "z$'"},
	{"note ~ '(?:", ".*.", "z)'"},
	{"note ~* '", ".*", "z'"},
	{"regexp_matches(note || 'x', '", "(?:.*)", "z')"},
};

static void write_question(struct chance *c, const struct form *f, const char *table, char *out,
			   size_t size)
{
	int n = snprintf(out, size, "SELECT COUNT(*) FROM %s WHERE %s", table, f->before);

	for (int i = 0; i < PARTS; i++)
		n += snprintf(out + n, size - (size_t)n, "%c%s",
			      (f->before[0] == 'u' ? 'A' : 'a') + (int)chance_below(c, 8),
			      f->joint);
	(void)snprintf(out + n, size - (size_t)n, "%s", f->after);
}

static bool write_parquet(const char *path)
{
	const struct sotto_engine_limits limits = {.threads = 1};
	struct sotto_engine_result *r = NULL;
	struct sotto_engine *engine = NULL;
	struct sotto_error err;
	char sql[FOLDER_PATH_MAX + 200];
	bool ok;

	if (sotto_engine_open_within(&limits, &engine, &err) != SOTTO_OK)
		return false;
	(void)snprintf(sql, sizeof sql,
		       "COPY (SELECT 1 AS id, repeat('abcdefgh', %d) AS note UNION ALL "
		       "SELECT 2, 'short') TO '%s'",
		       TIMES, path);
	ok = sotto_engine_run(engine, sql, &r) == SOTTO_OK;
	sotto_engine_result_free(r);
	sotto_engine_close(engine);
	return ok;
}

static bool write_sources(struct clinic *c)
{
	static char csv[8 * TIMES + 64];
	char path[FOLDER_PATH_MAX];
	int n = snprintf(csv, sizeof csv, "id,note\n2,short\n1,");

	for (int i = 0; i < TIMES; i++)
		n += snprintf(csv + n, sizeof csv - (size_t)n, "abcdefgh");
	(void)snprintf(csv + n, sizeof csv - (size_t)n, "\n");
	folder_file(&c->folder, "visits.parquet", path);
	if (!clinic_write(c, "visits.csv", csv) || !write_parquet(path) ||
	    !clinic_write(c, "sotto.yaml", policy))
		return false;
	clinic_seal(c);
	return clinic_reopen(c);
}

static bool is_answered(struct clinic *c, const char *sql)
{
	struct sotto_answer *a = clinic_ask(c, sql, "0.5", NULL, true);
	bool ok = tap_check(a != NULL, __FILE__, __LINE__, "%s: %s", sql, c->err.text);

	sotto_answer_free(a);
	return ok;
}

/* The first that is not answered ends the test: each takes as long as the limit. */
static void no_pattern_goes_back_in_a_long_text(void)
{
	struct chance chance = {20261119};
	struct clinic c;
	char sql[512];
	bool ok = true;

	REQUIRE(clinic_open(&c, NULL, NULL));
	REQUIRE(write_sources(&c));
	for (size_t f = 0; ok && f < sizeof forms / sizeof forms[0]; f++)
		for (int i = 0; ok && i < PATTERNS; i++) {
			write_question(&chance, &forms[f], tables[i % 2], sql, sizeof sql);
			ok = is_answered(&c, sql);
		}
	clinic_close(&c);
}

int main(void)
{
	RUN(no_pattern_goes_back_in_a_long_text);
	return tap_done();
}
