/*
 * nested_curve.h - curves of one event around others: sampled, disjoint cells, groups, shuffled
 *
 * A single such event needs no loss distribution of its own: its delta(epsilon) follows from
 * those inside (sample.md).
 */
#ifndef SOTTO_NESTED_CURVE_H
#define SOTTO_NESTED_CURVE_H

#include "core/account/event/workload_terms.h"
#include "core/account/law/law.h"
#include "core/account/loss/loss_level.h"

struct sotto_nested_curve;

/* True if t is one event, once, that is best priced through the events inside. */
bool sotto_nested_curve_applies(const struct sotto_terms *t);

/* Fails as sotto_curve_new. */
SOTTO_MUST_CHECK enum sotto_status sotto_nested_curve_new(const struct sotto_terms *t,
							  enum sotto_direction direction,
							  struct sotto_nested_curve **out);
void sotto_nested_curve_free(struct sotto_nested_curve *w);
bool sotto_nested_curve_is_symmetric(const struct sotto_nested_curve *w);

/* As sotto_curve_make_rough. */
bool sotto_nested_curve_make_rough(struct sotto_nested_curve *w);

/* As sotto_curve_make_tables. */
SOTTO_MUST_CHECK enum sotto_status
sotto_nested_curve_make_tables(struct sotto_nested_curve *w, size_t points);

/* As sotto_curve_delta and sotto_curve_epsilon. */
SOTTO_MUST_CHECK enum sotto_status sotto_nested_curve_delta(struct sotto_nested_curve *w,
							    double epsilon, double *log_low,
							    double *log_high);
SOTTO_MUST_CHECK enum sotto_status sotto_nested_curve_epsilon(struct sotto_nested_curve *w,
							      const struct sotto_level *level,
							      double *lower, double *upper);

#endif
