/* Reads a release's inputs and decides, before any noise, whether its constraints can hold. */
#include "census/measure/read/census_inputs.h"
#include "census/plan/shape/census_union.h"
#include "census/plan/census_query.h"

#include <stdlib.h>
#include <string.h>

#include "census/measure/read/census_constraint_table.h"
#include "census/measure/read/census_counts.h"
#include "census/measure/read/census_known_table.h"
#include "census/measure/read/census_leaves.h"
#include "census/measure/read/census_tables.h"
#include "census/measure/census_truth.h"
#include "census/solve/feasible/census_feasible.h"
#include "central/engine/engine.h"
#include "core/base/failure.h"

enum { TEXTS_MAX = 1 << 30 };

/* ---- bounds ------------------------------------------------------------------------------------------------- */

/* factor * n, held at the end of the range */
static int64_t term_value(const struct sotto_census_term *t, int64_t n)
{
	int64_t product;

	if (!t->column)
		return t->factor < sotto_census_unlimited ? t->factor : sotto_census_unlimited;
	if (__builtin_mul_overflow(t->factor, n, &product) || product > sotto_census_unlimited)
		return sotto_census_unlimited;
	return product;
}

struct bounding {
	struct sotto_census_world *w;
	const struct sotto_census_bound *bound;
};

static void narrow(int64_t *l, int64_t *h, int64_t low, int64_t high)
{
	if (low > *l)
		*l = low;
	if (high < *h)
		*h = high;
}

/* What a node's answer must lie within, in so many of the query's cells from `first` on. */
static enum sotto_status hold(struct sotto_census_world *w, size_t query, size_t node,
			      size_t first, size_t count, const int64_t *low,
			      const int64_t *high)
{
	struct sotto_census_shape *s = &w->shape;
	int64_t bounds[2 * SOTTO_CENSUS_GROUPS_MAX];

	if (w->plan.queries[query].cells == 1) {
		narrow(&s->total_low[node], &s->total_high[node], low[0], high[0]);
		return SOTTO_OK;
	}
	memcpy(bounds, sotto_census_group_low(s, node), s->groups * sizeof *bounds);
	memcpy(bounds + s->groups, sotto_census_group_high(s, node),
	       s->groups * sizeof *bounds);
	for (size_t i = 0; i < count; i++)
		narrow(&bounds[first + i], &bounds[s->groups + first + i], low[i], high[i]);
	return sotto_census_shape_set_groups(s, node, bounds);
}

static void evaluate(const struct sotto_census_bound *b, const int64_t *values, int64_t *lower,
		     int64_t *upper)
{
	size_t i = 0;

	*lower = 0;
	*upper = sotto_census_unlimited;
	if (b->has_lower)
		*lower = term_value(&b->lower, b->lower.column ? values[i++] : 0);
	if (b->has_upper)
		*upper = term_value(&b->upper, b->upper.column ? values[i++] : 0);
}

static enum sotto_status
take_bound(struct bounding *b, size_t node, size_t cell, const int64_t *values)
{
	int64_t lower, upper;

	evaluate(b->bound, values, &lower, &upper);
	return hold(b->w, b->bound->query, node, cell, 1, &lower, &upper);
}

/* A row that is not in the table has 0 in its columns. */
static enum sotto_status
hold_missing(struct bounding *b, const bool *seen, size_t first, size_t end, size_t cells)
{
	static const int64_t none[2] = {0, 0};
	int64_t low[SOTTO_CENSUS_GROUPS_MAX], high[SOTTO_CENSUS_GROUPS_MAX], lower, upper;

	evaluate(b->bound, none, &lower, &upper);
	for (size_t node = first; node < end; node++) {
		for (size_t cell = 0; cell < cells; cell++) {
			bool has = seen && seen[(node - first) * cells + cell];

			low[cell] = has ? 0 : lower;
			high[cell] = has ? sotto_census_unlimited : upper;
		}
		SOTTO_TRY(hold(b->w, b->bound->query, node, 0, cells, low, high));
	}
	return SOTTO_OK;
}

struct seeing {
	struct bounding bounding;
	bool *seen;
	size_t first, cells;
};

static enum sotto_status see_bound(void *context, size_t node, size_t cell,
				   const int64_t *values, struct sotto_error *err)
{
	struct seeing *s = context;

	(void)err;
	s->seen[(node - s->first) * s->cells + cell] = true;
	return take_bound(&s->bounding, node, cell, values);
}

static size_t shape_level(const struct sotto_census_shape *s, size_t plan_level)
{
	size_t l = 0;

	while (s->plan_level[l] != plan_level)
		l++;
	return l;
}

static enum sotto_status read_bound(struct sotto_engine *e, struct sotto_census_world *w,
				    const struct sotto_census_bound *bound,
				    struct sotto_error *err)
{
	size_t level = sotto_census_level_find(&w->plan, bound->level);
	size_t at = shape_level(&w->shape, level);
	struct seeing s = {.bounding = {.w = w, .bound = bound},
			   .first = w->shape.start[at],
			   .cells = w->plan.queries[bound->query].cells};
	struct sotto_census_table table = {
		.file = bound->table, .level = level, .query = bound->query};
	size_t nodes = w->shape.start[at + 1] - s.first;
	enum sotto_status st;

	if (s.cells > 1)
		SOTTO_TRY(sotto_census_shape_reserve_groups(&w->shape));
	if (!bound->table)
		return hold_missing(&s.bounding, NULL, s.first, s.first + nodes, s.cells);
	if (bound->has_lower && bound->lower.column)
		table.columns[table.column_count++] = bound->lower.column;
	if (bound->has_upper && bound->upper.column)
		table.columns[table.column_count++] = bound->upper.column;
	s.seen = calloc(nodes * s.cells + 1, sizeof *s.seen);
	if (!s.seen)
		return SOTTO_ENOMEM;
	st = sotto_census_table_read(e, w, &table, see_bound, &s, err);
	if (st == SOTTO_OK)
		st = hold_missing(&s.bounding, s.seen, s.first, s.first + nodes, s.cells);
	free(s.seen);
	return st;
}

/* ---- invariants ------------------------------------------------------------------------------------------------ */

static enum sotto_status take_value(void *context, size_t node, size_t cell,
				    const int64_t *values, struct sotto_error *err)
{
	const struct bounding *b = context;

	(void)err;
	return hold(b->w, b->bound->query, node, cell, 1, values, values);
}

/* The data's own answer becomes public: that is what an invariant is. */
static enum sotto_status hold_truth(struct sotto_census_world *w, size_t query, size_t node)
{
	const struct sotto_census_truth *t = w->truth;
	const uint32_t *map = w->schema.maps[query];
	int64_t answers[SOTTO_CENSUS_GROUPS_MAX] = {0};
	size_t first, end, large = 0;

	sotto_census_leaf_range(&w->shape, node, &first, &end);
	while (large < t->large_count && t->large[large].entry < t->starts[first])
		large++;
	for (uint64_t i = t->starts[first]; i < t->starts[end]; i++) {
		if (t->counts[i] == UINT32_MAX)
			answers[map[t->cells[i]]] += t->large[large++].count.secret;
		else
			answers[map[t->cells[i]]] += t->counts[i];
	}
	return hold(w, query, node, 0, w->plan.queries[query].cells, answers, answers);
}

static enum sotto_status read_invariant(struct sotto_engine *e, struct sotto_census_world *w,
					const struct sotto_census_invariant *inv, bool data,
					struct sotto_error *err)
{
	const struct sotto_census_bound as_bound = {.query = inv->query};
	struct bounding b = {.w = w, .bound = &as_bound};
	size_t level = sotto_census_level_find(&w->plan, inv->level);
	size_t at = shape_level(&w->shape, level);

	if (inv->query == w->schema.known)
		return sotto_census_read_known(e, w, inv, data, err);
	if (w->plan.queries[inv->query].cells > 1)
		SOTTO_TRY(sotto_census_shape_reserve_groups(&w->shape));
	if (inv->values) {
		const struct sotto_census_table table = {.file = inv->values,
							 .level = level,
							 .query = inv->query,
							 .columns = {"value"},
							 .column_count = 1};

		return sotto_census_table_read(e, w, &table, take_value, &b, err);
	}
	if (inv->nodes) { /* a union: its node is the parent of the first of them */
		size_t node = sotto_census_node_find(&w->shape, inv->nodes[0]);

		return data ? hold_truth(w, inv->query, w->shape.parent[node]) : SOTTO_OK;
	}
	for (size_t node = w->shape.start[at]; data && node < w->shape.start[at + 1]; node++)
		SOTTO_TRY(hold_truth(w, inv->query, node));
	return SOTTO_OK;
}

static enum sotto_status
check_acknowledged(const struct sotto_census_plan *p, struct sotto_error *err)
{
	if (p->invariant_count == 0 || p->replace_one || p->acknowledges_invariants)
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_EPARSE,
		"%.160s: with neighbours add-remove an invariant reveals whether a person "
		"is counted; write acknowledge_invariants: true, or use replace-one",
		p->path);
}

static enum sotto_status
check_inputs(const struct sotto_census_plan *p, bool data, struct sotto_error *err)
{
	if (data && !p->microdata && !p->counts)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"%.160s: the plan has no input; write input: {microdata: FILE}",
			p->path);
	if (p->nodes_from_data && !p->microdata && !p->counts)
		return sotto_fail(err, SOTTO_EPARSE,
				  "%.160s: nodes are from the data, but the plan has no input",
				  p->path);
	if (data && !p->nodes)
		return sotto_fail(
			err, SOTTO_EPARSE,
			"%.160s: the plan has no list of nodes; write nodes: FILE, or "
			"nodes: from-data-acknowledged if a node that exists only because "
			"of a record may be seen",
			p->path);
	return check_acknowledged(p, err);
}

static enum sotto_status read_world(struct sotto_engine *e, struct sotto_census_world *w,
				    bool data, struct sotto_error *err)
{
	SOTTO_TRY(sotto_census_read_leaves(e, w, err));
	for (size_t i = 0; i < w->plan.invariant_count; i++)
		SOTTO_TRY(sotto_census_insert_union(&w->shape, &w->plan.invariants[i], err));
	for (size_t i = 0; i < w->plan.bound_count; i++)
		SOTTO_TRY(read_bound(e, w, &w->plan.bounds[i], err));
	if (data)
		SOTTO_TRY(sotto_census_read_counts(e, w, err));
	if (data)
		SOTTO_TRY(sotto_census_verify_unit(e, w, err));
	for (size_t i = 0; i < w->plan.invariant_count; i++)
		SOTTO_TRY(read_invariant(e, w, &w->plan.invariants[i], data, err));
	return sotto_census_constrain(&w->shape, &w->schema, err);
}

/* What is public alone needs no private file. */
static enum sotto_status open_source(struct sotto_census_world *w,
				     const struct sotto_census_access *access,
				     struct sotto_error *err)
{
	if (access->policy)
		return sotto_census_source_find(&w->source, &w->plan, access->policy, &w->texts,
						err);
	return access->data || w->plan.nodes_from_data
		       ? sotto_census_source_seal(&w->source, &w->plan, &w->texts, err)
		       : SOTTO_OK;
}

static enum sotto_status open_parts(struct sotto_census_world *w,
				    const struct sotto_census_access *access,
				    struct sotto_error *err)
{
	struct sotto_engine *e = NULL;
	enum sotto_status st;

	SOTTO_TRY(check_inputs(&w->plan, access->data, err));
	SOTTO_TRY(sotto_census_schema_init(&w->schema, &w->plan, err));
	if (!w->plan.nodes)
		return SOTTO_OK;
	SOTTO_TRY(open_source(w, access, err));
	SOTTO_TRY(sotto_census_tables_open(access->memory, &e, err));
	st = read_world(e, w, access->data, err);
	sotto_census_tables_close(e);
	return st;
}

enum sotto_status sotto_census_world_open(struct sotto_census_world *w, const char *plan,
					  const struct sotto_census_access *access,
					  struct sotto_error *err)
{
	memset(w, 0, sizeof *w);
	sotto_arena_init(&w->texts, TEXTS_MAX);
	w->source.sealing = access->sealing;
	w->reading = access->reading;
	SOTTO_TRY(sotto_census_plan_load(&w->plan, plan, err));
	w->schema.plan = &w->plan;
	return open_parts(w, access, err);
}
