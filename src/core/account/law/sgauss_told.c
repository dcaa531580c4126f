/*
 * R = a + b, a = 1 - q for what is not sampled and b = q exp(mu z - mu^2/2) for what is: on most outcomes one of the two is nothing beside
 * the other.  Arguments in sample.md.
 */
#include "core/account/law/sgauss_told.h"

#include <math.h>

/* From this mu on, and for K up to this order. */
#define MU_MIN 3.0
#define ORDER_MAX 1.0
/* Where b is e^TOLD times a, and more, only the sampled part is left. */
#define TOLD 3.0
#define LOG_ROOT_2PI 0.91893853320467274178

bool sotto_sgauss_is_told(const struct sotto_law *law, double s)
{
	return law->of_hundreds && law->direction == SOTTO_REMOVE && law->mu >= MU_MIN &&
	       law->rate < 1 && s <= ORDER_MAX;
}

/* (1-q)^p + q^p exp(p(p-1) mu^2/2) + (2^p - 2) (q(1-q))^(p/2) exp(-p(2-p) mu^2/8), p = s + 1; the last is at most a bound of what is between. */
void sotto_sgauss_told_cumulants(const struct sotto_law *law, double s, double k[3])
{
	double q = law->rate, m2 = law->mu * law->mu, p = s + 1, la = log1p(-q), lb = log(q);
	double f[3] = {p * la, p * lb + p * s * m2 / 2,
		       0.5 * p * (la + lb) - p * (1 - s) * m2 / 8 + log(2 * expm1(s * M_LN2))};
	double slope[3] = {la, lb + (p + s) * m2 / 2,
			   0.5 * (la + lb) + s * m2 / 4 + M_LN2 / -expm1(-s * M_LN2)};
	double bend[3] = {0, m2, m2 / 4}, most = fmax(f[0], f[1]), sum = 0, mean = 0,
	       square = 0;

	for (int i = 0; i < 3; i++) {
		double w = exp(f[i] - most);

		sum += w;
		mean += w * slope[i];
		square += w * (slope[i] * slope[i] + bend[i]);
	}
	mean /= sum;
	k[0] = most + log(sum) + 0x1p-45 * (1 + fabs(most));
	k[1] = mean;
	k[2] = fmax(square / sum - mean * mean, 0);
}

/*
 * For all u >= t.  The part of M(c) where b > e^TOLD a is at least q^(1+c) exp(c(c+1) mu^2/2) times a normal probability; at c + iu it is at most
 * its total variation over u, and all else stays.
 */
static double bound_from(const struct sotto_law *law, double c, double log_m, double t)
{
	double q = law->rate, mu = law->mu;
	double z1 = mu / 2 + (TOLD + log1p(-q) - log(q)) / mu;
	double log_part = (1 + c) * log(q) + c * (c + 1) * mu * mu / 2 - log_m;
	double steep = 3 * pow(1 + exp(-TOLD), 1 + c) - 1;
	double known = 0.5 * erfc((z1 - mu * (1 + c)) * M_SQRT1_2),
	       left = steep * exp(-LOG_ROOT_2PI) / (mu * t);

	return fmin(1, 1 - exp(fmin(0, log_part)) * (known - left) + 1e-9);
}

void sotto_sgauss_told_ladder(const struct sotto_law *law, double c, double log_m,
			      struct sotto_ladder *ladder)
{
	double t = 1 / law->mu;

	ladder->n = 0;
	for (int i = 0; i < 12 && ladder->n < SOTTO_RUNGS; i++, t *= 2) {
		double bound = bound_from(law, c, log_m, t);

		if (ladder->n == 0 && !(bound < 1))
			continue;
		if (ladder->n == 0)
			ladder->first = t;
		ladder->bound[ladder->n++] = bound;
	}
}
