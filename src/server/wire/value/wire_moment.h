/*
 * wire_moment.h - days and moments as PostgreSQL counts them, from 2000-01-01 on
 */
#ifndef SOTTO_WIRE_MOMENT_H
#define SOTTO_WIRE_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

/* "2024-05-01", "2024-05-01 10:11:12.5" as days and as microseconds; false if it is not one. */
bool sotto_moment_of(const char *text, int64_t *days, int64_t *microseconds);

/* The text of a day or a moment, malloc'd; NULL outside the years 1 to 9999. */
char *sotto_date_text(int32_t days);
char *sotto_timestamp_text(int64_t microseconds);

#endif
