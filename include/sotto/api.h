/*
 * sotto/api.h - marks that every public declaration carries
 */
#ifndef SOTTO_API_H
#define SOTTO_API_H

/*
 * A symbol that the shared library exports; everything else is hidden.  In C++ it keeps
 * its name from C.
 */
#ifdef __cplusplus
#define SOTTO_API extern "C" __attribute__((visibility("default")))
#else
#define SOTTO_API __attribute__((visibility("default")))
#endif

/* Ignoring the result is a compiler warning, and ours are errors. */
#define SOTTO_MUST_CHECK __attribute__((warn_unused_result))

#endif
