/*
 * A question planned and priced: which epsilon and delta, and what of it goes where.
 */
#include <stdlib.h>
#include <string.h>

#include "central/price/plan_price.h"
#include "central/session/release/losses_recall.h"
#include "central/session/session.h"
#include "central/session/session_auto.h"
#include "central/session/spread/session_spread.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"

/* Without a wish, private keys, and Gaussian noise that is asked for, get a hundredth of the budget's delta. */
static void default_delta(const struct sotto_session *s, const struct sotto_plan *plan,
			  struct sotto_rational *delta)
{
	if (!sotto_plan_needs_delta(plan) && plan->wanted_noise != SOTTO_NOISE_GAUSSIAN)
		return;
	mpq_set_ui(delta->q, 1, 100);
	mpq_mul(delta->q, delta->q, s->policy.delta->q);
}

/* What the question costs itself, without limits that are found on the way. */
static const struct sotto_rational *epsilon_of(const struct sotto_plan *plan)
{
	return sotto_plan_is_pending(plan) ? &plan->most_cost.epsilon : &plan->cost.epsilon;
}

static bool is_too_cheap(const struct sotto_session *s, const struct sotto_plan *plan)
{
	return !sotto_plan_is_free(plan) &&
	       sotto_rational_compare(epsilon_of(plan), s->policy.min_epsilon) < 0;
}

/* A question that is too cheap without it pays for the loss vector again. */
static bool forget_losses(struct sotto_plan *plan)
{
	bool forgot = plan->loss.known != NULL;

	plan->loss.known = NULL;
	for (size_t i = 0; i < plan->part_count; i++)
		forgot = forget_losses(plan->parts[i]) || forgot;
	return forgot;
}

enum sotto_status
sotto_session_check_neighbours(const struct sotto_session *s, struct sotto_error *err)
{
	return !s->counts_replace_one
		       ? SOTTO_OK
		       : sotto_fail(err, SOTTO_EREFUSED,
				    "the ledger is for replace-one neighbours, but a question "
				    "needs add-remove neighbours; use another ledger");
}

enum sotto_status sotto_session_check_least(const struct sotto_session *s,
					    const struct sotto_rational *epsilon,
					    struct sotto_error *err)
{
	char *least = NULL;
	enum sotto_status st;

	if (sotto_rational_compare(epsilon, s->policy.min_epsilon) >= 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_rational_format(s->policy.min_epsilon, &least));
	st = sotto_fail(err, SOTTO_EREFUSED,
			"a question costs at least epsilon %.40s under this policy "
			"(min_epsilon); give a larger --epsilon",
			least);
	free(least);
	return st;
}

/*
 * Limits are found before the question runs, and its plan is made again with them.  What
 * could then cost more than was charged, or read what is not there yet, is refused before.
 */
static enum sotto_status check_pending(const struct sotto_plan *plan,
				       const struct sotto_question *q, struct sotto_error *err)
{
	if (!sotto_plan_is_pending(plan))
		return SOTTO_OK;
	if (q->error)
		return sotto_fail(err, SOTTO_EREFUSED,
				  "max_groups and max_rows (auto) are not known yet, and the "
				  "error depends on them: give --epsilon this time");
	if (plan->owner && plan->part_count)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"max_groups and max_rows (auto) are not known yet, and a question with "
			"subqueries over private rows cannot find them: first ask for the same "
			"groups without subqueries, or use sotto bounds "
			"--contributions");
	return SOTTO_OK;
}

enum sotto_status sotto_session_price(struct sotto_session *s, const struct sotto_question *q,
				      struct sotto_plan *plan, struct sotto_error *err)
{
	const struct sotto_rational *epsilon =
		q->epsilon ? q->epsilon : s->policy.default_epsilon;
	const struct sotto_rational *wish = q->delta ? q->delta : s->policy.default_delta;
	struct sotto_asked_price asked = {.epsilon = epsilon, .error = q->error};
	struct sotto_rational delta;
	enum sotto_status st;

	if (!plan->owner && !plan->part_count)
		return SOTTO_OK;
	SOTTO_TRY(check_pending(plan, q, err));
	if (!epsilon && !q->error && !sotto_plan_is_free(plan))
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"how much may this cost? give --epsilon, like 0.1, or --error, or "
			"write a default into the policy");
	sotto_rational_init(&delta);
	if (wish)
		sotto_rational_set(&delta, wish);
	else
		default_delta(s, plan, &delta);
	asked.delta = &delta;
	asked.delta_is_wish = wish || plan->wanted_noise == SOTTO_NOISE_GAUSSIAN;
	st = sotto_session_price_noise(s, q, plan, &asked, err);
	if (st == SOTTO_OK && sotto_plan_is_pending(plan))
		st = sotto_session_price_limits(s, plan, &delta, err);
	sotto_rational_release(&delta);
	if (st == SOTTO_OK && is_too_cheap(s, plan) && forget_losses(plan))
		return sotto_session_price(s, q, plan, err);
	return st == SOTTO_OK && is_too_cheap(s, plan)
		       ? sotto_session_check_least(s, epsilon_of(plan), err)
		       : st;
}

/* Not where the files are but what the owner calls them makes a question the same. */
static enum sotto_status set_reads(const struct sotto_session *s, struct sotto_plan *plan)
{
	plan->reads = "";
	for (size_t i = 0; plan->reads && i < s->policy.table_count; i++) {
		const struct sotto_schema_table *t = s->schemas[i];

		if (t && sotto_plan_names(plan, t->scan))
			plan->reads = sotto_arena_textf(&plan->arena, "%s%s: %s\n", plan->reads,
							t->scan, t->policy->written);
	}
	return plan->reads ? SOTTO_OK : SOTTO_ENOMEM;
}

/*
 * Rows that are compared with parts are chosen by all that the question does to these: its
 * text, with the whole values of its parameters (the history shows long ones cut), makes it the
 * same.
 */
static enum sotto_status set_asked(const struct sotto_question *q, struct sotto_plan *plan)
{
	char *text;

	if (!plan->owner || plan->part_count == 0)
		return SOTTO_OK;
	text = sotto_question_text(q);
	plan->asked = text ? sotto_arena_text(&plan->arena, text) : NULL;
	free(text);
	for (size_t i = 0; plan->asked && i < q->parameter_count; i++) {
		const struct sotto_bound_value *x = &q->parameters[i];
		const char *whole = x->kind != SOTTO_PARAMETER_NULL && x->text ? x->text : "";

		plan->asked = sotto_arena_textf(&plan->arena, "%s\n%d %zu %s", plan->asked,
						(int)x->kind, strlen(whole), whole);
	}
	return plan->asked ? SOTTO_OK : SOTTO_ENOMEM;
}

/* Of each question the policy's share goes to what its limits lost, unless it says another. */
static enum sotto_status set_loss_share(struct sotto_session *s, const struct sotto_question *q,
					struct sotto_plan *plan, struct sotto_error *err)
{
	const struct sotto_rational *share =
		q->diagnostics ? q->diagnostics : s->policy.diagnostics;

	plan->loss.share = share;
	for (size_t i = 0; i < plan->part_count; i++)
		plan->parts[i]->loss.share = share;
	SOTTO_TRY(sotto_session_take_wishes(s, q, plan, err));
	return q->fresh || s->is_made_up
		       ? SOTTO_OK
		       : sotto_losses_recall(s, sotto_question_analyst(q), plan, err);
}

struct sotto_plan_request sotto_session_request(struct sotto_session *s)
{
	return (struct sotto_plan_request){.policy = &s->policy,
					   .schema = sotto_session_schema,
					   .schema_context = s,
					   .count = sotto_session_count,
					   .count_context = s,
					   .salt = s->salt,
					   .is_preview = s->is_made_up};
}

enum sotto_status sotto_session_plan(struct sotto_session *s, const struct sotto_question *q,
				     struct sotto_plan *plan, struct sotto_error *err)
{
	struct sotto_ledger *ledger;

	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	sotto_session_begin(s);
	s->limit_count = 0;
	sotto_spread_choose(s, q->spread);
	return sotto_session_plan_again(s, q, plan, err);
}

enum sotto_status sotto_session_plan_again(struct sotto_session *s,
					   const struct sotto_question *q,
					   struct sotto_plan *plan, struct sotto_error *err)
{
	struct sotto_plan_request request = sotto_session_request(s);
	enum sotto_status st;

	request.parameters = q->parameters;
	request.parameter_count = q->parameter_count;
	request.limits = sotto_session_find_limits;
	s->asker = sotto_question_analyst(q);
	st = sotto_plan_make(plan, &request, q->sql, err);
	if (st != SOTTO_OK)
		return sotto_session_lost(s, st, err);
	st = set_reads(s, plan);
	for (size_t i = 0; st == SOTTO_OK && i < plan->part_count; i++)
		st = set_reads(s, plan->parts[i]);
	if (st == SOTTO_OK)
		st = set_asked(q, plan);
	if (st == SOTTO_OK)
		st = set_loss_share(s, q, plan, err);
	if (st == SOTTO_OK)
		st = sotto_session_price(s, q, plan, err);
	if (st == SOTTO_OK && !sotto_plan_is_free(plan))
		st = sotto_session_check_neighbours(s, err);
	if (st == SOTTO_OK)
		st = sotto_spread_check(s, plan, err);
	if (st != SOTTO_OK)
		sotto_plan_release(plan);
	return st;
}
