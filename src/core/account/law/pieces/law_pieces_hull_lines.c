/* The straight lines of a hull: where they are tangent, and how far they may be above the curve (argument in law_pieces.md). */
#include <math.h>
#include <stdlib.h>

#include "core/account/law/pieces/law_pieces_hull.h"
#include "core/base/failure.h"

/* Halvings for a tangent, and how often both ends of a line are moved. */
enum { HALVINGS = 52, ROUNDS = 4 };

/* The line that touches the part at x, at E of another loss y (-INFINITY for E = 0), above what it is to be there. */
static double touching(const struct sotto_hull *h, size_t part, double x, double y,
		       double value, struct sotto_group_tails *at)
{
	struct sotto_group_edge e = sotto_hull_own_edge(h, part, x);
	struct sotto_group_tails t = sotto_group_tails(&e.tails, x, h->k);

	*at = t;
	return t.g - (t.p - t.g) * expm1(h->k * (y - x)) - value;
}

/*
 * Moves an end of a line that lies in an arc between low and high to where it is tangent, seen from (y, value).  Seen from the right the tangent rises
 * there with x, seen from the left it falls.
 */
static void find_tangent(const struct sotto_hull *h, size_t part, double span[2], double y,
			 double value, double *x, struct sotto_group_tails *at)
{
	double low = span[0], high = span[1], sign = y > high ? 1 : -1;
	struct sotto_group_edge e;

	for (int i = 0; i < HALVINGS && low < high; i++) {
		double middle = low + (high - low) / 2;

		if (!(low < middle && middle < high))
			break;
		if (sign * touching(h, part, middle, y, value, at) < 0)
			low = middle;
		else
			high = middle;
	}
	*x = low + (high - low) / 2;
	e = sotto_hull_edge(h, part, *x);
	*at = sotto_group_tails(&e.tails, *x, h->k);
}

/* The arc that the end of a line at corner i may have to be moved on, without atoms; false if there is none. */
static bool arc_beside(const struct sotto_hull *h, size_t i, bool arc_before, bool arc_after,
		       const double *other, double span[2], size_t *part)
{
	double x = h->corners[i].at.x;
	struct sotto_group_tails t;

	if (arc_after && touching(h, h->corners[i].part, x + h->beside, other[0], other[1],
				  &t) * (other[0] > x ? 1 : -1) <
				 0) {
		span[0] = x + h->beside;
		span[1] = h->corners[i + 1].at.x - h->beside;
		*part = h->corners[i].part;
		return true;
	}
	if (arc_before && touching(h, h->corners[i - 1].part, x - h->beside, other[0], other[1],
				   &t) * (other[0] > x ? 1 : -1) >
				  0) {
		span[0] = h->corners[i - 1].at.x + h->beside;
		span[1] = x - h->beside;
		*part = h->corners[i - 1].part;
		return true;
	}
	return false;
}

/* Arcs beside both ends: those of the hull outside of the line, and those that it passes inside. */
static void make_tangent(const struct sotto_hull *h, struct sotto_hull_line *l)
{
	struct sotto_group_tails at;
	double span[2];
	size_t part;

	for (int i = 0; i < ROUNDS; i++) {
		double left[2] = {l->x0, l->g0}, right[2] = {l->x1, l->g1};

		if (l->from != SIZE_MAX &&
		    arc_beside(h, l->from, l->from > 0 && sotto_hull_is_arc(h, l->from - 1),
			       sotto_hull_is_arc(h, l->from) && l->from + 1 < l->to, right,
			       span, &part)) {
			find_tangent(h, part, span, right[0], right[1], &l->x0, &at);
			l->g0 = at.g;
			l->error0 = fmax(l->error0, at.error);
		}
		left[0] = l->x0;
		left[1] = l->g0;
		if (arc_beside(h, l->to,
			       l->to > 0 && l->from + 1 < l->to &&
				       sotto_hull_is_arc(h, l->to - 1),
			       sotto_hull_is_arc(h, l->to), left, span, &part)) {
			find_tangent(h, part, span, left[0], left[1], &l->x1, &at);
			l->g1 = at.g;
			l->error1 = fmax(l->error1, at.error);
		}
	}
}

/* Two lines that would pass each other meet at the corner between them. */
static void
keep_apart(const struct sotto_hull *h, struct sotto_hull_line *last, struct sotto_hull_line *l)
{
	const struct sotto_hull_corner *c = &h->corners[l->from];

	if (last->to != l->from || !(last->x1 > l->x0))
		return;
	last->x1 = l->x0 = c->at.x;
	last->g1 = l->g0 = c->g;
}

enum sotto_status sotto_hull_find_lines(struct sotto_hull *h)
{
	size_t before = SIZE_MAX;

	h->lines = malloc((h->n_on + 1) * sizeof *h->lines);
	if (!h->lines)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < h->n_on; i++) {
		size_t to = h->on[i];
		struct sotto_hull_line *l = &h->lines[h->n_lines];

		if (before == SIZE_MAX || to != before + 1 || !sotto_hull_is_arc(h, before)) {
			*l = (struct sotto_hull_line){.from = before,
						      .to = to,
						      .x0 = -INFINITY,
						      .g0 = 1,
						      .x1 = h->corners[to].at.x,
						      .g1 = h->corners[to].g,
						      .error1 = h->corners[to].error};
			if (before != SIZE_MAX) {
				l->x0 = h->corners[before].at.x;
				l->g0 = h->corners[before].g;
				l->error0 = h->corners[before].error;
			}
			make_tangent(h, l);
			if (h->n_lines++ > 0)
				keep_apart(h, l - 1, l);
		}
		before = to;
	}
	return SOTTO_OK;
}

int sotto_hull_doubt(const struct sotto_hull *h, double x)
{
	int low = 0, high = SOTTO_DOUBTS - 1;

	while (low < high) {
		int middle = (low + high) / 2;

		if (h->k * x > h->out.doubts[middle].to)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void charge(struct sotto_hull *h, double to, double width, double harm)
{
	h->out.doubts[sotto_hull_doubt(h, to)].harm += h->k * width * harm * (1 + 0x1p-40);
}

double sotto_hull_line_at(const struct sotto_hull *h, const struct sotto_hull_line *l, double x)
{
	if (isinf(l->x0))
		return 1 + (l->g1 - 1) * exp(h->k * (x - l->x1));
	return l->g0 +
	       (l->g1 - l->g0) * (expm1(h->k * (x - l->x0)) / expm1(h->k * (l->x1 - l->x0)));
}

/* How far the line is above tangents of a convex curve at two losses, at most, between them. */
static double harm_to_tangents(const struct sotto_hull *h, const struct sotto_hull_line *l,
			       size_t part, double from, double to)
{
	struct sotto_group_edge a = sotto_hull_own_edge(h, part, from),
				b = sotto_hull_own_edge(h, part, to);
	struct sotto_group_tails s = sotto_group_tails(&a.tails, from, h->k),
				 t = sotto_group_tails(&b.tails, to, h->k);
	/* all in u = E/E_from - 1; slopes of the tangents are -left and -right */
	double width = expm1(h->k * (to - from)), left = s.p - s.g,
	       right = (t.p - t.g) / (1 + width), meet, low;

	meet = left > right ? (s.g - t.g - right * width) / (left - right) : 0;
	meet = fmin(fmax(meet, 0), width);
	low = fmax(s.g - left * meet, t.g + right * (width - meet));
	return fmax(fmax(sotto_hull_line_at(h, l, from) - s.g,
			 sotto_hull_line_at(h, l, to) - t.g),
		    sotto_hull_line_at(h, l, from + log1p(meet) / h->k) - low) +
	       s.error + t.error + 64 * SOTTO_U * (s.p + t.p);
}

/*
 * How far the line is above the group's curve between two corners, at most: a concave curve is above its chord, a convex one above its tangents, and any
 * above what the tangents of one person's curve become.
 */
static double harm_between(const struct sotto_hull *h, const struct sotto_hull_line *l,
			   const struct sotto_hull_corner *a, const struct sotto_hull_corner *b)
{
	const struct sotto_part_tails *s = &a->at.tails, *t = &b->at.tails;
	double width = expm1(b->at.x - a->at.x), left = s->yq, right = t->yq / (1 + width),
	       meet, low, x, harm = 0;

	if (a->floor > 0)
		return fmax(0, harm_to_tangents(h, l, a->part, fmax(a->at.x + h->beside, l->x0),
						fmin(b->at.x - h->beside, l->x1)));
	meet = left > right ? (s->delta - t->delta - right * width) / (left - right) : 0;
	meet = fmin(fmax(meet, 0), width);
	low = fmax(s->delta - left * meet, t->delta + right * (width - meet));
	x = a->at.x + log1p(meet);
	if (x > l->x0 && x < l->x1 && !a->concave)
		harm = sotto_hull_line_at(h, l, x) -
		       fmin(1, fmax(0, low) * sotto_group_factor(x, h->k)) + a->error +
		       b->error;
	if (a->at.x > l->x0)
		harm = fmax(harm, sotto_hull_line_at(h, l, a->at.x) - a->g + a->error);
	if (b->at.x < l->x1)
		harm = fmax(harm, sotto_hull_line_at(h, l, b->at.x) - b->g + b->error);
	return fmax(0, harm + 64 * SOTTO_U * (a->g + b->g));
}

/* The first cell between corners that a line passes, or is next to. */
static size_t first_cell(const struct sotto_hull_line *l)
{
	return l->from == SIZE_MAX || l->from == 0 ? 0 : l->from - 1;
}

/* What the line itself may be wrong by at its start, and all along it. */
static double own_error(const struct sotto_hull_line *l)
{
	return l->error0 + 64 * SOTTO_U * fmax(l->g0, l->g1);
}

/* The harms of a line: of all corners and what lies between them, up to each. */
static enum sotto_status find_harms(const struct sotto_hull *h, struct sotto_hull_line *l)
{
	double most = l->from == SIZE_MAX ? h->hidden : 0;
	size_t first = first_cell(l), end = first;

	while (end + 1 < h->n && h->corners[end].at.x < l->x1)
		end++;
	l->n_harms = end - first;
	l->harms = calloc(l->n_harms + 1, sizeof *l->harms);
	if (!l->harms)
		return SOTTO_ENOMEM;
	for (size_t i = first; i < end; i++) {
		const struct sotto_hull_corner *a = &h->corners[i], *b = &h->corners[i + 1];

		if (fmax(a->at.x, l->x0) < fmin(b->at.x, l->x1))
			l->harms[i - first] = harm_between(h, l, a, b);
		most = fmax(most, l->harms[i - first]);
		l->harms[i - first] = most;
	}
	l->harm = most + own_error(l) + l->error1;
	return SOTTO_OK;
}

/* So many lines are looked at on either side of one; of those farther off the largest harm counts whole. */
enum { NEIGHBOURS = 48 };

static double ends_error(const struct sotto_hull_line *l, const struct sotto_hull_line *o)
{
	return fmax(o->error0, o->error1) + fmax(l->error0, l->error1);
}

/* The harm of any other line counts as far as that line's nearer end is not above this one's extension by as much. */
static double harm_of_others(const struct sotto_hull *h, size_t i, double worst)
{
	const struct sotto_hull_line *l = &h->lines[i];
	double harm = 0;

	for (size_t j = i + 1; j < h->n_lines; j++) {
		const struct sotto_hull_line *o = &h->lines[j];
		double above = o->g0 - sotto_hull_line_at(h, l, o->x0) - ends_error(l, o);

		if (above >= worst)
			break;
		if (j == i + NEIGHBOURS) {
			harm = fmax(harm, o->after);
			break;
		}
		harm = fmax(harm, o->harm - fmax(0, above));
	}
	for (size_t j = i; j-- > 0;) {
		const struct sotto_hull_line *o = &h->lines[j];
		double above = o->g1 - sotto_hull_line_at(h, l, o->x1) - ends_error(l, o);

		if (above >= worst)
			break;
		if (j + NEIGHBOURS == i) {
			harm = fmax(harm, o->before);
			break;
		}
		harm = fmax(harm, o->harm - fmax(0, above));
	}
	return harm;
}

/* The corner before x, and not the last one. */
static size_t cell_of(const struct sotto_hull *h, double x)
{
	size_t low = 0, high = h->n > 2 ? h->n - 2 : 0;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (h->corners[middle + 1].at.x < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * How far from a line's end, at x, arcs go on that are not above the line's extension by the harm: only there the harm may make the hull lower.  With floors
 * below the density of P an arc is above by the integral of 1 - e^-d over it, d the distance, which is more than 0.6 min(d, 1), and
 * that on a stretch more than a third of min(mean d, 1).
 */
static double width_beside(const struct sotto_hull *h, double x, bool right, double harm)
{
	double above = 0, width = 0;
	size_t i = cell_of(h, x);

	while (sotto_hull_is_arc(h, i) && above < harm) {
		double from = h->corners[i].at.x, to = h->corners[i + 1].at.x,
		       near = right ? fmax(x, from) : fmin(x, to),
		       length = fabs((right ? to : from) - near),
		       middle = h->k * (fabs(near - x) + length / 2), part = 1;
		double rise = h->corners[i].floor * h->k * length * fmin(middle, 1) / 3;

		if (above + rise >
		    4 * harm) /* the first part of it will do: there d is less, but at most as the part */
			part = fmin(1, sqrt(4 * harm / (above + rise)));
		above += rise;
		width += part * length;
		if (right ? i + 2 >= h->n : i == 0)
			break;
		i += right ? 1 : (size_t)-1;
	}
	return width;
}

/* The line from E = 0 is wrong by a part of what it is wrong by at the first corner, at most: as E is a part of what it is there. */
static void charge_bottom(struct sotto_hull *h)
{
	charge(h, h->corners[0].at.x, 1 / h->k, h->hidden + h->corners[0].error);
}

/*
 * What each stretch of a line is charged: the largest harm from its start up to there; and of what is larger beyond, as E is a part of what it is there.  Leaves what
 * reaches the start in *left.
 */
static void charge_stretches(struct sotto_hull *h, const struct sotto_hull_line *l, double harm,
			     double *left)
{
	double own = own_error(l), last = fmax(harm, l->harm), beyond = last;
	size_t first = first_cell(l);

	for (size_t i = l->n_harms; i-- > 0;) {
		double from = fmax(h->corners[first + i].at.x, l->x0),
		       to = fmin(h->corners[first + i + 1].at.x, l->x1),
		       here = fmax(harm, l->harms[i] + own), whole;

		if (!(from < to))
			continue;
		whole = sotto_hull_line_at(h, l, from); /* the hull is not below 0 */
		charge(h, to, to - from, fmin(here, whole));
		charge(h, to, fmin(to - from, 1 / h->k),
		       fmin(fmin(beyond, last - here), whole));
		beyond = fmax(here, beyond * exp(-h->k * (to - from)));
	}
	*left = fmax(harm, own) + beyond;
}

static void charge_one(struct sotto_hull *h, const struct sotto_hull_line *l, double others)
{
	double harm = fmax(others, l->harm), beside = width_beside(h, l->x1, true, harm), left;

	charge(h, fmin(l->x1 + beside, h->corners[h->n - 1].at.x), beside, fmin(harm, l->g1));
	charge_stretches(h, l, others, &left);
	if (!isinf(l->x0))
		charge(h, l->x0, width_beside(h, l->x0, false, left), left);
}

enum sotto_status sotto_hull_charge(struct sotto_hull *h)
{
	double worst = 0;

	charge_bottom(h);
	for (size_t i = 0; i < h->n_lines; i++) {
		SOTTO_TRY(find_harms(h, &h->lines[i]));
		worst = fmax(worst, h->lines[i].harm);
		h->lines[i].before = worst;
	}
	for (size_t i = h->n_lines; i-- > 0;) {
		double after = i + 1 < h->n_lines ? h->lines[i + 1].after : 0;

		h->lines[i].after = fmax(h->lines[i].harm, after);
	}
	for (size_t i = 0; i < h->n_lines; i++)
		charge_one(h, &h->lines[i], harm_of_others(h, i, worst));
	return SOTTO_OK;
}
