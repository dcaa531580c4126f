/*
 * With alpha = s/t and D a common denominator of q: sweeps are kept times t^(N-1) D, prices
 * times t^(N-1) D (t^2 - s^2), and f_i times that and (s t)^(N-1-i).  Every division below
 * leaves no rest.
 */
#include "channel/optimal/channel_certificate_path.h"

#include "channel/matrix/channel_integers.h"
#include "core/base/failure.h"

struct path {
	size_t n, guesses;
	mpz_t s, t;
	mpz_t power; /* t^(n-1) */
	mpz_t denominator; /* of q */
	mpz_t *q; /* guesses * n, times the denominator */
	mpz_t *h; /* best sweep per output */
	mpz_t *lam;
	mpz_t *left, *right; /* scratch, n each */
};

static void path_release(struct path *p)
{
	mpz_clears(p->s, p->t, p->power, p->denominator, (mpz_ptr)0);
	sotto_integers_free(p->q, p->n * p->guesses);
	sotto_integers_free(p->h, p->n);
	sotto_integers_free(p->lam, p->n);
	sotto_integers_free(p->left, p->n);
	sotto_integers_free(p->right, p->n);
}

static enum sotto_status
path_init(struct path *p, const mpq_t alpha, const struct sotto_matrix *q)
{
	size_t cells = q->rows * q->columns;

	*p = (struct path){.n = q->columns, .guesses = q->rows};
	mpz_inits(p->s, p->t, p->power, p->denominator, (mpz_ptr)0);
	mpz_set(p->s, mpq_numref(alpha));
	mpz_set(p->t, mpq_denref(alpha));
	mpz_pow_ui(p->power, p->t, p->n - 1);
	p->q = sotto_integers_new(cells);
	p->h = sotto_integers_new(p->n);
	p->lam = sotto_integers_new(p->n);
	p->left = sotto_integers_new(p->n);
	p->right = sotto_integers_new(p->n);
	if (!p->q || !p->h || !p->lam || !p->left || !p->right) {
		path_release(p);
		return SOTTO_ENOMEM;
	}
	sotto_integers_of((const mpq_t *)q->cells, 1, cells, p->q, p->denominator);
	return SOTTO_OK;
}

/* left_z = power q_z + s left_(z-1) / t, right likewise from the other end */
static void sweep(struct path *p, size_t w)
{
	const mpz_t *q = (const mpz_t *)p->q + w * p->n;

	for (size_t z = 0; z < p->n; z++) {
		size_t back = p->n - 1 - z;

		mpz_mul(p->left[z], p->power, q[z]);
		mpz_mul(p->right[back], p->power, q[back]);
		if (z == 0)
			continue;
		mpz_divexact(p->lam[z], p->left[z - 1], p->t);
		mpz_addmul(p->left[z], p->s, p->lam[z]);
		mpz_divexact(p->lam[z], p->right[back + 1], p->t);
		mpz_addmul(p->right[back], p->s, p->lam[z]);
	}
	for (size_t z = 0; z < p->n; z++) {
		mpz_add(p->left[z], p->left[z], p->right[z]);
		mpz_submul(p->left[z], p->power, q[z]);
	}
}

static void find_best(struct path *p, size_t *remap)
{
	for (size_t w = 0; w < p->guesses; w++) {
		sweep(p, w);
		for (size_t z = 0; z < p->n; z++) {
			if (w && mpz_cmp(p->left[z], p->h[z]) <= 0)
				continue;
			mpz_set(p->h[z], p->left[z]);
			remap[z] = w;
		}
	}
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
static void find_utility(const struct path *p, const mpz_t scale, mpq_t out)
{
	mpz_t sum;

	mpz_init(sum);
	for (size_t z = 0; z < p->n; z++)
		mpz_add(sum, sum, p->lam[z]);
	mpq_set_num(out, sum);
	mpq_set_den(out, scale);
	mpq_canonicalize(out);
	mpz_clear(sum);
}

/*
 * f_i, from i = n-1 down to 0, times (s t)^(n-1-i): the step multiplies by t^2 where f is
 * positive and by s^2 where it is not.  left holds the f_i.  Returns the sign of f_0.
 */
static int best_column(struct path *p, size_t w, const mpz_t unit)
{
	mpz_t square[2], growth, product;

	mpz_inits(square[0], square[1], growth, product, (mpz_ptr)0);
	mpz_mul(square[0], p->s, p->s);
	mpz_mul(square[1], p->t, p->t);
	mpz_mul(product, p->s, p->t);
	mpz_set_ui(growth, 1);
	for (size_t i = p->n; i-- > 0;) {
		mpz_mul(p->left[i], unit, p->q[w * p->n + i]);
		mpz_sub(p->left[i], p->left[i], p->lam[i]);
		mpz_mul(p->left[i], p->left[i], growth);
		if (i + 1 < p->n)
			mpz_addmul(p->left[i], square[mpz_sgn(p->left[i + 1]) > 0],
				   p->left[i + 1]);
		mpz_mul(growth, growth, product);
	}
	mpz_clears(square[0], square[1], growth, product, (mpz_ptr)0);
	return mpz_sgn(p->left[0]);
}

static enum sotto_status
read_column(const struct path *p, const mpq_t alpha, struct sotto_matrix **out)
{
	SOTTO_TRY(sotto_matrix_new(p->n, 1, out));
	mpq_set_ui((*out)->cells[0], 1, 1);
	for (size_t i = 1; i < p->n; i++) {
		if (mpz_sgn(p->left[i]) > 0)
			mpq_div((*out)->cells[i], (*out)->cells[i - 1], alpha);
		else
			mpq_mul((*out)->cells[i], (*out)->cells[i - 1], alpha);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_certificate_on_path(const mpq_t alpha, const struct sotto_matrix *q,
					    struct sotto_certificate *out)
{
	enum sotto_status st = SOTTO_OK;
	mpz_t unit, scale;
	struct path p;

	SOTTO_TRY(path_init(&p, alpha, q));
	mpz_inits(unit, scale, (mpz_ptr)0);
	find_best(&p, out->remap);
	find_prices(&p);
	mpz_mul(unit, p.t, p.t);
	mpz_submul(unit, p.s, p.s);
	mpz_mul(unit, unit, p.power); /* (t^2 - s^2) t^(n-1) */
	mpz_mul(scale, unit, p.denominator);
	find_utility(&p, scale, out->utility.q);
	out->applies = true;
	out->optimal = true;
	for (size_t w = 0; w < p.guesses && out->optimal; w++) {
		if (best_column(&p, w, unit) <= 0)
			continue;
		out->optimal = false;
		out->guess = w;
		st = read_column(&p, alpha, &out->column);
	}
	mpz_clears(unit, scale, (mpz_ptr)0);
	path_release(&p);
	return st;
}
