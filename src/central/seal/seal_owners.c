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
	return sotto_fail(
		s->err, SOTTO_EIO,
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

/* Another content or other columns are another file. */
static const char *name_of(struct sotto_sealer *s, const struct sotto_sealed_owners *o)
{
	const char *seed =
		sotto_arena_textf(s->arena, "owners %d\n%s\n%s\n%s", o->is_number, o->key,
				  o->unit, s->entry.table ? s->entry.table : "");

	return sotto_sealer_name(s, seed, SOTTO_OWNERS_END);
}

static enum sotto_status
keep(struct sotto_sealer *s, const struct sotto_owner_map *m, struct sotto_sealed_owners *o)
{
	const char *path, *temporary;

	o->name = name_of(s, o);
	path = o->name ? sotto_arena_textf(s->arena, "%s/%s", s->policy->sealed, o->name)
		       : NULL;
	temporary = path ? sotto_arena_textf(s->arena, "%s.new", path) : NULL;
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

/* The number of the map, and the largest of what it gives. */
static const char *
map_sql(struct sotto_sealer *s, const struct sotto_sealed_owners *o, const char *relation)
{
	const char *key = sotto_sql_quote_name(s->arena, o->key);
	const char *unit = sotto_sql_quote_name(s->arena, o->unit);

	if (!key || !unit)
		return NULL;
	if (!o->is_number)
		return sotto_arena_textf(
			s->arena, "SELECT sotto_owners(%s, %s)::BIGINT, 0::BIGINT FROM %s", key,
			unit, relation);
	return sotto_arena_textf(
		s->arena,
		"WITH n AS (SELECT u, row_number() OVER () - 1 AS n FROM (SELECT DISTINCT %2$s "
		"AS u FROM %3$s WHERE %2$s IS NOT NULL)) SELECT sotto_owners(k, n)::BIGINT, "
		"coalesce(max(n), 0)::BIGINT FROM (SELECT %1$s AS k, %2$s AS u FROM %3$s) AS r "
		"JOIN n USING (u)",
		key, unit, relation);
}

/* Its name stays NULL if there are more numbers than fit. */
static enum sotto_status make_map(struct sotto_sealer *s, struct sotto_database *d,
				  struct sotto_owners *owners, struct sotto_sealed_owners *o)
{
	const char *relation = NULL, *sql;
	const struct sotto_owner_map *m;
	struct sotto_engine_result *r = NULL;
	uint64_t number;
	int64_t most;

	SOTTO_TRY(sotto_sealer_relation(s, d, &relation));
	sql = map_sql(s, o, relation);
	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	number = (uint64_t)sotto_engine_cell(r, 0, 0).integer;
	most = sotto_engine_cell(r, 0, 1).integer;
	sotto_engine_result_free(r);
	SOTTO_TRY(check_files(s));
	m = sotto_owners_find(owners, number);
	if (!m)
		return SOTTO_ENOMEM;
	return most <= INT32_MAX ? keep(s, m, o) : SOTTO_OK;
}

/* With an engine of its own, to which the functions are given. */
static enum sotto_status make(struct sotto_sealer *s, struct sotto_sealed_owners *o)
{
	struct sotto_sum_functions functions;
	struct sotto_database d;
	enum sotto_status st;

	SOTTO_TRY(sotto_database_open(&d, s->err));
	st = sotto_sums_register(&d.api, d.connection, &functions);
	if (st == SOTTO_OK)
		st = make_map(s, &d, functions.owners, o);
	sotto_database_close(&d);
	sotto_sums_release(&functions);
	return st;
}

/* ---- all ------------------------------------------------------------------------------------ */

/* The entry's map that has the same; it may be of no use any more. */
static struct sotto_sealed_owners *
find(struct sotto_sealed *e, const struct sotto_sealed_owners *o)
{
	for (size_t i = 0; i < e->owners_count; i++)
		if (strcasecmp(e->owners[i].key, o->key) == 0 &&
		    strcasecmp(e->owners[i].unit, o->unit) == 0 &&
		    e->owners[i].is_number == o->is_number)
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
want(struct sotto_sealer *s, const char *key, const char *unit, bool is_number)
{
	struct sotto_sealed_owners made = {.key = key, .unit = unit, .is_number = is_number};
	struct sotto_sealed_owners *o = find(&s->entry, &made);

	if (o && is_there(s, o))
		return SOTTO_OK;
	SOTTO_TRY(make(s, &made));
	if (!made.name)
		return SOTTO_OK;
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

		if (!is_wanted(s, &s->policy->tables[i], &key, &unit))
			continue;
		SOTTO_TRY(want(s, key->name, unit->name, false));
		SOTTO_TRY(want(s, key->name, unit->name, true));
	}
	return SOTTO_OK;
}
