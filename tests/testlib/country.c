#include "testlib/country.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "census/plan/shape/census_shape_build.h"
#include "census/solve/feasible/census_feasible.h"

static uint32_t dice(uint64_t *state, uint32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % n;
}

static size_t make_people(struct country *c, size_t leaf, uint64_t *state, bool large,
			  struct sotto_census_entry *entries)
{
	size_t n = 0;

	for (uint32_t k = dice(state, 5); k > 0; k--) {
		uint32_t cell = dice(state, (uint32_t)c->w.schema.cells);
		int64_t count = dice(state, 9) ? dice(state, 20)
				: large        ? INT64_C(3000000000)
					       : 300;

		if (!c->w.schema.zero[cell])
			entries[n++] = (struct sotto_census_entry){
				.leaf = (uint32_t)leaf, .cell = cell, .count = {count}};
	}
	return n;
}

static int compare_entries(const void *a, const void *b)
{
	const struct sotto_census_entry *l = a, *r = b;

	if (l->leaf != r->leaf)
		return l->leaf < r->leaf ? -1 : 1;
	return (l->cell > r->cell) - (l->cell < r->cell);
}

/* In order, those of one place added up. */
static bool
fill(struct sotto_census_truth *t, size_t leaves, struct sotto_census_entry *e, size_t n)
{
	if (sotto_census_truth_begin(t, leaves) != SOTTO_OK)
		return false;
	qsort(e, n, sizeof *e, compare_entries);
	for (size_t i = 0; i < n; i++) {
		while (i + 1 < n && compare_entries(&e[i], &e[i + 1]) == 0) {
			e[i + 1].count.secret += e[i].count.secret;
			i++;
		}
		if (sotto_census_truth_add(t, &e[i]) != SOTTO_OK)
			return false;
	}
	sotto_census_truth_end(t);
	return true;
}

bool country_open(struct country *c, const char *plan, uint64_t seed, bool large)
{
	struct sotto_census_shape_builder builder;
	struct sotto_census_entry entries[COUNTRY_NODES_MAX * 4];
	struct sotto_error err = {""};
	uint64_t state = seed;
	size_t n = 0, leaves = 0;

	memset(c, 0, sizeof *c);
	if (sotto_census_plan_parse(&c->w.plan, "p", plan, strlen(plan), &err) != SOTTO_OK ||
	    sotto_census_schema_init(&c->w.schema, &c->w.plan, &err) != SOTTO_OK) {
		printf("# %s\n", err.text);
		return false;
	}
	sotto_arena_init(&c->w.texts, 1 << 20);
	if (sotto_census_shape_builder_init(&builder, 2, &c->w.texts) != SOTTO_OK)
		return false;
	for (uint32_t m = 0, mids = 1 + dice(&state, 4); m < mids; m++)
		for (uint32_t l = 0, lows = 1 + dice(&state, 5); l < lows; l++) {
			char middle[8], low[8];
			const char *const labels[] = {middle, low};

			snprintf(middle, sizeof middle, "m%u", m);
			snprintf(low, sizeof low, "l%u", l);
			if (sotto_census_shape_builder_add(&builder, labels) != SOTTO_OK)
				return false;
			n += make_people(c, leaves++, &state, large, entries + n);
		}
	c->w.has_shape = sotto_census_shape_builder_finish(&builder, c->w.schema.groups,
							   &c->w.shape, NULL) == SOTTO_OK;
	sotto_census_shape_builder_release(&builder);
	c->w.truth = calloc(1, sizeof *c->w.truth);
	return c->w.has_shape && c->w.truth && fill(c->w.truth, leaves, entries, n);
}

void country_close(struct country *c)
{
	sotto_census_world_close(&c->w);
}

int64_t country_truth(const struct country *c, size_t node, size_t group)
{
	const struct sotto_census_truth *t = c->w.truth;
	const struct sotto_census_schema *s = &c->w.schema;
	size_t first, end, large = 0;
	int64_t sum = 0;

	sotto_census_leaf_range(&c->w.shape, node, &first, &end);
	for (uint64_t i = 0; i < t->starts[end]; i++) {
		int64_t n = t->counts[i] == UINT32_MAX ? t->large[large++].count.secret
						       : t->counts[i];
		size_t at = s->group_of_place[t->cells[i] / s->regular];

		if (i >= t->starts[first] && (group == SIZE_MAX || at == group))
			sum += n;
	}
	return sum;
}

bool country_fix_middle(struct country *c)
{
	struct sotto_census_shape *s = &c->w.shape;
	bool frame = c->w.schema.frame != SIZE_MAX;

	if (frame && sotto_census_shape_reserve_groups(s) != SOTTO_OK)
		return false;
	for (size_t v = s->start[1]; v < s->start[2]; v++) {
		for (size_t g = 0; frame && g < s->groups; g++)
			s->low[v * s->groups + g] = s->high[v * s->groups + g] =
				country_truth(c, v, g);
		s->total_low[v] = s->total_high[v] = country_truth(c, v, SIZE_MAX);
	}
	return sotto_census_constrain(s, &c->w.schema, NULL) == SOTTO_OK;
}

static enum sotto_status begin(void *context, void **batch)
{
	*batch = context;
	return SOTTO_OK;
}

static enum sotto_status node(void *context, void *batch, size_t v, const uint32_t *cells,
			      const int64_t *counts, size_t n)
{
	struct country *c = context;

	(void)batch;
	if (c->left > 0 && --c->left == 0)
		return SOTTO_EIO;
	for (size_t k = 0; k < n; k++)
		c->counts[v][cells[k]] = counts[k];
	return SOTTO_OK;
}

static enum sotto_status end(void *context, void *batch)
{
	(void)context;
	(void)batch;
	return SOTTO_OK;
}

enum sotto_status
country_measure(struct country *c, uint64_t key, struct sotto_census_measurement *m)
{
	uint8_t bytes[SOTTO_NOISE_KEY_BYTES] = {1};

	memcpy(bytes + 8, &key, sizeof key);
	return sotto_census_measurement_init(m, &c->w.schema, &c->w.shape, c->w.truth, bytes);
}

enum sotto_status
country_run(struct country *c, const struct sotto_census_measurement *m, unsigned threads)
{
	const struct sotto_census_sink sink = {
		.context = c, .begin = begin, .node = node, .end = end};
	const struct sotto_census_options options = {.threads = threads};

	memset(c->counts, 0, sizeof c->counts);
	return sotto_census_execute(&c->w.plan, &c->w.schema, &c->w.shape, m, &options, &sink,
				    NULL);
}
