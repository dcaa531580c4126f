/*
 * The tables of a question as workers read them: views with the rows of one bucket, and the
 * files, pinned as they were sealed.
 *
 * A table with its unit in a column is divided by it; one whose key is another table's unit,
 * by that key; one where each row is a unit, by file and row.  A table that finds its unit by
 * any other key is read whole: the rows of a bucket are those that find a unit of it.  Public
 * tables are read whole.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "central/spread/bucket.h"
#include "central/seal/layout/layout_manifest.h"
#include "central/session/session_source.h"
#include "central/session/spread/session_spread.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

/* ---- what divides a table -------------------------------------------------------------- */

const char *sotto_spread_unit_column(const struct sotto_policy_table *t)
{
	const struct sotto_policy_table *to = t->via;

	if (t->unit)
		return t->unit;
	if (to && !to->via && to->unit && strcasecmp(to->unit, t->via_key) == 0)
		return t->via_column;
	return NULL;
}

static enum sotto_status compose(struct sotto_arena *a, enum sotto_bucket_kind kind,
				 const char *unit, uint32_t buckets, const char **out)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 1 << 16);
	st = sotto_bucket_compose(&b, kind, unit, buckets);
	*out = st == SOTTO_OK ? sotto_arena_text(a, sotto_buffer_text(&b)) : NULL;
	sotto_buffer_release(&b);
	return st == SOTTO_OK && !*out ? SOTTO_ENOMEM : st;
}

static enum sotto_status set_bucket(struct sotto_session *s, struct sotto_arena *a,
				    struct sotto_spread_table *t, struct sotto_error *err)
{
	const struct sotto_policy_table *policy = t->schema->policy;
	const char *name = policy->is_public ? NULL : sotto_spread_unit_column(policy), *quoted;
	const struct sotto_schema_column *column =
		name ? sotto_schema_column_find(t->schema, name) : NULL;

	if (policy->is_public || (!policy->unit_is_row && !name))
		return SOTTO_OK;
	if (policy->unit_is_row && t->schema->attach)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "table %.60s is in a database file and each of its rows is a "
				  "unit, which cannot be spread over workers: keep it as "
				  "Parquet, or ask without --spread",
				  policy->name);
	if (s->buckets == 1 || (policy->unit_is_row && t->laid_out))
		return SOTTO_OK; /* there is one bucket, or its files divide its rows */
	if (policy->unit_is_row)
		return compose(a, SOTTO_BUCKET_ROW, "filename, file_row_number", s->buckets,
			       &t->bucket);
	quoted = !column             ? NULL
		 : column->field_sql ? column->field_sql
				     : sotto_sql_quote_name(a, column->name);
	if (!quoted)
		return column ? SOTTO_ENOMEM : SOTTO_ESTATE;
	quoted = sotto_schema_stored_sql(a, column->engine_type, quoted);
	if (!quoted)
		return SOTTO_ENOMEM;
	return compose(a, sotto_bucket_kind_of(column->engine_type), quoted, s->buckets,
		       &t->bucket);
}

/* ---- files ----------------------------------------------------------------------------- */

/*
 * Workers may stand in another folder.  Links stay: where they lead to, folders may have other
 * names, and those of buckets and of columns count.
 */
static const char *full_path(struct sotto_arena *a, const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/')
		return sotto_arena_text(a, path);
	return getcwd(here, sizeof here) ? sotto_arena_textf(a, "%s/%s", here, path) : NULL;
}

static enum sotto_status set_pins(struct sotto_arena *a, struct sotto_spread_table *t,
				  const struct sotto_sealed *e,
				  const struct sotto_sealed_paths *paths)
{
	const char **full = sotto_arena_alloc(a, (paths->count + 1) * sizeof *full);

	t->pins = sotto_arena_alloc(a, (paths->count + 1) * sizeof *t->pins);
	if (!t->pins || !full)
		return SOTTO_ENOMEM;
	t->paths = full;
	t->names = paths->names;
	t->count = paths->count;
	for (size_t i = 0; i < paths->count; i++) {
		const struct sotto_identity *id = e->copy ? &e->copy_id : &e->files[i].id;

		full[i] = full_path(a, paths->items[i]);
		t->pins[i] =
			(struct sotto_job_pin){.path = full[i],
					       .kind = e->copy ? SOTTO_FILE_PARQUET : e->kind,
					       .size = id->size,
					       .digest = sotto_arena_text(a, id->digest)};
		if (!t->pins[i].digest || !full[i])
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

/* The number in .../bucket=12/part.parquet; -1: there is none. */
static long folder_number(const char *path)
{
	const char *found = NULL, *next = path;
	char *end;
	long number;

	while ((next = strstr(next, "/bucket="))) {
		found = next;
		next++;
	}
	if (!found)
		return -1;
	number = strtol(found + 8, &end, 10);
	return end != found + 8 && *end == '/' ? number : -1;
}

/*
 * Files of folders bucket=I were checked to hold the units of bucket I of so many.  Sealing
 * leaves none without a number; were there one, all workers would read all files.
 */
static uint32_t layout_of(const struct sotto_session *s, const struct sotto_spread_table *t,
			  const struct sotto_sealed *e)
{
	const struct sotto_policy_table *policy = t->schema->policy;
	const char *unit =
		policy->unit_is_row ? SOTTO_LAYOUT_BY_ROW : sotto_spread_unit_column(policy);
	bool laid_out = unit && !e->copy && e->laid_out_by &&
			strcasecmp(e->laid_out_by, unit) == 0 && e->buckets % s->buckets == 0;

	for (size_t i = 0; laid_out && i < t->count; i++)
		laid_out = folder_number(t->paths[i]) >= 0;
	return laid_out ? e->buckets : 0;
}

/* Once, for all jobs: a table may have as many files as there are buckets. */
static enum sotto_status
divide_files(struct sotto_arena *a, struct sotto_spread_table *t, uint32_t buckets)
{
	t->first = sotto_arena_alloc(a, buckets * sizeof *t->first);
	t->next = sotto_arena_alloc(a, (t->count + 1) * sizeof *t->next);
	if (!t->first || !t->next)
		return SOTTO_ENOMEM;
	for (uint32_t i = 0; i < buckets; i++)
		t->first[i] = t->count;
	for (size_t i = t->count; i-- > 0;) {
		size_t *first = &t->first[folder_number(t->paths[i]) % buckets];

		t->next[i] = *first;
		*first = i;
	}
	return SOTTO_OK;
}

static enum sotto_status
add_table(struct sotto_session *s, const struct sotto_schema_table *schema,
	  struct sotto_arena *a, struct sotto_spread_table *t, struct sotto_error *err)
{
	struct sotto_sealed_paths paths;
	const struct sotto_sealed *e;

	*t = (struct sotto_spread_table){.schema = schema};
	SOTTO_TRY(sotto_source_sealed(s, schema->policy, a, &e, &paths, err));
	SOTTO_TRY(set_pins(a, t, e, &paths));
	t->laid_out = schema->policy->is_public ? 0 : layout_of(s, t, e);
	if (t->laid_out)
		SOTTO_TRY(divide_files(a, t, s->buckets));
	return set_bucket(s, a, t, err);
}

enum sotto_status sotto_spread_tables(struct sotto_session *s, const struct sotto_plan *plan,
				      struct sotto_arena *a, struct sotto_spread_table **out,
				      size_t *count, struct sotto_error *err)
{
	struct sotto_spread_table *tables =
		sotto_arena_alloc(a, (s->policy.table_count + 1) * sizeof *tables);

	if (!tables)
		return SOTTO_ENOMEM;
	*count = 0;
	for (size_t i = 0; i < s->policy.table_count; i++) {
		const struct sotto_schema_table *t = s->schemas[i];

		if (!t || !sotto_plan_names(plan, t->scan))
			continue;
		if (t->policy->on_server)
			return sotto_fail(err, SOTTO_EREFUSED,
					  "table %.60s is on a server, where each worker would "
					  "see a different moment: keep it as Parquet, or ask "
					  "without --spread",
					  t->policy->name);
		SOTTO_TRY(add_table(s, t, a, &tables[*count], err));
		++*count;
	}
	*out = tables;
	return SOTTO_OK;
}

/* ---- one bucket ------------------------------------------------------------------------ */

static bool add_statement(struct sotto_arena *a, struct sotto_bucket_job *job, const char *sql)
{
	const char **slot = sql ? SOTTO_PUSH(a, job->statements, job->statement_count) : NULL;

	if (slot)
		*slot = sql;
	return slot != NULL;
}

static bool
add_pin(struct sotto_arena *a, struct sotto_bucket_job *job, const struct sotto_job_pin *pin)
{
	struct sotto_job_pin *slot = SOTTO_PUSH(a, job->files, job->file_count);

	if (slot)
		*slot = *pin;
	return slot != NULL;
}

/*
 * Rows in files of this bucket that are of another: sealing has found none, so a file was
 * changed behind its footer, or on one host.  They are dropped; the owner is told how many.
 */
static bool add_strays(struct sotto_arena *a, const struct sotto_spread_table *t,
		       const char *definition, struct sotto_bucket_job *job)
{
	job->strays = sotto_arena_textf(
		a, "%s(SELECT count(*) FROM %s WHERE %s IS DISTINCT FROM %u)",
		job->strays ? sotto_arena_textf(a, "%s + ", job->strays) : "SELECT ",
		definition, t->bucket, (unsigned)job->bucket);
	return job->strays != NULL;
}

/* No file is of the bucket: the columns of one, and none of its rows. */
static enum sotto_status choose_none(struct sotto_arena *a, const struct sotto_spread_table *t,
				     struct sotto_bucket_job *job, const char **definition)
{
	const char *one = sotto_parquet_relation(a, &t->paths[0], t->names, 1, NULL);

	if (!one || !add_pin(a, job, &t->pins[0]))
		return SOTTO_ENOMEM;
	*definition = sotto_arena_textf(a, "(SELECT * FROM %s WHERE FALSE)", one);
	return *definition ? SOTTO_OK : SOTTO_ENOMEM;
}

static size_t first_file(const struct sotto_spread_table *t, uint32_t bucket)
{
	return t->laid_out ? t->first[bucket] : 0;
}

static size_t next_file(const struct sotto_spread_table *t, size_t i)
{
	return t->laid_out ? t->next[i] : i + 1;
}

/* What the view reads: of files that lie in buckets, those of this one; or none. */
static enum sotto_status choose_files(struct sotto_arena *a, const struct sotto_spread_table *t,
				      struct sotto_bucket_job *job, const char **definition)
{
	const char **chosen = NULL;
	size_t n = 0;

	for (size_t i = first_file(t, job->bucket); i < t->count; i = next_file(t, i)) {
		const char **slot = SOTTO_PUSH(a, chosen, n);

		if (!slot || !add_pin(a, job, &t->pins[i]))
			return SOTTO_ENOMEM;
		*slot = t->paths[i];
	}
	*definition = t->schema->definition;
	if (t->schema->attach)
		return SOTTO_OK;
	if (n == 0)
		return choose_none(a, t, job, definition);
	*definition = sotto_parquet_relation(a, chosen, t->names, n, NULL);
	if (!*definition)
		return SOTTO_ENOMEM;
	return !t->laid_out || !t->bucket || add_strays(a, t, *definition, job) ? SOTTO_OK
										: SOTTO_ENOMEM;
}

enum sotto_status sotto_spread_fill_job(struct sotto_arena *a,
					const struct sotto_spread_table *tables, size_t count,
					struct sotto_bucket_job *job)
{
	for (size_t i = 0; i < count; i++) {
		const struct sotto_spread_table *t = &tables[i];
		const char *definition, *bucket = NULL;

		SOTTO_TRY(choose_files(a, t, job, &definition));
		if (t->schema->attach && !add_statement(a, job, t->schema->attach))
			return SOTTO_ENOMEM;
		if (t->bucket)
			bucket = sotto_arena_textf(a, "%s = %u", t->bucket,
						   (unsigned)job->bucket);
		if ((t->bucket && !bucket) ||
		    !add_statement(a, job,
				   sotto_source_view_sql(a, t->schema, definition, bucket)))
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}
