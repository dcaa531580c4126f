/*
 * sealed.h - a sealed table, for queries
 */
#ifndef SOTTO_SEALED_H
#define SOTTO_SEALED_H

#include "central/policy/policy.h"
#include "central/seal/manifest/manifest.h"
#include "central/seal/source/source_files.h"

/* The table inside a database file; NULL for other sources. */
const char *sotto_sealed_inner(const struct sotto_policy_table *t);

/* How SQL names that table, where the file is attached as `catalogue`; NULL without memory. */
const char *sotto_database_relation(struct sotto_arena *a, const char *catalogue,
				    const struct sotto_policy_table *t);

/* What SQL calls a column of what was sealed; NULL without memory, or for a field of nothing. */
const char *sotto_sealed_column_sql(struct sotto_arena *a, const struct sotto_sealed *e,
				    const struct sotto_sealed_column *c);

/* What the policy says on how a source is read; NULL without memory. */
const char *sotto_sealed_layout(struct sotto_arena *a, const struct sotto_policy_table *t);

/* The columns of a JSON table that the policy names.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_sealed_fields(struct sotto_arena *a,
						       const struct sotto_policy_table *t,
						       const char ***names, size_t *count);

/* Fails: SOTTO_EPARSE with a sentence for a private JSON table of which it names none. */
SOTTO_MUST_CHECK enum sotto_status sotto_sealed_check_fields(const struct sotto_policy *p,
							     const struct sotto_policy_table *t,
							     struct sotto_error *err);

/*
 * Fails:    SOTTO_EPARSE with a sentence where folders of the files are columns and a folder
 *           above them, which the engine cannot tell from those, would be one as well.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealed_check_folders(const struct sotto_policy *p, const struct sotto_policy_table *t,
			   const struct sotto_files *files, struct sotto_error *err);

/* What was sealed of the table's source; NULL if nothing was.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealed_find(const struct sotto_manifest *m, const struct sotto_policy_table *t,
		  struct sotto_arena *a, const struct sotto_sealed **out);

/*
 * The table as it was sealed, if its source has not changed since.  *paths are what
 * is read: the copy, or the files themselves.
 *
 * Fails:    SOTTO_ESTATE with a sentence if it must be sealed (again); SOTTO_EMISSING
 *           without a sentence if it was never sealed and the source is not there.
 */
struct sotto_sealed_paths {
	const char **items;
	const char **names; /* as the policy writes them; NULL: a copy, which has none */
	size_t count;
};
SOTTO_MUST_CHECK enum sotto_status
sotto_sealed_open(const struct sotto_manifest *m, const struct sotto_policy *p,
		  const struct sotto_policy_table *t, struct sotto_arena *a,
		  const struct sotto_sealed **out, struct sotto_sealed_paths *paths,
		  struct sotto_error *err);

#endif
