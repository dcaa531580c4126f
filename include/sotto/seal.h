/*
 * sotto/seal.h - reading the owner's files once, record by record
 *
 *	struct sotto_seal_options options = {.drop_malformed = true};
 *	sotto_policy_seal("sotto.yaml", &options, &report, &err);
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
#ifndef SOTTO_SEAL_H
#define SOTTO_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

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
	bool is_promise; /* unique: true or nullable: false of a column */
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
	const char *note; /* a hint about something that only costs time, or NULL */
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

#endif
