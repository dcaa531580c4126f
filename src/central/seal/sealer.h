/*
 * sealer.h - the steps of sealing one table
 */
#ifndef SOTTO_SEALER_H
#define SOTTO_SEALER_H

#include "central/seal/seal_database.h"
#include "central/seal/manifest/sealed.h"
#include "central/seal/text/record_reader.h"
#include "sotto/owner.h"

struct sotto_sealer {
	const struct sotto_policy *policy;
	const struct sotto_seal_options *options;
	struct sotto_manifest manifest;
	struct sotto_arena *arena; /* of the report; manifest texts live here too */
	/* the current table */
	const struct sotto_policy_table *table;
	struct sotto_sealed_table *report;
	struct sotto_files files;
	const char *file; /* that is being read, for progress */
	uint64_t file_size;
	struct sotto_sealed entry; /* what will be recorded */
	struct sotto_error *err;
};

/* Returns SOTTO_EIO with a sentence that names the source and the line of the policy. */
enum sotto_status sotto_sealer_unreadable(const struct sotto_sealer *s);

/* Attaches the table's database file.  Fails: SOTTO_EIO with such a sentence, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealer_attach(struct sotto_sealer *s, struct sotto_database *d);

/* Add to the report.  Fail: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealer_add_flaw(struct sotto_sealer *s, const struct sotto_seal_flaw *flaw);
SOTTO_MUST_CHECK enum sotto_status
sotto_sealer_add_column(struct sotto_sealer *s, const char *name, const char *type);

/* Sets the report's state; true if the flaws that were found forbid to go on. */
bool sotto_sealer_refuses(struct sotto_sealer *s);

/*
 * The relation that queries will read, as this engine names it; it attaches a database file.
 *
 * Fails:    SOTTO_EIO with a sentence; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealer_relation(struct sotto_sealer *s, struct sotto_database *d, const char **out);

/*
 * The name of a file that is made of the table: of its name, the digest of the seed (NULL: there
 * is no memory) and of the contents of its files, and the end.  NULL without memory.
 */
const char *sotto_sealer_name(struct sotto_sealer *s, const char *seed, const char *end);

/*
 * Whether the copy of entry was read with the word about line breaks that the owner has given
 * now.  True without a word, without a text, or without its files, which could not be read again.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealer_reads_alike(struct sotto_sealer *s, bool *alike);

/*
 * Writes the rows of a query as the copy, durably and readable only by the owner, and fills
 * entry.copy and entry.copy_id.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealer_write_copy(struct sotto_sealer *s, struct sotto_database *d, const char *query);

/* The files as a list for the engine: ['a', 'b']. */
const char *sotto_sealer_list(struct sotto_sealer *s, const char *const *paths, size_t count);

#endif
