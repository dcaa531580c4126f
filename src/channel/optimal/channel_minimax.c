/*
 * The least worst-case loss: minimax.md.
 */
#include <stdlib.h>

#include "channel/matrix/channel_build.h"
#include "channel/matrix/channel_matrix.h"
#include "channel/matrix/channel_powers.h"
#include "channel/optimal/program/channel_program.h"
#include "channel/optimal/channel_repair.h"
#include "core/base/failure.h"
#include "sotto/utility.h"

enum { CELLS_MAX = 50000 };

/* The question as the steps below pass it on. */
struct task {
	const struct sotto_graph *graph;
	const struct sotto_eps *eps;
	const struct sotto_matrix *gain;
	const bool *side;
	struct sotto_matrix *loss; /* a row for each guess */
	struct sotto_matrix *geometric; /* NULL: the channel itself is looked for */
};

static enum sotto_status find_loss(const struct sotto_matrix *gain, struct sotto_matrix **out)
{
	SOTTO_TRY(sotto_matrix_new(gain->rows, gain->columns, out));
	for (size_t y = 0; y < gain->columns; y++) {
		size_t best = 0;

		for (size_t w = 1; w < gain->rows; w++)
			if (mpq_cmp(sotto_matrix_at(gain, w, y),
				    sotto_matrix_at(gain, best, y)) > 0)
				best = w;
		for (size_t w = 0; w < gain->rows; w++)
			mpq_sub(sotto_matrix_at(*out, w, y), sotto_matrix_at(gain, best, y),
				sotto_matrix_at(gain, w, y));
	}
	return SOTTO_OK;
}

/* ---- the program: cells of T or of the channel, and d as the last column -------------------- */

static enum sotto_status add_sums(const struct task *t, struct sotto_program *p)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t one;

	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	for (size_t i = 0; i < t->graph->nodes && st == SOTTO_OK; i++) {
		st = sotto_program_row(p, true);
		if (st == SOTTO_OK)
			mpq_set(p->right[p->rows - 1], one);
		for (size_t w = 0; w < t->gain->rows && st == SOTTO_OK; w++)
			st = sotto_program_entry(p, i * t->gain->rows + w, one);
	}
	mpq_clear(one);
	return st;
}

/* sum over z, w of loss(w,y) G_yz T_zw - d <= 0 */
static enum sotto_status add_loss(const struct task *t, struct sotto_program *p, size_t y)
{
	size_t n = t->graph->nodes, guesses = t->gain->rows;
	enum sotto_status st = sotto_program_row(p, false);
	mpq_t value;

	mpq_init(value);
	for (size_t z = 0; z < n && st == SOTTO_OK; z++) {
		if (!t->geometric && z != y)
			continue;
		for (size_t w = 0; w < guesses && st == SOTTO_OK; w++) {
			mpq_set(value, sotto_matrix_at(t->loss, w, y));
			if (t->geometric)
				mpq_mul(value, value, sotto_matrix_at(t->geometric, y, z));
			if (mpq_sgn(value) != 0)
				st = sotto_program_entry(p, z * guesses + w, value);
		}
	}
	mpq_set_si(value, -1, 1);
	if (st == SOTTO_OK)
		st = sotto_program_entry(p, n * guesses, value);
	mpq_clear(value);
	return st;
}

static enum sotto_status add_bounds(const struct task *t, struct sotto_program *p)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t one, minus;

	mpq_inits(one, minus, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	for (size_t i = 0; i < 2 * t->graph->edge_count && st == SOTTO_OK; i++) {
		const struct sotto_edge *e = &t->graph->edges[i / 2];
		size_t y = i % 2 ? e->to : e->from, neighbour = i % 2 ? e->from : e->to;

		(void)sotto_program_factor(t->eps, e->length, minus);
		mpq_neg(minus, minus);
		for (size_t w = 0; w < t->gain->rows && st == SOTTO_OK; w++) {
			st = sotto_program_row(p, false);
			if (st == SOTTO_OK)
				st = sotto_program_entry(p, y * t->gain->rows + w, one);
			if (st == SOTTO_OK)
				st = sotto_program_entry(p, neighbour * t->gain->rows + w,
							 minus);
		}
	}
	mpq_clears(one, minus, (mpq_ptr)0);
	return st;
}

/* Sums first, then losses of the side information, then edges. */
static enum sotto_status fill(const struct task *t, struct sotto_program *p)
{
	mpq_set_si(p->objective[p->columns - 1], -1, 1);
	SOTTO_TRY(add_sums(t, p));
	for (size_t y = 0; y < t->graph->nodes; y++)
		if (!t->side || t->side[y])
			SOTTO_TRY(add_loss(t, p, y));
	return t->geometric ? SOTTO_OK : add_bounds(t, p);
}

/* ---- what is made of the answer ---------------------------------------------------------------- */

/* The cells as fractions, none negative, rows summing to one. */
static enum sotto_status
read_rows(const struct task *t, const double *x, struct sotto_matrix **out)
{
	SOTTO_TRY(sotto_matrix_new(t->graph->nodes, t->gain->rows, out));
	for (size_t i = 0; i < (*out)->rows * (*out)->columns; i++)
		if (x[i] > 0)
			mpq_set_d((*out)->cells[i], x[i]);
	return sotto_matrix_normalize(*out);
}

static enum sotto_status
read_channel(const struct task *t, const double *x, struct sotto_minimax *m)
{
	if (t->geometric) {
		SOTTO_TRY(read_rows(t, x, &m->remap));
		return sotto_matrix_product(t->geometric, m->remap, &m->channel);
	}
	SOTTO_TRY(read_rows(t, x, &m->channel));
	return sotto_channel_repair(m->channel, t->graph, t->eps);
}

static void find_worst(const struct task *t, struct sotto_minimax *m)
{
	mpq_t sum, term;

	mpq_inits(sum, term, (mpq_ptr)0);
	for (size_t y = 0; y < t->graph->nodes; y++) {
		if (t->side && !t->side[y])
			continue;
		mpq_set_ui(sum, 0, 1);
		for (size_t w = 0; w < t->gain->rows; w++) {
			mpq_mul(term, sotto_matrix_at(t->loss, w, y),
				sotto_matrix_at(m->channel, y, w));
			mpq_add(sum, sum, term);
		}
		if (mpq_cmp(sum, m->loss.q) > 0)
			mpq_set(m->loss.q, sum);
	}
	mpq_clears(sum, term, (mpq_ptr)0);
}

/* The prices of the loss rows as a prior; uniform over the side information if all are 0. */
static enum sotto_status
read_prior(const struct task *t, const double *price, struct sotto_minimax *m)
{
	size_t row = t->graph->nodes;
	bool any = false;

	SOTTO_TRY(sotto_matrix_new(1, t->graph->nodes, &m->prior));
	for (size_t y = 0; y < t->graph->nodes; y++) {
		if (t->side && !t->side[y])
			continue;
		if (price[row] > 0)
			mpq_set_d(m->prior->cells[y], price[row]);
		any = any || price[row] > 0;
		row++;
	}
	for (size_t y = 0; y < t->graph->nodes && !any; y++)
		mpq_set_ui(m->prior->cells[y], !t->side || t->side[y], 1);
	return sotto_matrix_normalize(m->prior);
}

/* Against that prior the best mechanism gains at most `upper`, so it loses at least the rest. */
static enum sotto_status
find_lower(const struct task *t, struct sotto_minimax *m, struct sotto_error *err)
{
	struct sotto_matrix *negative;
	struct sotto_optimal best;
	enum sotto_status st;

	SOTTO_TRY(sotto_matrix_copy(t->loss, &negative));
	for (size_t i = 0; i < negative->rows * negative->columns; i++)
		mpq_neg(negative->cells[i], negative->cells[i]);
	st = sotto_optimal_find(t->graph, t->eps, m->prior, negative, SOTTO_WAYS_ALL, &best,
				err);
	if (st == SOTTO_OK) {
		mpq_neg(m->lower.q, best.upper.q);
		sotto_optimal_release(&best);
	}
	sotto_matrix_free(negative);
	return st;
}

static enum sotto_status
solve(const struct task *t, struct sotto_minimax *m, struct sotto_error *err)
{
	struct sotto_program_answer a;
	struct sotto_program *p;
	enum sotto_status st;

	SOTTO_TRY(sotto_program_new(t->graph->nodes * t->gain->rows + 1, &p));
	st = fill(t, p);
	if (st == SOTTO_OK)
		st = sotto_program_solve(p, &a, err);
	sotto_program_free(p);
	SOTTO_TRY(st);
	st = read_channel(t, a.x, m);
	if (st == SOTTO_OK)
		st = read_prior(t, a.price, m);
	sotto_program_answer_release(&a);
	if (st != SOTTO_OK)
		return st;
	find_worst(t, m);
	return find_lower(t, m, err);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void minimax_init(struct sotto_minimax *m)
{
	*m = (struct sotto_minimax){.channel = NULL};
	sotto_rational_init(&m->loss);
	sotto_rational_init(&m->lower);
}

/* The bounds leave room that rounding does not explain: some 10^-9 of the loss. */
static bool is_wide(const struct sotto_minimax *m)
{
	mpq_t width;
	bool wide;

	mpq_init(width);
	mpq_sub(width, m->loss.q, m->lower.q);
	mpq_mul_2exp(width, width, 30);
	wide = mpq_cmp(width, m->loss.q) > 0;
	mpq_clear(width);
	return wide;
}

/* The channel with the smaller loss, and the larger of both lower bounds; both are used up. */
static void keep_better(struct sotto_minimax *m, struct sotto_minimax *other)
{
	struct sotto_minimax old = *m;

	if (mpq_cmp(other->loss.q, m->loss.q) < 0) {
		*m = *other;
		*other = old;
	}
	if (mpq_cmp(other->lower.q, m->lower.q) > 0) {
		struct sotto_matrix *prior = m->prior;

		mpq_set(m->lower.q, other->lower.q);
		m->prior = other->prior;
		other->prior = prior;
	}
	sotto_minimax_release(other);
}

/*
 * On a path first with a random remap of the geometric output; the bounds tell if the loss
 * is of a kind for which that is not the best, and then the channel itself is looked for.
 */
static enum sotto_status find(struct task *t, struct sotto_minimax *m, struct sotto_error *err)
{
	struct sotto_minimax direct;
	enum sotto_status st;

	if (t->graph->is_path)
		SOTTO_TRY(sotto_channel_build(SOTTO_BUILD_GEOMETRIC, t->graph, t->eps,
					      &t->geometric, err));
	SOTTO_TRY(solve(t, m, err));
	if (!t->geometric || !is_wide(m))
		return SOTTO_OK;
	sotto_matrix_free(t->geometric);
	t->geometric = NULL;
	minimax_init(&direct);
	st = solve(t, &direct, err);
	if (st == SOTTO_OK)
		keep_better(m, &direct);
	else
		sotto_minimax_release(&direct);
	return st;
}

enum sotto_status sotto_minimax_find(const struct sotto_graph *graph,
				     const struct sotto_eps *eps,
				     const struct sotto_matrix *gain, const bool *side,
				     struct sotto_minimax *out, struct sotto_error *err)
{
	struct task t = {.graph = graph, .eps = eps, .gain = gain, .side = side};
	struct sotto_minimax m;
	enum sotto_status st;

	if (!graph || !eps || !gain || !out || gain->columns != graph->nodes || !gain->rows)
		return SOTTO_EINVAL;
	if (graph->nodes * gain->rows > CELLS_MAX)
		return sotto_fail(
			err, SOTTO_ERANGE,
			"%zu answers and %zu guesses are too many for a linear program",
			graph->nodes, gain->rows);
	minimax_init(&m);
	st = find_loss(gain, &t.loss);
	if (st == SOTTO_OK)
		st = find(&t, &m, err);
	sotto_matrix_free(t.loss);
	sotto_matrix_free(t.geometric);
	if (st == SOTTO_OK)
		*out = m;
	else
		sotto_minimax_release(&m);
	return st;
}

void sotto_minimax_release(struct sotto_minimax *m)
{
	if (!m)
		return;
	sotto_rational_release(&m->loss);
	sotto_rational_release(&m->lower);
	sotto_matrix_free(m->channel);
	sotto_matrix_free(m->remap);
	sotto_matrix_free(m->prior);
	m->channel = m->remap = m->prior = NULL;
}
