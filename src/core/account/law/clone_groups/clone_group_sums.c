/* Sums over the gathered list at real orders. */
#include <math.h>

#include "core/account/law/clone_groups/clone_group.h"
#include "core/account/law/law.h"

struct cx sotto_clone_group_share(double n, double j, struct cx s, double bend)
{
	struct cx a = cx_of(n * s.re + j, n * s.im), b = cx_of(a.re + 1, a.im);
	struct cx top = cx_mul(cx_scale(s, n), cx_of(s.re + 1, s.im)), one, less;

	if (n == 1)
		return cx_of(1, 0);
	one = cx_div(top, cx_mul(a, b));
	if (bend == 0)
		return one;
	less = cx_sub(cx_scale(cx_inv(a), j * (n - j)),
		      cx_scale(cx_inv(b), (j + 1) * (n - j - 1)));
	return cx_sub(one, cx_scale(cx_mul(top, less), bend));
}

/* Sums over the list from number first on, of mass e^(s(loss - last)). */
static double sum_at(const struct sotto_gathered_list *l, size_t first, double s, double *mean,
		     double *square)
{
	double sum = 0, last = l->loss[l->n - 1];

	*mean = *square = 0;
	for (size_t i = first; i < l->n; i++) {
		double w = l->mass[i] * exp(s * (l->loss[i] - last));

		sum += w;
		*mean += w * l->loss[i];
		*square += w * l->loss[i] * l->loss[i];
	}
	*mean /= sum;
	*square /= sum;
	return sum;
}

void sotto_clone_group_cumulants(const struct sotto_clone_group *g, double s, double k[3])
{
	double n = (double)g->shares, last = g->list.loss[g->list.n - 1], sum = 0, mean, square;

	for (double j = n - 1; j >= 0; j--)
		sum += sotto_clone_group_share(n, j, cx_of(s, 0), 0).re *
		       sum_at(&g->list, 0, n * s + j, &mean, &square) * exp(j * last);
	k[0] = log(sum) + n * s * last +
	       1.1 * (g->error + sotto_gathered_list_error(&g->list, n * s + n - 1, 0)) +
	       16 * SOTTO_U * (16 + (n * s + n) * fabs(last));
	k[1] = n * mean;
	k[2] = n * n * fmax(square - mean * mean, 0);
}

/* h^2 L^2 <= e^(hL) + e^(-hL) - 2.  The first half of a mirrored list are opposites. */
double sotto_clone_group_square_up(const struct sotto_clone_group *g, double c, double log_m)
{
	size_t half = g->list.n / 2;
	double last = g->list.loss[g->list.n - 1], mean, square, sum, h = 2 / last;

	sum = (sum_at(&g->list, half, c + h, &mean, &square) * exp(h * last) +
	       sum_at(&g->list, half, c - h, &mean, &square) * exp(-h * last) -
	       2 * sum_at(&g->list, half, c, &mean, &square));
	return 1.01 * (fabs(sum) * exp(c * last - log_m) + 1e-12) / (h * h);
}

double sotto_clone_group_by_s2(const struct sotto_clone_group *g, double square)
{
	return 2 * (2 * g->curve_error * square + 2 * g->moved * (square + sqrt(square)));
}
