/*
 * Polynomials with exact integer coefficients, evaluated at every outcome; the sizes of all
 * parts are summed beside them, and precision grows until the error is below 2^-60.
 */
#include "core/account/loss/laplace/laplace_residues.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "core/account/integral/real.h"
#include "core/account/loss/laplace/laplace_outcomes.h"
#include "core/base/failure.h"

enum { EVENTS_MAX = 160, WORK_MAX = 60000, BITS_MAX = 1 << 15, LOG_BITS = 128 };

struct sotto_laplace_sum {
	const struct sotto_terms *terms;
	enum sotto_direction direction;
	unsigned k; /* Laplace events in all */
	mpfr_prec_t bits;
	struct sotto_laplace_outcomes outcomes;
	mpfr_t *coefficients; /* of Q_j, (k+1) times k, highest power first */
};

static uint64_t laplace_events(const struct sotto_terms *t)
{
	uint64_t k = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->list[i].event->kind == SOTTO_EVENT_LAPLACE)
			k += t->list[i].count;
	for (size_t i = 0; i < t->n_laplace; i++)
		k += t->laplace_count[i];
	return k;
}

/* Outcomes that count draws of an event have, INFINITY if it is not a small finite law. */
static double outcomes_of(const struct sotto_term *term)
{
	const struct sotto_event *e = term->event;
	double atoms = 2, ways = 1;

	switch (e->kind) {
	case SOTTO_EVENT_LAPLACE:
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_APPROX:
	case SOTTO_EVENT_EXPONENTIAL:
		break;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		atoms = e->answers > 2 ? 3 : 2;
		break;
	case SOTTO_EVENT_GEOMETRIC:
		atoms = (double)e->sensitivity + 1;
		break;
	default:
		return INFINITY;
	}
	for (double i = 1; i < atoms && ways <= WORK_MAX; i++)
		ways *= ((double)term->count + i) / i;
	return ways;
}

bool sotto_laplace_sum_fits(const struct sotto_terms *t)
{
	uint64_t k = laplace_events(t);
	double ways = 1;

	if (k == 0 || k > EVENTS_MAX)
		return false;
	for (size_t i = 0; i < t->n; i++)
		ways *= outcomes_of(&t->list[i]);
	for (size_t i = 0; i < t->n_laplace; i++)
		ways *= (double)t->laplace_count[i] + 1;
	return ways * (double)k <= WORK_MAX;
}

static void release_coefficients(struct sotto_laplace_sum *s)
{
	if (!s->coefficients)
		return;
	for (size_t i = 0; i < (size_t)(s->k + 1) * s->k; i++)
		mpfr_clear(s->coefficients[i]);
	free(s->coefficients);
	s->coefficients = NULL;
}

/* Coefficient i of (v-1)^(j-1) (v+1)^(k-j-1), a power series for j = 0 and j = k. */
static void set_integers(mpz_t *b, unsigned k, unsigned j)
{
	for (unsigned i = 0; i < k; i++)
		mpz_set_ui(b[i], 0);
	mpz_set_si(b[0], 1);
	/* times (v-1) or (v+1), one factor after another; then the division, if any */
	for (unsigned f = 0; f + 1 < k - (j > 0 && j < k); f++) {
		bool minus = f + 1 < j || j == k;

		for (unsigned i = k - 1; i < k; i--) {
			if (minus)
				mpz_neg(b[i], b[i]);
			if (i > 0)
				mpz_add(b[i], b[i], b[i - 1]);
		}
	}
	if (j == 0) /* over (v-1): minus the running sum */
		for (unsigned i = 0; i < k; i++) {
			mpz_neg(b[i], b[i]);
			if (i > 0)
				mpz_add(b[i], b[i], b[i - 1]);
		}
	if (j == k) /* over (v+1): b_i - previous */
		for (unsigned i = 1; i < k; i++)
			mpz_sub(b[i], b[i], b[i - 1]);
}

/* Q_j(y) 2^-(k-1) = sum of B_i y^(k-1-i)/(k-1-i)! */
static enum sotto_status set_coefficients(struct sotto_laplace_sum *s)
{
	unsigned k = s->k;
	mpz_t *b = malloc(k * sizeof *b), factorial;

	s->coefficients = malloc((size_t)(k + 1) * k * sizeof *s->coefficients);
	if (!b || !s->coefficients) {
		free(b);
		free(s->coefficients);
		s->coefficients = NULL;
		return SOTTO_ENOMEM;
	}
	for (unsigned i = 0; i < k; i++)
		mpz_init(b[i]);
	mpz_init(factorial);
	for (unsigned j = 0; j <= k; j++) {
		set_integers(b, k, j);
		for (unsigned i = 0; i < k; i++) {
			mpfr_t *c = &s->coefficients[(size_t)j * k + i];

			mpfr_init2(*c, s->bits);
			mpz_fac_ui(factorial, k - 1 - i);
			mpfr_set_z(*c, b[i], MPFR_RNDN);
			mpfr_div_z(*c, *c, factorial, MPFR_RNDN);
			mpfr_div_2ui(*c, *c, k - 1, MPFR_RNDN);
		}
	}
	for (unsigned i = 0; i < k; i++)
		mpz_clear(b[i]);
	mpz_clear(factorial);
	free(b);
	return SOTTO_OK;
}

/* What an outcome takes to be listed, and a factor of a coefficient (work.h). */
#define LIST_STEPS 2e3
#define COEFFICIENT_STEPS 10

static enum sotto_status prepare(struct sotto_laplace_sum *s, mpfr_prec_t bits)
{
	release_coefficients(s);
	sotto_laplace_outcomes_release(&s->outcomes);
	s->bits = bits;
	SOTTO_TRY(sotto_laplace_outcomes_list(&s->outcomes, s->terms, s->direction, bits));
	sotto_work_use(s->terms->work,
		       LIST_STEPS * (double)s->outcomes.n + COEFFICIENT_STEPS * pow(s->k, 3));
	return set_coefficients(s);
}

enum sotto_status sotto_laplace_sum_new(const struct sotto_terms *t,
					enum sotto_direction direction,
					struct sotto_laplace_sum **out)
{
	struct sotto_laplace_sum *s = calloc(1, sizeof *s);
	enum sotto_status st;

	if (!s)
		return SOTTO_ENOMEM;
	s->terms = t;
	s->direction = direction;
	s->k = (unsigned)laplace_events(t);
	st = prepare(s, 192 + 14 * (mpfr_prec_t)s->k);
	if (st != SOTTO_OK) {
		sotto_laplace_sum_free(s);
		return st;
	}
	*out = s;
	return SOTTO_OK;
}

void sotto_laplace_sum_free(struct sotto_laplace_sum *s)
{
	if (!s)
		return;
	release_coefficients(s);
	sotto_laplace_outcomes_release(&s->outcomes);
	free(s);
}

struct scratch {
	mpfr_t y, fall, q, size, sum, sizes;
};

/* One outcome's residues at x = 2y > 0; size bounds the magnitude of every part. */
static void add_outcome(const struct sotto_laplace_sum *s,
			const struct sotto_laplace_outcome *o, struct scratch *w)
{
	const mpfr_t *c = &s->coefficients[(size_t)o->down * s->k];

	mpfr_set_zero(w->q, 1);
	mpfr_set_zero(w->size, 1);
	for (unsigned i = 0; i < s->k; i++) {
		mpfr_mul(w->q, w->q, w->y, MPFR_RNDN);
		mpfr_add(w->q, w->q, c[i], MPFR_RNDN);
		mpfr_mul(w->size, w->size, w->y, MPFR_RNDU);
		if (mpfr_sgn(c[i]) < 0)
			mpfr_sub(w->size, w->size, c[i], MPFR_RNDU);
		else
			mpfr_add(w->size, w->size, c[i], MPFR_RNDU);
	}
	mpfr_neg(w->fall, w->y, MPFR_RNDN);
	mpfr_exp(w->fall, w->fall, MPFR_RNDN);
	mpfr_mul(w->q, w->q, w->fall, MPFR_RNDN);
	mpfr_mul(w->size, w->size, w->fall, MPFR_RNDU);
	mpfr_add_ui(w->size, w->size, 1, MPFR_RNDU);
	if (o->down == 0)
		mpfr_add_ui(w->q, w->q, 1, MPFR_RNDN);
	if (o->down == s->k) {
		mpfr_sqr(w->fall, w->fall, MPFR_RNDN);
		mpfr_sub(w->q, w->q, w->fall, MPFR_RNDN);
	}
	mpfr_fma(w->sum, w->q, o->weight, w->sum, MPFR_RNDN);
	mpfr_fma(w->sizes, w->size, o->weight, w->sizes, MPFR_RNDU);
}

/* sum is delta; every part lost fewer than 2^12 (k+1) units in the last place. */
static void sum_outcomes(const struct sotto_laplace_sum *s, double epsilon, struct scratch *w)
{
	mpfr_set_zero(w->sum, 1);
	mpfr_set_zero(w->sizes, 1);
	for (size_t i = 0; i < s->outcomes.n; i++) {
		const struct sotto_laplace_outcome *o = &s->outcomes.at[i];

		mpfr_sub_d(w->y, o->shift, epsilon, MPFR_RNDN);
		if (mpfr_sgn(w->y) <= 0)
			continue;
		mpfr_div_2ui(w->y, w->y, 1, MPFR_RNDN);
		add_outcome(s, o, w);
	}
	mpfr_mul_ui(w->sizes, w->sizes, (unsigned long)(s->k + 1) << 12, MPFR_RNDU);
	mpfr_div_2ui(w->sizes, w->sizes, (unsigned long)s->bits, MPFR_RNDU);
}

/* What the two logarithms of a value take (work.h), and an outcome besides its polynomial. */
#define LOG_STEPS 1e4
#define OUTCOME_STEPS 6e2

static double value_steps(const struct sotto_laplace_sum *s)
{
	double product = 40 + pow((double)s->bits, 1.5) / 500;

	return LOG_STEPS + (double)s->outcomes.n * (OUTCOME_STEPS + 2 * s->k * product);
}

/* True if the error left is below 2^-60 of the sum; the finite laws add 2^-120. */
static bool conclude(struct scratch *w, double *log_low, double *log_high)
{
	bool sharp;
	mpfr_t l;

	mpfr_div_2ui(w->q, w->sum, 60, MPFR_RNDN);
	sharp = mpfr_sgn(w->sum) > 0 && mpfr_cmp(w->sizes, w->q) < 0;
	mpfr_init2(l, LOG_BITS);
	mpfr_add(l, w->sum, w->sizes, MPFR_RNDU);
	mpfr_log(l, l, MPFR_RNDU);
	*log_high = fmin(0, sotto_next_up(sotto_real_double_up(l)));
	mpfr_sub(l, w->sum, w->sizes, MPFR_RNDD);
	*log_low = -INFINITY;
	if (mpfr_sgn(l) > 0) {
		mpfr_log(l, l, MPFR_RNDD);
		*log_low = sotto_next_down(sotto_real_double_down(l));
	}
	mpfr_clear(l);
	return sharp;
}

enum sotto_status sotto_laplace_sum_delta(struct sotto_laplace_sum *s, double epsilon,
					  double *log_low, double *log_high)
{
	for (;;) {
		struct scratch w;
		bool sharp;

		if (!sotto_work_take(s->terms->work, value_steps(s)))
			return SOTTO_EREFUSED;
		mpfr_inits2(s->bits, w.y, w.fall, w.q, w.size, w.sum, w.sizes, (mpfr_ptr)0);
		sum_outcomes(s, epsilon, &w);
		sharp = conclude(&w, log_low, log_high);
		mpfr_clears(w.y, w.fall, w.q, w.size, w.sum, w.sizes, (mpfr_ptr)0);
		if (sharp || s->bits > BITS_MAX)
			return SOTTO_OK;
		SOTTO_TRY(prepare(s, s->bits + s->bits / 2));
	}
}
