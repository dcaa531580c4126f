/*
 * (1) What stands in one record never decides how another one is read.
 * (2) A table that is refused leaves the manifest and the copies as they were.
 * (3) The manifest names only copies and maps that are whole and on the disk.
 * (4) A copy, or a map, can be read by the owner alone, from its first byte on; what a crash
 *     leaves of one is swept away.
 */
#include "sotto/owner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/seal/layout/seal_layout.h"
#include "central/seal/manifest/manifest_hold.h"
#include "central/seal/seal_columns.h"
#include "central/seal/seal_owners.h"
#include "central/seal/seal_path.h"
#include "central/seal/seal_promise.h"
#include "central/seal/seal_text.h"
#include "central/seal/typed/seal_typed.h"
#include "central/seal/seal_inside.h"
#include "central/seal/sealer.h"
#include "core/base/failure.h"

/* The report with its memory. */
struct held {
	struct sotto_seal_report report;
	struct sotto_arena arena;
};

enum { REPORT_MAX = 256 << 20 };

static enum sotto_status make_folder(const struct sotto_sealer *s)
{
	struct stat found;

	if (mkdir(s->policy->sealed, S_IRWXU) == 0)
		return SOTTO_OK;
	if (stat(s->policy->sealed, &found) == 0 && S_ISDIR(found.st_mode))
		return SOTTO_OK;
	return sotto_fail(s->err, SOTTO_EIO, "the folder %.200s could not be made",
			  s->policy->sealed);
}

/* ---- one table ------------------------------------------------------------------------------ */

static enum sotto_status begin_entry(struct sotto_sealer *s)
{
	s->entry = (struct sotto_sealed){
		.source = sotto_arena_text(s->arena, s->table->written),
		.table = sotto_sealed_inner(s->table),
		.layout = sotto_sealed_layout(s->arena, s->table),
		.kind = sotto_source_file_kind(sotto_source_kind(s->table->source)),
		.file_count = s->files.count,
		.files = sotto_arena_alloc(s->arena, s->files.count * sizeof *s->entry.files)};
	if (!s->entry.source || !s->entry.layout || !s->entry.files)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < s->files.count; i++)
		s->entry.files[i].name = s->files.names[i];
	return SOTTO_OK;
}

static enum sotto_status read_source(struct sotto_sealer *s)
{
	enum sotto_source_kind kind = sotto_source_kind(s->table->source);
	bool json = kind == SOTTO_SOURCE_JSON || kind == SOTTO_SOURCE_JSON_LINES;

	if (json && s->table->is_public)
		return sotto_seal_public_json(s);
	SOTTO_TRY(sotto_sealed_check_fields(s->policy, s->table, s->err));
	if (sotto_source_is_text(kind))
		return sotto_seal_text(s);
	return kind == SOTTO_SOURCE_PARQUET ? sotto_seal_parquet(s) : sotto_seal_database(s);
}

/* Names are copied: the report outlives the manifest, in which those of a kept table lie. */
static enum sotto_status tell_columns(struct sotto_sealer *s, const struct sotto_sealed *e)
{
	struct sotto_sealed_table *t = s->report;

	t->columns = sotto_arena_alloc(s->arena, (e->column_count + 1) * sizeof *t->columns);
	if (!t->columns)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < e->column_count; i++) {
		t->columns[i] = sotto_arena_text(s->arena, e->columns[i].name);
		if (!t->columns[i])
			return SOTTO_ENOMEM;
	}
	t->column_count = e->column_count;
	t->records = e->records;
	t->is_copied = e->copy != NULL;
	return SOTTO_OK;
}

/*
 * Sealed already, and nothing changed, nor what the owner says about line breaks: the entry now
 * has the times at which that was seen.
 */
static enum sotto_status keep_sealed(struct sotto_sealer *s, bool *kept)
{
	struct sotto_sealed_paths paths;
	const struct sotto_sealed *old;

	*kept = sotto_sealed_open(&s->manifest, s->policy, s->table, s->arena, &old, &paths,
				  NULL) == SOTTO_OK;
	*kept = *kept && sotto_seal_layout_is_known(s, old);
	if (!*kept)
		return SOTTO_OK;
	s->entry = *old;
	SOTTO_TRY(sotto_sealer_reads_alike(s, kept));
	if (!*kept)
		return SOTTO_OK;
	s->report->state = SOTTO_SEAL_KEPT;
	s->report->malformed = old->dropped;
	s->report->names_from_line =
		sotto_source_kind(s->table->source) == SOTTO_SOURCE_CSV && !s->table->names;
	SOTTO_TRY(sotto_seal_layout_note(s, old));
	return tell_columns(s, old);
}

static enum sotto_status check_kind(struct sotto_sealer *s)
{
	if (sotto_source_kind(s->table->source) != SOTTO_SOURCE_UNKNOWN)
		return SOTTO_OK;
	return sotto_fail(s->err, SOTTO_EPARSE,
			  "%.160s:%zu: the source of table %.60s must end in .csv, .tsv, "
			  ".json, .ndjson (each also with .gz), .parquet or .duckdb, or in / "
			  "for a folder of Parquet files",
			  s->policy->path, s->table->line, s->table->name);
}

/* The copy goes, unless it is that of an earlier sealing, with the same content. */
static void drop_copy(const struct sotto_sealer *s)
{
	const char *path;

	for (size_t i = 0; i < s->manifest.count; i++)
		if (s->entry.copy && s->manifest.entries[i].copy &&
		    strcmp(s->manifest.entries[i].copy, s->entry.copy) == 0)
			return;
	path = s->entry.copy
		       ? sotto_arena_textf(s->arena, "%s/%s", s->policy->sealed, s->entry.copy)
		       : NULL;
	if (path)
		(void)unlink(path);
}

/* What the policy says about the records, looked up in what queries will read. */
static enum sotto_status check_policy(struct sotto_sealer *s)
{
	SOTTO_TRY(sotto_seal_columns(s));
	SOTTO_TRY(sotto_seal_promises(s));
	if (s->report->state != SOTTO_SEAL_REFUSED)
		SOTTO_TRY(sotto_seal_paths(s));
	if (s->report->state == SOTTO_SEAL_REFUSED)
		drop_copy(s);
	return SOTTO_OK;
}

static enum sotto_status seal_table(struct sotto_sealer *s)
{
	bool kept;

	if (s->table->on_server) {
		s->report->state = SOTTO_SEAL_SERVER;
		return sotto_seal_path_note(s);
	}
	SOTTO_TRY(check_kind(s));
	SOTTO_TRY(sotto_files_find(&s->files, s->arena, s->table));
	SOTTO_TRY(keep_sealed(s, &kept));
	if (kept) {
		SOTTO_TRY(sotto_seal_columns(s));
		SOTTO_TRY(sotto_seal_owners(s));
		return sotto_manifest_put(&s->manifest, &s->entry);
	}
	if (s->files.count == 0)
		return sotto_sealer_unreadable(s);
	SOTTO_TRY(sotto_sealed_check_folders(s->policy, s->table, &s->files, s->err));
	SOTTO_TRY(begin_entry(s));
	SOTTO_TRY(read_source(s));
	if (s->report->state != SOTTO_SEAL_REFUSED)
		SOTTO_TRY(check_policy(s));
	if (s->report->state != SOTTO_SEAL_REFUSED)
		SOTTO_TRY(sotto_seal_layout(s));
	if (s->report->state != SOTTO_SEAL_REFUSED)
		SOTTO_TRY(sotto_seal_owners(s));
	SOTTO_TRY(tell_columns(s, &s->entry));
	return s->report->state == SOTTO_SEAL_REFUSED
		       ? SOTTO_OK
		       : sotto_manifest_put(&s->manifest, &s->entry);
}

/* ---- all tables ------------------------------------------------------------------------------- */

static bool is_wanted(const struct sotto_sealer *s, const char *name)
{
	if (s->options->table_count == 0)
		return true;
	for (size_t i = 0; i < s->options->table_count; i++)
		if (strcasecmp(s->options->tables[i], name) == 0)
			return true;
	return false;
}

static enum sotto_status check_names(const struct sotto_sealer *s)
{
	for (size_t i = 0; i < s->options->table_count; i++)
		if (!sotto_policy_table_find(s->policy, s->options->tables[i]))
			return sotto_fail(s->err, SOTTO_EMISSING,
					  "the policy %.160s has no table %.60s",
					  s->policy->path, s->options->tables[i]);
	return SOTTO_OK;
}

/* A misspelt unit would be no declaration at all. */
static enum sotto_status check_declaration(const struct sotto_sealer *s)
{
	const char *by = s->policy->spread.laid_out_by;

	for (size_t i = 0; by && i < s->policy->table_count; i++)
		if (sotto_layout_is_by(&s->policy->tables[i], by))
			return SOTTO_OK;
	return by ? sotto_fail(s->err, SOTTO_EPARSE,
			       "%.160s:%zu: laid_out_by: %.60s is not the unit of any table",
			       s->policy->path, s->policy->spread.line, by)
		  : SOTTO_OK;
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

static bool names(const struct sotto_sealed *e, const char *file)
{
	for (size_t i = 0; i < e->owners_count; i++)
		if (strcmp(e->owners[i].name, file) == 0)
			return true;
	return e->copy && strcmp(e->copy, file) == 0;
}

/*
 * Files that no entry names any more, and those of which only a part was written.  Where questions that began
 * before still read them, the next sealing takes them away.
 */
static void sweep(const struct sotto_sealer *s)
{
	static const char *const ends[] = {".parquet", ".parquet.new", SOTTO_OWNERS_END,
					   SOTTO_OWNERS_END ".new"};
	DIR *folder = opendir(s->policy->sealed);
	struct dirent *found;

	while (folder && (found = readdir(folder))) {
		bool is_ours = false, is_named = false;

		for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
			is_ours = is_ours || ends_in(found->d_name, ends[i]);
		for (size_t i = 0; i < s->manifest.count; i++)
			is_named = is_named || names(&s->manifest.entries[i], found->d_name);
		if (is_ours && !is_named)
			(void)unlinkat(dirfd(folder), found->d_name, 0);
	}
	if (folder)
		(void)closedir(folder);
}

static enum sotto_status seal_tables(struct sotto_sealer *s, struct sotto_seal_report *report)
{
	report->tables = sotto_arena_alloc(s->arena, (s->policy->table_count + 1) *
							     sizeof *report->tables);
	if (!report->tables)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < s->policy->table_count; i++) {
		s->table = &s->policy->tables[i];
		if (!is_wanted(s, s->table->name))
			continue;
		s->report = &report->tables[report->table_count++];
		s->report->name = sotto_arena_text(s->arena, s->table->name);
		s->report->source = sotto_arena_text(s->arena, s->table->written);
		if (!s->report->name || !s->report->source)
			return SOTTO_ENOMEM;
		SOTTO_TRY(seal_table(s));
		report->refused += s->report->state == SOTTO_SEAL_REFUSED;
	}
	return SOTTO_OK;
}

/* True unless tables of the policy have that source and none reads it so any more. */
static bool is_current(const struct sotto_sealer *s, const struct sotto_sealed *e)
{
	bool has_source = false;

	for (size_t i = 0; i < s->policy->table_count; i++) {
		const struct sotto_policy_table *t = &s->policy->tables[i];
		const char *inner = t->on_server ? NULL : sotto_sealed_inner(t);
		const char *layout;

		if (t->on_server || strcmp(e->source, t->written) != 0 ||
		    strcasecmp(e->table ? e->table : "", inner ? inner : "") != 0)
			continue;
		layout = sotto_sealed_layout(s->arena, t);
		if (!layout || strcmp(layout, e->layout) == 0)
			return true;
		has_source = true;
	}
	return !has_source;
}

static void prune(struct sotto_sealer *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->manifest.count; i++)
		if (is_current(s, &s->manifest.entries[i]))
			s->manifest.entries[kept++] = s->manifest.entries[i];
	s->manifest.count = kept;
}

static enum sotto_status save(struct sotto_sealer *s)
{
	int before = sotto_manifest_mark(s->policy->sealed);

	prune(s);
	if (sotto_manifest_save(&s->manifest) != SOTTO_OK) {
		sotto_manifest_let_go(&before);
		return sotto_fail(s->err, SOTTO_EIO, "%.200s could not be written",
				  s->policy->sealed);
	}
	if (sotto_manifest_wait(before))
		sweep(s);
	return SOTTO_OK;
}

static enum sotto_status seal_alone(struct sotto_sealer *s, struct sotto_seal_report *report)
{
	enum sotto_status st = sotto_manifest_load(&s->manifest, s->policy->sealed), saved;

	/* A damaged manifest is made anew; sealing is how it is repaired. */
	if (st == SOTTO_OK || st == SOTTO_ECORRUPT) {
		st = seal_tables(s, report);
		saved = s->manifest.count > 0 ? save(s) : SOTTO_OK;
		st = st == SOTTO_OK ? saved : st;
	} else {
		st = sotto_fail(s->err, st, "%.200s could not be read", s->policy->sealed);
	}
	sotto_manifest_release(&s->manifest);
	return st;
}

/*
 * One after the other: each would write a manifest without the tables of the other, and
 * sweep away what the other is writing.  The lock ends with the descriptor.
 */
static int enter_folder(const char *folder)
{
	int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
		continue;
	return lock;
}

static enum sotto_status seal(struct held *held, const struct sotto_policy *policy,
			      const struct sotto_seal_options *options, struct sotto_error *err)
{
	struct sotto_sealer s = {
		.policy = policy, .options = options, .arena = &held->arena, .err = err};
	enum sotto_status st;
	int lock;

	SOTTO_TRY(check_names(&s));
	SOTTO_TRY(check_declaration(&s));
	SOTTO_TRY(make_folder(&s));
	lock = enter_folder(policy->sealed);
	if (lock < 0)
		return sotto_fail(err, SOTTO_EIO, "%.200s could not be read", policy->sealed);
	st = seal_alone(&s, &held->report);
	(void)close(lock);
	return st;
}

enum sotto_status sotto_sealer_seal(const struct sotto_policy *policy,
				    const struct sotto_seal_options *options,
				    struct sotto_seal_report **out, struct sotto_error *err)
{
	struct held *held = calloc(1, sizeof *held);
	enum sotto_status st;

	if (!held)
		return SOTTO_ENOMEM;
	sotto_arena_init(&held->arena, REPORT_MAX);
	st = seal(held, policy, options, err);
	if (st == SOTTO_OK)
		*out = &held->report;
	else
		sotto_seal_report_free(&held->report);
	return st;
}

enum sotto_status sotto_policy_seal(const char *policy,
				    const struct sotto_seal_options *options,
				    struct sotto_seal_report **out, struct sotto_error *err)
{
	static const struct sotto_seal_options defaults;
	struct sotto_policy p;
	enum sotto_status st;

	if (!policy || !out)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_policy_load(&p, policy, err));
	st = sotto_sealer_seal(&p, options ? options : &defaults, out, err);
	sotto_policy_release(&p);
	return st;
}

void sotto_seal_report_free(struct sotto_seal_report *r)
{
	struct held *held = (struct held *)r;

	if (!held)
		return;
	sotto_arena_release(&held->arena);
	free(held);
}
