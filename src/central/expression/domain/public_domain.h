/*
 * public_domain.h - finite sets of public values, from which groups are always shown
 */
#ifndef SOTTO_PUBLIC_DOMAIN_H
#define SOTTO_PUBLIC_DOMAIN_H

#include "central/expression/binder.h"
#include "central/policy/policy.h"

/* More groups than this are not written out. */
enum { SOTTO_DOMAIN_MAX = 1000000 };

/* Each fails with SOTTO_ENOMEM only; *out may come back NULL where that is said. */
SOTTO_MUST_CHECK enum sotto_status
sotto_domain_boolean(struct sotto_arena *a, bool with_null, const struct sotto_domain **out);
SOTTO_MUST_CHECK enum sotto_status sotto_domain_integers(struct sotto_arena *a, int64_t lo,
							 int64_t hi, bool with_null,
							 const struct sotto_domain **out);

/* The declared keys of a column. */
SOTTO_MUST_CHECK enum sotto_status sotto_domain_keys(struct sotto_arena *a,
						     const struct sotto_policy_column *c,
						     const struct sotto_domain **out);

/* These values, which is borrowed, as values of the type. */
SOTTO_MUST_CHECK enum sotto_status
sotto_domain_values(struct sotto_arena *a, const struct sotto_expression *const *values,
		    size_t count, enum sotto_sql_type type, const struct sotto_domain **out);

/* These texts. */
SOTTO_MUST_CHECK enum sotto_status
sotto_domain_texts(struct sotto_arena *a, const char *const *texts, size_t count,
		   bool with_null, const struct sotto_domain **out);

/* The values of one column of a relation: how many is not known. */
SOTTO_MUST_CHECK enum sotto_status sotto_domain_column(struct sotto_arena *a, const char *name,
						       const struct sotto_rowset *from,
						       const struct sotto_domain **out);

/* The same set and NULL. */
SOTTO_MUST_CHECK enum sotto_status sotto_domain_with_null(struct sotto_arena *a,
							  const struct sotto_domain *d,
							  const struct sotto_domain **out);

#endif
