/*
 * The order at which Chernoff's bound is best, by a search on the lists; then the narrowest window beyond which almost nothing of
 * the tilted law lies, by the same bound on either side of it.
 */
#include "core/account/loss/convolved/convolved_line.h"

#include <math.h>

#include "core/base/failure.h"

/* Orders that are looked at, by their logarithms, and how finely. */
#define ORDER_LEAST (-9.0)
#define ORDER_MOST 25.0
enum { ORDERS = 69, HALVINGS = 30 };
/* log of the tilted mass that may lie beyond each end. */
#define BEYOND (-25.0)
/* What the grid may add to the width of epsilon. */
#define WIDTH 2.5e-7
enum { POINTS_MIN = 1 << 14 };

/* Chernoff's bound of the epsilon at which delta is exp(log_delta), at the order exp(x). */
static double epsilon_at(const struct sotto_convolved_events *e, double log_delta, double x)
{
	double s = exp(x), k = sotto_convolved_cumulant(e, SOTTO_UPPER, s);

	return (k - log_delta + s * log(s / (1 + s)) - log1p(s)) / s;
}

/* The least value of f near the best of some places, by thirds. */
static double least_at(double (*f)(const void *context, double x), const void *context,
		       double low, double high, int places)
{
	double step = (high - low) / (places - 1), best = low, least = INFINITY;

	for (int i = 0; i < places; i++) {
		double x = low + i * step, y = f(context, x);

		if (y < least) {
			least = y;
			best = x;
		}
	}
	low = best - step;
	high = best + step;
	for (int i = 0; i < HALVINGS; i++) {
		double a = low + (high - low) / 3, b = high - (high - low) / 3;

		if (f(context, a) < f(context, b))
			high = b;
		else
			low = a;
	}
	return low;
}

struct search {
	const struct sotto_convolved_events *e;
	double log_delta, order, cumulant, sign;
};

static double order_value(const void *context, double x)
{
	const struct search *s = context;

	return epsilon_at(s->e, s->log_delta, x);
}

/* How far out the end is, from 0, beyond which an order that differs by exp(x) leaves as little as is wanted. */
static double end_value(const void *context, double x)
{
	const struct search *s = context;
	double h = exp(x),
	       k = sotto_convolved_cumulant(s->e, SOTTO_UPPER, s->order + s->sign * h);

	return (k - s->cumulant - BEYOND) / h;
}

/* The order beside that of the line, and the end on its side. */
static double find_end(struct search *s, double sign, double *end)
{
	double least = log(s->order) - 4, x;

	s->sign = sign;
	x = least_at(end_value, s, fmin(least, -3), fmax(least + 8, 4), ORDERS);
	*end = sign * end_value(s, x);
	return exp(x);
}

/* A number of three digits, in binary, that is not less. */
static double round_up(double x)
{
	int exponent;
	double part = frexp(x, &exponent);

	return ldexp(ceil(8 * part), exponent - 3);
}

/* Points to spare make the window wider, mostly at its start: near the largest loss a rough cut is not quite where the events are. */
static void set_grid(struct sotto_convolved_line *line, double events, double bottom,
		     double top, size_t points)
{
	double wanted = sqrt(6 * WIDTH / ((line->order + 1) * events)), n = POINTS_MIN, spare;

	while (n < (double)points && n * wanted < 1.01 * (top - bottom))
		n *= 2;
	line->n = (size_t)n;
	line->step = round_up(fmax(1.01 * (top - bottom) / n, 0.9 * wanted));
	spare = n * line->step - (top - bottom);
	line->first = (int64_t)floor((bottom - 0.8 * spare) / line->step);
	line->wide = (line->order + 1) * events * line->step * line->step / 6;
}

/* The window of an order, from bottom to top. */
static void
find_window(struct sotto_convolved_line *line, struct search *s, double *bottom, double *top)
{
	s->order = line->order;
	s->cumulant = sotto_convolved_cumulant(s->e, SOTTO_UPPER, s->order);
	line->rise = find_end(s, 1, top);
	line->fall = find_end(s, -1, bottom);
}

enum sotto_status sotto_convolved_line_of(struct sotto_convolved_line *line,
					  const struct sotto_convolved_events *e,
					  double log_delta, size_t points)
{
	struct search s = {.e = e, .log_delta = log_delta};
	double x = least_at(order_value, &s, ORDER_LEAST, ORDER_MOST, ORDERS), bottom, top;

	*line = (struct sotto_convolved_line){.order = exp(x)};
	find_window(line, &s, &bottom, &top);
	line->epsilon = order_value(&s, x);
	bottom = fmin(bottom, line->epsilon - 2 / line->order);
	if (!(line->epsilon > 0 && top > line->epsilon && isfinite(top - bottom) &&
	      x < ORDER_MOST && fabs(bottom) + fabs(top) < 1e9 * (top - bottom)))
		return SOTTO_EREFUSED;
	set_grid(line, e->total, bottom, top, points);
	return SOTTO_OK;
}

enum sotto_status
sotto_convolved_lines_together(struct sotto_convolved_line *lines, size_t count,
			       const struct sotto_convolved_events *e, size_t points)
{
	double bottom = INFINITY, top = -INFINITY, step;

	for (size_t i = 0; i < count; i++) {
		struct search s = {.e = e};
		double from, to;

		find_window(&lines[i], &s, &from, &to);
		bottom = fmin(bottom, from);
		top = fmax(top, to);
	}
	if (!(fabs(bottom) + fabs(top) < 1e9 * (top - bottom)))
		return SOTTO_EREFUSED;
	step = round_up((top - bottom) / ((double)points - 2));
	for (size_t i = 0; i < count; i++) {
		lines[i].step = step;
		lines[i].first = (int64_t)floor(bottom / step);
		lines[i].n = points;
	}
	return SOTTO_OK;
}
