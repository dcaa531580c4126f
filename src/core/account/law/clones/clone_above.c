/*
 * Compares mean excesses on a grid: of the one from above, by chords, of the other from below, by tangents; finer until what is left is
 * nothing, or as fine as can be.  All bounds here are derived in clone_above.md.
 */
#include "core/account/law/clones/clone_above.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/clones/clone_rule.h"
#include "core/account/law/law_clones.h"
#include "core/base/failure.h"

/* More reports than these are not walked through, or not more than once; nor are fewer clones than these assumed to save steps. */
#define REPORTS_MAX 1e9
#define REPORTS_QUICK 4e6
#define CLONES_ENOUGH 1e4
/* A curve is compared with a wider one; reports are left out where the one is narrower than this part of the other. */
#define NARROW 0.5
/* Rows outside a window are left out, which weigh about exp(-DIGITS). */
#define DIGITS 42.0
/* Of rows of more than SHORT reports also masses below this part of the one in the middle: n v^2/2 is more than FAR there, at v below FAR_MAX. */
#define SHORT 1000
#define FAINT 1e-30
#define FAR 66.0
#define FAR_MAX 0.4
/* Rounding: sums of up to some 10^4 positive terms, each from as many products. */
#define ROUNDING 1e-9
#define NEARLY 1e-12
#define SLACK (1 + 1e-6)
/* Standard deviations that the grid reaches. */
#define REACH 12.0
/* What is nothing, relative to M. */
#define NOTHING 1e-13
/* Steps (work.h) of an outcome, and of a grid point for each row. */
#define STEPS 2.0
#define POINT_STEPS 6.0

/* How fine: runs of numbers of clones, at most, and distance of grid points in standard deviations. */
struct fineness {
	double runs, distance;
};
static const struct fineness levels[] = {{1, 0.5}, {24, 0.2}, {192, 0.1}, {400, 0.025}};
enum { LEVELS = sizeof levels / sizeof levels[0] };

/* A place theta of the grid, and E(w - theta)_+ of both with the slope of the other's: w is tau times the mean of some signs. */
struct place {
	double theta, above, below, slope;
};

struct grid {
	struct place *at;
	size_t n;
	double cut; /* the farthest mean of signs of the one at which a row was cut off; 0 if none was */
	struct sotto_work *work;
};

/* E(v - place)_+ for the mean v of n signs, at its places from the last that is not above 0 on. */
struct row {
	double n, first;
	double *value;
	size_t count;
};

static enum sotto_status row_of(double n, struct row *out)
{
	double x = ceil(0.5 * n), one = 1, sum = 0, tail = 0, value = 0;
	size_t room = (size_t)fmax(SHORT, REACH * sqrt(n)) + 8, k = 0;
	bool odd = 2 * x > n;
	double *mass = malloc(room * sizeof *mass);

	if (!mass)
		return SOTTO_ENOMEM;
	if (odd)
		mass[k++] = 1; /* the other one in the middle */
	for (; x <= n && (one > FAINT || n <= SHORT) && k < room; x++) {
		mass[k++] = one;
		sum += one;
		one *= (n - x) / (x + 1);
	}
	sum = odd ? 2 * sum : 2 * sum - 1;
	for (size_t i = k; i-- > 0;) {
		double here = mass[i] / sum;

		mass[i] = value + 2 / n * tail;
		value = mass[i];
		tail += here;
	}
	*out = (struct row){n, odd ? -1 / n : 0, mass, k};
	return SOTTO_OK;
}

/* Its value at v >= 0, and its slope there: straight between places, and next to nothing beyond the last. */
static double row_value(const struct row *r, double v, double *slope)
{
	double x = 0.5 * r->n * (v - r->first), part;
	size_t i = (size_t)x;

	*slope = 0;
	if (i + 1 >= r->count)
		return 0;
	part = x - (double)i;
	*slope = 0.5 * r->n * (r->value[i + 1] - r->value[i]);
	return r->value[i] + part * (r->value[i + 1] - r->value[i]);
}

/* Adds a run of numbers of clones to the one, by its fewest, or to the other, by its most. */
static enum sotto_status add_run(struct grid *g, const struct sotto_clone_pair *p,
				 double clones, double mass, bool above)
{
	struct row r;

	SOTTO_TRY(row_of(clones + 1, &r));
	if (above && clones + 1 > SHORT)
		g->cut = fmax(g->cut, r.first + 2 / r.n * (double)r.count);
	for (size_t i = 0; i < g->n; i++) {
		struct place *at = &g->at[i];
		double slope, value = row_value(&r, at->theta / p->tau, &slope);

		if (above) {
			at->above += mass * p->tau * value;
		} else {
			at->below += mass * p->tau * value;
			at->slope += mass * slope;
		}
	}
	sotto_work_use(g->work, STEPS * (double)r.count + POINT_STEPS * (double)g->n);
	free(r.value);
	return SOTTO_OK;
}

/* All of them within the window, in so many runs. */
static enum sotto_status add_all(struct grid *g, const struct sotto_clone_pair *p, double few,
				 double most, double runs, bool above)
{
	struct sotto_clones s = {.users = p->users, .p = p->p, .low = few, .high = most};
	enum sotto_status st = SOTTO_OK;

	if (runs == 1)
		return add_run(g, p, above ? few : most, 1, above);
	s.count = (size_t)(most - few) + 1;
	SOTTO_TRY(sotto_clones_weigh(&s));
	sotto_work_use(g->work, STEPS * (double)s.count);
	runs = fmin(runs, (double)s.count);
	for (double j = 0; st == SOTTO_OK && j < runs; j++) {
		size_t from = (size_t)floor((double)s.count * j / runs),
		       to = (size_t)floor((double)s.count * (j + 1) / runs);
		double mass = 0;

		for (size_t i = from; i < to; i++)
			mass += s.mass[i];
		st = add_run(g, p, few + (double)(above ? from : to - 1), mass, above);
	}
	free(s.mass);
	return st;
}

/* Places from 0 to where next to nothing of the one is left, or to its largest. */
static enum sotto_status grid_of(struct grid *g, const struct sotto_clone_pair *p, double few,
				 double distance, struct sotto_work *work)
{
	double root = sqrt(p->clones + 1), spread = p->tau / root,
	       reach = fmin(root, REACH * root / sqrt(few + 1));

	g->n = (size_t)(reach / distance) + 2;
	g->work = work;
	g->at = calloc(g->n, sizeof *g->at);
	if (!g->at)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < g->n; i++)
		g->at[i].theta = fmin(p->tau, (double)i * distance * spread);
	return SOTTO_OK;
}

/* The most that the one lies above the other between two places: straight lines on both sides, of which those below meet somewhere. */
static double most_between(const struct place *a, const struct place *b)
{
	double width = b->theta - a->theta, low = a->below * (1 - ROUNDING),
	       high = b->below * (1 - ROUNDING), fall = a->slope * (1 + ROUNDING),
	       rise = b->slope * (1 - ROUNDING), first = a->above * (1 + ROUNDING),
	       last = b->above * (1 + ROUNDING), most = fmax(first - low, last - high), t;

	if (rise > fall) {
		t = fmin(fmax((low + rise * width - high) / (rise - fall), 0), width);
		most = fmax(most, first + (last - first) * t / width -
					  fmax(low + fall * t, high - rise * (width - t)));
	}
	return fmax(0, most + NEARLY * first);
}

static double loss_at(const struct sotto_clone_pair *p, double theta)
{
	return fmin(p->epsilon0, theta < p->tau ? 2 * atanh(theta) : INFINITY) * (1 + ROUNDING);
}

/* What means of signs beyond v add, on both sides of 0, of n reports or more. */
static double beyond(const struct sotto_clone_pair *p, double c, double n, double v)
{
	double loss = sotto_clone_loss(p, v, 1), slope = (p->epsilon0 - loss) / (1 - v);

	if (v >= 1 - ROUNDING)
		return 0;
	if (!(n * v >= c * slope))
		return SLACK * 2 / c * exp(sotto_clone_log_beyond(p, c, n, loss));
	return SLACK * 4 / c * exp(c * loss - 0.5 * n * v * v);
}

/* What was cut off from rows, whatever their reports. */
static double beyond_cut(const struct sotto_clone_pair *p, double c, double v)
{
	if (v == 0)
		return 0;
	if (!(v < FAR_MAX && 2 * FAR / v >= c * p->epsilon0 / (1 - v)))
		return INFINITY;
	return SLACK * 4 / c * exp(c * sotto_clone_loss(p, v, 1) - FAR);
}

/* Adds what the one lies above the other from place to place, on both sides of 0, at each order. */
static void
add_cells(const struct grid *g, const struct sotto_clone_pair *p, struct sotto_rise *rise)
{
	for (size_t i = 0; i + 1 < g->n; i++) {
		double from = loss_at(p, g->at[i].theta), to = loss_at(p, g->at[i + 1].theta),
		       height = most_between(&g->at[i], &g->at[i + 1]);

		for (int j = 0; height > 0 && j < SOTTO_RISE_ORDERS; j++) {
			double c = rise->order[j];

			rise->area[j] += SLACK * height * (to - from * (1 - 4 * ROUNDING)) *
					 (exp(c * to) + exp((c + 1) * to) +
					  exp(-(c + 1) * from) + exp(-c * from));
		}
	}
}

/* And what else there is of the one. */
static void add_rest(const struct grid *g, const struct sotto_clone_pair *p, double few,
		     double most, struct sotto_rise *rise)
{
	double v = fmin(1, g->at[g->n - 1].theta / p->tau);

	for (int j = 0; j < SOTTO_RISE_ORDERS; j++) {
		double c = rise->order[j];

		rise->area[j] += beyond(p, c, few + 1, v) + beyond_cut(p, c, g->cut) +
				 sotto_clone_outside(p, c, few, most) / (c * (c + 1));
	}
}

static enum sotto_status
compare(const struct sotto_clone_pair *one, const struct sotto_clone_pair *other,
	const struct fineness *level, struct sotto_work *work, struct sotto_rise *rise)
{
	struct sotto_clone_order order = {rise->order[SOTTO_RISE_ORDERS - 1], 0, DIGITS};
	struct grid g = {.at = NULL};
	double few, most, few_other, most_other;
	enum sotto_status st;

	sotto_clone_window(one, &order, &few, &most);
	sotto_clone_window(other, &order, &few_other, &most_other);
	if (!(fmax(most, most_other) < (level->runs == 1 ? REPORTS_MAX : REPORTS_QUICK)))
		return SOTTO_EREFUSED;
	SOTTO_TRY(grid_of(&g, one, few, level->distance, work));
	st = add_all(&g, one, few, most, level->runs, true);
	if (st == SOTTO_OK)
		st = add_all(&g, other, few_other, most_other, level->runs, false);
	if (st == SOTTO_OK) {
		add_cells(&g, one, rise);
		add_rest(&g, one, few, most, rise);
	}
	free(g.at);
	return st;
}

/* Fewer users cost more, and take fewer steps. */
static struct sotto_clone_pair
with_fewer(const struct sotto_clone_pair *one, const struct sotto_clone_pair *other)
{
	struct sotto_clone_pair fewer = *one;
	double part = sotto_clone_scale(one) / (NARROW * sotto_clone_scale(other)),
	       clones = fmax(CLONES_ENOUGH, one->clones * part * part);

	if (clones < one->clones) {
		fewer.users = floor(one->users * (clones / one->clones));
		fewer.clones = fewer.users * fewer.p;
	}
	return fewer;
}

enum sotto_status sotto_clone_above_add(const struct sotto_clone_pair *one,
					const struct sotto_clone_pair *other,
					struct sotto_work *work, struct sotto_rise *rise)
{
	double c = rise->order[SOTTO_RISE_ORDERS - 3];
	struct sotto_clone_pair fewer = with_fewer(one, other);
	struct sotto_rise best = *rise;

	for (int i = 0; i < LEVELS && !sotto_work_is_spent(work); i++) {
		struct sotto_rise found = *rise;
		enum sotto_status st;

		for (int j = 0; j < SOTTO_RISE_ORDERS; j++)
			found.area[j] = 0;
		st = compare(&fewer, other, &levels[i], work, &found);
		if (st == SOTTO_EREFUSED && i > 0)
			break;
		SOTTO_TRY(st);
		for (int j = 0; j < SOTTO_RISE_ORDERS; j++)
			best.area[j] = i ? fmin(best.area[j], found.area[j]) : found.area[j];
		if (c * (c + 1) * best.area[SOTTO_RISE_ORDERS - 3] < NOTHING)
			break;
	}
	for (int j = 0; j < SOTTO_RISE_ORDERS; j++)
		rise->area[j] += best.area[j];
	return SOTTO_OK;
}
