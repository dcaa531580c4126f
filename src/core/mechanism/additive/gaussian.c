/* The Gaussian mechanism: discrete Gaussian noise on the grid. */
#include "core/account/cost/cost_inside.h"
#include "sotto/noise.h"

#include <stdlib.h>

#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "core/mechanism/additive/gaussian_law.h"
#include "core/mechanism/additive/publish.h"
#include "core/number/rational/rational_value.h"
#include "core/random/gaussian/dgauss.h"

struct sotto_gaussian {
	struct sotto_rational sigma2;
	struct sotto_dgauss *law;
};

enum sotto_status
sotto_gaussian_new(const struct sotto_rational *sigma2, struct sotto_gaussian **out)
{
	if (!sigma2 || !out)
		return SOTTO_EINVAL;
	sigma2 = sotto_rational_settled(sigma2);

	struct sotto_gaussian *m = calloc(1, sizeof *m);
	enum sotto_status st = m ? sotto_dgauss_new(sigma2, &m->law) : SOTTO_ENOMEM;

	if (st != SOTTO_OK) {
		free(m);
		return st;
	}
	sotto_rational_init(&m->sigma2);
	sotto_rational_set(&m->sigma2, sigma2);
	*out = m;
	return SOTTO_OK;
}

void sotto_gaussian_free(struct sotto_gaussian *m)
{
	if (!m)
		return;
	sotto_rational_release(&m->sigma2);
	sotto_dgauss_free(m->law);
	free(m);
}

enum sotto_status sotto_gaussian_cost(const struct sotto_gaussian *m, int64_t sensitivity,
				      struct sotto_cost *cost)
{
	struct sotto_rational square;
	enum sotto_status st;

	if (sensitivity < 1)
		return SOTTO_EINVAL;
	sotto_rational_init(&square);
	mpq_set_si(square.q, sensitivity, 1);
	mpq_mul(square.q, square.q, square.q);
	st = sotto_cost_set_discrete_gaussian(cost, &m->sigma2, &square);
	sotto_rational_release(&square);
	return st;
}

enum sotto_status sotto_gaussian_publish(const struct sotto_gaussian *m, struct sotto_rng *rng,
					 struct sotto_exact x, struct sotto_noisy *out)
{
	if (!m || !rng || !out)
		return SOTTO_EINVAL;

	int64_t noise;

	SOTTO_TRY(sotto_dgauss_draw(m->law, rng, &noise));
	*out = sotto_publish_sum(x, noise);
	sotto_wipe(&noise, sizeof noise);
	return SOTTO_OK;
}

static enum sotto_status fill(const void *law, struct sotto_rng *rng, int64_t *noise, size_t n)
{
	return sotto_dgauss_fill(law, rng, noise, n);
}

enum sotto_status sotto_gaussian_publish_all(const struct sotto_gaussian *m,
					     struct sotto_rng *rng, const struct sotto_exact *x,
					     struct sotto_noisy *out, size_t n)
{
	if (!m || !rng || (n > 0 && (!x || !out)))
		return SOTTO_EINVAL;
	return sotto_publish_all(fill, m->law, rng, x, out, n);
}

enum sotto_status sotto_gaussian_error_up(const struct sotto_gaussian *m, size_t n,
					  const struct sotto_rational *beta, int64_t *error)
{
	if (!m || !beta || !error)
		return SOTTO_EINVAL;
	beta = sotto_rational_settled(beta);
	return sotto_gaussian_law_error_up(&m->sigma2, n, beta, error);
}
