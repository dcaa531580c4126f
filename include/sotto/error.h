/*
 * sotto/error.h - one sentence for people, next to the status for programs
 *
 * The caller owns a struct sotto_error and passes its address, or NULL when it
 * does not care.  Texts carry names and parameters, never values from private
 * data: a message that depends on private data would be a release.
 */
#ifndef SOTTO_ERROR_H
#define SOTTO_ERROR_H

#define SOTTO_ERROR_TEXT_MAX 512

struct sotto_error {
	char text
		[SOTTO_ERROR_TEXT_MAX]; /* what is wrong and what to change; "" if nothing is */
};

#endif
