/* Tables and JSON: what is printed, byte for byte. */
#include "show/table.h"

#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "show/number_text.h"
#include "show/progress.h"
#include "show/utf8.h"
#include "testlib/tap.h"

static const struct column columns[] = {
	{"city", "city", COLUMN_TEXT, ALIGN_BY_KIND},
	{"count", "noisy count", COLUMN_INTEGER, ALIGN_BY_KIND},
	{"share", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
};

static void fill(struct table *t)
{
	table_init(t, columns, 3);
	table_add_text(t, "Padova");
	table_add_integer(t, 117);
	table_add_double(t, 1.0 / 3, 3);
	table_add_text(t, "Lüneburg, \"old\"");
	table_add_integer(t, -4);
	table_add_nothing(t);
	table_add_text(t, "東京");
	table_add_integer(t, INT64_MAX);
	table_add_double(t, 12345.678, 3);
}

static char *printed(const struct table *t, enum format format)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	table_print(t, format, out);
	fclose(out);
	return text;
}

static void check_printed(enum format format, const char *want)
{
	struct table t;
	char *got;

	fill(&t);
	CHECK_INT(table_row_count(&t), 3);
	got = printed(&t, format);
	CHECK_STR(got, want);
	free(got);
	table_release(&t);
}

static void people_see_aligned_columns(void)
{
	check_printed(FORMAT_TABLE, "city                     noisy count  share\n"
				    "Padova                           117  0.333\n"
				    "Lüneburg, \"old\"                   -4       \n"
				    "東京             9223372036854775807  12346\n");
}

static void programs_read_quoted_csv(void)
{
	check_printed(FORMAT_CSV, "city,count,share\n"
				  "Padova,117,0.3333333333333333\n"
				  "\"Lüneburg, \"\"old\"\"\",-4,\n"
				  "東京,9223372036854775807,12345.678\n");
}

static void programs_read_json_in_stable_order(void)
{
	check_printed(
		FORMAT_JSON,
		"{\n  \"version\": 1,\n  \"rows\": [\n"
		"    {\"city\": \"Padova\", \"count\": 117, \"share\": 0.3333333333333333},\n"
		"    {\"city\": \"Lüneburg, \\\"old\\\"\", \"count\": -4, \"share\": null},\n"
		"    {\"city\": \"東京\", \"count\": \"9223372036854775807\", \"share\": "
		"12345.678}\n"
		"  ]\n}\n");
}

static void an_empty_table_is_still_a_table(void)
{
	struct table t;
	char *got;

	table_init(&t, columns, 3);
	got = printed(&t, FORMAT_JSON);
	CHECK_STR(got, "{\n  \"version\": 1,\n  \"rows\": []\n}\n");
	free(got);
	got = printed(&t, FORMAT_CSV);
	CHECK_STR(got, "city,count,share\n");
	free(got);
	table_release(&t);
}

static void a_terminal_is_never_given_orders(void)
{
	static const struct column one[] = {{"key", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	struct table t;
	char *got;

	table_init(&t, one, 1);
	table_add_text(&t, "\033[2Jgone\r\n\x9b\xc2\x9b");
	got = printed(&t, FORMAT_TABLE);
	CHECK_STR(got, "key\n\\x1b[2Jgone\\x0d\\x0a\\x9b\\u009b\n");
	free(got);
	got = printed(&t, FORMAT_JSON);
	CHECK_STR(got, "{\n  \"version\": 1,\n  \"rows\": [\n    {\"key\": "
		       "\"\\u001b[2Jgone\\r\\n\xEF\xBF\xBD\\u009b\"}\n  ]\n}\n");
	free(got);
	table_release(&t);
}

/* What a table looks like on a terminal; the result is static. */
static const char *on_a_terminal(void)
{
	static const struct column one[] = {{"key", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	static char seen[256];
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	struct table t;
	size_t length = 0;
	FILE *out;

	if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
		return NULL;
	out = fopen(ptsname(master), "w");
	if (!out)
		return NULL;
	table_init(&t, one, 1);
	table_add_text(&t, "x");
	table_print(&t, FORMAT_TABLE, out);
	fflush(out);
	for (seen[0] = '\0'; !strstr(seen, "x\r\n"); seen[length] = '\0') {
		ssize_t n = read(master, seen + length, sizeof seen - 1 - length);

		if (n <= 0)
			break;
		length += (size_t)n;
	}
	table_release(&t);
	fclose(out);
	close(master);
	return seen;
}

static void the_header_is_bold_on_a_terminal_that_wants_it(void)
{
	const char *seen;

	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	seen = on_a_terminal();
	REQUIRE(seen != NULL);
	CHECK_STR(seen, "\033[1mkey\r\n\033[0mx\r\n");
	setenv("NO_COLOR", "1", 1);
	CHECK_STR(on_a_terminal(), "key\r\nx\r\n");
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	CHECK_STR(on_a_terminal(), "key\r\nx\r\n");
}

static void csv_tells_empty_text_from_no_value(void)
{
	static const struct column two[] = {{"a", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
					    {"b", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	struct table t;
	char *got;

	table_init(&t, two, 2);
	table_add_text(&t, "");
	table_add_nothing(&t);
	got = printed(&t, FORMAT_CSV);
	CHECK_STR(got, "a,b\n\"\",\n");
	free(got);
	table_release(&t);
}

static void a_nested_object_is_laid_out(void)
{
	struct json_writer w;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	json_begin(&w, out);
	json_open_object(&w);
	json_key(&w, "list");
	json_open_row(&w);
	json_write_integer(&w, 1);
	json_write_bool(&w, true);
	json_open_array(&w);
	json_close_array(&w);
	json_close_array(&w);
	json_key(&w, "empty");
	json_open_object(&w);
	json_close_object(&w);
	json_key(&w, "deep");
	json_open_object(&w);
	json_key(&w, "x");
	json_write_double(&w, 0.1);
	json_key(&w, "nan");
	json_write_double(&w, NAN);
	json_close_object(&w);
	json_close_object(&w);
	json_end(&w);
	fclose(out);
	CHECK_STR(text, "{\n  \"version\": 1,\n  \"list\": [1, true, []],\n  \"empty\": {},\n  "
			"\"deep\": {\n"
			"    \"x\": 0.1,\n    \"nan\": null\n  }\n}\n");
	free(text);
}

static void numbers_that_a_double_would_change_are_strings(void)
{
	static const char *const safe[] = {
		"0",    "-0",     "9007199254740992", "-9007199254740992",
		"0.1",  "1e-6",   "123456789012.345", "0.00000000000001",
		"12.0", "-1.5e+3"};
	static const char *const unsafe[] = {"9007199254740993",
					     "1/3",
					     "0.1234567890123456",
					     "",
					     ".5",
					     "5.",
					     "01",
					     "1e",
					     "nan",
					     "+1",
					     "1e400",
					     "1e-400",
					     "-",
					     "1 ",
					     "0x1"};

	for (size_t i = 0; i < sizeof safe / sizeof safe[0]; i++)
		(void)tap_check(number_text_survives_double(safe[i]), __FILE__, __LINE__, "%s",
				safe[i]);
	for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++)
		(void)tap_check(!number_text_survives_double(unsafe[i]), __FILE__, __LINE__,
				"%s", unsafe[i]);
}

static void check_rounded(double x, int digits, const char *want)
{
	char *got = number_text_rounded(x, digits);

	CHECK_STR(got, want);
	free(got);
}

static void rounding_for_people(void)
{
	check_rounded(12345.678, 3, "12346");
	check_rounded(3.14159, 3, "3.14");
	check_rounded(0.000123456, 3, "0.000123");
	check_rounded(1e-9, 3, "1e-9");
	check_rounded(0, 3, "0");
	check_rounded(-2.5, 2, "-2.5");
}

static void costs_are_rounded_up(void)
{
	static const double costs[] = {1.0 / 3, 2.0 / 3, 1e-9 / 3, 123456.7891,
				       0.1,     7,       9.9999999};

	for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
		char *text = number_text_rounded_up(costs[i], 6);

		CHECK(strtod(text, NULL) >= costs[i]);
		CHECK(strtod(text, NULL) <= costs[i] * 1.00001);
		free(text);
	}
}

static void broken_utf8_is_recognised(void)
{
	static const char *const broken[] = {
		"\x80",         "\xC0\xAF",         "\xC1\xBF",
		"\xE0\x80\x80", "\xED\xA0\x80",     "\xF4\x90\x80\x80",
		"\xF8\x88",     "\xE2\x82",         "\xF0\x9F\x98",
		"\xFF",         "\xF0\x80\x80\x80", "\xC3("};

	for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
		struct utf8_rune rune = utf8_next(broken[i]);

		(void)tap_check(!rune.valid && rune.length == 1, __FILE__, __LINE__, "text %zu",
				i);
	}
	CHECK_INT(utf8_next("\xF0\x9F\x98\x80").code, 0x1F600);
	CHECK_INT(utf8_next("").length, 0);
	CHECK_INT(utf8_rune_width(0x301), 0);
}

static void a_bar_fills_with_the_work(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	progress_draw(out, "work", 1, 2, 36);
	fclose(out);
	CHECK_STR(text, "work  [##########          ]  50 %");
	free(text);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	RUN(people_see_aligned_columns);
	RUN(programs_read_quoted_csv);
	RUN(programs_read_json_in_stable_order);
	RUN(an_empty_table_is_still_a_table);
	RUN(a_terminal_is_never_given_orders);
	RUN(the_header_is_bold_on_a_terminal_that_wants_it);
	RUN(csv_tells_empty_text_from_no_value);
	RUN(a_nested_object_is_laid_out);
	RUN(numbers_that_a_double_would_change_are_strings);
	RUN(rounding_for_people);
	RUN(costs_are_rounded_up);
	RUN(broken_utf8_is_recognised);
	RUN(a_bar_fills_with_the_work);
	return tap_done();
}
