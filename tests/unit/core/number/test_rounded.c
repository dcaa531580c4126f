/* Functions as rationals: on the named side, and no further than promised. */
#include "core/number/rounded.h"

#include <mpfr.h>

#include "testlib/number.h"
#include "testlib/tap.h"

typedef void (*rounded)(mpq_t out, const mpq_t x, unsigned digits);
typedef int (*real)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/* 2^digits (out - f(x)), with f evaluated to far more digits than out has. */
static double distance(rounded function, real f, const char *text, unsigned digits)
{
	struct sotto_rational x = rational_of(text), out;
	mpfr_t value, got;
	double d;

	sotto_rational_init(&out);
	mpfr_inits2(8000, value, got, (mpfr_ptr)0);
	function(out.q, x.q, digits);
	mpfr_set_q(value, x.q, MPFR_RNDN);
	f(value, value, MPFR_RNDN);
	mpfr_set_q(got, out.q, MPFR_RNDN);
	mpfr_sub(got, got, value, MPFR_RNDN);
	mpfr_mul_2ui(got, got, digits, MPFR_RNDN);
	d = mpfr_get_d(got, MPFR_RNDN);
	mpfr_clears(value, got, (mpfr_ptr)0);
	sotto_rational_release(&x);
	sotto_rational_release(&out);
	return d;
}

static void results_lie_on_the_named_side_and_near(void)
{
	static const struct {
		rounded up, down;
		real f;
		const char *x[6];
	} cases[] = {
		{sotto_log_up,
		 sotto_log_down,
		 mpfr_log,
		 {"3", "1/3", "1.000001", "1e50", "1e-50", "7/9"}},
		{sotto_sqrt_up, NULL, mpfr_sqrt, {"2", "1/3", "1e40", "1e-40", "5", "10"}},
		{NULL, sotto_cbrt_down, mpfr_cbrt, {"2", "1/3", "1e40", "1e-40", "5", "10"}}};

	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
		for (size_t i = 0; i < 6; i++)
			for (unsigned digits = 8; digits <= 200; digits += 64) {
				double low = cases[c].down ? distance(cases[c].down, cases[c].f,
								      cases[c].x[i], digits)
							   : 0;
				double high = cases[c].up ? distance(cases[c].up, cases[c].f,
								     cases[c].x[i], digits)
							  : 0;

				CHECK(low <= 0 && low > -2);
				CHECK(high >= 0 && high < 2);
			}
}

static void exact_values_stay_exact(void)
{
	struct sotto_rational x = rational_of("9/4"), one = rational_of("1"), out;

	sotto_rational_init(&out);
	sotto_sqrt_up(out.q, x.q, 10);
	CHECK(rational_is(out.q, "1.5"));
	sotto_log_up(out.q, one.q, 10);
	CHECK(rational_is(out.q, "0"));
	sotto_rational_release(&x);
	sotto_rational_release(&one);
	sotto_rational_release(&out);
}

int main(void)
{
	RUN(results_lie_on_the_named_side_and_near);
	RUN(exact_values_stay_exact);
	return tap_done();
}
