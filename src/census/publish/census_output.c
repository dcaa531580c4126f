#include "census/publish/census_output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "census/measure/census_tables.h"
#include "core/base/failure.h"

struct file {
	size_t level, table; /* of the shape; of the plan's tables */
	char *part, *name;
	FILE *f;
};

struct sotto_census_output {
	const struct sotto_census_world *w;
	const struct sotto_census_linear *linear; /* NULL: none */
	struct file *files;
	size_t file_count;
	FILE *people; /* microdata, or NULL */
	char *people_part, *people_name;
	bool not_private, finished;
};

/* The texts of one batch, one for each file and one for microdata. */
struct batch {
	char **texts;
	size_t *sizes;
	FILE **streams;
	int64_t *answers;
};

/* ---- names and headers ------------------------------------------------------------------------------------ */

static char *
file_name(const char *folder, const char *level, const char *table, const char *end)
{
	char *name = NULL;

	if (asprintf(&name, "%s/%s.%s%s", folder, level, table, end) < 0)
		return NULL;
	for (char *c = name + strlen(folder) + 1; *c; c++)
		if (*c == '*')
			*c = '-';
	return name;
}

static void put_text(FILE *f, const char *text)
{
	bool quote = strpbrk(text, ",\"\r\n") != NULL;

	if (quote)
		fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	if (quote)
		fputc('"', f);
}

/* A category, or those of a group joined by |. */
static void put_label(FILE *f, const struct sotto_census_plan *p,
		      const struct sotto_census_query *q, size_t attribute, size_t part)
{
	const struct sotto_census_attribute *a = &p->attributes[attribute];
	bool first = true;

	if (q->parts[attribute] == SOTTO_CENSUS_KEPT) {
		put_text(f, a->categories[part]);
		return;
	}
	for (size_t i = 0; i < a->n; i++)
		if (q->groups[attribute][i] == part) {
			fprintf(f, "%s%s", first ? "" : "|", a->categories[i]);
			first = false;
		}
}

static void put_levels_header(FILE *f, const struct sotto_census_plan *p, size_t last)
{
	for (size_t l = 1; l <= last; l++) {
		put_text(f, p->levels[l].name);
		fputc(',', f);
	}
}

static void put_header(struct sotto_census_output *o, const struct file *file)
{
	const struct sotto_census_plan *p = &o->w->plan;
	const struct sotto_census_query *q = &p->queries[p->tables[file->table]];

	put_levels_header(file->f, p, o->w->shape.plan_level[file->level]);
	for (size_t i = 0; i < p->attribute_count; i++)
		if (sotto_census_query_uses(q, i)) {
			put_text(file->f, p->attributes[i].name);
			fputc(',', file->f);
		}
	fputs("value", file->f);
	if (o->linear)
		fputs(p->intervals ? ",estimate,sd,lo,hi" : ",estimate,sd", file->f);
	fputs(o->not_private ? ",NOT_PRIVATE\n" : "\n", file->f);
}

static enum sotto_status open_file(const char *part, FILE **out, struct sotto_error *err)
{
	*out = fopen(part, "we");
	return *out ? SOTTO_OK
		    : sotto_fail(err, SOTTO_EIO, "%.300s could not be written", part);
}

static enum sotto_status add_file(struct sotto_census_output *o, const char *folder,
				  size_t level, size_t table, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &o->w->plan;
	struct file *file = &o->files[o->file_count];
	const char *level_name = p->levels[o->w->shape.plan_level[level]].name;
	const char *table_name = p->queries[p->tables[table]].name;

	file->level = level;
	file->table = table;
	file->part = file_name(folder, level_name, table_name, ".csv.part");
	file->name =
		file_name(folder, level_name, table_name, p->parquet ? ".parquet" : ".csv");
	o->file_count++;
	if (!file->part || !file->name)
		return SOTTO_ENOMEM;
	SOTTO_TRY(open_file(file->part, &file->f, err));
	put_header(o, file);
	return SOTTO_OK;
}

static enum sotto_status
open_people(struct sotto_census_output *o, const char *folder, struct sotto_error *err)
{
	const struct sotto_census_plan *p = &o->w->plan;

	if (!p->microdata_output || p->mode == SOTTO_CENSUS_NAIVE)
		return SOTTO_OK;
	if (asprintf(&o->people_name, "%s/%s", folder, p->microdata_output) < 0 ||
	    asprintf(&o->people_part, "%s.csv.part", o->people_name) < 0)
		return SOTTO_ENOMEM;
	SOTTO_TRY(open_file(o->people_part, &o->people, err));
	put_levels_header(o->people, p, p->level_count - 1);
	for (size_t i = 0; i < p->attribute_count; i++) {
		put_text(o->people, p->attributes[i].name);
		fputc(i + 1 < p->attribute_count ? ',' : '\n', o->people);
	}
	return SOTTO_OK;
}

static enum sotto_status
open_files(struct sotto_census_output *o, const char *folder, struct sotto_error *err)
{
	const struct sotto_census_shape *s = &o->w->shape;

	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return sotto_fail(err, SOTTO_EIO, "the folder %.300s could not be made",
				  folder);
	o->files = calloc(s->level_count * (o->w->plan.table_count + 1), sizeof *o->files);
	if (!o->files)
		return SOTTO_ENOMEM;
	for (size_t l = 0; l < s->level_count; l++)
		for (size_t t = 0; s->plan_level[l] != SIZE_MAX && t < o->w->plan.table_count;
		     t++)
			SOTTO_TRY(add_file(o, folder, l, t, err));
	return open_people(o, folder, err);
}

enum sotto_status
sotto_census_output_open(const struct sotto_census_world *w, const char *folder,
			 bool not_private, const struct sotto_census_linear *linear,
			 struct sotto_census_output **out, struct sotto_error *err)
{
	struct sotto_census_output *o = calloc(1, sizeof *o);
	enum sotto_status st;

	if (!o)
		return SOTTO_ENOMEM;
	o->w = w;
	o->linear = linear;
	o->not_private = not_private;
	st = open_files(o, folder, err);
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
		if (o->files[i].part)
			(void)unlink(o->files[i].part);
		free(o->files[i].part);
		free(o->files[i].name);
	}
	if (o->people)
		(void)fclose(o->people);
	if (o->people_part)
		(void)unlink(o->people_part);
	free(o->people_part);
	free(o->people_name);
	free(o->files);
	free(o);
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* "st,county," of a node */
static void put_path(FILE *f, const struct sotto_census_shape *s, size_t node)
{
	if (node == 0)
		return;
	put_path(f, s, s->parent[node]);
	if (!s->labels[node])
		return;
	put_text(f, s->labels[node]);
	fputc(',', f);
}

static void put_cell(FILE *f, const struct sotto_census_plan *p,
		     const struct sotto_census_query *q, size_t cell)
{
	size_t parts[SOTTO_CENSUS_ATTRIBUTES_MAX];

	for (size_t i = p->attribute_count; i-- > 0;)
		if (sotto_census_query_uses(q, i)) {
			parts[i] = cell % q->group_count[i];
			cell /= q->group_count[i];
		}
	for (size_t i = 0; i < p->attribute_count; i++)
		if (sotto_census_query_uses(q, i)) {
			put_label(f, p, q, i, parts[i]);
			fputc(',', f);
		}
}

static void put_interval(const struct sotto_census_output *o, FILE *f, size_t node,
			 size_t table, size_t cell)
{
	const struct sotto_census_linear *l = o->linear;
	size_t i = node * l->per_node + l->starts[table] + cell;
	double estimate = l->estimates[i], sd = l->deviations[i];

	if (!isfinite(sd)) {
		fputs(o->w->plan.intervals ? ",,,," : ",,", f);
		return;
	}
	fprintf(f, ",%.10g,%.6g", estimate, sd);
	if (o->w->plan.intervals) {
		double low = estimate - l->quantile * sd, high = estimate + l->quantile * sd;

		fprintf(f, ",%.10g,%.10g", low > 0 ? low : 0, high > 0 ? high : 0);
	}
}

static void put_rows(const struct sotto_census_output *o, FILE *f, const struct file *file,
		     size_t node, const int64_t *whole, const double *real)
{
	const struct sotto_census_plan *p = &o->w->plan;
	const struct sotto_census_query *q = &p->queries[p->tables[file->table]];

	for (size_t cell = 0; cell < q->cells; cell++) {
		put_path(f, &o->w->shape, node);
		put_cell(f, p, q, cell);
		if (whole)
			fprintf(f, "%lld", (long long)whole[cell]);
		else if (isfinite(real[cell]))
			fprintf(f, "%lld", llrint(real[cell]));
		if (o->linear)
			put_interval(o, f, node, file->table, cell);
		fputs(o->not_private ? ",1\n" : "\n", f);
	}
}

static enum sotto_status begin(void *context, void **out)
{
	struct sotto_census_output *o = context;
	struct batch *b = calloc(1, sizeof *b);
	size_t n = o->file_count + 1;

	if (!b)
		return SOTTO_ENOMEM;
	*out = b;
	b->texts = calloc(n, sizeof *b->texts);
	b->sizes = calloc(n, sizeof *b->sizes);
	b->streams = calloc(n, sizeof *b->streams);
	b->answers = calloc(o->w->schema.cells, sizeof *b->answers);
	if (!b->texts || !b->sizes || !b->streams || !b->answers)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		b->streams[i] = open_memstream(&b->texts[i], &b->sizes[i]);
		if (!b->streams[i])
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

static void put_people(const struct sotto_census_output *o, FILE *f, size_t node,
		       const uint32_t *cells, const int64_t *counts, size_t n)
{
	const struct sotto_census_plan *p = &o->w->plan;
	uint32_t categories[SOTTO_CENSUS_ATTRIBUTES_MAX];

	for (size_t k = 0; k < n; k++) {
		sotto_census_cell_categories(&o->w->schema, cells[k], categories);
		for (int64_t i = 0; i < counts[k]; i++) {
			put_path(f, &o->w->shape, node);
			for (size_t a = 0; a < p->attribute_count; a++) {
				put_text(f, p->attributes[a].categories[categories[a]]);
				fputc(a + 1 < p->attribute_count ? ',' : '\n', f);
			}
		}
	}
}

static enum sotto_status put_node(void *context, void *batch, size_t node,
				  const uint32_t *cells, const int64_t *counts, size_t n)
{
	struct sotto_census_output *o = context;
	struct batch *b = batch;
	const struct sotto_census_plan *p = &o->w->plan;
	size_t level = sotto_census_level_of(&o->w->shape, node);

	for (size_t i = 0; i < o->file_count; i++) {
		size_t query = p->tables[o->files[i].table];
		const uint32_t *map = o->w->schema.maps[query];

		if (o->files[i].level != level)
			continue;
		memset(b->answers, 0, p->queries[query].cells * sizeof *b->answers);
		for (size_t k = 0; k < n; k++)
			b->answers[map[cells[k]]] += counts[k];
		put_rows(o, b->streams[i], &o->files[i], node, b->answers, NULL);
	}
	if (o->people && level + 1 == o->w->shape.level_count)
		put_people(o, b->streams[o->file_count], node, cells, counts, n);
	return SOTTO_OK;
}

static enum sotto_status end(void *context, void *batch)
{
	struct sotto_census_output *o = context;
	struct batch *b = batch;
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; i <= o->file_count; i++) {
		FILE *to = i < o->file_count ? o->files[i].f : o->people;

		if (fclose(b->streams[i]) != 0)
			st = SOTTO_EIO;
		else if (to && b->sizes[i] > 0 &&
			 fwrite(b->texts[i], 1, b->sizes[i], to) < b->sizes[i])
			st = SOTTO_EIO;
		free(b->texts[i]);
	}
	free(b->texts);
	free(b->sizes);
	free(b->streams);
	free(b->answers);
	free(b);
	return st;
}

void sotto_census_output_sink(struct sotto_census_output *o, struct sotto_census_sink *sink)
{
	*sink = (struct sotto_census_sink){
		.context = o, .begin = begin, .node = put_node, .end = end};
}

enum sotto_status sotto_census_output_naive(struct sotto_census_output *o, size_t node,
					    size_t table, const double *values)
{
	size_t level = sotto_census_level_of(&o->w->shape, node);

	for (size_t i = 0; i < o->file_count; i++)
		if (o->files[i].level == level && o->files[i].table == table)
			put_rows(o, o->files[i].f, &o->files[i], node, NULL, values);
	return SOTTO_OK;
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static enum sotto_status settle(FILE **f, const char *part, const char *name, bool parquet,
				struct sotto_engine *e, struct sotto_error *err)
{
	bool failed = ferror(*f) != 0;

	failed |= fclose(*f) != 0;
	*f = NULL;
	if (failed)
		return sotto_fail(err, SOTTO_EIO, "%.300s could not be written", part);
	if (parquet)
		return sotto_census_convert_parquet(e, part, name, err);
	if (rename(part, name) != 0)
		return sotto_fail(err, SOTTO_EIO, "%.300s could not be written", name);
	return SOTTO_OK;
}

static bool is_parquet(const char *name)
{
	size_t n = strlen(name);

	return n > 8 && strcmp(name + n - 8, ".parquet") == 0;
}

enum sotto_status
sotto_census_output_finish(struct sotto_census_output *o, struct sotto_error *err)
{
	bool people_parquet = o->people && is_parquet(o->people_name);
	struct sotto_engine *e = NULL;
	enum sotto_status st = SOTTO_OK;

	if (o->w->plan.parquet || people_parquet)
		st = sotto_census_tables_open(&e, err);
	for (size_t i = 0; st == SOTTO_OK && i < o->file_count; i++)
		st = settle(&o->files[i].f, o->files[i].part, o->files[i].name,
			    o->w->plan.parquet, e, err);
	if (st == SOTTO_OK && o->people)
		st = settle(&o->people, o->people_part, o->people_name, people_parquet, e, err);
	sotto_census_tables_close(e);
	return st;
}
