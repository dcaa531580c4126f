/*
 * sotto/query.h - SQL answers under a policy and a durable budget
 *
 *	sotto_session_open("sotto.yaml", &session, &err);
 *	question.sql = "SELECT city, COUNT(*) FROM patients GROUP BY city";
 *	sotto_session_query(session, &question, &answer, &err);
 *
 * The analyst's text never reaches the engine: it is parsed and planned, and the library
 * writes its own SQL.  A release is charged to the ledger before any private
 * row is read; every number of an answer that depends on private rows is noisy.
 *
 * Threads:  every function of a session may be called from any number of threads
 *           at once; calls on one session wait for each other, calls on several
 *           sessions run in parallel, even with the same ledger.  A session cannot be
 *           used in a child after fork(): there every function except _close fails with
 *           SOTTO_ESTATE, and the child must open its own.  Do not call _close while
 *           another call on the same session runs.
 * NULL:     every function that returns a status refuses NULL where it needs a
 *           value with SOTTO_EINVAL; err may always be NULL.
 * Structs:  a zeroed struct is a valid empty value, and releasing or freeing NULL
 *           does nothing.
 */
#ifndef SOTTO_QUERY_H
#define SOTTO_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/answer.h"
#include "sotto/ledger.h"
#include "sotto/rational.h"
#include "sotto/status.h"

/*
 * ---- What a query would do, what it would cost and how large its error would be
 *
 * An explanation follows from the query, the policy and the schema; no private
 * row is read to make it.  The numbers are for programs, the lines for people.
 */

/* One line for people: its section, its subject, and its text. */
struct sotto_explanation_line {
	const char *section, *name, *text;
};

struct sotto_explained_key {
	const char *name;
	bool is_public; /* a private key is shown only if it passes the threshold */
	int64_t values; /* how many a public key has; -1 if only a public table knows */
	const char *why; /* why it is public or private */
};

/* One number per group that gets noise; the figures are in the unit of the column. */
struct sotto_explained_measure {
	const char *what; /* "rows", "units", "sum", ... */
	const char **used_by; /* names of the columns that read it */
	size_t used_by_count;
	bool is_bounded; /* every value is clipped to lo .. hi, and centre is subtracted */
	double lo, hi, centre, step;
	double sensitivity; /* how much one unit can change it in one group */
	double scale; /* of Laplace noise, or sigma of Gaussian noise */
	double error; /* the noise is no larger than this with probability 95 % */
};

/* What is chosen in each group instead of counted: quantiles, or the most frequent value. */
struct sotto_explained_choice {
	const char *what; /* "quantiles" or "mode" */
	const char *method; /* "exponential mechanism" or "tree of noisy counts" */
	double lo, hi, step; /* of the grid on which quantiles are searched */
	double error; /* with probability 95 %, at most this many values lie between the true
			 quantile and the answer */
};

struct sotto_explained_column {
	const char *name, *type;
	bool noisy;
	double error; /* 95 %; NaN if it depends on the data */
	double error_times_count; /* for averages: divide it by the number of values to get the
				     error; NaN otherwise */
	double typical_error; /* 95 %, of averages and of what is computed from noisy numbers,
				 for a group of typical_group units; NaN if it is not known */
};

struct sotto_explanation {
	struct sotto_explanation_line *lines;
	size_t count;

	const char *table,
		*unit; /* table NULL: only public tables; unit NULL: each row is one */
	int64_t groups, rows; /* a unit counts in at most that many groups, and rows in each */
	bool drops_groups; /* groups of a unit beyond that are dropped */
	struct sotto_limits *limits; /* of the question, or of each of its parts */
	size_t limits_count;
	struct sotto_explained_key *keys;
	size_t key_count;
	int64_t threshold; /* a private key is shown from this noisy number of units; 0: none */
	struct sotto_explained_measure *measures;
	size_t measure_count;
	struct sotto_explained_choice *choices;
	size_t choice_count;
	struct sotto_explained_column *columns;
	size_t column_count;
	int64_t typical_group; /* units in the group for which typical errors are told */
	const char *mechanism;
	const char *engine_sql;

	struct sotto_rational epsilon, delta; /* what it would cost */
	struct sotto_rational epsilon_left, delta_left; /* afterwards; now, if not affordable */
	uint64_t fits; /* how many questions like this one fit into the budget, this one
			  included */
	bool affordable;
	bool repeated; /* it was answered before: asking again is free */
	bool assumes_limits; /* max_groups and max_rows (auto) are not known yet: the errors here
				are for 1 group and 1 row, and may become larger */
	bool data_changed; /* since that answer was given */

	double time_limit; /* seconds; a question that takes longer is charged and fails */
	uint64_t memory_limit; /* bytes; 0: four fifths of the machine's */
	double pad; /* seconds: an answer from private rows is sent at a multiple; 0: at once */
	uint32_t buckets; /* buckets of units, each read by its own worker; 0: one engine */
};

struct sotto_session;

/*
 * Reads the policy.  Engine and ledger are opened when they are first needed.
 *
 * Fails:    SOTTO_EMISSING, SOTTO_EPARSE; err has file, line and a hint.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_session_open(const char *policy, struct sotto_session **out, struct sotto_error *err);

struct sotto_session_options {
	/*
	 * Nanoseconds: an answer from private rows is returned at a multiple of this after
	 * the charge, if the policy has no `time: pad`.  0: at once.
	 */
	uint64_t pad;
	/* Ends the engine before an answer is returned, so that the padding hides this too. */
	bool one_question;
};

/* The same with options; NULL: all of them 0. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_session_open_with(const char *policy, const struct sotto_session_options *options,
			struct sotto_session **out, struct sotto_error *err);
SOTTO_API void sotto_session_close(struct sotto_session *s);

/*
 * How many threads the engine may use, from 1 to 256; 0 (the default): one for each core.
 * It never uses more than four for each core.
 */
SOTTO_API void sotto_session_set_threads(struct sotto_session *s, unsigned threads);

/*
 * Sets a function that is called each time a bucket of a spread question is done;
 * NULL: none.  The time of these calls depends on private rows, so it is not called if the
 * policy pads times.
 */
typedef void (*sotto_progress_fn)(void *context, uint32_t done, uint32_t buckets);
SOTTO_API void
sotto_session_set_progress(struct sotto_session *s, sotto_progress_fn progress, void *context);

enum sotto_parameter_kind {
	SOTTO_PARAMETER_NULL,
	SOTTO_PARAMETER_BOOL, /* "true" or "false" */
	SOTTO_PARAMETER_NUMBER, /* "-1.5e3" */
	SOTTO_PARAMETER_TEXT, /* like a literal in quotes: takes the type that the context needs */
	SOTTO_PARAMETER_DATE, /* "2024-05-01" */
	SOTTO_PARAMETER_TIMESTAMP, /* "2024-05-01 10:11:12.5" */
};

/* A value for $1, $2, … of a question: one constant, whatever its text contains. */
struct sotto_bound_value {
	enum sotto_parameter_kind kind;
	const char *text; /* not for NULL */
};

/* How much a column of the answer matters compared with the others, from 1 to 1000. */
struct sotto_column_weight {
	const char *column;
	unsigned weight;
};

struct sotto_question {
	const char *sql;
	const struct sotto_bound_value *parameters; /* of $1, $2, … in it */
	size_t parameter_count;
	const char *analyst; /* NULL: "analyst" */
	const struct sotto_rational *epsilon; /* NULL: the policy's default */
	const struct sotto_rational *delta; /* NULL: the policy's default, or what keys need */
	const struct sotto_rational
		*error; /* wanted 95 % error, which decides epsilon; or NULL */
	/* The share of epsilon spent on estimating what the limits lost, from 0 to 1/2; NULL:
	 * the policy's. */
	const struct sotto_rational *diagnostics;
	const char
		*mechanism; /* "laplace" or "gaussian"; NULL: the one with the smaller error */
	const struct sotto_column_weight
		*weights; /* columns that are not named have weight 1 */
	size_t weight_count; /* 0: the library chooses the shares */
	uint32_t spread; /* worker processes of this machine to use, at most 1000; 0: as the
			    policy says, or one engine */
	bool fresh; /* pay again instead of repeating an earlier answer */
	uint64_t pad; /* nanoseconds; can only increase the policy's pad, to a multiple of it */
};

/* A pad of more than a day is cut to a day. */
#define SOTTO_PAD_MAX ((uint64_t)86400 * 1000000000)

/*
 * Answers a question.  The caller frees *out.  A query of several parts (CUBE,
 * finished queries in FROM) is one charge and one stored answer.
 *
 * Privacy:  the rows behind the answer are protected by what was charged.
 * Fails:    SOTTO_EREFUSED, SOTTO_EPARSE, SOTTO_ERANGE, SOTTO_EBUDGET: nothing
 *           was charged.  SOTTO_EIO, SOTTO_EENTROPY after the charge: the charge
 *           stays, and err has one fixed sentence that does not depend on data.
 *           This includes an engine that crashed or exceeded the policy's memory or
 *           time; the session can still be used.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_session_query(struct sotto_session *s, const struct sotto_question *question,
		    struct sotto_answer **out, struct sotto_error *err);

/*
 * What a query would do, what it would cost and how large its error would be.  Reads no
 * private row and charges nothing.  The caller frees *out.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_session_explain(struct sotto_session *s, const struct sotto_question *question,
		      struct sotto_explanation **out, struct sotto_error *err);
SOTTO_API void sotto_explanation_free(struct sotto_explanation *e);

/*
 * What an answer could look like: the question is asked about invented rows, with the noise
 * that the real question would get.  Private tables have as many invented rows as the policy's
 * `rows:` says, by default 1,000; public tables are read as they are.  Nothing is charged, no
 * private row is read, and the result depends only on the policy, the schema and public
 * tables.  The caller frees *out with sotto_answer_free.
 *
 * Fails:    as sotto_session_explain.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_session_preview(struct sotto_session *s, const struct sotto_question *question,
		      struct sotto_answer **out, struct sotto_error *err);

/*
 * ---- What can be asked about
 *
 * Everything here comes from the policy and from headers and catalogues, never from rows.
 */

struct sotto_table_column {
	const char *name;
	const char *type; /* "integer", "number", ...; "untyped": text that takes the type it is
			     used as; "unsupported": cannot be asked about */
	bool is_unit; /* says who a row is about: it can be counted, but is never shown */
	bool nullable, unique; /* promises, as far as queries may rely on them */
	const char *lo, *hi; /* exact; NULL: the policy has no bounds */
	bool bounds_are_days; /* lo and hi are dates, YYYY-MM-DD */
	const char *const *keys; /* public values; a NULL entry is the NULL key */
	size_t key_count;
	bool has_keys; /* otherwise keys are private */
};

struct sotto_table {
	const char *name;
	bool is_public;
	const char *unit; /* who is protected: a column, or "row"; NULL: the table is public */
	const char *via; /* how the unit is reached, "order_id -> orders.order_id"; or NULL */
	int64_t max_groups, max_rows; /* 0: the table is public; -1: auto */
	int64_t rows; /* the policy's number of rows for previews; 0: it has none */
	struct sotto_table_column *columns;
	size_t column_count;
};

struct sotto_tables {
	struct sotto_table *list;
	size_t count;
};

/* The caller frees *out.  Fails: SOTTO_EIO; SOTTO_ESTATE if a source must be sealed first. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_session_tables(struct sotto_session *s,
								  struct sotto_tables **out,
								  struct sotto_error *err);
SOTTO_API void sotto_tables_free(struct sotto_tables *t);

/*
 * The policy's ledger, opened if necessary.  It belongs to the session and is closed with
 * it; closing it yourself does nothing.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_session_ledger(struct sotto_session *s,
								  struct sotto_ledger **out,
								  struct sotto_error *err);

/* The i-th analyst with a share; *name lives as long as the session.  False past the last. */
SOTTO_API bool
sotto_session_analyst(const struct sotto_session *s, size_t i, const char **name);

/*
 * Bounds for a column, found privately: a noisy count of values by magnitude,
 * charged like any query, then the range of magnitudes that clearly occur.
 */
struct sotto_found_bounds {
	double lo, hi;
	bool found; /* false: no magnitude has enough values to be distinguished from noise */
	double needed; /* about this many values of one magnitude are enough at this epsilon */
	struct sotto_rational epsilon, epsilon_left;
	bool repeated;
};

SOTTO_API void sotto_found_bounds_init(struct sotto_found_bounds *b);
SOTTO_API void sotto_found_bounds_release(struct sotto_found_bounds *b);

/* column is "table.column", or "column" if only one private table has it. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_session_bounds(struct sotto_session *s, const char *column,
		     const struct sotto_question *question, struct sotto_found_bounds *out,
		     struct sotto_error *err);

/*
 * Writes bounds that were found into the policy's file, for every session that is
 * opened later.  Comments and everything else in the file stay as they are.
 *
 * Fails:    SOTTO_EREFUSED if they cannot be inserted automatically, SOTTO_EIO;
 *           the file is then unchanged.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_session_write_bounds(struct sotto_session *s, const char *column,
			   const struct sotto_found_bounds *found, struct sotto_error *err);

/*
 * max_groups and max_rows of a private table, found privately for a grouping: noisy counts
 * of units by how many groups they are in, and with how many rows, then about the 95th
 * percentile of each, rounded up to a power of two.
 */
struct sotto_found_contributions {
	int64_t max_groups, max_rows; /* max_groups is 0 without a grouping */
	double groups_beyond, rows_beyond; /* about this share of the units would lose some */
	/* If noise hides the numbers of more than a fifth of the units: about the epsilon that
	 * would be enough; otherwise 0.  INFINITY: the units cannot be distinguished from noise. */
	double needs_epsilon;
	struct sotto_rational epsilon, epsilon_left;
	bool repeated;
};

SOTTO_API void sotto_found_contributions_init(struct sotto_found_contributions *f);
SOTTO_API void sotto_found_contributions_release(struct sotto_found_contributions *f);

/*
 * by: expressions as GROUP BY has them, or NULL for none.  Without an epsilon it costs the
 * policy's auto_epsilon.  Privacy, Fails: as sotto_session_query.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_session_contributions(struct sotto_session *s, const char *table, const char *by,
			    const struct sotto_question *question,
			    struct sotto_found_contributions *out, struct sotto_error *err);

/*
 * Writes them into the policy's file, as sotto_session_write_bounds does.
 *
 * Fails:    SOTTO_EREFUSED also if found->needs_epsilon is not 0, because such limits are
 *           mostly noise.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_session_write_contributions(struct sotto_session *s, const char *table,
				  const struct sotto_found_contributions *found,
				  struct sotto_error *err);

/*
 * ---- The process in which the engine runs
 *
 * Private rows are read by a separate process, `sotto worker`, with limits of memory
 * and time: a failure there ends only that process.  A program that uses
 * sotto/query.h need not care: the library finds the installed sotto and starts it as a child
 * process.  A program may wait for all of its children; this does no harm to the worker.
 */

/*
 * Runs as a worker: serves the process at the other end of a socket, descriptor 3, until
 * that process closes it; then this process ends and the function does not return.
 *
 * If descriptor 3 is not a socket, the function reads a ticket from standard input: the process
 * is then one of several workers, perhaps on another machine, and returns when its part is done.
 *
 * Fails:    SOTTO_EREFUSED if there is no ticket, because the process was not started as a
 *           worker; SOTTO_EIO if its part could not be done.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_worker_serve(struct sotto_error *err);

#endif
