/*
 * How many rows joins with public tables make of one private row.  Were there no
 * limit, time and memory would tell whether the one row that a condition picks
 * exists.  The number is computed by the engine from public tables alone, before
 * anything is charged (sensitivity.md, 8).
 */
#include "plan/planner.h"

#include <string.h>
#include <strings.h>

#include "base/failure.h"
#include "plan/plan.h"

enum { FANOUT_MAX = 10000, ROW = 50 };

enum sotto_status sotto_public_rows_new(struct sotto_arena *a, struct sotto_public_rows **out)
{
	*out = sotto_arena_alloc(a, sizeof **out);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/* What a private row must equal: expressions over the public relation. */
struct fixed {
	const char *list,
		*present; /* "x, y" and "x IS NOT NULL AND y IS NOT NULL"; NULL: none */
};

static enum sotto_status fix(struct sotto_planner *p, struct fixed *f, const char *sql)
{
	f->list = sotto_arena_textf(p->arena, "%s%s%s", f->list ? f->list : "",
				    f->list ? ", " : "", sql);
	f->present =
		sotto_arena_textf(p->arena, "%s%s%s IS NOT NULL", f->present ? f->present : "",
				  f->present ? " AND " : "", sql);
	return f->list && f->present ? SOTTO_OK : SOTTO_ENOMEM;
}

static bool binds(struct sotto_planner *p, const struct sotto_relation *r,
		  const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_binder b = sotto_planner_binder(p, &r->scope);

	b.err = NULL;
	return sotto_bind(&b, e, out) == SOTTO_OK;
}

/* x = y with x over the public relation and y over the private one. */
static enum sotto_status
fix_equal(struct sotto_planner *p, const struct sotto_relation *private,
	  const struct sotto_relation *public, const struct sotto_sql_expr *e, struct fixed *f)
{
	for (int side = 0; side < 2; side++) {
		struct sotto_binder b = sotto_planner_binder(p, &public->scope);
		struct sotto_bound x, y;
		enum sotto_sql_type type;
		const char *sql;

		b.err = NULL;
		if (!binds(p, public, e->args[side], &x) || x.column_count == 0 ||
		    !binds(p, private, e->args[1 - side], &y))
			continue;
		if (sotto_bind_common(&b, e, &x, &y, &type) != SOTTO_OK ||
		    sotto_bind_as(&b, e, &x, type, &sql) != SOTTO_OK)
			continue;
		return fix(p, f, sql);
	}
	return SOTTO_OK;
}

static enum sotto_status fix_conditions(struct sotto_planner *p,
					const struct sotto_relation *private,
					const struct sotto_relation *public,
					const struct sotto_sql_expr *e, struct fixed *f)
{
	if (!e || e->kind != SOTTO_SQL_OP)
		return SOTTO_OK;
	if (e->op == SOTTO_SQL_AND) {
		SOTTO_TRY(fix_conditions(p, private, public, e->args[0], f));
		return fix_conditions(p, private, public, e->args[1], f);
	}
	return e->op == SOTTO_SQL_EQ ? fix_equal(p, private, public, e, f) : SOTTO_OK;
}

/* A column merged by USING, compared in the type that both have in common. */
static enum sotto_status fix_name(struct sotto_planner *p, const struct sotto_relation *private,
				  const struct sotto_relation *public, const char *name,
				  struct fixed *f)
{
	struct sotto_sql_expr place = {.at = -1};
	const struct sotto_scope_column *x = NULL, *y = NULL;
	struct sotto_binder b = sotto_planner_binder(p, &public->scope);
	enum sotto_sql_type type;
	const char *sql;

	for (size_t i = 0; i < public->scope.count; i++)
		if (strcasecmp(public->scope.columns[i]->name, name) == 0)
			x = public->scope.columns[i];
	for (size_t i = 0; i < private->scope.count; i++)
		if (strcasecmp(private->scope.columns[i]->name, name) == 0)
			y = private->scope.columns[i];
	b.err = NULL;
	if (!x || !y || !x->rows ||
	    sotto_bind_common(&b, &place, &x->bound, &y->bound, &type) != SOTTO_OK ||
	    sotto_bind_as(&b, &place, &x->bound, type, &sql) != SOTTO_OK)
		return SOTTO_OK;
	return fix(p, f, sql);
}

static enum sotto_status fix_names(struct sotto_planner *p, const struct sotto_sql_from *from,
				   const struct sotto_relation *private,
				   const struct sotto_relation *public, struct fixed *f)
{
	for (size_t i = 0; i < from->using_count; i++)
		SOTTO_TRY(fix_name(p, private, public, from->using[i], f));
	for (size_t i = 0; from->natural && i < public->scope.count; i++)
		SOTTO_TRY(fix_name(p, private, public, public->scope.columns[i]->name, f));
	return SOTTO_OK;
}

enum sotto_status sotto_fanout_join(struct sotto_planner *p, const struct sotto_sql_from *from,
				    const struct sotto_relation *private,
				    const struct sotto_relation *public,
				    struct sotto_relation *out)
{
	struct fixed f = {0};
	const char *most;

	/* FULL JOIN ... USING has merged the column: it is no longer the public one. */
	if (from->join != SOTTO_SQL_FULL)
		SOTTO_TRY(fix_names(p, from, private, public, &f));
	SOTTO_TRY(fix_conditions(p, private, public, from->on, &f));
	SOTTO_TRY(fix_conditions(p, private, public, p->where, &f));
	if (f.list)
		most = sotto_arena_textf(
			p->arena,
			"(SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM %s "
			"WHERE %s GROUP BY %s) AS f)",
			public->sql, f.present, f.list);
	else
		most = sotto_arena_textf(p->arena, "(SELECT count(*) FROM %s)", public->sql);
	SOTTO_NEED(most);
	out->fanout = sotto_arena_textf(p->arena, "%s%sgreatest(CAST(%s AS DOUBLE), 1)",
					private->fanout ? private->fanout : "",
					private->fanout ? " * " : "", most);
	return out->fanout ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status
sotto_fanout_unite(struct sotto_planner *p, const char *x, const char *y, const char **out)
{
	*out = sotto_arena_textf(p->arena, "(%s + %s)", x ? x : "1", y ? y : "1");
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status
sotto_planner_check(struct sotto_planner *p, const char *sql, int64_t most, const char *why)
{
	struct sotto_plan_check *slot = SOTTO_PUSH(p->arena, p->checks, p->check_count);

	SOTTO_NEED(slot && sql);
	*slot = (struct sotto_plan_check){.sql = sql, .most = most, .why = why};
	return SOTTO_OK;
}

enum sotto_status sotto_fanout_work(struct sotto_planner *p, const char *rows, double work)
{
	p->more_work = sotto_arena_textf(p->arena, "%s + %s * %.0f",
					 p->more_work ? p->more_work : "", rows, work);
	return p->more_work ? SOTTO_OK : SOTTO_ENOMEM;
}

static const char too_much[] =
	"the query could work more than a millisecond on one private row; join with fewer "
	"public rows, use fewer or simpler functions of text and patterns, or ask the owner to "
	"lower max_text of the columns";

static enum sotto_status check_rows(struct sotto_planner *p, const char *fanout)
{
	if (!fanout)
		return SOTTO_OK;
	return sotto_planner_check(
		p,
		sotto_arena_textf(p->arena, "SELECT CAST(least(%s, 1e15) AS BIGINT)", fanout),
		FANOUT_MAX,
		"the joins can make more than 10000 rows of one private row; join with fewer "
		"public rows, on columns that fewer of them share");
}

/* rows times work, and more for each of the rows, and what is done once. */
static enum sotto_status check_work(struct sotto_planner *p, const char *rows, double work,
				    const char *more, double once)
{
	if (work + once > SOTTO_WORK_MAX)
		return sotto_fail(p->err, SOTTO_EREFUSED, "%s", too_much);
	if (!rows && !more)
		return SOTTO_OK;
	return sotto_planner_check(
		p,
		sotto_arena_textf(p->arena,
				  "SELECT CAST(least((%s) * (%.0f%s) + %.0f, 1e15) AS BIGINT)",
				  rows ? rows : "1", work, more ? more : "", once),
		SOTTO_WORK_MAX, too_much);
}

enum sotto_status sotto_fanout_check(struct sotto_planner *p, const struct sotto_relation *r)
{
	SOTTO_TRY(check_rows(p, r->fanout));
	return check_work(p, r->fanout, ROW + r->work, NULL, 0);
}

enum sotto_status
sotto_fanout_finish(struct sotto_planner *p, const struct sotto_relation *r, double row)
{
	SOTTO_TRY(check_rows(p, r->fanout));
	return check_work(p, r->fanout, row + p->work, p->more_work, p->work_once);
}
