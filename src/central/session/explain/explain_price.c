/* What a query costs, with which mechanism, and what is left in the ledger afterwards. */
#include "central/session/explain/explain.h"

#include "central/price/plan_price.h"
#include "central/session/release/releases.h"
#include "central/session/session.h"

/* data_changed says whether the stored answer is about older data. */
static enum sotto_status look_for_answer(struct sotto_explanation_owned *x,
					 struct sotto_session *s, const char *analyst,
					 const struct sotto_plan *plan, struct sotto_error *err)
{
	struct sotto_releases releases;
	enum sotto_status st;

	SOTTO_TRY(sotto_releases_init(&releases, plan));
	st = releases.count ? sotto_releases_find(&releases, s, analyst, true, err) : SOTTO_OK;
	x->public.repeated = releases.repeated;
	x->public.data_changed = releases.data_changed;
	sotto_releases_release(&releases);
	return st;
}

static enum sotto_status look_at_ledger(struct sotto_explanation_owned *x,
					struct sotto_session *s, const struct sotto_question *q,
					const struct sotto_plan *plan, struct sotto_error *err)
{
	struct sotto_ledger_forecast f;
	struct sotto_ledger *ledger;
	enum sotto_status st;

	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	SOTTO_TRY(look_for_answer(x, s, sotto_question_analyst(q), plan, err));
	sotto_ledger_forecast_init(&f);
	st = sotto_ledger_forecast(ledger, sotto_question_analyst(q), &plan->cost, &f, err);
	if (st == SOTTO_OK) {
		x->public.affordable = f.affordable;
		x->public.fits = f.fits;
		sotto_rational_set(&x->public.epsilon_left, &f.epsilon_left);
		sotto_rational_set(&x->public.delta_left, &f.delta_left);
	}
	sotto_ledger_forecast_release(&f);
	if (st == SOTTO_OK && x->public.repeated) /* a repeat is free: what is left is left */
		st = sotto_session_left(s, q->analyst, &x->public.epsilon_left,
					&x->public.delta_left, err);
	return st;
}

static enum sotto_status explain_largest(struct sotto_explanation_owned *x,
					 struct sotto_session *s,
					 const struct sotto_question *q)
{
	struct sotto_rational largest;
	const char *text = NULL;
	bool found = false;

	sotto_rational_init(&largest);
	if (sotto_session_largest(s, q, &largest, &found) == SOTTO_OK && found)
		text = sotto_explain_amount(x, &largest, false);
	sotto_rational_release(&largest);
	return text ? sotto_explain_say(
			      x, "price", "largest epsilon",
			      sotto_arena_textf(&x->arena, "%s would still fit", text))
		    : SOTTO_OK;
}

static enum sotto_status explain_left(struct sotto_explanation_owned *x,
				      struct sotto_session *s, const struct sotto_question *q)
{
	const char *epsilon = sotto_explain_amount(x, &x->public.epsilon_left, false);
	const char *delta = sotto_explain_amount(x, &x->public.delta_left, false);

	if (!x->public.affordable && !x->public.repeated) {
		SOTTO_SAY("price", "budget",
			  "not enough: epsilon %s and delta %s are left for releases", epsilon,
			  delta);
		SOTTO_TRY(explain_largest(x, s, q));
	} else
		SOTTO_SAY("price", "left afterwards", "epsilon %s, delta %s", epsilon, delta);
	if (x->public.fits < UINT64_MAX)
		SOTTO_SAY("price", "how often",
			  "%llu question%s like this one %s into what is "
			  "left",
			  (unsigned long long)x->public.fits, x->public.fits == 1 ? "" : "s",
			  x->public.fits == 1 ? "fits" : "fit");
	if (x->public.repeated)
		SOTTO_SAY(
			"price", "asked before",
			"the stored answer will be repeated, free%s; --fresh pays for another",
			x->public.data_changed ? ", although the data have changed since" : "");
	return SOTTO_OK;
}

enum sotto_status sotto_explain_price(struct sotto_explanation_owned *x,
				      struct sotto_session *s, const struct sotto_question *q,
				      const struct sotto_plan *plan, struct sotto_error *err)
{
	x->public.mechanism = sotto_plan_mechanism(plan);
	sotto_rational_set(&x->public.epsilon, &plan->cost.epsilon);
	sotto_rational_set(&x->public.delta, &plan->cost.delta);
	if (plan->noise == SOTTO_NOISE_NONE)
		SOTTO_SAY("price", "mechanism", "none: exact and free");
	else
		SOTTO_SAY("price", "mechanism", "%s%s", x->public.mechanism,
			  plan->noise == SOTTO_NOISE_GAUSSIAN
				  ? ", whose error is smaller here than that of Laplace noise"
			  : plan->spares_ledger
				  ? "; Gaussian noise would have a smaller error, but fewer "
				    "questions would then fit into the budget; --mechanism "
				    "gaussian uses it"
				  : "");
	SOTTO_SAY("price", "cost", "epsilon %s, delta %s",
		  sotto_explain_amount(x, &plan->cost.epsilon, true),
		  sotto_explain_amount(x, &plan->cost.delta, true));
	if (plan->owner && plan->part_count)
		SOTTO_SAY(
			"price", "of that",
			"epsilon %s for the question, the rest for what its rows are compared "
			"with: %zu subquer%s over private rows, finished with noise first",
			sotto_explain_amount(x, &plan->own_cost.epsilon, true),
			plan->part_count, plan->part_count == 1 ? "y" : "ies");
	x->public.assumes_limits = sotto_plan_is_pending(plan);
	if (x->public.assumes_limits)
		SOTTO_SAY("price", "of that",
			  "epsilon %s is for finding max_groups and max_rows (auto), once for "
			  "these tables and keys; the errors above assume 1 group and 1 row, "
			  "and grow with what is found",
			  sotto_explain_amount(x, &plan->spread_cost.epsilon, true));
	SOTTO_TRY(look_at_ledger(x, s, q, plan, err));
	return explain_left(x, s, q);
}
