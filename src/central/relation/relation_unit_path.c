/*
 * A table whose rows have no unit of their own but a key into a table that has: each row
 * belongs to the units that rows with that key have.  If the key is itself the other
 * table's unit, it says whose row it is, even where the other table has no such row.
 * Otherwise each key has one unit, which sealing has checked (seal_path.h), and the owner of a server
 * sees to; where it has more, the row is there once for each.  Where the
 * policy promises that the key is unique, the engine does not have to make it so; if the
 * promise is broken, rows of a unit are there twice, and are cut to max_rows like any
 * others.
 */
#include "central/relation/relation.h"

#include <string.h>
#include <strings.h>

#include "core/base/failure.h"

enum sotto_status sotto_unit_check_exact(struct sotto_planner *p,
					 const struct sotto_schema_table *t,
					 const struct sotto_schema_column *c)
{
	bool is_moment = c && c->type == SOTTO_TYPE_TIMESTAMP &&
			 p->policy->server == SOTTO_SERVER_ADBC; /* of nanoseconds, perhaps */

	if (!t->policy->on_server || !c)
		return SOTTO_OK;
	if (c->folds)
		return sotto_fail(
			p->err, SOTTO_EPARSE,
			"%.160s:%zu: %.40s.%.40s says whose row it is, and its server calls "
			"texts "
			"equal that differ, so that one unit could become two: send it in one "
			"spelling, like lower(%.40s)::text, in a view",
			p->policy->path, t->policy->line, t->policy->name, c->name, c->name);
	if (c->is_double || is_moment)
		return sotto_fail(
			p->err, SOTTO_EPARSE,
			"%.160s:%zu: %.40s.%.40s says whose row it is, and its server sends it "
			"as a "
			"rounded number, so that two units could become one: make it a whole "
			"number, a "
			"numeric of at most 18 digits or a text, in a view if need be",
			p->policy->path, t->policy->line, t->policy->name, c->name);
	return SOTTO_OK;
}

/* Both ends of the path, in sources that agree on their type. */
static enum sotto_status check_ends(struct sotto_planner *p, const struct sotto_schema_table *t,
				    const struct sotto_schema_table *to,
				    const struct sotto_schema_column **own,
				    const struct sotto_schema_column **key)
{
	const struct sotto_policy_table *policy = t->policy;

	*own = sotto_schema_column_find(t, policy->via_column);
	*key = sotto_schema_column_find(to, policy->via_key);
	if (!*own || !*key)
		return sotto_fail(
			p->err, SOTTO_EPARSE,
			"%.160s:%zu: the path to the unit needs the columns %.40s.%.40s "
			"and %.40s.%.40s, which the sources do not have",
			p->policy->path, policy->line, policy->name, policy->via_column,
			to->policy->name, policy->via_key);
	if ((*own)->type == SOTTO_TYPE_OTHER && (*key)->type == SOTTO_TYPE_OTHER)
		return sotto_fail(p->err, SOTTO_EPARSE,
				  "%.160s:%zu: tables cannot be connected by %.40s.%.40s and "
				  "%.40s.%.40s, "
				  "whose type in the sources is not compared, like bytes or a "
				  "list; store "
				  "them as texts or whole numbers",
				  p->policy->path, policy->line, policy->name,
				  policy->via_column, to->policy->name, policy->via_key);
	if (!sotto_schema_same_type(*own, *key))
		return sotto_fail(
			p->err, SOTTO_EPARSE,
			"%.160s:%zu: %.40s.%.40s and %.40s.%.40s have different types "
			"in their sources",
			p->policy->path, policy->line, policy->name, policy->via_column,
			to->policy->name, policy->via_key);
	SOTTO_TRY(sotto_unit_check_exact(p, t, *own));
	return sotto_unit_check_exact(p, to, *key);
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
	for (size_t i = 0; i < out->scope.count; i++)
		if (strcasecmp(out->scope.columns[i]->field_name, t->policy->via_column) == 0)
			out->scope.columns[i]->bound.is_unit = true;
	out->unit = sotto_expression_column(p->arena, out->alias, own);
	SOTTO_NEED(out->unit);
	return sotto_scan_rows(p, t, out->alias, &out->tree);
}

static unsigned bytes_of(const struct sotto_schema_column *c)
{
	if (!c || !c->engine_type || c->field_sql)
		return 0;
	return strcmp(c->engine_type, "INTEGER") == 0  ? 4
	       : strcmp(c->engine_type, "BIGINT") == 0 ? 8
						       : 0;
}

/*
 * Is each key there once, so that it has one unit?  A promise of the policy is not enough: sealing
 * has looked at the keys.  A unit that is looked up itself could be several.
 */
static unsigned unit_bytes(const struct sotto_schema_column *own,
			   const struct sotto_schema_column *key, bool unique,
			   const struct sotto_relation *other)
{
	return unique && key->is_unique && !other->without_unit && bytes_of(own) &&
			       bytes_of(key)
		       ? bytes_of(other->unit_column)
		       : 0;
}

/* A map of these columns that sealing has written, by its name; NULL: there is none. */
static const char *stored_map(const struct sotto_schema_table *to, const char *key,
			      const struct sotto_schema_column *unit, bool is_number)
{
	for (size_t i = 0; i < to->owners_count; i++)
		if (to->owners[i].is_there && to->owners[i].is_number == is_number &&
		    strcasecmp(to->owners[i].key, key) == 0 &&
		    strcasecmp(to->owners[i].unit, unit->name) == 0)
			return to->owners[i].map;
	return NULL;
}

/* Keys of the other table with their units: columns k and u. */
static enum sotto_status unit_keys(struct sotto_planner *p, const struct sotto_relation *other,
				   const struct sotto_schema_table *to, const char *key,
				   bool unique, unsigned bytes, const struct sotto_rowset **out)
{
	struct sotto_arena *a = p->arena;
	struct sotto_rowset_select s = {
		.distinct = !unique,
		.unit_bytes = bytes,
		.stored = bytes ? stored_map(to, key, other->unit_column, false) : NULL,
		.numbers = bytes ? stored_map(to, key, other->unit_column, true) : NULL,
		.where = SOTTO_APPLY(a, SOTTO_OP_PRESENT, other->unit)};

	SOTTO_NEED(s.where &&
		   sotto_rowset_output(a, &s, sotto_expression_column(a, other->alias, key),
				       "k") &&
		   sotto_rowset_output(a, &s, other->unit, "u") &&
		   sotto_rowset_from(a, &s, other->tree));
	*out = sotto_rowset_select(a, &s, "v");
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/* The table s with the unit that its key finds among the keys v. */
static enum sotto_status look_up(struct sotto_planner *p, const struct sotto_schema_table *t,
				 const char *own, const struct sotto_rowset *keys,
				 struct sotto_relation *out)
{
	static const char name[] = "sotto unit";
	struct sotto_arena *a = p->arena;
	struct sotto_rowset_select s = {0};
	const struct sotto_rowset *scan;

	SOTTO_TRY(sotto_scan_rows(p, t, "s", &scan));
	SOTTO_TRY(sotto_scan_rows(p, t, out->alias, &out->without_unit));
	SOTTO_NEED(
		sotto_rowset_output(a, &s, sotto_expression_star(a, "s"), NULL) &&
		sotto_rowset_output(a, &s, sotto_expression_column(a, "v", "u"), name) &&
		sotto_rowset_from(
			a, &s,
			sotto_rowset_join(a, SOTTO_ROWSET_INNER, scan, keys,
					  SOTTO_APPLY(a, SOTTO_OP_SAME,
						      sotto_expression_column(a, "s", own),
						      sotto_expression_column(a, "v", "k")))));
	out->unit = sotto_expression_column(a, out->alias, name);
	out->tree = sotto_rowset_select(a, &s, out->alias);
	return out->unit && out->tree ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_unit_path_scan(struct sotto_planner *p,
				       const struct sotto_schema_table *t,
				       struct sotto_relation *out)
{
	const struct sotto_schema_column *own, *key;
	const struct sotto_schema_table *to;
	struct sotto_relation other;
	const struct sotto_rowset *keys;
	bool unique;

	SOTTO_TRY(sotto_planner_schema(p, t->policy->via, &to, p->err));
	SOTTO_TRY(check_ends(p, t, to, &own, &key));
	SOTTO_TRY(sotto_scan_bind(p, t->policy->via, t->policy->via->name, &other));
	if (is_unit(t->policy->via, t->policy->via_key)) {
		out->unit_column = own;
		return scan_by_unit(p, t, own->name, out);
	}
	out->unit_column = other.unit_column;
	unique = is_unique(t->policy->via, t->policy->via_key);
	SOTTO_TRY(unit_keys(p, &other, to, key->name, unique,
			    unit_bytes(own, key, unique, &other), &keys));
	return look_up(p, t, own->name, keys, out);
}
