/*
 * expression_domain.h - values that expressions take over public columns
 */
#ifndef SOTTO_EXPRESSION_DOMAIN_H
#define SOTTO_EXPRESSION_DOMAIN_H

#include "central/expression/binder.h"

/* Which values count. */
struct sotto_expression_domain_terms {
	const struct sotto_conditions *met; /* by every row; NULL: none */
	bool bounded; /* whole numbers and days between bounds do (bounded_domain.h) */
	bool days; /* and timestamps, of which only the day is read */
};

/*
 * The values that an expression takes when every column it depends on has a
 * domain; *out is NULL if one has none or the set would be too large.  terms may be NULL.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_expression_domain(struct sotto_arena *a, const struct sotto_bound *x,
			const struct sotto_expression_domain_terms *terms,
			const struct sotto_domain **out);

/*
 * True if the values of x are better taken from the columns it reads: they are
 * all of public relations, or x is one of them, or has no finite range itself.
 */
bool sotto_expression_has_domain(const struct sotto_bound *x);

/*
 * The combinations of values that several expressions take, as columns named by
 * names; like an image otherwise.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_expression_domain_joint(struct sotto_arena *a, const struct sotto_bound *const *parts,
			      const char *const *names, size_t count,
			      const struct sotto_expression_domain_terms *terms,
			      const struct sotto_domain **out);

#endif
