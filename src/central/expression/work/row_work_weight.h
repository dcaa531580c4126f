/*
 * row_work_weight.h - what the engine's steps cost, in nanoseconds
 */
#ifndef SOTTO_ROW_WORK_WEIGHT_H
#define SOTTO_ROW_WORK_WEIGHT_H

/* Measured on texts that are costly to each function, and rounded up. */
enum {
	PLAIN = 5, /* an operator */
	MODULO = 2000, /* of numbers with far exponents */
	FUNCTION = 100,
	CAST = 300,
	READ_NUMBER = 200, /* of at most SOTTO_TEXT_READ bytes */
	READ_DATE = 600, /* and written */
	WINDOW = 200, /* a unit's rows are sorted */
	SUBQUERY = 300,
	COMPARED = 1, /* for each character */
	READ = 3,
	JOINED = 6,
	LOWERED = 25,
	FOUND = 10,
	LISTED = 60, /* a character of those that trim or translate look for */
	MATCHED = 12, /* by an automaton with few states */
	SIMULATED = 35, /* by one with many: for each place in the pattern */
};

static inline double sotto_least(double x, double y)
{
	return x < y ? x : y;
}

static inline double sotto_greatest(double x, double y)
{
	return x > y ? x : y;
}

#endif
