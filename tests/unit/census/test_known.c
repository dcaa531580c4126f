/*
 * A table of many cells that is given at every leaf holds in every node, in every mode and with any
 * budget, whatever the data say; and it takes nothing away from what is measured besides.
 */
#include "census/plan/census_known.h"

#include <stdlib.h>

#include "census/solve/feasible/census_feasible.h"
#include "testlib/fixture/country.h"
#include "testlib/tap.h"

enum { CELLS = 24, KNOWN = 18, SEEDS = 120 };

static const char plan_text[] =
	"hierarchy: [{level: Top}, {level: Mid, column: m}, {level: Low, column: l}]\n"
	"attributes: [{name: q, categories: [h, p, d]}, {name: s, categories: 2}, {name: r, "
	"categories: 4}]\n"
	"queries: {pair: {r: [[0], [1], [2, 3]]}}\n"
	"privacy: {model: zcdp, rho: RHO, neighbours: replace-one}\n"
	"budget:\n"
	"  levels: {Top: 1/4, Mid: 1/4, Low: 1/2}\n"
	"  queries: {Top: {detailed: 1}, Mid: {total: 1/4, \"q*s\": 1/4, r: 1/4, detailed: "
	"1/4}, Low: {total: 1/4, detailed: 3/4}}\n"
	"invariants: [{level: Low, query: \"q*s*pair\"}]\n"
	"structural_zeros: [{q: p, r: 1}]\n"
	"estimate: {mode: MODE, rounding: ROUNDING}\n";

static uint64_t dice_state;

static uint32_t dice(uint32_t n)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(dice_state >> 33) % n;
}

static void put(char *text, const char *word, const char *by)
{
	char *at = strstr(text, word), rest[2000];

	strcpy(rest, at + strlen(word));
	strcpy(at, by);
	strcat(text, rest);
}

static void write_plan(char *text, const char *mode, const char *rho, const char *rounding)
{
	strcpy(text, plan_text);
	put(text, "MODE", mode);
	put(text, "RHO", rho);
	put(text, "ROUNDING", rounding);
}

/* The leaves' true counts by the known query, with somebody more or less here and there. */
static void make_table(const struct country *c, bool is_true, int64_t table[][KNOWN])
{
	const struct sotto_census_truth *t = c->w.truth;
	const struct sotto_census_schema *s = &c->w.schema;
	bool possible[KNOWN] = {false};
	size_t large = 0;

	for (size_t cell = 0; cell < CELLS; cell++)
		possible[s->maps[s->known][cell]] |= !s->zero[cell];
	memset(table, 0, t->leaves * sizeof *table);
	for (size_t leaf = 0; leaf < t->leaves; leaf++) {
		for (uint64_t i = t->starts[leaf]; i < t->starts[leaf + 1]; i++)
			table[leaf][s->maps[s->known][t->cells[i]]] +=
				t->counts[i] == UINT32_MAX ? t->large[large++].count.secret
							   : t->counts[i];
		for (size_t g = 0; !is_true && g < KNOWN; g++)
			if (possible[g] && dice(4) == 0)
				table[leaf][g] = dice(30);
	}
}

static enum sotto_status
give(struct country *c, const int64_t table[][KNOWN], struct sotto_census_known_list *list)
{
	size_t leaf;

	for (uint32_t i = 0; i < c->w.truth->leaves; i++)
		for (uint32_t g = 0; g < KNOWN; g++)
			if (table[i][g] > 0 || dice(2))
				CHECK(sotto_census_known_add(
					      list, &(struct sotto_census_known_entry){
							    i, g, table[i][g]}) == SOTTO_OK);
	return sotto_census_known_build(&c->w.shape, KNOWN, list, &leaf);
}

static bool hold(struct country *c, const int64_t table[][KNOWN])
{
	struct sotto_census_known_list list = {0};
	bool ok = give(c, table, &list) == SOTTO_OK &&
		  sotto_census_constrain(&c->w.shape, &c->w.schema, NULL) == SOTTO_OK;

	sotto_census_known_list_release(&list);
	return ok;
}

static enum sotto_status run(struct country *c, uint64_t key, unsigned threads)
{
	struct sotto_census_measurement m;
	enum sotto_status st = country_measure(c, key, &m);

	if (st == SOTTO_OK)
		st = country_run(c, &m, threads);
	sotto_census_measurement_release(&m);
	return st;
}

static bool is_right(const struct country *c, const int64_t table[][KNOWN])
{
	const struct sotto_census_shape *s = &c->w.shape;

	for (size_t v = 0; v < sotto_census_node_count(s); v++) {
		int64_t sums[KNOWN] = {0};
		size_t first, end;

		sotto_census_leaf_range(s, v, &first, &end);
		for (uint32_t cell = 0; cell < CELLS; cell++) {
			int64_t below = 0;

			for (size_t k = s->first[v]; k < s->first[v] + s->count[v]; k++)
				below += c->counts[k][cell];
			sums[c->w.schema.maps[c->w.schema.known][cell]] += c->counts[v][cell];
			if (c->counts[v][cell] < 0 ||
			    (s->count[v] > 0 && below != c->counts[v][cell]) ||
			    (c->w.schema.zero[cell] && c->counts[v][cell] != 0))
				return false;
		}
		for (size_t leaf = first; leaf < end; leaf++)
			for (size_t g = 0; g < KNOWN; g++)
				sums[g] -= table[leaf][g];
		for (size_t g = 0; g < KNOWN; g++)
			if (sums[g] != 0)
				return false;
	}
	return true;
}

static void check_mode(const char *mode, const char *rho, const char *rounding)
{
	struct country *c = malloc(sizeof *c);
	int64_t table[COUNTRY_NODES_MAX][KNOWN];
	char text[2000];

	write_plan(text, mode, rho, rounding);
	for (int seed = 0; seed < SEEDS; seed++) {
		void *once = malloc(sizeof c->counts);
		bool ok = country_open(c, text, (uint64_t)seed * 7919 + 13, true);

		make_table(c, false, table);
		ok = ok && hold(c, (const int64_t(*)[KNOWN])table) &&
		     run(c, (uint64_t)seed, 1) == SOTTO_OK &&
		     is_right(c, (const int64_t(*)[KNOWN])table);
		if (!ok)
			tap_note("%s, rho %s, %s, seed %d", mode, rho, rounding, seed);
		CHECK(ok);
		memcpy(once, c->counts, sizeof c->counts);
		CHECK(run(c, (uint64_t)seed, 2) == SOTTO_OK &&
		      memcmp(once, c->counts, sizeof c->counts) == 0);
		free(once);
		country_close(c);
	}
	free(c);
}

static void a_known_table_holds_in_every_node(void)
{
	static const char *const modes[] = {"topdown", "gls"};
	static const char *const rhos[] = {"1", "1e-6"};

	for (size_t m = 0; m < 2; m++)
		for (size_t r = 0; r < 2; r++)
			check_mode(modes[m], rhos[r], "l1");
	check_mode("topdown", "1", "unbiased");
	check_mode("topdown", "1", "fast");
}

/* With hardly any noise the truth comes out, though what the table tells is not measured. */
static void without_noise_the_truth_comes_out(void)
{
	struct country *c = malloc(sizeof *c);
	int64_t table[COUNTRY_NODES_MAX][KNOWN];
	char text[2000];

	write_plan(text, "topdown", "1000000", "l1");
	for (int seed = 0; seed < 40; seed++) {
		const struct sotto_census_truth *t;
		bool ok = country_open(c, text, (uint64_t)seed * 31 + 5, false);
		size_t inner = c->w.shape.start[2];

		make_table(c, true, table);
		ok = ok && hold(c, (const int64_t(*)[KNOWN])table) &&
		     run(c, (uint64_t)seed, 1) == SOTTO_OK;
		t = c->w.truth;
		for (size_t leaf = 0; ok && leaf < t->leaves; leaf++) {
			int64_t sum = 0;

			for (uint64_t i = t->starts[leaf]; i < t->starts[leaf + 1]; i++)
				ok &= c->counts[inner + leaf][t->cells[i]] ==
				      (int64_t)t->counts[i];
			for (size_t cell = 0; cell < CELLS; cell++)
				sum += c->counts[inner + leaf][cell];
			for (uint64_t i = t->starts[leaf]; i < t->starts[leaf + 1]; i++)
				sum -= t->counts[i];
			ok &= sum == 0;
		}
		CHECK(ok);
		country_close(c);
	}
	free(c);
}

static void queries_that_the_table_answers_are_told(void)
{
	struct country c;
	char text[2000];

	write_plan(text, "topdown", "1", "l1");
	CHECK(country_open(&c, text, 1, false));
	for (size_t q = 0; q < c.w.plan.query_count; q++) {
		const char *name = c.w.plan.queries[q].name;
		bool told = strcmp(name, "total") == 0 || strcmp(name, "q*s") == 0 ||
			    strcmp(name, "pair") == 0 || strcmp(name, "q*s*pair") == 0;

		CHECK(c.w.schema.told[q] == told);
	}
	country_close(&c);
}

static void tables_that_cannot_hold_are_refused(void)
{
	struct sotto_census_known_list list = {0};
	struct sotto_error err = {""};
	struct country c;
	char text[2000];
	size_t leaf = 99;

	write_plan(text, "topdown", "1", "l1");
	CHECK(country_open(&c, text, 1, false));
	for (int64_t n = 3; n < 5; n++) /* two counts of one cell */
		CHECK(sotto_census_known_add(
			      &list, &(struct sotto_census_known_entry){0, 2, n}) == SOTTO_OK);
	CHECK(sotto_census_known_build(&c.w.shape, KNOWN, &list, &leaf) == SOTTO_EINFEASIBLE &&
	      leaf == 0);
	list.n = 1;
	CHECK(sotto_census_known_build(&c.w.shape, KNOWN, &list, &leaf) == SOTTO_OK);
	c.w.shape.total_low[0] = c.w.shape.total_high[0] = 4; /* and another total above */
	CHECK(sotto_census_constrain(&c.w.shape, &c.w.schema, &err) == SOTTO_EINFEASIBLE);
	c.w.shape.total_low[0] = 0;
	c.w.shape.total_high[0] = sotto_census_unlimited;
	for (uint32_t cell = 0; cell < CELLS; cell++) /* somebody where nobody can be */
		if (c.w.schema.zero[cell])
			list.entries[0].cell = c.w.schema.maps[c.w.schema.known][cell];
	CHECK(sotto_census_known_build(&c.w.shape, KNOWN, &list, &leaf) == SOTTO_OK);
	CHECK(sotto_census_constrain(&c.w.shape, &c.w.schema, &err) == SOTTO_EINFEASIBLE);
	CHECK(strstr(err.text, "m0/l0") && strstr(err.text, "structural_zeros"));
	sotto_census_known_list_release(&list);
	country_close(&c);
}

static void too_many_cells_above_the_leaves_are_refused(void)
{
	struct sotto_error err = {""};
	struct sotto_census_plan plan;
	struct sotto_census_schema schema;
	char text[2000];

	write_plan(text, "topdown", "1", "l1");
	put(text, "{level: Low, query: \"q*s", "{level: Mid, query: \"q*s");
	CHECK(sotto_census_plan_parse(&plan, "p", text, strlen(text), &err) == SOTTO_OK);
	CHECK(sotto_census_schema_init(&schema, &plan, &err) == SOTTO_EPARSE);
	CHECK(strstr(err.text, "lowest level"));
	sotto_census_schema_release(&schema);
	sotto_census_plan_release(&plan);
}

int main(void)
{
	RUN(a_known_table_holds_in_every_node);
	RUN(without_noise_the_truth_comes_out);
	RUN(queries_that_the_table_answers_are_told);
	RUN(tables_that_cannot_hold_are_refused);
	RUN(too_many_cells_above_the_leaves_are_refused);
	return tap_done();
}
