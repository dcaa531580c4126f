/*
 * Sealed tables, through the engine: with one record replaced by anything, the tables
 * differ in one row, and nothing fails.
 */
#include <stdlib.h>

#include "central/engine/engine.h"
#include "sotto/owner.h"
#include "testlib/effort.h"
#include "testlib/folder.h"
#include "testlib/fixture/record_world.h"
#include "testlib/tap.h"

static const char *const sources[] = {
	[RECORD_CSV] = "t.csv",
	[RECORD_JSON_LINES] = "t.ndjson",
	[RECORD_JSON_ARRAY] = "t.json",
	[RECORD_JSON_PRETTY] = "t.json",
	[RECORD_JSON_ONE_LINE] = "t.json",
};

struct side {
	struct folder folder;
	enum sotto_status status;
	bool is_refused;
	uint64_t records;
	struct sotto_error err;
};

static void write_policy(const struct folder *f, const char *source, size_t columns)
{
	char path[FOLDER_PATH_MAX];
	FILE *out;

	folder_file(f, "sotto.yaml", path);
	out = fopen(path, "w");
	if (!out)
		abort();
	fprintf(out,
		"budget: {epsilon: 1}\ntables:\n  t:\n    source: %s\n    unit: row\n    "
		"columns:\n",
		source);
	for (size_t i = 0; i < columns; i++)
		fprintf(out, "      c%zu: {type: text}\n", i);
	(void)fclose(out);
}

static void seal_side(struct side *s)
{
	const struct sotto_seal_options options = {.drop_malformed = true};
	struct sotto_seal_report *report = NULL;
	char path[FOLDER_PATH_MAX];

	folder_file(&s->folder, "sotto.yaml", path);
	s->status = sotto_policy_seal(path, &options, &report, &s->err);
	if (s->status != SOTTO_OK)
		return;
	s->is_refused = report->refused > 0;
	s->records = report->tables[0].records;
	sotto_seal_report_free(report);
}

/* Rows of x's copy that y's has not, counted by the engine; -1 if it fails. */
static int64_t without(struct sotto_engine *e, const struct side *x, const struct side *y)
{
	struct sotto_engine_result *r = NULL;
	char sql[3 * FOLDER_PATH_MAX];
	int64_t n;

	snprintf(sql, sizeof sql,
		 "SELECT COUNT(*)::BIGINT FROM (SELECT * FROM read_parquet('%s/sotto-sealed/"
		 "t-*.parquet') EXCEPT ALL SELECT * FROM read_parquet('%s/sotto-sealed/"
		 "t-*.parquet'))",
		 x->folder.path, y->folder.path);
	if (sotto_engine_run(e, sql, &r) != SOTTO_OK)
		return -1;
	n = sotto_engine_cell(r, 0, 0).integer;
	sotto_engine_result_free(r);
	return n;
}

static void compare(struct sotto_engine *e, const struct record_world *w, size_t at,
		    const struct record_text *instead, size_t *ambiguous)
{
	struct side x = {0}, y = {0};
	char path[FOLDER_PATH_MAX];

	folder_open(&x.folder);
	folder_open(&y.folder);
	write_policy(&x.folder, sources[w->format], w->columns);
	write_policy(&y.folder, sources[w->format], w->columns);
	folder_file(&x.folder, sources[w->format], path);
	CHECK(record_world_write(w, at, NULL, path));
	folder_file(&y.folder, sources[w->format], path);
	CHECK(record_world_write(w, at, instead, path));
	seal_side(&x);
	seal_side(&y);
	CHECK_STR(x.err.text, "");
	CHECK_STR(y.err.text, "");
	if (x.is_refused || y.is_refused) {
		++*ambiguous;
	} else {
		CHECK_INT(without(e, &x, &y), 0);
		CHECK(without(e, &y, &x) <= 1 && without(e, &y, &x) >= 0);
		CHECK(y.records - x.records <= 1);
	}
	folder_close(&x.folder);
	folder_close(&y.folder);
}

static void one_record_moves_a_sealed_table_by_one_row(void)
{
	static struct record_world w;
	static struct record_text instead;
	uint64_t rounds = effort() == EFFORT_LONG ? 400 : effort() == EFFORT_SHORT ? 30 : 10;
	struct sotto_engine *e = NULL;
	size_t ambiguous = 0;

	REQUIRE(sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1}, &e,
					 NULL) == SOTTO_OK);
	for (uint64_t i = 0; i < rounds; i++) {
		record_world_make(&w, (enum record_format)(i % RECORD_FORMATS), 7000 + i,
				  false);
		if (i % 4 == 0)
			record_world_any_content(&w, &instead);
		else
			record_world_any_bytes(&w, &instead);
		compare(e, &w, i % w.count, &instead, &ambiguous);
	}
	sotto_engine_close(e);
	CHECK(ambiguous * 2 < rounds);
}

/* ---- Parquet --------------------------------------------------------------------------------- */

/* Puts bytes over the mark in the file, where a value stands. */
static bool overwrite(const char *path, const char *mark, const unsigned char *bytes)
{
	char text[1 << 16];
	FILE *f = fopen(path, "r+b");
	size_t n = f ? fread(text, 1, sizeof text, f) : 0;
	char *at = memmem(text, n, mark, strlen(mark));
	bool done = at && fseek(f, at - text, SEEK_SET) == 0 &&
		    fwrite(bytes, 1, strlen(mark), f) == strlen(mark);

	return f && fclose(f) == 0 && done;
}

static void any_bytes_in_a_text_of_parquet_cost_that_record(void)
{
	unsigned rounds = effort() == EFFORT_LONG ? 300 : 15;
	char path[FOLDER_PATH_MAX], sql[FOLDER_PATH_MAX + 200];
	struct sotto_engine *e = NULL;

	REQUIRE(sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1}, &e,
					 NULL) == SOTTO_OK);
	for (unsigned i = 0; i < rounds; i++) {
		unsigned char bytes[8];
		struct side s = {0};

		for (unsigned k = 0; k < 8; k++)
			bytes[k] =
				(unsigned char)((i * 2654435761u + k * 40503u) >> (k + i % 7));
		folder_open(&s.folder);
		write_policy(&s.folder, "t.parquet", 1);
		folder_file(&s.folder, "t.parquet", path);
		snprintf(
			sql, sizeof sql,
			"COPY (SELECT 'value' || i AS c0, i AS n FROM range(50) t(i) UNION ALL "
			"SELECT 'THEMARK!', 99) TO '%s' (FORMAT parquet, COMPRESSION "
			"uncompressed)",
			path);
		CHECK(sotto_engine_execute(e, sql) == SOTTO_OK);
		CHECK(overwrite(path, "THEMARK!", bytes));
		seal_side(&s);
		CHECK_STR(s.err.text, "");
		CHECK(!s.is_refused && (s.records == 50 || s.records == 51));
		folder_close(&s.folder);
	}
	sotto_engine_close(e);
}

int main(void)
{
	RUN(one_record_moves_a_sealed_table_by_one_row);
	RUN(any_bytes_in_a_text_of_parquet_cost_that_record);
	return tap_done();
}
