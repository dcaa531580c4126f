/*
 * sum_task.h - what the aggregates of this folder are told to add up
 *
 * A task is a text that the planner writes:
 *
 *	keep(M)                          a unit counts with at most M rows; without: all count
 *	note(C, LO, HI)                  rows whose column C lies outside are counted as clipped
 *	count(C)                         value: rows in which column C is not NULL
 *	sum(C, LO, HI, Z, N)             value: of column C, held within LO and HI, less Z
 *	square(C, LO, HI, Z, S, N)       value: of the square of that, divided by 2^S
 *	read(N)                          a number of rows that is read: the largest is told
 *	lose(L)                          a unit loses at most L of them, as far as that is added up
 *
 * Columns are numbered in the order of the aggregate's arguments, values in that of the text.
 * N is the number of the value that counts a sum's rows, or -1 for all rows.
 */
#ifndef SOTTO_SUM_TASK_H
#define SOTTO_SUM_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

enum { SOTTO_SUM_COLUMNS = 8, SOTTO_SUM_VALUES = 16 };

enum sotto_sum_kind { SOTTO_SUM_COUNT, SOTTO_SUM_PLAIN, SOTTO_SUM_SQUARE };

struct sotto_sum_value {
	enum sotto_sum_kind kind;
	size_t column;
	int64_t lo, hi, centre;
	unsigned shift;
	int rows; /* the value that counts its rows; -1: all rows */
	size_t base; /* the first value that is the same but for its centre; or itself */
	int64_t most; /* no unit's value is further from 0: keep times the largest term */
};

struct sotto_sum_note {
	size_t column;
	int64_t lo, hi;
};

struct sotto_sum_task {
	uint16_t number; /* in its list; from 1 on */
	int64_t keep; /* 0: all rows count */
	int64_t lose;
	struct sotto_sum_note notes[SOTTO_SUM_COLUMNS];
	size_t note_count;
	struct sotto_sum_value values[SOTTO_SUM_VALUES];
	size_t value_count;
	int reads[SOTTO_SUM_VALUES + 1];
	size_t read_count;
};

/* False if the text is not a task. */
bool sotto_sum_task_read(const char *text, size_t length, struct sotto_sum_task *out);

/*
 * Tasks by number.  They stay until the list is cleared: states of running aggregates point to
 * them.  _add and _find may be called by several threads at once.
 */
struct sotto_sum_tasks;

struct sotto_sum_tasks *sotto_sum_tasks_new(void);
void sotto_sum_tasks_free(struct sotto_sum_tasks *tasks);

/* Forgets all of them.  No aggregate may be running. */
void sotto_sum_tasks_clear(struct sotto_sum_tasks *tasks);

/* Fails: SOTTO_EPARSE; SOTTO_ERANGE, too many different ones; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_sum_tasks_add(struct sotto_sum_tasks *tasks,
						       const char *text, size_t length,
						       uint16_t *number);

/* NULL: there is none of that number. */
const struct sotto_sum_task *
sotto_sum_tasks_find(struct sotto_sum_tasks *tasks, uint16_t number);

#endif
