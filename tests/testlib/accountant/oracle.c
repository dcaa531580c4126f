/*
 * Composes all laws but one as lists of atoms, then adds up the closed form of that one at each
 * shifted epsilon; sampling uses the identities of its two directions.
 */
#include "testlib/accountant/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "testlib/number.h"
#include "testlib/accountant/oracle_laplace.h"
#include "testlib/accountant/oracle_law.h"

#define N MPFR_RNDN

enum base { NOTHING, GAUSSIAN, LAPLACES };

struct oracle {
	enum direction direction;
	enum base base; /* the law that is done in closed form */
	bool sampled;
	struct sotto_rational rate; /* if sampled */
	mpfr_t mu;
	struct laplaces laplaces;
	struct law outer; /* all others, composed */
};

static bool is_continuous(const struct oracle_event *e)
{
	return e->kind == ORACLE_LAPLACE || e->kind == ORACLE_GAUSSIAN;
}

static void unsampled_law(struct law *l, const struct oracle_event *e)
{
	struct sotto_rational a = rational_of(e->a), b = rational_of(e->b ? e->b : "0");

	switch (e->kind) {
	case ORACLE_PURE:
	case ORACLE_APPROX:
		law_approx(l, a.q, b.q);
		break;
	case ORACLE_RESPONSE:
		law_response(l, a.q, e->n);
		break;
	case ORACLE_GEOMETRIC:
		law_geometric(l, a.q, e->n);
		break;
	case ORACLE_DISCRETE_GAUSSIAN:
		law_discrete_gaussian(l, a.q, e->n);
		break;
	case ORACLE_SHUFFLE:
	case ORACLE_BINARY_SHUFFLE:
		law_shuffle(l, a.q, e->n, e->kind == ORACLE_BINARY_SHUFFLE);
		break;
	case ORACLE_LAPLACE:
		law_laplaces(l, a.q, 1);
		break;
	case ORACLE_GAUSSIAN:
		law_gaussian(l, a.q);
		break;
	}
	sotto_rational_release(&a);
	sotto_rational_release(&b);
}

static void law_of(struct law *l, const struct oracle_event *e, enum direction direction)
{
	unsampled_law(l, e);
	if (e->rate) {
		struct sotto_rational rate = rational_of(e->rate);

		law_sample(l, rate.q, direction);
		sotto_rational_release(&rate);
	}
	if (e->beside) {
		struct law other;

		law_of(&other, e->beside, direction);
		law_worst(l, &other);
		law_release(&other);
	}
}

/* mu^2 of all plain Gaussians */
static bool sum_gaussians(struct oracle *o, const struct oracle_event *list, size_t n)
{
	mpfr_t part;

	mpfr_init2(part, ORACLE_BITS);
	mpfr_set_zero(o->mu, 1);
	for (size_t i = 0; i < n; i++) {
		struct sotto_rational sigma;

		if (list[i].kind != ORACLE_GAUSSIAN || list[i].rate)
			continue;
		sigma = rational_of(list[i].a);
		mpfr_set_ui(part, 1, N);
		mpfr_div_q(part, part, sigma.q, N);
		mpfr_sqr(part, part, N);
		mpfr_mul_ui(part, part, list[i].count, N);
		mpfr_add(o->mu, o->mu, part, N);
		sotto_rational_release(&sigma);
	}
	mpfr_sqrt(o->mu, o->mu, N);
	mpfr_clear(part);
	return mpfr_sgn(o->mu) > 0;
}

/* Takes one sampled Gaussian, or the first Laplace event, for the closed form. */
static size_t choose(const struct oracle_event *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].kind == ORACLE_GAUSSIAN)
			return i;
	for (size_t i = 0; i < n; i++)
		if (list[i].kind == ORACLE_LAPLACE)
			return i;
	return n;
}

static void take(struct oracle *o, const struct oracle_event *e)
{
	struct sotto_rational a = rational_of(e->a);

	o->base = e->kind == ORACLE_GAUSSIAN ? GAUSSIAN : LAPLACES;
	o->sampled = e->rate != NULL;
	if (e->rate)
		o->rate = rational_of(e->rate);
	if (o->base == LAPLACES) {
		laplaces_init(&o->laplaces, a.q, e->rate ? 1 : e->count);
	} else {
		mpfr_set_ui(o->mu, 1, N);
		mpfr_div_q(o->mu, o->mu, a.q, N);
	}
	sotto_rational_release(&a);
}

static void compose_event(struct oracle *o, const struct oracle_event *e, unsigned count)
{
	struct sotto_rational a = rational_of(e->a);
	struct law one;

	if (count == 0) {
		sotto_rational_release(&a);
		return;
	}
	if (is_continuous(e) && o->base == LAPLACES) {
		printf("Bail out! the oracle has one kinked continuous law only\n");
		exit(1);
	}
	if (e->kind == ORACLE_LAPLACE && !e->rate) {
		law_laplaces(&one, a.q, count);
		count = 1;
	} else {
		law_of(&one, e, o->direction);
	}
	law_compose(&o->outer, &one, count);
	law_release(&one);
	sotto_rational_release(&a);
}

struct oracle *oracle_new(const struct oracle_event *list, size_t n, enum direction direction)
{
	struct oracle *o = calloc(1, sizeof *o);
	size_t chosen = n;

	o->direction = direction;
	mpfr_init2(o->mu, ORACLE_BITS);
	law_nothing(&o->outer);
	if (sum_gaussians(o, list, n))
		o->base = GAUSSIAN;
	else if ((chosen = choose(list, n)) < n)
		take(o, &list[chosen]);
	for (size_t i = 0; i < n; i++) {
		bool plain = list[i].kind == ORACLE_GAUSSIAN && !list[i].rate;
		bool whole = i == chosen && o->base == LAPLACES && !o->sampled;

		if (!plain && !whole)
			compose_event(o, &list[i], list[i].count - (i == chosen));
	}
	return o;
}

void oracle_free(struct oracle *o)
{
	mpfr_clear(o->mu);
	law_release(&o->outer);
	if (o->base == LAPLACES)
		laplaces_release(&o->laplaces);
	if (o->sampled)
		sotto_rational_release(&o->rate);
	free(o);
}

/* The normal distribution function. */
static void normal(mpfr_t out, const mpfr_t x)
{
	mpfr_t root;

	mpfr_init2(root, ORACLE_BITS);
	mpfr_sqrt_ui(root, 2, N);
	mpfr_div(out, x, root, N);
	mpfr_neg(out, out, N);
	mpfr_erfc(out, out, N);
	mpfr_div_ui(out, out, 2, N);
	mpfr_clear(root);
}

/* Phi(mu/2 - y/mu) - e^y Phi(-mu/2 - y/mu) */
static void gaussian_delta(const struct oracle *o, const mpfr_t y, mpfr_t out)
{
	mpfr_t half, ratio, second;

	mpfr_inits2(ORACLE_BITS, half, ratio, second, (mpfr_ptr)0);
	mpfr_div_ui(half, o->mu, 2, N);
	mpfr_div(ratio, y, o->mu, N);
	mpfr_sub(out, half, ratio, N);
	normal(out, out);
	mpfr_add(half, half, ratio, N);
	mpfr_neg(half, half, N);
	normal(second, half);
	mpfr_exp(half, y, N);
	mpfr_mul(second, second, half, N);
	mpfr_sub(out, out, second, N);
	mpfr_clears(half, ratio, second, (mpfr_ptr)0);
}

/* Adds mass (1 - e^(y - loss)) for each loss above y. */
static void add_excess(const struct law *l, const mpfr_t y, mpfr_t out)
{
	mpfr_t t;

	mpfr_init2(t, ORACLE_BITS);
	for (size_t i = 0; i < l->n; i++) {
		mpfr_sub(t, y, l->loss[i], N);
		if (mpfr_sgn(t) >= 0)
			continue;
		mpfr_expm1(t, t, N);
		mpfr_mul(t, t, l->mass[i], N);
		mpfr_sub(out, out, t, N);
	}
	mpfr_clear(t);
}

static void base_delta(const struct oracle *o, const mpfr_t y, mpfr_t out)
{
	struct law above;

	mpfr_set_zero(out, 1);
	switch (o->base) {
	case NOTHING:
		if (mpfr_sgn(y) < 0) {
			mpfr_expm1(out, y, N);
			mpfr_neg(out, out, N);
		}
		return;
	case GAUSSIAN:
		gaussian_delta(o, y, out);
		return;
	case LAPLACES:
		laplaces_nodes(&o->laplaces, y, &above);
		add_excess(&above, y, out);
		law_release(&above);
		return;
	}
}

/* [(1-q) Q + q P - t Q]+ = q [P - s Q]+, s = (t - 1 + q)/q; 1 - t if s <= 0 */
static void removed_delta(const struct oracle *o, const mpfr_t y, mpfr_t out)
{
	mpfr_t s;

	mpfr_init2(s, ORACLE_BITS);
	mpfr_expm1(s, y, N);
	mpfr_div_q(s, s, o->rate.q, N);
	mpfr_add_ui(s, s, 1, N);
	if (mpfr_sgn(s) <= 0) {
		mpfr_expm1(out, y, N);
		mpfr_neg(out, out, N);
	} else {
		mpfr_log(s, s, N);
		base_delta(o, s, out);
		mpfr_mul_q(out, out, o->rate.q, N);
	}
	mpfr_clear(s);
}

/* [P - t ((1-q) P + q Q)]+ = v [P - (t q/v) Q]+, v = 1 - t (1-q); 0 if v <= 0 */
static void added_delta(const struct oracle *o, const mpfr_t y, mpfr_t out)
{
	mpfr_t v, s;

	mpfr_inits2(ORACLE_BITS, v, s, (mpfr_ptr)0);
	mpfr_set_q(v, o->rate.q, N);
	mpfr_ui_sub(v, 1, v, N);
	mpfr_exp(s, y, N);
	mpfr_mul(v, v, s, N);
	mpfr_ui_sub(v, 1, v, N);
	mpfr_set_zero(out, 1);
	if (mpfr_sgn(v) > 0) {
		mpfr_mul_q(s, s, o->rate.q, N);
		mpfr_div(s, s, v, N);
		mpfr_log(s, s, N);
		base_delta(o, s, out);
		mpfr_mul(out, out, v, N);
	}
	mpfr_clears(v, s, (mpfr_ptr)0);
}

void oracle_delta(const struct oracle *o, double epsilon, mpfr_t delta)
{
	mpfr_t y, part;

	mpfr_inits2(ORACLE_BITS, y, part, (mpfr_ptr)0);
	mpfr_set(delta, o->outer.only_p, N);
	for (size_t i = 0; i < o->outer.n; i++) {
		mpfr_set_d(y, epsilon, N);
		mpfr_sub(y, y, o->outer.loss[i], N);
		if (!o->sampled)
			base_delta(o, y, part);
		else if (o->direction == REMOVE)
			removed_delta(o, y, part);
		else
			added_delta(o, y, part);
		mpfr_fma(delta, part, o->outer.mass[i], delta, N);
	}
	mpfr_clears(y, part, (mpfr_ptr)0);
}

double oracle_worst_delta(const struct oracle_event *list, size_t n, double epsilon)
{
	double worst = 0;
	mpfr_t d;

	mpfr_init2(d, ORACLE_BITS);
	for (int way = REMOVE; way <= ADD; way++) {
		struct oracle *o = oracle_new(list, n, (enum direction)way);

		oracle_delta(o, epsilon, d);
		worst = fmax(worst, mpfr_get_d(d, N));
		oracle_free(o);
	}
	mpfr_clear(d);
	return worst;
}
