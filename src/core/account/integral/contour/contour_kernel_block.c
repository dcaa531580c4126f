/*
 * The kernels at the nodes of a block.  Phases that are linear in t turn from node to node,
 * so that a block takes a few sines and not one for each node.
 */
#include <math.h>

#include "core/account/integral/complex.h"
#include "core/account/integral/contour/contour_kernel.h"

/* The two kernels at each node, and a bound of their size that no cancellation lowers. */
struct weights {
	struct cx high[SOTTO_BLOCK], low[SOTTO_BLOCK];
	double size[SOTTO_BLOCK];
};

/* exp(i t x) - 1 at each node */
struct turns {
	double re[SOTTO_BLOCK], im[SOTTO_BLOCK];
};

static struct cx whole_turn(const struct turns *x, size_t j)
{
	return cx_of(1 + x->re[j], x->im[j]);
}

static double node_at(const struct sotto_block *b, size_t j)
{
	return b->h * (double)(b->first + j);
}

/*
 * d exp(-s g) (a + b exp(-s d))/((1 - exp(-s d))(1 - exp(-(s+1) d))), a = 1 - exp(-g),
 * b = exp(-g) - exp(-d), g the gap; the factor exp(-c epsilon) is taken out.
 */
static void
lattice(const struct sotto_kernel_sums *sums, const struct sotto_block *b, struct weights *w)
{
	double d = sums->spacing, g = sums->gap, c = b->c;
	double left = -expm1(-g), right = -exp(-g) * expm1(g - d);

	for (size_t j = 0; j < b->n; j++) {
		double t = node_at(b, j);
		struct cx turn = cx_exp(-c * d, -t * d), top, bottom;

		bottom = cx_mul(cx_expm1(-c * d, -t * d), cx_expm1(-(c + 1) * d, -t * d));
		top = cx_mul(cx_exp(-c * g, -t * (g + sums->epsilon)),
			     cx_of(left + right * turn.re, right * turn.im));
		w->high[j] = w->low[j] = cx_scale(cx_div(top, bottom), d);
		w->size[j] = d * exp(-c * g) * (left + right * exp(-c * d)) / cx_abs(bottom);
	}
}

/* exp(-i t epsilon)/(s(s+1)) */
static void plain(double epsilon, const struct sotto_block *b, struct weights *w)
{
	struct turns phase;

	sotto_block_turns(b, -epsilon, phase.re, phase.im);
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double t = node_at(b, j);
		struct cx z = cx_inv(cx_mul(cx_of(b->c, t), cx_of(b->c + 1, t)));

		w->high[j] = w->low[j] = cx_mul(z, whole_turn(&phase, j));
		w->size[j] = cx_abs(z);
	}
}

/* high: exp(s(s+1) tau^2/2); low: exp(s^2 tau^2/2) (1 - s (exp((2s+1) tau^2/2) - 1)) */
static void smooth(double tau2, const struct sotto_block *b, struct weights *w)
{
	double c = b->c, lift = expm1((2 * c + 1) * tau2 / 2);
	double above = exp(c * (c + 1) * tau2 / 2), below = exp(c * c * tau2 / 2);
	struct turns by_c, by_half, by_one;

	sotto_block_turns(b, c * tau2, by_c.re, by_c.im);
	sotto_block_turns(b, tau2 / 2, by_half.re, by_half.im);
	sotto_block_turns(b, tau2, by_one.re, by_one.im);
	for (size_t j = 0; j < SOTTO_BLOCK; j++) {
		double t = node_at(b, j), fall = exp(-0.5 * t * t * tau2), size = w->size[j];
		struct cx one = cx_of(by_one.re[j], by_one.im[j]);
		struct cx step = cx_mul(
			cx_of(c, t), cx_of(lift * (1 + one.re) + one.re, (lift + 1) * one.im));
		struct cx z = cx_mul(cx_scale(w->high[j], fall), whole_turn(&by_c, j));

		w->high[j] = cx_scale(cx_mul(z, whole_turn(&by_half, j)), above);
		w->low[j] = cx_scale(cx_mul(z, cx_of(1 - step.re, -step.im)), below);
		w->size[j] = size * fall * fmax(below * (1 + cx_abs(step)), above);
	}
}

static void find_weights(const struct sotto_kernel *k, const struct sotto_kernel_sums *sums,
			 const struct sotto_block *b, struct weights *w)
{
	if (k->kind == SOTTO_KERNEL_LATTICE) {
		lattice(sums, b, w);
		return;
	}
	plain(sums->epsilon, b, w);
	if (k->kind == SOTTO_KERNEL_SMOOTH)
		smooth(k->tau * k->tau, b, w);
}

/*
 * Relative to the size: operations, and the phase t epsilon or the phases of a lattice.
 * Each set of turns loses some 32 u; smoothing has three more, and exp(-(t tau)^2/2).
 */
static double weight_error(const struct sotto_kernel *k, const struct sotto_kernel_sums *sums,
			   double c, double t)
{
	double reach = fabs(sums->epsilon), operations = 80;

	if (k->kind == SOTTO_KERNEL_LATTICE)
		reach += 4 * sums->spacing;
	if (k->kind == SOTTO_KERNEL_SMOOTH)
		operations = 320;
	return SOTTO_U * (operations + 4 * (t + c) * reach);
}

/* The first node, and the middle one of a lattice's period, count half. */
static double share_of(const struct sotto_kernel *k, uint64_t node)
{
	bool middle = k->kind == SOTTO_KERNEL_LATTICE && 2 * node == k->period_nodes;

	return node == 0 || middle ? 0.5 : 1;
}

void sotto_kernel_add(const struct sotto_kernel *k, const struct sotto_block *b,
		      struct sotto_kernel_sums *sums)
{
	struct weights w;

	find_weights(k, sums, b, &w);
	for (size_t j = 0; j < b->n && b->first + j < sums->nodes; j++) {
		struct cx z = cx_of(b->re[j], b->im[j]);
		double share = share_of(k, b->first + j), wrong;

		wrong = b->relative[j] * 1.01 + weight_error(k, sums, b->c, node_at(b, j));
		sotto_sum_add(&sums->high, share * cx_mul(w.high[j], z).re);
		sotto_sum_add(&sums->low, share * cx_mul(w.low[j], z).re);
		sums->error += share * w.size[j] * (b->absolute[j] + cx_abs(z) * wrong);
	}
}
