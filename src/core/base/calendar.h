/*
 * calendar.h - dates of the Gregorian calendar as numbers of days
 */
#ifndef SOTTO_CALENDAR_H
#define SOTTO_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

/* YYYY-MM-DD, a day that there is, and nothing after it; as days after 1970-01-01. */
bool sotto_calendar_parse(const char *text, int64_t *days);

/* So many months later, on the same day of the month or on its last one. */
int64_t sotto_calendar_add_months(int64_t days, int64_t months);

/* "YYYY-MM-DD" and a NUL.  days lies within years 1 to 9999. */
enum { SOTTO_CALENDAR_TEXT = 11 };
void sotto_calendar_format(int64_t days, char out[SOTTO_CALENDAR_TEXT]);

#endif
