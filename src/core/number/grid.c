/* Values on a grid of equal steps, and what rounding adds to a sensitivity. */
#include "sotto/noise.h"

#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"

void sotto_grid_init(struct sotto_grid *g)
{
	sotto_rational_init(&g->step);
	mpq_set_ui(g->step.q, 1, 1);
}

void sotto_grid_release(struct sotto_grid *g)
{
	if (!g)
		return;
	sotto_rational_release(&g->step);
}

enum sotto_status sotto_grid_set_step(struct sotto_grid *g, const struct sotto_rational *step)
{
	if (!g || !step)
		return SOTTO_EINVAL;
	if (sotto_rational_sign(step) <= 0)
		return SOTTO_EINVAL;
	sotto_rational_set(&g->step, step);
	return SOTTO_OK;
}

bool sotto_grid_holds(const struct sotto_grid *g, const struct sotto_rational *x)
{
	mpq_t steps;
	bool whole;

	if (sotto_rational_sign(&g->step) <= 0)
		return false;
	mpq_init(steps);
	mpq_div(steps, sotto_rational_value(x), g->step.q);
	whole = mpz_cmp_ui(mpq_denref(steps), 1) == 0;
	mpq_clear(steps);
	return whole;
}

static enum sotto_status take_i64(const mpz_t n, int64_t *out)
{
	_Static_assert(sizeof(long) == sizeof(int64_t), "mpz_get_si gives a long");
	if (!mpz_fits_slong_p(n))
		return SOTTO_EOVERFLOW;
	*out = mpz_get_si(n);
	return SOTTO_OK;
}

enum sotto_status
sotto_grid_round(const struct sotto_grid *g, const struct sotto_rational *x, int64_t *steps)
{
	if (!g || !x || !steps || sotto_rational_sign(&g->step) <= 0)
		return SOTTO_EINVAL;

	enum sotto_status st;
	mpq_t q, half;

	mpq_init(q);
	mpq_init(half);
	mpq_set_ui(half, 1, 2);
	mpq_div(q, sotto_rational_value(x), g->step.q);
	mpq_add(q, q, half);
	mpz_fdiv_q(mpq_numref(q), mpq_numref(q), mpq_denref(q));
	st = take_i64(mpq_numref(q), steps);
	mpq_clear(q);
	mpq_clear(half);
	return st;
}

void sotto_grid_value(const struct sotto_grid *g, int64_t steps, struct sotto_rational *out)
{
	mpq_t n;

	mpq_init(n);
	mpq_set_si(n, steps, 1);
	mpq_mul(out->q, n, g->step.q);
	mpq_clear(n);
}

/* q = S/g */
static enum sotto_status in_steps(const struct sotto_grid *g,
				  const struct sotto_rational *sensitivity, size_t dimension,
				  mpq_t q)
{
	if (sotto_rational_sign(sensitivity) <= 0 || dimension == 0)
		return SOTTO_EINVAL;
	mpq_div(q, sensitivity->q, g->step.q);
	return SOTTO_OK;
}

/* q = floor(q) + k */
static void add_count_up(mpq_t q, size_t k)
{
	mpz_fdiv_q(mpq_numref(q), mpq_numref(q), mpq_denref(q));
	mpz_add_ui(mpq_numref(q), mpq_numref(q), k);
}

/* q = the least whole number D with D - q >= sqrt(k) */
static void add_root_up(mpq_t q, size_t k)
{
	mpz_t root;
	mpq_t gap;

	mpz_init_set_ui(root, k);
	mpz_sqrt(root, root);
	mpq_init(gap);
	mpz_fdiv_q(mpq_numref(gap), mpq_numref(q), mpq_denref(q));
	mpz_add(root, root, mpq_numref(gap)); /* floor(q) + floor(sqrt k): at most two short */
	for (;;) {
		mpq_set_z(gap, root);
		mpq_sub(gap, gap, q);
		mpq_mul(gap, gap, gap);
		if (mpq_cmp_ui(gap, k, 1) >= 0)
			break;
		mpz_add_ui(root, root, 1);
	}
	mpq_set_z(q, root);
	mpq_clear(gap);
	mpz_clear(root);
}

static enum sotto_status
sensitivity_up(const struct sotto_grid *g, const struct sotto_rational *sensitivity,
	       size_t dimension, void (*add_rounding)(mpq_t, size_t), int64_t *steps)
{
	enum sotto_status st;
	mpq_t q;

	if (!g || !sensitivity || !steps)
		return SOTTO_EINVAL;
	mpq_init(q);
	st = in_steps(g, sensitivity, dimension, q);
	if (st == SOTTO_OK) {
		add_rounding(q, dimension);
		st = take_i64(mpq_numref(q), steps);
	}
	mpq_clear(q);
	return st;
}

enum sotto_status sotto_grid_sensitivity_l1_up(const struct sotto_grid *g,
					       const struct sotto_rational *sensitivity,
					       size_t dimension, int64_t *steps)
{
	return sensitivity_up(g, sensitivity, dimension, add_count_up, steps);
}

/* One value has the same sensitivity in both norms. */
enum sotto_status sotto_grid_sensitivity_l2_up(const struct sotto_grid *g,
					       const struct sotto_rational *sensitivity,
					       size_t dimension, int64_t *steps)
{
	return sensitivity_up(g, sensitivity, dimension,
			      dimension == 1 ? add_count_up : add_root_up, steps);
}
