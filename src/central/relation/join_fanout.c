/*
 * How many rows joins with public tables make of one private row.  Were there no
 * limit, time and memory would tell whether the one row that a condition picks
 * exists.  The number is computed by the engine from public tables alone, before
 * anything is charged (sensitivity.md, 8).
 */
#include "central/relation/join_fanout.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "central/emit/emit.h"
#include "central/expression/bind.h"
#include "central/expression/work/row_work.h"
#include "central/plan/plan.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

enum { FANOUT_MAX = 10000, ROW = 50 };

/* What a private row must equal: expressions over the public relation; and that they are there. */
struct fixed {
	const struct sotto_expression **list;
	size_t count;
	bool are_numbers; /* all of them: doubles for the engine */
	const struct sotto_expression *present;
};

static enum sotto_status fix(struct sotto_planner *p, struct fixed *f,
			     const struct sotto_expression *x, enum sotto_sql_type type)
{
	const struct sotto_expression **slot = SOTTO_PUSH(p->arena, f->list, f->count);
	const struct sotto_expression *present = SOTTO_APPLY(p->arena, SOTTO_OP_PRESENT, x);
	bool is_number = type == SOTTO_TYPE_NUMBER || type == SOTTO_TYPE_INTEGER;

	SOTTO_NEED(slot);
	*slot = x;
	f->are_numbers = is_number && (f->count == 1 || f->are_numbers);
	f->present = f->present ? SOTTO_APPLY(p->arena, SOTTO_OP_BOTH, f->present, present)
				: present;
	return f->present ? SOTTO_OK : SOTTO_ENOMEM;
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
		const struct sotto_expression *value;

		b.err = NULL;
		if (!binds(p, public, e->args[side], &x) || x.column_count == 0 ||
		    !binds(p, private, e->args[1 - side], &y))
			continue;
		if (sotto_bind_common(&b, e, &x, &y, &type) != SOTTO_OK ||
		    sotto_bind_as(&b, e, &x, type, &value) != SOTTO_OK)
			continue;
		return fix(p, f, value, type);
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

static const struct sotto_scope_column *
last_named(const struct sotto_scope *s, const char *name)
{
	const struct sotto_scope_column *c = NULL;

	for (size_t i = sotto_scope_first(s, name); i < s->count; i = sotto_scope_after(s, i))
		c = s->columns[i];
	return c;
}

/* A column merged by USING, compared in the type that both have in common. */
static enum sotto_status fix_name(struct sotto_planner *p, const struct sotto_relation *private,
				  const struct sotto_relation *public, const char *name,
				  struct fixed *f)
{
	struct sotto_sql_expr place = {.at = -1};
	struct sotto_binder b = sotto_planner_binder(p, &public->scope);
	const struct sotto_scope_column *x = last_named(&public->scope, name),
					*y = last_named(&private->scope, name);
	enum sotto_sql_type type;
	const struct sotto_expression *value;

	b.err = NULL;
	if (!x || !y || !x->rows ||
	    sotto_bind_common(&b, &place, &x->bound, &y->bound, &type) != SOTTO_OK ||
	    sotto_bind_as(&b, &place, &x->bound, type, &value) != SOTTO_OK)
		return SOTTO_OK;
	return fix(p, f, value, type);
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

static const struct sotto_expression *
both(struct sotto_arena *a, const struct sotto_expression *x, const struct sotto_expression *y)
{
	return !x ? y : !y ? x : SOTTO_APPLY(a, SOTTO_OP_BOTH, x, y);
}

/*
 * The number of public rows that share what is fixed, where they are most; or of all.  What
 * conditions over public rows alone rule out is not there when the engine joins them.
 */
static enum sotto_status most_rows(struct sotto_planner *p, const struct sotto_relation *public,
				   const struct fixed *f, const struct sotto_expression **out)
{
	struct sotto_arena *a = p->arena;
	bool is_number = f->count == 1 && f->are_numbers;
	const struct sotto_expression *count =
		is_number ? SOTTO_APPLY(a, SOTTO_OP_MOST_FREQUENT, f->list[0])
			  : SOTTO_APPLY(a, SOTTO_OP_COUNT,
					sotto_expression_word(a, SOTTO_OP_STAR));
	struct sotto_rowset_select s = {.where = f->present};
	const struct sotto_rowset *rows;

	for (size_t i = 0; public->met && i < public->met->count; i++)
		s.where = both(a, s.where, public->met->list[i].value);
	if (f->count && !is_number) {
		s.groups = sotto_expression_list(a, f->list, f->count);
		SOTTO_NEED(s.groups);
	}
	SOTTO_NEED(sotto_rowset_output(a, &s, count, "n") &&
		   sotto_rowset_from(a, &s, public->tree));
	rows = sotto_rowset_select(a, &s, "f");
	if (f->count && !is_number)
		rows = sotto_rowset_one(a,
					SOTTO_APPLY(a, SOTTO_OP_COUNT_OF_ROWS,
						    sotto_expression_column(a, NULL, "n")),
					NULL, rows);
	*out = sotto_expression_query(a, SOTTO_OP_SCALAR, NULL, rows);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_fanout_join(struct sotto_planner *p, const struct sotto_sql_from *from,
				    const struct sotto_relation *private,
				    const struct sotto_relation *public,
				    struct sotto_relation *out)
{
	struct fixed f = {0};
	const struct sotto_expression *most;

	/* FULL JOIN ... USING has merged the column: it is no longer the public one. */
	if (from->join != SOTTO_SQL_FULL)
		SOTTO_TRY(fix_names(p, from, private, public, &f));
	SOTTO_TRY(fix_conditions(p, private, public, from->on, &f));
	SOTTO_TRY(fix_conditions(p, private, public, p->where, &f));
	SOTTO_TRY(most_rows(p, public, &f, &most));
	most = SOTTO_APPLY(p->arena, SOTTO_OP_GREATEST_ONE, most);
	out->fanout = private->fanout
			      ? SOTTO_APPLY(p->arena, SOTTO_OP_TIMES, private->fanout, most)
			      : most;
	return out->fanout ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_fanout_unite(struct sotto_planner *p, const struct sotto_expression *x,
				     const struct sotto_expression *y,
				     const struct sotto_expression **out)
{
	const struct sotto_expression *one = sotto_expression_whole(p->arena, 1);

	*out = SOTTO_APPLY(p->arena, SOTTO_OP_ADD, x ? x : one, y ? y : one);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_planner_check(struct sotto_planner *p, const struct sotto_rowset *query,
				      int64_t most, const char *why)
{
	struct sotto_plan_check *slot = SOTTO_PUSH(p->arena, p->checks, p->check_count);

	SOTTO_NEED(slot && query);
	*slot = (struct sotto_plan_check){.times = 1, .most = most, .why = why};
	return sotto_emit(p->arena, query, &slot->query);
}

/* SELECT value: a number that needs no rows but those of its own subqueries. */
static const struct sotto_rowset *
number(struct sotto_planner *p, const struct sotto_expression *value)
{
	struct sotto_rowset_select s = {0};

	return sotto_rowset_output(p->arena, &s, value, NULL)
		       ? sotto_rowset_select(p->arena, &s, NULL)
		       : NULL;
}

enum sotto_status sotto_fanout_limit(struct sotto_planner *p,
				     const struct sotto_expression *fanout, int64_t most,
				     const char *why)
{
	return sotto_planner_check(
		p, number(p, SOTTO_APPLY(p->arena, SOTTO_OP_CHECKED, fanout)), most, why);
}

static const struct sotto_expression *whole(struct sotto_planner *p, double x)
{
	return sotto_expression_whole(p->arena, llround(x));
}

enum sotto_status
sotto_fanout_work(struct sotto_planner *p, const struct sotto_expression *rows, double work)
{
	const struct sotto_expression *more =
		SOTTO_APPLY(p->arena, SOTTO_OP_TIMES, rows, whole(p, work));

	p->more_work =
		p->more_work ? SOTTO_APPLY(p->arena, SOTTO_OP_PLUS, p->more_work, more) : more;
	return p->more_work ? SOTTO_OK : SOTTO_ENOMEM;
}

static const char too_much[] =
	"the query could work more than a millisecond on one private row; join with fewer "
	"public rows, use fewer or simpler functions of text and patterns, or ask the owner to "
	"lower max_text of the columns, or to declare unique: true for the column of a private "
	"table that another one is joined on";

static enum sotto_status
check_rows(struct sotto_planner *p, const struct sotto_expression *fanout)
{
	if (!fanout)
		return SOTTO_OK;
	return sotto_fanout_limit(
		p, fanout, FANOUT_MAX,
		"the joins can make more than 10000 rows of one private row; join with fewer "
		"public rows, on columns that fewer of them share");
}

/* Asks for the number that check_rows asks for. */
static enum sotto_status check_work_of_rows(struct sotto_planner *p,
					    const struct sotto_expression *rows, double work,
					    double once)
{
	SOTTO_TRY(sotto_fanout_limit(p, rows, SOTTO_WORK_MAX, too_much));
	p->checks[p->check_count - 1].times = llround(work);
	p->checks[p->check_count - 1].plus = llround(once);
	return SOTTO_OK;
}

/* rows times work, and more for each of the rows, and what is done once. */
static enum sotto_status check_work(struct sotto_planner *p,
				    const struct sotto_expression *rows, double work,
				    const struct sotto_expression *more, double once)
{
	const struct sotto_expression *each;

	if (work + once > SOTTO_WORK_MAX)
		return sotto_fail(p->err, SOTTO_EREFUSED, "%s", too_much);
	if (!more)
		return rows ? check_work_of_rows(p, rows, work, once) : SOTTO_OK;
	each = SOTTO_APPLY(p->arena, SOTTO_OP_PLUS, whole(p, work), more);
	return sotto_fanout_limit(p,
				  SOTTO_APPLY(p->arena, SOTTO_OP_WORK,
					      rows ? rows : whole(p, 1), each, whole(p, once)),
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
