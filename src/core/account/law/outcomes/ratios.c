/* Lists of log likelihood ratios: the trapezoid rule of a sampled Gaussian, and outcomes of discrete noise.  All bounds here are derived in nested.md. */
#include "core/account/law/outcomes/ratios.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

/* Parameters that keep their digits. */
#define RATE_MIN 1e-6
#define RATE_MAX 0.95
#define MU_MIN 1e-3
#define MU_MAX 12.0
enum { PLACES_MAX = 1024 };
/* Heights are at most this over mu, and at most this; each next one that is tried. */
#define ANGLE_MAX 1.0
#define HEIGHT_MAX 1.2
#define LOWER 0.8
/* -log of what the rule errs by in the middle, and what is beyond its ends. */
#define DIGITS 33.0
#define TAIL 34.0
enum { HEIGHTS = 16 };
/* Farther out the height falls, but what has grown before counts. */
#define PENALTY 1.5
/* The same far out, where next to nothing is, at this angle. */
#define DIGITS_FAR 33.0
#define ANGLE_FAR 0.5

double sotto_ratio_mixed(double rate, double x)
{
	return x > 600 ? x + log(rate) + 1e-9 : log1p(rate * expm1(x));
}

double sotto_ratio_share(double rate, double x)
{
	double odds = rate / (1 - rate) * exp(x);

	return isfinite(odds) ? odds / (1 + odds) : 1;
}

static double log_growth(const struct sotto_ratio_rule *r, const struct sotto_nested_line *line,
			 double a, double share_out, double share_in)
{
	double angle = r->mu * a, c = cos(angle),
	       grow = a * a / 2 + line->far * share_out * share_in * angle / (c * c);

	if (line->direction == SOTTO_ADD)
		grow -= 2 * line->order * log(cos(angle / 2));
	return grow;
}

double sotto_ratio_height(const struct sotto_ratio_rule *r,
			  const struct sotto_nested_line *line, double share_out,
			  double share_in, double most, double *growth)
{
	double best = 0, gain = -INFINITY,
	       first = fmin(most, fmin(HEIGHT_MAX, ANGLE_MAX / r->mu)), a = first;

	*growth = 0;
	for (int i = 0; i < HEIGHTS; i++, a *= LOWER) {
		double grow = log_growth(r, line, a, share_out, share_in),
		       next = 2 * M_PI * a / r->step - PENALTY * grow;

		if (next > gain) {
			gain = next;
			best = a;
			*growth = grow;
		}
	}
	return best;
}

/* P(z > x), rounded up */
static double normal_above(double x)
{
	return 0.5 * erfc(x * M_SQRT1_2) * (1 + 0x1p-40);
}

double sotto_ratio_beyond(const struct sotto_ratios *r, double sigma)
{
	const struct sotto_ratio_rule *g = &r->rule;
	double end = -g->low - g->step;

	if (!(g->step > 0))
		return 0;
	/* X^sigma is at most 1 below 0, and above it at most 1 - q + q e^(sigma v), for sigma >= 1 */
	return 2 * normal_above(end) + g->rate * exp(sigma * (sigma - 1) * g->mu * g->mu / 2) *
					       normal_above(end - sigma * g->mu);
}

static bool is_gaussian(const struct sotto_event *e)
{
	return e->kind == SOTTO_EVENT_SAMPLED && e->children[0]->kind == SOTTO_EVENT_GAUSSIAN &&
	       e->children[0]->count == 1;
}

bool sotto_ratios_possible(const struct sotto_event *e)
{
	struct sotto_event one = *e;
	double rate, mu;

	one.count = 1;
	if (!is_gaussian(e)) {
		const struct sotto_event *noise = e;

		while (noise->kind == SOTTO_EVENT_SAMPLED && noise->children[0]->count == 1)
			noise = noise->children[0];
		return noise->kind == SOTTO_EVENT_DISCRETE_GAUSSIAN && noise != e &&
		       sotto_outcomes_possible(&one);
	}
	rate = mpq_get_d(e->rate.q);
	mu = sqrt(mpq_get_d(e->children[0]->mu_squared.q));
	return rate >= RATE_MIN && rate <= RATE_MAX && mu >= MU_MIN && mu <= MU_MAX;
}

static enum sotto_status allocate(struct sotto_ratios *out, size_t n)
{
	if (n > PLACES_MAX)
		return SOTTO_EREFUSED;
	out->n = n;
	out->x = malloc(2 * n * sizeof *out->x);
	if (!out->x)
		return SOTTO_ENOMEM;
	out->mass = out->x + n;
	return SOTTO_OK;
}

/* The range is as long as X^(order+1) may need, the step as short as functions in the middle of the sum do. */
static enum sotto_status list_gaussian(struct sotto_ratios *out, const struct sotto_event *e,
				       const struct sotto_nested_line *line)
{
	struct sotto_ratio_rule *g = &out->rule;
	double c = line->direction == SOTTO_REMOVE ? line->order : 0, high, sd, outer, inner, a,
	       far;

	SOTTO_TRY(sotto_measure_rate_up(e->rate.q, &g->rate));
	g->mu = sqrt(sotto_nearest_double(e->children[0]->mu_squared.q));
	high = sqrt(2 * (TAIL + fmax(0, log(g->rate) + c * (c + 1) * g->mu * g->mu / 2))) +
	       (c + 1) * g->mu;
	sd = sqrt(line->draws) *
	     fmin(g->rate * sqrt(expm1(fmin(g->mu * g->mu, 40))), g->mu + 1);
	outer = sotto_ratio_share(line->rate, 2 * sd);
	inner = sotto_ratio_share(g->rate, fmin(2 * sd, 4 * g->mu));
	a = fmin(HEIGHT_MAX, ANGLE_MAX / g->mu);
	far = fmin(HEIGHT_MAX, ANGLE_FAR / g->mu);
	g->low = -high;
	g->step = 2 * M_PI /
		  fmax((DIGITS + log_growth(g, line, a, outer, inner)) / a,
		       (DIGITS_FAR + log_growth(g, line, far, 1, 1)) / far);
	if (!(2 * high / g->step < PLACES_MAX - 2))
		return SOTTO_EREFUSED;
	SOTTO_TRY(allocate(out, (size_t)ceil(2 * high / g->step) + 1));
	for (size_t i = 0; i < out->n; i++) {
		double z = g->low + g->step * (double)i, v = g->mu * z - g->mu * g->mu / 2;

		out->x[i] = g->rate < 0.5 && v < 600
				    ? log1p(g->rate * expm1(v))
				    : v + log(g->rate + (1 - g->rate) * exp(-v));
		out->mass[i] = g->step * exp(-z * z / 2) * 0.39894228040143268;
	}
	out->x_error =
		SOTTO_U * (4 * g->mu * (high + g->mu) + 16 + 4 * fabs(out->x[out->n - 1]));
	out->mass_error = SOTTO_U * (2 * high * high + 16);
	return SOTTO_OK;
}

/* Outcomes as they are: Q-masses where a unit is removed. */
static enum sotto_status list_outcomes(struct sotto_ratios *out, const struct sotto_event *e,
				       enum sotto_direction direction, struct sotto_work *work)
{
	struct sotto_tame any = {1, INFINITY, 1, false, 1};
	bool removed = direction == SOTTO_REMOVE;
	struct sotto_event one = *e;
	struct sotto_outcomes o;
	double reach = 0;
	enum sotto_status st;

	one.count = 1;
	SOTTO_TRY(sotto_outcomes_of(&o, &one, direction, &any, work));
	st = o.exact && !(o.infinite > 0) && !(o.missing > 0) ? allocate(out, o.n)
							      : SOTTO_EREFUSED;
	if (st != SOTTO_OK) {
		sotto_outcomes_release(&o);
		return st;
	}
	sotto_outcomes_find_heavy(&o);
	out->heavy = o.heavy;
	for (size_t i = 0; i < o.n; i++) {
		size_t to = removed ? i : o.n - 1 - i;

		out->x[to] = removed ? o.loss[i] : -o.loss[i];
		out->mass[to] = removed ? o.mass[i] * exp(-o.loss[i]) : o.mass[i];
		reach = fmax(reach, fabs(o.loss[i]));
	}
	out->x_error = o.loss_error * reach + o.loss_shift;
	out->mass_error = o.mass_error + out->x_error + SOTTO_U * (4 + reach);
	out->left_out = o.left_out;
	sotto_outcomes_release(&o);
	return SOTTO_OK;
}

enum sotto_status sotto_ratios_of(struct sotto_ratios *out, const struct sotto_event *e,
				  const struct sotto_nested_line *line, struct sotto_work *work)
{
	*out = (struct sotto_ratios){.n = 0};
	if (is_gaussian(e))
		SOTTO_TRY(list_gaussian(out, e, line));
	else
		SOTTO_TRY(list_outcomes(out, e, line->direction, work));
	sotto_work_use(work, 40 * (double)out->n);
	return SOTTO_OK;
}
