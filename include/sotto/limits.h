/*
 * sotto/limits.h - how much one privacy unit counts, and what that loses
 *
 * One unit counts in so many groups, with so many rows in each, with values within
 * bounds: without limits no noise would hide it.  Where a limit binds, the answer is about
 * less than the table holds, and an interval that speaks of noise alone does not tell.
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
	bool can_bind; /* a row can have a value outside: bounds are declared, not known */
};

/* A noisy number and its 95 % interval, cut at 0; value NaN: it was not asked for. */
struct sotto_loss_figure {
	double value, low, high;
};

/*
 * What the limits lost, over all groups: noisy, paid from the question.  Every loss is at
 * least so much: of one unit no more is counted than twice what may count.
 */
struct sotto_loss {
	bool is_estimated; /* false: no limit can bind, or it was not asked for */
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

/* What will be known of the loss, before anything is spent; errors hold with 95 %. */
struct sotto_loss_forecast {
	bool is_wanted; /* false: no limit can bind, or it is switched off */
	bool is_known; /* from an earlier question: it costs nothing again */
	double epsilon; /* of the question's */
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
	bool hides_keys; /* a threshold hides groups: a further loss that nothing here counts */
	struct sotto_loss_forecast forecast;
	struct sotto_loss loss; /* of an answer */
};

#endif
