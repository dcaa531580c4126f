/*
 * Real Laplace noise, many epsilons at once:
 *
 *	M(s) = A exp(s e) + B exp(-(s+1) e),   A = (s+1)/(2s+1),   B = s/(2s+1).
 *
 * On the line Re s = c everything is divided by exp(c e), so nothing overflows.  With
 * X = exp(i t e) - 1, Y = q exp(-i t e) - 1, q = exp(-(2c+1) e) and A(s) - A(c) = -w,
 * B(s) - B(c) = w, w = i t/((2s+1)(2c+1)),
 *
 *	M(s) - M(c) = A(s) X + B(c) (Y - Y(0)) + w Y   up to the factor exp(c e),
 *
 * a sum of terms of the size of e (t + c), not of 1.  Their linear parts cancel, so for
 * a large count X and Y are replaced by what is left beyond the linear part.
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/integral/complex.h"
#include "core/account/law/laplace_clusters.h"
#include "core/account/law/law.h"
#include "core/base/failure.h"

enum { RUNS = 256, LONG_LIST = 4096, MANY = 64, OFTEN = 16 };

/*
 * M - 1 = n/(2s+1) with n = (s+1) x2(se) + s x2(-(s+1)e), x2 = sotto_exp2term: the linear
 * terms cancel exactly, and all that is left is positive.
 */
static void small_cumulants(double s, double e, double k[3])
{
	double d = 2 * s + 1, up = s * e, down = -(s + 1) * e;
	double n = (s + 1) * sotto_exp2term(up) + s * sotto_exp2term(down);
	double n1 = sotto_exp2term(up) + (s + 1) * e * expm1(up) + sotto_exp2term(down) -
		    s * e * expm1(down);
	double n2 =
		2 * e * (expm1(up) - expm1(down)) + e * e * ((s + 1) * exp(up) + s * exp(down));
	double m = n / d, m1 = (n1 - 2 * m) / d, m2 = (n2 - 4 * m1) / d;

	k[0] = log1p(m);
	k[1] = m1 / (1 + m);
	k[2] = m2 / (1 + m) - k[1] * k[1];
}

/* The same from the form scaled by exp(-s e). */
static void large_cumulants(double s, double e, double k[3])
{
	double d = 2 * s + 1, q = exp(-d * e);
	double n = (s + 1) + s * q;
	double n1 = 1 + e * (s + 1) + q * (1 - e * s);
	double n2 = 2 * e + e * e * (s + 1) + q * (-2 * e + e * e * s);

	k[0] = s * e + log(n / d);
	k[1] = n1 / n - 2 / d;
	k[2] = n2 / n - (n1 / n) * (n1 / n) + 4 / (d * d);
}

static void one_cumulants(double s, double e, double k[3])
{
	if (s * e < 20)
		small_cumulants(s, e, k);
	else
		large_cumulants(s, e, k);
}

static void add_cumulants(double s, double e, double count, double k[3])
{
	double one[3];

	one_cumulants(s, e, one);
	for (int j = 0; j < 3; j++)
		k[j] += count * one[j];
}

/*
 * A long list is replaced by runs that keep the sum of e^2.  K only grows by that (Jensen), since it
 * is concave as a function of e^2: dK/de = s (s+1) (1-x) / (s+1 + sx) with x = e^(-(2s+1) e) is 0
 * at e = 0 and concave in e, because its derivative is a multiple of x / (s+1 + sx)^2, which
 * grows with x <= 1; so dK/d(e^2) = dK/de / 2e falls.  Within a run the e are close.
 */
static void cumulants(const struct sotto_law *law, double s, double k[3])
{
	size_t run = law->n > LONG_LIST ? law->n / RUNS + 1 : 1;

	for (size_t i = 0; i < law->n; i += run) {
		double count = 0, square = 0;

		for (size_t j = i; j < i + run && j < law->n; j++) {
			count += (double)law->counts[j];
			square += (double)law->counts[j] * law->loss[j] * law->loss[j];
		}
		add_cumulants(s, run == 1 ? law->loss[i] : sqrt(square / count), count, k);
	}
}

static double normaliser(double c, double e)
{
	double d = 2 * c + 1;

	return (c + 1 + c * exp(-d * e)) / d;
}

/* log M(c) of events from .. to - 1, one by one. */
static void begin_each(const struct sotto_law *law, double c, size_t from, size_t to,
		       struct sotto_sum *sum, double *slack)
{
	double size = 0;

	for (size_t i = from; i < to; i++) {
		double k = (double)law->counts[i], e = law->loss[i], one[3];

		one_cumulants(c, e, one);
		sotto_sum_add(sum, k * one[0]);
		size += k * (one[0] + (c * e < 20 ? 0 : c * e));
	}
	*slack += 24 * SOTTO_U * size;
}

static void
begin_cluster(const struct sotto_cluster *g, double c, struct sotto_sum *sum, double *slack)
{
	double one[3], error;

	one_cumulants(c, g->middle, one);
	sotto_sum_add(sum, g->count * one[0]);
	sotto_sum_add(sum, sotto_cluster_beyond(g, c, 0, &error).re);
	*slack += 24 * SOTTO_U * g->count * one[0] + error;
}

/* The |s| up to which a long list's nodes matter, roughly. */
static double scale_of(const struct sotto_law *law, double c)
{
	double square = 0;

	for (size_t i = 0; i < law->n; i++)
		square += (double)law->counts[i] * law->loss[i] * law->loss[i];
	return c + 1 + 64 / sqrt(square);
}

static enum sotto_status begin(const struct sotto_law *law, double c, double h, void **state,
			       double *log_m, double *slack)
{
	struct sotto_clusters *clusters = NULL;
	struct sotto_sum sum = {0};

	(void)h;
	*state = NULL;
	*slack = 0;
	if (law->n > LONG_LIST) {
		SOTTO_TRY(sotto_clusters_new(law, scale_of(law, c), &clusters));
		*state = clusters;
	}
	for (size_t i = 0; clusters && i < clusters->n; i++) {
		const struct sotto_cluster *g = &clusters->at[i];

		if (sotto_cluster_is_good(g, c + 1))
			begin_cluster(g, c, &sum, slack);
		else
			begin_each(law, c, g->from, g->to, &sum, slack);
	}
	if (!clusters)
		begin_each(law, c, 0, law->n, &sum, slack);
	*log_m = sotto_sum_total(&sum);
	return SOTTO_OK;
}

static void end(void *state)
{
	sotto_clusters_free(state);
}

/* |A| falls to 1/2 and |B| rises to 1/2 as t grows: a bound of |M(c+iu)/M(c)| for u >= t. */
static double decay_of_one(double c, double e, double t)
{
	double d = 2 * c + 1, q = exp(-d * e);
	double a = sqrt(((c + 1) * (c + 1) + t * t) / (d * d + 4 * t * t));

	return fmin(1, (a + 0.5 * q) * d / (c + 1 + c * q));
}

/*
 * log of a bound at t.  Since 1 - |phi(2u)|^2 <= 4 (1 - |phi(u)|^2) for characteristic
 * functions, a bound farther out gives one here, sharp enough for high powers.
 */
static double log_decay_of_one(double c, double e, double t)
{
	double most = 0, shrink = 1;

	for (int i = 0; i < 6 && shrink > most; i++, shrink /= 4, t *= 2) {
		double bound = decay_of_one(c, e, t);

		most = fmax(most, (1 - bound) * (1 + bound) * shrink);
	}
	return 0.5 * log1p(-most * (1 - 0x1p-40));
}

/* The bound falls with e, so a long list is cut into runs and each run has its least e. */
static double
log_decay(const struct sotto_law *law, void *state, double c, double t, double end_at)
{
	size_t run = law->n / RUNS + 1;
	double sum = 0;

	(void)state;
	(void)end_at;
	for (size_t i = 0; i < law->n; i += run) {
		double count = 0;

		for (size_t j = i; j < i + run && j < law->n; j++)
			count += (double)law->counts[j];
		sum += count * log_decay_of_one(c, law->loss[i], t);
	}
	return sum;
}

/* What all epsilons share at the nodes of a block: A(s) and w. */
struct nodes {
	double ar[SOTTO_BLOCK], ai[SOTTO_BLOCK];
	double wr[SOTTO_BLOCK], wi[SOTTO_BLOCK];
};

static void prepare(const struct sotto_block *b, struct nodes *v)
{
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double t = b->h * (double)(b->first + j);
		struct cx d = cx_inv(cx_of(2 * b->c + 1, 2 * t));
		struct cx a = cx_mul(cx_of(b->c + 1, t), d);
		struct cx w = cx_scale(cx_mul(cx_of(0, t), d), 1 / (2 * b->c + 1));

		v->ar[j] = a.re;
		v->ai[j] = a.im;
		v->wr[j] = w.re;
		v->wi[j] = w.im;
	}
}

/* d = (A(s) X + B(c) (Y - Y(0)) + w Y)/m, where Y - Y(0) = q conj(X); the least |1+d|^2 */
static double evaluate(const struct nodes *v, double e, double c, const double *xr,
		       const double *xi, double *dr, double *di)
{
	double inv = 1 / normaliser(c, e), y0 = expm1(-(2 * c + 1) * e), q = 1 + y0;
	double bq = c / (2 * c + 1) * q, least = 1;

	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double yr = y0 + q * xr[j], yi = -q * xi[j];
		double r = v->ar[j] * xr[j] - v->ai[j] * xi[j] + bq * xr[j] + v->wr[j] * yr -
			   v->wi[j] * yi;
		double i = v->ar[j] * xi[j] + v->ai[j] * xr[j] - bq * xi[j] + v->wr[j] * yi +
			   v->wi[j] * yr;

		dr[j] = r * inv;
		di[j] = i * inv;
	}
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double size = (1 + dr[j]) * (1 + dr[j]) + di[j] * di[j];

		least = size < least ? size : least;
	}
	return least;
}

/* One event of its kind whose |1+d| is nowhere small: the common case in long lists. */
static void multiply_once(struct sotto_block *b, const double *dr, const double *di)
{
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double r = b->re[j] + (b->re[j] * dr[j] - b->im[j] * di[j]);
		double i = b->im[j] + (b->re[j] * di[j] + b->im[j] * dr[j]);

		b->re[j] = r;
		b->im[j] = i;
	}
}

/*
 * Every term is at most 2 min(1, (t + 2c + 1) e), after some 60 roundings; the phase t e
 * itself is good to 4 u (contour.md).
 */
static double error_of(const struct sotto_block *b, double e)
{
	double t = b->h * (double)(b->first + SOTTO_BLOCK), reach = (t + 2 * b->c + 1) * e;

	return SOTTO_U * (120 * fmin(1, reach) + 8 * t * e);
}

/* The number of terms after which a series of the exponential in |z| < 1/2 is exact. */
static int terms_for(double size)
{
	return size < 1e-3 ? 8 : size < 0.03 ? 12 : 18;
}

/* exp(z) - 1 - z with so many terms */
static struct cx exp2term_cx(struct cx z, int terms)
{
	struct cx sum = {0, 0}, term = cx_scale(cx_mul(z, z), 0.5);

	for (int i = 3; i < terms; i++) {
		sum = cx_add(sum, term);
		term = cx_scale(cx_mul(term, z), 1.0 / i);
	}
	return sum;
}

/* d from second-order terms alone; an error of 100 u (reach)^2 */
static void evaluate_small(const struct sotto_block *b, const struct nodes *v, double e,
			   double *dr, double *di)
{
	double c = b->c, down = -(2 * c + 1) * e, y0 = sotto_exp2term(down);
	double inv = 1 / normaliser(c, e), bc = c / (2 * c + 1);
	int terms = terms_for((b->h * (double)(b->first + SOTTO_BLOCK) + 2 * c + 1) * e);

	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double angle = b->h * (double)(b->first + j) * e;
		struct cx x = exp2term_cx(cx_of(0, angle), terms),
			  y = exp2term_cx(cx_of(down, -angle), terms);
		struct cx d = cx_add(cx_mul(cx_of(v->ar[j], v->ai[j]), x),
				     cx_mul(cx_of(v->wr[j], v->wi[j]), y));

		d = cx_add(d, cx_scale(cx_of(y.re - y0, y.im), bc));
		dr[j] = d.re * inv;
		di[j] = d.im * inv;
	}
}

/* Multiplies by the events from .. to - 1 one by one; returns the error that all nodes share. */
static double apply_each(const struct sotto_law *law, const struct nodes *v, size_t from,
			 size_t to, struct sotto_block *b)
{
	double xr[SOTTO_BLOCK], xi[SOTTO_BLOCK], dr[SOTTO_BLOCK], di[SOTTO_BLOCK];
	double shared = 0;

	for (size_t i = from; i < to; i++) {
		double e = law->loss[i], eta = error_of(b, e), least, reach;

		if (i % OFTEN == OFTEN - 1 && sotto_block_fades(b, SOTTO_FADED))
			break;
		reach = (b->h * (double)(b->first + SOTTO_BLOCK) + 2 * b->c + 1) * e;
		if (law->counts[i] >= MANY && reach < 0.25) {
			evaluate_small(b, v, e, dr, di);
			sotto_block_multiply(b, dr, di, SOTTO_U * 100 * reach * reach,
					     law->counts[i]);
			continue;
		}
		sotto_block_turns(b, e, xr, xi);
		least = evaluate(v, e, b->c, xr, xi, dr, di);
		if (law->counts[i] == 1 && least > 0.25) {
			multiply_once(b, dr, di);
			shared += 2.01 * eta + 2.5 * SOTTO_U;
		} else {
			sotto_block_multiply(b, dr, di, eta, law->counts[i]);
		}
	}
	return shared;
}

/* All events of a cluster at once: count times the middle, and what the series adds. */
static void
apply_cluster(const struct sotto_cluster *g, const struct nodes *v, struct sotto_block *b)
{
	double dr[SOTTO_BLOCK], di[SOTTO_BLOCK], at_line;
	double reach = (b->h * (double)(b->first + SOTTO_BLOCK) + 2 * b->c + 1) * g->middle;
	struct cx line = sotto_cluster_beyond(g, b->c, 0, &at_line);

	evaluate_small(b, v, g->middle, dr, di);
	sotto_block_multiply(b, dr, di, SOTTO_U * 100 * reach * reach, (uint64_t)g->count);
	for (size_t j = 0; j < b->n; j++) {
		double error, t = b->h * (double)(b->first + j), more;
		struct cx beyond = sotto_cluster_beyond(g, b->c, t, &error), z;

		beyond.re -= line.re;
		z = cx_mul(cx_of(b->re[j], b->im[j]), cx_exp(beyond.re, beyond.im));
		more = expm1(error + at_line + SOTTO_U * (8 + 2 * cx_abs(beyond)));
		b->re[j] = z.re;
		b->im[j] = z.im;
		b->absolute[j] *= exp(beyond.re) * (1 + more);
		b->relative[j] += more * (1 + b->relative[j]);
	}
}

static void apply(const struct sotto_law *law, void *state, struct sotto_block *b)
{
	double reach = b->h * (double)(b->first + SOTTO_BLOCK) + b->c + 1, shared = 0;
	const struct sotto_clusters *clusters = state;
	struct nodes v;

	prepare(b, &v);
	for (size_t i = 0; clusters && i < clusters->n; i++) {
		const struct sotto_cluster *g = &clusters->at[i];

		if (i % OFTEN == OFTEN - 1 && sotto_block_fades(b, SOTTO_FADED))
			break;
		if (sotto_cluster_is_good(g, reach))
			apply_cluster(g, &v, b);
		else
			shared += apply_each(law, &v, g->from, g->to, b);
	}
	if (!clusters)
		shared = apply_each(law, &v, 0, law->n, b);
	for (size_t j = 0; j < b->n; j++) {
		b->relative[j] += expm1(shared) * (1 + b->relative[j]);
		b->absolute[j] *= exp(shared);
	}
}

static void release(struct sotto_law *law)
{
	free(law->loss);
	free(law->counts);
}

const struct sotto_law_class sotto_law_laplace = {
	.cumulants = cumulants,
	.begin = begin,
	.log_decay = log_decay,
	.apply = apply,
	.end = end,
	.release = release,
};
