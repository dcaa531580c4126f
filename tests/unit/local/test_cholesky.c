/* Dense positive systems in blocks: factor, solution, inverse, and columns that repeat. */
#include "local/rappor/regression/cholesky.h"

#include <math.h>
#include <stdlib.h>

#include "local/plan/simulation_rng.h"
#include "local/rappor/regression/dots.h"
#include "testlib/tap.h"

static void the_inverse_of_a_known_matrix_is_right(void)
{
	double a[9] = {4, 0, 0, 2, 5, 0, 1, 3, 6}, b[3] = {7, 10, 10}, d[3];
	double twin[4] = {1, 0, 1, 1}, tb[2] = {1, 1};
	bool dropped[3] = {0};

	/* [[4,2,1],[2,5,3],[1,3,6]]: x = (1,1,1); diagonal of the inverse 21/67, 23/67, 16/67 */
	sotto_cholesky_factor(a, 3, dropped);
	sotto_cholesky_solve(a, 3, dropped, b);
	sotto_cholesky_inverse_diagonal(a, 3, dropped, d);
	for (int i = 0; i < 3; i++)
		CHECK_REL(b[i], 1, 1e-12);
	CHECK_REL(d[0], 21.0 / 67, 1e-12);
	CHECK_REL(d[1], 23.0 / 67, 1e-12);
	CHECK_REL(d[2], 16.0 / 67, 1e-12);
	sotto_cholesky_factor(twin, 2, dropped);
	CHECK(!dropped[0] && dropped[1]);
	sotto_cholesky_solve(twin, 2, dropped, tb);
	CHECK_REL(tb[0], 1, 1e-12);
	CHECK(tb[1] == 0);
}

/* A = B B' + 1, with column `twin` a copy of column 0 where asked. */
static void make_system(size_t n, size_t twin, double *a)
{
	struct sotto_simulation_rng dice = {n};
	double *b = malloc(n * n * sizeof *b);

	for (size_t i = 0; i < n * n; i++)
		b[i] = sotto_simulation_unit(&dice) - .5;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			size_t x = i == twin ? 0 : i, y = j == twin ? 0 : j;

			a[i * n + j] = x == y;
			for (size_t k = 0; k < n; k++)
				a[i * n + j] += b[x * n + k] * b[y * n + k];
		}
	free(b);
}

/* Sizes around the blocks: below one, at its edges, several and a rest. */
static void blocks_of_any_size_invert(void)
{
	static const size_t sizes[] = {1, 2, 31, 32, 33, 36, 64, 97, 130};

	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
		size_t n = sizes[s], twin = n > 40 ? 40 : SIZE_MAX;
		double *a = malloc(n * n * sizeof *a), *l = malloc(n * n * sizeof *l);
		double *inverse = malloc(n * n * sizeof *inverse), *x = malloc(n * sizeof *x);
		double *diagonal = malloc(n * sizeof *diagonal), worst = 0;
		bool *dropped = calloc(n, sizeof *dropped);

		make_system(n, twin, a);
		memcpy(l, a, n * n * sizeof *l);
		for (size_t i = 0; i < n; i++) {
			x[i] = 0;
			for (size_t k = 0; k < n; k++)
				x[i] += k == twin ? 0 : a[i * n + k];
		}
		sotto_cholesky_factor(l, n, dropped);
		sotto_cholesky_solve(l, n, dropped, x);
		sotto_cholesky_inverse_diagonal(l, n, dropped, diagonal);
		sotto_cholesky_inverse(l, n, dropped, inverse);
		for (size_t i = 0; i < n; i++) {
			CHECK(dropped[i] == (i == twin));
			CHECK(fabs(x[i] - (i == twin ? 0 : 1)) < 1e-8);
			CHECK(i == twin ? isinf(diagonal[i])
					: fabs(diagonal[i] - inverse[i * n + i]) < 1e-10);
			for (size_t j = 0; i != twin && j < n; j++) {
				double product = 0;

				for (size_t k = 0; k < n; k++)
					product += inverse[i * n + k] * a[k * n + j];
				if (j != twin)
					worst = fmax(worst, fabs(product - (i == j)));
			}
		}
		CHECK(worst < 1e-8);
		free(a);
		free(l);
		free(inverse);
		free(x);
		free(diagonal);
		free(dropped);
	}
}

/* The same bits on every processor. */
static void kernels_agree_to_the_bit(void)
{
	double a[100], b[400], want[4];
	struct sotto_simulation_rng dice = {9};

	for (int i = 0; i < 100; i++)
		a[i] = sotto_simulation_unit(&dice);
	for (int i = 0; i < 400; i++)
		b[i] = sotto_simulation_unit(&dice) - .5;
	for (size_t n = 0; n <= 100; n++) {
		double plain = 0;

		sotto_dots_portable(a, b, 100, n, want);
		for (size_t i = 0; i < n; i++)
			plain += a[i] * b[300 + i];
		CHECK(fabs(plain - want[3]) < 1e-12);
#if defined(__x86_64__)
		double got[4];

		if (__builtin_cpu_supports("avx2")) {
			sotto_dots_avx2(a, b, 100, n, got);
			CHECK(memcmp(got, want, sizeof got) == 0);
		}
		if (__builtin_cpu_supports("avx512f")) {
			sotto_dots_avx512(a, b, 100, n, got);
			CHECK(memcmp(got, want, sizeof got) == 0);
		}
#endif
	}
}

int main(void)
{
	RUN(the_inverse_of_a_known_matrix_is_right);
	RUN(blocks_of_any_size_invert);
	RUN(kernels_agree_to_the_bit);
	return tap_done();
}
