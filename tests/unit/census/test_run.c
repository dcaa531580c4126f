/*
 * Whole releases on small random countries, a thousand seeds, with no tolerance: children add up to
 * their parent in every cell, nothing is negative, invariants, bounds and zeros hold, and one thread
 * and two give the same.
 */
#include "census/solve/census_run.h"

#include <stdlib.h>

#include "census/measure/census_truth.h"
#include "census/solve/census_feasible.h"
#include "core/base/failure.h"
#include "testlib/tap.h"

enum { NODES_MAX = 200, CELLS = 12, SEEDS = 250 };

static const char plan_text[] =
	"hierarchy: [{level: Top}, {level: Mid, column: m}, {level: Low, column: l}]\n"
	"attributes: [{name: q, categories: [h, p, d]}, {name: s, categories: 2}, {name: r, "
	"categories: 2}]\n"
	"privacy: {model: zcdp, rho: RHO, neighbours: replace-one}\n"
	"budget:\n"
	"  levels: {Top: 1/4, Mid: 1/4, Low: 1/2}\n"
	"  queries: {Top: {detailed: 1}, Mid: {total: 1/2, \"q*s\": 1/4, detailed: 1/4}, Low: "
	"{total: 1/4, detailed: 3/4}}\n"
	"invariants: [{level: Mid, query: total}, {level: Mid, query: q}]\n"
	"structural_zeros: [{q: p, s: 1}]\n"
	"estimate: {mode: MODE}\n";

struct country {
	struct sotto_census_plan plan;
	struct sotto_census_schema schema;
	struct sotto_census_shape shape;
	struct sotto_census_truth truth;
	char *labels[2 * NODES_MAX];
	char texts[NODES_MAX][8];
	int64_t counts[NODES_MAX][CELLS];
};

static uint64_t dice_state;

static uint32_t dice(uint32_t n)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(dice_state >> 33) % n;
}

/* Replaces one word of the plan. */
static void put(char *text, const char *word, const char *by)
{
	char *at = strstr(text, word), rest[2000];

	strcpy(rest, at + strlen(word));
	strcpy(at, by);
	strcat(text, rest);
}

static bool open_country(struct country *c, const char *mode, const char *rho)
{
	struct sotto_census_paths paths = {.depth = 2, .labels = c->labels};
	struct sotto_census_entry entries[NODES_MAX * 4];
	char text[2000];
	size_t n = 0;

	strcpy(text, plan_text);
	put(text, "MODE", mode);
	put(text, "RHO", rho);
	if (sotto_census_plan_parse(&c->plan, "p", text, strlen(text), NULL) != SOTTO_OK ||
	    sotto_census_schema_init(&c->schema, &c->plan, NULL) != SOTTO_OK)
		return false;
	for (uint32_t m = 0, mids = 1 + dice(4); m < mids; m++)
		for (uint32_t l = 0, lows = 1 + dice(5); l < lows; l++) {
			snprintf(c->texts[2 * paths.leaves], 8, "m%u", m);
			snprintf(c->texts[2 * paths.leaves + 1], 8, "l%u", l);
			c->labels[2 * paths.leaves] = c->texts[2 * paths.leaves];
			c->labels[2 * paths.leaves + 1] = c->texts[2 * paths.leaves + 1];
			for (uint32_t k = dice(5); k > 0; k--) {
				uint32_t cell = dice(CELLS);

				if (!c->schema.zero[cell])
					entries[n++] = (struct sotto_census_entry){
						.leaf = (uint32_t)paths.leaves,
						.cell = cell,
						.count = {dice(9) ? dice(20)
								  : INT64_C(3000000000)}};
			}
			paths.leaves++;
		}
	return sotto_census_shape_init(&c->shape, &c->schema, &paths, NULL) == SOTTO_OK &&
	       sotto_census_truth_init(&c->truth, paths.leaves, entries, n) == SOTTO_OK;
}

static int64_t true_count(const struct country *c, size_t node, uint32_t group)
{
	size_t first, end, large = 0;
	int64_t sum = 0;

	sotto_census_leaf_range(&c->shape, node, &first, &end);
	for (uint64_t i = 0; i < c->truth.starts[end]; i++) {
		int64_t n = c->truth.counts[i] == UINT32_MAX
				    ? c->truth.large[large++].count.secret
				    : c->truth.counts[i];

		if (i >= c->truth.starts[first] && c->truth.cells[i] / 4 == group)
			sum += n;
	}
	return sum;
}

/* Mid: groups and total fixed at the truth. */
static enum sotto_status constrain(struct country *c)
{
	struct sotto_census_shape *s = &c->shape;
	size_t n = sotto_census_node_count(s) * s->groups;

	s->low = calloc(n + 1, sizeof *s->low);
	s->high = malloc((n + 1) * sizeof *s->high);
	for (size_t i = 0; i < n; i++)
		s->high[i] = sotto_census_unlimited;
	for (size_t v = s->start[1]; v < s->start[2]; v++) {
		int64_t total = 0;

		for (uint32_t g = 0; g < 3; g++) {
			s->low[v * 3 + g] = s->high[v * 3 + g] = true_count(c, v, g);
			total += s->low[v * 3 + g];
		}
		s->total_low[v] = s->total_high[v] = total;
	}
	return sotto_census_constrain(s, &c->schema, NULL);
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

static enum sotto_status run(struct country *c, uint8_t seed, unsigned threads)
{
	const struct sotto_census_sink sink = {
		.context = c, .begin = begin, .node = node, .end = end};
	const struct sotto_census_options options = {.threads = threads};
	const uint8_t key[SOTTO_NOISE_KEY_BYTES] = {seed, 1};
	struct sotto_census_measurement m;
	enum sotto_status st =
		sotto_census_measurement_init(&m, &c->schema, &c->shape, &c->truth, key);

	memset(c->counts, 0, sizeof c->counts);
	if (st == SOTTO_OK)
		st = sotto_census_execute(&c->plan, &c->schema, &c->shape, &m, &options, &sink,
					  NULL);
	sotto_census_measurement_release(&m);
	return st;
}

static bool is_right(const struct country *c)
{
	const struct sotto_census_shape *s = &c->shape;

	for (size_t v = 0; v < sotto_census_node_count(s); v++) {
		int64_t groups[3] = {0};

		for (uint32_t cell = 0; cell < CELLS; cell++) {
			int64_t sum = 0;

			for (size_t k = s->first[v]; k < s->first[v] + s->count[v]; k++)
				sum += c->counts[k][cell];
			groups[cell / 4] += c->counts[v][cell];
			if (c->counts[v][cell] < 0 ||
			    (s->count[v] > 0 && sum != c->counts[v][cell]) ||
			    (c->schema.zero[cell] && c->counts[v][cell] != 0))
				return false;
		}
		for (uint32_t g = 0; v >= s->start[1] && v < s->start[2] && g < 3; g++)
			if (groups[g] != true_count(c, v, g))
				return false;
	}
	return true;
}

static void close_country(struct country *c)
{
	sotto_census_truth_release(&c->truth);
	sotto_census_shape_release(&c->shape);
	sotto_census_schema_release(&c->schema);
	sotto_census_plan_release(&c->plan);
}

static void check_mode(const char *mode, const char *rho)
{
	struct country *c = malloc(sizeof *c);

	dice_state = 11;
	for (int seed = 0; seed < SEEDS; seed++) {
		int64_t(*once)[CELLS] = malloc(sizeof c->counts);
		bool ok = open_country(c, mode, rho) && constrain(c) == SOTTO_OK &&
			  run(c, (uint8_t)seed, 1) == SOTTO_OK && is_right(c);

		if (!ok)
			tap_note("%s, rho %s, seed %d", mode, rho, seed);
		CHECK(ok);
		memcpy(once, c->counts, sizeof c->counts);
		if (seed % 10 == 0)
			CHECK(run(c, (uint8_t)seed, 2) == SOTTO_OK &&
			      memcmp(once, c->counts, sizeof c->counts) == 0);
		free(once);
		close_country(c);
	}
	free(c);
}

static void least_squares_adds_up(void)
{
	check_mode("gls", "1");
}

static void least_squares_adds_up_with_hardly_any_budget(void)
{
	check_mode("gls", "1e-6");
}

static void top_down_adds_up(void)
{
	check_mode("topdown", "1");
}

static void top_down_adds_up_with_hardly_any_budget(void)
{
	check_mode("topdown", "1e-6");
}

int main(void)
{
	RUN(least_squares_adds_up);
	RUN(least_squares_adds_up_with_hardly_any_budget);
	RUN(top_down_adds_up);
	RUN(top_down_adds_up_with_hardly_any_budget);
	return tap_done();
}
