/*
 * sealed.h - finds sealed tables for queries
 */
#ifndef SOTTO_SEALED_H
#define SOTTO_SEALED_H

#include "central/policy/policy.h"
#include "central/seal/manifest/manifest.h"
#include "central/seal/source/source_files.h"

/* The table inside a database file; NULL for other sources. */
const char *sotto_sealed_inner(const struct sotto_policy_table *t);

/* The SQL name of that table if its file is attached as `catalogue`; NULL if out of memory. */
const char *sotto_database_relation(struct sotto_arena *a, const char *catalogue,
				    const struct sotto_policy_table *t);

/* Ignores case; NULL if there is no such column. */
struct sotto_sealed_column *
sotto_sealed_column_find(const struct sotto_sealed *e, const char *name);

/* The SQL name of a sealed column; NULL if out of memory, or for a field of an unknown column. */
const char *sotto_sealed_column_sql(struct sotto_arena *a, const struct sotto_sealed *e,
				    const struct sotto_sealed_column *c);

/* How the policy says to read a source, as one text; NULL if out of memory. */
const char *sotto_sealed_layout(struct sotto_arena *a, const struct sotto_policy_table *t);

/* The columns of a JSON table that the policy names.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_sealed_fields(struct sotto_arena *a,
						       const struct sotto_policy_table *t,
						       const char ***names, size_t *count);

/* Fails: SOTTO_EPARSE with a sentence if the policy names no column of a private JSON table. */
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

/*
 * Fails:    SOTTO_EPARSE with a sentence if a column that says whose a row is, here or by the path of
 *           another table, is compared by its database so that texts are equal that differ.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealed_check_spelling(const struct sotto_policy *p, const struct sotto_policy_table *t,
			    const struct sotto_sealed *e, struct sotto_error *err);

/* Finds the entry of the table's source; NULL if it was never sealed.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sealed_find(const struct sotto_manifest *m, const struct sotto_policy_table *t,
		  struct sotto_arena *a, const struct sotto_sealed **out);

/*
 * Finds the sealed table, provided that its source has not changed since.  *paths are the files to
 * read: the copy, or the source itself.
 *
 * Fails:    SOTTO_ESTATE with a sentence if it must be sealed (again); SOTTO_EMISSING
 *           without a sentence if it was never sealed and the source is not there.
 */
struct sotto_sealed_paths {
	const char **items;
	const char **names; /* as the policy spells them; NULL for a copy */
	size_t count;
};
SOTTO_MUST_CHECK enum sotto_status
sotto_sealed_open(const struct sotto_manifest *m, const struct sotto_policy *p,
		  const struct sotto_policy_table *t, struct sotto_arena *a,
		  const struct sotto_sealed **out, struct sotto_sealed_paths *paths,
		  struct sotto_error *err);

#endif
