/* Whole numbers for the root, which has no parent to add up to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/whole/census_root.h"
#include "census/solve/feasible/census_group_choice.h"
#include "census/whole/census_table.h"
#include "core/base/failure.h"

/* Numbers that may still move, the one that gains most at the top: a heap. */
struct moves {
	const double *want;
	const int64_t *low, *high; /* or NULL */
	int64_t *out;
	int step; /* 1 or -1 */
	size_t *heap, n;
};

static double gain(const struct moves *m, size_t i)
{
	return m->step * (m->want[i] - (double)m->out[i]);
}

static int64_t room(const struct moves *m, size_t i)
{
	if (m->step < 0)
		return m->out[i] - (m->low ? m->low[i] : 0);
	return m->high ? m->high[i] - m->out[i] : INT64_MAX;
}

static bool is_before(const struct moves *m, size_t i, size_t j)
{
	double l = gain(m, i), r = gain(m, j);

	return l != r ? l > r : i < j;
}

static void sink_down(struct moves *m, size_t at)
{
	for (size_t child; (child = 2 * at + 1) < m->n; at = child) {
		size_t swap = m->heap[at];

		if (child + 1 < m->n && is_before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (is_before(m, m->heap[at], m->heap[child]))
			return;
		m->heap[at] = m->heap[child];
		m->heap[child] = swap;
	}
}

/* Moves `lack` people one by one, or, where a number is far from its wish, many at once. */
static bool move_all(struct moves *m, size_t n, int64_t lack)
{
	for (size_t i = 0; i < n; i++)
		if (room(m, i) > 0)
			m->heap[m->n++] = i;
	for (size_t i = m->n / 2; i-- > 0;)
		sink_down(m, i);
	while (lack > 0 && m->n > 0) {
		size_t i = m->heap[0];
		int64_t leap = gain(m, i) > 2 ? (int64_t)fmin(gain(m, i), 0x1p60) : 1;

		leap = leap < lack ? leap : lack;
		leap = leap < room(m, i) ? leap : room(m, i);
		m->out[i] += m->step * leap;
		lack -= leap;
		if (room(m, i) <= 0)
			m->heap[0] = m->heap[--m->n];
		sink_down(m, 0);
	}
	return lack == 0;
}

/* Whole numbers nearest to n wanted ones that add up to sum, within bounds. */
static enum sotto_status round_list(const double *want, size_t n, int64_t sum,
				    const int64_t *low, const int64_t *high, int64_t *out)
{
	struct moves m = {.want = want, .low = low, .high = high, .out = out};
	int64_t lack = sum;
	bool done;

	for (size_t i = 0; i < n; i++) {
		int64_t x = (int64_t)floor(want[i] > 0 ? want[i] : 0);

		if (low && x < low[i])
			x = low[i];
		if (high && x > high[i])
			x = high[i];
		out[i] = x;
		lack -= x;
	}
	m.step = lack > 0 ? 1 : -1;
	m.heap = malloc((n + 1) * sizeof *m.heap);
	if (!m.heap)
		return SOTTO_ENOMEM;
	done = move_all(&m, n, llabs(lack));
	free(m.heap);
	return done ? SOTTO_OK : SOTTO_EINFEASIBLE;
}

/* The root's groups, near their estimates; sum: its total. */
static enum sotto_status settle_groups(const struct sotto_census_fractions *f, int64_t sum,
				       const double *want, int64_t *counts)
{
	if (sotto_whole_is_settled(f)) {
		memcpy(counts, f->low, f->groups * sizeof *counts);
		return SOTTO_OK;
	}
	if (sotto_whole_has_sets(f))
		return sotto_census_nearest_groups(f->sets[0], f->groups, sum, want, counts)
			       ? SOTTO_OK
			       : SOTTO_EINFEASIBLE;
	return round_list(want, f->groups, sum, f->low, f->high, counts);
}

static enum sotto_status
round_root(const struct sotto_census_fractions *f, double *want, int64_t *counts)
{
	double total = 0;
	int64_t sum;

	for (size_t k = 0; k < f->cells; k++) {
		want[sotto_whole_group(f, k)] += f->x[k];
		total += f->x[k];
	}
	sum = llrint(f->targets ? f->targets[0] : total);
	if (sum < f->total_low[0])
		sum = f->total_low[0];
	if (sum > f->total_high[0])
		sum = f->total_high[0];
	SOTTO_TRY(settle_groups(f, sum, want, counts));
	for (size_t first = 0, end; first < f->cells; first = end) {
		size_t at = sotto_whole_group(f, first);

		for (end = first; end < f->cells && sotto_whole_group(f, end) == at;)
			end++;
		SOTTO_TRY(round_list(f->x + first, end - first, counts[at], NULL, NULL,
				     f->out + first));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_whole_root(const struct sotto_census_fractions *f)
{
	double *want = calloc(f->groups + 1, sizeof *want);
	int64_t *counts = calloc(f->groups + 1, sizeof *counts);
	enum sotto_status st = want && counts ? round_root(f, want, counts) : SOTTO_ENOMEM;

	free(want);
	free(counts);
	return st;
}
