/*
 * engine.h - the database that aggregates
 *
 * DuckDB in a process of its own, a worker, in memory, without a temporary folder,
 * without extensions from the network.  Only SQL that this program wrote itself is
 * given to it.  Rows come from files, from PostgreSQL or through a driver of ADBC.
 *
 * A worker that takes more memory or time than it may, or crashes, ends alone: the call
 * that it was busy with fails, every later call fails, and the engine can be closed and
 * another opened.  An engine is for one thread at a time.
 */
#ifndef SOTTO_ENGINE_H
#define SOTTO_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/noise.h"
#include "sotto/status.h"

struct sotto_engine;
struct sotto_engine_result;

/*
 * The type of a text of which the server calls other texts equal (citext, a collation that
 * ignores case, 1.0 and 1.00 in a list).
 */
#define SOTTO_FOLDED_TEXT "FOLDED_TEXT"

/* What a worker may use. */
struct sotto_engine_limits {
	unsigned
		threads; /* 0: one for each core; more than four for each core are never used */
	uint64_t memory; /* bytes of the whole process; 0: four fifths of the machine's */
	uint64_t processor; /* nanoseconds of processor time, of all threads; 0: any */
};

enum { SOTTO_ENGINE_THREADS_MAX = 256 };
#define SOTTO_ENGINE_MEMORY_MIN ((uint64_t)256 << 20)

/*
 * Starts a worker with all its threads.  The program is the file $SOTTO_WORKER, else this
 * program if it is called sotto, else the sotto that lies beside or above the shared
 * library or this program, else the installed one; and in the place of sotto, the small
 * sotto-worker beside it if it is of the same build.  NULL limits: the defaults.
 *
 * Fails:    SOTTO_EMISSING if there is no program or no library of DuckDB, SOTTO_ESTATE
 *           if the program is of another version, SOTTO_ERANGE for limits that it cannot
 *           keep, SOTTO_EIO if it does not start; err says what to do.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_engine_open_within(const struct sotto_engine_limits *limits, struct sotto_engine **out,
			 struct sotto_error *err);

/* Ends the worker, whatever it does. */
void sotto_engine_close(struct sotto_engine *e);

/*
 * How long the calls from now on may take together, in nanoseconds; then the worker is
 * ended.  UINT64_MAX: as long as they like, as at the start.
 */
void sotto_engine_allow(struct sotto_engine *e, uint64_t time);

/*
 * The same, and how much processor time they may take: on a busy machine that is what they would
 * take on a quiet one.
 */
void sotto_engine_allow_work(struct sotto_engine *e, uint64_t work, uint64_t time);

/* Processor time that the engine's process has taken, in nanoseconds; UINT64_MAX once it has ended. */
uint64_t sotto_engine_work(const struct sotto_engine *e);

/* The worker has ended: no call will succeed any more. */
bool sotto_engine_is_lost(struct sotto_engine *e);

/*
 * Lets the engine read tables of a PostgreSQL server, as postgres('NAME').  dsn is
 * a connection string; what it does not say is taken from the PG* environment.
 *
 * Fails:    SOTTO_EMISSING without libpq; SOTTO_EIO with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_engine_use_postgres(struct sotto_engine *e, const char *dsn, struct sotto_error *err);

/*
 * Lets the engine read tables through a driver of ADBC, as adbc('NAME').  driver is the path
 * or name of its library, uri what the driver takes as the address.  *shares_moment: all
 * reads of a question are of one moment; otherwise each table has a moment of its own, and
 * _prepare refuses a statement that reads one twice.
 *
 * Fails:    SOTTO_EMISSING without the driver; SOTTO_EREFUSED, SOTTO_EIO with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_engine_use_adbc(struct sotto_engine *e, const char *driver, const char *uri,
		      bool *shares_moment, struct sotto_error *err);

/*
 * Runs a statement made from the policy (ATTACH, CREATE VIEW) or from noisy values
 * (CREATE TEMP TABLE).  Fails:
 * SOTTO_EIO; sotto_engine_detail then has the engine's words.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_engine_execute(struct sotto_engine *e, const char *sql);

/*
 * From here on no setting can be changed, no file read but the paths given and what
 * lies in the folders given, and none written.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_engine_lock(struct sotto_engine *e, const char *const *paths, size_t path_count,
		  const char *const *folders, size_t folder_count);

/* Name and engine type of each column of a relation, without reading rows. */
typedef enum sotto_status (*sotto_engine_column_fn)(void *context, const char *name,
						    const char *type);
SOTTO_MUST_CHECK enum sotto_status
sotto_engine_columns(struct sotto_engine *e, const char *relation, sotto_engine_column_fn each,
		     void *context);

/*
 * Runs a query and keeps its whole result in memory.  On PostgreSQL one that was not
 * prepared sees a moment of its own.
 *
 * Fails:    SOTTO_EIO.  The engine's words may hold values of private rows:
 *           they stay in sotto_engine_detail, for the owner's log only.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_engine_run(struct sotto_engine *e, const char *sql, struct sotto_engine_result **out);

/*
 * Has all that a statement needs besides rows, before anything is charged: on
 * PostgreSQL a snapshot, which all statements up to _finish share, locks of the
 * tables and a connection for each scan; with ADBC the same as far as the driver can.  No statement on the server then takes
 * more than so many seconds.  Does nothing if all tables are files.
 *
 * Fails:    SOTTO_EIO with a sentence; nothing is then held.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_engine_prepare(struct sotto_engine *e, const char *sql,
							unsigned seconds,
							struct sotto_error *err);

/* Gives back what was prepared; does nothing if nothing was. */
void sotto_engine_finish(struct sotto_engine *e);

/* Wipes what it held; NULL is nothing. */
void sotto_engine_result_free(struct sotto_engine_result *r);

enum sotto_engine_kind {
	SOTTO_ENGINE_NULL,
	SOTTO_ENGINE_BOOL,
	SOTTO_ENGINE_INTEGER,
	SOTTO_ENGINE_NUMBER,
	SOTTO_ENGINE_TEXT,
};

struct sotto_engine_cell {
	enum sotto_engine_kind kind;
	int64_t integer; /* also a truth value */
	double number;
	const char *text; /* borrowed from the result */
};

size_t sotto_engine_rows(const struct sotto_engine_result *r);
size_t sotto_engine_column_count(const struct sotto_engine_result *r);
/* How the values of a column are read. */
enum sotto_engine_column {
	SOTTO_ENGINE_CELLS,
	SOTTO_ENGINE_EXACTS,
	SOTTO_ENGINE_LISTS,
	SOTTO_ENGINE_WIDES, /* 128-bit integers of a partial result, to be added up */
};
enum sotto_engine_column
sotto_engine_column_kind(const struct sotto_engine_result *r, size_t column);

/*
 * Whether the first columns are so many of cells, then of exact integers, then of lists.
 * Looked at before values are read.
 */
bool sotto_engine_has_shape(const struct sotto_engine_result *r, size_t cells, size_t exacts,
			    size_t lists);
const char *sotto_engine_column_name(const struct sotto_engine_result *r, size_t column);
struct sotto_engine_cell
sotto_engine_cell(const struct sotto_engine_result *r, size_t row, size_t column);

/*
 * An integer aggregate (NULL is 0).  Held at +-2^62: holding moves no two
 * values further apart, so a sensitivity stays one.
 */
struct sotto_exact
sotto_engine_exact(const struct sotto_engine_result *r, size_t row, size_t column);

/*
 * A list in one cell: counts of values, in the order of the values, or of keys, in the
 * order of the SQL; empty where the cell is NULL.
 */
struct sotto_engine_list {
	size_t n;
	struct sotto_exact *values; /* NULL if they are keys */
	struct sotto_engine_cell *keys;
	struct sotto_exact *counts;
};

/* Borrowed from the result. */
const struct sotto_engine_list *
sotto_engine_list(const struct sotto_engine_result *r, size_t row, size_t column);

/* The engine's own words for the last failure, or how it ended; may hold private values. */
const char *sotto_engine_detail(const struct sotto_engine *e);

#endif
