/*
 * sketch.h - reading count mean sketches
 */
#ifndef SOTTO_SKETCH_H
#define SOTTO_SKETCH_H

#include "sotto/decode.h"

/* Reads the table of a collection by CMS or HCMS. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sketch_estimate(const struct sotto_local_counts *c, const uint64_t *keys, size_t count,
		      double alpha, enum sotto_local_target target,
		      struct sotto_local_estimate *out);

/*
 * One table of a collection with several (SFP, TREEHIST).  cells and rows are
 * that table's; n its reports; rows is NULL for signed cells.  signed cells are
 * transformed first by sotto_sketch_transform.
 */
struct sotto_sketch {
	uint32_t rows, columns;
	uint64_t salt;
	double flip;
	double n;
	const uint64_t *row_reports; /* CMS */
	const uint64_t *ones; /* CMS */
	const double *table; /* HCMS, transformed */
};

/* The raw estimate of each key, from the first `use` rows alone, scaled up. */
void sotto_sketch_counts(const struct sotto_sketch *s, const uint64_t *keys, size_t count,
			 uint32_t use, double *out);

/* Fills count, sd, interval, z, p_value for each key. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sketch_read(const struct sotto_sketch *s, const uint64_t *keys, size_t count,
		  double alpha, enum sotto_local_target target,
		  struct sotto_local_estimate *out);

/* The variance of a value that nobody holds, if no two users share one. */
double sotto_sketch_noise(const struct sotto_sketch *s);

/* Row by row Hadamard transform of signed cells into doubles; the caller frees. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sketch_transform(const uint64_t *cells, uint32_t rows, uint32_t columns, double **out);

/*
 * The variance of a count of n_d, for n users and other counts whose squares sum
 * to s2, with m columns and k rows, collisions included.  c = 1/(1 - 2 flip).
 */
double
sotto_local_variance_cms(double n, double n_d, double s2, double m, double k, double flip);
double
sotto_local_variance_hcms(double n, double n_d, double s2, double m, double k, double flip);

#endif
