/*
 * Roots: what is returned was checked with the value on its side, and few values are asked
 * for, since each may be a contour of its own.
 */
#include "core/account/integral/root.h"

#include <math.h>

#include "testlib/tap.h"

struct function {
	double (*of)(double x);
	int asked;
};

static enum sotto_status ask(void *context, double x, double *out)
{
	struct function *f = context;

	f->asked++;
	*out = f->of(x);
	return SOTTO_OK;
}

/* a Gaussian tail; one that dives to 0 at 1; one that is flat before it falls; one step */
static double parabola(double x)
{
	return -0.5 * x * x - x;
}

static double top(double x)
{
	return x < 1 ? log(-expm1(20 * (x - 1))) : -INFINITY;
}

static double flat(double x)
{
	return x < 1000 ? 0 : 1000 - x;
}

static double step(double x)
{
	return x < 1 ? -1 : -INFINITY;
}

static void check(double (*of)(double), double level, double guess, double most, int few)
{
	struct function f = {.of = of};
	struct sotto_root r = {
		.context = &f, .guess = guess, .slope = -1, .most = most, .tolerance = 1e-12};
	double lower, upper;

	CHECK(sotto_root_both(&r, ask, ask, level, level, &lower, &upper) == SOTTO_OK);
	(void)tap_check(of(upper) <= level && of(lower) >= level, __FILE__, __LINE__,
			"%.17g to %.17g is no bracket", lower, upper);
	(void)tap_check(upper - lower <= 1e-11 * upper, __FILE__, __LINE__,
			"%.17g to %.17g is wide", lower, upper);
	(void)tap_check(f.asked <= few, __FILE__, __LINE__, "%d values for level %g", f.asked,
			level);
}

static void smooth_roots_take_a_dozen_values(void)
{
	check(parabola, -13.8, 3, INFINITY, 14);
	check(parabola, -300, 1, INFINITY, 18);
	check(parabola, -13.8, 400, INFINITY, 30);
}

static void a_dive_to_zero_is_followed(void)
{
	check(top, -13.8, 0.5, 1, 40);
	check(top, -13.8, 2, 1, 40); /* a guess beyond what is known to be enough */
	check(top, -0.1, 0.999, 1, 40);
}

static void flat_stretches_and_steps_end(void)
{
	check(flat, -5, 1e-3, INFINITY, 200);
	check(step, -5, 3, INFINITY, 200);
}

static void a_value_that_is_always_low_has_its_root_at_0(void)
{
	struct function f = {.of = parabola};
	struct sotto_root r = {.value = ask,
			       .context = &f,
			       .level = 1,
			       .guess = 5,
			       .slope = -1,
			       .most = INFINITY,
			       .tolerance = 1e-12};
	double x = -1;

	CHECK(sotto_root_above(&r, &x) == SOTTO_OK);
	CHECK(x == 0);
	CHECK(f.asked <= 8);
}

int main(void)
{
	RUN(smooth_roots_take_a_dozen_values);
	RUN(a_dive_to_zero_is_followed);
	RUN(flat_stretches_and_steps_end);
	RUN(a_value_that_is_always_low_has_its_root_at_0);
	return tap_done();
}
