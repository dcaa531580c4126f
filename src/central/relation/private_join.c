/*
 * A join of two private relations on their unit: each row is made of rows of one
 * unit, so it belongs to that unit (sensitivity.md, 13).
 *
 * One unit with n rows on each side would get n^2 rows, and time would tell; so
 * at most SOTTO_UNIT_ROWS rows of each unit are taken on the right side, chosen by a
 * hash of the row: a function of that unit's rows alone.  Rows that find the
 * other's by a key which the policy calls unique need no such limit.
 */
#include "central/relation/private_join.h"

#include <string.h>
#include <strings.h>

#include "central/expression/bind.h"
#include "central/expression/work/row_work.h"
#include "central/relation/join_fanout.h"
#include "central/relation/key_join.h"
#include "central/relation/relation.h"
#include "central/relation/unit_key.h"
#include "core/base/failure.h"

static enum sotto_status
refuse(struct sotto_planner *p, const struct sotto_sql_from *from, const char *why)
{
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, from->at, "%s", why);
}

static bool
is_unit(struct sotto_planner *p, const struct sotto_relation *r, const struct sotto_sql_expr *e)
{
	struct sotto_binder b = sotto_planner_binder(p, &r->scope);
	struct sotto_bound x;

	b.err = NULL;
	return sotto_bind(&b, e, &x) == SOTTO_OK && x.is_unit;
}

static bool is_path(struct sotto_planner *p, const struct sotto_relation *left,
		    const struct sotto_relation *right, const struct sotto_sql_expr *e)
{
	for (int side = 0; side < 2; side++) {
		const struct sotto_scope_column *x =
			sotto_relation_column(p, left, e->args[side]);
		const struct sotto_scope_column *y =
			sotto_relation_column(p, right, e->args[1 - side]);

		if (sotto_keys_of_one(p->policy, x, y))
			return true;
	}
	return false;
}

bool sotto_units_equated(struct sotto_planner *p, const struct sotto_relation *left,
			 const struct sotto_relation *right, const struct sotto_sql_expr *e)
{
	if (!e || e->kind != SOTTO_SQL_OP)
		return false;
	if (e->op == SOTTO_SQL_AND)
		return sotto_units_equated(p, left, right, e->args[0]) ||
		       sotto_units_equated(p, left, right, e->args[1]);
	if (e->op != SOTTO_SQL_EQ)
		return false;
	if (is_path(p, left, right, e))
		return true;
	return (is_unit(p, left, e->args[0]) && is_unit(p, right, e->args[1])) ||
	       (is_unit(p, left, e->args[1]) && is_unit(p, right, e->args[0]));
}

/* ---- on the unit ---------------------------------------------------------------------------- */

static bool path_by_name(const struct sotto_policy *policy, const struct sotto_relation *x,
			 const struct sotto_relation *y, const char *name)
{
	const struct sotto_scope *s = &x->scope, *t = &y->scope;

	for (size_t i = sotto_scope_first(s, name); i < s->count; i = sotto_scope_after(s, i))
		for (size_t j = sotto_scope_first(t, name); j < t->count;
		     j = sotto_scope_after(t, j))
			if (sotto_keys_of_one(policy, s->columns[i], t->columns[j]))
				return true;
	return false;
}

static bool has_unit(const struct sotto_relation *r, const char *name)
{
	const struct sotto_scope *s = &r->scope;

	for (size_t i = sotto_scope_first(s, name); i < s->count; i = sotto_scope_after(s, i))
		if (s->columns[i]->bound.is_unit)
			return true;
	return false;
}

static bool merges_unit(const struct sotto_policy *policy, const struct sotto_relation *left,
			const struct sotto_relation *right, const char *name)
{
	return (has_unit(left, name) && has_unit(right, name)) ||
	       path_by_name(policy, left, right, name);
}

static bool merges_units(const struct sotto_policy *policy, const struct sotto_sql_from *from,
			 const struct sotto_relation *left, const struct sotto_relation *right)
{
	for (size_t i = 0; i < from->using_count; i++)
		if (merges_unit(policy, left, right, from->using[i]))
			return true;
	for (size_t i = 0; from->natural && i < left->scope.count; i++)
		if (!left->scope.columns[i]->hidden &&
		    merges_unit(policy, left, right, left->scope.columns[i]->name))
			return true;
	return false;
}

static bool have_one_root(const struct sotto_relation *x, const struct sotto_relation *y)
{
	return x->owner->root == y->owner->root && !x->owner->unit_is_row && x->unit && y->unit;
}

bool sotto_unit_is_unnamed(const struct sotto_relation *x)
{
	return x->unit_column && x->unit_column->type == SOTTO_TYPE_OTHER;
}

bool sotto_units_shared(const struct sotto_relation *x, const struct sotto_relation *y)
{
	return have_one_root(x, y) && sotto_schema_same_type(x->unit_column, y->unit_column);
}

static enum sotto_status check(struct sotto_planner *p, const struct sotto_sql_from *from,
			       const struct sotto_relation *left,
			       const struct sotto_relation *right)
{
	bool where =
		from->join == SOTTO_SQL_INNER && sotto_units_equated(p, left, right, p->where);

	if (!have_one_root(left, right))
		return refuse(
			p, from,
			"two private tables can be joined only if they have the same "
			"privacy unit, which the policy says with unit: { column: ..., via: "
			"... }; join with public tables, or ask about each on its own");
	if (sotto_unit_is_unnamed(left) || sotto_unit_is_unnamed(right))
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, from->at,
				      "private tables cannot be joined on their privacy unit, "
				      "%.40s, which the "
				      "sources hold in a type that is not compared, like bytes "
				      "or a list; ask "
				      "about each table on its own, or ask the owner to store "
				      "%.40s as a text "
				      "or a whole number",
				      left->owner->root->unit, left->owner->root->unit);
	if (!where && !merges_units(p->policy, from, left, right) &&
	    !sotto_units_equated(p, left, right, from->on))
		return sotto_sql_fail(
			p->err, SOTTO_EREFUSED, p->text, from->at,
			"a join of two private tables must be on their privacy unit, %.40s, or "
			"on a key that leads to it: write ON a.%.40s = b.%.40s, and other "
			"conditions after it",
			left->owner->root->unit, left->owner->root->unit,
			left->owner->root->unit);
	if (!sotto_units_shared(left, right))
		return refuse(p, from,
			      "the units of the two private tables have different types in "
			      "their sources, so they cannot be joined");
	if (!right->alias)
		return refuse(
			p, from,
			"the right side of a join of two private tables must be a table or "
			"a subquery, not a join");
	return SOTTO_OK;
}

static bool has_few_rows(const struct sotto_relation *r)
{
	return r->unit_rows > 0 && r->unit_rows <= SOTTO_UNIT_ROWS;
}

/* The place of a row among those of its unit, by a hash; all columns that can be read break ties. */
static enum sotto_status place_in_unit(struct sotto_planner *p, struct sotto_relation *r,
				       const struct sotto_expression **out)
{
	struct sotto_arena *a = p->arena;
	size_t n = 0, size = (r->scope.count + 1) * sizeof(struct sotto_expression *);
	const struct sotto_expression **columns = sotto_arena_alloc(a, size),
				      **orders = sotto_arena_alloc(a, size);
	struct sotto_over over = {.parts = &r->unit, .orders = orders, .part_count = 1};

	SOTTO_NEED(columns && orders);
	for (size_t i = 0; i < r->scope.count; i++) {
		const struct sotto_scope_column *c = r->scope.columns[i];

		if (c->bound.type == SOTTO_TYPE_OTHER)
			continue;
		columns[n] = sotto_expression_column(
			a, c->alias, c->bound.whole ? c->field : sotto_key_field(c));
		orders[n + 1] =
			sotto_expression_cast(a, SOTTO_OP_CAST, columns[n], SOTTO_TYPE_TEXT);
		n++;
	}
	columns[n] = sotto_expression_count(a, p->salt);
	orders[0] = sotto_expression_make(a, sotto_operation(SOTTO_OP_HASH), columns, n + 1);
	over.order_count = n + 1;
	*out = sotto_expression_over(a, sotto_expression_word(a, SOTTO_OP_ROW_NUMBER), &over);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/*
 * Which rows are taken is decided by what counts of their texts.  Of two that are alike in that
 * either may be: nothing behind it may be read any more.
 */
static void forget_whole(struct sotto_relation *r)
{
	for (size_t i = 0; i < r->scope.count; i++)
		r->scope.columns[i]->bound.whole = NULL;
}

/* Whoever reads the answer is told: no other limit's sentence, and no estimate, has these rows. */
static enum sotto_status note_cut(struct sotto_planner *p, const struct sotto_relation *r)
{
	const char **slot;

	for (size_t i = 0; i < p->cut_count; i++)
		if (strcmp(p->cut[i], r->owner->name) == 0)
			return SOTTO_OK;
	slot = SOTTO_PUSH(p->arena, p->cut, p->cut_count);
	SOTTO_NEED(slot);
	*slot = r->owner->name;
	return SOTTO_OK;
}

enum sotto_status sotto_units_cut(struct sotto_planner *p, struct sotto_relation *r)
{
	struct sotto_arena *a = p->arena;
	struct sotto_rowset_select s = {0};
	const struct sotto_expression *place;

	if (has_few_rows(r))
		return SOTTO_OK;
	SOTTO_TRY(note_cut(p, r));
	p->work_once += sotto_load_row(&r->scope) + sotto_load_ties(&r->scope);
	SOTTO_TRY(place_in_unit(p, r, &place));
	s.qualify = SOTTO_APPLY(a, SOTTO_OP_AT_MOST, place,
				sotto_expression_whole(a, SOTTO_UNIT_ROWS));
	SOTTO_NEED(s.qualify &&
		   sotto_rowset_output(a, &s, sotto_expression_word(a, SOTTO_OP_STAR), NULL) &&
		   sotto_rowset_from(a, &s, r->tree));
	r->tree = sotto_rowset_select(a, &s, r->alias);
	forget_whole(r);
	return r->tree ? SOTTO_OK : SOTTO_ENOMEM;
}

static int64_t rows_taken(const struct sotto_relation *r)
{
	return has_few_rows(r) ? r->unit_rows : SOTTO_UNIT_ROWS;
}

static enum sotto_status join_fanout(struct sotto_planner *p, const struct sotto_relation *left,
				     const struct sotto_relation *right, int64_t rows,
				     struct sotto_relation *out)
{
	SOTTO_TRY(sotto_fanout_check(p, right));
	out->fanout = sotto_expression_whole(p->arena, (long long)rows);
	if (left->fanout)
		out->fanout = SOTTO_APPLY(p->arena, SOTTO_OP_TIMES, left->fanout, out->fanout);
	return out->fanout ? SOTTO_OK : SOTTO_ENOMEM;
}

/* More rows of a unit than any limit of a policy are as good as not known. */
enum { ROWS_KNOWN = 1000000 };

/*
 * Rows that a unit has after the join; 0: not known.  A full join may match none of its rows.
 * An analyst chooses the factors (WHERE n <= K, unit_row_number.c), so the product must not wrap.
 */
static int64_t joined_rows(const struct sotto_sql_from *from, int64_t left, int64_t right)
{
	int64_t matched, apart;

	if (left <= 0 || right <= 0 || left > ROWS_KNOWN || right > ROWS_KNOWN / left)
		return 0;
	matched = left * right;
	apart = left + right;
	return from->join == SOTTO_SQL_FULL && matched < apart ? apart : matched;
}

/*
 * The limits of a side, where the other has one row of each unit at most: then a unit has no more
 * rows than on this side.  NULL: of neither, or a full join may put rows of both apart.
 */
static const struct sotto_policy_table *limits_of_one(const struct sotto_sql_from *from,
						      const struct sotto_relation *left,
						      const struct sotto_relation *right)
{
	if (from->join == SOTTO_SQL_FULL)
		return NULL;
	return right->unit_rows == 1 ? left->owner : left->unit_rows == 1 ? right->owner : NULL;
}

/* x with the limits of y, or of z if that allows more. */
static enum sotto_status set_limits(struct sotto_planner *p, const struct sotto_policy_table *x,
				    const struct sotto_policy_table *y,
				    const struct sotto_policy_table *z,
				    const struct sotto_policy_table **out)
{
	struct sotto_policy_table *owner = sotto_arena_alloc(p->arena, sizeof *owner);

	SOTTO_NEED(owner);
	*owner = *x;
	owner->max_rows = z->max_rows > y->max_rows ? z->max_rows : y->max_rows;
	owner->max_groups = z->max_groups > y->max_groups ? z->max_groups : y->max_groups;
	owner->finds_rows = y->finds_rows || z->finds_rows;
	owner->finds_groups = y->finds_groups || z->finds_groups;
	*out = owner;
	return SOTTO_OK;
}

enum sotto_status
sotto_owners_unite(struct sotto_planner *p, const struct sotto_policy_table *x,
		   const struct sotto_policy_table *y, const struct sotto_policy_table **out)
{
	*out = x;
	return x == y ? SOTTO_OK : set_limits(p, x, x, y, out);
}

static enum sotto_status join_owners(struct sotto_planner *p, const struct sotto_sql_from *from,
				     const struct sotto_relation *left,
				     const struct sotto_relation *right,
				     struct sotto_relation *out)
{
	const struct sotto_policy_table *one = limits_of_one(from, left, right);

	out->unit_rows = joined_rows(from, left->unit_rows, right->unit_rows);
	return set_limits(p, left->owner, one ? one : left->owner, one ? one : right->owner,
			  &out->owner);
}

static const struct sotto_expression *
unit_of(struct sotto_planner *p, const struct sotto_sql_from *from,
	const struct sotto_relation *left, const struct sotto_relation *right)
{
	if (from->join == SOTTO_SQL_RIGHT)
		return right->unit;
	if (from->join == SOTTO_SQL_FULL)
		return SOTTO_APPLY(p->arena, SOTTO_OP_COALESCE, left->unit, right->unit);
	return left->unit;
}

/* The unit of a side that an outer join fills with NULLs is not the unit of the row. */
static void forget_unit(struct sotto_relation *r)
{
	for (size_t i = 0; i < r->scope.count; i++)
		r->scope.columns[i]->bound.is_unit = false;
}

enum sotto_status sotto_private_join(struct sotto_planner *p, const struct sotto_sql_from *from,
				     struct sotto_relation *left, struct sotto_relation *right,
				     struct sotto_relation *out,
				     const struct sotto_expression **on)
{
	struct sotto_key_join k;
	bool along;

	SOTTO_TRY(check(p, from, left, right));
	SOTTO_TRY(join_owners(p, from, left, right, out));
	out->unit_column = left->unit_column;
	along = sotto_join_goes_along_key(p, from, left, right, &k);
	if (along && from->join == SOTTO_SQL_INNER) {
		SOTTO_TRY(join_fanout(p, left, right, 1, out));
		return sotto_join_along_key(p, &k, out, on);
	}
	SOTTO_TRY(join_fanout(p, left, right, along ? 1 : rows_taken(right), out));
	out->grain = along ? k.many->grain : NULL;
	out->unit = unit_of(p, from, left, right);
	*on = SOTTO_APPLY(p->arena, SOTTO_OP_SAME, left->unit, right->unit);
	SOTTO_NEED(out->unit && *on);
	if (!along) /* a row of one side else meets one of the other side at most: none are cut */
		SOTTO_TRY(sotto_units_cut(p, right));
	if (from->join == SOTTO_SQL_LEFT || from->join == SOTTO_SQL_FULL)
		forget_unit(right);
	if (from->join == SOTTO_SQL_RIGHT || from->join == SOTTO_SQL_FULL)
		forget_unit(left);
	return SOTTO_OK;
}
