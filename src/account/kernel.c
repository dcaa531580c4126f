#include "account/kernel.h"

#include <math.h>

#include "account/cx.h"

void sotto_kernel_init(struct sotto_kernel *k)
{
	mpq_init(k->spacing);
	mpq_init(k->offset);
	k->alias_factor = 1;
}

void sotto_kernel_release(struct sotto_kernel *k)
{
	mpq_clear(k->spacing);
	mpq_clear(k->offset);
}

void sotto_kernel_plain(struct sotto_kernel *k)
{
	k->kind = SOTTO_KERNEL_PLAIN;
}

void sotto_kernel_lattice(struct sotto_kernel *k, const struct sotto_measure *m,
			  uint64_t period_nodes)
{
	k->kind = SOTTO_KERNEL_LATTICE;
	mpq_set(k->spacing, m->spacing);
	mpq_set(k->offset, m->offset);
	k->period_nodes = period_nodes;
}

void sotto_kernel_smooth(struct sotto_kernel *k, double c, double tau)
{
	k->kind = SOTTO_KERNEL_SMOOTH;
	k->tau = tau;
	k->alias_factor = 8 * exp(fmin(600, 10 * (c + 1) * (c + 1) * tau * tau));
}

/*
 * |smooth kernel| <= exp((c(c+1) - t^2) tau^2/2) (1 + |s| (exp((2c+1) tau^2/2) + 1))/|s(s+1)|, and
 * with |s| <= 1.1 t the integral over t is at most 4 exp(-(t tau)^2/2)/(pi (t tau)^2).
 */
double sotto_kernel_log_tail(const struct sotto_kernel *k, double c, double t)
{
	double x = t * k->tau, lift = (c + 1) * (c + 1) * k->tau * k->tau;

	return log(4 / (M_PI * x * x)) + lift - 0.5 * x * x + log1p(2 * c / t);
}

/* The distance from epsilon, a double and so an exact number, to the next lattice point. */
static double gap_above(const struct sotto_kernel *k, double epsilon)
{
	mpq_t x, steps;
	double gap;
	mpz_t n;

	mpq_inits(x, steps, (mpq_ptr)0);
	mpz_init(n);
	mpq_set_d(x, epsilon);
	mpq_sub(x, x, k->offset);
	mpq_div(steps, x, k->spacing);
	mpz_fdiv_q(n, mpq_numref(steps), mpq_denref(steps));
	mpz_add_ui(n, n, 1);
	mpq_set_z(steps, n);
	mpq_mul(steps, steps, k->spacing);
	mpq_sub(x, steps, x);
	gap = mpq_get_d(x);
	mpz_clear(n);
	mpq_clears(x, steps, (mpq_ptr)0);
	return gap;
}

void sotto_kernel_begin(const struct sotto_kernel *k, double epsilon, uint64_t nodes,
			struct sotto_kernel_sums *sums)
{
	*sums = (struct sotto_kernel_sums){.epsilon = epsilon, .nodes = nodes};
	if (k->kind == SOTTO_KERNEL_LATTICE) {
		sums->spacing = mpq_get_d(k->spacing);
		sums->gap = gap_above(k, epsilon);
	}
}

/* 1/(s(s+1)) */
static struct cx plain(double c, double t)
{
	return cx_inv(cx_mul(cx_of(c, t), cx_of(c + 1, t)));
}

/* The two kernels at a node, and a bound of their size that no cancellation lowers. */
struct weight {
	struct cx high, low;
	double size;
};

/*
 * d exp(-s g) (a + b exp(-s d))/((1 - exp(-s d))(1 - exp(-(s+1) d))), a = 1 - exp(-g),
 * b = exp(-g) - exp(-d), g the gap; the factor exp(-c epsilon) is taken out.
 */
static struct weight lattice(const struct sotto_kernel_sums *sums, double c, double t)
{
	double d = sums->spacing, g = sums->gap;
	double a = -expm1(-g), b = -exp(-g) * expm1(g - d);
	struct cx turn = cx_exp(-c * d, -t * d), top;
	struct cx bottom = cx_mul(cx_expm1(-c * d, -t * d), cx_expm1(-(c + 1) * d, -t * d));
	struct weight w;

	top = cx_mul(cx_exp(-c * g, -t * (g + sums->epsilon)),
		     cx_of(a + b * turn.re, b * turn.im));
	w.high = w.low = cx_scale(cx_div(top, bottom), d);
	w.size = d * exp(-c * g) * (a + b * exp(-c * d)) / cx_abs(bottom);
	return w;
}

/* high: exp(s(s+1) tau^2/2); low: exp(s^2 tau^2/2) (1 - s (exp((2s+1) tau^2/2) - 1)) */
static struct weight smooth(struct cx w, double c, double t, double tau2)
{
	struct cx lift = cx_expm1((2 * c + 1) * tau2 / 2, t * tau2);
	struct cx step = cx_mul(cx_of(c, t), lift);
	struct cx fall = cx_exp((c * c - t * t) * tau2 / 2, c * t * tau2);
	struct weight r;

	r.high =
		cx_mul(w, cx_exp((c * (c + 1) - t * t) * tau2 / 2, t * (2 * c + 1) * tau2 / 2));
	r.low = cx_mul(w, cx_mul(fall, cx_of(1 - step.re, -step.im)));
	r.size = cx_abs(w) * fmax(cx_abs(fall) * (1 + cx_abs(step)), cx_abs(r.high));
	return r;
}

static struct weight weight_at(const struct sotto_kernel *k,
			       const struct sotto_kernel_sums *sums, double c, double t)
{
	struct cx w;

	if (k->kind == SOTTO_KERNEL_LATTICE)
		return lattice(sums, c, t);
	w = cx_mul(plain(c, t), cx_exp(0, -t * sums->epsilon));
	if (k->kind == SOTTO_KERNEL_SMOOTH)
		return smooth(w, c, t, k->tau * k->tau);
	return (struct weight){w, w, cx_abs(w)};
}

/* Relative to the size: operations, the phase t epsilon, or the phases of a lattice. */
static double weight_error(const struct sotto_kernel *k, const struct sotto_kernel_sums *sums,
			   double c, double t)
{
	double reach = sums->epsilon;

	if (k->kind == SOTTO_KERNEL_LATTICE)
		reach += 4 * sums->spacing;

	return SOTTO_U * (80 + 4 * (t + c) * reach);
}

void sotto_kernel_add(const struct sotto_kernel *k, const struct sotto_block *b,
		      struct sotto_kernel_sums *sums)
{
	for (size_t j = 0; j < b->n && b->first + j < sums->nodes; j++) {
		uint64_t node = b->first + j;
		double t = b->h * (double)node, share = 1;
		struct cx z = cx_of(b->re[j], b->im[j]);
		struct weight w = weight_at(k, sums, b->c, t);

		if (node == 0 ||
		    (k->kind == SOTTO_KERNEL_LATTICE && 2 * node == k->period_nodes))
			share = 0.5;
		sotto_sum_add(&sums->high, share * cx_mul(w.high, z).re);
		sotto_sum_add(&sums->low, share * cx_mul(w.low, z).re);
		sums->error += share * w.size *
			       (b->absolute[j] + cx_abs(z) * (b->relative[j] * 1.01 +
							      weight_error(k, sums, b->c, t)));
	}
}

void sotto_kernel_end(struct sotto_kernel_sums *sums)
{
	sums->error *= 1 + 0x1p-20;
}
