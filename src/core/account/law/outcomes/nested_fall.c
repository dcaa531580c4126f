/* All bounds here are derived in nested.md. */
#include "core/account/law/outcomes/nested_fall.h"

#include <math.h>

#include "core/account/law/outcomes/ratios.h"

/* Places of z, from -ENDS to ENDS and farther where the tilt goes there, at most so many. */
#define ENDS 8.0
enum { PLACES_MAX = 512 };
/* Steps of z for a mean. */
#define MEAN_STEP 0.1
/* Of the other draws' sum: standard deviations from its mean that are looked at, and how much may be farther out (Cantelli). */
#define DEVIATIONS 3.0
#define FARTHER 0.1000001
/* Im z, also times mu, at most; the heights that are tried, each so many times the one before, and the step of z over the least. */
#define HEIGHT 1.2
#define ANGLE 1.0
enum { HEIGHTS = 3 };
#define LOWER 0.6
#define STEP 0.5
/* The first rung over 1/spread, how many, and what is small enough. */
#define FIRST 0.5
enum { RUNGS = 30 };
#define USEFUL 0.95

/* Two samples, one in the other, and the sum of all but one draw between these. */
struct samples {
	double mu, inner, outer, draws;
	double low, high;
	double beyond; /* probability, under the tilt, that it is not */
};

/* Mean and variance of log X for one draw, roughly rounded: sums over z. */
static void moments(double mu, double rate, double *mean, double *variance)
{
	double sum = 0, first = 0, second = 0;

	for (double z = -ENDS; z <= ENDS; z += MEAN_STEP) {
		double w = exp(-z * z / 2), x = log1p(rate * expm1(mu * z - mu * mu / 2));

		sum += w;
		first += w * x;
		second += w * x * x;
	}
	*mean = first / sum;
	*variance = fmax(second / sum - *mean * *mean, 0);
}

static struct samples
samples_of(const struct sotto_event *e, enum sotto_direction direction, double c)
{
	const struct sotto_event *inner = e->children[0];
	struct samples s = {.mu = sqrt(mpq_get_d(inner->children[0]->mu_squared.q)),
			    .inner = mpq_get_d(inner->rate.q),
			    .outer = mpq_get_d(e->rate.q),
			    .draws = (double)inner->count};
	double mean, variance, others = s.draws - 1, least, reach;

	moments(s.mu, s.inner, &mean, &variance);
	reach = 1.02 * DEVIATIONS * sqrt(others * variance) + 1e-3 * others * fabs(mean);
	least = others * log1p(-s.inner);
	s.low = others * mean - reach;
	s.high = others * mean + reach;
	if (s.low <= least)
		s.low = least;
	else
		s.beyond = FARTHER * (direction == SOTTO_ADD ? exp(-c * log1p(-s.outer)) : 1);
	if (direction == SOTTO_ADD)
		s.beyond += FARTHER;
	return s;
}

/* The rate that the one draw has where the others' sum is y. */
static double rate_at(const struct samples *s, double y)
{
	double b = s->outer * s->inner * exp(y),
	       a = 1 - s->outer + s->outer * (1 - s->inner) * exp(y);

	return b / (a + b);
}

/* A place of the rule: its weight at real z over all of them, and the angle of R at each height above. */
struct place {
	double weight, angle[HEIGHTS];
};

struct rule {
	struct place at[PLACES_MAX];
	size_t n;
	double grown[HEIGHTS]; /* log of how much a term grows up to a height */
	double error[HEIGHTS]; /* of the rule, over M(c) */
};

/* Heights, and what the rule errs by: between the real line and twice the height all is analytic. */
static double set_heights(const struct samples *s, enum sotto_direction direction, double c,
			  struct rule *r, double height[HEIGHTS])
{
	double step;

	height[0] = fmin(HEIGHT, ANGLE / s->mu);
	for (int i = 1; i < HEIGHTS; i++)
		height[i] = LOWER * height[i - 1];
	step = STEP * height[HEIGHTS - 1];
	for (int i = 0; i < HEIGHTS; i++) {
		double a = height[i], turned = 0, whole = 0;

		if (direction ==
		    SOTTO_ADD) { /* |R| is at least cos of half the angle times R */
			turned = -c * log(cos(s->mu * a / 2));
			whole = -c * log(cos(s->mu * a));
		}
		r->grown[i] = a * a / 2 + turned;
		r->error[i] = 2 * (1 + exp(2 * a * a + whole)) / expm1(2 * M_PI * a / step);
	}
	return step;
}

static void
make_rule(const struct samples *s, enum sotto_direction direction, double c, struct rule *r)
{
	double power = direction == SOTTO_REMOVE ? c + 1 : -c, low = rate_at(s, s->low),
	       tilt = direction == SOTTO_REMOVE ? low : rate_at(s, s->high), sum = 0,
	       height[HEIGHTS], step = set_heights(s, direction, c, r, height),
	       last = ENDS + (direction == SOTTO_REMOVE ? (c + 1) * s->mu : 0);

	r->n = 0;
	for (double z = -ENDS; z <= last && r->n < PLACES_MAX; z += step) {
		double v = fmin(s->mu * z - s->mu * s->mu / 2, 600),
		       odds = low / (1 - low) * exp(v);
		struct place *p = &r->at[r->n++];

		p->weight = exp(power * log1p(tilt * expm1(v)) - z * z / 2);
		sum += p->weight;
		for (int i = 0; i < HEIGHTS; i++)
			p->angle[i] = atan2(odds * sin(s->mu * height[i]),
					    1 + odds * cos(s->mu * height[i]));
	}
	for (size_t i = 0; i < r->n; i++)
		r->at[i].weight /= sum;
}

/* For all u >= t: every term falls, and those beyond the places are farther up or next to nothing. */
static double bound_at(const struct rule *r, double t)
{
	double least = 1;

	for (int i = 0; i < HEIGHTS; i++) {
		double sum = exp(-t * r->at[r->n - 1].angle[i]) + 1e-12;

		for (size_t j = 0; j < r->n; j++)
			sum += r->at[j].weight * exp(-t * r->at[j].angle[i]);
		least = fmin(least, (1 + r->error[i]) * sum * exp(r->grown[i]) * (1 + 0x1p-30) +
					    r->error[i]);
	}
	return least;
}

void sotto_nested_ladder(const struct sotto_event *e, enum sotto_direction direction, double c,
			 double spread, struct sotto_ladder *out)
{
	struct samples s = samples_of(e, direction, c);
	double t = FIRST / spread, last = 1;
	struct rule r;

	make_rule(&s, direction, c, &r);
	out->n = 0;
	for (int i = 0; i < RUNGS && out->n < SOTTO_RUNGS; i++, t *= 2) {
		double bound = fmin(last, bound_at(&r, t) + s.beyond);

		if (out->n == 0 && bound > USEFUL)
			continue;
		if (out->n == 0)
			out->first = t;
		out->bound[out->n++] = last = bound;
		if (bound < 1.001 * s.beyond + 1e-9)
			break;
	}
}
