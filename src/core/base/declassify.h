/*
 * declassify.h - marks the secrets that a branch may depend on
 *
 * The constant-time test builds the library with SOTTO_CTGRIND, runs it under valgrind with every
 * random byte undefined, and reports each jump that depends on one.  SOTTO_DECLASSIFY lets a
 * value through; a comment beside it says how rarely the value is not zero, or why it is not a
 * secret.  SOTTO_CLASSIFY marks bytes whose address is a secret, which valgrind does not track by
 * itself.
 *
 * In the product SOTTO_DECLASSIFY hides from the compiler where the value came from, as the call
 * to valgrind does in the test: otherwise "a & b" may become two branches, the first on a secret.
 * The other two do nothing there.
 */
#ifndef SOTTO_DECLASSIFY_H
#define SOTTO_DECLASSIFY_H

#if defined(SOTTO_CTGRIND)
#include <valgrind/memcheck.h>
#define SOTTO_DECLASSIFY(x) ((void)VALGRIND_MAKE_MEM_DEFINED(&(x), sizeof(x)))
#define SOTTO_DECLASSIFY_BYTES(p, n) ((void)VALGRIND_MAKE_MEM_DEFINED(p, n))
#define SOTTO_CLASSIFY(p, n) ((void)VALGRIND_MAKE_MEM_UNDEFINED(p, n))
#else
#define SOTTO_DECLASSIFY(x) __asm__("" : "+r"(x))
#define SOTTO_DECLASSIFY_BYTES(p, n) ((void)0)
#define SOTTO_CLASSIFY(p, n) ((void)0)
#endif

#endif
