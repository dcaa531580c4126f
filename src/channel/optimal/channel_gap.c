/*
 * Can one release serve two users as well as two releases would?  On a path yes, on most
 * other graphs no (Brenner and Nissim, arXiv 1008.0256).
 */
#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"
#include "core/base/failure.h"
#include "sotto/utility.h"

/* A struct sotto_gap is nothing but fractions. */
enum { FRACTIONS = sizeof(struct sotto_gap) / sizeof(struct sotto_rational) };

/*
 * Both users at once are one user: guesses are pairs, the prior is uniform and the gain of
 * a pair is N times the sum of prior x gain of both, so that the utility is the sum.
 */
static enum sotto_status joint_user(size_t answers, const struct sotto_reader r[2],
				    struct sotto_matrix **prior, struct sotto_matrix **gain)
{
	size_t first = r[0].gain->rows, second = r[1].gain->rows;
	mpq_t n, term;

	SOTTO_TRY(sotto_matrix_new(1, answers, prior));
	if (sotto_matrix_new(first * second, answers, gain) != SOTTO_OK) {
		sotto_matrix_free(*prior);
		return SOTTO_ENOMEM;
	}
	mpq_inits(n, term, (mpq_ptr)0);
	mpq_set_ui(n, answers, 1);
	for (size_t y = 0; y < answers; y++) {
		mpq_inv((*prior)->cells[y], n);
		for (size_t w = 0; w < first * second; w++) {
			mpq_ptr cell = sotto_matrix_at(*gain, w, y);

			mpq_mul(cell, r[0].prior->cells[y],
				sotto_matrix_at(r[0].gain, w / second, y));
			mpq_mul(term, r[1].prior->cells[y],
				sotto_matrix_at(r[1].gain, w % second, y));
			mpq_add(cell, cell, term);
			mpq_mul(cell, cell, n);
		}
	}
	mpq_clears(n, term, (mpq_ptr)0);
	return SOTTO_OK;
}

static enum sotto_status find_one(const struct sotto_graph *graph, const struct sotto_eps *eps,
				  const struct sotto_reader *r, mpq_t lower, mpq_t upper,
				  struct sotto_error *err)
{
	struct sotto_optimal best;

	SOTTO_TRY(
		sotto_optimal_find(graph, eps, r->prior, r->gain, SOTTO_WAYS_ALL, &best, err));
	mpq_set(lower, best.lower.q);
	mpq_set(upper, best.upper.q);
	sotto_optimal_release(&best);
	return SOTTO_OK;
}

enum sotto_status sotto_gap_find(const struct sotto_graph *graph, const struct sotto_eps *eps,
				 const struct sotto_reader readers[2], struct sotto_gap *out,
				 struct sotto_error *err)
{
	struct sotto_matrix *prior = NULL, *gain = NULL;
	struct sotto_gap g;
	struct sotto_rational *all = (struct sotto_rational *)&g;
	enum sotto_status st;

	if (!graph || !eps || !readers || !out)
		return SOTTO_EINVAL;
	for (int i = 0; i < 2; i++)
		if (!readers[i].prior || !readers[i].gain ||
		    readers[i].prior->columns != graph->nodes ||
		    readers[i].gain->columns != graph->nodes || !readers[i].gain->rows)
			return SOTTO_EINVAL;
	for (size_t i = 0; i < FRACTIONS; i++)
		sotto_rational_init(&all[i]);
	st = joint_user(graph->nodes, readers, &prior, &gain);
	for (int i = 0; i < 2 && st == SOTTO_OK; i++)
		st = find_one(graph, eps, &readers[i], g.solo[i].q, g.solo_upper[i].q, err);
	if (st == SOTTO_OK)
		st = find_one(graph, eps, &(struct sotto_reader){prior, gain}, g.joint.q,
			      g.joint_upper.q, err);
	sotto_matrix_free(prior);
	sotto_matrix_free(gain);
	if (st == SOTTO_OK)
		*out = g;
	else
		sotto_gap_release(&g);
	return st;
}

void sotto_gap_release(struct sotto_gap *g)
{
	struct sotto_rational *all = (struct sotto_rational *)g;

	for (size_t i = 0; g && i < FRACTIONS; i++)
		sotto_rational_release(&all[i]);
}
