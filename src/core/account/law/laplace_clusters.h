/*
 * laplace_clusters.h - long lists of Laplace events whose epsilons lie close together
 *
 * Within a cluster log M(s) is a short power series in the distance from its middle, so
 * the product over all events needs their power sums alone (contour.md, clusters).
 */
#ifndef SOTTO_LAPLACE_CLUSTERS_H
#define SOTTO_LAPLACE_CLUSTERS_H

#include "core/account/integral/complex.h"
#include "core/account/law/law.h"

enum { SOTTO_CLUSTER_TERMS = 15 };

/* Events from .. to - 1 of a list. */
struct sotto_cluster {
	size_t from, to;
	double middle, width; /* every epsilon is within width of the middle */
	double count;
	double moment[SOTTO_CLUSTER_TERMS]; /* sums of count (epsilon - middle)^p */
};

struct sotto_clusters {
	struct sotto_cluster *at;
	size_t n;
};

/* Cuts the sorted list of a Laplace law; scale is about the largest |s| that matters. */
SOTTO_MUST_CHECK enum sotto_status
sotto_clusters_new(const struct sotto_law *law, double scale, struct sotto_clusters **out);
void sotto_clusters_free(struct sotto_clusters *c);

/* True if the series is good for |s+1| up to reach; else events go one by one. */
bool sotto_cluster_is_good(const struct sotto_cluster *c, double reach);

/*
 * What all events of the cluster add to log M(s), s = line + it, beyond count times that of
 * the middle; *error bounds what rounding and truncation did to it.
 */
struct cx
sotto_cluster_beyond(const struct sotto_cluster *c, double line, double t, double *error);

#endif
