/* Charts: points land where the axes say, gaps stay open, text cannot become markup. */
#include "show/chart.h"

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

int main(void)
{
	RUN(corners_are_the_ends_of_the_axes);
	RUN(what_cannot_be_drawn_leaves_a_gap);
	RUN(nothing_to_draw_is_said);
	RUN(names_are_text_not_markup);
	return tap_done();
}
