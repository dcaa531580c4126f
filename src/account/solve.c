/*
 * Calibration: the parameter written "?" for which the best epsilon just meets the
 * target.  The search may use any numbers; the value returned was priced itself.
 */
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "account/real.h"
#include "base/failure.h"
#include "sotto/account.h"

enum { DIGITS = 17, STEPS_MAX = 200, SWITCHES_MAX = 6 };

struct solver {
	const struct sotto_problem *problem;
	bool falls; /* epsilon falls as the value grows: noise parameters */
	bool all; /* price by the best of all methods, not by method */
	enum sotto_method method;
	struct sotto_error *err;
};

/* The parameters that can be solved for; true in falls for those that add noise. */
static bool known_parameter(const char *name, bool *falls)
{
	static const char *const names[] = {"sigma", "scale", "epsilon",
					    "rho",   "rate",  "count"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(name, names[i]) == 0) {
			*falls = i < 2;
			return true;
		}
	return false;
}

static enum sotto_status add_event(const struct solver *s, const char *text,
				   const struct sotto_rational *value, struct sotto_workload *w,
				   bool *used)
{
	struct sotto_event *e;
	enum sotto_status st;
	const char *name;

	SOTTO_TRY(sotto_event_parse(text, value, &name, &e, s->err));
	if (name && strcmp(name, s->problem->parameter) != 0)
		st = sotto_fail(s->err, SOTTO_EPARSE,
				"the unknown is %s, but %s is to be solved for", name,
				s->problem->parameter);
	else
		st = sotto_workload_add(w, e, 1, s->err);
	*used |= name != NULL;
	sotto_event_free(e);
	return st;
}

static enum sotto_status
fill(const struct solver *s, const struct sotto_rational *value, struct sotto_workload *w)
{
	bool used = false;

	if (s->problem->neighbours != SOTTO_ANY_NEIGHBOURS)
		SOTTO_TRY(sotto_workload_set_neighbours(w, s->problem->neighbours, s->err));
	for (size_t i = 0; i < s->problem->n_events; i++)
		SOTTO_TRY(add_event(s, s->problem->events[i], value, w, &used));
	if (!used)
		return sotto_fail(s->err, SOTTO_EPARSE,
				  "no parameter is written \"?\"; write for example "
				  "gaussian(sigma=?)");
	return SOTTO_OK;
}

/* The price at one value. */
static enum sotto_status price(const struct solver *s, const struct sotto_rational *value,
			       struct sotto_account_answer *answer)
{
	struct sotto_workload *w;
	enum sotto_status st;

	SOTTO_TRY(sotto_workload_new(&w));
	st = fill(s, value, w);
	if (st == SOTTO_OK)
		st = s->all ? sotto_account_best_epsilon(w, s->problem->delta, answer)
			    : sotto_account_epsilon(w, s->problem->delta, s->method, answer);
	sotto_workload_free(w);
	return st;
}

static enum sotto_status price_at(const struct solver *s, double x, double *epsilon)
{
	struct sotto_rational value;
	struct sotto_account_answer answer;
	enum sotto_status st;

	sotto_rational_init(&value);
	st = sotto_rational_set_double(&value, x);
	if (st == SOTTO_OK)
		st = price(s, &value, &answer);
	sotto_rational_release(&value);
	if (st == SOTTO_OK)
		*epsilon = answer.upper;
	return st;
}

static bool meets(const struct solver *s, double epsilon)
{
	struct sotto_rational r;
	bool yes = false;

	sotto_rational_init(&r);
	if (isfinite(epsilon) && sotto_rational_set_double(&r, epsilon) == SOTTO_OK)
		yes = sotto_rational_compare(&r, s->problem->target_epsilon) <= 0;
	sotto_rational_release(&r);
	return yes;
}

/* A bracket in log x: good meets the target and bad does not. */
struct bracket {
	double good, bad;
	double f_good, f_bad; /* log of epsilon over the target there */
};

static enum sotto_status probe(const struct solver *s, double x, double *f, bool *good)
{
	double epsilon, target = sotto_rational_double_down(s->problem->target_epsilon);

	SOTTO_TRY(price_at(s, x, &epsilon));
	*good = meets(s, epsilon);
	*f = target > 0 && epsilon > 0 ? log(epsilon / target) : *good ? -1 : INFINITY;
	return SOTTO_OK;
}

/* Walks from start by growing factors until the two sides are found. */
static enum sotto_status
enclose(const struct solver *s, double start, double most, struct bracket *b)
{
	double x = start, f, factor = 4;
	bool good;

	b->good = b->bad = 0;
	for (int i = 0; i < 80; i++) {
		bool up;

		SOTTO_TRY(probe(s, x, &f, &good));
		if (good) {
			b->good = x;
			b->f_good = f;
		} else {
			b->bad = x;
			b->f_bad = f;
		}
		if (b->good > 0 && b->bad > 0)
			return SOTTO_OK;
		up = good != s->falls; /* go towards the other side */
		if (up && x >= most) {
			b->bad = INFINITY;
			return SOTTO_OK;
		}
		x = up ? fmin(most, x * factor) : x / factor;
		if (i > 4)
			factor *= factor;
		if (!(x > 1e-290 && x < 1e290))
			break;
	}
	return sotto_fail(s->err, SOTTO_EREFUSED, "no %s meets the target",
			  s->problem->parameter);
}

static enum sotto_status narrow(const struct solver *s, struct bracket *b)
{
	for (int i = 0; i < STEPS_MAX && fabs(b->good / b->bad - 1) > 1e-11; i++) {
		double low = log(b->good), high = log(b->bad), x = 0.5 * (low + high), f;
		bool good;

		if (i % 3 != 2 && isfinite(b->f_bad) && isfinite(b->f_good) &&
		    b->f_bad > b->f_good) {
			double share = -b->f_good / (b->f_bad - b->f_good);

			/* a little to the bad side and to the good side in turn */
			share += (i % 3 ? -1 : 1) * fmax(1e-12, 1e-4 * share * (1 - share));
			x = low + fmin(fmax(share, 1e-3), 1 - 1e-3) * (high - low);
			if (fabs(high - low) < 1e-6)
				x = low + fmin(fmax(share, 0.02), 0.98) * (high - low);
		}
		SOTTO_TRY(probe(s, exp(x), &f, &good));
		if (good) {
			b->good = exp(x);
			b->f_good = f;
		} else {
			b->bad = exp(x);
			b->f_bad = f;
		}
	}
	return SOTTO_OK;
}

/* x as a decimal of 17 digits on the safe side. */
static enum sotto_status
safe_decimal(const struct solver *s, double x, struct sotto_rational *value)
{
	char text[64];
	mpfr_t y;

	mpfr_init2(y, 53);
	mpfr_set_d(y, x, MPFR_RNDN);
	(void)mpfr_snprintf(text, sizeof text, s->falls ? "%.*RUe" : "%.*RDe", DIGITS - 1, y);
	mpfr_clear(y);
	return sotto_rational_parse(value, text, NULL);
}

/* Prices the rounded value by all methods, moving it to the safe side if need be. */
static enum sotto_status settle(struct solver *s, double x, struct sotto_solution *out)
{
	for (int i = 0; i < 40; i++) {
		SOTTO_TRY(safe_decimal(s, x, &out->value));
		s->all = true;
		SOTTO_TRY(price(s, &out->value, &out->answer));
		s->all = false;
		if (meets(s, out->answer.upper))
			return SOTTO_OK;
		x *= s->falls ? 1 + ldexp(1e-13, i) : 1 - ldexp(1e-13, i);
	}
	return sotto_fail(s->err, SOTTO_EREFUSED, "no %s meets the target",
			  s->problem->parameter);
}

/* Solves with the method that is best where the search is, until that no longer changes. */
static enum sotto_status solve_real(struct solver *s, struct sotto_solution *out)
{
	double most = strcmp(s->problem->parameter, "rate") == 0 ? 1 : INFINITY, x = 1;
	struct bracket b;

	s->all = true;
	SOTTO_TRY(enclose(s, most == 1 ? 0.5 : 1, most, &b));
	for (int i = 0; i < SWITCHES_MAX; i++) {
		x = b.good;
		if (isinf(b.bad))
			break; /* every value will do: take the largest */
		SOTTO_TRY(settle(s, x, out));
		s->method = out->answer.method;
		SOTTO_TRY(enclose(s, x, most, &b));
		SOTTO_TRY(narrow(s, &b));
		x = b.good;
		SOTTO_TRY(settle(s, x, out));
		if (out->answer.method == s->method)
			return SOTTO_OK;
		b.good = x;
	}
	return settle(s, x, out);
}

static enum sotto_status
probe_count(const struct solver *s, uint64_t n, bool *good, struct sotto_account_answer *answer)
{
	struct sotto_rational value;
	enum sotto_status st;

	sotto_rational_init(&value);
	st = sotto_rational_set_ratio(&value, (int64_t)n, 1);
	if (st == SOTTO_OK)
		st = price(s, &value, answer);
	sotto_rational_release(&value);
	*good = st == SOTTO_OK && meets(s, answer->upper);
	return st;
}

static enum sotto_status solve_count(struct solver *s, struct sotto_solution *out)
{
	uint64_t low = 0, high = 1;
	struct sotto_account_answer answer;
	bool good;

	s->all = true;
	SOTTO_TRY(probe_count(s, 0, &good, &out->answer));
	if (!good)
		return sotto_fail(s->err, SOTTO_EREFUSED,
				  "the other events alone are beyond the target");
	for (;; high *= 2) {
		if (high > UINT64_C(1) << 50)
			return sotto_fail(s->err, SOTTO_EREFUSED,
					  "every count meets the target");
		SOTTO_TRY(probe_count(s, high, &good, &answer));
		if (!good)
			break;
		low = high;
		out->answer = answer;
	}
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		SOTTO_TRY(probe_count(s, middle, &good, &answer));
		if (good) {
			low = middle;
			out->answer = answer;
		} else {
			high = middle;
		}
	}
	return sotto_rational_set_ratio(&out->value, (int64_t)low, 1);
}

enum sotto_status sotto_account_solve(const struct sotto_problem *problem,
				      struct sotto_solution *solution, struct sotto_error *err)
{
	struct solver s = {.problem = problem, .err = err};

	if (!known_parameter(problem->parameter, &s.falls))
		return sotto_fail(
			err, SOTTO_EPARSE,
			"only sigma, scale, epsilon, rho, rate and count can be solved "
			"for");
	if (mpq_sgn(problem->target_epsilon->q) < 0 || mpq_sgn(problem->delta->q) < 0)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the target epsilon and delta must not be negative");
	if (strcmp(problem->parameter, "count") == 0)
		return solve_count(&s, solution);
	return solve_real(&s, solution);
}
