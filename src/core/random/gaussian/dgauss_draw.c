/*
 * Laws, and single draws by rejection from the discrete Laplace (CKS20, Algorithm 3);
 * many at a time are drawn in dgauss_block.c.  Argument: dgauss.md.
 */
#include "core/random/gaussian/dgauss_law.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"
#include "core/random/coin/bernoulli_exp.h"
#include "core/random/gaussian/dgauss_block.h"
#include "core/random/generator/random_source.h"

static bool sigma2_in_range(const mpq_t sigma2)
{
	mpq_t end;
	bool in_range;

	mpq_init(end);
	mpq_set_ui(end, 1, 1 << 20);
	in_range = mpq_cmp(sigma2, end) >= 0;
	mpq_set_ui(end, 1, 1);
	mpq_mul_2exp(end, end, 96);
	in_range = in_range && mpq_cmp(sigma2, end) <= 0;
	mpq_clear(end);
	return in_range;
}

/* t = floor(sqrt(floor(sigma2))) + 1, and planes of parameter 1/t. */
static enum sotto_status init_candidates(struct sotto_dgauss *g)
{
	struct sotto_rational eps;
	enum sotto_status st;

	mpz_fdiv_q(g->t, mpq_numref(g->sigma2), mpq_denref(g->sigma2));
	mpz_sqrt(g->t, g->t);
	mpz_add_ui(g->t, g->t, 1);
	sotto_rational_init(&eps);
	mpq_set_z(eps.q, g->t);
	mpq_inv(eps.q, eps.q);
	st = sotto_planes_init(&g->planes, &eps, true);
	sotto_rational_release(&eps);
	return st;
}

static enum sotto_status init_law(struct sotto_dgauss *g, const mpq_t sigma2)
{
	mpz_t none;

	mpq_set(g->sigma2, sigma2);
	SOTTO_TRY(init_candidates(g));
	mpz_init(none);
	sotto_dgauss_exponent_init(&g->single, g->sigma2, g->t);
	sotto_dgauss_exponent_init(&g->bulk, g->sigma2, none);
	mpz_clear(none);
	sotto_dgauss_cells_init(&g->cells, g->sigma2);
	g->path = sotto_dgauss_path_best();
	return SOTTO_OK;
}

enum sotto_status
sotto_dgauss_new(const struct sotto_rational *sigma2, struct sotto_dgauss **out)
{
	if (!sigma2 || !out)
		return SOTTO_EINVAL;
	sigma2 = sotto_rational_settled(sigma2);

	struct sotto_dgauss *g;
	enum sotto_status st;

	if (!sigma2_in_range(sigma2->q))
		return SOTTO_ERANGE;
	g = aligned_alloc(_Alignof(struct sotto_dgauss), sizeof *g);
	if (!g)
		return SOTTO_ENOMEM;
	mpq_init(g->sigma2);
	mpz_init(g->t);
	st = init_law(g, sigma2->q);
	if (st == SOTTO_OK) {
		*out = g;
		return SOTTO_OK;
	}
	mpq_clear(g->sigma2);
	mpz_clear(g->t);
	free(g);
	return st;
}

void sotto_dgauss_free(struct sotto_dgauss *g)
{
	if (!g)
		return;
	sotto_planes_release(&g->planes);
	mpq_clear(g->sigma2);
	mpz_clear(g->t);
	free(g);
}

/* Bounds of the acceptance; far out just 0 and one unit, without a branch. */
static struct sotto_exp_enclosure acceptance(const struct sotto_dgauss *g, uint64_t magnitude)
{
	uint64_t near = -(uint64_t)(magnitude >> g->single.bits == 0);
	sotto_u128 x = sotto_dgauss_exponent_at(&g->single, magnitude & near);
	struct sotto_exp_enclosure e = sotto_exp_enclose(x, SOTTO_DGAUSS_SLACK);
	sotto_u128 mask = (sotto_u128)near << 64 | near;

	return (struct sotto_exp_enclosure){e.low & mask, (e.high & mask) | (~near & 1)};
}

/* Candidates that one word does not decide. */
static enum sotto_status settle(const struct sotto_dgauss *g, struct sotto_rng *rng,
				uint64_t magnitude, uint64_t word, bool *accepted)
{
	struct sotto_scaled_exp p = {.num = 1, .den = 1};
	enum sotto_status st;

	*accepted = false;
	if (magnitude >= sotto_dgauss_end)
		return SOTTO_OK;
	mpq_init(p.x);
	sotto_dgauss_exponent_exact(g->sigma2, g->t, magnitude, p.x);
	st = sotto_scaled_exp_settle(&p, rng, word, 64, accepted);
	mpq_clear(p.x);
	return st;
}

/* One candidate.  The work does not depend on it, except with probability below 2^-57. */
static enum sotto_status
try_once(const struct sotto_dgauss *g, struct sotto_rng *rng, int64_t *y, bool *accepted)
{
	uint64_t word, magnitude, sign;
	bool decided;

	SOTTO_TRY(sotto_planes_draw(&g->planes, rng, y));
	SOTTO_TRY(sotto_source_word(rng, &word));
	sign = (uint64_t)(*y >> 63);
	magnitude = ((uint64_t)*y ^ sign) - sign;
	decided = sotto_exp_word_decides(acceptance(g, magnitude), word, accepted);
	/* It is not with probability below 2^-63. */
	SOTTO_DECLASSIFY(decided);
	if (__builtin_expect(!decided, 0))
		return settle(g, rng, magnitude, word, accepted);
	return SOTTO_OK;
}

enum sotto_status
sotto_dgauss_draw(const struct sotto_dgauss *g, struct sotto_rng *rng, int64_t *out)
{
	if (!g || !rng || !out)
		return SOTTO_EINVAL;

	bool accepted = false;
	int64_t y;

	SOTTO_TRY(sotto_source_ready(rng));
	while (!accepted) {
		SOTTO_TRY(try_once(g, rng, &y, &accepted));
		/* How many trials there are is independent of the value that ends them. */
		SOTTO_DECLASSIFY(accepted);
	}
	*out = y;
	return SOTTO_OK;
}
