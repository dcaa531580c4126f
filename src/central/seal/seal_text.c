/*
 * Sealing a text: survey every file, report what is wrong, write the copy.
 */
#include "central/seal/seal_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "central/policy/schema.h"
#include "central/seal/sealer.h"
#include "central/seal/text/record_rows.h"
#include "core/base/failure.h"

enum { NAMES_MAX = 1 << 20 };

/* ---- names ------------------------------------------------------------------------------------ */

static enum sotto_status first_line(const char *path, char **line, size_t *length)
{
	struct sotto_window w;
	const char *end = NULL;
	enum sotto_status st;

	SOTTO_TRY(sotto_window_open(&w, path));
	st = sotto_window_fill(&w, NAMES_MAX);
	if (st == SOTTO_OK && sotto_window_length(&w) == 0)
		st = SOTTO_EPARSE;
	if (st == SOTTO_OK) {
		end = memchr(sotto_window_bytes(&w), '\n', sotto_window_length(&w));
		*length =
			end ? (size_t)(end - sotto_window_bytes(&w)) : sotto_window_length(&w);
		*line = malloc(*length + 1);
		st = *line ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (st == SOTTO_OK) {
		memcpy(*line, sotto_window_bytes(&w), *length);
		(*line)[*length] = '\0';
	}
	sotto_window_close(&w);
	return st;
}

static bool ends(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* A file without a header shows no delimiter but in records, which may not decide. */
static char default_delimiter(const struct sotto_policy_table *t)
{
	if (t->delimiter)
		return *t->delimiter;
	return ends(t->source, ".tsv") || ends(t->source, ".tsv.gz") ? '\t' : ',';
}

enum sotto_status sotto_csv_names(struct sotto_arena *a, const struct sotto_policy_table *t,
				  const char *path, const char ***names, size_t *count,
				  char *delimiter, struct sotto_error *err)
{
	enum sotto_status st;
	size_t length;
	char *line;

	*names = t->names;
	*count = t->name_count;
	*delimiter = default_delimiter(t);
	if (t->has_no_header)
		return SOTTO_OK;
	st = first_line(path, &line, &length);
	if (st == SOTTO_EPARSE)
		return sotto_fail(err, st,
				  "%.200s is empty; its first line must have the names of the "
				  "columns",
				  path);
	SOTTO_TRY(st);
	st = sotto_csv_header(a, line, length, names, count, delimiter, err);
	free(line);
	if (st == SOTTO_OK && t->names) {
		*names = t->names;
		*count = t->name_count;
	}
	if (t->delimiter)
		*delimiter = *t->delimiter;
	return st;
}

static bool are_same(const char *const *x, size_t n, const char *const *y, size_t m)
{
	for (size_t i = 0; n == m && i < n; i++)
		if (strcasecmp(x[i], y[i]) != 0)
			return false;
	return n == m;
}

/* ---- the files of a table --------------------------------------------------------------------- */

struct job {
	struct sotto_sealer *sealer;
	struct sotto_text *texts;
	struct sotto_survey *surveys;
	struct sotto_identity *ids;
	const char **names;
	size_t count, surveyed;
};

static void on_progress(void *context, uint64_t taken)
{
	struct sotto_sealer *s = context;

	if (s->options->progress)
		s->options->progress(s->options->context, s->file, taken, s->file_size);
}

static enum sotto_status name_columns(struct job *j, size_t i)
{
	struct sotto_sealer *s = j->sealer;
	struct sotto_text *t = &j->texts[i];
	enum sotto_status st;
	const char **names;
	size_t count;

	if (t->dialect.kind != SOTTO_TEXT_CSV)
		return i == 0 ? sotto_sealed_fields(s->arena, s->table, &j->names, &j->count)
			      : SOTTO_OK;
	st = sotto_csv_names(s->arena, s->table, t->path, &names, &count, &t->dialect.delimiter,
			     s->err);
	if (st == SOTTO_EIO)
		return sotto_sealer_unreadable(s);
	SOTTO_TRY(st);
	t->dialect.columns = count;
	t->skips_line = !s->table->has_no_header;
	s->report->names_from_line = t->skips_line && !s->table->names;
	if (i > 0 && !are_same(names, count, j->names, j->count))
		return sotto_fail(s->err, SOTTO_EPARSE,
				  "%.200s has other columns than the first file of table %.60s",
				  t->path, s->table->name);
	j->names = names;
	j->count = count;
	return SOTTO_OK;
}

static enum sotto_status
tell(struct sotto_sealer *s, const char *file, const struct sotto_survey *survey)
{
	s->report->malformed += survey->malformed;
	s->report->ambiguous += survey->ambiguous;
	for (size_t i = 0; i < survey->finding_count; i++) {
		const struct sotto_finding *f = &survey->findings[i];
		struct sotto_seal_flaw flaw = {
			.file = file,
			.line = f->line,
			.last_line = f->last_line,
			.is_ambiguous = f->is_ambiguous,
			.reason = f->is_ambiguous ? "one record with line breaks, or several "
						    "records"
						  : sotto_flaw_text(f->flaw)};

		SOTTO_TRY(sotto_sealer_add_flaw(s, &flaw));
	}
	return SOTTO_OK;
}

static enum sotto_status survey_file(struct job *j, size_t i)
{
	struct sotto_sealer *s = j->sealer;
	enum sotto_source_kind kind = sotto_source_kind(s->table->source);
	struct sotto_text *t = &j->texts[i];
	enum sotto_status st;

	*t = (struct sotto_text){.path = s->files.paths[i],
				 .line_breaks = s->options->line_breaks};
	t->dialect.kind = kind == SOTTO_SOURCE_CSV    ? SOTTO_TEXT_CSV
			  : kind == SOTTO_SOURCE_JSON ? SOTTO_TEXT_JSON
						      : SOTTO_TEXT_JSON_LINES;
	SOTTO_TRY(name_columns(j, i));
	if (sotto_identity_take(&j->ids[i], t->path, SOTTO_FILE_TEXT) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	s->file = s->files.names[i];
	s->file_size = j->ids[i].size * 2; /* it is read twice */
	st = sotto_text_survey(t, &j->surveys[i], on_progress, s);
	if (st == SOTTO_EIO)
		return sotto_sealer_unreadable(s);
	SOTTO_TRY(st);
	j->surveyed = i + 1;
	return tell(s, s->files.names[i], &j->surveys[i]);
}

/* ---- the copy ----------------------------------------------------------------------------------- */

static enum sotto_status check_unchanged(const struct job *j)
{
	struct sotto_sealer *s = j->sealer;

	for (size_t i = 0; i < s->files.count; i++)
		if (sotto_identity_check(&j->ids[i], s->files.paths[i], SOTTO_FILE_TEXT) !=
		    SOTTO_OK)
			return sotto_fail(s->err, SOTTO_EIO,
					  "%.200s changed while it was read; run sotto seal "
					  "again when it is whole",
					  s->files.paths[i]);
	return SOTTO_OK;
}

static enum sotto_status copy_rows(struct job *j, struct sotto_database *d)
{
	struct sotto_sealer *s = j->sealer;
	struct sotto_record_rows rows = {.texts = j->texts,
					 .surveys = j->surveys,
					 .text_count = s->files.count,
					 .names = j->names,
					 .column_count = j->count,
					 .progress = on_progress,
					 .context = s};
	enum sotto_status st;

	SOTTO_TRY(sotto_rows_register(&rows, d));
	st = sotto_sealer_write_copy(s, d, "SELECT * FROM sotto_rows()");
	sotto_rows_release(&rows);
	if (st != SOTTO_OK && rows.status != SOTTO_OK)
		SOTTO_TRY(check_unchanged(j));
	SOTTO_TRY(st);
	s->entry.records = rows.records;
	s->entry.dropped = s->report->malformed;
	return check_unchanged(j);
}

static enum sotto_status record(struct job *j)
{
	struct sotto_sealer *s = j->sealer;

	for (size_t i = 0; i < j->count; i++)
		SOTTO_TRY(sotto_sealer_add_column(s, j->names[i], NULL));
	for (size_t i = 0; i < s->files.count; i++)
		s->entry.files[i].id = j->ids[i];
	return SOTTO_OK;
}

static enum sotto_status seal_files(struct job *j)
{
	struct sotto_database d;
	enum sotto_status st;

	for (size_t i = 0; i < j->sealer->files.count; i++)
		SOTTO_TRY(survey_file(j, i));
	SOTTO_TRY(record(j));
	if (sotto_sealer_refuses(j->sealer))
		return SOTTO_OK;
	SOTTO_TRY(sotto_database_open(&d, j->sealer->err));
	st = copy_rows(j, &d);
	sotto_database_close(&d);
	return st;
}

enum sotto_status sotto_seal_text(struct sotto_sealer *s)
{
	size_t n = s->files.count;
	struct job j = {.sealer = s,
			.texts = calloc(n, sizeof *j.texts),
			.surveys = calloc(n, sizeof *j.surveys),
			.ids = calloc(n, sizeof *j.ids)};
	enum sotto_status st = SOTTO_ENOMEM;

	if (j.texts && j.surveys && j.ids)
		st = seal_files(&j);
	for (size_t i = 0; i < j.surveyed; i++)
		sotto_survey_release(&j.surveys[i]);
	free(j.texts);
	free(j.surveys);
	free(j.ids);
	return st;
}
