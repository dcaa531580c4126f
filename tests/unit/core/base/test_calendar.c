/*
 * Dates and numbers of days: one day after another over all years, against a calendar that
 * only knows how long months are.
 */
#include "core/base/calendar.h"

#include <stdio.h>
#include <string.h>

#include "testlib/tap.h"

static int month_days(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

static void days_follow_each_other(void)
{
	int64_t expected, days, wrong = 0;

	REQUIRE(sotto_calendar_parse("0001-01-01", &expected));
	for (int year = 1; year <= 9999; year++)
		for (int month = 1; month <= 12; month++)
			for (int day = 1; day <= month_days(year, month); day++, expected++) {
				char text[32], back[SOTTO_CALENDAR_TEXT];

				(void)snprintf(text, sizeof text, "%04d-%02d-%02d", year, month,
					       day);
				sotto_calendar_format(expected, back);
				wrong += !sotto_calendar_parse(text, &days) ||
					 days != expected || strcmp(text, back) != 0;
			}
	CHECK(wrong == 0);
	REQUIRE(sotto_calendar_parse("1970-01-01", &days));
	CHECK(days == 0);
}

static void what_is_no_date_is_none(void)
{
	static const char *const none[] = {"2023-02-29", "2023-13-01",  "2023-00-10",
					   "2023-04-31", "2023-1-01",   "2023-01-1",
					   "20230101",   "2023-01-01x", "0000-01-01",
					   "",           "abcd-ef-gh",  "2023/01/01"};
	int64_t days;

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		(void)tap_check(!sotto_calendar_parse(none[i], &days), __FILE__, __LINE__, "%s",
				none[i]);
}

static void months_end_where_they_end(void)
{
	static const struct {
		const char *from, *to;
		int months;
	} moves[] = {{"2024-01-31", "2024-02-29", 1},   {"2023-01-31", "2023-02-28", 1},
		     {"2024-03-31", "2024-02-29", -1},  {"2023-12-15", "2024-01-15", 1},
		     {"2024-02-29", "2023-02-28", -12}, {"1994-01-01", "1995-01-01", 12},
		     {"2024-11-30", "2024-12-30", 1}};

	for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
		char back[SOTTO_CALENDAR_TEXT];
		int64_t days;

		REQUIRE(sotto_calendar_parse(moves[i].from, &days));
		sotto_calendar_format(sotto_calendar_add_months(days, moves[i].months), back);
		(void)tap_check(strcmp(back, moves[i].to) == 0, __FILE__, __LINE__,
				"%s %+d: %s", moves[i].from, moves[i].months, back);
	}
}

int main(void)
{
	RUN(days_follow_each_other);
	RUN(what_is_no_date_is_none);
	RUN(months_end_where_they_end);
	return tap_done();
}
