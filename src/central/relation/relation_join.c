/*
 * Joins.  A row of a join belongs to the unit of its private side.
 */
#include "central/relation/relation.h"

#include <string.h>
#include <strings.h>

#include "central/expression/bind.h"
#include "central/expression/domain/public_domain.h"
#include "central/expression/work/row_work.h"
#include "central/relation/join_fanout.h"
#include "central/relation/private_join.h"
#include "central/relation/relation_list.h"
#include "central/relation/unit_row_number.h"
#include "core/base/failure.h"

/* With more, the engine takes long to find a good order of them. */
enum { JOINS_MAX = 40 };

static bool numeric(enum sotto_sql_type t)
{
	return t == SOTTO_TYPE_INTEGER || t == SOTTO_TYPE_NUMBER;
}

static enum sotto_status make_nullable(struct sotto_planner *p, struct sotto_relation *r)
{
	for (size_t i = 0; i < r->scope.count; i++) {
		struct sotto_bound *b = &r->scope.columns[i]->bound;

		b->nullable = true;
		if (b->domain)
			SOTTO_TRY(sotto_domain_with_null(p->arena, b->domain, &b->domain));
		if (r->scope.columns[i]->rows)
			r->scope.columns[i]->rows->with_null = true;
		r->scope.columns[i]->inner = NULL;
		r->scope.columns[i]->same = NULL;
	}
	return SOTTO_OK;
}

static struct sotto_scope_column *find_name(const struct sotto_relation *r, const char *name)
{
	const struct sotto_scope *s = &r->scope;

	for (size_t i = sotto_scope_first(s, name); i < s->count; i = sotto_scope_after(s, i))
		if (!s->columns[i]->hidden)
			return s->columns[i];
	return NULL;
}

/* *on and x; x alone if there is none yet. */
static enum sotto_status both(struct sotto_planner *p, const struct sotto_expression **on,
			      const struct sotto_expression *x)
{
	*on = *on ? SOTTO_APPLY(p->arena, SOTTO_OP_BOTH, *on, x) : x;
	return *on ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status merge_column(struct sotto_planner *p,
				      const struct sotto_sql_from *from,
				      struct sotto_relation *left, struct sotto_relation *right,
				      const char *name, const struct sotto_expression **on)
{
	struct sotto_scope_column *l = find_name(left, name), *r = find_name(right, name);
	struct sotto_binder b = sotto_planner_binder(p, &left->scope);
	struct sotto_sql_expr place = {.at = from->at};
	enum sotto_sql_type type;
	const struct sotto_expression *x, *y;

	if (!l || !r)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, from->at,
				      "both tables of the join must have the column %.60s",
				      name);
	if (l->bound.type == SOTTO_TYPE_OTHER || r->bound.type == SOTTO_TYPE_OTHER)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, from->at,
				      "the column %.60s has a type that is not supported, like "
				      "a list or a map; join on other columns",
				      name);
	SOTTO_TRY(sotto_bind_common(&b, &place, &l->bound, &r->bound, &type));
	SOTTO_TRY(sotto_bind_as(&b, &place, &l->bound, type, &x));
	SOTTO_TRY(sotto_bind_as(&b, &place, &r->bound, type, &y));
	if (type == SOTTO_TYPE_TEXT && l->bound.whole && r->bound.whole) {
		x = l->bound.whole;
		y = r->bound.whole;
	}
	SOTTO_TRY(both(p, on, SOTTO_APPLY(p->arena, SOTTO_OP_SAME, x, y)));
	left->selected = left->selected || l->bound.noisy || r->bound.noisy;
	if (from->join == SOTTO_SQL_FULL) {
		SOTTO_TRY(sotto_bind_as(&b, &place, &l->bound, type, &x)); /* cut again */
		SOTTO_TRY(sotto_bind_as(&b, &place, &r->bound, type, &y));
		l->bound.value = SOTTO_APPLY(p->arena, SOTTO_OP_COALESCE, x, y);
		l->bound.whole = NULL;
		l->bound.load = sotto_load_greatest(l->bound.load, r->bound.load);
		l->bound.type = type;
		l->bound.is_double = numeric(type);
		l->bound.range = sotto_range_hull(l->bound.range, r->bound.range);
		l->bound.domain = NULL;
		l->is_merged = true;
		l->is_filled = false;
		l->rows = NULL;
		SOTTO_NEED(l->bound.value);
	}
	if (from->join == SOTTO_SQL_INNER) {
		l->same = r;
		r->same = l;
	}
	if (from->join == SOTTO_SQL_RIGHT)
		l->hidden = true;
	else
		r->hidden = true;
	return SOTTO_OK;
}

static enum sotto_status
merge_columns(struct sotto_planner *p, const struct sotto_sql_from *from,
	      struct sotto_relation *left, struct sotto_relation *right,
	      const struct sotto_expression **on)
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
		for (size_t i = 0; i < both[side]->count; i++)
			SOTTO_NEED(sotto_scope_add(p->arena, out, both[side]->columns[i]));
	return SOTTO_OK;
}

/* Two public relations make one: its columns come in the combinations of the join. */
static enum sotto_status join_rows(struct sotto_planner *p, struct sotto_relation *out)
{
	SOTTO_TRY(sotto_public_rows_new(p->arena, &out->rows));
	out->rows->tree = out->tree;
	for (size_t i = 0; i < out->scope.count; i++)
		if (!out->scope.columns[i]->bound.domain || out->scope.columns[i]->rows)
			out->scope.columns[i]->rows = out->rows;
	return SOTTO_OK;
}

static enum sotto_status check_sides(struct sotto_planner *p, const struct sotto_sql_from *from,
				     const struct sotto_relation *left,
				     const struct sotto_relation *right)
{
	if ((left->owner || right->owner) && (left->finished || right->finished))
		return sotto_sql_fail(
			p->err, SOTTO_EREFUSED, p->text, from->at,
			"private rows cannot be joined with the noisy answer of "
			"another query; compare them with it in an expression, "
			"like x > (SELECT AVG(x) ... WHERE a.key = b.key), or ask "
			"that query on its own");
	return SOTTO_OK;
}

/* What ON, USING or NATURAL says; NULL: a cross join. */
static enum sotto_status
bind_condition(struct sotto_planner *p, const struct sotto_sql_from *from,
	       struct sotto_relation *left, struct sotto_relation *right,
	       struct sotto_relation *out, const struct sotto_expression **on)
{
	struct sotto_bound condition;
	struct sotto_binder b;

	*on = NULL;
	SOTTO_TRY(merge_columns(p, from, left, right, on));
	out->selected = out->selected || left->selected;
	SOTTO_TRY(join_scopes(p, left, right, &out->scope));
	if (!from->on)
		return SOTTO_OK;
	if (from->join != SOTTO_SQL_INNER && sotto_sql_expr_has_select(from->on))
		return sotto_sql_fail(
			p->err, SOTTO_EREFUSED, p->text, from->on->at,
			"a subquery in ON of an outer join is not supported; put it "
			"into WHERE, or join the table");
	b = sotto_planner_binder(p, &out->scope);
	SOTTO_TRY(sotto_bind_condition(&b, from->on, &condition));
	out->selected = out->selected || condition.noisy;
	*on = condition.value;
	return SOTTO_OK;
}

static enum sotto_status finish_join(struct sotto_planner *p, const struct sotto_sql_from *from,
				     struct sotto_relation *left, struct sotto_relation *right,
				     const struct sotto_expression *on,
				     struct sotto_relation *out)
{
	static const enum sotto_rowset_join how[] = {
		[SOTTO_SQL_INNER] = SOTTO_ROWSET_INNER,
		[SOTTO_SQL_LEFT] = SOTTO_ROWSET_LEFT,
		[SOTTO_SQL_RIGHT] = SOTTO_ROWSET_RIGHT,
		[SOTTO_SQL_FULL] = SOTTO_ROWSET_FULL,
	};

	if (from->join == SOTTO_SQL_LEFT || from->join == SOTTO_SQL_FULL)
		SOTTO_TRY(make_nullable(p, right));
	if (from->join == SOTTO_SQL_RIGHT || from->join == SOTTO_SQL_FULL)
		SOTTO_TRY(make_nullable(p, left));
	out->tree = sotto_rowset_join(p->arena, how[from->join], left->tree, right->tree,
				      on ? on : sotto_expression_word(p->arena, SOTTO_OP_TRUE));
	return out->tree ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_join_relations(struct sotto_planner *p,
				       const struct sotto_sql_from *from,
				       struct sotto_relation *left,
				       struct sotto_relation *right, struct sotto_relation *out)
{
	const struct sotto_expression *on, *units = NULL;
	bool private = left->owner && right->owner;

	if (++p->joins > JOINS_MAX)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, from->at,
				      "the query has more than %d joins; ask several questions",
				      JOINS_MAX);
	SOTTO_TRY(check_sides(p, from, left, right));
	sotto_unit_row_number_forget(left);
	sotto_unit_row_number_forget(right);
	*out = (struct sotto_relation){.owner = left->owner ? left->owner : right->owner,
				       .finished = left->finished || right->finished,
				       .picked = left->finished || right->finished,
				       .selected = left->selected || right->selected,
				       .unit = left->unit ? left->unit : right->unit,
				       .unit_column = left->unit ? left->unit_column
								 : right->unit_column};
	if (private)
		SOTTO_TRY(sotto_private_join(p, from, left, right, out, &units));
	SOTTO_TRY(bind_condition(p, from, left, right, out, &on));
	if (units)
		SOTTO_TRY(both(p, &units,
			       on ? on : sotto_expression_word(p->arena, SOTTO_OP_TRUE)));
	SOTTO_TRY(finish_join(p, from, left, right, units ? units : on, out));
	if (private)
		return SOTTO_OK;
	if (!out->owner)
		return join_rows(p, out);
	out->grain = left->owner ? left->grain : right->grain;
	return left->owner ? sotto_fanout_join(p, from, left, right, out)
			   : sotto_fanout_join(p, from, right, left, out);
}

enum sotto_status sotto_join_bind(struct sotto_planner *p, const struct sotto_ctes *ctes,
				  const struct sotto_sql_from *from, struct sotto_relation *out)
{
	struct sotto_relation left, right;

	if (sotto_from_is_list(from))
		return sotto_list_bind(p, ctes, from, out);
	SOTTO_TRY(sotto_relation_bind(p, ctes, from->left, &left));
	SOTTO_TRY(sotto_relation_bind(p, ctes, from->right, &right));
	if (from->join == SOTTO_SQL_INNER)
		SOTTO_TRY(sotto_list_conditions(p, from, &left, &right));
	return sotto_join_relations(p, from, &left, &right, out);
}
