/*
 * Chooses the kernel and bounds what the smooth one leaves beyond the last node; the distance
 * to the next point of a lattice is computed exactly.
 */
#include "core/account/integral/contour/contour_kernel.h"

#include <math.h>

#include "core/account/integral/complex.h"

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

void sotto_kernel_lattice(struct sotto_kernel *k, const struct sotto_loss_measure *m,
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

void sotto_kernel_end(struct sotto_kernel_sums *sums)
{
	sums->error *= 1 + 0x1p-20;
}
