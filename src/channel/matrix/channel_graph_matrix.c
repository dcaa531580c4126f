/*
 * Graphs from matrices: a metric, or a list of edges.
 */
#include <stdlib.h>

#include "channel/matrix/channel_graph.h"
#include "core/base/failure.h"

/* All triples are looked at. */
enum { METRIC_MAX = 150 };

size_t sotto_graph_answers(const struct sotto_graph *g)
{
	return g ? g->nodes : 0;
}

bool sotto_graph_is_path(const struct sotto_graph *g)
{
	return g && g->is_path;
}

/* Symmetric with a zero diagonal. */
static bool looks_like_metric(const struct sotto_matrix *m)
{
	if (m->rows != m->columns)
		return false;
	for (size_t i = 0; i < m->rows; i++)
		if (mpq_sgn(sotto_matrix_at(m, i, i)) != 0)
			return false;
	return true;
}

static bool read_node(const mpq_t cell, size_t *out)
{
	if (mpq_sgn(cell) < 0 || mpz_cmp_ui(mpq_denref(cell), 1) != 0 ||
	    !mpz_fits_ulong_p(mpq_numref(cell)))
		return false;
	*out = mpz_get_ui(mpq_numref(cell));
	return *out < SOTTO_GRAPH_NODES_MAX;
}

/* nodes 0: as many as the edges name */
static enum sotto_status edges_of(const struct sotto_matrix *m, size_t nodes,
				  struct sotto_graph **out, struct sotto_error *err)
{
	size_t(*ends)[2] = calloc(m->rows, sizeof *ends), most = 0;
	mpq_t *lengths = calloc(m->rows, sizeof *lengths);
	enum sotto_status st = ends && lengths ? SOTTO_OK : SOTTO_ENOMEM;
	size_t done = 0;

	for (; done < m->rows && st == SOTTO_OK; done++) {
		mpq_init(lengths[done]);
		mpq_set_ui(lengths[done], 1, 1);
		if (m->columns == 3)
			mpq_set(lengths[done], sotto_matrix_at(m, done, 2));
		for (int k = 0; k < 2 && st == SOTTO_OK; k++) {
			if (!read_node(sotto_matrix_at(m, done, (size_t)k), &ends[done][k]))
				st = sotto_fail(err, SOTTO_EINVAL,
						"edge %zu does not name two answers by number, "
						"the first "
						"being 0",
						done + 1);
			else if (ends[done][k] > most)
				most = ends[done][k];
		}
	}
	if (st == SOTTO_OK)
		st = sotto_graph_new(nodes ? nodes : most + 1, (const size_t(*)[2])ends,
				     (const mpq_t *)lengths, m->rows, out, err);
	for (size_t i = 0; i < done; i++)
		mpq_clear(lengths[i]);
	free(lengths);
	free(ends);
	return st;
}

enum sotto_status sotto_graph_of_matrix(const struct sotto_matrix *m, size_t answers,
					struct sotto_graph **out, struct sotto_error *err)
{
	if (!m || !out)
		return SOTTO_EINVAL;
	if (!looks_like_metric(m)) {
		if (m->columns != 2 && m->columns != 3)
			return sotto_fail(
				err, SOTTO_EINVAL,
				"a graph file has edges 'from,to[,length]' or a whole "
				"metric");
		return edges_of(m, answers, out, err);
	}
	if (m->rows > METRIC_MAX)
		return sotto_fail(err, SOTTO_ERANGE,
				  "a metric can be of at most %d answers; give edges instead",
				  METRIC_MAX);
	if (answers && answers != m->rows)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the metric is for %zu answers, but there are %zu", m->rows,
				  answers);
	return sotto_graph_of_metric(m, out, err);
}
