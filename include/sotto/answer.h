/*
 * sotto/answer.h - what a question gives back: rows with intervals, and what limits lost
 *
 * Everything in an answer is free to show.
 */
#ifndef SOTTO_ANSWER_H
#define SOTTO_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/rational.h"
#include "sotto/status.h"

/*
 * ---- The limits on how much one privacy unit counts, and what they lose
 *
 * One unit counts in a limited number of groups, with a limited number of rows in each, and
 * with values within bounds: without limits no noise could hide it.  If a limit drops
 * something, the answer covers less than the table, and an interval that covers only the
 * noise does not show that.
 */

/* Values that are clipped before they are added up or chosen from. */
struct sotto_clip_limit {
	const char *what; /* the column, or what the expression is called */
	double lo, hi;
	const char *lo_moment,
		*hi_moment; /* the same as dates or times; NULL: they are numbers */
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

/*
 * ---- Rows and their intervals
 */

enum sotto_value_kind {
	SOTTO_VALUE_NULL,
	SOTTO_VALUE_BOOL,
	SOTTO_VALUE_INTEGER,
	SOTTO_VALUE_NUMBER,
	SOTTO_VALUE_TEXT,
};

struct sotto_value {
	enum sotto_value_kind kind;
	int64_t integer; /* a whole number, or a truth value */
	double number; /* also set for a whole number */
	const char *text; /* a text; for a number its exact decimal, or NULL */
};

struct sotto_answer_column {
	const char *name;
	const char *type; /* "integer", "number", "text", "boolean", "date", "timestamp" */
	bool noisy; /* otherwise a key, or a constant */
	bool biased; /* the limits made it wrong by more than its interval shows */
};

struct sotto_answer {
	struct sotto_answer_column *columns;
	size_t column_count;
	size_t row_count;
	struct sotto_value *values; /* row by row */
	struct sotto_value *lows, *highs; /* 95 % intervals; NULL values for keys */
	struct sotto_rational epsilon, delta; /* what this call was charged */
	struct sotto_rational epsilon_left, delta_left;
	uint64_t fits; /* how many more questions like this one fit; UINT64_MAX: it is free */
	bool repeated; /* an earlier answer, free */
	bool data_changed; /* since that answer was given; a note says so */
	bool made_up; /* from invented rows: sotto_session_preview */
	const char
		*mechanism; /* "discrete Laplace", "exponential mechanism", "noisy max", ... */
	const char **notes; /* sentences about columns that differ from what SQL would give */
	size_t note_count;
	struct sotto_limits *limits; /* of the question, or of each of its parts; none if it
					is free */
	size_t limits_count;
};

/*
 * The i-th sentence that belongs to the numbers: the limits for one unit, what they lost,
 * and notes on columns; each once.  NULL after the last one.
 */
SOTTO_API const char *sotto_answer_sentence(const struct sotto_answer *a, size_t i);

SOTTO_API void sotto_answer_free(struct sotto_answer *a);

/*
 * ---- Writing the parts of an answer as JSON or a similar format
 *
 * Rows, intervals and limits have the same structure wherever they are written: by the
 * program as lines for people, by the server as replies.  The library defines the structure
 * (docs/schema/query.json); the caller provides the functions that write it.
 */

/* A writer of JSON or a similar format.  All functions are required; each is given `to`. */
struct sotto_document {
	void *to;
	void (*open)(void *to, char bracket, bool on_one_line); /* '{' or '[' */
	void (*close)(void *to, char bracket);
	void (*key)(void *to, const char *key);
	void (*text)(void *to, const char *text);
	void (*integer)(void *to, int64_t x);
	void (*number)(void *to, double x);
	void (*decimal)(void *to, const char *number); /* exact digits */
	void (*boolean)(void *to, bool x);
	void (*null)(void *to);
};

/* Writes the keys "rows" and "intervals": for each row a list of values, or of intervals and
 * nulls. */
SOTTO_API void
sotto_answer_write_rows(const struct sotto_answer *a, const struct sotto_document *d);

/*
 * Writes the limits for one unit, and what they lose, under a key: an object, with "parts" if
 * there are several; null if there are none.
 */
SOTTO_API void sotto_limits_write(const struct sotto_limits *l, size_t count, const char *key,
				  const struct sotto_document *d);

#endif
