/*
 * tap.h - a test program in a few macros, speaking TAP so that prove can run it
 *
 *	int main(void)
 *	{
 *		RUN(a_budget_can_be_spent_to_the_last_unit);
 *		return tap_done();
 *	}
 *
 * A test is a static void function of that name; CHECK and its kin record a
 * failure and go on, REQUIRE leaves the test.  A test without any check fails.
 * With ONLY=text in the environment, tests whose name has that text run alone.
 */
#ifndef SOTTO_TESTS_TAP_H
#define SOTTO_TESTS_TAP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct tap {
	int tests;
	int failed_tests;
	long checks; /* in the running test */
	long failures;
};

extern struct tap tap_state;

bool tap_check(bool ok, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
bool tap_begin(const char *name);
void tap_end(const char *name);
void tap_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports a whole program as skipped (for example: the CPU lacks an instruction). */
int tap_skip_all(const char *reason);

/* Prints the plan; the exit status of main. */
int tap_done(void);

#define RUN(name)                                                                              \
	do {                                                                                   \
		if (tap_begin(#name)) {                                                        \
			name();                                                                \
			tap_end(#name);                                                        \
		}                                                                              \
	} while (0)

#define CHECK(cond) ((void)tap_check((cond), __FILE__, __LINE__, "%s", #cond))

#define REQUIRE(cond)                                                                          \
	do {                                                                                   \
		if (!tap_check((cond), __FILE__, __LINE__, "%s", #cond))                       \
			return;                                                                \
	} while (0)

#define CHECK_INT(got, want)                                                                   \
	do {                                                                                   \
		long long tap_got_ = (long long)(got), tap_want_ = (long long)(want);          \
		(void)tap_check(tap_got_ == tap_want_, __FILE__, __LINE__,                     \
				"%s is %lld, expected %lld", #got, tap_got_, tap_want_);       \
	} while (0)

#define CHECK_STR(got, want)                                                                   \
	do {                                                                                   \
		const char *tap_got_ = (got), *tap_want_ = (want);                             \
		(void)tap_check(strcmp(tap_got_, tap_want_) == 0, __FILE__, __LINE__,          \
				"%s is \"%s\", expected \"%s\"", #got, tap_got_, tap_want_);   \
	} while (0)

/* abs(got - want) <= tolerance * max(1e-300, abs(want)) */
#define CHECK_REL(got, want, tolerance)                                                        \
	do {                                                                                   \
		double tap_got_ = (got), tap_want_ = (want);                                   \
		(void)tap_check(fabs(tap_got_ - tap_want_) <=                                  \
					(tolerance)*fmax(1e-300, fabs(tap_want_)),             \
				__FILE__, __LINE__, "%s is %.17g, expected %.17g", #got,       \
				tap_got_, tap_want_);                                          \
	} while (0)

#endif
