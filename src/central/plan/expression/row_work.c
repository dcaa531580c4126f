#include "central/plan/expression/row_work.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "central/parse/pattern/like_pattern.h"
#include "central/parse/pattern/pattern_automaton.h"
#include "central/plan/expression/decimal.h"
#include "central/plan/expression/row_function.h"
#include "central/plan/planner.h"
#include "central/plan/tree/engine_tree.h"
#include "central/plan/tree/operation.h"
#include "core/base/failure.h"

/* Measured on texts that are costly to each function, and rounded up. */
enum {
	PLAIN = 5, /* an operator */
	MODULO = 2000, /* of numbers with far exponents */
	FUNCTION = 100,
	CAST = 300,
	READ_NUMBER = 200, /* of at most SOTTO_TEXT_READ bytes */
	READ_DATE = 600, /* and written */
	WINDOW = 200, /* a unit's rows are sorted */
	SUBQUERY = 300,
	COMPARED = 1, /* for each character */
	READ = 3,
	JOINED = 6,
	LOWERED = 25,
	FOUND = 10,
	LISTED = 60, /* a character of those that trim or translate look for */
	MATCHED = 12, /* by an automaton with few states */
	SIMULATED = 35, /* by one with many: for each place in the pattern */
};

struct sotto_loaded {
	const struct sotto_expression *value, *whole;
	struct sotto_load load;
	bool literal, is_private;
};

static double least(double x, double y)
{
	return x < y ? x : y;
}

static double greatest(double x, double y)
{
	return x > y ? x : y;
}

/* ---- how often an expression stands in another -------------------------------------------- */

/* What was bound inside an expression, and how often each stands in it. */
struct places {
	const struct sotto_loads *below;
	double *times, *whole_times;
};

static void count_expression(struct places *p, const struct sotto_expression *x, double times);

static void count_rows(struct places *p, const struct sotto_rowset *r, double times)
{
	switch (r->kind) {
	case SOTTO_ROWSET_SCAN:
	case SOTTO_ROWSET_PART:
	case SOTTO_ROWSET_VALUES:
	case SOTTO_ROWSET_RANGE:
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
	for (size_t i = 0; i < p->below->count; i++) {
		const struct sotto_loaded *b = &p->below->list[i];

		if (b->literal)
			continue;
		if (sotto_expression_equal(x, b->value)) {
			p->times[i] += times;
			return;
		}
		if (b->whole && sotto_expression_equal(x, b->whole)) {
			p->whole_times[i] += times;
			return;
		}
	}
	if (x->operation->form == SOTTO_OPERATION_QUERY)
		count_rows(p, x->of.query, times);
	for (size_t i = 0; i < x->count; i++)
		count_expression(p, x->args[i], times * sotto_operation_times(x->operation, i));
}

/* ---- one step ------------------------------------------------------------------------------- */

static double sum_lengths(const struct sotto_loads *below)
{
	double sum = 0;

	for (size_t i = 0; i < below->count; i++)
		sum += below->list[i].load.length;
	return sum;
}

static double longest(const struct sotto_loads *below)
{
	double most = 0;

	for (size_t i = 0; i < below->count; i++)
		most = greatest(most, below->list[i].load.length);
	return most;
}

/* Two texts are compared up to the end of the shorter one: x with each of the others. */
static double compare(const struct sotto_loads *below)
{
	double work = 0;

	for (size_t i = 1; i < below->count; i++)
		work += PLAIN + COMPARED * least(below->list[0].load.length,
						 below->list[i].load.length);
	return work;
}

enum sotto_status sotto_load_pattern(const char *pattern, bool fold, double *out)
{
	struct sotto_sql_automaton machine;

	SOTTO_TRY(sotto_sql_automaton_make(pattern, fold, &machine));
	*out = machine.states <= SOTTO_SQL_AUTOMATON_MAX ? MATCHED
							 : SIMULATED * machine.positions;
	return SOTTO_OK;
}

/* To find m characters in a text, which the engine does by sums of characters. */
static double find(double characters, double m)
{
	return characters * (FOUND + m / 100);
}

static enum sotto_status
like(struct sotto_binder *b, const struct sotto_sql_expr *e, double length, double *work)
{
	const char *pattern = e->args[1]->text;
	struct sotto_sql_like p;
	double each = FOUND + (double)strlen(pattern) / 100;

	SOTTO_TRY(sotto_sql_like_read(b->arena, pattern, &p));
	if (p.kind == SOTTO_SQL_LIKE_REGEX)
		SOTTO_TRY(sotto_load_pattern(p.text, e->op == SOTTO_SQL_ILIKE, &each));
	*work = PLAIN + length * (each + (e->op == SOTTO_SQL_ILIKE ? LOWERED : 0));
	return SOTTO_OK;
}

/* x = y over two text columns: where a join is made along it, each is hashed once. */
static bool is_key(const struct sotto_sql_expr *e, const struct sotto_loads *below)
{
	return e->op == SOTTO_SQL_EQ && below->count == 2 && below->list[0].whole &&
	       below->list[1].whole &&
	       !(below->list[0].is_private && below->list[1].is_private);
}

static enum sotto_status operate(struct sotto_binder *b, const struct sotto_sql_expr *e,
				 const struct sotto_loads *below, struct sotto_load *out)
{
	out->work = PLAIN;
	if (e->op == SOTTO_SQL_CONCAT) {
		out->length =
			least(sum_lengths(below) + SOTTO_TEXT_SHORT * (double)(below->count),
			      SOTTO_TEXT_MADE);
		out->work = CAST + JOINED * greatest(out->length, sum_lengths(below));
	} else if (e->op == SOTTO_SQL_LIKE || e->op == SOTTO_SQL_ILIKE) {
		return like(b, e, longest(below), &out->work);
	} else if (e->op == SOTTO_SQL_MODULO) {
		out->work = MODULO;
	} else if (is_key(e, below)) {
		out->once = READ * sum_lengths(below);
	} else if (e->op >= SOTTO_SQL_EQ && e->op <= SOTTO_SQL_DISTINCT_FROM) {
		out->work = compare(below);
	}
	return SOTTO_OK;
}

/* A number written out as an argument, and without it none. */
static double written(const struct sotto_sql_expr *e, size_t i, double otherwise)
{
	double n = i < e->count && e->args[i]->kind == SOTTO_SQL_NUMBER
			   ? strtod(e->args[i]->text, NULL)
			   : -1;

	return n >= 0 ? n : otherwise;
}

static double
function_length(const struct sotto_sql_expr *e, enum sotto_length rule, double length)
{
	switch (rule) {
	case SOTTO_LENGTH_SAME:
		return length;
	case SOTTO_LENGTH_FIRST:
		return least(length, written(e, 1, length));
	case SOTTO_LENGTH_PART:
		return least(length, written(e, 2, length));
	case SOTTO_LENGTH_PADDED:
		return least(written(e, 1, SOTTO_TEXT_MADE), SOTTO_TEXT_MADE);
	case SOTTO_LENGTH_MADE:
		return SOTTO_TEXT_MADE;
	case SOTTO_LENGTH_FORMAT:
		return 1000;
	case SOTTO_LENGTH_SHORT:
		return SOTTO_TEXT_SHORT;
	case SOTTO_LENGTH_NONE:
		break;
	}
	return 0;
}

static double text_size(const struct sotto_sql_expr *e)
{
	return e->text ? (double)strlen(e->text) : 0;
}

static enum sotto_status apply(const struct sotto_sql_expr *e, const struct sotto_function *f,
			       const struct sotto_loads *below, struct sotto_load *out)
{
	double text = below->count ? below->list[0].load.length : 0;
	double each = f->load.each;
	double fixed = f->load.fixed ? f->load.fixed : FUNCTION;

	out->length = function_length(e, f->load.length, text);
	if (strchr(f->args, 'p') && e->count > 1)
		SOTTO_TRY(sotto_load_pattern(e->args[1]->text,
					     strcmp(f->name, "regexp_imatches") == 0, &each));
	if (strcmp(f->args, "tll") == 0 && e->count > 2) /* each character may become so many */
		each += text_size(e->args[2]);
	if (f->args[0] == 't' && tolower((unsigned char)f->args[1]) == 'l' && e->count > 1)
		fixed += LISTED * text_size(e->args[1]); /* they are made a set in each row */
	out->work = fixed + each * greatest(text, out->length);
	if (f->args[0] == 't' && f->args[1] == 't' && below->count > 1)
		out->work += find(text, below->list[1].load.length);
	return SOTTO_OK;
}

static enum sotto_status call(struct sotto_binder *b, const struct sotto_sql_expr *e,
			      const struct sotto_loads *below, struct sotto_load *out)
{
	const struct sotto_function *f = sotto_function_find(e->text);
	double sum = sum_lengths(below);

	if (e->over) {
		out->length = longest(below);
		out->work = WINDOW + READ * sum + sotto_load_row(b->scope);
	} else if (strncmp(e->text, "concat", 6) == 0) {
		out->length = SOTTO_TEXT_MADE;
		out->work = CAST * (double)e->count + JOINED * greatest(out->length, sum);
	} else if (f) {
		return apply(e, f, below, out);
	} else {
		out->length = longest(below);
		out->work = FUNCTION + compare(below);
	}
	return SOTTO_OK;
}

static enum sotto_status own_load(struct sotto_binder *b, const struct sotto_sql_expr *e,
				  const struct sotto_loads *below, struct sotto_load *out)
{
	double sum = sum_lengths(below);

	switch (e->kind) {
	case SOTTO_SQL_OP:
		return operate(b, e, below, out);
	case SOTTO_SQL_CALL:
		return call(b, e, below, out);
	case SOTTO_SQL_CASE:
		out->work = PLAIN * (double)e->count;
		out->length = longest(below);
		return SOTTO_OK;
	case SOTTO_SQL_IN:
		out->work = (e->select ? SUBQUERY : PLAIN) + compare(below);
		return SOTTO_OK;
	case SOTTO_SQL_CAST:
		out->work = CAST + READ * sum;
		out->length = e->type != SOTTO_TYPE_TEXT ? 0 : sum > 0 ? sum : SOTTO_TEXT_SHORT;
		return SOTTO_OK;
	case SOTTO_SQL_SCALAR:
	case SOTTO_SQL_EXISTS:
		out->work = SUBQUERY;
		return SOTTO_OK;
	default:
		out->work = 1;
		out->length = e->kind == SOTTO_SQL_TEXT ? (double)strlen(e->text) : 0;
		return SOTTO_OK;
	}
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

/* All that stands below, each as often as it stands in the expression. */
static void add_parts(const struct places *p, struct sotto_load *load)
{
	for (size_t i = 0; i < p->below->count; i++) {
		const struct sotto_loaded *x = &p->below->list[i];
		double times = x->literal ? 1 : p->times[i];

		load->nodes += times * x->load.nodes;
		load->work += times * x->load.work;
		load->once += times > 0 && !x->literal ? x->load.once : 0;
		if (times == 0) /* a text that is not cut is only read */
			load->nodes += p->whole_times[i];
	}
}

enum sotto_status sotto_load_measure(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     const struct sotto_loads *below, struct sotto_bound *out)
{
	struct sotto_load load = {.nodes = 1};
	struct places places = {.below = below};

	if (e->kind == SOTTO_SQL_COLUMN)
		return add_below(b, e, out);
	SOTTO_TRY(own_load(b, e, below, &load));
	places.times = sotto_arena_alloc(b->arena, (below->count + 1) * sizeof *places.times);
	places.whole_times =
		sotto_arena_alloc(b->arena, (below->count + 1) * sizeof *places.times);
	SOTTO_NEED(places.times && places.whole_times);
	load.length = greatest(load.length, out->load.length);
	count_expression(&places, out->value, 1);
	add_parts(&places, &load);
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
	return (struct sotto_load){.nodes = greatest(x.nodes, y.nodes),
				   .work = greatest(x.work, y.work),
				   .once = greatest(x.once, y.once),
				   .length = greatest(x.length, y.length)};
}

double sotto_load_reading(enum sotto_sql_type type)
{
	return type == SOTTO_TYPE_DATE || type == SOTTO_TYPE_TIMESTAMP ? READ_DATE
								       : READ_NUMBER;
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
		else if (x->type != SOTTO_TYPE_TEXT && x->type != SOTTO_TYPE_LOOSE)
			work += sotto_decimal_is_wide(x) ? SOTTO_LOAD_DECIMAL : CAST;
	}
	return work;
}
