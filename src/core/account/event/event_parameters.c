/*
 * Collects the named numbers first and applies them per kind, because several names can stand
 * for one parameter (a scale, an epsilon, two coins).
 */
#include "core/account/event/event.h"
#include "core/account/event/event_parameters.h"

#include <string.h>

#include "core/base/failure.h"

/* Short names for the parameters, in this file. */
enum name {
#define NAME(constant, text) constant = SOTTO_PARAMETER_##constant,
	SOTTO_PARAMETER_LIST(NAME)
#undef NAME
};

void sotto_parameters_init(struct sotto_parameters *p)
{
	for (int i = 0; i < SOTTO_PARAMETERS; i++) {
		p->list[i].name = sotto_parameter_text((enum sotto_parameter_name)i);
		p->list[i].given = false;
		sotto_rational_init(&p->list[i].value);
	}
	p->binary = false;
}

void sotto_parameters_release(struct sotto_parameters *p)
{
	for (int i = 0; i < SOTTO_PARAMETERS; i++)
		sotto_rational_release(&p->list[i].value);
}

struct sotto_parameter *sotto_parameters_slot(struct sotto_parameters *p, const char *name)
{
	for (int i = 0; i < SOTTO_PARAMETERS; i++)
		if (strcmp(p->list[i].name, name) == 0)
			return &p->list[i];
	return NULL;
}

bool sotto_parameters_integer(const struct sotto_rational *r, uint64_t *out)
{
	if (mpz_cmp_ui(mpq_denref(r->q), 1) != 0 || mpq_sgn(r->q) < 0 ||
	    mpz_cmp_ui(mpq_numref(r->q), 1ul << 53) > 0)
		return false;
	*out = mpz_get_ui(mpq_numref(r->q));
	return true;
}

static const char *text_of(enum name name)
{
	return sotto_parameter_text((enum sotto_parameter_name)name);
}

static bool has(const struct sotto_parameters *p, enum name name)
{
	return p->list[name].given;
}

static const struct sotto_rational *value(const struct sotto_parameters *p, enum name name)
{
	return &p->list[name].value;
}

static enum sotto_status need(const struct sotto_parameters *p, const struct sotto_event *e,
			      enum name name, struct sotto_error *err)
{
	if (!has(p, name))
		return sotto_fail(err, SOTTO_EPARSE, "%s needs %s=", sotto_event_name(e->kind),
				  text_of(name));
	return SOTTO_OK;
}

static enum sotto_status take(const struct sotto_parameters *p, const struct sotto_event *e,
			      enum name name, struct sotto_rational *to,
			      struct sotto_error *err)
{
	SOTTO_TRY(need(p, e, name, err));
	sotto_rational_set(to, value(p, name));
	return SOTTO_OK;
}

static enum sotto_status take_integer(const struct sotto_parameters *p,
				      const struct sotto_event *e, enum name name, uint64_t *to,
				      struct sotto_error *err)
{
	if (has(p, name) && !sotto_parameters_integer(value(p, name), to))
		return sotto_fail(err, SOTTO_EINVAL, "%s: %s must be an integer from 0 to 2^53",
				  sotto_event_name(e->kind), text_of(name));
	return SOTTO_OK;
}

/* No noise at all: everything may be learned, which is (0, 1)-DP. */
static void set_noiseless(struct sotto_event *e)
{
	e->kind = SOTTO_EVENT_APPROX;
	mpq_set_ui(e->epsilon.q, 0, 1);
	mpq_set_ui(e->delta.q, 1, 1);
}

static enum sotto_status exactly_one(const struct sotto_parameters *p,
				     const struct sotto_event *e, const enum name *list, int n,
				     struct sotto_error *err)
{
	int given = 0;

	for (int i = 0; i < n; i++)
		given += has(p, list[i]);
	if (given != 1)
		return sotto_fail(err, SOTTO_EPARSE, "%s needs exactly one of %s= and %s=",
				  sotto_event_name(e->kind), text_of(list[0]),
				  text_of(list[1]));
	return SOTTO_OK;
}

/* Fails on a negative value; *zero tells whether it is 0. */
static enum sotto_status not_negative(const struct sotto_parameters *p,
				      const struct sotto_event *e, enum name name, bool *zero,
				      struct sotto_error *err)
{
	int sign = mpq_sgn(value(p, name)->q);

	if (sign < 0)
		return sotto_fail(err, SOTTO_EINVAL, "%s: %s must not be negative",
				  sotto_event_name(e->kind), text_of(name));
	*zero = sign == 0;
	return SOTTO_OK;
}

/* sensitivity=, or 1 */
static enum sotto_status sensitivity_of(const struct sotto_parameters *p,
					const struct sotto_event *e, mpq_t out,
					struct sotto_error *err)
{
	bool zero = false;

	mpq_set_ui(out, 1, 1);
	if (!has(p, SENSITIVITY))
		return SOTTO_OK;
	SOTTO_TRY(not_negative(p, e, SENSITIVITY, &zero, err));
	mpq_set(out, value(p, SENSITIVITY)->q);
	return SOTTO_OK;
}

static enum sotto_status
apply_laplace(const struct sotto_parameters *p, struct sotto_event *e, struct sotto_error *err)
{
	static const enum name one[] = {EPSILON, SCALE};
	bool zero = false;

	SOTTO_TRY(exactly_one(p, e, one, 2, err));
	if (has(p, EPSILON)) {
		if (has(p, SENSITIVITY))
			return sotto_fail(err, SOTTO_EPARSE,
					  "laplace: sensitivity= goes with scale=, not with "
					  "epsilon=");
		return take(p, e, EPSILON, &e->epsilon, err);
	}
	SOTTO_TRY(sensitivity_of(p, e, e->epsilon.q, err));
	SOTTO_TRY(not_negative(p, e, SCALE, &zero, err));
	if (mpq_sgn(e->epsilon.q) == 0)
		return SOTTO_OK;
	if (zero)
		set_noiseless(e);
	else
		mpq_div(e->epsilon.q, e->epsilon.q, value(p, SCALE)->q);
	return SOTTO_OK;
}

static enum sotto_status apply_geometric(const struct sotto_parameters *p,
					 struct sotto_event *e, struct sotto_error *err)
{
	static const enum name one[] = {EPSILON, SCALE, STEP};
	bool zero = false;

	SOTTO_TRY(exactly_one(p, e, one, 3, err));
	e->sensitivity = 1;
	SOTTO_TRY(take_integer(p, e, SENSITIVITY, &e->sensitivity, err));
	if (has(p, STEP))
		return take(p, e, STEP, &e->step_epsilon, err);
	if (has(p, EPSILON)) {
		if (e->sensitivity == 0)
			return sotto_fail(err, SOTTO_EINVAL,
					  "geometric: sensitivity must be at least 1");
		mpq_set_ui(e->step_epsilon.q, e->sensitivity, 1);
		mpq_div(e->step_epsilon.q, value(p, EPSILON)->q, e->step_epsilon.q);
		return SOTTO_OK;
	}
	SOTTO_TRY(not_negative(p, e, SCALE, &zero, err));
	if (zero && e->sensitivity > 0)
		set_noiseless(e);
	else if (!zero)
		mpq_inv(e->step_epsilon.q, value(p, SCALE)->q);
	return SOTTO_OK;
}

static enum sotto_status
apply_gaussian(const struct sotto_parameters *p, struct sotto_event *e, struct sotto_error *err)
{
	static const enum name one[] = {SIGMA, MU2};
	bool zero = false;

	SOTTO_TRY(exactly_one(p, e, one, 2, err));
	if (has(p, MU2))
		return take(p, e, MU2, &e->mu_squared, err);
	SOTTO_TRY(sensitivity_of(p, e, e->mu_squared.q, err));
	SOTTO_TRY(not_negative(p, e, SIGMA, &zero, err));
	if (mpq_sgn(e->mu_squared.q) == 0)
		return SOTTO_OK;
	if (zero) {
		set_noiseless(e);
		return SOTTO_OK;
	}
	mpq_div(e->mu_squared.q, e->mu_squared.q, value(p, SIGMA)->q);
	mpq_mul(e->mu_squared.q, e->mu_squared.q, e->mu_squared.q);
	return SOTTO_OK;
}

static enum sotto_status apply_discrete_gaussian(const struct sotto_parameters *p,
						 struct sotto_event *e, struct sotto_error *err)
{
	static const enum name one[] = {SIGMA, SIGMA2};
	bool zero = false;

	SOTTO_TRY(exactly_one(p, e, one, 2, err));
	e->sensitivity = 1;
	SOTTO_TRY(take_integer(p, e, SENSITIVITY, &e->sensitivity, err));
	if (has(p, SIGMA2))
		return take(p, e, SIGMA2, &e->sigma_squared, err);
	SOTTO_TRY(not_negative(p, e, SIGMA, &zero, err));
	if (zero)
		set_noiseless(e);
	else
		mpq_mul(e->sigma_squared.q, value(p, SIGMA)->q, value(p, SIGMA)->q);
	return SOTTO_OK;
}

static enum sotto_status check_coins(const struct sotto_parameters *p,
				     const struct sotto_event *e, struct sotto_error *err)
{
	static const enum name coins[] = {COIN, YES};

	for (size_t i = 0; i < 2; i++)
		if (has(p, coins[i]) && (mpq_sgn(value(p, coins[i])->q) <= 0 ||
					 mpq_cmp_ui(value(p, coins[i])->q, 1, 1) >= 0))
			return sotto_fail(err, SOTTO_EINVAL,
					  "%s: %s must be above 0 and below 1",
					  sotto_event_name(e->kind), text_of(coins[i]));
	if (has(p, K))
		return sotto_fail(err, SOTTO_EINVAL, "%s: two coins have two answers, not k",
				  sotto_event_name(e->kind));
	return SOTTO_OK;
}

/*
 * Two coins: with probability c the truth, otherwise "yes" with probability y.  The likelier
 * of the two answers to be given away is the one that the second coin says less often, with
 * probability m = min(y, 1 - y): its odds are (c + (1 - c) m) : (1 - c) m, and no other loss
 * is larger.  Every mechanism of that epsilon is made from the symmetric one with these odds
 * (Kairouz, Oh and Viswanath), which tells the truth with probability (c + (1 - c) m) / (c +
 * 2 (1 - c) m); for y = 1/2 it is the same mechanism.
 */
static enum sotto_status
apply_coins(const struct sotto_parameters *p, struct sotto_event *e, struct sotto_error *err)
{
	mpq_t rest, wrong;

	SOTTO_TRY(check_coins(p, e, err));
	mpq_inits(rest, wrong, NULL);
	mpq_set_ui(wrong, 1, 2);
	mpq_set_ui(rest, 1, 1);
	if (has(p, YES)) {
		mpq_sub(wrong, rest, value(p, YES)->q);
		if (mpq_cmp(value(p, YES)->q, wrong) < 0)
			mpq_set(wrong, value(p, YES)->q);
	}
	mpq_sub(rest, rest, value(p, COIN)->q);
	mpq_mul(wrong, wrong, rest);
	mpq_add(e->truth.q, value(p, COIN)->q, wrong);
	mpq_add(rest, e->truth.q, wrong);
	mpq_div(e->truth.q, e->truth.q, rest);
	mpq_clears(rest, wrong, NULL);
	e->answers = 2;
	e->has_truth = true;
	return SOTTO_OK;
}

static enum sotto_status
apply_response(const struct sotto_parameters *p, struct sotto_event *e, struct sotto_error *err)
{
	static const enum name one[] = {EPSILON, P, COIN};

	SOTTO_TRY(exactly_one(p, e, one, 3, err));
	if (has(p, YES) && !has(p, COIN))
		return sotto_fail(err, SOTTO_EPARSE,
				  "%s: yes= belongs to coin=", sotto_event_name(e->kind));
	if (has(p, COIN))
		return apply_coins(p, e, err);
	e->answers = 2;
	SOTTO_TRY(take_integer(p, e, K, &e->answers, err));
	e->has_truth = has(p, P);
	return take(p, e, e->has_truth ? P : EPSILON, &e->first, err);
}

static enum sotto_status
apply_shuffle(const struct sotto_parameters *p, struct sotto_event *e, struct sotto_error *err)
{
	SOTTO_TRY(need(p, e, N, err));
	SOTTO_TRY(take_integer(p, e, N, &e->users, err));
	e->is_binary = p->binary;
	return take(p, e, EPSILON0, &e->local_epsilon, err);
}

static enum sotto_status
apply_group(const struct sotto_parameters *p, struct sotto_event *e, struct sotto_error *err)
{
	SOTTO_TRY(need(p, e, K, err));
	return take_integer(p, e, K, &e->size, err);
}

static enum sotto_status check_names(const struct sotto_parameters *p,
				     const struct sotto_event *e, struct sotto_error *err)
{
	for (int i = 0; i < SOTTO_PARAMETERS; i++)
		if (p->list[i].given &&
		    !sotto_event_reads(e->kind, (enum sotto_parameter_name)i))
			return sotto_fail(err, SOTTO_EPARSE, "%s has no parameter %s",
					  sotto_event_name(e->kind), text_of((enum name)i));
	return SOTTO_OK;
}

enum sotto_status sotto_parameters_apply(struct sotto_parameters *p, struct sotto_event *e,
					 struct sotto_error *err)
{
	SOTTO_TRY(check_names(p, e, err));
	switch (e->kind) {
	case SOTTO_EVENT_LAPLACE:
		return apply_laplace(p, e, err);
	case SOTTO_EVENT_GEOMETRIC:
		return apply_geometric(p, e, err);
	case SOTTO_EVENT_GAUSSIAN:
		return apply_gaussian(p, e, err);
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		return apply_discrete_gaussian(p, e, err);
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		return apply_response(p, e, err);
	case SOTTO_EVENT_SHUFFLE:
		return apply_shuffle(p, e, err);
	case SOTTO_EVENT_GROUP:
		return apply_group(p, e, err);
	case SOTTO_EVENT_PARALLEL:
		return SOTTO_OK;
	case SOTTO_EVENT_SAMPLED:
		return take(p, e, RATE, &e->rate, err);
	case SOTTO_EVENT_ZCDP:
		return take(p, e, RHO, &e->rho, err);
	case SOTTO_EVENT_APPROX:
		SOTTO_TRY(take(p, e, DELTA, &e->delta, err));
		break;
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_EXPONENTIAL:
	case SOTTO_EVENT_PERMUTE_AND_FLIP:
		break;
	}
	return take(p, e, EPSILON, &e->epsilon, err);
}
