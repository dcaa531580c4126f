/*
 * toy_gauss_cases_kernel.h - what is tried of a bulk Gaussian block, for one TOY_GROUP
 *
 * A program defines that and includes this: it is the whole test.
 */
#include "testlib/sampler/toy_gauss_kernel.h"

static void check_budget(unsigned budget)
{
	for (unsigned width = 0; width <= 2; width++) {
		struct toy_gauss law = {budget, width, TOY_RIGHT};

		CHECK_INT(toy_gauss_faults(&law, 7 + budget), 0);
	}
}

static void a_list_of_1_leaves_candidates_over(void)
{
	check_budget(1);
}

static void a_list_of_2_has_room_for_every_candidate(void)
{
	check_budget(2);
}

static void a_list_of_3_always_has_dummies(void)
{
	check_budget(3);
}

static void rejecting_what_is_open_is_noticed(void)
{
	struct toy_gauss law = {1, 1, TOY_OPEN_IS_NO};

	CHECK(toy_gauss_faults(&law, 8) > 0);
}

static void redrawing_what_is_open_is_noticed(void)
{
	struct toy_gauss law = {2, 1, TOY_REDRAW};

	CHECK(toy_gauss_faults(&law, 9) > 0);
}

static void reading_a_digit_twice_is_noticed(void)
{
	struct toy_gauss law = {2, 1, TOY_WORD_TWICE};

	CHECK(toy_gauss_faults(&law, 9) > 0);
}

int main(void)
{
	RUN(a_list_of_1_leaves_candidates_over);
	RUN(a_list_of_2_has_room_for_every_candidate);
	RUN(a_list_of_3_always_has_dummies);
	RUN(rejecting_what_is_open_is_noticed);
	RUN(redrawing_what_is_open_is_noticed);
	RUN(reading_a_digit_twice_is_noticed);
	return tap_done();
}
