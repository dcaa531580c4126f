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

/* Sum over the list from number first on, of mass e^(s(loss - last)). */
static double sum_at(const struct sotto_gathered_list *l, size_t first, double s)
{
	double power[2 * SOTTO_GATHERED_MAX], sum = 0;

	sotto_gathered_list_powers(l, s, power);
	for (size_t i = first; i < l->n; i++)
		sum += l->mass[i] * power[i];
	return sum;
}

/* The sum over j of share_j e^(j loss). */
static double shared(const double *share, size_t n, double y)
{
	double sum = share[n - 1];

	for (size_t j = n - 1; j-- > 0;)
		sum = sum * y + share[j];
	return sum;
}

void sotto_clone_group_cumulants(const struct sotto_clone_group *g, double s, double k[3])
{
	const struct sotto_gathered_list *l = &g->list;
	double power[2 * SOTTO_GATHERED_MAX], y[2 * SOTTO_GATHERED_MAX],
		share[SOTTO_CLONE_GROUP_PEOPLE],
		n = (double)g->shares, last = l->loss[l->n - 1], top = exp(last), sum = 0,
		one = 0, mean = 0, square = 0;

	for (size_t j = 0; j < g->shares; j++)
		share[j] = sotto_clone_group_share(n, (double)j, cx_of(s, 0), 0).re;
	sotto_gathered_list_powers(l, n * s, power);
	if (g->shares > 1)
		sotto_gathered_list_powers(l, 1, y);
	for (size_t i = 0; i < l->n; i++) {
		double w = l->mass[i] * power[i];

		one += w;
		mean += w * l->loss[i];
		square += w * l->loss[i] * l->loss[i];
		sum += g->shares > 1 ? w * shared(share, g->shares, y[i] * top) : w;
	}
	mean /= one;
	square /= one;
	k[0] = log(sum) + n * s * last +
	       1.1 * (g->error + sotto_gathered_list_error(l, n * s + n - 1, 0)) +
	       16 * SOTTO_U * (24 + (n * s + n) * (4 + fabs(last)));
	k[1] = n * mean;
	k[2] = n * n * fmax(square - mean * mean, 0);
}

/* h^2 L^2 <= e^(hL) + e^(-hL) - 2.  The first half of a mirrored list are opposites. */
double sotto_clone_group_square_up(const struct sotto_clone_group *g, double c, double log_m)
{
	size_t half = g->list.n / 2;
	double last = g->list.loss[g->list.n - 1], h = 2 / last,
	       sum = sum_at(&g->list, half, c + h) * exp(h * last) +
		     sum_at(&g->list, half, c - h) * exp(-h * last) -
		     2 * sum_at(&g->list, half, c);
	return 1.01 * (fabs(sum) * exp(c * last - log_m) + 1e-12) / (h * h);
}

double sotto_clone_group_by_s2(const struct sotto_clone_group *g, double square)
{
	return 2 * (2 * g->curve_error * square + 2 * g->moved * (square + sqrt(square)));
}
