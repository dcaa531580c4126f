/*
 * Compares the list of files, then every row; a layout that does not hold is a broken promise
 * in the report.
 */
#include "central/seal/layout/seal_layout.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "central/seal/layout/layout_verify.h"
#include "core/base/failure.h"
#include "sotto/owner.h"

enum { ARENA = 256 << 20 };

/* The folder of a source, without the / at its end; NULL if it is not one, or no memory. */
static const char *folder_of(struct sotto_arena *a, const struct sotto_policy_table *t)
{
	size_t n = strlen(t->source);

	if (n < 2 || t->source[n - 1] != '/')
		return NULL;
	return sotto_arena_textf(a, "%.*s", (int)n - 1, t->source);
}

static enum sotto_status refuse(struct sotto_sealer *s, const char *reason)
{
	struct sotto_seal_flaw flaw = {
		.file = s->table->written, .is_promise = true, .reason = reason};

	s->report->broken_promises++;
	s->report->state = SOTTO_SEAL_REFUSED;
	return reason ? sotto_sealer_add_flaw(s, &flaw) : SOTTO_ENOMEM;
}

static enum sotto_status check_rows(struct sotto_sealer *s, const struct sotto_layout *l)
{
	struct sotto_layout_count found = {0};
	struct sotto_database d;
	enum sotto_status st;

	SOTTO_TRY(sotto_database_open(&d, s->err));
	st = sotto_layout_count_rows(&d, s->arena, s->files.paths, s->files.count, l->unit,
				     l->buckets, &found);
	sotto_database_close(&d);
	if (st == SOTTO_ENOMEM)
		return st;
	if (st == SOTTO_OK && found.misplaced == 0 && found.rows == l->rows) {
		s->entry.laid_out_by = l->unit;
		s->entry.buckets = l->buckets;
		return SOTTO_OK;
	}
	return refuse(s, sotto_arena_textf(
				 s->arena,
				 SOTTO_LAYOUT_NAME
				 " says that rows lie in buckets of %.60s, but not all do; run "
				 "sotto layout again, or remove that file",
				 l->unit));
}

static enum sotto_status check_folder(struct sotto_sealer *s, const char *folder)
{
	struct sotto_layout l;
	enum sotto_status st = sotto_layout_load(&l, s->arena, folder);

	if (st == SOTTO_EMISSING)
		return SOTTO_OK;
	if (st == SOTTO_ENOMEM)
		return st;
	if (st != SOTTO_OK)
		return refuse(
			s, SOTTO_LAYOUT_NAME
			" is damaged, or of another version of sotto or of its engine; run "
			"sotto layout again, or remove that file");
	if (sotto_layout_check_files(&l, &s->files, folder) != SOTTO_OK)
		return refuse(s, "the files are not those that " SOTTO_LAYOUT_NAME
				 " names; run sotto layout again, or remove that file");
	return check_rows(s, &l);
}

static const char *unit_name(const struct sotto_policy_table *t)
{
	return t->unit_is_row ? SOTTO_LAYOUT_ROW : t->unit;
}

bool sotto_layout_is_by(const struct sotto_policy_table *t, const char *declared)
{
	const char *unit = unit_name(t);

	return declared && unit && strcasecmp(declared, unit) == 0;
}

/* Whether the policy says that the files of the table lie in buckets of its unit. */
static bool is_declared(const struct sotto_sealer *s)
{
	return sotto_layout_is_by(s->table, s->policy->spread.laid_out_by) &&
	       sotto_source_kind(s->table->source) == SOTTO_SOURCE_PARQUET;
}

static bool is_laid_out(const struct sotto_sealer *s, const struct sotto_sealed *e)
{
	const char *by = s->table->unit_is_row ? SOTTO_LAYOUT_BY_ROW : s->table->unit;

	return e->laid_out_by && by && strcasecmp(e->laid_out_by, by) == 0;
}

enum sotto_status sotto_seal_layout_note(struct sotto_sealer *s, const struct sotto_sealed *e)
{
	uint32_t workers = s->policy->spread.buckets;

	if (!e->laid_out_by || workers == 0 || e->buckets % workers == 0)
		return SOTTO_OK;
	s->report->note = sotto_arena_textf(
		s->arena,
		"it is laid out in %" PRIu32 " buckets, which buckets: %" PRIu32
		" of the policy does "
		"not divide, so every worker reads all of it; write a divisor of %" PRIu32,
		e->buckets, workers, e->buckets);
	return s->report->note ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_seal_layout(struct sotto_sealer *s)
{
	const char *folder = folder_of(s->arena, s->table);

	/* A copy is one file, in which nothing lies in buckets. */
	if (folder && !s->entry.copy)
		SOTTO_TRY(check_folder(s, folder));
	SOTTO_TRY(sotto_seal_layout_note(s, &s->entry));
	if (s->report->state == SOTTO_SEAL_REFUSED || !is_declared(s) ||
	    is_laid_out(s, &s->entry))
		return SOTTO_OK;
	return refuse(
		s, sotto_arena_textf(s->arena,
				     "the policy says laid_out_by: %.60s, but these files do "
				     "not lie in its buckets; make them with sotto layout "
				     "--by %.60s, and write source: FOLDER/",
				     unit_name(s->table), unit_name(s->table)));
}

bool sotto_seal_layout_is_known(const struct sotto_sealer *s, const struct sotto_sealed *e)
{
	struct sotto_arena once;
	struct sotto_layout l = {0};
	const char *folder;
	bool same;

	if (is_declared(s) && !is_laid_out(s, e))
		return false;
	sotto_arena_init(&once, ARENA);
	folder = folder_of(&once, s->table);
	if (!folder || sotto_layout_load(&l, &once, folder) == SOTTO_EMISSING)
		same = e->laid_out_by == NULL;
	else
		same = e->copy || (e->laid_out_by && l.unit && l.buckets == e->buckets &&
				   strcasecmp(l.unit, e->laid_out_by) == 0);
	sotto_arena_release(&once);
	return same;
}
