#include "account/cut.h"

#include <math.h>
#include <stdlib.h>

#include "account/cells.h"
#include "account/contour.h"
#include "account/measure.h"
#include "account/root.h"
#include "base/failure.h"

enum { SIDES = 2, CELLS = 1 << 16, CELLS_MIN = 1 << 12, COARSE = 1 << 8, NODES = 1 << 18 };

/* log of a delta: to begin with, and how far below an answer the next hint lies. */
#define FIRST_HINT (-30)
#define MARGIN 10
/* What is cut off is smaller than the hint by exp(-CUT_OFF), for each event. */
#define CUT_OFF 42

/* One side of the truth. */
struct half {
	bool made;
	struct sotto_measure measure;
	struct sotto_contour *contour;
	double prepared, tilt;
};

struct sotto_cut {
	const struct sotto_terms *terms;
	enum sotto_direction direction;
	double hint; /* log of a delta beside which everything left out must be small */
	size_t cells; /* of each law */
	double log_count; /* of all events that are cut */
	bool has_coarse;
	struct sotto_measure coarse; /* of few cells, from above: steers */
	struct half half[SIDES]; /* by enum sotto_side */
};

static void drop_contour(struct half *h)
{
	sotto_contour_free(h->contour);
	h->contour = NULL;
}

static void clear_half(struct half *h)
{
	if (!h->made)
		return;
	drop_contour(h);
	sotto_measure_release(&h->measure);
	*h = (struct half){.made = false};
}

static void clear(struct sotto_cut *c)
{
	for (int i = 0; i < SIDES; i++)
		clear_half(&c->half[i]);
	if (c->has_coarse)
		sotto_measure_release(&c->coarse);
	c->has_coarse = false;
}

void sotto_cut_free(struct sotto_cut *c)
{
	if (!c)
		return;
	clear(c);
	free(c);
}

static struct sotto_cutting
cutting_of(const struct sotto_cut *c, enum sotto_side side, size_t merge)
{
	return (struct sotto_cutting){side, c->cells, merge, CUT_OFF + c->log_count - c->hint};
}

static enum sotto_status need_half(struct sotto_cut *c, enum sotto_side side)
{
	struct sotto_cutting cutting = cutting_of(c, side, 1);
	struct half *h = &c->half[side];

	if (h->made)
		return SOTTO_OK;
	SOTTO_TRY(sotto_measure_cut(&h->measure, c->terms, c->direction, &cutting));
	h->made = true;
	return SOTTO_OK;
}

static enum sotto_status set_hint(struct sotto_cut *c, double log_delta)
{
	struct sotto_cutting cutting;

	if (c->has_coarse && log_delta == c->hint)
		return SOTTO_OK;
	clear(c);
	c->hint = log_delta;
	cutting = cutting_of(c, SOTTO_UPPER, c->cells / COARSE);
	SOTTO_TRY(sotto_measure_cut(&c->coarse, c->terms, c->direction, &cutting));
	c->has_coarse = true;
	return SOTTO_OK;
}

enum sotto_status sotto_cut_new(const struct sotto_terms *t, enum sotto_direction direction,
				struct sotto_cut **out)
{
	struct sotto_cut *c = calloc(1, sizeof *c);
	double count = 0;
	size_t laws = 0;
	enum sotto_status st;

	if (!c)
		return SOTTO_ENOMEM;
	c->terms = t;
	c->direction = direction;
	c->cells = CELLS;
	for (size_t i = 0; i < t->n; i++) {
		if (!sotto_cells_need(t->list[i].event))
			continue;
		count += (double)t->list[i].count;
		laws++;
	}
	/* all laws together stay within memory */
	while (c->cells > CELLS_MIN && laws * c->cells > CELLS)
		c->cells /= 2;
	c->log_count = log(count + 1);
	st = set_hint(c, FIRST_HINT);
	if (st != SOTTO_OK) {
		sotto_cut_free(c);
		return st;
	}
	*out = c;
	return SOTTO_OK;
}

/* log delta of one side; the other number that the contour gives is of no interest. */
static enum sotto_status
side_delta(struct sotto_cut *c, enum sotto_side side, double epsilon, double *log_delta)
{
	struct half *h = &c->half[side];
	double low = -INFINITY, high = -INFINITY;

	SOTTO_TRY(need_half(c, side));
	if (epsilon < h->measure.top) {
		if (!h->contour || !(fabs(epsilon - h->prepared) * h->tilt < 0.3)) {
			drop_contour(h);
			SOTTO_TRY(sotto_contour_new(&h->measure, &c->coarse, epsilon, c->hint,
						    NODES, &h->contour));
			h->prepared = epsilon;
			h->tilt = -sotto_contour_slope(h->contour);
		}
		SOTTO_TRY(sotto_contour_delta(h->contour, epsilon, &low, &high));
	}
	*log_delta = side == SOTTO_UPPER ? sotto_measure_whole_up(&h->measure, high)
					 : sotto_measure_whole_down(&h->measure, low);
	return SOTTO_OK;
}

enum sotto_status
sotto_cut_delta(struct sotto_cut *c, double epsilon, double *log_low, double *log_high)
{
	for (int i = 0; i < 4; i++) {
		SOTTO_TRY(side_delta(c, SOTTO_UPPER, epsilon, log_high));
		if (*log_high > c->hint || isinf(*log_high))
			break;
		SOTTO_TRY(set_hint(c, *log_high - MARGIN)); /* what was cut off matters */
	}
	return side_delta(c, SOTTO_LOWER, epsilon, log_low);
}

static enum sotto_status value_high(void *context, double x, double *out)
{
	return side_delta(context, SOTTO_UPPER, x, out);
}

static enum sotto_status value_low(void *context, double x, double *out)
{
	return side_delta(context, SOTTO_LOWER, x, out);
}

/* The upper side first, and its nodes away before those of the lower are made. */
enum sotto_status sotto_cut_epsilon(struct sotto_cut *c, const struct sotto_level *level,
				    double *lower, double *upper)
{
	struct sotto_root r = {.context = c, .most = INFINITY, .tolerance = 1e-11};
	double curvature, log_delta;

	SOTTO_TRY(set_hint(c, level->log_down - 3));
	r.guess = sotto_saddle_epsilon(&c->coarse, level->log_down);
	r.slope = -sotto_saddle_point(&c->coarse, r.guess, &log_delta, &curvature);
	r.value = value_high;
	r.level = level->log_down;
	SOTTO_TRY(sotto_root_above(&r, upper));
	drop_contour(&c->half[SOTTO_UPPER]);
	if (isfinite(*upper))
		r.guess = *upper;
	r.value = value_low;
	r.level = level->log_up;
	SOTTO_TRY(sotto_root_below(&r, lower));
	drop_contour(&c->half[SOTTO_LOWER]);
	return SOTTO_OK;
}
