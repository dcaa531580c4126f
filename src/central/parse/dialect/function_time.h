/*
 * function_time.h - buckets of time, and texts that are read as dates, of other dialects
 */
#ifndef SOTTO_FUNCTION_TIME_H
#define SOTTO_FUNCTION_TIME_H

#include "central/parse/parse.h"

/*
 * TIME_BUCKET, DATE_BIN, TIME_SLICE and toStartOfInterval become date_trunc(part, d) or
 * time_bucket(width, d, origin); PARSE_DATE, TO_DATE and the like become
 * strptime(text, format); SPLIT(x, d)[OFFSET(n)] becomes split_part.  Others stay.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_rewrite_time(struct sotto_sql_parser *p, struct sotto_sql_expr *e);

#endif
