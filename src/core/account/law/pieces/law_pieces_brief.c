/* Gathers the points of a group's pieces, and keeps what they are wrong by at a few orders (argument in law_pieces.md). */
#include "core/account/law/pieces/law_pieces_brief.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"

/* Places of a list. */
enum { PLACES_MIN = 32, PLACES = 384, PLACES_MAX = 1024, SPARE = 20 };
/* Of what a list is good for, the part that is used (law_gathered.h). */
#define ORDER_PART 0.6
#define FAR_PART 0.8
#define REACH 0.4
/* What a point weighs at least. */
#define FAINT 1e-22

static double level_order(double order, int level)
{
	return level > 0 ? ldexp(order, level + 1 - SOTTO_BRIEF_LEVELS) : 0;
}

/* At all orders up to one no loss makes a mass heavier than this. */
static double heaviest(const struct sotto_part_point *x, double order)
{
	return exp(x->log_mass + fmax(0, order * x->loss));
}

static double sign_of(const struct sotto_pieces *p, size_t i)
{
	return i + 1 < p->n && p->seams[i].mass < 0 ? -1 : 1;
}

/* The errors of a line through all points, not over M; what grows with the order is as large as at the next level. */
static enum sotto_status
find_level(const struct sotto_pieces *p, const struct sotto_part_point *points, size_t n,
	   const size_t *ends, double order, int level, struct sotto_brief_level *out)
{
	struct sotto_pieces_line st = {
		.n = n, .seams = p->n - 1, .ends = (size_t *)(uintptr_t)ends};
	double here = level_order(order, level),
	       next = level_order(order, level + 1 < SOTTO_BRIEF_LEVELS ? level + 1 : level);

	st.points = malloc((n + 1) * sizeof *st.points);
	if (!st.points)
		return SOTTO_ENOMEM;
	*out = (struct sotto_brief_level){0};
	for (size_t i = 0; i < n; i++) {
		double w = exp(points[i].log_mass + here * points[i].loss);

		st.points[i] = points[i];
		st.points[i].log_mass = w;
		out->size += w;
		out->negative += sign_of(p, i) < 0 ? w : 0;
	}
	st.log_m = fmax(1, log(out->size));
	sotto_pieces_add_rounding(p, next, &st);
	out->fixed = st.errors.fixed;
	out->by_t = st.errors.by_t;
	free(st.points);
	return SOTTO_OK;
}

/* Keeps the atom among the heaviest. */
static void
keep_atom(struct sotto_heavy *h, double *weight, double loss, double mass, double heavy)
{
	size_t at = h->n < SOTTO_HEAVY ? h->n++ : SOTTO_HEAVY - 1;

	if (at == SOTTO_HEAVY - 1 && h->n == SOTTO_HEAVY && weight[at] > 0 &&
	    heavy <= weight[at])
		return;
	for (; at > 0 && heavy > weight[at - 1]; at--) {
		weight[at] = weight[at - 1];
		h->loss[at] = h->loss[at - 1];
		h->mass[at] = h->mass[at - 1];
	}
	weight[at] = heavy;
	h->loss[at] = loss;
	h->mass[at] = mass;
}

/* Seams, and the atoms of parts; the others count as if they fell no more than what is smooth. */
static void find_atoms(const struct sotto_pieces *p, const struct sotto_part_point *points,
		       const size_t *ends, struct sotto_pieces_brief *b)
{
	double weight[SOTTO_HEAVY] = {0}, from = -INFINITY;
	size_t seams = p->n - 1;

	for (size_t i = 0; i < seams; i++)
		if (p->seams[i].mass > 0)
			keep_atom(&b->atoms, weight, points[i].loss, exp(points[i].log_mass),
				  heaviest(&points[i], b->order / 2));
	for (size_t i = 0; i < p->n; i++) {
		size_t first = i ? ends[i - 1] : seams, atoms = 0;

		if (sotto_piece_part(p, i))
			atoms = sotto_part_atoms(sotto_piece_part(p, i), from, p->pieces[i].to);
		for (size_t j = first; j < first + atoms; j++)
			keep_atom(&b->atoms, weight, points[j].loss, exp(points[j].log_mass),
				  heaviest(&points[j], b->order / 2));
		from = p->pieces[i].to;
	}
}

/* Losses and masses of the points that weigh something at some order; returns how many. */
static size_t split(const struct sotto_pieces *p, const struct sotto_part_point *points,
		    size_t n, double order, double *loss, double *mass, double *range)
{
	double low = INFINITY, high = -INFINITY;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(heaviest(&points[i], order) > FAINT))
			continue;
		loss[kept] = points[i].loss;
		mass[kept++] = sign_of(p, i) * exp(points[i].log_mass);
		low = fmin(low, points[i].loss);
		high = fmax(high, points[i].loss);
	}
	*range = high - low;
	return kept;
}

/* As far out as PLACES are good for, and at least up to the least; *far is at most as far as the points are. */
static enum sotto_status gather(const struct sotto_pieces *p,
				const struct sotto_part_point *points, size_t n, double order,
				double least, double *far, struct sotto_gathered_list *out)
{
	double *loss = malloc(2 * (n + 1) * sizeof *loss), range, size;
	enum sotto_status st = SOTTO_EREFUSED;
	size_t kept;

	if (!loss)
		return SOTTO_ENOMEM;
	kept = split(p, points, n, order, loss, loss + n + 1, &range);
	*far = fmin(*far, fmax(least, FAR_PART * REACH * (PLACES - SPARE) / range));
	size = SPARE + 4 + range / REACH * fmax(order / ORDER_PART, *far / FAR_PART);
	if (kept > 0 && size <= PLACES_MAX && 1.5 * size < (double)kept)
		st = sotto_gathered_list_of(out, loss, loss + n + 1, kept,
					    (size_t)fmax(size, PLACES_MIN));
	free(loss);
	return st;
}

enum sotto_status sotto_pieces_brief_of(const struct sotto_pieces *p,
					const struct sotto_part_point *points, size_t n,
					const size_t *ends, double order, double least,
					double far, struct sotto_pieces_brief **out)
{
	struct sotto_pieces_brief *b = calloc(1, sizeof *b);
	enum sotto_status st;

	*out = NULL;
	if (!b)
		return SOTTO_ENOMEM;
	b->order = order;
	b->far = far;
	st = gather(p, points, n, order, least, &b->far, &b->list);
	for (int i = 0; i < SOTTO_BRIEF_LEVELS && st == SOTTO_OK; i++)
		st = find_level(p, points, n, ends, order, i, &b->levels[i]);
	if (st != SOTTO_OK) {
		sotto_pieces_brief_free(b);
		return st == SOTTO_EREFUSED ? SOTTO_OK : st;
	}
	find_atoms(p, points, ends, b);
	*out = b;
	return SOTTO_OK;
}

void sotto_pieces_brief_free(struct sotto_pieces_brief *b)
{
	if (!b)
		return;
	free(b->list.loss);
	free(b);
}

/* Sums of masses e^(c loss) times what does not depend on c: their logarithm is convex in c. */
static double between(double a, double b, double part)
{
	return a > 0 && b > 0 ? pow(a, 1 - part) * pow(b, part) * (1 + 0x1p-40) : fmax(a, b);
}

/* Over M(c). */
static struct sotto_brief_level
level_at(const struct sotto_pieces_brief *b, double c, double log_m)
{
	double over = exp(-log_m) * (1 + 1e-6), from, part;
	const struct sotto_brief_level *l = b->levels;
	int i = 0;

	while (i + 2 < SOTTO_BRIEF_LEVELS && level_order(b->order, i + 1) < c)
		i++;
	from = level_order(b->order, i);
	part = fmin(1, (c - from) / (level_order(b->order, i + 1) - from));
	return (struct sotto_brief_level){
		over * between(l[i].fixed, l[i + 1].fixed, part),
		over * between(l[i].by_t, l[i + 1].by_t, part),
		over * between(l[i].size, l[i + 1].size, part),
		over * between(l[i].negative, l[i + 1].negative, part)};
}

/* What sums over the places are wrong by, at nodes up to t. */
static struct sotto_pieces_errors
errors_at(const struct sotto_pieces *p, double c, double t, double log_m)
{
	const struct sotto_pieces_brief *b = p->brief;
	struct sotto_brief_level level = level_at(b, c, log_m);
	struct sotto_pieces_errors e = sotto_pieces_errors_of(p, c, log_m);

	e.fixed += level.fixed + FAINT * (double)SOTTO_POINTS_MAX * exp(-log_m) +
		   level.size * (sotto_gathered_list_error(&b->list, c, t) +
				 SOTTO_U * (64 + 2 * (double)b->list.n + 4 * fabs(log_m)));
	e.by_t += level.by_t;
	return e;
}

double sotto_pieces_brief_error(const struct sotto_law *law, double c, double t,
				const struct sotto_pieces_line *st)
{
	const struct sotto_gathered_list *l = &law->pieces->brief->list;

	return sotto_pieces_error_at(&st->errors, c, t) +
	       st->size * sotto_gathered_list_error(l, c, t) / st->errors.finite;
}

/* Sums of weights e^(s loss), over e^(s times the last loss), of them times the loss and its square; weights, unless NULL. */
static double sum_places(const struct sotto_gathered_list *l, double s, double *mean,
			 double *square, struct sotto_part_point *weights)
{
	double sum = 0, last = l->loss[l->n - 1];

	*mean = *square = 0;
	for (size_t i = 0; i < l->n; i++) {
		double w = l->mass[i] * exp(s * (l->loss[i] - last));

		sum += w;
		*mean += w * l->loss[i];
		*square += w * l->loss[i] * l->loss[i];
		if (weights)
			weights[i] = (struct sotto_part_point){
				.loss = l->loss[i], .log_mass = w, .swell = 1};
	}
	return sum;
}

void sotto_pieces_brief_cumulants(const struct sotto_pieces *p, double s, double k[3])
{
	const struct sotto_gathered_list *l = &p->brief->list;
	double mean, square, sum = sum_places(l, s, &mean, &square, NULL);
	struct sotto_pieces_errors e;

	mean /= sum;
	k[0] = log(sum) + s * l->loss[l->n - 1];
	k[1] = mean;
	k[2] = fmax(square / sum - mean * mean, 0);
	e = errors_at(p, s, 0, k[0]);
	k[0] += log1p(sotto_pieces_error_at(&e, s, 0)) + 0x1p-40 * (1 + fabs(k[0]));
}

bool sotto_pieces_brief_line(const struct sotto_law *law, double c,
			     struct sotto_pieces_line *st)
{
	const struct sotto_pieces_brief *b = law->pieces->brief;
	struct sotto_brief_level level;
	double mean, square, sum;

	st->points = malloc(b->list.n * sizeof *st->points);
	if (!st->points)
		return false;
	st->is_brief = true;
	st->n = b->list.n;
	sum = sum_places(&b->list, c, &mean, &square, st->points);
	st->log_m = log(sum) + c * b->list.loss[b->list.n - 1];
	st->spread = 0;
	for (size_t i = 0; i < st->n; i++) {
		st->points[i].log_mass /= sum;
		st->spread += fabs(st->points[i].log_mass * st->points[i].loss);
	}
	st->good_to = b->far;
	st->errors = errors_at(law->pieces, c, 0, st->log_m);
	for (size_t i = 0; i < law->pieces->n; i++)
		st->weight[i] = 0;
	st->heavy = b->atoms;
	level = level_at(b, c, st->log_m);
	st->size = level.size;
	st->light = 1 + 2 * level.negative;
	for (size_t i = 0; i < st->heavy.n; i++) {
		st->heavy.mass[i] *= exp(c * st->heavy.loss[i] - st->log_m);
		st->light -= st->heavy.mass[i];
	}
	return true;
}
