/*
 * duckdb_embedded.h - DuckDB inside this process
 *
 * The worker drives it (worker_loop.c); everybody else asks a worker (engine.h), so
 * that memory, time and crashes of the engine stay there.  Acts of the data owner
 * that read no analyst's question may use it directly.
 */
#ifndef SOTTO_DUCKDB_EMBEDDED_H
#define SOTTO_DUCKDB_EMBEDDED_H

#include "central/engine/engine.h"

struct sotto_embedded;

/*
 * Starts the engine with all its threads.  The library is looked for in $SOTTO_DUCKDB (a
 * file), then where the system keeps libraries, then in .cache/duckdb beside the program
 * or in the folders above it.  Limits of 0 are the engine's own.
 *
 * Fails:    SOTTO_EMISSING if there is no library (err says where to get it);
 *           SOTTO_EIO if it does not start.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_embedded_open(const struct sotto_engine_limits *limits,
						       struct sotto_embedded **out,
						       struct sotto_error *err);
void sotto_embedded_close(struct sotto_embedded *e);

/* As the functions of engine.h. */
SOTTO_MUST_CHECK enum sotto_status
sotto_embedded_use_postgres(struct sotto_embedded *e, const char *dsn, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_embedded_use_adbc(struct sotto_embedded *e, const char *driver, const char *uri,
			bool *shares_moment, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_embedded_execute(struct sotto_embedded *e, const char *sql);
SOTTO_MUST_CHECK enum sotto_status
sotto_embedded_lock(struct sotto_embedded *e, const char *const *paths, size_t path_count,
		    const char *const *folders, size_t folder_count);
SOTTO_MUST_CHECK enum sotto_status
sotto_embedded_run(struct sotto_embedded *e, const char *sql, struct sotto_engine_result **out);
/* The same as a partial result, which those of other workers are added to. */
SOTTO_MUST_CHECK enum sotto_status sotto_embedded_run_partial(struct sotto_embedded *e,
							      const char *sql,
							      struct sotto_engine_result **out);
/* The library's version, like v1.4.4. */
const char *sotto_embedded_version(const struct sotto_embedded *e);
const char *sotto_embedded_detail(const struct sotto_embedded *e);

SOTTO_MUST_CHECK enum sotto_status sotto_embedded_prepare(struct sotto_embedded *e,
							  const char *sql, unsigned seconds,
							  struct sotto_error *err);
void sotto_embedded_finish(struct sotto_embedded *e);

#endif
