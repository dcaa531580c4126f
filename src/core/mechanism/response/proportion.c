/*
 * Clopper and Pearson's interval: bisection on the binomial tail, which is an incomplete beta
 * function, with each end on its safe side.
 */
#include "core/mechanism/response/proportion.h"

#include <math.h>

#include "core/number/beta.h"

double sotto_proportion_tail(uint64_t successes, uint64_t n, double p)
{
	if (successes == 0)
		return 1;
	if (p <= 0 || p >= 1)
		return p >= 1;
	return sotto_beta_regularized((double)successes, (double)(n - successes) + 1, p);
}

/* The largest p in [0, 1] found at which P[Binomial(n, p) >= successes] is below `tail`. */
static double solve(uint64_t successes, uint64_t n, double tail)
{
	double low = 0, high = 1;

	for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
		double middle = 0.5 * (low + high);

		if (sotto_proportion_tail(successes, n, middle) < tail)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void sotto_proportion_interval(uint64_t successes, uint64_t n, double beta, double *low,
			       double *high)
{
	/* the upper end is the lower one of the failures: 1 - beta / 2 would be 1 for a small beta */
	*low = successes == 0 ? 0 : solve(successes, n, beta / 2);
	*high = successes == n ? 1 : nextafter(1 - solve(n - successes, n, beta / 2), 1);
}
