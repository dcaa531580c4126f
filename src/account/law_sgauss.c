/*
 * Poisson-sampled Gaussian noise, mu = sensitivity/sigma, rate q.  With z standard
 * normal under Q and 1 + y(z) = 1 - q + q exp(mu z - mu^2/2) the likelihood ratio,
 *
 *	remove:  M(s) = E (1+y)^(s+1),      add:  M(s) = E (1+y)^(-s).
 *
 * The trapezoid rule in z turns either into a law with atoms; the integrand is
 * analytic for |Im z| < pi/mu, which bounds the error (sample.md).  The step depends on
 * how far out the nodes are, so the atoms are made anew whenever t has doubled.
 */
#include <math.h>
#include <stdlib.h>

#include "account/cx.h"
#include "account/law.h"

/* the quadrature errs by less than exp(-QUADRATURE) of M(c) */
#define QUADRATURE 42.0
/* and the tails of its range are smaller still, by exp(-TAILS) */
#define TAILS 14.0

enum { POINTS_MAX = 1 << 20, CELLS = 24 };

struct rule {
	double low, step; /* of z */
	size_t n;
};

/* Outside of it the integrand is below exp(-QUADRATURE - TAILS) of M(c) >= 1. */
static void range(const struct sotto_law *law, double c, double *low, double *high)
{
	double mu = law->a, q = law->b, lost = -log1p(-q), e;

	if (law->direction == SOTTO_REMOVE) {
		/* right tail: (1+y)^(c+1) <= 1 + q exp((c+1)(mu z - mu^2/2)), convexity */
		e = fmax(0, log(q) + c * (c + 1) * mu * mu / 2);
		*low = -sqrt(2 * (QUADRATURE + TAILS));
		*high = fmax(-*low, (c + 1) * mu + sqrt(2 * (QUADRATURE + TAILS + e)));
	} else {
		*low = -sqrt(2 * (QUADRATURE + TAILS + c * lost));
		*high = sqrt(2 * (QUADRATURE + TAILS + c * lost));
	}
}

/*
 * Shifting z by ia multiplies the integrand by at most exp(a^2/2 + t mu a), and for
 * "add" by cos(mu a/2)^(-c) besides.  The error is 2 exp(that)/(exp(2 pi a/step) - 1).
 */
static double largest_step(const struct sotto_law *law, double c, double t)
{
	double mu = law->a, best = 0;

	for (double a = 0.95 * M_PI / mu, i = 0; i < 24; i++, a *= 0.8) {
		double grow = a * a / 2 + t * mu * a, step;

		if (law->direction == SOTTO_ADD)
			grow -= c * log(cos(mu * a / 2));
		step = 2 * M_PI * a / (QUADRATURE + 2 + grow);
		best = fmax(best, step);
	}
	return best;
}

static struct rule rule_for(const struct sotto_law *law, double c, double t)
{
	double low, high, step = largest_step(law, c, t), n;

	range(law, c, &low, &high);
	n = ceil((high - low) / step);
	if (n > POINTS_MAX)
		n = POINTS_MAX;
	return (struct rule){low, (high - low) / n, (size_t)n + 1};
}

/* log(1+y) at z, and 1+y itself */
static double log_ratio(const struct sotto_law *law, double z, double *ratio)
{
	double mu = law->a, q = law->b, v = mu * z - mu * mu / 2, y;

	if (v > 600) { /* 1 - q is lost beside q exp(v) */
		*ratio = INFINITY;
		return v + log(q) + log1p((1 - q) / q * exp(-v));
	}
	y = q * expm1(v);
	*ratio = 1 + y;
	return y > -0.5 ? log1p(y) : log((1 - q) + q * exp(v));
}

/* The atom at z: its loss and the log of its weight (mass exp(c loss), unnormalised). */
static void atom(const struct sotto_law *law, double c, double z, double *loss, double *weight)
{
	double ratio, l = log_ratio(law, z, &ratio);

	if (law->direction == SOTTO_REMOVE) {
		*loss = l;
		*weight = -z * z / 2 + (c + 1) * l;
	} else {
		*loss = -l;
		*weight = -z * z / 2 - c * l;
	}
}

/* Fills loss and weight; returns log of the sum of weights times step/sqrt(2 pi). */
static double make_atoms(const struct sotto_law *law, double c, const struct rule *r,
			 double *loss, double *weight)
{
	double most = -INFINITY, sum = 0;

	for (size_t i = 0; i < r->n; i++) {
		atom(law, c, r->low + (double)i * r->step, &loss[i], &weight[i]);
		most = fmax(most, weight[i]);
	}
	for (size_t i = 0; i < r->n; i++) {
		weight[i] = exp(weight[i] - most);
		sum += weight[i];
	}
	for (size_t i = 0; i < r->n; i++)
		weight[i] /= sum;
	return most + log(sum * r->step * M_SQRT1_2 * M_2_SQRTPI * 0.5);
}

/*
 * K from E[(1+y)^(s+1)] - 1 = E[(1+y)^(s+1) - 1 - (s+1) y], E y = 0, where that is small:
 * then K keeps its digits for tiny rates.
 */
static double small_cumulant(const struct sotto_law *law, double s, const struct rule *r)
{
	double power = law->direction == SOTTO_REMOVE ? s + 1 : -s, sum = 0;

	for (size_t i = 0; i < r->n; i++) {
		double z = r->low + (double)i * r->step, ratio, l = log_ratio(law, z, &ratio);
		double y = ratio - 1, excess;

		if (fabs(y) < 1e-4 && fabs(power * y) < 1e-4)
			excess = power * (power - 1) / 2 * y * y *
				 (1 + (power - 2) / 3 * y * (1 + (power - 3) / 4 * y));
		else
			excess = expm1(power * l) - power * y;
		sum += exp(-z * z / 2) * excess;
	}
	return sum * r->step * M_SQRT1_2 * M_2_SQRTPI * 0.5;
}

static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	struct rule r = rule_for(law, s, 0);
	double n = (double)law->count, most = -INFINITY, sum = 0, mean = 0, square = 0, loss, w,
	       log_m;

	for (size_t i = 0; i < r.n; i++) {
		atom(law, s, r.low + (double)i * r.step, &loss, &w);
		most = fmax(most, w);
	}
	for (size_t i = 0; i < r.n; i++) {
		atom(law, s, r.low + (double)i * r.step, &loss, &w);
		w = exp(w - most);
		sum += w;
		mean += w * loss;
		square += w * loss * loss;
	}
	mean /= sum;
	log_m = most + log(sum * r.step * M_SQRT1_2 * M_2_SQRTPI * 0.5);
	k[0] += n * (log_m < 0.1 ? log1p(small_cumulant(law, s, &r)) : log_m);
	k[1] += n * mean;
	k[2] += n * fmax(square / sum - mean * mean, 0);
}

struct state {
	struct rule rule;
	double good_to; /* the rule serves nodes with t up to here */
	double *loss, *weight;
	double log_m; /* what M(c) is divided by */
	double eta0, eta1;
	struct sotto_ladder ladder;
};

static void end(void *state)
{
	struct state *st = state;

	free(st->loss);
	free(st);
}

/*
 * Per atom: the weight loses u z^2, the loss u (2 mu |z| + 8) absolutely, which counts
 * |s| times; the parameters mu and q are good to u and add as much again.
 */
static void bound_errors(const struct sotto_law *law, double c, struct state *st)
{
	double mu = law->a;

	st->eta0 = SOTTO_U * (20 + (double)st->rule.n / 4) + 3 * exp(-QUADRATURE);
	st->eta1 = 0;
	for (size_t i = 0; i < st->rule.n; i++) {
		double z = st->rule.low + (double)i * st->rule.step;
		double e = SOTTO_U * (4 * mu * (fabs(z) + mu) + 12 + 6 * fabs(st->loss[i]));

		st->eta0 += st->weight[i] * (SOTTO_U * 2 * z * z + (c + 1) * e);
		st->eta1 += st->weight[i] * e;
	}
}

static enum sotto_status
refine(const struct sotto_law *law, double c, double t, struct state *st)
{
	struct rule r = rule_for(law, c, t);
	double *grown = realloc(st->loss, 2 * r.n * sizeof *grown), log_m;
	bool again = st->loss;

	if (!grown)
		return SOTTO_ENOMEM;
	st->loss = grown;
	st->weight = grown + r.n;
	st->rule = r;
	st->good_to = r.n > POINTS_MAX ? INFINITY : t;
	log_m = make_atoms(law, c, &r, st->loss, st->weight);
	if (again)
		for (size_t i = 0; i < r.n; i++)
			st->weight[i] *= exp(log_m - st->log_m);
	else
		st->log_m = log_m;
	bound_errors(law, c, st);
	if (r.n > POINTS_MAX)
		st->eta0 = 2; /* the rule is too coarse: claim nothing */
	return SOTTO_OK;
}

/*
 * |M(c+iu)/M(c)| <= exp(a^2/2) E_c exp(-u arg), arg = argument of 1+y at z shifted by ia (by
 * -ia for "add", with the factor cos(mu a/2)^(-c)).  E_c is bounded from cells, in
 * which the weight changes by at most exp(slip) and arg, which grows with z, is
 * taken at the left end.
 */
struct cell {
	double odds; /* q/(1-q) exp(v) at the left end */
	double low, high; /* of the weight, up to a common factor */
};

static void make_cells(const struct sotto_law *law, double c, double low, double width,
		       struct cell *cells, size_t n)
{
	double mu = law->a, q = law->b, most = -INFINITY, loss, weight;

	for (size_t i = 0; i < n; i++) {
		atom(law, c, low + (double)i * width, &loss, &weight);
		most = fmax(most, weight);
	}
	for (size_t i = 0; i < n; i++) {
		double z = low + (double)i * width, v = mu * (z - width / 2) - mu * mu / 2;
		double slip = width / 2 * (fabs(z) + (c + 1) * mu + width);

		atom(law, c, z, &loss, &weight);
		cells[i].odds = q / (1 - q) * exp(fmin(v, 600));
		cells[i].low = exp(weight - most - slip);
		cells[i].high = exp(weight - most + slip);
	}
}

static double bound_at(const struct cell *cells, size_t n, double angle, double t)
{
	double sum = 0, total = 0, si = sin(angle), co = cos(angle);

	for (size_t i = 0; i < n; i++) {
		double arg = atan2(cells[i].odds * si, 1 + cells[i].odds * co);

		total += cells[i].low;
		sum += cells[i].high * exp(-t * arg * (1 - 0x1p-40));
	}
	return sum / total + 4 * exp(-QUADRATURE - TAILS);
}

/* The least bound over some shifts, for all nodes from t on. */
static double
best_bound(const struct sotto_law *law, double c, const struct cell *cells, size_t n, double t)
{
	double mu = law->a, best = 1;

	for (double a = 0.95 * M_PI / mu, i = 0; i < 12; i++, a *= 0.65) {
		double factor = exp(a * a / 2);

		if (law->direction == SOTTO_ADD)
			factor *= pow(cos(mu * a / 2), -c);
		if (a * a / 2 < 40)
			best = fmin(best, factor * bound_at(cells, n, mu * a, t));
	}
	return best * (1 + 0x1p-40);
}

static enum sotto_status climb(const struct sotto_law *law, double c, struct state *st)
{
	double low, high, mean = 0, square = 0, t;
	size_t n;
	struct cell *cells;

	range(law, c, &low, &high);
	n = (size_t)((high - low) * CELLS) + 2;
	cells = malloc(n * sizeof *cells);
	if (!cells) {
		end(st);
		return SOTTO_ENOMEM;
	}
	make_cells(law, c, low, 1.0 / CELLS, cells, n);
	for (size_t i = 0; i < st->rule.n; i++)
		mean += st->weight[i] * st->loss[i];
	for (size_t i = 0; i < st->rule.n; i++)
		square += st->weight[i] * (st->loss[i] - mean) * (st->loss[i] - mean);
	t = 1 / sqrt(square);
	for (int i = 0; i < SOTTO_RUNGS; i++, t *= 2) {
		double bound = best_bound(law, c, cells, n, t);

		if (st->ladder.n == 0 && bound > 0.75)
			continue;
		if (st->ladder.n == 0)
			st->ladder.first = t;
		st->ladder.bound[st->ladder.n++] = bound;
		if ((double)law->count * log(bound) < -60)
			break;
	}
	free(cells);
	return SOTTO_OK;
}

static double log_decay(const struct sotto_law *law, void *state, double c, double t)
{
	const struct state *st = state;

	(void)c;
	return sotto_ladder_log(&st->ladder, t, (double)law->count);
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct state *st = calloc(1, sizeof *st);
	double n = (double)law->count;

	if (!st)
		return SOTTO_ENOMEM;
	if (refine(law, c, h * SOTTO_BLOCK, st) != SOTTO_OK) {
		end(st);
		return SOTTO_ENOMEM;
	}
	*state = st;
	*log_m = n * st->log_m;
	*slack = n * SOTTO_U * (12 + 8 * fabs(st->log_m) + c * c * law->a * law->a);
	return climb(law, c, st);
}

/* zr + i zi = sum of weight exp(i t loss) at the nodes of the block */
static void
sum_atoms(const struct state *st, const struct sotto_block *b, double *zr, double *zi)
{
	double t0 = b->h * (double)b->first;

	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		zr[j] = zi[j] = 0;
	for (size_t i = 0; i < st->rule.n; i++) {
		double er[SOTTO_BLOCK], ei[SOTTO_BLOCK], l = st->loss[i];

		if (st->weight[i] < 0x1p-120)
			continue;
		sincos(t0 * l, &ei[0], &er[0]);
		er[0] *= st->weight[i];
		ei[0] *= st->weight[i];
		for (size_t w = 1; w < SOTTO_BLOCK; w *= 2) {
			double s, c;

			sincos(b->h * (double)w * l, &s, &c);
			for (size_t j = 0; j < w; j++) {
				er[j + w] = er[j] * c - ei[j] * s;
				ei[j + w] = er[j] * s + ei[j] * c;
			}
		}
		for (size_t j = 0; j < SOTTO_BLOCK; j++) {
			zr[j] += er[j];
			zi[j] += ei[j];
		}
	}
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double zr[SOTTO_BLOCK], zi[SOTTO_BLOCK];
	double t = b->h * (double)(b->first + SOTTO_BLOCK), eta;
	struct state *st = state;

	if (t > st->good_to && refine(law, b->c, 2 * t, st) != SOTTO_OK)
		st->eta0 = 2;
	sum_atoms(st, b, zr, zi);
	eta = st->eta0 + st->eta1 * t;
	sotto_block_multiply(b, zr, zi, eta, law->count);
}

const struct sotto_law_class sotto_law_sampled_gaussian = {
	.cumulants = cumulants,
	.begin = begin,
	.log_decay = log_decay,
	.apply = apply,
	.end = end,
};
