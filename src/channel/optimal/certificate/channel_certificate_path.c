/*
 * With alpha = s/t and D a common denominator of q: sweeps are kept times t^(N-1) D, prices
 * times t^(N-1) D (t^2 - s^2), and f_i times that and (s t)^(N-1-i).  Every division below
 * is exact.
 */
#include "channel/optimal/certificate/channel_certificate_path.h"

#include <stdlib.h>

#include "channel/matrix/channel_integers.h"
#include "core/base/failure.h"

struct path {
	const struct sotto_weighted_gains *gains;
	size_t n;
	mpz_t s, t;
	mpz_t power; /* t^(n-1) */
	mpz_t unit; /* (t^2 - s^2) t^(n-1) */
	mpz_t right, term; /* scratch */
	/* n each: a row of gains, best sweep per output, prices, sums from the left */
	mpz_t *q, *h, *lam, *left;
	/* n each: what a unit of gain, and the price, count for in f_i */
	mpz_t *worth, *cost;
	bool *earns; /* n: is f_i positive? */
};

static void path_release(struct path *p)
{
	mpz_t *all[] = {p->q, p->h, p->lam, p->left, p->worth, p->cost};

	mpz_clears(p->s, p->t, p->power, p->unit, p->right, p->term, (mpz_ptr)0);
	free(p->earns);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		sotto_integers_free(all[i], p->n);
}

static enum sotto_status
path_init(struct path *p, const mpq_t alpha, const struct sotto_weighted_gains *gains)
{
	mpz_t **all[] = {&p->q, &p->h, &p->lam, &p->left, &p->worth, &p->cost};
	bool fine;

	*p = (struct path){.gains = gains, .n = gains->answers};
	mpz_inits(p->s, p->t, p->power, p->unit, p->right, p->term, (mpz_ptr)0);
	mpz_set(p->s, mpq_numref(alpha));
	mpz_set(p->t, mpq_denref(alpha));
	mpz_pow_ui(p->power, p->t, p->n - 1);
	mpz_mul(p->unit, p->t, p->t);
	mpz_submul(p->unit, p->s, p->s);
	mpz_mul(p->unit, p->unit, p->power);
	p->earns = calloc(p->n, sizeof *p->earns);
	fine = p->earns;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		*all[i] = sotto_integers_new(p->n);
		fine = fine && *all[i];
	}
	if (fine)
		return SOTTO_OK;
	path_release(p);
	return SOTTO_ENOMEM;
}

/*
 * left_z = power q_z + s left_(z-1) / t, right likewise from the other end, one after the
 * other; H_z = left_z + s right_(z+1) / t is compared with the best so far.
 */
static void sweep(struct path *p, size_t w, size_t *remap)
{
	const mpz_t *q = (const mpz_t *)p->q;

	p->gains->fill(p->gains->context, w, p->q);
	for (size_t z = 0; z < p->n; z++) {
		mpz_mul(p->left[z], p->power, q[z]);
		if (z == 0)
			continue;
		mpz_divexact(p->term, p->left[z - 1], p->t);
		mpz_addmul(p->left[z], p->s, p->term);
	}
	mpz_set_ui(p->right, 0);
	for (size_t z = p->n; z-- > 0;) {
		mpz_divexact(p->term, p->right, p->t);
		mpz_mul(p->term, p->term, p->s);
		mpz_add(p->left[z], p->left[z], p->term);
		mpz_addmul(p->term, p->power, q[z]);
		mpz_swap(p->right, p->term);
		if (w && mpz_cmp(p->left[z], p->h[z]) <= 0)
			continue;
		mpz_swap(p->h[z], p->left[z]);
		remap[z] = w;
	}
}

static void find_best(struct path *p, size_t *remap)
{
	for (size_t w = 0; w < p->gains->guesses; w++)
		sweep(p, w, remap);
}

/* lam times t^2 - s^2: Phi^-1 is tridiagonal over 1 - a^2, whose parts are fractions of t^2. */
static void find_prices(struct path *p)
{
	mpz_t square, both, product;

	mpz_inits(square, both, product, (mpz_ptr)0);
	mpz_mul(square, p->t, p->t);
	mpz_mul(both, p->s, p->s);
	mpz_add(both, both, square);
	mpz_mul(product, p->s, p->t);
	for (size_t z = 0; z < p->n; z++) {
		bool end = z == 0 || z == p->n - 1;

		mpz_mul(p->lam[z], end ? square : both, p->h[z]);
		if (z > 0)
			mpz_submul(p->lam[z], product, p->h[z - 1]);
		if (z + 1 < p->n)
			mpz_submul(p->lam[z], product, p->h[z + 1]);
	}
	mpz_clears(square, both, product, (mpz_ptr)0);
}

/* U = sum of c_z h_z = sum of the prices */
static void find_utility(const struct path *p, mpq_t out)
{
	mpz_t sum;

	mpz_init(sum);
	for (size_t z = 0; z < p->n; z++)
		mpz_add(sum, sum, p->lam[z]);
	mpq_set_num(out, sum);
	mpz_mul(mpq_denref(out), p->unit, p->gains->denominator);
	mpq_canonicalize(out);
	mpz_clear(sum);
}

/*
 * Both parts of f_i, which do not depend on the guess but for one small factor:
 * f_i = worth_i q_i - cost_i + ..., worth_i = unit (s t)^(n-1-i), cost_i = lam_i (s t)^(n-1-i).
 */
static void find_parts(struct path *p)
{
	mpz_t growth, product;

	mpz_inits(growth, product, (mpz_ptr)0);
	mpz_mul(product, p->s, p->t);
	mpz_set_ui(growth, 1);
	for (size_t i = p->n; i-- > 0;) {
		mpz_mul(p->worth[i], p->unit, growth);
		mpz_mul(p->cost[i], p->lam[i], growth);
		mpz_mul(growth, growth, product);
	}
	mpz_clears(growth, product, (mpz_ptr)0);
}

/*
 * f_i, from i = n-1 down to 0, times (s t)^(n-1-i): the step multiplies by t^2 where f is
 * positive and by s^2 where it is not.  Returns the sign of f_0.
 */
static int best_column(struct path *p, size_t w)
{
	mpz_t square[2];

	mpz_inits(square[0], square[1], (mpz_ptr)0);
	mpz_mul(square[0], p->s, p->s);
	mpz_mul(square[1], p->t, p->t);
	p->gains->fill(p->gains->context, w, p->q);
	mpz_set_ui(p->right, 0);
	for (size_t i = p->n; i-- > 0;) {
		mpz_mul(p->term, square[mpz_sgn(p->right) > 0], p->right);
		mpz_addmul(p->term, p->worth[i], p->q[i]);
		mpz_sub(p->term, p->term, p->cost[i]);
		mpz_swap(p->right, p->term);
		p->earns[i] = mpz_sgn(p->right) > 0;
	}
	mpz_clears(square[0], square[1], (mpz_ptr)0);
	return mpz_sgn(p->right);
}

static enum sotto_status
read_column(const struct path *p, const mpq_t alpha, struct sotto_matrix **out)
{
	SOTTO_TRY(sotto_matrix_new(p->n, 1, out));
	mpq_set_ui((*out)->cells[0], 1, 1);
	for (size_t i = 1; i < p->n; i++)
		(p->earns[i] ? mpq_div : mpq_mul)((*out)->cells[i], (*out)->cells[i - 1],
						  alpha);
	return SOTTO_OK;
}

enum sotto_status sotto_certificate_on_path(const mpq_t alpha,
					    const struct sotto_weighted_gains *gains,
					    struct sotto_certificate *out)
{
	enum sotto_status st = SOTTO_OK;
	struct path p;

	SOTTO_TRY(path_init(&p, alpha, gains));
	find_best(&p, out->remap);
	find_prices(&p);
	find_utility(&p, out->utility.q);
	find_parts(&p);
	out->applies = true;
	out->optimal = true;
	for (size_t w = 0; w < gains->guesses && out->optimal; w++) {
		if (best_column(&p, w) <= 0)
			continue;
		out->optimal = false;
		out->guess = w;
		st = read_column(&p, alpha, &out->column);
	}
	path_release(&p);
	return st;
}

/* ---- from a table --------------------------------------------------------------------------- */

struct table {
	mpz_t *q;
	size_t answers;
};

static void copy_row(const void *context, size_t guess, mpz_t *row)
{
	const struct table *t = context;

	for (size_t i = 0; i < t->answers; i++)
		mpz_set(row[i], t->q[guess * t->answers + i]);
}

enum sotto_status sotto_certificate_path_table(const mpq_t alpha, const struct sotto_matrix *q,
					       struct sotto_certificate *out)
{
	size_t cells = q->rows * q->columns;
	const struct table t = {sotto_integers_new(cells), q->columns};
	enum sotto_status st;
	mpz_t denominator;

	if (!t.q)
		return SOTTO_ENOMEM;
	mpz_init(denominator);
	sotto_integers_of((const mpq_t *)q->cells, 1, cells, t.q, denominator);
	st = sotto_certificate_on_path(
		alpha,
		&(struct sotto_weighted_gains){q->columns, q->rows, denominator, copy_row, &t},
		out);
	mpz_clear(denominator);
	sotto_integers_free(t.q, cells);
	return st;
}
