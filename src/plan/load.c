#include "plan/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "plan/function.h"
#include "plan/planner.h"
#include "sql/automaton.h"
#include "sql/like.h"

/* Measured on texts that are costly to each function, and rounded up. */
enum {
	PLAIN = 5, /* an operator */
	MODULO = 2000, /* of numbers with far exponents */
	FUNCTION = 100,
	CAST = 300,
	WINDOW = 200, /* a unit's rows are sorted */
	SUBQUERY = 300,
	COMPARED = 1, /* for each character */
	READ = 3,
	JOINED = 6,
	LOWERED = 25,
	FOUND = 10,
	MATCHED = 12, /* by an automaton with few states */
	SIMULATED = 35, /* by one with many: for each place in the pattern */
};

struct sotto_loaded {
	const char *sql, *whole;
	struct sotto_load load;
	bool literal;
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

static bool is_name(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* The SQL of an expression, and where those that stand in it were found already. */
struct places {
	const char *sql;
	bool *taken;
};

/*
 * How often an expression stands in another, outside of longer ones that were found
 * before.  The engine writes the argument of NULLIF twice.
 */
static double occurrences(struct places *p, const char *inner)
{
	static const char twice[] = "nullif(";
	size_t n = strlen(inner), m = sizeof twice - 1;
	double count = 0;

	for (const char *at = p->sql; n > 0 && (at = strstr(at, inner)); at += n) {
		size_t i = (size_t)(at - p->sql);

		if (p->taken[i] || (is_name(at[n]) && is_name(inner[n - 1])))
			continue; /* t1.c1 in t1.c10 */
		memset(p->taken + i, true, n * sizeof *p->taken);
		count += i >= m && memcmp(at - m, twice, m) == 0 ? 2 : 1;
	}
	return count;
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
	       below->list[1].whole;
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

static enum sotto_status apply(const struct sotto_sql_expr *e, const struct sotto_function *f,
			       const struct sotto_loads *below, struct sotto_load *out)
{
	const struct sotto_function_load *known = sotto_function_load(f->name);
	double text = below->count ? below->list[0].load.length : 0;
	double each = known ? known->each : 0;

	out->length = known ? function_length(e, known->length, text) : 0;
	if (strchr(f->args, 'p') && e->count > 1)
		SOTTO_TRY(sotto_load_pattern(e->args[1]->text,
					     strcmp(f->name, "regexp_imatches") == 0, &each));
	if (strcmp(f->args, "tll") == 0 && e->count > 2) /* each character may become so many */
		each += e->args[2]->text ? (double)strlen(e->args[2]->text) : 0;
	out->work = FUNCTION + each * greatest(text, out->length);
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
	*slot = (struct sotto_loaded){x->sql, x->whole, x->load,
				      e->kind <= SOTTO_SQL_TEXT || x->literal != NULL};
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

/* The longest that was not looked for yet. */
static struct sotto_loaded *next_longest(const struct sotto_loads *below)
{
	struct sotto_loaded *longest = NULL;
	size_t most = 0;

	for (size_t i = 0; i < below->count; i++) {
		struct sotto_loaded *x = &below->list[i];
		size_t n = x->literal ? 0 : strlen(x->sql);

		if (n <= most)
			continue;
		longest = x;
		most = n;
	}
	return longest;
}

/* All that stands below, each as often as it stands in the SQL. */
static void
add_parts(struct places *places, const struct sotto_loads *below, struct sotto_load *load)
{
	struct sotto_loaded *x;

	for (size_t i = 0; i < below->count; i++)
		if (below->list[i].literal) {
			load->nodes += below->list[i].load.nodes;
			load->work += below->list[i].load.work;
		}
	while ((x = next_longest(below))) {
		double times = occurrences(places, x->sql);

		x->literal = true; /* it is counted now */
		if (times == 0 && x->whole) { /* a text that is not cut is only read */
			load->nodes += occurrences(places, x->whole);
			continue;
		}
		load->nodes += times * x->load.nodes;
		load->work += times * x->load.work;
		load->once += times > 0 ? x->load.once : 0;
	}
}

enum sotto_status sotto_load_measure(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     const struct sotto_loads *below, struct sotto_bound *out)
{
	struct sotto_load load = {.nodes = 1};
	struct places places = {.sql = out->sql};

	if (e->kind == SOTTO_SQL_COLUMN)
		return add_below(b, e, out);
	SOTTO_TRY(own_load(b, e, below, &load));
	places.taken = calloc(strlen(out->sql) + 1, sizeof *places.taken);
	SOTTO_NEED(places.taken);
	load.length = greatest(load.length, out->load.length);
	add_parts(&places, below, &load);
	free(places.taken);
	out->load = load;
	if (load.nodes > SOTTO_NODES_MAX)
		return sotto_bind_refuse(b, e, "%s", too_large);
	return add_below(b, e, out);
}

enum sotto_status sotto_load_count(struct sotto_binder *b, const struct sotto_sql_expr *e,
				   const struct sotto_bound *x)
{
	struct sotto_planner *p = b->planner;
	const char **slot;

	if (x->is_unit)
		return SOTTO_OK; /* which is there anyway */
	for (size_t i = 0; i < p->counted_count; i++)
		if (strcmp(p->counted[i], x->sql) == 0)
			return SOTTO_OK;
	slot = SOTTO_PUSH(p->arena, p->counted, p->counted_count);
	SOTTO_NEED(slot);
	*slot = x->sql;
	p->work += x->load.work + COMPARED * x->load.length;
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

double sotto_load_row(const struct sotto_scope *scope)
{
	double work = 0;

	for (size_t i = 0; i < scope->count; i++)
		work += PLAIN + COMPARED * scope->columns[i]->bound.load.length;
	return work;
}
