/*
 * Checks whether a question makes sense, in whose name it is asked, and what is left for
 * that name.
 */
#include <string.h>

#include "central/session/session.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"

const char *sotto_question_analyst(const struct sotto_question *q)
{
	return q->analyst ? q->analyst : "analyst";
}

enum sotto_status sotto_question_check(const struct sotto_question *q, struct sotto_error *err)
{
	if (q->epsilon && sotto_rational_sign(q->epsilon) <= 0)
		return sotto_fail(err, SOTTO_EINVAL, "epsilon must be above 0");
	if (q->error && sotto_rational_sign(q->error) <= 0)
		return sotto_fail(err, SOTTO_EINVAL, "the target error must be above 0");
	if (q->delta && (sotto_rational_sign(q->delta) < 0 ||
			 mpq_cmp_ui(sotto_rational_value(q->delta), 1, 1) >= 0))
		return sotto_fail(err, SOTTO_EINVAL, "delta must be from 0 to below 1");
	if (q->parameter_count && !q->parameters)
		return sotto_fail(err, SOTTO_EINVAL, "the parameters have no values");
	for (size_t i = 0; i < q->parameter_count; i++)
		if (q->parameters[i].kind != SOTTO_PARAMETER_NULL && !q->parameters[i].text)
			return sotto_fail(err, SOTTO_EINVAL, "the parameter $%zu has no value",
					  i + 1);
	if (q->diagnostics && (sotto_rational_sign(q->diagnostics) < 0 ||
			       mpq_cmp_ui(sotto_rational_value(q->diagnostics), 1, 2) > 0))
		return sotto_fail(err, SOTTO_EINVAL,
				  "diagnostics must be from 0 to 50 %% of the question");
	return SOTTO_OK;
}

static bool has_share(const struct sotto_session *s, const char *name)
{
	for (size_t i = 0; name && i < s->policy.analyst_count; i++)
		if (strcmp(s->policy.analysts[i].name, name) == 0)
			return true;
	return false;
}

/* Where the policy gives shares, a name without one would be a way round them. */
enum sotto_status sotto_session_check_analyst(const struct sotto_session *s, const char *name,
					      struct sotto_error *err)
{
	if (s->policy.analyst_count == 0 || has_share(s, name) ||
	    (s->admitted && name && strcmp(s->admitted, name) == 0))
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_EREFUSED,
		"the policy gives no share to %.60s; name an analyst who has one with "
		"--analyst",
		name ? name : "somebody without a name");
}

enum sotto_status sotto_session_left(struct sotto_session *s, const char *analyst,
				     struct sotto_rational *epsilon,
				     struct sotto_rational *delta, struct sotto_error *err)
{
	struct sotto_ledger_forecast f;
	struct sotto_ledger *ledger;
	struct sotto_cost nothing;
	enum sotto_status st;

	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	sotto_ledger_forecast_init(&f);
	sotto_cost_init(&nothing);
	st = sotto_ledger_forecast(ledger, analyst ? analyst : "analyst", &nothing, &f, err);
	if (st == SOTTO_OK) {
		sotto_rational_set(epsilon, &f.epsilon_left);
		sotto_rational_set(delta, &f.delta_left);
	}
	sotto_cost_release(&nothing);
	sotto_ledger_forecast_release(&f);
	return st;
}
