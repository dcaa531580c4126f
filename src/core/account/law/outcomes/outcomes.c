/* The outcomes of an event from those of its noise.  All bounds here are derived in outcomes.md. */
#include "core/account/law/outcomes/outcomes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"

/* Repetitions inside one event, and losses of one draw and of all of them together. */
enum { COUNT_MAX = 64 };
#define LOSS_MAX 300.0
#define REACH_MAX 500.0
/* The same without a sample: masses of one draw are still doubles. */
#define PLAIN_LOSS_MAX 600.0
#define PLAIN_REACH_MAX 1600.0
/* Of samples of discrete Gaussian noise; and beyond this one of P and Q is nothing beside the other. */
#define REACH_FAR 3000.0
#define REACH_TOLD 500.0
/* Rates farther from 0 and 1 than this keep their digits. */
#define RATE_MIN 1e-9
#define RATE_MAX 0.999
/* Around losses before sampling. */
#define RADIUS 0.9

enum sotto_status sotto_outcomes_init(struct sotto_outcomes *o, size_t n)
{
	if (n > SOTTO_OUTCOMES_MAX)
		return SOTTO_EREFUSED;
	*o = (struct sotto_outcomes){.n = n, .loss = calloc(2 * n + 1, sizeof *o->loss)};
	o->mass = o->loss + n;
	return o->loss ? SOTTO_OK : SOTTO_ENOMEM;
}

void sotto_outcomes_release(struct sotto_outcomes *o)
{
	free(o->loss);
	o->loss = o->mass = NULL;
}

/* Of all repetitions, sampling apart: no loss is made larger by it. */
static double whole_reach(const struct sotto_event *e)
{
	return (double)e->count * (e->kind == SOTTO_EVENT_SAMPLED ? whole_reach(e->children[0])
								  : sotto_outcomes_reach(e));
}

static bool is_possible(const struct sotto_event *e)
{
	double rate;

	if (e->count == 0 || e->count > COUNT_MAX)
		return false;
	if (e->kind != SOTTO_EVENT_SAMPLED)
		return sotto_outcomes_noise_possible(e, LOSS_MAX);
	rate = mpq_get_d(e->rate.q);
	return rate >= RATE_MIN && rate <= RATE_MAX && is_possible(e->children[0]);
}

bool sotto_outcomes_possible(const struct sotto_event *e)
{
	return is_possible(e) && whole_reach(e) <= REACH_MAX;
}

bool sotto_outcomes_plain_possible(const struct sotto_event *e)
{
	return e->count > 0 && e->count <= COUNT_MAX &&
	       sotto_outcomes_noise_possible(e, PLAIN_LOSS_MAX) &&
	       whole_reach(e) <= PLAIN_REACH_MAX;
}

bool sotto_outcomes_far_possible(const struct sotto_event *e)
{
	const struct sotto_event *noise = e->n_children ? e->children[0] : NULL;
	double rate;

	if (e->kind != SOTTO_EVENT_SAMPLED || e->count != 1 || noise->count > COUNT_MAX ||
	    !sotto_outcomes_is_discrete_gaussian(noise))
		return false;
	rate = mpq_get_d(e->rate.q);
	return rate >= RATE_MIN && rate <= RATE_MAX && whole_reach(noise) <= REACH_FAR;
}

/* Of disjoint cells that of the widest. */
static double widest_spread(const struct sotto_event *e)
{
	double most = 0;

	for (size_t i = 0; i < e->n_children; i++)
		most = fmax(most, sotto_outcomes_spread(e->children[i]));
	return most;
}

double sotto_outcomes_spread(const struct sotto_event *e)
{
	double root = sqrt((double)e->count), one, odds;

	if (e->kind == SOTTO_EVENT_SHUFFLE || e->kind == SOTTO_EVENT_ZCDP)
		return 0; /* far less than of other events */
	if (e->kind == SOTTO_EVENT_PARALLEL)
		return root * widest_spread(e);
	if (e->kind == SOTTO_EVENT_GROUP)
		return (double)e->size * sotto_outcomes_spread(e->children[0]);
	if (e->kind == SOTTO_EVENT_GAUSSIAN)
		return root * sqrt(mpq_get_d(e->mu_squared.q));
	if (e->kind == SOTTO_EVENT_DISCRETE_GAUSSIAN)
		return root * (double)e->sensitivity / sqrt(mpq_get_d(e->sigma_squared.q));
	if (e->kind != SOTTO_EVENT_SAMPLED)
		return root * fmin(sotto_outcomes_reach(e), 1.5);
	one = sotto_outcomes_spread(e->children[0]);
	odds = mpq_get_d(e->rate.q) * exp(fmin(one, 300));
	return root * one * odds / (1 + odds);
}

double sotto_outcomes_steepness(double rate, double reach, double radius)
{
	double odds = rate / (1 - rate) * exp(reach + radius);

	return isfinite(odds) ? odds / (1 + cos(radius) * odds) : 1 / cos(radius);
}

/* What is tame after sampling, before it. */
static struct sotto_tame
before_sampling(const struct sotto_tame *after, double rate, double reach)
{
	double radius = RADIUS, steep = sotto_outcomes_steepness(rate, reach, RADIUS);

	if (steep * radius > after->radius)
		radius = after->radius / steep;
	return (struct sotto_tame){steep * after->kappa + 1, radius, after->people,
				   after->places, steep * after->growth + 1};
}

/* log(1 - q + q e^x) */
static double mixed(double q, double x)
{
	if (x > 600) /* 1 - q is lost beside q e^x */
		return x + log(q);
	return q < 0.5 ? log1p(q * expm1(x)) : log((1 - q) + q * exp(x));
}

void sotto_outcomes_sample_one(double q, enum sotto_direction direction, double *loss,
			       double *mass)
{
	if (direction == SOTTO_REMOVE) {
		*mass *= q + (1 - q) * exp(-*loss);
		*loss = mixed(q, *loss);
	} else {
		*loss = -mixed(q, -*loss);
	}
}

/* Losses before sampling that only one of P and Q has become one outcome: (1-q) Q against Q, or P against (1-q) P. */
static enum sotto_status
sample_rest(struct sotto_outcomes *o, double q, enum sotto_direction direction)
{
	bool removed = direction == SOTTO_REMOVE;
	double mass = removed ? (1 - q) * o->missing : o->infinite, *all;
	size_t at = removed ? 0 : o->n;

	o->infinite *= removed ? q : 0;
	o->missing *= removed ? 0 : q;
	if (!(mass > 0))
		return SOTTO_OK;
	all = malloc(2 * (o->n + 1) * sizeof *all);
	if (!all)
		return SOTTO_ENOMEM;
	memcpy(all + removed, o->loss, o->n * sizeof *all);
	memcpy(all + o->n + 1 + removed, o->mass, o->n * sizeof *all);
	free(o->loss);
	o->n++;
	o->loss = all;
	o->mass = all + o->n;
	o->loss[at] = removed ? log1p(-q) : -log1p(-q);
	o->mass[at] = mass;
	return SOTTO_OK;
}

/* How much larger an error of the loss x is after sampling, L'(x) = q e^(x - L); and a relative one, |x| L'(x)/|L(x)|. */
struct gain {
	double shift, relative;
};

static struct gain gain_at(double q, double x)
{
	double l = mixed(q, x), slope = q * exp(x - l);

	return (struct gain){slope, l == 0 ? 1 : slope * fabs(x / l)};
}

static enum sotto_status
sample(struct sotto_outcomes *o, double q, enum sotto_direction direction)
{
	double reach = 0, relative = 1, shift = 0, moved;

	for (size_t i = 0; i < o->n; i++) {
		struct gain g =
			gain_at(q, direction == SOTTO_REMOVE ? o->loss[i] : -o->loss[i]);

		reach = fmax(reach, fabs(o->loss[i]));
		relative = fmax(relative, g.relative);
		shift = fmax(shift, g.shift);
	}
	moved = o->loss_error * reach + o->loss_shift;
	for (size_t i = 0; i < o->n; i++)
		sotto_outcomes_sample_one(q, direction, &o->loss[i], &o->mass[i]);
	for (size_t i = 0; i < o->heavy.n; i++)
		sotto_outcomes_sample_one(q, direction, &o->heavy.loss[i], &o->heavy.mass[i]);
	o->mass_error += moved + 16 * SOTTO_U * (1 + reach);
	if (q < 0.5) {
		o->loss_error = 2 * relative * o->loss_error + 32 * SOTTO_U;
		o->loss_shift *= 2 * shift;
	} else {
		o->loss_shift = moved + SOTTO_U * (24 + 8 * reach + 8 / (1 - q));
		o->loss_error = 0;
	}
	o->step = 0;
	return sample_rest(o, q, direction);
}

/*
 * Of outcomes of losses below REACH_TOLD, or above it, one of P and Q is nothing: what the other has of these only it has.  Noise is the same both ways, so the Q-mass of a
 * loss is the P-mass of its opposite.
 */
static void tell(struct sotto_outcomes *o, enum sotto_direction direction)
{
	size_t first = 0, last = o->n;

	for (; first < last && o->loss[first] < -REACH_TOLD; first++)
		o->missing += direction == SOTTO_REMOVE ? o->mass[o->n - 1 - first] : 0;
	for (; direction == SOTTO_ADD && last > first && o->loss[last - 1] > REACH_TOLD; last--)
		o->infinite += o->mass[last - 1];
	if (last - first == o->n)
		return;
	o->left_out += 2 * exp(-REACH_TOLD);
	o->n = last - first;
	memmove(o->loss, o->loss + first, o->n * sizeof *o->loss);
	memmove(o->mass, o->mass + first, o->n * sizeof *o->mass);
}

static enum sotto_status of_sampled(struct sotto_outcomes *out, const struct sotto_event *e,
				    enum sotto_direction direction,
				    const struct sotto_tame *tame, struct sotto_work *work)
{
	struct sotto_tame inner;
	double rate;

	SOTTO_TRY(sotto_measure_rate_up(e->rate.q, &rate));
	inner = before_sampling(tame, rate, whole_reach(e->children[0]));
	SOTTO_TRY(sotto_outcomes_of(out, e->children[0], direction, &inner, work));
	if (sotto_outcomes_is_discrete_gaussian(e->children[0]) && out->exact)
		tell(out, direction);
	if (out->n == 0) /* all is told */
		return SOTTO_EREFUSED;
	sotto_work_use(work, 40 * (double)out->n);
	return sample(out, rate, direction);
}

enum sotto_status sotto_outcomes_of(struct sotto_outcomes *out, const struct sotto_event *e,
				    enum sotto_direction direction,
				    const struct sotto_tame *tame, struct sotto_work *work)
{
	enum sotto_status st;

	*out = (struct sotto_outcomes){.n = 0};
	st = e->kind == SOTTO_EVENT_SAMPLED ? of_sampled(out, e, direction, tame, work)
					    : sotto_outcomes_of_noise(out, e, tame);
	if (st == SOTTO_OK && !sotto_outcomes_noise_is_summed(e))
		st = sotto_outcomes_repeat(out, e->count, tame, work);
	if (st != SOTTO_OK)
		sotto_outcomes_release(out);
	return st;
}
