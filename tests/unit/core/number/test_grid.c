/* The grid: rounding, and the sensitivity that rounding leaves. */
#include "sotto/noise.h"

#include "testlib/tap.h"

static struct sotto_grid grid;
static struct sotto_rational x;

static void set(struct sotto_rational *r, int64_t num, int64_t den)
{
	CHECK_INT(sotto_rational_set_ratio(r, num, den), SOTTO_OK);
}

static void set_step(int64_t num, int64_t den)
{
	set(&x, num, den);
	CHECK_INT(sotto_grid_set_step(&grid, &x), SOTTO_OK);
}

static int64_t rounded(int64_t num, int64_t den)
{
	int64_t steps = INT64_MIN;

	set(&x, num, den);
	CHECK_INT(sotto_grid_round(&grid, &x, &steps), SOTTO_OK);
	return steps;
}

static void rounding_goes_to_the_nearest_and_halves_go_up(void)
{
	set_step(1, 4);
	CHECK_INT(rounded(1, 8), 1);
	CHECK_INT(rounded(-1, 8), 0);
	CHECK_INT(rounded(124, 1000), 0);
	CHECK_INT(rounded(-126, 1000), -1);
	CHECK_INT(rounded(10, 1), 40);
	set_step(1, 3);
	CHECK_INT(rounded(1, 2), 2);
	CHECK_INT(rounded(1, 1), 3);
}

static void a_step_must_be_positive(void)
{
	set(&x, 0, 1);
	CHECK_INT(sotto_grid_set_step(&grid, &x), SOTTO_EINVAL);
	set(&x, -1, 2);
	CHECK_INT(sotto_grid_set_step(&grid, &x), SOTTO_EINVAL);
}

static void what_does_not_fit_is_refused_not_cut(void)
{
	int64_t steps = 7;

	set_step(1, 2);
	set(&x, INT64_MAX, 1);
	CHECK_INT(sotto_grid_round(&grid, &x, &steps), SOTTO_EOVERFLOW);
	CHECK_INT(sotto_grid_sensitivity_l1_up(&grid, &x, 1, &steps), SOTTO_EOVERFLOW);
	CHECK_INT(sotto_grid_sensitivity_l2_up(&grid, &x, 9, &steps), SOTTO_EOVERFLOW);
	CHECK_INT(steps, 7);
}

static void multiples_are_recognised_and_given_back(void)
{
	set_step(1, 100);
	set(&x, 1234, 100);
	CHECK(sotto_grid_holds(&grid, &x));
	sotto_grid_value(&grid, 1234, &x);
	CHECK(mpq_cmp_si(x.q, 617, 50) == 0);
	set(&x, 12345, 1000);
	CHECK(!sotto_grid_holds(&grid, &x));
}

static void the_sensitivity_counts_the_rounding(void)
{
	int64_t steps;

	set_step(1, 1 << 20);
	set(&x, 1, 1);
	CHECK_INT(sotto_grid_sensitivity_l1_up(&grid, &x, 1, &steps), SOTTO_OK);
	CHECK_INT(steps, 1048577);
	set_step(1, 1 << 19);
	set(&x, 3, 1);
	CHECK_INT(sotto_grid_sensitivity_l1_up(&grid, &x, 1, &steps), SOTTO_OK);
	CHECK_INT(steps, 1572865);
	CHECK_INT(sotto_grid_sensitivity_l1_up(&grid, &x, 100, &steps), SOTTO_OK);
	CHECK_INT(steps, 1572864 + 100);
	CHECK_INT(sotto_grid_sensitivity_l2_up(&grid, &x, 1, &steps), SOTTO_OK);
	CHECK_INT(steps, 1572865);
	CHECK_INT(sotto_grid_sensitivity_l2_up(&grid, &x, 100, &steps), SOTTO_OK);
	CHECK_INT(steps, 1572874);
	CHECK_INT(sotto_grid_sensitivity_l2_up(&grid, &x, 101, &steps), SOTTO_OK);
	CHECK_INT(steps, 1572875);
	set_step(2, 3);
	set(&x, 1, 1);
	CHECK_INT(sotto_grid_sensitivity_l2_up(&grid, &x, 2, &steps), SOTTO_OK);
	CHECK_INT(steps, 3); /* 1.5 + 1.414 */
	CHECK_INT(sotto_grid_sensitivity_l2_up(&grid, &x, 3, &steps), SOTTO_OK);
	CHECK_INT(steps, 4); /* 1.5 + 1.732 */
	CHECK_INT(sotto_grid_sensitivity_l1_up(&grid, &x, 0, &steps), SOTTO_EINVAL);
	set(&x, 0, 1);
	CHECK_INT(sotto_grid_sensitivity_l1_up(&grid, &x, 1, &steps), SOTTO_EINVAL);
}

/* All pairs on a fine lattice whose distance is at most S: the bound holds for both. */
static void no_pair_of_neighbours_moves_further_than_the_bound(void)
{
	enum { FINE = 24 }; /* lattice of g/24 */
	int64_t worst = 0, bound;

	set_step(1, 1);
	for (int64_t s = 1; s <= 3 * FINE; s++) {
		worst = 0;
		for (int64_t a = 0; a < FINE; a++)
			for (int64_t d = 0; d <= s; d++) {
				int64_t moved = rounded(a + d, FINE) - rounded(a, FINE);

				worst = moved > worst ? moved : worst;
			}
		set(&x, s, FINE);
		CHECK_INT(sotto_grid_sensitivity_l1_up(&grid, &x, 1, &bound), SOTTO_OK);
		CHECK(worst <= bound);
		CHECK(worst >= bound - 1);
	}
}

int main(void)
{
	sotto_grid_init(&grid);
	sotto_rational_init(&x);
	RUN(rounding_goes_to_the_nearest_and_halves_go_up);
	RUN(a_step_must_be_positive);
	RUN(what_does_not_fit_is_refused_not_cut);
	RUN(multiples_are_recognised_and_given_back);
	RUN(the_sensitivity_counts_the_rounding);
	RUN(no_pair_of_neighbours_moves_further_than_the_bound);
	sotto_grid_release(&grid);
	sotto_rational_release(&x);
	return tap_done();
}
