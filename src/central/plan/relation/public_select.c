/*
 * Queries over public tables only: answered exactly and free, but still written
 * by us, from the reviewed list.
 */
#include "central/plan/planner.h"

#include <string.h>

#include "central/plan/aggregate/aggregate.h"
#include "central/plan/aggregate/aggregate_quantile.h"
#include "core/base/failure.h"

static enum sotto_status
with_filter(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound condition;

	if (!e->filter)
		return SOTTO_OK;
	SOTTO_TRY(sotto_bind_condition(b, e->filter, &condition));
	return sotto_bind_print(b, &out->sql, "$1 FILTER (WHERE $2)",
				(const char *[]){out->sql, condition.sql}, 2);
}

static enum sotto_status
count_rows(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound x = {.sql = "*"};

	*out = (struct sotto_bound){.type = SOTTO_TYPE_INTEGER};
	if (e->args[0]->kind != SOTTO_SQL_STAR)
		SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	SOTTO_TRY(sotto_bind_print(
		b, &out->sql, e->distinct ? "count(DISTINCT $1)" : "count($1)", &x.sql, 1));
	return with_filter(b, e, out);
}

/* An aggregate of x by its template; texts are those that it names. */
static enum sotto_status aggregate(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   const char *template, const char *const *texts, size_t count,
				   struct sotto_bound *out)
{
	SOTTO_TRY(sotto_bind_print(b, &out->sql, template, texts, count));
	SOTTO_TRY(with_filter(b, e, out));
	if (out->type != SOTTO_TYPE_NUMBER || !out->is_double)
		return SOTTO_OK;
	return sotto_bind_print(b, &out->sql, "CAST($1 AS DOUBLE)", &out->sql, 1);
}

static const struct sotto_bound a_number = {
	.type = SOTTO_TYPE_NUMBER, .is_double = true, .nullable = true};

static enum sotto_status
quantile(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	const struct sotto_sql_expr *arg = NULL;
	struct sotto_rank rank;
	struct sotto_rational q;
	struct sotto_bound x;
	const char *texts[2];

	SOTTO_TRY(sotto_quantile_read_rank(b, e, &rank, &arg));
	SOTTO_TRY(sotto_bind(b, arg, &x));
	SOTTO_TRY(sotto_bind_as(b, arg, &x, SOTTO_TYPE_NUMBER, &texts[0]));
	sotto_rational_init(&q);
	mpq_set_ui(q.q, rank.part, rank.whole);
	texts[1] = sotto_bind_number(b->arena, &q, true);
	sotto_rational_release(&q);
	SOTTO_NEED(texts[1]);
	*out = a_number;
	return aggregate(b, e,
			 rank.side == 0  ? "quantile_cont($1, $2)"
			 : rank.side < 0 ? "quantile_disc($1, $2)"
					 : "quantile_disc($1, 1 - $2 ORDER BY $1 DESC)",
			 texts, 2, out);
}

/* An aggregate of one argument, by the engine SQL of its record. */
static enum sotto_status plain(struct sotto_binder *b, const struct sotto_sql_expr *e,
			       const struct sotto_aggregate_record *record,
			       struct sotto_bound *out)
{
	struct sotto_bound x;
	const char *arg;

	SOTTO_TRY(sotto_bind(b, e->args[0], &x));
	arg = x.sql;
	*out = a_number;
	if (record->public_number)
		SOTTO_TRY(sotto_bind_as(b, e->args[0], &x, SOTTO_TYPE_NUMBER, &arg));
	else
		*out = (struct sotto_bound){
			.type = x.type, .is_double = x.is_double, .nullable = true};
	return aggregate(b, e, record->public_sql, &arg, 1, out);
}

/* One that is defined by others: GEOMEAN.  What needs bounds is not for public tables. */
static enum sotto_status expanded(struct sotto_binder *b, const struct sotto_sql_expr *e,
				  const struct sotto_aggregate_record *record,
				  struct sotto_bound *out)
{
	struct sotto_sql_expr *over;

	SOTTO_TRY(record->expand(b, e, &over));
	return sotto_bind(b, over, out);
}

enum sotto_status sotto_public_aggregate(struct sotto_binder *b, const struct sotto_sql_expr *e,
					 struct sotto_bound *out)
{
	const struct sotto_aggregate_record *record = sotto_aggregate_find(e->text);
	struct sotto_binder inner = *b;

	inner.aggregates = false;
	if (e->count == 1 && record->unit == SOTTO_UNIT_COUNT)
		return count_rows(&inner, e, out);
	if (e->count == 1 && !e->distinct && record->public_sql)
		return plain(&inner, e, record, out);
	if (e->count == 1 && record->expand)
		return expanded(b, e, record, out);
	if (e->count == 2 && sotto_quantile_is(record))
		return quantile(&inner, e, out);
	return sotto_bind_refuse(b, e, "this form of %s is not supported", e->text);
}

/* GROUP BY 2, GROUP BY alias and ORDER BY 2 mean an output. */
static const struct sotto_sql_expr *
by_output(const struct sotto_sql_expr *e, const struct sotto_sql_output *outputs, size_t count)
{
	size_t n = 0;

	if (e->kind == SOTTO_SQL_NUMBER && strlen(e->text) < 6 &&
	    strspn(e->text, "0123456789") == strlen(e->text))
		for (const char *s = e->text; *s; s++)
			n = n * 10 + (size_t)(*s - '0');
	if (n >= 1 && n <= count)
		return outputs[n - 1].expr;
	if (e->kind == SOTTO_SQL_COLUMN && !e->qualifier)
		for (size_t i = 0; i < count; i++)
			if (outputs[i].name && strcmp(outputs[i].name, e->text) == 0)
				return outputs[i].expr;
	return e;
}

static enum sotto_status
add_clause(struct sotto_planner *p, const char **sql, const char *word, const char *text)
{
	*sql = sotto_arena_textf(p->arena, "%s%s%s", *sql, word, text);
	return *sql ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status
add_groups(struct sotto_planner *p, struct sotto_binder *b, const struct sotto_sql_select *s,
	   const struct sotto_sql_output *outputs, size_t count, const char **sql)
{
	struct sotto_bound x;

	b->aggregates = false;
	for (size_t i = 0; i < s->group_count; i++) {
		SOTTO_TRY(sotto_bind(b, by_output(s->groups[i], outputs, count), &x));
		SOTTO_TRY(add_clause(p, sql, i ? ", " : " GROUP BY ", x.sql));
	}
	b->aggregates = true;
	return SOTTO_OK;
}

static enum sotto_status
add_tail(struct sotto_planner *p, struct sotto_binder *b, const struct sotto_sql_select *s,
	 const struct sotto_sql_output *outputs, size_t count, const char **sql)
{
	struct sotto_bound x;

	for (size_t i = 0; i < s->order_count; i++) {
		const struct sotto_sql_order *o = &s->orders[i];

		SOTTO_TRY(sotto_bind(b, by_output(o->expr, outputs, count), &x));
		SOTTO_TRY(add_clause(p, sql, i ? ", " : " ORDER BY ", x.sql));
		SOTTO_TRY(add_clause(p, sql, o->descending ? " DESC" : " ASC",
				     o->nulls_first ? " NULLS FIRST" : " NULLS LAST"));
	}
	if (s->limit >= 0)
		*sql = sotto_arena_textf(p->arena, "%s LIMIT %lld", *sql, (long long)s->limit);
	if (*sql && s->offset > 0)
		*sql = sotto_arena_textf(p->arena, "%s OFFSET %lld", *sql,
					 (long long)s->offset);
	return *sql ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_public_select(struct sotto_planner *p, const struct sotto_sql_select *s,
				      struct sotto_relation *from,
				      const struct sotto_sql_output *outputs, size_t count,
				      struct sotto_bound *bounds, const char **sql)
{
	struct sotto_binder b = sotto_planner_binder(p, &from->scope);
	struct sotto_bound x;

	b.finished = &from->finished;
	b.aggregates = true;
	b.windows = true;
	*sql = s->distinct ? "SELECT DISTINCT " : "SELECT ";
	for (size_t i = 0; i < count; i++) {
		SOTTO_TRY(sotto_bind(&b, outputs[i].expr, &bounds[i]));
		bounds[i].domain = NULL;
		*sql = sotto_arena_textf(p->arena, "%s%s%s AS c%zu", *sql, i ? ", " : "",
					 bounds[i].sql, i);
		SOTTO_NEED(*sql);
	}
	SOTTO_TRY(add_clause(p, sql, " FROM ", from->sql));
	if (s->where) {
		b.aggregates = b.windows = false;
		SOTTO_TRY(sotto_bind_condition(&b, s->where, &x));
		SOTTO_TRY(add_clause(p, sql, " WHERE ", x.sql));
	}
	SOTTO_TRY(add_groups(p, &b, s, outputs, count, sql));
	if (s->having) {
		SOTTO_TRY(sotto_bind_condition(&b, s->having, &x));
		SOTTO_TRY(add_clause(p, sql, " HAVING ", x.sql));
	}
	return add_tail(p, &b, s, outputs, count, sql);
}
