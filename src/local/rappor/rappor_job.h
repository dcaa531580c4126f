/*
 * rappor_job.h - counts and map as the rows and columns of a regression
 */
#ifndef SOTTO_RAPPOR_JOB_H
#define SOTTO_RAPPOR_JOB_H

#include "local/rappor/regression/regression.h"
#include "sotto/decode.h"

struct sotto_job {
	const struct sotto_local_cohorts *data;
	const struct sotto_local_map *map;
	struct sotto_rows rows;
	struct sotto_columns columns;
	double users; /* in the cohorts used */
	size_t cohorts;
	uint32_t *numbers; /* of those cohorts */
};

enum sotto_part { SOTTO_EVEN_COHORTS, SOTTO_ODD_COHORTS, SOTTO_ALL_COHORTS };

/* Of the cohorts that have reports and are in the part.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_job_make(struct sotto_job *j, const struct sotto_local_cohorts *data,
	       const struct sotto_local_map *map, enum sotto_part part);
void sotto_job_release(struct sotto_job *j);

/*
 * Weighs the rows by shares that are known of them: their own (leverage 1), which is mostly
 * noise where cohorts are small, or those of a fit, in which the noise of a row has this
 * leverage.  Each is drawn toward the mean by the part of the spread that noise explains.  A
 * weight that goes with the noise of its own row biases a fit: rows that noise made small
 * would count for more.  So the fit that counts has the weights of a fit before it.
 */
void sotto_job_weigh(struct sotto_job *j, const double *share, double leverage);

/* Fails: SOTTO_EINVAL if counts, map and options do not go together. */
SOTTO_MUST_CHECK enum sotto_status
sotto_job_check(const struct sotto_local_cohorts *d, const struct sotto_local_map *m,
		const struct sotto_local_options *o, double *users, struct sotto_error *err);

/*
 * Whether a cohort's residual (of the given number of degrees) is farther out than the
 * greatest of so many should be, when all are too large by the fit's dispersion.
 */
void sotto_fit_judge_worst(struct sotto_local_fit *fit, size_t cohort, double residual,
			   double degrees, double cohorts);

#endif
