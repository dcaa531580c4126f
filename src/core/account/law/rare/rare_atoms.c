/*
 * Outcomes in which no law, one law or two laws show something else than the usual, and whose losses are so near that smoothing
 * tells on them.
 */
#include "core/account/law/rare/rare_atoms.h"

#include <math.h>

/* Farther away than this, in units of the smoothing's width, nothing is left of its error. */
#define REACH 8.0
/* Single outcomes that weigh less than this, of the scale, are not worth the time. */
#define LEAST_LOG (-32.0)
/* At most so many pairs. */
enum { PAIRS_MAX = 1 << 17 };

struct sums {
	double epsilon, tau, log_scale;
	double above, below;
	size_t pairs;
};

/* The normal distribution function. */
static double phi(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

/*
 * An outcome of this mass at a distance.  What it adds to delta is (1 - e^x)+; the averages make of it the curve of a Gaussian
 * mechanism with mu = tau, and (1 - e^x) phi(-x/tau).  Both differences change by at most 1 for each unit of x.
 */
static void add(struct sums *s, double log_mass, double log_error, double gap, double gap_error)
{
	double x = s->epsilon - gap, tau = s->tau, z = x / tau, mass, error, true_part, high,
	       low;

	if (!(fabs(z) < REACH))
		return;
	mass = exp(log_mass - s->log_scale) * (1 - 4 * log_error - 0x1p-40);
	if (!(mass > 0))
		return;
	error = gap_error + SOTTO_U * (16 + 4 * (fabs(s->epsilon) + fabs(gap)) + 16 * fabs(x));
	true_part = x < 0 ? -expm1(x) : 0;
	high = phi(-z + 0.5 * tau) - exp(x) * phi(-z - 0.5 * tau) - true_part;
	low = fabs(expm1(x)) * phi(-fabs(z));
	s->above += mass * fmax(0, high - error);
	s->below += mass * fmax(0, low - error);
}

/* The first outcome, in the order of gaps, that is not below. */
static size_t first_from(const struct sotto_rare *r, double gap)
{
	size_t low = 0, high = r->outcomes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->gap[r->by_gap[middle]] < gap)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double log_mass_of(const struct sotto_rare *r, size_t i)
{
	return r->log_ratio[i] + log((double)r->laws[r->whose[i]].count);
}

static double ratio_error(const struct sotto_rare *r, size_t i)
{
	return r->laws[r->whose[i]].ratio_error + SOTTO_RARE_LOG * fabs(r->log_ratio[i]);
}

/* Outcome i, which adds to what there is so far, with one of each other law whose number is larger. */
static void add_second(const struct sotto_rare *r, size_t i, double log_mass, double log_error,
		       double gap_error, struct sums *s)
{
	double from = s->epsilon - REACH * s->tau - r->gap[i],
	       to = s->epsilon + REACH * s->tau - r->gap[i];

	for (size_t k = first_from(r, from); k < r->outcomes; k++) {
		size_t other = r->by_gap[k];
		const struct sotto_rare_law *law = &r->laws[r->whose[other]];
		double log_both = log_mass + log_mass_of(r, other);

		if (r->gap[other] > to || s->pairs >= PAIRS_MAX)
			break;
		s->pairs++;
		if (r->whose[other] <= r->whose[i] || log_both - s->log_scale < LEAST_LOG)
			continue;
		add(s, log_both, log_error + ratio_error(r, other), r->gap[i] + r->gap[other],
		    gap_error + sotto_rare_gap_error(law, r->gap[other]));
	}
}

void sotto_rare_atoms_excess(const struct sotto_rare *r, double epsilon, double tau,
			     double log_scale, double *above, double *below)
{
	double log_usual = sotto_sum_total(&r->log_usual),
	       wrong = r->log_usual_error + 4 * SOTTO_U * fabs(log_usual);
	struct sums s = {.epsilon = epsilon, .tau = tau, .log_scale = log_scale};

	add(&s, log_usual, wrong, 0, 0);
	for (size_t i = 0; i < r->outcomes; i++) {
		double log_mass = log_usual + log_mass_of(r, i),
		       log_error = wrong + ratio_error(r, i) + 4 * SOTTO_U * fabs(log_mass),
		       gap_error = sotto_rare_gap_error(&r->laws[r->whose[i]], r->gap[i]);

		/* the other outcome of a pair may have a ratio above 1, but not far above */
		if (log_mass - log_scale < LEAST_LOG)
			continue;
		add(&s, log_mass, log_error, r->gap[i], gap_error);
		add_second(r, i, log_mass, log_error, gap_error, &s);
	}
	*above = s.above * (1 - 0x1p-30);
	*below = s.below * (1 - 0x1p-30);
}

/* A walk down over outcomes: their mass so far, beside the usual one, and that of Q times e^at. */
struct walk {
	double above, rest, at;
};

/* Whether delta, over the usual mass, is reached before the next outcome; if not, that is taken in. */
static bool goes_past(struct walk *w, double delta, double gap, double mass)
{
	if (w->above - w->rest * exp(gap - w->at) >= delta)
		return true;
	w->above += mass;
	w->rest = w->rest * exp(gap - w->at) + mass;
	w->at = gap;
	return false;
}

/* More than this in rare outcomes, and two at a time are not much rarer. */
#define RARE_ENOUGH 0.5

bool sotto_rare_atoms_guess(const struct sotto_rare *r, double log_delta, double *epsilon,
			    double *slope)
{
	double delta = exp(log_delta - sotto_sum_total(&r->log_usual)), all = 0, x;
	struct walk w = {0, 0, r->outcomes ? r->gap[r->by_gap[r->outcomes - 1]] : 0};
	bool past = false, usual = false;

	for (size_t i = 0; i < r->outcomes; i++)
		all += exp(log_mass_of(r, i));
	if (!(all < RARE_ENOUGH))
		return false;
	for (size_t k = r->outcomes; k-- > 0 && !past;) {
		size_t i = r->by_gap[k];

		if (!usual && r->gap[i] < 0) {
			usual = true;
			past = goes_past(&w, delta, 0, 1);
		}
		if (!past)
			past = goes_past(&w, delta, r->gap[i], exp(log_mass_of(r, i)));
	}
	if (!past && !usual)
		(void)goes_past(&w, delta, 0, 1);
	x = log((w.above - delta) / w.rest);
	*epsilon = w.at + x;
	*slope = -w.rest * exp(x) / delta;
	return isfinite(*epsilon) && isfinite(*slope) && *slope < 0;
}
