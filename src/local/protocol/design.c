#include "local/protocol/design.h"
#include "sotto/local.h"

#include <math.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/number/rational_value.h"
#include "local/protocol/threshold.h"

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

/* Bit vectors cost one random word per threshold bit and 32 lanes. */
#define VECTOR_BITS 48
#define RAPPOR_BITS 32

/* weight e / (weight e + others), from below */
static struct sotto_client_chance keep_down(const mpq_t e, uint64_t weight, uint64_t others)
{
	struct sotto_client_chance keep;
	mpq_t p, rest;

	mpq_inits(p, rest, NULL);
	mpq_set_ui(rest, weight, 1);
	mpq_mul(p, e, rest);
	mpq_set_ui(rest, others, 1);
	mpq_add(rest, rest, p);
	mpq_div(p, p, rest);
	keep = sotto_chance_down(p, 64);
	mpq_clears(p, rest, NULL);
	return keep;
}

/* 1 / (1 + e), from above */
static struct sotto_client_chance flip_up(const mpq_t e, unsigned bits)
{
	struct sotto_client_chance flip;
	mpq_t p;

	mpq_init(p);
	mpq_set_ui(p, 1, 1);
	mpq_add(p, p, e);
	mpq_inv(p, p);
	flip = sotto_chance_up(p, bits);
	mpq_clear(p);
	return flip;
}

static struct sotto_client_chance complement(struct sotto_client_chance p)
{
	if (p.certain)
		return (struct sotto_client_chance){0, false};
	return (struct sotto_client_chance){0 - p.numerator, p.numerator == 0};
}

static uint32_t power_of_two_from(double x)
{
	uint32_t power = 1;

	while (power < x && power < (1u << 30))
		power *= 2;
	return power;
}

/* B = 2^floor(log2 min(e, 2d)) blocks of 2^ceil(log2(d/B + 1)) columns. */
static void choose_hadamard(struct sotto_client_params *p, double e)
{
	double limit = fmin(e, 2.0 * p->size);

	if (p->groups == 0)
		for (p->groups = 1; 2.0 * p->groups <= limit; p->groups *= 2)
			;
	if (p->width == 0)
		p->width = power_of_two_from(ceil((double)p->size / p->groups) + 1);
}

static void choose_sizes(struct sotto_client_params *p, double eps)
{
	double e = exp(eps), range = fmin(round(e) + 1, 65536);

	switch (p->protocol) {
	case SOTTO_CLIENT_OLH:
	case SOTTO_CLIENT_PEM:
		p->hashes = p->hashes ? p->hashes : (uint32_t)fmax(2, range);
		break;
	case SOTTO_CLIENT_FLH:
		p->hashes = p->hashes ? p->hashes : (uint32_t)fmax(2, range);
		p->groups = p->groups ? p->groups : 65536;
		break;
	case SOTTO_CLIENT_HR:
		choose_hadamard(p, e);
		break;
	case SOTTO_CLIENT_SUBSET:
		p->hashes = p->hashes ? p->hashes : (uint32_t)fmax(1, round(p->size / (e + 1)));
		break;
	default:
		break;
	}
}

static void set_chances(struct sotto_client_params *p, const mpq_t eps, const mpq_t second)
{
	const struct sotto_client_chance half = {UINT64_C(1) << 63, false};
	mpq_t e, s;

	mpq_inits(e, s, NULL);
	sotto_local_exp_down(eps, 1, e);
	sotto_local_exp_down(eps, 2, s);
	switch (p->protocol) {
	case SOTTO_CLIENT_GRR:
		p->keep = keep_down(e, 1, p->size - 1);
		break;
	case SOTTO_CLIENT_SUE:
		p->zero = flip_up(s, VECTOR_BITS);
		p->one = complement(p->zero);
		break;
	case SOTTO_CLIENT_OUE:
		p->zero = flip_up(e, VECTOR_BITS);
		p->one = half;
		break;
	case SOTTO_CLIENT_OLH:
	case SOTTO_CLIENT_FLH:
	case SOTTO_CLIENT_PEM:
		p->keep = keep_down(e, 1, p->hashes - 1);
		break;
	case SOTTO_CLIENT_HR:
		p->keep = keep_down(e, 1, 2 * (uint64_t)p->groups - 1);
		break;
	case SOTTO_CLIENT_SUBSET:
		p->keep = keep_down(e, p->hashes, p->size - p->hashes);
		break;
	case SOTTO_CLIENT_CMS:
		p->flip = flip_up(s, VECTOR_BITS);
		break;
	case SOTTO_CLIENT_SFP:
		p->flip = flip_up(s, VECTOR_BITS);
		sotto_local_exp_down(second, 2, s);
		p->flip2 = flip_up(s, VECTOR_BITS);
		break;
	case SOTTO_CLIENT_DBITFLIP:
		p->flip = flip_up(s, VECTOR_BITS);
		break;
	case SOTTO_CLIENT_TREEHIST:
		p->flip = flip_up(e, 64);
		sotto_local_exp_down(second, 1, e);
		p->flip2 = flip_up(e, 64);
		break;
	default: /* HCMS, 1BITMEAN */
		p->flip = flip_up(e, 64);
		break;
	}
	mpq_clears(e, s, NULL);
}

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
	bool two = p.protocol == SOTTO_CLIENT_SFP || p.protocol == SOTTO_CLIENT_TREEHIST;
	bool bits =
		p.protocol == SOTTO_CLIENT_ONE_BIT_MEAN || p.protocol == SOTTO_CLIENT_DBITFLIP;

	if (p.protocol == SOTTO_CLIENT_RAPPOR || p.protocol == SOTTO_CLIENT_RR)
		return sotto_fail(err, SOTTO_EINVAL,
				  "this protocol is given by probabilities, not by epsilon");
	if (two != (second != NULL))
		return sotto_fail(err, SOTTO_EINVAL,
				  two ? "a second epsilon is needed"
				      : "only one epsilon is used");
	if (gamma && (!bits || mpq_sgn(gamma->q) < 0 || mpq_cmp_ui(gamma->q, 1, 2) >= 0))
		return sotto_fail(
			err, SOTTO_EINVAL,
			"gamma must be at least 0 and below 1/2, and is for 1bitmean and "
			"dbitflip");
	if (!epsilon_in_range(eps) || (second && !epsilon_in_range(second)))
		return sotto_fail(err, SOTTO_ERANGE, "epsilon must lie between 2^-20 and 40");
	if (p.size == 0 && (p.protocol <= SOTTO_CLIENT_SUBSET || two || bits) &&
	    p.protocol != SOTTO_CLIENT_OLH && p.protocol != SOTTO_CLIENT_FLH)
		return sotto_fail(err, SOTTO_EINVAL, "the size of the domain is needed");
	choose_sizes(&p, sotto_rational_double_down(eps));
	set_chances(&p, eps->q, second ? second->q : NULL);
	if (gamma)
		p.flip2 = sotto_chance_up(gamma->q, VECTOR_BITS);
	if (sotto_client_params_check(&p) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EINVAL, "these sizes do not fit the protocol");
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
