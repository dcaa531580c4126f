/*
 * Convolves the finite laws into at most 64 outcomes and adds the base's curve at each shifted
 * epsilon, both sides apart; epsilon is found by the root search.
 */
#include "core/account/loss/beside_curve.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/root.h"
#include "core/account/loss/loss_curve.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"

/* Sums over so few of them are quick, where the base is. */
enum { OUTCOMES = 64, QUICK_OUTCOMES = 4 };

struct sotto_beside {
	struct sotto_terms base, rest; /* the continuous law, and the others */
	struct sotto_curve *forth, *back; /* of the base, in both directions */
	struct sotto_loss_measure measure; /* of the others: what is infinite or left out */
	bool measured;
	size_t n;
	double loss[OUTCOMES], error[OUTCOMES]; /* a loss is good to this */
	double log_mass[OUTCOMES]; /* good to mass_error */
	double mass_error;
};

void sotto_beside_free(struct sotto_beside *b)
{
	if (!b)
		return;
	sotto_curve_free(b->forth);
	sotto_curve_free(b->back);
	if (b->measured)
		sotto_measure_release(&b->measure);
	sotto_terms_release(&b->base);
	sotto_terms_release(&b->rest);
	free(b);
}

static bool is_continuous(const struct sotto_event *e)
{
	if (e->kind == SOTTO_EVENT_SAMPLED)
		return e->children[0]->kind == SOTTO_EVENT_GAUSSIAN ||
		       e->children[0]->kind == SOTTO_EVENT_LAPLACE;
	return e->kind == SOTTO_EVENT_GAUSSIAN || e->kind == SOTTO_EVENT_LAPLACE;
}

/* True if the base has a closed form: Gaussians, or one event once; none of them so little that a measure leaves it out. */
static bool is_simple(const struct sotto_terms *base)
{
	bool gaussian = base->n > 0;

	for (size_t i = 0; i < base->n; i++) {
		if (sotto_event_is_tiny(base->list[i].event))
			return false;
		gaussian &= base->list[i].event->kind == SOTTO_EVENT_GAUSSIAN;
	}
	return gaussian ||
	       (base->n == 1 && base->list[0].count == 1 && base->list[0].event->count == 1);
}

static enum sotto_status split(struct sotto_beside *b, const struct sotto_terms *t)
{
	if (t->n_laplace)
		return SOTTO_EREFUSED;
	for (size_t i = 0; i < t->n; i++)
		SOTTO_TRY(sotto_terms_add(is_continuous(t->list[i].event) ? &b->base : &b->rest,
					  t->list[i].event, t->list[i].count));
	sotto_terms_sort(&b->base);
	sotto_terms_sort(&b->rest);
	return is_simple(&b->base) && b->rest.n > 0 ? SOTTO_OK : SOTTO_EREFUSED;
}

/* All outcomes so far, each followed by each atom of the law. */
static enum sotto_status add_law(struct sotto_beside *b, const struct sotto_law *law)
{
	size_t before = b->n;

	if (before * law->n > OUTCOMES)
		return SOTTO_EREFUSED;
	for (size_t i = before; i-- > 0;)
		for (size_t j = law->n; j-- > 0;) {
			size_t k = i * law->n + j;
			double loss = b->loss[i] + law->loss[j];

			b->error[k] = b->error[i] + law->loss_shift +
				      (law->loss_error + 2 * SOTTO_U) *
					      (fabs(law->loss[j]) + fabs(loss));
			b->log_mass[k] = b->log_mass[i] + log(law->mass[j]);
			b->loss[k] = loss;
		}
	b->n = before * law->n;
	b->mass_error += law->mass_error + 4 * SOTTO_U;
	return SOTTO_OK;
}

static enum sotto_status list_outcomes(struct sotto_beside *b, enum sotto_direction direction)
{
	b->n = 1; /* nothing yet: loss 0, probability 1 */
	SOTTO_TRY(sotto_measure_list(&b->measure, &b->rest, direction));
	b->measured = true;
	for (size_t i = 0; i < b->measure.n; i++)
		for (uint64_t k = 0; k < b->measure.laws[i].count; k++)
			SOTTO_TRY(add_law(b, &b->measure.laws[i]));
	return SOTTO_OK;
}

static enum sotto_status
build(struct sotto_beside *b, const struct sotto_terms *t, enum sotto_direction direction)
{
	enum sotto_direction other = direction == SOTTO_REMOVE ? SOTTO_ADD : SOTTO_REMOVE;

	SOTTO_TRY(split(b, t));
	SOTTO_TRY(list_outcomes(b, direction));
	SOTTO_TRY(sotto_curve_new(&b->base, direction, &b->forth));
	return sotto_curve_new(&b->base, other, &b->back);
}

enum sotto_status sotto_beside_new(const struct sotto_terms *t, enum sotto_direction direction,
				   struct sotto_beside **out)
{
	struct sotto_beside *b = calloc(1, sizeof *b);
	enum sotto_status st;

	if (!b)
		return SOTTO_ENOMEM;
	sotto_terms_init(&b->base, t->neighbours);
	sotto_terms_init(&b->rest, t->neighbours);
	b->base.work = b->rest.work = t->work;
	st = build(b, t, direction);
	if (st != SOTTO_OK) {
		sotto_beside_free(b);
		return st;
	}
	*out = b;
	return SOTTO_OK;
}

bool sotto_beside_make_rough(struct sotto_beside *b)
{
	bool forth = sotto_curve_make_rough(b->forth), back = sotto_curve_make_rough(b->back);

	return forth && back && b->n <= QUICK_OUTCOMES;
}

/* log base(y), which falls with y, on one side. */
static enum sotto_status log_base(struct sotto_beside *b, double y, bool upper, double *out)
{
	double low, high, value, rest;

	if (y >= 0) {
		SOTTO_TRY(sotto_curve_delta(b->forth, y, &low, &high));
		*out = upper ? high : low;
		return SOTTO_OK;
	}
	SOTTO_TRY(sotto_curve_delta(b->back, -y, &low, &high));
	rest = exp(y + (upper ? high : low));
	value = -expm1(y) + rest;
	*out = upper ? fmin(0, log(value) + 8 * SOTTO_U) : log(value) - 8 * SOTTO_U;
	return SOTTO_OK;
}

/* log of the sum over all outcomes, on one side. */
static enum sotto_status
log_sum(struct sotto_beside *b, double epsilon, bool upper, double *out)
{
	double part[OUTCOMES], most = -INFINITY, sum = 0, slack;

	for (size_t i = 0; i < b->n; i++) {
		double y = epsilon - b->loss[i],
		       error = b->error[i] + 2 * SOTTO_U * (fabs(y) + epsilon), at;

		SOTTO_TRY(log_base(b, upper ? y - error : y + error, upper, &at));
		part[i] = b->log_mass[i] + at;
		most = fmax(most, part[i]);
	}
	*out = -INFINITY;
	if (isinf(most))
		return SOTTO_OK;
	for (size_t i = 0; i < b->n; i++)
		sum += exp(part[i] - most);
	/* parts with exponents far below the largest err more, but weigh nothing */
	slack = b->mass_error + SOTTO_U * (16 + (double)b->n + 8 * fabs(most) + 64);
	*out = most + log(sum);
	*out = upper ? fmin(0, *out + slack) : *out - slack;
	return SOTTO_OK;
}

enum sotto_status
sotto_beside_delta(struct sotto_beside *b, double epsilon, double *log_low, double *log_high)
{
	SOTTO_TRY(log_sum(b, epsilon, true, log_high));
	SOTTO_TRY(log_sum(b, epsilon, false, log_low));
	*log_high = sotto_measure_whole_up(&b->measure, *log_high);
	*log_low = sotto_measure_whole_down(&b->measure, *log_low);
	return SOTTO_OK;
}

static enum sotto_status value_high(void *context, double x, double *out)
{
	struct sotto_beside *b = context;

	SOTTO_TRY(log_sum(b, x, true, out));
	*out = sotto_measure_whole_up(&b->measure, *out);
	return SOTTO_OK;
}

static enum sotto_status value_low(void *context, double x, double *out)
{
	struct sotto_beside *b = context;

	SOTTO_TRY(log_sum(b, x, false, out));
	*out = sotto_measure_whole_down(&b->measure, *out);
	return SOTTO_OK;
}

/* Near the base's epsilon, moved by the mean loss of the others. */
static double guess(const struct sotto_beside *b)
{
	double mean = 0;

	for (size_t i = 0; i < b->n; i++)
		mean += exp(b->log_mass[i]) * b->loss[i];
	return mean;
}

/* Where infinite losses alone may use up delta, nothing is said here. */
enum sotto_status sotto_beside_epsilon(struct sotto_beside *b, const struct sotto_level *level,
				       double *lower, double *upper)
{
	struct sotto_root r = {.context = b, .most = INFINITY, .tolerance = 1e-13};

	if (isinf(level->log_down) ||
	    sotto_measure_whole_up(&b->measure, -INFINITY) > level->log_down - 1e-6)
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_curve_epsilon(b->forth, level, lower, upper));
	if (isinf(*upper))
		return SOTTO_EREFUSED;
	r.guess = fmax(*upper + guess(b), 1e-6);
	r.slope = fmin(-1, level->log_down / (r.guess + 1e-300));
	return sotto_root_both(&r, value_low, value_high, level->log_down, level->log_up, lower,
			       upper);
}
