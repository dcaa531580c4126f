/*
 * Formats into the fixed room of the error, if there is one, and hands the status back, so that
 * a caller can return both in one statement.
 */
#include "core/base/failure.h"

#include <stdarg.h>
#include <stdio.h>

enum sotto_status
sotto_fail(struct sotto_error *err, enum sotto_status status, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		(void)vsnprintf(err->text, sizeof err->text, format, args);
		va_end(args);
	}
	return status;
}
