/*
 * Counts in the tree of an expression how often each part below stands in it, and adds the
 * parts' work that many times; nothing is ever expanded to be measured.
 */
#include "central/expression/work/row_work.h"

#include "central/expression/number/decimal.h"
#include "central/expression/work/row_work_weight.h"
#include "central/plan/planner.h"
#include "central/tree/engine_tree.h"
#include "central/tree/operation.h"
#include "core/base/failure.h"

/* ---- how often an expression stands in another -------------------------------------------- */

/* Something that was bound inside an expression, and how often it stands in it. */
struct place {
	const struct sotto_loaded *part;
	double times, whole_times;
};

/* All of them but literals: a long list of those is not searched for every part. */
struct places {
	struct place *list;
	size_t count;
};

static void count_expression(struct places *p, const struct sotto_expression *x, double times);

static void count_rows(struct places *p, const struct sotto_rowset *r, double times)
{
	switch (r->kind) {
	case SOTTO_ROWSET_SCAN:
	case SOTTO_ROWSET_PART:
	case SOTTO_ROWSET_VALUES:
	case SOTTO_ROWSET_RANGE:
	case SOTTO_ROWSET_HELD:
		return;
	case SOTTO_ROWSET_JOIN:
		count_rows(p, r->of.join.left, times);
		count_rows(p, r->of.join.right, times);
		count_expression(p, r->of.join.on, times);
		return;
	case SOTTO_ROWSET_SET:
		count_rows(p, r->of.both.first, times);
		count_rows(p, r->of.both.second, times);
		return;
	case SOTTO_ROWSET_SELECT:
		break;
	}
	for (size_t i = 0; i < r->of.select.output_count; i++)
		count_expression(p, r->of.select.outputs[i].value, times);
	for (size_t i = 0; i < r->of.select.from_count; i++)
		count_rows(p, r->of.select.from[i], times);
	count_expression(p, r->of.select.where, times);
	count_expression(p, r->of.select.groups, times);
	count_expression(p, r->of.select.having, times);
	count_expression(p, r->of.select.qualify, times);
	count_expression(p, r->of.select.orders, times);
}

/* Down to what was bound: what stands in that is counted with it. */
static void count_expression(struct places *p, const struct sotto_expression *x, double times)
{
	if (!x)
		return;
	for (size_t i = 0; i < p->count; i++) {
		struct place *at = &p->list[i];

		if (sotto_expression_equal(x, at->part->value)) {
			at->times += times;
			return;
		}
		if (at->part->whole && sotto_expression_equal(x, at->part->whole)) {
			at->whole_times += times;
			return;
		}
	}
	if (x->operation->form == SOTTO_OPERATION_QUERY)
		count_rows(p, x->of.query, times);
	for (size_t i = 0; i < x->count; i++)
		count_expression(p, x->args[i], times * sotto_operation_times(x->operation, i));
}

/* ---- the whole ------------------------------------------------------------------------------ */

static enum sotto_status
add_below(struct sotto_binder *b, const struct sotto_sql_expr *e, const struct sotto_bound *x)
{
	struct sotto_loaded *slot;

	if (!b->below)
		return SOTTO_OK;
	slot = SOTTO_PUSH(b->arena, b->below->list, b->below->count);
	SOTTO_NEED(slot);
	*slot = (struct sotto_loaded){x->value, x->whole, x->load,
				      e->kind <= SOTTO_SQL_TEXT || x->literal != NULL,
				      sotto_bound_is_private(x)};
	return SOTTO_OK;
}

static const char too_large[] =
	"with everything that it reads written out, the query has more than 20000 functions, "
	"operators and values; use fewer, and do not build subqueries that each use a column "
	"of "
	"the one below several times";

enum sotto_status sotto_load_refuse(struct sotto_planner *p, int at)
{
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, at, "%s", too_large);
}

static enum sotto_status
places_init(struct places *p, struct sotto_arena *arena, const struct sotto_loads *below)
{
	*p = (struct places){sotto_arena_alloc(arena, (below->count + 1) * sizeof *p->list), 0};
	SOTTO_NEED(p->list);
	for (size_t i = 0; i < below->count; i++)
		if (!below->list[i].literal)
			p->list[p->count++] = (struct place){.part = &below->list[i]};
	return SOTTO_OK;
}

static void add_literals(const struct sotto_loads *below, struct sotto_load *load)
{
	for (size_t i = 0; i < below->count; i++) {
		if (!below->list[i].literal)
			continue;
		load->nodes += below->list[i].load.nodes;
		load->work += below->list[i].load.work;
	}
}

/* All else that stands below, each as often as it stands in the expression. */
static void add_places(const struct places *p, struct sotto_load *load)
{
	for (const struct place *at = p->list; at < p->list + p->count; at++) {
		load->nodes += at->times * at->part->load.nodes;
		load->work += at->times * at->part->load.work;
		load->once += at->times > 0 ? at->part->load.once : 0;
		if (at->times == 0) /* a text that is not cut is only read */
			load->nodes += at->whole_times;
	}
}

enum sotto_status sotto_load_measure(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     const struct sotto_loads *below, struct sotto_bound *out)
{
	struct sotto_load load = {.nodes = 1};
	struct places places;

	if (e->kind == SOTTO_SQL_COLUMN)
		return add_below(b, e, out);
	SOTTO_TRY(sotto_load_step(b, e, below, &load));
	SOTTO_TRY(places_init(&places, b->arena, below));
	load.length = sotto_greatest(load.length, out->load.length);
	count_expression(&places, out->value, 1);
	add_literals(below, &load);
	add_places(&places, &load);
	out->load = load;
	if (load.nodes > SOTTO_NODES_MAX)
		return sotto_bind_refuse(b, e, "%s", too_large);
	return add_below(b, e, out);
}

enum sotto_status sotto_load_count(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   const struct sotto_bound *x)
{
	struct sotto_planner *p = b->planner;
	const struct sotto_expression **slot;

	if (x->is_unit)
		return SOTTO_OK; /* which is there anyway */
	for (size_t i = 0; i < p->counted_count; i++)
		if (sotto_expression_equal(p->counted[i], x->value))
			return SOTTO_OK;
	slot = SOTTO_PUSH(p->arena, p->counted, p->counted_count);
	SOTTO_NEED(slot);
	*slot = x->value;
	p->work += x->load.work + COMPARED * x->load.length;
	if (sotto_decimal_is_wide(x)) /* where it is a key (sotto_bind_alike) */
		p->work += 2 * SOTTO_LOAD_DECIMAL;
	p->work_once += x->load.once;
	p->nodes += x->load.nodes;
	return p->nodes > SOTTO_NODES_MAX ? sotto_bind_refuse(b, e, "%s", too_large) : SOTTO_OK;
}

struct sotto_load sotto_load_greatest(struct sotto_load x, struct sotto_load y)
{
	return (struct sotto_load){.nodes = sotto_greatest(x.nodes, y.nodes),
				   .work = sotto_greatest(x.work, y.work),
				   .once = sotto_greatest(x.once, y.once),
				   .length = sotto_greatest(x.length, y.length)};
}

double sotto_load_reading(enum sotto_sql_type type)
{
	return type == SOTTO_TYPE_DATE || type == SOTTO_TYPE_TIMESTAMP ? READ_DATE
								       : READ_NUMBER;
}

/* Of one operator; two texts of 2000 characters, cut and compared, are heavy, and one is not. */
enum { CHARACTERS = 10, NANOSECONDS = 3 };

double sotto_load_making(const struct sotto_bound *x, double once)
{
	bool is_text = x->type == SOTTO_TYPE_TEXT || x->type == SOTTO_TYPE_LOOSE;
	double own = is_text ? x->load.length / CHARACTERS : once / NANOSECONDS;

	return sotto_greatest(own, x->value->making);
}

/* As a value that is there once. */
enum sotto_status sotto_load_add(struct sotto_binder *b, double work)
{
	struct sotto_loaded *slot;

	if (!b->below) { /* done with the whole expression */
		if (b->planner && b->err && !b->lazy)
			b->planner->work += work;
		return SOTTO_OK;
	}
	slot = SOTTO_PUSH(b->arena, b->below->list, b->below->count);
	SOTTO_NEED(slot);
	*slot = (struct sotto_loaded){NULL, NULL, {.nodes = 1, .work = work}, true, false};
	return SOTTO_OK;
}

double sotto_load_row(const struct sotto_scope *scope)
{
	double work = 0;

	for (size_t i = 0; i < scope->count; i++)
		work += PLAIN + COMPARED * scope->columns[i]->bound.load.length;
	return work;
}

double sotto_load_ties(const struct sotto_scope *scope)
{
	double work = 0;

	for (size_t i = 0; i < scope->count; i++) {
		const struct sotto_bound *x = &scope->columns[i]->bound;

		if (x->type == SOTTO_TYPE_DATE || x->type == SOTTO_TYPE_TIMESTAMP)
			work += READ_DATE;
		else if (x->type != SOTTO_TYPE_TEXT && x->type != SOTTO_TYPE_LOOSE &&
			 x->type != SOTTO_TYPE_OTHER)
			work += sotto_decimal_is_wide(x) ? SOTTO_LOAD_DECIMAL : CAST;
	}
	return work;
}
