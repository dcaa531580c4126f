/* From an epsilon, or from probabilities, to the integers that devices compare with. */
#include "local/protocol/design.h"
#include "sotto/local.h"

#include <math.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"
#include "local/protocol/record.h"
#include "local/protocol/chance/threshold.h"

static const struct {
	uint32_t protocol;
	const char *name;
} names[] = {
#define NAME(identifier, number, text) {number, text},
	SOTTO_CLIENT_PROTOCOLS(NAME)
#undef NAME
};

const char *sotto_local_protocol_name(uint32_t protocol)
{
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (names[i].protocol == protocol)
			return names[i].name;
	return NULL;
}

uint32_t sotto_local_protocol_find(const char *name)
{
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].protocol;
	return 0;
}

#define RAPPOR_BITS 32

static bool epsilon_in_range(const struct sotto_rational *eps)
{
	return mpq_cmp_ui(eps->q, 1, 1 << 20) >= 0 && mpq_cmp_ui(eps->q, 40, 1) <= 0;
}

enum sotto_status
sotto_local_design(struct sotto_client_params *params, const struct sotto_rational *eps,
		   const struct sotto_rational *second, const struct sotto_rational *gamma,
		   struct sotto_error *err)
{
	if (!params || !eps)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	eps = sotto_rational_settled(eps);
	second = sotto_rational_settled(second);
	gamma = sotto_rational_settled(gamma);

	struct sotto_client_params p = *params;
	const struct sotto_protocol *record = sotto_protocol_of(p.protocol);
	bool two = record && record->given == SOTTO_GIVEN_TWO_EPSILONS;

	if (!record)
		return sotto_fail(err, SOTTO_EINVAL, "there is no protocol of this number");
	if (record->given == SOTTO_GIVEN_CHANCES)
		return sotto_fail(err, SOTTO_EINVAL,
				  "this protocol is given by probabilities, not by epsilon");
	if (two != (second != NULL))
		return sotto_fail(err, SOTTO_EINVAL,
				  two ? "a second epsilon is needed"
				      : "only one epsilon is used");
	if (gamma &&
	    (!record->has_gamma || mpq_sgn(gamma->q) < 0 || mpq_cmp_ui(gamma->q, 1, 2) >= 0))
		return sotto_fail(
			err, SOTTO_EINVAL,
			"gamma must be at least 0 and below 1/2, and is for 1bitmean and "
			"dbitflip");
	if (!epsilon_in_range(eps) || (second && !epsilon_in_range(second)))
		return sotto_fail(err, SOTTO_ERANGE, "epsilon must lie between 2^-20 and 40");
	if (p.size == 0 && record->needs_size)
		return sotto_fail(err, SOTTO_EINVAL, "the size of the domain is needed");
	if (record->choose_sizes)
		record->choose_sizes(&p, exp(sotto_rational_double_down(eps)));
	record->set_chances(&p, eps->q, second ? second->q : NULL);
	if (gamma)
		p.flip2 = sotto_chance_up(gamma->q, SOTTO_VECTOR_BITS);
	if (sotto_client_params_check(&p) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EINVAL, "these sizes do not fit the protocol; %s",
				  record->sizes);
	*params = p;
	return SOTTO_OK;
}

static bool is_probability(const struct sotto_rational *p)
{
	return mpq_sgn(p->q) >= 0 && mpq_cmp_ui(p->q, 1, 1) <= 0;
}

enum sotto_status
sotto_local_design_rappor(struct sotto_client_params *params, const struct sotto_rational *f,
			  const struct sotto_rational *p, const struct sotto_rational *q,
			  struct sotto_error *err)
{
	if (!params || !f || !p || !q)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	f = sotto_rational_settled(f);
	p = sotto_rational_settled(p);
	q = sotto_rational_settled(q);

	struct sotto_client_params made = *params;
	int order = mpq_cmp(p->q, q->q);
	mpq_t half;

	if (!is_probability(f) || !is_probability(p) || !is_probability(q))
		return sotto_fail(err, SOTTO_EINVAL, "f, p and q must lie between 0 and 1");
	if (order == 0 || mpq_cmp_ui(f->q, 1, 1) == 0)
		return sotto_fail(
			err, SOTTO_EINVAL,
			"with f = 1 or p = q the reports say nothing; change one of them");
	mpq_init(half);
	mpq_div_2exp(half, f->q, 1);
	made.protocol = SOTTO_CLIENT_RAPPOR;
	made.flip = sotto_chance_up(half, RAPPOR_BITS);
	made.zero = order < 0 ? sotto_chance_up(p->q, RAPPOR_BITS)
			      : sotto_chance_down(p->q, RAPPOR_BITS);
	made.one = order < 0 ? sotto_chance_down(q->q, RAPPOR_BITS)
			     : sotto_chance_up(q->q, RAPPOR_BITS);
	mpq_clear(half);
	if (sotto_client_params_check(&made) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EINVAL, "k, h and m do not fit RAPPOR");
	*params = made;
	return SOTTO_OK;
}

enum sotto_status
sotto_local_design_coin(struct sotto_client_params *params, const struct sotto_rational *truth,
			const struct sotto_rational *yes, struct sotto_error *err)
{
	if (!params || !truth || !yes)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	truth = sotto_rational_settled(truth);
	yes = sotto_rational_settled(yes);

	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_RR,
					.size = 2,
					.memoize = params->memoize,
					.salt = params->salt};
	mpq_t one, zero;

	if (mpq_sgn(truth->q) <= 0 || mpq_cmp_ui(truth->q, 1, 1) >= 0 || mpq_sgn(yes->q) <= 0 ||
	    mpq_cmp_ui(yes->q, 1, 1) >= 0)
		return sotto_fail(err, SOTTO_EINVAL,
				  "both probabilities must lie strictly between 0 and 1");
	mpq_inits(one, zero, NULL);
	mpq_set_ui(one, 1, 1);
	mpq_sub(zero, one, truth->q);
	mpq_mul(zero, zero, yes->q);
	mpq_add(one, zero, truth->q);
	p.zero = sotto_chance_up(zero, 64);
	p.one = sotto_chance_down(one, 64);
	mpq_clears(one, zero, NULL);
	*params = p;
	return SOTTO_OK;
}
