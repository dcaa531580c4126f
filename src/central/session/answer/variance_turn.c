/*
 * Moves the sum to 0 and the number of values to where the variance turns.
 *
 * With n values, sum s and squares q, a variance is v = q/n - (s/n)^2, or v n/(n - 1), within its bounds.
 * It grows with q and falls with |s|, so over a box of the three it is greatest where q is at its upper end
 * and s nearest to 0: inside the box if s may be 0.  For these, v is concave in 1/n and greatest at n = 2 s^2/q.
 * The sample's variance is (q - s^2/n)/(n - 1) from n = 2 on, where it falls, or, if q < s^2, first grows to its
 * greatest value at the larger root of q n^2 - 2 s^2 n + s^2; below 2 the divisor stays 1, and it grows with n. Least it is
 * at a corner: both are concave, or rise and then fall.
 */
#include "central/session/answer/variance_turn.h"

#include <math.h>

#include "central/session/answer/noise_reach.h"
#include "core/number/nearest.h"

/* A measure with its noise, as a value. */
struct side {
	double at, low, high, step;
};

static struct side
side_of(const struct sotto_answer_work *w, size_t row, size_t i, size_t together)
{
	double step = sotto_nearest_double(w->plan->measures[i].step->q);
	double at = (double)sotto_cell_values(w, row).measures[i].value;
	double reach = sotto_noise_reach(w, row, i, together);

	return (struct side){at * step, (at - reach) * step, (at + reach) * step, step};
}

/* The shift that makes the measure x, if that is between the ends. */
static size_t add(const struct side *s, double x, double *shift)
{
	if (!(s->low < x && x < s->high))
		return 0;
	*shift = (x - s->at) / s->step;
	return 1;
}

/* Of the largest squares and the sum nearest to 0. */
static size_t add_counts(const struct sotto_answer_work *w, size_t row,
			 const struct sotto_moments *m, size_t together, double *shifts)
{
	struct side n = side_of(w, row, m->count, together);
	struct side sum = side_of(w, row, m->sum, together);
	double q = side_of(w, row, m->squares, together).high;
	double s = sum.low <= 0 && sum.high >= 0 ? 0 : fmin(fabs(sum.low), fabs(sum.high));
	size_t count = add(&n, 2, shifts);

	if (s == 0 || q <= 0)
		return count;
	count += add(&n, 2 * s * s / q, shifts + count);
	if (s * s > q)
		count += add(&n, (s * s + s * sqrt(s * s - q)) / q, shifts + count);
	return count;
}

static bool is_read(size_t i, const size_t *read, size_t count)
{
	for (size_t k = 0; k < count && k < SOTTO_JOINT_MAX; k++)
		if (read[k] == i)
			return true;
	return false;
}

size_t sotto_variance_turns(const struct sotto_answer_work *w, size_t row, size_t i,
			    const size_t *read, size_t count, double *shifts)
{
	const struct sotto_plan *plan = w->plan;
	bool together = count <= SOTTO_JOINT_MAX;

	for (size_t k = 0; k < plan->aggregate_count; k++) {
		const struct sotto_aggregate *a = &plan->aggregates[k];
		const struct sotto_moments *m = &a->moments;

		if (a->form != SOTTO_FORM_MOMENTS || m->squares == SIZE_MAX)
			continue;
		if (i == m->sum) {
			struct side s = side_of(w, row, i, together ? count : 1);

			return add(&s, 0, shifts);
		}
		if (i == m->count && together && is_read(m->sum, read, count) &&
		    is_read(m->squares, read, count))
			return add_counts(w, row, m, count, shifts);
	}
	return 0;
}
