/*
 * Which of several curves is on top where.  In E = e^epsilon every curve is convex: on a cell it lies above its
 * tangents at the two ends and below its chord, so that one curve's tangents above all others' chords prove
 * that it is on top.  Cells where no curve passes are halved, until what a wrong choice may do is nothing (law_pieces.md).
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/law/pieces/law_pieces.h"
#include "core/base/failure.h"

enum { PARTS_MAX = 8, CELLS_MAX = 4096, DEPTH = 64 };
/* A curve too low by this part of the P-mass above is accepted; by more only where curves are too close to each other for that. */
static const double harmless[] = {0x1p-44, 0x1p-38, 0x1p-32};
enum { TRIES = sizeof harmless / sizeof *harmless };
/* Losses beyond this are not looked at: e^epsilon stays a double. */
#define RANGE_MAX 300.0
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

/* How far the chord of i may lie above the tangents of j, at most, on the cell. */
static double excess(const struct edge *a, const struct edge *b, size_t i, size_t j)
{
	const struct sotto_part_tails *ia = &a->tails[i], *ib = &b->tails[i],
				      *ja = &a->tails[j], *jb = &b->tails[j];
	/* all in u = E/E_a - 1, from 0 to width; slopes of the tangents are -left and -right */
	double width = expm1(b->at - a->at), left = exp(a->at) * ja->q,
	       right = exp(a->at) * jb->q, meet, tangent, most;

	meet = left > right ? (ja->delta - jb->delta - right * width) / (left - right) : 0;
	meet = fmin(fmax(meet, 0), width);
	tangent = fmax(ja->delta - left * meet, jb->delta + right * (width - meet));
	most = ia->delta + (ib->delta - ia->delta) * (meet / width) - tangent +
	       16 * SOTTO_U * (ja->p + left * meet + right * (width - meet));
	if (!isfinite(most)) /* and fmax would not see it */
		return INFINITY;
	most = fmax(most, fmax(ia->delta - ja->delta, ib->delta - jb->delta));
	return most + ia->error + ja->error + ib->error + jb->error;
}

/* What putting j on top may leave out. */
static double
harm_of(const struct search *s, const struct edge *a, const struct edge *b, size_t j)
{
	double most = 0;

	for (size_t i = 0; i < s->out->n_parts; i++)
		if (i != j)
			most = fmax(most, excess(a, b, i, j));
	return most;
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
	double mass = a->p - b->p, error = a->error + b->error;

	if (mass < 0) { /* the wrong way round: leave it out */
		error -= mass;
		mass = 0;
	}
	return (struct sotto_seam){e->at, mass, error, fabs(a->delta - b->delta) + error};
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

static enum sotto_status
look(struct search *s, const struct edge *a, const struct edge *b, int depth)
{
	double harm = INFINITY, middle = a->at + (b->at - a->at) / 2;
	size_t best = 0;
	struct edge m;

	if (++s->cells > CELLS_MAX || s->lost || sotto_work_is_spent(s->work))
		return SOTTO_EREFUSED;
	for (size_t j = 0; j < s->out->n_parts; j++) {
		double h = harm_of(s, a, b, j);

		if (h < harm) {
			harm = h;
			best = j;
		}
	}
	if (harm <= accepted(s, a, b) || depth == DEPTH ||
	    !(a->at < middle && middle < b->at)) {
		s->doubt->harm += harm * (b->at - a->at) * (1 + 0x1p-40);
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
	if (!(high - low < RANGE_MAX && high < RANGE_MAX && low > -RANGE_MAX))
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
	free(p);
}
