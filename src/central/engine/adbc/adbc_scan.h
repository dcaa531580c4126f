/*
 * adbc_scan.h - a table behind an ADBC driver as a table of the engine
 */
#ifndef SOTTO_ADBC_SCAN_H
#define SOTTO_ADBC_SCAN_H

#include "central/engine/adbc/adbc.h"
#include "central/engine/duckdb_library.h"

/*
 * Gives the engine a table function adbc('NAME').  Both must live as long as the
 * connection.
 *
 * Fails:    SOTTO_EIO, SOTTO_ENOMEM, SOTTO_ESTATE if another library of the engine was
 *           used before.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_adbc_register(const struct sotto_duckdb *api,
						       duckdb_connection connection,
						       struct sotto_adbc *a);

#endif
