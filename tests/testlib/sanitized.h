/*
 * sanitized.h - whether this build has the address sanitizer in it
 */
#ifndef SOTTO_TESTS_SANITIZED_H
#define SOTTO_TESTS_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
enum { is_sanitized = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { is_sanitized = 1 };
#else
enum { is_sanitized = 0 };
#endif
#else
enum { is_sanitized = 0 };
#endif

#endif
