/*
 * Charges a price that covers any limits, then finds them, makes the plan again with them, and
 * compares its cost with what was charged.
 */
#include "core/ledger/ledger_inside.h"
#include "central/session/session_auto.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/session/release/limits_key.h"
#include "core/base/buffer.h"
#include "central/session/spread/session_spread.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "core/number/nearest.h"

/* ---- found earlier ------------------------------------------------------------------------- */

/* One of the list "limits" of an answer; false if it is another. */
static bool read_limits(const json_t *j, const char *key, struct sotto_found_limits *out)
{
	const char *its_key = json_string_value(json_object_get(j, "key"));
	const json_t *groups = json_object_get(j, "groups"), *rows = json_object_get(j, "rows");

	if (!its_key || strcmp(its_key, key) != 0 || !json_is_integer(groups) ||
	    !json_is_integer(rows))
		return false;
	*out = (struct sotto_found_limits){
		.groups = json_integer_value(groups),
		.rows = json_integer_value(rows),
		.groups_beyond = json_number_value(json_object_get(j, "groups_beyond")),
		.rows_beyond = json_number_value(json_object_get(j, "rows_beyond")),
		.hidden = json_number_value(json_object_get(j, "hidden"))};
	return out->groups >= 1 && out->rows >= 1 &&
	       out->groups <= sotto_spread_edge(SOTTO_SPREAD_BINS) &&
	       out->rows <= sotto_spread_edge(SOTTO_SPREAD_BINS);
}

bool sotto_spread_read(const char *answer, const char *key, struct sotto_found_limits *out)
{
	json_t *root = json_loads(answer, 0, NULL);
	const json_t *list = json_object_get(root, "limits");
	bool found = false;

	for (size_t i = 0; !found && i < json_array_size(list); i++)
		found = read_limits(json_array_get(list, i), key, out);
	json_decref(root);
	return found;
}

/* What is stored under a key, for one analyst or (NULL) whoever it was; its own key is inside. */
static enum sotto_status find_stored(struct sotto_ledger *ledger, const char *analyst,
				     const char *stored_key, const char *key,
				     struct sotto_found_limits *out, bool *found)
{
	struct sotto_ledger_found stored = {0};

	SOTTO_TRY(sotto_ledger_find(ledger, analyst, stored_key, &stored, NULL));
	*found = stored.answer && sotto_spread_read(stored.answer, key, out);
	sotto_ledger_found_release(&stored);
	return SOTTO_OK;
}

enum sotto_status sotto_session_public_limits(struct sotto_session *s, const char *name,
					      struct sotto_found_limits *out, bool *found)
{
	char key[SOTTO_RELEASE_KEY_SIZE], for_all[SOTTO_RELEASE_KEY_SIZE];
	struct sotto_ledger *ledger;

	SOTTO_TRY(sotto_spread_key(name, key));
	SOTTO_TRY(sotto_spread_key_for_all(name, for_all));
	SOTTO_TRY(sotto_session_book(s, &ledger, NULL));
	return find_stored(ledger, NULL, for_all, key, out, found);
}

enum sotto_status sotto_session_find_limits(void *session, const char *name,
					    struct sotto_found_limits *out, bool *found)
{
	struct sotto_session *s = session;
	char key[SOTTO_RELEASE_KEY_SIZE];
	struct sotto_ledger *ledger;

	*found = false;
	SOTTO_TRY(sotto_spread_key(name, key));
	for (size_t i = 0; i < s->limit_count; i++)
		if (strcmp(s->limits[i].key, key) == 0) {
			*out = s->limits[i].limits;
			*found = true;
			return SOTTO_OK;
		}
	SOTTO_TRY(sotto_session_book(s, &ledger, NULL));
	SOTTO_TRY(find_stored(ledger, s->asker, key, key, out, found));
	if (!*found)
		SOTTO_TRY(sotto_session_public_limits(s, name, out, found));
	if (s->is_made_up && !*found) { /* nothing is charged there: as explain assumes */
		*out = (struct sotto_found_limits){.groups = 1, .rows = 1};
		*found = true;
	}
	return SOTTO_OK;
}

/* Until the ledger has them: the plan is made again before. */
static enum sotto_status
remember(struct sotto_session *s, const char *key, const struct sotto_found_limits *limits)
{
	struct sotto_session_limits *grown =
		realloc(s->limits, (s->limit_count + 1) * sizeof *grown);

	if (!grown)
		return SOTTO_ENOMEM;
	s->limits = grown;
	grown[s->limit_count] = (struct sotto_session_limits){.limits = *limits};
	(void)snprintf(grown[s->limit_count].key, sizeof grown->key, "%s", key);
	s->limit_count++;
	return SOTTO_OK;
}

/* ---- the price ----------------------------------------------------------------------------- */

/* The i-th release whose limits are to be found; NULL past the last. */
static struct sotto_plan *pending_at(struct sotto_plan *plan, size_t i)
{
	if (plan->spread.is_pending && i-- == 0)
		return plan;
	for (size_t k = 0; k < plan->part_count; k++)
		if (plan->parts[k]->spread.is_pending && i-- == 0)
			return plan->parts[k];
	return NULL;
}

static bool is_first_of_name(struct sotto_plan *plan, size_t i)
{
	const char *name = pending_at(plan, i)->spread.name;

	for (size_t k = 0; k < i; k++)
		if (strcmp(pending_at(plan, k)->spread.name, name) == 0)
			return false;
	return true;
}

/*
 * The rho of noise whose limits are not known yet is rounded up on its own: both are at the
 * end of the same law where epsilon is very large, so a little more is charged.
 */
static void add_slack_up(struct sotto_rational *rho)
{
	enum { SLACK_BITS = 40 };
	struct sotto_rational slack;

	sotto_rational_init(&slack);
	mpq_div_2exp(slack.q, rho->q, SLACK_BITS);
	sotto_rational_add(rho, rho, &slack);
	sotto_rational_release(&slack);
}

enum sotto_status sotto_session_price_limits(struct sotto_session *s, struct sotto_plan *plan,
					     const struct sotto_rational *delta,
					     struct sotto_error *err)
{
	struct sotto_plan *one;
	enum sotto_status st = sotto_cost_set_approx(&plan->most_cost, plan->epsilon, delta);

	add_slack_up(&plan->most_cost.rho);
	sotto_cost_release(&plan->spread_cost);
	sotto_cost_init(&plan->spread_cost);
	for (size_t i = 0; st == SOTTO_OK && (one = pending_at(plan, i)); i++)
		if (is_first_of_name(plan, i))
			st = sotto_spread_price(&one->spread, &one->arena,
						s->policy.auto_epsilon, &plan->spread_cost);
	if (st == SOTTO_ERANGE || st == SOTTO_EINVAL)
		return sotto_fail(err, SOTTO_ERANGE,
				  "the scale of the noise for auto_epsilon is out of range; "
				  "change auto_epsilon in the policy");
	sotto_cost_set(&plan->cost, &plan->most_cost);
	sotto_cost_add(&plan->cost, &plan->spread_cost);
	return st;
}

/* ---- finding them -------------------------------------------------------------------------- */

/* All combinations of public keys; 0 if some are private or were not counted. */
static double group_count(const struct sotto_plan *plan)
{
	double count = 1;

	if (plan->key_count > 0 && !plan->public_keys)
		return 0;
	for (size_t i = 0; i < plan->set_count; i++)
		count *= plan->sets[i].size < 0 ? 0 : (double)plan->sets[i].size;
	return count;
}

/* The policy's default, or a tenth of the budget. */
static double usual_epsilon(const struct sotto_policy *p)
{
	return p->default_epsilon ? sotto_nearest_double(p->default_epsilon->q)
				  : sotto_nearest_double(p->epsilon->q) / 10;
}

enum sotto_status sotto_spread_run(struct sotto_session *s, const struct sotto_plan *plan,
				   struct sotto_found_limits *out)
{
	const struct sotto_spread_use use = {.group_count = group_count(plan),
					     .typical_group = (double)s->policy.typical_group,
					     .epsilon = usual_epsilon(&s->policy)};
	struct sotto_exact bins[SOTTO_SPREAD_ALL];
	struct sotto_engine_result *exact = NULL;
	enum sotto_status st = sotto_session_aggregate_spread(s, plan, &exact);

	if (st == SOTTO_OK && (!sotto_engine_has_shape(exact, 0, SOTTO_SPREAD_ALL, 0) ||
			       sotto_engine_rows(exact) != 1))
		st = SOTTO_ESTATE;
	if (st == SOTTO_OK)
		st = sotto_rng_reseed(s->rng);
	for (size_t i = 0; st == SOTTO_OK && i < SOTTO_SPREAD_ALL; i++)
		bins[i] = sotto_engine_exact(exact, 0, i);
	if (st == SOTTO_OK)
		st = sotto_spread_publish(&plan->spread, s->rng, bins, &use, out);
	sotto_wipe(bins, sizeof bins);
	sotto_engine_result_free(exact);
	return st;
}

static enum sotto_status
write_found(struct sotto_buffer *b, const char *key, const struct sotto_found_limits *f)
{
	return sotto_buffer_appendf(b,
				    "%s{\"key\":\"%s\",\"groups\":%lld,\"rows\":%lld,"
				    "\"groups_beyond\":%.6f,\"rows_beyond\":%.6f,"
				    "\"hidden\":%.6f}",
				    b->length ? "," : "", key, (long long)f->groups,
				    (long long)f->rows, f->groups_beyond, f->rows_beyond,
				    fmin(f->hidden, 1e6));
}

enum sotto_status sotto_spread_keep(struct sotto_kept_answer *kept, const char *name,
				    const struct sotto_found_limits *found, bool for_all)
{
	char key[SOTTO_RELEASE_KEY_SIZE];
	struct sotto_buffer b;
	char *text = NULL;
	enum sotto_status st;

	SOTTO_TRY(sotto_spread_key(name, key));
	sotto_buffer_init(&b, 1 << 16);
	st = write_found(&b, key, found);
	if (st == SOTTO_OK && asprintf(&text, "{\"limits\":[%s]}", sotto_buffer_text(&b)) < 0)
		st = SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		kept->text = text;
	if (st == SOTTO_OK && for_all)
		st = sotto_spread_key_for_all(name, key);
	if (st == SOTTO_OK && for_all)
		st = sotto_kept_add_key(kept, key);
	sotto_buffer_release(&b);
	return st;
}

/* What another analyst has found about the same data. */
static enum sotto_status read_others(struct sotto_session *s, const struct sotto_plan *plan,
				     const char *key, struct sotto_found_limits *out)
{
	struct sotto_ledger_found other = {0};
	char data[SOTTO_DATA_NAME_SIZE];
	struct sotto_releases r;
	enum sotto_status st;
	bool found;

	SOTTO_TRY(sotto_releases_init(&r, plan));
	st = sotto_session_data_name(s, r.plans, r.count, data);
	sotto_releases_release(&r);
	SOTTO_TRY(st);
	SOTTO_TRY(sotto_ledger_find_others(s->ledger, s->asker, key, data, &other, NULL));
	found = other.answer && sotto_spread_read(other.answer, key, out);
	sotto_ledger_found_release(&other);
	return found ? SOTTO_OK : SOTTO_ESTATE;
}

/*
 * The limits of one release.  They are looked for even where they are known already, so that
 * the asker waits as long and the engine fails as often as if nobody had found them before.
 */
static enum sotto_status find_one(struct sotto_session *s, const struct sotto_plan *plan,
				  const struct sotto_plan *one, const char *key,
				  const struct sotto_ledger_ticket *ticket,
				  struct sotto_found_limits *out)
{
	if (ticket->deed != SOTTO_LEDGER_REPEATED)
		SOTTO_TRY(sotto_spread_run(s, one, out));
	if (ticket->deed != SOTTO_LEDGER_CHARGED)
		return sotto_spread_read(ticket->found.answer, key, out) ? SOTTO_OK
									 : SOTTO_ESTATE;
	return ticket->is_found ? read_others(s, plan, key, out) : SOTTO_OK;
}

static enum sotto_status
find_all(struct sotto_session *s, struct sotto_plan *plan, struct sotto_prepaid *paid)
{
	struct sotto_plan *one;

	for (size_t i = 0; (one = pending_at(plan, i)); i++) {
		struct sotto_found_limits found;
		char key[SOTTO_RELEASE_KEY_SIZE];

		if (!is_first_of_name(plan, i))
			continue;
		SOTTO_TRY(sotto_spread_key(one->spread.name, key));
		SOTTO_TRY(find_one(s, plan, one, key, &paid->ticket, &found));
		SOTTO_TRY(remember(s, key, &found));
		SOTTO_TRY(write_found(&paid->limits, key, &found));
	}
	return SOTTO_OK;
}

/* What was charged covers the plan with the limits that were found. */
static bool is_covered(const struct sotto_cost *cost, const struct sotto_cost *charged)
{
	return cost->bounded &&
	       sotto_rational_compare(&cost->epsilon, &charged->epsilon) <= 0 &&
	       sotto_rational_compare(&cost->delta, &charged->delta) <= 0 &&
	       sotto_rational_compare(&cost->rho, &charged->rho) <= 0;
}

/* The plan with limits, at the price that is paid already. */
static enum sotto_status plan_again(struct sotto_session *s, const struct sotto_question *q,
				    struct sotto_plan *plan, struct sotto_prepaid *paid)
{
	struct sotto_plan again;

	sotto_cost_set(&paid->cost, &plan->cost);
	sotto_cost_set(&paid->spread, &plan->spread_cost);
	SOTTO_TRY(sotto_session_plan_again(s, q, &again, NULL));
	if (sotto_plan_is_pending(&again) || !is_covered(&again.cost, &plan->most_cost)) {
		sotto_plan_release(&again);
		return SOTTO_ESTATE;
	}
	sotto_plan_release(plan);
	*plan = again;
	sotto_cost_set(&plan->cost, &paid->cost);
	return SOTTO_OK;
}

static enum sotto_status
prepare(struct sotto_session *s, const struct sotto_plan *plan, struct sotto_error *err)
{
	SOTTO_TRY(sotto_session_ready(s, err));
	SOTTO_TRY(sotto_session_check_parts(s, plan, err));
	return sotto_session_prepare(s, plan, err);
}

enum sotto_status
sotto_session_settle_limits(struct sotto_session *s, const struct sotto_question *q,
			    struct sotto_plan *plan, struct sotto_prepaid *paid,
			    struct sotto_error *err)
{
	struct sotto_releases r;
	enum sotto_status st;

	SOTTO_TRY(prepare(s, plan, err));
	SOTTO_TRY(sotto_releases_init(&r, plan));
	st = sotto_releases_charge(&r, s, q, plan, &paid->ticket, err);
	sotto_releases_release(&r);
	SOTTO_TRY(st);
	if (paid->ticket.deed == SOTTO_LEDGER_RIVALLED)
		return SOTTO_ESTATE;
	paid->is_paid = true;
	st = find_all(s, plan, paid);
	if (st == SOTTO_OK)
		st = plan_again(s, q, plan, paid);
	if (st == SOTTO_OK)
		st = prepare(s, plan, NULL);
	if (st != SOTTO_OK)
		s->kept.entry = paid->ticket.entry; /* without an answer */
	return st;
}
