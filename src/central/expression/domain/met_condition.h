/*
 * met_condition.h - what WHERE and inner joins say about public values
 *
 * A condition that every row meets, over public columns and keys alone, is met by the groups
 * too: WHERE mode IN ('MAIL', 'SHIP') leaves two of the keys.  Privacy does not rest on it:
 * which groups there are is then still a function of the query and of public data.
 */
#ifndef SOTTO_MET_CONDITION_H
#define SOTTO_MET_CONDITION_H

#include "central/expression/binder.h"

/* Adds those parts of e, taken apart at AND, that read columns and no table. */
SOTTO_MUST_CHECK enum sotto_status sotto_conditions_add(struct sotto_binder *b,
							const struct sotto_sql_expr *e,
							struct sotto_conditions *out);

/* The same for what joins say that leave no row without a partner. */
SOTTO_MUST_CHECK enum sotto_status sotto_conditions_of_joins(struct sotto_binder *b,
							     const struct sotto_sql_from *from,
							     struct sotto_conditions *out);

/* Do two columns come from one public relation, or are they one column? */
bool sotto_columns_together(const struct sotto_scope_column *x,
			    const struct sotto_scope_column *y);

/*
 * Adds columns of public relations that an equality ties to one in the list: to a declared one always, to one of
 * a relation where these have conditions of their own, or lead on to one that has: nations, by region.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_conditions_reach(struct sotto_arena *a, const struct sotto_conditions *met,
		       const struct sotto_scope_column ***list, size_t *count);

/* Those over columns that come together with one in the list; *out NULL: none. */
SOTTO_MUST_CHECK enum sotto_status
sotto_conditions_over(struct sotto_arena *a, const struct sotto_conditions *met,
		      const struct sotto_scope_column *const *list, size_t count,
		      const struct sotto_expression **out);

/* Those over one value alone, which stands as k in its domain; *out NULL: none. */
SOTTO_MUST_CHECK enum sotto_status
sotto_conditions_over_value(struct sotto_arena *a, const struct sotto_conditions *met,
			    const struct sotto_expression *value,
			    const struct sotto_expression *k,
			    const struct sotto_expression **out);

#endif
