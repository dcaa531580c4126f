/*
 * True counts leave this file only with noise added.
 *
 * A node's counts are added up from its leaves when it is first asked, and kept until another
 * node is; both in scratch memory that is wiped.
 */
#include "census/measure/census_measure.h"

#include <stdlib.h>
#include <string.h>

#include "census/measure/census_truth.h"
#include "core/base/checked.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

struct sotto_census_reader {
	const struct sotto_census_measurement *m;
	struct sotto_noise *noise;
	size_t node; /* whose counts are in `exact`; SIZE_MAX: none */
	size_t level;
	struct sotto_exact *exact; /* of each cell */
	uint32_t *touched; /* cells that may be other than 0 */
	size_t touched_count;
	struct sotto_exact *answers; /* of each cell of a query; all 0 between calls */
	int64_t *draws;
	size_t room;
	uint64_t drawn;
};

static enum sotto_status build_laws(struct sotto_census_measurement *m)
{
	const struct sotto_census_plan *p = m->schema->plan;

	for (size_t l = 0; l < p->level_count; l++) {
		m->laws[l] = calloc(p->levels[l].measure_count + 1, sizeof *m->laws[l]);
		if (!m->laws[l])
			return SOTTO_ENOMEM;
		for (size_t i = 0; i < p->levels[l].measure_count; i++)
			SOTTO_TRY(sotto_noise_law_new(p->model == SOTTO_CENSUS_ZCDP,
						      p->levels[l].measures[i].scale,
						      &m->laws[l][i]));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_census_measurement_init(struct sotto_census_measurement *m,
						const struct sotto_census_schema *schema,
						const struct sotto_census_shape *shape,
						const struct sotto_census_truth *truth,
						const uint8_t key[SOTTO_NOISE_KEY_BYTES])
{
	*m = (struct sotto_census_measurement){
		.schema = schema, .shape = shape, .truth = truth};
	memcpy(m->key, key, sizeof m->key);
	return build_laws(m);
}

void sotto_census_measurement_release(struct sotto_census_measurement *m)
{
	for (size_t l = 0; m->schema && l < m->schema->plan->level_count; l++) {
		for (size_t i = 0; m->laws[l] && i < m->schema->plan->levels[l].measure_count;
		     i++)
			sotto_noise_law_free(m->laws[l][i]);
		free(m->laws[l]);
	}
	free(m->recorded);
	sotto_wipe(m->key, sizeof m->key);
}

enum sotto_status sotto_census_reader_open(const struct sotto_census_measurement *m,
					   struct sotto_census_reader **out)
{
	struct sotto_census_reader *r = calloc(1, sizeof *r);
	size_t cells = m->schema->cells;
	enum sotto_status st = SOTTO_ENOMEM;

	if (!r)
		return st;
	r->m = m;
	r->node = SIZE_MAX;
	r->exact = calloc(cells, sizeof *r->exact);
	r->touched = malloc(cells * sizeof *r->touched);
	r->answers = calloc(cells, sizeof *r->answers);
	r->draws = malloc(cells * sizeof *r->draws);
	if (r->exact && r->touched && r->answers && r->draws)
		st = sotto_noise_open(m->key, &r->noise);
	if (st == SOTTO_OK)
		*out = r;
	else
		sotto_census_reader_close(r);
	return st;
}

void sotto_census_reader_close(struct sotto_census_reader *r)
{
	if (!r)
		return;
	if (r->exact)
		sotto_wipe(r->exact, r->m->schema->cells * sizeof *r->exact);
	if (r->draws)
		sotto_wipe(r->draws, r->m->schema->cells * sizeof *r->draws);
	sotto_noise_close(r->noise);
	free(r->exact);
	free(r->touched);
	free(r->answers);
	free(r->draws);
	free(r);
}

struct sotto_rng *
sotto_census_reader_rng(struct sotto_census_reader *r, size_t node, enum sotto_census_use use)
{
	return sotto_noise_stream(
		r->noise,
		(struct sotto_noise_place){.node = (uint32_t)node, .query = UINT16_MAX},
		(uint32_t)use);
}

uint64_t sotto_census_reader_draws(const struct sotto_census_reader *r)
{
	return r->drawn;
}

static struct sotto_exact large_count(const struct sotto_census_truth *t, uint64_t entry)
{
	size_t low = 0, high = t->large_count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (t->large[middle].entry <= entry)
			low = middle;
		else
			high = middle;
	}
	return t->large[low].count;
}

static void load_node(struct sotto_census_reader *r, size_t node)
{
	const struct sotto_census_truth *t = r->m->truth;
	size_t first, end;

	for (size_t i = 0; i < r->touched_count; i++)
		r->exact[r->touched[i]] = sotto_exact_of(0);
	r->touched_count = 0;
	sotto_census_leaf_range(r->m->shape, node, &first, &end);
	for (uint64_t i = t ? t->starts[first] : 0; t && i < t->starts[end]; i++) {
		struct sotto_exact *cell = &r->exact[t->cells[i]];

		if (t->counts[i] == 0) /* it would be listed again and again */
			continue;
		if (cell->secret == 0)
			r->touched[r->touched_count++] = t->cells[i];
		cell->secret +=
			t->counts[i] < UINT32_MAX ? t->counts[i] : large_count(t, i).secret;
	}
	r->node = node;
	r->level = r->m->shape->plan_level[sotto_census_level_of(r->m->shape, node)];
}

static void answer(struct sotto_census_reader *r, const uint32_t *map)
{
	for (size_t i = 0; i < r->touched_count; i++)
		r->answers[map[r->touched[i]]].secret += r->exact[r->touched[i]].secret;
}

static void forget(struct sotto_census_reader *r, const uint32_t *map)
{
	for (size_t i = 0; i < r->touched_count; i++)
		r->answers[map[r->touched[i]]].secret = 0;
}

/* ---- recorded answers -------------------------------------------------------------------------- */

/* How many answers a node of a shape level has, and where the first of a measure is. */
static size_t
answers_before(const struct sotto_census_measurement *m, size_t level, size_t measure)
{
	const struct sotto_census_plan *p = m->schema->plan;
	size_t plan_level = m->shape->plan_level[level], n = 0;

	if (plan_level == SIZE_MAX)
		return 0;
	for (size_t i = 0; i < p->levels[plan_level].measure_count && i < measure; i++)
		n += p->queries[p->levels[plan_level].measures[i].query].cells;
	return n;
}

static size_t recorded_at(const struct sotto_census_measurement *m, size_t node, size_t measure)
{
	const struct sotto_census_shape *s = m->shape;
	size_t level = sotto_census_level_of(s, node), at = 0;

	for (size_t l = 0; l < level; l++)
		at += (s->start[l + 1] - s->start[l]) * answers_before(m, l, SIZE_MAX);
	return at + (node - s->start[level]) * answers_before(m, level, SIZE_MAX) +
	       answers_before(m, level, measure);
}

static enum sotto_status
record_node(struct sotto_census_reader *r, size_t node, struct sotto_noisy *out)
{
	const struct sotto_census_plan *p = r->m->schema->plan;
	size_t plan_level = r->m->shape->plan_level[sotto_census_level_of(r->m->shape, node)];

	for (size_t i = 0; plan_level != SIZE_MAX && i < p->levels[plan_level].measure_count;
	     i++) {
		size_t cells = p->queries[p->levels[plan_level].measures[i].query].cells;

		SOTTO_TRY(sotto_census_measure(r, node, i, NULL, cells,
					       out + recorded_at(r->m, node, i)));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_census_measurement_record(struct sotto_census_measurement *m,
						  size_t bytes_max, bool *recorded)
{
	const struct sotto_census_shape *s = m->shape;
	size_t last = s->level_count - 1, nodes = sotto_census_node_count(s), n;
	struct sotto_census_reader *r = NULL;
	struct sotto_noisy *out;
	enum sotto_status st;

	*recorded = false;
	n = recorded_at(m, s->start[last], 0) +
	    (nodes - s->start[last]) * answers_before(m, last, SIZE_MAX);
	if (n > bytes_max / sizeof *out)
		return SOTTO_OK;
	out = malloc((n + 1) * sizeof *out);
	st = out ? sotto_census_reader_open(m, &r) : SOTTO_ENOMEM;
	for (size_t v = 0; st == SOTTO_OK && v < nodes; v++)
		st = record_node(r, v, out);
	sotto_census_reader_close(r);
	if (st != SOTTO_OK) {
		free(out);
		return st;
	}
	m->recorded = out;
	m->truth = NULL;
	*recorded = true;
	return SOTTO_OK;
}

static void recall(const struct sotto_census_reader *r, size_t node, size_t measure,
		   const uint32_t *cells, size_t count, struct sotto_noisy *out)
{
	const struct sotto_noisy *from = r->m->recorded + recorded_at(r->m, node, measure);

	for (size_t i = 0; i < count; i++)
		out[i] = from[cells ? cells[i] : i];
}

/* ---- measuring ------------------------------------------------------------------------------------ */

enum sotto_status sotto_census_measure(struct sotto_census_reader *r, size_t node,
				       size_t measure, const uint32_t *cells, size_t count,
				       struct sotto_noisy *out)
{
	const struct sotto_census_plan *p = r->m->schema->plan;
	const uint32_t *map;
	enum sotto_status st;

	if (r->m->recorded) {
		recall(r, node, measure, cells, count, out);
		r->drawn += count;
		return SOTTO_OK;
	}
	if (r->node != node)
		load_node(r, node);
	map = r->m->schema->maps[p->levels[r->level].measures[measure].query];
	st = sotto_noise_draw(
		r->noise, r->m->laws[r->level][measure],
		(struct sotto_noise_place){.node = (uint32_t)node, .query = (uint16_t)measure},
		cells, 0, count, r->draws);
	if (st != SOTTO_OK)
		return st;
	r->drawn += count;
	answer(r, map);
	for (size_t i = 0; i < count; i++)
		out[i].value = sotto_saturating_add_i64(r->answers[cells ? cells[i] : i].secret,
							r->draws[i]);
	forget(r, map);
	return SOTTO_OK;
}
