/*
 * session_auto.h - `max_groups: auto` and `max_rows: auto`: limits that a first question finds
 *
 * (1) Limits are found once for the same tables and keys, and kept in the ledger.
 * (2) Each analyst pays for them once, in one entry with the question that needs them first.
 *     Where another has found them about the same data, these are taken and the whole budget
 *     does not pay again; the price, the words and the time are the same.  So nobody sees
 *     from them what others ask.
 * (3) Limits that the owner has found for everybody (sotto bounds --contributions) are free.
 * (4) What is charged holds whichever limits are found (contribution_spread.md).
 */
#ifndef SOTTO_SESSION_AUTO_H
#define SOTTO_SESSION_AUTO_H

#include "central/session/release/releases.h"
#include "central/session/session.h"

/*
 * A sotto_limits_fn whose context is the session: finds limits that the asker found earlier, or
 * the owner for everybody.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_session_find_limits(void *session, const char *name,
							     struct sotto_found_limits *out,
							     bool *found);

/* Finds limits that the owner found for everybody. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_public_limits(struct sotto_session *s, const char *name,
			    struct sotto_found_limits *out, bool *found);

/*
 * Sets plan->most_cost and plan->spread_cost to what such a plan costs at most, including the
 * limits.  delta is all that the question may spend.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_price_limits(struct sotto_session *s, struct sotto_plan *plan,
			   const struct sotto_rational *delta, struct sotto_error *err);

/*
 * Charges the question, finds the limits, and plans again: *plan is then the plan with the
 * limits, whose releases continue with the ticket.  The limits are kept in r->limits.
 *
 * Fails:    before the charge with a sentence; after it the fixed sentence is said.  SOTTO_ESTATE
 *           with the ticket's deed RIVALLED: plan the question again.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_settle_limits(struct sotto_session *s, const struct sotto_question *q,
			    struct sotto_plan *plan, struct sotto_prepaid *paid,
			    struct sotto_error *err);

/* Finds the limits of one grouping by a question of its own, for sotto bounds. */
SOTTO_MUST_CHECK enum sotto_status sotto_spread_run(struct sotto_session *s,
						    const struct sotto_plan *plan,
						    struct sotto_found_limits *out);

/*
 * Keeps limits as the answer of an entry, which everybody's questions find if for_all, and reads
 * them from one.  False: there are none.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_keep(struct sotto_kept_answer *kept, const char *name,
		  const struct sotto_found_limits *found, bool for_all);
bool sotto_spread_read(const char *answer, const char *key, struct sotto_found_limits *out);

#endif
