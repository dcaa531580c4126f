/*
 * fake_time.h - a clock that a test sets
 *
 * Takes the place of the C library's time() for the code under test.  Included by one file of a
 * test.
 */
#ifndef SOTTO_TESTS_FAKE_TIME_H
#define SOTTO_TESTS_FAKE_TIME_H

#include <time.h>

static time_t fake_time = 1000000;

time_t time(time_t *out)
{
	if (out)
		*out = fake_time;
	return fake_time;
}

#endif
