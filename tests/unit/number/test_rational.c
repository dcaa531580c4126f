/* Rationals: nothing is rounded, and text goes both ways. */
#include "sotto/rational.h"

#include <stdlib.h>

#include "testlib/tap.h"

static bool parses_to(const char *text, const char *want)
{
	struct sotto_rational r;
	char *got = NULL;
	bool same;

	sotto_rational_init(&r);
	same = sotto_rational_parse(&r, text, NULL) == SOTTO_OK &&
	       sotto_rational_format(&r, &got) == SOTTO_OK && strcmp(got, want) == 0;
	if (!same)
		tap_note("%s gave %s, expected %s", text, got ? got : "a refusal", want);
	free(got);
	sotto_rational_release(&r);
	return same;
}

static void text_becomes_the_decimal_fraction(void)
{
	CHECK(parses_to("0.1", "0.1"));
	CHECK(parses_to("1e-6", "0.000001"));
	CHECK(parses_to("2.5E+3", "2500"));
	CHECK(parses_to("-0.250", "-0.25"));
	CHECK(parses_to("2/6", "1/3"));
	CHECK(parses_to("1/0.3", "10/3"));
	CHECK(parses_to(".5", "0.5"));
	CHECK(parses_to("5.", "5"));
	CHECK(parses_to("0", "0"));
	CHECK(parses_to("-0", "0"));
	CHECK(parses_to("1e-40", "0.0000000000000000000000000000000000000001"));
	CHECK(parses_to("12345678901234567890123456789", "12345678901234567890123456789"));
}

static void bad_text_is_refused_and_changes_nothing(void)
{
	static const char *const bad[] = {"",     "abc",         "1e",  "1/0", "1//2",
					  "--1",  "1 ",          " 1",  "nan", "inf",
					  "0x10", "1.2.3",       "1e+", ".",   "1/2/3",
					  "e5",   "1e999999999", "-",   "1,5"};
	struct sotto_rational r;
	struct sotto_error err;

	sotto_rational_init(&r);
	CHECK_INT(sotto_rational_set_ratio(&r, 7, 2), SOTTO_OK);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		err.text[0] = '\0';
		CHECK(sotto_rational_parse(&r, bad[i], &err) != SOTTO_OK);
		CHECK(err.text[0] != '\0');
	}
	CHECK(mpq_cmp_si(r.q, 7, 2) == 0);
	sotto_rational_release(&r);
}

static void ten_tenths_are_one(void)
{
	struct sotto_rational tenth, sum, one;

	sotto_rational_init(&tenth);
	sotto_rational_init(&sum);
	sotto_rational_init(&one);
	CHECK_INT(sotto_rational_parse(&tenth, "0.1", NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_set_ratio(&one, 1, 1), SOTTO_OK);
	for (int i = 0; i < 10; i++)
		sotto_rational_add(&sum, &sum, &tenth);
	CHECK_INT(sotto_rational_compare(&sum, &one), 0);
	sotto_rational_release(&tenth);
	sotto_rational_release(&sum);
	sotto_rational_release(&one);
}

static void a_double_is_what_it_holds(void)
{
	struct sotto_rational r, tenth;

	sotto_rational_init(&r);
	sotto_rational_init(&tenth);
	CHECK_INT(sotto_rational_set_double(&r, 0.1), SOTTO_OK);
	CHECK_INT(sotto_rational_parse(&tenth, "0.1", NULL), SOTTO_OK);
	CHECK_INT(sotto_rational_compare(&r, &tenth), 1);
	CHECK(sotto_rational_double_down(&tenth) < sotto_rational_double_up(&tenth));
	CHECK(sotto_rational_double_up(&tenth) == 0.1);
	CHECK_INT(sotto_rational_set_double(&r, NAN), SOTTO_EINVAL);
	CHECK_INT(sotto_rational_set_double(&r, INFINITY), SOTTO_EINVAL);
	sotto_rational_release(&r);
	sotto_rational_release(&tenth);
}

static void rounding_goes_the_way_it_says(void)
{
	struct sotto_rational third, low, high;

	sotto_rational_init(&third);
	sotto_rational_init(&low);
	sotto_rational_init(&high);
	for (int sign = -1; sign <= 1; sign += 2) {
		CHECK_INT(sotto_rational_set_ratio(&third, sign, 3), SOTTO_OK);
		sotto_rational_set(&low, &third);
		sotto_rational_set(&high, &third);
		sotto_rational_round_down(&low, 8);
		sotto_rational_round_up(&high, 8);
		CHECK_INT(sotto_rational_compare(&low, &third), -1);
		CHECK_INT(sotto_rational_compare(&high, &third), 1);
		sotto_rational_subtract(&high, &high, &low);
		CHECK(mpq_cmp_ui(high.q, 1, 256) == 0);
	}
	sotto_rational_release(&third);
	sotto_rational_release(&low);
	sotto_rational_release(&high);
}

static void division_by_zero_is_refused(void)
{
	struct sotto_rational a, zero;

	sotto_rational_init(&a);
	sotto_rational_init(&zero);
	CHECK_INT(sotto_rational_set_ratio(&a, 1, 0), SOTTO_EINVAL);
	CHECK_INT(sotto_rational_divide(&a, &a, &zero), SOTTO_EINVAL);
	sotto_rational_release(&a);
	sotto_rational_release(&zero);
}

int main(void)
{
	RUN(text_becomes_the_decimal_fraction);
	RUN(bad_text_is_refused_and_changes_nothing);
	RUN(ten_tenths_are_one);
	RUN(a_double_is_what_it_holds);
	RUN(rounding_goes_the_way_it_says);
	RUN(division_by_zero_is_refused);
	return tap_done();
}
