/* Outcomes one by one, or stretches of a density, go into cells of losses, which keep P- and Q-mass (couples.md). */
#include "core/account/law/couples/cell_lattice.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/legendre.h"
#include "core/account/integral/real.h"
#include "core/account/law/clones/clone_pair.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

/* Losses beyond this are refused, and noise with less or more than these. */
#define TOP_MAX 100.0
#define LEAST 1e-9
#define VARIANCE_MAX 1e6
/* Standard deviations of noise, beyond which it is left out. */
#define REACH 9.0
/* The longest half panel, in standard deviations. */
#define PANEL 0.1
#define LOG_ROOT_2PI 0.91893853320467274178

/* Of randomized response the larger of how likely the truth is and another answer, each. */
static double log_odds(const struct sotto_event *e)
{
	double p;

	if (!e->has_truth)
		return sotto_nearest_double(e->epsilon.q);
	p = sotto_nearest_double(e->truth.q);
	return fabs(log(p) - log1p(-p) + log((double)e->answers - 1));
}

static double mu_of(const struct sotto_event *e)
{
	return sqrt(sotto_nearest_double(e->mu_squared.q));
}

/* How many outcomes of discrete Gaussian noise count on one side. */
static double reach_of(const struct sotto_event *e)
{
	return ceil(REACH * sqrt(sotto_nearest_double(e->sigma_squared.q)) + 1);
}

double sotto_couple_cell_outcomes(const struct sotto_event *e)
{
	switch (e->kind) {
	case SOTTO_EVENT_GEOMETRIC:
		return (double)e->sensitivity + 1;
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		return 2 * reach_of(e) + 1;
	case SOTTO_EVENT_GAUSSIAN:
	case SOTTO_EVENT_SHUFFLE:
		return INFINITY;
	case SOTTO_EVENT_LAPLACE:
		return 4; /* and a run */
	default:
		return 3;
	}
}

/* Its largest loss, or about as much as counts of it. */
static double top_of(const struct sotto_event *e)
{
	double mu, v, s = (double)e->sensitivity;

	switch (e->kind) {
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_LAPLACE:
	case SOTTO_EVENT_EXPONENTIAL:
		return sotto_nearest_double(e->epsilon.q);
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		return log_odds(e);
	case SOTTO_EVENT_GEOMETRIC:
		return s * sotto_nearest_double(e->step_epsilon.q);
	case SOTTO_EVENT_GAUSSIAN:
		mu = mu_of(e);
		return mu * (REACH + 0.5 * mu);
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		v = sotto_nearest_double(e->sigma_squared.q);
		return v > 0 && v < VARIANCE_MAX ? s * (0.5 * s + reach_of(e)) / v : INFINITY;
	case SOTTO_EVENT_SHUFFLE:
		return sotto_nearest_double(e->local_epsilon.q);
	default:
		return INFINITY;
	}
}

bool sotto_couple_cell_possible(const struct sotto_event *e)
{
	struct sotto_clone_pair pair;
	double top = top_of(e);

	return e->count == 1 && top >= LEAST && top <= TOP_MAX &&
	       (e->kind != SOTTO_EVENT_SHUFFLE || sotto_clone_pair_of(e, &pair)) &&
	       (e->kind != SOTTO_EVENT_GEOMETRIC || e->sensitivity < (1 << 20));
}

enum sotto_status sotto_couple_cell_of(const struct sotto_event *e, size_t places,
				       double outcomes, struct sotto_work *work,
				       struct sotto_couple_cell *out)
{
	struct sotto_clone_pair pair;
	struct sotto_clone_cutting c = {1, places, 0, 1, outcomes};
	const struct sotto_mirrored *m = &out->lists.above;

	*out = (struct sotto_couple_cell){.event = e, .top = top_of(e) * (1 + 0x1p-40)};
	if (e->kind != SOTTO_EVENT_SHUFFLE)
		return SOTTO_OK;
	if (!sotto_clone_pair_of(e, &pair))
		return SOTTO_EREFUSED;
	c.to = sotto_clone_lists_reach(&pair, 1);
	SOTTO_TRY(sotto_clone_lists_of(&pair, &c, work, &out->lists));
	out->top = 2 * atanh(fmax(m->w[m->n - 1], out->lists.below.w[out->lists.below.n - 1])) *
		   (1 + 0x1p-40);
	return SOTTO_OK;
}

void sotto_couple_cell_release(struct sotto_couple_cell *c)
{
	sotto_clone_lists_release(&c->lists);
}

/* What is made: a lattice, and for which of its sides; e^-d. */
struct making {
	struct sotto_cell_lattice *l;
	bool above, below;
	double step;
};

/*
 * P-mass between j d and (j + 1) d, j >= 0, and its excess, the integral of 1 - e^(jd - loss); and the opposites.  Above, the excess over
 * 1 - e^-d goes to the far end.
 */
static void add(const struct making *m, size_t j, double mass, double excess)
{
	struct sotto_cell_lattice *l = m->l;
	double far = fmin(mass, excess / -expm1(-l->d)), near = mass - far,
	       low = exp(-l->d * (double)j);

	if (m->above) {
		l->above[l->n + j] += near;
		l->above[l->n - j] += near * low;
		l->above[l->n + j + 1] += far;
		l->above[l->n - j - 1] += far * low * m->step;
	}
	if (m->below) {
		l->below[l->n + j] += mass;
		l->below[l->n - 1 - j] += (mass - excess) * low;
	}
}

/* An outcome and its opposite; at 0 the mass is that of both, which are the same. */
static void add_outcome(const struct making *m, double loss, double mass)
{
	size_t j = (size_t)(loss / m->l->d);

	j = j < m->l->n ? j : m->l->n - 1;
	while (j > 0 && (double)j * m->l->d > loss)
		j--;
	if (loss == 0)
		mass *= 0.5;
	add(m, j, mass, -mass * expm1((double)j * m->l->d - loss));
}

/* Where the density of Laplace noise is whole, masses grow by e^(d/2) from place to place; the last two cells are left to be sure. */
static void note_run(const struct making *m, size_t cells)
{
	struct sotto_cell_lattice *l = m->l;
	double ratio = exp(0.5 * l->d);

	if (cells < 4)
		return;
	cells -= 2;
	l->run_above = (struct sotto_couple_run){l->n - cells + 1, 2 * cells - 1, ratio};
	l->run_below = (struct sotto_couple_run){l->n - cells, 2 * cells, ratio};
}

/* Of Laplace noise: half at the top, and a density of e^((loss - epsilon)/2)/4. */
static void add_laplace(const struct making *m, double epsilon)
{
	double d = m->l->d, rise = expm1(0.5 * d), quarter = sinh(0.25 * d);
	size_t j = 0;

	for (; (double)j * d < epsilon; j++) {
		double low = (double)j * d, width = epsilon - low,
		       scale = exp(0.5 * (low - epsilon));

		if (width < d) {
			rise = expm1(0.5 * width);
			quarter = sinh(0.25 * width);
		}
		add(m, j, 0.5 * scale * rise, 2 * scale * quarter * quarter);
	}
	add_outcome(m, epsilon, 0.5);
	note_run(m, j);
}

/* N(mu^2/2, mu^2) by panels: loss = mu z + mu^2/2. */
static void add_gaussian(const struct making *m, double mu)
{
	double d = m->l->d, x[SOTTO_LEGENDRE], w[SOTTO_LEGENDRE], fall[SOTTO_LEGENDRE];
	size_t panels = (size_t)ceil(d / (2 * PANEL * mu));
	double half = 0.5 * d / (mu * (double)panels), end = REACH * mu + 0.5 * mu * mu;

	for (size_t p = 0; p < panels; p++) {
		double start = (double)(2 * p + 1) * half;

		if (start - half - 0.5 * mu > REACH)
			break;
		sotto_legendre(start, half, x, w);
		for (int i = 0; i < SOTTO_LEGENDRE; i++)
			fall[i] = -expm1(-mu * x[i]);
		for (size_t j = 0; (double)j * d < end; j++) {
			double z0 = (double)j * d / mu - 0.5 * mu, mass = 0, excess = 0;

			if (z0 + start - half > REACH)
				break;
			for (int i = 0; i < SOTTO_LEGENDRE; i++) {
				double z = z0 + x[i],
				       one = w[i] * exp(-0.5 * z * z - LOG_ROOT_2PI);

				mass += one;
				excess += one * fall[i];
			}
			add(m, j, mass, excess);
		}
	}
	m->l->left_out += 0.5 * erfc(REACH * M_SQRT1_2) * (1 + 0x1p-30);
}

/* x = -k moves the answer by (s^2 + 2 s k)/(2 v), for x below s/2; what is beyond the last falls at least as fast as the first two beyond. */
static void add_discrete(const struct making *m, const struct sotto_event *e)
{
	double v = sotto_nearest_double(e->sigma_squared.q), s = (double)e->sensitivity,
	       reach = reach_of(e), all = 1, next = (reach + 1) * (reach + 1) / (2 * v);

	for (double k = 1; k <= reach; k++)
		all += 2 * exp(-k * k / (2 * v));
	for (double k = -floor(0.5 * s); k <= reach; k++)
		add_outcome(m, s * (s + 2 * k) / (2 * v), exp(-k * k / (2 * v)) / all);
	m->l->left_out += 2 * exp(-next) / (-expm1(-(reach + 1) / v) * all);
}

/* Steps j = 0 ... s, of which the first has all that is farther out. */
static void add_geometric(const struct making *m, const struct sotto_event *e)
{
	double a = sotto_nearest_double(e->step_epsilon.q), s = (double)e->sensitivity,
	       q = exp(-a);

	add_outcome(m, a * s, 1 / (1 + q));
	for (double j = 1; 2 * j <= s && j < s; j++)
		add_outcome(m, a * (s - 2 * j), -expm1(-a) / (1 + q) * exp(-a * j));
}

static void add_response(const struct making *m, const struct sotto_event *e)
{
	double loss = log_odds(e), more = (double)e->answers - 2, p, other;

	if (e->has_truth) {
		p = sotto_nearest_double(e->truth.q);
		other = (1 - p) / ((double)e->answers - 1);
	} else {
		other = 1 / (exp(loss) + (double)e->answers - 1);
		p = exp(loss) * other;
	}
	add_outcome(m, loss, fmax(p, other));
	if (more > 0)
		add_outcome(m, 0, more * other);
}

/* P has (1 + w) b at w = tanh(loss/2); of b at 0 there is a half. */
static void add_list(const struct making *m, const struct sotto_mirrored *list)
{
	for (size_t i = 0; i < list->n; i++) {
		double w = list->w[i];

		add_outcome(m, 2 * atanh(w), (w > 0 ? 1 + w : 2) * list->mass[i]);
	}
}

static void add_lists(const struct making *m, const struct sotto_couple_cell *c)
{
	struct making above = {m->l, true, false, m->step},
		      below = {m->l, false, true, m->step};

	add_list(&above, &c->lists.above);
	add_list(&below, &c->lists.below);
	m->l->left_out += c->lists.left_out;
	m->l->wrong += c->lists.error;
}

enum sotto_status
sotto_cell_lattice_of(const struct sotto_couple_cell *c, double d, struct sotto_cell_lattice *l)
{
	struct making m = {l, true, true, exp(-d)};
	double epsilon = c->top / (1 + 0x1p-40);

	*l = (struct sotto_cell_lattice){.d = d, .n = (size_t)ceil(c->top / d) + 1};
	l->above = calloc(4 * l->n + 1, sizeof *l->above);
	if (!l->above)
		return SOTTO_ENOMEM;
	l->below = l->above + 2 * l->n + 1;
	switch (c->event->kind) {
	case SOTTO_EVENT_LAPLACE:
		add_laplace(&m, epsilon);
		break;
	case SOTTO_EVENT_GAUSSIAN:
		add_gaussian(&m, mu_of(c->event));
		break;
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		add_discrete(&m, c->event);
		break;
	case SOTTO_EVENT_GEOMETRIC:
		add_geometric(&m, c->event);
		break;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		add_response(&m, c->event);
		break;
	case SOTTO_EVENT_SHUFFLE:
		add_lists(&m, c);
		break;
	default:
		add_outcome(&m, epsilon, 1 / (1 + exp(-epsilon)));
	}
	return SOTTO_OK;
}
