/* One record for each mechanism that noise.c can make: sotto/noise.h, sotto/choose.h. */
#include "noise_law.h"

/* Publishes one by one, for laws without a block. */
#define ONE_BY_ONE(function)                                                                   \
	enum sotto_status st = SOTTO_OK;                                                       \
	for (size_t i = 0; st == SOTTO_OK && i < n; i++)                                       \
		st = (function);                                                               \
	return st

/* ---- Laplace --------------------------------------------------------------------------------- */

static void laplace_free(struct noise_mechanism *m)
{
	sotto_laplace_free(m->of);
}

static enum sotto_status laplace_publish(const struct noise_mechanism *m, struct sotto_rng *rng,
					 const struct sotto_exact *x, struct sotto_noisy *out,
					 size_t n)
{
	return sotto_laplace_publish_all(m->of, rng, x, out, n);
}

static enum sotto_status laplace_cost(const struct noise_mechanism *m, struct sotto_cost *cost)
{
	return sotto_laplace_cost(m->of, m->sensitivity, cost);
}

static enum sotto_status laplace_error(const struct noise_mechanism *m, size_t n,
				       const struct sotto_rational *beta, int64_t *error)
{
	return sotto_laplace_error_up(m->of, n, beta, error);
}

const struct noise_law noise_laplace_law = {laplace_free, laplace_publish, laplace_cost,
					    laplace_error};

/* ---- Gaussian -------------------------------------------------------------------------------- */

static void gaussian_free(struct noise_mechanism *m)
{
	sotto_gaussian_free(m->of);
}

static enum sotto_status gaussian_publish(const struct noise_mechanism *m,
					  struct sotto_rng *rng, const struct sotto_exact *x,
					  struct sotto_noisy *out, size_t n)
{
	return sotto_gaussian_publish_all(m->of, rng, x, out, n);
}

static enum sotto_status gaussian_cost(const struct noise_mechanism *m, struct sotto_cost *cost)
{
	return sotto_gaussian_cost(m->of, m->sensitivity, cost);
}

static enum sotto_status gaussian_error(const struct noise_mechanism *m, size_t n,
					const struct sotto_rational *beta, int64_t *error)
{
	return sotto_gaussian_error_up(m->of, n, beta, error);
}

const struct noise_law noise_gaussian_law = {gaussian_free, gaussian_publish, gaussian_cost,
					     gaussian_error};

/* ---- staircase ------------------------------------------------------------------------------- */

static void staircase_free(struct noise_mechanism *m)
{
	sotto_staircase_free(m->of);
}

static enum sotto_status staircase_publish(const struct noise_mechanism *m,
					   struct sotto_rng *rng, const struct sotto_exact *x,
					   struct sotto_noisy *out, size_t n)
{
	ONE_BY_ONE(sotto_staircase_publish(m->of, rng, x[i], &out[i]));
}

static enum sotto_status
staircase_cost(const struct noise_mechanism *m, struct sotto_cost *cost)
{
	return sotto_staircase_cost(m->of, cost);
}

static enum sotto_status staircase_error(const struct noise_mechanism *m, size_t n,
					 const struct sotto_rational *beta, int64_t *error)
{
	double each = sotto_rational_double_down(beta) / (double)(n ? n : 1);

	return sotto_staircase_error(m->of, each, error);
}

const struct noise_law noise_staircase_law = {staircase_free, staircase_publish, staircase_cost,
					      staircase_error};

/* ---- truncated geometric --------------------------------------------------------------------- */

static void truncated_free(struct noise_mechanism *m)
{
	sotto_truncated_free(m->of);
}

static enum sotto_status truncated_publish(const struct noise_mechanism *m,
					   struct sotto_rng *rng, const struct sotto_exact *x,
					   struct sotto_noisy *out, size_t n)
{
	ONE_BY_ONE(sotto_truncated_publish(m->of, rng, x[i], &out[i]));
}

static enum sotto_status
truncated_cost(const struct noise_mechanism *m, struct sotto_cost *cost)
{
	return sotto_truncated_cost(m->of, cost);
}

const struct noise_law noise_truncated_law = {truncated_free, truncated_publish, truncated_cost,
					      NULL};

/* ---- randomized response, with two coins or with k answers ------------------------------------ */

static void coins_free(struct noise_mechanism *m)
{
	sotto_randomized_response_release(&m->coins);
}

static enum sotto_status coins_publish(const struct noise_mechanism *m, struct sotto_rng *rng,
				       const struct sotto_exact *x, struct sotto_noisy *out,
				       size_t n)
{
	ONE_BY_ONE(sotto_randomized_response_publish(&m->coins, rng, x[i], &out[i]));
}

static enum sotto_status coins_cost(const struct noise_mechanism *m, struct sotto_cost *cost)
{
	return sotto_randomized_response_cost(&m->coins, cost);
}

const struct noise_law noise_coins_law = {coins_free, coins_publish, coins_cost, NULL};

static void kary_free(struct noise_mechanism *m)
{
	sotto_kary_response_free(m->of);
}

static enum sotto_status kary_publish(const struct noise_mechanism *m, struct sotto_rng *rng,
				      const struct sotto_exact *x, struct sotto_noisy *out,
				      size_t n)
{
	ONE_BY_ONE(sotto_kary_response_publish(m->of, rng, x[i], &out[i]));
}

static enum sotto_status kary_cost(const struct noise_mechanism *m, struct sotto_cost *cost)
{
	return sotto_kary_response_cost(m->of, cost);
}

const struct noise_law noise_kary_law = {kary_free, kary_publish, kary_cost, NULL};
