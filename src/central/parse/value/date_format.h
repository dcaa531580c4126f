/*
 * date_format.h - checks and translates formats of dates
 */
#ifndef SOTTO_DATE_FORMAT_H
#define SOTTO_DATE_FORMAT_H

#include <stdbool.h>

#include "core/base/arena.h"

/* True for a format of strftime that the engine understands, of at most 100 characters. */
bool sotto_sql_format_is_plain(const char *format);

/* The same for one of strptime. */
bool sotto_sql_format_is_read(const char *format);

/*
 * A format of to_char ('YYYY-MM') as one of strftime ('%Y-%m'); "" if it has words
 * with no counterpart.  NULL without memory.
 */
const char *sotto_sql_format_of_to_char(struct sotto_arena *a, const char *format);

/* The length of what stands before the quarter, Q, in a format of to_char; of all if it has none. */
size_t sotto_sql_format_before_quarter(const char *format);

#endif
