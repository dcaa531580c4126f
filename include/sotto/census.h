/*
 * sotto/census.h - tables that add up, for every level of a hierarchy
 *
 * A release measures chosen marginals of every node with exact noise, then turns the noisy
 * numbers into non-negative whole numbers that agree with each other.  Only the measurements
 * cost privacy.  The parts that need no data can be used separately on small inputs;
 * they read and return JSON text.  Algorithms and proofs: src/census/.
 */
#ifndef SOTTO_CENSUS_H
#define SOTTO_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/ledger.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/* ---- small inputs as JSON text (sotto-release(1), "SMALL INPUTS") --------------------------- */

/*
 * Each writes a JSON text to *out, which the caller frees.
 *
 * Fails:    SOTTO_EPARSE for an input of the wrong form, err says where in the JSON;
 *           SOTTO_EINFEASIBLE for constraints that contradict each other, err names the node
 *           and the constraint; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_estimate(const char *json, bool exact, char **out, struct sotto_error *err);
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_variance(const char *json, bool exact, char **out, struct sotto_error *err);

enum sotto_rounding {
	SOTTO_ROUNDING_L1, /* least sum of absolute changes */
	SOTTO_ROUNDING_UNBIASED, /* each cell keeps its mean: a random choice */
	SOTTO_ROUNDING_FAST, /* good, but not optimal */
};

/* rng is used only by SOTTO_ROUNDING_UNBIASED. */
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

/* A rho that implies (epsilon, delta): the largest one, rounded down to a multiple of 2^-80 or finer. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_rho_down(const struct sotto_rational *epsilon, const struct sotto_rational *delta,
		      struct sotto_rational *rho);

/* ---- releases ------------------------------------------------------------------------------ */

struct sotto_census_request {
	const char *plan; /* a file: sotto-release-plan(5) */
	const char *policy; /* the policy whose ledger is charged, or NULL.  In its table for
			       the input every record must be a unit, because a plan's budget
			       protects records.  The sealed table is read */
	struct sotto_ledger *ledger; /* the ledger of that policy, or NULL */
	const char *analyst; /* the name under which it is charged; NULL: "curator" */
	const uint64_t
		*test_seed; /* NULL: a secret key.  With a seed the output says NOT PRIVATE */
	unsigned threads; /* 0: one */
	uint64_t memory_limit; /* bytes that the release may use; 0: no limit */
	const char *resume; /* the folder of an interrupted release, or NULL */
	void (*progress)(void *context, uint64_t done, uint64_t total); /* or NULL */
	void *progress_context;
	char **folder; /* where the path of the folder goes on success, which the caller frees; or
			  NULL */
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
 * What a plan would cost and how large the errors of its tables would be, as JSON.  No
 * private data are read (so invariants from the data are not known) and no noise is drawn.
 * The caller frees *out.
 *
 * Fails:    as above, except for the budget.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_check(const char *plan, char **out, struct sotto_error *err);

/*
 * One node of a plan ("s1/c2"; "/" is the root): what is measured in it, what must hold, and
 * how large the error of its total will be, as JSON.  No private data are read.  The caller
 * frees *out.
 *
 * Fails:    as _check; SOTTO_EMISSING if there is no such node.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_explain(const char *plan, const char *node, char **out, struct sotto_error *err);

/* What makes the generated nation difficult. */
enum sotto_nation_variant {
	SOTTO_NATION_PLAIN,
	SOTTO_NATION_CHAINS, /* a county is one tract, one block group and one block */
	SOTTO_NATION_EMPTY, /* half of the blocks and a quarter of the block groups are empty */
	SOTTO_NATION_WIDE, /* a county is one block group of 10,000 blocks */
	SOTTO_NATION_ONE_CELL, /* everybody is in one cell */
	SOTTO_NATION_QUARTERS, /* all live in group quarters */
	SOTTO_NATION_HUGE, /* the first cell holds 3,000,000,000 people more */
};

struct sotto_nation_request {
	const char *folder;
	uint64_t counties; /* 1 to 3143; 0: one */
	double cells; /* of a block group that are not empty, about: 30 to 100; 0: 35 */
	uint64_t seed;
	enum sotto_nation_variant variant;
};

/*
 * Writes a made-up nation with the shape of the United States into a folder: counts.csv,
 * nodes.csv, facilities.csv and plan.yaml.
 *
 * Fails:    SOTTO_ERANGE, SOTTO_EIO; existing files are not overwritten.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_census_generate(const struct sotto_nation_request *r, struct sotto_error *err);

#endif
