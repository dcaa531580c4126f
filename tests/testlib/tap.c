/* Counts checks and failures of the test that runs, and prints one TAP line when it ends. */
#include "testlib/tap.h"

#include <stdarg.h>
#include <stdlib.h>

struct tap tap_state;

bool tap_check(bool ok, const char *file, int line, const char *format, ...)
{
	va_list args;

	tap_state.checks++;
	if (ok)
		return true;
	if (tap_state.failures++ < 20) {
		printf("# %s:%d: ", file, line);
		va_start(args, format);
		vprintf(format, args);
		va_end(args);
		printf("\n");
	}
	return false;
}

bool tap_begin(const char *name)
{
	const char *only = getenv("ONLY");

	tap_state.checks = 0;
	tap_state.failures = 0;
	return !only || strstr(name, only);
}

void tap_end(const char *name)
{
	bool ok = tap_state.failures == 0 && tap_state.checks > 0;

	if (tap_state.checks == 0)
		printf("# %s checked nothing\n", name);
	printf("%s %d - %s\n", ok ? "ok" : "not ok", ++tap_state.tests, name);
	fflush(stdout);
	tap_state.failed_tests += !ok;
}

void tap_note(const char *format, ...)
{
	va_list args;

	printf("# ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

int tap_skip_all(const char *reason)
{
	printf("1..0 # SKIP %s\n", reason);
	return 0;
}

int tap_done(void)
{
	printf("1..%d\n", tap_state.tests);
	return tap_state.failed_tests != 0;
}
