/*
 * sotto/census.h - tables for every level of a hierarchy that add up
 *
 * A release measures chosen marginals of every node with exact noise, then turns the noisy
 * numbers into non-negative whole numbers that agree with each other.  Privacy is spent on the
 * measurements alone.  The parts that need no data can be used by themselves on small inputs;
 * they take and give JSON text.  Algorithms and proofs: src/census/.
 */
#ifndef SOTTO_CENSUS_H
#define SOTTO_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/error.h"
#include "sotto/ledger.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/* ---- small inputs as JSON text (sotto-release(1), "SMALL INPUTS") --------------------------- */

/*
 * Each writes a JSON text to *out, which the caller frees.
 *
 * Fails:    SOTTO_EPARSE for an input that is not of the form, with the path of the place in
 *           err; SOTTO_EINFEASIBLE for constraints that contradict each other, with node and
 *           constraint; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_estimate(const char *json, bool exact, char **out, struct sotto_error *err);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_variance(const char *json, bool exact, char **out, struct sotto_error *err);

enum sotto_rounding {
	SOTTO_ROUNDING_L1, /* least sum of absolute changes */
	SOTTO_ROUNDING_UNBIASED, /* each cell keeps its mean: a random choice */
	SOTTO_ROUNDING_FAST, /* good, not best */
};

/* rng is used by SOTTO_ROUNDING_UNBIASED alone. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_round(const char *json, bool exact, enum sotto_rounding rounding,
		   struct sotto_rng *rng, char **out, struct sotto_error *err);

/* ---- zCDP and (epsilon, delta) --------------------------------------------------------------- */

struct sotto_census_conversion {
	double epsilon_up; /* Canonne, Kamath, Steinke 2020 */
	double epsilon_bun_steinke_up; /* rho + 2 sqrt(rho ln(1/delta)) */
};

/* What rho-zCDP implies at delta.  Fails: SOTTO_EINVAL unless rho >= 0 and 0 < delta < 1. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_convert(const struct sotto_rational *rho, const struct sotto_rational *delta,
		     struct sotto_census_conversion *out);

/* The largest rho, a multiple of 2^-64, that implies (epsilon, delta). */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_rho_down(const struct sotto_rational *epsilon, const struct sotto_rational *delta,
		      struct sotto_rational *rho);

/* ---- one number per node --------------------------------------------------------------------- */

/*
 * A tree of n nodes: the children of v are first[v] .. first[v]+count[v]-1, all after v; node
 * 0 is the root.  y are measurements with variances s: 0 is an invariant, infinity is none.
 */
struct sotto_tree {
	size_t n;
	const uint32_t *first, *count;
};

/*
 * The best linear unbiased estimates x and their variances v, arrays of n, in linear time.
 *
 * Fails:    SOTTO_EINFEASIBLE, SOTTO_ESTATE if nothing determines the root, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_tree_gls(const struct sotto_tree *tree,
							    const double *y, const double *s,
							    double *x, double *v);

/* The same with no measurement counting for what is above it, as the top-down algorithm has it. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_tree_topdown(const struct sotto_tree *tree, const double *y, const double *s, double *x,
		   double *v);

/* ---- releases ------------------------------------------------------------------------------ */

struct sotto_census_request {
	const char *plan; /* a file: sotto-release-plan(5) */
	const char
		*policy; /* whose ledger is charged, or NULL; its table of the input must have
			       unit: row, since a plan's budget protects records */
	struct sotto_ledger *ledger; /* that policy's, or NULL */
	const char *analyst; /* in whose name; NULL: "curator" */
	const uint64_t
		*test_seed; /* NULL: a secret key.  With a seed the output says NOT PRIVATE */
	unsigned threads; /* 0: one */
	const char *resume; /* the folder of an interrupted release, or NULL */
	void (*progress)(void *context, uint64_t done, uint64_t total); /* or NULL */
	void *progress_context;
};

/*
 * Reads the plan and its data, charges, measures, estimates, and writes the tables and a
 * report into the plan's folder.
 *
 * Privacy:  the plan's budget, for everything that is written.
 * Fails:    SOTTO_EPARSE or SOTTO_EMISSING for plan and input, SOTTO_EINFEASIBLE,
 *           SOTTO_EBUDGET: nothing was charged, drawn or written.  SOTTO_EIO, SOTTO_EENTROPY,
 *           SOTTO_ENOMEM after the charge: continue with `resume`.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_release(const struct sotto_census_request *r, struct sotto_error *err);

/*
 * What a plan would cost and how wrong its tables would be, as JSON; nothing private is read
 * (invariants from the data are not known) and nothing drawn.  The caller frees *out.
 *
 * Fails:    as above, but for the budget.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_check(const char *plan, char **out, struct sotto_error *err);

/*
 * Writes a made-up nation with the shape of the United States into a folder: counts.csv,
 * nodes.csv, facilities.csv and plan.yaml.  mixing: how many kinds of people share a block group;
 * 15 gives about 35 cells that are not empty.
 *
 * Fails:    SOTTO_EIO; files that are there are not overwritten.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_generate(const char *folder, uint64_t counties, double mixing, uint64_t seed,
		      struct sotto_error *err);

#endif
