/*
 * aggregate.h - one record for each aggregate
 *
 * Everything that depends on which aggregate a call is stands in its record, in a file of
 * its own: aggregate_avg.c has AVG.  To add one, write such a file and add its line to
 * SOTTO_AGGREGATES (docs/adding-an-aggregate.md).
 */
#ifndef SOTTO_AGGREGATE_H
#define SOTTO_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>

#include "central/parse/parse_query.h"
#include "central/parse/syntax_tree.h"
#include "central/parse/value/sql_type.h"
#include "central/expression/range/value_range.h"
#include "central/tree/operation.h"
#include "core/base/arena.h"
#include "sotto/noise.h"
#include "sotto/query.h"
#include "sotto/rational.h"
#include "sotto/status.h"

struct sotto_aggregate_record;
struct sotto_binder;
struct sotto_plan;

/* What an aggregate is made of once the plan has it. */
enum sotto_aggregate_form {
	SOTTO_FORM_MEASURE, /* one noisy measure, as it is */
	SOTTO_FORM_MOMENTS, /* computed from a count and sums */
	SOTTO_FORM_RANK, /* one rank of a choice */
	SOTTO_FORM_MODE, /* the value of a choice */
};

/* What the analyst asked for, as a function of what is published. */
struct sotto_aggregate {
	const struct sotto_aggregate_record *record;
	const struct sotto_sql_expr *call;
	enum sotto_sql_type type;
	struct sotto_value_range range; /* of one row's value */
	enum sotto_aggregate_form form;
	union {
		size_t measure;
		struct sotto_moments {
			size_t count, sum, squares; /* measures; SIZE_MAX where not used */
			bool by_ends; /* count and sum are sums from the highest and the lowest */
			const struct sotto_rational
				*centre; /* of sum and squares, as a value */
		} moments;
		struct sotto_chosen_rank {
			size_t choice, rank; /* a choice, and which rank of it */
		} rank;
		size_t mode; /* a choice */
	};
};

/* What was published for one group, and how far it is moved for an interval. */
struct sotto_group_values {
	const struct sotto_noisy *measures;
	const struct sotto_value *outcomes; /* of choices */
	const double *shift; /* of measures in steps; from shift[measure_count] on stand the
				outcomes: less (more) than 0 takes the low (high) end of what
				was chosen */
};

/* Over the rows of one unit, exactly (relation/unit_aggregate.c). */
enum sotto_unit_form {
	SOTTO_UNIT_NONE, /* not there */
	SOTTO_UNIT_COUNT,
	SOTTO_UNIT_SUM,
	SOTTO_UNIT_AVG,
	SOTTO_UNIT_VALUE, /* one of the values, by the engine's aggregate */
	SOTTO_UNIT_TRUTH, /* the same of truth values */
};

struct sotto_aggregate_record {
	const char *const *names; /* ends with NULL: its own, then others that mean the same */
	const char *syntax, *manual; /* as the manual has them */
	const char *example; /* a call over columns x, y (numbers above 0) and ward (a key) */
	bool is_usual; /* named in the sentence that tells what there is */
	const void *detail; /* for the functions of its own file */

	/* Over private rows.  Exactly one of these three: */
	enum sotto_status (*plan)(struct sotto_plan *plan, struct sotto_binder *b,
				  const struct sotto_sql_expr *call, struct sotto_aggregate *a);
	enum sotto_status (*expand)(struct sotto_binder *b, const struct sotto_sql_expr *call,
				    struct sotto_sql_expr **out); /* over other aggregates */
	const char *refusal; /* why there is none, with what to write instead; the name comes
				before it */
	const char *finished; /* what to write instead over finished groups; NULL: the usual */

	bool plan_first; /* before others, which then share its measures */

	/* Of SOTTO_FORM_MOMENTS: the value, and how wrong it is, times the number of values. */
	double (*estimate)(const struct sotto_plan *plan, const struct sotto_aggregate *a,
			   const struct sotto_group_values *g);
	double (*error_times_count)(const struct sotto_plan *plan,
				    const struct sotto_aggregate *a);
	const char *(*predict)(struct sotto_arena *arena, const struct sotto_plan *plan,
			       const struct sotto_aggregate *a,
			       double error); /* in words; error: of a typical group, or NaN */

	/* Over the rows of one unit. */
	enum sotto_unit_form unit;

	/* The engine's own aggregate, for those two; SOTTO_OP_NONE: there is none. */
	enum sotto_operation_name engine;

	/* Over public tables. */
	bool is_public; /* by the engine's own aggregate of one argument */
	bool public_number; /* takes and gives a number; otherwise any type, and keeps it */
	bool public_window; /* also as a window function */
};

/* Each family is an array of records that ends with one without names. */
/* clang-format off */
#define SOTTO_AGGREGATES(X) \
	X(count) \
	X(sum) \
	X(avg) \
	X(variance) \
	X(geomean) \
	X(covariance) \
	X(quantile) \
	X(mode) \
	X(truth) \
	X(refused)
/* clang-format on */

#define SOTTO_AGGREGATE_DECLARE(family)                                                        \
	extern const struct sotto_aggregate_record sotto_aggregate_##family[];
SOTTO_AGGREGATES(SOTTO_AGGREGATE_DECLARE)
#undef SOTTO_AGGREGATE_DECLARE

/* ---- aggregate_table.c --------------------------------------------------------------------- */

/* NULL if no aggregate has that name. */
const struct sotto_aggregate_record *sotto_aggregate_find(const char *name);

/* The i-th record; NULL past the last. */
const struct sotto_aggregate_record *sotto_aggregate_at(size_t i);

/* "COUNT, SUM, ..., MODE": the usual ones.  NULL without memory. */
const char *sotto_aggregate_list(struct sotto_arena *a);

/* ---- aggregate_add.c ----------------------------------------------------------------------- */

/* The measures or the choice behind one call; *index is its place in plan->aggregates. */
SOTTO_MUST_CHECK enum sotto_status
sotto_aggregate_add(struct sotto_plan *plan, struct sotto_binder *b,
		    const struct sotto_sql_expr *call, size_t *index);

/* ---- aggregate_value.c --------------------------------------------------------------------- */

/* All aggregates of one group: out[0 .. plan->aggregate_count). */
void sotto_aggregates_compute(const struct sotto_plan *plan, const struct sotto_group_values *g,
			      struct sotto_value *out);

/* Of these, those that an expression reads; the others are left as they are. */
void sotto_aggregates_compute_read(const struct sotto_plan *plan,
				   const struct sotto_sql_expr *e,
				   const struct sotto_group_values *g, struct sotto_value *out);

enum { SOTTO_AGGREGATE_READS = 3 }; /* measures of one aggregate, at most */

/*
 * What shift[i] moves and an expression reads: list[0 .. *count), ascending.  If there are more
 * than most, *count is most + 1.  The caller sets *count to 0.
 */
void sotto_output_list_reads(const struct sotto_plan *plan, const struct sotto_sql_expr *e,
			     size_t *list, size_t most, size_t *count);

/* True if an output, HAVING or ORDER BY expression reads what shift[i] moves. */
bool sotto_output_reads(const struct sotto_plan *plan, const struct sotto_sql_expr *e,
			size_t i);

/* The outcome that a quantile shows. */
size_t sotto_rank_outcome(const struct sotto_plan *plan, const struct sotto_chosen_rank *r);

/* A measure with its shift, as a value. */
double sotto_group_measure(const struct sotto_plan *plan, const struct sotto_group_values *g,
			   size_t i);

/* The same, at least 1: what sums are divided by, whether a group is empty or not. */
double
sotto_group_count(const struct sotto_plan *plan, const struct sotto_group_values *g, size_t i);

enum { SOTTO_ERROR_TEXT = 48 };

/* An error for people: so many digits, without an exponent from 1e-4 to 1e15. */
const char *sotto_error_text(double error, int digits, char out[SOTTO_ERROR_TEXT]);

#endif
