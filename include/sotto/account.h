/*
 * sotto/account.h - what a workload costs, by every theorem, and certified
 *
 * Each method answers "at most this epsilon at this delta" (or the inverse); the
 * upper side is a bound whatever rounding, truncation or aliasing did on the way.
 * For the loss distribution (pld) there is a lower side too: the true value of the
 * composed pairs lies between the two.  Methods and sources: src/core/account/README.md.
 */
#ifndef SOTTO_ACCOUNT_H
#define SOTTO_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/error.h"
#include "sotto/rational.h"
#include "sotto/status.h"
#include "sotto/workload.h"

/* X(constant, name, what it is) */
#define SOTTO_METHOD_LIST(X)                                                                   \
	X(SOTTO_BASIC, "basic", "sum of epsilons and deltas")                                  \
	X(SOTTO_ADVANCED, "advanced", "Dwork, Rothblum and Vadhan")                            \
	X(SOTTO_KOV, "kov", "optimal composition of black boxes")                              \
	X(SOTTO_ZCDP, "zcdp", "sum of rhos, converted")                                        \
	X(SOTTO_RDP, "rdp", "sum of Renyi curves, converted at the best order")                \
	X(SOTTO_PLD, "pld", "composition of privacy loss distributions")

enum sotto_method {
#define SOTTO_METHOD_ENUM(constant, name, what) constant,
	SOTTO_METHOD_LIST(SOTTO_METHOD_ENUM)
#undef SOTTO_METHOD_ENUM
};

enum { SOTTO_METHODS = SOTTO_PLD + 1 };

SOTTO_API const char *sotto_method_name(enum sotto_method method);

/* For whom an answer holds: who may choose what after seeing earlier outputs. */
enum sotto_adaptivity {
	SOTTO_NON_ADAPTIVE, /* nothing */
	SOTTO_FIXED_PARAMETERS, /* queries, but not privacy parameters */
	SOTTO_FULLY_ADAPTIVE /* everything, against a limit fixed in advance */
};

SOTTO_API const char *sotto_adaptivity_name(enum sotto_adaptivity adaptivity);

struct sotto_account_answer {
	enum sotto_method method;
	enum sotto_adaptivity adaptivity;
	enum sotto_neighbours neighbours;
	bool finite; /* false: not applicable, or infinite; then reason says why */
	const char *reason; /* static, lower case, without full stop; NULL if finite */
	double lower, upper; /* epsilon or delta; lower is 0 but for pld */
	double log_lower, log_upper; /* of delta; -INFINITY for 0; 0 for an epsilon */
	bool exact_pair; /* pld: the pairs are the mechanisms' own, not only bounds */
	const char *way; /* pld: how it was computed, static; "" else */
	double order; /* rdp and zcdp: Renyi order used, less one; 0 else */
	double steps; /* how much was computed, the same on every machine (work.h) */
};

/* A positive delta must be at least 10^-SOTTO_DELTA_DIGITS. */
enum { SOTTO_DELTA_DIGITS = 300 };

/*
 * The least epsilon at delta.
 * Fails: SOTTO_EINVAL unless 0 <= delta < 1; SOTTO_ERANGE if 0 < delta < 1e-300, or a count passes
 * 2^53; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_account_epsilon(const struct sotto_workload *w, const struct sotto_rational *delta,
		      enum sotto_method method, struct sotto_account_answer *answer);

/* The least delta at epsilon >= 0. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_account_delta(const struct sotto_workload *w, const struct sotto_rational *epsilon,
		    enum sotto_method method, struct sotto_account_answer *answer);

/*
 * The pld curve: bounds of log delta at n ascending epsilons.
 * Fails: SOTTO_EINVAL if one is negative or not finite; SOTTO_EREFUSED if the workload
 * has no loss distribution.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_account_curve(const struct sotto_workload *w, const double *epsilon, size_t n,
		    double *log_low, double *log_high);

/* The least upper value over all methods; its method is the one that gave it. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_account_best_epsilon(const struct sotto_workload *w, const struct sotto_rational *delta,
			   struct sotto_account_answer *answer);

/*
 * Workloads of exponential events only.  nonadaptive is the optimum for queries fixed
 * in advance, known for at most 1000 equal events; adaptive the best of zCDP and the
 * closed form; closed_form the latter alone, for equal events.  Rounded up; INFINITY
 * where there is none.
 * Fails: SOTTO_EREFUSED for any other workload, or unless 0 < delta < 1.
 */
struct sotto_bounded_range {
	double nonadaptive, adaptive, closed_form;
};
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_account_bounded_range(const struct sotto_workload *w, const struct sotto_rational *delta,
			    struct sotto_bounded_range *out);

/* What is known of a workload by adding up its parts; every number rounded up. */
struct sotto_totals {
	double epsilon; /* sum of the loss bounds; INFINITY if an event has none */
	double delta; /* that these hold up to */
	double rho; /* sum of the tight rhos */
	double rho_delta; /* that those hold up to */
};

/* Fails: SOTTO_ENOMEM, SOTTO_ERANGE. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_account_totals(const struct sotto_workload *w, struct sotto_totals *totals);

/*
 * The Renyi divergence of order alpha > 1 of the whole workload, rounded up; INFINITY if
 * none is known.  Fails: SOTTO_EINVAL unless alpha > 1 and finite; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_account_renyi(const struct sotto_workload *w, double alpha, double *divergence);

/*
 * What to solve for.  The events are texts with "?" for the unknown parameter, as
 * sotto_event_parse reads them.
 */
struct sotto_problem {
	const char *const *events;
	size_t n_events;
	const char *parameter; /* "sigma", "scale", "epsilon", "rho", "rate" or "count" */
	const struct sotto_rational *target_epsilon;
	const struct sotto_rational *delta;
	enum sotto_neighbours neighbours;
};

struct sotto_solution {
	struct sotto_rational value; /* 17 digits at most; initialised by the caller */
	struct sotto_account_answer answer; /* the best at that value: upper <= target */
};

/*
 * The least noise (sigma, scale) or the largest epsilon, rho, rate or count that meets
 * the target: within 1e-9 of the best, on the safe side.
 *
 * Fails: SOTTO_EPARSE or SOTTO_EINVAL with err; SOTTO_EREFUSED if no value meets the
 * target, or every value does.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_account_solve(const struct sotto_problem *problem, struct sotto_solution *solution,
		    struct sotto_error *err);

#endif
