/*
 * Column generation on a tree: columns.md.
 *
 * (1) Every column of the basis is a private column, and the sum of theta_j times column j
 *     is the vector of ones, theta >= 0: at any time they are a private channel.
 * (2) Columns are kept in coordinates in which the first basis is the identity.  Rows of
 *     (theta, inverse) stay lexicographically positive, so no basis comes twice.
 * (3) It ends when no private column of any guess earns more than its prices.
 */
#include "channel/optimal/channel_columns.h"

#include <stdlib.h>

#include "core/base/failure.h"

struct master {
	const struct sotto_channel_tree *tree;
	const struct sotto_matrix *q;
	size_t n;
	struct sotto_matrix *columns; /* row j: column j of the basis */
	struct sotto_matrix *inverse; /* of the basis in the coordinates of (2) */
	struct sotto_matrix *rows; /* the rows below */
	mpq_t *theta, *profit, *lam, *f, *best, *entering, *steps;
	size_t *guess; /* of each column of the basis */
};

/* Most take two or three steps for each answer. */
enum { ROWS = 7, STEPS_PER_ANSWER = 30 };

static void master_release(struct master *m)
{
	sotto_matrix_free(m->columns);
	sotto_matrix_free(m->inverse);
	sotto_matrix_free(m->rows);
	free(m->guess);
}

static void dot(mpq_t sum, const mpq_t *a, const mpq_t *b, size_t n)
{
	mpq_t term;

	mpq_init(term);
	mpq_set_ui(sum, 0, 1);
	for (size_t i = 0; i < n; i++) {
		if (mpq_sgn(a[i]) == 0 || mpq_sgn(b[i]) == 0)
			continue;
		mpq_mul(term, a[i], b[i]);
		mpq_add(sum, sum, term);
	}
	mpq_clear(term);
}

static const mpq_t *gains_of(const struct master *m, size_t guess)
{
	return (const mpq_t *)m->q->cells + guess * m->n;
}

static mpq_t *column_of(const struct master *m, size_t j)
{
	return m->columns->cells + j * m->n;
}

/* The guess that earns most with column j, and what it earns. */
static void choose_guess(struct master *m, size_t j)
{
	mpq_t sum;

	mpq_init(sum);
	for (size_t w = 0; w < m->q->rows; w++) {
		dot(sum, gains_of(m, w), (const mpq_t *)column_of(m, j), m->n);
		if (w && mpq_cmp(sum, m->profit[j]) <= 0)
			continue;
		mpq_set(m->profit[j], sum);
		m->guess[j] = w;
	}
	mpq_clear(sum);
}

/*
 * The first basis: the constant column, and for each other node one that is alpha in the
 * node's subtree and one elsewhere.  The constant one has theta 1, the others 0.
 */
static void fill_first(struct master *m)
{
	const struct sotto_channel_tree *t = m->tree;

	for (size_t j = 0; j < m->n; j++) {
		mpq_t *column = column_of(m, j);

		for (size_t i = 0; i < m->n; i++) {
			size_t at = t->order[i];

			if (at == j && i > 0)
				mpq_set(column[at], t->alpha->cells[at]);
			else if (i > 0)
				mpq_set(column[at], column[t->parent[at]]);
			else
				mpq_set_ui(column[at], 1, 1);
		}
		mpq_set_ui(sotto_matrix_at(m->inverse, j, j), 1, 1);
		choose_guess(m, j);
	}
	mpq_set_ui(m->theta[t->order[0]], 1, 1);
}

static enum sotto_status master_init(struct master *m, const struct sotto_channel_tree *tree,
				     const struct sotto_matrix *q)
{
	*m = (struct master){.tree = tree, .q = q, .n = tree->n};
	m->guess = calloc(m->n, sizeof *m->guess);
	if (!m->guess || sotto_matrix_new(m->n, m->n, &m->columns) != SOTTO_OK ||
	    sotto_matrix_new(m->n, m->n, &m->inverse) != SOTTO_OK ||
	    sotto_matrix_new(ROWS, m->n, &m->rows) != SOTTO_OK) {
		master_release(m);
		return SOTTO_ENOMEM;
	}
	m->theta = m->rows->cells;
	m->profit = m->theta + m->n;
	m->lam = m->profit + m->n;
	m->f = m->lam + m->n;
	m->best = m->f + m->n;
	m->entering = m->best + m->n;
	m->steps = m->entering + m->n;
	fill_first(m);
	return SOTTO_OK;
}

/* ---- coordinates of the first basis --------------------------------------------------------- */

/*
 * v = theta_root 1 + sum of theta_i (column of node i): going from a parent to node i loses
 * (1 - alpha_i) theta_i.
 */
static void to_first(const struct master *m, const mpq_t *v, mpq_t *out)
{
	const struct sotto_channel_tree *t = m->tree;
	size_t root = t->order[0];
	mpq_t loss;

	mpq_init(loss);
	mpq_set(out[root], v[root]);
	for (size_t i = 1; i < m->n; i++) {
		size_t at = t->order[i];

		mpq_set_ui(loss, 1, 1);
		mpq_sub(loss, loss, t->alpha->cells[at]);
		mpq_sub(out[at], v[t->parent[at]], v[at]);
		mpq_div(out[at], out[at], loss);
		mpq_sub(out[root], out[root], out[at]);
	}
	mpq_clear(loss);
}

/* Prices of those coordinates as prices of answers: the transposed map. */
static void prices_of_answers(const struct master *m, mpq_t *price)
{
	const struct sotto_channel_tree *t = m->tree;
	size_t root = t->order[0];
	mpq_t term, loss;

	mpq_inits(term, loss, (mpq_ptr)0);
	for (size_t i = 0; i < m->n; i++)
		mpq_set_ui(m->lam[i], 0, 1);
	mpq_set(m->lam[root], price[root]);
	for (size_t i = 1; i < m->n; i++) {
		size_t at = t->order[i];

		mpq_set_ui(loss, 1, 1);
		mpq_sub(loss, loss, t->alpha->cells[at]);
		mpq_sub(term, price[at], price[root]);
		mpq_div(term, term, loss);
		mpq_add(m->lam[t->parent[at]], m->lam[t->parent[at]], term);
		mpq_sub(m->lam[at], m->lam[at], term);
	}
	mpq_clears(term, loss, (mpq_ptr)0);
}

/* lam = profits times the inverse */
static void find_prices(struct master *m)
{
	mpq_t term;

	mpq_init(term);
	for (size_t i = 0; i < m->n; i++)
		mpq_set_ui(m->entering[i], 0, 1);
	for (size_t j = 0; j < m->n; j++)
		for (size_t i = 0; i < m->n; i++) {
			if (mpq_sgn(sotto_matrix_at(m->inverse, j, i)) == 0)
				continue;
			mpq_mul(term, m->profit[j], sotto_matrix_at(m->inverse, j, i));
			mpq_add(m->entering[i], m->entering[i], term);
		}
	mpq_clear(term);
	prices_of_answers(m, m->entering);
}

/* ---- one step --------------------------------------------------------------------------------- */

/* The guess whose best column earns most above its prices; false if none does. */
static bool find_entering(struct master *m, size_t *guess)
{
	size_t root = m->tree->order[0];
	bool found = false;

	for (size_t w = 0; w < m->q->rows; w++) {
		if (sotto_channel_tree_best(m->tree, gains_of(m, w), (const mpq_t *)m->lam,
					    m->f) <= 0)
			continue;
		if (found && mpq_cmp(m->f[root], m->best[root]) <= 0)
			continue;
		for (size_t i = 0; i < m->n; i++)
			mpq_set(m->best[i], m->f[i]);
		*guess = w;
		found = true;
	}
	return found;
}

/* Is row j of (theta, inverse) over steps_j lexicographically below row k over steps_k? */
static bool is_below(const struct master *m, size_t j, size_t k)
{
	mpq_t left, right;
	int sign;

	mpq_inits(left, right, (mpq_ptr)0);
	mpq_mul(left, m->theta[j], m->steps[k]);
	mpq_mul(right, m->theta[k], m->steps[j]);
	sign = mpq_cmp(left, right);
	for (size_t i = 0; i < m->n && sign == 0; i++) {
		mpq_mul(left, sotto_matrix_at(m->inverse, j, i), m->steps[k]);
		mpq_mul(right, sotto_matrix_at(m->inverse, k, i), m->steps[j]);
		sign = mpq_cmp(left, right);
	}
	mpq_clears(left, right, (mpq_ptr)0);
	return sign < 0;
}

/* Row j of (theta, inverse) less `times` row k */
static void subtract_row(struct master *m, size_t j, size_t k, const mpq_t times)
{
	mpq_t term;

	mpq_init(term);
	mpq_mul(term, times, m->theta[k]);
	mpq_sub(m->theta[j], m->theta[j], term);
	for (size_t i = 0; i < m->n; i++) {
		if (mpq_sgn(sotto_matrix_at(m->inverse, k, i)) == 0)
			continue;
		mpq_mul(term, times, sotto_matrix_at(m->inverse, k, i));
		mpq_sub(sotto_matrix_at(m->inverse, j, i), sotto_matrix_at(m->inverse, j, i),
			term);
	}
	mpq_clear(term);
}

static void exchange(struct master *m, size_t leaving)
{
	mpq_div(m->theta[leaving], m->theta[leaving], m->steps[leaving]);
	for (size_t i = 0; i < m->n; i++)
		mpq_div(sotto_matrix_at(m->inverse, leaving, i),
			sotto_matrix_at(m->inverse, leaving, i), m->steps[leaving]);
	for (size_t j = 0; j < m->n; j++)
		if (j != leaving && mpq_sgn(m->steps[j]) != 0)
			subtract_row(m, j, leaving, m->steps[j]);
}

/* The column of m->best takes the place of another one. */
static void enter(struct master *m, size_t guess)
{
	size_t leaving = m->n;

	sotto_channel_tree_column(m->tree, (const mpq_t *)m->best, m->f); /* f is free by now */
	to_first(m, (const mpq_t *)m->f, m->entering);
	for (size_t j = 0; j < m->n; j++) {
		dot(m->steps[j], (const mpq_t *)m->inverse->cells + j * m->n,
		    (const mpq_t *)m->entering, m->n);
		if (mpq_sgn(m->steps[j]) > 0 && (leaving == m->n || is_below(m, j, leaving)))
			leaving = j;
	}
	exchange(m, leaving);
	for (size_t i = 0; i < m->n; i++)
		mpq_set(column_of(m, leaving)[i], m->f[i]);
	dot(m->profit[leaving], gains_of(m, guess), (const mpq_t *)m->f, m->n);
	m->guess[leaving] = guess;
}

/* ---- the whole ---------------------------------------------------------------------------------- */

/* Columns of one guess are one output. */
static enum sotto_status read_channel(const struct master *m, struct sotto_matrix **out)
{
	mpq_t term;

	SOTTO_TRY(sotto_matrix_new(m->n, m->q->rows, out));
	mpq_init(term);
	for (size_t j = 0; j < m->n; j++)
		for (size_t y = 0; y < m->n; y++) {
			mpq_ptr cell = sotto_matrix_at(*out, y, m->guess[j]);

			mpq_mul(term, m->theta[j], column_of(m, j)[y]);
			mpq_add(cell, cell, term);
		}
	mpq_clear(term);
	return SOTTO_OK;
}

/* The digits of a determinant of n columns of powers up to n, times the work of a step. */
bool sotto_columns_suit(const struct sotto_channel_tree *tree, size_t guesses, bool patient)
{
	const double most = patient ? 1.4e8 : 1.2e7;
	double bits = 0, n = (double)tree->n;

	for (size_t i = 1; i < tree->n; i++)
		bits += (double)mpz_sizeinbase(mpq_denref(tree->alpha->cells[tree->order[i]]),
					       2);
	return tree->n > 1 && bits * n * (n * n + n * (double)guesses) * n < most;
}

enum sotto_status sotto_columns_find(const struct sotto_channel_tree *tree,
				     const struct sotto_matrix *q, mpq_t utility,
				     struct sotto_matrix **channel)
{
	enum sotto_status st = SOTTO_OK;
	struct master m;
	size_t guess = 0, steps = 0;

	SOTTO_TRY(master_init(&m, tree, q));
	for (find_prices(&m); find_entering(&m, &guess) && st == SOTTO_OK; find_prices(&m)) {
		enter(&m, guess);
		st = ++steps < STEPS_PER_ANSWER * m.n ? SOTTO_OK : SOTTO_ESTATE;
	}
	if (st == SOTTO_OK)
		dot(utility, (const mpq_t *)m.theta, (const mpq_t *)m.profit, m.n);
	if (st == SOTTO_OK && channel)
		st = read_channel(&m, channel);
	master_release(&m);
	return st;
}
