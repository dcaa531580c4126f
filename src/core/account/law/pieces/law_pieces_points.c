/* The points of a quadrature that stand for pieces on a line, and what M(s)/M(c) from them may be wrong by (law_pieces.md). */
#include <math.h>
#include <stdlib.h>

#include "core/account/law/pieces/laplace_fold.h"
#include "core/account/law/pieces/law_pieces_inside.h"

/* What a panel of a group errs by, relative to the size of what its masses are differences of. */
#define PANEL_ERROR 2e-14
/* Steps (work.h) that a point takes. */
#define POINT_STEPS 20
#define GROUP_POINT_STEPS 100

/* What one person's part is asked for; a group's M(s) is made of M(ks) ... M(ks + k - 1). */
static struct sotto_part_reach reach_of_one(const struct sotto_pieces *p, double c, double t)
{
	return (struct sotto_part_reach){p->people * c + p->people - 1, p->people * t,
					 p->people};
}

static size_t room_for(const struct sotto_pieces *p, const struct sotto_part_reach *reach)
{
	size_t room = p->n;
	double from = -INFINITY;

	for (size_t i = 0; i < p->n && room <= SOTTO_POINTS_MAX; i++) {
		if (sotto_piece_part(p, i))
			room += sotto_part_points(sotto_piece_part(p, i), from, p->pieces[i].to,
						  reach, NULL);
		from = p->pieces[i].to;
	}
	return room <= SOTTO_POINTS_MAX ? room : 0;
}

size_t sotto_pieces_points(const struct sotto_pieces *p, double c, double t,
			   struct sotto_part_point **out, size_t *ends)
{
	struct sotto_part_reach reach = reach_of_one(p, c, t);
	size_t room = room_for(p, &reach), n = 0;
	struct sotto_part_point *list = room ? malloc(room * sizeof *list) : NULL;
	double from = -INFINITY, log_finite = log1p(-(p->ends.infinite - p->ends.above));

	if (!list)
		return 0;
	for (size_t i = 0; i + 1 < p->n; i++)
		list[n++] = (struct sotto_part_point){p->seams[i].loss,
						      log(fabs(p->seams[i].mass)), 1, 0, 0};
	for (size_t i = 0; i < p->n; i++) {
		if (sotto_piece_part(p, i))
			n += sotto_part_points(sotto_piece_part(p, i), from, p->pieces[i].to,
					       &reach, list + n);
		from = p->pieces[i].to;
		if (ends)
			ends[i] = n;
	}
	sotto_work_use(p->work, (p->people > 1 ? GROUP_POINT_STEPS : POINT_STEPS) * (double)n);
	for (size_t i = 0; i < n; i++)
		list[i].log_mass -= log_finite;
	*out = list;
	return n;
}

/* amount e^exponent, of which the second alone need not be a double */
static double weighed(double amount, double exponent)
{
	return amount == 0 ? 0 : exp(log(amount) + exponent);
}

/* Of a part: what its points and parameters are wrong by. */
static void add_part_errors(struct sotto_pieces_errors *e, const struct sotto_curve_part *part,
			    double c, double log_m)
{
	double tail = sotto_part_tail(part, c) * exp(-log_m),
	       scale = part->laplace ? sotto_part_reach(part) : part->a;

	e->fixed += 1.02 * sotto_part_points_error(part, c) + tail;
	if (part->list)
		e->by_t += 1.02 * sotto_part_list_loss_error(part->list);
	e->by_s2 += tail / c + SOTTO_U * (4 * scale * scale + (part->sampled ? 2 / c : 0));
}

struct sotto_pieces_errors
sotto_pieces_errors_of(const struct sotto_pieces *p, double c, double log_m)
{
	double one =
		1 /
		p->people; /* below all losses the curve is too low by e^(one loss) at most */
	struct sotto_pieces_errors e = {.finite = 1 - p->ends.infinite - 0x1p-40};

	for (size_t i = 0; i < p->n_parts && p->people == 1; i++)
		add_part_errors(&e, &p->parts[i], c, log_m);
	e.by_s2 += weighed(p->ends.above, c * p->ends.high - log_m) / c +
		   weighed(p->ends.below, (c + one) * p->ends.low - log_m) / (c + one);
	for (int i = 0; i < SOTTO_DOUBTS; i++)
		e.by_s2 += weighed(p->doubts[i].harm + p->doubts[i].flat / c,
				   c * p->doubts[i].to - log_m);
	for (size_t i = 0; i + 1 < p->n; i++) {
		double exponent = c * p->seams[i].loss - log_m;

		e.fixed += weighed(p->seams[i].error, exponent);
		e.by_s += weighed(p->seams[i].gap, exponent);
	}
	return e;
}

double sotto_pieces_error_at(const struct sotto_pieces_errors *e, double c, double t)
{
	double size = hypot(c, t);

	return (e->fixed + e->by_s * size + e->by_s2 * size * hypot(c + 1, t) + e->by_t * t) /
	       e->finite;
}

/* The largest loss before sampling, and the smallest 1 - rate. */
static void extremes(const struct sotto_pieces *p, double *reach, double *rest)
{
	*reach = 0;
	*rest = 1;
	for (size_t i = 0; i < p->n_parts; i++) {
		const struct sotto_curve_part *part = &p->parts[i];

		if (part->list && p->people == 1)
			continue; /* its outcomes know what they are wrong by */
		*reach = fmax(*reach, p->people * sotto_part_reach(part));
		if (part->sampled)
			*rest = fmin(*rest, 1 - part->rate);
	}
}

/* A group: what the points of a panel are wrong by, relative to the size of what their masses are differences of; and rounding of the parameters. */
static double group_error(const struct sotto_pieces *p, double reach)
{
	double growth = 1;

	for (size_t i = 0; i < p->n_parts; i++)
		if (p->parts[i].fold)
			growth = fmax(growth, p->parts[i].fold->growth);
	return PANEL_ERROR * growth + SOTTO_U * (1200 + 256 * reach);
}

/* What all continuous parts have in common, for rounding. */
struct rounding {
	double reach, extra, c, log_m;
};

/* The log of a mass is at least -80, and its rounding that of a square, or of a node's place. */
static void add_continuous_rounding(const struct sotto_pieces *p, const struct rounding *r,
				    const struct sotto_part_point *x,
				    struct sotto_pieces_errors *e)
{
	double w = x->log_mass, l = fabs(x->loss), whole = w * x->swell,
	       reach = x->reach > 0 ? fmin(p->people * x->reach, r->reach) : r->reach,
	       units = x->reach > 0 ? x->units + 32 * (l + reach) : 256 * reach,
	       loss = SOTTO_U * ((24 + 16 * reach) * fmin(1, l) + 8 * (l + reach) + r->extra);

	e->fixed += whole * (SOTTO_U * (1200 + units + 8 * r->c * l) + (r->c + 1) * loss);
	if (p->people > 1)
		e->fixed += whole * (x->reach > 0 ? PANEL_ERROR : group_error(p, reach));
	e->by_t += w * loss;
}

/*
 * A seam's mass and those of listed outcomes know their errors; weights that count are at least FAINT of the sum, so that the log of a mass is as large as c times the
 * loss, log M(c) and 50 together at most.
 */
static void add_exact_rounding(const struct rounding *r, const struct sotto_part_point *x,
			       struct sotto_pieces_errors *e)
{
	double l = fabs(x->loss), w = fabs(x->log_mass);

	e->fixed += w * SOTTO_U * (512 + 8 * r->c * l + 8 * fabs(r->log_m));
	e->by_t += w * SOTTO_U * 2 * l;
}

void sotto_pieces_add_rounding(const struct sotto_pieces *p, double c,
			       struct sotto_pieces_line *st)
{
	struct rounding r = {.c = c, .log_m = st->log_m};
	double rest;
	size_t piece = 0;

	extremes(p, &r.reach, &rest);
	r.extra = rest <= 0.5 ? 16 + 8 * r.reach + 8 / rest : 0;
	st->errors.fixed += SOTTO_U * (64 + 2 * (double)st->n + 4 * fabs(st->log_m));
	st->spread = 0;
	for (size_t i = 0; i < st->n; i++) {
		const struct sotto_part_point *x = &st->points[i];
		bool exact = i < st->seams;

		if (!exact) {
			while (i >= st->ends[piece])
				piece++;
			exact = sotto_piece_part(p, piece)->list;
		}
		if (exact && p->people == 1)
			add_exact_rounding(&r, x, &st->errors);
		else
			add_continuous_rounding(p, &r, x, &st->errors);
		st->spread += fabs(x->log_mass * x->loss);
	}
}

/* Weights below this are not looked at. */
#define FAINT 1e-19

/* Moves the points from i to end that weigh something to n; returns where they end. */
static size_t keep_points(struct sotto_pieces_line *st, size_t i, size_t end, size_t n)
{
	for (; i < end; i++)
		if (st->points[i].log_mass > FAINT)
			st->points[n++] = st->points[i];
	return n;
}

/* Drops points that weigh nothing; seams stay, and pieces keep their points together, atoms first. */
static void drop_faint(struct sotto_pieces_line *st, const struct sotto_pieces *p)
{
	size_t n = st->seams, i = st->seams;
	double from = -INFINITY;

	for (size_t j = 0; j < p->n; j++) {
		size_t end = st->ends[j],
		       atoms = i + (sotto_piece_part(p, j)
					    ? sotto_part_atoms(sotto_piece_part(p, j), from,
							       p->pieces[j].to)
					    : 0);

		st->smooth[j] = n = keep_points(st, i, atoms, n);
		st->ends[j] = n = keep_points(st, atoms, end, n);
		st->weight[j] = 0;
		for (size_t k = st->smooth[j]; k < n; k++)
			st->weight[j] += st->points[k].log_mass;
		i = end;
		from = p->pieces[j].to;
	}
	st->errors.fixed += FAINT * (double)st->n;
	st->n = n;
}

/* Makes log masses weights that sum to 1.  Seams, which come first, may have negative ones. */
static void tilt(const struct sotto_pieces *p, struct sotto_pieces_line *st, double c)
{
	double most = -INFINITY, sum = 0;

	for (size_t i = 0; i < st->n; i++)
		most = fmax(most, st->points[i].log_mass + c * st->points[i].loss);
	for (size_t i = 0; i < st->n; i++) {
		struct sotto_part_point *x = &st->points[i];

		x->log_mass = exp(x->log_mass + c * x->loss - most);
		if (i < st->seams && p->seams[i].mass < 0)
			x->log_mass = -x->log_mass;
		sum += x->log_mass;
	}
	for (size_t i = 0; i < st->n; i++)
		st->points[i].log_mass /= sum;
	st->log_m = most + log(sum);
}

void sotto_pieces_make_points(const struct sotto_law *law, double c, double t,
			      struct sotto_pieces_line *st)
{
	free(st->points);
	st->points = NULL;
	st->n = sotto_pieces_points(law->pieces, c, t, &st->points, st->ends);
	st->seams = law->pieces->n - 1;
	st->good_to = st->n ? t : INFINITY;
	if (st->n == 0)
		return;
	tilt(law->pieces, st, c);
	st->errors = sotto_pieces_errors_of(law->pieces, c, st->log_m);
	drop_faint(st, law->pieces);
	sotto_pieces_add_rounding(law->pieces, c, st);
	if (!(sotto_pieces_error_at(&st->errors, c, 0) < SOTTO_PIECES_HOPELESS))
		st->n = 0;
}
