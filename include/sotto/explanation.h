/*
 * sotto/explanation.h - what a query would do, cost and err by
 *
 * Everything in it follows from the query, the policy and the schema; no private
 * row was read to make it.  The numbers are for programs, the lines for people.
 */
#ifndef SOTTO_EXPLANATION_H
#define SOTTO_EXPLANATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/rational.h"

/* One line for people: a section, what it is about, and what is said. */
struct sotto_explanation_line {
	const char *section, *name, *text;
};

struct sotto_explained_key {
	const char *name;
	bool is_public; /* otherwise shown only past the threshold */
	int64_t values; /* of a public key; -1 where only a public table knows */
	const char *why; /* it is public or private */
};

/* One number per group that gets noise; all but `what` in the column's own measure. */
struct sotto_explained_measure {
	const char *what; /* "rows", "units", "sum", ... */
	const char **used_by; /* names of the columns that read it */
	size_t used_by_count;
	bool is_bounded; /* then every value is held within lo .. hi, around centre */
	double lo, hi, centre, step;
	double sensitivity; /* how far one unit moves it in one group */
	double scale; /* of Laplace noise; sigma of Gaussian */
	double error; /* 95 % of noises are no larger */
};

/* What is chosen in each group instead of counted: quantiles, or the most frequent value. */
struct sotto_explained_choice {
	const char *what; /* "quantiles" or "mode" */
	const char *method; /* "exponential mechanism" or "tree of noisy counts" */
	double lo, hi, step; /* of the values that quantiles are looked for among */
	double error; /* 95 %: so many values lie between what was asked and what is found */
};

struct sotto_explained_column {
	const char *name, *type;
	bool noisy;
	double error; /* 95 %; NaN where it depends on the data */
	double error_times_count; /* of averages: divided by the number of values it is the error;
				     NaN otherwise */
};

struct sotto_explanation {
	struct sotto_explanation_line *lines;
	size_t count;

	const char *table, *unit; /* NULL: public tables alone; unit NULL: each row is one */
	int64_t groups, rows; /* a unit counts in so many groups, with so many rows in each */
	bool drops_groups; /* of units that have more */
	struct sotto_explained_key *keys;
	size_t key_count;
	int64_t threshold; /* noisy units from which a private key is shown; 0: none */
	struct sotto_explained_measure *measures;
	size_t measure_count;
	struct sotto_explained_choice *choices;
	size_t choice_count;
	struct sotto_explained_column *columns;
	size_t column_count;
	const char *mechanism;
	const char *engine_sql;

	struct sotto_rational epsilon, delta; /* what it would cost */
	struct sotto_rational epsilon_left, delta_left; /* afterwards; now, if not affordable */
	uint64_t fits; /* so many questions like this one fit, one after the other; this one is
			  among them */
	bool affordable;
	bool repeated; /* it was answered before: asking again is free */
	bool data_changed; /* since that answer was given */

	double time_limit; /* seconds; a question that takes longer is charged and fails */
	uint64_t memory_limit; /* bytes; 0: four fifths of the machine's */
	double pad; /* seconds: what was read from private rows leaves at a multiple; 0: at once */
};

#endif
