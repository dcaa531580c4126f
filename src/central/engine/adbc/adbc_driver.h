/*
 * adbc_driver.h - a driver of ADBC, loaded at run time: connections and statements
 *
 * Messages of a driver are thrown away unread: they may quote rows, or a password in the
 * address.  Only the five-letter code of an error is kept, for the owner's log.
 */
#ifndef SOTTO_ADBC_DRIVER_H
#define SOTTO_ADBC_DRIVER_H

#include <stdbool.h>

#include "central/engine/adbc/adbc_abi.h"
#include "core/base/arena.h"
#include "sotto/status.h"

enum { SOTTO_ADBC_CODE = 8, SOTTO_ADBC_VENDOR = 64 };

struct sotto_adbc_driver {
	struct AdbcDriver functions;
	struct AdbcDatabase database;
	bool has_database;
};

/*
 * driver: a file, if there is a / in it, else the name of a library, with or without "lib"
 * and ".so".  It stays loaded: it may have threads of its own.
 *
 * Fails:    SOTTO_EMISSING if there is no such library, or it is not an ADBC driver;
 *           SOTTO_EIO if it does not accept the address.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_adbc_driver_open(struct sotto_adbc_driver *d,
							  const char *driver, const char *uri,
							  struct sotto_error *err);
void sotto_adbc_driver_close(struct sotto_adbc_driver *d);

/* Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_adbc_connect(struct sotto_adbc_driver *d, struct AdbcConnection *out);
void sotto_adbc_disconnect(struct sotto_adbc_driver *d, struct AdbcConnection *c);

/* Whether the driver took the option. */
bool sotto_adbc_set(struct sotto_adbc_driver *d, struct AdbcConnection *c, const char *option,
		    const char *value);
void sotto_adbc_rollback(struct sotto_adbc_driver *d, struct AdbcConnection *c);

/* What the other side calls itself, "PostgreSQL"; empty if it does not say. */
void sotto_adbc_vendor(struct sotto_adbc_driver *d, struct AdbcConnection *c,
		       char out[SOTTO_ADBC_VENDOR]);

/* ---- rows ------------------------------------------------------------------------ */

/* A statement whose rows are being read.  A zeroed struct is not a statement. */
struct sotto_adbc_rows {
	struct AdbcStatement statement;
	struct ArrowArrayStream stream;
	struct ArrowSchema schema; /* a struct of the columns */
	struct ArrowArray batch; /* the last that came */
	char code[SOTTO_ADBC_CODE]; /* of the error that ended it, or "" */
};

/*
 * Runs a query.  Close the rows even if it fails.
 *
 * Fails:    SOTTO_EIO if the other side refuses; SOTTO_EPARSE if its result does not have
 *           the shape of a table.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_adbc_rows_open(struct sotto_adbc_driver *d, struct AdbcConnection *c, const char *sql,
		     struct sotto_adbc_rows *out);
void sotto_adbc_rows_close(struct sotto_adbc_driver *d, struct sotto_adbc_rows *r);

/*
 * The next batch takes the place of the last; not *found after the end.  A batch has as
 * many columns as the schema.  Fails: SOTTO_EIO, SOTTO_EPARSE.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_adbc_rows_next(struct sotto_adbc_rows *r, bool *found);

/* Runs a statement that returns no rows.  Fails: SOTTO_EIO; SOTTO_ESTATE if it got no lock. */
SOTTO_MUST_CHECK enum sotto_status
sotto_adbc_execute(struct sotto_adbc_driver *d, struct AdbcConnection *c, const char *sql);

/*
 * All rows of a short query whose columns are texts; a NULL is "".  Cell (row, column) is
 * (*out)[row * columns + column].
 *
 * Fails:    SOTTO_EIO, SOTTO_EPARSE for other columns, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_adbc_ask(struct sotto_adbc_driver *d, struct AdbcConnection *c, const char *sql,
	       size_t columns, struct sotto_arena *arena, const char ***out, size_t *rows);

#endif
