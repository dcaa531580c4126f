/*
 * numbers.h - reads exact values from the command line, standard input or a CSV column
 *
 * Each is read as an exact fraction and put on the grid.  Complaints name the place (operand,
 * line, column) and never the value.
 */
#ifndef SOTTO_NUMBERS_H
#define SOTTO_NUMBERS_H

#include <stdbool.h>
#include <stdio.h>

#include "frame/option.h"
#include "sotto/noise.h"
#include "sotto/status.h"

/* Where the values are; the first one that is set counts: csv, operands, in. */
struct number_source {
	const char *csv; /* file name, "-" for standard input */
	const char *column;
	const struct operands *operands;
	FILE *in;
};

/* The rows of an option table that fill the csv and column members of a struct. */
#define NUMBERS_OPTIONS(settings)                                                              \
	{.name = "csv",                                                                        \
	 .argument = "FILE",                                                                   \
	 .kind = OPTION_TEXT,                                                                  \
	 .help = "read the values from a CSV file (- for standard input)",                     \
	 .offset = offsetof(settings, csv)},                                                   \
	{                                                                                      \
		.name = "column", .argument = "NAME", .kind = OPTION_TEXT,                     \
		.help = "the column of --csv that holds the values",                           \
		.offset = offsetof(settings, column)                                           \
	}

struct numbers {
	struct sotto_exact *items;
	size_t count;
	size_t room;
};

/*
 * Reads all values of the source.  If round is false, refuses a value that is not on the grid.
 * The caller calls _release in any case.
 *
 * Fails:    with a sentence in err; also if there is no value.
 */
enum outcome numbers_read(struct numbers *n, const struct number_source *source,
			  const struct sotto_grid *grid, bool round, struct sotto_error *err);

/*
 * Computes how far an answer is from the value that was read if noise moves it by at most
 * `steps`: rounding to the grid has moved it by up to half a step before.
 */
void numbers_error(const struct sotto_grid *grid, bool round, int64_t steps,
		   struct sotto_rational *error);

/* Computes r = a / b, where b is known not to be 0: a step, an epsilon. */
void numbers_divide(struct sotto_rational *r, const struct sotto_rational *a,
		    const struct sotto_rational *b);

/* Computes r = 1 - p: how often a statement of confidence p may be wrong. */
void numbers_complement(struct sotto_rational *r, const struct sotto_rational *p);

/*
 * The largest double that is at most 1 - p: what a statement with confidence p may be wrong with.
 * In doubles 1 - p would be 0 for 0.99999999999999999999, and 1 for 1e-300.
 */
double numbers_complement_down(const struct sotto_rational *p);

/* Wipes the values and frees them. */
void numbers_release(struct numbers *n);

#endif
