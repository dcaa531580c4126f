/*
 * Limits of one table, found privately for a grouping: a charge of its own, for an owner who
 * chooses max_groups and max_rows.  What is found also serves `auto` for that grouping.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "central/session/owner/policy_rewrite.h"
#include "central/session/release/limits_key.h"
#include "central/session/session.h"
#include "central/session/session_auto.h"
#include "central/session/spread/session_spread.h"
#include "core/base/failure.h"
#include "core/base/sql_quote.h"
#include "core/number/nearest.h"

void sotto_found_contributions_init(struct sotto_found_contributions *f)
{
	*f = (struct sotto_found_contributions){0};
	sotto_rational_init(&f->epsilon);
	sotto_rational_init(&f->epsilon_left);
}

void sotto_found_contributions_release(struct sotto_found_contributions *f)
{
	if (!f)
		return;
	sotto_rational_release(&f->epsilon);
	sotto_rational_release(&f->epsilon_left);
}

/* ---- the question -------------------------------------------------------------------------- */

static enum sotto_status find_table(struct sotto_session *s, const char *name,
				    const struct sotto_policy_table **out,
				    struct sotto_error *err)
{
	*out = sotto_policy_table_find(&s->policy, name);
	if (!*out || (*out)->is_public)
		return sotto_fail(err, SOTTO_EREFUSED, "the policy has no private table %.60s",
				  name);
	if ((*out)->unit_is_row)
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"each row of %.60s is a unit, which counts once: there are no "
			"limits to find",
			name);
	return SOTTO_OK;
}

static enum sotto_status plan_spread(struct sotto_session *s, const char *sql,
				     struct sotto_plan *plan, struct sotto_error *err)
{
	struct sotto_plan_request request = sotto_session_request(s);

	request.finds_limits = true;
	SOTTO_TRY(sotto_plan_make(plan, &request, sql, err));
	if (plan->spread.is_pending && plan->part_count == 0)
		return SOTTO_OK;
	sotto_plan_release(plan);
	return sotto_fail(err, SOTTO_EREFUSED,
			  "there are no limits to find: each unit has one row here");
}

/* The same grouping at the same price is the same question. */
static const char *key_of(struct sotto_plan *plan, const struct sotto_rational *epsilon)
{
	char key[SOTTO_RELEASE_KEY_SIZE], *amount = mpq_get_str(NULL, 16, epsilon->q);
	const char *text =
		sotto_spread_key(plan->spread.name, key) == SOTTO_OK
			? sotto_arena_textf(&plan->arena, "contributions %s %s", key, amount)
			: NULL;

	free(amount);
	return text;
}

/* ---- asking it ----------------------------------------------------------------------------- */

/* Noise shrinks as epsilon grows; two digits, rounded up. */
static double epsilon_for(double hidden, const struct sotto_rational *epsilon)
{
	static const double most = 0.2;
	double needed = sotto_nearest_double(epsilon->q) * hidden / most, digit;

	if (hidden <= most)
		return 0;
	if (hidden >= 1) /* the number of units is noise itself */
		return INFINITY;
	digit = pow(10, floor(log10(needed)) - 1);
	return ceil(needed / digit) * digit;
}

static void take(struct sotto_found_contributions *out, const struct sotto_found_limits *f,
		 const struct sotto_rational *epsilon)
{
	out->needs_epsilon = epsilon_for(f->hidden, epsilon);
	out->max_groups = f->groups;
	out->max_rows = f->rows;
	out->groups_beyond = f->groups_beyond;
	out->rows_beyond = f->rows_beyond;
}

/*
 * Limits that everybody's questions will use are as good as those that a question would
 * find, and do not change once they are there: an answer stays the same question.
 */
static bool is_for_all(struct sotto_session *s, const struct sotto_plan *plan,
		       const struct sotto_rational *epsilon)
{
	struct sotto_found_limits known;
	bool found = false;

	return sotto_rational_compare(epsilon, s->policy.auto_epsilon) >= 0 &&
	       sotto_session_public_limits(s, plan->spread.name, &known, &found) == SOTTO_OK &&
	       !found;
}

static enum sotto_status run(struct sotto_session *s, const struct sotto_plan *plan,
			     const struct sotto_rational *epsilon, uint64_t entry,
			     struct sotto_found_contributions *out)
{
	bool for_all = is_for_all(s, plan, epsilon);
	struct sotto_found_limits found;
	enum sotto_status st = sotto_spread_run(s, plan, &found);

	if (st == SOTTO_OK)
		st = sotto_run_in_time(s);
	s->kept.entry = entry;
	if (st == SOTTO_OK)
		st = sotto_spread_keep(&s->kept, plan->spread.name, &found, for_all);
	if (st != SOTTO_OK) {
		sotto_kept_drop(&s->kept);
		return st;
	}
	take(out, &found, epsilon);
	return SOTTO_OK;
}

static enum sotto_status
charge_and_run(struct sotto_session *s, const struct sotto_question *q, struct sotto_plan *plan,
	       struct sotto_found_contributions *out, struct sotto_error *err)
{
	char data[SOTTO_DATA_NAME_SIZE], key[SOTTO_RELEASE_KEY_SIZE];
	const struct sotto_plan *one = plan;
	struct sotto_ledger_ticket ticket = {0};
	struct sotto_ledger_release release = {.analyst = sotto_question_analyst(q),
					       .query = q->sql,
					       .key = key_of(plan, q->epsilon),
					       .cost = &plan->spread_cost,
					       .data = data,
					       .patience = sotto_run_longest(s, q)};
	struct sotto_found_limits stored;
	enum sotto_status st;

	SOTTO_TRY(sotto_session_data_name(s, &one, 1, data));
	SOTTO_TRY(sotto_spread_key(plan->spread.name, key));
	if (!release.key)
		return SOTTO_ENOMEM;
	sotto_run_begin(s);
	st = sotto_ledger_ask(s->ledger, &release, &ticket, err);
	if (ticket.has_waited)
		sotto_run_begin(s);
	if (st == SOTTO_OK && ticket.deed == SOTTO_LEDGER_CHARGED) {
		sotto_run_charged(s);
		sotto_rational_set(&out->epsilon, &plan->spread_cost.epsilon);
		st = run(s, plan, q->epsilon, ticket.entry, out);
	} else if (st == SOTTO_OK) {
		out->repeated = ticket.deed == SOTTO_LEDGER_REPEATED;
		st = sotto_spread_read(ticket.found.answer, key, &stored) ? SOTTO_OK
									  : SOTTO_ECORRUPT;
		if (st == SOTTO_OK)
			take(out, &stored, q->epsilon);
		if (!out->repeated)
			sotto_rational_set(&out->epsilon, &plan->spread_cost.epsilon);
	}
	sotto_ledger_ticket_release(&ticket);
	return st;
}

static enum sotto_status ask(struct sotto_session *s, struct sotto_question *q,
			     struct sotto_found_contributions *out, struct sotto_error *err)
{
	struct sotto_rational delta;
	struct sotto_plan plan;
	int64_t text = 0;
	enum sotto_status st;

	SOTTO_TRY(plan_spread(s, q->sql, &plan, err));
	st = sotto_spread_price(&plan.spread, &plan.arena, q->epsilon, &plan.spread_cost);
	if (st == SOTTO_ERANGE)
		st = sotto_fail(err, st,
				"the scale of the noise would be out of range; change "
				"epsilon");
	if (st == SOTTO_OK)
		st = sotto_session_ready(s, err);
	if (st == SOTTO_OK)
		st = sotto_session_check(s, &plan, &text, err);
	if (st == SOTTO_OK)
		st = sotto_spread_check(s, &plan, err);
	if (st == SOTTO_OK)
		st = sotto_session_prepare(s, &plan, err);
	if (st == SOTTO_OK)
		st = charge_and_run(s, q, &plan, out, err);
	sotto_rational_init(&delta);
	if (st == SOTTO_OK)
		st = sotto_session_left(s, q->analyst, &out->epsilon_left, &delta, err);
	sotto_rational_release(&delta);
	sotto_plan_release(&plan);
	if (s->engine && s->policy.server)
		sotto_engine_finish(s->engine);
	return st;
}

static enum sotto_status find(struct sotto_session *s, const char *table, const char *by,
			      const struct sotto_question *question,
			      struct sotto_found_contributions *out, struct sotto_error *err)
{
	struct sotto_question q = *question;
	const struct sotto_policy_table *t;
	struct sotto_ledger *ledger;
	struct sotto_arena arena;
	const char *name;
	enum sotto_status st;

	SOTTO_TRY(sotto_question_check(&q, err));
	q.epsilon = q.epsilon ? q.epsilon : s->policy.auto_epsilon;
	SOTTO_TRY(sotto_session_check_analyst(s, q.analyst, err));
	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	SOTTO_TRY(sotto_session_check_neighbours(s, err));
	SOTTO_TRY(sotto_session_check_least(s, q.epsilon, err));
	SOTTO_TRY(find_table(s, table, &t, err));
	sotto_session_begin(s);
	sotto_spread_choose(s, q.spread);
	sotto_arena_init(&arena, 1 << 20);
	name = sotto_sql_quote_name(&arena, t->name);
	q.sql = name ? sotto_arena_textf(&arena, "SELECT COUNT(*) FROM %s%s%s", name,
					 by ? " GROUP BY " : "", by ? by : "")
		     : NULL;
	st = q.sql ? ask(s, &q, out, err) : SOTTO_ENOMEM;
	sotto_arena_release(&arena);
	return st;
}

enum sotto_status
sotto_session_contributions(struct sotto_session *s, const char *table, const char *by,
			    const struct sotto_question *question,
			    struct sotto_found_contributions *out, struct sotto_error *err)
{
	uint64_t moment = 0;
	enum sotto_status st;

	if (!table || !question || !out)
		return sotto_fail(err, SOTTO_EINVAL,
				  "finding limits needs a table, a question and a place");
	SOTTO_TRY(sotto_session_enter(s, err));
	st = find(s, table, by, question, out, err);
	if (!by)
		out->max_groups = 0;
	st = sotto_session_finish(s, question, st, &moment, err);
	st = sotto_session_depart(s, st, moment, err);
	sotto_session_leave(s);
	return st;
}

static enum sotto_status
check_noise(const struct sotto_found_contributions *found, struct sotto_error *err)
{
	if (found->needs_epsilon == 0)
		return SOTTO_OK;
	if (isinf(found->needs_epsilon))
		return sotto_fail(
			err, SOTTO_EREFUSED,
			"the units cannot be distinguished from noise, so these limits mean "
			"nothing and are not written; use an epsilon ten times as "
			"large");
	return sotto_fail(
		err, SOTTO_EREFUSED,
		"noise hides the numbers of more than a fifth of the units, so these limits "
		"are not written; about epsilon %.2g is needed",
		found->needs_epsilon);
}

enum sotto_status
sotto_session_write_contributions(struct sotto_session *s, const char *table,
				  const struct sotto_found_contributions *found,
				  struct sotto_error *err)
{
	const struct sotto_policy_table *t;
	enum sotto_status st;

	if (!table || !found || found->max_rows < 1)
		return sotto_fail(err, SOTTO_EINVAL, "writing limits needs a table and limits");
	SOTTO_TRY(check_noise(found, err));
	SOTTO_TRY(sotto_session_enter(s, err));
	st = find_table(s, table, &t, err);
	if (st == SOTTO_OK)
		st = sotto_policy_write_limits(s, t->name, found->max_groups, found->max_rows,
					       err);
	sotto_session_leave(s);
	return st;
}
