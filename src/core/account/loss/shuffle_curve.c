/*
 * Walks over the numbers of clones with a recurrence for the binomial tail, which is started
 * anew in MPFR before its errors grow; what lies outside the window is added by Chernoff's
 * bound.
 */
#include "core/account/loss/shuffle_curve.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "core/account/integral/real.h"
#include "core/account/law/law.h"
#include "core/base/failure.h"

enum { STRETCH_MIN = 1024, FINE_BITS = 192 };

/*
 * Work grows with the root of the users.  One more is post-processing, so delta with fewer bounds
 * delta with more.
 */
#define USERS_MAX 1e10

struct sotto_shuffle {
	double epsilon0;
	double users; /* other than the one who changes: n - 1 */
	double p; /* probability of a clone */
	double odds, log_p, log_rest; /* p/(1-p), log p, log(1-p) */
	mpfr_t fine_p, fine_rest; /* the two logs in high precision */
	double alpha, rest_alpha; /* e^epsilon0/(1+e^epsilon0) and 1 minus that */
	bool capped; /* there are more users, who only help: no lower side */
	struct sotto_work *work;
};

/* log p and log(1-p): p = e^-epsilon0, or 2/(e^epsilon0 + 1) for binary response */
static void set_logs(struct sotto_shuffle *s, const struct sotto_event *e)
{
	mpfr_t e0;

	mpfr_inits2(FINE_BITS, s->fine_p, s->fine_rest, e0, (mpfr_ptr)0);
	mpfr_set_q(e0, e->local_epsilon.q, MPFR_RNDN);
	mpfr_neg(s->fine_p, e0, MPFR_RNDN);
	if (e->is_binary) {
		mpfr_div_2ui(s->fine_rest, e0, 1, MPFR_RNDN);
		mpfr_tanh(s->fine_rest, s->fine_rest, MPFR_RNDN);
		mpfr_exp(e0, s->fine_p, MPFR_RNDN);
		mpfr_log1p(e0, e0, MPFR_RNDN);
		mpfr_sub(s->fine_p, s->fine_p, e0, MPFR_RNDN);
		mpfr_const_log2(e0, MPFR_RNDN);
		mpfr_add(s->fine_p, s->fine_p, e0, MPFR_RNDN);
	} else {
		mpfr_expm1(s->fine_rest, s->fine_p, MPFR_RNDN);
		mpfr_neg(s->fine_rest, s->fine_rest, MPFR_RNDN);
	}
	mpfr_log(s->fine_rest, s->fine_rest, MPFR_RNDN);
	s->log_p = mpfr_get_d(s->fine_p, MPFR_RNDN);
	s->log_rest = mpfr_get_d(s->fine_rest, MPFR_RNDN);
	mpfr_sub(e0, s->fine_p, s->fine_rest, MPFR_RNDN);
	mpfr_exp(e0, e0, MPFR_RNDN);
	s->odds = mpfr_get_d(e0, MPFR_RNDN);
	mpfr_clear(e0);
}

enum sotto_status sotto_shuffle_new(const struct sotto_event *e, struct sotto_work *work,
				    struct sotto_shuffle **out)
{
	struct sotto_shuffle *s = calloc(1, sizeof *s);

	if (!s)
		return SOTTO_ENOMEM;
	s->epsilon0 = sotto_rational_double_up(&e->local_epsilon);
	s->users = fmin((double)(e->users - 1), USERS_MAX);
	s->capped = (double)(e->users - 1) > USERS_MAX;
	s->work = work;
	s->alpha = 1 / (1 + exp(-s->epsilon0));
	s->rest_alpha = exp(-s->epsilon0) * s->alpha;
	set_logs(s, e);
	s->p = exp(s->log_p);
	*out = s;
	return SOTTO_OK;
}

void sotto_shuffle_free(struct sotto_shuffle *s)
{
	if (!s)
		return;
	mpfr_clears(s->fine_p, s->fine_rest, (mpfr_ptr)0);
	free(s);
}

/* out += log of the binomial coefficient n over k */
static void add_log_choose(mpfr_t out, double n, double k)
{
	mpfr_t a;

	mpfr_init2(a, FINE_BITS);
	mpfr_set_d(a, n + 1, MPFR_RNDN);
	mpfr_lngamma(a, a, MPFR_RNDN);
	mpfr_add(out, out, a, MPFR_RNDN);
	mpfr_set_d(a, k + 1, MPFR_RNDN);
	mpfr_lngamma(a, a, MPFR_RNDN);
	mpfr_sub(out, out, a, MPFR_RNDN);
	mpfr_set_d(a, n - k + 1, MPFR_RNDN);
	mpfr_lngamma(a, a, MPFR_RNDN);
	mpfr_sub(out, out, a, MPFR_RNDN);
	mpfr_clear(a);
}

/* log of P(C = c) times the binomial mass of x out of c at 1/2 */
static double log_joint(const struct sotto_shuffle *s, double c, double x)
{
	mpfr_t sum, t;
	double d;

	mpfr_inits2(FINE_BITS, sum, t, (mpfr_ptr)0);
	mpfr_const_log2(sum, MPFR_RNDN);
	mpfr_mul_d(sum, sum, -c, MPFR_RNDN);
	mpfr_mul_d(t, s->fine_p, c, MPFR_RNDN);
	mpfr_add(sum, sum, t, MPFR_RNDN);
	mpfr_mul_d(t, s->fine_rest, s->users - c, MPFR_RNDN);
	mpfr_add(sum, sum, t, MPFR_RNDN);
	add_log_choose(sum, s->users, c);
	add_log_choose(sum, c, x);
	d = mpfr_get_d(sum, MPFR_RNDN);
	mpfr_clears(sum, t, (mpfr_ptr)0);
	return d;
}

double sotto_shuffle_mu(const struct sotto_shuffle *s)
{
	return 2 * tanh(s->epsilon0 / 2) / sqrt(s->users * s->p + 1);
}

/* Chernoff: P(C beyond c) <= exp(-users KL(c/users, p)) */
static double log_beyond(const struct sotto_shuffle *s, double c)
{
	double x = c / s->users, sum = 0;

	if (c > 0)
		sum += c * (log(x) - s->log_p);
	if (c < s->users)
		sum += (s->users - c) * (log1p(-x) - s->log_rest);
	return -sum;
}

/* The last c towards end whose Chernoff bound is above exp(-log_mass). */
static double window_end(const struct sotto_shuffle *s, double end, double log_mass)
{
	double near = floor(s->users * s->p), far = end;

	if (log_beyond(s, far) > -log_mass)
		return far;
	while (fabs(far - near) > 1) {
		double middle = floor(0.5 * (near + far));

		if (log_beyond(s, middle) > -log_mass)
			near = middle;
		else
			far = middle;
	}
	return far;
}

/* One value of epsilon: P > e^epsilon Q iff x > share (c+1). */
struct threshold {
	double share;
	double up; /* alpha - e^epsilon (1-alpha) > 0 */
	double doubt; /* its error by that of epsilon0, which counts near the top */
	double gain; /* e^epsilon - 1 */
};

static struct threshold threshold_at(const struct sotto_shuffle *s, double epsilon)
{
	double gain = expm1(epsilon), up, down;

	/* both in a form without cancellation: alpha - rest = tanh(epsilon0/2) */
	up = s->rest_alpha * exp(epsilon) * expm1(s->epsilon0 - epsilon);
	down = s->alpha * gain + tanh(s->epsilon0 / 2);
	return (struct threshold){.share = down / (up + down),
				  .up = up,
				  .doubt = 4 * SOTTO_U * s->epsilon0 * s->rest_alpha *
					   exp(epsilon),
				  .gain = gain};
}

/*
 * A walk over c: b is the binomial mass of m-1 out of c at 1/2, tail that of m and
 * above, both divided by a reference; weight is the mass of c, divided by its own.
 */
struct walk {
	double c, m;
	double b, tail, weight;
};

/* Sum of masses from m on over that at m-1, term by term. */
static double tail_ratio(double c, double m)
{
	double term = 1, sum = 0;

	for (double x = m; x <= c && term > 0x1p-70 * sum; x++) {
		term *= (c - x + 1) / x;
		sum += term;
	}
	return sum;
}

/* The least x above the threshold; there always is one, x = c + 1. */
static double first_above(const struct threshold *t, double c)
{
	return fmin(floor(t->share * (c + 1)) + 1, c + 1);
}

static struct walk start(const struct threshold *t, double c)
{
	double m = first_above(t, c);

	return (struct walk){c, m, 1, tail_ratio(c, m), 1};
}

/* c grows by one; m follows its threshold, by at most one. */
static void step(const struct sotto_shuffle *s, const struct threshold *t, struct walk *w)
{
	double m = first_above(t, w->c + 1);

	w->weight *= (s->users - w->c) / (w->c + 1) * s->odds;
	w->tail += 0.5 * w->b;
	w->b *= 0.5 * (w->c + 1) / (w->c + 2 - w->m);
	w->c++;
	if (m > w->m) {
		w->b *= (w->c - w->m + 1) / w->m;
		w->tail -= w->b;
		w->m = m;
	}
}

/*
 * Steps of the recurrence before it is started anew.  Along c the tail falls by
 * exp(-(2 share - 1)^2/2) a step while its error stays: it may fall by e^2.  Starting
 * costs some sqrt(c) terms, which sets the length for many users.
 */
static double stretch_length(const struct sotto_shuffle *s, const struct threshold *t)
{
	double lean = 2 * t->share - 1, most = fmax(STRETCH_MIN, sqrt(s->users * s->p));

	return fmax(1, floor(fmin(most, 4 / (lean * lean))));
}

struct total {
	double log_scale; /* of sum and error */
	double sum, error;
};

static void add_stretch(struct total *t, double log_scale, double sum, double error)
{
	if (log_scale > t->log_scale) {
		double shrink = exp(t->log_scale - log_scale);

		t->sum *= shrink;
		t->error *= shrink;
		t->log_scale = log_scale;
	}
	t->sum += sum * exp(log_scale - t->log_scale);
	t->error += error * exp(log_scale - t->log_scale);
}

/*
 * delta given c is up b - gain tail.  The recurrences lose a few u a step, the
 * difference makes that relative to its two terms.
 */
static void walk_stretch(const struct sotto_shuffle *s, const struct threshold *t, double from,
			 double to, struct total *total)
{
	struct walk w = start(t, from);
	double scale = log_joint(s, from, w.m - 1);
	double sum = 0, error = 0, lost = 64 * SOTTO_U;

	for (;;) {
		double plus = t->up * w.b, minus = t->gain * w.tail;

		sum += w.weight * (plus - minus);
		error += w.weight * ((plus + minus) * lost + t->doubt * w.b);
		if (w.c >= to)
			break;
		step(s, t, &w);
		lost += 128 * SOTTO_U; /* 16 u, times e^2 */
	}
	error += sum * 4 * SOTTO_U * fabs(scale);
	add_stretch(total, scale, sum, error);
}

static double log_sum(double a, double b)
{
	double most = fmax(a, b);

	return isinf(most) ? most : most + log(exp(a - most) + exp(b - most));
}

/* Starting a stretch takes logs of factorials, and a tail term by term. */
static double start_steps(const struct sotto_shuffle *s)
{
	return 2.5 * SOTTO_WORK_PRECISE + 20 * sqrt(s->users);
}

static void integrate(const struct sotto_shuffle *s, double epsilon, double log_mass,
		      double *log_low, double *log_high)
{
	struct threshold t = threshold_at(s, epsilon);
	double low = window_end(s, 0, log_mass), high = window_end(s, s->users, log_mass);
	double length = stretch_length(s, &t);
	struct total total = {.log_scale = -INFINITY};

	*log_low = -INFINITY;
	*log_high = 0;
	if (!sotto_work_take(s->work, 4 * (high - low) + SOTTO_WORK_PRECISE +
					      start_steps(s) * ((high - low) / length + 1)))
		return;
	for (double c = low; c <= high; c += length)
		walk_stretch(s, &t, c, fmin(c + length - 1, high), &total);
	*log_high = log_sum(total.log_scale + log(total.sum + total.error), M_LN2 - log_mass);
	*log_high = fmin(0, sotto_ulps_up(*log_high, 8));
	if (total.sum > total.error)
		*log_low = sotto_ulps_down(total.log_scale + log(total.sum - total.error), 8);
}

enum sotto_status sotto_shuffle_delta(const struct sotto_shuffle *s, double epsilon,
				      double *log_low, double *log_high)
{
	*log_low = *log_high = -INFINITY;
	if (epsilon >= s->epsilon0)
		return SOTTO_OK;
	/* the mass outside the window must be small beside delta, which is not yet known */
	for (double log_mass = 90; log_mass < 1e6; log_mass *= 4) {
		integrate(s, epsilon, log_mass, log_low, log_high);
		if (*log_low > 50 - log_mass || sotto_work_is_spent(s->work))
			break;
	}
	if (s->capped)
		*log_low = -INFINITY;
	return SOTTO_OK;
}
