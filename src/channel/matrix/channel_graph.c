/*
 * Edges are sorted and kept once; distances add up along a line, come from breadth-first search
 * where all lengths are 1, and from Floyd and Warshall's algorithm otherwise.
 */
#include "channel/matrix/channel_graph.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

static int edge_compare(const void *x, const void *y)
{
	const struct sotto_edge *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* The first of equal ends stays. */
static void drop_repeated(struct sotto_graph *g)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->edge_count; i++) {
		if (kept && edge_compare(&g->edges[kept - 1], &g->edges[i]) == 0) {
			mpq_clear(g->edges[i].length);
			continue;
		}
		g->edges[kept++] = g->edges[i];
	}
	g->edge_count = kept;
}

static size_t find_root(size_t *parent, size_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

static enum sotto_status find_shape(struct sotto_graph *g)
{
	size_t *parent = malloc((g->nodes ? g->nodes : 1) * sizeof *parent), parts = g->nodes;

	if (!parent)
		return SOTTO_ENOMEM;
	g->is_line = g->edge_count + 1 == g->nodes;
	for (size_t i = 0; i < g->nodes; i++)
		parent[i] = i;
	for (size_t i = 0; i < g->edge_count; i++) {
		size_t a = find_root(parent, g->edges[i].from);
		size_t b = find_root(parent, g->edges[i].to);

		parts -= a != b;
		parent[a] = b;
		g->is_line = g->is_line && g->edges[i].to == g->edges[i].from + 1;
		g->has_lengths = g->has_lengths || mpq_cmp_ui(g->edges[i].length, 1, 1) != 0;
	}
	free(parent);
	g->is_tree = parts == 1 && g->edge_count + 1 == g->nodes;
	g->is_path = g->is_line && !g->has_lengths;
	return SOTTO_OK;
}

static bool length_in_range(const mpq_t d)
{
	return mpq_sgn(d) > 0 && mpq_cmp_ui(d, SOTTO_DISTANCE_MAX, 1) <= 0 &&
	       mpz_cmp_ui(mpq_denref(d), 1000000) <= 0;
}

static enum sotto_status check_edges(size_t nodes, const size_t (*ends)[2],
				     const mpq_t *lengths, size_t count,
				     struct sotto_error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (ends[i][0] >= nodes || ends[i][1] >= nodes)
			return sotto_fail(
				err, SOTTO_EINVAL,
				"edge %zu-%zu names an answer that is not there; the last is "
				"%zu",
				ends[i][0], ends[i][1], nodes - 1);
		if (ends[i][0] == ends[i][1])
			return sotto_fail(err, SOTTO_EINVAL, "edge %zu-%zu leads to itself",
					  ends[i][0], ends[i][1]);
		if (lengths && !length_in_range(lengths[i]))
			return sotto_fail(
				err, SOTTO_EINVAL,
				"the length of edge %zu-%zu must be above 0 and at most %d, "
				"with a denominator of at most a million",
				ends[i][0], ends[i][1], SOTTO_DISTANCE_MAX);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_graph_new(size_t nodes, const size_t (*ends)[2], const mpq_t *lengths,
				  size_t count, struct sotto_graph **out,
				  struct sotto_error *err)
{
	struct sotto_graph *g;
	enum sotto_status st;

	if (nodes == 0 || nodes > SOTTO_GRAPH_NODES_MAX)
		return sotto_fail(err, SOTTO_ERANGE, "there must be 1 to %d answers",
				  SOTTO_GRAPH_NODES_MAX);
	SOTTO_TRY(check_edges(nodes, ends, lengths, count, err));
	g = calloc(1, sizeof *g);
	if (!g)
		return SOTTO_ENOMEM;
	g->nodes = nodes;
	g->edges = calloc(count ? count : 1, sizeof *g->edges);
	for (size_t i = 0; i < count && g->edges; i++) {
		bool swap = ends[i][0] > ends[i][1];
		struct sotto_edge *e = &g->edges[g->edge_count++];

		e->from = ends[i][swap];
		e->to = ends[i][!swap];
		mpq_init(e->length);
		mpq_set_ui(e->length, 1, 1);
		if (lengths)
			mpq_set(e->length, lengths[i]);
	}
	st = g->edges ? SOTTO_OK : SOTTO_ENOMEM;
	if (st == SOTTO_OK) {
		qsort(g->edges, g->edge_count, sizeof *g->edges, edge_compare);
		drop_repeated(g);
		st = find_shape(g);
	}
	if (st != SOTTO_OK)
		sotto_graph_free(g);
	else
		*out = g;
	return st;
}

void sotto_graph_free(struct sotto_graph *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->edge_count; i++)
		mpq_clear(g->edges[i].length);
	free(g->edges);
	free(g);
}

/* ---- distances ------------------------------------------------------------------- */

static void set_unrelated(struct sotto_matrix *d)
{
	for (size_t i = 0; i < d->rows; i++)
		for (size_t j = 0; j < d->rows; j++)
			mpq_set_si(sotto_matrix_at(d, i, j), i == j ? 0 : -1, 1);
}

/* d[i][j] through node k, where that is shorter */
static void relax(struct sotto_matrix *d, size_t k, size_t i, mpq_t sum)
{
	mpq_srcptr first = sotto_matrix_at(d, i, k);

	for (size_t j = 0; j < d->rows; j++) {
		mpq_srcptr second = sotto_matrix_at(d, k, j);
		mpq_ptr now = sotto_matrix_at(d, i, j);

		if (mpq_sgn(second) < 0)
			continue;
		mpq_add(sum, first, second);
		if (mpq_sgn(now) < 0 || mpq_cmp(sum, now) < 0)
			mpq_set(now, sum);
	}
}

/* By way of every node in turn: N^3 sums of fractions. */
static void by_relaxing(const struct sotto_graph *g, struct sotto_matrix *d)
{
	mpq_t sum;

	mpq_init(sum);
	for (size_t i = 0; i < g->edge_count; i++) {
		const struct sotto_edge *e = &g->edges[i];

		mpq_set(sotto_matrix_at(d, e->from, e->to), e->length);
		mpq_set(sotto_matrix_at(d, e->to, e->from), e->length);
	}
	for (size_t k = 0; k < g->nodes; k++)
		for (size_t i = 0; i < g->nodes; i++)
			if (mpq_sgn(sotto_matrix_at(d, i, k)) > 0)
				relax(d, k, i, sum);
	mpq_clear(sum);
}

/* Edge i joins i and i + 1: distances add up. */
static void along_line(const struct sotto_graph *g, struct sotto_matrix *d)
{
	for (size_t i = 0; i < g->nodes; i++)
		for (size_t j = i + 1; j < g->nodes; j++) {
			mpq_add(sotto_matrix_at(d, i, j), sotto_matrix_at(d, i, j - 1),
				g->edges[j - 1].length);
			mpq_set(sotto_matrix_at(d, j, i), sotto_matrix_at(d, i, j));
		}
}

/* The neighbours of node i are next[start[i]] to next[start[i + 1] - 1]. */
static void list_neighbours(const struct sotto_graph *g, size_t *start, size_t *next)
{
	for (size_t i = 0; i < g->edge_count; i++) {
		start[g->edges[i].from + 1]++;
		start[g->edges[i].to + 1]++;
	}
	for (size_t i = 0; i < g->nodes; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < g->edge_count; i++) { /* start[i] goes to its own end ... */
		next[start[g->edges[i].from]++] = g->edges[i].to;
		next[start[g->edges[i].to]++] = g->edges[i].from;
	}
	for (size_t i = g->nodes; i > 0; i--) /* ... which is where the next one starts */
		start[i] = start[i - 1];
	start[0] = 0;
}

/* Breadth first from each node, where every length is 1. */
static enum sotto_status by_steps(const struct sotto_graph *g, struct sotto_matrix *d)
{
	size_t *start = calloc(g->nodes + 2, sizeof *start);
	size_t *next = calloc(2 * g->edge_count + 1, sizeof *next);
	size_t *queue = calloc(g->nodes, sizeof *queue);
	enum sotto_status st = start && next && queue ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK)
		list_neighbours(g, start, next);
	for (size_t from = 0; from < g->nodes && st == SOTTO_OK; from++) {
		size_t head = 0, tail = 0;

		queue[tail++] = from;
		while (head < tail) {
			size_t at = queue[head++];
			unsigned long steps =
				mpz_get_ui(mpq_numref(sotto_matrix_at(d, from, at)));

			for (size_t k = start[at]; k < start[at + 1]; k++)
				if (mpq_sgn(sotto_matrix_at(d, from, next[k])) < 0) {
					mpq_set_ui(sotto_matrix_at(d, from, next[k]), steps + 1,
						   1);
					queue[tail++] = next[k];
				}
		}
	}
	free(start);
	free(next);
	free(queue);
	return st;
}

enum sotto_status sotto_graph_distances(const struct sotto_graph *g, struct sotto_matrix **out)
{
	enum { RELAXED_MAX = 150 };
	struct sotto_matrix *d;
	enum sotto_status st = SOTTO_OK;

	if (g->has_lengths && !g->is_line && g->nodes > RELAXED_MAX)
		return SOTTO_ERANGE;
	SOTTO_TRY(sotto_matrix_new(g->nodes, g->nodes, &d));
	set_unrelated(d);
	if (g->is_line)
		along_line(g, d);
	else if (g->has_lengths)
		by_relaxing(g, d);
	else
		st = by_steps(g, d);
	if (st == SOTTO_OK)
		*out = d;
	else
		sotto_matrix_free(d);
	return st;
}

void sotto_graph_diameter(const struct sotto_matrix *distances, mpq_t out)
{
	mpq_set_ui(out, 0, 1);
	for (size_t i = 0; i < distances->rows * distances->columns; i++) {
		if (mpq_sgn(distances->cells[i]) < 0) {
			mpq_set_ui(out, distances->rows - 1, 1);
			return;
		}
		if (mpq_cmp(distances->cells[i], out) > 0)
			mpq_set(out, distances->cells[i]);
	}
}

/* ---- metrics --------------------------------------------------------------------- */

static enum sotto_status check_metric(const struct sotto_matrix *d, struct sotto_error *err)
{
	for (size_t i = 0; i < d->rows; i++)
		for (size_t j = 0; j < d->columns; j++) {
			mpq_srcptr x = sotto_matrix_at(d, i, j);

			if (i == j ? mpq_sgn(x) != 0 : !length_in_range(x))
				return sotto_fail(
					err, SOTTO_EINVAL,
					"row %zu, column %zu of the metric must be %s", i + 1,
					j + 1, i == j ? "0" : "above 0 and at most 10000");
			if (!mpq_equal(x, sotto_matrix_at(d, j, i)))
				return sotto_fail(
					err, SOTTO_EINVAL,
					"row %zu, column %zu of the metric differs from row "
					"%zu, column %zu",
					i + 1, j + 1, j + 1, i + 1);
		}
	return SOTTO_OK;
}

/* A node between i and j makes the pair superfluous; one nearer than that breaks the metric. */
static int between(const struct sotto_matrix *d, size_t i, size_t j, mpq_t sum)
{
	for (size_t k = 0; k < d->rows; k++) {
		int sign;

		if (k == i || k == j)
			continue;
		mpq_add(sum, sotto_matrix_at(d, i, k), sotto_matrix_at(d, k, j));
		sign = mpq_cmp(sum, sotto_matrix_at(d, i, j));
		if (sign <= 0)
			return sign < 0 ? -1 : 1;
	}
	return 0;
}

enum sotto_status sotto_graph_of_metric(const struct sotto_matrix *d, struct sotto_graph **out,
					struct sotto_error *err)
{
	size_t n = d->rows, count = 0, (*ends)[2];
	enum sotto_status st = SOTTO_OK;
	mpq_t sum, *lengths;

	if (n != d->columns || n == 0)
		return sotto_fail(err, SOTTO_EINVAL, "a metric has as many rows as columns");
	SOTTO_TRY(check_metric(d, err));
	ends = calloc(n * n, sizeof *ends);
	lengths = calloc(n * n, sizeof *lengths);
	if (!ends || !lengths) {
		free(ends);
		free(lengths);
		return SOTTO_ENOMEM;
	}
	mpq_init(sum);
	for (size_t i = 0; i < n && st == SOTTO_OK; i++)
		for (size_t j = i + 1; j < n && st == SOTTO_OK; j++) {
			int found = between(d, i, j, sum);

			if (found < 0)
				st = sotto_fail(err, SOTTO_EINVAL,
						"row %zu, column %zu of the metric is longer "
						"than a way "
						"around",
						i + 1, j + 1);
			if (found)
				continue;
			ends[count][0] = i;
			ends[count][1] = j;
			mpq_init(lengths[count]);
			mpq_set(lengths[count++], sotto_matrix_at(d, i, j));
		}
	if (st == SOTTO_OK)
		st = sotto_graph_new(n, (const size_t(*)[2])ends, (const mpq_t *)lengths, count,
				     out, err);
	mpq_clear(sum);
	for (size_t i = 0; i < count; i++)
		mpq_clear(lengths[i]);
	free(ends);
	free(lengths);
	return st;
}
