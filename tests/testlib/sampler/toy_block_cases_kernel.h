/*
 * toy_block_cases_kernel.h - what is tried of the block sampler, for some shapes
 *
 * A program defines TOY_GROUP and TOY_BITS, includes toy_block_kernel.h, lists its shapes and
 * includes this: it is the rest of the test.
 */
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void check_budget(unsigned budget)
{
	const size_t shapes_used = effort() == EFFORT_SANITIZED ? 1 : SHAPES;

	for (size_t i = 0; i < shapes_used; i++) {
		toy_block_check(&shapes[i], true, budget);
		toy_block_check(&shapes[i], false, budget);
	}
}

static void a_budget_of_0_leaves_every_tie_to_the_slow_path(void)
{
	check_budget(0);
}

static void a_budget_of_1_overflows_in_the_middle_of_a_record(void)
{
	check_budget(1);
}

static void a_budget_of_2_overflows_rarely(void)
{
	check_budget(2);
}

static void a_wrong_digit_is_noticed_at_any_budget_and_plane(void)
{
	const struct toy_shape *s = &shapes[0];

	for (unsigned budget = 0; budget <= 2; budget++)
		for (unsigned plane = 0; plane < s->value_bits + 2; plane++)
			CHECK(toy_block_faults_if_planted(s, budget, plane) > 0);
}

int main(void)
{
	RUN(a_budget_of_0_leaves_every_tie_to_the_slow_path);
	RUN(a_budget_of_1_overflows_in_the_middle_of_a_record);
	RUN(a_budget_of_2_overflows_rarely);
	RUN(a_wrong_digit_is_noticed_at_any_budget_and_plane);
	return tap_done();
}
