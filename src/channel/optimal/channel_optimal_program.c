/*
 * The best mechanism by a linear program, an exact vertex or a repair, and an upper bound:
 * optimal.md.  A variable stands for all cells that symmetries make equal.
 */
#include "channel/optimal/channel_optimal_program.h"

#include <stdlib.h>

#include "channel/matrix/channel_powers.h"
#include "channel/optimal/program/channel_program.h"
#include "channel/optimal/channel_repair.h"
#include "channel/optimal/channel_symmetry.h"
#include "core/base/failure.h"

/* Above this many cells no program is made; an exact vertex is tried up to fewer variables. */
enum { PROGRAM_CELLS_MAX = 200000, VERTEX_VARIABLES_MAX = 700 };

/* p_yw <= k p_y'w as a bound between two variables. */
struct bound {
	size_t left, right, edge;
	size_t place; /* (2 edge + direction) guesses + w */
};

struct reduced {
	const struct sotto_task *task;
	struct sotto_symmetry symmetry;
	struct sotto_program *program;
	size_t *row_of; /* of each place; SIZE_MAX where the bound says nothing */
	size_t *places; /* of each row of the program */
	bool cut; /* some factor is smaller than the epsilon allows */
};

enum sotto_status sotto_optimal_measure(const struct sotto_task *t, struct sotto_optimal *o)
{
	struct sotto_use use;

	SOTTO_TRY(sotto_use_find(o->channel, t->prior, t->gain, &use));
	mpq_set(o->lower.q, use.utility.q);
	sotto_use_release(&use);
	return SOTTO_OK;
}

/* ---- rows --------------------------------------------------------------------------------------- */

static void fill_objective(struct reduced *r)
{
	const struct sotto_task *t = r->task;
	size_t guesses = t->gain->rows;
	mpq_t term;

	mpq_init(term);
	for (size_t i = 0; i < t->graph->nodes * guesses; i++) {
		mpq_ptr sum = r->program->objective[r->symmetry.cell[i]];

		mpq_mul(term, t->prior->cells[i / guesses],
			sotto_matrix_at(t->gain, i % guesses, i / guesses));
		mpq_add(sum, sum, term);
	}
	mpq_clear(term);
}

/* The variables of answer y sum to one, each as often as it comes. */
static enum sotto_status add_sum(struct reduced *r, size_t y, size_t *times)
{
	size_t guesses = r->task->gain->rows;
	const size_t *cell = r->symmetry.cell + y * guesses;
	enum sotto_status st = sotto_program_row(r->program, true);
	mpq_t value;

	SOTTO_TRY(st);
	mpq_set_ui(r->program->right[r->program->rows - 1], 1, 1);
	for (size_t w = 0; w < guesses; w++)
		times[cell[w]]++;
	mpq_init(value);
	for (size_t w = 0; w < guesses && st == SOTTO_OK; w++) {
		if (times[cell[w]] == 0)
			continue;
		mpq_set_ui(value, times[cell[w]], 1);
		st = sotto_program_entry(r->program, cell[w], value);
		times[cell[w]] = 0;
	}
	mpq_clear(value);
	return st;
}

/* One row for each orbit of answers, in the order of orbits. */
static enum sotto_status add_sums(struct reduced *r)
{
	size_t *times = calloc(r->symmetry.cell_orbits, sizeof *times), next = 0;
	enum sotto_status st = times ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t y = 0; y < r->task->graph->nodes && st == SOTTO_OK; y++)
		if (r->symmetry.answer[y] == next) {
			st = add_sum(r, y, times);
			next++;
		}
	free(times);
	return st;
}

static int compare_lengths(const struct sotto_graph *g, size_t a, size_t b)
{
	return g->has_lengths ? mpq_cmp(g->edges[a].length, g->edges[b].length) : 0;
}

static int compare_bounds(const void *a, const void *b, void *graph)
{
	const struct bound *x = a, *y = b;

	if (x->left != y->left)
		return x->left < y->left ? -1 : 1;
	if (x->right != y->right)
		return x->right < y->right ? -1 : 1;
	return compare_lengths(graph, x->edge, y->edge);
}

static void list_bounds(const struct reduced *r, struct bound *bounds)
{
	const struct sotto_graph *g = r->task->graph;
	size_t guesses = r->task->gain->rows;

	for (size_t i = 0; i < 2 * g->edge_count * guesses; i++) {
		const struct sotto_edge *e = &g->edges[i / guesses / 2];
		bool back = i / guesses % 2;
		size_t y = back ? e->to : e->from, neighbour = back ? e->from : e->to;

		bounds[i] = (struct bound){r->symmetry.cell[y * guesses + i % guesses],
					   r->symmetry.cell[neighbour * guesses + i % guesses],
					   i / guesses / 2, i};
	}
}

static enum sotto_status add_bound(struct reduced *r, const struct bound *b, const mpq_t one)
{
	enum sotto_status st;
	mpq_t k;

	SOTTO_TRY(sotto_program_row(r->program, false));
	SOTTO_TRY(sotto_program_entry(r->program, b->left, one));
	mpq_init(k);
	if (!sotto_program_factor(r->task->eps, r->task->graph->edges[b->edge].length, k))
		r->cut = true;
	mpq_neg(k, k);
	st = sotto_program_entry(r->program, b->right, k);
	mpq_clear(k);
	return st;
}

/* Bounds between the same variables along edges of the same length are one row. */
static enum sotto_status add_bounds(struct reduced *r)
{
	struct sotto_graph *g = (struct sotto_graph *)r->task->graph;
	size_t count = 2 * g->edge_count * r->task->gain->rows;
	struct bound *bounds = calloc(count + 1, sizeof *bounds);
	enum sotto_status st = bounds ? SOTTO_OK : SOTTO_ENOMEM;
	mpq_t one;

	SOTTO_TRY(st);
	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	list_bounds(r, bounds);
	qsort_r(bounds, count, sizeof *bounds, compare_bounds, g);
	for (size_t i = 0; i < count && st == SOTTO_OK; i++) {
		r->row_of[bounds[i].place] = SIZE_MAX;
		if (bounds[i].left == bounds[i].right)
			continue;
		if (i == 0 || compare_bounds(&bounds[i - 1], &bounds[i], g) != 0)
			st = add_bound(r, &bounds[i], one);
		r->row_of[bounds[i].place] = r->program->rows - 1;
		r->places[r->program->rows - 1]++;
	}
	mpq_clear(one);
	free(bounds);
	return st;
}

static void reduced_release(struct reduced *r)
{
	sotto_symmetry_release(&r->symmetry);
	sotto_program_free(r->program);
	free(r->row_of);
	free(r->places);
}

static enum sotto_status reduced_init(struct reduced *r, const struct sotto_task *t)
{
	size_t bounds = 2 * t->graph->edge_count * t->gain->rows;
	enum sotto_status st;

	*r = (struct reduced){.task = t};
	SOTTO_TRY(sotto_symmetry_find(t->graph, t->prior, t->gain, &r->symmetry));
	r->row_of = calloc(bounds + 1, sizeof *r->row_of);
	r->places = calloc(t->graph->nodes + bounds, sizeof *r->places);
	st = r->row_of && r->places ? sotto_program_new(r->symmetry.cell_orbits, &r->program)
				    : SOTTO_ENOMEM;
	if (st == SOTTO_OK) {
		fill_objective(r);
		st = add_sums(r);
	}
	if (st == SOTTO_OK)
		st = add_bounds(r);
	if (st != SOTTO_OK)
		reduced_release(r);
	return st;
}

/* ---- what is made of the answer ------------------------------------------------------------------ */

static enum sotto_status channel_of(const struct reduced *r, const double *x,
				    const mpq_t *exact, struct sotto_matrix **out)
{
	const struct sotto_task *t = r->task;

	SOTTO_TRY(sotto_matrix_new(t->graph->nodes, t->gain->rows, out));
	for (size_t i = 0; i < t->graph->nodes * t->gain->rows; i++) {
		size_t variable = r->symmetry.cell[i];

		if (exact)
			mpq_set((*out)->cells[i], exact[variable]);
		else
			mpq_set_d((*out)->cells[i], x[variable]);
	}
	return SOTTO_OK;
}

/* lam of an answer: its orbit's price, shared by the answers of the orbit. */
static void price_of_answer(const struct reduced *r, const double *price, size_t y, mpq_t lam)
{
	size_t orbit = r->symmetry.answer[y];

	mpq_set_d(lam, price[orbit] / (double)r->symmetry.answer_size[orbit]);
}

/* r_yw of optimal.md, for all cells; mu of a row is shared by the bounds that it stands for */
static void
reduced_costs(const struct reduced *r, const double *price, struct sotto_matrix *cost)
{
	const struct sotto_task *t = r->task;
	size_t guesses = t->gain->rows;
	mpq_t mu, k, term;

	mpq_inits(mu, k, term, (mpq_ptr)0);
	for (size_t i = 0; i < t->graph->nodes * guesses; i++) {
		price_of_answer(r, price, i / guesses, mu);
		mpq_mul(cost->cells[i], t->prior->cells[i / guesses],
			sotto_matrix_at(t->gain, i % guesses, i / guesses));
		mpq_sub(cost->cells[i], cost->cells[i], mu);
	}
	for (size_t i = 0; i < 2 * t->graph->edge_count * guesses; i++) {
		const struct sotto_edge *e = &t->graph->edges[i / guesses / 2];
		bool back = i / guesses % 2;
		mpq_ptr left = sotto_matrix_at(cost, back ? e->to : e->from, i % guesses);
		mpq_ptr right = sotto_matrix_at(cost, back ? e->from : e->to, i % guesses);
		size_t row = r->row_of[i];

		if (i % (2 * guesses) == 0) {
			(void)sotto_eps_alpha_down(t->eps, e->length, SOTTO_CHANNEL_BITS, k);
			mpq_inv(k, k);
		}
		if (row == SIZE_MAX || !(price[row] > 0))
			continue;
		mpq_set_d(mu, price[row] / (double)r->places[row]);
		mpq_sub(left, left, mu);
		mpq_mul(term, k, mu);
		mpq_add(right, right, term);
	}
	mpq_clears(mu, k, term, (mpq_ptr)0);
}

/* What the answer itself is worth: no mechanism is worth more. */
static void know_the_answer(const struct sotto_task *t, mpq_t sum)
{
	mpq_t term;

	mpq_init(term);
	mpq_set_ui(sum, 0, 1);
	for (size_t y = 0; y < t->graph->nodes; y++) {
		size_t best = 0;

		for (size_t w = 1; w < t->gain->rows; w++)
			if (mpq_cmp(sotto_matrix_at(t->gain, w, y),
				    sotto_matrix_at(t->gain, best, y)) > 0)
				best = w;
		mpq_mul(term, t->prior->cells[y], sotto_matrix_at(t->gain, best, y));
		mpq_add(sum, sum, term);
	}
	mpq_clear(term);
}

static enum sotto_status upper_bound(const struct reduced *r, const double *price, mpq_t out)
{
	size_t n = r->task->graph->nodes;
	struct sotto_matrix *cost;
	mpq_t rho, lam;

	SOTTO_TRY(sotto_matrix_new(n, r->task->gain->rows, &cost));
	reduced_costs(r, price, cost);
	mpq_inits(rho, lam, (mpq_ptr)0);
	for (size_t i = 0; i < cost->rows * cost->columns; i++)
		if (mpq_cmp(cost->cells[i], rho) > 0)
			mpq_set(rho, cost->cells[i]);
	mpq_set_ui(out, n, 1);
	mpq_mul(out, out, rho);
	for (size_t y = 0; y < n; y++) {
		price_of_answer(r, price, y, lam);
		mpq_add(out, out, lam);
	}
	know_the_answer(r->task, lam);
	if (mpq_cmp(lam, out) < 0)
		mpq_set(out, lam);
	mpq_clears(rho, lam, (mpq_ptr)0);
	sotto_matrix_free(cost);
	return SOTTO_OK;
}

/* The exact vertex, where fractions stay small enough to try. */
static enum sotto_status try_vertex(const struct reduced *r,
				    const struct sotto_program_answer *a,
				    struct sotto_optimal *o, bool *done)
{
	struct sotto_matrix *x;
	enum sotto_status st;

	*done = false;
	if (!r->task->eps->is_log || r->task->graph->has_lengths || r->cut ||
	    r->program->columns > VERTEX_VARIABLES_MAX)
		return SOTTO_OK;
	st = sotto_program_exact(r->program, a, &x);
	if (st == SOTTO_ESTATE)
		return SOTTO_OK;
	SOTTO_TRY(st);
	st = channel_of(r, NULL, (const mpq_t *)x->cells, &o->channel);
	sotto_matrix_free(x);
	SOTTO_TRY(st);
	SOTTO_TRY(sotto_optimal_measure(r->task, o));
	mpq_set(o->upper.q, o->lower.q);
	o->method = SOTTO_OPTIMAL_VERTEX;
	*done = true;
	return SOTTO_OK;
}

static enum sotto_status use_answer(const struct reduced *r,
				    const struct sotto_program_answer *a,
				    struct sotto_optimal *o)
{
	bool done;

	SOTTO_TRY(try_vertex(r, a, o, &done));
	if (done)
		return SOTTO_OK;
	SOTTO_TRY(channel_of(r, a->x, NULL, &o->channel));
	SOTTO_TRY(sotto_channel_repair(o->channel, r->task->graph, r->task->eps));
	o->method = SOTTO_OPTIMAL_REPAIRED;
	SOTTO_TRY(sotto_optimal_measure(r->task, o));
	return upper_bound(r, a->price, o->upper.q);
}

enum sotto_status sotto_optimal_by_program(const struct sotto_task *t, struct sotto_optimal *o,
					   struct sotto_error *err)
{
	struct sotto_program_answer a;
	struct reduced r;
	enum sotto_status st;

	if (t->graph->nodes * t->gain->rows > PROGRAM_CELLS_MAX)
		return sotto_fail(
			err, SOTTO_ERANGE,
			"%zu answers and %zu guesses are too many for a linear program",
			t->graph->nodes, t->gain->rows);
	SOTTO_TRY(reduced_init(&r, t));
	st = sotto_program_solve(r.program, &a, err);
	if (st == SOTTO_OK) {
		st = use_answer(&r, &a, o);
		sotto_program_answer_release(&a);
	}
	reduced_release(&r);
	return st;
}
