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

/* How far apart, relatively, a value that meets the target and one that does not may be. */
#define CLOSE 4e-10

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

/* Where the other side may be: most costs go with a power of a parameter between 1 and 2. */
static double step_from(const struct solver *s, double f, bool good, int i)
{
	double factor = exp(fmin(fabs(f), 7) * 1.1 + 0.05);

	if (i > 3 || !isfinite(f))
		factor = pow(4, 1 + i);
	return good != s->falls ? factor : 1 / factor;
}

/* Walks from start until the two sides are found. */
static enum sotto_status
enclose(const struct solver *s, double start, double most, struct bracket *b)
{
	double x = start, f;
	bool good;

	*b = (struct bracket){0, 0, NAN, NAN};
	for (int i = 0; i < 80; i++) {
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
		if (good != s->falls && x >= most) {
			b->bad = INFINITY;
			return SOTTO_OK;
		}
		x = fmin(most, x * step_from(s, f, good, i));
		if (!(x > 1e-290 && x < 1e290))
			break;
	}
	return sotto_fail(s->err, SOTTO_EREFUSED, "no %s meets the target",
			  s->problem->parameter);
}

/* The secant's root in log x, a little away from either end; the middle if there is none. */
static double between(const struct bracket *b, double f_good, double f_bad)
{
	double low = log(b->good), high = log(b->bad), share = 0.5;

	if (isfinite(f_bad) && isfinite(f_good) && f_bad > f_good)
		share = -f_good / (f_bad - f_good);
	return exp(low + fmin(fmax(share, 1e-6), 1 - 1e-6) * (high - low));
}

/*
 * Secants; when one end stays, its value is halved (the Illinois rule), which makes
 * both ends close in.
 */
static enum sotto_status narrow(const struct solver *s, struct bracket *b)
{
	double f_good = b->f_good, f_bad = b->f_bad, width = INFINITY;
	int last = 0;

	for (int i = 0; i < STEPS_MAX && fabs(b->good / b->bad - 1) > CLOSE; i++) {
		double x = between(b, f_good, f_bad), f;
		bool good;

		if (i % 6 == 5) {
			if (fabs(log(b->good / b->bad)) > 0.1 * width)
				x = sqrt(b->good) * sqrt(b->bad);
			width = fabs(log(b->good / b->bad));
		}
		SOTTO_TRY(probe(s, x, &f, &good));
		if (good) {
			b->good = x;
			b->f_good = f_good = f;
			f_bad *= last == 1 ? 0.5 : 1;
		} else {
			b->bad = x;
			b->f_bad = f_bad = f;
			f_good *= last == -1 ? 0.5 : 1;
		}
		last = good ? 1 : -1;
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

/* Solves by loss distributions first, then with the method that is best at the solution. */
static enum sotto_status solve_real(struct solver *s, struct sotto_solution *out)
{
	double most = strcmp(s->problem->parameter, "rate") == 0 ? 1 : INFINITY;
	double x = most == 1 ? 0.5 : 1;
	struct bracket b;

	s->method = SOTTO_PLD;
	for (int i = 0; i < SWITCHES_MAX; i++) {
		enum sotto_status st = enclose(s, x, most, &b);
		bool all = s->all;

		if (st == SOTTO_EREFUSED && !all) { /* by this method; perhaps by another */
			s->all = true;
			continue;
		}
		SOTTO_TRY(st);
		if (isinf(b.bad)) /* every value will do: take the largest */
			return settle(s, b.good, out);
		SOTTO_TRY(narrow(s, &b));
		x = b.good;
		SOTTO_TRY(settle(s, x, out));
		if (out->answer.method == s->method || all)
			return SOTTO_OK;
		s->method = out->answer.method;
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

/* The largest count from low, which meets the target, on that does, by s's methods. */
static enum sotto_status grow_count(const struct solver *s, uint64_t *low)
{
	uint64_t step = 1, high;
	struct sotto_account_answer answer;
	bool good;

	for (;; step *= 2) {
		high = *low + step;
		if (high > UINT64_C(1) << 50)
			return sotto_fail(s->err, SOTTO_EREFUSED,
					  "every count meets the target");
		SOTTO_TRY(probe_count(s, high, &good, &answer));
		if (!good)
			break;
		*low = high;
	}
	while (high - *low > 1) {
		uint64_t middle = *low + (high - *low) / 2;

		SOTTO_TRY(probe_count(s, middle, &good, &answer));
		if (good)
			*low = middle;
		else
			high = middle;
	}
	return SOTTO_OK;
}

/* By loss distributions, which are quick and mostly best, then on by all methods. */
static enum sotto_status solve_count(struct solver *s, struct sotto_solution *out)
{
	uint64_t count = 0;
	bool good;

	s->all = true;
	SOTTO_TRY(probe_count(s, 0, &good, &out->answer));
	if (!good)
		return sotto_fail(s->err, SOTTO_EREFUSED,
				  "the other events alone are beyond the target");
	s->all = false;
	s->method = SOTTO_PLD;
	SOTTO_TRY(grow_count(s, &count));
	s->all = true;
	SOTTO_TRY(grow_count(s, &count));
	SOTTO_TRY(probe_count(s, count, &good, &out->answer));
	return sotto_rational_set_ratio(&out->value, (int64_t)count, 1);
}

enum sotto_status sotto_account_solve(const struct sotto_problem *problem,
				      struct sotto_solution *solution, struct sotto_error *err)
{
	if (!problem || !solution || !problem->events || !problem->parameter ||
	    !problem->target_epsilon || !problem->delta)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

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
