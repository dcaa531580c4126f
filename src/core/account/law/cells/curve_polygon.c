/*
 * Grows a convex hull from the left, dropping vertices that a new point makes concave; the two
 * halves are joined at E = 1 by the same test across the seam.
 */
#include "core/account/law/cells/curve_polygon.h"

#include <string.h>

/* The slope into vertex i from another point, and that out of it: past the last vertex nothing falls. */
static double slope_out(const struct sotto_polygon *p, size_t i)
{
	return i + 1 < p->n ? sotto_slope_right(p->x[i + 1] - p->x[i], p->y[i + 1] - p->y[i])
			    : 0;
}

static double slope_into(const struct sotto_polygon *p, size_t i)
{
	return sotto_slope_left(p->x[i] - p->x[i - 1], p->y[i] - p->y[i - 1]);
}

void sotto_polygon_add(struct sotto_polygon *p, double x, double y)
{
	size_t n = p->n;

	if (n >= 1 && !(x > p->x[n - 1])) { /* the lower of two at one place */
		n--;
		x = p->x[n];
		y = fmin(y, p->y[n]);
	}
	while (n >= 2 &&
	       slope_into(p, n - 1) >= sotto_slope_right(x - p->x[n - 1], y - p->y[n - 1]))
		n--;
	p->x[n] = x;
	p->y[n] = y;
	p->n = n + 1;
}

/* The value at E = 1, in place of a vertex there if there is one; and the hull. */
static void put_first(struct sotto_polygon *p, double y)
{
	size_t skip = p->n > 0 && !(p->x[0] > 0), n = p->n + 1 - skip;

	memmove(p->x + 1, p->x + skip, (p->n - skip) * sizeof *p->x);
	memmove(p->y + 1, p->y + skip, (p->n - skip) * sizeof *p->y);
	p->x[0] = 0;
	p->y[0] = y;
	p->n = 0;
	for (size_t i = 0; i < n; i++)
		sotto_polygon_add(p, p->x[i], p->y[i]);
}

struct point {
	double x, y;
};

/* Past the last vertex: E = 0 of the other half, where every curve is 1. */
static struct point point_at(const struct sotto_polygon *p, size_t i)
{
	return i < p->n ? (struct point){p->x[i], p->y[i]} : (struct point){INFINITY, 0};
}

/* A point of the other half. */
static struct point seen_from_other(struct point a)
{
	double gap = -expm1(-a.x);

	return (struct point){-a.x, isinf(a.x) ? 1 : gap + (1 - gap) * a.y};
}

/* Whether a line from there makes vertex i concave. */
static bool is_concave(const struct sotto_polygon *p, size_t i, struct point from)
{
	return i < p->n &&
	       sotto_slope_left(p->x[i] - from.x, p->y[i] - from.y) > slope_out(p, i);
}

static void start_at(struct sotto_polygon *p, struct point first, size_t next)
{
	memmove(p->x + 1, p->x + next, (p->n - next) * sizeof *p->x);
	memmove(p->y + 1, p->y + next, (p->n - next) * sizeof *p->y);
	p->x[0] = first.x;
	p->y[0] = first.y;
	p->n += 1 - next;
}

void sotto_polygon_join(struct sotto_polygon *f, struct sotto_polygon *b, double y)
{
	size_t i = 1, j = 1;
	struct point forth, back;

	put_first(f, y);
	put_first(b, y);
	if (!is_concave(f, 0, seen_from_other(point_at(b, 1))))
		return;
	for (;;) {
		forth = point_at(f, i);
		back = point_at(b, j);
		if (is_concave(f, i, seen_from_other(back)))
			i++;
		else if (is_concave(b, j, seen_from_other(forth)))
			j++;
		else
			break;
	}
	start_at(f, seen_from_other(back), i);
	start_at(b, seen_from_other(forth), j);
}

double sotto_polygon_mass(const struct sotto_polygon *p, size_t i, bool mirrored)
{
	return fmax(0, slope_out(p, i) - slope_into(p, i)) * (mirrored ? exp(-p->x[i]) : 1);
}
