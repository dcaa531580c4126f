/*
 * Calibration: the parameter written "?" for which the best epsilon just meets the
 * target.  The search may use any numbers; the value returned was priced itself.
 */
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "core/account/integral/real.h"
#include "core/account/integral/work.h"
#include "core/base/failure.h"
#include "sotto/account.h"

enum { DIGITS = 17, STEPS_MAX = 200, SWITCHES_MAX = 6 };

/* A price that has stayed the same so often, at values ever farther away, does not depend on the value any more. */
enum { ENOUGH = 5 };

/* So near is near enough when the steps have run out. */
#define ROUGHLY 1e-2

/* What reading the events takes for one price (work.h). */
#define PRICE_STEPS 1e5

/* How far apart, relatively, a value that meets the target and one that does not may be. */
#define CLOSE 4e-10

struct solver {
	const struct sotto_problem *problem;
	bool falls; /* epsilon falls as the value grows: noise parameters */
	enum { ONE, QUICK, ALL } by; /* price by method, by those that are quick, or by all */
	enum sotto_method method;
	struct sotto_work work; /* for all prices together */
	struct sotto_error *err;
};

/* A price may take that many steps; the last one, of the value returned, is always paid for. */
static bool may_go_on(const struct solver *s)
{
	return sotto_work_allows(&s->work, SOTTO_WORK_PRICE);
}

static enum sotto_status refuse_long(const struct solver *s)
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

static enum sotto_status quick_epsilon(const struct sotto_workload *w,
				       const struct sotto_rational *delta,
				       struct sotto_account_answer *best)
{
	static const enum sotto_method quick[] = {SOTTO_BASIC, SOTTO_KOV, SOTTO_ZCDP};
	double steps = 0;

	for (size_t i = 0; i < sizeof quick / sizeof quick[0]; i++) {
		struct sotto_account_answer one;

		SOTTO_TRY(sotto_account_epsilon(w, delta, quick[i], &one));
		steps += one.steps;
		if (i == 0 || one.upper < best->upper)
			*best = one;
	}
	best->steps = steps;
	return SOTTO_OK;
}

/* The price at one value. */
static enum sotto_status
price(struct solver *s, const struct sotto_rational *value, struct sotto_account_answer *answer)
{
	struct sotto_workload *w;
	enum sotto_status st;

	SOTTO_TRY(sotto_workload_new(&w));
	st = fill(s, value, w);
	if (st == SOTTO_OK)
		st = s->by == ALL ? sotto_account_best_epsilon(w, s->problem->delta, answer)
		     : s->by == QUICK
			     ? quick_epsilon(w, s->problem->delta, answer)
			     : sotto_account_epsilon(w, s->problem->delta, s->method, answer);
	sotto_workload_free(w);
	if (st == SOTTO_OK)
		sotto_work_use(&s->work, answer->steps + PRICE_STEPS);
	return st;
}

static enum sotto_status price_at(struct solver *s, double x, double *epsilon)
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

static enum sotto_status probe(struct solver *s, double x, double *f, bool *good)
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
static enum sotto_status enclose(struct solver *s, double start, double most, struct bracket *b)
{
	double x = start, f, before = NAN;
	bool good;

	*b = (struct bracket){0, 0, NAN, NAN};
	for (int i = 0, same = 0; i < 80 && same < ENOUGH; i++) {
		if (!may_go_on(s))
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
static enum sotto_status narrow(struct solver *s, struct bracket *b)
{
	double f_good = b->f_good, f_bad = b->f_bad, width = INFINITY;
	int last = 0;

	for (int i = 0; i < STEPS_MAX && gap(b) > CLOSE && may_go_on(s); i++) {
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
		s->by = ALL;
		SOTTO_TRY(price(s, &out->value, &out->answer));
		if (meets(s, out->answer.upper))
			return SOTTO_OK;
		x *= s->falls ? 1 + ldexp(1e-13, i) : 1 - ldexp(1e-13, i);
	}
	return sotto_fail(s->err, SOTTO_EREFUSED, "no %s meets the target",
			  s->problem->parameter);
}

/* By one method, or by all: the value just on the safe side. */
static enum sotto_status
solve_by(struct solver *s, double start, double most, struct bracket *b)
{
	SOTTO_TRY(enclose(s, start, most, b));
	return isinf(b->bad) ? SOTTO_OK : narrow(s, b); /* infinite: every value will do */
}

/*
 * By loss distributions from x on, then with the method that is best at the solution.  *b is what is known in
 * the end; *done tells whether out is.
 */
static enum sotto_status solve_sharply(struct solver *s, double x, double most,
				       struct bracket *b, struct sotto_solution *out,
				       bool *done)
{
	*done = false;
	s->by = ONE;
	s->method = SOTTO_PLD;
	for (int i = 0; i < SWITCHES_MAX; i++) {
		enum sotto_status st = solve_by(s, x, most, b);
		bool all = s->by == ALL;

		if (!may_go_on(s) && !(isinf(b->bad) || gap(b) < ROUGHLY))
			return SOTTO_OK;
		if (st == SOTTO_EREFUSED && !all) { /* perhaps by another method */
			s->by = ALL;
			continue;
		}
		SOTTO_TRY(st);
		x = b->good;
		SOTTO_TRY(settle(s, x, out));
		*done = true;
		out->within = isinf(b->bad) ? 0 : gap(b);
		if (isinf(b->bad) || out->answer.method == s->method || all || !may_go_on(s))
			return SOTTO_OK;
		s->by = ONE;
		s->method = out->answer.method;
	}
	return SOTTO_OK;
}

/* Where a loss distribution takes long: what the quick theorems allow, or what is known to do. */
static enum sotto_status solve_quickly(struct solver *s, double x, double most,
				       const struct bracket *known, struct sotto_solution *out)
{
	enum sotto_status st;
	struct bracket b;

	s->by = QUICK;
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

static enum sotto_status solve_real(struct solver *s, struct sotto_solution *out)
{
	double most = strcmp(s->problem->parameter, "rate") == 0 ? 1 : INFINITY;
	double x = most == 1 ? 0.5 : 1;
	struct bracket b = {0, 0, NAN, NAN};
	bool done;

	SOTTO_TRY(solve_sharply(s, x, most, &b, out, &done));
	return done ? SOTTO_OK : solve_quickly(s, x, most, &b, out);
}

static enum sotto_status
probe_count(struct solver *s, uint64_t n, bool *good, struct sotto_account_answer *answer)
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

/* Counts: low meets the target, high does not; 0 until it is known. */
struct counts {
	uint64_t low, high;
	double f_low, f_high; /* log of epsilon over the target there */
};

/* Above every count that meets the target: most costs go with the root of the count, or with it. */
static uint64_t count_above(const struct counts *c, int i)
{
	double factor = exp(fmin(fabs(c->f_low), 7) * 1.2);

	if (i > 3 || !isfinite(c->f_low))
		factor = fmax(factor, pow(2, i));
	return c->low + 1 + (uint64_t)((double)c->low * (fmin(factor, 0x1p40) - 1));
}

/* By the secant in logarithms, the middle every third time, and never an end. */
static uint64_t count_between(const struct counts *c, int i)
{
	double share = 0.5, guess;

	if (i % 3 < 2 && c->low > 0 && isfinite(c->f_high) && c->f_high > c->f_low)
		share = -c->f_low / (c->f_high - c->f_low);
	guess = share == 0.5 ? 0.5 * ((double)c->low + (double)c->high)
			     : exp(log((double)c->low) +
				   share * log((double)c->high / (double)c->low));
	guess = fmin(fmax(guess, (double)c->low + 1), (double)c->high - 1);
	return (uint64_t)guess;
}

static enum sotto_status try_count(struct solver *s, uint64_t n, struct counts *c)
{
	struct sotto_account_answer answer;
	double target = sotto_rational_double_down(s->problem->target_epsilon), f;
	bool good;

	SOTTO_TRY(probe_count(s, n, &good, &answer));
	f = target > 0 && answer.upper > 0 ? log(answer.upper / target) : good ? -1 : INFINITY;
	if (good) {
		c->low = n;
		c->f_low = fmin(f, 0);
	} else {
		c->high = n;
		c->f_high = f;
	}
	return SOTTO_OK;
}

/* The largest count from c->low, which meets the target, on that does, by s's methods. */
static enum sotto_status grow_count(struct solver *s, struct counts *c)
{
	c->high = 0;
	for (int i = 0; !c->high && may_go_on(s); i++) {
		uint64_t next = count_above(c, i);

		if (next > UINT64_C(1) << 50)
			return sotto_fail(s->err, SOTTO_EREFUSED,
					  "every count meets the target");
		SOTTO_TRY(try_count(s, next, c));
	}
	for (int i = 0; c->high - c->low > 1 && c->high && may_go_on(s); i++)
		SOTTO_TRY(try_count(s, count_between(c, i), c));
	return SOTTO_OK;
}

/*
 * By loss distributions, which are mostly best, then on by all methods; where the steps do not
 * suffice, by the quick theorems.
 */
static enum sotto_status solve_count(struct solver *s, struct sotto_solution *out)
{
	struct counts c = {.f_low = -INFINITY};
	uint64_t high;
	bool good;

	s->by = ALL;
	SOTTO_TRY(probe_count(s, 0, &good, &out->answer));
	if (!good)
		return sotto_fail(s->err, SOTTO_EREFUSED,
				  "the other events alone are beyond the target");
	s->by = ONE;
	s->method = SOTTO_PLD;
	SOTTO_TRY(grow_count(s, &c));
	high = c.high;
	s->by = may_go_on(s) ? ALL : QUICK;
	if (!may_go_on(s))
		s->work.left = SOTTO_WORK_SOLVE;
	SOTTO_TRY(grow_count(s, &c));
	if (s->by == ALL)
		high = c.high;
	s->by = ALL;
	SOTTO_TRY(probe_count(s, c.low, &good, &out->answer));
	out->within = high <= c.low      ? INFINITY
		      : high - c.low > 1 ? (double)(high - c.low) / (double)high
					 : 0;
	return sotto_rational_set_ratio(&out->value, (int64_t)c.low, 1);
}

enum sotto_status sotto_account_solve(const struct sotto_problem *problem,
				      struct sotto_solution *solution, struct sotto_error *err)
{
	if (!problem || !solution || !problem->events || !problem->parameter ||
	    !problem->target_epsilon || !problem->delta)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct solver s = {.problem = problem, .work = {.left = SOTTO_WORK_SOLVE}, .err = err};

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
