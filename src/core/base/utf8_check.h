/*
 * utf8_check.h - checks whether bytes are valid UTF-8
 */
#ifndef SOTTO_UTF8_CHECK_H
#define SOTTO_UTF8_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * True for valid UTF-8, without surrogates and overlong forms, as the engine demands.  True if n
 * is 0.
 */
bool sotto_utf8_is_valid(const uint8_t *bytes, size_t n);

#endif
