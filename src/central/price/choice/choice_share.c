/*
 * Shares of choices.
 */
#include "core/account/cost/cost_inside.h"
#include "central/price/choice/choice_share.h"

#include "core/base/failure.h"

void sotto_choice_share(const struct sotto_rational *share, int64_t groups, size_t n, mpq_t one)
{
	mpz_set_ui(mpq_numref(one), 1);
	mpz_set_ui(mpq_denref(one), n);
	mpz_mul_si(mpq_denref(one), mpq_denref(one), groups);
	mpq_mul(one, one, share->q);
}

/* floor of the root, on a grid of 2^-64 */
static void root_down(struct sotto_rational *out, const mpq_t square)
{
	mpz_t z;

	mpz_init(z);
	mpz_mul_2exp(z, mpq_numref(square), 128);
	mpz_fdiv_q(z, z, mpq_denref(square));
	mpz_sqrt(z, z);
	mpq_set_z(out->q, z);
	mpq_div_2exp(out->q, out->q, 64);
	mpz_clear(z);
}

void sotto_choice_epsilon_down(struct sotto_rational *epsilon, const mpq_t rho, unsigned part,
			       unsigned parts)
{
	mpq_t square;

	mpq_init(square);
	mpq_set_ui(square, 8 * part, parts);
	mpq_canonicalize(square);
	mpq_mul(square, square, rho);
	root_down(epsilon, square);
	mpq_clear(square);
}

enum sotto_status
sotto_choice_charge(struct sotto_cost *cost, const struct sotto_rational *epsilon, uint64_t n)
{
	struct sotto_cost one;
	enum sotto_status st;

	sotto_cost_init(&one);
	st = sotto_cost_set_bounded_range(&one, epsilon);
	if (st == SOTTO_OK) {
		sotto_cost_repeat(&one, n);
		sotto_cost_add(cost, &one);
	}
	sotto_cost_release(&one);
	return st;
}
