/*
 * Surveys every text first and refuses one with a flaw; then the records go through the engine
 * into a file that nobody else can read, which is renamed when it is whole.
 */
#include "central/seal/layout/layout_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "central/seal/manifest/sealed.h"
#include "central/seal/parquet_copy.h"
#include "central/seal/seal_text.h"
#include "central/seal/text/record_rows.h"
#include "core/base/failure.h"

struct reading {
	const struct sotto_layout_source *source;
	const struct sotto_layout_options *how;
	struct sotto_text *texts;
	struct sotto_survey *surveys;
	size_t surveyed;
	const char **names;
	size_t count;
	uint64_t size; /* of the file at hand, twice: it is read twice */
	struct sotto_error *err;
};

static void on_progress(void *context, uint64_t taken)
{
	const struct reading *r = context;

	if (r->how->progress)
		r->how->progress(r->how->context, "reading", taken, r->size);
}

/* ---- surveys ------------------------------------------------------------------------ */

static enum sotto_status name_columns(struct reading *r, struct sotto_arena *a, size_t i)
{
	const struct sotto_policy_table *t = r->source->table;
	struct sotto_text *text = &r->texts[i];
	const char **names;
	size_t count;

	if (text->dialect.kind != SOTTO_TEXT_CSV)
		return i == 0 ? sotto_sealed_fields(a, t, &r->names, &r->count) : SOTTO_OK;
	SOTTO_TRY(sotto_csv_names(a, t, text->path, &names, &count, &text->dialect.delimiter,
				  r->err));
	text->dialect.columns = count;
	text->skips_line = !t->has_no_header;
	for (size_t k = 0; i > 0 && k < count; k++)
		if (count != r->count || strcmp(names[k], r->names[k]) != 0)
			return sotto_fail(r->err, SOTTO_EPARSE,
					  "%.200s has other columns than the first file",
					  text->path);
	r->names = names;
	r->count = count;
	return SOTTO_OK;
}

static enum sotto_status refuse_flaws(struct reading *r, size_t i)
{
	const struct sotto_survey *v = &r->surveys[i];

	if (v->malformed + v->ambiguous == 0)
		return SOTTO_OK;
	return sotto_fail(
		r->err, SOTTO_EPARSE,
		"%.200s:%" PRIu64 ": a record is malformed or can be read in two ways "
		"(%" PRIu64 " in all); repair it, or seal the table with --drop-malformed "
		"or --line-breaks and lay out the copy in sotto-sealed/",
		r->texts[i].path, v->finding_count ? v->findings[0].line : 0,
		v->malformed + v->ambiguous);
}

static enum sotto_status survey(struct reading *r, struct sotto_arena *a, size_t i)
{
	enum sotto_source_kind kind = sotto_source_kind(r->source->table->source);
	struct sotto_text *text = &r->texts[i];

	*text = (struct sotto_text){.path = r->source->files.paths[i]};
	text->dialect.kind = kind == SOTTO_SOURCE_CSV    ? SOTTO_TEXT_CSV
			     : kind == SOTTO_SOURCE_JSON ? SOTTO_TEXT_JSON
							 : SOTTO_TEXT_JSON_LINES;
	r->size = 2 * r->source->ids[i].size;
	SOTTO_TRY(name_columns(r, a, i));
	SOTTO_TRY(sotto_text_survey(text, &r->surveys[i], on_progress, r));
	r->surveyed = i + 1;
	return refuse_flaws(r, i);
}

/* ---- the copy ----------------------------------------------------------------------- */

static enum sotto_status
write_copy(struct reading *r, struct sotto_arena *a, const char *path, struct sotto_database *d)
{
	const char *temporary;
	struct sotto_record_rows rows = {.texts = r->texts,
					 .surveys = r->surveys,
					 .text_count = r->source->files.count,
					 .names = r->names,
					 .column_count = r->count,
					 .progress = on_progress,
					 .context = r};
	enum sotto_status st;

	SOTTO_TRY(sotto_rows_register(&rows, d));
	st = sotto_parquet_copy_write(d, a, "SELECT * FROM sotto_rows()", path, &temporary);
	sotto_rows_release(&rows);
	SOTTO_TRY(st);
	st = sotto_layout_source_check(r->source, r->err);
	if (st == SOTTO_OK)
		return sotto_parquet_copy_keep(temporary, path);
	(void)unlink(temporary);
	return st;
}

static enum sotto_status read_texts(struct reading *r, struct sotto_arena *a, const char *path)
{
	struct sotto_database d;
	enum sotto_status st;

	for (size_t i = 0; i < r->source->files.count; i++)
		SOTTO_TRY(survey(r, a, i));
	SOTTO_TRY(sotto_database_open(&d, r->err));
	st = write_copy(r, a, path, &d);
	sotto_database_close(&d);
	return st;
}

enum sotto_status sotto_layout_text_copy(const struct sotto_layout_source *s,
					 struct sotto_arena *a, const char *path,
					 const struct sotto_layout_options *how,
					 struct sotto_error *err)
{
	size_t n = s->files.count;
	struct reading r = {.source = s,
			    .how = how,
			    .texts = calloc(n, sizeof *r.texts),
			    .surveys = calloc(n, sizeof *r.surveys),
			    .err = err};
	enum sotto_status st = SOTTO_ENOMEM;

	if (access(path, R_OK) == 0)
		st = SOTTO_OK;
	else if (r.texts && r.surveys)
		st = read_texts(&r, a, path);
	for (size_t i = 0; i < r.surveyed; i++)
		sotto_survey_release(&r.surveys[i]);
	free(r.texts);
	free(r.surveys);
	if (st == SOTTO_EIO && !err->text[0])
		return sotto_fail(err, st,
				  "the text %.200s could not be read, or there is no room "
				  "beside the folder that is written",
				  s->given);
	return st;
}
