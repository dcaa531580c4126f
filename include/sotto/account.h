/*
 * sotto/account.h - what many releases cost together
 *
 * Describe each release as an event, collect events in a workload, and ask for its
 * epsilon at a delta, its delta at an epsilon, or the noise that meets a target.
 *
 *	sotto_workload_new(&w);
 *	sotto_workload_add_text(w, "gaussian(sigma=10)*100", &err);
 *	sotto_account_epsilon(w, &delta, SOTTO_PLD, &answer);
 *
 * This prices a plan whose privacy parameters are fixed before the first answer.  For
 * releases that are chosen one by one, use a filter (sotto/cost.h) or a ledger
 * (sotto/ledger.h).
 */
#ifndef SOTTO_ACCOUNT_H
#define SOTTO_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/rational.h"
#include "sotto/status.h"

/*
 * ---- One private release, as the accountant sees it
 *
 * An event names a mechanism and its exact parameters; events nest (sampled,
 * group, parallel) and repeat (count).  Most programs read them from text:
 *
 *	gaussian(sigma=10)*100
 *	sampled(rate=0.01, laplace(epsilon=1/2))
 *	parallel(geometric(epsilon=1), exponential(epsilon=0.3)*2)
 *
 * One release is one event: a vector answer is a single event with the
 * sensitivity of the vector, and reading the same noisy value twice is still one event.
 */

/* What each is called in text: sotto-account(1). */
enum sotto_event_kind {
	SOTTO_EVENT_PURE,
	SOTTO_EVENT_APPROX,
	SOTTO_EVENT_ZCDP,
	SOTTO_EVENT_LAPLACE,
	SOTTO_EVENT_GEOMETRIC,
	SOTTO_EVENT_GAUSSIAN,
	SOTTO_EVENT_DISCRETE_GAUSSIAN,
	SOTTO_EVENT_RANDOMIZED_RESPONSE,
	SOTTO_EVENT_EXPONENTIAL,
	SOTTO_EVENT_PERMUTE_AND_FLIP,
	SOTTO_EVENT_SHUFFLE,
	SOTTO_EVENT_SAMPLED,
	SOTTO_EVENT_GROUP,
	SOTTO_EVENT_PARALLEL,
};

/* Of each union, the member that belongs to the kind is set; what has none is 0. */
struct sotto_event {
	enum sotto_event_kind kind;
	union {
		struct sotto_rational epsilon; /* pure, approx, laplace (sensitivity/scale),
						  exponential, permute-and-flip, and randomized
						  response unless has_truth */
		struct sotto_rational truth; /* randomized response: P(the answer is true) */
		struct sotto_rational step_epsilon; /* geometric: for a change by one step */
		struct sotto_rational mu_squared; /* gaussian: (sensitivity/sigma)^2 */
		struct sotto_rational sigma_squared; /* discrete-gaussian */
		struct sotto_rational rho; /* zcdp */
		struct sotto_rational local_epsilon; /* shuffle: of one report */
		struct sotto_rational rate; /* sampled: of Poisson sampling */
		struct sotto_rational first; /* whichever of these the kind has */
	};
	struct sotto_rational delta; /* approx */
	union {
		uint64_t sensitivity; /* geometric, discrete-gaussian: in steps */
		uint64_t answers; /* randomized response: from how many one is given */
		uint64_t users; /* shuffle */
		uint64_t size; /* group: units */
		uint64_t whole; /* whichever of these the kind has */
	};
	union {
		bool has_truth; /* randomized response: given by truth, not by epsilon */
		bool is_binary; /* shuffle: the reports are binary randomized responses */
		bool option; /* whichever of these the kind has */
	};
	uint64_t count; /* how often the event happens, 1 unless set */
	struct sotto_event **children; /* owned; one of sampled and group, one for each disjoint
					  cell of parallel */
	size_t n_children;
};

/* Frees the event and its children.  NULL is allowed. */
SOTTO_API void sotto_event_free(struct sotto_event *e);

/*
 * Reads one event; text must contain nothing else.  Every "?" stands for *unknown, and
 * if name is not NULL, *name is set to the parameter that "?" was written for ("sigma", ...,
 * "count"; NULL if there is no "?"; all "?" must be the same parameter).  If
 * unknown is NULL, a "?" is refused.  The caller frees *out.
 *
 * Fails: SOTTO_EPARSE, err giving the position; SOTTO_EINVAL or SOTTO_ERANGE for a
 * parameter that is not allowed; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_event_parse(const char *text, const struct sotto_rational *unknown, const char **name,
		  struct sotto_event **out, struct sotto_error *err);

/*
 * Writes the event so that _parse reads back the same event (a sigma that is not a
 * fraction is written as mu2= or sigma2=).  The caller frees *out.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_event_format(const struct sotto_event *e, char **out);

/*
 * ---- Many events, to be priced together
 *
 * Equal events are stored once with a count, so the order of events never changes
 * an answer, not even its last bit.  The privacy parameters of
 * a workload are fixed before the first answer; if requests arrive one by one,
 * use a filter (sotto/cost.h).
 */

/*
 * Which datasets are neighbours.  Most mechanisms work for both relations, with the
 * sensitivity for that relation; Poisson sampling needs add/remove neighbours,
 * shuffling needs replace neighbours.
 */
enum sotto_neighbours { SOTTO_ANY_NEIGHBOURS, SOTTO_ADD_REMOVE, SOTTO_REPLACE };

SOTTO_API const char *sotto_neighbours_name(enum sotto_neighbours neighbours);

struct sotto_workload;

/* Fails: SOTTO_ENOMEM. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_workload_new(struct sotto_workload **out);
SOTTO_API void sotto_workload_free(struct sotto_workload *w);

/*
 * Declares the relation.  By default the first event that needs one of them decides, and
 * if only parallel events do, it is add/remove.
 * Fails: SOTTO_EINVAL if the events added so far need the other one.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_set_neighbours(struct sotto_workload *w, enum sotto_neighbours neighbours,
			      struct sotto_error *err);
SOTTO_API enum sotto_neighbours sotto_workload_neighbours(const struct sotto_workload *w);

/*
 * Adds count * e->count times the event, which is copied.
 *
 * Fails: SOTTO_EINVAL or SOTTO_ERANGE as sotto_event_check; SOTTO_EINVAL when the two
 * neighbour relations would be mixed; SOTTO_ERANGE past 2^53 of one event;
 * SOTTO_ENOMEM.  The workload is unchanged then.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_add(struct sotto_workload *w, const struct sotto_event *e, uint64_t count,
		   struct sotto_error *err);

/* Reads the event with sotto_event_parse (no "?") and adds it once. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_add_text(struct sotto_workload *w, const char *text, struct sotto_error *err);

/*
 * Adds n events at once; each parameter is the exact value of its double.
 * Laplace: epsilon.  Gaussian: mu = sensitivity/sigma, kept as the exact sum of
 * mu^2, that is as one Gaussian event.  zCDP: rho, kept as the exact sum.
 *
 * Fails: SOTTO_EINVAL if a parameter is negative, infinite or NaN; SOTTO_ERANGE if a
 * nonzero one is outside 2^-480 .. 2^480; SOTTO_ENOMEM.  Nothing is added then.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_add_laplaces(struct sotto_workload *w, const double *epsilon, size_t n);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_add_gaussians(struct sotto_workload *w, const double *mu, size_t n);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_add_zcdps(struct sotto_workload *w, const double *rho, size_t n);

/* Adds everything in other. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_workload_merge(struct sotto_workload *w, const struct sotto_workload *other,
		     struct sotto_error *err);

/* How many different events there are; the i-th one, borrowed, and its count. */
SOTTO_API size_t sotto_workload_size(const struct sotto_workload *w);
SOTTO_API const struct sotto_event *
sotto_workload_at(const struct sotto_workload *w, size_t i, uint64_t *count);

/*
 * ---- What a workload costs, by every theorem, with certified bounds
 *
 * Each method answers "at most this epsilon at this delta" (or the inverse); the
 * upper value is a true bound, including all rounding, truncation and aliasing errors.
 * The loss distribution (pld) also gives a lower bound: the exact value of the
 * composition lies between the two.  Methods and sources: src/core/account/README.md.
 */

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

/* What the analyst may choose after seeing earlier outputs for an answer to hold. */
enum sotto_adaptivity {
	SOTTO_NON_ADAPTIVE, /* nothing */
	SOTTO_FIXED_PARAMETERS, /* queries, but not privacy parameters */
	SOTTO_FULLY_ADAPTIVE /* everything, under a limit fixed in advance */
};

SOTTO_API const char *sotto_adaptivity_name(enum sotto_adaptivity adaptivity);

struct sotto_account_answer {
	enum sotto_method method;
	enum sotto_adaptivity adaptivity;
	enum sotto_neighbours neighbours;
	bool finite; /* false: not applicable, or infinite; then reason says why */
	const char *reason; /* static, lower case, without full stop; NULL if finite */
	double lower, upper; /* epsilon or delta; lower is 0 except for pld */
	double log_lower, log_upper; /* of delta; -INFINITY for 0; 0 for an epsilon */
	bool exact_pair; /* pld: the loss distributions are those of the mechanisms, not bounds */
	const char *way; /* pld: how it was computed, static; otherwise "" */
	double order; /* rdp and zcdp: Renyi order used, minus one; otherwise 0 */
	double steps; /* how much was computed, the same on every machine (work.h) */
};

/* A positive delta must be at least 10^-SOTTO_DELTA_DIGITS. */
enum { SOTTO_DELTA_DIGITS = 300 };

/*
 * The smallest epsilon at delta.
 * Fails: SOTTO_EINVAL unless 0 <= delta < 1; SOTTO_ERANGE if 0 < delta < 1e-300, or a count passes
 * 2^53; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_account_epsilon(const struct sotto_workload *w, const struct sotto_rational *delta,
		      enum sotto_method method, struct sotto_account_answer *answer);

/* The smallest delta at epsilon >= 0. */
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

/* The smallest upper value over all methods; answer->method is the one that gave it. */
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

/* What is known about a workload by adding up its events; every number is rounded up. */
struct sotto_totals {
	double epsilon; /* sum of the loss bounds; INFINITY if an event has none */
	double delta; /* the probability with which epsilon may not hold */
	double rho; /* sum of the tight rhos */
	double rho_delta; /* the probability with which rho may not hold */
};

/*
 * Adds up the events.  If many such sums are wanted for one answer, say among how many this one is: each gets its
 * part of the steps that an answer may take, and a simpler, larger rho where they do not suffice.
 * Fails: SOTTO_ENOMEM, SOTTO_ERANGE; SOTTO_EREFUSED if even the simplest sum takes too many steps.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_account_totals(const struct sotto_workload *w, size_t among, struct sotto_totals *totals);

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
	double within; /* relative distance to the best value, at most; INFINITY: not known */
};

/*
 * The smallest noise (sigma, scale) or the largest epsilon, rho, rate or count that meets
 * the target: within 1e-9 of the best value, on the safe side.  If computing a cost takes so
 * long that the search ends early, the value is less close; solution->within says how close.
 *
 * Fails: SOTTO_EPARSE or SOTTO_EINVAL with err; SOTTO_EREFUSED if no value meets the
 * target, or every value does, or none could be found in a limited number of steps.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_account_solve(const struct sotto_problem *problem, struct sotto_solution *solution,
		    struct sotto_error *err);

/*
 * ---- The bounds that papers give in closed form
 *
 * For comparison and display; the methods above mostly give smaller bounds.  Every result is
 * a valid bound, computed in high precision and rounded once in the direction that the
 * function's name says.  Formulas and sources: src/core/account/theorem/closed_form.md.
 *
 * For an epsilon at a delta: delta >= 1 gives 0, and INFINITY means that
 * the theorem gives no epsilon for this delta.
 */

/*
 * Kairouz, Oh and Viswanath for events that differ: the least of the sum of epsilons and
 * two forms that grow with the root of the sum of their squares.
 *
 * Fails: SOTTO_EINVAL if delta is negative; SOTTO_EREFUSED if an event is neither pure
 *        nor approx.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_kov_up(const struct sotto_workload *w, const struct sotto_rational *delta,
		    double *epsilon);

/*
 * n shuffled reports of local epsilon0, any randomizer: the clones' bound of Feldman,
 * McMillan and Talwar.
 *
 * Privacy: neighbours replace one user; nothing but the reports reaches the analyst.
 * Fails:   SOTTO_EINVAL unless epsilon0 >= 0, n > 0 and 0 < delta < 1; SOTTO_EREFUSED
 *          where the theorem says nothing: epsilon0 > log(n/(16 log(4/delta))).
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_shuffle_up(const struct sotto_rational *epsilon0, uint64_t n,
			const struct sotto_rational *delta, double *epsilon);

/*
 * The same by the privacy blanket of Balle, Bell, Gascon and Nissim with Hoeffding's
 * inequality; never more than epsilon0.  answers is K if every report is a K-ary
 * randomized response, 0 for any other randomizer.
 *
 * Privacy: as above.
 * Fails:   SOTTO_EINVAL as above or if answers is 1; SOTTO_ERANGE past an epsilon0 of 10^6.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_closed_blanket_up(const struct sotto_rational *epsilon0, uint64_t n, uint64_t answers,
			const struct sotto_rational *delta, double *epsilon);

#endif
