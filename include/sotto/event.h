/*
 * sotto/event.h - one private release, as the accountant sees it
 *
 * An event names a mechanism and its exact parameters; events nest (sampled,
 * group, parallel) and repeat (count).  Most programs read them from text:
 *
 *	gaussian(sigma=10)*100
 *	sampled(rate=0.01, laplace(epsilon=1/2))
 *	parallel(geometric(epsilon=1), exponential(epsilon=0.3)*2)
 *
 * One release is one event: a vector answer is a single event with the
 * sensitivity of the vector, and a noise draw that is read twice is not two.
 */
#ifndef SOTTO_EVENT_H
#define SOTTO_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/error.h"
#include "sotto/rational.h"
#include "sotto/status.h"

/* X(constant, name in text, what a, b and n hold) */
#define SOTTO_EVENT_LIST(X)                                                                    \
	X(SOTTO_EVENT_PURE, "pure", "a = epsilon")                                             \
	X(SOTTO_EVENT_APPROX, "approx", "a = epsilon, b = delta")                              \
	X(SOTTO_EVENT_ZCDP, "zcdp", "a = rho")                                                 \
	X(SOTTO_EVENT_LAPLACE, "laplace", "a = sensitivity/scale")                             \
	X(SOTTO_EVENT_GEOMETRIC, "geometric", "a = epsilon per step, n = sensitivity")         \
	X(SOTTO_EVENT_GAUSSIAN, "gaussian", "a = (sensitivity/sigma)^2")                       \
	X(SOTTO_EVENT_DISCRETE_GAUSSIAN, "discrete-gaussian", "a = sigma^2, n = sensitivity")  \
	X(SOTTO_EVENT_RANDOMIZED_RESPONSE, "randomized-response",                              \
	  "a = epsilon, or, with flag, probability of the truth; n = number of answers")       \
	X(SOTTO_EVENT_EXPONENTIAL, "exponential", "a = epsilon (bounded range)")               \
	X(SOTTO_EVENT_PERMUTE_AND_FLIP, "permute-and-flip", "a = epsilon")                     \
	X(SOTTO_EVENT_SHUFFLE, "shuffle",                                                      \
	  "a = local epsilon, n = users, flag = binary randomized response")                   \
	X(SOTTO_EVENT_SAMPLED, "sampled", "a = Poisson sampling rate; one child")              \
	X(SOTTO_EVENT_GROUP, "group", "n = size of the group; one child")                      \
	X(SOTTO_EVENT_PARALLEL, "parallel", "one child for each disjoint cell")

enum sotto_event_kind {
#define SOTTO_EVENT_ENUM(constant, name, fields) constant,
	SOTTO_EVENT_LIST(SOTTO_EVENT_ENUM)
#undef SOTTO_EVENT_ENUM
};

struct sotto_event {
	enum sotto_event_kind kind;
	struct sotto_rational a, b; /* see SOTTO_EVENT_LIST */
	uint64_t n;
	bool flag;
	uint64_t count; /* how often the event happens, 1 unless set */
	struct sotto_event **children; /* owned */
	size_t n_children;
};

/* The name used in text ("laplace"). */
SOTTO_API const char *sotto_event_name(enum sotto_event_kind kind);

/* An event of this kind with all parameters 0 and count 1.  Fails: SOTTO_ENOMEM. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_event_new(enum sotto_event_kind kind, struct sotto_event **out);

/* A copy with its own children.  Fails: SOTTO_ENOMEM. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_event_copy(const struct sotto_event *e, struct sotto_event **out);

/* Frees the event and its children.  NULL is allowed. */
SOTTO_API void sotto_event_free(struct sotto_event *e);

/* Takes child on success.  Fails: SOTTO_ENOMEM; SOTTO_ERANGE past 65536 children. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_event_adopt(struct sotto_event *e, struct sotto_event *child);

/*
 * Fails: SOTTO_EINVAL, err saying which parameter is wrong, if the event or a
 * child has a negative epsilon, a rate or probability outside [0, 1], the wrong
 * number of children and so on; SOTTO_ERANGE past 16 levels or for a parameter
 * beyond 2^+-4096.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_event_check(const struct sotto_event *e, struct sotto_error *err);

/*
 * Reads one event, the whole of text.  Every "?" stands for *unknown, and if
 * name is not NULL *name is set to the parameter it was written for ("sigma", ...,
 * "count"; NULL if there is none; all "?" must be the same parameter).  With
 * unknown NULL a "?" is refused.  The caller frees *out.
 *
 * Fails: SOTTO_EPARSE, err giving the position; SOTTO_EINVAL or SOTTO_ERANGE for a
 * parameter that is not allowed; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_event_parse(const char *text, const struct sotto_rational *unknown, const char **name,
		  struct sotto_event **out, struct sotto_error *err);

/*
 * Writes the event so that _parse reads it back as the same (a sigma that is no
 * fraction is given by mu2= or sigma2=).  A malloc'd string that the caller frees.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_event_format(const struct sotto_event *e, char **out);

#endif
