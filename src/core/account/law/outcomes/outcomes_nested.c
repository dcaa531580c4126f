/*
 * Lists one draw, gathers it at equal distances, adds up draws, and samples the sums.  What the list errs by is summed over shells of the sums, each
 * with a bound of its weight.  All bounds here are derived in nested.md.
 */
#include "core/account/law/outcomes/outcomes_nested.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/gathered/gathered_list.h"
#include "core/account/law/outcomes/ratio_sums.h"
#include "core/account/loss/measure/loss_measure.h"
#include "core/base/failure.h"

enum { COUNT_MAX = 64, LIST_MAX = SOTTO_GATHERED_MAX };
#define RATE_MIN 1e-6
#define RATE_MAX 0.95
/* Sums of functions may err by this part of M(c), or by the next where a list cannot be longer; ends of lists that are left out may be the last. */
#define GOOD 2e-11
#define ENOUGH 3e-9
#define ENDS 1e-12
/* The gap over the largest slope in the middle: the first, and each next one that is tried. */
#define FIRST_GAP 0.7
#define WIDEST_GAP 0.1 /* radii are at most 1 */
#define NARROWER 0.7
enum { GAPS = 14 };
/* Shells of the sum of all draws: their lower ends are so many standard deviations from the mean, and grow by this. */
enum { SHELLS = 32 };
#define FIRST_SHELL 1.5
#define NEXT_SHELL 1.25
/* Of sixteen places that share an outcome: those on the farther side, and the largest sum of their weights' sizes. */
#define BESIDE 8
#define LEBESGUE 1.72
/* log of what an outcome may weigh more where a unit is added. */
#define HEAVIEST 12.0
/* How far, in z, the rule's path is below its height at most. */
#define RAMP 1.2
/* Sums beyond this are not listed. */
#define REACH_MAX 500.0
/* What one place takes for each order that tails are bounded at (work.h). */
#define TAIL_STEPS 6
/* And the likeliest sums of a few draws. */
#define HEAVY_STEPS 2e4

bool sotto_outcomes_nested_possible(const struct sotto_event *e)
{
	const struct sotto_event *child = e->n_children ? e->children[0] : NULL;
	double rate;

	if (e->kind != SOTTO_EVENT_SAMPLED || child->count < 2 || child->count > COUNT_MAX)
		return false;
	rate = mpq_get_d(e->rate.q);
	return rate >= RATE_MIN && rate <= RATE_MAX && sotto_ratios_possible(child);
}

bool sotto_outcomes_nested_is_smooth(const struct sotto_event *e)
{
	return sotto_outcomes_nested_possible(e) &&
	       e->children[0]->kind == SOTTO_EVENT_SAMPLED &&
	       e->children[0]->children[0]->kind == SOTTO_EVENT_GAUSSIAN;
}

/* e^(k s) averaged and raised: x^p is convex for p >= 1 and p <= 0. */
static double inner_k_up(const struct sotto_event *e, double s)
{
	if (e->kind == SOTTO_EVENT_SAMPLED)
		return (double)e->count *
		       sotto_ratio_mixed(mpq_get_d(e->rate.q), inner_k_up(e->children[0], s));
	if (e->kind == SOTTO_EVENT_GAUSSIAN)
		return s * (s + 1) * mpq_get_d(e->mu_squared.q) / 2;
	return (double)e->count * s * (s + 1) * (double)e->sensitivity *
	       (double)e->sensitivity / (2 * mpq_get_d(e->sigma_squared.q));
}

double sotto_outcomes_nested_k_up(const struct sotto_event *e, enum sotto_direction direction,
				  double s)
{
	double rate = mpq_get_d(e->rate.q),
	       k = sotto_ratio_mixed(rate, inner_k_up(e->children[0], s));

	if (direction == SOTTO_ADD)
		k = fmin(k, -s * log1p(-rate));
	return k * (1 + 0x1p-40) + 0x1p-40;
}

/* What an outcome of j draws weighs in the mean of the sampled power, over its mass, at most. */
static double weight_of(const struct sotto_nested_line *line, const struct sotto_ratio_tails *t,
			double draws, double x)
{
	double rest = pow(t->sizes, line->draws - draws) * (1 + 0x1p-30);

	if (line->direction == SOTTO_ADD)
		return rest * exp(-line->order * log1p(-line->rate));
	/* Minkowski: the norm of 1 - q + q e^x Y of order c + 1; and 1 for lower orders */
	x += (line->draws - draws) * t->log_mean[0] / (line->order + 1);
	return rest * (1 + exp((line->order + 1) * sotto_ratio_mixed(line->rate, x)));
}

/* Leaves out places at both ends that weigh less than the most together, each used so many times; returns what they weigh. */
static double trim(struct sotto_ratio_sums *s, const struct sotto_nested_line *line,
		   const struct sotto_ratio_tails *t, double most)
{
	double gone = 0, times = line->draws / s->draws;
	size_t first = 0, last = s->n;

	for (double sum = 0; first + 1 < last; first++) {
		sum += times * fabs(s->mass[first]) *
		       weight_of(line, t, s->draws, sotto_ratio_place(s, first));
		if (!(sum <= most))
			break;
		gone = sum;
	}
	most += gone;
	for (double sum = gone; first + 1 < last; last--) {
		sum += times * fabs(s->mass[last - 1]) *
		       weight_of(line, t, s->draws, sotto_ratio_place(s, last - 1));
		if (!(sum <= most))
			break;
		gone = sum;
	}
	sotto_ratio_keep(s, first, last);
	return gone;
}

/* The same of one draw, before it is gathered; a rule lacks also what is beyond its places. */
static double trim_one(struct sotto_ratios *r, const struct sotto_nested_line *line,
		       const struct sotto_ratio_tails *t)
{
	double gone = 0, most = ENDS, power = line->order + 1, beyond = 0, norm;
	size_t first = 0, last = r->n;

	if (line->direction == SOTTO_ADD) {
		beyond = sotto_ratio_beyond(r, 1) * weight_of(line, t, 1, 0);
	} else if (r->rule.step > 0) {
		norm = pow(sotto_ratio_beyond(r, power), 1 / power);
		beyond = sotto_ratio_beyond(r, power) +
			 exp(power *
			     log((1 - line->rate) * norm +
				 line->rate * norm *
					 exp((line->draws - 1) * t->log_mean[0] / power)));
	}
	beyond *= 4 * line->draws;
	for (double sum = 0; first + 1 < last; first++) {
		sum += line->draws * r->mass[first] * weight_of(line, t, 1, r->x[first]);
		if (!(sum <= most))
			break;
		gone = sum;
	}
	most += gone;
	for (double sum = gone; first + 1 < last; last--) {
		sum += line->draws * r->mass[last - 1] * weight_of(line, t, 1, r->x[last - 1]);
		if (!(sum <= most))
			break;
		gone = sum;
	}
	r->first = first;
	r->last = last;
	return 1.01 * gone + beyond;
}

/* What gathering does to a sum over powers of so much in size and real part, up to a sum of draws. */
static double gathering_error(double power, double real, double rate, double high, double gap)
{
	double least = INFINITY;

	for (double rho = 1; rho > BESIDE * gap / 4 && rho > 1e-3; rho *= 0.75) {
		double share = isinf(high) ? 1
					   : sotto_ratio_share(rate, high + BESIDE * gap + rho),
		       slope = power * share / cos(rho);

		least = fmin(least, 16 * log(gap / rho) + slope * rho + real * BESIDE * gap);
	}
	return 6.28e7 * exp(least);
}

/* log of the most that all draws weigh together, by the list or by the law itself, over M(c). */
static double log_whole(const struct sotto_nested_line *line, const struct sotto_ratio_tails *t,
			double factor)
{
	double n = line->draws, power = line->order + 1, whole = n * log(factor), most;

	if (line->direction == SOTTO_ADD)
		return fmin(whole, n * log(t->sizes) - line->order * log1p(-line->rate));
	most = power * log((1 - line->rate) * pow(t->sizes, n / power) +
			   line->rate * exp(n * t->log_mean[0] / power));
	return fmin(whole, fmax(most, 0) + log(exp(fmin(most, 0)) +
					       exp(n * log(t->sizes) - fmax(most, 0))));
}

/* What the rule of a sampled Gaussian errs by, from the middle to far out. */
struct rule_path {
	double height, grown;
};

static double rule_error(const struct sotto_nested_line *line, const struct sotto_ratios *r,
			 const struct sotto_ratio_tails *t, double low, double high,
			 double whole, struct rule_path *path)
{
	double least = -log1p(-r->rule.rate), in = 1, out = 1, growth, tau = 0;

	if (isfinite(high)) {
		in = sotto_ratio_share(r->rule.rate, high + (line->draws - 1) * least);
		out = sotto_ratio_share(line->rate, high);
	}
	path->height = sotto_ratio_height(&r->rule, line, out, in, path->height, &growth);
	path->grown = fmax(path->grown, growth);
	if (low > 0)
		tau = fmin(whole,
			   sotto_ratio_tail(line, t, low - RAMP * r->rule.mu * in, high));
	return 2.9 * exp(path->grown + tau) /
	       expm1(fmin(700, 2 * M_PI * path->height / r->rule.step));
}

/* Shells of the sum of all draws. */
static double shells_error(const struct sotto_nested_line *line, const struct sotto_ratios *r,
			   const struct sotto_gathered_list *l,
			   const struct sotto_ratio_tails *t, double whole)
{
	double power = hypot(line->order + 1, line->far), n = line->draws, low = 0,
	       high = fmax(0, n * t->mean) + FIRST_SHELL * sqrt(n) * t->spread,
	       cap = 1 + LEBESGUE * exp((line->order + 1) * BESIDE * l->gap),
	       total = cap * l->rounding * exp(whole);
	struct rule_path path = {INFINITY, 0};

	for (int j = 0; j <= SHELLS; j++, low = high, high *= NEXT_SHELL) {
		double tau = whole;

		if (j == SHELLS)
			high = INFINITY;
		if (j > 0)
			tau = fmin(whole, sotto_ratio_tail(line, t, low, high));
		total += exp(tau) * fmin(cap, gathering_error(power, line->order + 1,
							      line->rate, high, l->gap));
		if (r->rule.step > 0)
			total += rule_error(line, r, t, low, high, whole, &path);
	}
	return n * total;
}

static double whole_of(const struct sotto_nested_line *line, const struct sotto_ratio_tails *t,
		       const struct sotto_gathered_list *l, const double *x, const double *mass,
		       size_t n)
{
	double factor = 1 +
			gathering_error(line->order + 1, line->order + 1, line->rate, INFINITY,
					l->gap) +
			2 * sotto_outcomes_negative_part(l, x, mass, n, line->order + 1);
	return log_whole(line, t, factor);
}

/* Sums of all draws from those of one, at gaps that get narrower until the list is good enough. */
static enum sotto_status gather(const struct sotto_ratios *r,
				const struct sotto_nested_line *line,
				struct sotto_ratio_tails *t, struct sotto_work *work,
				struct sotto_ratio_sums *one, double *error, double *size)
{
	double power = hypot(line->order + 1, line->far), n = line->draws,
	       middle = fmax(0, n * t->mean) + FIRST_SHELL * sqrt(n) * t->spread,
	       gap = fmin(WIDEST_GAP,
			  FIRST_GAP / (power * sotto_ratio_share(line->rate, middle)));
	const double *x = r->x + r->first, *mass = r->mass + r->first;
	size_t places = r->last - r->first;

	for (int i = 0; i < GAPS; i++, gap *= NARROWER) {
		double wanted = ceil((x[places - 1] - x[0]) / gap) + 18,
		       next = wanted / NARROWER;
		struct sotto_gathered_list l;

		if (!(wanted <= LIST_MAX))
			return SOTTO_EREFUSED;
		if (n * gathering_error(power, line->order + 1, line->rate, middle, gap) > GOOD)
			continue; /* not even in the middle */
		SOTTO_TRY(
			sotto_gathered_list_of(&l, x, mass, places, (size_t)fmax(wanted, 32)));
		sotto_work_use(work, 20 * (double)places +
					     TAIL_STEPS * SOTTO_RATIO_ORDERS * (double)l.n);
		sotto_ratio_tails_add_list(t, &l);
		*size = whole_of(line, t, &l, x, mass, places);
		*error = shells_error(line, r, &l, t, *size);
		if (*error <= GOOD || (*error <= ENOUGH && next > LIST_MAX)) {
			*one = (struct sotto_ratio_sums){.mass = l.mass,
							 .storage = l.loss,
							 .n = l.n,
							 .base = l.loss[0] / l.gap,
							 .gap = l.gap,
							 .draws = 1};
			return SOTTO_OK;
		}
		free(l.loss);
	}
	return SOTTO_EREFUSED;
}

/* The sampled outcomes, losses growing. */
static enum sotto_status finish(struct sotto_outcomes *out, const struct sotto_ratio_sums *s,
				const struct sotto_ratios *r,
				const struct sotto_nested_line *line)
{
	bool removed = line->direction == SOTTO_REMOVE;
	double reach =
		fmax(fabs(sotto_ratio_place(s, 0)), fabs(sotto_ratio_place(s, s->n - 1)));

	if (!(reach <= REACH_MAX))
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_outcomes_init(out, s->n));
	for (size_t i = 0; i < s->n; i++) {
		double x = sotto_ratio_place(s, i), part = line->rate * expm1(x);
		size_t to = removed ? i : s->n - 1 - i;

		out->loss[to] = removed ? log1p(part) : -log1p(part);
		out->mass[to] = s->mass[i] * (removed ? 1 + part : 1);
	}
	out->loss_error = 32 * SOTTO_U / (1 - line->rate);
	out->loss_shift = line->draws * r->x_error + 64 * SOTTO_U * reach;
	out->mass_error = line->draws * r->mass_error + s->rounding + out->loss_shift +
			  32 * SOTTO_U * (1 + reach) / (1 - line->rate);
	out->left_out = line->draws * r->left_out;
	out->top = INFINITY;
	if (!removed)
		out->top = -log1p(-line->rate) * (1 + 16 * SOTTO_U);
	else if (!(r->rule.step > 0))
		out->top = sotto_ratio_mixed(line->rate, line->draws * r->x[r->n - 1]) *
			   (1 + 0x1p-40);
	if (r->rule.step > 0)
		return SOTTO_OK;
	out->heavy = r->heavy;
	sotto_outcomes_repeat_heavy(&out->heavy, (uint64_t)line->draws);
	for (size_t i = 0; i < out->heavy.n; i++)
		sotto_outcomes_sample_one(line->rate, line->direction, &out->heavy.loss[i],
					  &out->heavy.mass[i]);
	return SOTTO_OK;
}

static enum sotto_status of_ratios(struct sotto_outcomes *out, struct sotto_ratios *r,
				   const struct sotto_nested_line *line,
				   struct sotto_work *work)
{
	struct sotto_ratio_tails t;
	struct sotto_ratio_sums one, all;
	double ends, error, size;
	enum sotto_status st;

	if (line->direction == SOTTO_ADD && -line->order * log1p(-line->rate) > HEAVIEST)
		return SOTTO_EREFUSED;
	sotto_work_use(work, TAIL_STEPS * SOTTO_RATIO_ORDERS * (double)r->n);
	sotto_ratio_tails_of(&t, r, line);
	ends = trim_one(r, line, &t);
	SOTTO_TRY(gather(r, line, &t, work, &one, &error, &size));
	st = sotto_ratio_sums_power(&all, &one, line, &t, trim, ENDS, work, &ends);
	if (st != SOTTO_OK)
		return st;
	sotto_work_use(work, 60 * (double)all.n +
				     (r->rule.step > 0 ? 0 : HEAVY_STEPS * log2(line->draws)));
	st = ends <= ENOUGH ? finish(out, &all, r, line) : SOTTO_EREFUSED;
	free(all.storage);
	if (st != SOTTO_OK)
		return st;
	out->exact = false;
	out->sum_error = error + ends;
	out->size = exp(size);
	return SOTTO_OK;
}

enum sotto_status sotto_outcomes_of_nested(struct sotto_outcomes *out,
					   const struct sotto_event *e,
					   enum sotto_direction direction, double order,
					   double far, struct sotto_work *work)
{
	struct sotto_nested_line line = {.order = order,
					 .far = far,
					 .draws = (double)e->children[0]->count,
					 .direction = direction};
	struct sotto_ratios r;
	enum sotto_status st;

	*out = (struct sotto_outcomes){.n = 0};
	SOTTO_TRY(sotto_measure_rate_up(e->rate.q, &line.rate));
	st = sotto_ratios_of(&r, e->children[0], &line, work);
	if (st == SOTTO_OK)
		st = of_ratios(out, &r, &line, work);
	free(r.x);
	if (st != SOTTO_OK)
		sotto_outcomes_release(out);
	return st;
}
