/*
 * postgres_scan.h - a table of PostgreSQL as a table of the engine
 */
#ifndef SOTTO_POSTGRES_SCAN_H
#define SOTTO_POSTGRES_SCAN_H

#include "central/engine/duckdb_library.h"
#include "central/engine/postgres/postgres.h"

/*
 * Gives the engine the table function postgres(NAME).  Both api and p must
 * outlive the connection's database.
 *
 * Fails:    SOTTO_EIO; SOTTO_ENOMEM; SOTTO_ESTATE if another library of the
 *           engine was used before in this process.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_postgres_register(const struct sotto_duckdb *api,
							   duckdb_connection connection,
							   struct sotto_postgres *p);

#endif
