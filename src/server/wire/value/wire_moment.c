/* The calendar of the wire protocol. */
#include "server/wire/value/wire_moment.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DAY INT64_C(86400000000)

/* What the engine writes behind the day, where PostgreSQL has " BC" at the end. */
static const char before_christ[] = " (BC)";

/* Days from 2000-01-01 to a day of the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400,
		of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 730425;
}

/* The years of both calendars: PostgreSQL's begins with 4713 BC, the engine's times end earlier. */
enum { FIRST_YEAR = -4711, LAST_YEAR = 294247 };

/* "infinity" and "-infinity", which the engine writes like PostgreSQL. */
static bool is_infinite(const char *text, struct sotto_moment *out)
{
	bool below = *text == '-';

	if (strcmp(text + below, "infinity") != 0)
		return false;
	*out = (struct sotto_moment){.days = below ? INT32_MIN : INT32_MAX,
				     .microseconds = below ? INT64_MIN : INT64_MAX};
	return true;
}

bool sotto_moment_of(const char *text, struct sotto_moment *out)
{
	int year, month, day, hour = 0, minute = 0, n = 0;
	double second = 0;
	const char *rest;
	int64_t days;

	if (is_infinite(text, out))
		return true;
	if (sscanf(text, "%8d-%2d-%2d%n", &year, &month, &day, &n) != 3)
		return false;
	rest = text + n;
	if (strncmp(rest, before_christ, strlen(before_christ)) == 0) {
		rest += strlen(before_christ);
		year = 1 - year;
	}
	if (*rest && sscanf(rest + 1, "%2d:%2d:%lf", &hour, &minute, &second) < 2)
		return false;
	if (year < FIRST_YEAR)
		return is_infinite("-infinity", out);
	days = days_of(year, month, day);
	*out = (struct sotto_moment){.days = (int32_t)days, .microseconds = INT64_MAX};
	if (year <= LAST_YEAR)
		out->microseconds = days * DAY + hour * INT64_C(3600000000) +
				    minute * INT64_C(60000000) + llround(second * 1e6);
	return true;
}

size_t sotto_moment_text(const char *text, char out[SOTTO_MOMENT_TEXT])
{
	const char *before = strstr(text, before_christ), *rest;
	int n;

	if (!before)
		return 0;
	rest = before + strlen(before_christ);
	n = snprintf(out, SOTTO_MOMENT_TEXT, "%.*s%s BC", (int)(before - text), text, rest);
	return n > 0 && n < SOTTO_MOMENT_TEXT ? (size_t)n : 0;
}

/* The inverse of days_of. */
static void day_of(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
	int64_t z = days + 730425, era = (z >= 0 ? z : z - 146096) / 146097,
		of_era = z - era * 146097;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365,
		of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;

	*day = of_year - (153 * m + 2) / 5 + 1;
	*month = m < 10 ? m + 3 : m - 9;
	*year = y + era * 400 + (*month <= 2);
}

char *sotto_date_text(int32_t days)
{
	int64_t year, month, day;
	char *text = NULL;

	day_of(days, &year, &month, &day);
	if (year < 1 || year > 9999)
		return NULL;
	return asprintf(&text, "%04" PRId64 "-%02" PRId64 "-%02" PRId64, year, month, day) < 0
		       ? NULL
		       : text;
}

char *sotto_timestamp_text(int64_t microseconds)
{
	int64_t days = microseconds / DAY - (microseconds % DAY < 0),
		rest = microseconds - days * DAY, year, month, day;
	char *text = NULL;

	day_of(days, &year, &month, &day);
	if (year < 1 || year > 9999)
		return NULL;
	return asprintf(&text,
			"%04" PRId64 "-%02" PRId64 "-%02" PRId64 " %02" PRId64 ":%02" PRId64
			":%02" PRId64 ".%06" PRId64,
			year, month, day, rest / 3600000000, rest / 60000000 % 60,
			rest / 1000000 % 60, rest % 1000000) < 0
		       ? NULL
		       : text;
}
