/* The option parser: every spelling, every kind, every refusal. */
#include "frame/option.h"

#include <stdlib.h>

#include "testlib/tap.h"

struct settings {
	bool quiet, verbose;
	const char *file;
	struct option_rational epsilon;
	struct option_rational share;
	struct option_count count;
	size_t colour;
	struct option_list tags;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

#define AT(member) .offset = offsetof(struct settings, member)

static const struct option table[] = {
	{.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .help = "x", AT(quiet)},
	{.name = "verbose", .letter = 'v', .kind = OPTION_FLAG, .help = "x", AT(verbose)},
	{.name = "file",
	 .letter = 'f',
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "x",
	 AT(file)},
	{.name = "epsilon",
	 .letter = 'e',
	 .argument = "E",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_POSITIVE,
	 .required = true,
	 .help = "privacy parameter",
	 AT(epsilon)},
	{.name = "share",
	 .argument = "P",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_INSIDE_UNIT,
	 .fallback = "1/2",
	 .help = "x",
	 AT(share)},
	{.name = "count",
	 .letter = 'n',
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "1",
	 .help = "x",
	 AT(count)},
	{.name = "colour",
	 .argument = "C",
	 .kind = OPTION_CHOICE,
	 .choices = colours,
	 .help = "x",
	 AT(colour)},
	{.name = "tag", .argument = "T", .kind = OPTION_LIST, .help = "x", AT(tags)},
	OPTIONS_END};

static struct settings settings;
static struct operands operands;
static struct sotto_error err;
static const struct option_group group = {table, &settings};

#define PARSE(...)                                                                             \
	parse((const char *[]){__VA_ARGS__},                                                   \
	      sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

static enum outcome parse(const char *const *arguments, size_t count)
{
	enum outcome outcome;

	memset(&settings, 0, sizeof settings);
	option_group_init(&group);
	err.text[0] = '\0';
	outcome = option_parse(&group, 1, arguments, count, &operands, &err);
	return outcome == OUTCOME_DONE ? option_check(&group, &err) : outcome;
}

static void end(void)
{
	option_group_release(&group);
	free(operands.items);
}

static void a_value_may_follow_or_be_attached(void)
{
	const char *forms[][2] = {{"--epsilon", "0.1"}, {"-e", "0.1"}};

	for (size_t i = 0; i < 2; i++) {
		CHECK_INT(PARSE(forms[i][0], forms[i][1]), OUTCOME_DONE);
		CHECK(mpq_cmp_si(settings.epsilon.value.q, 1, 10) == 0);
		CHECK(settings.epsilon.given);
		CHECK_STR(settings.epsilon.text, "0.1");
		end();
	}
	CHECK_INT(PARSE("--epsilon=1/3", "-fname", "--tag=a=b"), OUTCOME_DONE);
	CHECK(mpq_cmp_si(settings.epsilon.value.q, 1, 3) == 0);
	CHECK_STR(settings.file, "name");
	CHECK_STR(settings.tags.items[0], "a=b");
	end();
}

static void flags_may_be_bundled_with_a_last_option(void)
{
	CHECK_INT(PARSE("-qve2"), OUTCOME_DONE);
	CHECK(settings.quiet && settings.verbose);
	CHECK(mpq_cmp_si(settings.epsilon.value.q, 2, 1) == 0);
	end();
}

static void negative_numbers_are_operands(void)
{
	CHECK_INT(PARSE("-3", "-e", "1", "-0.5", "-.25", "-", "word"), OUTCOME_DONE);
	REQUIRE(operands.count == 5);
	CHECK_STR(operands.items[0], "-3");
	CHECK_STR(operands.items[1], "-0.5");
	CHECK_STR(operands.items[2], "-.25");
	CHECK_STR(operands.items[3], "-");
	CHECK_STR(operands.items[4], "word");
	end();
}

static void two_dashes_end_the_options(void)
{
	CHECK_INT(PARSE("-e1", "--", "--quiet", "-q", "--"), OUTCOME_DONE);
	CHECK(!settings.quiet);
	CHECK_INT(operands.count, 3);
	end();
}

static void a_fallback_is_there_but_not_given(void)
{
	CHECK_INT(PARSE("-e1"), OUTCOME_DONE);
	CHECK(mpq_cmp_si(settings.share.value.q, 1, 2) == 0 && !settings.share.given);
	CHECK(settings.count.value == 1 && !settings.count.given);
	end();
	CHECK_INT(PARSE("-e1", "--share", "0.25", "-n", "7"), OUTCOME_DONE);
	CHECK(mpq_cmp_si(settings.share.value.q, 1, 4) == 0 && settings.share.given);
	CHECK(settings.count.value == 7 && settings.count.given);
	end();
}

static void choices_and_lists_are_kept(void)
{
	CHECK_INT(PARSE("-e1", "--colour", "blue", "--tag", "a", "--tag", "b", "--tag=c"),
		  OUTCOME_DONE);
	CHECK_INT(settings.colour, 2);
	REQUIRE(settings.tags.count == 3);
	CHECK_STR(settings.tags.items[2], "c");
	end();
}

/* The arguments, the outcome and a part of the sentence. */
static const struct {
	const char *arguments[4];
	enum outcome outcome;
	const char *words;
} refusals[] = {
	{{"--epsilom", "1"},
	 OUTCOME_USAGE,
	 "unknown option --epsilom; did you mean --epsilon?"},
	{{"--eps", "1"}, OUTCOME_USAGE, "did you mean --epsilon?"},
	{{"--nothing-like-it"}, OUTCOME_USAGE, "unknown option --nothing-like-it; --help"},
	{{"-x"}, OUTCOME_USAGE, "unknown option -x"},
	{{"--quiet=yes"}, OUTCOME_USAGE, "--quiet takes no value"},
	{{"--epsilon"}, OUTCOME_USAGE, "--epsilon needs a value (E)"},
	{{"--file", "--quiet"}, OUTCOME_USAGE, "--file needs a value (FILE)"},
	{{"-e"}, OUTCOME_USAGE, "--epsilon needs a value (E)"},
	{{"--epsilon", "abc"}, OUTCOME_USAGE, "--epsilon: \"abc\" is not a number"},
	{{"--epsilon", ""}, OUTCOME_USAGE, "is not a number"},
	{{"--epsilon", "0"}, OUTCOME_REFUSED, "--epsilon must be greater than 0, not 0"},
	{{"--epsilon", "-1"}, OUTCOME_REFUSED, "--epsilon must be greater than 0, not -1"},
	{{"--epsilon", "nan"}, OUTCOME_REFUSED, "--epsilon must be greater than 0 and finite"},
	{{"--epsilon=-Inf"}, OUTCOME_REFUSED, "and finite, not -Inf"},
	{{"-e1", "-e1"}, OUTCOME_USAGE, "--epsilon was given twice"},
	{{"-e1", "-fa", "-fb"}, OUTCOME_USAGE, "--file was given twice"},
	{{"-e1", "--share", "1"}, OUTCOME_REFUSED, "--share must be between 0 and 1, not 1"},
	{{"-e1", "--share", "0"}, OUTCOME_REFUSED, "--share must be between 0 and 1, not 0"},
	{{"-e1", "-n", "0"}, OUTCOME_REFUSED, "--count must be at least 1, not 0"},
	{{"-e1", "-n", "-2"}, OUTCOME_REFUSED, "--count must be at least 1, not -2"},
	{{"-e1", "-n", "1.5"}, OUTCOME_USAGE, "--count must be a whole number, not \"1.5\""},
	{{"-e1", "-n", "1e3"}, OUTCOME_USAGE, "--count must be a whole number"},
	{{"-e1", "-n", "9223372036854775808"}, OUTCOME_REFUSED, "--count is too large"},
	{{"-e1", "-n", "99999999999999999999"}, OUTCOME_REFUSED, "--count is too large"},
	{{"-e1", "--colour", "pink"},
	 OUTCOME_USAGE,
	 "--colour must be red, green or blue, not \"pink\""},
	{{"--quiet"}, OUTCOME_USAGE, "--epsilon E is needed: privacy parameter"},
};

static void what_is_wrong_is_said_in_one_sentence(void)
{
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
		size_t count = 0;

		while (count < 4 && refusals[i].arguments[count])
			count++;
		CHECK_INT(parse(refusals[i].arguments, count), refusals[i].outcome);
		if (!tap_check(strstr(err.text, refusals[i].words) != NULL, __FILE__, __LINE__,
			       "\"%s\" lacks \"%s\"", err.text, refusals[i].words))
			tap_note("refusal %zu", i);
		CHECK(strchr(err.text, '\n') == NULL);
		end();
	}
}

static void the_largest_count_is_taken(void)
{
	CHECK_INT(PARSE("-e1", "-n", "9223372036854775807"), OUTCOME_DONE);
	CHECK(settings.count.value == INT64_MAX);
	end();
}

int main(void)
{
	RUN(a_value_may_follow_or_be_attached);
	RUN(flags_may_be_bundled_with_a_last_option);
	RUN(negative_numbers_are_operands);
	RUN(two_dashes_end_the_options);
	RUN(a_fallback_is_there_but_not_given);
	RUN(choices_and_lists_are_kept);
	RUN(what_is_wrong_is_said_in_one_sentence);
	RUN(the_largest_count_is_taken);
	return tap_done();
}
