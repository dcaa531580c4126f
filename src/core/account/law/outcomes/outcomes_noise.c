/* The outcomes of one draw of noise.  All bounds here are derived in outcomes.md. */
#include <math.h>
#include <stdlib.h>

#include "core/account/integral/compensated_sum.h"
#include "core/account/integral/legendre.h"
#include "core/account/law/outcomes/laplace_draws.h"
#include "core/account/law/outcomes/outcomes.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

/* Losses of one draw are at least this. */
#define LOSS_MIN 1e-9
/* Outcomes of discrete Gaussian noise farther out, in standard deviations, are left out. */
#define SIGMAS 15.0
/* Farther out masses are not doubles. */
#define SIGMAS_MAX 37.0
#define SIGMA2_MIN 0.01
#define SIGMA2_MAX 1e6
/* From this variance on sums of draws are discrete Gaussian noise again, to more digits than a double has. */
#define SUMMED_MIN 4.0
/* Masses at infinity are at most this. */
#define DELTA_MAX 1e-3
/*
 * Places that stand for so many outcomes of wide noise: the rule's height and step in standard deviations, log of what it may err by, how far away what is beyond its ends
 * has to be, and what both may err by.
 */
#define HEIGHT_MAX 9.0
#define STEP_MAX 0.8
#define LOG_RULE_ERROR -34.0
#define TAIL_MIN 9.0
#define RULE_ERROR_MAX 1e-13
/* What sums over panels of Laplace noise may err by. */
#define PANEL_ERROR 1e-14

/* Pure noise, and randomized response, of which the loss is good to 4 u. */
struct response {
	double loss, truth, other; /* other: of each of the other answers */
	double answers;
};

static bool response_of(const struct sotto_event *e, struct response *r)
{
	mpq_t rest;

	r->answers = e->kind == SOTTO_EVENT_RANDOMIZED_RESPONSE ? (double)e->answers : 2;
	if (e->kind != SOTTO_EVENT_RANDOMIZED_RESPONSE || !e->has_truth) {
		double odds;

		r->loss = sotto_nearest_double(e->epsilon.q);
		odds = exp(-r->loss);
		r->truth = 1 / (1 + (r->answers - 1) * odds);
		r->other = odds * r->truth;
		return true;
	}
	mpq_init(rest);
	mpq_set_ui(rest, 1, 1);
	mpq_sub(rest, rest, e->truth.q);
	r->truth = sotto_nearest_double(e->truth.q);
	r->other = sotto_nearest_double(rest) / (r->answers - 1);
	mpq_clear(rest);
	r->loss = r->truth > 1.01 * r->other ? log(r->truth / r->other) : 0;
	return r->loss > 0.01; /* nearer to each other their quotient has fewer digits */
}

static double laplace_loss(const struct sotto_event *e)
{
	return sotto_nearest_double(e->epsilon.q);
}

struct gaussian {
	double v, d, reach; /* x from -reach to d + reach */
};

double sotto_outcomes_farther(double mu, double people)
{
	double more = (people - 1) * mu;

	return more > 0 ? more + sqrt(more * (more + mu) + 150) - 12 : 0;
}

bool sotto_outcomes_noise_is_summed(const struct sotto_event *e)
{
	if (e->kind == SOTTO_EVENT_LAPLACE)
		return e->count <= SOTTO_LAPLACE_DRAWS_MAX;
	return e->kind == SOTTO_EVENT_DISCRETE_GAUSSIAN &&
	       mpq_get_d(e->sigma_squared.q) >= SUMMED_MIN;
}

/* So many draws at once, for a group of so many in all draws of the event. */
static struct gaussian gaussian_of(const struct sotto_event *e, double draws, double people)
{
	struct gaussian g = {draws * sotto_nearest_double(e->sigma_squared.q),
			     draws * (double)e->sensitivity, 0};
	double mu = g.d * sqrt((double)e->count / (draws * g.v)), more;

	g.reach = floor(SIGMAS * sqrt(g.v)) + 2;
	more = floor(sotto_outcomes_farther(mu, people) * sqrt(g.v));
	g.reach += fmax(0, fmin(more, floor(SIGMAS_MAX * sqrt(g.v)) - g.d - g.reach));
	return g;
}

double sotto_outcomes_reach(const struct sotto_event *e)
{
	struct response r;
	struct gaussian g;

	switch (e->kind) {
	case SOTTO_EVENT_LAPLACE:
		return laplace_loss(e);
	case SOTTO_EVENT_GEOMETRIC:
		return (double)e->sensitivity * sotto_nearest_double(e->step_epsilon.q);
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		g = gaussian_of(e, 1, 1);
		return g.d / g.v * (g.d / 2 + g.reach);
	default:
		return response_of(e, &r) ? r.loss : 0;
	}
}

bool sotto_outcomes_is_discrete_gaussian(const struct sotto_event *e)
{
	double v = e->kind == SOTTO_EVENT_DISCRETE_GAUSSIAN ? mpq_get_d(e->sigma_squared.q) : 0;

	return v > SIGMA2_MIN && v < SIGMA2_MAX;
}

bool sotto_outcomes_noise_possible(const struct sotto_event *e, double most)
{
	double reach;

	switch (e->kind) {
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		if (!sotto_outcomes_is_discrete_gaussian(e))
			return false;
		break;
	case SOTTO_EVENT_APPROX:
		if (!(mpq_get_d(e->delta.q) <= DELTA_MAX))
			return false;
		break;
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_EXPONENTIAL:
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
	case SOTTO_EVENT_GEOMETRIC:
	case SOTTO_EVENT_LAPLACE:
		break;
	default:
		return false;
	}
	if (e->kind == SOTTO_EVENT_GEOMETRIC && e->sensitivity >= SOTTO_OUTCOMES_MAX)
		return false;
	reach = sotto_outcomes_reach(e);
	return reach >= LOSS_MIN && reach <= most;
}

/* Losses step (base + i). */
static void set_lattice(struct sotto_outcomes *o, double base, double step)
{
	o->base = base;
	o->step = step;
	o->exact = true;
	o->size = 1;
	o->loss_error = 8 * SOTTO_U;
	for (size_t i = 0; i < o->n; i++)
		o->loss[i] = step * (base + (double)i);
}

static enum sotto_status list_response(struct sotto_outcomes *o, const struct sotto_event *e)
{
	struct response r;
	size_t n;

	if (!response_of(e, &r))
		return SOTTO_EREFUSED;
	n = r.answers > 2 ? 3 : 2;
	SOTTO_TRY(sotto_outcomes_init(o, n));
	set_lattice(o, n == 2 ? -0.5 : -1, n == 2 ? 2 * r.loss : r.loss);
	if (e->kind == SOTTO_EVENT_RANDOMIZED_RESPONSE && e->has_truth)
		o->loss_error += 1024 * SOTTO_U; /* of the logarithm of a quotient near 1 */
	o->mass[0] = r.other;
	if (n == 3)
		o->mass[1] = (r.answers - 2) * r.other;
	o->mass[n - 1] = r.truth;
	o->mass_error = SOTTO_U * (32 + 4 * r.loss);
	if (e->kind == SOTTO_EVENT_APPROX) {
		o->infinite = o->missing = sotto_nearest_double(e->delta.q);
		for (size_t i = 0; i < n; i++)
			o->mass[i] *= 1 - o->infinite;
	}
	return SOTTO_OK;
}

/* Between its ends the loss is one of a geometric number of steps. */
static enum sotto_status list_geometric(struct sotto_outcomes *o, const struct sotto_event *e)
{
	double d = (double)e->sensitivity, one = sotto_nearest_double(e->step_epsilon.q);
	double end = 1 / (1 + exp(-one)), between = -expm1(-one) * end;

	SOTTO_TRY(sotto_outcomes_init(o, (size_t)d + 1));
	set_lattice(o, -d / 2, 2 * one);
	for (size_t i = 0; i < o->n; i++)
		o->mass[i] =
			(i == 0 || i + 1 == o->n ? end : between) * exp(-one * (d - (double)i));
	o->mass_error = SOTTO_U * (32 + 8 * d * one);
	return SOTTO_OK;
}

/* Beyond the upper end masses times e^((people-1) loss) fall by e^(-(reach - (people-1) d)/v) or more at each step. */
static void note_growth(struct sotto_outcomes *o, const struct gaussian *g, double people)
{
	double others = people - 1, fall = (g->reach - others * g->d) / g->v,
	       end = -g->reach * g->reach / (2 * g->v) + others * o->loss[o->n - 1];

	o->left_grown =
		fall > 0 ? people * (o->left_out + 8 * exp(end) / -expm1(-fall)) : INFINITY;
	o->growth = exp(people * others * g->d * g->d / (2 * g->v) * (1 + 0x1p-40));
}

/* log of 2 B(a)/(e^(2 pi a/h) - 1) of the trapezoid rule with step h, a and h in standard deviations. */
static double log_rule(const struct sotto_tame *tame, double mu, double a, double h)
{
	return M_LN2 + a * a / 2 + tame->kappa * mu * a - 2 * M_PI * a / h + 1e-6;
}

/* How many outcomes one place may stand for, which is one where they are not so close to each other; and what sums over such places err by. */
static double stride_of(const struct gaussian *g, const struct sotto_tame *tame, double *error)
{
	double sd = sqrt(g->v), mu = g->d / sd, most = fmin(HEIGHT_MAX, tame->radius / mu),
	       growth = tame->growth * mu, beyond = (g->reach - 1) / sd - growth - STEP_MAX,
	       step = 0, best = 0, stride;

	*error = 0;
	for (double a = most; a > 0.2; a *= 0.9) {
		double h = 2 * M_PI * a / (log_rule(tame, mu, a, INFINITY) - LOG_RULE_ERROR);

		if (h > step) {
			step = h;
			best = a;
		}
	}
	stride = floor(fmin(step, STEP_MAX) * sd);
	if (!tame->places || !(stride >= 2) || !(beyond > TAIL_MIN))
		return 1;
	*error = 4 * exp(log_rule(tame, mu, best, stride / sd)) +
		 4 * exp(growth * (growth / 2 + 0.8) - beyond * beyond / 2);
	return *error < RULE_ERROR_MAX ? stride : 1;
}

/* The likeliest outcomes one by one, each of this mass at 0. */
static void
find_likeliest(struct sotto_outcomes *o, const struct gaussian *g, double middle, double d)
{
	for (int x = -SOTTO_HEAVY / 2; x < SOTTO_HEAVY / 2; x++) {
		double y = (double)x;

		o->heavy.loss[o->heavy.n] = d / g->v * (d / 2 - y);
		o->heavy.mass[o->heavy.n++] = middle * exp(-y * y / (2 * g->v)) * (1 - 0x1p-30);
	}
}

/* Beyond either end masses, of which the largest is 1 or more, fall by e^(-reach/v) or more at each step. */
static enum sotto_status list_gaussian(struct sotto_outcomes *o, const struct sotto_event *e,
				       const struct sotto_tame *tame)
{
	double draws = sotto_outcomes_noise_is_summed(e) ? (double)e->count : 1;
	struct gaussian g = gaussian_of(e, draws, tame->people);
	struct sotto_sum sum = {0};
	double total, far = g.d + g.reach, end = exp(-g.reach * g.reach / (2 * g.v)), error,
		      stride = stride_of(&g, tame, &error),
		      n = floor((2 * g.reach + g.d) / stride) + 1;

	if (!(n <= SOTTO_OUTCOMES_MAX))
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_outcomes_init(o, (size_t)n));
	set_lattice(o, (-g.d / 2 - g.reach) / stride, g.d / g.v * stride);
	for (size_t i = 0; i < o->n; i++) {
		double x = far - stride * (double)i;

		o->mass[i] = exp(-x * x / (2 * g.v));
		sotto_sum_add(&sum, o->mass[i]);
	}
	total = sotto_sum_total(&sum);
	for (size_t i = 0; i < o->n; i++)
		o->mass[i] /= total;
	o->mass_error = SOTTO_U * (40 + 4 * far * far / (2 * g.v)) +
			4.2 * (draws - 1) * exp(-M_PI * M_PI * g.v / draws);
	o->left_out = 8 * end / -expm1(-g.reach / g.v);
	note_growth(o, &g, tame->people);
	if (stride > 1) {
		o->exact = false;
		o->sum_error = error;
		find_likeliest(o, &g, 1 / (stride * total), g.d);
	}
	return o->mass[0] > 0 || tame->places ? SOTTO_OK : SOTTO_EREFUSED;
}

/*
 * The longest half of a panel for polynomials of so high a degree, times what is tame: ellipses with each parameter stay within its radius, and what the
 * rule errs by there is below the most.  *error is that.
 */
static double longest_half(const struct sotto_tame *tame, double degree, double *error)
{
	double best = 0, kappa = tame->kappa + 0.5;

	for (double r = 3; r < 16; r += 1) {
		double reach = 1 + (r + 1 / r) / 2,
		       gain = (2 * SOTTO_LEGENDRE - 1 - degree) * log(r) - log(4 / (r - 1)),
		       half = fmin(tame->radius, (gain + log(PANEL_ERROR)) / kappa) / reach;

		if (half > best) {
			best = half;
			*error = exp(kappa * half * reach - gain);
		}
	}
	return best;
}

/* The points between atoms j + 1 and j, n of all. */
static void list_stretch(struct sotto_outcomes *o, const struct sotto_laplace_draws *d,
			 size_t j, size_t panels, size_t n)
{
	double a = d->a, draws = (double)d->n, low = draws - 2 * (double)j - 2,
	       width = 2 / (double)panels;

	for (size_t k = 0; k < panels; k++, n += SOTTO_LEGENDRE) {
		sotto_legendre(low + ((double)k + 0.5) * width, 0.5 * width, o->loss + n,
			       o->mass + n);
		for (size_t i = n; i < n + SOTTO_LEGENDRE; i++) {
			double x = o->loss[i];

			o->mass[i] *= sotto_laplace_draws_at(d, j, (x - low) / 2) *
				      exp((x - draws) * a / 2);
			o->loss[i] = x * a;
		}
	}
}

/* Atoms, and panels between them. */
static enum sotto_status list_laplace(struct sotto_outcomes *o, const struct sotto_event *e,
				      const struct sotto_tame *tame)
{
	double a = laplace_loss(e), error = 0, panels, draws;
	struct sotto_laplace_draws d;
	size_t n = 0;

	sotto_laplace_draws_of(&d, a, sotto_outcomes_noise_is_summed(e) ? e->count : 1);
	draws = (double)d.n;
	panels = fmax(1, ceil(a / longest_half(tame, draws - 1, &error)));
	if (!(panels * draws * SOTTO_LEGENDRE < SOTTO_OUTCOMES_MAX))
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_outcomes_init(o, (SOTTO_LEGENDRE * (size_t)panels + 1) * d.n + 1));
	for (size_t j = d.n + 1; j-- > 0; n++) {
		o->loss[n] = (draws - 2 * (double)j) * a;
		o->mass[n] = d.atom[j] * exp(-(double)j * a);
		o->heavy.loss[o->heavy.n] = o->loss[n];
		o->heavy.mass[o->heavy.n++] = o->mass[n] * (1 - 0x1p-30);
		if (j == 0)
			break;
		list_stretch(o, &d, j - 1, (size_t)panels, n + 1);
		n += SOTTO_LEGENDRE * (size_t)panels;
	}
	o->size = 1;
	o->mass_error = SOTTO_U * (64 + 32 * draws + 8 * draws * a);
	o->loss_error = 8 * SOTTO_U;
	o->loss_shift = 8 * SOTTO_U * draws * a; /* the nodes of a panel are rounded */
	o->sum_error = error;
	return SOTTO_OK;
}

enum sotto_status sotto_outcomes_of_noise(struct sotto_outcomes *out,
					  const struct sotto_event *e,
					  const struct sotto_tame *tame)
{
	switch (e->kind) {
	case SOTTO_EVENT_LAPLACE:
		return list_laplace(out, e, tame);
	case SOTTO_EVENT_GEOMETRIC:
		return list_geometric(out, e);
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		return list_gaussian(out, e, tame);
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_APPROX:
	case SOTTO_EVENT_EXPONENTIAL:
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		return list_response(out, e);
	default:
		return SOTTO_EREFUSED;
	}
}
