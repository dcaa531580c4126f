/* Which events are pieces, and the pieces of an event. */
#include <math.h>
#include <stdlib.h>

#include "core/account/law/pieces/law_pieces.h"
#include "core/base/failure.h"

/* K on the real line is summed up to s = this over the largest scale. */
#define LISTED_REACH 6.0
/* Parameters that the bounds were made for. */
#define RATE_MIN 1e-9
#define RATE_MAX 0.9
#define SCALE_MAX 20.0
#define SCALE_MIN 1e-6

static bool is_noise(const struct sotto_event *e)
{
	return e->count == 1 &&
	       (e->kind == SOTTO_EVENT_GAUSSIAN || e->kind == SOTTO_EVENT_LAPLACE);
}

/* Continuous noise.  False if the bounds were not made for such parameters. */
static bool read_part(const struct sotto_event *e, enum sotto_direction direction,
		      struct sotto_curve_part *part)
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
	part->a = mpq_get_d(noise->first.q);
	if (!part->laplace)
		part->a = sqrt(part->a);
	return part->a >= SCALE_MIN && part->a <= SCALE_MAX;
}

bool sotto_pieces_possible(const struct sotto_event *e, enum sotto_neighbours neighbours)
{
	struct sotto_curve_part part;

	if (e->kind != SOTTO_EVENT_PARALLEL || e->n_children == 0 ||
	    neighbours == SOTTO_REPLACE)
		return false;
	for (size_t i = 0; i < e->n_children; i++)
		if (!read_part(e->children[i], SOTTO_REMOVE, &part) &&
		    !sotto_part_list_possible(e->children[i]))
			return false;
	return true;
}

static enum sotto_status read_parts(struct sotto_pieces *p, const struct sotto_event *e,
				    enum sotto_direction direction, struct sotto_work *work)
{
	p->parts = calloc(e->n_children, sizeof *p->parts);
	if (!p->parts)
		return SOTTO_ENOMEM;
	for (; p->n_parts < e->n_children; p->n_parts++) {
		struct sotto_curve_part *part = &p->parts[p->n_parts];

		if (read_part(e->children[p->n_parts], direction, part))
			continue;
		*part = (struct sotto_curve_part){.rate = 1, .direction = direction};
		SOTTO_TRY(sotto_part_list_of(e->children[p->n_parts], direction, work,
					     &part->list));
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
	double sum = 0;

	for (size_t i = 0; i < p->n_parts; i++)
		sum += p->parts[i].list ? sotto_part_list_left_out(p->parts[i].list) : 0;
	return sum;
}

/* K on the real line, up to b, from one list. */
static enum sotto_status list_for_cumulants(struct sotto_law *law)
{
	struct sotto_part_reach reach = {0, 0};
	struct sotto_part_point *points = NULL;
	double scale = 0;

	for (size_t i = 0; i < law->pieces->n_parts; i++)
		scale = fmax(scale, sotto_part_scale(&law->pieces->parts[i]));
	law->listed_reach = reach.c = LISTED_REACH / scale;
	law->n = sotto_pieces_points(law->pieces, &reach, &points, NULL);
	if (law->n == 0)
		return SOTTO_EREFUSED;
	law->loss = malloc(2 * law->n * sizeof *law->loss);
	if (!law->loss) {
		free(points);
		return SOTTO_ENOMEM;
	}
	law->mass = law->loss + law->n;
	for (size_t i = 0; i < law->n; i++) {
		law->loss[i] = points[i].loss;
		law->mass[i] = points[i].log_mass;
	}
	free(points);
	return SOTTO_OK;
}

enum sotto_status sotto_law_pieces_of(struct sotto_law *law, const struct sotto_event *e,
				      enum sotto_direction direction, struct sotto_work *work)
{
	struct sotto_pieces *p = calloc(1, sizeof *p);
	enum sotto_status st;

	if (!p)
		return SOTTO_ENOMEM;
	law->class = &sotto_law_pieces;
	law->pieces = p;
	law->direction = direction;
	st = read_parts(p, e, direction, work);
	if (st == SOTTO_OK)
		st = sotto_pieces_find(p, work);
	if (st == SOTTO_OK)
		st = list_for_cumulants(law);
	if (st != SOTTO_OK)
		law->class->release(law);
	return st;
}
