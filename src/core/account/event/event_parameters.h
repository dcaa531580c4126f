/*
 * event_parameters.h - the named parameters of events in text, and what they mean
 */
#ifndef SOTTO_EVENT_PARAMETERS_H
#define SOTTO_EVENT_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/account/event/event_kind.h"
#include "sotto/account.h"
#include "sotto/rational.h"
#include "sotto/status.h"

struct sotto_parameter {
	const char *name; /* static */
	bool given;
	struct sotto_rational value;
};

struct sotto_parameters {
	struct sotto_parameter list[SOTTO_PARAMETERS];
	bool binary; /* randomizer=binary */
};

void sotto_parameters_init(struct sotto_parameters *p);
void sotto_parameters_release(struct sotto_parameters *p);

/* Returns the place of a parameter; NULL if no parameter has this name. */
struct sotto_parameter *sotto_parameters_slot(struct sotto_parameters *p, const char *name);

/* Sets the parameters of e, and may change its kind (no noise at all is approx(0, 1)). */
SOTTO_MUST_CHECK enum sotto_status sotto_parameters_apply(struct sotto_parameters *p,
							  struct sotto_event *e,
							  struct sotto_error *err);

/* True if r is an integer from 0 to 2^53; *out is then set. */
bool sotto_parameters_integer(const struct sotto_rational *r, uint64_t *out);

#endif
