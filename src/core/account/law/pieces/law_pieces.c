/*
 * The law of pieces: points of a quadrature and the atoms at seams.  Whatever is not exact, is charged to the
 * error of M(s)/M(c) (law_pieces.md).
 */
#include "core/account/law/pieces/law_pieces.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/legendre.h"
#include "core/account/law/gathered/law_gathered.h"
#include "core/account/law/pieces/laplace_fold.h"
#include "core/base/failure.h"

/* However little is steady, a law falls no more than to this at the nodes that count. */
#define FALLEN 0.018
/* Steps (work.h) that a point takes. */
#define POINT_STEPS 20
#define GROUP_POINT_STEPS 100
/* Errors from which on nothing is claimed. */
#define HOPELESS 0.01
/* Beside many others nodes beyond this, over the mean size of the loss, are bounded and not computed. */
#define FAR_OF_MANY 8.0
/* What the sum over heavy atoms may be wrong by. */
#define HEAVY_ERROR 0x1p-30

/* The error of M(s)/M(c): fixed + by_s |s| + by_s2 |s(s+1)| + by_t t. */
struct errors {
	double fixed, by_s, by_s2, by_t;
};

struct state {
	struct sotto_ladder ladder; /* first, for sotto_ladder_decay */
	struct sotto_part_point *points; /* log_mass becomes the weight; weights sum to 1 */
	size_t n, seams; /* the first are the seams */
	double good_to, log_m, spread;
	struct errors errors;
	double first_error; /* of M(c), when it was divided by */
	size_t *ends; /* of each piece, in the list */
	size_t *smooth; /* where its atoms end, which come first */
	double *weight; /* of the others */
	double far; /* beyond this t only the size is bounded */
	struct sotto_heavy heavy; /* the heaviest atoms, as weights; once they are wanted */
	double light; /* weight of the other atoms */
	double floor,
		floor_variation; /* of a group: weight below its floors, and what it falls with t by */
};

/* The part that piece i is of; NULL where the curve is straight. */
static const struct sotto_curve_part *part_of(const struct sotto_pieces *p, size_t i)
{
	return p->pieces[i].part == SOTTO_STRAIGHT ? NULL : &p->parts[p->pieces[i].part];
}

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
		if (part_of(p, i))
			room += sotto_part_points(part_of(p, i), from, p->pieces[i].to, reach,
						  NULL);
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
		list[n++] =
			(struct sotto_part_point){p->seams[i].loss, log(p->seams[i].mass), 1};
	for (size_t i = 0; i < p->n; i++) {
		if (part_of(p, i))
			n += sotto_part_points(part_of(p, i), from, p->pieces[i].to, &reach,
					       list + n);
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

/* Of a part: what its points and parameters are wrong by. */
static void
add_part_errors(struct errors *e, const struct sotto_curve_part *part, double c, double log_m)
{
	double tail = sotto_part_tail(part, c) * exp(-log_m),
	       scale = part->laplace ? sotto_part_reach(part) : part->a;

	e->fixed += 1.02 * sotto_part_points_error(part, c) + tail;
	if (part->list)
		e->by_t += 1.02 * sotto_part_list_loss_error(part->list);
	e->by_s2 += tail / c + SOTTO_U * (4 * scale * scale + (part->sampled ? 2 / c : 0));
}

/* What does not depend on the points: tails, doubts, seams and parameters. */
static struct errors pieces_errors(const struct sotto_pieces *p, double c, double log_m)
{
	double one =
		1 /
		p->people; /* below all losses the curve is too low by e^(one loss) at most */
	struct errors e = {0};

	for (size_t i = 0; i < p->n_parts && p->people == 1; i++)
		add_part_errors(&e, &p->parts[i], c, log_m);
	e.by_s2 += p->ends.above * exp(c * p->ends.high - log_m) / c +
		   p->ends.below * exp((c + one) * p->ends.low - log_m) / (c + one);
	for (int i = 0; i < SOTTO_DOUBTS; i++)
		e.by_s2 += (p->doubts[i].harm + p->doubts[i].flat / c) *
			   exp(c * p->doubts[i].to - log_m);
	for (size_t i = 0; i + 1 < p->n; i++) {
		double scale = exp(c * p->seams[i].loss - log_m);

		e.fixed += scale * p->seams[i].error;
		e.by_s += scale * p->seams[i].gap;
	}
	return e;
}

/* At s = c + it. */
static double error_at(const struct errors *e, double c, double t)
{
	double size = hypot(c, t);

	/* of the finite part, which is at least the rest of SOTTO_PIECES_INFINITE */
	return (e->fixed + e->by_s * size + e->by_s2 * size * hypot(c + 1, t) + e->by_t * t) *
	       (1 + 4 * SOTTO_PIECES_INFINITE);
}

/* The largest loss before sampling, and the smallest 1 - rate. */
static void extremes(const struct sotto_pieces *p, double *reach, double *rest)
{
	*reach = 0;
	*rest = 1;
	for (size_t i = 0; i < p->n_parts; i++) {
		const struct sotto_curve_part *part = &p->parts[i];

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
	return 2e-14 * growth + SOTTO_U * (1200 + 256 * reach);
}

/* Rounding of losses and masses. */
static void add_rounding(const struct sotto_pieces *p, double c, struct state *st)
{
	double reach, rest, extra;

	extremes(p, &reach, &rest);
	extra = rest <= 0.5 ? 16 + 8 * reach + 8 / rest : 0;
	st->errors.fixed += SOTTO_U * (64 + (double)st->n / 8 + 4 * fabs(st->log_m));
	st->spread = 0;
	for (size_t i = 0; i < st->n; i++) {
		double w = st->points[i].log_mass, l = fabs(st->points[i].loss);
		double whole = w * st->points[i].swell;
		double e = SOTTO_U * ((24 + 16 * reach) * fmin(1, l) + 8 * (l + reach) + extra);

		/* the log of a mass is at least -80, and its rounding that of a square, or of a node's place */
		st->errors.fixed +=
			whole * (SOTTO_U * (1200 + 256 * reach + 8 * c * l) + (c + 1) * e);
		if (p->people > 1)
			st->errors.fixed += whole * group_error(p, reach);
		st->errors.by_t += w * e;
		st->spread += w * l;
	}
}

/* Weights below this are not looked at. */
#define FAINT 1e-19

/* Moves the points from i to end that weigh something to n; returns where they end. */
static size_t keep_points(struct state *st, size_t i, size_t end, size_t n)
{
	for (; i < end; i++)
		if (st->points[i].log_mass > FAINT)
			st->points[n++] = st->points[i];
	return n;
}

/* Drops points that weigh nothing; seams stay, and pieces keep their points together, atoms first. */
static void drop_faint(struct state *st, const struct sotto_pieces *p)
{
	size_t n = st->seams, i = st->seams;
	double from = -INFINITY;

	for (size_t j = 0; j < p->n; j++) {
		size_t end = st->ends[j],
		       atoms = i + (part_of(p, j) ? sotto_part_atoms(part_of(p, j), from,
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

/* Makes log masses weights that sum to 1. */
static void tilt(struct state *st, double c)
{
	double most = -INFINITY, sum = 0;

	for (size_t i = 0; i < st->n; i++)
		most = fmax(most, st->points[i].log_mass + c * st->points[i].loss);
	for (size_t i = 0; i < st->n; i++) {
		struct sotto_part_point *x = &st->points[i];

		x->log_mass = exp(x->log_mass + c * x->loss - most);
		sum += x->log_mass;
	}
	for (size_t i = 0; i < st->n; i++)
		st->points[i].log_mass /= sum;
	st->log_m = most + log(sum);
}

/* Points for nodes up to t; none if that is not possible. */
static void make_points(const struct sotto_law *law, double c, double t, struct state *st)
{
	free(st->points);
	st->points = NULL;
	st->n = sotto_pieces_points(law->pieces, c, t, &st->points, st->ends);
	st->seams = law->pieces->n - 1;
	st->good_to = st->n ? t : INFINITY;
	if (st->n == 0)
		return;
	tilt(st, c);
	st->errors = pieces_errors(law->pieces, c, st->log_m);
	drop_faint(st, law->pieces);
	add_rounding(law->pieces, c, st);
	if (!(error_at(&st->errors, c, 0) < HOPELESS))
		st->n = 0;
}

static void end(void *state)
{
	struct state *st = state;

	free(st->points);
	free(st->ends);
	free(st->smooth);
	free(st->weight);
	free(st);
}

/* A bound of K: the largest curve is at most the sum of all. */
static void sum_cumulants(const struct sotto_pieces *p, double s, double k[3])
{
	double most = -INFINITY, slope;

	k[0] = k[1] = k[2] = 0;
	for (size_t i = 0; i < p->n_parts; i++) {
		double one = sotto_part_log_m_up(&p->parts[i], p->people * (s + 1) - 1, &slope);

		if (one > most)
			k[1] = p->people * slope;
		most = fmax(most, one);
	}
	k[0] = most + log((double)p->n_parts) - log1p(-p->ends.infinite) * (1 + 0x1p-40);
}

static void listed_cumulants(const struct sotto_law *law, double s, double k[3])
{
	double most = -INFINITY, sum = 0, mean = 0, square = 0;
	struct errors e;

	for (size_t i = 0; i < law->n; i++)
		most = fmax(most, law->mass[i] + s * law->loss[i]);
	for (size_t i = 0; i < law->n; i++) {
		double w = exp(law->mass[i] + s * law->loss[i] - most);

		sum += w;
		mean += w * law->loss[i];
		square += w * law->loss[i] * law->loss[i];
	}
	mean /= sum;
	k[0] = most + log(sum);
	k[1] = mean;
	k[2] = fmax(square / sum - mean * mean, 0);
	e = pieces_errors(law->pieces, s, k[0]);
	k[0] += error_at(&e, s, 0) + 0x1p-40 * (1 + fabs(k[0]));
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double one[3];

	if (s <= law->listed_reach) {
		listed_cumulants(law, s, one);
	} else {
		double b = law->listed_reach, top = sotto_pieces_top(law->pieces), lower[3];

		sum_cumulants(law->pieces, s, one);
		listed_cumulants(law, b, lower); /* and no loss is above the top */
		if (lower[0] + (s - b) * top < one[0]) {
			one[0] = lower[0] + (s - b) * top;
			one[1] = top;
		}
	}
	sotto_law_add_cumulants(law, one, k);
}

/* What all pieces come to at t and beyond, atoms apart: each has its weight at most, and its density's variation over t. */
static double
smooth_bound(const struct sotto_pieces *p, const struct state *st, double c, double t)
{
	double sum = 1e-9, from = -INFINITY;

	for (size_t i = 0; i < p->n; i++) {
		const struct sotto_curve_part *part = part_of(p, i);
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
static void weigh_floors(const struct sotto_pieces *p, double c, struct state *st)
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
static void visit_atoms(const struct sotto_pieces *p, struct state *st,
			void (*visit)(struct state *st, const struct sotto_part_point *atom))
{
	for (size_t i = 0; i < st->seams; i++)
		visit(st, &st->points[i]);
	for (size_t i = 0; i < p->n; i++)
		for (size_t j = i ? st->ends[i - 1] : st->seams; j < st->smooth[i]; j++)
			visit(st, &st->points[j]);
}

/* Keeps the atom among the heaviest, in place of the lightest of these. */
static void weigh_atom(struct state *st, const struct sotto_part_point *atom)
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
		if (h->mass[i] < h->mass[least])
			least = i;
	if (mass > h->mass[least]) {
		double swap = h->mass[least];

		h->mass[least] = mass;
		h->loss[least] = loss;
		mass = swap;
	}
	st->light += mass;
}

/* Atoms do not fall. */
static double bound_at(const struct sotto_pieces *p, const struct state *st, double c, double t)
{
	double sum = smooth_bound(p, st, c, t) + st->light;

	for (size_t i = 0; i < st->heavy.n; i++)
		sum += st->heavy.mass[i];
	return sum;
}

double sotto_pieces_log_steady(const struct sotto_pieces *p)
{
	double sum = 0, from = -INFINITY;

	for (size_t i = 0; i < p->n; i++) {
		const struct sotto_curve_part *part = part_of(p, i);
		double to = p->pieces[i].to;

		if (part)
			sum += p->people > 1 ? 1 : sotto_part_steady(part, from, to);
		if (i + 1 < p->n)
			sum += p->seams[i].mass;
		from = p->pieces[i].to;
	}
	return log(fmin(1, fmax(sum, FALLEN)));
}

static void climb(const struct sotto_law *law, double c, struct state *st)
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

/* Few atoms alone are summed as soon as they are bounded. */
static bool are_few_atoms(const struct sotto_pieces *p, const struct state *st)
{
	for (size_t i = 0; i < p->n; i++)
		if (st->smooth[i] < st->ends[i])
			return false;
	return st->n <= SOTTO_HEAVY;
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct state *st = calloc(1, sizeof *st);
	double n = (double)law->count, k[3];

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	st->ends = malloc(law->pieces->n * sizeof *st->ends);
	st->smooth = malloc(law->pieces->n * sizeof *st->smooth);
	st->weight = malloc(law->pieces->n * sizeof *st->weight);
	if (!st->ends || !st->smooth || !st->weight)
		return SOTTO_ENOMEM;
	make_points(law, c, 4 * h * SOTTO_BLOCK, st);
	*slack = 0;
	if (st->n == 0) { /* M(c) is at most this, and that is all */
		sum_cumulants(law->pieces, c, k);
		*log_m = n * k[0];
		*slack = 8 * SOTTO_U * fabs(*log_m);
		return SOTTO_OK;
	}
	st->first_error = 1.02 * error_at(&st->errors, c, 0);
	*log_m = n * st->log_m;
	*slack = n * st->first_error + 8 * SOTTO_U * (n + fabs(*log_m));
	st->far = law->of_many && !are_few_atoms(law->pieces, st)
			  ? FAR_OF_MANY / (st->spread + 1e-300)
			  : INFINITY;
	visit_atoms(law->pieces, st, weigh_atom);
	weigh_floors(law->pieces, c, st);
	climb(law, c, st);
	return SOTTO_OK;
}

/* |M(s)| is at most M(c), which is within its error of what it is divided by. */
static void blur(const struct sotto_law *law, const struct state *st, struct sotto_block *b)
{
	double most = exp((double)law->count * st->first_error) * (1 + 0x1p-50);

	sotto_block_blur(b);
	for (size_t j = 0; j < b->n; j++)
		b->absolute[j] *= most;
}

/* Only a bound of the size: the heaviest atoms turn, all else is what it is at most. */
static void
bound_block(const struct sotto_law *law, const struct state *st, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0}, n = (double)law->count, sum = 0,
	       rest = st->light + smooth_bound(law->pieces, st, b->c, b->h * (double)b->first),
	       most = exp(n * st->first_error) * (1 + 0x1p-40),
	       wrong = error_at(&st->errors, b->c, b->h * (double)(b->first + SOTTO_BLOCK));

	for (size_t i = 0; i < st->heavy.n; i++) {
		sum += st->heavy.mass[i];
		sotto_block_add_atom(b, st->heavy.loss[i], st->heavy.mass[i], dr, di);
	}
	for (size_t j = 0; j < b->n; j++) {
		double bound = cx_abs(cx_of(sum + dr[j], di[j])) + rest + HEAVY_ERROR +
			       2 * st->first_error + wrong,
		       size = cx_abs(cx_of(b->re[j], b->im[j]));

		b->absolute[j] = (size * (1 + b->relative[j]) + b->absolute[j]) *
				 pow(fmin(1, bound), n) * most;
		b->re[j] = b->im[j] = b->relative[j] = 0;
	}
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0};
	double t = b->h * (double)(b->first + SOTTO_BLOCK), eta;
	struct state *st = state;

	if (st->n > 0 && b->h * (double)b->first > st->far) {
		bound_block(law, st, b);
		return;
	}
	if (t > st->good_to)
		make_points(law, b->c, 2 * t, st);
	eta = st->n ? error_at(&st->errors, b->c, t) : 1;
	if (!(eta < HOPELESS)) {
		blur(law, st, b);
		return;
	}
	for (size_t i = 0; i < st->n; i++)
		sotto_block_add_atom(b, st->points[i].loss, st->points[i].log_mass, dr, di);
	/* divided by its own sum, which is as far from M(c) as the first */
	sotto_block_multiply(b, dr, di, 2 * eta + 2 * st->first_error, law->count);
}

static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct state *st = state;
	bool is_far = b->h * (double)b->first > st->far;
	double terms = is_far ? 4 + (double)st->heavy.n : (double)st->n;

	return (double)b->n * (sotto_power_steps(law->count) + 1.5 * terms);
}

static double terms(const struct sotto_law *law, double s)
{
	(void)s;
	return (double)law->n / 2; /* of which each takes an exponential and no more */
}

static void release(struct sotto_law *law)
{
	free(law->loss);
	sotto_pieces_free(law->pieces);
}

const struct sotto_law_class sotto_law_pieces = {
	.cumulants = cumulants,
	.terms = terms,
	.steps = steps,
	.begin = begin,
	.log_decay = sotto_ladder_decay,
	.apply = apply,
	.end = end,
	.release = release,
};
