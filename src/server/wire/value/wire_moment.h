/*
 * wire_moment.h - dates and timestamps as PostgreSQL counts them, from 2000-01-01 on
 */
#ifndef SOTTO_WIRE_MOMENT_H
#define SOTTO_WIRE_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sotto_moment {
	int32_t days;
	int64_t microseconds;
};

/*
 * Reads "2024-05-01", "2024-05-01 10:11:12.5", "0044-03-15 (BC) 10:00:00" or "-infinity", as the
 * engine writes them; false for other text.  What is outside PostgreSQL's calendar is infinite there.
 */
bool sotto_moment_of(const char *text, struct sotto_moment *out);

enum { SOTTO_MOMENT_TEXT = 64 };

/* The text that PostgreSQL has for a year before Christ, and its length; 0: it is the same text. */
size_t sotto_moment_text(const char *text, char out[SOTTO_MOMENT_TEXT]);

/* The text of a date or timestamp, malloc'd; NULL outside the years 1 to 9999. */
char *sotto_date_text(int32_t days);
char *sotto_timestamp_text(int64_t microseconds);

#endif
