/*
 * The clone pair of shuffled reports (shuffle_curve.md) with every outcome listed, for few users.
 *
 * With c clones the outcome is x of the N = c+1 reports that are clones or the user's own, with the
 * mass of c times binomial(N, x) 2^-c (a x + b (N-x))/N, a = e^e0/(1+e^e0), b = 1 - a; the other
 * side has a and b exchanged.  All terms are positive, so nothing cancels.
 */
#include "core/account/loss/finite/finite_pair.h"

#include "core/base/failure.h"

#define N MPFR_RNDN

/* What the masses are made of, in high precision. */
struct clones {
	uint64_t users; /* other than the one who changes */
	mpfr_t a, b; /* e^e0/(1+e^e0), 1/(1+e^e0) */
	mpfr_t p, rest; /* of being a clone: 1/e^e0, or 2/(e^e0+1) for binary response */
};

static void clones_init(struct clones *s, const struct sotto_event *e)
{
	s->users = e->users - 1;
	mpfr_inits2(SOTTO_PAIR_BITS, s->a, s->b, s->p, s->rest, (mpfr_ptr)0);
	mpfr_set_q(s->rest, e->local_epsilon.q, N);
	mpfr_neg(s->rest, s->rest, N);
	mpfr_exp(s->p, s->rest, N);
	mpfr_add_ui(s->a, s->p, 1, N);
	mpfr_ui_div(s->a, 1, s->a, N);
	mpfr_mul(s->b, s->a, s->p, N);
	if (e->is_binary) { /* 1 - 2b = a - b = -expm1(-e0) a */
		mpfr_mul_2ui(s->p, s->b, 1, N);
		mpfr_expm1(s->rest, s->rest, N);
		mpfr_mul(s->rest, s->rest, s->a, N);
	} else {
		mpfr_expm1(s->rest, s->rest, N);
	}
	mpfr_neg(s->rest, s->rest, N);
}

static void clones_release(struct clones *s)
{
	mpfr_clears(s->a, s->b, s->p, s->rest, (mpfr_ptr)0);
}

/* a x + b (n-x) */
static void lean(mpfr_t out, const mpfr_t a, uint64_t x, const mpfr_t b, uint64_t n)
{
	mpfr_t t;

	mpfr_init2(t, SOTTO_PAIR_BITS);
	mpfr_mul_ui(out, a, x, N);
	mpfr_mul_ui(t, b, n - x, N);
	mpfr_add(out, out, t, N);
	mpfr_clear(t);
}

/* The mass of c clones, and 2^-c/(c+1) with it. */
static void weigh(mpfr_t out, const struct clones *s, uint64_t c)
{
	mpfr_t t;
	mpz_t ways;

	mpfr_init2(t, SOTTO_PAIR_BITS);
	mpz_init(ways);
	mpz_bin_uiui(ways, s->users, c);
	mpfr_pow_ui(out, s->p, c, N);
	mpfr_pow_ui(t, s->rest, s->users - c, N);
	mpfr_mul(out, out, t, N);
	mpfr_mul_z(out, out, ways, N);
	mpfr_div_2ui(out, out, c, N);
	mpfr_div_ui(out, out, c + 1, N);
	mpz_clear(ways);
	mpfr_clear(t);
}

static void list(struct sotto_pair *p, const struct clones *s)
{
	mpfr_t weight, other;
	mpz_t ways;
	size_t i = 0;

	mpfr_inits2(SOTTO_PAIR_BITS, weight, other, (mpfr_ptr)0);
	mpz_init(ways);
	for (uint64_t c = 0; c <= s->users; c++) {
		weigh(weight, s, c);
		for (uint64_t x = 0; x <= c + 1; x++, i++) {
			lean(p->mass[i], s->a, x, s->b, c + 1);
			lean(other, s->b, x, s->a, c + 1);
			mpfr_div(p->loss[i], p->mass[i], other, N);
			mpfr_log(p->loss[i], p->loss[i], N);
			mpz_bin_uiui(ways, c + 1, x);
			mpfr_mul_z(p->mass[i], p->mass[i], ways, N);
			mpfr_mul(p->mass[i], p->mass[i], weight, N);
		}
	}
	mpz_clear(ways);
	mpfr_clears(weight, other, (mpfr_ptr)0);
}

double sotto_pair_clones_atoms(const struct sotto_event *e)
{
	return 0.5 * (double)e->users * ((double)e->users + 3);
}

enum sotto_status sotto_pair_of_clones(struct sotto_pair *p, const struct sotto_event *e)
{
	struct clones s;

	if (e->users > SOTTO_PAIR_USERS)
		return SOTTO_EREFUSED;
	SOTTO_TRY(sotto_pair_init(p, (size_t)sotto_pair_clones_atoms(e)));
	clones_init(&s, e);
	list(p, &s);
	clones_release(&s);
	return SOTTO_OK;
}
