/*
 * COVAR, CORR and REGR of two columns, as expressions over a count and sums:
 *
 *	n    = COUNT of pairs            x, y counted from the middle of their bounds
 *	sxy  = SUM(x y) - SUM(x) SUM(y) / n, sxx and syy alike
 *	covar_pop = sxy / n    slope = sxy / sxx    corr = sxy / sqrt(sxx syy)
 *
 * Each sum is a measure with noise of its own; the rest is free.
 */
#include "central/aggregate/aggregate.h"

#include <stdlib.h>

#include "central/aggregate/measure/summand.h"
#include "central/expression/bind.h"
#include "central/expression/range/value_range.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

struct pair {
	struct sotto_binder *binder;
	const struct sotto_sql_expr *call;
	struct sotto_sql_expr *both; /* both values are there */
	struct sotto_sql_expr *value[2], *centre[2]; /* y and x, from their middles */
	struct sotto_sql_expr *held[2]; /* the same of what counts: within their bounds */
};

static struct sotto_sql_expr *number(struct pair *p, const char *text)
{
	struct sotto_sql_expr *e =
		sotto_sql_expr_new(p->binder->arena, SOTTO_SQL_NUMBER, p->call->at);

	if (e)
		e->text = text;
	return text ? e : NULL;
}

static struct sotto_sql_expr *
op(struct pair *p, enum sotto_sql_op o, struct sotto_sql_expr *x, struct sotto_sql_expr *y)
{
	return x && y ? sotto_sql_op_new(p->binder->arena, o, x, y) : NULL;
}

static struct sotto_sql_expr *node(struct pair *p, enum sotto_sql_kind kind, const char *name,
				   struct sotto_sql_expr *x, struct sotto_sql_expr *y)
{
	struct sotto_sql_expr *e = sotto_sql_expr_new(p->binder->arena, kind, p->call->at);

	if (!e || !x)
		return NULL;
	e->text = name;
	e->count = y ? 2 : 1;
	e->args = sotto_arena_alloc(p->binder->arena, 2 * sizeof *e->args);
	if (!e->args)
		return NULL;
	e->args[0] = x;
	e->args[1] = y;
	return e;
}

static struct sotto_sql_expr *
call(struct pair *p, const char *name, struct sotto_sql_expr *x, struct sotto_sql_expr *y)
{
	return node(p, SOTTO_SQL_CALL, name, x, y);
}

static struct sotto_sql_expr *
aggregate(struct pair *p, const char *name, struct sotto_sql_expr *x)
{
	struct sotto_sql_expr *e = call(p, name, x, NULL);

	if (e)
		e->filter = p->call->filter;
	return e;
}

/* ---- the parts ---------------------------------------------------------------------------- */

static enum sotto_status
number_of(struct pair *p, const struct sotto_rational *r, struct sotto_sql_expr **out)
{
	char *text = NULL;

	SOTTO_TRY(sotto_rational_format(r, &text));
	*out = number(p, sotto_arena_text(p->binder->arena, text));
	free(text);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/* The middle of the bounds of value i, and that value within them. */
static enum sotto_status measure_bounds(struct pair *p, int i)
{
	struct sotto_sql_expr *e = p->call->args[i], *clip;
	struct sotto_bound x;
	struct sotto_rational half;
	enum sotto_status st;

	SOTTO_TRY(sotto_bind(p->binder, e, &x));
	if (x.type == SOTTO_TYPE_BOOLEAN)
		return sotto_bind_refuse(p->binder, e,
					 "%s takes numbers; write IF(x, 1, 0) for a truth "
					 "value x",
					 p->call->text);
	SOTTO_TRY(sotto_summand_within(p->binder, p->call, e, &x));
	sotto_rational_init(&half);
	mpq_add(half.q, x.range.lo->q, x.range.hi->q);
	mpq_div_2exp(half.q, half.q, 1);
	st = number_of(p, &half, &p->centre[i]);
	sotto_rational_release(&half);
	SOTTO_TRY(st);
	clip = node(p, SOTTO_SQL_CALL, "clip", e, NULL);
	SOTTO_NEED(clip);
	clip->args = sotto_arena_alloc(p->binder->arena, 3 * sizeof *clip->args);
	SOTTO_NEED(clip->args);
	clip->count = 3;
	clip->args[0] = e;
	SOTTO_TRY(number_of(p, x.range.lo, &clip->args[1]));
	SOTTO_TRY(number_of(p, x.range.hi, &clip->args[2]));
	p->held[i] = clip;
	return SOTTO_OK;
}

static struct sotto_sql_expr *is_there(struct pair *p, struct sotto_sql_expr *e)
{
	struct sotto_sql_expr *null =
		sotto_sql_op_new(p->binder->arena, SOTTO_SQL_IS_NULL, e, NULL);

	return null ? sotto_sql_op_new(p->binder->arena, SOTTO_SQL_NOT, null, NULL) : NULL;
}

/* From the middle, where both values are there. */
static struct sotto_sql_expr *centre(struct pair *p, int i, struct sotto_sql_expr *x)
{
	return node(p, SOTTO_SQL_CASE, "", p->both, op(p, SOTTO_SQL_SUBTRACT, x, p->centre[i]));
}

static enum sotto_status bind_pair(struct pair *p)
{
	p->both = op(p, SOTTO_SQL_AND, is_there(p, p->call->args[0]),
		     is_there(p, p->call->args[1]));
	SOTTO_NEED(p->both);
	for (int i = 0; i < 2; i++) {
		SOTTO_TRY(measure_bounds(p, i));
		p->value[i] = centre(p, i, p->call->args[i]);
		p->held[i] = centre(p, i, p->held[i]);
		SOTTO_NEED(p->value[i] && p->held[i]);
	}
	return SOTTO_OK;
}

static struct sotto_sql_expr *count(struct pair *p)
{
	return aggregate(p, "count", node(p, SOTTO_SQL_CASE, "", p->both, number(p, "1")));
}

static struct sotto_sql_expr *pairs(struct pair *p)
{
	return call(p, "greatest", count(p), number(p, "1"));
}

/* What is added is made of value i. */
static struct sotto_sql_expr *sum(struct pair *p, int i, struct sotto_sql_expr *x)
{
	struct sotto_sql_expr *e = aggregate(p, "sum", x);

	if (e)
		e->told = p->call->args[i];
	return e;
}

/*
 * SUM(x y) - SUM(x) SUM(y) / n.  A sum holds its values within their bounds, but of a product it
 * would hold the product only: an x beyond its bounds would count in full beside a small y.
 */
static struct sotto_sql_expr *centred(struct pair *p, int i, int j)
{
	struct sotto_sql_expr *x = sum(p, i, p->value[i]), *y = sum(p, j, p->value[j]);
	struct sotto_sql_expr *xy =
		sum(p, i, op(p, SOTTO_SQL_MULTIPLY, p->held[i], p->held[j]));

	return op(p, SOTTO_SQL_SUBTRACT, xy,
		  op(p, SOTTO_SQL_DIVIDE, op(p, SOTTO_SQL_MULTIPLY, x, y), pairs(p)));
}

static struct sotto_sql_expr *mean(struct pair *p, int i)
{
	return op(p, SOTTO_SQL_ADD, p->centre[i],
		  op(p, SOTTO_SQL_DIVIDE, sum(p, i, p->value[i]), pairs(p)));
}

/* ---- the functions -------------------------------------------------------------------------- */

static struct sotto_sql_expr *mean_x(struct pair *p)
{
	return mean(p, 1);
}

static struct sotto_sql_expr *mean_y(struct pair *p)
{
	return mean(p, 0);
}

static struct sotto_sql_expr *sxx(struct pair *p)
{
	return centred(p, 1, 1);
}

static struct sotto_sql_expr *syy(struct pair *p)
{
	return centred(p, 0, 0);
}

static struct sotto_sql_expr *sxy(struct pair *p)
{
	return centred(p, 0, 1);
}

static struct sotto_sql_expr *covar_pop(struct pair *p)
{
	return op(p, SOTTO_SQL_DIVIDE, centred(p, 0, 1), pairs(p));
}

static struct sotto_sql_expr *covar_samp(struct pair *p)
{
	return op(p, SOTTO_SQL_DIVIDE, centred(p, 0, 1),
		  call(p, "greatest", op(p, SOTTO_SQL_SUBTRACT, pairs(p), number(p, "1")),
		       number(p, "1")));
}

static struct sotto_sql_expr *corr(struct pair *p)
{
	struct sotto_sql_expr *size = call(
		p, "sqrt", op(p, SOTTO_SQL_MULTIPLY, centred(p, 0, 0), centred(p, 1, 1)), NULL);
	struct sotto_sql_expr *e =
		call(p, "greatest", op(p, SOTTO_SQL_DIVIDE, centred(p, 0, 1), size),
		     number(p, "-1"));

	return call(p, "least", e, number(p, "1"));
}

static struct sotto_sql_expr *slope(struct pair *p)
{
	return op(p, SOTTO_SQL_DIVIDE, centred(p, 0, 1), centred(p, 1, 1));
}

static struct sotto_sql_expr *intercept(struct pair *p)
{
	return op(p, SOTTO_SQL_SUBTRACT, mean(p, 0),
		  op(p, SOTTO_SQL_MULTIPLY, slope(p), mean(p, 1)));
}

static struct sotto_sql_expr *r2(struct pair *p)
{
	return call(p, "power", corr(p), number(p, "2"));
}

/* ---- records -------------------------------------------------------------------------------- */

struct formula {
	struct sotto_sql_expr *(*make)(struct pair *);
};

static enum sotto_status
expand(struct sotto_binder *b, const struct sotto_sql_expr *call, struct sotto_sql_expr **out)
{
	const struct formula *f = sotto_aggregate_find(call->text)->detail;
	struct pair p = {.binder = b, .call = call};

	if (call->count != 2 || call->distinct || call->within)
		return sotto_bind_refuse(b, call, "%s takes two arguments", call->text);
	SOTTO_TRY(bind_pair(&p));
	*out = f->make(&p);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

#define PAIR(name, NAME, formula_of, text)                                                     \
	{                                                                                      \
		.names = (const char *const[]){name, NULL}, .syntax = NAME "(y, x)",           \
		.manual = text, .example = NAME "(y, x)", .expand = expand,                    \
		.detail = &(const struct formula)                                              \
		{                                                                              \
			formula_of                                                             \
		}                                                                              \
	}

const struct sotto_aggregate_record sotto_aggregate_covariance[] = {
	PAIR("covar_pop", "COVAR_POP", covar_pop,
	     "The covariance, divided by the number of pairs."),
	PAIR("covar_samp", "COVAR_SAMP", covar_samp,
	     "The covariance, divided by one less than the number of pairs."),
	PAIR("corr", "CORR", corr, "The correlation, between -1 and 1."),
	PAIR("regr_slope", "REGR_SLOPE", slope,
	     "The slope of the line y = slope x + intercept."),
	PAIR("regr_intercept", "REGR_INTERCEPT", intercept, "The intercept of that line."),
	PAIR("regr_r2", "REGR_R2", r2, "The square of the correlation."),
	PAIR("regr_count", "REGR_COUNT", count,
	     "The number of pairs in which neither value is NULL."),
	PAIR("regr_avgx", "REGR_AVGX", mean_x, "The mean of x in such pairs."),
	PAIR("regr_avgy", "REGR_AVGY", mean_y, "The mean of y in such pairs."),
	PAIR("regr_sxx", "REGR_SXX", sxx, "The sum of squared differences of x from its mean."),
	PAIR("regr_syy", "REGR_SYY", syy, "The sum of squared differences of y from its mean."),
	PAIR("regr_sxy", "REGR_SXY", sxy,
	     "The sum of products of the differences of both from their means."),
	{0}};
