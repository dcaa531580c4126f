/* The transform and its error bound, against a direct sum in long double. */
#include "core/account/integral/fft.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "testlib/tap.h"

static double next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) * 0x1p-53;
}

/* The largest error of one transform of length n, in units of its bound. */
static double worst_ratio(size_t n, uint64_t seed, bool few)
{
	struct cx *x = calloc(n, sizeof *x), *z = calloc(n, sizeof *z);
	struct sotto_fft f;
	double worst = 0, sum = 0;

	CHECK(sotto_fft_init(&f, n) == SOTTO_OK);
	for (size_t j = 0; j < n; j++) {
		bool empty = few && j % 17 != 3;

		x[j] = z[j] = empty ? cx_of(0, 0) : cx_of(next(&seed) - 0.3, next(&seed));
		sum += cx_abs(x[j]);
	}
	sotto_fft_run(&f, z);
	for (size_t k = 0; k < n; k++) {
		long double re = 0, im = 0;

		for (size_t j = 0; j < n; j++) {
			long double s, c;

			sincosl(2 * 3.14159265358979323846264338327950288L *
					(long double)(j * k % n) / (long double)n,
				&s, &c);
			re += x[j].re * c - x[j].im * s;
			im += x[j].re * s + x[j].im * c;
		}
		worst = fmax(worst, hypot((double)(re - z[k].re), (double)(im - z[k].im)));
	}
	worst /= sotto_fft_error(&f) * sum;
	sotto_fft_release(&f);
	free(x);
	free(z);
	return worst;
}

static void every_value_is_within_the_bound(void)
{
	for (size_t n = 2; n <= 256; n *= 2)
		for (uint64_t seed = 1; seed < 4; seed++) {
			CHECK(worst_ratio(n, seed, false) < 1);
			if (n > 16)
				CHECK(worst_ratio(n, seed, true) < 1);
		}
}

static void a_single_one_becomes_a_turning_phase(void)
{
	struct cx z[64] = {{0, 0}};
	struct sotto_fft f;

	z[5].re = 1;
	CHECK(sotto_fft_init(&f, 64) == SOTTO_OK);
	sotto_fft_run(&f, z);
	for (int k = 0; k < 64; k++) {
		CHECK(fabs(z[k].re - cos(2 * M_PI * 5 * k / 64)) < 1e-14);
		CHECK(fabs(z[k].im - sin(2 * M_PI * 5 * k / 64)) < 1e-14);
	}
	sotto_fft_release(&f);
}

/* The bound is of use: it is no more than some hundred units in the last place. */
static void the_bound_is_small(void)
{
	struct sotto_fft f;

	CHECK(sotto_fft_init(&f, 1 << 17) == SOTTO_OK);
	CHECK(sotto_fft_error(&f) < 100 * DBL_EPSILON);
	sotto_fft_release(&f);
}

int main(void)
{
	RUN(every_value_is_within_the_bound);
	RUN(a_single_one_becomes_a_turning_phase);
	RUN(the_bound_is_small);
	return tap_done();
}
