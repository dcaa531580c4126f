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
	/* the table at hand */
	const struct sotto_policy_table *table;
	struct sotto_sealed_table *report;
	struct sotto_files files;
	const char *file; /* that is being read, for progress */
	uint64_t file_size;
	struct sotto_sealed entry; /* what will be recorded */
	struct sotto_error *err;
};

/* SOTTO_EIO: the source, with the line of the policy. */
enum sotto_status sotto_sealer_unreadable(const struct sotto_sealer *s);

/* Adds to the report.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealer_add_flaw(struct sotto_sealer *s, const struct sotto_seal_flaw *flaw);
SOTTO_MUST_CHECK enum sotto_status
sotto_sealer_add_column(struct sotto_sealer *s, const char *name, const char *type);

/* Whether what was found forbids to go on; sets the report's state. */
bool sotto_sealer_refuses(struct sotto_sealer *s);

/*
 * Runs a query whose rows become the copy, durably and readable for the owner alone;
 * fills entry.copy, entry.copy_id.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealer_write_copy(struct sotto_sealer *s, struct sotto_database *d, const char *query);

/* The files as a list of the engine's: ['a', 'b']. */
const char *sotto_sealer_list(struct sotto_sealer *s, const char *const *paths, size_t count);

#endif
