/*
 * Poisson-sampled Laplace noise, a = epsilon0, rate b.  The loss before sampling has atoms
 * at +-a and the density e^((x-a)/2)/4 between; sampling maps loss x to L(x) and, for
 * "remove", weighs it by q + (1-q) e^-x (sample.md).
 *
 * The density part is integrated by Gauss-Legendre panels of 16 points: with half-length
 * r <= 1/4 and r <= 2/((t + c) B + 1) their error is below 1e-16: on the Bernstein ellipse with
 * parameter 4, which reaches 17r/8 to the sides and 15r/8 up, |L'| is at most B and the integrand
 * grows by less than e^5.  Farther out the panels are made anew; and where they would be too many, the integral is what the ends of the
 * density say of it (sample.md).
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/legendre.h"
#include "core/account/law/law.h"

/* Of outcomes for a line there are as many as transforms are quick with. */
enum { PANELS_MAX = 1 << 12, LISTED_PANELS = 1 << 10 };

/* log(1 - q + q e^x) */
static double mix(double q, double x)
{
	if (x > 600) /* 1 - q is lost beside q e^x */
		return x + log(q);
	return q < 0.5 ? log1p(q * expm1(x)) : log((1 - q) + q * exp(x));
}

static double loss_of(const struct sotto_law *law, double x)
{
	return law->direction == SOTTO_REMOVE ? mix(law->rate, x) : -mix(law->rate, -x);
}

/* log of the factor q + (1-q) e^-x that sampling puts on the P-mass at x */
static double log_factor(const struct sotto_law *law, double x)
{
	double q = law->rate;

	if (law->direction == SOTTO_ADD)
		return 0;
	return x > 0 ? log(q + (1 - q) * exp(-x)) : log((1 - q) + q * exp(x)) - x;
}

struct state {
	struct sotto_ladder ladder; /* first, for sotto_ladder_decay */
	double *loss, *weight; /* atoms, the two true ones first; weights sum to 1 */
	size_t n;
	double good_to;
	double eta0, eta1, spread;
	double low, high; /* the density of the loss at its ends, over M(c) */
	double bend; /* |its slope| at both ends, times 2 */
	bool listed; /* outcomes were given as far as these are few */
};

static void end(void *state)
{
	struct state *st = state;

	free(st->loss);
	free(st);
}

static void
put(const struct sotto_law *law, struct state *st, double c, double x, double log_mass)
{
	double l = loss_of(law, x);

	st->loss[st->n] = l;
	st->weight[st->n++] = log_mass + log_factor(law, x) + c * l;
}

/*
 * B: |L'| = |q e^z/(1 - q + q e^z)| for Re z <= a + 17/32 and |Im z| <= 15/32, whose cosine is above
 * 0.89; for "add" with -z.
 */
static double steepest(const struct sotto_law *law)
{
	double odds = law->rate / (1 - law->rate) * exp(law->noise_epsilon + 17.0 / 32);

	return isfinite(odds) ? odds / (1 + 0.89 * odds) : 1 / 0.89;
}

/* Panels of this half-length at most, for nodes up to t. */
static size_t panels_for(const struct sotto_law *law, double c, double t)
{
	double r = fmin(0.25, 2 / ((t + c) * steepest(law) + 1));

	return (size_t)fmin(PANELS_MAX, ceil(law->noise_epsilon / r));
}

/* The panels would be too long on the line Re s = c. */
static bool is_coarse(const struct sotto_law *law, double c)
{
	return panels_for(law, c, 1) == PANELS_MAX;
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

static double terms(const struct sotto_law *law, double s)
{
	return is_coarse(law, s) ? 4 : 4 * SOTTO_LEGENDRE * (double)panels_for(law, s, 1);
}

/* Atoms for nodes up to t; false if there is no memory. */
static bool make_atoms(const struct sotto_law *law, double c, double t, struct state *st)
{
	size_t panels = panels_for(law, c, t);
	double a = law->noise_epsilon, half = a / (double)panels, x[SOTTO_LEGENDRE],
	       w[SOTTO_LEGENDRE];
	double *grown = realloc(st->loss, 2 * (2 + SOTTO_LEGENDRE * panels) * sizeof *grown);

	if (!grown)
		return false;
	st->loss = grown;
	st->weight = grown + 2 + SOTTO_LEGENDRE * panels;
	st->n = 0;
	st->good_to = panels == PANELS_MAX ? INFINITY : t;
	put(law, st, c, a, log(0.5));
	put(law, st, c, -a, log(0.5) - a);
	for (size_t i = 0; i < panels; i++) {
		sotto_legendre(-a + half * (2 * (double)i + 1), half, x, w);
		for (int j = 0; j < SOTTO_LEGENDRE; j++)
			put(law, st, c, x[j], log(w[j] * 0.25) + (x[j] - a) / 2);
	}
	return true;
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

/* E[e^(sL)] - 1 = E[e^(sL) - 1 - s (1 - e^-L)] since E e^-L = 1: small terms stay sharp. */
static double log_m_at(const struct sotto_law *law, double s, double *size)
{
	struct state st = {.n = 0};
	double sum = 0, rough = 0, log_m = NAN;

	if (is_coarse(law, s))
		return convex_log_m(law, s, size);
	if (!make_atoms(law, 0, 1, &st))
		return NAN;
	for (size_t i = 0; i < st.n; i++) {
		double l = st.loss[i], m = exp(st.weight[i]);

		sum += m * (expm1(s * l) + s * expm1(-l));
		rough += m * (fabs(expm1(s * l)) + s * fabs(expm1(-l)));
	}
	*size = 64 * rough;
	if (sum < 0.5 && rough < 1e3) {
		log_m = log1p(sum);
	} else {
		st.n = 0;
		if (make_atoms(law, s, 1, &st))
			log_m = normalise(&st);
		*size = 64 + (double)st.n + 8 * fabs(s * law->top) + 8 * law->noise_epsilon;
	}
	free(st.loss);
	return log_m;
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	double n = (double)law->count, size, mean = 0, square = 0;
	struct state st = {.n = 0};

	if (is_coarse(law, s)) {
		k[0] += n * convex_log_m(law, s, &size);
		k[1] += n * law->top;
		return;
	}
	if (!make_atoms(law, s, 1, &st)) {
		k[0] = INFINITY; /* without memory nothing is claimed */
		return;
	}
	(void)normalise(&st);
	for (size_t i = 0; i < st.n; i++)
		mean += st.weight[i] * st.loss[i];
	for (size_t i = 0; i < st.n; i++)
		square += st.weight[i] * (st.loss[i] - mean) * (st.loss[i] - mean);
	free(st.loss);
	k[0] += n * log_m_at(law, s, &size);
	k[1] += n * mean;
	k[2] += n * square;
}

/*
 * The density part as an integral of G(L) exp(itL) dL with G monotone or falling, then
 * rising: at most (2 G(low) + 2 G(high))/t, and at most its own mass.  log G is
 * (c+2) L - 3x/2 for "remove", (c-1) L + 3x/2 for "add", plus a constant.
 */
static double log_density(const struct sotto_law *law, double c, double x)
{
	double l = loss_of(law, x), q = law->rate;

	if (law->direction == SOTTO_REMOVE)
		return (c + 2) * l - 1.5 * x - law->noise_epsilon / 2 - log(4 * q);
	return (c - 1) * l + 1.5 * x - law->noise_epsilon / 2 - log(4 * q);
}

/* The slope of log G by L: (c+2) - 3x'/2 for "remove", (c-1) + 3x'/2 for "add", x' = e^|L - x|/q. */
static double steepness(const struct sotto_law *law, double c, double x)
{
	double l = loss_of(law, x), q = law->rate;

	if (law->direction == SOTTO_REMOVE)
		return c + 2 - 1.5 * exp(l - x) / q;
	return c - 1 + 1.5 * exp(x - l) / q;
}

static void find_ends(const struct sotto_law *law, double c, double log_m, struct state *st)
{
	double a = law->noise_epsilon;

	st->low = exp(log_density(law, c, -a) - log_m);
	st->high = exp(log_density(law, c, a) - log_m);
	st->bend = 2.01 * (st->low * fabs(steepness(law, c, -a)) +
			   st->high * fabs(steepness(law, c, a)));
}

static void climb(struct state *st)
{
	double atoms = st->weight[0] + st->weight[1], ends = 2 * (st->low + st->high),
	       t = 1 / (st->spread + 1e-300);

	for (int i = 0; i < 60 && st->ladder.n < SOTTO_RUNGS; i++, t *= 2) {
		double bound = fmin(1, atoms + ends / t) * (1 + 0x1p-40);

		if (st->ladder.n == 0 && bound > 0.5 * (1 + atoms))
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
	double n = (double)law->count, one, size;

	if (!st)
		return SOTTO_ENOMEM;
	*state = st;
	one = log_m_at(law, c, &size);
	*log_m = n * one;
	*slack = SOTTO_U * (n * size + 4 * fabs(*log_m)) + n * 1e-16 * fmin(1, c * law->top);
	if (is_coarse(law, c))
		return SOTTO_OK;
	if (!make_atoms(law, c, h * SOTTO_BLOCK, st))
		return SOTTO_ENOMEM;
	(void)normalise(st);
	bound_errors(law, c, st);
	find_ends(law, c, one, st);
	climb(st);
	return SOTTO_OK;
}

/* Whether nodes at t are too far out for panels. */
static bool is_far(const struct sotto_law *law, double c, double t, const struct state *st)
{
	return t > st->good_to && (st->listed || panels_for(law, c, t) == PANELS_MAX);
}

/* What the density at its ends errs by, relative to itself: its exponent, and the phase t L. */
static double ends_error(const struct sotto_law *law, double c, double t)
{
	double size = 1 + law->top + law->noise_epsilon;

	return SOTTO_U * (256 + 8 * fabs(log(law->rate)) + 32 * (c + 2) * size + 32 * t * size);
}

/* By the two atoms, and by the ends of the density: G(high) e^(it high)/(it) - G(low) e^(it low)/(it), but for bend/t^2. */
static void
apply_far(const struct sotto_law *law, const struct state *st, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0}, hr[SOTTO_BLOCK], hi[SOTTO_BLOCK],
	       lr[SOTTO_BLOCK], li[SOTTO_BLOCK], rest = 1 - st->weight[0] - st->weight[1];
	double from = b->h * (double)b->first, to = b->h * (double)(b->first + SOTTO_BLOCK),
	       ends = st->low + st->high, error = ends_error(law, b->c, to);

	sotto_block_add_atom(b, st->loss[0], st->weight[0], dr, di);
	sotto_block_add_atom(b, st->loss[1], st->weight[1], dr, di);
	sotto_block_turns(b, st->loss[0], hr, hi);
	sotto_block_turns(b, st->loss[1], lr, li);
	for (size_t j = 0; j < SOTTO_BLOCK; j++) { /* the sum of the weights is not 1 here */
		double t = b->h * (double)(b->first + j);

		dr[j] += (st->high * hi[j] - st->low * li[j]) / t - rest;
		di[j] -= (st->high * (1 + hr[j]) - st->low * (1 + lr[j])) / t;
	}
	sotto_block_multiply(b, dr, di,
			     2 * st->eta0 + st->eta1 * to + st->bend / (from * from) +
				     ends / from * error,
			     law->count);
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
		double reach = panels_for(law, b->c, 2 * t) < PANELS_MAX ? 2 * t : t;

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
	double a = law->noise_epsilon,
	       most = (2 * LISTED_PANELS / a - 1) / steepest(law) - c; /* panels_for */
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

const struct sotto_law_class sotto_law_sampled_laplace = {
	.cumulants = cumulants,
	.terms = terms,
	.steps = steps,
	.begin = begin,
	.log_decay = sotto_ladder_decay,
	.apply = apply,
	.heaviest = heaviest,
	.end = end,
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
};
