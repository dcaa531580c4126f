/*
 * event_kind.h - one record for each kind of event: its name, its parameters, the events inside
 *
 * The parser, the printer and the checks all use this table.
 */
#ifndef SOTTO_EVENT_KIND_H
#define SOTTO_EVENT_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/account.h"

/* X(constant, name in text) */
#define SOTTO_PARAMETER_LIST(X)                                                                \
	X(EPSILON, "epsilon")                                                                  \
	X(DELTA, "delta")                                                                      \
	X(RHO, "rho")                                                                          \
	X(SCALE, "scale")                                                                      \
	X(SENSITIVITY, "sensitivity")                                                          \
	X(SIGMA, "sigma")                                                                      \
	X(SIGMA2, "sigma2")                                                                    \
	X(MU2, "mu2")                                                                          \
	X(STEP, "step")                                                                        \
	X(P, "p")                                                                              \
	X(COIN, "coin")                                                                        \
	X(YES, "yes")                                                                          \
	X(K, "k")                                                                              \
	X(N, "n")                                                                              \
	X(EPSILON0, "epsilon0")                                                                \
	X(RATE, "rate")                                                                        \
	X(RANDOMIZER, "randomizer")

enum sotto_parameter_name {
#define SOTTO_PARAMETER_ENUM(constant, name) SOTTO_PARAMETER_##constant,
	SOTTO_PARAMETER_LIST(SOTTO_PARAMETER_ENUM)
#undef SOTTO_PARAMETER_ENUM
		SOTTO_PARAMETERS, /* how many there are; in a field that names one: none */
};

/* Returns "epsilon" and so on. */
const char *sotto_parameter_text(enum sotto_parameter_name name);

enum sotto_event_inside { SOTTO_INSIDE_NONE, SOTTO_INSIDE_ONE, SOTTO_INSIDE_SOME };

struct sotto_event_form {
	const char *name; /* "laplace" */
	unsigned reads; /* parameters that its text may have, as bits */
	enum sotto_parameter_name first; /* the name under which the first one is written */
	enum sotto_parameter_name called; /* the name that messages use for it */
	enum sotto_parameter_name whole; /* the parameter that is a whole number */
	uint64_t least; /* the least value of that */
	enum sotto_event_inside inside; /* how many events it contains */
};

const struct sotto_event_form *sotto_event_form(enum sotto_event_kind kind);
bool sotto_event_reads(enum sotto_event_kind kind, enum sotto_parameter_name name);

/*
 * Returns the name under which this event's first parameter is written: for randomized response p
 * or epsilon.
 */
enum sotto_parameter_name sotto_event_first(const struct sotto_event *e);

#endif
