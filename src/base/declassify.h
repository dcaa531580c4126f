/*
 * declassify.h - secrets that a branch may depend on, marked one by one
 *
 * The constant-time test builds the library with SOTTO_CTGRIND, runs it under
 * valgrind with every random byte undefined, and reports each jump that depends
 * on one.  A value named by SOTTO_DECLASSIFY is let through: it stands next to a
 * comment that says how rarely it is not zero.  SOTTO_CLASSIFY marks bytes whose
 * place is a secret, which valgrind does not follow by itself.  In the product
 * both are nothing.
 */
#ifndef SOTTO_BASE_DECLASSIFY_H
#define SOTTO_BASE_DECLASSIFY_H

#if defined(SOTTO_CTGRIND)
#include <valgrind/memcheck.h>
#define SOTTO_DECLASSIFY(x) ((void)VALGRIND_MAKE_MEM_DEFINED(&(x), sizeof(x)))
#define SOTTO_CLASSIFY(p, n) ((void)VALGRIND_MAKE_MEM_UNDEFINED(p, n))
#else
#define SOTTO_DECLASSIFY(x) ((void)0)
#define SOTTO_CLASSIFY(p, n) ((void)0)
#endif

#endif
