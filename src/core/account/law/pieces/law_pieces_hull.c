/*
 * The hull of a group's curve: pieces where it is convex, and straight lines below which it never passes.  Corners are looked at first; the
 * ends of a line that touches a convex piece are then moved to where it is tangent.  What is not proved is charged (law_pieces.md).
 */
#include "core/account/law/pieces/law_pieces_hull.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"

/* Pieces end so far before an atom, and begin so far after it, over the range of all losses. */
#define BESIDE 1e-14
/* log of what the curve of one person is multiplied by. */
#define FACTOR_MAX 690.0
/* Nothing that was left out may become more than this. */
#define LEFT_OUT_MAX 1e-12
/* What is near the largest loss. */
#define LATE 1e-10

/*
 * Whether the hull has arcs between two losses, or goes on below all lines.  Where it has lines alone, it depends on the curve at their ends alone, and what that may be wrong by is charged
 * with the line.
 */
static bool has_arcs(const struct sotto_hull *h, double from, double to)
{
	double reach = -INFINITY, bottom = h->corners[h->on[h->n_on - 1]].at.x;

	for (size_t i = 0; i < h->n_lines; i++) {
		const struct sotto_hull_line *l = &h->lines[i];

		if (l->x0 > reach + 4 * h->beside && from < l->x0 && to > reach)
			return true;
		reach = fmax(reach, l->x1);
	}
	return to > bottom || (bottom > reach + 4 * h->beside && to > reach);
}

/* Those of one person, for the group. */
static void take_over_doubts(struct sotto_hull *h)
{
	double from = h->p->ends.low;

	for (int i = 0; i < SOTTO_DOUBTS; i++) {
		struct sotto_doubt d = h->p->doubts[i];

		if (d.harm > 0 && !has_arcs(h, from, d.to))
			d.harm = 0;
		from = d.to;
		h->out.doubts[i] = (struct sotto_doubt){
			d.to * h->k, d.harm * h->k * sotto_group_factor(d.to, h->k), 0};
	}
}

/* What an end of a piece says there: the P-mass above, what it is wrong by, and the curve. */
struct side {
	double p, error, g;
};

static struct side
side_of_line(const struct sotto_hull *h, const struct sotto_hull_line *l, double x)
{
	double fall = l->g1 - l->g0, p = isinf(l->x0) ? 1 : l->g0, slope = 0;

	if (!isinf(l->x0)) {
		slope = fall / expm1(h->k * (l->x1 - l->x0));
		p -= slope;
	}
	return (struct side){p, 16 * SOTTO_U * (fabs(p) + fabs(slope) * (1 + h->k)),
			     sotto_hull_line_at(h, l, x)};
}

static struct side side_of_part(const struct sotto_hull *h, size_t part, double x)
{
	struct sotto_group_edge e = sotto_hull_own_edge(h, part, x);
	struct sotto_group_tails t = sotto_group_tails(&e.tails, x, h->k);

	return (struct side){t.p, t.error, t.g};
}

/*
 * A line so short that rounding turns it: where it ends in a seam of mass below 0, it is turned about that end until there is none, and the seam at its other end loses as much.  False if
 * there is no such line.
 */
static bool turn_line(struct sotto_hull *h, double end, double mass)
{
	struct sotto_pieces *p = &h->out;
	struct sotto_seam *before;
	double moved;

	if (p->n < 2 || p->pieces[p->n - 1].part != SOTTO_STRAIGHT)
		return false;
	before = &p->seams[p->n - 2];
	moved = -mass * (h->k * end - before->loss);
	if (!(before->mass >= -mass && moved < -mass))
		return false;
	before->mass += mass;
	before->gap += moved;
	h->out.doubts[sotto_hull_doubt(h, end)].flat += moved;
	return true;
}

/* A piece more, up to x; the seam between it and the last is at from.  A mass below 0 is left out, and the hull may be that much lower. */
static enum sotto_status put(struct sotto_hull *h, size_t part, double to, double from,
			     struct side left, struct side right)
{
	struct sotto_pieces *p = &h->out;

	if (p->n == h->out_room) {
		size_t room = 2 * h->out_room + 64;
		struct sotto_piece *pieces = realloc(p->pieces, room * sizeof *pieces);
		struct sotto_seam *seams;

		if (!pieces)
			return SOTTO_ENOMEM;
		p->pieces = pieces;
		seams = realloc(p->seams, room * sizeof *seams);
		if (!seams)
			return SOTTO_ENOMEM;
		p->seams = seams;
		h->out_room = room;
	}
	if (p->n > 0) {
		double mass = left.p - right.p, error = left.error + right.error;

		if (mass < 0 && !turn_line(h, from, mass)) {
			h->out.doubts[sotto_hull_doubt(h, from)].flat -= mass;
			error -= mass;
		}
		mass = fmax(0, mass);
		if (p->pieces[p->n - 1].part == SOTTO_STRAIGHT)
			p->pieces[p->n - 1].to = from;
		p->seams[p->n - 1] =
			(struct sotto_seam){h->k * from, mass, error,
					    fabs(left.g - right.g) + left.error + right.error};
	}
	p->pieces[p->n++] = (struct sotto_piece){part, to};
	return SOTTO_OK;
}

/* The arcs from corner i, or a bit before or after it, up to corner j: one piece for each part. */
static enum sotto_status
put_arcs(struct sotto_hull *h, double from, size_t i, size_t j, double to, struct side *left)
{
	while (from < to) {
		size_t part = h->corners[i].part;
		double end;

		while (i < j && h->corners[i].part == part)
			i++;
		end = i < j || h->corners[i].at.x < to ? h->corners[i].at.x : to;
		end = fmin(end, to);
		SOTTO_TRY(put(h, part, end, from, *left, side_of_part(h, part, from)));
		*left = side_of_part(h, part, end);
		from = end;
		if (i >= j)
			break;
	}
	return SOTTO_OK;
}

/* A line starts at a corner, or beside it on an arc: where the arcs before it end, with the corner that they end at or before. */
static enum sotto_status build(struct sotto_hull *h)
{
	const struct sotto_hull_corner *bottom = &h->corners[h->on[h->n_on - 1]];
	struct side left = {1, 0, 1}, end;
	double at = -INFINITY;

	for (size_t i = 0; i < h->n_lines; i++) {
		const struct sotto_hull_line *l = &h->lines[i];

		if (i > 0) {
			const struct sotto_hull_line *last = &h->lines[i - 1];
			size_t first = last->to;

			if (last->x1 < h->corners[first].at.x)
				first--;
			if (at - l->x0 > 4 * h->beside)
				return SOTTO_EREFUSED; /* lines that pass each other */
			if (l->x0 - at > 4 * h->beside)
				SOTTO_TRY(put_arcs(h, at + h->beside, first, l->from + 1,
						   l->x0 - h->beside, &left));
			else
				left = side_of_line(h, last, l->x0);
			at = l->x0;
		}
		SOTTO_TRY(put(h, SOTTO_STRAIGHT, l->x1, i > 0 ? at : 0, left,
			      side_of_line(h, l, at)));
		left = side_of_line(h, l, l->x1);
		at = l->x1;
	}
	end = (struct side){bottom->g, 0, bottom->g};
	if (bottom->at.x - at >
	    4 * h->beside) { /* the last line was moved into an arc, or arcs follow it */
		const struct sotto_hull_line *last = &h->lines[h->n_lines - 1];
		size_t first = last->to - (last->x1 < h->corners[last->to].at.x);

		SOTTO_TRY(put_arcs(h, at + h->beside, first, h->on[h->n_on - 1],
				   bottom->at.x - h->beside, &left));
		at = bottom->at.x;
	}
	return put(h, SOTTO_STRAIGHT, INFINITY, at, left, end);
}

/* Whether a line was moved into it. */
static bool is_shortened(const struct sotto_hull *h, const struct sotto_floor *f)
{
	for (size_t i = 0; i < h->n_lines; i++)
		if (h->k * h->lines[i].x0 < f->to && h->k * h->lines[i].x1 > f->from)
			return true;
	return false;
}

/* The arcs of the hull, as far as they are whole. */
static enum sotto_status find_floors(struct sotto_hull *h)
{
	h->out.floors = malloc(h->n_on * sizeof *h->out.floors);
	if (!h->out.floors)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i + 1 < h->n_on; i++) {
		size_t j = h->on[i];
		struct sotto_floor *f = &h->out.floors[h->out.n_floors];

		*f = (struct sotto_floor){h->k * h->corners[j].at.x,
					  h->k * h->corners[h->on[i + 1]].at.x,
					  h->corners[j].floor};
		if (h->on[i + 1] == j + 1 && f->density > 0 && !is_shortened(h, f))
			h->out.n_floors++;
	}
	return SOTTO_OK;
}

/*
 * Whether one person's mass at infinity, too small to be the last piece, is above the other curves only within LATE of the last corner: so that the group's is that
 * of this corner, to k LATE.
 */
static bool takes_over_late(const struct sotto_hull *h, const struct sotto_hull_corner *last)
{
	double before = last->at.x - LATE;
	struct sotto_group_edge e;

	if (last != &h->corners[h->n - 1] || !(h->n > 1 && last[-1].at.x < before))
		return false;
	e = sotto_hull_own_edge(h, last[-1].part, before);
	return e.tails.delta - e.tails.error > h->p->ends.infinite * (1 + 1e-9);
}

/* What its own part's curve may be wrong by; that another may be higher there is charged as harm from there on. */
static double own_error(const struct sotto_hull *h, const struct sotto_hull_corner *c)
{
	struct sotto_group_edge e = sotto_hull_own_edge(h, c->part, c->at.x);

	return sotto_group_tails(&e.tails, c->at.x, h->k).error;
}

/* What the group has at infinity: where its curve is least. */
static void find_ends(struct sotto_hull *h)
{
	const struct sotto_hull_corner *last = &h->corners[h->on[h->n_on - 1]];
	const struct sotto_ends *one = &h->p->ends;
	double most = sotto_group_factor(h->corners[h->n - 1].at.x, h->k), left_out = 0;

	for (size_t i = 0; i < h->p->n_parts; i++)
		if (h->p->parts[i].list)
			left_out += sotto_part_list_left_grown(h->p->parts[i].list);
	h->out.ends = (struct sotto_ends){
		.low = one->low * h->k, .high = one->high * h->k, .below = one->below * h->k};
	h->out.group_left_out = 2 * left_out;
	if (one->above > 0 && takes_over_late(h, last)) {
		h->out.ends.infinite = one->infinite * sotto_group_factor(last->at.x, h->k);
		h->out.ends.above = h->out.ends.infinite;
		h->out.ends.error = one->error + h->k * LATE;
		return;
	}
	h->out.group_left_out += 2 * most * one->above;
	if (last->g > SOTTO_HULL_NOTHING) {
		h->out.ends.infinite = last->g;
		h->out.ends.error = own_error(h, last) / last->g;
	} else {
		h->out.group_left_out += last->g + own_error(h, last);
	}
}

static void take(struct sotto_hull *h)
{
	struct sotto_pieces *p = h->p;

	free(p->pieces);
	free(p->seams);
	h->out.parts = p->parts;
	h->out.n_parts = p->n_parts;
	h->out.people = h->k;
	h->out.work = p->work;
	*p = h->out;
	h->out.pieces = NULL;
	h->out.seams = NULL;
	h->out.floors = NULL;
}

enum sotto_status
sotto_pieces_group(struct sotto_pieces *p, double people, struct sotto_work *work)
{
	struct sotto_hull h = {.p = p,
			       .k = people,
			       .beside = BESIDE * (p->ends.high - p->ends.low),
			       .work = work};
	bool fits = (people - 1) * p->ends.high < FACTOR_MAX;
	enum sotto_status st = fits ? sotto_hull_find_corners(&h) : SOTTO_EREFUSED;

	if (st == SOTTO_OK)
		st = sotto_hull_find_edges(&h);
	if (st == SOTTO_OK)
		st = sotto_hull_find_lines(&h);
	if (st == SOTTO_OK) {
		take_over_doubts(&h);
		st = sotto_hull_charge(&h);
	}
	if (st == SOTTO_OK)
		st = build(&h);
	if (st == SOTTO_OK)
		st = find_floors(&h);
	if (st == SOTTO_OK) {
		find_ends(&h);
		if (!(h.out.ends.infinite <= SOTTO_PIECES_INFINITE && h.out.ends.error < 1e-9 &&
		      h.out.group_left_out < LEFT_OUT_MAX))
			st = SOTTO_EREFUSED;
	}
	if (st == SOTTO_OK)
		take(&h);
	free(h.out.pieces);
	free(h.out.seams);
	free(h.out.floors);
	free(h.corners);
	free(h.on);
	for (size_t i = 0; i < h.n_lines; i++)
		free(h.lines[i].harms);
	free(h.lines);
	return st;
}
