/*
 * Some points first, as far as the curve matters; then more, again and again, in those stretches where the curve above and the
 * curve below enclose most.  A kink gets ever shorter stretches on both sides of it.
 */
#include "core/account/law/cells/curve_half.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum { POINTS_MIN = 1 << 5 };

/* No loss that matters is larger. */
#define REACH_MAX 1e15
#define REACH_MIN 1e-9
enum { VALUES_MAX = 64 };
/* How well the end of a curve is found, relative. */
#define END 0x1p-36
/* Points just before it; and how many there must be for these. */
enum { ENDING = 10, ENDING_FROM = 40 };
/* Where what infinite losses leave is read off, unless it is so much that nothing was said. */
#define FLOOR_AT 1e9
#define FLOOR_MAX (-3)
/* How much closer together points are near 0: cosh of this. */
#define BEND_MIN 3.0
#define BEND_MAX 14.0
/* Each half of a law's points may take this part of the work that is left for it. */
#define SHARE 8
#define SHARE_OF_SYMMETRIC 3
/* Of many points one in so many is placed before the curve is known, and the others in so many rounds at most. */
enum { FIRST_SHARE = 4, FIRST_MAX = 1 << 11, REFINED_MIN = 1 << 7, ROUNDS = 40 };
/* The last stretches, on which nothing is known of what comes after, lie beyond what matters. */
#define BEYOND 1.1
/* Tilts below this are all as small. */
#define EXPONENT_LEAST (-600)
/* Stretches are not made shorter than this part of all: a kink that is known as well as that is known well enough, and the lines through points that
 * are nearer to each other mean nothing. */
#define SHORTEST 0x1p-20
/* Areas below this, relative to the curve's own, are errors of its values. */
/* Nothing is gained either where the curve is next to what it is bounded by everywhere. */
#define NEARLY 1.001
#define AREA_ERROR (8 * SOTTO_SLOPE_ERROR)

void sotto_half_close(struct sotto_curve_half *h)
{
	sotto_curve_free(h->curve);
	free(h->at);
}

/* Whether delta is below exp(-tail), or within SOTTO_SLOPE_ERROR of what infinite losses leave of it. */
static enum sotto_status
is_beyond(struct sotto_curve *c, double at, double tail, double floor, bool *yes)
{
	double low, high;

	SOTTO_TRY(sotto_curve_delta(c, at, &low, &high));
	*yes = !(high >= -tail && high > floor + SOTTO_SLOPE_ERROR);
	return SOTTO_OK;
}

/* Where the curve becomes 0, if it does up to there: the largest loss, which has mass as a rule. */
static enum sotto_status find_end(struct sotto_curve_half *h, double inside, double *reach)
{
	double outside = *reach, at = outside, low, high = -INFINITY;

	for (int i = 0; i < VALUES_MAX; i++) {
		SOTTO_TRY(sotto_curve_delta(h->curve, at, &low, &high));
		if (i == 0)
			h->ends = high == -INFINITY;
		if (!h->ends)
			return SOTTO_OK;
		*(high == -INFINITY ? &outside : &inside) = at;
		at = inside + (outside - inside) / 2;
		if (outside - inside < END * outside)
			break;
	}
	*reach = outside;
	return SOTTO_OK;
}

/* Where that begins, to some percent, from above; where the curve ends before, there. */
static enum sotto_status reach_of(struct sotto_curve_half *h, double tail, double *reach)
{
	double low, floor, inside = REACH_MIN, outside = REACH_MAX, step = 8, at = 1;

	SOTTO_TRY(sotto_curve_delta(h->curve, FLOOR_AT, &low, &floor));
	h->floor = exp(low) * (1 - SOTTO_SLOPE_ERROR);
	if (floor > FLOOR_MAX)
		floor = -INFINITY;
	h->least = exp(floor);
	for (int i = 0; i < VALUES_MAX && outside > 1.04 * inside; i++) {
		bool beyond;

		SOTTO_TRY(is_beyond(h->curve, at, tail, floor, &beyond));
		*(beyond ? &outside : &inside) = at;
		at = beyond ? fmax(at / step, sqrt(inside * outside))
			    : fmin(at * step, sqrt(inside * outside));
	}
	*reach = outside;
	return find_end(h, inside, reach);
}

static enum sotto_status make_room(struct sotto_curve_half *h, size_t n)
{
	h->at = calloc(5 * (n + 3), sizeof *h->at);
	if (!h->at)
		return SOTTO_ENOMEM;
	h->low = h->at + n + 3;
	h->high = h->low + n + 3;
	h->side.x = h->high + n + 3;
	h->side.y = h->side.x + n + 3;
	return SOTTO_OK;
}

enum sotto_status
sotto_half_copy(struct sotto_curve_half *h, const struct sotto_curve_half *from)
{
	SOTTO_TRY(make_room(h, from->n - 1));
	h->n = from->n;
	h->floor = from->floor;
	memcpy(h->at, from->at, h->n * sizeof *h->at);
	memcpy(h->low, from->low, h->n * sizeof *h->low);
	memcpy(h->high, from->high, h->n * sizeof *h->high);
	return SOTTO_OK;
}

static enum sotto_status evaluate(struct sotto_curve_half *h, size_t i, double at)
{
	double low, high;

	SOTTO_TRY(sotto_curve_delta(h->curve, at, &low, &high));
	h->at[i] = at;
	h->low[i] = exp(low) * (1 - SOTTO_SLOPE_ERROR);
	if (h->low[i] < DBL_MIN) /* has lost digits */
		h->low[i] = 0;
	h->high[i] = fmin(1, exp(high) * (1 + SOTTO_SLOPE_ERROR));
	return SOTTO_OK;
}

/* In the last stretch ever nearer to the end, which lines through two points before it then hit; and one beyond. */
static enum sotto_status close_in(struct sotto_curve_half *h, double reach)
{
	size_t last = --h->n;
	double width = reach - h->at[last - 1];

	for (int i = 1; i <= ENDING; i++)
		SOTTO_TRY(evaluate(h, h->n++, reach - ldexp(width, -2 * i)));
	SOTTO_TRY(evaluate(h, h->n++, reach));
	return evaluate(h, h->n++, BEYOND * reach);
}

/*
 * Very many points lie at equal distances.  Fewer lie closer near 0, where most of the mass is, since the error is the mean of the
 * squared distance: reach sinh(bend u)/sinh(bend), with a distance at 0 of the order of what losses are on the mean, which delta(0) tells.
 */
static enum sotto_status spread(struct sotto_curve_half *h, size_t n, double reach)
{
	bool even = n >= SOTTO_POINTS_QUICK;
	double low, high, bend;

	n -= h->ends ? ENDING + 1 : 0;
	SOTTO_TRY(sotto_curve_delta(h->curve, 0, &low, &high));
	bend = asinh(reach / (2.5 * exp(high)));
	bend = fmin(fmax(bend, BEND_MIN), BEND_MAX);
	for (size_t i = 0; i <= n; i++) {
		double u = (double)i / (double)n;

		SOTTO_TRY(evaluate(h, i, reach * (even ? u : sinh(bend * u) / sinh(bend))));
	}
	h->n = n + 1;
	return h->ends ? close_in(h, reach) : SOTTO_OK;
}

/* At most n points, and as many as the work allows: a value tells what each takes. */
static enum sotto_status affordable(const struct sotto_curve_half *h, double reach,
				    const struct sotto_cutting *cutting, size_t *n)
{
	struct sotto_work *work = cutting->work;
	double before, low, high, most, share;

	if (!work)
		return SOTTO_OK;
	SOTTO_TRY(sotto_curve_delta(h->curve, reach / 8, &low, &high));
	before = work->used;
	SOTTO_TRY(sotto_curve_delta(h->curve, reach / 9, &low, &high));
	share = sotto_curve_is_symmetric(h->curve) ? SHARE_OF_SYMMETRIC : SHARE;
	most = work->left / (share * fmax(1, (double)cutting->laws)) /
	       (work->used - before + 1);
	if (most < (double)*n)
		*n = (size_t)fmax(most, POINTS_MIN);
	return SOTTO_OK;
}

/*
 * Each line through two points on one side is below the curve on the other side of them.  The nearest two are the best, unless they are so near to each other that
 * the errors of their values count: then those farther apart are.
 */
double sotto_half_left(const struct sotto_curve_half *h, size_t i)
{
	double best = -INFINITY;

	for (size_t j = 1; j <= i; j *= 2) {
		double slope =
			sotto_slope_left(h->at[i] - h->at[i - j], h->low[i] - h->high[i - j]);

		if (!(slope > best))
			break;
		best = slope;
	}
	return fmin(0, best);
}

/* The same of the points from i on; times E at i. */
static double right_of(const struct sotto_curve_half *h, size_t i)
{
	double best = 0;

	for (size_t j = 1; i + j < h->n; j *= 2) {
		double slope =
			sotto_slope_right(h->at[i + j] - h->at[i], h->high[i + j] - h->low[i]);

		if (!(slope < best))
			break;
		best = slope;
	}
	return best;
}

struct sotto_meeting sotto_half_meeting(const struct sotto_curve_half *h, size_t i, double left)
{
	double width = expm1(h->at[i + 1] - h->at[i]), right = right_of(h, i + 1) / (1 + width);
	struct sotto_meeting m;

	/* from the left end down by left, from the right end up by -right */
	m.x = right > left ? (h->low[i + 1] - h->low[i] - right * width) / (left - right)
			   : width;
	m.x = fmin(fmax(m.x, 0), width);
	m.y = fmin(h->low[i] + left * m.x, h->low[i + 1] - right * (width - m.x));
	m.start = h->low[i + 1] - right * width;
	return m;
}

/* About the slope before the first point, as if the other direction were this one. */
static double left_of_first(const struct sotto_curve_half *h)
{
	double gap = -expm1(-h->at[1]);

	return fmin(0, (h->low[0] - gap - (1 - gap) * h->high[1]) / gap);
}

/* What the points are for: so much area, tilted, does no harm; tilts are over that at one end, where they are largest. */
struct aim {
	double tilt, end, harmless;
};

/* About what the two sides enclose between the points i and i + 1, tilted; 0 where nothing can be gained. */
static double area_at(const struct sotto_curve_half *h, size_t i, const struct aim *aim)
{
	double step = h->at[i + 1] - h->at[i], chord, height;
	struct sotto_meeting m;

	if (i + 2 >= h->n || h->high[i] < NEARLY * h->least)
		return 0;
	m = sotto_half_meeting(h, i, i ? sotto_half_left(h, i) : left_of_first(h));
	chord = h->high[i] + (h->high[i + 1] - h->high[i]) * m.x / expm1(step);
	height = chord - fmax(0, m.y);
	return height > AREA_ERROR * chord
		       ? height * step *
				 exp(fmax(EXPONENT_LEAST,
					  fmin(0, aim->tilt * (h->at[i + 1] - aim->end))))
		       : 0;
}

/* Puts points in the middle of the stretches that are marked, from the last to the first, so that nothing is overwritten. */
static enum sotto_status split(struct sotto_curve_half *h, const bool *marked, size_t more)
{
	size_t to = h->n + more;

	for (size_t i = h->n; i-- > 0;) {
		double at = h->at[i], low = h->low[i], high = h->high[i];

		if (i + 1 < h->n && marked[i]) {
			double next = h->at[to];

			SOTTO_TRY(evaluate(h, --to, at + (next - at) / 2));
		}
		h->at[--to] = at;
		h->low[to] = low;
		h->high[to] = high;
	}
	h->n += more;
	return SOTTO_OK;
}

/* Marks the stretches with more than the mean area, or a multiple of it so that they are at most the most. */
static size_t mark(const struct sotto_curve_half *h, size_t most, const struct aim *aim,
		   double *area, bool *marked)
{
	size_t stretches = h->n - 1, more = 0;
	double sum = 0, shortest = SHORTEST * h->at[stretches];

	for (size_t i = 0; i < stretches; i++)
		sum += area[i] = area_at(h, i, aim);
	if (sum <= aim->harmless)
		return 0;
	for (double limit = sum / (double)stretches; limit > 0 && (more == 0 || more > most);
	     limit *= 2) {
		more = 0;
		for (size_t i = 0; i < stretches; i++)
			more += marked[i] =
				area[i] > limit && h->at[i + 1] - h->at[i] > shortest;
		if (more == 0)
			break;
	}
	return more <= most ? more : 0;
}

static enum sotto_status refine(struct sotto_curve_half *h, size_t n, const struct aim *aim)
{
	double *area = malloc((n + 1) * sizeof *area);
	bool *marked = malloc((n + 1) * sizeof *marked);
	enum sotto_status st = area && marked ? SOTTO_OK : SOTTO_ENOMEM;

	for (int i = 0; i < ROUNDS && st == SOTTO_OK && h->n <= n; i++) {
		size_t more = mark(h, n + 1 - h->n, aim, area, marked);

		if (more == 0)
			break;
		st = split(h, marked, more);
	}
	free(area);
	free(marked);
	return st;
}

enum sotto_status sotto_half_sample(struct sotto_curve_half *h, size_t n,
				    const struct sotto_cutting *cutting, double tilt)
{
	struct aim aim = {.tilt = tilt};
	double reach;

	SOTTO_TRY(reach_of(h, cutting->tail, &reach));
	aim.end = tilt > 0 ? reach : 0;
	aim.harmless = cutting->wide / (cutting->order + 1) * exp(-tilt * aim.end);
	SOTTO_TRY(affordable(h, reach, cutting, &n));
	SOTTO_TRY(make_room(h, n));
	h->ends &= n >= FIRST_SHARE * ENDING_FROM;
	if (!cutting->of_many || n < REFINED_MIN)
		return spread(h, n, reach);
	SOTTO_TRY(spread(h, (n < FIRST_MAX ? n : FIRST_MAX) / FIRST_SHARE,
			 h->ends ? reach : BEYOND * reach));
	return refine(h, n, &aim);
}
