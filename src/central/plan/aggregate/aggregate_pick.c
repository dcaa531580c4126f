/*
 * Quantiles and MODE.  All spellings become a pick: which expression, which ranks.
 */
#include "central/plan/aggregate/aggregate_pick.h"

#include <string.h>

#include "central/plan/aggregate/aggregate_measure.h"
#include "central/plan/expression/public_domain.h"
#include "central/plan/planner.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

/* Where the rank is written, if it is. */
enum rank_place { RANK_FIXED, RANK_FIRST, RANK_SECOND };

static const struct spelling {
	const char *name;
	enum rank_place place;
	uint32_t part; /* of 2, for a fixed rank */
	bool of_values; /* one of the values, never between two */
} spellings[] = {
	{"min", RANK_FIXED, 0, true},
	{"max", RANK_FIXED, 2, true},
	{"median", RANK_FIXED, 1, false},
	{"percentile_cont", RANK_FIRST, 0, false},
	{"percentile_disc", RANK_FIRST, 0, true},
	{"quantile_cont", RANK_SECOND, 0, false},
	{"quantile_disc", RANK_SECOND, 0, true},
	{"quantile", RANK_SECOND, 0, true},
	{"percentile", RANK_SECOND, 0, false},
	{"approx_quantile", RANK_SECOND, 0, false},
	{"approx_percentile", RANK_SECOND, 0, false},
};

static const struct spelling *find_spelling(const char *name)
{
	for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
		if (strcmp(spellings[i].name, name) == 0)
			return &spellings[i];
	return NULL;
}

bool sotto_pick_knows(const char *name)
{
	return find_spelling(name) || strcmp(name, "mode") == 0;
}

int64_t sotto_pick_outcomes(const struct sotto_pick *p)
{
	return p->hi - p->lo + 1;
}

void sotto_picks_place(struct sotto_plan *plan)
{
	plan->outcome_count = 0;
	for (size_t i = 0; i < plan->pick_count; i++) {
		struct sotto_pick *p = &plan->picks[i];

		p->first = plan->outcome_count;
		plan->outcome_count += p->kind == SOTTO_PICK_MODE ? 1 : p->rank_count;
	}
}

static enum sotto_status push_pick(struct sotto_plan *plan, const struct sotto_pick *p)
{
	struct sotto_pick *slot = SOTTO_PUSH(&plan->arena, plan->picks, plan->pick_count);

	SOTTO_NEED(slot);
	*slot = *p;
	slot->epsilon = sotto_arena_rational(&plan->arena);
	slot->end_epsilon = sotto_arena_rational(&plan->arena);
	slot->noise = sotto_arena_rational(&plan->arena);
	SOTTO_NEED(slot->epsilon && slot->end_epsilon && slot->noise);
	return SOTTO_OK;
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

enum sotto_status sotto_pick_read_rank(struct sotto_binder *b,
				       const struct sotto_sql_expr *call, struct sotto_rank *r,
				       const struct sotto_sql_expr **arg)
{
	const struct spelling *s = find_spelling(call->text);
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

/* Itself, and after it the ends of its interval, which are no values of their own. */
static enum sotto_status add_rank(struct sotto_plan *plan, struct sotto_pick *p,
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

static struct sotto_pick *find_ranks(struct sotto_plan *plan, const struct sotto_summand *s)
{
	for (size_t i = 0; i < plan->pick_count; i++) {
		struct sotto_pick *p = &plan->picks[i];

		if (p->kind == SOTTO_PICK_RANKS && p->column == s->column && p->lo == s->lo &&
		    p->hi == s->hi && sotto_rational_compare(p->step, s->step) == 0)
			return p;
	}
	return NULL;
}

static enum sotto_status add_quantile(struct sotto_plan *plan, struct sotto_binder *b,
				      const struct sotto_sql_expr *call,
				      struct sotto_aggregate *a)
{
	const struct sotto_sql_expr *arg = NULL;
	struct sotto_summand s;
	struct sotto_pick *p;
	struct sotto_rank r;

	SOTTO_TRY(sotto_pick_read_rank(b, call, &r, &arg));
	SOTTO_TRY(sotto_summand_bind(plan, b, call, arg, &s));
	a->kind = SOTTO_AGGREGATE_QUANTILE;
	a->range = s.x.range;
	a->type = r.side != 0 && s.x.type == SOTTO_TYPE_INTEGER ? SOTTO_TYPE_INTEGER
								: SOTTO_TYPE_NUMBER;
	p = find_ranks(plan, &s);
	if (!p) {
		SOTTO_TRY(push_pick(plan, &(struct sotto_pick){.kind = SOTTO_PICK_RANKS,
							       .column = s.column,
							       .lo = s.lo,
							       .hi = s.hi,
							       .step = s.step}));
		p = &plan->picks[plan->pick_count - 1];
	}
	a->pick = (size_t)(p - plan->picks);
	return add_rank(plan, p, &r, &a->rank);
}

/* ---- MODE ------------------------------------------------------------------------- */

/* The public list that the mode is one of: keys, or the whole numbers within bounds. */
static enum sotto_status
mode_domain(struct sotto_plan *plan, struct sotto_binder *b, const struct sotto_sql_expr *call,
	    const struct sotto_bound *x, const struct sotto_domain **domain)
{
	int64_t lo, hi;
	struct sotto_rational one;
	bool fits;

	*domain = x->domain;
	if (!*domain)
		SOTTO_TRY(sotto_domain_image(&plan->arena, x, domain));
	if (*domain)
		return SOTTO_OK;
	sotto_rational_init(&one);
	mpq_set_ui(one.q, 1, 1);
	fits = x->type == SOTTO_TYPE_INTEGER && sotto_range_is_closed(x->range) &&
	       sotto_step_count(x->range.lo, &one, &lo) &&
	       sotto_step_count(x->range.hi, &one, &hi) && hi - lo < SOTTO_DOMAIN_MAX;
	sotto_rational_release(&one);
	if (fits)
		return sotto_domain_integers(&plan->arena, lo, hi, false, domain);
	return sotto_bind_refuse(b, call,
				 "MODE chooses from a public list of values: declare keys of "
				 "the column in the policy, or round to whole numbers within "
				 "bounds");
}

static enum sotto_status add_mode(struct sotto_plan *plan, struct sotto_binder *b,
				  const struct sotto_sql_expr *call, struct sotto_aggregate *a)
{
	struct sotto_pick p = {.kind = SOTTO_PICK_MODE};
	struct sotto_bound x;
	const struct sotto_expression *value;

	if (call->count != 1 || call->distinct || call->args[0]->kind == SOTTO_SQL_STAR)
		return sotto_bind_refuse(b, call, "write MODE() WITHIN GROUP (ORDER BY x)");
	SOTTO_TRY(sotto_bind(b, call->args[0], &x));
	SOTTO_TRY(mode_domain(plan, b, call, &x, &p.domain));
	p.domain_type =
		x.type == SOTTO_TYPE_INTEGER && x.is_double ? SOTTO_TYPE_NUMBER : x.type;
	SOTTO_TRY(sotto_bind_made(
		b, &value,
		sotto_expression_cast(b->arena, SOTTO_OP_TRY_CAST, x.value, p.domain_type)));
	SOTTO_TRY(sotto_presence_bind(b, call, value, &value));
	SOTTO_TRY(sotto_row_column_add(plan, value, &p.column));
	p.hi = (p.domain->size > 0 ? p.domain->size : SOTTO_DOMAIN_MAX) - 1;
	a->kind = SOTTO_AGGREGATE_MODE;
	a->type = x.type == SOTTO_TYPE_LOOSE ? SOTTO_TYPE_TEXT : x.type;
	a->pick = plan->pick_count;
	return push_pick(plan, &p);
}

enum sotto_status sotto_pick_add(struct sotto_plan *plan, struct sotto_binder *b,
				 const struct sotto_sql_expr *call, struct sotto_aggregate *a)
{
	return strcmp(call->text, "mode") == 0 ? add_mode(plan, b, call, a)
					       : add_quantile(plan, b, call, a);
}
