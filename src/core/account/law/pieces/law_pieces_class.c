/*
 * The law of pieces: points of a quadrature and the atoms at seams.  Whatever is not exact, is charged to the
 * error of M(s)/M(c) (law_pieces.md).
 */
#include "core/account/law/pieces/law_pieces.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/account/law/pieces/law_pieces_brief.h"
#include "core/account/law/pieces/law_pieces_inside.h"
#include "core/base/failure.h"

/* Beside many others nodes beyond this, over the mean size of the loss, are bounded and not computed. */
#define FAR_OF_MANY 8.0
#define FAR_OF_ORDER 16.0
/* So many times farther than they are good to all digits the places of a brief list still say something. */
#define FARTHEST 4.5
/* What the sum over heavy atoms may be wrong by. */
#define HEAVY_ERROR 0x1p-30

static void end(void *state)
{
	struct sotto_pieces_line *st = state;

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

/* Where errors are large the parts may say more. */
static void listed_cumulants(const struct sotto_law *law, double s, double k[3])
{
	double most = -INFINITY, sum = 0, mean = 0, square = 0;
	struct sotto_pieces_errors e;
	double error, whole[3];

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
	e = sotto_pieces_errors_of(law->pieces, s, k[0]);
	error = sotto_pieces_error_at(&e, s, 0);
	k[0] += log1p(error) + 0x1p-40 * (1 + fabs(k[0]));
	if (error < SOTTO_PIECES_HOPELESS)
		return;
	sum_cumulants(law->pieces, s, whole);
	if (!(k[0] <= whole[0]))
		k[0] = whole[0];
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double one[3];

	if (law->pieces->brief && s <= law->pieces->brief->order) {
		sotto_pieces_brief_cumulants(law->pieces, s, one);
	} else if (s <= law->listed_reach) {
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

/* Few atoms alone are summed as soon as they are bounded. */
static bool are_few_atoms(const struct sotto_pieces *p, const struct sotto_pieces_line *st)
{
	for (size_t i = 0; i < p->n && !st->is_brief; i++)
		if (st->smooth[i] < st->ends[i])
			return false;
	return !st->is_brief && st->n <= SOTTO_HEAVY;
}

/*
 * Nodes are looked at in blocks, which go farther than is wanted, and orders may be higher: a line is about as far from the real line as it is wide.  What is wanted of cells was found so that
 * it is enough.
 */
static double wanted_far(const struct sotto_law *law, double c)
{
	if (law->pieces->people == 1)
		return law->wanted_far;
	return fmax(SOTTO_PIECES_FARTHER * law->wanted_far, FAR_OF_ORDER * c);
}

/* From the brief list, where that is good enough for this line. */
static bool
has_brief_line(const struct sotto_law *law, double c, double t, struct sotto_pieces_line *st)
{
	const struct sotto_pieces_brief *b = law->pieces->brief;

	return b && c <= b->order && t <= b->far && sotto_pieces_brief_line(law, c, st);
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct sotto_pieces_line *st = calloc(1, sizeof *st);
	double n = (double)law->count, k[3];

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	st->ends = malloc(law->pieces->n * sizeof *st->ends);
	st->smooth = malloc(law->pieces->n * sizeof *st->smooth);
	st->weight = malloc(law->pieces->n * sizeof *st->weight);
	if (!st->ends || !st->smooth || !st->weight)
		return SOTTO_ENOMEM;
	if (!has_brief_line(law, c, h * SOTTO_BLOCK, st))
		sotto_pieces_make_points(law, c, 4 * h * SOTTO_BLOCK, st);
	*slack = 0;
	if (st->n == 0) { /* M(c) is at most this, and that is all */
		sum_cumulants(law->pieces, c, k);
		*log_m = n * k[0];
		*slack = 8 * SOTTO_U * fabs(*log_m);
		return SOTTO_OK;
	}
	st->first_error = 1.02 * sotto_pieces_error_at(&st->errors, c, 0);
	*log_m = n * st->log_m;
	*slack = n * st->first_error + 8 * SOTTO_U * (n + fabs(*log_m));
	st->far = law->of_many && !are_few_atoms(law->pieces, st)
			  ? fmax(FAR_OF_MANY / (st->spread + 1e-300), wanted_far(law, c))
			  : INFINITY;
	sotto_pieces_weigh(law, c, st);
	return SOTTO_OK;
}

/* |M(s)| is at most M(c), which is within its error of what it is divided by. */
static void
blur(const struct sotto_law *law, const struct sotto_pieces_line *st, struct sotto_block *b)
{
	double most = exp((double)law->count * st->first_error) * (1 + 0x1p-50);

	sotto_block_blur(b);
	for (size_t j = 0; j < b->n; j++)
		b->absolute[j] *= most;
}

/* Only a bound of the size: the heaviest atoms turn, all else is what it is at most. */
static void bound_block(const struct sotto_law *law, const struct sotto_pieces_line *st,
			struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0}, n = (double)law->count, sum = 0,
	       rest = st->light +
		      sotto_pieces_smooth_bound(law->pieces, st, b->c, b->h * (double)b->first),
	       most = exp(n * st->first_error) * (1 + 0x1p-40),
	       wrong = sotto_pieces_error_at(&st->errors, b->c,
					     b->h * (double)(b->first + SOTTO_BLOCK));

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
	struct sotto_pieces_line *st = state;

	eta = st->is_brief ? sotto_pieces_brief_error(law, b->c, t, st) : 0;
	if (st->n > 0 && (st->is_brief ? !(eta < SOTTO_PIECES_HOPELESS)
				       : b->h * (double)b->first > st->far)) {
		bound_block(law, st, b);
		return;
	}
	if (!st->is_brief && t > st->good_to) {
		sotto_pieces_make_points(law, b->c, 2 * t, st);
		st->remade = true;
	}
	if (!st->is_brief)
		eta = st->n ? sotto_pieces_error_at(&st->errors, b->c, t) : 1;
	if (!(eta < SOTTO_PIECES_HOPELESS)) {
		blur(law, st, b);
		return;
	}
	for (size_t i = 0; i < st->n; i++)
		sotto_block_add_atom(b, st->points[i].loss, st->points[i].log_mass, dr, di);
	/* over the first sum; others are divided by their own, which is as far from M(c) as it is from M(s) */
	sotto_block_multiply(b, dr, di, st->remade ? 2.02 * eta + st->first_error : 1.01 * eta,
			     law->count);
}

static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct sotto_pieces_line *st = state;
	bool is_far =
		b->h * (double)b->first > (st->is_brief ? FARTHEST * st->good_to : st->far);
	double terms = is_far ? 4 + (double)st->heavy.n : (double)st->n;

	return (double)b->n * (sotto_power_steps(law->count) + 1.5 * terms);
}

static double terms(const struct sotto_law *law, double s)
{
	const struct sotto_pieces_brief *b = law->pieces->brief;
	double n = (double)(b && s <= b->order ? b->list.n : law->n);

	return n; /* of which each takes an exponential and no more */
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
	.by_its_own = true,
	.end = end,
	.release = release,
};
