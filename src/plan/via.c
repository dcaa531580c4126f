/*
 * A table whose rows have no unit of their own but a key into a table that has:
 * each row belongs to the units that rows with that key have.  A key that is the
 * other table's unit says itself whose row it is, also where the other table has
 * no such row.  Otherwise the key is the other table's primary key, so that is one
 * unit; where it is not, the row is there once for each unit, and each copy depends
 * on that unit alone.  Where the policy promises that the key is unique, the engine
 * is spared making it so; were it not, rows of a unit would be there twice, and be
 * cut to max_rows like any.
 */
#include "plan/planner.h"

#include <strings.h>

#include "base/failure.h"
#include "sql/print.h"

static const struct sotto_schema_column *
find_column(const struct sotto_schema_table *t, const char *name)
{
	for (size_t i = 0; i < t->column_count; i++)
		if (strcasecmp(t->columns[i].name, name) == 0)
			return &t->columns[i];
	return NULL;
}

/* Both ends of the path, in sources that agree on their type. */
static enum sotto_status check_ends(struct sotto_planner *p, const struct sotto_schema_table *t,
				    const struct sotto_schema_table *to,
				    const struct sotto_schema_column **own,
				    const struct sotto_schema_column **key)
{
	const struct sotto_policy_table *policy = t->policy;

	*own = find_column(t, policy->via_column);
	*key = find_column(to, policy->via_key);
	if (!*own || !*key)
		return sotto_fail(
			p->err, SOTTO_EPARSE,
			"%.160s:%zu: the path to the unit needs the columns %.40s.%.40s "
			"and %.40s.%.40s, which the sources do not have",
			p->policy->path, policy->line, policy->name, policy->via_column,
			to->policy->name, policy->via_key);
	if (!sotto_schema_same_type(*own, *key))
		return sotto_fail(
			p->err, SOTTO_EPARSE,
			"%.160s:%zu: %.40s.%.40s and %.40s.%.40s have different types "
			"in their sources",
			p->policy->path, policy->line, policy->name, policy->via_column,
			to->policy->name, policy->via_key);
	return SOTTO_OK;
}

static bool is_unit(const struct sotto_policy_table *t, const char *column)
{
	return !t->via && !t->unit_is_row && t->unit && strcasecmp(t->unit, column) == 0;
}

static bool is_unique(const struct sotto_policy_table *t, const char *column)
{
	const struct sotto_policy_column *c = sotto_policy_column_find(t, column);

	return c && c->unique;
}

/* The key is the unit itself: nothing needs to be looked up. */
static enum sotto_status scan_by_unit(struct sotto_planner *p,
				      const struct sotto_schema_table *t, const char *own,
				      struct sotto_relation *out)
{
	const char *scan;

	for (size_t i = 0; i < out->scope.count; i++)
		if (strcasecmp(out->scope.columns[i]->field_name, t->policy->via_column) == 0)
			out->scope.columns[i]->bound.is_unit = true;
	out->unit = sotto_arena_textf(p->arena, "%s.%s", out->alias, own);
	SOTTO_TRY(sotto_scan_sql(p, t, &scan));
	out->sql = sotto_arena_textf(p->arena, "%s AS %s", scan, out->alias);
	return out->unit && out->sql ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_via_scan(struct sotto_planner *p, const struct sotto_schema_table *t,
				 struct sotto_relation *out)
{
	const struct sotto_schema_column *own, *key;
	const struct sotto_schema_table *to;
	struct sotto_relation other;
	const char *names[2], *scan;

	SOTTO_TRY(sotto_scan_sql(p, t, &scan));
	SOTTO_TRY(p->schema(p->schema_context, t->policy->via, &to, p->err));
	SOTTO_TRY(check_ends(p, t, to, &own, &key));
	SOTTO_TRY(sotto_scan_bind(p, t->policy->via, t->policy->via->name, &other));
	names[0] = sotto_sql_print_name(p->arena, own->name);
	names[1] = sotto_sql_print_name(p->arena, key->name);
	SOTTO_NEED(names[0] && names[1]);
	if (is_unit(t->policy->via, t->policy->via_key)) {
		out->unit_column = own;
		return scan_by_unit(p, t, names[0], out);
	}
	out->unit_column = other.unit_column;
	out->unit = sotto_arena_textf(p->arena, "%s.\"sotto unit\"", out->alias);
	out->sql = sotto_arena_textf(
		p->arena,
		"(SELECT s.*, v.u AS \"sotto unit\" FROM %s AS s JOIN (SELECT %s%s.%s "
		"AS k, "
		"%s AS u FROM %s WHERE %s IS NOT NULL) AS v ON s.%s = v.k) AS %s",
		scan, is_unique(t->policy->via, t->policy->via_key) ? "" : "DISTINCT ",
		other.alias, names[1], other.unit, other.sql, other.unit, names[0], out->alias);
	out->without_unit = sotto_arena_textf(p->arena, "%s AS %s", scan, out->alias);
	return out->unit && out->sql && out->without_unit ? SOTTO_OK : SOTTO_ENOMEM;
}
