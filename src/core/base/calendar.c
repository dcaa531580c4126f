/*
 * Counts in years that begin in March, so that no table of months is needed; a date is accepted
 * only if its number of days leads back to it.
 */
#include "core/base/calendar.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/*
 * Years begin in March, so that the leap day is the last of its year; an era is 400 years
 * and has 146097 days.  719468 days lie between 0000-03-01 and 1970-01-01.
 */
enum { ERA_DAYS = 146097, EPOCH = 719468 };

static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t from_march = (month + 9) % 12, y = year - (month <= 2);
	int64_t era = y / 400, of_era = y % 400;

	return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 +
	       (153 * from_march + 2) / 5 + day - 1 - EPOCH;
}

static void date_of(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
	int64_t n = days + EPOCH, era = n / ERA_DAYS, of_era = n % ERA_DAYS;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
	int64_t from_march = (5 * of_year + 2) / 153;

	*day = of_year - (153 * from_march + 2) / 5 + 1;
	*month = from_march < 10 ? from_march + 3 : from_march - 9;
	*year = y + era * 400 + (*month <= 2);
}

bool sotto_calendar_parse(const char *text, int64_t *days)
{
	int64_t year, month, day, y, m, d;

	if (strlen(text) != 10 || text[4] != '-' || text[7] != '-')
		return false;
	for (int i = 0; i < 10; i++)
		if (i != 4 && i != 7 && !isdigit((unsigned char)text[i]))
			return false;
	year = (text[0] - '0') * 1000 + (text[1] - '0') * 100 + (text[2] - '0') * 10 +
	       (text[3] - '0');
	month = (text[5] - '0') * 10 + (text[6] - '0');
	day = (text[8] - '0') * 10 + (text[9] - '0');
	if (year < 1 || month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	*days = days_of(year, month, day);
	date_of(*days, &y, &m, &d);
	return y == year && m == month && d == day; /* there is no 30 February */
}

static bool two_digits(const char *s, int64_t *out)
{
	if (!isdigit((unsigned char)s[0]) || !isdigit((unsigned char)s[1]))
		return false;
	*out = (s[0] - '0') * 10 + (s[1] - '0');
	return true;
}

bool sotto_calendar_zone(const char *time, int64_t *minutes)
{
	const char *sign = strpbrk(time, "+-Zz");
	int64_t hour, minute = 0;

	if (!sign)
		return false;
	*minutes = 0;
	if (*sign == 'Z' || *sign == 'z')
		return sign[1] == '\0';
	if (!two_digits(sign + 1, &hour) || hour > 15)
		return false;
	if (sign[3] != '\0' && !(two_digits(sign + 3 + (sign[3] == ':'), &minute) &&
				 sign[5 + (sign[3] == ':')] == '\0'))
		return false;
	*minutes = (*sign == '-' ? -1 : 1) * (hour * 60 + minute);
	return true;
}

int64_t sotto_calendar_add_months(int64_t days, int64_t months)
{
	int64_t year, month, day, count, last;

	date_of(days, &year, &month, &day);
	count = year * 12 + month - 1 + months;
	last = days_of((count + 1) / 12, (count + 1) % 12 + 1, 1) -
	       days_of(count / 12, count % 12 + 1, 1);
	return days_of(count / 12, count % 12 + 1, day < last ? day : last);
}

void sotto_calendar_format(int64_t days, char out[SOTTO_CALENDAR_TEXT])
{
	int64_t year, month, day;

	date_of(days, &year, &month, &day);
	(void)snprintf(out, SOTTO_CALENDAR_TEXT, "%04u-%02u-%02u", (unsigned)year % 10000,
		       (unsigned)month % 100, (unsigned)day % 100);
}
