/*
 * ledgers.h - a ledger in a folder of its own, and charges with few words
 */
#ifndef SOTTO_TESTS_LEDGERS_H
#define SOTTO_TESTS_LEDGERS_H

#include "sotto/ledger.h"
#include "testlib/folder.h"

struct ledgers {
	struct folder folder;
	char path[FOLDER_PATH_MAX];
	struct sotto_ledger_budget budget;
	struct sotto_error err;
};

void ledgers_begin(struct ledgers *b, const char *epsilon, const char *delta);
void ledgers_end(struct ledgers *b);

/* Makes the ledger. */
enum sotto_status ledgers_make(struct ledgers *b);

/* Opens the ledger, made if need be, or leaves NULL; err is b->err. */
enum sotto_status ledgers_open(struct ledgers *b, struct sotto_ledger **l);

/* Charges a pure cost in the name of ada; err may be NULL. */
enum sotto_status
ledgers_charge(struct sotto_ledger *l, const char *epsilon, struct sotto_error *err);

/* Charges a pure cost in a name and under a key; entry and err may be NULL. */
enum sotto_status ledgers_charge_as(struct sotto_ledger *l, const char *analyst,
				    const char *epsilon, const char *key, uint64_t *entry,
				    struct sotto_error *err);

/* Charges so many parts of that cost each, in one entry, under the key. */
enum sotto_status ledgers_charge_parts(struct sotto_ledger *l, const char *epsilon,
				       size_t parts, const char *key, uint64_t *entry,
				       struct sotto_error *err);

/* Spent and left epsilon of the whole, as text. */
void ledgers_spent(struct sotto_ledger *l, char out[64]);
void ledgers_left(struct sotto_ledger *l, char out[64]);

/* Spent epsilon of one analyst, as text. */
void ledgers_spent_by(struct sotto_ledger *l, const char *analyst, char out[64]);

#endif
