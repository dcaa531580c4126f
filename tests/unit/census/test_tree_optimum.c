/*
 * The optimum between bounds and whole numbers on a tree, in doubles, against the same in exact
 * rationals: random trees with fixed and missing measurements, bounds, and very unequal variances;
 * what must add up adds up, and no sum of squares is above the exact one.
 */
#include <stdlib.h>

#include "census/exact/census_exact_tree.h"
#include "census/tree/census_tree.h"
#include "testlib/tap.h"

enum { NODES_MAX = 400 };

struct tree {
	uint32_t first[NODES_MAX], count[NODES_MAX], parent[NODES_MAX];
	double y[NODES_MAX], s[NODES_MAX], low[NODES_MAX], high[NODES_MAX], x[NODES_MAX];
	int64_t whole[NODES_MAX];
	size_t n;
};

static uint64_t state;

static uint32_t dice(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

/* Breadth first, so that children are next to each other. */
static void grow(struct tree *t, uint32_t fan)
{
	uint32_t depth[NODES_MAX] = {0};

	memset(t, 0, sizeof *t);
	t->n = 1;
	for (size_t v = 0; v < t->n; v++) {
		uint32_t k = depth[v] < 4 && (v == 0 || dice(10) < 6) ? 1 + dice(fan) : 0;

		if (t->n + k > NODES_MAX)
			k = 0;
		t->first[v] = (uint32_t)t->n;
		t->count[v] = k;
		for (uint32_t i = 0; i < k; i++) {
			t->parent[t->n] = (uint32_t)v;
			depth[t->n++] = depth[v] + 1;
		}
	}
}

/* Sixteenths, so that both sides begin from the same numbers; small truths, so that much is cut. */
static void measure(struct tree *t, uint32_t noise, bool wild)
{
	double truth[NODES_MAX] = {0};

	for (size_t v = t->n; v-- > 0;) {
		uint32_t kind = dice(12);

		if (t->count[v] == 0)
			truth[v] = dice(3) ? dice(6) : 40 + dice(60);
		if (v > 0)
			truth[t->parent[v]] += truth[v];
		t->y[v] = truth[v] + (double)dice(32 * noise) / 16 - noise;
		t->s[v] = (1 + dice(60)) / 8.0;
		if (wild && dice(4) == 0)
			t->s[v] *= 4096;
		t->high[v] = INFINITY;
		if (kind == 0 && v > 0)
			t->s[v] = INFINITY;
		if (kind == 1) {
			t->s[v] = 0;
			t->y[v] = truth[v];
		}
		if (kind == 2)
			t->low[v] = floor(truth[v] * (double)dice(9) / 8);
		if (kind == 3)
			t->high[v] = ceil(truth[v] * (1 + (double)dice(9) / 8));
	}
}

static double objective(const struct tree *t, bool whole)
{
	double sum = 0;

	for (size_t v = 0; v < t->n; v++) {
		double d = (whole ? (double)t->whole[v] : t->x[v]) - t->y[v];

		if (t->s[v] > 0 && isfinite(t->s[v]))
			sum += d * d / t->s[v];
	}
	return sum;
}

static void check_sums(const struct tree *t)
{
	for (size_t v = 0; v < t->n; v++) {
		double sum = 0;
		int64_t whole = 0;

		for (size_t c = t->first[v]; c < t->first[v] + t->count[v]; c++) {
			sum += t->x[c];
			whole += t->whole[c];
		}
		CHECK(t->count[v] == 0 || (whole == t->whole[v] && fabs(sum - t->x[v]) < 1e-9));
		CHECK(t->x[v] >= t->low[v] - 1e-9 && t->x[v] <= t->high[v] + 1e-9);
		CHECK((double)t->whole[v] >= t->low[v] && (double)t->whole[v] <= t->high[v]);
		CHECK(t->s[v] > 0 || (double)t->whole[v] == t->y[v]);
	}
}

/* ---- the same in rationals ------------------------------------------------------------------- */

static void load(const struct tree *t, struct sotto_exact_tree *e)
{
	sotto_exact_tree_init(e);
	e->subtrees = true;
	e->nodes = malloc(t->n * sizeof *e->nodes);
	if (!e->nodes)
		abort();
	for (size_t v = 0; v < t->n; v++) {
		struct sotto_exact_node *node = &e->nodes[e->n++];

		sotto_exact_node_init(node);
		node->path = "";
		node->parent = t->parent[v];
		node->first = t->first[v];
		node->count = t->count[v];
		mpq_set_d(node->value, t->y[v]);
		node->variance.infinite = isinf(t->s[v]);
		if (!isinf(t->s[v]))
			mpq_set_d(node->variance.q, t->s[v]);
		mpq_set_d(node->lower, t->low[v]);
		node->upper.infinite = isinf(t->high[v]);
		if (!isinf(t->high[v]))
			mpq_set_d(node->upper.q, t->high[v]);
	}
}

static double exact_whole_objective(const struct tree *t, const struct sotto_exact_tree *e)
{
	double sum = 0;

	for (size_t v = 0; v < t->n; v++) {
		double d = mpz_get_d(e->nodes[v].whole) - t->y[v];

		if (t->s[v] > 0 && isfinite(t->s[v]))
			sum += d * d / t->s[v];
	}
	return sum;
}

/* False if nothing determines the root, or the constraints contradict each other. */
static bool compare(struct tree *t)
{
	const struct sotto_tree shape = {.n = t->n, .first = t->first, .count = t->count};
	const struct sotto_tree_measures m = {t->y, t->s, t->low, t->high};
	struct sotto_exact_tree e;
	enum sotto_status st, fast;
	size_t bad;

	load(t, &e);
	st = sotto_exact_tree_bound(&e, NULL);
	fast = sotto_tree_nnls(&shape, &m, t->x, &bad);
	CHECK((st == SOTTO_EINFEASIBLE) == (fast == SOTTO_EINFEASIBLE));
	if (st == SOTTO_OK)
		st = sotto_exact_tree_optimum(&e);
	if (st == SOTTO_OK)
		st = sotto_exact_tree_whole(&e);
	if (st == SOTTO_OK && fast == SOTTO_OK) {
		double want, whole = exact_whole_objective(t, &e);

		CHECK(sotto_tree_round(&shape, &m, t->x, NULL, t->whole) == SOTTO_OK);
		check_sums(t);
		sotto_exact_tree_objective(&e, e.objective);
		want = mpq_get_d(e.objective);
		CHECK(fabs(objective(t, false) - want) <= 1e-9 * fmax(1, want));
		CHECK(fabs(objective(t, true) - whole) <= 1e-9 * fmax(1, whole));
		for (size_t v = 0; v < t->n; v++)
			CHECK(fabs(t->x[v] - mpq_get_d(e.nodes[v].optimum)) < 1e-6);
	}
	sotto_exact_tree_release(&e);
	return st == SOTTO_OK;
}

static void check_trees(uint32_t fan, uint32_t noise, bool wild, int trees)
{
	static struct tree t;
	int solved = 0;

	state = fan + noise;
	for (int i = 0; i < trees; i++) {
		grow(&t, fan);
		measure(&t, noise, wild);
		solved += compare(&t);
	}
	CHECK(solved > trees / 4);
}

static void little_noise(void)
{
	check_trees(4, 2, false, 100);
}

static void so_much_noise_that_most_is_cut(void)
{
	check_trees(4, 60, false, 400);
}

static void very_unequal_variances(void)
{
	check_trees(5, 20, true, 100);
}

static void many_children(void)
{
	check_trees(60, 20, true, 20);
}

static void what_nothing_determines_is_shared_equally(void)
{
	const uint32_t first[] = {1, 0, 0, 0, 0}, count[] = {4, 0, 0, 0, 0};
	const double y[] = {100, 0, 0, 0, 10}, s[] = {1, INFINITY, INFINITY, INFINITY, 1};
	const double low[] = {0, 0, 0, 0, 0}, high[] = {1e9, 1e9, 15, 1e9, 1e9};
	const struct sotto_tree shape = {.n = 5, .first = first, .count = count};
	const struct sotto_tree_measures m = {y, s, low, high};
	double x[5];
	int64_t whole[5];
	size_t bad;

	REQUIRE(sotto_tree_nnls(&shape, &m, x, &bad) == SOTTO_OK);
	CHECK(x[1] == 37.5 && x[2] == 15 && x[3] == 37.5 && x[4] == 10);
	REQUIRE(sotto_tree_round(&shape, &m, x, NULL, whole) == SOTTO_OK);
	CHECK(whole[1] == 38 && whole[2] == 15 && whole[3] == 37 && whole[4] == 10);
}

static void lots_decide_between_equals(void)
{
	const uint32_t first[] = {1, 0, 0, 0}, count[] = {3, 0, 0, 0};
	const double y[] = {10, 3, 3, 3}, s[] = {0, 1, 1, 1};
	const struct sotto_tree shape = {.n = 4, .first = first, .count = count};
	const struct sotto_tree_measures m = {y, s, NULL, NULL};
	double x[4];
	int64_t whole[4];
	size_t bad;

	REQUIRE(sotto_tree_nnls(&shape, &m, x, &bad) == SOTTO_OK);
	for (size_t low = 1; low < 4; low++) {
		uint64_t lots[] = {0, 9, 9, 9};

		lots[low] = 1;
		REQUIRE(sotto_tree_round(&shape, &m, x, lots, whole) == SOTTO_OK);
		for (size_t c = 1; c < 4; c++)
			CHECK(whole[c] == (c == low ? 4 : 3));
	}
}

static void contradictions_are_found(void)
{
	const uint32_t first[] = {1, 0, 0}, count[] = {2, 0, 0};
	double y[] = {5, 2, 4}, s[] = {0, 0, 0}, x[3];
	const struct sotto_tree shape = {.n = 3, .first = first, .count = count};
	const struct sotto_tree_measures m = {y, s, NULL, NULL};
	size_t bad = 9;

	CHECK(sotto_tree_nnls(&shape, &m, x, &bad) == SOTTO_EINFEASIBLE && bad == 0);
	y[2] = 3;
	CHECK(sotto_tree_nnls(&shape, &m, x, &bad) == SOTTO_OK && x[0] == 5);
	y[1] = -2;
	y[2] = 7;
	CHECK(sotto_tree_nnls(&shape, &m, x, &bad) == SOTTO_EINFEASIBLE);
}

int main(void)
{
	RUN(little_noise);
	RUN(so_much_noise_that_most_is_cut);
	RUN(very_unequal_variances);
	RUN(many_children);
	RUN(what_nothing_determines_is_shared_equally);
	RUN(lots_decide_between_equals);
	RUN(contradictions_are_found);
	return tap_done();
}
