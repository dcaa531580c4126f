/*
 * Closed forms for sensitivity 1, b = e^-epsilon; the staircase's are of Geng and Viswanath
 * (arXiv 1212.1186).
 */
#include "channel/utility/utility_real.h"

#include <math.h>

/* A step of the staircase is cut at gamma: where the mean error, or the variance, is least. */
static double gamma_of_error(double epsilon)
{
	return 1 / (1 + exp(epsilon / 2));
}

static double gamma_of_variance(double epsilon)
{
	double b = exp(-epsilon), rest = -expm1(-epsilon); /* 1 - b, without loss */
	double root = cbrt(b * rest * rest * (1 + b) * rest); /* b - 2b^2 + 2b^4 - b^5 */

	return -b / rest + root / (cbrt(2) * rest * rest);
}

static double staircase_error(double epsilon)
{
	return exp(epsilon / 2) / expm1(epsilon);
}

static double staircase_variance(double epsilon)
{
	double b = exp(-epsilon), rest = -expm1(-epsilon);

	return (pow(2, -2. / 3) * pow(b * (1 + b), 2. / 3) + b) / (rest * rest);
}

void utility_real_print(double epsilon, FILE *out)
{
	const double beyond = 0.05;
	double scale = 1 / epsilon;

	if (!(epsilon > 0))
		return;
	fprintf(out,
		"a real number of sensitivity 1 would be off by %.10g on average with Laplace "
		"noise, by %.10g with staircase noise\n",
		scale, staircase_error(epsilon));
	fprintf(out,
		"  variance %.10g and %.10g; the staircase is cut at %.10g for the error, at "
		"%.10g for the variance\n",
		2 * scale * scale, staircase_variance(epsilon), gamma_of_error(epsilon),
		gamma_of_variance(epsilon));
	fprintf(out,
		"  95 %% of errors stay within %.10g with Laplace noise, below %.10g with "
		"geometric noise\n",
		-scale * log(beyond), scale * log(2 / (beyond * (exp(epsilon) + 1))) + 1);
}
