/*
 * First computes what each row adds, column by column, then adds that to the states; loops are
 * kept apart for the frequent cases, and a unit's sum is bounded once more when it is read.
 */
#include "central/engine/sum/sum_block.h"

#include <string.h>

enum { AHEAD = 12 }; /* rows whose states are fetched before they are needed */

__extension__ typedef __int128 wide;

/* Sums of whole numbers below 2^62 leave 64 bits about never, so this branch is foreseen. */
static inline void add_whole(struct sotto_wide_sum *s, int64_t x)
{
	if (__builtin_expect(__builtin_add_overflow(s->low, x, &s->low), 0))
		s->high += x < 0 ? -1 : 1;
}

static inline int64_t held_sum(int64_t x, int64_t y)
{
	int64_t sum;

	if (__builtin_expect(__builtin_add_overflow(x, y, &sum), 0))
		return x < 0 ? INT64_MIN + 1 : INT64_MAX;
	return sum;
}

void sotto_pair_add(struct sotto_pair_state *s, const struct sotto_pair_state *x, size_t values)
{
	uint64_t task = (s->head | x->head) & (SOTTO_PAIR_ONE_ROW - 1);

	s->head = (sotto_pair_rows(s) + sotto_pair_rows(x)) << SOTTO_PAIR_ROWS_SHIFT | task;
	for (size_t i = 0; i < values; i++)
		s->sums[i] = held_sum(s->sums[i], x->sums[i]);
}

/*
 * Are all values of the column within lo and hi?  None of these numbers is beyond 2^62, so no
 * difference overflows, and one is negative where a value is outside.
 */
static bool
is_within(struct sotto_sum_block *b, size_t column, int64_t lo, int64_t hi, size_t count)
{
	struct sotto_sum_inside *known = &b->inside[column];
	const int64_t *y = b->values[column];
	int64_t any = 0;

	if (known->is_known && known->lo == lo && known->hi == hi)
		return known->is_inside;
	for (size_t j = 0; j < count; j++)
		any |= (y[j] - lo) | (hi - y[j]);
	*known = (struct sotto_sum_inside){lo, hi, true, any >= 0};
	return any >= 0;
}

static void forget_inside(struct sotto_sum_block *b)
{
	for (size_t i = 0; i < SOTTO_SUM_COLUMNS; i++)
		b->inside[i].is_known = false;
}

/* Which rows have a clipped value; false: none has. */
static bool note_clipped(const struct sotto_sum_task *task, struct sotto_sum_block *b,
			 uint8_t *restrict clipped, size_t count)
{
	bool any = false;

	for (size_t i = 0; i < task->note_count; i++) {
		const struct sotto_sum_note *n = &task->notes[i];
		const int64_t *y = b->values[n->column];
		const uint8_t *present = b->present[n->column];

		if (is_within(b, n->column, n->lo, n->hi, count))
			continue;
		if (!any)
			memset(clipped, 0, count);
		any = true;
		for (size_t j = 0; j < count; j++)
			clipped[j] |= (uint8_t)(present[j] & ((y[j] < n->lo) | (y[j] > n->hi)));
	}
	return any;
}

static void subtract(const int64_t *y, int64_t centre, int64_t *restrict out, size_t count)
{
	for (size_t j = 0; j < count; j++)
		out[j] = y[j] - centre;
}

static void hold(const struct sotto_sum_value *v, const struct sotto_sum_block *b,
		 int64_t *restrict out, size_t count)
{
	const int64_t *y = b->values[v->column], lo = v->lo, hi = v->hi, centre = v->centre;
	const uint8_t *present = b->present[v->column];

	for (size_t j = 0; j < count; j++) {
		int64_t held = y[j] < lo ? lo : y[j];

		held = held > hi ? hi : held;
		out[j] = present[j] ? held - centre : 0;
	}
}

/* What value i adds.  A NULL adds nothing. */
static void
make_terms(const struct sotto_sum_value *v, struct sotto_sum_block *b, size_t i, size_t count)
{
	int64_t *restrict made = b->made[i];

	b->terms[i] = made;
	if (v->kind == SOTTO_SUM_COUNT) {
		for (size_t j = 0; j < count; j++)
			made[j] = b->present[v->column][j];
		return;
	}
	if (!b->is_whole[v->column] || !is_within(b, v->column, v->lo, v->hi, count))
		hold(v, b, made, count);
	else if (v->centre == 0 && v->kind == SOTTO_SUM_PLAIN)
		b->terms[i] = b->values[v->column];
	else
		subtract(b->values[v->column], v->centre, made, count);
	if (v->kind == SOTTO_SUM_SQUARE)
		for (size_t j = 0; j < count; j++)
			made[j] = made[j] * made[j] >> v->shift;
}

/* ---- all rows ------------------------------------------------------------------------------- */

enum { ROWS_SHIFT = 16 };

#define ONE_ROW ((uint64_t)1 << ROWS_SHIFT)

/* Each in a function of its own: the compiler then keeps everything in registers. */
static __attribute__((noinline)) void
add_rows_of_one(uint64_t number, const struct sotto_sum_block *b,
		duckdb_aggregate_state *states, size_t count)
{
	const int64_t *terms = b->terms[0];

	for (size_t j = 0; j < count; j++) {
		struct sotto_sum_state *s = (struct sotto_sum_state *)states[j];

		s->head = (s->head + ONE_ROW) | number;
		add_whole(&s->sums[0], terms[j]);
	}
}

static __attribute__((noinline)) void
add_rows_of_any(uint64_t number, const struct sotto_sum_block *b,
		duckdb_aggregate_state *states, size_t count, const uint8_t *values,
		size_t value_count)
{
	for (size_t j = 0; j < count; j++) {
		struct sotto_sum_state *s = (struct sotto_sum_state *)states[j];

		s->head = (s->head + ONE_ROW) | number;
		for (size_t i = 0; i < value_count; i++)
			add_whole(&s->sums[values[i]], b->terms[values[i]][j]);
	}
}

static int64_t from_base(const struct sotto_sum_task *task, size_t i)
{
	return task->values[i].centre - task->values[task->values[i].base].centre;
}

/*
 * A sum that is another but for its centre is that one, less the difference of the centres for
 * each row; only the rows without a value, in which that is too much, are added up.
 */
static void make_missing(const struct sotto_sum_task *task, struct sotto_sum_block *b, size_t i,
			 size_t count)
{
	const uint8_t *present = b->present[task->values[i].column];
	int64_t more = from_base(task, i), *restrict made = b->made[i];

	b->terms[i] = made;
	for (size_t j = 0; j < count; j++)
		made[j] = present[j] ? 0 : more;
}

/* The values that this block adds something to. */
static size_t make_row_terms(const struct sotto_sum_task *task, struct sotto_sum_block *b,
			     size_t count, uint8_t values[SOTTO_SUM_VALUES])
{
	size_t n = 0;

	for (size_t i = 0; i < task->value_count; i++) {
		const struct sotto_sum_value *v = &task->values[i];

		if (v->base == i)
			make_terms(v, b, i, count);
		else if (b->is_whole[v->column])
			continue;
		else
			make_missing(task, b, i, count);
		values[n++] = (uint8_t)i;
	}
	return n;
}

void sotto_sum_block_add(const struct sotto_sum_task *task, struct sotto_sum_block *b,
			 duckdb_aggregate_state *states, size_t count)
{
	uint8_t clipped[SOTTO_SUM_BLOCK], values[SOTTO_SUM_VALUES];
	size_t n;

	forget_inside(b);
	n = make_row_terms(task, b, count, values);
	if (n == 1 && values[0] == 0)
		add_rows_of_one(task->number, b, states, count);
	else
		add_rows_of_any(task->number, b, states, count, values, n);
	if (!note_clipped(task, b, clipped, count))
		return;
	for (size_t j = 0; j < count; j++)
		((struct sotto_sum_state *)states[j])->clipped += clipped[j];
}

void sotto_sum_add(struct sotto_sum_state *s, const struct sotto_sum_state *x, size_t values)
{
	uint64_t number = (s->head | x->head) & (ONE_ROW - 1);

	s->head = (sotto_sum_rows(s) + sotto_sum_rows(x)) << ROWS_SHIFT | number;
	s->clipped += x->clipped;
	for (size_t i = 0; i < values; i++) {
		add_whole(&s->sums[i], x->sums[i].low);
		s->sums[i].high += x->sums[i].high;
	}
}

static wide of_wide(const struct sotto_wide_sum *s)
{
	return (wide)s->high * ((wide)1 << 64) + s->low;
}

duckdb_hugeint
sotto_sum_of(const struct sotto_sum_task *task, const struct sotto_sum_state *s, size_t i)
{
	wide x = of_wide(&s->sums[i]);

	if (task->values[i].base != i)
		x += of_wide(&s->sums[task->values[i].base]) -
		     (wide)from_base(task, i) * (wide)sotto_sum_rows(s);
	return (duckdb_hugeint){(uint64_t)x, (int64_t)(x >> 64)};
}

/* ---- one unit in one group -------------------------------------------------------------------- */

static void
make_all_terms(const struct sotto_sum_task *task, struct sotto_sum_block *b, size_t count)
{
	forget_inside(b);
	for (size_t i = 0; i < task->value_count; i++)
		make_terms(&task->values[i], b, i, count);
}

static inline __attribute__((always_inline)) void
add_pairs(uint64_t number, const struct sotto_sum_block *b, duckdb_aggregate_state *states,
	  size_t count, size_t values)
{
	for (size_t j = 0; j < count; j++) {
		struct sotto_pair_state *s = (struct sotto_pair_state *)states[j];

		if (j + AHEAD < count) /* they lie anywhere */
			__builtin_prefetch(states[j + AHEAD], 1);
		s->head = (s->head + SOTTO_PAIR_ONE_ROW) | number;
		for (size_t i = 0; i < values; i++)
			s->sums[i] = held_sum(s->sums[i], b->terms[i][j]);
	}
}

static __attribute__((noinline)) void
add_pairs_of_one(uint64_t number, const struct sotto_sum_block *b,
		 duckdb_aggregate_state *states, size_t count)
{
	add_pairs(number, b, states, count, 1);
}

static __attribute__((noinline)) void
add_pairs_of_any(uint64_t number, const struct sotto_sum_block *b,
		 duckdb_aggregate_state *states, size_t count, size_t values)
{
	add_pairs(number, b, states, count, values);
}

void sotto_pair_block_add(const struct sotto_sum_task *task, struct sotto_sum_block *b,
			  duckdb_aggregate_state *states, size_t count)
{
	uint8_t clipped[SOTTO_SUM_BLOCK];

	make_all_terms(task, b, count);
	if (task->value_count == 1)
		add_pairs_of_one(task->number, b, states, count);
	else
		add_pairs_of_any(task->number, b, states, count, task->value_count);
	if (!note_clipped(task, b, clipped, count))
		return;
	for (size_t j = 0; j < count; j++)
		((struct sotto_pair_state *)states[j])->head |=
			clipped[j] ? SOTTO_PAIR_CLIPPED : 0;
}

/* ---- what a unit keeps ---------------------------------------------------------------------- */

/* The rows in which a value is not NULL; -1: all rows. */
static int64_t rows_of(const struct sotto_pair_state *s, int value)
{
	return value < 0 ? (int64_t)sotto_pair_rows(s) : s->sums[value];
}

int64_t sotto_pair_read(const struct sotto_sum_task *task, const struct sotto_pair_state *s)
{
	int64_t most = 0;

	for (size_t i = 0; i < task->read_count; i++) {
		int64_t n = rows_of(s, task->reads[i]);

		most = n > most ? n : most;
	}
	return most;
}

/*
 * With n > M rows a unit keeps its mean: count and sum shrink by M/n, cut towards zero, so the
 * sum stays within M times the bounds of a row (src/central/plan/sensitivity.md, 3).
 */
static int64_t
shrunk(const struct sotto_sum_task *task, const struct sotto_pair_state *s, size_t i)
{
	const struct sotto_sum_value *v = &task->values[i];
	int64_t n = v->kind == SOTTO_SUM_COUNT ? s->sums[i] : rows_of(s, v->rows);

	if (n <= task->keep)
		return s->sums[i];
	if (v->kind == SOTTO_SUM_COUNT)
		return task->keep;
	return (int64_t)((wide)s->sums[i] * task->keep / n);
}

/*
 * That holds as long as n is right.  The rows of a pair are counted modulo 2^47, which no table
 * has; the bound is taken here once more, so that privacy does not rest on that.
 */
int64_t
sotto_pair_kept(const struct sotto_sum_task *task, const struct sotto_pair_state *s, size_t i)
{
	int64_t x = shrunk(task, s, i), most = task->values[i].most;

	return x > most ? most : x < -most ? -most : x;
}
