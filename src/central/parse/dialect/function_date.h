/*
 * function_date.h - functions of dates of other dialects
 */
#ifndef SOTTO_FUNCTION_DATE_H
#define SOTTO_FUNCTION_DATE_H

#include "central/parse/parse.h"

/*
 * toStartOfMonth and Oracle's TRUNC become date_trunc; DATE_FORMAT becomes strftime; DATEADD
 * becomes d + INTERVAL; parts of dates get the names used here.  Others stay.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_rewrite_date(struct sotto_sql_parser *p, struct sotto_sql_expr *e);

/*
 * The formats of the engine have no quarter: to_char(d, 'YYYY-"Q"Q') becomes
 * strftime(d, '%Y-Q') || quarter.  Others stay, and formats with words that are unknown.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_rewrite_quarter(struct sotto_sql_parser *p, struct sotto_sql_expr *e);

/* a - b > INTERVAL '30 minutes' compares seconds; others stay. */
SOTTO_MUST_CHECK enum sotto_status
sotto_sql_rewrite_interval(struct sotto_sql_parser *p, struct sotto_sql_expr *e);

#endif
