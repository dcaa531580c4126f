/* K of a sampled Gaussian law and its derivatives at real orders. */
#include "core/account/law/sgauss_cumulants.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/sgauss_rule.h"
#include "core/account/law/sgauss_told.h"

/*
 * Where no rule is fine enough: x^p is convex for p = s+1 and p = -s, so E R^p is at most
 * 1 - q + q exp(s(s+1) mu^2/2); and for "add" at most (1-q)^-s.
 */
static void convex_cumulants(const struct sotto_law *law, double s, double k[3], double *size)
{
	double x = s * (s + 1) * law->mu * law->mu / 2, slope = (s + 0.5) * law->mu * law->mu;
	double most = -s * log1p(-law->rate);

	k[0] = x < 600 ? log1p(law->rate * expm1(x)) : x + log(law->rate);
	k[1] = slope;
	k[2] = law->mu * law->mu;
	if (law->direction == SOTTO_ADD && most < k[0]) {
		k[0] = most;
		k[1] = most / s;
		k[2] = 0;
	}
	*size = 16 * (1 + k[0] + x);
}

/* Terms of the rule on the real line; more, which only a law that is not one of many has, are computed again. */
enum { KEPT = SOTTO_TERMS_OF_MANY };

struct terms_kept {
	double excess[KEPT], l[KEPT]; /* R - 1 and log R */
};

/* Terms that are not kept are computed three times, and those that are once. */
double sotto_sgauss_terms(const struct sotto_law *law, double s)
{
	size_t n = sotto_sgauss_rule_for(law, s, sotto_sgauss_digits(law)).n;

	return 4 + (n > KEPT ? 2.5 : 1) * (double)n;
}

static void term_at(const struct sotto_law *law, const struct sotto_sgauss_rule *r, size_t i,
		    const struct terms_kept *kept, double *excess, double *l)
{
	if (r->n > KEPT) {
		sotto_sgauss_real_ratio(law, r->low + (double)i * r->step, excess, l);
		return;
	}
	*excess = kept->excess[i];
	*l = kept->l[i];
}

/*
 * On the real line, E R^p - 1 = E[R^p - 1 - p] since E R = 1: K keeps its digits for tiny
 * rates.  *size bounds the rounding error in units u.
 */
static double small_excess(const struct sotto_law *law, double p,
			   const struct sotto_sgauss_rule *r, const struct terms_kept *kept,
			   double *size)
{
	double sum = 0, rough = 0;

	for (size_t i = 0; i < r->n; i++) {
		double x = r->low + (double)i * r->step,
		       log_w = -x * x / 2 - SOTTO_LOG_ROOT_2PI;
		double w = exp(log_w), y, l, part;

		term_at(law, r, i, kept, &y, &l);
		if (fabs(y) < 1e-4 && fabs(p * y) < 1e-4) {
			part = w * p * (p - 1) / 2 * y * y *
			       (1 + (p - 2) / 3 * y * (1 + (p - 3) / 4 * y));
			rough += fabs(part);
		} else { /* the power may be huge where the weight is tiny */
			part = fabs(p * l) < 1 ? w * (expm1(p * l) - p * y)
					       : exp(log_w + p * l) - w * (1 + p * y);
			rough += fabs(part) + w * fabs(p * y);
		}
		sum += part;
	}
	*size = 200 * rough * r->step;
	return sum * r->step;
}

/* K, K', K'' of one event from the rule on the real line; *size as above. */
void sotto_sgauss_one_cumulants(const struct sotto_law *law, double s, double digits,
				double k[3], double *size)
{
	struct sotto_sgauss_rule r = sotto_sgauss_rule_for(law, s, digits);
	bool remove = law->direction == SOTTO_REMOVE;
	double most = -INFINITY, sum = 0, mean = 0, square = 0, power = remove ? s + 1 : -s;
	struct terms_kept kept;
	double y, l;

	if (r.n == 0) {
		convex_cumulants(law, s, k, size);
		return;
	}
	for (size_t i = 0; i < r.n; i++) {
		double x = r.low + (double)i * r.step, *at = &kept.l[i % KEPT], w;

		sotto_sgauss_real_ratio(law, x, &kept.excess[i % KEPT], at);
		w = -x * x / 2 + power * *at;
		most = w > most ? w : most;
	}
	for (size_t i = 0; i < r.n; i++) {
		double x = r.low + (double)i * r.step, w;

		term_at(law, &r, i, &kept, &y, &l);
		w = exp(-x * x / 2 + power * l - most);
		sum += w;
		mean += w * l;
		square += w * l * l;
	}
	mean /= sum;
	k[0] = most - SOTTO_LOG_ROOT_2PI + log(sum * r.step);
	k[1] = remove ? mean : -mean;
	k[2] = fmax(square / sum - mean * mean, 0);
	*size = 64 + (double)r.n + 8 * fabs(most) + 2 * s * s * law->mu * law->mu;
	if (k[0] < 0.25 && sotto_sgauss_has_whole_mean(law))
		k[0] = log1p(small_excess(law, power, &r, &kept, size));
}

/* The same from the list of one law of many, good to some u of 1. */
static void listed_cumulants(const struct sotto_law *law, double s, double k[3])
{
	bool remove = law->direction == SOTTO_REMOVE;
	double most = -INFINITY, sum = 0, mean = 0, square = 0, power = remove ? s + 1 : -s;

	for (size_t i = 0; i < law->n; i++)
		most = fmax(most, law->mass[i] + power * law->loss[i]);
	for (size_t i = 0; i < law->n; i++) {
		double x = law->mass[i] + power * law->loss[i] - most, w;

		if (x < -SOTTO_SGAUSS_STEERING - SOTTO_SGAUSS_TAILS)
			continue;
		w = exp(x);
		sum += w;
		mean += w * law->loss[i];
		square += w * law->loss[i] * law->loss[i];
	}
	mean /= sum;
	k[0] = most + log(sum);
	k[1] = remove ? mean : -mean;
	k[2] = fmax(square / sum - mean * mean, 0);
}

void sotto_sgauss_cumulants(const struct sotto_law *law, double s, double k[3])
{
	double digits = sotto_sgauss_digits(law), one[3], size;

	if (law->loss && s <= SOTTO_SGAUSS_LISTED_REACH)
		listed_cumulants(law, s, one);
	else if (sotto_sgauss_is_told(law, s))
		sotto_sgauss_told_cumulants(law, s, one);
	else if ((law->of_many && sotto_sgauss_rule_for(law, s, SOTTO_SGAUSS_STEERING).n >
					  SOTTO_TERMS_OF_MANY) ||
		 sotto_sgauss_rule_for(law, s, digits).n == 0) /* as the contour takes it */
		convex_cumulants(law, s, one, &size);
	else
		sotto_sgauss_one_cumulants(law, s, SOTTO_SGAUSS_STEERING, one, &size);
	sotto_law_add_cumulants(law, one, k);
}

/*
 * A rule for an order is one for all lower orders: its range holds theirs, and its step is finer.  Where
 * it would be long, nothing is listed.
 */
enum sotto_status sotto_sgauss_list(struct sotto_law *law, double digits)
{
	struct sotto_sgauss_rule r =
		sotto_sgauss_rule_for(law, SOTTO_SGAUSS_LISTED_REACH, digits);

	if (r.n == 0 || r.n > SOTTO_SGAUSS_LIST_MAX)
		return SOTTO_OK;
	law->loss = malloc(2 * r.n * sizeof *law->loss);
	if (!law->loss)
		return SOTTO_ENOMEM;
	law->n = r.n;
	law->mass = law->loss + r.n;
	for (size_t i = 0; i < r.n; i++) {
		double x = r.low + (double)i * r.step, excess;

		sotto_sgauss_real_ratio(law, x, &excess, &law->loss[i]);
		law->mass[i] = -x * x / 2 - SOTTO_LOG_ROOT_2PI + log(r.step);
	}
	return SOTTO_OK;
}
