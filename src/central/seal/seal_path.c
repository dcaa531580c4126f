/*
 * Looks for a key with two units among the records that have both.  Where the key is unique, there
 * is none.
 */
#include "central/seal/seal_path.h"

#include <string.h>
#include <strings.h>

#include "core/base/failure.h"

/* The key of t by which rows of `from` find their unit, and what says whose it is; false if none is. */
static bool leads(const struct sotto_policy_table *from, const struct sotto_policy_table *t,
		  const struct sotto_sealed *e, struct sotto_sealed_column **key,
		  struct sotto_sealed_column **unit)
{
	const char *name = t->via ? t->via_column : t->unit;

	if (from->via != t || !name || strcasecmp(from->via_key, name) == 0)
		return false;
	*key = sotto_sealed_column_find(e, from->via_key);
	*unit = sotto_sealed_column_find(e, name);
	/* A column that is not there is refused when it is planned with, by its line. */
	return *key && *unit;
}

static bool
is_kept(const struct sotto_sealed_column *key, const struct sotto_sealed_column *unit)
{
	return key->is_unique || (key->leads_to && strcasecmp(key->leads_to, unit->name) == 0);
}

const struct sotto_policy_table *sotto_path_unkept(const struct sotto_policy *p,
						   const struct sotto_policy_table *t,
						   const struct sotto_sealed *e)
{
	struct sotto_sealed_column *key, *unit;

	for (size_t i = 0; i < p->table_count; i++)
		if (leads(&p->tables[i], t, e, &key, &unit) && !is_kept(key, unit))
			return &p->tables[i];
	return NULL;
}

/* As queries compare it: texts byte by byte. */
static const char *plain(struct sotto_sealer *s, const struct sotto_sealed_column *c)
{
	const char *name = sotto_sealed_column_sql(s->arena, &s->entry, c);

	return name && (!c->type || strcmp(c->type, "VARCHAR") == 0)
		       ? sotto_arena_textf(s->arena, "%s COLLATE \"binary\"", name)
		       : name;
}

static enum sotto_status look(struct sotto_sealer *s, struct sotto_database *d,
			      const char *relation, struct sotto_sealed_column *key,
			      const struct sotto_sealed_column *unit)
{
	const char *k = plain(s, key), *u = plain(s, unit), *sql = NULL;
	struct sotto_engine_result *r = NULL;

	if (k && u)
		sql = sotto_arena_textf(
			s->arena,
			"SELECT COUNT(*) FROM (SELECT 1 FROM %s WHERE %s IS NOT NULL AND %s IS "
			"NOT NULL GROUP BY %s HAVING min(%s) <> max(%s) LIMIT 1)",
			relation, k, u, k, u, u);
	if (!sql)
		return SOTTO_ENOMEM;
	if (sotto_database_run(d, sql, &r) != SOTTO_OK)
		return sotto_sealer_unreadable(s);
	key->leads_to = sotto_engine_cell(r, 0, 0).integer == 0 ? unit->name : NULL;
	sotto_engine_result_free(r);
	return SOTTO_OK;
}

static enum sotto_status look_at_all(struct sotto_sealer *s, struct sotto_database *d)
{
	struct sotto_sealed_column *key, *unit;
	const char *relation = NULL;

	SOTTO_TRY(sotto_sealer_relation(s, d, &relation));
	for (size_t i = 0; i < s->policy->table_count; i++)
		if (leads(&s->policy->tables[i], s->table, &s->entry, &key, &unit) &&
		    !is_kept(key, unit))
			SOTTO_TRY(look(s, d, relation, key, unit));
	return SOTTO_OK;
}

static enum sotto_status tell(struct sotto_sealer *s, const struct sotto_policy_table *from)
{
	struct sotto_seal_flaw flaw = {.file = s->table->written, .is_promise = true};

	flaw.reason = sotto_arena_textf(
		s->arena,
		"rows of table %.60s find their unit by column %.60s, but records of several "
		"units have the same value there",
		from->name, from->via_key);
	s->report->broken_promises++;
	s->report->state = SOTTO_SEAL_REFUSED;
	return flaw.reason ? sotto_sealer_add_flaw(s, &flaw) : SOTTO_ENOMEM;
}

enum sotto_status sotto_seal_paths(struct sotto_sealer *s)
{
	const struct sotto_policy_table *from;
	struct sotto_database d;
	enum sotto_status st;

	if (!sotto_path_unkept(s->policy, s->table, &s->entry))
		return SOTTO_OK;
	SOTTO_TRY(sotto_database_open(&d, s->err));
	st = look_at_all(s, &d);
	sotto_database_close(&d);
	if (st != SOTTO_OK)
		return st;
	from = sotto_path_unkept(s->policy, s->table, &s->entry);
	return from ? tell(s, from) : SOTTO_OK;
}

static bool is_promised(const struct sotto_policy_table *t, const char *column)
{
	const struct sotto_policy_column *c = sotto_policy_column_find(t, column);

	return c && c->promises_unique;
}

enum sotto_status sotto_seal_path_note(struct sotto_sealer *s)
{
	for (size_t i = 0; i < s->policy->table_count; i++) {
		const struct sotto_policy_table *from = &s->policy->tables[i];

		if (from->via != s->table || is_promised(s->table, from->via_key))
			continue;
		s->report->note = sotto_arena_textf(
			s->arena,
			"rows of table %.60s find their unit by column %.60s: see to it on the "
			"server that each value has one unit, best by a unique constraint, and "
			"say unique: true",
			from->name, from->via_key);
		return s->report->note ? SOTTO_OK : SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}
