/*
 * calendar.h - converts dates of the Gregorian calendar to numbers of days
 */
#ifndef SOTTO_CALENDAR_H
#define SOTTO_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a valid date YYYY-MM-DD, with nothing after it, as days since 1970-01-01. */
bool sotto_calendar_parse(const char *text, int64_t *days);

/* Reads the time zone at the end of a time, like +02, -05:30 or Z, as minutes ahead of UTC. */
bool sotto_calendar_zone(const char *time, int64_t *minutes);

/* Returns the date this many months later, on the same day of the month or the month's last. */
int64_t sotto_calendar_add_months(int64_t days, int64_t months);

/* Writes "YYYY-MM-DD" and a NUL.  days lies within the years 1 to 9999. */
enum { SOTTO_CALENDAR_TEXT = 11 };
void sotto_calendar_format(int64_t days, char out[SOTTO_CALENDAR_TEXT]);

#endif
