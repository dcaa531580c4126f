/*
 * One number per node: the two passes against a dense solution of the normal equations, on random
 * trees with fixed and missing measurements; the order of siblings does not matter; complete
 * trees have the variances of the closed form.
 */
#include <stdlib.h>

#include "census/tree/census_tree.h"
#include "testlib/tap.h"

enum { NODES_MAX = 400, LEAVES_MAX = 60, TREES = 300 };

struct tree {
	uint32_t first[NODES_MAX], count[NODES_MAX], parent[NODES_MAX];
	double y[NODES_MAX], s[NODES_MAX], x[NODES_MAX], v[NODES_MAX];
	size_t n;
};

static uint64_t state;

static uint32_t dice(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

/* Depth at most 5, fan-out 1 to 4; breadth first, so that children are next to each other. */
static void grow(struct tree *t)
{
	uint32_t depth[NODES_MAX] = {0}, leaves = 1;

	memset(t, 0, sizeof *t);
	t->n = 1;
	for (size_t v = 0; v < t->n; v++) {
		uint32_t k = depth[v] < 5 && dice(10) < 6 ? 1 + dice(4) : 0;

		if (leaves + k > LEAVES_MAX / 2 || t->n + k > NODES_MAX)
			k = 0;
		t->first[v] = (uint32_t)t->n;
		t->count[v] = k;
		leaves += k ? k - 1 : 0;
		for (uint32_t i = 0; i < k; i++) {
			t->parent[t->n] = (uint32_t)v;
			depth[t->n++] = depth[v] + 1;
		}
	}
}

/* Measurements: mostly noisy, some missing; with `fixed` the whole truth of some nodes. */
static void measure(struct tree *t, bool fixed)
{
	double truth[NODES_MAX] = {0};

	for (size_t v = t->n; v-- > 0;) {
		uint32_t kind = dice(10);

		if (t->count[v] == 0)
			truth[v] = dice(50);
		if (v > 0)
			truth[t->parent[v]] += truth[v];
		t->y[v] = truth[v] + (double)dice(2000) / 100 - 10;
		t->s[v] = (1 + dice(60)) / 7.0;
		if (kind == 0 && v > 0)
			t->s[v] = INFINITY;
		if (fixed && kind == 1) {
			t->s[v] = 0;
			t->y[v] = truth[v];
		}
	}
}

/* ---- the dense solution ------------------------------------------------------------------------ */

struct dense {
	size_t leaves, rows; /* unknowns; with the equations of fixed nodes */
	long double a[2 * LEAVES_MAX + NODES_MAX][2 * LEAVES_MAX + NODES_MAX];
	bool below[NODES_MAX][LEAVES_MAX];
};

/* Solves a x = b by elimination with full pivoting of rows; false if it has no solution. */
static bool solve(const struct dense *d, const long double *b, long double *x)
{
	enum { M = 2 * LEAVES_MAX + NODES_MAX };
	static long double rows[M][M + 1];
	static size_t pivots[M];
	size_t n = d->rows, r = 0;

	for (size_t i = 0; i < n; i++) {
		memcpy(rows[i], d->a[i], n * sizeof **rows);
		rows[i][n] = b[i];
		x[i] = 0;
	}
	for (size_t c = 0; c < n && r < n; c++) {
		size_t best = r;

		for (size_t i = r + 1; i < n; i++)
			if (fabsl(rows[i][c]) > fabsl(rows[best][c]))
				best = i;
		if (fabsl(rows[best][c]) < 1e-11L)
			continue;
		for (size_t k = 0; k <= n; k++) {
			long double swap = rows[r][k];

			rows[r][k] = rows[best][k];
			rows[best][k] = swap;
		}
		for (size_t i = 0; i < n; i++) {
			long double f = rows[i][c] / rows[r][c];

			for (size_t k = c; i != r && f != 0 && k <= n; k++)
				rows[i][k] -= f * rows[r][k];
		}
		pivots[r++] = c;
	}
	for (size_t i = r; i < n; i++)
		if (fabsl(rows[i][n]) > 1e-8L)
			return false;
	for (size_t i = 0; i < r; i++)
		x[pivots[i]] = rows[i][n] / rows[i][pivots[i]];
	return true;
}

static void set_dense(const struct tree *t, struct dense *d, long double *right)
{
	memset(d, 0, sizeof *d);
	for (size_t v = 0; v < t->n; v++)
		if (t->count[v] == 0) {
			for (size_t u = v;; u = t->parent[u]) {
				d->below[u][d->leaves] = true;
				if (u == 0)
					break;
			}
			d->leaves++;
		}
	d->rows = d->leaves;
	for (size_t v = 0; v < t->n; v++)
		d->rows += t->s[v] == 0;
	for (size_t v = 0, e = d->leaves; v < t->n; v++)
		for (size_t i = 0; i < d->leaves && !isinf(t->s[v]); i++) {
			if (!d->below[v][i])
				continue;
			if (t->s[v] == 0) {
				d->a[i][e] = d->a[e][i] = 1;
				right[e] = t->y[v];
			} else {
				right[i] += t->y[v] / t->s[v];
				for (size_t j = 0; j < d->leaves; j++)
					d->a[i][j] += d->below[v][j] / (long double)t->s[v];
			}
			if (t->s[v] == 0 &&
			    (i + 1 == d->leaves ||
			     !memchr(d->below[v] + i + 1, 1, d->leaves - i - 1)))
				e++;
		}
}

static bool near(double got, long double want)
{
	return fabsl((long double)got - want) <= 1e-9L * fmaxl(1, fabsl(want));
}

/* Compares every node that the measurements determine; the number of them. */
static size_t compare(const struct tree *t)
{
	static struct dense d;
	static long double right[2 * LEAVES_MAX + NODES_MAX], x[2 * LEAVES_MAX + NODES_MAX],
		f[2 * LEAVES_MAX + NODES_MAX], w[2 * LEAVES_MAX + NODES_MAX];
	size_t determined = 0;

	memset(right, 0, sizeof right);
	set_dense(t, &d, right);
	if (!solve(&d, right, x))
		return 0;
	for (size_t v = 0; v < t->n; v++) {
		long double estimate = 0, variance = 0;

		memset(f, 0, sizeof f);
		for (size_t i = 0; i < d.leaves; i++)
			f[i] = d.below[v][i];
		if (!solve(&d, f, w)) {
			CHECK(isinf(t->v[v]));
			continue;
		}
		for (size_t i = 0; i < d.leaves; i++) {
			estimate += f[i] * x[i];
			variance += f[i] * w[i];
		}
		CHECK(near(t->x[v], estimate));
		CHECK(near(t->v[v], variance));
		determined++;
	}
	return determined;
}

static enum sotto_status estimate(struct tree *t)
{
	const struct sotto_tree shape = {.n = t->n, .first = t->first, .count = t->count};

	return sotto_tree_gls(&shape, t->y, t->s, t->x, t->v);
}

static void check_trees(bool fixed)
{
	static struct tree t;
	size_t determined = 0;

	state = fixed ? 3 : 4;
	for (int i = 0; i < TREES; i++) {
		enum sotto_status st;

		grow(&t);
		measure(&t, fixed);
		st = estimate(&t);
		CHECK(st == SOTTO_OK);
		if (st == SOTTO_OK)
			determined += compare(&t);
	}
	CHECK(determined > 1000);
}

static void the_passes_solve_least_squares(void)
{
	check_trees(false);
}

static void the_passes_solve_least_squares_with_fixed_values(void)
{
	check_trees(true);
}

/* Reverses the order of the children everywhere; node v of the mirror is node image[v]. */
static void mirror(const struct tree *t, struct tree *m, uint32_t *image)
{
	memset(m, 0, sizeof *m);
	m->n = 1;
	image[0] = 0;
	for (uint32_t v = 0; v < m->n; v++) {
		uint32_t k = t->count[image[v]];

		m->first[v] = (uint32_t)m->n;
		m->count[v] = k;
		m->y[v] = t->y[image[v]];
		m->s[v] = t->s[image[v]];
		for (uint32_t i = 0; i < k; i++)
			image[m->n++] = t->first[image[v]] + k - 1 - i;
	}
}

static void the_order_of_siblings_does_not_matter(void)
{
	static struct tree t, m;
	uint32_t image[NODES_MAX];

	state = 5;
	for (int i = 0; i < TREES; i++) {
		grow(&t);
		measure(&t, true);
		mirror(&t, &m, image);
		REQUIRE(estimate(&t) == SOTTO_OK && estimate(&m) == SOTTO_OK);
		for (size_t v = 0; v < m.n; v++) {
			CHECK(near(m.x[v], t.x[image[v]]));
			CHECK(isinf(t.v[image[v]]) ? isinf(m.v[v])
						   : near(m.v[v], t.v[image[v]]));
		}
	}
}

/* t_k = (b-1) b^(k-1)/(b^k-1); V_k = t_k (1 - 1/b) + V_(k+1)/b^2, k levels being in the subtree. */
static void complete_trees_have_the_variances_of_the_closed_form(void)
{
	for (uint32_t b = 2; b <= 4; b++) {
		static struct tree t;
		uint32_t levels = b == 2 ? 7 : b == 3 ? 5 : 4, width = 1;
		double above = 0;

		memset(&t, 0, sizeof t);
		for (uint32_t l = 0; l < levels; l++, width *= b)
			for (uint32_t i = 0; i < width; i++, t.n++) {
				t.s[t.n] = 1;
				t.count[t.n] = l + 1 < levels ? b : 0;
				t.first[t.n] = (uint32_t)t.n - i + width + i * b;
			}
		REQUIRE(estimate(&t) == SOTTO_OK);
		for (uint32_t k = levels, v = 0; k > 0; v = t.first[v], k--) {
			double own = (b - 1) * pow(b, k - 1) / (pow(b, k) - 1);

			above = k == levels ? own : own * (1 - 1.0 / b) + above / (b * b);
			CHECK(near(t.v[v], above));
		}
	}
}

static void contradictions_are_found(void)
{
	static struct tree t;

	memset(&t, 0, sizeof t);
	t.n = 3;
	t.first[0] = 1;
	t.count[0] = 2;
	t.y[0] = 5;
	t.y[1] = 2;
	t.y[2] = 2;
	CHECK(estimate(&t) == SOTTO_EINFEASIBLE);
	t.y[2] = 3;
	CHECK(estimate(&t) == SOTTO_OK);
	t.s[0] = t.s[1] = INFINITY;
	CHECK(estimate(&t) == SOTTO_ESTATE);
}

int main(void)
{
	RUN(the_passes_solve_least_squares);
	RUN(the_passes_solve_least_squares_with_fixed_values);
	RUN(the_order_of_siblings_does_not_matter);
	RUN(complete_trees_have_the_variances_of_the_closed_form);
	RUN(contradictions_are_found);
	return tap_done();
}
