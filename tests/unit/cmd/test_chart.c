/* Charts: points land where the axes say, gaps stay open, text cannot become markup. */
#include "show/chart/chart.h"

#include <stdlib.h>

#include "testlib/tap.h"

/* The chart as text; the caller frees it.  NULL if nothing was drawn. */
static char *drawn(const struct chart *c)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	bool ok = chart_write(c, f);

	fclose(f);
	if (ok)
		return text;
	free(text);
	return NULL;
}

static void corners_are_the_ends_of_the_axes(void)
{
	const double x[] = {0, 5}, y[] = {1e-5, 1};
	struct chart_line line = {.name = "a", .x = x, .y = y, .count = 2};
	struct chart c = {.title = "t",
			  .x_name = "x",
			  .y_name = "y",
			  .y_log = true,
			  .lines = &line,
			  .line_count = 1};
	char *text = drawn(&c);

	REQUIRE(text != NULL);
	CHECK(strstr(text, "d='M84.00 458.00L670.00 66.00'") != NULL);
	CHECK(strstr(text, ">-5</tspan>") != NULL);
	free(text);
}

static void what_cannot_be_drawn_leaves_a_gap(void)
{
	const double x[] = {0, 1, 2, 3}, y[] = {1, 0, 1, 1}, nan[] = {NAN, 1, INFINITY, 2};
	struct chart_line line = {.name = "a", .x = x, .y = y, .count = 4};
	struct chart c = {.title = "t",
			  .x_name = "x",
			  .y_name = "y",
			  .y_log = true,
			  .lines = &line,
			  .line_count = 1};
	char *text = drawn(&c);

	REQUIRE(text != NULL);
	CHECK(strstr(text, "M84.00 262.00M") != NULL);
	CHECK(strstr(text, "nan") == NULL);
	free(text);
	line.y = nan;
	text = drawn(&c);
	REQUIRE(text != NULL);
	CHECK(strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
	free(text);
}

static void nothing_to_draw_is_said(void)
{
	const double x[] = {1}, y[] = {-1};
	struct chart_line line = {.name = "a", .x = x, .y = y, .count = 1};
	struct chart c = {.title = "t",
			  .x_name = "x",
			  .y_name = "y",
			  .y_log = true,
			  .lines = &line,
			  .line_count = 1};

	CHECK(drawn(&c) == NULL);
	c.line_count = 0;
	CHECK(drawn(&c) == NULL);
}

static void names_are_text_not_markup(void)
{
	const double x[] = {1, 2}, y[] = {1, 2};
	struct chart_line line = {.name = "<script>&", .x = x, .y = y, .count = 2};
	struct chart c = {
		.title = "t", .x_name = "x", .y_name = "y", .lines = &line, .line_count = 1};
	char *text = drawn(&c);

	REQUIRE(text != NULL);
	CHECK(strstr(text, "&lt;script&gt;&amp;") != NULL);
	CHECK(strstr(text, "<script>") == NULL);
	free(text);
}

static void bars_begin_at_zero_and_whiskers_are_the_interval(void)
{
	static const char *const names[] = {"a", "b"};
	const double y[] = {60, -20}, low[] = {40, NAN}, high[] = {80, NAN};
	struct chart_line line = {.y = y, .low = low, .high = high, .count = 2};
	struct chart c = {
		.title = "t", .x_name = "n", .names = names, .lines = &line, .line_count = 1};
	char *text = drawn(&c);

	/* From -20 to 80 over 84 .. 764: 6.8 each. */
	REQUIRE(text != NULL);
	CHECK(strstr(text, "<rect x='220.0' y='71.0' width='408.0'") != NULL);
	CHECK(strstr(text, "<rect x='84.0' y='97.0' width='136.0'") != NULL);
	CHECK(strstr(text, "class='whisker' d='M492.0 79.0H764.0") != NULL);
	CHECK(strstr(strstr(text, "class='whisker'") + 1, "class='whisker'") == NULL);
	free(text);
}

static double left_axis_of(const char *text)
{
	const char *grid = strstr(text, "class='grid' d='M");
	double x = 0;

	return grid && sscanf(grid, "class='grid' d='M%lf", &x) == 1 ? x : 0;
}

/* The widest letters of common fonts: 8 of 13 for "e", 11 for "m" and most capitals. */
static void names_fit_beside_the_bars(void)
{
	static const struct {
		const char *name;
		double least;
	} cases[] = {{"news.example", 12 * 8 + 10},
		     {"summmmmmmmm", 2 * 8 + 9 * 11 + 10},
		     {"GOVERNMENT OFFICE", 16 * 11 + 8 + 10}};
	const double y[] = {60};
	struct chart_line line = {.y = y, .count = 1};

	for (size_t i = 0; i < 3; i++) {
		struct chart c = {.title = "t",
				  .x_name = "n",
				  .names = &cases[i].name,
				  .lines = &line,
				  .line_count = 1};
		char *text = drawn(&c);

		REQUIRE(text != NULL);
		CHECK(left_axis_of(text) >= cases[i].least);
		free(text);
	}
}

static void dates_are_named_by_the_calendar(void)
{
	/* 2024-01-01, 2024-07-01, 2025-01-01 */
	const double x[] = {19723, 19905, 20089}, y[] = {1, 2, 3}, low[] = {0, 1, 2},
		     high[] = {2, 3, 4};
	struct chart_line line = {.x = x, .y = y, .low = low, .high = high, .count = 3};
	struct chart c = {.title = "t",
			  .x_name = "day",
			  .y_name = "n",
			  .x_dates = true,
			  .lines = &line,
			  .line_count = 1};
	char *text = drawn(&c);

	REQUIRE(text != NULL);
	CHECK(strstr(text, "text-anchor='middle'>2024-03</text>") != NULL);
	CHECK(strstr(text, "d='M84.00 360.00L") != NULL);
	CHECK(strstr(text, "class='whisker' d='M84.0 458.0V262.0") != NULL);
	free(text);
}

/* Ticks are at multiples of the step, also if the ends of the axis are not. */
static void zero_is_a_tick_of_every_axis_that_crosses_it(void)
{
	for (int low = 1; low <= 400; low++)
		for (int high = 1; high <= 400; high += 7) {
			const double y[] = {-low, high};
			struct chart_line line = {.name = "a", .y = y, .count = 2};
			const char *const names[] = {"low", "high"};
			struct chart c = {.title = "t",
					  .x_name = "x",
					  .names = (const char **)names,
					  .lines = &line,
					  .line_count = 1};
			char *text = drawn(&c);

			REQUIRE(text != NULL);
			if (!strstr(text, ">0</text>"))
				tap_note("from %d to %d", -low, high);
			REQUIRE(strstr(text, ">0</text>") != NULL);
			free(text);
		}
}

static void long_names_keep_both_ends(void)
{
	const double y[] = {1, 2};
	const char *names[] = {
		"a-rather-long-string-of-a-home-page-number-1.example.org",
		"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 and so on "
		"for very "
		"long \xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xff"};
	struct chart_line line = {.name = "a", .y = y, .count = 2};
	struct chart c = {
		.title = "t", .x_name = "x", .names = names, .lines = &line, .line_count = 1};
	char *text = drawn(&c);

	REQUIRE(text != NULL);
	CHECK(strstr(text, ">a-rather-long") && strstr(text, "number-1.example.org<") == NULL);
	CHECK(strstr(text, "-1.example.org<") != NULL);
	CHECK(strstr(text, "\xc3\xb6\xc3\xb6?<") != NULL);
	CHECK(strstr(text, "\xe2\x80\xa6") != NULL);
	free(text);
}

int main(void)
{
	RUN(corners_are_the_ends_of_the_axes);
	RUN(what_cannot_be_drawn_leaves_a_gap);
	RUN(nothing_to_draw_is_said);
	RUN(names_are_text_not_markup);
	RUN(bars_begin_at_zero_and_whiskers_are_the_interval);
	RUN(names_fit_beside_the_bars);
	RUN(zero_is_a_tick_of_every_axis_that_crosses_it);
	RUN(long_names_keep_both_ends);
	RUN(dates_are_named_by_the_calendar);
	return tap_done();
}
