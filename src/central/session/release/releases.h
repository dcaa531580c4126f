/*
 * releases.h - what a query has to pay for: one release, or one for each of its parts
 *
 * They are one thing: found together, charged together or not at all, run, and
 * stored as one answer of one entry of the ledger.
 */
#ifndef SOTTO_RELEASES_H
#define SOTTO_RELEASES_H

#include <stdbool.h>
#include <stddef.h>

#include "central/plan/plan.h"
#include "central/session/release/release.h"
#include "central/session/session.h"
#include "core/base/buffer.h"

/* A charge that was made before the plan it pays for (session_auto.c). */
struct sotto_prepaid {
	bool is_paid;
	struct sotto_ledger_ticket ticket;
	struct sotto_cost cost, spread; /* of all, and of finding the limits */
	struct sotto_buffer limits; /* that it found, as JSON */
};

struct sotto_releases {
	const struct sotto_plan **plans; /* what needs noise: the plan, or parts of it */
	struct sotto_release *items; /* of each */
	size_t count;
	bool charged; /* whatever fails from here on leaves the charge */
	bool rivalled; /* asked meanwhile with other noise: to be planned again */
	bool repeated; /* an earlier answer */
	bool data_changed; /* since that answer was given */
	int64_t time; /* when it was given */
	const struct sotto_prepaid *paid; /* NULL: nothing is paid yet */
};

/* Names what needs noise; nothing is read yet.  Pair it with _release. */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_init(struct sotto_releases *r, const struct sotto_plan *plan);
void sotto_releases_release(struct sotto_releases *r);

/* The release of a part, or of the plan; NULL if it needs no noise. */
const struct sotto_release *
sotto_releases_of(const struct sotto_releases *r, const struct sotto_plan *plan);

/*
 * The key by which the ledger finds them.  One release has its own, so that it is the same alone
 * and inside another query.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_key(const struct sotto_releases *r, char key[SOTTO_RELEASE_KEY_SIZE]);

/*
 * Takes an earlier answer: r->repeated is set and the releases are filled; with `only_look` they
 * stay empty.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_releases_use(struct sotto_releases *r,
						      struct sotto_session *s,
						      const struct sotto_ledger_found *found,
						      bool only_look, struct sotto_error *err);

/*
 * Looks for an earlier answer to the same analyst: then r->repeated is set and the
 * releases are filled.  With `only_look` they stay empty.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_find(struct sotto_releases *r, struct sotto_session *s, const char *analyst,
		    bool only_look, struct sotto_error *err);

/*
 * Whether the same analyst has such an answer, or is waiting for one elsewhere; and by which
 * key it is found.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_is_asked(const struct sotto_releases *r, struct sotto_session *s,
			const char *analyst, char key[SOTTO_RELEASE_KEY_SIZE], bool *asked,
			struct sotto_error *err);

void sotto_prepaid_init(struct sotto_prepaid *p);
void sotto_prepaid_release(struct sotto_prepaid *p);

/*
 * The two halves of the next one: the charge alone, and what follows it.  After the charge
 * the releases may be of another plan, which costs no more.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_charge(struct sotto_releases *r, struct sotto_session *s,
		      const struct sotto_question *q, const struct sotto_plan *plan,
		      struct sotto_ledger_ticket *ticket, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_run(struct sotto_releases *r, struct sotto_session *s,
		   const struct sotto_ledger_ticket *ticket, struct sotto_error *err);

/*
 * Charges all of them in one entry, runs them, and stores what came out.  If another
 * analyst has been given the same about the same data, that is what comes out, and the
 * whole budget is not charged again.  If the same analyst has it by now, r->repeated is set.
 *
 * Fails:    before the charge with a sentence, nothing is charged; after it
 *           r->charged is set, and the caller says the fixed sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_charge_and_run(struct sotto_releases *r, struct sotto_session *s,
			      const struct sotto_question *q, const struct sotto_plan *plan,
			      struct sotto_error *err);

/*
 * Runs them on invented rows: nothing is charged and nothing stored.
 *
 * Fails:    SOTTO_ESTATE in a session that is not made up.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_run_made_up(struct sotto_releases *r, struct sotto_session *s);

/*
 * Names the state of the data that the plans read: a digest that changes when a
 * source does.  "" where that cannot be known.
 */
enum { SOTTO_DATA_NAME_SIZE = 72 };
SOTTO_MUST_CHECK enum sotto_status
sotto_session_data_name(struct sotto_session *s, const struct sotto_plan *const *plans,
			size_t count, char out[SOTTO_DATA_NAME_SIZE]);

#endif
