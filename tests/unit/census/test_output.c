/*
 * A release that ends after any of its batches and is resumed has the bytes of one that was never
 * interrupted, whatever was written beyond the last note, and makes no finished batch again.  Names
 * that cannot be files, or that collide, are refused.  Labels are quoted as CSV wants it.
 */
#include "census/publish/census_output.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "census/publish/census_file_name.h"
#include "testlib/fixture/country.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

static const char plan_text[] =
	"hierarchy: [{level: Top}, {level: Mid, column: m}, {level: Low, column: l}]\n"
	"attributes: [{name: a, categories: ['x, y', 'say \"z\"', plain]}, {name: b, "
	"categories: 2}]\n"
	"queries: {two: {a: [['x, y', plain], ['say \"z\"']]}}\n"
	"privacy: {model: zcdp, rho: 1, neighbours: replace-one}\n"
	"budget:\n"
	"  levels: {Top: 1/4, Mid: 1/4, Low: 1/2}\n"
	"  queries: {Top: {detailed: 1}, Mid: {detailed: 1}, Low: {detailed: 1}}\n"
	"estimate: {mode: topdown}\n"
	"output: {dir: out, tables: [total, two, detailed], microdata: people.csv}\n";

/* The output's sink, which breaks down after so many batches. */
struct breaking {
	struct sotto_census_sink inner;
	size_t left;
	atomic_size_t made; /* batches that were begun */
};

static enum sotto_status begin(void *context, void **batch)
{
	struct breaking *b = context;

	(void)atomic_fetch_add(&b->made, 1);
	return b->inner.begin(b->inner.context, batch);
}

static enum sotto_status node(void *context, void *batch, size_t v, const uint32_t *cells,
			      const int64_t *counts, size_t n)
{
	struct breaking *b = context;

	return b->inner.node(b->inner.context, batch, v, cells, counts, n);
}

static enum sotto_status end(void *context, void *batch)
{
	struct breaking *b = context;
	enum sotto_status st = b->inner.end(b->inner.context, batch);

	return st == SOTTO_OK && b->left-- == 0 ? SOTTO_EIO : st;
}

static unsigned crew = 1; /* threads that a release is made by */

/* Runs until the end, or until `left` more batches were written; *made: those it began. */
static enum sotto_status run(struct country *c, const struct sotto_census_measurement *m,
			     const char *folder, bool resume, size_t left, size_t *made)
{
	const struct sotto_census_output_options options = {.resume = resume,
							    .note_seconds = 0};
	struct breaking b = {.left = left};
	const struct sotto_census_sink sink = {
		.context = &b, .begin = begin, .node = node, .end = end};
	struct sotto_census_options how = {.threads = crew};
	struct sotto_census_output *o = NULL;
	struct sotto_error err;
	enum sotto_status st = sotto_census_output_open(&c->w, folder, &options, &o, &err);

	if (st != SOTTO_OK)
		return st;
	sotto_census_output_sink(o, &b.inner);
	how.done = sotto_census_output_done(o);
	st = sotto_census_execute(&c->w.plan, &c->w.schema, &c->w.shape, m, &how, &sink, NULL);
	if (st == SOTTO_OK)
		st = sotto_census_output_finish(o, &err);
	sotto_census_output_close(o);
	*made = b.made;
	return st;
}

static bool are_same(const struct folder *a, const struct folder *b)
{
	char command[4 * FOLDER_PATH_MAX];

	snprintf(command, sizeof command, "diff -r '%s' '%s' > /dev/null", a->path, b->path);
	return system(command) == 0;
}

static void write_more(const struct folder *f, const char *name)
{
	char path[FOLDER_PATH_MAX];
	FILE *file;

	folder_file(f, name, path);
	file = fopen(path, "a");
	REQUIRE(file != NULL);
	fputs("half a li", file);
	fclose(file);
}

static void a_resumed_release_has_the_same_bytes(void)
{
	struct country *c = malloc(sizeof *c);
	struct sotto_census_measurement m;
	struct folder whole, broken;
	size_t batches, made;

	REQUIRE(country_open(c, plan_text, 77, false));
	REQUIRE(country_measure(c, 1, &m) == SOTTO_OK);
	folder_open(&whole);
	REQUIRE(run(c, &m, whole.path, false, SIZE_MAX, &batches) == SOTTO_OK);
	CHECK(batches >= 3);
	for (size_t k = 0; k + 1 < batches; k++) {
		folder_open(&broken);
		CHECK(run(c, &m, broken.path, false, k, &made) == SOTTO_EIO);
		CHECK(made == k + 1);
		write_more(&broken, "Low.detailed.csv.part");
		write_more(&broken, "people.csv.part");
		CHECK(run(c, &m, broken.path, true, SIZE_MAX, &made) == SOTTO_OK);
		CHECK(made == batches - k - 1);
		CHECK(are_same(&whole, &broken));
		folder_close(&broken);
	}
	folder_close(&whole);
	sotto_census_measurement_release(&m);
	country_close(c);
	free(c);
}

/* The long set runs this under the thread sanitizer. */
static void threads_write_the_same_bytes_as_one(void)
{
	struct country *c = malloc(sizeof *c);
	struct sotto_census_measurement m;
	struct folder alone, together;
	size_t made;

	REQUIRE(country_open(c, plan_text, 77, false));
	REQUIRE(country_measure(c, 1, &m) == SOTTO_OK);
	folder_open(&alone);
	folder_open(&together);
	REQUIRE(run(c, &m, alone.path, false, SIZE_MAX, &made) == SOTTO_OK);
	crew = 4;
	CHECK(run(c, &m, together.path, false, SIZE_MAX, &made) == SOTTO_OK);
	crew = 1;
	CHECK(are_same(&alone, &together));
	folder_close(&alone);
	folder_close(&together);
	sotto_census_measurement_release(&m);
	country_close(c);
	free(c);
}

/* A file that was damaged after it was noted how long it is: gone, or cut short. */
static void check_damage(bool gone)
{
	struct country *c = malloc(sizeof *c);
	struct sotto_census_measurement m;
	struct folder whole, broken;
	char path[FOLDER_PATH_MAX];
	size_t batches, made;

	REQUIRE(country_open(c, plan_text, 77, false));
	REQUIRE(country_measure(c, 1, &m) == SOTTO_OK);
	folder_open(&whole);
	folder_open(&broken);
	REQUIRE(run(c, &m, whole.path, false, SIZE_MAX, &batches) == SOTTO_OK);
	CHECK(run(c, &m, broken.path, false, 1, &made) == SOTTO_EIO);
	folder_file(&broken, "Mid.total.csv.part", path);
	CHECK((gone ? unlink(path) : truncate(path, 5)) == 0);
	CHECK(run(c, &m, broken.path, true, SIZE_MAX, &made) == SOTTO_OK);
	CHECK(made == batches);
	CHECK(are_same(&whole, &broken));
	folder_close(&whole);
	folder_close(&broken);
	sotto_census_measurement_release(&m);
	country_close(c);
	free(c);
}

static void a_file_that_is_gone_makes_it_begin_anew(void)
{
	check_damage(true);
}

static void a_file_that_is_too_short_makes_it_begin_anew(void)
{
	check_damage(false);
}

static bool holds(const struct folder *f, const char *name, const char *line)
{
	char path[FOLDER_PATH_MAX], text[20000] = "";
	FILE *file;

	folder_file(f, name, path);
	file = fopen(path, "r");
	if (!file)
		return false;
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	return strstr(text, line) != NULL;
}

static void labels_are_quoted(void)
{
	struct country *c = malloc(sizeof *c);
	struct sotto_census_measurement m;
	struct folder f;
	size_t made;

	REQUIRE(country_open(c, plan_text, 77, false));
	REQUIRE(country_measure(c, 1, &m) == SOTTO_OK);
	folder_open(&f);
	REQUIRE(run(c, &m, f.path, false, SIZE_MAX, &made) == SOTTO_OK);
	CHECK(holds(&f, "Top.detailed.csv", "\n\"x, y\",0,"));
	CHECK(holds(&f, "Top.detailed.csv", "\n\"say \"\"z\"\"\",1,"));
	CHECK(holds(&f, "Top.two.csv", "\n\"x, y|plain\","));
	CHECK(holds(&f, "Mid.two.csv", "m0,\"say \"\"z\"\"\","));
	folder_close(&f);
	sotto_census_measurement_release(&m);
	country_close(c);
	free(c);
}

static void refuses(const char *from, const char *to)
{
	struct sotto_census_plan p;
	struct sotto_error err = {""};
	char text[2000];
	const char *at = strstr(plan_text, from);

	REQUIRE(at != NULL);
	snprintf(text, sizeof text, "%.*s%s%s", (int)(at - plan_text), plan_text, to,
		 at + strlen(from));
	REQUIRE(sotto_census_plan_parse(&p, "p", text, strlen(text), &err) == SOTTO_OK);
	CHECK(sotto_census_names_check(&p, &err) == SOTTO_EPARSE);
	CHECK(strncmp(err.text, "p: ", 3) == 0);
	sotto_census_plan_release(&p);
}

static void names_that_cannot_be_files_are_refused(void)
{
	refuses("[total, two, detailed]", "[total, total]");
	refuses("microdata: people.csv", "microdata: ../people.csv");
	refuses("microdata: people.csv", "microdata: Top.total.csv");
	refuses("microdata: people.csv", "microdata: release.json");
	refuses("microdata: people.csv", "microdata: .people");
	refuses("{name: b,", "{name: value,");
	refuses("{name: b,", "{name: Mid,");
	refuses("mode: topdown", "mode: naive");
}

int main(void)
{
	RUN(a_resumed_release_has_the_same_bytes);
	RUN(threads_write_the_same_bytes_as_one);
	RUN(a_file_that_is_gone_makes_it_begin_anew);
	RUN(a_file_that_is_too_short_makes_it_begin_anew);
	RUN(labels_are_quoted);
	RUN(names_that_cannot_be_files_are_refused);
	return tap_done();
}
