/*
 * explain.h - an explanation while it is being made
 */
#ifndef SOTTO_EXPLAIN_H
#define SOTTO_EXPLAIN_H

#include "central/plan/plan.h"
#include "core/base/arena.h"
#include "core/base/failure.h"
#include "sotto/query.h"

/* The public struct comes first, so that one pointer serves both. */
struct sotto_explanation_owned {
	struct sotto_explanation public;
	struct sotto_arena arena;
};

/* Adds a line; section is a literal, name is copied, text lives in the arena. */
SOTTO_MUST_CHECK enum sotto_status sotto_explain_say(struct sotto_explanation_owned *x,
						     const char *section, const char *name,
						     const char *text);

#define SOTTO_SAY(section, name, ...)                                                          \
	SOTTO_TRY(sotto_explain_say(x, section, name,                                          \
				    sotto_arena_textf(&x->arena, __VA_ARGS__)))

/* Returns a number for people: exact if that is short. */
const char *sotto_explain_number(struct sotto_explanation_owned *x, const mpq_t q);

/* Returns six digits: a cost rounded up, an amount that is left rounded down. */
const char *sotto_explain_amount(struct sotto_explanation_owned *x,
				 const struct sotto_rational *r, bool up);

/* Returns `count` steps as a value, in the same form. */
const char *sotto_explain_steps(struct sotto_explanation_owned *x, int64_t count,
				const struct sotto_rational *step);

/* Says whose rows, which keys, which noise and which columns: what the plan alone tells. */
SOTTO_MUST_CHECK enum sotto_status
sotto_explain_plan(struct sotto_explanation_owned *x, const struct sotto_plan *plan);

/* Says what is counted and chosen, and its noise: explain_measure.c. */
SOTTO_MUST_CHECK enum sotto_status
sotto_explain_measures(struct sotto_explanation_owned *x, const struct sotto_plan *plan);

/* Says the price: explain_price.c. */
SOTTO_MUST_CHECK enum sotto_status
sotto_explain_price(struct sotto_explanation_owned *x, struct sotto_session *s,
		    const struct sotto_question *q, const struct sotto_plan *plan,
		    struct sotto_error *err);

/*
 * Says what holds for every question under this policy; a question that needs more fails when
 * charged.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_explain_limits(struct sotto_explanation_owned *x, const struct sotto_session *s);

/* Reads public tables as the query would, or says that this takes too long. */
SOTTO_MUST_CHECK enum sotto_status
sotto_explain_checks(struct sotto_explanation_owned *x, struct sotto_session *s,
		     const struct sotto_plan *plan, struct sotto_error *err);

/* By how many ranks or occurrences, with 95 %, a choice is off at most. */
double sotto_explain_choice_error(const struct sotto_choice *p);

/* Returns "" for 1, else "s". */
const char *sotto_explain_plural(int64_t n);

#endif
