/*
 * sotto/ledger.h - the durable record of what was spent
 *
 * One SQLite file per data set.  A release is charged before any private row is
 * read, and a charge that was acknowledged survives a crash at any byte; whatever
 * fails afterwards, it stays charged.  Two processes never both spend the last of
 * the budget.  A noisy answer may be stored with its charge, so that asking the
 * same thing again gives the same answer and costs nothing.
 *
 * No exact value ever enters the ledger: it takes texts of queries, exact costs,
 * and answers that are noisy already.
 */
#ifndef SOTTO_LEDGER_H
#define SOTTO_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/cost.h"
#include "sotto/error.h"
#include "sotto/filter.h"
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

/*
 * Opens the ledger at path, or makes it if there is no such file.  `policy` is a
 * text that names what is protected (units, tables); a ledger made for another
 * policy is refused.  The total budget may differ from that of earlier openings:
 * what was spent counts against the new one.
 *
 * Fails:    SOTTO_ECORRUPT if the file is damaged, or its chain of hashes is;
 *           SOTTO_ESTATE if it belongs to another policy or a newer version;
 *           SOTTO_EIO if it cannot be read or written; SOTTO_EINVAL for a bad
 *           budget; SOTTO_ENOMEM.  err says what to do.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_open(const char *path, const char *policy, const struct sotto_ledger_budget *total,
		  struct sotto_ledger **out, struct sotto_error *err);
SOTTO_API void sotto_ledger_close(struct sotto_ledger *l);

/*
 * Gives one analyst a share: charges in that name must fit it and the total.
 * Analysts without a share are held by the total alone.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_share(struct sotto_ledger *l, const char *analyst,
		   const struct sotto_ledger_budget *share, struct sotto_error *err);

/* What is to be charged; all borrowed. */
struct sotto_ledger_release {
	const char *analyst;
	const char *query; /* what was asked, for people */
	const char *key; /* what makes two requests the same: normalised query and plan */
	const struct sotto_cost *cost;
};

/*
 * Charges a release, durably, if every limit admits it; *entry names it.  Once
 * SOTTO_OK is returned the charge is on the disk.
 *
 * Fails:    SOTTO_EBUDGET, nothing is charged, err says which limit binds;
 *           SOTTO_EINVAL for a negative cost, nothing is charged;
 *           SOTTO_EIO or SOTTO_ECORRUPT: then nothing may be released, and the
 *           charge may or may not have been made.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_charge(struct sotto_ledger *l, const struct sotto_ledger_release *release,
		    uint64_t *entry, struct sotto_error *err);

/* Would a charge be admitted now?  Charges nothing; another process may be quicker. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_check(struct sotto_ledger *l, const char *analyst, const struct sotto_cost *cost,
		   struct sotto_error *err);

/*
 * Stores the noisy answer of an entry.  Fails: SOTTO_ESTATE if it has one or does
 * not exist; SOTTO_EIO.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_answer(struct sotto_ledger *l, uint64_t entry, const char *answer,
		    struct sotto_error *err);

/*
 * The latest answer stored under a key: *answer is a malloc'd text that the caller
 * frees, or NULL if there is none (a charge whose run failed has no answer).
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_ledger_find(struct sotto_ledger *l,
							       const char *key, char **answer,
							       struct sotto_error *err);

/* What was spent and what is left, exactly, in the running window. */
struct sotto_ledger_totals {
	struct sotto_ledger_budget budget;
	struct sotto_cost spent;
	struct sotto_filter_left
		left; /* all zero once more is spent than a lowered budget has */
	uint64_t entries;
};

SOTTO_API void sotto_ledger_totals_init(struct sotto_ledger_totals *t);
SOTTO_API void sotto_ledger_totals_release(struct sotto_ledger_totals *t);

/* Of the whole (analyst NULL) or of one analyst's share.  Fails: SOTTO_EMISSING, SOTTO_EIO. */
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

/* One row of the history; all borrowed for the time of the call. */
struct sotto_ledger_entry {
	uint64_t number; /* 1, 2, 3, ... */
	int64_t time; /* seconds since 1970; never goes back */
	const char *analyst;
	const char *query;
	const struct sotto_cost *cost;
	bool answered;
};

typedef enum sotto_status (*sotto_ledger_visit)(void *context,
						const struct sotto_ledger_entry *entry);

/* Visits the history from the first entry on; a status other than SOTTO_OK ends it. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_ledger_each(struct sotto_ledger *l, sotto_ledger_visit visit, void *context,
		  struct sotto_error *err);

#endif
