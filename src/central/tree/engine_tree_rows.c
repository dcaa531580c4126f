/*
 * Relations of the engine tree: made, compared.
 */
#include "central/tree/engine_tree.h"

#include <string.h>

/* ---- making ------------------------------------------------------------------------------- */

static void take_text(struct sotto_rowset *r, const char *text)
{
	r->hash = sotto_expression_hash(r->hash, text ? text : "", text ? strlen(text) + 1 : 1);
	r->length += text ? (double)strlen(text) + 4 : 0;
}

static void take_expression(struct sotto_rowset *r, const struct sotto_expression *e)
{
	uint64_t h = e ? e->hash : 0;

	r->hash = sotto_expression_hash(r->hash, &h, sizeof h);
	r->length += e ? e->length + 10 : 0;
	r->reads_private = r->reads_private || (e && e->reads_private);
}

static void take_rows(struct sotto_rowset *r, const struct sotto_rowset *x)
{
	r->hash = sotto_expression_hash(r->hash, &x->hash, sizeof x->hash);
	r->length += x->length + 10;
	r->reads_private = r->reads_private || x->reads_private;
}

static struct sotto_rowset *
node(struct sotto_arena *a, enum sotto_rowset_kind kind, const char *alias)
{
	struct sotto_rowset *r = sotto_arena_alloc(a, sizeof *r);

	if (!r)
		return NULL;
	r->kind = kind;
	r->alias = alias;
	r->hash = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(kind + 1);
	take_text(r, alias);
	return r;
}

const struct sotto_rowset *
sotto_rowset_scan(struct sotto_arena *a, const char *table, bool is_private, const char *alias)
{
	struct sotto_rowset *r = node(a, SOTTO_ROWSET_SCAN, alias);

	if (!r)
		return NULL;
	r->of.scan.table = table;
	r->of.scan.is_private = is_private;
	r->reads_private = is_private;
	take_text(r, table);
	return r;
}

const struct sotto_rowset *
sotto_rowset_part(struct sotto_arena *a, size_t part, const char *alias)
{
	struct sotto_rowset *r = node(a, SOTTO_ROWSET_PART, alias);

	if (!r)
		return NULL;
	r->of.part = part;
	r->hash = sotto_expression_hash(r->hash, &part, sizeof part);
	r->length += 20;
	return r;
}

const struct sotto_rowset *
sotto_rowset_values(struct sotto_arena *a, const struct sotto_expression *const *list,
		    size_t count, const char *alias, const char *column)
{
	struct sotto_rowset *r = node(a, SOTTO_ROWSET_VALUES, alias);

	if (!r)
		return NULL;
	r->of.values.list = list;
	r->of.values.count = count;
	r->of.values.column = column;
	take_text(r, column);
	for (size_t i = 0; i < count; i++) {
		if (!list[i])
			return NULL;
		take_expression(r, list[i]);
	}
	return r;
}

const struct sotto_rowset *sotto_rowset_range(struct sotto_arena *a, int64_t lo, int64_t hi)
{
	struct sotto_rowset *r = node(a, SOTTO_ROWSET_RANGE, NULL);

	if (!r)
		return NULL;
	r->of.range.lo = lo;
	r->of.range.end = hi + 1;
	r->hash = sotto_expression_hash(r->hash, &r->of.range, sizeof r->of.range);
	r->length += 40;
	return r;
}

const struct sotto_rowset *sotto_rowset_join(struct sotto_arena *a, enum sotto_rowset_join how,
					     const struct sotto_rowset *left,
					     const struct sotto_rowset *right,
					     const struct sotto_expression *on)
{
	struct sotto_rowset *r = node(a, SOTTO_ROWSET_JOIN, NULL);

	if (!r || !left || !right || !on)
		return NULL;
	r->of.join.how = how;
	r->of.join.left = left;
	r->of.join.right = right;
	r->of.join.on = on;
	r->hash = sotto_expression_hash(r->hash, &how, sizeof how);
	take_rows(r, left);
	take_rows(r, right);
	take_expression(r, on);
	return r;
}

const struct sotto_rowset *sotto_rowset_set(struct sotto_arena *a, enum sotto_sql_set how,
					    bool all, const struct sotto_rowset *first,
					    const struct sotto_rowset *second)
{
	struct sotto_rowset *r = node(a, SOTTO_ROWSET_SET, NULL);

	if (!r || !first || !second)
		return NULL;
	r->of.both.how = how;
	r->of.both.all = all;
	r->of.both.first = first;
	r->of.both.second = second;
	r->hash += 2 * (uint64_t)how + all;
	take_rows(r, first);
	take_rows(r, second);
	return r;
}

const struct sotto_rowset *sotto_rowset_select(struct sotto_arena *a,
					       const struct sotto_rowset_select *select,
					       const char *alias)
{
	const struct sotto_expression *clauses[] = {
		select->where,  select->groups, select->having, select->qualify,
		select->orders, select->limit,  select->offset};
	struct sotto_rowset *r = node(a, SOTTO_ROWSET_SELECT, alias);

	if (!r)
		return NULL;
	r->of.select = *select;
	r->hash += select->distinct + 2 * (uint64_t)select->replace;
	for (size_t i = 0; i < select->output_count; i++) {
		take_expression(r, select->outputs[i].value);
		take_text(r, select->outputs[i].name);
	}
	for (size_t i = 0; i < select->from_count; i++)
		take_rows(r, select->from[i]);
	for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++)
		take_expression(r, clauses[i]);
	return r;
}

const struct sotto_rowset *
sotto_rowset_named(struct sotto_arena *a, const struct sotto_rowset *r, const char *alias)
{
	struct sotto_rowset *copy = r ? sotto_arena_alloc(a, sizeof *copy) : NULL;

	if (!copy)
		return NULL;
	*copy = *r;
	copy->alias = alias;
	take_text(copy, alias);
	return copy;
}

bool sotto_rowset_output(struct sotto_arena *a, struct sotto_rowset_select *s,
			 const struct sotto_expression *value, const char *name)
{
	struct sotto_rowset_output *slot =
		value ? SOTTO_PUSH(a, s->outputs, s->output_count) : NULL;

	if (slot)
		*slot = (struct sotto_rowset_output){value, name};
	return slot != NULL;
}

bool sotto_rowset_from(struct sotto_arena *a, struct sotto_rowset_select *s,
		       const struct sotto_rowset *from)
{
	const struct sotto_rowset **slot = from ? SOTTO_PUSH(a, s->from, s->from_count) : NULL;

	if (slot)
		*slot = from;
	return slot != NULL;
}

const struct sotto_rowset *sotto_rowset_one(struct sotto_arena *a,
					    const struct sotto_expression *value,
					    const char *name, const struct sotto_rowset *from)
{
	struct sotto_rowset_select s = {0};

	return sotto_rowset_output(a, &s, value, name) && sotto_rowset_from(a, &s, from)
		       ? sotto_rowset_select(a, &s, NULL)
		       : NULL;
}

const struct sotto_rowset *
sotto_rowset_counted(struct sotto_arena *a, const struct sotto_rowset *from, long long most)
{
	const struct sotto_expression *star = sotto_expression_word(a, SOTTO_OP_STAR);
	struct sotto_rowset_select s = {.limit = sotto_expression_whole(a, most)};

	if (!s.limit || !sotto_rowset_output(a, &s, sotto_expression_whole(a, 1), NULL) ||
	    !sotto_rowset_from(a, &s, from))
		return NULL;
	return sotto_rowset_one(a, SOTTO_APPLY(a, SOTTO_OP_COUNT, star), NULL,
				sotto_rowset_select(a, &s, "c"));
}

/* ---- equality ------------------------------------------------------------------------------ */

static bool same_text(const char *x, const char *y)
{
	return x == y || (x && y && strcmp(x, y) == 0);
}

static bool
same_select(const struct sotto_rowset_select *x, const struct sotto_rowset_select *y)
{
	if (x->distinct != y->distinct || x->replace != y->replace ||
	    x->output_count != y->output_count || x->from_count != y->from_count)
		return false;
	for (size_t i = 0; i < x->output_count; i++)
		if (!sotto_expression_equal(x->outputs[i].value, y->outputs[i].value) ||
		    !same_text(x->outputs[i].name, y->outputs[i].name))
			return false;
	for (size_t i = 0; i < x->from_count; i++)
		if (!sotto_rowset_equal(x->from[i], y->from[i]))
			return false;
	return sotto_expression_equal(x->where, y->where) &&
	       sotto_expression_equal(x->groups, y->groups) &&
	       sotto_expression_equal(x->having, y->having) &&
	       sotto_expression_equal(x->qualify, y->qualify) &&
	       sotto_expression_equal(x->orders, y->orders) &&
	       sotto_expression_equal(x->limit, y->limit) &&
	       sotto_expression_equal(x->offset, y->offset);
}

static bool same_values(const struct sotto_rowset *x, const struct sotto_rowset *y)
{
	if (x->of.values.count != y->of.values.count ||
	    !same_text(x->of.values.column, y->of.values.column))
		return false;
	for (size_t i = 0; i < x->of.values.count; i++)
		if (!sotto_expression_equal(x->of.values.list[i], y->of.values.list[i]))
			return false;
	return true;
}

static bool same_kind(const struct sotto_rowset *x, const struct sotto_rowset *y)
{
	switch (x->kind) {
	case SOTTO_ROWSET_SCAN:
		return strcmp(x->of.scan.table, y->of.scan.table) == 0;
	case SOTTO_ROWSET_PART:
		return x->of.part == y->of.part;
	case SOTTO_ROWSET_VALUES:
		return same_values(x, y);
	case SOTTO_ROWSET_RANGE:
		return x->of.range.lo == y->of.range.lo && x->of.range.end == y->of.range.end;
	case SOTTO_ROWSET_JOIN:
		return x->of.join.how == y->of.join.how &&
		       sotto_rowset_equal(x->of.join.left, y->of.join.left) &&
		       sotto_rowset_equal(x->of.join.right, y->of.join.right) &&
		       sotto_expression_equal(x->of.join.on, y->of.join.on);
	case SOTTO_ROWSET_SET:
		return x->of.both.how == y->of.both.how && x->of.both.all == y->of.both.all &&
		       sotto_rowset_equal(x->of.both.first, y->of.both.first) &&
		       sotto_rowset_equal(x->of.both.second, y->of.both.second);
	case SOTTO_ROWSET_SELECT:
		return same_select(&x->of.select, &y->of.select);
	case SOTTO_ROWSET_HELD:
		return x->of.held == y->of.held;
	}
	return false;
}

bool sotto_rowset_equal(const struct sotto_rowset *x, const struct sotto_rowset *y)
{
	return x == y || (x->hash == y->hash && x->kind == y->kind &&
			  same_text(x->alias, y->alias) && same_kind(x, y));
}
