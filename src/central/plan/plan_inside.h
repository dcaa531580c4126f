/*
 * plan_inside.h - the two kinds of SELECT that a plan is made of
 */
#ifndef SOTTO_PLAN_INSIDE_H
#define SOTTO_PLAN_INSIDE_H

#include "central/aggregate/plan_shape.h"

/* Over public tables and finished queries alone; over rows that somebody owns. */
SOTTO_MUST_CHECK enum sotto_status sotto_shape_public(struct sotto_plan_shape *s);
SOTTO_MUST_CHECK enum sotto_status sotto_shape_private(struct sotto_plan_shape *s);

#endif
