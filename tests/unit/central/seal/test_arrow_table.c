/*
 * A table in memory becomes a file that a policy can name, whole or not at all; the stream
 * stays the caller's, and every batch is given back once.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sotto/owner.h"
#include "sotto/ledger.h"
#include "sotto/query.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

enum { BATCHES = 3, ROWS = 5000 };

/* A producer of one column of whole numbers, which counts what it gets back. */
struct producer {
	int batches; /* handed out so far */
	int fails_at; /* this batch; -1: none */
	int schemas_out, arrays_out; /* not yet released */
	int released;
	const char *format;
	struct ArrowSchema child_schema, *schemas[1];
	struct ArrowArray child_array, *arrays[1];
	const void *none[1], *buffers[2];
	int64_t values[ROWS];
};

static void release_schema(struct ArrowSchema *s)
{
	((struct producer *)s->private_data)->schemas_out--;
	s->release = NULL;
}

static void release_child_schema(struct ArrowSchema *s)
{
	s->release = NULL;
}

static void release_array(struct ArrowArray *a)
{
	((struct producer *)a->private_data)->arrays_out--;
	a->release = NULL;
}

static void release_child_array(struct ArrowArray *a)
{
	a->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
	struct producer *p = stream->private_data;

	p->child_schema = (struct ArrowSchema){
		.format = p->format, .name = "x", .release = release_child_schema};
	p->schemas[0] = &p->child_schema;
	*out = (struct ArrowSchema){.format = "+s",
				    .name = "",
				    .n_children = 1,
				    .children = p->schemas,
				    .release = release_schema,
				    .private_data = p};
	p->schemas_out++;
	return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
	struct producer *p = stream->private_data;

	*out = (struct ArrowArray){0};
	if (p->batches == p->fails_at)
		return EIO;
	if (p->batches == BATCHES)
		return 0;
	for (int64_t i = 0; i < ROWS; i++)
		p->values[i] = p->batches * ROWS + i;
	p->batches++;
	p->buffers[1] = p->values;
	p->child_array = (struct ArrowArray){.length = ROWS,
					     .n_buffers = 2,
					     .buffers = p->buffers,
					     .release = release_child_array};
	p->arrays[0] = &p->child_array;
	*out = (struct ArrowArray){.length = ROWS,
				   .n_buffers = 1,
				   .buffers = p->none,
				   .n_children = 1,
				   .children = p->arrays,
				   .release = release_array,
				   .private_data = p};
	p->arrays_out++;
	return 0;
}

static const char *last_error(struct ArrowArrayStream *stream)
{
	(void)stream;
	return "the producer failed";
}

static void release_stream(struct ArrowArrayStream *stream)
{
	((struct producer *)stream->private_data)->released++;
	stream->release = NULL;
}

static struct ArrowArrayStream stream_of(struct producer *p)
{
	return (struct ArrowArrayStream){get_schema, get_next, last_error, release_stream, p};
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

static void a_table_is_written_once_and_for_its_owner_alone(void)
{
	static struct producer p = {.fails_at = -1, .format = "l"};
	struct ArrowArrayStream stream = stream_of(&p);
	char path[FOLDER_PATH_MAX], beside[FOLDER_PATH_MAX];
	struct sotto_error err = {""};
	struct folder folder;
	struct stat s;

	folder_open(&folder);
	folder_file(&folder, "it's.parquet", path);
	folder_file(&folder, "it's.parquet.new", beside);
	CHECK_INT(sotto_arrow_store(&stream, path, &err), SOTTO_OK);
	CHECK(stat(path, &s) == 0 && (s.st_mode & 0777) == 0600 && s.st_size > 1000);
	CHECK(!is_there(beside));
	CHECK_INT(p.batches, BATCHES);
	CHECK_INT(p.arrays_out, 0);
	CHECK_INT(p.schemas_out, 0);
	CHECK_INT(p.released, 0);
	CHECK_INT(sotto_arrow_store(&stream, path, &err), SOTTO_ESTATE);
	CHECK(strstr(err.text, "already") != NULL);
	stream.release(&stream);
	CHECK_INT(p.released, 1);
	CHECK_INT(sotto_arrow_store(&stream, path, &err), SOTTO_EINVAL);
	folder_close(&folder);
}

static void what_fails_leaves_no_file(void)
{
	static struct producer failing = {.fails_at = 1, .format = "l"},
			       strange = {.fails_at = -1, .format = "no such type"};
	struct producer *const producers[] = {&failing, &strange};
	char path[FOLDER_PATH_MAX], beside[FOLDER_PATH_MAX];
	struct folder folder;

	folder_open(&folder);
	folder_file(&folder, "t.parquet", path);
	folder_file(&folder, "t.parquet.new", beside);
	for (size_t i = 0; i < 2; i++) {
		struct ArrowArrayStream stream = stream_of(producers[i]);
		struct sotto_error err = {""};

		CHECK_INT(sotto_arrow_store(&stream, path, &err), SOTTO_EREFUSED);
		CHECK(err.text[0] && !is_there(path) && !is_there(beside));
		CHECK_INT(producers[i]->arrays_out, 0);
	}
	folder_close(&folder);
}

static void a_column_that_cannot_be_read_is_named(void)
{
	static const char *const formats[] = {"e", "d:40,2,256", "_pli128", "+r"};
	char path[FOLDER_PATH_MAX];
	struct folder folder;

	folder_open(&folder);
	folder_file(&folder, "t.parquet", path);
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		struct producer p = {.fails_at = -1, .format = formats[i]};
		struct ArrowArrayStream stream = stream_of(&p);
		struct sotto_error err = {""};

		CHECK_INT(sotto_arrow_store(&stream, path, &err), SOTTO_EREFUSED);
		CHECK(strstr(err.text, "column x has") != NULL && strchr(err.text, ';'));
		CHECK(!is_there(path));
	}
	folder_close(&folder);
}

static void
write_policy(const struct folder *folder, const char *terms, char path[FOLDER_PATH_MAX])
{
	FILE *file;

	folder_file(folder, "sotto.yaml", path);
	file = fopen(path, "w");
	if (!file)
		return;
	(void)fprintf(file,
		      "ledger: l.db\nbudget: { epsilon: 1000 }\ntables:\n  t:\n"
		      "    source: t.parquet\n    unit: row\n"
		      "    columns: { x: %s }\n",
		      terms);
	(void)fclose(file);
}

static void check_tables(const struct sotto_tables *t)
{
	const struct sotto_table_column *c = &t->list[0].columns[0];

	CHECK_INT(t->count, 1);
	CHECK(strcmp(t->list[0].name, "t") == 0 && strcmp(t->list[0].unit, "row") == 0);
	CHECK_INT(t->list[0].column_count, 1);
	CHECK(strcmp(c->name, "x") == 0 && strcmp(c->type, "integer") == 0);
	CHECK(strcmp(c->lo, "0") == 0 && strcmp(c->hi, "14999") == 0 && c->nullable);
	CHECK(c->has_keys && c->key_count == 2 && strcmp(c->keys[0], "1") == 0 && !c->keys[1]);
}

static void what_was_written_can_be_sealed_and_listed(void)
{
	static struct producer p = {.fails_at = -1, .format = "l"};
	struct ArrowArrayStream stream = stream_of(&p);
	char path[FOLDER_PATH_MAX], policy[FOLDER_PATH_MAX];
	struct sotto_seal_report *report = NULL;
	struct sotto_session *session = NULL;
	struct sotto_tables *tables = NULL;
	struct sotto_error err = {""};
	struct folder folder;

	folder_open(&folder);
	folder_file(&folder, "t.parquet", path);
	write_policy(&folder, "{ bounds: [0, 14999], keys: [1, null] }", policy);
	CHECK_INT(sotto_arrow_store(&stream, path, &err), SOTTO_OK);
	CHECK_INT(sotto_policy_seal(policy, NULL, &report, &err), SOTTO_OK);
	CHECK(report && report->refused == 0 && report->tables[0].records == BATCHES * ROWS);
	CHECK_INT(sotto_session_open(policy, &session, &err), SOTTO_OK);
	CHECK_INT(sotto_session_tables(session, &tables, &err), SOTTO_OK);
	if (tables)
		check_tables(tables);
	sotto_tables_free(tables);
	sotto_session_close(session);
	sotto_seal_report_free(report);
	folder_close(&folder);
}

/* Nanoseconds are finer than any question compares; the column can be asked about. */
static void times_in_nanoseconds_are_times(void)
{
	static struct producer p = {.fails_at = -1, .format = "tsn:"};
	struct ArrowArrayStream stream = stream_of(&p);
	char path[FOLDER_PATH_MAX], policy[FOLDER_PATH_MAX];
	struct sotto_seal_report *report = NULL;
	struct sotto_session *session = NULL;
	struct sotto_tables *tables = NULL;
	struct sotto_error err = {""};
	struct folder folder;

	folder_open(&folder);
	folder_file(&folder, "t.parquet", path);
	write_policy(&folder, "{ nullable: true }", policy);
	CHECK_INT(sotto_arrow_store(&stream, path, &err), SOTTO_OK);
	CHECK_INT(sotto_policy_seal(policy, NULL, &report, &err), SOTTO_OK);
	CHECK_INT(sotto_session_open(policy, &session, &err), SOTTO_OK);
	CHECK_INT(sotto_session_tables(session, &tables, &err), SOTTO_OK);
	CHECK(tables && strcmp(tables->list[0].columns[0].type, "timestamp") == 0);
	sotto_tables_free(tables);
	sotto_session_close(session);
	sotto_seal_report_free(report);
	folder_close(&folder);
}

int main(void)
{
	RUN(a_table_is_written_once_and_for_its_owner_alone);
	RUN(what_fails_leaves_no_file);
	RUN(a_column_that_cannot_be_read_is_named);
	RUN(times_in_nanoseconds_are_times);
	RUN(what_was_written_can_be_sealed_and_listed);
	return tap_done();
}
