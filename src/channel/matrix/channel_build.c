/*
 * Fills each matrix from closed formulas in fractions; the tight mechanism solves a linear
 * system and exists only if no weight is negative.
 */
#include "channel/matrix/channel_build.h"

#include "channel/matrix/channel_powers.h"
#include "core/base/failure.h"

/* ---- on a path ------------------------------------------------------------------- */

/* c_z: 1/(1+a) at the ends, (1-a)/(1+a) inside */
static void geometric_weight(mpq_t c, const mpq_t alpha, bool end)
{
	mpq_t one, sum;

	mpq_inits(one, sum, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	mpq_add(sum, one, alpha);
	mpq_set(c, one);
	if (!end)
		mpq_sub(c, c, alpha);
	mpq_div(c, c, sum);
	mpq_clears(one, sum, (mpq_ptr)0);
}

/* Makes the truncated geometric mechanism on 0 .. n-1 for a given alpha, 0 <= alpha <= 1. */
static enum sotto_status build_geometric(size_t n, const mpq_t alpha, struct sotto_matrix **out)
{
	struct sotto_matrix *m;
	mpq_t inner, end, power;

	SOTTO_TRY(sotto_matrix_new(n, n, &m));
	mpq_inits(inner, end, power, (mpq_ptr)0);
	geometric_weight(inner, alpha, false);
	geometric_weight(end, alpha, true);
	mpq_set_ui(power, 1, 1);
	for (size_t d = 0; d < n; d++) {
		for (size_t y = 0; y + d < n; y++) {
			size_t z = y + d;

			mpq_mul(sotto_matrix_at(m, y, z), power,
				z == n - 1 || z == 0 ? end : inner);
			mpq_mul(sotto_matrix_at(m, z, y), power,
				y == n - 1 || y == 0 ? end : inner);
		}
		mpq_mul(power, power, alpha);
	}
	if (n == 1)
		mpq_set_ui(sotto_matrix_at(m, 0, 0), 1, 1);
	mpq_clears(inner, end, power, (mpq_ptr)0);
	*out = m;
	return SOTTO_OK;
}

/*
 * With b = exp(-epsilon/2), at distance j: inside (b^(2j-1) - b^(2j+1))/2 and 1 - b for j
 * = 0; at an end b^(2j-1)/2 and 1 - b/2.
 */
static void laplace_cell(mpq_t p, const mpq_t *powers, size_t j, bool end)
{
	mpq_t one;

	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	if (j == 0) {
		mpq_set(p, powers[1]);
		if (end)
			mpq_div_2exp(p, p, 1);
		mpq_sub(p, one, p);
	} else {
		mpq_set(p, powers[2 * j - 1]);
		if (!end)
			mpq_sub(p, p, powers[2 * j + 1]);
		mpq_div_2exp(p, p, 1);
	}
	mpq_clear(one);
}

enum sotto_status
sotto_channel_laplace(size_t n, const struct sotto_eps *eps, struct sotto_matrix **out)
{
	struct sotto_matrix *powers;
	enum sotto_status st;
	mpq_t half;

	SOTTO_TRY(sotto_matrix_new(1, 2 * n + 2, &powers));
	mpq_init(half);
	mpq_set_ui(half, 1, 2);
	mpq_set_ui(powers->cells[0], 1, 1);
	(void)sotto_eps_alpha_up(eps, half, SOTTO_CHANNEL_BITS, powers->cells[1]);
	for (size_t i = 2; i < 2 * n + 2; i++)
		mpq_mul(powers->cells[i], powers->cells[i - 1], powers->cells[1]);
	st = sotto_matrix_new(n, n, out);
	for (size_t y = 0; y < n && st == SOTTO_OK; y++)
		for (size_t z = 0; z < n; z++)
			laplace_cell(sotto_matrix_at(*out, y, z), powers->cells,
				     y > z ? y - z : z - y, z == 0 || z == n - 1);
	if (st == SOTTO_OK && n == 1)
		mpq_set_ui(sotto_matrix_at(*out, 0, 0), 1, 1);
	mpq_clear(half);
	sotto_matrix_free(powers);
	return st;
}

enum sotto_status
sotto_channel_geometric_at(size_t n, const struct sotto_eps *eps, struct sotto_matrix **out)
{
	enum sotto_status st;
	mpq_t one, alpha;

	mpq_inits(one, alpha, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	(void)sotto_eps_alpha_up(eps, one, SOTTO_CHANNEL_BITS, alpha);
	st = build_geometric(n, alpha, out);
	mpq_clears(one, alpha, (mpq_ptr)0);
	return st;
}

/* ---- on any graph ------------------------------------------------------------------ */

/* Diagonal 1, elsewhere alpha, rows divided by their sums. */
enum sotto_status
sotto_channel_response(size_t n, const struct sotto_eps *eps, struct sotto_matrix **out)
{
	struct sotto_matrix *m;
	mpq_t one, alpha;

	SOTTO_TRY(sotto_matrix_new(n, n, &m));
	mpq_inits(one, alpha, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	(void)sotto_eps_alpha_up(eps, one, SOTTO_CHANNEL_BITS, alpha);
	for (size_t y = 0; y < n; y++)
		for (size_t z = 0; z < n; z++)
			mpq_set(sotto_matrix_at(m, y, z), y == z ? one : alpha);
	mpq_clears(one, alpha, (mpq_ptr)0);
	*out = m;
	return sotto_matrix_normalize(m);
}

/* alpha^(times d(y,z)), 0 where answers are not related */
static enum sotto_status weights_of(const struct sotto_graph *graph,
				    const struct sotto_eps *eps, const mpq_t times,
				    struct sotto_matrix **out)
{
	struct sotto_powers powers;
	struct sotto_matrix *m;
	mpq_t d;

	SOTTO_TRY(sotto_powers_init(&powers, graph, eps, times, SOTTO_ALPHA_UP));
	if (sotto_graph_distances(graph, &m) != SOTTO_OK) {
		sotto_powers_release(&powers);
		return SOTTO_ENOMEM;
	}
	mpq_init(d);
	for (size_t i = 0; i < m->rows * m->columns; i++) {
		mpq_set(d, m->cells[i]);
		if (mpq_sgn(d) < 0)
			mpq_set_ui(m->cells[i], 0, 1);
		else
			sotto_powers_of(&powers, d, m->cells[i]);
	}
	mpq_clear(d);
	sotto_powers_release(&powers);
	*out = m;
	return SOTTO_OK;
}

enum sotto_status sotto_channel_exponential(const struct sotto_graph *graph,
					    const struct sotto_eps *eps, const mpq_t times,
					    struct sotto_matrix **out)
{
	SOTTO_TRY(weights_of(graph, eps, times, out));
	return sotto_matrix_normalize(*out);
}

/* ---- tight ------------------------------------------------------------------------- */

/*
 * Computes the weights c with Phi c = 1, Phi_ij = alpha(d(i,j)): the tight channel is Phi
 * diag(c).  *exists is false if a weight is negative.  Fails: SOTTO_EINVAL if Phi is singular.
 */
static enum sotto_status tight_weights(const struct sotto_graph *graph,
				       const struct sotto_eps *eps, struct sotto_matrix **phi,
				       struct sotto_matrix **c, bool *exists)
{
	struct sotto_matrix *weights, *ones, *solution;
	enum sotto_status st;
	mpq_t one;

	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	st = weights_of(graph, eps, one, &weights);
	mpq_clear(one);
	SOTTO_TRY(st);
	st = sotto_matrix_new(graph->nodes, 1, &ones);
	if (st == SOTTO_OK) {
		for (size_t i = 0; i < graph->nodes; i++)
			mpq_set_ui(ones->cells[i], 1, 1);
		st = sotto_matrix_solve(weights, ones, &solution);
		sotto_matrix_free(ones);
	}
	if (st != SOTTO_OK) {
		sotto_matrix_free(weights);
		return st;
	}
	*exists = true;
	for (size_t i = 0; i < graph->nodes; i++)
		*exists = *exists && mpq_sgn(solution->cells[i]) >= 0;
	*phi = weights;
	*c = solution;
	return SOTTO_OK;
}

enum sotto_status sotto_channel_tight(const struct sotto_graph *graph,
				      const struct sotto_eps *eps, struct sotto_matrix **out,
				      struct sotto_error *err)
{
	struct sotto_matrix *phi, *c;
	bool exists;
	enum sotto_status st = tight_weights(graph, eps, &phi, &c, &exists);

	if (st == SOTTO_EINVAL)
		return sotto_fail(
			err, SOTTO_EINVAL,
			"at epsilon 0 there is no tight mechanism; every output is equally "
			"likely for all answers");
	SOTTO_TRY(st);
	for (size_t y = 0; y < phi->rows; y++)
		for (size_t z = 0; z < phi->columns; z++)
			mpq_mul(sotto_matrix_at(phi, y, z), sotto_matrix_at(phi, y, z),
				c->cells[z]);
	sotto_matrix_free(c);
	if (!exists) {
		sotto_matrix_free(phi);
		return sotto_fail(
			err, SOTTO_EINVAL,
			"this graph has no tight mechanism at this epsilon; 'sotto optimal' "
			"finds the best one");
	}
	*out = phi;
	return SOTTO_OK;
}

/* ---- tables ------------------------------------------------------------------------ */

enum sotto_status sotto_channel_table(const struct sotto_matrix *channel, unsigned bits,
				      struct sotto_matrix **out)
{
	struct sotto_matrix *m;
	mpq_t half, one, rest;
	mpz_t n;

	if (!channel || !out || !channel->columns)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_matrix_new(channel->rows, channel->columns, &m));
	mpq_inits(half, one, rest, (mpq_ptr)0);
	mpz_init(n);
	mpq_set_ui(half, 1, 2);
	mpq_set_ui(one, 1, 1);
	for (size_t y = 0; y < m->rows; y++) {
		size_t home = y < m->columns ? y : m->columns - 1;

		for (size_t z = 0; z < m->columns; z++) {
			mpq_ptr cell = sotto_matrix_at(m, y, z);

			mpq_mul_2exp(cell, sotto_matrix_at(channel, y, z), bits);
			mpq_add(cell, cell, half);
			mpz_fdiv_q(n, mpq_numref(cell), mpq_denref(cell));
			mpq_set_z(cell, n);
			mpq_div_2exp(cell, cell, bits);
		}
		sotto_matrix_row_sum(rest, m, y);
		mpq_sub(rest, one, rest);
		mpq_add(sotto_matrix_at(m, y, home), sotto_matrix_at(m, y, home), rest);
	}
	mpz_clear(n);
	mpq_clears(half, one, rest, (mpq_ptr)0);
	*out = m;
	return SOTTO_OK;
}
