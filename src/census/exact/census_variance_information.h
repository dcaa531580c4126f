/*
 * census_variance_information.h - what is known about a node of each level, by component
 */
#ifndef SOTTO_CENSUS_VARIANCE_INFORMATION_H
#define SOTTO_CENSUS_VARIANCE_INFORMATION_H

#include "census/exact/census_rational_matrix.h"
#include "census/exact/census_variance_shape.h"

/*
 * Information on a node of each level in component T.  up[l] comes from the node and the nodes
 * below, outer[l] from the node, its siblings and the nodes above; in total outer[l] +
 * up[l+1]/children is known.
 */
struct sotto_variance_informations {
	struct sotto_rational_matrix up[SOTTO_VARIANCE_LEVELS_MAX],
		outer[SOTTO_VARIANCE_LEVELS_MAX];
};

/* Allocates the matrices.  Fails: SOTTO_ENOMEM.  Pair with _release in any case. */
SOTTO_MUST_CHECK enum sotto_status
sotto_variance_informations_init(struct sotto_variance_informations *m,
				 const struct sotto_variance_shape *s);
void sotto_variance_informations_release(struct sotto_variance_informations *m,
					 const struct sotto_variance_shape *s);

/* Computes all of them for component T, a set of attributes. */
SOTTO_MUST_CHECK enum sotto_status
sotto_variance_informations_set(struct sotto_variance_informations *m,
				const struct sotto_variance_shape *s, unsigned t);

/* True if two places fall into one cell of the query. */
bool sotto_variance_agree(const struct sotto_variance_shape *s,
			  const struct sotto_variance_query *q, size_t a, size_t b);

#endif
