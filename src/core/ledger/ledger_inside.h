/*
 * ledger_inside.h - what a ledger is, for the files of this folder
 */
#ifndef SOTTO_LEDGER_INSIDE_H
#define SOTTO_LEDGER_INSIDE_H

#include <pthread.h>
#include <sys/types.h>

#include "core/ledger/ledger_asking.h"
#include "core/ledger/ledger_limit.h"
#include "core/ledger/store/ledger_store.h"
#include "sotto/ledger.h"

/* A repair of the clock: rows before it that are dated later count as made then, too. */
struct sotto_repair {
	uint64_t number;
	int64_t time;
};

/* The limits: the whole, the whole as it is shown, and from there on shares. */
enum { SOTTO_LIMIT_WHOLE, SOTTO_LIMIT_SHOWN, SOTTO_LIMIT_SHARES };

struct sotto_ledger {
	pthread_mutex_t
		lock; /* held by every public function; finds out a visitor that calls */
	pid_t process; /* SQLite's connections do not survive fork() */
	bool lent; /* it belongs to a session, which alone closes it */
	struct sotto_store store;
	struct sotto_limit *limits;
	size_t limit_count;
	struct sotto_store_head seen; /* rows up to here are counted in the limits */
	int64_t last_time; /* of the last row */
	int64_t latest; /* the largest time of all rows: later only after a repair */
	struct sotto_repair *repairs;
	size_t repair_count;
	char *witness; /* NULL: none */
	struct sotto_store_head
		witnessed; /* read before the transaction that is compared with it */
	struct sotto_asking asking; /* which entries are being answered */
	char *terms; /* what was last accepted; NULL: nothing was */
	uint8_t first[SOTTO_HASH_BYTES]; /* of the first entry: no other ledger has it */
};

/* Takes the lock.  Fails: SOTTO_EINVAL for NULL; SOTTO_ESTATE in a child or a visitor. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_enter(struct sotto_ledger *l, struct sotto_error *err);
void sotto_ledger_leave(struct sotto_ledger *l);

/* What a session does to the ledger that it hands out, and at its end. */
void sotto_ledger_lend(struct sotto_ledger *l);
void sotto_ledger_take_back(struct sotto_ledger *l);

/*
 * A number that belongs to this ledger, and to copies of it: what is chosen by a hash of it
 * stays chosen.  Fails: SOTTO_EIO, SOTTO_ECORRUPT.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_salt(struct sotto_ledger *l, uint64_t *out, struct sotto_error *err);

/*
 * Counts what an analyst without a share spends, so that sotto_ledger_totals can tell it; holds
 * nobody to anything.  Once is enough.  Fails: SOTTO_EINVAL, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_tally(struct sotto_ledger *l, const char *analyst, struct sotto_error *err);

/*
 * What an analyst is told of the budget, in one look: the totals of the share or the tally;
 * as left, the smaller of the share's rest and of the whole's as it is shown to analysts.
 * Fails: as sotto_ledger_tally and sotto_ledger_totals.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_told(struct sotto_ledger *l, const char *analyst, struct sotto_ledger_totals *out,
		  struct sotto_error *err);

/*
 * As sotto_ledger_each, but of the entries above a number alone, in one name or (NULL) in any.
 * Those in one name have numbers of their own, 1, 2, 3, ...: gaps would tell that analyst
 * how much others ask.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_each_after(struct sotto_ledger *l, uint64_t after, const char *analyst,
			sotto_ledger_visit visit, void *context, struct sotto_error *err);

/* ---- ledger_charge.c ---------------------------------------------------------------------------- */

/* Begins a transaction and counts what is new. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_begin(struct sotto_ledger *l, bool write, struct sotto_error *err);

/* Commits what was appended, and tells the witness. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_commit(struct sotto_ledger *l, struct sotto_error *err);

/* After a begin: charges if every limit admits it, commits, and locks the entry. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_charge_now(struct sotto_ledger *l, const struct sotto_ledger_release *release,
			enum sotto_ledger_kind kind, uint64_t *entry, struct sotto_error *err);

/* Every limit that concerns the analyst admits the cost at that time, or SOTTO_EBUDGET. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_admits(struct sotto_ledger *l, const char *analyst, const struct sotto_cost *cost,
		    int64_t when, struct sotto_error *err);

/* ---- ledger_count.c: all with the lock ------------------------------------------------------------- */

/* Within a transaction: counts what is new and checks that it ends at the stored head. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_catch_up(struct sotto_ledger *l, struct sotto_error *err);

/* The same in a transaction of its own that reads. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_read_all(struct sotto_ledger *l, struct sotto_error *err);

/* Forgets what was counted; the next catch-up reads from the first row on. */
void sotto_ledger_start_over(struct sotto_ledger *l);

/* Within a transaction: has the limit show the window that `time` lies in. */
SOTTO_MUST_CHECK enum sotto_status sotto_ledger_settle(struct sotto_ledger *l,
						       struct sotto_limit *limit, int64_t time,
						       struct sotto_error *err);

/* ---- ledger_history.c ------------------------------------------------------------------------------ */

/* With the lock: begins a transaction that reads, and leaves it open, for sotto_ledger_totals. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_total(struct sotto_ledger *l, const char *analyst, struct sotto_ledger_totals *out,
		   struct sotto_error *err);

/* ---- ledger_clock.c -------------------------------------------------------------------------------- */

/* Now, or the time of the last entry where the clock went back. */
int64_t sotto_ledger_time(const struct sotto_ledger *l);

/* By how much the last entry is later than now; 0 if by less than five minutes. */
int64_t sotto_ledger_ahead(const struct sotto_ledger *l);

/* Adds to a refusal by the limit's budget when it is renewed. */
void sotto_ledger_say_renewal(const struct sotto_ledger *l, const struct sotto_limit *limit,
			      struct sotto_error *err);

/* ---- ledger_append.c ------------------------------------------------------------------------------- */

/* Within a transaction that writes, after a catch-up: appends an entry. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_append(struct sotto_ledger *l, const struct sotto_ledger_release *release,
		    enum sotto_ledger_kind kind, int64_t when, struct sotto_error *err);

/* Nothing in it is negative, and its parts add up. */
SOTTO_MUST_CHECK enum sotto_status
sotto_release_check(const struct sotto_ledger_release *r, struct sotto_error *err);

/* A cost from its texts.  Fails: SOTTO_ECORRUPT, also if it is negative. */
SOTTO_MUST_CHECK enum sotto_status
sotto_chain_cost_read(const struct sotto_chain_cost *texts, struct sotto_cost *out);

/* True if the parts add up to the whole, exactly. */
bool sotto_parts_add_up(const struct sotto_cost *whole, const struct sotto_ledger_part *parts,
			size_t count);

/* True if it was opened for reading alone. */
bool sotto_ledger_is_read_only(struct sotto_ledger *l);

/*
 * The text that was last accepted as what holds for it, malloc'd; NULL in *text if none
 * was (a ledger of an older version).
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_policy(struct sotto_ledger *l, char **text, struct sotto_error *err);

/*
 * Accepts another text, as an entry in the name of `who` that costs nothing; `difference`
 * says for people what changed, and is what the history shows.
 *
 * Fails:    SOTTO_EIO, SOTTO_ECORRUPT, SOTTO_EINVAL.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_accept(struct sotto_ledger *l, const char *who, const char *policy,
		    const char *difference, struct sotto_error *err);

/*
 * Sets the witness to where the ledger stands, whatever it had seen: an act of the owner,
 * who knows that this ledger is the latest there is.  It is an entry of the history.
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

/* Would a charge be admitted now?  Charges nothing; another process may be quicker. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_check(struct sotto_ledger *l, const char *analyst, const struct sotto_cost *cost,
		   struct sotto_error *err);

/*
 * How many charges of `then` would be admitted after one of `first`; 0 if that one is not.
 * Charges nothing.  Fails: SOTTO_EINVAL, SOTTO_EIO, SOTTO_ECORRUPT.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_fits_after(struct sotto_ledger *l, const char *analyst,
			const struct sotto_cost *first, const struct sotto_cost *then,
			uint64_t *fits, struct sotto_error *err);

void sotto_ledger_found_release(struct sotto_ledger_found *f);

/*
 * The answer of an entry is found under another key as well: it holds more than what its
 * own key names.  Costs nothing.  Fails: SOTTO_ESTATE if there is no such entry; SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_ledger_mark(struct sotto_ledger *l, uint64_t entry,
						     const char *key, struct sotto_error *err);

/*
 * The latest answer that the analyst got under a key (NULL: that anybody got), copied into
 * *out, which the caller releases.  If out->data differs from what names the data today, the answer is
 * about older data.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_find(struct sotto_ledger *l, const char *analyst, const char *key,
		  struct sotto_ledger_found *out, struct sotto_error *err);

/*
 * The latest answer under a key that another analyst paid for, about the same data; as
 * sotto_ledger_find.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_find_others(struct sotto_ledger *l, const char *analyst, const char *key,
			 const char *data, struct sotto_ledger_found *out,
			 struct sotto_error *err);

/*
 * Whether the analyst has an answer under a key, or somebody is at work on it: then
 * sotto_ledger_ask would give that one.  Charges nothing.  Fails: SOTTO_EINVAL, SOTTO_EIO,
 * SOTTO_ECORRUPT.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_ledger_is_asked(struct sotto_ledger *l,
							 const char *analyst, const char *key,
							 bool *asked, struct sotto_error *err);

#endif
