/*
 * Finds the largest unit that divides every length and rounds e^-epsilon of that unit once;
 * every distance is then a whole power of it.
 */
#include "channel/matrix/channel_powers.h"

/* The longest way may have so many units. */
enum { UNITS_MAX = 100000 };

/* The largest number of which every length is a multiple. */
static void common_unit(const struct sotto_graph *graph, mpq_t unit)
{
	mpz_t left, right;

	mpz_inits(left, right, (mpz_ptr)0);
	mpq_set_ui(unit, 0, 1);
	for (size_t i = 0; i < graph->edge_count; i++) { /* gcd of fractions a/b and c/d */
		mpq_srcptr d = graph->edges[i].length;

		mpz_mul(left, mpq_numref(unit), mpq_denref(d));
		mpz_mul(right, mpq_numref(d), mpq_denref(unit));
		mpz_gcd(mpq_numref(unit), left, right);
		mpz_mul(mpq_denref(unit), mpq_denref(unit), mpq_denref(d));
		mpq_canonicalize(unit);
	}
	if (mpq_sgn(unit) == 0)
		mpq_set_ui(unit, 1, 1);
	mpz_clears(left, right, (mpz_ptr)0);
}

/* Lengths of a way, at most all edges one after another. */
static bool fits(const struct sotto_graph *graph, const mpq_t unit)
{
	bool fine;
	mpq_t longest;

	mpq_init(longest);
	for (size_t i = 0; i < graph->edge_count; i++)
		if (mpq_cmp(graph->edges[i].length, longest) > 0)
			mpq_set(longest, graph->edges[i].length);
	mpq_div(longest, longest, unit);
	fine = mpq_cmp_ui(longest, UNITS_MAX, 1) <= 0;
	mpq_clear(longest);
	return fine;
}

enum sotto_status sotto_powers_init(struct sotto_powers *p, const struct sotto_graph *graph,
				    const struct sotto_eps *eps, const mpq_t times,
				    enum sotto_alpha_side side)
{
	mpq_t step;

	mpq_inits(p->unit, p->alpha, step, (mpq_ptr)0);
	common_unit(graph, p->unit);
	mpq_mul(step, p->unit, times);
	p->exact = (side == SOTTO_ALPHA_UP ? sotto_eps_alpha_up : sotto_eps_alpha_down)(
		eps, step, SOTTO_CHANNEL_BITS, p->alpha);
	mpq_clear(step);
	if (fits(graph, p->unit))
		return SOTTO_OK;
	sotto_powers_release(p);
	return SOTTO_ERANGE;
}

void sotto_powers_release(struct sotto_powers *p)
{
	mpq_clears(p->unit, p->alpha, (mpq_ptr)0);
}

void sotto_powers_of(const struct sotto_powers *p, const mpq_t d, mpq_t out)
{
	unsigned long n;
	mpq_t units;

	mpq_init(units);
	mpq_div(units, d, p->unit);
	n = mpz_get_ui(mpq_numref(units));
	mpz_pow_ui(mpq_numref(out), mpq_numref(p->alpha), n);
	mpz_pow_ui(mpq_denref(out), mpq_denref(p->alpha), n);
	mpq_clear(units);
}
