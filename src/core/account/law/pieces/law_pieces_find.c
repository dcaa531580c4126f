/*
 * Which of several curves is on top where.  In E = e^epsilon every curve is convex: on a cell it lies above its
 * tangents at the two ends and below its chord, so that one curve's tangents above all others' chords prove
 * that it is on top.  Cells where no curve passes are halved, until what a wrong choice may do is nothing (law_pieces.md).
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/law/pieces/law_pieces.h"
#include "core/account/law/pieces/law_pieces_brief.h"
#include "core/base/failure.h"

enum { PARTS_MAX = 8, CELLS_MAX = 4096, DEPTH = 64 };
/* A curve too low by this part of the P-mass above is accepted; by more only where curves are too close to each other for that. */
static const double harmless[] = {0x1p-44, 0x1p-38, 0x1p-32};
enum { TRIES = sizeof harmless / sizeof *harmless };
/* Losses from the least to the largest: cells are so narrow that e^epsilon grows by no more than a double can in each. */
#define RANGE_MAX 4000.0
struct edge {
	double at;
	struct sotto_part_tails tails[PARTS_MAX];
};

struct search {
	struct sotto_pieces *out;
	struct sotto_work *work;
	struct sotto_doubt *doubt; /* of the cell that is looked at */
	size_t cells, room;
	double harmless;
	bool lost; /* a tail is not a number */
};

static void measure(struct search *s, double at, struct edge *e)
{
	e->at = at;
	for (size_t i = 0; i < s->out->n_parts; i++)
		e->tails[i] = sotto_part_tails(&s->out->parts[i], at);
	for (size_t i = 0; i < s->out->n_parts; i++) {
		s->lost |= !(isfinite(e->tails[i].delta) && isfinite(e->tails[i].p));
		sotto_work_use(s->work, sotto_part_tail_steps(&s->out->parts[i]));
	}
}

/* What putting a part on top may leave out on a cell: at most, and its integral over epsilon. */
struct harm {
	double most, area;
};

/* The integral of what a straight line from y0 to y1 has above 0. */
static double area_above(double y0, double y1, double width)
{
	double high = fmax(y0, y1), low = fmin(y0, y1);

	if (!(high > 0))
		return 0;
	return low >= 0 ? (high + low) / 2 * width : high * high / (high - low) / 2 * width;
}

/* How far the chord of i may lie above the tangents of j on the cell: a line, bent where the tangents meet.  In epsilon its integral is less than in u. */
static struct harm excess(const struct edge *a, const struct edge *b, size_t i, size_t j)
{
	const struct sotto_part_tails *ia = &a->tails[i], *ib = &b->tails[i],
				      *ja = &a->tails[j], *jb = &b->tails[j];
	/* all in u = E/E_a - 1, from 0 to width; slopes of the tangents are -left and -right */
	double width = expm1(b->at - a->at), left = ja->yq, right = jb->yq / (1 + width), meet,
	       tangent, middle, error;
	struct harm h;

	meet = left > right ? (ja->delta - jb->delta - right * width) / (left - right) : 0;
	meet = fmin(fmax(meet, 0), width);
	tangent = fmax(ja->delta - left * meet, jb->delta + right * (width - meet));
	middle = ia->delta + (ib->delta - ia->delta) * (meet / width) - tangent;
	error = ia->error + ja->error + ib->error + jb->error +
		16 * SOTTO_U * (ja->p + left * meet + right * (width - meet));
	if (!isfinite(middle + error)) /* and fmax would not see it */
		return (struct harm){INFINITY, INFINITY};
	middle += error;
	h.most = fmax(middle, fmax(ia->delta - ja->delta, ib->delta - jb->delta) + error);
	h.area = area_above(ia->delta - ja->delta + error, middle, meet) +
		 area_above(middle, ib->delta - jb->delta + error, width - meet);
	h.area = fmin(h.area, fmax(0, h.most) * (b->at - a->at));
	return h;
}

/* What putting j on top may leave out. */
static struct harm
harm_of(const struct search *s, const struct edge *a, const struct edge *b, size_t j)
{
	struct harm all = {0, 0};

	for (size_t i = 0; i < s->out->n_parts; i++) {
		struct harm one;

		if (i == j)
			continue;
		one = excess(a, b, i, j);
		all.most = fmax(all.most, one.most);
		all.area += one.area;
	}
	return all;
}

static double accepted(const struct search *s, const struct edge *a, const struct edge *b)
{
	double p = 0, error = 0;

	for (size_t i = 0; i < s->out->n_parts; i++) {
		p = fmax(p, a->tails[i].p);
		error = fmax(error, fmax(a->tails[i].error, b->tails[i].error));
	}
	return 8 * error + s->harmless * p;
}

/* Where the last piece ends and part takes over. */
static struct sotto_seam seam_at(const struct edge *e, size_t before, size_t after)
{
	const struct sotto_part_tails *a = &e->tails[before], *b = &e->tails[after];

	return (struct sotto_seam){e->at, a->p - b->p, a->p_error + b->p_error,
				   fabs(a->delta - b->delta) + a->error + b->error};
}

static enum sotto_status put_on_top(struct search *s, const struct edge *from, size_t part)
{
	struct sotto_pieces *p = s->out;

	if (p->n > 0 && p->pieces[p->n - 1].part == part)
		return SOTTO_OK;
	if (p->n == s->room) {
		size_t room = 2 * s->room + 8;
		struct sotto_piece *pieces = realloc(p->pieces, room * sizeof *pieces);
		struct sotto_seam *seams;

		if (!pieces)
			return SOTTO_ENOMEM;
		p->pieces = pieces;
		seams = realloc(p->seams, room * sizeof *seams);
		if (!seams)
			return SOTTO_ENOMEM;
		p->seams = seams;
		s->room = room;
	}
	if (p->n > 0) {
		p->pieces[p->n - 1].to = from->at;
		p->seams[p->n - 1] = seam_at(from, p->pieces[p->n - 1].part, part);
	}
	p->pieces[p->n++] = (struct sotto_piece){part, INFINITY};
	return SOTTO_OK;
}

static size_t highest(const struct search *s, const struct edge *e)
{
	size_t best = 0;

	for (size_t i = 1; i < s->out->n_parts; i++)
		if (e->tails[i].delta > e->tails[best].delta)
			best = i;
	return best;
}

/*
 * Where a cell is cut in two: in the middle, or, every other time, where the chords of the two curves that are highest at its ends meet, which is where lists cross
 * once no outcome is between.
 */
static double
cut_of(const struct search *s, const struct edge *a, const struct edge *b, int depth)
{
	double middle = a->at + (b->at - a->at) / 2, before, after, at;
	size_t i = highest(s, a), j = highest(s, b);

	if (i == j || depth % 2 == 0)
		return middle;
	before = a->tails[i].delta - a->tails[j].delta;
	after = b->tails[j].delta - b->tails[i].delta;
	at = a->at + log1p(expm1(b->at - a->at) * (before / (before + after)));
	return at > a->at && at < b->at ? at : middle;
}

static enum sotto_status
look(struct search *s, const struct edge *a, const struct edge *b, int depth)
{
	struct harm harm = {INFINITY, INFINITY};
	double middle = cut_of(s, a, b, depth);
	size_t best = 0;
	struct edge m;

	if (++s->cells > CELLS_MAX || s->lost || sotto_work_is_spent(s->work))
		return SOTTO_EREFUSED;
	for (size_t j = 0; j < s->out->n_parts; j++) {
		struct harm h = harm_of(s, a, b, j);

		if (h.most < harm.most) {
			harm = h;
			best = j;
		}
	}
	if (harm.most <= accepted(s, a, b) || depth == DEPTH ||
	    !(a->at < middle && middle < b->at)) {
		s->doubt->harm += harm.area * (1 + 0x1p-40);
		return put_on_top(s, a, best);
	}
	measure(s, middle, &m);
	SOTTO_TRY(look(s, a, &m, depth + 1));
	return look(s, &m, b, depth + 1);
}

/* From low to high, with a doubt for each part of that. */
static enum sotto_status look_all(struct search *s, double low, double high)
{
	struct edge ends[2];

	s->cells = s->out->n = 0;
	measure(s, low, &ends[0]);
	for (int i = 1; i <= SOTTO_DOUBTS; i++) {
		double at = low + (high - low) * (double)i / SOTTO_DOUBTS;

		s->doubt = &s->out->doubts[i - 1];
		*s->doubt = (struct sotto_doubt){.to = at};
		measure(s, at, &ends[i % 2]);
		SOTTO_TRY(look(s, &ends[(i + 1) % 2], &ends[i % 2], 0));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_pieces_find(struct sotto_pieces *p, struct sotto_work *work)
{
	struct search s = {.out = p, .work = work};
	double low = INFINITY, high = -INFINITY;
	enum sotto_status st = SOTTO_EREFUSED;

	if (p->n_parts > PARTS_MAX)
		return SOTTO_EREFUSED;
	for (size_t i = 0; i < p->n_parts; i++) {
		double from, to;

		sotto_part_range(&p->parts[i], &from, &to);
		low = fmin(low, from);
		high = fmax(high, to);
	}
	if (!(high - low < RANGE_MAX))
		return SOTTO_EREFUSED;
	p->ends.low = low;
	p->ends.high = high;
	for (int i = 0; i < TRIES && st == SOTTO_EREFUSED && !s.lost; i++) {
		s.harmless = harmless[i];
		st = look_all(&s, low, high);
	}
	return st;
}

void sotto_pieces_free(struct sotto_pieces *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_parts; i++) {
		sotto_part_list_free(p->parts[i].list);
		free(p->parts[i].fold);
	}
	free(p->parts);
	free(p->floors);
	free(p->pieces);
	free(p->seams);
	sotto_pieces_brief_free(p->brief);
	free(p);
}
