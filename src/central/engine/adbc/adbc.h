/*
 * adbc.h - the tables behind a driver of ADBC
 *
 * Everything that a statement needs is there before it runs: for each scan a connection
 * with a transaction of its own, on which every table of the statement was tried once.
 * PostgreSQL lets transactions share one snapshot; other servers do not, and then each
 * table is read at a moment of its own, and none twice in one statement (adbc.md).
 */
#ifndef SOTTO_ADBC_H
#define SOTTO_ADBC_H

#include "central/engine/adbc/adbc_table.h"

struct sotto_adbc;

/*
 * Fails:    SOTTO_EMISSING without the driver; SOTTO_EIO, SOTTO_EREFUSED with a sentence of
 *           ours: a driver that takes types from rows is refused.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_adbc_open(const char *driver, const char *uri,
						   struct sotto_adbc **out,
						   struct sotto_error *err);
void sotto_adbc_close(struct sotto_adbc *a);

/* Whether all reads of a question are of one moment. */
bool sotto_adbc_shares_moment(const struct sotto_adbc *a);

struct sotto_adbc_driver *sotto_adbc_driver(struct sotto_adbc *a);

/*
 * The columns of a table.  Within a moment the description is the same until the end, and
 * each call counts as one read.  Fails: as sotto_adbc_look.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_adbc_describe(struct sotto_adbc *a, const char *name,
						       struct sotto_arena *arena,
						       struct sotto_adbc_table *out);

/* ---- a moment, as in postgres.h ----------------------------------------------------- */

/* Begins one unless there is one, and counts reads from 0.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_adbc_begin(struct sotto_adbc *a, unsigned seconds, struct sotto_error *err);
bool sotto_adbc_has_begun(const struct sotto_adbc *a);

/*
 * A connection for each of the given number of scans at once.
 *
 * Fails:    SOTTO_EIO with a sentence; SOTTO_EREFUSED if a table is read twice without a
 *           common moment.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_adbc_reserve(struct sotto_adbc *a, size_t scans, struct sotto_error *err);

/* Why the last description failed, as a sentence. */
enum sotto_status sotto_adbc_refuse(const struct sotto_adbc *a, struct sotto_error *err);
void sotto_adbc_end(struct sotto_adbc *a);

/* A statement runs: its scans are counted from 0. */
void sotto_adbc_start(struct sotto_adbc *a);

/*
 * The connection for a scan of a table; false if there is none, or if the statement has
 * scanned the table already and reads share no moment.
 */
bool sotto_adbc_borrow(struct sotto_adbc *a, const struct sotto_adbc_table *table,
		       struct AdbcConnection *out);

/* For another scan if it is idle; else it is closed. */
void sotto_adbc_give_back(struct sotto_adbc *a, struct AdbcConnection *c, bool is_idle);

#endif
