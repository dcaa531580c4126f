/*
 * What the discrete Gaussian costs, against the definition of (epsilon, delta)
 * summed up term by term, and against the continuous law where they must agree.
 */
#include "sotto/noise.h"

#include "testlib/tap.h"

static struct sotto_rational epsilon, delta, sigma2, out;

static void set(struct sotto_rational *q, const char *text)
{
	CHECK_INT(sotto_rational_parse(q, text, NULL), SOTTO_OK);
}

static long double mass(long double s, long y)
{
	return expl(-(long double)y * (long double)y / (2 * s));
}

/* sum over y of max(0, P(y) - e^epsilon P(y + d)): the definition, no threshold */
static long double delta_by_definition(long double s, long d, long double e)
{
	long reach = (long)(40 * sqrtl(s)) + 40;
	long double total = 0, bad = 0;

	for (long y = -reach - d; y <= reach + d; y++) {
		long double gain = mass(s, y) - expl(e) * mass(s, y + d);

		total += mass(s, y);
		bad += gain > 0 ? gain : 0;
	}
	return bad / total;
}

static void delta_is_that_of_the_definition(void)
{
	static const struct {
		const char *sigma2, *epsilon;
		long d;
	} cases[] = {{"1", "1", 1},      {"1/4", "0.5", 1}, {"10", "0.1", 3},
		     {"17.9", "1", 1},   {"400", "2", 50},  {"1500", "1", 20},
		     {"2000", "0.3", 7}, {"0.05", "3", 1},  {"100", "0.01", 1}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		long double want;

		set(&sigma2, cases[i].sigma2);
		set(&epsilon, cases[i].epsilon);
		want = delta_by_definition(mpq_get_d(sigma2.q), cases[i].d,
					   mpq_get_d(epsilon.q));
		CHECK_INT(sotto_gaussian_delta_up(&sigma2, cases[i].d, 1, &epsilon, &out),
			  SOTTO_OK);
		CHECK_REL(sotto_rational_double_up(&out), (double)want, 1e-12);
	}
}

static void smaller_shifts_never_cost_more(void)
{
	for (long d = 1; d <= 12; d++)
		for (int k = 0; k < 8; k++) {
			long double s = 0.3L * (1 << k), e = 0.7L;

			CHECK(delta_by_definition(s, d, e) <=
			      delta_by_definition(s, d + 1, e) + 1e-17L);
		}
}

static void calibration_is_safe_and_tight(void)
{
	static const struct {
		const char *epsilon, *delta;
		long d;
	} cases[] = {{"1", "1e-6", 1},   {"0.5", "1e-5", 3}, {"4", "1e-9", 10},
		     {"0.1", "0.01", 1}, {"10", "1e-9", 2},  {"1", "0.5", 1}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		long double s, e, limit;

		set(&epsilon, cases[i].epsilon);
		set(&delta, cases[i].delta);
		REQUIRE(sotto_gaussian_calibrate_up(&epsilon, &delta, cases[i].d, 1, &sigma2) ==
			SOTTO_OK);
		s = mpq_get_d(sigma2.q);
		e = mpq_get_d(epsilon.q);
		limit = mpq_get_d(delta.q);
		CHECK(delta_by_definition(s, cases[i].d, e) <= limit * (1 + 1e-15L));
		CHECK(delta_by_definition(s * (1 - 1e-8L), cases[i].d, e) > limit);
	}
}

/* P[N > t] and delta of the continuous Gaussian (Balle and Wang 2018) */
static double upper(double t)
{
	return erfc(t / sqrt(2)) / 2;
}

static double continuous_delta(double ratio, double e)
{
	return upper(e * ratio - 1 / (2 * ratio)) - exp(e) * upper(e * ratio + 1 / (2 * ratio));
}

static void on_a_fine_grid_it_is_the_continuous_gaussian(void)
{
	const int64_t steps = 1048577;
	double ratio;

	set(&epsilon, "1");
	set(&delta, "1e-6");
	REQUIRE(sotto_gaussian_calibrate_up(&epsilon, &delta, steps, 1, &sigma2) == SOTTO_OK);
	ratio = sqrt(mpq_get_d(sigma2.q)) / (double)steps;
	CHECK_REL(continuous_delta(ratio, 1), 1e-6, 1e-5);
	CHECK_REL(ratio, 4.22467889, 1e-8);
}

static void extreme_parameters_are_answered(void)
{
	static const char *const epsilons[] = {"1e-17", "1e-9", "1000000"};
	static const char *const deltas[] = {"1e-300", "1e-10", "0.999"};

	for (size_t i = 0; i < 3; i++)
		for (size_t j = 1; j < 3; j++) {
			set(&epsilon, epsilons[i]);
			set(&delta, deltas[j]);
			CHECK_INT(sotto_gaussian_calibrate_up(&epsilon, &delta, 5, 1, &sigma2),
				  SOTTO_OK);
			CHECK_INT(sotto_gaussian_delta_up(&sigma2, 5, 1, &epsilon, &out),
				  SOTTO_OK);
			CHECK(sotto_rational_compare(&out, &delta) <= 0);
		}
	set(&epsilon, "1");
	set(&delta, "1e-300");
	CHECK_INT(sotto_gaussian_calibrate_up(&epsilon, &delta, 1, 1, &sigma2), SOTTO_OK);
	CHECK_REL(sqrt(mpq_get_d(sigma2.q)), 36.9, 0.05);
}

/* Two coordinates, shift (3, 4): L2 norm 5. */
static double delta_in_the_plane(double s, double e)
{
	double total = 0, bad = 0;

	for (int x = -90; x <= 90; x++)
		for (int y = -90; y <= 90; y++) {
			double p = exp(-(x * x + y * y) / (2 * s));
			double q = exp(-((x + 3) * (x + 3) + (y + 4) * (y + 4)) / (2 * s));

			total += p;
			bad += fmax(0, p - exp(e) * q);
		}
	return bad / total;
}

static void a_vector_costs_no_more_than_is_said(void)
{
	static const char *const sizes[] = {"10", "25", "60"};

	for (size_t i = 0; i < 3; i++) {
		double true_delta, said;

		set(&sigma2, sizes[i]);
		set(&epsilon, "1");
		CHECK_INT(sotto_gaussian_delta_up(&sigma2, 5, 2, &epsilon, &out), SOTTO_OK);
		said = sotto_rational_double_up(&out);
		true_delta = delta_in_the_plane(mpq_get_d(sigma2.q), 1);
		CHECK(true_delta <= said);
		CHECK(said < 10 * true_delta);
	}
}

static void epsilon_at_a_delta_is_the_inverse(void)
{
	set(&sigma2, "17.9");
	set(&delta, "1e-6");
	REQUIRE(sotto_gaussian_epsilon_up(&sigma2, 1, 1, &delta, &epsilon) == SOTTO_OK);
	CHECK_INT(sotto_gaussian_delta_up(&sigma2, 1, 1, &epsilon, &out), SOTTO_OK);
	CHECK(sotto_rational_compare(&out, &delta) <= 0);
	sotto_rational_subtract(&epsilon, &epsilon, &delta);
	CHECK_INT(sotto_gaussian_delta_up(&sigma2, 1, 1, &epsilon, &out), SOTTO_OK);
	CHECK(sotto_rational_compare(&out, &delta) > 0);
}

static void bad_parameters_are_refused(void)
{
	static const char *const bad_deltas[] = {"0", "-0.1", "1", "2"};

	set(&epsilon, "1");
	for (size_t i = 0; i < 4; i++) {
		set(&delta, bad_deltas[i]);
		CHECK_INT(sotto_gaussian_calibrate_up(&epsilon, &delta, 1, 1, &sigma2),
			  SOTTO_EINVAL);
	}
	set(&delta, "1e-6");
	CHECK_INT(sotto_gaussian_calibrate_up(&epsilon, &delta, 0, 1, &sigma2), SOTTO_EINVAL);
	CHECK_INT(sotto_gaussian_calibrate_up(&epsilon, &delta, 1, 0, &sigma2), SOTTO_EINVAL);
	CHECK_INT(sotto_gaussian_calibrate_up(&epsilon, &delta, INT64_MAX, 1, &sigma2),
		  SOTTO_ERANGE);
	set(&delta, "1e-302");
	CHECK_INT(sotto_gaussian_calibrate_up(&epsilon, &delta, 1, 1, &sigma2), SOTTO_ERANGE);
	set(&delta, "1e-6");
	set(&epsilon, "0");
	CHECK_INT(sotto_gaussian_calibrate_up(&epsilon, &delta, 1, 1, &sigma2), SOTTO_EINVAL);
	set(&epsilon, "1e-20");
	CHECK_INT(sotto_gaussian_calibrate_up(&epsilon, &delta, 1, 1, &sigma2), SOTTO_ERANGE);
	set(&epsilon, "1");
	set(&sigma2, "1e-9");
	CHECK_INT(sotto_gaussian_delta_up(&sigma2, 1, 1, &epsilon, &out), SOTTO_ERANGE);
}

int main(void)
{
	sotto_rational_init(&epsilon);
	sotto_rational_init(&delta);
	sotto_rational_init(&sigma2);
	sotto_rational_init(&out);
	RUN(delta_is_that_of_the_definition);
	RUN(smaller_shifts_never_cost_more);
	RUN(calibration_is_safe_and_tight);
	RUN(on_a_fine_grid_it_is_the_continuous_gaussian);
	RUN(extreme_parameters_are_answered);
	RUN(a_vector_costs_no_more_than_is_said);
	RUN(epsilon_at_a_delta_is_the_inverse);
	RUN(bad_parameters_are_refused);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
	sotto_rational_release(&sigma2);
	sotto_rational_release(&out);
	return tap_done();
}
