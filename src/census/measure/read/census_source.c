/*
 * Finds the policy's table of the same file (by device and inode), or describes one made of the
 * plan's columns; then seals it and opens what was sealed.
 */
#include "census/measure/read/census_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/policy/policy.h"
#include "central/seal/manifest/sealed.h"
#include "central/seal/seal_inside.h"
#include "central/seal/sealer.h"
#include "core/base/failure.h"

enum sotto_status
sotto_census_source_refuse(const struct sotto_census_plan *p, struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_EBUDGET,
			  "the policy's table of %.200s has a unit with several records; a "
			  "release protects single records, so write unit: row there",
			  sotto_census_input(p));
}

/* Are two paths one file? */
static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static enum sotto_status
find_table(const struct sotto_policy *policy, const struct sotto_census_plan *p,
	   const struct sotto_policy_table **out, struct sotto_error *err)
{
	const char *file = sotto_census_input(p);
	char *path = NULL;

	*out = NULL;
	if (asprintf(&path, "%s%s", file[0] == '/' ? "" : p->folder, file) < 0)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < policy->table_count; i++)
		if (!policy->tables[i].on_server && !policy->tables[i].is_public &&
		    is_same_file(policy->tables[i].source, path) &&
		    (!*out || policy->tables[i].unit_is_row))
			*out = &policy->tables[i];
	free(path);
	return *out ? SOTTO_OK
		    : sotto_fail(err, SOTTO_EBUDGET,
				 "the policy has no table of %.200s; add it with unit: row",
				 file);
}

static void show_sealing(void *context, const char *file, uint64_t done, uint64_t total)
{
	const struct sotto_census_meter *meter = context;

	(void)file;
	if (meter->fn)
		meter->fn(meter->context, done, total);
}

/* Whoever makes a release is the data's owner, and may seal. */
static enum sotto_status seal(struct sotto_census_source *s, const struct sotto_policy_table *t,
			      const struct sotto_policy *policy, struct sotto_error *err)
{
	const char *const names[] = {t->name};
	const struct sotto_seal_options options = {.tables = names,
						   .table_count = 1,
						   .progress = show_sealing,
						   .context = &s->sealing};
	struct sotto_seal_report *report = NULL;
	bool refused;

	SOTTO_TRY(sotto_sealer_seal(policy, &options, &report, err));
	refused = report->refused > 0;
	sotto_seal_report_free(report);
	return refused ? sotto_fail(err, SOTTO_EPARSE,
				    "table %.60s has records that are malformed or can be "
				    "read in two ways; sotto seal --policy %.200s lists them",
				    t->name, policy->path)
		       : SOTTO_OK;
}

static enum sotto_status open_sealed(struct sotto_census_source *s,
				     const struct sotto_policy *policy,
				     const struct sotto_policy_table *t,
				     struct sotto_arena *arena, struct sotto_error *err)
{
	struct sotto_sealed_paths paths;
	const struct sotto_sealed *sealed;
	struct sotto_manifest manifest;
	enum sotto_status st = sotto_manifest_load(&manifest, policy->sealed);

	if (st == SOTTO_OK)
		st = sotto_sealed_open(&manifest, policy, t, arena, &sealed, &paths, err);
	if (st == SOTTO_OK && sealed->kind == SOTTO_FILE_DATABASE && !sealed->copy)
		st = sotto_fail(err, SOTTO_EPARSE,
				"a release reads CSV, JSON or Parquet, not the database %.200s",
				t->written);
	if (st == SOTTO_OK)
		s->relation = sotto_parquet_relation(arena, paths.items, paths.names,
						     paths.count, NULL);
	if (st == SOTTO_OK && !s->relation)
		st = SOTTO_ENOMEM;
	sotto_manifest_release(&manifest);
	return st;
}

static enum sotto_status
use_table(struct sotto_census_source *s, const struct sotto_census_plan *p,
	  const struct sotto_policy *policy, struct sotto_arena *arena, struct sotto_error *err)
{
	const struct sotto_policy_table *t;

	SOTTO_TRY(find_table(policy, p, &t, err));
	if (!t->unit_is_row && !t->unit)
		return sotto_census_source_refuse(p, err);
	SOTTO_TRY(seal(s, t, policy, err));
	if (!t->unit_is_row) {
		s->unit = sotto_arena_text(arena, t->unit);
		if (!s->unit)
			return SOTTO_ENOMEM;
	}
	return open_sealed(s, policy, t, arena, err);
}

enum sotto_status sotto_census_source_find(struct sotto_census_source *s,
					   const struct sotto_census_plan *p,
					   const char *policy_path, struct sotto_arena *arena,
					   struct sotto_error *err)
{
	struct sotto_policy policy;
	enum sotto_status st;

	s->has_policy = true;
	SOTTO_TRY(sotto_policy_load(&policy, policy_path, err));
	st = use_table(s, p, &policy, arena, err);
	sotto_policy_release(&policy);
	return st;
}

/* ---- without a policy --------------------------------------------------------------------------- */

static enum sotto_status refuse_record(const struct sotto_census_plan *p,
				       const struct sotto_sealed_table *t,
				       struct sotto_error *err)
{
	const struct sotto_seal_flaw *flaw = t->flaw_count > 0 ? &t->flaws[0] : NULL;

	if (!flaw || flaw->line == 0)
		return sotto_fail(err, SOTTO_EPARSE,
				  "input: %.200s has a record that cannot be read; correct or "
				  "remove it",
				  sotto_census_input(p));
	return sotto_fail(err, SOTTO_EPARSE, "input: %.200s, line %" PRIu64 ": %.200s; %s",
			  sotto_census_input(p), flaw->line, flaw->reason,
			  flaw->is_ambiguous ? "write each record in a line of its own"
					     : "correct or remove the record");
}

/* The columns that the plan reads: a JSON file has no others. */
static enum sotto_status name_columns(struct sotto_policy_table *t,
				      const struct sotto_census_plan *p,
				      struct sotto_arena *arena)
{
	size_t most = p->level_count + p->attribute_count + 1;

	t->columns = sotto_arena_alloc(arena, most * sizeof *t->columns);
	if (!t->columns)
		return SOTTO_ENOMEM;
	for (size_t l = 1; l < p->level_count; l++)
		t->columns[t->column_count++].name = p->levels[l].column;
	for (size_t i = 0; i < p->attribute_count; i++)
		t->columns[t->column_count++].name = p->attributes[i].column;
	if (p->counts)
		t->columns[t->column_count++].name = p->count_column;
	return SOTTO_OK;
}

static enum sotto_status describe(const struct sotto_census_plan *p,
				  struct sotto_policy *policy, struct sotto_policy_table *t,
				  struct sotto_arena *arena, struct sotto_error *err)
{
	const char *file = sotto_census_input(p);
	enum sotto_source_kind kind = sotto_source_kind(file);

	*t = (struct sotto_policy_table){
		.name = "input",
		.written = file,
		.unit_is_row = true,
		.source = sotto_arena_textf(arena, "%s%s", file[0] == '/' ? "" : p->folder,
					    file)};
	*policy =
		(struct sotto_policy){.path = p->path,
				      .folder = p->folder,
				      .sealed = sotto_arena_textf(arena, "%s.sealed", p->path),
				      .tables = t,
				      .table_count = 1};
	if (!t->source || !policy->sealed)
		return SOTTO_ENOMEM;
	if (access(t->source, R_OK) != 0)
		return sotto_fail(err, SOTTO_EMISSING, "the file %.300s could not be opened",
				  file);
	if (kind == SOTTO_SOURCE_UNKNOWN || kind == SOTTO_SOURCE_DATABASE)
		return sotto_fail(err, SOTTO_EPARSE,
				  "input: %.200s must end in .csv, .tsv, .json, .ndjson (each "
				  "also with .gz) or .parquet",
				  file);
	return name_columns(t, p, arena);
}

enum sotto_status sotto_census_source_seal(struct sotto_census_source *s,
					   const struct sotto_census_plan *p,
					   struct sotto_arena *arena, struct sotto_error *err)
{
	const struct sotto_seal_options options = {.progress = show_sealing,
						   .context = &s->sealing};
	struct sotto_seal_report *report = NULL;
	struct sotto_policy_table table;
	struct sotto_policy policy;
	enum sotto_status st;

	SOTTO_TRY(describe(p, &policy, &table, arena, err));
	SOTTO_TRY(sotto_sealer_seal(&policy, &options, &report, err));
	st = report->refused > 0 ? refuse_record(p, &report->tables[0], err) : SOTTO_OK;
	sotto_seal_report_free(report);
	return st == SOTTO_OK ? open_sealed(s, &policy, &table, arena, err) : st;
}
