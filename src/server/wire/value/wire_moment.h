/*
 * wire_moment.h - dates and timestamps as PostgreSQL counts them, from 2000-01-01 on
 */
#ifndef SOTTO_WIRE_MOMENT_H
#define SOTTO_WIRE_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Reads "2024-05-01" as days or "2024-05-01 10:11:12.5" as microseconds; false for other text. */
bool sotto_moment_of(const char *text, int64_t *days, int64_t *microseconds);

/* The text of a date or timestamp, malloc'd; NULL outside the years 1 to 9999. */
char *sotto_date_text(int32_t days);
char *sotto_timestamp_text(int64_t microseconds);

#endif
