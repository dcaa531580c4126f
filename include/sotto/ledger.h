/*
 * sotto/ledger.h - the durable record of what was spent
 *
 * One SQLite file per dataset.  A release is charged before any private row is
 * read.  An acknowledged charge survives a crash at any byte and stays charged,
 * whatever fails afterwards.  Two processes never both spend the last of
 * the budget.  A noisy answer may be stored with its charge, so that asking the
 * same question again gives the same answer and costs nothing.
 *
 * No exact value ever enters the ledger: it stores texts of queries, their costs,
 * and noisy answers.
 *
 * Threads:  every function of a ledger may be called from any number of threads
 *           at once; calls on one ledger wait for each other.  A ledger cannot be
 *           used in a child after fork(): there every function except _close fails
 *           with SOTTO_ESTATE, and the child must open its own.  Do not call _close
 *           while another call on the same ledger runs.
 * NULL:     every function that returns a status refuses NULL where it needs a
 *           value with SOTTO_EINVAL; err may always be NULL.
 * Structs:  a zeroed struct is a valid empty value, and releasing one twice, or
 *           one that is NULL, does nothing.
 */
#ifndef SOTTO_LEDGER_H
#define SOTTO_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/cost.h"
#include "sotto/rational.h"
#include "sotto/status.h"

struct sotto_ledger;

/* A budget, and optionally how often it is renewed. */
struct sotto_ledger_budget {
	struct sotto_rational epsilon;
	struct sotto_rational delta;
	uint64_t window; /* seconds from one renewal to the next; 0: never renewed */
};

SOTTO_API void sotto_ledger_budget_init(struct sotto_ledger_budget *b);
SOTTO_API void sotto_ledger_budget_release(struct sotto_ledger_budget *b);

/* Which datasets are neighbours: one unit is added or removed, or one unit is replaced. */
enum sotto_ledger_neighbours {
	SOTTO_NEIGHBOURS_ADD_REMOVE,
	SOTTO_NEIGHBOURS_REPLACE_ONE,
};

/* The terms of a new ledger; all borrowed. */
struct sotto_ledger_terms {
	const char *policy; /* the text of the terms that the owner has accepted */
	enum sotto_ledger_neighbours neighbours; /* for every cost that is charged to it */
	const char *owner; /* who creates it, for the history; NULL: "owner" */
	const char *witness; /* a file that will record the last entry, or NULL */
};

/*
 * Creates an empty ledger, and its witness.  A ledger belongs to the people whose data it
 * protects: a second one for the same people would start their budget again, so opening
 * a ledger never creates one.
 *
 * Fails:    SOTTO_ESTATE if the file already exists; SOTTO_EIO; SOTTO_EINVAL; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_create(const char *path, const struct sotto_ledger_terms *terms,
		    struct sotto_error *err);

/*
 * Opens the ledger at path; witness is the file given to sotto_ledger_create, or NULL.  The
 * total budget may differ from earlier calls: what was spent counts against the new one.  A
 * file that cannot be written is opened for reading; charges then fail.
 *
 * Fails:    SOTTO_EMISSING if there is no such file, or no such witness;
 *           SOTTO_ECORRUPT if it is damaged, or its chain of hashes is;
 *           SOTTO_ESTATE if it is older than its witness (an older copy was put back), or
 *           of a newer version of sotto;
 *           SOTTO_EIO if it cannot be read; SOTTO_EINVAL for a bad budget; SOTTO_ENOMEM.
 *           err says what to do.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_open(const char *path, const char *witness,
		  const struct sotto_ledger_budget *total, struct sotto_ledger **out,
		  struct sotto_error *err);

/* The neighbours for which the ledger's costs hold.  Fails: SOTTO_EIO, SOTTO_ECORRUPT. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_neighbours(struct sotto_ledger *l, enum sotto_ledger_neighbours *out,
			struct sotto_error *err);

/* NULL is allowed; closing a ledger that belongs to a session does nothing. */
SOTTO_API void sotto_ledger_close(struct sotto_ledger *l);

/*
 * Gives one analyst a share: charges in that name must fit into the share and the total.
 * Analysts without a share are limited only by the total.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_share(struct sotto_ledger *l, const char *analyst,
		   const struct sotto_ledger_budget *share, struct sotto_error *err);

/* One of several parts that are charged together; all borrowed. */
struct sotto_ledger_part {
	const char *what; /* for people */
	const struct sotto_cost *cost;
};

/* What is to be charged; all borrowed. */
struct sotto_ledger_release {
	const char *analyst;
	const char *query; /* what was asked, for people */
	const char *key; /* what makes two requests the same: normalised query and plan */
	const struct sotto_cost *cost; /* of the whole */
	const struct sotto_ledger_part *parts; /* NULL, or their costs add up to the whole */
	size_t part_count;
	const char *data; /* identifies the state of the data, or NULL */
	bool own_only; /* do not use an answer that another analyst paid for */
	/* Keys of what the last part finds.  If another analyst has paid for an answer under
	 * each of them, about the same data, the last part is charged to the share only. */
	const char *const *found;
	size_t found_count;
	/* The key of the same question with another kind of noise, or NULL.  If this analyst
	 * has asked that in the meantime, nothing is charged; plan the question again. */
	const char *rival;
	/* Nanoseconds that sotto_ledger_ask waits if another process or thread is already
	 * answering the same question of the same analyst. */
	uint64_t patience;
};

/* What a charge would leave. */
struct sotto_ledger_forecast {
	bool affordable; /* it would be admitted now */
	struct sotto_rational epsilon_left, delta_left; /* after it; now, if not affordable */
	/* How many such charges would be admitted, one after the other; UINT64_MAX: without
	 * end, because it costs nothing. */
	uint64_t fits;
};

SOTTO_API void sotto_ledger_forecast_init(struct sotto_ledger_forecast *f);
SOTTO_API void sotto_ledger_forecast_release(struct sotto_ledger_forecast *f);

/*
 * What a charge would leave of the total and of the analyst's share, by the same rule that
 * admits charges.  Answers that were shared count as spent, as the analyst sees it; with
 * analyst NULL the result is for the owner and about the true total.  Charges nothing.
 * Fails: SOTTO_EINVAL, SOTTO_EIO, SOTTO_ECORRUPT.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_forecast(struct sotto_ledger *l, const char *analyst,
		      const struct sotto_cost *cost, struct sotto_ledger_forecast *out,
		      struct sotto_error *err);

/*
 * Stores the noisy answer of an entry.  Fails: SOTTO_ESTATE if the entry already has an
 * answer or does not exist; SOTTO_EIO.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_answer(struct sotto_ledger *l, uint64_t entry, const char *answer,
		    struct sotto_error *err);

/* An answer that was stored before; zeros if there is none. */
struct sotto_ledger_found {
	char *answer; /* NULL: no answer is stored (the query failed after the charge) */
	char *data; /* the state of the data when it was charged; "" if not known */
	uint64_t number; /* of its entry */
	int64_t time;
};

/* The result of sotto_ledger_ask. */
enum sotto_ledger_deed {
	SOTTO_LEDGER_CHARGED, /* it was charged: run the query, then store its answer */
	SOTTO_LEDGER_REPEATED, /* this analyst already has the answer, free */
	SOTTO_LEDGER_SHARED_ANSWER, /* another analyst has it: only this one's share was charged */
	SOTTO_LEDGER_RIVALLED, /* the analyst has asked the rival question: nothing was charged */
};

struct sotto_ledger_ticket {
	enum sotto_ledger_deed deed;
	uint64_t entry; /* the number of the entry, unless the answer is repeated */
	bool is_found; /* what the last part finds is already known: use that */
	bool has_waited; /* until the same question was answered, or given up */
	struct sotto_ledger_found found; /* the answer, unless the release was charged */
};

SOTTO_API void sotto_ledger_ticket_release(struct sotto_ledger_ticket *t);

/*
 * Charges a release unless its answer is already stored, in one atomic step:
 *
 * - If the analyst has an answer under the key, nothing is charged.
 * - If the analyst has asked it and it is still being answered, in any process, the
 *   function waits for that, at most release->patience, and looks again.
 * - If another analyst has an answer about the same data, the charge must be admitted like
 *   any other, but only the analyst's own share is charged.  The total has already paid for
 *   this answer, and giving it out twice reveals nothing more about anybody.
 * - Otherwise the release is charged durably if every limit admits it: when SOTTO_OK is
 *   returned, the charge is on disk.  A release of several parts is charged as a whole.
 *
 * After a charge, call sotto_ledger_answer or sotto_ledger_give_up, so that nobody waits
 * for the answer in vain.
 *
 * Fails:    SOTTO_EBUDGET, nothing is charged, err says which limit is exceeded and,
 *           if the budget is renewed, when;
 *           SOTTO_EINVAL for a negative cost, or parts that do not add up to it;
 *           SOTTO_ERANGE for a cost of more than 4096 digits; nothing is charged;
 *           SOTTO_EIO or SOTTO_ECORRUPT: then nothing may be released, and the
 *           charge may or may not have been made.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_ask(struct sotto_ledger *l, const struct sotto_ledger_release *release,
		 struct sotto_ledger_ticket *out, struct sotto_error *err);
SOTTO_API void sotto_ledger_give_up(struct sotto_ledger *l, uint64_t entry);

/* What was spent and what is left, exactly, in the running window. */
struct sotto_ledger_totals {
	struct sotto_ledger_budget budget;
	struct sotto_cost spent;
	struct sotto_filter_left
		left; /* all zero if the budget was lowered below what is spent */
	uint64_t entries;
	int64_t time; /* time of the ledger, seconds since 1970; it never goes back by itself */
	int64_t renews; /* when the next window begins, in that time; 0: never */
	/* How many seconds that time is ahead of this machine's clock, because the clock was
	 * wrong when the last entry was made, or is wrong now; 0 below five minutes. */
	int64_t ahead;
};

SOTTO_API void sotto_ledger_totals_init(struct sotto_ledger_totals *t);
SOTTO_API void sotto_ledger_totals_release(struct sotto_ledger_totals *t);

/* For the total (analyst NULL) or one analyst's share.  Fails: SOTTO_EMISSING, SOTTO_EIO. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_totals(struct sotto_ledger *l, const char *analyst,
		    struct sotto_ledger_totals *out, struct sotto_error *err);

/*
 * Reads the whole ledger again and checks it: every entry against the chain of
 * hashes, every answer against its entry, the sums anew from the first entry.
 * *entries and *answers are how many there are.
 *
 * Fails:    SOTTO_ECORRUPT, SOTTO_EIO.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_verify(struct sotto_ledger *l, uint64_t *entries, uint64_t *answers,
		    struct sotto_error *err);

/*
 * Moves the ledger's time back to this machine's clock, after entries were made
 * while the clock was in the future: otherwise the budget would be renewed
 * only when that time has come.  The repair is recorded as an entry in the name
 * of `owner`; it costs nothing and stays in the history.
 *
 * Privacy:  gives nothing back.  What was charged under a later time counts in
 *           the window of the repair too; argument: src/core/ledger/ledger.md.
 * Fails:    SOTTO_ESTATE if the ledger is not ahead of the clock; SOTTO_EIO.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_repair_clock(struct sotto_ledger *l, const char *owner, int64_t *from, int64_t *to,
			  struct sotto_error *err);

/*
 * Makes a consistent copy of the ledger in a new file, checks it, and gives it its
 * name when it is complete.  Others may go on charging meanwhile.  A copy
 * does not contain what is charged later: restore one only if the ledger is lost.
 *
 * Fails:    SOTTO_ESTATE if the file already exists; SOTTO_EIO, SOTTO_ECORRUPT; no copy
 *           is left then.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_backup(struct sotto_ledger *l, const char *path, struct sotto_error *err);

enum sotto_ledger_kind {
	SOTTO_LEDGER_RELEASE, /* a charge */
	SOTTO_LEDGER_CLOCK, /* the owner repaired the clock; query says how */
	SOTTO_LEDGER_POLICY, /* the terms of the ledger, or its witness, changed; query says how */
	SOTTO_LEDGER_SHARED, /* an answer that another analyst had paid for; only a share paid */
	/* A charge whose last part another analyst had paid for; only a share paid for that. */
	SOTTO_LEDGER_PARTLY_SHARED,
};

/* One row of the history; all borrowed for the time of the call. */
struct sotto_ledger_entry {
	enum sotto_ledger_kind kind;
	uint64_t number; /* 1, 2, 3, ... */
	int64_t time; /* seconds since 1970; goes back only where the clock was repaired */
	const char *analyst;
	const char *query;
	const struct sotto_cost *cost;
	const struct sotto_ledger_part *parts;
	size_t part_count;
	bool answered; /* false: the release was charged, but the query failed */
};

typedef enum sotto_status (*sotto_ledger_visit)(void *context,
						const struct sotto_ledger_entry *entry);

/*
 * Visits the history from the first entry on; a status other than SOTTO_OK ends it.
 * The visitor cannot use the ledger: every function fails with SOTTO_ESTATE there.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_each(struct sotto_ledger *l, sotto_ledger_visit visit, void *context,
		  struct sotto_error *err);

#endif
