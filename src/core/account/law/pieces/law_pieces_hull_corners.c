/* The corners of a group's curve, how it bends between them, and which are on its hull (argument in law_pieces.md). */
#include <math.h>
#include <stdlib.h>

#include "core/account/law/cells/curve_polygon.h"
#include "core/account/law/pieces/law_pieces_hull.h"
#include "core/base/failure.h"

/*
 * How often a stretch is halved at most, of which it is not known how the curve bends.  Far out in Gaussian noise many stretches are never known: after so many times only those of
 * some mass are halved further.
 */
enum { DEPTH = 14, LIGHT_DEPTH = 6 };
#define LIGHT 1e-10
/* Corners that are no farther apart are one, in what pieces are apart from atoms. */
#define NEXT_TO 16
/* Below 0 curves are good to some roundings of 1: pieces of less mass are not told from straight lines. */
#define FAINT 1e-13
/* Below all losses g is 1 - E; it is told from that where it is so many times what it may be wrong by above it. */
#define HIDDEN 16
/* Steps (work.h) that a corner takes, besides its tails. */
#define CORNER_STEPS 60

struct sotto_group_edge sotto_hull_own_edge(const struct sotto_hull *h, size_t part, double x)
{
	const struct sotto_curve_part *p = &h->p->parts[part];

	sotto_work_use(h->work, CORNER_STEPS + sotto_part_tail_steps(p));
	return (struct sotto_group_edge){x, p->list ? 0 : sotto_part_density(p, x),
					 sotto_part_tails(p, x)};
}

struct sotto_group_edge sotto_hull_edge(const struct sotto_hull *h, size_t part, double x)
{
	struct sotto_group_edge e = sotto_hull_own_edge(h, part, x);

	for (size_t i = 0; i < h->p->n_parts; i++) { /* another may be on top */
		struct sotto_part_tails t;

		if (i == part)
			continue;
		t = sotto_part_tails(&h->p->parts[i], x);
		sotto_work_use(h->work, sotto_part_tail_steps(&h->p->parts[i]));
		e.tails.error = fmax(e.tails.error, t.delta + t.error - e.tails.delta);
	}
	return e;
}

/* Whether the group's curve is at least 1 on all of a stretch, and cut off there: one person's falls, and what multiplies it grows. */
static bool
is_cut_off(const struct sotto_hull *h, double from, const struct sotto_group_edge *right)
{
	return (right->tails.delta - right->tails.error) * sotto_group_factor(from, h->k) >
	       1 + 1e-9;
}

/* Both ends of a stretch of one part: where atoms may be, or another part begins, a bit inside. */
struct stretch {
	double from, to;
	struct sotto_group_edge left, right;
};

/* Gaussian noise alone has no atoms: what corners know serves. */
static bool is_smooth(const struct sotto_hull *h, size_t part)
{
	const struct sotto_curve_part *p = &h->p->parts[part];

	return h->p->n_parts == 1 && !p->list && !p->laplace;
}

static struct stretch stretch_between(const struct sotto_hull *h,
				      const struct sotto_hull_corner *last,
				      const struct sotto_hull_corner *new)
{
	struct stretch s = {last->at.x, new->at.x, last->at, new->at};

	if (is_smooth(h, last->part))
		return s;
	s.from += h->beside;
	s.to -= h->beside;
	if (s.from < s.to) {
		s.left = sotto_hull_own_edge(h, last->part, s.from);
		s.right = sotto_hull_own_edge(h, last->part, s.to);
	}
	return s;
}

/*
 * How the curve bends from the last corner up to the new one; false if that is not known and would matter.  A list's is concave between two outcomes
 * (finite_pair_group.md), and that of Laplace noise beyond all its losses, where one person's is straight.
 */
static bool find_bend(const struct sotto_hull *h, struct sotto_hull_corner *last,
		      const struct sotto_hull_corner *new, int depth)
{
	const struct sotto_curve_part *p = &h->p->parts[last->part];
	double x = new->at.x, low, high, down, up, most;
	struct stretch s;

	sotto_part_range(p, &low, &high);
	last->floor = 0;
	last->concave = p->list || (p->laplace &&
				    (x - h->beside <= low || last->at.x + h->beside >= high));
	if (last->concave)
		return true;
	s = stretch_between(h, last, new);
	if (!(s.from < s.to))
		return true;
	last->concave = is_cut_off(h, s.from, &s.right);
	if (last->concave)
		return true;
	sotto_part_change(p, s.from, s.to, &down, &up);
	most = fmax(s.left.density, s.right.density) * up * (s.to - s.from) *
	       sotto_group_factor(s.to, h->k);
	last->floor = sotto_group_density_down(&s.left, &s.right, down, h->k);
	if (x <= 0 && !(last->floor * h->k * (s.to - s.from) > FAINT))
		last->floor = 0;
	last->concave = sotto_group_is_concave(&s.left, &s.right, up, h->k);
	if (!p->laplace && depth <= DEPTH - LIGHT_DEPTH && most < LIGHT)
		return true;
	return last->floor > 0 || last->concave || most < (x <= 0 ? FAINT : SOTTO_HULL_NOTHING);
}

/* Where another part takes over; or outcomes of a list, of which rare samples of small noise have several that differ by rounding at most. */
static bool
are_one(const struct sotto_hull *h, const struct sotto_hull_corner *last, size_t part, double x)
{
	double apart = last->part != part ? 1 : h->p->parts[part].list ? NEXT_TO : -1;

	return x <= last->at.x + apart * h->beside;
}

/*
 * Corners so near to each other that a line from one to the other would have no slope: they become the second one, and in between one person's curve may be as much higher or lower as
 * it falls.  A line from the corner before them passes above the first one by its own slope, which is that before it.
 */
static void join_corners(const struct sotto_hull *h, struct sotto_hull_corner *last,
			 const struct sotto_hull_corner *new)
{
	const struct sotto_hull_corner *before = h->n > 1 ? last - 1 : NULL;
	double slope =
		before ? before->at.tails.yq * exp(new->at.x - before->at.x) : exp(new->at.x);
	double fall = expm1(new->at.x - last->at.x) * fmax(slope, last->at.tails.yq) *
		      sotto_group_factor(new->at.x, h->k);
	double error = last->error;

	*last = *new;
	last->error = fmax(error, new->error) + fall;
}

/*
 * How far g is above 1 - E at a corner of continuous noise, at most, if errors are not far below that; or INFINITY.  Such losses are so near to the lowest one that slopes between them would
 * be errors, however many corners there are: the line from E = 0 goes to the last one.
 */
static double hidden_at(const struct sotto_hull *h, const struct sotto_hull_corner *c)
{
	double above = c->g + expm1(h->k * c->at.x);

	if (h->p->parts[c->part].list || c->at.x >= 0 || above > HIDDEN * c->error)
		return INFINITY;
	return fmax(0, above) + c->error;
}

static struct sotto_hull_corner corner_at(const struct sotto_hull *h, size_t part, double x)
{
	struct sotto_hull_corner new = {.at = sotto_hull_edge(h, part, x), .part = part};
	struct sotto_group_tails g = sotto_group_tails(&new.at.tails, x, h->k);

	new.g = fmin(1, g.g);
	new.error = g.g - g.error > 1 ? 0 : g.error;
	return new;
}

static enum sotto_status make_room(struct sotto_hull *h)
{
	size_t room = 2 * h->room + 256;
	struct sotto_hull_corner *grown;

	if (h->n < h->room)
		return SOTTO_OK;
	grown = realloc(h->corners, room * sizeof *grown);
	if (!grown)
		return SOTTO_ENOMEM;
	h->corners = grown;
	h->room = room;
	return SOTTO_OK;
}

/* A corner, and before it others, as long as it is not known how the curve bends. */
static enum sotto_status
add_corner(struct sotto_hull *h, const struct sotto_hull_corner *new, int depth)
{
	struct sotto_hull_corner *last = h->n ? &h->corners[h->n - 1] : NULL;

	if (last && are_one(h, last, new->part, new->at.x)) {
		join_corners(h, last, new);
		return SOTTO_OK;
	}
	if (h->n <= 1 && isfinite(hidden_at(h, new))) {
		h->hidden = hidden_at(h, new);
		h->n = 0;
		last = NULL;
	}
	if (last && !find_bend(h, last, new, depth) && depth > 0) {
		double middle =
			sotto_part_middle(&h->p->parts[last->part], last->at.x, new->at.x);

		if (middle - last->at.x > 8 * h->beside && new->at.x - middle > 8 * h->beside) {
			struct sotto_hull_corner between = corner_at(h, new->part, middle);

			SOTTO_TRY(add_corner(h, &between, depth - 1));
			return add_corner(h, new, depth - 1);
		}
	}
	SOTTO_TRY(make_room(h));
	h->corners[h->n++] = *new;
	return SOTTO_OK;
}

enum sotto_status sotto_hull_find_corners(struct sotto_hull *h)
{
	double *places = malloc(SOTTO_PLACES * sizeof *places), from = -INFINITY;
	enum sotto_status st = places ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t i = 0; i < h->p->n && st == SOTTO_OK; i++) {
		const struct sotto_piece *piece = &h->p->pieces[i];
		const struct sotto_curve_part *part = &h->p->parts[piece->part];
		size_t n = sotto_part_places(part, from, piece->to, places);

		for (size_t j = 0; j < n && st == SOTTO_OK; j++) {
			struct sotto_hull_corner new = corner_at(h, piece->part, places[j]);

			st = add_corner(h, &new, DEPTH);
		}
		from = piece->to;
	}
	free(places);
	return st == SOTTO_OK && h->n == 0 ? SOTTO_EREFUSED : st;
}

/* ---- which of them are on the hull ---- */

/* The slope into corner j from corner i, or from E = 0, times E at j. */
static double slope_into(const struct sotto_hull *h, size_t i, size_t j)
{
	if (i == SIZE_MAX)
		return h->corners[j].g - 1;
	return sotto_slope_left(h->k * (h->corners[j].at.x - h->corners[i].at.x),
				h->corners[j].g - h->corners[i].g);
}

static double slope_out(const struct sotto_hull *h, size_t i, size_t j)
{
	return sotto_slope_right(h->k * (h->corners[j].at.x - h->corners[i].at.x),
				 h->corners[j].g - h->corners[i].g);
}

static size_t before_last(const struct sotto_hull *h)
{
	return h->n_on > 1 ? h->on[h->n_on - 2] : SIZE_MAX;
}

enum sotto_status sotto_hull_find_edges(struct sotto_hull *h)
{
	h->on = malloc(h->n * sizeof *h->on);
	if (!h->on)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < h->n; i++) {
		while (h->n_on > 0 && slope_into(h, before_last(h), h->on[h->n_on - 1]) >=
					      slope_out(h, h->on[h->n_on - 1], i))
			h->n_on--;
		h->on[h->n_on++] = i;
	}
	while (h->n_on > 1 && slope_into(h, before_last(h), h->on[h->n_on - 1]) >= 0)
		h->n_on--;
	return SOTTO_OK;
}
