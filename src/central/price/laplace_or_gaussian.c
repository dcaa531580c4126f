/*
 * Laplace or Gaussian noise: scale, errors, cost, drawing.
 */
#include "core/account/cost/cost_inside.h"
#include "central/price/laplace_or_gaussian.h"

#include <math.h>

#include "core/base/failure.h"
#include "core/number/nearest.h"

void sotto_added_noise_release(struct sotto_added_noise *n)
{
	switch (n->kind) {
	case SOTTO_NOISE_LAPLACE:
		sotto_laplace_free(n->laplace.mechanism);
		sotto_rational_release(&n->laplace.epsilon);
		sotto_rational_release(&n->laplace.moved);
		sotto_rational_release(&n->laplace.scale);
		break;
	case SOTTO_NOISE_GAUSSIAN:
		sotto_gaussian_free(n->gaussian.mechanism);
		sotto_rational_release(&n->gaussian.sigma2);
		break;
	case SOTTO_NOISE_NONE:
		break;
	}
	*n = (struct sotto_added_noise){.kind = SOTTO_NOISE_NONE};
}

static void end(void *noise)
{
	sotto_added_noise_release(noise);
}

struct sotto_added_noise *sotto_added_noise_in(struct sotto_arena *arena)
{
	struct sotto_added_noise *n = sotto_arena_alloc(arena, sizeof *n);

	return n && sotto_arena_defer(arena, end, n) ? n : NULL;
}

enum sotto_status sotto_added_noise_set_laplace(struct sotto_added_noise *n, const mpz_t moved,
						const struct sotto_rational *epsilon)
{
	sotto_added_noise_release(n);
	n->kind = SOTTO_NOISE_LAPLACE;
	sotto_rational_init(&n->laplace.epsilon);
	sotto_rational_init(&n->laplace.moved);
	sotto_rational_init(&n->laplace.scale);
	sotto_rational_set(&n->laplace.epsilon, epsilon);
	mpq_set_z(n->laplace.moved.q, moved);
	mpq_div(n->laplace.scale.q, n->laplace.moved.q, epsilon->q);
	return sotto_laplace_new_scale(&n->laplace.scale, &n->laplace.mechanism);
}

enum sotto_status sotto_added_noise_set_gaussian(struct sotto_added_noise *n,
						 const mpz_t squares,
						 const struct sotto_rational *rho)
{
	sotto_added_noise_release(n);
	n->kind = SOTTO_NOISE_GAUSSIAN;
	sotto_rational_init(&n->gaussian.sigma2);
	mpq_set_z(n->gaussian.sigma2.q, squares);
	mpq_div(n->gaussian.sigma2.q, n->gaussian.sigma2.q, rho->q);
	mpq_div_2exp(n->gaussian.sigma2.q, n->gaussian.sigma2.q, 1);
	return sotto_gaussian_new(&n->gaussian.sigma2, &n->gaussian.mechanism);
}

enum sotto_status sotto_added_noise_error_up(const struct sotto_added_noise *n, size_t count,
					     const struct sotto_rational *beta, int64_t *error)
{
	return n->kind == SOTTO_NOISE_LAPLACE
		       ? sotto_laplace_error_up(n->laplace.mechanism, count, beta, error)
		       : sotto_gaussian_error_up(n->gaussian.mechanism, count, beta, error);
}

/* One value in twenty may lie outside a 95 % interval, shared by k of them: 1/(20 k). */
enum sotto_status sotto_added_noise_set_errors(struct sotto_added_noise *n)
{
	struct sotto_rational beta;
	enum sotto_status st = SOTTO_OK;

	sotto_rational_init(&beta);
	for (unsigned k = 1; st == SOTTO_OK && k <= SOTTO_JOINT_MAX; k++) {
		mpq_set_ui(beta.q, 1, 20 * k);
		mpq_canonicalize(beta.q);
		st = sotto_added_noise_error_up(n, 1, &beta, &n->errors[k - 1]);
	}
	sotto_rational_release(&beta);
	return st;
}

double sotto_added_noise_scale(const struct sotto_added_noise *n)
{
	switch (n->kind) {
	case SOTTO_NOISE_LAPLACE:
		return sotto_nearest_double(n->laplace.scale.q);
	case SOTTO_NOISE_GAUSSIAN:
		return sqrt(sotto_nearest_double(n->gaussian.sigma2.q));
	case SOTTO_NOISE_NONE:
		break;
	}
	return 0;
}

double sotto_added_noise_size(const struct sotto_added_noise *n)
{
	return sotto_added_noise_scale(n) * (n->kind == SOTTO_NOISE_LAPLACE ? log(20) : 1.96);
}

/* Steps that do not fit an int64 are charged as any pure mechanism is. */
enum sotto_status
sotto_added_noise_charge(const struct sotto_added_noise *n, struct sotto_cost *cost)
{
	mpz_srcptr moved = mpq_numref(n->laplace.moved.q);
	struct sotto_rational step;
	struct sotto_cost one;
	enum sotto_status st;

	sotto_cost_init(&one);
	sotto_rational_init(&step);
	mpq_inv(step.q, n->laplace.scale.q);
	st = mpz_fits_slong_p(moved) ? sotto_cost_set_geometric(&one, &step, mpz_get_si(moved))
				     : sotto_cost_set_pure(&one, &n->laplace.epsilon);
	if (st == SOTTO_OK)
		sotto_cost_add(cost, &one);
	sotto_rational_release(&step);
	sotto_cost_release(&one);
	return st;
}

enum sotto_status sotto_added_noise_publish(const struct sotto_added_noise *n,
					    struct sotto_rng *rng, const struct sotto_exact *x,
					    struct sotto_noisy *out, size_t count)
{
	switch (n->kind) {
	case SOTTO_NOISE_LAPLACE:
		return sotto_laplace_publish_all(n->laplace.mechanism, rng, x, out, count);
	case SOTTO_NOISE_GAUSSIAN:
		return sotto_gaussian_publish_all(n->gaussian.mechanism, rng, x, out, count);
	case SOTTO_NOISE_NONE:
		break;
	}
	return SOTTO_ESTATE;
}
