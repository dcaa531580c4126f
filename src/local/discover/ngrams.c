/* From reports of two n-grams each to the graph of pairs.  ngrams.md. */
#include "sotto/discover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/number/normal.h"
#include "sotto/discover.h"

/* Joint distributions have errors up to 1500 cells, "none of these" included. */
#define KEPT_MAX 37
#define POSITIONS_MAX 64

/* The frequent n-grams of one position. */
struct part {
	size_t count, grams[KEPT_MAX];
	struct sotto_local_map map; /* of those alone */
};

struct job {
	const struct sotto_local_ngrams *q;
	const struct sotto_local_ngram_report *reports;
	size_t n;
	struct part *parts;
	struct sotto_local_graph graph;
	size_t room;
};

void sotto_local_graph_release(struct sotto_local_graph *g)
{
	if (!g)
		return;
	free(g->edges);
	*g = (struct sotto_local_graph){.count = 0};
}

static enum sotto_status check(const struct sotto_local_ngrams *q,
			       const struct sotto_local_ngram_report *reports, size_t n,
			       struct sotto_error *err)
{
	if (q->positions < 2 || q->positions > POSITIONS_MAX || q->bits < 1 || q->bits > 64 ||
	    !(q->alpha > 0 && q->alpha < 1) || !(q->threshold >= 0 && q->threshold < 1) ||
	    q->p == q->q || n == 0)
		return sotto_fail(
			err, SOTTO_EINVAL,
			"n-grams need 2 to %d positions, 1 to 64 bits, 0 < alpha < 1 and "
			"some reports",
			POSITIONS_MAX);
	for (size_t i = 0; i < n; i++)
		if (reports[i].cohort >= q->map->cohorts ||
		    reports[i].left >= reports[i].right || reports[i].right >= q->positions)
			return sotto_fail(
				err, SOTTO_EINVAL,
				"report %zu is of a cohort or of positions that do not "
				"exist",
				i + 1);
	return SOTTO_OK;
}

static void
count_position(const struct job *j, uint32_t position, uint64_t *reports, uint64_t *ones)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct sotto_local_ngram_report *r = &j->reports[i];

		if (r->left != position && r->right != position)
			continue;
		reports[r->cohort]++;
		for (uint32_t b = 0; b < j->q->bits; b++)
			ones[(size_t)r->cohort * j->q->bits + b] +=
				r->bits[r->right == position] >> b & 1;
	}
}

/* The cells of the kept n-grams. */
static enum sotto_status select_map(const struct sotto_local_map *from, struct part *part)
{
	size_t per = (size_t)from->cohorts * from->hashes;

	part->map = (struct sotto_local_map){
		.candidates = part->count,
		.cohorts = from->cohorts,
		.hashes = from->hashes,
		.cells = malloc((part->count * per + 1) * sizeof *part->map.cells)};
	if (!part->map.cells)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < part->count; i++)
		memcpy(part->map.cells + i * per, from->cells + part->grams[i] * per,
		       per * sizeof *part->map.cells);
	return SOTTO_OK;
}

/* The most frequent significant ones, in the map's order. */
static void keep_frequent(struct part *part, const struct sotto_local_estimate *e, size_t count)
{
	double cut = 0;

	do {
		double least = INFINITY;

		part->count = 0;
		for (size_t s = 0; s < count && part->count <= KEPT_MAX; s++) {
			if (!e[s].significant || e[s].count <= cut)
				continue;
			least = fmin(least, e[s].count);
			if (part->count < KEPT_MAX)
				part->grams[part->count] = s;
			part->count++;
		}
		cut = least;
	} while (part->count > KEPT_MAX);
}

static enum sotto_status find_frequent(struct job *j, uint32_t position)
{
	const struct sotto_local_ngrams *q = j->q;
	const struct sotto_local_map *m = q->map;
	uint64_t *reports = calloc(m->cohorts + 1, sizeof *reports);
	uint64_t *ones = calloc((size_t)m->cohorts * q->bits + 1, sizeof *ones);
	struct sotto_local_estimate *e = calloc(m->candidates + 1, sizeof *e);
	struct sotto_local_cohorts data = {.cohorts = m->cohorts,
					   .bits = q->bits,
					   .p = q->p,
					   .q = q->q,
					   .reports = reports,
					   .ones = ones};
	struct sotto_local_options o = {.alpha = q->alpha,
					.post = SOTTO_LOCAL_POST_NONE,
					.tests = m->candidates * q->positions};
	struct sotto_local_fit ignored;
	enum sotto_status st = reports && ones && e ? SOTTO_OK : SOTTO_ENOMEM;
	uint64_t all = 0;

	if (st == SOTTO_OK)
		count_position(j, position, reports, ones);
	for (uint32_t c = 0; st == SOTTO_OK && c < m->cohorts; c++)
		all += reports[c];
	if (st == SOTTO_OK && all > 0) {
		st = sotto_local_rappor_decode(&data, m, &o, e, &ignored, NULL);
		if (st == SOTTO_OK)
			keep_frequent(&j->parts[position], e, m->candidates);
	}
	if (st == SOTTO_OK)
		st = select_map(m, &j->parts[position]);
	free(reports);
	free(ones);
	free(e);
	return st;
}

static enum sotto_status add_edge(struct job *j, struct sotto_local_edge edge)
{
	struct sotto_local_graph *g = &j->graph;

	if (g->count == j->room) {
		size_t room = j->room ? 2 * j->room : 64;
		struct sotto_local_edge *more = realloc(g->edges, room * sizeof *more);

		if (!more)
			return SOTTO_ENOMEM;
		g->edges = more;
		j->room = room;
	}
	g->edges[g->count++] = edge;
	return SOTTO_OK;
}

/* How many pairs are looked at in all: what the threshold is corrected for. */
static double pairs_tested(const struct job *j)
{
	double pairs = 0;

	for (uint32_t a = 0; a < j->q->positions; a++)
		for (uint32_t b = a + 1; b < j->q->positions; b++)
			pairs += (double)j->parts[a].count * (double)j->parts[b].count;
	return fmax(pairs, 1);
}

static enum sotto_status
add_edges(struct job *j, uint32_t left, uint32_t right, const struct sotto_local_joint *joint)
{
	const struct part *a = &j->parts[left], *b = &j->parts[right];
	double z = sotto_normal_upper(j->q->alpha / pairs_tested(j));

	for (size_t x = 0; x < a->count; x++)
		for (size_t y = 0; y < b->count; y++) {
			size_t cell = x * (b->count + 1) + y;
			double share = joint->share[cell], sd = joint->sd[cell];
			double least = j->q->threshold > 0 ? j->q->threshold : z * sd;

			if (isnan(least) || !(share > least))
				continue;
			SOTTO_TRY(add_edge(j, (struct sotto_local_edge){.left = left,
									.right = right,
									.first = a->grams[x],
									.second = b->grams[y],
									.share = share,
									.sd = sd}));
		}
	return SOTTO_OK;
}

static enum sotto_status join_positions(struct job *j, uint32_t left, uint32_t right)
{
	const struct sotto_local_ngrams *q = j->q;
	struct sotto_local_variable v[2] = {{q->bits, q->p, q->q, &j->parts[left].map, true},
					    {q->bits, q->p, q->q, &j->parts[right].map, true}};
	struct sotto_local_joint_report *some = malloc((j->n + 1) * sizeof *some);
	struct sotto_local_joint joint = {.cells = 0};
	size_t count = 0;
	enum sotto_status st = some ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t i = 0; st == SOTTO_OK && i < j->n; i++) {
		const struct sotto_local_ngram_report *r = &j->reports[i];

		if (r->left == left && r->right == right)
			some[count++] = (struct sotto_local_joint_report){
				.cohort = r->cohort, .bits = {r->bits[0], r->bits[1]}};
	}
	if (st == SOTTO_OK && count > 0 && j->parts[left].count > 0 &&
	    j->parts[right].count > 0) {
		st = sotto_local_associate(v, 2, some, count,
					   q->iterations ? q->iterations : 1000, &joint, NULL);
		if (st == SOTTO_OK)
			st = add_edges(j, left, right, &joint);
		j->graph.unsettled += st == SOTTO_OK && !joint.settled;
		sotto_local_joint_release(&joint);
	}
	free(some);
	return st;
}

enum sotto_status sotto_local_ngrams_graph(const struct sotto_local_ngrams *q,
					   const struct sotto_local_ngram_report *reports,
					   size_t n, struct sotto_local_graph *out,
					   struct sotto_error *err)
{
	if (!q || (!reports && n > 0) || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct job j = {
		.q = q, .reports = reports, .n = n, .graph = {.positions = q->positions}};
	enum sotto_status st;

	SOTTO_TRY(check(q, reports, n, err));
	j.parts = calloc(q->positions, sizeof *j.parts);
	st = j.parts ? SOTTO_OK : SOTTO_ENOMEM;
	for (uint32_t p = 0; st == SOTTO_OK && p < q->positions; p++)
		st = find_frequent(&j, p);
	for (uint32_t a = 0; st == SOTTO_OK && a < q->positions; a++)
		for (uint32_t b = a + 1; st == SOTTO_OK && b < q->positions; b++)
			st = join_positions(&j, a, b);
	for (uint32_t p = 0; j.parts && p < q->positions; p++)
		sotto_local_map_release(&j.parts[p].map);
	free(j.parts);
	if (st != SOTTO_OK) {
		sotto_local_graph_release(&j.graph);
		return st;
	}
	*out = j.graph;
	return SOTTO_OK;
}
