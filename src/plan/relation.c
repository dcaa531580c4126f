/*
 * FROM: tables, joins, subqueries.  The rule that everything rests on: each row
 * of a relation belongs to exactly one privacy unit, or the relation is public.
 */
#include "plan/planner.h"

#include <string.h>
#include <strings.h>

#include "base/failure.h"
#include "plan/domain.h"
#include "sql/print.h"

enum { ALIASES_MAX = 500 };

const char *sotto_planner_alias(struct sotto_planner *p)
{
	return p->aliases < ALIASES_MAX ? sotto_arena_textf(p->arena, "t%u", ++p->aliases)
					: NULL;
}

struct sotto_binder
sotto_planner_binder(struct sotto_planner *p, const struct sotto_scope *scope)
{
	return (struct sotto_binder){
		.arena = p->arena, .text = p->text, .err = p->err, .scope = scope};
}

static enum sotto_status refuse(struct sotto_planner *p, int at, const char *why)
{
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, at, "%s", why);
}

enum sotto_status sotto_ctes_push(struct sotto_planner *p, const struct sotto_sql_select *s,
				  const struct sotto_ctes **ctes)
{
	for (size_t i = 0; i < s->cte_count; i++) {
		struct sotto_ctes *c = sotto_arena_alloc(p->arena, sizeof *c);

		SOTTO_NEED(c);
		*c = (struct sotto_ctes){.cte = &s->ctes[i], .outer = *ctes};
		*ctes = c;
	}
	return SOTTO_OK;
}

/* ---- tables of the policy ---------------------------------------------------------- */

static bool numeric(enum sotto_sql_type t)
{
	return t == SOTTO_TYPE_INTEGER || t == SOTTO_TYPE_NUMBER;
}

/* The type that source and policy agree on; a declared type is read with a cast that tries. */
static enum sotto_status column_type(struct sotto_planner *p,
				     const struct sotto_schema_column *source,
				     const struct sotto_policy_column *declared,
				     const char *native, struct sotto_bound *out)
{
	enum sotto_sql_type want = declared ? declared->type : SOTTO_TYPE_LOOSE;

	out->type = source->type;
	out->is_double = source->is_double;
	out->sql = source->as_text ? sotto_arena_textf(p->arena, "CAST(%s AS VARCHAR)", native)
				   : native;
	SOTTO_NEED(out->sql);
	if (want == SOTTO_TYPE_LOOSE || want == source->type ||
	    (numeric(want) && numeric(source->type)))
		return SOTTO_OK;
	if (source->type != SOTTO_TYPE_LOOSE && source->type != SOTTO_TYPE_TEXT)
		return sotto_fail(p->err, SOTTO_EPARSE,
				  "%.160s:%zu: the column %.60s is %s in its source, not %s",
				  p->policy->path, declared->line, declared->name,
				  sotto_sql_type_word(source->type), sotto_sql_type_word(want));
	out->type = want;
	out->is_double = want == SOTTO_TYPE_NUMBER;
	if (want == SOTTO_TYPE_TEXT)
		return SOTTO_OK;
	out->sql = sotto_arena_textf(p->arena, "TRY_CAST(%s AS %s)", out->sql,
				     sotto_sql_type_engine(want));
	return out->sql ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status declared_domain(struct sotto_planner *p,
					 const struct sotto_schema_table *t,
					 const struct sotto_policy_column *declared,
					 const char *field, struct sotto_bound *out)
{
	struct sotto_domain *d;

	if (declared && declared->has_keys)
		return sotto_domain_keys(p->arena, declared, &out->domain);
	if (t->policy->is_public && out->type != SOTTO_TYPE_OTHER) {
		d = sotto_arena_alloc(p->arena, sizeof *d);
		SOTTO_NEED(d);
		d->size = -1;
		d->sql = sotto_arena_textf(p->arena, "SELECT DISTINCT %s AS k FROM %s", field,
					   t->scan);
		SOTTO_NEED(d->sql);
		out->domain = d;
		return SOTTO_OK;
	}
	if (out->type == SOTTO_TYPE_BOOLEAN)
		return sotto_domain_boolean(p->arena, out->nullable, &out->domain);
	return SOTTO_OK;
}

static enum sotto_status add_column(struct sotto_planner *p, struct sotto_relation *r,
				    const char *table, const char *alias,
				    const struct sotto_schema_table *t, size_t i)
{
	const struct sotto_schema_column *source = &t->columns[i];
	const struct sotto_policy_column *declared =
		sotto_policy_column_find(t->policy, source->name);
	struct sotto_scope_column *c = sotto_arena_alloc(p->arena, sizeof *c), **slot;
	const char *native;

	SOTTO_NEED(c);
	c->table = table;
	c->name = source->name;
	c->alias = alias;
	c->field = sotto_sql_print_name(p->arena, source->name);
	native = c->field ? sotto_arena_textf(p->arena, "%s.%s", alias, c->field) : NULL;
	SOTTO_NEED(native);
	c->bound.nullable = !declared || declared->nullable;
	SOTTO_TRY(column_type(p, source, declared, native, &c->bound));
	if (declared && declared->has_bounds) {
		c->bound.range = (struct sotto_range){declared->lo, declared->hi};
		c->bound.step = declared->step;
	}
	SOTTO_TRY(declared_domain(p, t, declared, c->field, &c->bound));
	if (t->policy->unit && strcasecmp(t->policy->unit, source->name) == 0) {
		c->bound.is_unit = true;
		r->unit = native;
	}
	slot = SOTTO_PUSH(p->arena, r->scope.columns, r->scope.count);
	SOTTO_NEED(slot);
	*slot = c;
	return SOTTO_OK;
}

/* A declared column that the source does not have is a mistake worth an error. */
static enum sotto_status
check_declared(struct sotto_planner *p, const struct sotto_schema_table *t)
{
	for (size_t i = 0; i < t->policy->column_count; i++) {
		const struct sotto_policy_column *c = &t->policy->columns[i];
		bool found = false;

		for (size_t j = 0; j < t->column_count; j++)
			found = found || strcasecmp(t->columns[j].name, c->name) == 0;
		if (!found)
			return sotto_fail(
				p->err, SOTTO_EPARSE,
				"%.160s:%zu: the source of table %.60s has no column %.60s",
				p->policy->path, c->line, t->policy->name, c->name);
	}
	return SOTTO_OK;
}

static enum sotto_status bind_scan(struct sotto_planner *p,
				   const struct sotto_policy_table *table, const char *name,
				   struct sotto_relation *out)
{
	const struct sotto_schema_table *t;
	const char *alias = sotto_planner_alias(p);

	SOTTO_NEED(alias);
	SOTTO_TRY(p->schema(p->schema_context, table, &t, p->err));
	SOTTO_TRY(check_declared(p, t));
	*out = (struct sotto_relation){.owner = table->is_public ? NULL : table};
	for (size_t i = 0; i < t->column_count; i++)
		SOTTO_TRY(add_column(p, out, name, alias, t, i));
	if (table->unit && !out->unit)
		return sotto_fail(
			p->err, SOTTO_EPARSE,
			"%.160s:%zu: the source of table %.60s has no column %.60s, which is "
			"its unit",
			p->policy->path, table->line, table->name, table->unit);
	if (table->unit_is_row && p->row_ids) {
		out->unit = sotto_arena_textf(p->arena, "%s.\"sotto row\"", alias);
		out->sql = sotto_arena_textf(
			p->arena,
			"(SELECT *, row_number() OVER () AS \"sotto row\" FROM %s) AS %s",
			t->scan, alias);
		SOTTO_NEED(out->unit);
	} else {
		out->sql = sotto_arena_textf(p->arena, "%s AS %s", t->scan, alias);
	}
	return out->sql ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status rename_columns(struct sotto_planner *p,
					const struct sotto_sql_from *from,
					struct sotto_relation *r)
{
	if (from->column_count > r->scope.count)
		return refuse(p, from->at, "the alias names more columns than there are");
	for (size_t i = 0; i < r->scope.count; i++) {
		if (from->alias)
			r->scope.columns[i]->table = from->alias;
		if (i < from->column_count)
			r->scope.columns[i]->name = from->columns[i];
	}
	return SOTTO_OK;
}

static enum sotto_status bind_table(struct sotto_planner *p, const struct sotto_ctes *ctes,
				    const struct sotto_sql_from *from,
				    struct sotto_relation *out)
{
	const struct sotto_policy_table *table;

	for (const struct sotto_ctes *c = ctes; c; c = c->outer)
		if (strcmp(c->cte->name, from->table) == 0) {
			SOTTO_TRY(sotto_subquery_bind(p, c->outer, c->cte->select, from->table,
						      c->cte->columns, c->cte->column_count,
						      out));
			return rename_columns(p, from, out);
		}
	table = sotto_policy_table_find(p->policy, from->table);
	if (!table)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, from->at,
				      "there is no table %.60s in the policy", from->table);
	SOTTO_TRY(bind_scan(p, table, from->table, out));
	return rename_columns(p, from, out);
}

/* ---- joins --------------------------------------------------------------------------- */

static enum sotto_status make_nullable(struct sotto_planner *p, struct sotto_relation *r)
{
	for (size_t i = 0; i < r->scope.count; i++) {
		struct sotto_bound *b = &r->scope.columns[i]->bound;

		b->nullable = true;
		if (b->domain)
			SOTTO_TRY(sotto_domain_with_null(p->arena, b->domain, &b->domain));
	}
	return SOTTO_OK;
}

static struct sotto_scope_column *find_name(const struct sotto_relation *r, const char *name)
{
	for (size_t i = 0; i < r->scope.count; i++)
		if (!r->scope.columns[i]->hidden &&
		    strcasecmp(r->scope.columns[i]->name, name) == 0)
			return r->scope.columns[i];
	return NULL;
}

static enum sotto_status merge_column(struct sotto_planner *p,
				      const struct sotto_sql_from *from,
				      struct sotto_relation *left, struct sotto_relation *right,
				      const char *name, const char **on)
{
	struct sotto_scope_column *l = find_name(left, name), *r = find_name(right, name);
	struct sotto_binder b = sotto_planner_binder(p, &left->scope);
	struct sotto_sql_expr place = {.at = from->at};
	enum sotto_sql_type type;
	const char *x, *y;

	if (!l || !r)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, from->at,
				      "both tables of the join must have the column %.60s",
				      name);
	SOTTO_TRY(sotto_bind_common(&b, &place, &l->bound, &r->bound, &type));
	SOTTO_TRY(sotto_bind_as(&b, &place, &l->bound, type, &x));
	SOTTO_TRY(sotto_bind_as(&b, &place, &r->bound, type, &y));
	*on = sotto_arena_textf(p->arena, "%s%s%s = %s", *on ? *on : "", *on ? " AND " : "", x,
				y);
	SOTTO_NEED(*on);
	if (from->join == SOTTO_SQL_FULL) {
		l->bound.sql = sotto_arena_textf(p->arena, "coalesce(%s, %s)", x, y);
		l->bound.type = type;
		l->bound.is_double = numeric(type);
		l->bound.domain = NULL;
		SOTTO_NEED(l->bound.sql);
	}
	if (from->join == SOTTO_SQL_RIGHT)
		l->hidden = true;
	else
		r->hidden = true;
	return SOTTO_OK;
}

static enum sotto_status
merge_columns(struct sotto_planner *p, const struct sotto_sql_from *from,
	      struct sotto_relation *left, struct sotto_relation *right, const char **on)
{
	for (size_t i = 0; i < from->using_count; i++)
		SOTTO_TRY(merge_column(p, from, left, right, from->using[i], on));
	for (size_t i = 0; from->natural && i < left->scope.count; i++) {
		const struct sotto_scope_column *c = left->scope.columns[i];

		if (!c->hidden && find_name(right, c->name))
			SOTTO_TRY(merge_column(p, from, left, right, c->name, on));
	}
	return SOTTO_OK;
}

static enum sotto_status join_scopes(struct sotto_planner *p, const struct sotto_relation *left,
				     const struct sotto_relation *right,
				     struct sotto_scope *out)
{
	const struct sotto_scope *both[] = {&left->scope, &right->scope};

	*out = (struct sotto_scope){0};
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < both[side]->count; i++) {
			struct sotto_scope_column **slot =
				SOTTO_PUSH(p->arena, out->columns, out->count);

			SOTTO_NEED(slot);
			*slot = both[side]->columns[i];
		}
	return SOTTO_OK;
}

static enum sotto_status bind_join(struct sotto_planner *p, const struct sotto_ctes *ctes,
				   const struct sotto_sql_from *from,
				   struct sotto_relation *out)
{
	static const char *const words[] = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"};
	struct sotto_relation left, right;
	struct sotto_bound condition;
	struct sotto_binder b;
	const char *on = NULL;

	SOTTO_TRY(sotto_relation_bind(p, ctes, from->left, &left));
	SOTTO_TRY(sotto_relation_bind(p, ctes, from->right, &right));
	if (left.owner && right.owner)
		return refuse(
			p, from->at,
			"a join of two private tables is not supported: join the private table "
			"with public ones, or ask about each on its own");
	*out = (struct sotto_relation){.owner = left.owner ? left.owner : right.owner,
				       .unit = left.unit ? left.unit : right.unit};
	SOTTO_TRY(merge_columns(p, from, &left, &right, &on));
	SOTTO_TRY(join_scopes(p, &left, &right, &out->scope));
	if (from->on) {
		b = sotto_planner_binder(p, &out->scope);
		SOTTO_TRY(sotto_bind_condition(&b, from->on, &condition));
		on = condition.sql;
	}
	if (from->join == SOTTO_SQL_LEFT || from->join == SOTTO_SQL_FULL)
		SOTTO_TRY(make_nullable(p, &right));
	if (from->join == SOTTO_SQL_RIGHT || from->join == SOTTO_SQL_FULL)
		SOTTO_TRY(make_nullable(p, &left));
	out->sql = sotto_arena_textf(p->arena, "(%s %s %s ON %s)", left.sql, words[from->join],
				     right.sql, on ? on : "TRUE");
	return out->sql ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_relation_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
				      const struct sotto_sql_from *from,
				      struct sotto_relation *out)
{
	if (!from) {
		*out = (struct sotto_relation){.sql = "(SELECT 1)"};
		return SOTTO_OK;
	}
	if (p->aliases >= ALIASES_MAX)
		return refuse(p, from->at, "the query uses too many tables and subqueries");
	switch (from->kind) {
	case SOTTO_SQL_TABLE:
		return bind_table(p, ctes, from, out);
	case SOTTO_SQL_JOIN:
		return bind_join(p, ctes, from, out);
	case SOTTO_SQL_SUBQUERY:
		break;
	}
	return sotto_subquery_bind(p, ctes, from->select, from->alias ? from->alias : "",
				   from->columns, from->column_count, out);
}
