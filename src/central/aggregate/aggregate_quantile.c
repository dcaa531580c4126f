/*
 * Quantiles.  All spellings become ranks of a choice, which is one for all ranks of the
 * same values.
 */
#include "central/aggregate/aggregate_quantile.h"

#include "central/aggregate/aggregate.h"
#include "central/aggregate/measure/choice_add.h"
#include "central/aggregate/measure/summand.h"
#include "central/expression/bind.h"
#include "central/plan/plan.h"
#include "central/plan/planner.h"
#include "central/price/choice/rank_choice.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

/* Where the rank is written, if it is. */
enum rank_place { RANK_FIXED, RANK_FIRST, RANK_SECOND };

struct spelling {
	enum rank_place place;
	uint32_t part; /* of 2, for a fixed rank */
	bool of_values; /* one of the values, never between two */
};

static const struct spelling *spelling_of(const struct sotto_sql_expr *call)
{
	return sotto_aggregate_find(call->text)->detail;
}

/* ---- ranks ------------------------------------------------------------------------ */

/* The share of values below: a number written out, 0 to 1, of at most six digits. */
static enum sotto_status read_share(struct sotto_binder *b, const struct sotto_sql_expr *call,
				    const struct sotto_sql_expr *arg, struct sotto_rank *r)
{
	struct sotto_bound x;

	SOTTO_TRY(sotto_bind(b, arg, &x));
	if (!x.number || mpq_sgn(x.number->q) < 0 || mpq_cmp_ui(x.number->q, 1, 1) > 0)
		return sotto_bind_refuse(b, arg,
					 "%s needs the rank as a number between 0 and 1, "
					 "like 0.5",
					 call->text);
	if (mpz_cmp_ui(mpq_denref(x.number->q), SOTTO_RANK_WHOLE_MAX) > 0)
		return sotto_bind_refuse(b, arg,
					 "a rank may have at most six digits after the point");
	r->part = (uint32_t)mpz_get_ui(mpq_numref(x.number->q));
	r->whole = (uint32_t)mpz_get_ui(mpq_denref(x.number->q));
	return SOTTO_OK;
}

static enum sotto_status
refuse_form(struct sotto_binder *b, const struct sotto_sql_expr *call, const struct spelling *s)
{
	if (s->place == RANK_FIXED)
		return sotto_bind_refuse(b, call, "%s takes one argument", call->text);
	if (s->place == RANK_FIRST)
		return sotto_bind_refuse(b, call, "write %s(0.5) WITHIN GROUP (ORDER BY x)",
					 call->text);
	return sotto_bind_refuse(b, call, "%s takes a value and a rank: %s(x, 0.5)", call->text,
				 call->text);
}

enum sotto_status
sotto_quantile_read_rank(struct sotto_binder *b, const struct sotto_sql_expr *call,
			 struct sotto_rank *r, const struct sotto_sql_expr **arg)
{
	const struct spelling *s = spelling_of(call);
	bool first = s->place == RANK_FIRST && call->within;
	size_t count = s->place == RANK_FIXED ? 1 : 2, at = first;

	if (call->count != count || call->within != first ||
	    call->args[at]->kind == SOTTO_SQL_STAR)
		return refuse_form(b, call, s);
	/* The least of the different values is the least of all; no other rank is like that. */
	if (call->distinct && (s->place != RANK_FIXED || s->part == 1))
		return sotto_bind_refuse(b, call, "%s(DISTINCT ...) is not supported",
					 call->text);
	*arg = call->args[at];
	*r = (struct sotto_rank){.part = s->part, .whole = 2, .side = s->of_values ? -1 : 0};
	if (s->place != RANK_FIXED)
		SOTTO_TRY(read_share(b, call, call->args[1 - at], r));
	if (call->descending) {
		r->part = r->whole - r->part;
		r->side = -r->side;
	}
	return SOTTO_OK;
}

static bool same_rank(const struct sotto_rank *x, const struct sotto_rank *y)
{
	return (uint64_t)x->part * y->whole == (uint64_t)y->part * x->whole &&
	       x->side == y->side;
}

/* Itself, and after it the ends of its interval, which are not values of their own. */
static enum sotto_status add_rank(struct sotto_plan *plan, struct sotto_choice_of_ranks *p,
				  const struct sotto_rank *r, size_t *index)
{
	for (*index = 0; 3 * *index < p->rank_count; ++*index)
		if (same_rank(&p->ranks[3 * *index], r))
			return SOTTO_OK;
	for (int i = 0; i < 3; i++) {
		struct sotto_rank *slot = SOTTO_PUSH(&plan->arena, p->ranks, p->rank_count);

		SOTTO_NEED(slot);
		*slot = *r;
	}
	return SOTTO_OK;
}

static struct sotto_choice *find_ranks(struct sotto_plan *plan, const struct sotto_summand *s)
{
	for (size_t i = 0; i < plan->choice_count; i++) {
		struct sotto_choice *p = &plan->choices[i];

		if (p->kind == SOTTO_CHOICE_RANKS && p->column == s->column &&
		    p->quantiles.lo == s->lo && p->quantiles.hi == s->hi &&
		    sotto_rational_compare(p->quantiles.step, s->step) == 0)
			return p;
	}
	return NULL;
}

static enum sotto_status push_quantiles(struct sotto_plan *plan, const struct sotto_summand *s)
{
	struct sotto_choice p = {.kind = SOTTO_CHOICE_RANKS,
				 .column = s->column,
				 .quantiles = {.lo = s->lo,
					       .hi = s->hi,
					       .step = s->step,
					       .choice = sotto_rank_choice_in(&plan->arena)}};

	SOTTO_NEED(p.quantiles.choice);
	return sotto_choice_push(plan, &p);
}

static enum sotto_status plan_quantile(struct sotto_plan *plan, struct sotto_binder *b,
				       const struct sotto_sql_expr *call,
				       struct sotto_aggregate *a)
{
	const struct sotto_sql_expr *arg = NULL;
	struct sotto_summand s = {.moments = true};
	struct sotto_choice *p;
	struct sotto_rank r;

	SOTTO_TRY(sotto_quantile_read_rank(b, call, &r, &arg));
	SOTTO_TRY(sotto_summand_bind(plan, b, call, arg, &s));
	a->form = SOTTO_FORM_RANK;
	a->range = s.x.range;
	a->type = s.shown == SOTTO_TYPE_DATE || s.shown == SOTTO_TYPE_TIMESTAMP ? s.shown
		  : r.side != 0 && s.x.type == SOTTO_TYPE_INTEGER ? SOTTO_TYPE_INTEGER
								  : SOTTO_TYPE_NUMBER;
	p = find_ranks(plan, &s);
	if (!p) {
		SOTTO_TRY(push_quantiles(plan, &s));
		p = &plan->choices[plan->choice_count - 1];
	}
	a->rank.choice = (size_t)(p - plan->choices);
	return add_rank(plan, &p->quantiles, &r, &a->rank.rank);
}

/* ---- records ----------------------------------------------------------------------- */

#define QUANTILE(rank_place, rank_part, is_of_values)                                          \
	.detail = &(const struct spelling){.place = rank_place,                                \
					   .part = rank_part,                                  \
					   .of_values = is_of_values},                         \
	.plan = plan_quantile

const struct sotto_aggregate_record sotto_aggregate_quantile[] = {
	{.names = (const char *const[]){"min", NULL},
	 .syntax = "MIN(x)",
	 .manual = "A low quantile, as close to the minimum as the noise allows; explain says "
		   "how close.",
	 .example = "MIN(x)",
	 .is_usual = true,
	 .unit = SOTTO_UNIT_VALUE,
	 .engine = SOTTO_OP_MIN,
	 .is_public = true,
	 .public_window = true,
	 QUANTILE(RANK_FIXED, 0, true)},
	{.names = (const char *const[]){"max", NULL},
	 .syntax = "MAX(x)",
	 .manual = "A high quantile, as close to the maximum as the noise allows; explain says "
		   "how close.",
	 .example = "MAX(x)",
	 .is_usual = true,
	 .unit = SOTTO_UNIT_VALUE,
	 .engine = SOTTO_OP_MAX,
	 .is_public = true,
	 .public_window = true,
	 QUANTILE(RANK_FIXED, 2, true)},
	{.names = (const char *const[]){"median", NULL},
	 .syntax = "MEDIAN(x)",
	 .manual = "The value in the middle.",
	 .example = "MEDIAN(x)",
	 .is_usual = true,
	 .engine = SOTTO_OP_MEDIAN,
	 .is_public = true,
	 .public_number = true,
	 QUANTILE(RANK_FIXED, 1, false)},
	{.names = (const char *const[]){"percentile_cont", NULL},
	 .syntax = "PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x)",
	 .manual = "The quantile of rank q, from 0 to 1; it may lie between two values.",
	 .example = "PERCENTILE_CONT(0.3) WITHIN GROUP (ORDER BY x)",
	 .is_usual = true,
	 QUANTILE(RANK_FIRST, 0, false)},
	{.names = (const char *const[]){"percentile_disc", NULL},
	 .syntax = "PERCENTILE_DISC(q) WITHIN GROUP (ORDER BY x)",
	 .manual = "The same, but always one of the values.",
	 .example = "PERCENTILE_DISC(0.3) WITHIN GROUP (ORDER BY x)",
	 .is_usual = true,
	 QUANTILE(RANK_FIRST, 0, true)},
	{.names = (const char *const[]){"quantile_cont", "percentile", "approx_quantile",
					"approx_percentile", NULL},
	 .syntax = "QUANTILE_CONT(x, q), PERCENTILE(x, q), APPROX_QUANTILE(x, q), "
		   "APPROX_PERCENTILE(x, q)",
	 .manual = "Other names for PERCENTILE_CONT.",
	 .example = "QUANTILE_CONT(x, 0.3)",
	 QUANTILE(RANK_SECOND, 0, false)},
	{.names = (const char *const[]){"quantile_disc", "quantile", NULL},
	 .syntax = "QUANTILE_DISC(x, q), QUANTILE(x, q)",
	 .manual = "Other names for PERCENTILE_DISC.",
	 .example = "QUANTILE(x, 0.3)",
	 QUANTILE(RANK_SECOND, 0, true)},
	{0}};

bool sotto_quantile_is(const struct sotto_aggregate_record *r)
{
	return r->plan == plan_quantile;
}
