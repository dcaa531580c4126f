/*
 * census_predict.h - predicts the error of totals before any noise is drawn
 */
#ifndef SOTTO_CENSUS_PREDICT_H
#define SOTTO_CENSUS_PREDICT_H

#include "census/account/census_predictor.h"

/* Means over the nodes of a level. */
struct sotto_census_predictions {
	bool known; /* the nodes or a fanout are given */
	struct sotto_census_prediction levels[SOTTO_CENSUS_LEVELS_MAX]
					     [3]; /* by plan level and mode */
};

/*
 * Predicts the errors.  Fails: SOTTO_ENOMEM; `known` is false for trees that do not fit in
 * memory.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_predict(const struct sotto_census_world *w, struct sotto_census_predictions *out);

/* Does the same for the total of one node, by mode.  *known: as above. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_predict_node(const struct sotto_census_world *w, size_t node,
			  struct sotto_census_prediction out[3], bool *known);

#endif
