/* What queries read of a sealed source, and whether the source is still the one that was sealed. */
#include "central/seal/manifest/sealed.h"

#include <string.h>
#include <strings.h>

#include "central/policy/schema_field.h"
#include "central/seal/seal_path.h"
#include "central/seal/seal_promise.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

static enum sotto_status
add_field(struct sotto_arena *a, const char *name, const char ***names, size_t *count)
{
	const char **slot;

	for (size_t i = 0; i < *count; i++)
		if (strcasecmp((*names)[i], name) == 0)
			return SOTTO_OK;
	slot = SOTTO_PUSH(a, *names, *count);
	if (!slot)
		return SOTTO_ENOMEM;
	*slot = name;
	return SOTTO_OK;
}

enum sotto_status sotto_sealed_fields(struct sotto_arena *a, const struct sotto_policy_table *t,
				      const char ***names, size_t *count)
{
	*names = NULL;
	*count = 0;
	for (size_t i = 0; i < t->name_count; i++)
		SOTTO_TRY(add_field(a, t->names[i], names, count));
	if (t->unit)
		SOTTO_TRY(add_field(a, t->unit, names, count));
	if (t->via_column)
		SOTTO_TRY(add_field(a, t->via_column, names, count));
	for (size_t i = 0; i < t->column_count; i++)
		SOTTO_TRY(add_field(a, t->columns[i].name, names, count));
	return SOTTO_OK;
}

const char *sotto_sealed_inner(const struct sotto_policy_table *t)
{
	if (sotto_source_kind(t->source) != SOTTO_SOURCE_DATABASE)
		return NULL;
	return t->inner ? t->inner : t->table ? t->table : t->name;
}

const char *sotto_database_relation(struct sotto_arena *a, const char *catalogue,
				    const struct sotto_policy_table *t)
{
	const char *schema = sotto_sql_quote_name(a, t->schema ? t->schema : "main");
	const char *name = sotto_sql_quote_name(a, t->table ? t->table : t->name);

	return schema && name ? sotto_arena_textf(a, "%s.%s.%s", catalogue, schema, name)
			      : NULL;
}

struct sotto_sealed_column *
sotto_sealed_column_find(const struct sotto_sealed *e, const char *name)
{
	for (size_t i = 0; i < e->column_count; i++)
		if (strcasecmp(e->columns[i].name, name) == 0)
			return &e->columns[i];
	return NULL;
}

static const char *
field_sql(struct sotto_arena *a, const struct sotto_sealed_column *whole, const char *name)
{
	struct sotto_schema_field *fields;
	size_t count;

	if (sotto_schema_fields(a, whole->name, whole->type, &fields, &count) != SOTTO_OK)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (strcmp(fields[i].name, name) == 0)
			return fields[i].sql;
	return NULL;
}

const char *sotto_sealed_column_sql(struct sotto_arena *a, const struct sotto_sealed *e,
				    const struct sotto_sealed_column *c)
{
	if (!c->of)
		return sotto_sql_quote_name(a, c->name);
	for (size_t i = 0; i < e->column_count; i++)
		if (e->columns[i].type && !e->columns[i].of &&
		    strcmp(e->columns[i].name, c->of) == 0)
			return field_sql(a, &e->columns[i], c->name);
	return NULL;
}

enum { TYPED_VERSION = 4 };

static bool is_private_json(const struct sotto_policy_table *t)
{
	enum sotto_source_kind kind = sotto_source_kind(t->source);

	return !t->is_public && (kind == SOTTO_SOURCE_JSON || kind == SOTTO_SOURCE_JSON_LINES);
}

const char *sotto_sealed_layout(struct sotto_arena *a, const struct sotto_policy_table *t)
{
	const char *text = sotto_arena_textf(a, "%s %s %s", t->is_public ? "public" : "private",
					     t->has_no_header ? "no header" : "header",
					     t->delimiter ? t->delimiter : "");
	const char **names = t->names;
	size_t count = t->name_count;

	/* what is looked at in files with types; another number makes them be sealed again */
	if (text && !sotto_source_is_text(sotto_source_kind(t->source)))
		text = sotto_arena_textf(a, "%s typed %d", text, TYPED_VERSION);
	/* columns with dots are fields of objects */
	if (text && is_private_json(t))
		text = sotto_arena_textf(a, "%s fields", text);
	if (is_private_json(t) && sotto_sealed_fields(a, t, &names, &count) != SOTTO_OK)
		return NULL;
	for (size_t i = 0; text && i < count; i++)
		text = sotto_arena_textf(a, "%s\n%s", text, names[i]);
	return text;
}

enum sotto_status sotto_sealed_check_fields(const struct sotto_policy *p,
					    const struct sotto_policy_table *t,
					    struct sotto_error *err)
{
	if (!is_private_json(t) || t->unit || t->via_column || t->column_count > 0 ||
	    t->name_count > 0)
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_EPARSE,
		"%.160s:%zu: a JSON file has no header, so table %.60s has the columns "
		"that the policy names: write columns: {NAME: {}, ...}",
		p->path, t->line, t->name);
}

enum sotto_status
sotto_sealed_check_folders(const struct sotto_policy *p, const struct sotto_policy_table *t,
			   const struct sotto_files *files, struct sotto_error *err)
{
	if (sotto_source_kind(t->source) != SOTTO_SOURCE_PARQUET || files->count == 0 ||
	    sotto_folders_are_clear(files->paths[0], files->names[0]))
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_EPARSE,
		"%.160s:%zu: folders of table %.60s are columns, and a folder above the "
		"policy has = in its name as well, which would be one more column: rename that "
		"folder, or write the whole path as source",
		p->path, t->line, t->name);
}

/* ---- is it still what it was? ------------------------------------------------------------------ */

static enum sotto_status again(const struct sotto_policy *p, const struct sotto_policy_table *t,
			       const char *what, struct sotto_error *err)
{
	char option[SOTTO_POLICY_OPTION];

	return sotto_fail(err, SOTTO_ESTATE,
			  "%.160s:%zu: table %.60s %s; the data owner runs: sotto seal%s",
			  p->path, t->line, t->name, what, sotto_policy_option(p, option));
}

/* Other tables of a database file that was found unchanged need not look at all of it again. */
static void tell_others(const struct sotto_manifest *m, const struct sotto_sealed *e)
{
	const struct sotto_identity *id = &e->files[0].id;

	for (size_t i = 0; e->kind == SOTTO_FILE_DATABASE && i < m->count; i++) {
		const struct sotto_sealed *other = &m->entries[i];

		if (other->kind == e->kind &&
		    strcmp(other->files[0].name, e->files[0].name) == 0 &&
		    strcmp(other->files[0].id.whole, id->whole) == 0 &&
		    strcmp(other->files[0].id.digest, id->digest) == 0)
			other->files[0].id = *id;
	}
}

static bool are_same_files(const struct sotto_manifest *m, const struct sotto_files *f,
			   const struct sotto_sealed *e)
{
	if (f->count != e->file_count)
		return false;
	for (size_t i = 0; i < f->count; i++)
		if (strcmp(f->names[i], e->files[i].name) != 0 ||
		    sotto_identity_confirm(&e->files[i].id, f->paths[i], e->kind) != SOTTO_OK)
			return false;
	tell_others(m, e);
	return true;
}

static enum sotto_status use_copy(const struct sotto_policy *p,
				  const struct sotto_policy_table *t,
				  const struct sotto_sealed *e, struct sotto_arena *a,
				  struct sotto_sealed_paths *paths, struct sotto_error *err)
{
	paths->items = sotto_arena_alloc(a, sizeof *paths->items);
	if (!paths->items)
		return SOTTO_ENOMEM;
	paths->items[0] = sotto_arena_textf(a, "%s/%s", p->sealed, e->copy);
	paths->names = NULL;
	paths->count = 1;
	if (!paths->items[0])
		return SOTTO_ENOMEM;
	if (sotto_identity_check(&e->copy_id, paths->items[0], SOTTO_FILE_PARQUET) != SOTTO_OK)
		return again(p, t, "is sealed, but its copy is gone or damaged", err);
	return SOTTO_OK;
}

/* The files of a copied source may be gone: queries read the copy. */
static enum sotto_status
check_source(const struct sotto_manifest *m, const struct sotto_policy *p,
	     const struct sotto_policy_table *t, const struct sotto_sealed *e,
	     const struct sotto_files *files, struct sotto_error *err)
{
	if ((e->copy && files->count == 0) || are_same_files(m, files, e))
		return SOTTO_OK;
	return again(p, t, "has changed since it was sealed", err);
}

/* What the policy promises now may be more than what was looked at then. */
static enum sotto_status check_promises(const struct sotto_policy *p,
					const struct sotto_policy_table *t,
					const struct sotto_sealed *e, struct sotto_error *err)
{
	const char *promise;
	char option[SOTTO_POLICY_OPTION];
	const struct sotto_policy_column *c = sotto_promise_unkept(t, e, &promise);

	if (!c)
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_ESTATE,
		"%.160s:%zu: the policy says %s of column %.60s of table %.60s, which "
		"was not found when it was sealed; the data owner runs: sotto seal%s",
		p->path, c->line, promise, c->name, t->name, sotto_policy_option(p, option));
}

/* So may the paths that lead to units over this table. */
static enum sotto_status check_paths(const struct sotto_policy *p,
				     const struct sotto_policy_table *t,
				     const struct sotto_sealed *e, struct sotto_error *err)
{
	const struct sotto_policy_table *from = sotto_path_unkept(p, t, e);
	char option[SOTTO_POLICY_OPTION];

	if (!from)
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_ESTATE,
		"%.160s:%zu: rows of table %.60s find their unit by column %.60s of table "
		"%.60s, which was not checked when it was sealed; the data owner runs: sotto "
		"seal%s",
		p->path, from->line, from->name, from->via_key, t->name,
		sotto_policy_option(p, option));
}

/* One unit of the owner's would be several here, each with limits of its own. */
static enum sotto_status
check_spelling(const struct sotto_policy *p, const struct sotto_policy_table *t,
	       const struct sotto_sealed *e, const char *name, struct sotto_error *err)
{
	const struct sotto_sealed_column *c = name ? sotto_sealed_column_find(e, name) : NULL;

	if (!c || !c->collation)
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_EPARSE,
		"%.160s:%zu: %.40s.%.40s says whose row it is, and its collation %.40s calls "
		"texts equal that differ, so that one unit could become two: make one spelling "
		"of them, like lower(%.40s) COLLATE \"binary\", in a view",
		p->path, t->line, t->name, c->name, c->collation, c->name);
}

enum sotto_status
sotto_sealed_check_spelling(const struct sotto_policy *p, const struct sotto_policy_table *t,
			    const struct sotto_sealed *e, struct sotto_error *err)
{
	SOTTO_TRY(check_spelling(p, t, e, t->via ? t->via_column : t->unit, err));
	for (size_t i = 0; i < p->table_count; i++)
		if (p->tables[i].via == t)
			SOTTO_TRY(check_spelling(p, t, e, p->tables[i].via_key, err));
	return SOTTO_OK;
}

enum sotto_status sotto_sealed_find(const struct sotto_manifest *m,
				    const struct sotto_policy_table *t, struct sotto_arena *a,
				    const struct sotto_sealed **out)
{
	const char *layout = sotto_sealed_layout(a, t);

	if (!layout)
		return SOTTO_ENOMEM;
	*out = sotto_manifest_find(m, t->written, sotto_sealed_inner(t), layout);
	return SOTTO_OK;
}

enum sotto_status sotto_sealed_open(const struct sotto_manifest *m,
				    const struct sotto_policy *p,
				    const struct sotto_policy_table *t, struct sotto_arena *a,
				    const struct sotto_sealed **out,
				    struct sotto_sealed_paths *paths, struct sotto_error *err)
{
	const struct sotto_sealed *e;
	struct sotto_files files;

	SOTTO_TRY(sotto_sealed_check_fields(p, t, err));
	SOTTO_TRY(sotto_files_find(&files, a, t));
	SOTTO_TRY(sotto_sealed_check_folders(p, t, &files, err));
	SOTTO_TRY(sotto_sealed_find(m, t, a, &e));
	if (!e && files.count == 0)
		return SOTTO_EMISSING;
	if (!e)
		return again(p, t, "has not been sealed", err);
	SOTTO_TRY(check_source(m, p, t, e, &files, err));
	if (e->kind == SOTTO_FILE_DATABASE && !e->has_collations)
		return again(p, t, "was sealed before collations were looked at", err);
	SOTTO_TRY(sotto_sealed_check_spelling(p, t, e, err));
	SOTTO_TRY(check_promises(p, t, e, err));
	SOTTO_TRY(check_paths(p, t, e, err));
	*out = e;
	if (e->copy)
		return use_copy(p, t, e, a, paths, err);
	paths->items = files.paths;
	paths->names = files.names;
	paths->count = files.count;
	return SOTTO_OK;
}
