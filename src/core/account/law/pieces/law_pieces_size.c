/* How large M(s) of pieces can be far out: atoms do not fall, densities do with 1/t, and a group's floors below its density (law_pieces.md). */
#include <math.h>

#include "core/account/law/pieces/law_pieces_inside.h"

/* However little is steady, a law falls no more than to this at the nodes that count. */
#define FALLEN 0.018

double sotto_pieces_smooth_bound(const struct sotto_pieces *p,
				 const struct sotto_pieces_line *st, double c, double t)
{
	double sum = 1e-9, from = -INFINITY;

	for (size_t i = 0; i < p->n; i++) {
		const struct sotto_curve_part *part = sotto_piece_part(p, i);
		double to = p->pieces[i].to;

		if (part && p->people > 1)
			sum += st->weight[i]; /* but for its floors */
		else if (part && st->weight[i] > 0)
			sum += fmin(st->weight[i], sotto_part_variation(part, from, to, c) *
							   exp(-st->log_m) / t);
		from = to;
	}
	return sum - fmax(0, st->floor - st->floor_variation / t);
}

/* A group's density is at least its floors, of which the transform is at most their variation over t. */
static void weigh_floors(const struct sotto_pieces *p, double c, struct sotto_pieces_line *st)
{
	double last = 0, end = -INFINITY;

	for (size_t i = 0; i < p->n_floors; i++) {
		const struct sotto_floor *f = &p->floors[i];
		double density = f->density * exp(c * f->from - st->log_m) * (1 - 1e-9);

		if (f->from > end) {
			st->floor_variation += last;
			last = 0;
		}
		st->floor += density * (f->to - f->from) * (1 - 1e-9);
		st->floor_variation += fabs(density - last);
		last = density;
		end = f->to;
	}
	st->floor_variation = (st->floor_variation + last) * (1 + 1e-9);
}

/* Calls visit with each atom: seams, and those of the pieces. */
static void
visit_atoms(const struct sotto_pieces *p, struct sotto_pieces_line *st,
	    void (*visit)(struct sotto_pieces_line *st, const struct sotto_part_point *atom))
{
	for (size_t i = 0; i < st->seams; i++)
		visit(st, &st->points[i]);
	for (size_t i = 0; i < p->n; i++)
		for (size_t j = i ? st->ends[i - 1] : st->seams; j < st->smooth[i]; j++)
			visit(st, &st->points[j]);
}

/* Keeps the atom among the heaviest, in place of the lightest of these.  A seam may have a negative weight. */
static void weigh_atom(struct sotto_pieces_line *st, const struct sotto_part_point *atom)
{
	struct sotto_heavy *h = &st->heavy;
	double loss = atom->loss, mass = atom->log_mass;
	size_t least = 0;

	if (h->n < SOTTO_HEAVY) {
		h->loss[h->n] = loss;
		h->mass[h->n++] = mass;
		return;
	}
	for (size_t i = 1; i < h->n; i++)
		if (fabs(h->mass[i]) < fabs(h->mass[least]))
			least = i;
	if (fabs(mass) > fabs(h->mass[least])) {
		double swap = h->mass[least];

		h->mass[least] = mass;
		h->loss[least] = loss;
		mass = swap;
	}
	st->light += fabs(mass);
}

/* Atoms do not fall. */
static double
bound_at(const struct sotto_pieces *p, const struct sotto_pieces_line *st, double c, double t)
{
	double sum = sotto_pieces_smooth_bound(p, st, c, t) + st->light;

	for (size_t i = 0; i < st->heavy.n; i++)
		sum += fabs(st->heavy.mass[i]);
	return sum;
}

double sotto_pieces_log_steady(const struct sotto_pieces *p)
{
	double sum = 0, from = -INFINITY;

	for (size_t i = 0; i < p->n; i++) {
		const struct sotto_curve_part *part = sotto_piece_part(p, i);
		double to = p->pieces[i].to;

		if (part)
			sum += p->people > 1 ? 1 : sotto_part_steady(part, from, to);
		if (i + 1 < p->n)
			sum += fabs(p->seams[i].mass);
		from = p->pieces[i].to;
	}
	return log(fmin(1, fmax(sum, FALLEN)));
}

static void climb(const struct sotto_law *law, double c, struct sotto_pieces_line *st)
{
	double t = 1 / (st->spread + 1e-300), atoms = bound_at(law->pieces, st, c, INFINITY);

	for (int i = 0; i < 60 && st->ladder.n < SOTTO_RUNGS; i++, t *= 2) {
		double bound = fmin(1, bound_at(law->pieces, st, c, t));

		if (st->ladder.n == 0 && bound > 0.5 * (1 + atoms))
			continue;
		if (st->ladder.n == 0)
			st->ladder.first = t;
		st->ladder.bound[st->ladder.n++] = bound;
	}
}

void sotto_pieces_weigh(const struct sotto_law *law, double c, struct sotto_pieces_line *st)
{
	if (!st->is_brief)
		visit_atoms(law->pieces, st, weigh_atom);
	weigh_floors(law->pieces, c, st);
	climb(law, c, st);
}
