/*
 * Whole tables within bounds, wanted cells being anything: every rounding ends, has the sums and keeps
 * the bounds, exactly if brute force over all tables finds one; L1 costs as little as any of them.
 */
#include "census/whole/census_transport.h"

#include <stdlib.h>

#include "testlib/tap.h"

enum { SIDE = 3, CELLS = SIDE * SIDE, MOST = 3, TABLES = 3000, UNIT = 6 };

struct problem {
	size_t rows, columns;
	int64_t want[CELLS], low[CELLS], high[CELLS], row_sums[SIDE], column_sums[SIDE];
	int64_t x[CELLS];
};

static uint64_t state;

static int64_t dice(int64_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (int64_t)((state >> 33) % (uint64_t)n);
}

/* Sums of some table within the bounds, most of the time; wants have nothing to do with them. */
static void make(struct problem *p)
{
	memset(p, 0, sizeof *p);
	p->rows = 1 + (size_t)dice(SIDE);
	p->columns = 1 + (size_t)dice(SIDE);
	for (size_t i = 0; i < p->rows * p->columns; i++) {
		int64_t a = dice(MOST + 1), b = dice(MOST + 1), x;

		p->low[i] = a < b ? a : b;
		p->high[i] = a < b ? b : a;
		p->want[i] = dice((MOST + 1) * UNIT);
		x = p->low[i] + dice(p->high[i] - p->low[i] + 1);
		p->row_sums[i / p->columns] += x;
		p->column_sums[i % p->columns] += x;
	}
	if (dice(5) == 0 && p->rows > 1 && p->row_sums[0] > 0) {
		p->row_sums[0]--;
		p->row_sums[1]++;
	}
}

static int64_t cost(const struct problem *p, const int64_t *x)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->rows * p->columns; i++)
		sum += llabs(x[i] * UNIT - p->want[i]);
	return sum;
}

static bool is_right(const struct problem *p, const int64_t *x)
{
	for (size_t i = 0; i < p->rows * p->columns; i++)
		if (x[i] < p->low[i] || x[i] > p->high[i])
			return false;
	for (size_t r = 0; r < p->rows; r++) {
		int64_t sum = 0;

		for (size_t k = 0; k < p->columns; k++)
			sum += x[r * p->columns + k];
		if (sum != p->row_sums[r])
			return false;
	}
	for (size_t k = 0; k < p->columns; k++) {
		int64_t sum = 0;

		for (size_t r = 0; r < p->rows; r++)
			sum += x[r * p->columns + k];
		if (sum != p->column_sums[k])
			return false;
	}
	return true;
}

/* The least cost of all tables; -1: there is none. */
static int64_t brute(const struct problem *p, size_t i, int64_t *x)
{
	int64_t best = -1;

	if (i == p->rows * p->columns)
		return is_right(p, x) ? cost(p, x) : -1;
	for (x[i] = p->low[i]; x[i] <= p->high[i]; x[i]++) {
		int64_t one = brute(p, i + 1, x);

		if (one >= 0 && (best < 0 || one < best))
			best = one;
	}
	return best;
}

static void every_rounding_ends_and_is_right(void)
{
	struct sotto_transport_work work = {0};
	size_t possible = 0;

	state = 17;
	for (int i = 0; i < TABLES; i++) {
		struct problem p;
		int64_t x[CELLS], best;

		make(&p);
		best = brute(&p, 0, x);
		possible += best >= 0;
		for (int fast = 0; fast < 2; fast++) {
			const struct sotto_transport t = {.rows = p.rows,
							  .columns = p.columns,
							  .unit = UNIT,
							  .want = p.want,
							  .row_sums = p.row_sums,
							  .column_sums = p.column_sums,
							  .low = p.low,
							  .high = p.high,
							  .x = p.x};
			enum sotto_status st = sotto_transport_round(
				&t, fast ? SOTTO_ROUNDING_FAST : SOTTO_ROUNDING_L1, NULL,
				&work);

			CHECK(st == (best >= 0 ? SOTTO_OK : SOTTO_EINFEASIBLE));
			CHECK(st != SOTTO_OK || is_right(&p, p.x));
			CHECK(st != SOTTO_OK || fast || cost(&p, p.x) == best);
		}
	}
	CHECK(possible > TABLES / 2);
	sotto_transport_work_release(&work);
}

int main(void)
{
	RUN(every_rounding_ends_and_is_right);
	return tap_done();
}
