/*
 * plan.h - what will be computed, what noise it gets, and what that costs
 *
 * (1) A plan is made from the query, the policy and the schema alone; no row is
 *     read to make it.
 * (2) Whatever the rows are, removing one unit moves measure i by at most
 *     per_group[i] in each of at most `groups` groups (sensitivity.md).
 * (3) The engine SQL of a plan raises no error that depends on rows.
 */
#ifndef SOTTO_PLAN_H
#define SOTTO_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "central/parse/syntax_tree.h"
#include "central/plan/emit/emit.h"
#include "central/plan/expression/bind.h"
#include "central/policy/policy.h"
#include "central/policy/schema.h"
#include "core/base/arena.h"
#include "sotto/cost.h"
#include "sotto/error.h"
#include "sotto/quantile.h"
#include "sotto/rational.h"
#include "sotto/status.h"

/* So many measures are moved together for the interval of one output. */
enum { SOTTO_JOINT_MAX = 4 };

enum sotto_measure_kind {
	SOTTO_MEASURE_UNITS, /* units with at least one row (with the value, if one is named) */
	SOTTO_MEASURE_ROWS, /* rows (with the value) */
	SOTTO_MEASURE_SUM, /* of whole numbers of steps */
	SOTTO_MEASURE_DISTINCT, /* different values */
};

/* One integer per group that is published with noise. */
struct sotto_measure {
	enum sotto_measure_kind kind;
	size_t column; /* of the row that it reads; SIZE_MAX for the row itself */
	int64_t clip_lo, clip_hi; /* of one row's value in steps */
	int64_t centre; /* taken away after clipping, in steps */
	int64_t lo, hi; /* of what is then added up */
	unsigned square_shift; /* of a sum of squares: the square is divided by 2^this */
	bool square;
	bool distinct; /* a sum over different values, each once */
	const struct sotto_rational *step; /* what one step is worth */
	int64_t per_group; /* how far one unit moves it in one group */
	const char *label; /* in explain */

	/* the price: one of the two noises */
	struct sotto_rational *epsilon; /* Laplace: this measure's share */
	struct sotto_rational *sigma2; /* Gaussian */
	int64_t error95; /* steps: 95 % of noises are no larger */
	int64_t joint[SOTTO_JOINT_MAX]; /* [k - 1]: so that k such hold together, 95 % */
};

enum sotto_pick_kind {
	SOTTO_PICK_RANKS, /* quantiles: whole numbers of steps */
	SOTTO_PICK_MODE, /* the most frequent of a public list of values */
};

/*
 * What is chosen in each group by how often the values of one expression occur.
 * The engine counts them; the counts never leave a mechanism.
 */
struct sotto_pick {
	enum sotto_pick_kind kind;
	size_t column; /* of the row that it reads */
	int64_t lo, hi; /* of the values, in steps; or of places in the list */
	const struct sotto_rational *step;
	const struct sotto_domain *domain; /* the list, for MODE */
	enum sotto_sql_type domain_type; /* of its values in the engine */
	struct sotto_rank *ranks; /* three for each: itself and the ends of its interval */
	size_t rank_count;
	size_t first; /* of its outcomes among those of a row */

	/* the price */
	bool tree; /* one tree of noisy counts for all ranks; else a choice for each */
	struct sotto_rank_tree shape;
	struct sotto_rational *epsilon; /* of one choice in one group */
	struct sotto_rational *end_epsilon; /* of one that finds an end of an interval */
	struct sotto_rational *noise; /* of the tree: scale of Laplace, or sigma^2 */
	int64_t error95; /* half values between a rank and what is found; of MODE, counts */
};

/* Groups by one measure, whose values are not shown. */
struct sotto_top {
	bool chosen; /* by noisy max; the measure has no noise of its own */
	size_t measure;
	int64_t count; /* of groups; 0: something else is asked for */
	bool least; /* those with the smallest values */
	bool monotone; /* a unit moves all values up, or none */
	double error95; /* steps */
};

enum sotto_aggregate_kind {
	SOTTO_AGGREGATE_COUNT,
	SOTTO_AGGREGATE_SUM,
	SOTTO_AGGREGATE_AVG,
	SOTTO_AGGREGATE_VAR_POP,
	SOTTO_AGGREGATE_VAR_SAMP,
	SOTTO_AGGREGATE_STDDEV_POP,
	SOTTO_AGGREGATE_STDDEV_SAMP,
	SOTTO_AGGREGATE_QUANTILE,
	SOTTO_AGGREGATE_MODE,
};

/* What the analyst asked for, as a function of measures. */
struct sotto_aggregate {
	enum sotto_aggregate_kind kind;
	const struct sotto_sql_expr *call;
	size_t count, sum, squares; /* measures; SIZE_MAX where not used */
	size_t pick, rank; /* what is chosen for it: a pick, and which rank of it */
	const struct sotto_rational *centre; /* of sum and squares, as a value */
	struct sotto_value_range range; /* of one row's value */
	enum sotto_sql_type type;
};

/* A value of one row that measures read: y0, y1, ... in the engine SQL. */
struct sotto_row_column {
	const struct sotto_expression *value;
	bool never_null; /* by the policy's promise: every row has a value */
};

struct sotto_plan_key {
	const char *name;
	struct sotto_bound bound;
	const struct sotto_domain *domain; /* NULL: private */
};

/* Public keys that take their values together: a query with columns k0, k1, ... */
struct sotto_key_set {
	size_t *keys; /* in this order */
	size_t count;
	const struct sotto_rowset *rows;
	int64_t size; /* at most this many; -1 if that is not known */
};

/* What must hold of public tables before anything is charged. */
struct sotto_plan_check {
	struct sotto_emitted query; /* gives one whole number */
	int64_t most;
	const char *why; /* the sentence if it is larger */
};

struct sotto_plan_output {
	const char *name;
	struct sotto_sql_expr *expr; /* over keys and aggregates */
	enum sotto_sql_type type;
	bool noisy; /* depends on an aggregate */
};

struct sotto_plan_order {
	struct sotto_sql_expr *expr;
	bool descending, nulls_first;
};

enum sotto_plan_noise { SOTTO_NOISE_NONE, SOTTO_NOISE_LAPLACE, SOTTO_NOISE_GAUSSIAN };

struct sotto_plan {
	struct sotto_arena arena;
	const struct sotto_policy_table *owner; /* NULL: only public tables, answered exactly */
	struct sotto_plan **parts; /* finished first: "sotto part 0", ... hold their answers */
	size_t part_count; /* 0, or owner is NULL */
	bool units; /* rows carry a unit: contributions are bounded per unit */
	int64_t max_rows; /* of a unit in a group */
	int64_t groups; /* one unit reaches at most this many */
	bool window; /* max_groups has to be enforced */
	bool public_keys;
	const char *engine_sql;
	double work; /* for one private row at most, in nanoseconds, if joins make one of it */
	const char **scans; /* tables that engine_sql names */
	size_t scan_count;
	bool reads_private; /* one of them is private */
	const char *reads; /* its tables and their sources as the policy has them */

	struct sotto_plan_key *keys;
	size_t key_count;
	struct sotto_key_set *sets; /* of all keys, if they are public */
	size_t set_count;
	struct sotto_plan_check *checks;
	size_t check_count;
	const struct sotto_expression *
		*derived; /* values computed from keys alone, after the keys */
	size_t derived_count;
	enum sotto_sql_type *derived_types;
	struct sotto_row_column *columns;
	size_t column_count;
	struct sotto_measure *measures;
	size_t measure_count;
	size_t threshold_measure; /* SIZE_MAX: keys are public */
	struct sotto_pick *picks;
	size_t pick_count;
	size_t outcome_count; /* of all picks in one row */
	struct sotto_top top;
	struct sotto_aggregate *aggregates;
	size_t aggregate_count;

	struct sotto_plan_output *outputs;
	size_t output_count;
	struct sotto_sql_expr *having;
	struct sotto_plan_order *orders;
	size_t order_count;
	int64_t limit, offset;
	bool distinct;

	enum sotto_plan_noise noise;
	struct sotto_cost cost;
	struct sotto_rational *epsilon, *delta; /* as charged */
	int64_t threshold; /* noisy units from which a private key is shown */
	bool priced;
};

struct sotto_plan_request {
	const struct sotto_policy *policy;
	sotto_schema_fn schema;
	void *schema_context;
	uint64_t salt; /* of the hash that chooses a unit's groups */
};

/*
 * Plans a query.  Pair a success with _release.
 *
 * Fails:    SOTTO_EREFUSED, SOTTO_EPARSE, SOTTO_ERANGE with a sentence in err;
 *           what the schema function fails with; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_plan_make(struct sotto_plan *plan,
						   const struct sotto_plan_request *request,
						   const char *sql, struct sotto_error *err);
void sotto_plan_release(struct sotto_plan *plan);

/*
 * Chooses noise for (epsilon, delta) and fixes the cost; may be called again
 * with other parameters.  delta_is_wish tells whether the analyst named delta:
 * only then may all of it go into Gaussian noise; without it, delta is used for
 * private keys alone.
 *
 * Fails:    SOTTO_EREFUSED if private keys would need a delta and there is none;
 *           SOTTO_ERANGE if the noise would be outside what can be drawn.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_plan_price(struct sotto_plan *plan, const struct sotto_rational *epsilon,
		 const struct sotto_rational *delta, bool delta_is_wish,
		 struct sotto_error *err);

/*
 * The largest predicted 95 % error of the counts and sums among the outputs, as
 * a value; NaN if there is none (averages depend on how many there are).
 */
double sotto_plan_error(const struct sotto_plan *plan);

/* True if no noise has to be paid for. */
bool sotto_plan_is_free(const struct sotto_plan *plan);

/*
 * The second lock on what is free: engine SQL that is run without a charge (of a plan
 * or part that is free, and of every check) names no private table.
 *
 * Fails:    SOTTO_EREFUSED if it does, which is a mistake of this program.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_plan_guard(const struct sotto_plan *plan, struct sotto_error *err);

/* True if private keys are to be shown, which needs a delta. */
bool sotto_plan_needs_delta(const struct sotto_plan *plan);

/* The mechanisms of a priced plan, in words. */
const char *sotto_plan_mechanism(const struct sotto_plan *plan);

/* The parts of planning, in the order they happen. */
struct sotto_planner;
struct sotto_relation;
struct sotto_layers;

/* Plans a SELECT over private rows whose FROM is bound already.  *out lives in p's arena. */
SOTTO_MUST_CHECK enum sotto_status
sotto_plan_finish(struct sotto_planner *p, const struct sotto_layers *layers,
		  const struct sotto_relation *from, struct sotto_plan **out);

/* The measures behind one aggregate call; *index is its place in plan->aggregates. */
SOTTO_MUST_CHECK enum sotto_status
sotto_aggregate_add(struct sotto_plan *plan, struct sotto_binder *b,
		    const struct sotto_sql_expr *call, size_t *index);

/* Divides public keys into sets that do not depend on each other: plan->sets. */
SOTTO_MUST_CHECK enum sotto_status sotto_key_sets_make(struct sotto_plan *plan);

/* A query that counts the combinations of public keys, up to one more than most. */
SOTTO_MUST_CHECK enum sotto_status
sotto_key_sets_count(struct sotto_plan *plan, int64_t most, const struct sotto_rowset **query);

/* An output, HAVING or ORDER BY expression over keys and aggregates. */
SOTTO_MUST_CHECK enum sotto_status
sotto_output_rewrite(struct sotto_plan *plan, struct sotto_binder *b,
		     const struct sotto_sql_expr *e, struct sotto_sql_expr **out);
enum sotto_sql_type
sotto_output_type(const struct sotto_plan *plan, const struct sotto_sql_expr *e);
bool sotto_output_is_noisy(const struct sotto_sql_expr *e);

/* Is it true, false or NULL?  What HAVING and the like take; and the sentence if not. */
bool sotto_output_is_condition(const struct sotto_plan *plan, const struct sotto_sql_expr *e);
enum sotto_status
sotto_output_refuse_condition(struct sotto_binder *b, const struct sotto_sql_expr *e);

/* The type that a key or public output comes out as: one of four. */
enum sotto_sql_type sotto_plan_shown_type(enum sotto_sql_type type);

/* True if engine_sql names the table. */
bool sotto_plan_names(const struct sotto_plan *plan, const char *scan);

/* Writes plan->engine_sql. */
SOTTO_MUST_CHECK enum sotto_status
sotto_plan_compose(struct sotto_plan *plan, const struct sotto_relation *from,
		   const struct sotto_expression *where, uint64_t salt);

/* The same for a query over public rows, as it is. */
SOTTO_MUST_CHECK enum sotto_status
sotto_plan_compose_public(struct sotto_plan *plan, const struct sotto_rowset *rows);

#endif
