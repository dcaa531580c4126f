/*
 * Threads write the rows of a batch into memory; batches are appended to the files in order, so
 * that one number and the lengths of the files say where to go on.
 */
#include "census/publish/census_output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "census/measure/read/census_tables.h"
#include "census/publish/census_file_name.h"
#include "census/publish/census_unfinished_file.h"
#include "census/publish/census_progress.h"
#include "core/base/failure.h"

struct sotto_census_output {
	const struct sotto_census_world *w;
	struct sotto_census_output_options options;
	struct sotto_census_rows rows;
	char *folder;
	struct sotto_census_unfinished_file *files; /* the last one may be of microdata */
	size_t file_count;
	bool has_people;
	struct sotto_census_progress progress;
	time_t noted; /* when the progress was */
};

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static void
put_header(struct sotto_census_output *o, const struct sotto_census_unfinished_file *file)
{
	if (file->table == SIZE_MAX)
		sotto_census_people_header(&o->rows, file->f);
	else
		sotto_census_rows_header(&o->rows, file->f, o->w->shape.plan_level[file->level],
					 file->table);
}

static enum sotto_status add_file(struct sotto_census_output *o, size_t level, size_t table)
{
	const struct sotto_census_plan *p = &o->w->plan;
	struct sotto_census_unfinished_file *file = &o->files[o->file_count++];
	char *name = table == SIZE_MAX
			     ? strdup(p->microdata_output)
			     : sotto_census_file_name(p, o->w->shape.plan_level[level], table);

	*file = (struct sotto_census_unfinished_file){.level = level, .table = table};
	if (!name)
		return SOTTO_ENOMEM;
	if (asprintf(&file->name, "%s/%s", o->folder, name) < 0)
		file->name = NULL;
	if (asprintf(&file->part, "%s/%s.part", o->folder, name) < 0)
		file->part = NULL;
	free(name);
	return file->name && file->part ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status list_files(struct sotto_census_output *o)
{
	const struct sotto_census_shape *s = &o->w->shape;

	o->files = calloc(s->level_count * o->w->plan.table_count + 1, sizeof *o->files);
	if (!o->files)
		return SOTTO_ENOMEM;
	for (size_t l = 0; l < s->level_count; l++)
		for (size_t t = 0; s->plan_level[l] != SIZE_MAX && t < o->w->plan.table_count;
		     t++)
			SOTTO_TRY(add_file(o, l, t));
	o->has_people = o->w->plan.microdata_output != NULL;
	return o->has_people ? add_file(o, s->level_count - 1, SIZE_MAX) : SOTTO_OK;
}

/* The files as far as the note says they are; false: begin anew. */
static bool reopen_files(struct sotto_census_output *o)
{
	bool ok = o->options.resume && sotto_census_progress_read(&o->progress, o->folder);

	for (size_t i = 0; ok && i < o->file_count; i++) {
		struct stat about;

		ok = stat(o->files[i].part, &about) == 0 &&
		     (uint64_t)about.st_size >= o->progress.lengths[i];
	}
	for (size_t i = 0; ok && i < o->file_count; i++) {
		o->files[i].f = fopen(o->files[i].part, "r+e");
		ok = o->files[i].f &&
		     ftruncate(fileno(o->files[i].f), (off_t)o->progress.lengths[i]) == 0 &&
		     fseeko(o->files[i].f, 0, SEEK_END) == 0;
	}
	return ok;
}

static enum sotto_status open_files(struct sotto_census_output *o, struct sotto_error *err)
{
	o->progress.file_count = o->file_count;
	o->progress.lengths = calloc(o->file_count + 1, sizeof *o->progress.lengths);
	if (!o->progress.lengths)
		return SOTTO_ENOMEM;
	o->noted = time(NULL);
	if (reopen_files(o))
		return SOTTO_OK;
	o->progress.batches = 0;
	sotto_census_progress_remove(o->folder);
	for (size_t i = 0; i < o->file_count; i++) {
		if (o->files[i].f)
			(void)fclose(o->files[i].f);
		o->files[i].f = fopen(o->files[i].part, "we");
		if (!o->files[i].f)
			return sotto_fail(err, SOTTO_EIO, "%.300s could not be written",
					  o->files[i].part);
		put_header(o, &o->files[i]);
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_census_output_open(const struct sotto_census_world *w, const char *folder,
			 const struct sotto_census_output_options *options,
			 struct sotto_census_output **out, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &w->plan;
	enum sotto_census_beside beside = p->intervals          ? SOTTO_CENSUS_WITH_INTERVALS
					  : p->linear_estimates ? SOTTO_CENSUS_WITH_ESTIMATES
								: SOTTO_CENSUS_ALONE;
	struct sotto_census_output *o = calloc(1, sizeof *o);
	enum sotto_status st;

	if (!o)
		return SOTTO_ENOMEM;
	o->w = w;
	o->options = *options;
	o->folder = strdup(folder);
	st = sotto_census_rows_init(&o->rows, w, beside, options->not_private);
	if (st == SOTTO_OK)
		st = o->folder ? list_files(o) : SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		st = open_files(o, err);
	if (st == SOTTO_OK)
		*out = o;
	else
		sotto_census_output_close(o);
	return st;
}

void sotto_census_output_close(struct sotto_census_output *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->file_count; i++) {
		if (o->files[i].f)
			(void)fclose(o->files[i].f);
		free(o->files[i].part);
		free(o->files[i].name);
	}
	sotto_census_rows_release(&o->rows);
	free(o->progress.lengths);
	free(o->folder);
	free(o->files);
	free(o);
}

size_t sotto_census_output_done(const struct sotto_census_output *o)
{
	return o->progress.batches;
}

/* ---- batches ---------------------------------------------------------------------------------------------------- */

/* Cells of a leaf that become people when the batch is written: texts of them could be long. */
struct crowd {
	size_t node;
	uint32_t cell;
	int64_t count;
};

/* The texts of one batch, one for each table. */
struct batch {
	char **texts;
	size_t *sizes;
	FILE **streams;
	int64_t *answers;
	struct crowd *crowds;
	size_t crowd_count, crowd_room;
};

static size_t table_count(const struct sotto_census_output *o)
{
	return o->file_count - o->has_people;
}

static enum sotto_status begin(void *context, void **out)
{
	struct sotto_census_output *o = context;
	struct batch *b = calloc(1, sizeof *b);
	size_t n = table_count(o) + 1;

	if (!b)
		return SOTTO_ENOMEM;
	*out = b;
	b->texts = calloc(n, sizeof *b->texts);
	b->sizes = calloc(n, sizeof *b->sizes);
	b->streams = calloc(n, sizeof *b->streams);
	b->answers = calloc(o->w->schema.cells, sizeof *b->answers);
	if (!b->texts || !b->sizes || !b->streams || !b->answers)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < table_count(o); i++) {
		b->streams[i] = open_memstream(&b->texts[i], &b->sizes[i]);
		if (!b->streams[i])
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

static enum sotto_status keep_crowds(struct batch *b, size_t node, const uint32_t *cells,
				     const int64_t *counts, size_t n)
{
	if (b->crowd_count + n > b->crowd_room) {
		size_t room = 2 * (b->crowd_count + n);
		struct crowd *grown = realloc(b->crowds, room * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		b->crowds = grown;
		b->crowd_room = room;
	}
	for (size_t k = 0; k < n; k++)
		b->crowds[b->crowd_count++] =
			(struct crowd){.node = node, .cell = cells[k], .count = counts[k]};
	return SOTTO_OK;
}

static void put_table(struct sotto_census_output *o, struct batch *b, size_t i, size_t node)
{
	size_t table = o->files[i].table;
	struct sotto_census_estimates estimates = {.values = NULL};

	if (o->options.linear) {
		const struct sotto_census_linear *l = o->options.linear;
		size_t level = sotto_census_level_of(&o->w->shape, node);
		size_t at = node * l->per_node + l->starts[table];

		estimates = (struct sotto_census_estimates){
			.values = l->estimates + at,
			.deviations = l->deviations + at,
			.quantile = l->quantiles[level * l->table_count + table]};
	}
	sotto_census_rows_put(&o->rows, b->streams[i], node, table, b->answers, &estimates);
}

static enum sotto_status put_node(void *context, void *batch, size_t node,
				  const uint32_t *cells, const int64_t *counts, size_t n)
{
	struct sotto_census_output *o = context;
	struct batch *b = batch;
	const struct sotto_census_plan *p = &o->w->plan;
	size_t level = sotto_census_level_of(&o->w->shape, node);

	for (size_t i = 0; i < table_count(o); i++) {
		size_t query = p->tables[o->files[i].table];
		const uint32_t *map = o->w->schema.maps[query];

		if (o->files[i].level != level)
			continue;
		memset(b->answers, 0, p->queries[query].cells * sizeof *b->answers);
		for (size_t k = 0; k < n; k++)
			b->answers[map[cells[k]]] += counts[k];
		put_table(o, b, i, node);
	}
	if (o->has_people && level + 1 == o->w->shape.level_count)
		return keep_crowds(b, node, cells, counts, n);
	return SOTTO_OK;
}

/* Notes how far the files are, now and then. */
static enum sotto_status note_progress(struct sotto_census_output *o)
{
	o->progress.batches++;
	if (time(NULL) - o->noted < o->options.note_seconds)
		return SOTTO_OK;
	for (size_t i = 0; i < o->file_count; i++) {
		off_t length = ftello(o->files[i].f);

		if (length < 0 || fflush(o->files[i].f) != 0 ||
		    fdatasync(fileno(o->files[i].f)) != 0)
			return SOTTO_EIO;
		o->progress.lengths[i] = (uint64_t)length;
	}
	o->noted = time(NULL);
	return sotto_census_progress_write(&o->progress, o->folder) ? SOTTO_OK : SOTTO_EIO;
}

static void batch_free(struct sotto_census_output *o, struct batch *b)
{
	for (size_t i = 0; b->streams && i < table_count(o); i++) {
		if (b->streams[i])
			(void)fclose(b->streams[i]);
		free(b->texts[i]);
	}
	free(b->texts);
	free(b->sizes);
	free(b->streams);
	free(b->answers);
	free(b->crowds);
	free(b);
}

static enum sotto_status end(void *context, void *batch)
{
	struct sotto_census_output *o = context;
	struct batch *b = batch;
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; i < table_count(o); i++) {
		if (!b->streams || !b->streams[i] || fclose(b->streams[i]) != 0)
			st = SOTTO_EIO;
		else if (b->sizes[i] > 0 &&
			 fwrite(b->texts[i], 1, b->sizes[i], o->files[i].f) < b->sizes[i])
			st = SOTTO_EIO;
		if (b->streams)
			b->streams[i] = NULL;
	}
	for (size_t k = 0; k < b->crowd_count; k++)
		sotto_census_people_put(&o->rows, o->files[o->file_count - 1].f,
					b->crowds[k].node, &b->crowds[k].cell,
					&b->crowds[k].count, 1);
	batch_free(o, b);
	return st == SOTTO_OK ? note_progress(o) : st;
}

void sotto_census_output_sink(struct sotto_census_output *o, struct sotto_census_sink *sink)
{
	*sink = (struct sotto_census_sink){
		.context = o, .begin = begin, .node = put_node, .end = end};
}

enum sotto_status sotto_census_output_naive(struct sotto_census_output *o, size_t node,
					    size_t table, const int64_t *values,
					    const struct sotto_census_estimates *estimates)
{
	size_t level = sotto_census_level_of(&o->w->shape, node);

	for (size_t i = 0; i < o->file_count; i++)
		if (o->files[i].level == level && o->files[i].table == table)
			sotto_census_rows_put(&o->rows, o->files[i].f, node, table, values,
					      estimates);
	return SOTTO_OK;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

enum sotto_status
sotto_census_output_finish(struct sotto_census_output *o, struct sotto_error *err)
{
	struct sotto_engine *e = NULL;
	enum sotto_status st = SOTTO_OK;
	bool parquet = false;

	for (size_t i = 0; i < o->file_count; i++)
		parquet |= sotto_census_unfinished_file_is_parquet(&o->files[i]);
	if (parquet)
		st = sotto_census_tables_open(o->options.memory, &e, err);
	for (size_t i = 0; st == SOTTO_OK && i < o->file_count; i++)
		st = sotto_census_unfinished_file_settle(
			&o->files[i], sotto_census_rows_numbers(&o->rows, o->files[i].table), e,
			err);
	sotto_census_tables_close(e);
	if (st == SOTTO_OK)
		sotto_census_progress_remove(o->folder);
	return st;
}
