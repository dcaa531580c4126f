/*
 * ledger_store.h - the ledger's tables in SQLite; knows nothing about budgets
 *
 * A write-ahead log with synchronous=FULL: a committed transaction is on the disk.  Every
 * function that fails sets err.
 */
#ifndef SOTTO_LEDGER_STORE_H
#define SOTTO_LEDGER_STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/ledger/ledger_chain.h"
#include "sotto/ledger.h"
#include "sotto/status.h"

struct sotto_store {
	sqlite3 *db;
	char *path;
	bool is_read_only; /* the file cannot be written */
	bool has_marks; /* false in a ledger of an older version that cannot be written */
};

/* The last entry: its number and hash; both are zero if there is none. */
struct sotto_store_head {
	uint64_t number;
	uint8_t hash[SOTTO_HASH_BYTES];
};

/* Opens a store; never makes one.  Fails: SOTTO_EMISSING if there is no such file. */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_open(struct sotto_store *s, const char *path, struct sotto_error *err);
void sotto_store_close(struct sotto_store *s);

/* Drops the connection without touching the file: for a child after fork(). */
void sotto_store_abandon(struct sotto_store *s);

typedef enum sotto_status (*sotto_store_check_fn)(void *context, struct sotto_store *copy,
						  struct sotto_error *err);

/*
 * Copies everything into a new file, which gets its name once check(context, copy) succeeded.
 *
 * Fails:    SOTTO_ESTATE if there is such a file; SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_store_backup(struct sotto_store *s, const char *path,
						      sotto_store_check_fn check, void *context,
						      struct sotto_error *err);

/*
 * Begins a transaction.  One that writes takes the lock at once, so that what it reads stays
 * true.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_begin(struct sotto_store *s, bool write, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_store_commit(struct sotto_store *s, struct sotto_error *err);

/*
 * Sees to it, inside a transaction that writes, that the disk has room for a charge and its answer of up
 * to about a megabyte.
 *
 * Fails:    SOTTO_EIO if it is full; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_reserve(const struct sotto_store *s, struct sotto_error *err);
void sotto_store_rollback(struct sotto_store *s);

SOTTO_MUST_CHECK enum sotto_status
sotto_store_head(struct sotto_store *s, struct sotto_store_head *head, struct sotto_error *err);

/* Appends a row after the head and advances the head. */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_append(struct sotto_store *s, const struct sotto_chain_row *row,
		   const struct sotto_store_head *new_head, struct sotto_error *err);

typedef enum sotto_status (*sotto_store_row_fn)(void *context,
						const struct sotto_chain_row *row,
						const uint8_t hash[SOTTO_HASH_BYTES],
						bool answered, struct sotto_error *err);

/* Selects rows by number, time and name. */
struct sotto_store_range {
	uint64_t after, last; /* numbers above `after`, up to `last` */
	int64_t from_time; /* not dated before this */
	const char *analyst; /* under this name; NULL: any */
	uint64_t skip; /* how many of these to skip */
};

/* Visits rows in the order of their numbers. */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_rows(struct sotto_store *s, struct sotto_store_range range, sotto_store_row_fn each,
		 void *context, struct sotto_error *err);

/* Stores an answer.  Fails: SOTTO_ESTATE if the entry does not exist or has an answer. */
SOTTO_MUST_CHECK enum sotto_status sotto_store_answer(struct sotto_store *s, uint64_t number,
						      const char *answer,
						      struct sotto_error *err);

/* Makes the entry available under this key (SOTTO_HASH_BYTES) too. */
SOTTO_MUST_CHECK enum sotto_status sotto_store_mark(struct sotto_store *s, uint64_t number,
						    const uint8_t *key,
						    struct sotto_error *err);

/* Selects answers under a key. */
struct sotto_store_wish {
	const uint8_t *key; /* SOTTO_HASH_BYTES */
	const char *analyst; /* who got it; NULL: anybody */
	const char
		*data; /* NULL: that analyst's answers; else those of others about these data */
};

/* Finds the latest such answer; zeros if there is none. */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_find(struct sotto_store *s, const struct sotto_store_wish *wish,
		 struct sotto_ledger_found *out, struct sotto_error *err);

/* Finds the analyst's latest charge under the key that has no answer; 0 if there is none. */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_unanswered(struct sotto_store *s, const struct sotto_store_wish *wish,
		       uint64_t *number, struct sotto_error *err);

/* Reads the hash of an entry; *found is false if there is no such entry. */
SOTTO_MUST_CHECK enum sotto_status sotto_store_hash(struct sotto_store *s, uint64_t number,
						    uint8_t out[SOTTO_HASH_BYTES], bool *found,
						    struct sotto_error *err);

/* Checks every stored answer against its entry; *count is how many there are. */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_check_answers(struct sotto_store *s, uint64_t *count, struct sotto_error *err);

#endif
