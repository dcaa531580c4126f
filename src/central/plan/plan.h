/*
 * plan.h - what will be computed, what noise it gets, and what that costs
 *
 * (1) A plan is made from the query, the policy, the schema and how many values public
 *     keys have; no private row is read to make it.
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
#include "central/aggregate/aggregate.h"
#include "central/emit/emit.h"
#include "central/expression/bind.h"
#include "central/price/contribution_spread.h"
#include "central/price/choice/group_choice.h"
#include "central/price/key_threshold.h"
#include "central/price/laplace_or_gaussian.h"
#include "central/price/loss_vector.h"
#include "central/price/choice/mode_choice.h"
#include "central/plan/planner.h"
#include "central/price/choice/rank_choice.h"
#include "central/policy/policy.h"
#include "central/policy/schema.h"
#include "core/base/arena.h"
#include "core/mechanism/quantile/quantile.h"
#include "sotto/cost.h"
#include "sotto/rational.h"
#include "sotto/status.h"

enum sotto_measure_kind {
	SOTTO_MEASURE_UNITS, /* units with at least one row (with the value, if one is named) */
	SOTTO_MEASURE_ROWS, /* rows (with the value) */
	SOTTO_MEASURE_SUM, /* of whole numbers of steps */
	SOTTO_MEASURE_DISTINCT, /* different values */
};

/* What a row adds to a sum: its value in steps, held within bounds, from the centre. */
struct sotto_addend {
	int64_t clip_lo, clip_hi; /* of the value */
	int64_t centre; /* taken away after clipping */
	int64_t lo, hi; /* of what is then added up */
	bool square; /* the square of that, divided by 2^square_shift, is added up */
	unsigned square_shift;
	bool distinct; /* different values, each once */
};

/* One integer per group that is published with noise. */
struct sotto_measure {
	enum sotto_measure_kind kind;
	size_t column; /* of the row that it reads; SIZE_MAX for the row itself */
	struct sotto_addend addend; /* of a sum; all zero for what is counted */
	const struct sotto_rational *step; /* what one step is worth */
	int64_t per_group; /* how far one unit moves it in one group */
	/* One unit moves the one before it and this one by per_group together, not each: the
	 * two have one share (central/price/average.md). */
	bool is_second;
	const char *label; /* in explain */
	struct sotto_added_noise *noise; /* the price; equal noises are one object */
};

enum sotto_choice_kind {
	SOTTO_CHOICE_RANKS, /* quantiles: whole numbers of steps */
	SOTTO_CHOICE_MODE, /* the most frequent of a public list of values */
};

struct sotto_choice_of_ranks {
	int64_t lo, hi; /* of the values, in steps */
	const struct sotto_rational *step;
	struct sotto_rank *ranks; /* three for each: itself and the ends of its interval */
	size_t rank_count;
	struct sotto_rank_choice *choice; /* the price */
};

struct sotto_choice_of_mode {
	const struct sotto_domain *domain; /* the public list */
	enum sotto_sql_type domain_type; /* of its values in the engine */
	int64_t size; /* of the list at most */
	struct sotto_mode_choice *choice; /* the price */
};

/*
 * What is chosen in each group by how often the values of one expression occur.
 * The engine counts them; the counts never leave a mechanism.
 */
struct sotto_choice {
	enum sotto_choice_kind kind;
	size_t column; /* of the row that it reads */
	size_t first; /* of its outcomes among those of a row */
	union {
		struct sotto_choice_of_ranks quantiles;
		struct sotto_choice_of_mode mode;
	};
};

/* On which sides of its bounds a row can have a value. */
struct sotto_sides {
	bool below, above;
};

/* More different values are not carried from workers to the coordinator. */
enum { SOTTO_SET_MAX = 10000000 };

/* The values that the policy declares of something whose different ones are counted: it has no others. */
struct sotto_declared_set {
	int64_t size; /* how many; 0: none are declared, or more than SOTTO_SET_MAX */
	int64_t bytes; /* that all of them take in a partial (spread.md) */
	bool has_numbers; /* a partial has them as whole numbers, else as texts */
	const struct sotto_domain
		*keys; /* that are looked for; NULL: rows have no other values */
	const struct sotto_bound *of; /* what rows have; NULL: nothing else */
	const char *name; /* of that, for people */
	struct sotto_sides outside; /* where a row can lie, if it has bounds */
};

/* A value of one row that measures read: y0, y1, ... in the engine SQL. */
struct sotto_row_column {
	const struct sotto_expression *value;
	bool never_null; /* by the policy's promise: every row has a value */
	const char *name; /* of what is clipped, for people; NULL: it is only counted */
	int64_t clip_lo, clip_hi; /* in steps, if it has a name */
	enum sotto_sql_type clip_type; /* of these: a number, or a date or timestamp */
	const struct sotto_rational *step;
	struct sotto_sides clips; /* a row can have a value outside of them */
	struct sotto_value_range told; /* bounds that people are told of, in place of these */
	struct sotto_sides told_clips; /* a row can have a value outside of those */
	bool can_round; /* a row can have a value between two steps */
	struct sotto_declared_set set; /* of different values */
};

/* A column that a key is computed from as if it had the nearest value within its bounds. */
struct sotto_held_column {
	const struct sotto_scope_column *column;
	struct sotto_sides outside;
};

struct sotto_plan_key {
	const char *name;
	struct sotto_bound bound;
	const struct sotto_bound *image; /* an equal one whose values it has; NULL: its own */
	const struct sotto_domain *domain; /* NULL: private */
	bool is_image; /* its values are computed from those of the columns that it reads */
	bool days; /* of timestamps it reads the day alone */
	/* The key of a row whose columns, or which itself, lie within bounds; NULL: as they are. */
	const struct sotto_expression *held;
	struct sotto_held_column *held_columns; /* those columns; none: itself */
	size_t held_count;
	struct sotto_sides outside; /* where it can lie, if it is held itself */
	int64_t values; /* shown of it, where that was counted; else -1 */
};

/* Public keys that take their values together: a query with columns k0, k1, ... */
struct sotto_key_set {
	size_t *keys; /* in this order */
	size_t count;
	const struct sotto_rowset *rows;
	int64_t size; /* at most this many; -1 if that is not known */
	bool may_be_fewer; /* computed values may be equal, conditions leave some out */
	bool is_counted; /* in tables, which may have changed when the question runs */
};

/*
 * What must hold of public tables before anything is charged.  Several checks may ask for the same
 * number, which is then looked up once.
 */
struct sotto_plan_check {
	struct sotto_emitted query; /* gives one whole number */
	int64_t times, plus; /* which is multiplied by, and added to */
	int64_t most;
	const char *why; /* the sentence if it is then larger */
	bool is_text; /* bytes of texts: those of all parts of a question together */
};

/* What is compared with most, where the query gives n; at most INT64_MAX. */
int64_t sotto_check_value(const struct sotto_plan_check *c, int64_t n);

struct sotto_plan_output {
	const char *name;
	struct sotto_sql_expr *expr; /* over keys and aggregates */
	enum sotto_sql_type type;
	bool noisy; /* depends on an aggregate */
	bool has_ends; /* of a query over finished ones: the engine gives its interval too */
};

/* Is it a noisy number, whose interval goes with it where other queries read it? */
bool sotto_output_has_interval(const struct sotto_plan_output *o);

struct sotto_plan_order {
	struct sotto_sql_expr *expr;
	bool descending, nulls_first;
};

struct sotto_plan {
	struct sotto_arena arena;
	const struct sotto_policy_table *owner; /* NULL: only public tables, answered exactly */
	struct sotto_plan **parts; /* finished first: "sotto part 0", ... hold their answers */
	size_t part_count; /* private rows, if there is an owner, are compared with them */
	bool units; /* rows carry a unit: contributions are bounded per unit */
	int64_t max_rows; /* of a unit in a group */
	int64_t groups; /* one unit reaches at most this many */
	bool window; /* max_groups has to be enforced */
	bool few_rows; /* a unit has no more rows than max_rows, whatever the data are */
	bool one_row; /* a unit has one row: sealing found its column unique.  The engine is told
			 to keep no more, so that nothing is moved further if it has */
	bool reads_rows; /* something besides the number of units is asked */
	bool reads_all_rows; /* the number of rows is */
	bool public_keys;
	int64_t most_groups; /* of public keys, if that is known without a public table; or -1 */
	const char *engine_sql; /* as every engine can run it, whatever sealing has stored */
	const char
		*here_sql; /* the same for this machine's engine, with values row by row where
				 that takes long (emit.c); NULL: engine_sql is */
	const char *partial_sql; /* the same with sets for numbers of different values, and so
				    additive over buckets of units; NULL: engine_sql is */
	const char *why_whole; /* why it cannot be asked of buckets; NULL: it can (spread.md) */
	double work; /* for one private row at most, in nanoseconds, if joins make one of it */
	const char **scans; /* tables that engine_sql names */
	size_t scan_count;
	bool reads_private; /* one of them is private */
	bool reads_parts; /* its rows are compared with answers of parts */
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
	struct sotto_untyped *untyped; /* texts that are read as something else */
	size_t untyped_count;
	const char **cut; /* tables of which rows of a unit meet few others (private_join.h) */
	size_t cut_count;
	struct sotto_measure *measures;
	size_t measure_count;
	struct sotto_key_threshold threshold; /* of private keys */
	struct sotto_spread spread; /* limits that are to be found first; the plan assumes 1 */
	bool found_limits; /* it has limits that were found, or assumes them */
	struct sotto_loss_vector loss; /* what the limits lost, over all groups */
	struct sotto_choice *choices;
	size_t choice_count;
	size_t outcome_count; /* of all choices in one row */
	struct sotto_group_choice top; /* groups in the order of one measure */
	struct sotto_aggregate *aggregates;
	size_t aggregate_count;

	struct sotto_plan_output *outputs;
	size_t output_count;
	struct sotto_sql_expr *having;
	struct sotto_plan_order *orders;
	size_t order_count;
	int64_t limit, offset;
	bool distinct;
	const char *asked; /* where rows are compared with parts: the question; NULL: not yet */

	enum sotto_noise_kind noise; /* of measures, and of trees of counts */
	bool is_single; /* one aggregate is asked for */
	bool over_groups; /* aggregates of the groups that parts have finished */
	bool is_empty; /* no public key meets the conditions: there is nothing to count */
	const char *
		rival; /* the key of the same question with the noise that was not taken, or NULL */
	bool spares_ledger; /* Gaussian noise would err less, but leave room for fewer questions */
	enum sotto_noise_kind wanted_noise; /* SOTTO_NOISE_NONE: whichever errs less */
	int64_t typical_group; /* units for which errors are told that depend on their number */
	unsigned *output_weights; /* as the analyst weighs the outputs; NULL: not at all */
	unsigned *weights; /* of the shares of measures and choices, once it is priced */
	struct sotto_cost cost, own_cost; /* with its parts, and without */
	/* While limits are to be found: what the question costs at most, and what they do. */
	struct sotto_cost most_cost, spread_cost;
	struct sotto_rational *epsilon, *delta; /* as charged */
	bool priced;
};

/*
 * Runs a query that names no private table and gives one whole number.
 *
 * Fails:    SOTTO_ERANGE if that takes too long: the number is then taken for unknown;
 *           SOTTO_EIO with a sentence.
 */
typedef enum sotto_status (*sotto_count_fn)(void *context, const char *sql, int64_t *out,
					    struct sotto_error *err);

struct sotto_plan_request {
	const struct sotto_policy *policy;
	sotto_schema_fn schema;
	void *schema_context;
	sotto_count_fn count; /* NULL: nothing is counted */
	void *count_context;
	uint64_t salt; /* of the hash that chooses a unit's groups */
	const struct sotto_bound_value *parameters; /* of $1, $2, … */
	size_t parameter_count;
	sotto_limits_fn limits; /* those that the policy does not say; NULL: none are known */
	bool finds_limits; /* they are what is asked for, whatever the policy says */
	bool is_preview; /* a large answer is refused, because nobody needs to see all of it */
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

/* True if no noise has to be paid for. */
bool sotto_plan_is_free(const struct sotto_plan *plan);

/* True if private keys are to be shown, which needs a delta. */
bool sotto_plan_needs_delta(const struct sotto_plan *plan);

/* The parts of planning, in the order they happen. */
struct sotto_relation;
struct sotto_layers;

/* Plans a SELECT over private rows whose FROM is bound already.  *out lives in p's arena. */
SOTTO_MUST_CHECK enum sotto_status
sotto_plan_finish(struct sotto_planner *p, const struct sotto_layers *layers,
		  const struct sotto_relation *from, struct sotto_plan **out);

/* Refuses a question with more than SOTTO_AGGREGATES_MAX. */
enum sotto_status sotto_plan_too_many_aggregates(const struct sotto_planner *p, int at);

/* Can max_rows, max_groups or the bounds of a value change the answer?  (sensitivity.md, 17) */
bool sotto_plan_limits_rows(const struct sotto_plan *plan);
bool sotto_plan_limits_groups(const struct sotto_plan *plan);
bool sotto_plan_limits_values(const struct sotto_plan *plan);
bool sotto_column_clips(const struct sotto_row_column *c);
/* Can a row be in a group that it does not name itself, because it lies outside of bounds? */
bool sotto_key_moves_rows(const struct sotto_plan_key *k);

/* True if limits of the plan or of one of its parts are still to be found. */
bool sotto_plan_is_pending(const struct sotto_plan *plan);

/* What the engine of this machine is asked: that of the loss vector where it is run. */
const char *sotto_plan_sql(const struct sotto_plan *plan);

/* The same for one bucket of the units. */
const char *sotto_plan_partial_sql(const struct sotto_plan *plan);

/* True if engine_sql names the table. */
bool sotto_plan_names(const struct sotto_plan *plan, const char *scan);

#endif
