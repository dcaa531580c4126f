/*
 * Both events on one grid, twice: tilted for where delta is next to nothing, and nearly as they are, since errors are relative to the tilted masses.  Of both bounds the better one is kept
 * at each point.
 */
#include "core/account/loss/convolved/convolved_table.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/loss/convolved/convolved_clones.h"
#include "core/account/loss/convolved/convolved_events.h"
#include "core/account/loss/convolved/convolved_line.h"
#include "core/account/loss/convolved/convolved_product.h"
#include "core/account/loss/convolved/convolved_sum.h"
#include "core/base/failure.h"

/* log of the delta that the one tilt is for; the other changes masses up to there by e to the power of so much. */
#define FAR (-40.0)
#define NEAR 5.0
/* Tilts by more than that from point to point say little. */
#define RESOLVED 0.02
/* What is cut off of an event, its logarithm. */
#define TAIL 75.0
/* Outcomes of each event for each point, at most; and where more do not make them sharper. */
#define EACH 0.5
#define WIDE 1e-11
/* Outcomes of a rough cut. */
enum { ROUGH = 1 << 7 };

struct sotto_convolved_table {
	double step;
	size_t n; /* points, from the loss 0 on */
	double *high, *p,
		*q; /* delta at most; and at least p - q e^(epsilon - loss); one allocation */
	double infinite_low, infinite_high;
};

bool sotto_convolved_table_fits(const struct sotto_terms *t)
{
	bool clones = false;

	for (size_t i = 0; i < t->n; i++)
		clones |= sotto_convolved_clones_possible(t->list[i].event, t->neighbours);
	return clones && t->n_laplace == 0 && sotto_cells_possible(t);
}

void sotto_convolved_table_free(struct sotto_convolved_table *x)
{
	if (!x)
		return;
	free(x->high);
	free(x);
}

static void start(struct sotto_convolved_table *x)
{
	for (size_t i = 0; i < x->n; i++) {
		x->high[i] = 1;
		x->p[i] = x->q[i] = 0;
	}
}

/* Keeps what a side says where that is better. */
static void keep(struct sotto_convolved_table *x, const struct sotto_convolved_sum *sum)
{
	struct sotto_convolved_sums sums = {0, 0};
	const struct sotto_convolved_line *line = &sum->line;

	for (int64_t i = line->first + (int64_t)line->n - 1; i >= 0 && i >= line->first; i--) {
		struct sotto_convolved_tail t = sotto_convolved_sum_tail(sum, i, &sums);

		if ((size_t)i >= x->n)
			continue;
		if (sum->side == SOTTO_UPPER) {
			x->high[i] = fmin(x->high[i], t.delta);
		} else if (t.delta > x->p[i] - x->q[i]) {
			x->p[i] = t.p;
			x->q[i] = t.q;
		}
	}
	if (sum->side == SOTTO_UPPER)
		x->infinite_high = sum->infinite;
	else
		x->infinite_low = sum->infinite;
}

static enum sotto_status
add_line(struct sotto_convolved_table *x, const struct sotto_convolved_events *e,
	 const struct sotto_convolved_line *line, struct sotto_work *work)
{
	for (int side = SOTTO_UPPER; side <= SOTTO_LOWER; side++) {
		struct sotto_convolved_sum sum;
		enum sotto_status st =
			sotto_convolved_sum_make(&sum, e, (enum sotto_side)side, line, work);

		if (st == SOTTO_OK)
			keep(x, &sum);
		sotto_convolved_sum_release(&sum);
		SOTTO_TRY(st);
	}
	return SOTTO_OK;
}

/* A tilt for where delta is next to nothing, by no more than points resolve; and one for losses up to there. */
static enum sotto_status find_lines(struct sotto_convolved_line lines[2],
				    const struct sotto_convolved_events *e, size_t points)
{
	struct sotto_convolved_line far;
	enum sotto_status st = SOTTO_EREFUSED;

	for (double log_delta = FAR; st == SOTTO_EREFUSED && log_delta < -4; log_delta /= 2)
		st = sotto_convolved_line_of(&far, e, log_delta, points);
	SOTTO_TRY(st);
	lines[0] = (struct sotto_convolved_line){
		.order = fmin(far.order, RESOLVED * (double)points / far.epsilon)};
	lines[1] = (struct sotto_convolved_line){
		.order = fmin(lines[0].order / 2, NEAR / far.epsilon)};
	return sotto_convolved_lines_together(lines, 2, e, points);
}

static enum sotto_status
make_room(struct sotto_convolved_table *x, const struct sotto_convolved_line *line)
{
	int64_t end = line->first + (int64_t)line->n;

	if (end < 2)
		return SOTTO_EREFUSED;
	x->step = line->step;
	x->n = (size_t)end;
	x->high = malloc(3 * x->n * sizeof *x->high);
	if (!x->high)
		return SOTTO_ENOMEM;
	x->p = x->high + x->n;
	x->q = x->p + x->n;
	start(x);
	return SOTTO_OK;
}

/* A rough cut tells where the grid lies, and an order for which outcomes are then placed: about in the middle of those that may matter. */
static enum sotto_status look(const struct sotto_terms *t, enum sotto_direction direction,
			      const struct sotto_cutting *cutting, size_t points,
			      struct sotto_convolved_line lines[2])
{
	struct sotto_cutting rough = *cutting;
	struct sotto_convolved_events e;
	enum sotto_status st;

	rough.cells = ROUGH;
	rough.wide = 0;
	st = sotto_convolved_events_of(&e, t, direction, &rough);
	if (st == SOTTO_OK)
		st = find_lines(lines, &e, points);
	sotto_convolved_events_release(&e);
	return st;
}

static enum sotto_status make(struct sotto_convolved_table *x, const struct sotto_terms *t,
			      enum sotto_direction direction, size_t points)
{
	struct sotto_cutting cutting = {.cells = (size_t)(EACH * (double)points),
					.tail = TAIL,
					.work = t->work,
					.laws = t->n,
					.of_many = true,
					.wide = WIDE,
					.extent = SOTTO_CUT_ALL};
	struct sotto_convolved_line lines[2];
	struct sotto_convolved_events e;
	enum sotto_status st;

	SOTTO_TRY(look(t, direction, &cutting, points, lines));
	SOTTO_TRY(make_room(x, &lines[0]));
	cutting.order = lines[0].order / 4;
	st = sotto_convolved_events_of(&e, t, direction, &cutting);
	if (st ==
	    SOTTO_OK) /* outcomes that would leave the window say nothing of what is in it */
		sotto_convolved_events_trim(&e, lines[1].order,
					    (double)lines[1].n * lines[1].step,
					    (double)x->n * x->step);
	for (size_t i = 0; st == SOTTO_OK && i < 2; i++)
		st = add_line(x, &e, &lines[i], t->work);
	sotto_convolved_events_release(&e);
	return st;
}

enum sotto_status sotto_convolved_table_new(const struct sotto_terms *t,
					    enum sotto_direction direction, size_t points,
					    struct sotto_convolved_table **out)
{
	struct sotto_convolved_table *x = calloc(1, sizeof *x);
	enum sotto_status st;

	if (!x)
		return SOTTO_ENOMEM;
	st = make(x, t, direction, points);
	if (st != SOTTO_OK) {
		sotto_convolved_table_free(x);
		return st == SOTTO_ERANGE ? SOTTO_EREFUSED : st;
	}
	*out = x;
	return SOTTO_OK;
}

/* Between two points the chord of a convex function is above it; below, what lies above the point before says something at each epsilon after it. */
void sotto_convolved_table_delta(const struct sotto_convolved_table *x, double epsilon,
				 double *log_low, double *log_high)
{
	double place = epsilon / x->step, high, low, gap;
	size_t i = place < (double)x->n ? (size_t)place : x->n - 1;

	if (i > 0 && (double)i * x->step > epsilon)
		i--;
	gap = epsilon - (double)i * x->step;

	high = x->high[i];
	if (i + 1 < x->n)
		high += fmin(0, x->high[i + 1] - high) * fmin(1, expm1(gap) / expm1(x->step)) *
			(1 - 0x1p-48);
	low = x->p[i] - x->q[i] * exp(gap) * (1 + 0x1p-48);
	high = (high + x->infinite_high) * (1 + 0x1p-48);
	low = (fmax(0, low) + x->infinite_low) * (1 - 0x1p-48);
	*log_high = fmin(0, log(high) + 0x1p-44);
	*log_low = low > 0 ? log(low) - 0x1p-44 : -INFINITY;
}
