/*
 * Calibration: the parameter written "?" for which the best epsilon just meets the
 * target.  The search may use any numbers; the value returned was priced itself.
 */
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "core/account/integral/real.h"
#include "core/account/integral/work.h"
#include "core/account/theorem/account_inside.h"
#include "core/account/theorem/calibrate_inside.h"
#include "core/base/failure.h"
#include "sotto/account.h"

enum { DIGITS = 17, STEPS_MAX = 200, SWITCHES_MAX = 6 };

/* A price that has stayed the same so often, at values ever farther away, does not depend on the value any more. */
enum { ENOUGH = 5 };

/* So near is near enough when the steps have run out. */
#define ROUGHLY 1e-2

/* What reading the events takes for one price (work.h), for each character and besides. */
#define CHARACTER_STEPS 50
#define PRICE_STEPS 1e5

/* How far apart, relatively, a value that meets the target and one that does not may be. */
#define CLOSE 4e-10

/* A price may take that many steps; the last one, of the value returned, is always paid for. */
bool sotto_solver_may_go_on(const struct sotto_solver *s)
{
	return sotto_work_allows(&s->work, SOTTO_WORK_PRICE);
}

static enum sotto_status refuse_long(const struct sotto_solver *s)
{
	return sotto_fail(
		s->err, SOTTO_EREFUSED,
		"no %s that meets the target was found in the steps that one answer may "
		"take; give a value and look at its epsilon",
		s->problem->parameter);
}

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

static enum sotto_status add_event(const struct sotto_solver *s, const char *text,
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
fill(const struct sotto_solver *s, const struct sotto_rational *value, struct sotto_workload *w)
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

/* The least epsilon of one method, the quick ones or all, each in so many steps. */
static enum sotto_status best_epsilon(const struct sotto_solver *s,
				      const struct sotto_workload *w, double most,
				      struct sotto_account_answer *best)
{
	double steps = 0;
	bool first = true;

	for (int m = 0; m < SOTTO_METHODS; m++) {
		bool is_quick = m == SOTTO_BASIC || m == SOTTO_KOV || m == SOTTO_ZCDP;
		struct sotto_account_answer one;

		if (s->by == SOTTO_BY_ONE ? m != (int)s->method
					  : s->by == SOTTO_BY_QUICK && !is_quick)
			continue;
		SOTTO_TRY(sotto_account_epsilon_within(w, s->problem->delta,
						       (enum sotto_method)m, most, &one));
		steps += one.steps;
		if (first || one.upper < best->upper)
			*best = one;
		first = false;
	}
	best->steps = steps;
	return SOTTO_OK;
}

static double reading_steps(const struct sotto_problem *problem)
{
	double sum = PRICE_STEPS;

	for (size_t i = 0; i < problem->n_events; i++)
		sum += CHARACTER_STEPS * (double)strlen(problem->events[i]);
	return sum;
}

/* The price at one value. */
enum sotto_status sotto_solver_price(struct sotto_solver *s, const struct sotto_rational *value,
				     struct sotto_account_answer *answer)
{
	struct sotto_workload *w;
	enum sotto_status st;

	SOTTO_TRY(sotto_workload_new(&w));
	st = fill(s, value, w);
	if (st == SOTTO_OK)
		st = best_epsilon(s, w, fmax(s->work.left, SOTTO_WORK_SETTLE), answer);
	sotto_workload_free(w);
	if (st == SOTTO_OK)
		sotto_work_use(&s->work, answer->steps + reading_steps(s->problem));
	return st;
}

static enum sotto_status price_at(struct sotto_solver *s, double x, double *epsilon)
{
	struct sotto_rational value;
	struct sotto_account_answer answer;
	enum sotto_status st;

	sotto_rational_init(&value);
	st = sotto_rational_set_double(&value, x);
	if (st == SOTTO_OK)
		st = sotto_solver_price(s, &value, &answer);
	sotto_rational_release(&value);
	if (st == SOTTO_OK)
		*epsilon = answer.upper;
	return st;
}

bool sotto_solver_meets(const struct sotto_solver *s, double epsilon)
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

static enum sotto_status probe(struct sotto_solver *s, double x, double *f, bool *good)
{
	double epsilon, target = sotto_rational_double_down(s->problem->target_epsilon);

	SOTTO_TRY(price_at(s, x, &epsilon));
	*good = sotto_solver_meets(s, epsilon);
	*f = target > 0 && epsilon > 0 ? log(epsilon / target) : *good ? -1 : INFINITY;
	return SOTTO_OK;
}

/* Where the other side may be: most costs go with a power of a parameter between 1 and 2. */
static double step_from(const struct sotto_solver *s, double f, bool good, int i)
{
	double factor = exp(fmin(fabs(f), 7) * 1.1 + 0.05);

	if (i > 3 || !isfinite(f))
		factor = pow(4, 1 + i);
	return good != s->falls ? factor : 1 / factor;
}

/* Walks from start until the two sides are found. */
static enum sotto_status
enclose(struct sotto_solver *s, double start, double most, struct bracket *b)
{
	double x = start, f, before = NAN;
	bool good;

	*b = (struct bracket){0, 0, NAN, NAN};
	for (int i = 0, same = 0; i < 80 && same < ENOUGH; i++) {
		if (!sotto_solver_may_go_on(s))
			return refuse_long(s);
		SOTTO_TRY(probe(s, x, &f, &good));
		same = fabs(f - before) <= 1e-12 * fabs(f) ? same + 1 : 0;
		before = f;
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

/* How far from the best value, relatively, the good one may be. */
static double gap(const struct bracket *b)
{
	return fabs(b->good / b->bad - 1);
}

/*
 * Secants; when one end stays, its value is halved (the Illinois rule), which makes
 * both ends close in.
 */
static enum sotto_status narrow(struct sotto_solver *s, struct bracket *b)
{
	double f_good = b->f_good, f_bad = b->f_bad, width = INFINITY;
	int last = 0;

	for (int i = 0; i < STEPS_MAX && gap(b) > CLOSE && sotto_solver_may_go_on(s); i++) {
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
safe_decimal(const struct sotto_solver *s, double x, struct sotto_rational *value)
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
static enum sotto_status settle(struct sotto_solver *s, double x, struct sotto_solution *out)
{
	for (int i = 0; i < 40 && (i == 0 || sotto_solver_may_go_on(s)); i++) {
		SOTTO_TRY(safe_decimal(s, x, &out->value));
		s->by = SOTTO_BY_ALL;
		SOTTO_TRY(sotto_solver_price(s, &out->value, &out->answer));
		if (sotto_solver_meets(s, out->answer.upper))
			return SOTTO_OK;
		x *= s->falls ? 1 + ldexp(1e-13, i) : 1 - ldexp(1e-13, i);
	}
	if (!sotto_solver_may_go_on(s))
		return refuse_long(s);
	return sotto_fail(s->err, SOTTO_EREFUSED, "no %s meets the target",
			  s->problem->parameter);
}

/* By one method, or by all: the value just on the safe side. */
static enum sotto_status
solve_by(struct sotto_solver *s, double start, double most, struct bracket *b)
{
	SOTTO_TRY(enclose(s, start, most, b));
	return isinf(b->bad) ? SOTTO_OK : narrow(s, b); /* infinite: every value will do */
}

/*
 * By loss distributions from x on, then with the method that is best at the solution.  *b is what is known in
 * the end; *done tells whether out is.
 */
static enum sotto_status solve_sharply(struct sotto_solver *s, double x, double most,
				       struct bracket *b, struct sotto_solution *out,
				       bool *done)
{
	*done = false;
	s->by = SOTTO_BY_ONE;
	s->method = SOTTO_PLD;
	for (int i = 0; i < SWITCHES_MAX; i++) {
		enum sotto_status st = solve_by(s, x, most, b);
		bool all = s->by == SOTTO_BY_ALL;

		if (!sotto_solver_may_go_on(s) && !(isinf(b->bad) || gap(b) < ROUGHLY))
			return SOTTO_OK;
		if (st == SOTTO_EREFUSED && !all) { /* perhaps by another method */
			s->by = SOTTO_BY_ALL;
			continue;
		}
		SOTTO_TRY(st);
		x = b->good;
		SOTTO_TRY(settle(s, x, out));
		*done = true;
		out->within = isinf(b->bad) ? 0 : gap(b);
		if (isinf(b->bad) || out->answer.method == s->method || all ||
		    !sotto_solver_may_go_on(s))
			return SOTTO_OK;
		s->by = SOTTO_BY_ONE;
		s->method = out->answer.method;
	}
	return SOTTO_OK;
}

/* Where a loss distribution takes long: what the quick theorems allow, or what is known to do. */
static enum sotto_status solve_quickly(struct sotto_solver *s, double x, double most,
				       const struct bracket *known, struct sotto_solution *out)
{
	enum sotto_status st;
	struct bracket b;

	s->by = SOTTO_BY_QUICK;
	s->work.left = SOTTO_WORK_SOLVE;
	st = solve_by(s, x, most, &b);
	if (st == SOTTO_EREFUSED && !(known->good > 0))
		return refuse_long(s);
	if (st != SOTTO_OK && st != SOTTO_EREFUSED)
		return st;
	x = st == SOTTO_OK ? b.good : known->good;
	if (known->good > 0)
		x = s->falls ? fmin(x, known->good) : fmax(x, known->good);
	SOTTO_TRY(settle(s, x, out));
	out->within =
		known->bad > 0 && isfinite(known->bad) ? fabs(x / known->bad - 1) : INFINITY;
	return SOTTO_OK;
}

static enum sotto_status solve_real(struct sotto_solver *s, struct sotto_solution *out)
{
	double most = strcmp(s->problem->parameter, "rate") == 0 ? 1 : INFINITY;
	double x = most == 1 ? 0.5 : 1;
	struct bracket b = {0, 0, NAN, NAN};
	bool done;

	SOTTO_TRY(solve_sharply(s, x, most, &b, out, &done));
	return done ? SOTTO_OK : solve_quickly(s, x, most, &b, out);
}

enum sotto_status sotto_account_solve(const struct sotto_problem *problem,
				      struct sotto_solution *solution, struct sotto_error *err)
{
	if (!problem || !solution || !problem->events || !problem->parameter ||
	    !problem->target_epsilon || !problem->delta)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_solver s = {
		.problem = problem, .work = {.left = SOTTO_WORK_SOLVE}, .err = err};

	if (!known_parameter(problem->parameter, &s.falls))
		return sotto_fail(
			err, SOTTO_EPARSE,
			"only sigma, scale, epsilon, rho, rate and count can be solved "
			"for");
	if (mpq_sgn(problem->target_epsilon->q) < 0 || mpq_sgn(problem->delta->q) < 0)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the target epsilon and delta must not be negative");
	if (strcmp(problem->parameter, "count") == 0)
		return sotto_solver_find_count(&s, solution);
	return solve_real(&s, solution);
}
