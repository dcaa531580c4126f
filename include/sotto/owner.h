/*
 * sotto/owner.h - what the owner of the data does before others ask: policy, ledger, sealing
 *
 *	sotto_policy_starter(&from, &text, &err);        a policy to read and to correct
 *	sotto_policy_seal("sotto.yaml", &options, &report, &err);
 *	sotto_policy_create_ledger("sotto.yaml", SOTTO_NEIGHBOURS_ADD_REMOVE, &path, &err);
 */
#ifndef SOTTO_OWNER_H
#define SOTTO_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/ledger.h"
#include "sotto/status.h"

/*
 * ---- The policy and its ledger
 */

/*
 * Creates the ledger that a policy names, and its witness; the caller frees *path, its name.
 * Only the owner does this: a question never creates a ledger.
 *
 * Fails:    SOTTO_ESTATE if it already exists; SOTTO_EMISSING, SOTTO_EPARSE for the policy;
 *           SOTTO_EIO.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_policy_create_ledger(const char *policy, enum sotto_ledger_neighbours neighbours,
			   char **path, struct sotto_error *err);

/*
 * Accepts the present text of a policy for its ledger, in the name of `who`.  Only the owner
 * does this.  Until then a session refuses a policy that was changed in anything except
 * bounds, keys, steps, max_groups, max_rows, max_text, or new private tables of a known unit.
 * *difference says what changed, with a line break between changes; it is empty if nothing
 * did, and the caller frees it.  If the
 * witness of the ledger is missing, or has seen entries that the ledger lacks, accepting
 * states that this ledger is the latest one.
 *
 * Fails:    SOTTO_EMISSING, SOTTO_EPARSE, SOTTO_EIO, SOTTO_ECORRUPT.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_policy_accept(const char *policy, const char *who, char **difference,
		    struct sotto_error *err);

/* The inputs for a starter policy.  Only files, file_count and unit must be set. */
struct sotto_starter {
	const char *policy; /* the file it is meant for, because paths in it are relative to its
			       folder; NULL: sotto.yaml in the current folder */
	const char *const *files;
	size_t file_count;
	const char *unit; /* a column name, or "row" */
	const char *dsn; /* names without a / are tables in PostgreSQL; NULL: all are files */
	const char *driver, *uri; /* the same for an ADBC driver; both or neither */
	const char *const *public_files; /* nothing in these is private */
	size_t public_count;
	const char *const *columns; /* names, for the one text file that is given; or NULL */
	size_t column_count;
	bool has_no_header; /* the first line of that file is a record */
	bool has_header; /* the first lines are headers, whatever they look like */
};

/*
 * A commented policy, made from headers and catalogues.  The caller frees *text.
 *
 * A JSON file needs `columns`, and a first line with numbers in it is read as a header only
 * if has_header is set.
 *
 * Fails:    SOTTO_EREFUSED if names or the unit are not clear, err says what to set;
 *           SOTTO_EIO, SOTTO_EPARSE, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_policy_starter(const struct sotto_starter *from, char **text, struct sotto_error *err);

/*
 * ---- Sealing: reading the owner's files once, record by record
 *
 * The data owner seals files.  A text source (CSV, JSON) is read once and
 * kept as a columnar copy that queries read from then on; a Parquet or database file
 * is checked value by value, and its size and digests are recorded.  The contents of one
 * record never affect how another one is read: a sealed table maps each record to a row or
 * to nothing.  Argument: src/central/seal/seal.md.
 *
 * A report is for the owner only: it says how many records there are and which of
 * them are malformed.  It never contains the contents of records.
 */

/* May a value contain line breaks?  Matters only if a text can be read both ways. */
enum sotto_line_breaks {
	SOTTO_LINE_BREAKS_ASK, /* refuse such a text */
	SOTTO_LINE_BREAKS_YES, /* a record may have several lines (in JSON also parts of lines) */
	SOTTO_LINE_BREAKS_NO, /* each line is one record */
};

/* All zero: every table, nothing dropped. */
struct sotto_seal_options {
	const char *const *tables; /* names; NULL: all */
	size_t table_count;
	bool drop_malformed;
	enum sotto_line_breaks line_breaks;
	/* Called now and then; total is the size of the file.  May be NULL. */
	void (*progress)(void *context, const char *file, uint64_t done, uint64_t total);
	void *context;
};

enum sotto_seal_state {
	SOTTO_SEAL_DONE, /* sealed now */
	SOTTO_SEAL_KEPT, /* was sealed, and has not changed */
	SOTTO_SEAL_REFUSED, /* records are malformed or ambiguous, or a promise of the policy
			       does not hold; what was sealed before stays */
	SOTTO_SEAL_SERVER, /* a table on a server, which every query reads */
};

/* A malformed record, lines that can be read in two ways, or a promise that does not hold. */
struct sotto_seal_flaw {
	const char *file;
	uint64_t line, last_line; /* of a text; 0 for a table that has no lines */
	const char *reason;
	bool is_ambiguous;
	bool is_promise; /* of the policy: unique, nullable: false, via, laid_out_by */
};

/*
 * A column of texts, some of which are not of the type that the policy gives it; or a field of
 * JSON, or a unit, that no record has.
 */
struct sotto_seal_unread {
	const char *column, *type;
	uint64_t values,
		of; /* so many of those that are not empty, which queries read as NULL; 0
				of 0: no record has a value */
};

struct sotto_sealed_table {
	const char *name;
	const char *source; /* as written in the policy */
	enum sotto_seal_state state;
	bool is_copied; /* queries read a copy */
	bool names_from_line; /* the names were read from the first line of the file */
	const char **columns;
	size_t column_count;
	uint64_t records;
	uint64_t malformed, ambiguous; /* all of them; the list may have fewer */
	uint64_t broken_promises; /* of the policy, about columns */
	struct sotto_seal_flaw *flaws;
	size_t flaw_count;
	struct sotto_seal_unread *unread;
	size_t unread_count;
	const char *note; /* what costs time, or what nobody can check on a server; or NULL */
};

struct sotto_seal_report {
	struct sotto_sealed_table *tables;
	size_t table_count;
	size_t refused; /* how many tables were */
};

/*
 * Seals the tables of a policy.  A table that is refused leaves what was sealed before
 * as it is; other tables are sealed.  The caller frees *out.
 *
 * Fails:    SOTTO_EMISSING, SOTTO_EPARSE for the policy or a table it does not have;
 *           SOTTO_EIO for a file that cannot be read or written; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_policy_seal(const char *policy, const struct sotto_seal_options *options,
		  struct sotto_seal_report **out, struct sotto_error *err);
SOTTO_API void sotto_seal_report_free(struct sotto_seal_report *r);

/*
 * ---- Parquet files laid out by the privacy unit, for many machines
 *
 *	struct sotto_layout_options how = {.source = "events.parquet", .destination = "events",
 *					   .unit = "uid", .buckets = 64};
 *	sotto_layout_write(&how, &report, &err);
 *
 * All rows of one unit are in one folder: events/bucket=I/part-0.parquet.  A worker that
 * answers for bucket I then reads only that folder.  events/sotto-layout.json lists the
 * column, the number of buckets, and the files; sotto_policy_seal checks every row
 * before a question relies on it.  Argument: src/central/seal/layout/layout.md.
 */

/* Called now and then; done of total.  May be NULL. */
typedef void (*sotto_layout_progress_fn)(void *context, const char *what, uint64_t done,
					 uint64_t total);

#define SOTTO_LAYOUT_ROW "row" /* as a unit */

struct sotto_layout_options {
	const char *source; /* Parquet, CSV or JSON files, by their path or by a pattern; or a
			       folder of Parquet files with a / at its end */
	const char *destination; /* a folder that does not exist yet */
	const char *unit; /* the column by which rows are divided; "row": each row is a unit */
	uint32_t buckets; /* 1 to 100,000 */
	uint32_t processes; /* of this machine; 0: the policy's workers, or one process */
	const char
		*policy; /* a policy whose spread: names workers, and whose tables say how text
			       files are read; NULL: none */
	uint64_t slice; /* rows that one worker writes at a time; 0: chosen for you */
	sotto_layout_progress_fn progress;
	void *context;
};

/* The size of a layout, for the owner. */
struct sotto_layout_report {
	uint32_t buckets;
	uint64_t files, rows, bytes;
};

/*
 * Writes the folder.  It gets its name when it is complete, on disk, and was found to have
 * the rows of the source, each once and each in its bucket; until then it is called
 * destination.unfinished.  The next attempt with the same options continues there, any other
 * begins again.
 *
 * Fails:    SOTTO_EINVAL for NULL; SOTTO_ESTATE if the destination already exists or another
 *           process writes it; SOTTO_EMISSING if the source or the column does not exist;
 *           SOTTO_EPARSE if the source cannot be read; SOTTO_ERANGE for the buckets;
 *           SOTTO_EIO; err never contains a value of the data.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_layout_write(const struct sotto_layout_options *options,
		   struct sotto_layout_report *report, struct sotto_error *err);

/*
 * Reads such a folder again, and checks that the files are those that were written and that
 * each row is in its bucket.
 *
 * Fails:    SOTTO_EMISSING if it has no sotto-layout.json; SOTTO_ECORRUPT if that is damaged;
 *           SOTTO_ESTATE if a file has changed or a row is in the wrong bucket; SOTTO_EIO.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_layout_check(const char *folder, sotto_layout_progress_fn progress, void *context,
		   struct sotto_layout_report *report, struct sotto_error *err);

/*
 * ---- Tables in memory: data frames, Arrow tables
 *
 * A data frame is written to a Parquet file, which a policy names as a source and which is
 * sealed like any other.  It is read through the C stream interface of Apache Arrow, which
 * pandas, polars, pyarrow and DuckDB provide.
 */

/* The three structs of Arrow, copied from its specification as every producer does. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};
#endif

/*
 * Writes every batch of a stream of structs into a new Parquet file that only its owner can
 * read.  The stream is read to its end; the caller still owns it and releases it.
 *
 * Fails:    SOTTO_EINVAL for a stream that was released; SOTTO_ESTATE if the file already
 *           exists; SOTTO_EREFUSED if a column has a type that cannot be stored, or the
 *           producer fails; SOTTO_EMISSING without libduckdb; SOTTO_EIO.  No file is
 *           left then, and err contains no value of the table.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_arrow_store(struct ArrowArrayStream *stream, const char *path, struct sotto_error *err);

#endif
