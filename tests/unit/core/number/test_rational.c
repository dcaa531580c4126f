/* Rationals: nothing is rounded, and text goes both ways. */
#include "core/number/rational/rational_round.h"
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

/* ---- for people ------------------------------------------------------------------------------ */

static bool shows(const char *value, unsigned digits, const char *down, const char *up)
{
	struct sotto_rational r = {0};
	char *low = NULL, *high = NULL;
	bool same = sotto_rational_parse(&r, value, NULL) == SOTTO_OK &&
		    sotto_rational_format_down(&r, digits, &low) == SOTTO_OK &&
		    sotto_rational_format_up(&r, digits, &high) == SOTTO_OK &&
		    strcmp(low, down) == 0 && strcmp(high, up) == 0;

	if (!same)
		tap_note("%s is shown as %s and %s", value, low ? low : "-", high ? high : "-");
	free(low);
	free(high);
	sotto_rational_release(&r);
	return same;
}

static void decimals_for_people_are_short_and_on_the_named_side(void)
{
	CHECK(shows("1/3", 6, "0.333333", "0.333334"));
	CHECK(shows("-1/3", 6, "-0.333334", "-0.333333"));
	CHECK(shows("711998452023140895/576460752303423488", 6, "1.23512", "1.23513"));
	CHECK(shows("0.25", 6, "0.25", "0.25"));
	CHECK(shows("0", 6, "0", "0"));
	CHECK(shows("9.9999999", 3, "9.99", "10"));
	CHECK(shows("0.0099999999", 3, "0.00999", "0.01"));
	CHECK(shows("1e-7", 6, "1e-7", "1e-7"));
	CHECK(shows("1/3e-6", 4, "333300", "333400"));
	CHECK(shows("1/3e6", 4, "3.333e-7", "3.334e-7"));
	CHECK(shows("123456", 2, "120000", "130000"));
	CHECK(shows("1e14", 6, "100000000000000", "100000000000000"));
	CHECK(shows("1e20", 6, "1e20", "1e20"));
	CHECK(shows("99999999999999999999", 3, "9.99e19", "1e20"));
}

/* Reads what was written, for random fractions and numbers of digits. */
static void decimals_for_people_bracket_the_value_closely(void)
{
	uint64_t state = 5;

	for (int i = 0; i < 3000; i++) {
		struct sotto_rational r = {0}, low = {0}, high = {0}, gap = {0}, unit = {0};
		unsigned digits = 1 + (unsigned)i % 20;
		char *down = NULL, *up = NULL;

		mpz_set_ui(mpq_numref(r.q), (state = state * 6364136223846793005u + 1) >> 5);
		mpz_set_ui(mpq_denref(r.q),
			   ((state = state * 6364136223846793005u + 1) >> (i % 60)) | 1);
		mpq_canonicalize(r.q);
		CHECK_INT(sotto_rational_format_down(&r, digits, &down), SOTTO_OK);
		CHECK_INT(sotto_rational_format_up(&r, digits, &up), SOTTO_OK);
		CHECK_INT(sotto_rational_parse(&low, down, NULL), SOTTO_OK);
		CHECK_INT(sotto_rational_parse(&high, up, NULL), SOTTO_OK);
		CHECK(sotto_rational_compare(&low, &r) <= 0 &&
		      sotto_rational_compare(&r, &high) <= 0);
		/* the gap is at most one unit of the last digit: r * 10^(1 - digits) */
		sotto_rational_subtract(&gap, &high, &low);
		mpz_ui_pow_ui(mpq_numref(unit.q), 10, digits - 1);
		mpz_set_ui(mpq_denref(unit.q), 1);
		CHECK_INT(sotto_rational_divide(&unit, &r, &unit), SOTTO_OK);
		CHECK(sotto_rational_compare(&gap, &unit) <= 0);
		free(down);
		free(up);
		sotto_rational_release(&r);
		sotto_rational_release(&low);
		sotto_rational_release(&high);
		sotto_rational_release(&gap);
		sotto_rational_release(&unit);
	}
}

/* ---- the empty value -------------------------------------------------------------------------- */

static void a_zeroed_struct_is_zero_everywhere(void)
{
	struct sotto_rational zero = {0}, half = {0}, r = {0};
	char *text = NULL;

	CHECK_INT(sotto_rational_set_ratio(&half, 1, 2), SOTTO_OK);
	CHECK_INT(sotto_rational_sign(&zero), 0);
	CHECK_INT(sotto_rational_compare(&zero, &half), -1);
	CHECK_INT(sotto_rational_compare(&half, &zero), 1);
	CHECK_INT(sotto_rational_compare(&zero, &zero), 0);
	sotto_rational_add(&r, &zero, &half);
	CHECK_INT(sotto_rational_compare(&r, &half), 0);
	sotto_rational_add(&r, &half, &zero);
	CHECK_INT(sotto_rational_compare(&r, &half), 0);
	sotto_rational_subtract(&r, &half, &zero);
	CHECK_INT(sotto_rational_compare(&r, &half), 0);
	sotto_rational_add(&r, &zero, &zero);
	CHECK_INT(sotto_rational_sign(&r), 0);
	sotto_rational_multiply(&r, &half, &zero);
	CHECK_INT(sotto_rational_sign(&r), 0);
	CHECK_INT(sotto_rational_divide(&r, &zero, &half), SOTTO_OK);
	CHECK_INT(sotto_rational_divide(&r, &half, &zero), SOTTO_EINVAL);
	sotto_rational_round_up(&zero, 8);
	CHECK(sotto_rational_double_up(&zero) == 0 && sotto_rational_double_down(&zero) == 0);
	CHECK_INT(sotto_rational_format(&zero, &text), SOTTO_OK);
	CHECK_STR(text, "0");
	free(text);
	sotto_rational_set(&r, &zero);
	CHECK_INT(mpz_cmp_ui(mpq_denref(r.q), 1), 0);
	sotto_rational_release(&zero);
	sotto_rational_release(&half);
	sotto_rational_release(&half); /* twice is once */
	sotto_rational_release(&r);
	sotto_rational_release(NULL);
}

int main(void)
{
	RUN(text_becomes_the_decimal_fraction);
	RUN(bad_text_is_refused_and_changes_nothing);
	RUN(ten_tenths_are_one);
	RUN(a_double_is_what_it_holds);
	RUN(rounding_goes_the_way_it_says);
	RUN(division_by_zero_is_refused);
	RUN(decimals_for_people_are_short_and_on_the_named_side);
	RUN(decimals_for_people_bracket_the_value_closely);
	RUN(a_zeroed_struct_is_zero_everywhere);
	return tap_done();
}
