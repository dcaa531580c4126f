/*
 * A rough cut of the events tells where the grid has to lie; then they are cut finely, for that place, and each side is made and
 * searched on its own, one after the other, so that one grid is in memory at a time.
 */
#include "core/account/loss/convolved/convolved_curve.h"

#include <math.h>

#include "core/account/integral/root.h"
#include "core/account/loss/convolved/convolved_clones.h"
#include "core/account/loss/convolved/convolved_events.h"
#include "core/account/loss/convolved/convolved_line.h"
#include "core/account/loss/convolved/convolved_product.h"
#include "core/account/loss/convolved/convolved_sum.h"
#include "core/base/failure.h"

/* Events that differ, and events in all. */
enum { TERMS_MAX = 200 };
/* Cells beside each other that are compared two by two. */
enum { CELLS_MAX = 4 };
#define EVENTS_MAX 1e4
/* The transforms may take this part of the work that is left. */
#define SHARE 0.4
/*
 * Where a rough cut takes more than it may, values of the curves take too long for a fine one.  It stops where it has taken so many times as much, or so many steps
 * more: what is left decides how many outcomes there are.
 */
#define TOO_LONG 5
#define TOO_LONG_STEPS 2e7
/* So many rough cuts at most, until they agree so well on epsilon. */
enum { LOOKS = 3 };
#define SETTLED 0.02
/* Outcomes of a rough cut and, of all events together, of a fine one; each has this many at most. */
enum { ROUGH = 1 << 9, FINE = 1 << 18, FINE_OF_ONE = 1 << 16 };
/* What is cut off is smaller than delta by exp(-CUT_OFF). */
#define CUT_OFF 42
/* How wide the outcomes of all events may make epsilon. */
#define WIDTH 5e-10
#define TOLERANCE 1e-10

/* Whether shuffled reports are where neither lists nor tables are of use: a value takes too long. */
static bool is_slow(const struct sotto_event *e, enum sotto_neighbours neighbours)
{
	bool cells = e->kind == SOTTO_EVENT_PARALLEL && neighbours == SOTTO_REPLACE &&
		     e->n_children <= CELLS_MAX;

	if (e->kind == SOTTO_EVENT_SHUFFLE)
		return true;
	for (size_t i = 0; i < e->n_children; i++) {
		const struct sotto_event *child = e->children[i];

		if (!(cells && sotto_convolved_clones_possible(child, neighbours)) &&
		    is_slow(child, neighbours))
			return true;
	}
	return false;
}

bool sotto_convolved_curve_fits(const struct sotto_terms *t)
{
	double events = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (!sotto_convolved_clones_possible(t->list[i].event, t->neighbours) &&
		    is_slow(t->list[i].event, t->neighbours))
			return false;
		events += (double)t->list[i].count;
	}
	return t->n <= TERMS_MAX && events > 1 && events <= EVENTS_MAX && t->n_laplace == 0 &&
	       sotto_cells_possible(t);
}

struct search {
	const struct sotto_convolved_sum *sum;
	struct sotto_work *work;
};

static enum sotto_status value_of(void *context, double x, double *out)
{
	const struct search *s = context;

	if (!sotto_work_take(s->work, 4 * (double)s->sum->line.n))
		return SOTTO_EREFUSED;
	*out = sotto_convolved_sum_delta(s->sum, x);
	return SOTTO_OK;
}

static enum sotto_status find_side(const struct sotto_convolved_events *e, enum sotto_side side,
				   const struct sotto_convolved_line *line,
				   const struct sotto_level *level, struct sotto_work *work,
				   double *out)
{
	struct sotto_convolved_sum sum;
	struct search search = {&sum, work};
	struct sotto_root r = {.value = value_of,
			       .context = &search,
			       .slope = -line->order,
			       .most = INFINITY,
			       .tolerance = TOLERANCE};
	enum sotto_status st = sotto_convolved_sum_make(&sum, e, side, line, work);

	r.guess = fmax(0, sum.place);
	if (st == SOTTO_OK && side == SOTTO_UPPER) {
		r.level = level->log_down;
		st = sotto_root_above(&r, out);
	} else if (st == SOTTO_OK) {
		r.level = level->log_up;
		st = sotto_root_below(&r, out);
	}
	sotto_convolved_sum_release(&sum);
	return st;
}

/* How many points that much work allows. */
static size_t affordable_points(const struct sotto_terms *t, double work)
{
	size_t n = SOTTO_CONVOLVED_POINTS;

	while (t->work && n > 1 &&
	       (double)(2 * t->n + 2) * sotto_convolved_product_steps(n) > SHARE * work)
		n /= 2;
	return n;
}

static enum sotto_status find_both(const struct sotto_convolved_events *e,
				   const struct sotto_convolved_line *line,
				   const struct sotto_level *level, struct sotto_work *work,
				   double *lower, double *upper)
{
	SOTTO_TRY(find_side(e, SOTTO_UPPER, line, level, work, upper));
	return find_side(e, SOTTO_LOWER, line, level, work, lower);
}

static void trim(struct sotto_convolved_events *e, const struct sotto_convolved_line *line)
{
	double bottom = (double)line->first * line->step,
	       top = bottom + (double)line->n * line->step;

	sotto_convolved_events_trim(e, line->order, line->epsilon - bottom,
				    top - line->epsilon);
}

static size_t outcomes_of_each(const struct sotto_terms *t)
{
	size_t each = FINE / (t->n + 1);

	return each < FINE_OF_ONE ? each : FINE_OF_ONE;
}

static struct sotto_cutting
cutting_of(const struct sotto_terms *t, const struct sotto_level *level)
{
	return (struct sotto_cutting){.cells = ROUGH,
				      .tail = CUT_OFF - level->log_down,
				      .work = t->work,
				      .laws = t->n,
				      .of_many = true,
				      .tables = true,
				      .extent = SOTTO_CUT_ALL};
}

/* A rough cut, for the order of a line if one is known, and the line that it tells. */
static enum sotto_status look_for_line(const struct sotto_terms *t,
				       enum sotto_direction direction,
				       const struct sotto_level *level, double most,
				       size_t points, struct sotto_convolved_line *line)
{
	struct sotto_cutting cutting = cutting_of(t, level);
	struct sotto_convolved_events e;
	double before = t->work ? t->work->left : 0;
	enum sotto_status st;

	cutting.order = line->order;
	st = sotto_convolved_events_of(&e, t, direction, &cutting);
	if (st == SOTTO_OK && !sotto_work_allows(t->work, before - most))
		st = SOTTO_EREFUSED;
	if (st == SOTTO_OK)
		st = sotto_convolved_line_of(line, &e, level->log_down, points);
	sotto_convolved_events_release(&e);
	return st;
}

/* Outcomes are first where most mass is, and then where the line is that they tell of. */
static enum sotto_status find_line(const struct sotto_terms *t, enum sotto_direction direction,
				   const struct sotto_level *level, double most, size_t points,
				   struct sotto_convolved_line *line)
{
	double used = t->work ? t->work->used : 0;

	*line = (struct sotto_convolved_line){.order = 0};
	for (int i = 0; i < LOOKS; i++) {
		double before = line->epsilon;

		SOTTO_TRY(look_for_line(t, direction, level, most, points, line));
		if (fabs(line->epsilon - before) < SETTLED * line->epsilon ||
		    (t->work && t->work->used - used > most / LOOKS))
			break;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_convolved_curve_place(const struct sotto_terms *t,
					      enum sotto_direction direction,
					      const struct sotto_level *level, double most,
					      struct sotto_convolved_line *line)
{
	double left = t->work ? fmax(0, t->work->left) : 0,
	       kept = fmax(0, left - fmin(TOO_LONG * most, most + TOO_LONG_STEPS));
	enum sotto_status st;

	if (isinf(level->log_down))
		return SOTTO_EREFUSED;
	sotto_work_set_aside(t->work, kept);
	st = find_line(t, direction, level, most, affordable_points(t, left), line);
	sotto_work_give_back(t->work, kept);
	return st == SOTTO_ERANGE ? SOTTO_EREFUSED : st;
}

enum sotto_status sotto_convolved_curve_epsilon(const struct sotto_terms *t,
						enum sotto_direction direction,
						const struct sotto_level *level,
						const struct sotto_convolved_line *line,
						double *lower, double *upper)
{
	struct sotto_cutting cutting = cutting_of(t, level);
	struct sotto_convolved_events e;
	enum sotto_status st;

	*lower = 0;
	*upper = INFINITY;
	cutting.cells = outcomes_of_each(t);
	cutting.order = line->order;
	cutting.wide = WIDTH / (double)t->n;
	st = sotto_convolved_events_of(&e, t, direction, &cutting);
	if (st == SOTTO_OK)
		trim(&e, line);
	if (st == SOTTO_OK)
		st = find_both(&e, line, level, t->work, lower, upper);
	sotto_convolved_events_release(&e);
	return st == SOTTO_ERANGE ? SOTTO_EREFUSED : st;
}
