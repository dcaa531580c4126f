/*
 * FROM: tables, joins, subqueries.  The rule that everything rests on: each row
 * of a relation belongs to exactly one privacy unit, or the relation is public.
 */
#include "central/relation/relation.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/failure.h"

/* New tables and subqueries are refused above the first; the rest is for those begun. */
enum { TABLES_MAX = 500, ALIASES_MAX = 1000 };

const char *sotto_planner_alias(struct sotto_planner *p)
{
	return p->aliases < ALIASES_MAX ? sotto_arena_textf(p->arena, "t%u", ++p->aliases)
					: NULL;
}

/* Asked once for each table: the session then looks at files, of which a table may have many. */
enum sotto_status
sotto_planner_schema(const struct sotto_planner *p, const struct sotto_policy_table *table,
		     const struct sotto_schema_table **out, struct sotto_error *err)
{
	const struct sotto_schema_table **seen = &p->seen[table - p->policy->tables];

	if (!*seen)
		SOTTO_TRY(p->schema(p->schema_context, table, seen, err));
	*out = *seen;
	return SOTTO_OK;
}

struct sotto_binder
sotto_planner_binder(struct sotto_planner *p, const struct sotto_scope *scope)
{
	return (struct sotto_binder){
		.arena = p->arena,
		.text = p->text,
		.err = p->err,
		.scope = scope,
		.planner = p,
		.ctes = p->ctes,
		.outer = p->outer,
	};
}

struct sotto_binder
sotto_relation_binder(struct sotto_planner *p, const struct sotto_relation *from)
{
	struct sotto_binder b = sotto_planner_binder(p, &from->scope);

	b.from = from->owner && from->unit ? from : NULL;
	b.owned = from->owner != NULL;
	return b;
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

enum sotto_status sotto_public_rows_new(struct sotto_arena *a, struct sotto_public_rows **out)
{
	*out = sotto_arena_alloc(a, sizeof **out);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
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
	return sotto_scope_renamed(p->arena, &r->scope) ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
unknown_table(struct sotto_planner *p, const struct sotto_sql_from *from)
{
	char list[240] = "";
	size_t n = 0;

	for (size_t i = 0; i < p->policy->table_count && n < sizeof list; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "",
				      p->policy->tables[i].name);
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, from->at,
			      "there is no table %.60s in the policy; the tables are %s",
			      from->table, list);
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
		return unknown_table(p, from);
	SOTTO_TRY(sotto_scan_bind(p, table, from->table, out));
	return rename_columns(p, from, out);
}

static enum sotto_status bind_from(struct sotto_planner *p, const struct sotto_ctes *ctes,
				   const struct sotto_sql_from *from,
				   struct sotto_relation *out)
{
	switch (from->kind) {
	case SOTTO_SQL_TABLE:
		return bind_table(p, ctes, from, out);
	case SOTTO_SQL_JOIN:
		return sotto_join_bind(p, ctes, from, out);
	case SOTTO_SQL_SUBQUERY:
		break;
	}
	return sotto_subquery_bind(p, ctes, from->select, from->alias ? from->alias : "",
				   from->columns, from->column_count, out);
}

enum sotto_status sotto_relation_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
				      const struct sotto_sql_from *from,
				      struct sotto_relation *out)
{
	double before = p->work;

	if (!from) {
		struct sotto_rowset_select s = {0};

		SOTTO_NEED(sotto_rowset_output(p->arena, &s,
					       sotto_expression_whole(p->arena, 1), NULL));
		*out = (struct sotto_relation){.tree = sotto_rowset_select(p->arena, &s, NULL)};
		return out->tree ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (p->aliases >= TABLES_MAX)
		return refuse(p, from->at, "the query uses too many tables and subqueries");
	SOTTO_TRY(bind_from(p, ctes, from, out));
	out->work = p->work - before;
	return SOTTO_OK;
}
