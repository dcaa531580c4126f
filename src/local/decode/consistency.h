/*
 * consistency.h - the last step of every decoder: decisions, then consistent values
 */
#ifndef SOTTO_CONSISTENCY_H
#define SOTTO_CONSISTENCY_H

#include "sotto/decode.h"
#include "sotto/status.h"

/*
 * Decides, then post-processes.  Where the candidates need not be all there is
 * (all is false), methods that reach a total must not invent users: it is then at
 * most the sum of the positive counts.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_post_finish(struct sotto_local_estimate *e,
						     size_t count, bool all, double total,
						     const struct sotto_local_options *o);

/*
 * R of S candidates were selected: an interval of each at 1 - R alpha/S covers with
 * the error rate alpha among those selected (Benjamini, Yekutieli 2005).
 */
double sotto_post_selected_alpha(const struct sotto_local_estimate *e, size_t count,
				 const struct sotto_local_options *o);

/* The intervals of the significant ones become those of from. */
void sotto_post_take_intervals(struct sotto_local_estimate *e,
			       const struct sotto_local_estimate *from, size_t count);

/* Posterior means; counts have the prior (1 + x)^-s on [0, total], s most likely. */
void sotto_post_power_law(struct sotto_local_estimate *e, size_t count, double total);

/* The maximum of the estimates' normal likelihood with sum total (consistency_likelihood.c). */
void sotto_post_mle_apx(struct sotto_local_estimate *e, size_t count, double total);

/* Widens the normal intervals of the significant ones to that level. */
void sotto_post_select_normal(struct sotto_local_estimate *e, size_t count,
			      const struct sotto_local_options *o);

/*
 * post from count, so that the posts sum to total (NORM_SUB, NORM, NORM_MUL,
 * MLE_APX), or to at most that (NORM_CUT).
 * Fails: SOTTO_EINVAL for IBU, which needs the reports (sotto_local_decode);
 *        SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_local_postprocess(struct sotto_local_estimate *e,
							   size_t count, double total,
							   enum sotto_local_post method);

#endif
