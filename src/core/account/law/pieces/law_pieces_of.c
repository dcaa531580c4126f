/* Which events are pieces, and the pieces of an event. */
#include <math.h>
#include <stdlib.h>

#include "core/account/law/outcomes/outcomes.h"
#include "core/account/law/pieces/laplace_fold.h"
#include "core/account/law/pieces/law_pieces.h"
#include "core/account/law/pieces/law_pieces_brief.h"
#include "core/account/law/pieces/law_pieces_people.h"
#include "core/base/failure.h"

/* K on the real line is summed up to s = this over the largest scale. */
#define LISTED_REACH 6.0
/* Near the largest loss, where there is one, orders are higher. */
#define LISTED_REACH_OF_BOUNDED 24.0
/* Parameters that the bounds were made for. */
#define RATE_MIN 1e-9
#define RATE_MAX 0.9
#define SCALE_MAX 20.0
/* Standard deviations at which masses are still doubles. */
#define SIGMAS_MORE_MAX 25.0
#define SCALE_MIN 1e-6
/* Up to this part of what law->listed_reach is before, brief lists are made. */
#define BRIEF_ORDER 0.5
/* So many times farther than nodes are wanted the product of all laws is to be known to be nothing, if that is possible; steps (work.h) that a point takes there. */
#define FARTHER 24.0
enum { FAR_TRIES = 3 };
#define GATHER_STEPS 40.0
/* log of what a point that K is a sum over weighs at least. */
#define LOG_FAINT (-46.0)

static bool is_noise(const struct sotto_event *e)
{
	if (e->kind == SOTTO_EVENT_LAPLACE)
		return e->count == 1 || (e->count <= SOTTO_FOLD_MAX &&
					 mpq_get_d(e->epsilon.q) <= SOTTO_FOLD_EPSILON);
	return e->count == 1 && e->kind == SOTTO_EVENT_GAUSSIAN;
}

/* Continuous noise.  False if the bounds were not made for such parameters. */
static bool read_part(const struct sotto_event *e, enum sotto_direction direction,
		      struct sotto_curve_part *part, uint64_t *draws)
{
	const struct sotto_event *noise = e;

	*part = (struct sotto_curve_part){.rate = 1, .direction = direction};
	if (e->kind == SOTTO_EVENT_SAMPLED && e->count == 1) {
		part->sampled = true;
		part->rate = mpq_get_d(e->rate.q);
		noise = e->children[0];
		if (!(part->rate >= RATE_MIN && part->rate <= RATE_MAX))
			return false;
	}
	if (!is_noise(noise))
		return false;
	part->laplace = noise->kind == SOTTO_EVENT_LAPLACE;
	*draws = noise->count;
	part->a = mpq_get_d(noise->first.q);
	if (!part->laplace)
		part->a = sqrt(part->a);
	return part->a >= SCALE_MIN && part->a <= SCALE_MAX;
}

static bool is_part(const struct sotto_event *e)
{
	struct sotto_curve_part part;
	uint64_t draws;

	return read_part(e, SOTTO_REMOVE, &part, &draws) || sotto_part_list_possible(e);
}

/* What is inside of a group, or the event itself. */
static const struct sotto_event *inside_of(const struct sotto_event *e)
{
	return e->kind == SOTTO_EVENT_GROUP ? e->children[0] : e;
}

bool sotto_pieces_possible(const struct sotto_event *e, enum sotto_neighbours neighbours)
{
	const struct sotto_event *inside = inside_of(e);

	if (neighbours == SOTTO_REPLACE || (e->kind == SOTTO_EVENT_GROUP &&
					    (e->size > SOTTO_PEOPLE_MAX || inside->count != 1)))
		return false;
	if (inside->kind == SOTTO_EVENT_SAMPLED)
		return (e->kind == SOTTO_EVENT_GROUP ||
			(inside->children[0]->kind == SOTTO_EVENT_LAPLACE &&
			 inside->children[0]->count > 1)) &&
		       is_part(inside);
	if (inside->kind != SOTTO_EVENT_PARALLEL || inside->n_children == 0)
		return false;
	for (size_t i = 0; i < inside->n_children; i++)
		if (!is_part(inside->children[i]))
			return false;
	return true;
}

/* Several draws of Laplace noise. */
static enum sotto_status fold(struct sotto_curve_part *part, uint64_t draws)
{
	if (draws == 1)
		return SOTTO_OK;
	part->fold = malloc(sizeof *part->fold);
	if (!part->fold)
		return SOTTO_ENOMEM;
	sotto_laplace_fold_of(part->fold, part->a, draws);
	return SOTTO_OK;
}

static enum sotto_status read_parts(struct sotto_pieces *p, const struct sotto_event *e,
				    enum sotto_direction direction, double people,
				    struct sotto_work *work)
{
	bool cells = e->kind == SOTTO_EVENT_PARALLEL;
	size_t n = cells ? e->n_children : 1;

	p->parts = calloc(n, sizeof *p->parts);
	if (!p->parts)
		return SOTTO_ENOMEM;
	for (; p->n_parts < n; p->n_parts++) {
		const struct sotto_event *one = cells ? e->children[p->n_parts] : e;
		struct sotto_curve_part *part = &p->parts[p->n_parts];
		uint64_t draws;

		if (read_part(one, direction, part, &draws)) {
			SOTTO_TRY(fold(part, draws));
			continue;
		}
		*part = (struct sotto_curve_part){.rate = 1, .direction = direction};
		SOTTO_TRY(sotto_part_list_of(one, direction, people, work, &part->list));
	}
	return SOTTO_OK;
}

bool sotto_pieces_are_listed(const struct sotto_pieces *p)
{
	for (size_t i = 0; i < p->n_parts; i++)
		if (!p->parts[i].list)
			return false;
	return true;
}

double sotto_pieces_left_out(const struct sotto_pieces *p)
{
	double sum = p->group_left_out;

	for (size_t i = 0; i < p->n_parts && p->people == 1; i++)
		sum += p->parts[i].list ? sotto_part_list_left_out(p->parts[i].list) : 0;
	return sum + 8 * p->ends.error * p->ends.infinite;
}

double sotto_pieces_infinite(const struct sotto_pieces *p)
{
	return p->ends.infinite * (1 - 4 * p->ends.error);
}

double sotto_pieces_top(const struct sotto_pieces *p)
{
	double top = 0;

	for (size_t i = 0; i < p->n_parts; i++)
		top = fmax(top, p->people * sotto_part_top(&p->parts[i]));
	return top + 0x1p-40 * top;
}

/* Masses that one of P and Q lacks: the largest, and how much less the pieces at both ends have. */
static void look_at_ends(struct sotto_pieces *p)
{
	const struct sotto_part_list *first = p->parts[p->pieces[0].part].list,
				     *last = p->parts[p->pieces[p->n - 1].part].list;
	struct sotto_ends *e = &p->ends;
	double missing = 0;

	for (size_t i = 0; i < p->n_parts; i++) {
		const struct sotto_part_list *list = p->parts[i].list;

		if (!list)
			continue;
		e->infinite = fmax(e->infinite, sotto_part_list_infinite(list));
		e->error = fmax(e->error, sotto_part_list_error(list));
		missing = fmax(missing, sotto_part_list_missing(list));
	}
	e->above = e->infinite - (last ? sotto_part_list_infinite(last) : 0);
	e->below = missing - (first ? sotto_part_list_missing(first) : 0);
}

/* Gaussian noise of a group. */
static enum sotto_status look_farther(struct sotto_pieces *p, double people)
{
	for (size_t i = 0; i < p->n_parts; i++) {
		struct sotto_curve_part *part = &p->parts[i];

		if (part->list || part->laplace)
			continue;
		part->farther = sotto_outcomes_farther(part->a, people);
		if (!(part->farther <= SIGMAS_MORE_MAX))
			return SOTTO_EREFUSED;
	}
	return SOTTO_OK;
}

static bool are_atoms(const struct sotto_pieces *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->pieces[i].part != SOTTO_STRAIGHT && !p->parts[p->pieces[i].part].list)
			return false;
	return true;
}

/* Those that weigh something at some order up to the reach, where M is at least about 1.  Without seams of negative mass K is a bit larger. */
static size_t
keep_points(struct sotto_law *law, const struct sotto_part_point *points, size_t n)
{
	double reach = isfinite(law->listed_reach) ? law->listed_reach : 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		double most = points[i].log_mass + fmax(0, reach * points[i].loss);

		if (i + 1 < law->pieces->n && law->pieces->seams[i].mass < 0)
			continue;
		if (isinf(law->listed_reach) || most > LOG_FAINT) {
			law->loss[kept] = points[i].loss;
			law->mass[kept++] = points[i].log_mass;
		}
	}
	return kept;
}

/* A group's points for the orders and nodes that are wanted. */
static enum sotto_status gather_points(struct sotto_law *law,
				       const struct sotto_part_point *points, size_t n,
				       const size_t *ends, double order, double far)
{
	if (!(order > 0 && far > 0))
		return SOTTO_OK;
	sotto_work_use(law->pieces->work, GATHER_STEPS * (double)n);
	return sotto_pieces_brief_of(law->pieces, points, n, ends, order,
				     SOTTO_PIECES_FARTHER * law->wanted_far, far,
				     &law->pieces->brief);
}

/* K on the real line, up to b, from one list. */
static enum sotto_status list_for_cumulants(struct sotto_law *law)
{
	struct sotto_part_point *points = NULL;
	bool is_bounded = isfinite(sotto_pieces_top(law->pieces));
	double scale = 0, order = BRIEF_ORDER * law->listed_reach,
	       far = law->pieces->people > 1 ? FARTHER * law->wanted_far : 0;
	size_t *ends;
	enum sotto_status st;

	for (size_t i = 0; i < law->pieces->n_parts; i++)
		scale = fmax(scale, sotto_part_scale(&law->pieces->parts[i]));
	law->listed_reach =
		fmax(law->listed_reach, (is_bounded ? LISTED_REACH_OF_BOUNDED : LISTED_REACH) /
						(scale * law->pieces->people));
	ends = malloc(law->pieces->n * sizeof *ends);
	if (!ends)
		return SOTTO_ENOMEM;
	for (int i = 0; i < FAR_TRIES && law->n == 0; i++) {
		if (i >
		    0) /* too many points: not as far, and then no farther than the real line */
			far = i == 1 ? far * SOTTO_PIECES_FARTHER / FARTHER : 0;
		law->n =
			sotto_pieces_points(law->pieces, law->listed_reach, far, &points, ends);
	}
	if (are_atoms(law->pieces)) /* which are good for every order */
		law->listed_reach = INFINITY;
	st = law->n ? gather_points(law, points, law->n, ends, order, far) : SOTTO_EREFUSED;
	free(ends);
	if (st != SOTTO_OK) {
		free(points);
		return st;
	}
	law->loss = malloc(2 * law->n * sizeof *law->loss);
	if (!law->loss) {
		free(points);
		return SOTTO_ENOMEM;
	}
	law->mass = law->loss + law->n;
	law->n = keep_points(law, points, law->n);
	free(points);
	return law->n ? SOTTO_OK : SOTTO_EREFUSED;
}

enum sotto_status sotto_law_pieces_of(struct sotto_law *law, const struct sotto_event *e,
				      enum sotto_direction direction, struct sotto_work *work)
{
	struct sotto_pieces *p = calloc(1, sizeof *p);
	double people = e->kind == SOTTO_EVENT_GROUP ? (double)e->size : 1;
	enum sotto_status st;

	if (!p)
		return SOTTO_ENOMEM;
	law->class = &sotto_law_pieces;
	law->pieces = p;
	law->direction = direction;
	p->people = 1;
	p->work = work;
	st = read_parts(p, inside_of(e), direction, people, work);
	if (st == SOTTO_OK && e->kind == SOTTO_EVENT_GROUP)
		st = look_farther(p, people);
	if (st == SOTTO_OK)
		st = sotto_pieces_find(p, work);
	if (st == SOTTO_OK)
		look_at_ends(p);
	if (st == SOTTO_OK && e->kind == SOTTO_EVENT_GROUP)
		st = sotto_pieces_group(p, people, work);
	if (st == SOTTO_OK)
		st = list_for_cumulants(law);
	if (st != SOTTO_OK)
		law->class->release(law);
	return st;
}
