/*
 * Cuts negative cells, normalizes the rows, and mixes in as much of the constant channel as the
 * worst pair of neighbours needs, in fractions.
 */
#include "channel/optimal/channel_repair.h"

#include "channel/matrix/channel_powers.h"
#include "channel/verify/channel_verify.h"
#include "core/base/failure.h"

/* v = max over outputs of p - k q for the pair, 0 if that is negative */
static void
violation(const struct sotto_matrix *m, size_t y, size_t neighbour, const mpq_t k, mpq_t v)
{
	mpq_t excess;

	mpq_init(excess);
	mpq_set_ui(v, 0, 1);
	for (size_t z = 0; z < m->columns; z++) {
		mpq_mul(excess, k, sotto_matrix_at(m, neighbour, z));
		mpq_sub(excess, sotto_matrix_at(m, y, z), excess);
		if (mpq_cmp(excess, v) > 0)
			mpq_set(v, excess);
	}
	mpq_clear(excess);
}

/* The share of the constant row that the worst pair needs. */
static void share_needed(const struct sotto_matrix *m, const struct sotto_graph *graph,
			 const struct sotto_eps *eps, mpq_t share)
{
	mpq_t k, v, t, one;

	mpq_inits(k, v, t, one, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	mpq_set_ui(share, 0, 1);
	for (size_t i = 0; i < 2 * graph->edge_count; i++) {
		const struct sotto_edge *e = &graph->edges[i / 2];

		(void)sotto_eps_alpha_up(eps, e->length, SOTTO_CHANNEL_BITS, k);
		mpq_inv(k, k);
		violation(m, i % 2 ? e->to : e->from, i % 2 ? e->from : e->to, k, v);
		if (mpq_sgn(v) == 0)
			continue;
		mpq_set_ui(t, m->columns, 1);
		mpq_mul(v, v, t); /* v K */
		mpq_sub(t, k, one);
		mpq_add(t, t, v);
		mpq_div(t, v, t);
		if (mpq_cmp(t, share) > 0)
			mpq_set(share, t);
	}
	mpq_clears(k, v, t, one, (mpq_ptr)0);
}

static void mix(struct sotto_matrix *m, const mpq_t share)
{
	mpq_t rest, constant;

	mpq_inits(rest, constant, (mpq_ptr)0);
	mpq_set_ui(rest, 1, 1);
	mpq_sub(rest, rest, share);
	mpq_set_ui(constant, 1, m->columns);
	mpq_mul(constant, constant, share);
	for (size_t i = 0; i < m->rows * m->columns; i++) {
		mpq_mul(m->cells[i], m->cells[i], rest);
		mpq_add(m->cells[i], m->cells[i], constant);
	}
	mpq_clears(rest, constant, (mpq_ptr)0);
}

enum sotto_status sotto_channel_repair(struct sotto_matrix *channel,
				       const struct sotto_graph *graph,
				       const struct sotto_eps *eps)
{
	mpq_t share;

	for (size_t i = 0; i < channel->rows * channel->columns; i++)
		if (mpq_sgn(channel->cells[i]) < 0)
			mpq_set_ui(channel->cells[i], 0, 1);
	SOTTO_TRY(sotto_matrix_normalize(channel));
	mpq_init(share);
	share_needed(channel, graph, eps, share);
	if (mpq_sgn(share) != 0)
		mix(channel, share);
	mpq_clear(share);
	return sotto_channel_is_private(channel, graph, eps) ? SOTTO_OK : SOTTO_ESTATE;
}
