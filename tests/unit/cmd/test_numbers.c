/* Exact values from operands, a stream or a CSV column; complaints name the place only. */
#include "read/numbers.h"

#include <stdlib.h>

#include "testlib/tap.h"

static struct sotto_grid grid;
static struct numbers numbers;
static struct sotto_error err;

static FILE *stream_of(const char *text)
{
	FILE *in = tmpfile();

	fputs(text, in);
	rewind(in);
	return in;
}

static enum outcome
read_from(const char *input, const char *column, const char *const *words, size_t count)
{
	struct operands operands = {(const char **)(uintptr_t)words, count};
	FILE *in = stream_of(input);
	const struct number_source source = {
		.csv = column ? "-" : NULL, .column = column, .operands = &operands, .in = in};
	enum outcome outcome = numbers_read(&numbers, &source, &grid,
					    mpq_cmp_ui(grid.step.q, 1, 1) != 0, &err);

	fclose(in);
	return outcome;
}

static void set_step(const char *text)
{
	struct sotto_rational step;

	sotto_rational_init(&step);
	CHECK_INT(sotto_rational_parse(&step, text, NULL), SOTTO_OK);
	CHECK_INT(sotto_grid_set_step(&grid, &step), SOTTO_OK);
	sotto_rational_release(&step);
}

static void operands_are_read_exactly(void)
{
	const char *words[] = {
		"12", "-3", "1e3", "6/2", "9223372036854775807", "-9223372036854775808"};
	const int64_t want[] = {12, -3, 1000, 3, INT64_MAX, INT64_MIN};

	CHECK_INT(read_from("", NULL, words, 6), OUTCOME_DONE);
	REQUIRE(numbers.count == 6);
	for (size_t i = 0; i < 6; i++)
		CHECK(numbers.items[i].secret == want[i]);
	numbers_release(&numbers);
}

static void a_stream_is_read_by_words(void)
{
	CHECK_INT(read_from("1 2\n\n\t3\r\n-4", NULL, NULL, 0), OUTCOME_DONE);
	REQUIRE(numbers.count == 4);
	CHECK(numbers.items[2].secret == 3 && numbers.items[3].secret == -4);
	numbers_release(&numbers);
}

static void many_values_survive_growing(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < 5000; i++)
		fprintf(out, "%d\n", i);
	fclose(out);
	CHECK_INT(read_from(text, NULL, NULL, 0), OUTCOME_DONE);
	REQUIRE(numbers.count == 5000);
	for (int i = 0; i < 5000; i++)
		CHECK(numbers.items[i].secret == i);
	numbers_release(&numbers);
	free(text);
}

static void a_column_is_found_by_name(void)
{
	CHECK_INT(read_from("name,\"age\"\r\nA,30\r\n\"B, C\",\"41\"\r\n", "age", NULL, 0),
		  OUTCOME_DONE);
	REQUIRE(numbers.count == 2);
	CHECK(numbers.items[0].secret == 30 && numbers.items[1].secret == 41);
	numbers_release(&numbers);
}

static void values_go_to_the_nearest_grid_point_halves_up(void)
{
	const char *words[] = {"0.12", "0.125", "0.126", "-0.125", "1/3"};
	const int64_t want[] = {0, 1, 1, 0, 1};

	set_step("0.25");
	CHECK_INT(read_from("", NULL, words, 5), OUTCOME_DONE);
	REQUIRE(numbers.count == 5);
	for (size_t i = 0; i < 5; i++)
		CHECK_INT(numbers.items[i].secret, want[i]);
	numbers_release(&numbers);
	set_step("1");
}

static const struct {
	const char *input, *column, *word, *sentence;
} refusals[] = {
	{"", NULL, "4711x", "operand 1: expected a number like 12, -0.5, 1e6 or 1/3"},
	{"", NULL, "4711.5", "operand 1: expected a whole number; --step gives a finer grid"},
	{"", NULL, "9223372036854775808",
	 "operand 1: the value is beyond 2^63 steps; a larger --step is needed"},
	{"1\n2 4711x\n", NULL, NULL,
	 "standard input, line 2: expected a number like 12, -0.5, 1e6 or 1/3"},
	{"\n\n\n4711,5", NULL, NULL,
	 "standard input, line 4: expected a number like 12, -0.5, 1e6 or 1/3"},
	{"", NULL, NULL, "there is no value to read"},
	{"age\n", "age", NULL, "there is no value to read"},
	{"age,x\n1,2\n\"\n4711\",3\n", "age", NULL,
	 "-, line 3, column age: expected a number like 12, -0.5, 1e6 or 1/3"},
	{"x,age\n1\n", "age", NULL, "-, line 2, column age: the line ends before it"},
	{"name,ages\n", "age", NULL, "- has no column age; did you mean ages?"},
	{"name\n", "age", NULL, "- has no column age; the first line must name it"},
	{"age\n\"4711\n", "age", NULL, "-, line 2: a quoted field is never closed"},
};

static void a_complaint_names_the_place_and_never_the_value(void)
{
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
		enum outcome outcome = read_from(refusals[i].input, refusals[i].column,
						 &refusals[i].word, refusals[i].word != NULL);

		CHECK_INT(outcome, OUTCOME_REFUSED);
		CHECK_STR(err.text, refusals[i].sentence);
		CHECK(strstr(err.text, "4711") == NULL);
		numbers_release(&numbers);
	}
}

static void sources_that_contradict_each_other_are_refused(void)
{
	const char *word = "1";
	struct operands one = {&word, 1}, none = {0};
	const struct number_source both = {
		.csv = "x.csv", .column = "a", .operands = &one, .in = stdin};
	const struct number_source no_column = {.csv = "x.csv", .operands = &none, .in = stdin};
	const struct number_source no_file = {.column = "a", .operands = &one, .in = stdin};
	const struct number_source missing = {
		.csv = "/nonexistent/x.csv", .column = "a", .operands = &none, .in = stdin};

	CHECK_INT(numbers_read(&numbers, &both, &grid, false, &err), OUTCOME_USAGE);
	CHECK_INT(numbers_read(&numbers, &no_column, &grid, false, &err), OUTCOME_USAGE);
	CHECK_INT(numbers_read(&numbers, &no_file, &grid, false, &err), OUTCOME_USAGE);
	CHECK_INT(numbers_read(&numbers, &missing, &grid, false, &err), OUTCOME_REFUSED);
	CHECK_STR(err.text, "/nonexistent/x.csv could not be opened");
}

int main(void)
{
	sotto_grid_init(&grid);
	RUN(operands_are_read_exactly);
	RUN(a_stream_is_read_by_words);
	RUN(many_values_survive_growing);
	RUN(a_column_is_found_by_name);
	RUN(values_go_to_the_nearest_grid_point_halves_up);
	RUN(a_complaint_names_the_place_and_never_the_value);
	RUN(sources_that_contradict_each_other_are_refused);
	sotto_grid_release(&grid);
	return tap_done();
}
