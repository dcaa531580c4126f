/*
 * adbc_transaction.h - who is behind a connection of ADBC, and its read-only transactions
 */
#ifndef SOTTO_ADBC_TRANSACTION_H
#define SOTTO_ADBC_TRANSACTION_H

#include "central/engine/adbc/adbc_table.h"

enum { SOTTO_ADBC_SNAPSHOT = 64 };

/*
 * Finds out which SQL the other side takes, and whether its tables can be read.
 *
 * Fails:    SOTTO_EREFUSED for a driver that takes types from rows; SOTTO_EIO for a PostgreSQL
 *           server that cannot be read; both with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_adbc_know(struct sotto_adbc_driver *d, struct AdbcConnection *c,
		struct sotto_adbc_dialect *out, struct sotto_error *err);

/*
 * Begins a read-only transaction in which no statement of PostgreSQL takes longer than
 * seconds.  snapshot: one of PostgreSQL to take over; NULL: a new one.
 *
 * Fails:    SOTTO_EIO, SOTTO_ESTATE; only PostgreSQL can fail.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_adbc_begin_on(struct sotto_adbc_driver *d,
						       struct AdbcConnection *c,
						       const struct sotto_adbc_dialect *dialect,
						       unsigned seconds, const char *snapshot);
void sotto_adbc_end_on(struct sotto_adbc_driver *d, struct AdbcConnection *c);

/* The name of the snapshot of a transaction of PostgreSQL, for others.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_adbc_take_snapshot(struct sotto_adbc_driver *d,
							    struct AdbcConnection *c,
							    char out[SOTTO_ADBC_SNAPSHOT]);

#endif
