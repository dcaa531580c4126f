/*
 * preference.h - what every choice by weights exp(-rate distance) prepares
 */
#ifndef SOTTO_PREFERENCE_H
#define SOTTO_PREFERENCE_H

#include <stdbool.h>

#include "core/mechanism/choice/selection.h"
#include "core/mechanism/choice/weight.h"
#include "sotto/rational.h"

struct sotto_preference {
	struct sotto_weight weight; /* by grid steps from the best outcome */
	struct sotto_rational epsilon;
	bool least; /* the least score is the best */
};

/*
 * Prepares one choice under s.  A mechanism that needs nothing else is a struct around it, and is
 * made and freed as one.
 *
 * Fails:    SOTTO_EINVAL as sotto_selection_rate; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_preference_new(const struct sotto_selection *s,
							struct sotto_preference **out,
							struct sotto_error *err);
void sotto_preference_free(struct sotto_preference *p);

#endif
