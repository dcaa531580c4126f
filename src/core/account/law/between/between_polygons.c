/*
 * A rough look tells where the corners are; then cells and points go there.  All bounds here are derived in between.md.
 */
#include "core/account/law/between/between_polygons.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/between/clone_lists.h"
#include "core/account/law/clone_groups/clone_rows.h"
#include "core/account/law/law.h"
#include "core/base/failure.h"

/* People in a group, and the largest loss of one of them. */
enum { PEOPLE_MAX = 64 };
#define TOP_MAX 300.0
/* Cells and outcomes that all laws share, each so many at least and at most; and those of a rough look.  One of the scale 1 would like to have very many. */
enum { CELLS = 600000, CELLS_LEAST = 300, CELLS_MOST = 12000, CELLS_OF_LOOK = 240 };
#define CELLS_OF_ONE 1e6
#define OUTCOMES 3e7
#define OUTCOMES_LEAST 4e3
#define OUTCOMES_MOST 2e6
#define LOWER 1.2
#define OUTCOMES_OF_LOOK 4e3
/* Corners that weigh less do not matter for where cells are. */
#define FAINT 1e-13
/* A stretch is that much longer than what was seen. */
#define MARGIN 0.02
/* What widths between losses that are close to each other are wrong by, relative. */
#define CLOSE 0x1p-40
/* Steps (work.h) that a place takes. */
#define STEPS 80

bool sotto_between_read(const struct sotto_event *e, struct sotto_between_event *r)
{
	const struct sotto_event *inside = e->n_children ? e->children[0] : NULL;

	*r = (struct sotto_between_event){.shuffle = inside, .people = e->size};
	if (e->kind != SOTTO_EVENT_GROUP || e->size > PEOPLE_MAX ||
	    inside->kind != SOTTO_EVENT_SHUFFLE || inside->count != 1)
		return false;
	return sotto_clone_pair_of(inside, &r->pair) &&
	       r->pair.epsilon0 <= SOTTO_BETWEEN_EPSILON_MAX &&
	       (double)r->people * r->pair.epsilon0 <= TOP_MAX;
}

static enum sotto_status
hull_of(const struct sotto_mirrored *m, size_t people, struct sotto_corners *out)
{
	struct sotto_points points;
	enum sotto_status st;

	SOTTO_TRY(sotto_mirrored_points(m, &points));
	st = sotto_points_hull(&points, people, out);
	free(points.x);
	return st;
}

/* Of both lists. */
static enum sotto_status hulls_of(const struct sotto_between_event *r,
				  const struct sotto_clone_lists *lists,
				  struct sotto_polygons *out)
{
	enum sotto_status st = hull_of(&lists->below, r->people, &out->below);

	return st == SOTTO_OK ? hull_of(&lists->above, r->people, &out->above) : st;
}

/* Losses of the group between which most corners are. */
struct look {
	double from, to;
};

/* Both polygons' corners, which enclose the true ones. */
static struct look look_at(const struct sotto_polygons *p)
{
	size_t n = p->above.n;

	while (n > 1 && p->above.mass[n - 1] < FAINT)
		n--;
	return (struct look){fmin(p->above.loss[0], p->below.loss[0]), p->above.loss[n - 1]};
}

static enum sotto_status polygons_of(const struct sotto_between_event *r,
				     const struct sotto_clone_cutting *cutting,
				     struct sotto_work *work, struct sotto_polygons *out)
{
	struct sotto_clone_lists lists;
	enum sotto_status st;

	*out = (struct sotto_polygons){.left_out = 0};
	SOTTO_TRY(sotto_clone_lists_of(&r->pair, cutting, work, &lists));
	st = hulls_of(r, &lists, out);
	sotto_work_use(work, STEPS * (double)(lists.below.n + lists.above.n));
	out->wrong = lists.error +
		     SOTTO_U * (64 + 16 * (double)r->people + 4 * (double)lists.above.n) +
		     CLOSE;
	out->moved = 64 * SOTTO_U * (double)r->people * (exp(r->pair.epsilon0) + 1);
	out->left_out = lists.left_out;
	sotto_clone_lists_release(&lists);
	if (st != SOTTO_OK)
		sotto_polygons_release(out);
	return st;
}

/* The mean of signs at such a loss of one person. */
static double sign_at(const struct sotto_between_event *r, double loss)
{
	return loss > 0 ? tanh(0.5 * loss) / r->pair.tau : 0;
}

/* Between which means of signs cells are wanted. */
static void find_stretch(const struct sotto_between_event *r, const struct look *look,
			 struct sotto_clone_cutting *c)
{
	double k = (double)r->people;

	c->from = sign_at(r, look->from / k) * (1 - MARGIN);
	c->to = sign_at(r, look->to / k) * (1 + MARGIN);
	c->to = fmin(1, fmax(c->to, c->from + MARGIN * c->to + 1e-9));
	c->from = fmin(c->from, c->to * (1 - MARGIN));
}

/* A rough look. */
static enum sotto_status look_roughly(const struct sotto_between_event *r,
				      const struct sotto_clone_cutting *c,
				      struct sotto_work *work, struct look *out)
{
	struct sotto_polygons p = {.left_out = 0};
	struct sotto_clone_lists lists;
	enum sotto_status st;

	SOTTO_TRY(sotto_clone_lists_of(&r->pair, c, work, &lists));
	st = hulls_of(r, &lists, &p);
	if (st == SOTTO_OK)
		*out = look_at(&p);
	sotto_polygons_release(&p);
	sotto_clone_lists_release(&lists);
	return st;
}

static double scale_of(const struct sotto_between_event *r)
{
	return (double)r->people * sotto_clone_scale(&r->pair);
}

/*
 * The square of how many standard deviations of shuffled reports out the corners are, roughly: where the group's factor e^((k-1)x) makes up for the tail.
 */
static double weight_of(const struct sotto_between_event *r)
{
	double more = (double)r->people - 1, scale = sotto_clone_scale(&r->pair);

	return pow(1 + 4 * more * more * scale * scale, 1.5);
}

struct sotto_between_need sotto_between_need_of(const struct sotto_event *e)
{
	struct sotto_between_event r;

	if (!sotto_between_read(e, &r))
		return (struct sotto_between_need){0, 1, 0};
	return (struct sotto_between_need){sotto_clone_rows_estimate(&r.pair, (double)r.people),
					   weight_of(&r), scale_of(&r)};
}

static double outcomes_for(const struct sotto_between_share *share, double weight)
{
	return fmin(OUTCOMES_MOST, fmax(OUTCOMES_LEAST, share->outcomes * weight));
}

static double cells_for(const struct sotto_between_share *share, double scale)
{
	return fmin(share->cells_most,
		    fmax(share->cells_least, share->cells * pow(scale, 2.0 / 3)));
}

/* As many for each as all of them may have. */
static void
share_cells(struct sotto_between_share *s, const struct sotto_between_need *needs, size_t laws)
{
	double sum = INFINITY;

	for (s->cells = CELLS_OF_ONE; s->cells > 1 && sum > CELLS; s->cells /= LOWER) {
		sum = 0;
		for (size_t i = 0; i < laws; i++)
			sum += cells_for(s, needs[i].scale);
	}
}

struct sotto_between_share
sotto_between_share_of(const struct sotto_between_need *needs, size_t laws)
{
	struct sotto_between_share s = {.cells = 1,
					.cells_least = CELLS_LEAST,
					.cells_most = CELLS_MOST,
					.outcomes = OUTCOMES_MOST};
	double sum = INFINITY;

	share_cells(&s, needs, laws);
	for (; s.outcomes > 1 && sum > OUTCOMES; s.outcomes /= LOWER) {
		sum = 0;
		for (size_t i = 0; i < laws; i++)
			sum += fmin(needs[i].outcomes, outcomes_for(&s, needs[i].weight));
	}
	return s;
}

enum sotto_status sotto_polygons_of(const struct sotto_between_event *r,
				    const struct sotto_between_share *share,
				    struct sotto_work *work, struct sotto_polygons *out)
{
	struct sotto_clone_cutting c = {r->people, CELLS_OF_LOOK, 0,
					sotto_clone_lists_reach(&r->pair, r->people),
					OUTCOMES_OF_LOOK};
	struct look look;

	SOTTO_TRY(look_roughly(r, &c, work, &look));
	find_stretch(r, &look, &c);
	c.cells = (size_t)cells_for(share, scale_of(r));
	c.outcomes = outcomes_for(share, weight_of(r));
	return polygons_of(r, &c, work, out);
}
