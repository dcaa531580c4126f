/*
 * sotto/limits.h - the limits on how much one privacy unit counts, and what they lose
 *
 * One unit counts in a limited number of groups, with a limited number of rows in each, and
 * with values within bounds: without limits no noise could hide it.  If a limit drops
 * something, the answer covers less than the table, and an interval that covers only the
 * noise does not show that.
 */
#ifndef SOTTO_LIMITS_H
#define SOTTO_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values that are clipped before they are added up or chosen from. */
struct sotto_clip_limit {
	const char *what; /* the column, or what the expression is called */
	double lo, hi;
	bool can_bind; /* a row can have a value outside these bounds */
};

/* A noisy number and its 95 % interval, cut at 0; value is NaN if it was not asked for. */
struct sotto_loss_figure {
	double value, low, high;
};

/*
 * What the limits lost, over all groups: noisy numbers, paid for by the question.  Each
 * loss is a lower bound, because at most twice the limit is counted for one unit.
 */
struct sotto_loss {
	bool is_estimated; /* false: no limit can drop anything, or it was not asked for */
	struct sotto_loss_figure units; /* that have rows */
	struct sotto_loss_figure units_losing_rows, units_losing_groups, units_clipped;
	struct sotto_loss_figure rows_lost, rows_kept;
	struct sotto_loss_figure pairs_lost, pairs_kept; /* (unit, group) */
	/* Of the rows, or of the pairs where only units are counted: lost / (lost + kept). */
	struct sotto_loss_figure share;
	bool biased; /* more was lost, or clipped, than noise alone would show */
	const char **sentences; /* for people */
	size_t sentence_count;
};

/* How well the loss will be estimated, known before anything is spent; 95 % errors. */
struct sotto_loss_forecast {
	bool is_wanted; /* false: no limit can drop anything, or it is switched off */
	bool is_known; /* from an earlier question, so it costs nothing now */
	double epsilon; /* the part of the question's epsilon that is spent on it */
	double units_error, rows_error, pairs_error; /* NaN: not estimated */
};

/* The limits of one release; a question of several parts has several. */
struct sotto_limits {
	const char *table, *unit; /* whose limits; unit is "row" where each row is one */
	int64_t max_groups, max_rows; /* of one unit, and in each of its groups */
	bool groups_can_bind, rows_can_bind;
	struct sotto_clip_limit *clips;
	size_t clip_count;
	const char **sentences; /* one for each limit that can bind, for people */
	size_t sentence_count;
	bool hides_keys; /* a threshold hides groups: a further loss, not counted here */
	struct sotto_loss_forecast forecast;
	struct sotto_loss loss; /* of an answer */
};

#endif
