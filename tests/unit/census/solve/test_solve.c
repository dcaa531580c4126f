/*
 * The non-negative optimum of random families against a dense solver that shares nothing with it: the
 * matrix written from the maps of the queries, every constraint a row, alternating directions. And the
 * inner loops for AVX2 and for any processor, bit by bit.
 */
#include "census/solve/family/census_solve.h"

#include <math.h>
#include <stdlib.h>

#include "testlib/effort.h"
#include "testlib/tap.h"

enum { CELLS = 18, GROUPS = 3, CHILDREN_MAX = 5, N_MAX = 60, ROWS_MAX = 200, FAMILIES = 60 };

static const char plan_text[] =
	"hierarchy: [{level: Top}, {level: Mid, column: m}, {level: Low, column: l}]\n"
	"attributes: [{name: q, categories: [h, p, d]}, {name: s, categories: 2}, {name: r, "
	"categories: 3}]\n"
	"queries: {pair: {q: [[h], [p, d]]}}\n"
	"privacy: {model: zcdp, rho: 1, neighbours: replace-one}\n"
	"budget:\n"
	"  levels: {Top: 1/4, Mid: 1/4, Low: 1/2}\n"
	"  queries: {Top: {detailed: 1}, Mid: {total: 1/2, \"q*s\": 1/8, pair: 1/8, detailed: "
	"1/4}, Low: {total: 1/4, \"s*r\": 1/4, detailed: 1/2}}\n"
	"bounds: [{level: Low, query: q, lower: 0, upper: 1}]\n";

/* Nothing is grouped or bounded: there is one place, and all axes are regular. */
static const char plain_text[] =
	"hierarchy: [{level: Top}, {level: Mid, column: m}, {level: Low, column: l}]\n"
	"attributes: [{name: q, categories: [h, p, d]}, {name: s, categories: 2}, {name: r, "
	"categories: 3}]\n"
	"privacy: {model: zcdp, rho: 1, neighbours: replace-one}\n"
	"budget:\n"
	"  levels: {Top: 1/4, Mid: 1/4, Low: 1/2}\n"
	"  queries: {Top: {detailed: 1}, Mid: {total: 1/2, \"q*s\": 1/8, r: 1/8, detailed: "
	"1/4}, Low: {total: 1/4, \"s*r\": 1/4, detailed: 1/2}}\n";

/*
 * Most of the budget tells totals: the matrix has eigenvalues that are thousands of times apart.  And noise is
 * small, so that a step by which nobody moves may still be worth much.
 */
static const char stiff_text[] =
	"hierarchy: [{level: Top}, {level: Mid, column: m}, {level: Low, column: l}]\n"
	"attributes: [{name: q, categories: [h, p, d]}, {name: s, categories: 2}, {name: r, "
	"categories: 3}]\n"
	"privacy: {model: zcdp, rho: 10000, neighbours: replace-one}\n"
	"budget:\n"
	"  levels: {Top: 1/4, Mid: 1/4, Low: 1/2}\n"
	"  queries: {Top: {detailed: 1}, Mid: {total: 9/10, \"q*s\": 98/1000, detailed: "
	"2/1000}, "
	"Low: {total: 6/10, q: 3/10, \"s*r\": 98/1000, detailed: 2/1000}}\n";

static struct sotto_census_plan plan;
static struct sotto_census_schema schema;
static struct sotto_census_basis basis;
static double *kernels[3];
static uint64_t dice_state;

static uint32_t dice(uint32_t n)
{
	dice_state = dice_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(dice_state >> 33) % n;
}

static double coin(void)
{
	return (double)dice(1 << 20) / (1 << 20) - 0.5;
}

static void open_plan(const char *text)
{
	CHECK(sotto_census_plan_parse(&plan, "p", text, strlen(text), NULL) == SOTTO_OK);
	CHECK(sotto_census_schema_init(&schema, &plan, NULL) == SOTTO_OK);
	CHECK(sotto_census_basis_init(&basis, &schema) == SOTTO_OK);
	for (size_t l = 0; l < 3; l++) {
		double *info = calloc(basis.block, sizeof *info);

		kernels[l] = calloc(basis.block, sizeof *kernels[l]);
		sotto_census_level_info(&basis, l, info);
		sotto_census_info_kernel(&basis, info, kernels[l]);
		free(info);
	}
}

static void close_plan(void)
{
	for (size_t l = 0; l < 3; l++)
		free(kernels[l]);
	sotto_census_basis_release(&basis);
	sotto_census_schema_release(&schema);
	sotto_census_plan_release(&plan);
}

/* What the queries of a level say about two cells, from their maps alone. */
static double entry(size_t level, uint32_t i, uint32_t j)
{
	const struct sotto_census_level *l = &plan.levels[level];
	double sum = 0;

	for (size_t k = 0; k < l->measure_count; k++)
		if (schema.maps[l->measures[k].query][i] ==
		    schema.maps[l->measures[k].query][j])
			sum += l->measures[k].weight;
	return sum;
}

/* ---- a random family -------------------------------------------------------------------------- */

struct problem {
	struct sotto_census_family f;
	size_t level[CHILDREN_MAX];
	uint32_t cell[CELLS], group[CELLS];
	double truth[N_MAX], parent[CELLS], h[N_MAX], totals[CHILDREN_MAX];
	double low[CHILDREN_MAX * GROUPS], high[CHILDREN_MAX * GROUPS], x[N_MAX];
	const double *of[CHILDREN_MAX];
	uint64_t masks[CHILDREN_MAX];
};

static size_t group_of(uint32_t cell)
{
	return schema.group_of_place[cell / schema.regular];
}

static void choose_cells(struct problem *p)
{
	size_t most = N_MAX / p->f.children < CELLS ? N_MAX / p->f.children : CELLS, n = 0;

	for (size_t g = 0; g < GROUPS; g++)
		for (uint32_t cell = 0; cell < CELLS; cell++)
			if (group_of(cell) == g && n < most && dice(3) > 0)
				p->cell[n++] = cell;
	if (n == 0)
		p->cell[n++] = 0;
	for (size_t k = 0; k < n; k++)
		p->group[k] = (uint32_t)group_of(p->cell[k]);
	p->f.cells = n;
}

/* h = sum of w M'(M truth + noise) */
static void measure(struct problem *p, size_t c)
{
	const struct sotto_census_level *l = &plan.levels[p->level[c]];
	size_t m = p->f.cells;

	for (size_t q = 0; q < l->measure_count; q++) {
		const uint32_t *map = schema.maps[l->measures[q].query];
		double y[CELLS] = {0}, noise[CELLS];

		for (size_t k = 0; k < CELLS; k++)
			noise[k] = 12 * coin();
		for (size_t k = 0; k < m; k++)
			y[map[p->cell[k]]] += p->truth[c * m + k];
		for (size_t k = 0; k < m; k++)
			p->h[c * m + k] += l->measures[q].weight *
					   (y[map[p->cell[k]]] + noise[map[p->cell[k]]]);
	}
}

/* kind 0: cells alone; 1: row totals; 2: bounds of groups; 3: totals and all groups settled */
static void set_bounds(struct problem *p, size_t c, uint32_t kind)
{
	size_t m = p->f.cells;

	for (size_t k = 0; k < m; k++) {
		p->totals[c] += p->truth[c * m + k];
		p->low[c * GROUPS + group_of(p->cell[k])] += p->truth[c * m + k];
	}
	for (size_t g = 0; g < GROUPS; g++) {
		double *low = &p->low[c * GROUPS + g], *high = &p->high[c * GROUPS + g];

		*high = *low;
		if (kind != 3) {
			*high = *low > 0 ? *low + dice(4) : 0;
			*low = *low > 1 ? *low - dice(2) : 0;
		}
		if (kind >= 2 && *high <= 0)
			p->masks[c] &= ~schema.group_mask[g];
	}
}

static void make_problem(struct problem *p, uint32_t kind)
{
	memset(p, 0, sizeof *p);
	p->f = (struct sotto_census_family){.basis = &basis,
					    .children = 2 + dice(CHILDREN_MAX - 1),
					    .cell = p->cell,
					    .groups = GROUPS,
					    .group = p->group,
					    .parent = p->parent,
					    .kernels = p->of,
					    .h = p->h,
					    .totals = kind % 2 ? p->totals : NULL,
					    .masks = p->masks,
					    .low = kind >= 2 ? p->low : NULL,
					    .high = kind >= 2 ? p->high : NULL,
					    .x = p->x};
	choose_cells(p);
	for (size_t c = 0; c < p->f.children; c++) {
		p->level[c] = dice(4) ? 2 : dice(3);
		p->of[c] = kernels[p->level[c]];
		p->masks[c] = UINT64_MAX;
		for (size_t k = 0; k < p->f.cells; k++) {
			p->truth[c * p->f.cells + k] = dice(3) ? 0 : dice(12);
			p->parent[k] += p->truth[c * p->f.cells + k];
		}
		measure(p, c);
		set_bounds(p, c, kind);
	}
}

/* ---- the dense solver --------------------------------------------------------------------------- */

struct dense {
	size_t n, rows;
	double p[N_MAX][N_MAX], a[ROWS_MAX][N_MAX], low[ROWS_MAX], high[ROWS_MAX];
	double factor[N_MAX][N_MAX], x[N_MAX];
};

static size_t add_row(struct dense *d, double low, double high)
{
	d->low[d->rows] = low;
	d->high[d->rows] = high;
	return d->rows++;
}

static void write_problem(const struct problem *p, struct dense *d)
{
	size_t m = p->f.cells, c = p->f.children;

	memset(d, 0, sizeof *d);
	d->n = c * m;
	for (size_t i = 0; i < d->n; i++)
		for (size_t j = 0; j < d->n; j++)
			d->p[i][j] = i / m == j / m ? entry(p->level[i / m], p->cell[i % m],
							    p->cell[j % m])
						    : 0;
	for (size_t k = 0; k < m; k++) {
		size_t row = add_row(d, p->parent[k], p->parent[k]);

		for (size_t i = 0; i < c; i++)
			d->a[row][i * m + k] = 1;
	}
	for (size_t i = 0; i < c && p->f.totals; i++) {
		size_t row = add_row(d, p->totals[i], p->totals[i]);

		for (size_t k = 0; k < m; k++)
			d->a[row][i * m + k] = 1;
	}
	for (size_t i = 0; i < c * GROUPS && p->f.low; i++) {
		size_t row = add_row(d, p->low[i], p->high[i]);

		for (size_t k = 0; k < m; k++)
			d->a[row][i / GROUPS * m + k] = group_of(p->cell[k]) == i % GROUPS;
	}
	for (size_t i = 0; i < d->n; i++)
		d->a[add_row(d, 0, INFINITY)][i] = 1;
}

static void factorise(struct dense *d, double rho)
{
	for (size_t i = 0; i < d->n; i++)
		for (size_t j = 0; j <= i; j++) {
			double sum = d->p[i][j] + (i == j ? 1e-6 : 0);

			for (size_t r = 0; r < d->rows; r++)
				sum += rho * d->a[r][i] * d->a[r][j];
			for (size_t k = 0; k < j; k++)
				sum -= d->factor[i][k] * d->factor[j][k];
			d->factor[i][j] = i == j ? sqrt(sum) : sum / d->factor[j][j];
		}
}

static void solve_factored(struct dense *d, double *b)
{
	for (size_t i = 0; i < d->n; i++) {
		for (size_t k = 0; k < i; k++)
			b[i] -= d->factor[i][k] * b[k];
		b[i] /= d->factor[i][i];
	}
	for (size_t i = d->n; i-- > 0;) {
		for (size_t k = i + 1; k < d->n; k++)
			b[i] -= d->factor[k][i] * b[k];
		b[i] /= d->factor[i][i];
	}
}

/* Alternating directions: x minimises, z is held to the bounds, y adds up the difference. */
static void solve_dense(const struct problem *p, struct dense *d)
{
	const double rho = 0.3;
	double z[ROWS_MAX] = {0}, y[ROWS_MAX] = {0};

	write_problem(p, d);
	factorise(d, rho);
	for (int step = 0; step < 3000; step++) {
		double b[N_MAX];

		for (size_t i = 0; i < d->n; i++) {
			b[i] = p->h[i] + 1e-6 * d->x[i];
			for (size_t r = 0; r < d->rows; r++)
				b[i] += d->a[r][i] * (rho * z[r] - y[r]);
		}
		solve_factored(d, b);
		memcpy(d->x, b, d->n * sizeof *b);
		for (size_t r = 0; r < d->rows; r++) {
			double at = 0, to;

			for (size_t i = 0; i < d->n; i++)
				at += d->a[r][i] * d->x[i];
			to = at + y[r] / rho;
			z[r] = to < d->low[r] ? d->low[r] : to > d->high[r] ? d->high[r] : to;
			y[r] += rho * (at - z[r]);
		}
	}
}

/* ---- what is checked -------------------------------------------------------------------------------- */

static double objective(const struct problem *p, const struct dense *d, const double *x)
{
	double sum = 0;

	for (size_t i = 0; i < d->n; i++) {
		sum -= p->h[i] * x[i];
		for (size_t j = 0; j < d->n; j++)
			sum += 0.5 * x[i] * d->p[i][j] * x[j];
	}
	return sum;
}

/* How far the constraint that is missed most is missed. */
static double violation(const struct dense *d, const double *x)
{
	double worst = 0;

	for (size_t r = 0; r < d->rows; r++) {
		double at = 0;

		for (size_t i = 0; i < d->n; i++)
			at += d->a[r][i] * x[i];
		worst = fmax(worst, fmax(d->low[r] - at, at - d->high[r]));
	}
	return worst;
}

static void check_kind(const char *text, uint32_t kind)
{
	struct sotto_census_solver solver = {0}, parts = {.by_parts = true};
	struct problem *p = malloc(sizeof *p);
	struct dense *d = malloc(sizeof *d);
	double worst_gap = 0, worst_miss = 0, worst_oracle = 0;
	int families = effort() == EFFORT_SANITIZED ? FAMILIES / 10 : FAMILIES;

	open_plan(text);
	dice_state = 17 + kind;
	for (int i = 0; i < families; i++) {
		double scale;

		make_problem(p, kind);
		CHECK(sotto_census_solve(&p->f, &solver) == SOTTO_OK);
		solve_dense(p, d);
		scale = fmax(1, fabs(objective(p, d, d->x)));
		worst_oracle = fmax(worst_oracle, violation(d, d->x));
		worst_miss = fmax(worst_miss, violation(d, p->x));
		worst_gap = fmax(worst_gap,
				 (objective(p, d, p->x) - objective(p, d, d->x)) / scale);
		/* The same without a written matrix. */
		CHECK(sotto_census_solve(&p->f, &parts) == SOTTO_OK);
		worst_miss = fmax(worst_miss, violation(d, p->x));
		worst_gap = fmax(worst_gap,
				 (objective(p, d, p->x) - objective(p, d, d->x)) / scale);
	}
	tap_note("gap %.2g of the objective, sums missed by %.2g (dense: %.2g)", worst_gap,
		 worst_miss, worst_oracle);
	CHECK(worst_oracle < 1e-4);
	CHECK(worst_miss < 0.02);
	CHECK(worst_gap < 2e-3);
	sotto_census_solver_release(&solver);
	sotto_census_solver_release(&parts);
	free(p);
	free(d);
	close_plan();
}

static void cells_that_add_up_are_optimal(void)
{
	check_kind(plan_text, 0);
}

static void with_row_totals_they_are_optimal(void)
{
	check_kind(plan_text, 1);
}

static void with_bounds_of_groups_they_are_optimal(void)
{
	check_kind(plan_text, 2);
}

static void with_settled_groups_they_are_optimal(void)
{
	check_kind(plan_text, 3);
}

static void without_explicit_axes_they_are_optimal(void)
{
	check_kind(plain_text, 0);
	check_kind(plain_text, 1);
}

/*
 * What x can be worse than the optimum by, at most.  Where cells only have to add up to the
 * parent's, the linear function that touches the objective at x is least where each of the
 * parent's counts goes to the child with the smallest derivative; the convex objective lies
 * above that function.  away: the difference between x and that place.
 */
static double certified_gap(const struct problem *p, const struct dense *d, double *away)
{
	size_t m = p->f.cells;
	double gap = 0;

	for (size_t k = 0; k < m; k++) {
		double least = INFINITY;
		size_t best = 0;

		for (size_t c = 0; c < p->f.children; c++) {
			double slope = -p->h[c * m + k];

			for (size_t j = 0; j < d->n; j++)
				slope += d->p[c * m + k][j] * p->x[j];
			gap += slope * p->x[c * m + k];
			away[c * m + k] = p->x[c * m + k];
			if (slope < least) {
				least = slope;
				best = c;
			}
		}
		gap -= p->parent[k] * least;
		away[best * m + k] -= p->parent[k];
	}
	return gap;
}

/* The largest eigenvalue of a child's matrix, by a hundred power steps. */
static double stiffness(const struct problem *p, const struct dense *d, size_t c)
{
	size_t m = p->f.cells;
	double v[CELLS], norm = 1;

	for (size_t k = 0; k < m; k++)
		v[k] = 1;
	for (int step = 0; step < 100; step++) {
		double next[CELLS] = {0}, sum = 0;

		for (size_t i = 0; i < m; i++) {
			for (size_t j = 0; j < m; j++)
				next[i] += d->p[c * m + i][c * m + j] * v[j];
			sum += next[i] * next[i];
		}
		norm = sqrt(sum);
		for (size_t i = 0; i < m; i++)
			v[i] = next[i] / norm;
	}
	return norm;
}

/*
 * What the rule that stops early lets the certificate be.  A step from y to x is a projection, so for
 * every s within the constraints (P y - h + L (x - y))'(s - x) >= 0.  Hence
 * (P x - h)'(x - s) <= ((P - L)(x - y))'(x - s) <= |x - y| |x - s| in the norm of L, as 0 <= P <= L.
 * The rule ends where |x - last|^2 < 10^-4 for each cell; y is ahead of the last x by less than the step
 * before, which was at most twice as long.  So |x - y| is below 3 sqrt(10^-4 cells).
 */
static double allowed_gap(const struct problem *p, const struct dense *d, const double *away)
{
	size_t m = p->f.cells;
	double sum = 0;

	for (size_t c = 0; c < p->f.children; c++) {
		double l = stiffness(p, d, c);

		for (size_t k = 0; k < m; k++)
			sum += l * away[c * m + k] * away[c * m + k];
	}
	return 3 * sqrt(1e-4 * (double)d->n) * sqrt(sum);
}

static void stiff_families_come_near_their_optimum(void)
{
	struct sotto_census_solver solver = {0}, parts = {.by_parts = true};
	struct problem *p = malloc(sizeof *p);
	struct dense *d = malloc(sizeof *d);
	double most = 0;

	open_plan(stiff_text);
	dice_state = 29;
	for (int i = 0; i < 2 * FAMILIES; i++) {
		double away[N_MAX], gap;

		make_problem(p, 0);
		write_problem(p, d);
		CHECK(sotto_census_solve(&p->f, i % 2 ? &parts : &solver) == SOTTO_OK);
		CHECK(violation(d, p->x) < 0.02);
		gap = certified_gap(p, d, away);
		most = fmax(most, gap / allowed_gap(p, d, away));
	}
	tap_note("the certificate is at most %.2g of what the rule allows", most);
	CHECK(most < 1);
	sotto_census_solver_release(&solver);
	sotto_census_solver_release(&parts);
	free(p);
	free(d);
	close_plan();
}

static void check_bits(const char *text)
{
#if defined(__x86_64__)
	struct sotto_census_solver portable = {.loops = &sotto_census_loops_portable};
	struct sotto_census_solver avx2 = {.loops = &sotto_census_loops_avx2};
	struct problem *p = malloc(sizeof *p);

	if (!__builtin_cpu_supports("avx2")) {
		tap_note("this processor has no AVX2");
		free(p);
		return;
	}
	open_plan(text);
	dice_state = 5;
	for (uint32_t i = 0; i < 4 * FAMILIES; i++) {
		double once[N_MAX];

		make_problem(p, i % 4);
		portable.by_parts = avx2.by_parts = i / 4 % 2;
		CHECK(sotto_census_solve(&p->f, &portable) == SOTTO_OK);
		memcpy(once, p->x, sizeof once);
		memset(p->x, 0, sizeof p->x);
		CHECK(sotto_census_solve(&p->f, &avx2) == SOTTO_OK);
		CHECK(memcmp(once, p->x, sizeof once) == 0);
	}
	sotto_census_solver_release(&portable);
	sotto_census_solver_release(&avx2);
	free(p);
	close_plan();
#else
	(void)text;
#endif
}

static void both_kinds_of_loops_give_the_same_bits(void)
{
	check_bits(plan_text);
	check_bits(plain_text);
}

int main(void)
{
	RUN(cells_that_add_up_are_optimal);
	RUN(with_row_totals_they_are_optimal);
	RUN(with_bounds_of_groups_they_are_optimal);
	RUN(with_settled_groups_they_are_optimal);
	RUN(without_explicit_axes_they_are_optimal);
	RUN(stiff_families_come_near_their_optimum);
	RUN(both_kinds_of_loops_give_the_same_bits);
	return tap_done();
}
