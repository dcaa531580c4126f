/*
 * ledger_inside.h - inside of a ledger, for the files of this folder
 */
#ifndef SOTTO_LEDGER_INSIDE_H
#define SOTTO_LEDGER_INSIDE_H

#include <pthread.h>
#include <sys/types.h>

#include "core/ledger/ledger_asking.h"
#include "core/ledger/ledger_limit.h"
#include "core/ledger/store/ledger_store.h"
#include "sotto/ledger.h"

/* A repair of the clock: earlier rows with a later date count as made at that time. */
struct sotto_repair {
	uint64_t number;
	int64_t time;
};

/* The limits: the whole budget, the whole as it is shown, then the shares. */
enum { SOTTO_LIMIT_WHOLE, SOTTO_LIMIT_SHOWN, SOTTO_LIMIT_SHARES };

struct sotto_ledger {
	pthread_mutex_t
		lock; /* held by every public function; detects a visitor that calls back */
	pid_t process; /* SQLite's connections do not survive fork() */
	bool lent; /* belongs to a session; only that closes it */
	struct sotto_store store;
	struct sotto_limit *limits;
	size_t limit_count;
	struct sotto_store_head seen; /* the last row that is counted in the limits */
	int64_t last_time; /* of the last row */
	int64_t latest; /* the largest time of all rows; differs from last_time only after a repair */
	struct sotto_repair *repairs;
	size_t repair_count;
	char *witness; /* or NULL */
	bool is_unwitnessed; /* the last entry is committed, but its witness could not be told */
	struct sotto_store_head
		witnessed; /* read before the transaction that is compared with it */
	struct sotto_asking asking; /* the entries that are being answered */
	char *terms; /* the text that was last accepted, or NULL */
	uint8_t first[SOTTO_HASH_BYTES]; /* hash of the first entry: unique */
};

/* Takes the lock.  Fails: SOTTO_EINVAL for NULL; SOTTO_ESTATE in a child or a visitor. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_enter(struct sotto_ledger *l, struct sotto_error *err);
void sotto_ledger_leave(struct sotto_ledger *l);

/* Marks the ledger as lent by a session, and closes it at the session's end. */
void sotto_ledger_lend(struct sotto_ledger *l);
void sotto_ledger_take_back(struct sotto_ledger *l);

/*
 * Computes a number that only this ledger and its copies have: a choice made by hashing it stays
 * the same.  Fails: SOTTO_EIO, SOTTO_ECORRUPT.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_salt(struct sotto_ledger *l, uint64_t *out, struct sotto_error *err);

/*
 * Counts from now on what an analyst without a share spends, so that sotto_ledger_totals can
 * report it; limits nobody.  One call is enough.  Fails: SOTTO_EINVAL, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_tally(struct sotto_ledger *l, const char *analyst, struct sotto_error *err);

/*
 * Reads what an analyst is told about the budget: the totals of the share or the tally; what is
 * left is the smaller of the share's rest and of the whole's as it is shown to analysts.
 * Fails:    as sotto_ledger_tally and sotto_ledger_totals.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_told(struct sotto_ledger *l, const char *analyst, struct sotto_ledger_totals *out,
		  struct sotto_error *err);

/*
 * Visits entries as sotto_ledger_each does, but only those above a number, under one name or
 * (NULL) any.  Entries under one name are numbered 1, 2, 3, ...: gaps would tell that analyst how
 * much others ask.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_each_after(struct sotto_ledger *l, uint64_t after, const char *analyst,
			sotto_ledger_visit visit, void *context, struct sotto_error *err);

/* ---- ledger_charge.c ---------------------------------------------------------------------------- */

/* Begins a transaction and counts new rows. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_begin(struct sotto_ledger *l, bool write, struct sotto_error *err);

/*
 * Commits the appended rows and updates the witness.  A witness that cannot be written is found
 * before the commit; if it can no longer be written after it, sotto_ledger_is_unwitnessed is true.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_commit(struct sotto_ledger *l, struct sotto_error *err);

/* True if the last charge failed although it was made. */
bool sotto_ledger_is_unwitnessed(struct sotto_ledger *l);

/* Charges if every limit admits it, commits, and locks the entry.  Called after a begin. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_charge_now(struct sotto_ledger *l, const struct sotto_ledger_release *release,
			enum sotto_ledger_kind kind, uint64_t *entry, struct sotto_error *err);

/* Checks that every limit of the analyst admits the cost at that time; else SOTTO_EBUDGET. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_admits(struct sotto_ledger *l, const char *analyst, const struct sotto_cost *cost,
		    int64_t when, struct sotto_error *err);

/* ---- ledger_count.c: all with the lock ------------------------------------------------------------- */

/* Counts new rows and checks that they end at the stored head.  Called in a transaction. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_catch_up(struct sotto_ledger *l, struct sotto_error *err);

/* Does the same in a reading transaction of its own. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_read_all(struct sotto_ledger *l, struct sotto_error *err);

/* Discards what was counted; the next catch-up reads from the first row on. */
void sotto_ledger_start_over(struct sotto_ledger *l);

/* Makes the limit show the window that contains `time`.  Called in a transaction. */
SOTTO_MUST_CHECK enum sotto_status sotto_ledger_settle(struct sotto_ledger *l,
						       struct sotto_limit *limit, int64_t time,
						       struct sotto_error *err);

/* ---- ledger_history.c ------------------------------------------------------------------------------ */

/*
 * Begins a reading transaction and leaves it open, for sotto_ledger_totals.  Called with the
 * lock.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_total(struct sotto_ledger *l, const char *analyst, struct sotto_ledger_totals *out,
		   struct sotto_error *err);

/* ---- ledger_clock.c -------------------------------------------------------------------------------- */

/* Returns the time now, or that of the last entry if the clock went back. */
int64_t sotto_ledger_time(const struct sotto_ledger *l);

/* Returns by how much the last entry is later than now; 0 if by less than five minutes. */
int64_t sotto_ledger_ahead(const struct sotto_ledger *l);

/* Adds to a refusal when the limit's budget is renewed. */
void sotto_ledger_say_renewal(const struct sotto_ledger *l, const struct sotto_limit *limit,
			      struct sotto_error *err);

/* ---- ledger_append.c ------------------------------------------------------------------------------- */

/* Appends an entry.  Called in a writing transaction, after a catch-up. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_append(struct sotto_ledger *l, const struct sotto_ledger_release *release,
		    enum sotto_ledger_kind kind, int64_t when, struct sotto_error *err);

/* Checks that nothing in it is negative and that its parts add up. */
SOTTO_MUST_CHECK enum sotto_status
sotto_release_check(const struct sotto_ledger_release *r, struct sotto_error *err);

/* Reads a cost from its texts.  Fails: SOTTO_ECORRUPT, also if it is negative. */
SOTTO_MUST_CHECK enum sotto_status
sotto_chain_cost_read(const struct sotto_chain_cost *texts, struct sotto_cost *out);

/* True if the parts add up to the whole exactly. */
bool sotto_parts_add_up(const struct sotto_cost *whole, const struct sotto_ledger_part *parts,
			size_t count);

/* True if the ledger was opened only for reading. */
bool sotto_ledger_is_read_only(struct sotto_ledger *l);

/*
 * Reads the policy text that was last accepted, malloc'd; *text is NULL if none was (a ledger of
 * an older version).
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_policy(struct sotto_ledger *l, char **text, struct sotto_error *err);

/*
 * Accepts another policy text, as an entry by `who` that costs nothing; `difference` tells people
 * what changed and is what the history shows.
 *
 * Fails:    SOTTO_EIO, SOTTO_ECORRUPT, SOTTO_EINVAL.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_accept(struct sotto_ledger *l, const char *who, const char *policy,
		    const char *difference, struct sotto_error *err);

/*
 * Sets the witness to the ledger's last entry, whatever it recorded before: a decision of the
 * owner, who knows that this ledger is the latest.  It becomes an entry of the history.
 *
 * Fails:    SOTTO_EIO, SOTTO_ECORRUPT.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_reset_witness(const char *path, const char *witness, const char *who,
			   struct sotto_error *err);

/*
 * Charges a release, durably, if every limit admits it; *entry names it.  Once
 * SOTTO_OK is returned the charge is on the disk.  A release of several parts is
 * one charge: all of it, or nothing.
 *
 * Fails:    SOTTO_EBUDGET, nothing is charged, err says which limit binds and,
 *           if the budget is renewed, when;
 *           SOTTO_EINVAL for a negative cost, or parts that do not add up to it;
 *           SOTTO_ERANGE for a cost of more than 4096 digits; nothing is charged;
 *           SOTTO_EIO or SOTTO_ECORRUPT: then nothing may be released, and the
 *           charge may or may not have been made.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_charge(struct sotto_ledger *l, const struct sotto_ledger_release *release,
		    uint64_t *entry, struct sotto_error *err);

/*
 * Checks whether a charge would be admitted now.  Charges nothing; another process may be
 * quicker.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_check(struct sotto_ledger *l, const char *analyst, const struct sotto_cost *cost,
		   struct sotto_error *err);

/*
 * Counts how many charges of `then` would be admitted after one of `first`; 0 if that one is not.
 * Charges nothing.  Fails: SOTTO_EINVAL, SOTTO_EIO, SOTTO_ECORRUPT.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_fits_after(struct sotto_ledger *l, const char *analyst,
			const struct sotto_cost *first, const struct sotto_cost *then,
			uint64_t *fits, struct sotto_error *err);

void sotto_ledger_found_release(struct sotto_ledger_found *f);

/*
 * Makes the answer of an entry available under another key too, because it contains more than its
 * own key names.  Costs nothing.  Fails: SOTTO_ESTATE if there is no such entry; SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_ledger_mark(struct sotto_ledger *l, uint64_t entry,
						     const char *key, struct sotto_error *err);

/*
 * Finds the latest answer that the analyst (NULL: anybody) got under a key and copies it into
 * *out, which the caller releases.  If out->data differs from today's name of the data, the
 * answer is about older data.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_find(struct sotto_ledger *l, const char *analyst, const char *key,
		  struct sotto_ledger_found *out, struct sotto_error *err);

/*
 * Finds the latest answer under a key that another analyst paid for, about the same data; see
 * sotto_ledger_find.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_find_others(struct sotto_ledger *l, const char *analyst, const char *key,
			 const char *data, struct sotto_ledger_found *out,
			 struct sotto_error *err);

/*
 * Sets *asked if the analyst has an answer under a key, or one is being computed:
 * sotto_ledger_ask would then return that one.  Charges nothing.  Fails: SOTTO_EINVAL, SOTTO_EIO,
 * SOTTO_ECORRUPT.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_ledger_is_asked(struct sotto_ledger *l,
							 const char *analyst, const char *key,
							 bool *asked, struct sotto_error *err);

#endif
