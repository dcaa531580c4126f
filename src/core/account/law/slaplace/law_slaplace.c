/*
 * Poisson-sampled Laplace noise, a = epsilon0, rate b.  The loss before sampling has atoms
 * at +-a and the density e^((x-a)/2)/4 between; sampling maps loss x to L(x) and, for
 * "remove", weighs it by q + (1-q) e^-x (sample.md).
 *
 * The density part is integrated by Gauss-Legendre panels (slaplace_panels.h).  Farther out they are
 * made anew; and where they would be too many, the integral is what the ends of the density say of it
 * (sample.md).
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/legendre.h"
#include "core/account/law/law.h"
#include "core/account/law/slaplace/slaplace_ends.h"
#include "core/account/law/slaplace/slaplace_list.h"
#include "core/account/law/slaplace/slaplace_panels.h"

/* Of outcomes for a line there are as many as transforms are quick with. */
enum { LISTED_PANELS = 1 << 10 };
/* Places at which the density may be divided, at most one more. */
enum { DIVISIONS = 32 };
/* The ladder begins where this much is left. */
#define FALLEN 0.999

struct state {
	struct sotto_ladder ladder; /* first, for sotto_ladder_decay */
	double *loss, *weight; /* atoms, the two true ones first; weights sum to 1 */
	size_t n;
	double order, good_to;
	double eta0, eta1, spread;
	struct sotto_slaplace_ends ends;
	bool listed; /* outcomes were given as far as these are few */
};

static void end(void *state)
{
	struct state *st = state;

	free(st->loss);
	free(st);
}

/* How many panels there are for nodes up to t. */
static size_t panels_for(const struct sotto_law *law, double c, double t)
{
	return sotto_slaplace_panels_count(law->rate, law->noise_epsilon, t + c + 1);
}

/* Up to about this t there are at most so many. */
static double reach_of(const struct sotto_law *law, double c, double panels)
{
	return sotto_slaplace_panels_reach(law->rate, law->noise_epsilon, panels) - c - 1;
}

/* The panels would be too many on the line Re s = c. */
static bool is_coarse(const struct sotto_law *law, double c)
{
	return panels_for(law, c, 1) == SOTTO_SLAPLACE_PANELS;
}

/*
 * Then x^(s+1) and x^-s being convex, M(s) is at most 1 - q + q times that of the Laplace law, which
 * is at most exp(s a); and no loss is above the top.
 */
static double convex_log_m(const struct sotto_law *law, double s, double *size)
{
	double x = s * law->noise_epsilon,
	       log_m = x < 600 ? log1p(law->rate * expm1(x)) : x + log(law->rate);

	*size = 16 * (1 + log_m + x);
	return fmin(log_m, s * law->top);
}

/* The list that is kept, if it serves for this order. */
static const struct sotto_slaplace_list *kept_for(const struct sotto_law *law, double order)
{
	return law->kept && order <= law->kept->order ? law->kept : NULL;
}

/* Outcomes that are made take several exponentials each, and those of a kept list one or two. */
#define KEPT_TERM 0.3

static double terms(const struct sotto_law *law, double s)
{
	const struct sotto_slaplace_list *kept = kept_for(law, s + 2);

	return kept                ? KEPT_TERM * (double)kept->n
	       : is_coarse(law, s) ? 4
				   : 4 * SOTTO_LEGENDRE * (double)panels_for(law, s, 1);
}

/* Finds the list for an order; made, if there is no kept one, and then it is to be freed.  NULL if there is no memory. */
static const struct sotto_slaplace_list *
find_list(const struct sotto_law *law, double order, struct sotto_slaplace_list **made)
{
	const struct sotto_slaplace_list *kept = kept_for(law, order);

	*made = NULL;
	if (kept)
		return kept;
	return sotto_slaplace_list_new(law, order, made) == SOTTO_OK ? *made : NULL;
}

/* Atoms on the line Re s = c. */
static bool
lay_on_line(const struct sotto_slaplace_list *l, double c, double t, struct state *st)
{
	double *grown = realloc(st->loss, 2 * l->n * sizeof *grown);

	if (!grown)
		return false;
	st->loss = grown;
	st->weight = grown + l->n;
	st->n = l->n;
	st->order = l->laid;
	st->good_to = l->order > 0 ? fmax(t, l->order - c - 1) : INFINITY;
	for (size_t i = 0; i < l->n; i++) {
		st->loss[i] = l->loss[i];
		st->weight[i] = l->log_mass[i] + c * l->loss[i];
	}
	return true;
}

/* The same for nodes up to t; false if there is no memory. */
static bool make_atoms(const struct sotto_law *law, double c, double t, struct state *st)
{
	struct sotto_slaplace_list *made;
	const struct sotto_slaplace_list *l = find_list(law, t + c + 1, &made);
	bool done = l && lay_on_line(l, c, t, st);

	sotto_slaplace_list_free(made);
	return done;
}

/* Divides the weights by their sum, of which the log is returned. */
static double normalise(struct state *st)
{
	double most = -INFINITY, sum = 0;

	for (size_t i = 0; i < st->n; i++)
		most = fmax(most, st->weight[i]);
	for (size_t i = 0; i < st->n; i++) {
		st->weight[i] = exp(st->weight[i] - most);
		sum += st->weight[i];
	}
	for (size_t i = 0; i < st->n; i++)
		st->weight[i] /= sum;
	return most + log(sum);
}

/* A loss is good to a few u of itself and of its argument's effect; parameters included. */
static void bound_errors(const struct sotto_law *law, double c, struct state *st)
{
	double wrong = law->rate < 0.5 ? 0 : 4;

	st->eta0 = SOTTO_U * (40 + (double)st->n / 8);
	st->eta1 = st->spread = 0;
	if (isinf(st->good_to))
		st->eta0 = 2; /* the panels are too long: claim nothing */
	for (size_t i = 0; i < st->n; i++) {
		double l = fabs(st->loss[i]);
		double e =
			SOTTO_U * ((12 + 4 * law->noise_epsilon) * -expm1(-l) + wrong + 2 * l);

		st->eta0 += st->weight[i] * (c + 2) * e;
		st->eta1 += st->weight[i] * e;
		st->spread += st->weight[i] * l;
	}
}

static void one_cumulants(const struct sotto_law *law, double s, double k[3], double *size)
{
	struct sotto_slaplace_list *made;
	const struct sotto_slaplace_list *l;

	if (is_coarse(law, s)) {
		k[0] = convex_log_m(law, s, size);
		k[1] = law->top;
		k[2] = 0;
		return;
	}
	l = find_list(law, s + 2, &made);
	if (l)
		sotto_slaplace_list_sum(l, law, s, k, size);
	else
		k[0] = INFINITY; /* without memory nothing is claimed */
	sotto_slaplace_list_free(made);
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double one[3] = {0}, size;

	if (law->of_many && terms(law, s) > SOTTO_TERMS_OF_MANY) {
		one[0] = convex_log_m(law, s, &size);
		one[1] = law->top;
	} else {
		one_cumulants(law, s, one, &size);
	}
	sotto_law_add_cumulants(law, one, k);
}

/* A place at which the density may be divided: what lies before it, and the density of the loss there. */
struct division {
	double before, density;
};

/* Between panels, of which the first hold losses so near to each other that their density says nothing. */
static size_t find_divisions(const struct sotto_law *law, double c, double log_m,
			     const struct state *st, struct division *d)
{
	double start = sotto_slaplace_start(law), before = 0, middle, half;
	size_t panels = (st->n - 2) / SOTTO_LEGENDRE, stride = panels / DIVISIONS + 1, n = 0;
	struct sotto_slaplace_panels p;

	sotto_slaplace_panels_init(&p, law->rate, law->noise_epsilon, st->order);
	for (size_t i = 0; i < panels && sotto_slaplace_panels_next(&p, &middle, &half); i++) {
		double x = start * (half - middle);

		if (i % stride == 0)
			d[n++] = (struct division){
				before, exp(sotto_slaplace_log_density(law, c, x) - log_m)};
		for (size_t j = 0; j < SOTTO_LEGENDRE; j++)
			before += st->weight[2 + i * SOTTO_LEGENDRE + j];
	}
	return n;
}

/* By the atoms, what lies before a division, and the variation of the density after it. */
static void climb(const struct sotto_law *law, double c, double log_m, struct state *st)
{
	struct division d[DIVISIONS + 1];
	size_t divisions = find_divisions(law, c, log_m, st, d);
	double atoms = st->weight[0] + st->weight[1], t = 1 / (st->spread + 1e-300),
	       last = law->direction == SOTTO_REMOVE ? st->ends.high : st->ends.low;

	for (int i = 0; i < 60 && st->ladder.n < SOTTO_RUNGS; i++, t *= 2) {
		double bound = 1;

		for (size_t j = 0; j < divisions; j++)
			bound = fmin(bound,
				     atoms + d[j].before + 2 * (d[j].density + last) / t);
		bound = fmin(1, bound * (1 + 0x1p-40));
		if (st->ladder.n == 0 && bound > FALLEN)
			continue;
		if (st->ladder.n == 0)
			st->ladder.first = t;
		st->ladder.bound[st->ladder.n++] = bound;
	}
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct state *st = calloc(1, sizeof *st);
	double n = (double)law->count, k[3], size;

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	one_cumulants(law, c, k, &size);
	*log_m = n * k[0];
	*slack = SOTTO_U * (n * size + 4 * fabs(*log_m)) + n * 1e-16 * fmin(1, c * law->top);
	if (is_coarse(law, c))
		return SOTTO_OK;
	if (!make_atoms(law, c, h * SOTTO_BLOCK, st))
		return SOTTO_ENOMEM;
	(void)normalise(st);
	bound_errors(law, c, st);
	sotto_slaplace_ends_find(law, c, k[0], &st->ends);
	climb(law, c, k[0], st);
	return SOTTO_OK;
}

/* Whether nodes at t are too far out for panels. */
static bool is_far(const struct sotto_law *law, double c, double t, const struct state *st)
{
	return t > st->good_to && (st->listed || t > reach_of(law, c, SOTTO_SLAPLACE_PANELS));
}

/* By the two atoms, and by the ends of the density: G(high) e^(it high)/(it) - G(low) e^(it low)/(it), but for bend/t^2. */
static void
apply_far(const struct sotto_law *law, const struct state *st, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0}, hr[SOTTO_BLOCK], hi[SOTTO_BLOCK],
	       lr[SOTTO_BLOCK], li[SOTTO_BLOCK], rest = 1 - st->weight[0] - st->weight[1];
	double from = b->h * (double)b->first, to = b->h * (double)(b->first + SOTTO_BLOCK),
	       ends = st->ends.low + st->ends.high,
	       error = 2 * st->eta0 + st->eta1 * to + st->ends.bend / (from * from) +
		       ends / from * sotto_slaplace_ends_error(law, b->c, to);

	if (error > 1) { /* the ends say nothing yet */
		sotto_block_blur(b);
		return;
	}
	sotto_block_add_atom(b, st->loss[0], st->weight[0], dr, di);
	sotto_block_add_atom(b, st->loss[1], st->weight[1], dr, di);
	sotto_block_turns(b, st->loss[0], hr, hi);
	sotto_block_turns(b, st->loss[1], lr, li);
	for (size_t j = 0; j < SOTTO_BLOCK; j++) { /* the sum of the weights is not 1 here */
		double t = b->h * (double)(b->first + j);

		dr[j] += (st->ends.high * hi[j] - st->ends.low * li[j]) / t - rest;
		di[j] -= (st->ends.high * (1 + hr[j]) - st->ends.low * (1 + lr[j])) / t;
	}
	sotto_block_multiply(b, dr, di, error, law->count);
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0};
	double t = b->h * (double)(b->first + SOTTO_BLOCK);
	struct state *st = state;

	if (is_coarse(law, b->c)) {
		sotto_block_blur(b);
		return;
	}
	if (b->first > 0 && is_far(law, b->c, t, st)) {
		apply_far(law, st, b);
		return;
	}
	if (t > st->good_to) {
		double most = reach_of(law, b->c, SOTTO_SLAPLACE_PANELS),
		       reach = fmax(t, fmin(2 * t, most));

		if (make_atoms(law, b->c, reach, st)) {
			(void)normalise(st);
			bound_errors(law, b->c, st);
		} else {
			st->n = 0;
			st->eta0 = 2;
		}
	}
	for (size_t i = 0; i < st->n; i++)
		sotto_block_add_atom(b, st->loss[i], st->weight[i], dr, di);
	sotto_block_multiply(b, dr, di,
			     2 * st->eta0 * fmin(1, t * st->spread) + st->eta1 * t +
				     2e-16 * fmin(1, t * st->spread),
			     law->count);
}

/* Atoms and panels for nodes up to last, or as far as they are not too many. */
static enum sotto_status outcomes(const struct sotto_law *law, void *state, double c,
				  double last, double digits, struct sotto_law_outcomes *out)
{
	double most = reach_of(law, c, LISTED_PANELS);
	struct state *st = state, line = {.n = 0};

	(void)digits; /* all that doubles have */
	last = fmin(last, most);
	if (is_coarse(law, c) || !(last > st->good_to))
		return SOTTO_EREFUSED;
	if (!make_atoms(law, c, last, &line))
		return SOTTO_ENOMEM;
	(void)normalise(&line);
	bound_errors(law, c, &line);
	*out = (struct sotto_law_outcomes){
		.loss = line.loss,
		.weight = line.weight,
		.n = line.n,
		.error = 2 * line.eta0 + line.eta1 * last + 2e-16,
		.from = st->good_to,
		.to = last,
	};
	st->listed = true;
	return SOTTO_OK;
}

static double steps(const struct sotto_law *law, void *state, const struct sotto_block *b)
{
	const struct state *st = state;

	if (is_far(law, b->c, b->h * (double)(b->first + SOTTO_BLOCK), st))
		return 60 * (double)b->n;
	return (double)b->n * (60 + 0.8 * (double)st->n);
}

/* The two ends, which are outcomes. */
static size_t
heaviest(const struct sotto_law *law, void *state, double c, double *loss, double *weight)
{
	const struct state *st = state;

	(void)law;
	(void)c;
	if (st->n == 0 || !(st->eta0 < 0x1p-40))
		return 0; /* M(c) is not known */
	for (size_t i = 0; i < 2; i++) {
		loss[i] = st->loss[i];
		weight[i] = st->weight[i] * (1 - 0x1p-30);
	}
	return 2;
}

static void release(struct sotto_law *law)
{
	sotto_slaplace_list_free(law->kept);
}

const struct sotto_law_class sotto_law_sampled_laplace = {
	.cumulants = cumulants,
	.terms = terms,
	.steps = steps,
	.begin = begin,
	.log_decay = sotto_ladder_decay,
	.apply = apply,
	.heaviest = heaviest,
	.end = end,
	.release = release,
};

const struct sotto_law_class sotto_law_listed_laplace = {
	.cumulants = cumulants,
	.terms = terms,
	.steps = steps,
	.begin = begin,
	.log_decay = sotto_ladder_decay,
	.apply = apply,
	.heaviest = heaviest,
	.outcomes = outcomes,
	.end = end,
	.release = release,
};
