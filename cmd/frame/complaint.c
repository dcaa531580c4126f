/*
 * complaint_refuse and complaint_usage format the sentence alike and differ only in the outcome
 * that they return.
 */
#include "frame/complaint.h"

#include <stdarg.h>
#include <stdio.h>

static void write_sentence(struct sotto_error *err, const char *format, va_list args)
{
	(void)vsnprintf(err->text, sizeof err->text, format, args);
}

enum outcome complaint_refuse(struct sotto_error *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_sentence(err, format, args);
	va_end(args);
	return OUTCOME_REFUSED;
}

enum outcome complaint_usage(struct sotto_error *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_sentence(err, format, args);
	va_end(args);
	return OUTCOME_USAGE;
}
