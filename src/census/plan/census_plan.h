/*
 * census_plan.h - what a release plan says (sotto-release-plan(5))
 *
 * It is read from YAML, after a profile if one is named.  Everything here is public; budgets are
 * exact rationals.
 */
#ifndef SOTTO_CENSUS_PLAN_H
#define SOTTO_CENSUS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "sotto/census.h"
#include "sotto/rational.h"
#include "sotto/status.h"

enum {
	SOTTO_CENSUS_ATTRIBUTES_MAX = 10,
	SOTTO_CENSUS_LEVELS_MAX = 16,
	SOTTO_CENSUS_GROUPS_MAX = 12, /* groups that may have bounds */
	SOTTO_CENSUS_MEASURES_MAX = 1000, /* queries of a level */
};

enum sotto_census_model { SOTTO_CENSUS_ZCDP, SOTTO_CENSUS_PURE };
enum sotto_census_mode { SOTTO_CENSUS_NAIVE, SOTTO_CENSUS_TOPDOWN, SOTTO_CENSUS_GLS };
enum sotto_census_part { SOTTO_CENSUS_SUMMED, SOTTO_CENSUS_KEPT, SOTTO_CENSUS_GROUPED };

struct sotto_census_attribute {
	const char *name, *column;
	const char **categories;
	size_t n;
};

/* A coarsened marginal: every person is in exactly one of its cells. */
struct sotto_census_query {
	const char *name;
	enum sotto_census_part parts[SOTTO_CENSUS_ATTRIBUTES_MAX];
	const uint32_t *groups[SOTTO_CENSUS_ATTRIBUTES_MAX]; /* of each category, if grouped */
	uint32_t group_count[SOTTO_CENSUS_ATTRIBUTES_MAX];
	size_t cells;
};

/* A named partition of the categories of one or more attributes. */
struct sotto_census_grouping {
	const char *name;
	const uint32_t *groups[SOTTO_CENSUS_ATTRIBUTES_MAX];
	uint32_t group_count[SOTTO_CENSUS_ATTRIBUTES_MAX];
};

/* One query at one level: its share of the budget and its noise. */
struct sotto_census_measure {
	size_t query;
	struct sotto_rational *fraction; /* of the level */
	struct sotto_rational *cost; /* rho, or epsilon in the pure model */
	struct sotto_rational *scale; /* sigma^2, or b in the pure model */
	double variance; /* of the discrete noise */
	/* 1/variance in estimates; at most 10^4, where noise hardly ever occurs. */
	double weight;
};

struct sotto_census_level {
	const char *name, *column; /* the root has no column */
	struct sotto_rational *fraction; /* of the whole */
	struct sotto_census_measure *measures; /* none if the fraction is 0 */
	size_t measure_count;
};

/* A budget line as it was written: level -> fraction, or level -> query -> fraction. */
struct sotto_census_share {
	const char *level, *query;
	struct sotto_rational *fraction;
	size_t line;
};

struct sotto_census_invariant {
	const char *level;
	size_t query;
	const char **nodes; /* their union; NULL: each node of the level */
	size_t node_count;
	const char *values; /* a file; NULL: from the data */
};

/* factor * column, or factor alone */
struct sotto_census_term {
	int64_t factor;
	const char *column;
};

struct sotto_census_bound {
	const char *level;
	size_t query;
	bool has_lower, has_upper;
	struct sotto_census_term lower, upper;
	const char *table; /* NULL: constants */
};

/* A cell that cannot occur: category index for each attribute, or -1 for any. */
struct sotto_census_zero {
	int32_t category[SOTTO_CENSUS_ATTRIBUTES_MAX];
};

struct sotto_census_plan {
	struct sotto_arena arena;
	const char *path, *folder;
	const char *profile;
	const char *microdata, *counts, *count_column;
	const char *nodes;
	bool nodes_from_data;
	const double *fanout; /* of a regular tree, for --check without nodes */
	size_t fanout_count;
	struct sotto_census_level *levels;
	size_t level_count;
	struct sotto_census_attribute *attributes;
	size_t attribute_count;
	struct sotto_census_grouping *groupings;
	size_t grouping_count;
	struct sotto_census_query *queries; /* all queries that are used anywhere */
	size_t query_count;
	enum sotto_census_model model;
	bool replace_one;
	struct sotto_rational *total; /* rho or epsilon */
	struct sotto_rational *delta;
	struct sotto_census_share *level_shares, *query_shares;
	size_t level_share_count, query_share_count;
	struct sotto_census_invariant *invariants;
	size_t invariant_count;
	bool acknowledges_invariants;
	struct sotto_census_bound *bounds;
	size_t bound_count;
	struct sotto_census_zero *zeros;
	size_t zero_count;
	enum sotto_census_mode mode;
	enum sotto_rounding rounding;
	bool bypass;
	double tol_slack; /* by how much cells may miss their node's total before rounding */
	bool up_all,
		up_auto; /* the leaf level takes part in the up-pass: always, or if it pays */
	const char *output, *microdata_output;
	size_t *tables; /* queries */
	size_t table_count;
	struct sotto_rational *intervals; /* confidence, or NULL */
	bool linear_estimates, parquet;
};

/*
 * Reads a plan and computes every budget.  Pair a success with _release.
 *
 * Fails:    SOTTO_EPARSE with "path:line: sentence"; SOTTO_EMISSING, SOTTO_EIO, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_plan_parse(struct sotto_census_plan *p, const char *path, const char *text,
			size_t length, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_census_plan_load(struct sotto_census_plan *p, const char *path, struct sotto_error *err);
void sotto_census_plan_release(struct sotto_census_plan *p);

#endif
