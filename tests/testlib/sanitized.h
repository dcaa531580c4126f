/*
 * sanitized.h - whether this build has the address sanitizer in it, and what follows from that
 */
#ifndef SOTTO_TESTS_SANITIZED_H
#define SOTTO_TESTS_SANITIZED_H

#include <signal.h>

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

/*
 * The signal of a process that crashes.  The sanitizer takes a segmentation fault for a fault
 * that it has found, and reports it; so another one is sent to a process that has it.
 */
enum { signal_of_a_crash = is_sanitized ? SIGABRT : SIGSEGV };

/*
 * For the innermost loop of a test's own second opinion: what is tested is elsewhere, and watching each of its steps
 * would take most of the test's time.
 */
#define UNWATCHED __attribute__((no_sanitize("address", "undefined")))

#endif
