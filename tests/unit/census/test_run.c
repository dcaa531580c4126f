/*
 * Whole releases on small random countries, a thousand seeds, with no tolerance: children add up to
 * their parent in every cell, nothing is negative, invariants, bounds and zeros hold, and one thread,
 * two, and a run that was stopped and begun again give the same.
 */
#include "census/solve/census_execute.h"

#include <stdlib.h>

#include "testlib/fixture/country.h"
#include "testlib/tap.h"

enum { CELLS = 12, SEEDS = 250 };

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

/* Replaces one word of the plan. */
static void put(char *text, const char *word, const char *by)
{
	char *at = strstr(text, word), rest[2000];

	strcpy(rest, at + strlen(word));
	strcpy(at, by);
	strcat(text, rest);
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

static bool is_right(const struct country *c)
{
	const struct sotto_census_shape *s = &c->w.shape;

	for (size_t v = 0; v < sotto_census_node_count(s); v++) {
		int64_t groups[3] = {0};

		for (uint32_t cell = 0; cell < CELLS; cell++) {
			int64_t sum = 0;

			for (size_t k = s->first[v]; k < s->first[v] + s->count[v]; k++)
				sum += c->counts[k][cell];
			groups[cell / 4] += c->counts[v][cell];
			if (c->counts[v][cell] < 0 ||
			    (s->count[v] > 0 && sum != c->counts[v][cell]) ||
			    (c->w.schema.zero[cell] && c->counts[v][cell] != 0))
				return false;
		}
		for (uint32_t g = 0; v >= s->start[1] && v < s->start[2] && g < 3; g++)
			if (groups[g] != country_truth(c, v, g))
				return false;
	}
	return true;
}

static void check_mode(const char *mode, const char *rho)
{
	struct country *c = malloc(sizeof *c);
	char text[2000];

	strcpy(text, plan_text);
	put(text, "MODE", mode);
	put(text, "RHO", rho);
	for (int seed = 0; seed < SEEDS; seed++) {
		void *once = malloc(sizeof c->counts);
		bool ok = country_open(c, text, (uint64_t)seed * 7919 + 11, true) &&
			  country_fix_middle(c) && run(c, (uint64_t)seed, 1) == SOTTO_OK &&
			  is_right(c);

		if (!ok)
			tap_note("%s, rho %s, seed %d", mode, rho, seed);
		CHECK(ok);
		memcpy(once, c->counts, sizeof c->counts);
		CHECK(run(c, (uint64_t)seed, 2) == SOTTO_OK &&
		      memcmp(once, c->counts, sizeof c->counts) == 0);
		/* Stopped somewhere and begun again with its key: the same, for no draw is new. */
		c->left = 1 + (size_t)seed * 31 % sotto_census_node_count(&c->w.shape);
		CHECK(run(c, (uint64_t)seed, 1) == SOTTO_EIO);
		c->left = 0;
		CHECK(run(c, (uint64_t)seed, 1) == SOTTO_OK &&
		      memcmp(once, c->counts, sizeof c->counts) == 0);
		free(once);
		country_close(c);
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
