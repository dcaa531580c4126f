/*
 * The engine makes a map as a query would, by sotto_owners (engine/sum/owner_lookup.h), of the
 * same rows; then it is written, synced and renamed.
 */
#include "central/seal/seal_owners.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "central/engine/engine_result.h"
#include "central/engine/sum/bounded_sum.h"
#include "central/engine/sum/owner_file.h"
#include "central/engine/sum/owner_list.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"

/* ---- which ---------------------------------------------------------------------------------- */

/* As the planner sees it (relation_unit_path.c): the column with the units, or NULL. */
static const char *unit_of(const struct sotto_policy_table *t)
{
	if (t->unit_is_row)
		return NULL;
	if (!t->via)
		return t->unit;
	return !t->via->via && !t->via->unit_is_row && t->via->unit &&
			       strcasecmp(t->via->unit, t->via_key) == 0
		       ? t->via_column
		       : NULL;
}

static bool is_whole(const struct sotto_sealed_column *c)
{
	return c && !c->of && c->type &&
	       (strcmp(c->type, "INTEGER") == 0 || strcmp(c->type, "BIGINT") == 0);
}

/* The columns of the map by which rows of `from` find their unit in this table. */
static bool is_wanted(const struct sotto_sealer *s, const struct sotto_policy_table *from,
		      const struct sotto_sealed_column **key,
		      const struct sotto_sealed_column **unit)
{
	const char *name = unit_of(s->table);

	if (from->via != s->table || !name || strcasecmp(name, from->via_key) == 0)
		return false;
	*key = sotto_sealed_column_find(&s->entry, from->via_key);
	*unit = sotto_sealed_column_find(&s->entry, name);
	return is_whole(*key) && is_whole(*unit) && (*key)->is_unique;
}

/* ---- one ------------------------------------------------------------------------------------ */

static enum sotto_status unwritable(const struct sotto_sealer *s)
{
	return sotto_fail(s->err, SOTTO_EIO,
			  "what finds the units of table %.60s could not be written to %.200s; is "
			  "there room?",
			  s->table->name, s->policy->sealed);
}

/* Only its owner can read it, from its first byte on. */
static bool write_file(const struct sotto_owner_map *m, const char *temporary)
{
	int file;
	bool ok;

	(void)unlink(temporary);
	file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (file < 0)
		return false;
	ok = sotto_owner_file_write(m, file) == SOTTO_OK && fsync(file) == 0;
	return close(file) == 0 && ok;
}

static enum sotto_status keep(struct sotto_sealer *s, const struct sotto_owner_map *m,
			      struct sotto_sealed_owners *o)
{
	const char *path = sotto_arena_textf(s->arena, "%s/%s", s->policy->sealed, o->name);
	const char *temporary = path ? sotto_arena_textf(s->arena, "%s.new", path) : NULL;

	if (!temporary)
		return SOTTO_ENOMEM;
	if (write_file(m, temporary) && rename(temporary, path) == 0 &&
	    sotto_identity_take(&o->id, path, SOTTO_FILE_TEXT) == SOTTO_OK)
		return SOTTO_OK;
	(void)unlink(temporary);
	return unwritable(s);
}

/* Were the files others by now, the map would not be of what was sealed. */
static enum sotto_status check_files(const struct sotto_sealer *s)
{
	for (size_t i = 0; !s->entry.copy && i < s->files.count; i++)
		if (sotto_identity_check(&s->entry.files[i].id, s->files.paths[i],
					 s->entry.kind) != SOTTO_OK)
			return sotto_fail(s->err, SOTTO_EIO,
					  "%.200s changed while it was read; run sotto seal "
					  "again when it is whole",
					  s->files.paths[i]);
	return SOTTO_OK;
}

static enum sotto_status make_map(struct sotto_sealer *s, struct sotto_database *d,
				  struct sotto_owners *owners, struct sotto_sealed_owners *o)
{
	const char *key = sotto_sql_quote_name(s->arena, o->key);
	const char *unit = sotto_sql_quote_name(s->arena, o->unit), *relation = NULL, *sql;
	const struct sotto_owner_map *m;
	struct sotto_engine_result *r = NULL;
	uint64_t number;

	SOTTO_TRY(sotto_sealer_relation(s, d, &relation));
	sql = key && unit ? sotto_arena_textf(s->arena,
					      "SELECT sotto_owners(%s, %s)::BIGINT FROM %s", key,
					      unit, relation)
			  : NULL;
	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	number = (uint64_t)sotto_engine_cell(r, 0, 0).integer;
	sotto_engine_result_free(r);
	SOTTO_TRY(check_files(s));
	m = sotto_owners_find(owners, number);
	return m ? keep(s, m, o) : SOTTO_ENOMEM;
}

/* With an engine of its own, to which the functions are given. */
static enum sotto_status make(struct sotto_sealer *s, struct sotto_sealed_owners *o)
{
	const char *seed = sotto_arena_textf(s->arena, "owners\n%s\n%s\n%s", o->key, o->unit,
					     s->entry.table ? s->entry.table : "");
	struct sotto_sum_functions functions;
	struct sotto_database d;
	enum sotto_status st;

	o->name = sotto_sealer_name(s, seed, SOTTO_OWNERS_END);
	if (!o->name)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_database_open(&d, s->err));
	st = sotto_sums_register(&d.api, d.connection, &functions);
	if (st == SOTTO_OK)
		st = make_map(s, &d, functions.owners, o);
	sotto_database_close(&d);
	sotto_sums_release(&functions);
	return st;
}

/* ---- all ------------------------------------------------------------------------------------ */

/* The entry's map of these columns; it may be of no use any more. */
static struct sotto_sealed_owners *
find(struct sotto_sealed *e, const char *key, const char *unit)
{
	for (size_t i = 0; i < e->owners_count; i++)
		if (strcasecmp(e->owners[i].key, key) == 0 &&
		    strcasecmp(e->owners[i].unit, unit) == 0)
			return &e->owners[i];
	return NULL;
}

/* Nothing changed: then only its times are taken anew. */
static bool is_there(const struct sotto_sealer *s, struct sotto_sealed_owners *o)
{
	const char *path = sotto_arena_textf(s->arena, "%s/%s", s->policy->sealed, o->name);

	return path && sotto_identity_check(&o->id, path, SOTTO_FILE_TEXT) == SOTTO_OK &&
	       sotto_identity_take(&o->id, path, SOTTO_FILE_TEXT) == SOTTO_OK;
}

static enum sotto_status
want(struct sotto_sealer *s, const char *key, const char *unit)
{
	struct sotto_sealed_owners *o = find(&s->entry, key, unit), made = {.key = key, .unit = unit};

	if (o && is_there(s, o))
		return SOTTO_OK;
	SOTTO_TRY(make(s, &made));
	if (!o)
		o = SOTTO_PUSH(s->arena, s->entry.owners, s->entry.owners_count);
	if (!o)
		return SOTTO_ENOMEM;
	*o = made;
	return SOTTO_OK;
}

enum sotto_status sotto_seal_owners(struct sotto_sealer *s)
{
	for (size_t i = 0; i < s->policy->table_count; i++) {
		const struct sotto_sealed_column *key, *unit;

		if (is_wanted(s, &s->policy->tables[i], &key, &unit))
			SOTTO_TRY(want(s, key->name, unit->name));
	}
	return SOTTO_OK;
}
