/*
 * (1) The destination appears under its name only when it is whole and on the disk.
 * (2) Every row of the source is in it once, in the folder of its bucket: compared before (1).
 * (3) Memory does not grow with the source.
 */
#include "sotto/owner.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "central/spread/bucket.h"
#include "central/seal/layout/layout_slices.h"
#include "central/seal/layout/layout_text.h"
#include "central/seal/layout/layout_verify.h"
#include "central/seal/policy_workers.h"
#include "core/base/failure.h"

enum { ARENA = 1 << 30 };

struct job {
	const struct sotto_layout_options *how;
	struct sotto_arena arena;
	struct sotto_policy policy;
	bool has_policy;
	struct sotto_database database;
	struct sotto_layout_source source;
	struct sotto_layout_folder folder;
	struct sotto_layout layout;
	struct sotto_error *err;
};

static void tell(const struct sotto_layout_options *how, const char *what, uint64_t done)
{
	if (how->progress)
		how->progress(how->context, what, done, 100);
}

static const char *unit_of(const struct sotto_layout_options *how)
{
	return strcmp(how->unit, SOTTO_LAYOUT_ROW) == 0 ? SOTTO_LAYOUT_BY_ROW : how->unit;
}

/* ---- which job it is ---------------------------------------------------------------------- */

/* What an interrupted attempt must have in common with this one for it to go on. */
static enum sotto_status describe(const struct job *j, struct sotto_buffer *b)
{
	const struct sotto_bucket_vector *v;

	SOTTO_TRY(sotto_buffer_appendf(b, "%s\n%s\n%" PRIu32 "\n%" PRIu64 "\n", SOTTO_VERSION,
				       unit_of(j->how), j->how->buckets, j->how->slice));
	for (size_t i = 0; (v = sotto_bucket_vector(i)); i++)
		SOTTO_TRY(sotto_buffer_appendf(b, "%" PRIu64 "\n", v->hash));
	for (size_t i = 0; i < j->source.table->name_count; i++)
		SOTTO_TRY(sotto_buffer_appendf(b, "%s\n", j->source.table->names[i]));
	for (size_t i = 0; i < j->source.table->column_count; i++)
		SOTTO_TRY(sotto_buffer_appendf(b, "%s\n", j->source.table->columns[i].name));
	for (size_t i = 0; i < j->source.files.count; i++)
		SOTTO_TRY(sotto_buffer_appendf(b, "%s %" PRIu64 " %s\n",
					       j->source.files.paths[i], j->source.ids[i].size,
					       j->source.ids[i].digest));
	return SOTTO_OK;
}

static enum sotto_status name_job(const struct job *j, char name[33])
{
	unsigned char digest[32];
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, (size_t)256 << 20);
	st = describe(j, &b);
	if (st == SOTTO_OK &&
	    EVP_Digest(sotto_buffer_text(&b), b.length, digest, NULL, EVP_sha256(), NULL) != 1)
		st = SOTTO_ENOMEM;
	sotto_buffer_release(&b);
	for (size_t i = 0; st == SOTTO_OK && i < 16; i++)
		(void)snprintf(name + 2 * i, 3, "%02x", digest[i]);
	return st;
}

/* ---- the manifest ------------------------------------------------------------------------- */

static enum sotto_status take_files(struct job *j, struct sotto_files *files)
{
	size_t inside = strlen(j->folder.unfinished) + 1;

	SOTTO_TRY(sotto_layout_files(files, &j->arena, j->folder.unfinished));
	for (size_t i = 0; i < files->count; i++) {
		struct sotto_layout_file *f =
			SOTTO_PUSH(&j->arena, j->layout.files, j->layout.count);
		struct sotto_identity id;

		if (!f)
			return SOTTO_ENOMEM;
		SOTTO_TRY(sotto_identity_take(&id, files->paths[i], SOTTO_FILE_PARQUET));
		*f = (struct sotto_layout_file){files->paths[i] + inside, id.size,
						sotto_arena_text(&j->arena, id.digest)};
		if (!f->digest)
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

/* All rows are in the files, by their footers; if files had been moved before, by every row. */
static enum sotto_status check_files(struct job *j, const struct sotto_files *files)
{
	struct sotto_layout_count found = {0};

	if (files->count > 0)
		SOTTO_TRY(sotto_layout_count_rows(&j->database, &j->arena, files->paths,
						  files->count,
						  j->folder.is_gathered ? j->layout.unit : NULL,
						  j->layout.buckets, &found));
	if (found.rows == j->source.total && found.misplaced == 0)
		return SOTTO_OK;
	return sotto_fail(j->err, SOTTO_ESTATE,
			  "what was written is not what %.200s holds; run sotto layout again",
			  j->how->source);
}

static enum sotto_status finish(struct job *j, uint32_t slices)
{
	struct sotto_files files;

	SOTTO_TRY(sotto_layout_folder_gather(&j->folder, &j->arena, slices));
	SOTTO_TRY(take_files(j, &files));
	j->layout.unit = unit_of(j->how);
	j->layout.buckets = j->how->buckets;
	j->layout.rows = j->source.total;
	SOTTO_TRY(check_files(j, &files));
	SOTTO_TRY(sotto_layout_save(&j->layout, j->folder.unfinished));
	return sotto_layout_folder_keep(&j->folder);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static enum sotto_status write_slices(struct job *j)
{
	struct sotto_layout_slices slices = {.source = &j->source,
					     .folder = &j->folder,
					     .how = j->how,
					     .policy = j->has_policy ? &j->policy : NULL,
					     .database = &j->database,
					     .arena = &j->arena,
					     .err = j->err};
	const char *copy = NULL;
	enum sotto_status st;

	if (j->source.is_text) {
		copy = sotto_arena_textf(&j->arena, "%s/_source.parquet", j->folder.job);
		if (!copy)
			return SOTTO_ENOMEM;
		SOTTO_TRY(sotto_layout_text_copy(&j->source, &j->arena, copy, j->how, j->err));
	}
	SOTTO_TRY(sotto_layout_source_ready(&j->source, &j->arena, &j->database, copy, j->err));
	SOTTO_TRY(sotto_layout_slices_cut(&slices));
	if (!j->folder.is_gathered)
		SOTTO_TRY(sotto_layout_slices_run(&slices));
	SOTTO_TRY(sotto_layout_source_check(&j->source, j->err));
	st = finish(j, (uint32_t)slices.count);
	return st == SOTTO_EIO ? sotto_fail(j->err, st,
					    "the files in %.200s could not be kept; is there "
					    "room on the disk?",
					    j->folder.unfinished)
			       : st;
}

static enum sotto_status write_locked(struct job *j)
{
	char name[33] = "";
	enum sotto_status st = name_job(j, name);

	if (st == SOTTO_OK)
		st = sotto_layout_folder_start(&j->folder, &j->arena, name);
	if (st == SOTTO_EIO)
		return sotto_fail(j->err, st, "the folder %.200s could not be written",
				  j->folder.unfinished);
	SOTTO_TRY(st);
	SOTTO_TRY(sotto_database_open(&j->database, j->err));
	st = write_slices(j);
	sotto_database_close(&j->database);
	return st;
}

/* What workers have done stays for the next attempt, unless it is found to be wrong. */
static enum sotto_status write_named(struct job *j)
{
	enum sotto_status st;

	SOTTO_TRY(sotto_layout_source_find(&j->source, &j->arena, j->how->source,
					   j->has_policy ? &j->policy : NULL, j->err));
	SOTTO_TRY(sotto_layout_folder_open(&j->folder, &j->arena, j->how->destination, j->err));
	st = write_locked(j);
	if (st != SOTTO_OK)
		sotto_layout_folder_clear(&j->folder, st == SOTTO_EIO);
	sotto_layout_folder_close(&j->folder);
	return st;
}

static void report_on(const struct sotto_layout *l, struct sotto_layout_report *out)
{
	*out = (struct sotto_layout_report){
		.buckets = l->buckets, .files = l->count, .rows = l->rows};
	for (size_t i = 0; i < l->count; i++)
		out->bytes += l->files[i].size;
}

static enum sotto_status load_policy(struct job *j)
{
	if (!j->how->policy)
		return SOTTO_OK;
	SOTTO_TRY(sotto_policy_load(&j->policy, j->how->policy, j->err));
	j->has_policy = true;
	return sotto_policy_workers_check(&j->policy, j->err);
}

enum sotto_status sotto_layout_write(const struct sotto_layout_options *options,
				     struct sotto_layout_report *report,
				     struct sotto_error *err)
{
	struct sotto_error said = {""};
	struct job j = {.how = options, .err = &said};
	enum sotto_status st;

	if (!options || !options->source || !options->destination || !options->unit || !report)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a layout needs a source, a destination and a unit");
	if (options->buckets < 1 || options->buckets > SOTTO_BUCKETS_MAX)
		return sotto_fail(err, SOTTO_ERANGE, "there can be 1 to %d buckets",
				  SOTTO_BUCKETS_MAX);
	sotto_arena_init(&j.arena, ARENA);
	st = load_policy(&j);
	if (st == SOTTO_OK)
		st = write_named(&j);
	if (st == SOTTO_OK)
		report_on(&j.layout, report);
	else if (err)
		*err = said;
	if (j.has_policy)
		sotto_policy_release(&j.policy);
	sotto_arena_release(&j.arena);
	return st;
}

/* ---- checking ------------------------------------------------------------------------------------------- */

struct checking {
	const char *folder;
	struct sotto_arena arena;
	struct sotto_layout layout;
	struct sotto_error *err;
};

static enum sotto_status check_rows(struct checking *j, const struct sotto_files *files)
{
	struct sotto_layout_count found = {0};
	enum sotto_status st = SOTTO_OK;

	if (files->count > 0) {
		struct sotto_database d;

		SOTTO_TRY(sotto_database_open(&d, j->err));
		st = sotto_layout_count_rows(&d, &j->arena, files->paths, files->count,
					     j->layout.unit, j->layout.buckets, &found);
		sotto_database_close(&d);
	}
	if (st != SOTTO_OK)
		return sotto_fail(j->err, st == SOTTO_ENOMEM ? st : SOTTO_EIO,
				  "the files of %.200s could not be read", j->folder);
	if (found.misplaced > 0 || found.rows != j->layout.rows)
		return sotto_fail(j->err, SOTTO_ESTATE,
				  "rows of %.200s do not lie in the bucket of their %.60s; run "
				  "sotto layout again from the source",
				  j->folder, j->layout.unit);
	return SOTTO_OK;
}

static enum sotto_status check_folder(struct checking *j)
{
	enum sotto_status st = sotto_layout_load(&j->layout, &j->arena, j->folder);
	struct sotto_files files;

	if (st == SOTTO_EMISSING)
		return sotto_fail(j->err, st, "%.200s has no " SOTTO_LAYOUT_NAME, j->folder);
	if (st != SOTTO_OK)
		return sotto_fail(j->err, st,
				  "%.200s/" SOTTO_LAYOUT_NAME " is damaged, or of another "
				  "version of sotto or of its engine; run sotto layout again",
				  j->folder);
	SOTTO_TRY(sotto_layout_files(&files, &j->arena, j->folder));
	if (sotto_layout_check_files(&j->layout, &files, j->folder) != SOTTO_OK)
		return sotto_fail(
			j->err, SOTTO_ESTATE,
			"the files of %.200s are not those that sotto layout wrote; run "
			"it again",
			j->folder);
	return check_rows(j, &files);
}

enum sotto_status sotto_layout_check(const char *folder, sotto_layout_progress_fn progress,
				     void *context, struct sotto_layout_report *report,
				     struct sotto_error *err)
{
	const struct sotto_layout_options how = {.progress = progress, .context = context};
	struct checking c = {.err = err};
	enum sotto_status st;

	if (!folder || !report)
		return sotto_fail(err, SOTTO_EINVAL, "a check needs a folder");
	sotto_arena_init(&c.arena, ARENA);
	c.folder = sotto_layout_plain_path(&c.arena, folder);
	tell(&how, "checking", 0);
	st = c.folder ? check_folder(&c) : SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		report_on(&c.layout, report);
	sotto_arena_release(&c.arena);
	return st;
}
