/*
 * releases.h - what a query has to pay for: one release, or one for each of its parts
 *
 * They belong together: found together, charged together or not at all, run, and stored as one
 * answer of one entry of the ledger.
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
	struct sotto_cost cost, spread; /* of everything, and of finding the limits */
	struct sotto_buffer limits; /* the limits that it found, as JSON */
};

struct sotto_releases {
	const struct sotto_plan **plans; /* what needs noise: the plan, or parts of it */
	struct sotto_release *items; /* of each */
	size_t count;
	bool charged; /* a failure from here on leaves the charge */
	bool rivalled; /* asked meanwhile with other noise: plan again */
	bool repeated; /* an earlier answer */
	bool data_changed; /* since that answer was given */
	int64_t time; /* when it was given */
	const struct sotto_prepaid *paid; /* or NULL: nothing is paid yet */
};

/* Lists what needs noise; reads nothing yet.  Pair it with _release. */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_init(struct sotto_releases *r, const struct sotto_plan *plan);
void sotto_releases_release(struct sotto_releases *r);

/* Returns the release of a part, or of the plan; NULL if it needs no noise. */
const struct sotto_release *
sotto_releases_of(const struct sotto_releases *r, const struct sotto_plan *plan);

/*
 * Computes the key by which the ledger finds them.  A single release has its own key, so that it
 * is the same alone and inside another query.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_key(const struct sotto_releases *r, char key[SOTTO_RELEASE_KEY_SIZE]);

/* Uses an earlier answer: sets r->repeated and fills the releases, unless `only_look`. */
SOTTO_MUST_CHECK enum sotto_status sotto_releases_use(struct sotto_releases *r,
						      struct sotto_session *s,
						      const struct sotto_ledger_found *found,
						      bool only_look, struct sotto_error *err);

/*
 * Looks for an earlier answer to the same analyst; if there is one, sets r->repeated and fills
 * the releases, unless `only_look`.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_find(struct sotto_releases *r, struct sotto_session *s, const char *analyst,
		    bool only_look, struct sotto_error *err);

/*
 * Sets *asked if the same analyst has such an answer, or is waiting for one elsewhere, and key to
 * the key by which it is found.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_is_asked(const struct sotto_releases *r, struct sotto_session *s,
			const char *analyst, char key[SOTTO_RELEASE_KEY_SIZE], bool *asked,
			struct sotto_error *err);

void sotto_prepaid_init(struct sotto_prepaid *p);
void sotto_prepaid_release(struct sotto_prepaid *p);

/*
 * The two halves of the next function: the charge alone, and what follows it.  After the charge
 * the releases may be those of another plan, which costs no more.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_charge(struct sotto_releases *r, struct sotto_session *s,
		      const struct sotto_question *q, const struct sotto_plan *plan,
		      struct sotto_ledger_ticket *ticket, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_run(struct sotto_releases *r, struct sotto_session *s,
		   const struct sotto_ledger_ticket *ticket, struct sotto_error *err);

/*
 * Charges all of them in one entry, runs them, and stores the result.  If another analyst was
 * given the same about the same data, that is the result, and the whole budget is not charged
 * again.  If the same analyst has it by now, r->repeated is set.
 *
 * Fails:    before the charge with a sentence, nothing is charged; after it r->charged is set,
 *           and the caller says the fixed sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_charge_and_run(struct sotto_releases *r, struct sotto_session *s,
			      const struct sotto_question *q, const struct sotto_plan *plan,
			      struct sotto_error *err);

/*
 * Runs them on invented rows: charges and stores nothing.
 *
 * Fails:    SOTTO_ESTATE in a session that is not made up.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_releases_run_made_up(struct sotto_releases *r, struct sotto_session *s);

/*
 * Computes a digest of the data that the plans read, which changes when a source does; "" where
 * that cannot be known.
 */
enum { SOTTO_DATA_NAME_SIZE = 72 };
SOTTO_MUST_CHECK enum sotto_status
sotto_session_data_name(struct sotto_session *s, const struct sotto_plan *const *plans,
			size_t count, char out[SOTTO_DATA_NAME_SIZE]);

#endif
